// SPDX-License-Identifier: MIT
#ifndef SLUICE_BASE_PREFETCH_HPP
#define SLUICE_BASE_PREFETCH_HPP

namespace sluice::detail {

/// Prefetches the cache line of an address, which need not exist.
///
/// g++ takes a function that does nothing else for one without an effect and drops its calls. An
/// empty volatile statement keeps them.
inline void prefetch(const void* address) noexcept {
    __builtin_prefetch(address);
    asm volatile("");
}
/// Like prefetch(), for a line that will be written.
inline void prefetch_to_write(const void* address) noexcept {
    __builtin_prefetch(address, 1);
    asm volatile("");
}

}  // namespace sluice::detail

#endif
