// SPDX-License-Identifier: MIT
#ifndef SLUICE_DETAIL_PREFETCH_HPP
#define SLUICE_DETAIL_PREFETCH_HPP

namespace sluice::detail {

/// Has the CPU fetch the line of a cache that an address is in, which need not exist.
///
/// g++ takes a function that does nothing else for one without an effect, and drops calls of it. A
/// statement of no instructions that is volatile keeps them.
inline void prefetch(const void* address) noexcept {
    __builtin_prefetch(address);
    asm volatile("");
}
/// The same of a line that will be written.
inline void prefetch_to_write(const void* address) noexcept {
    __builtin_prefetch(address, 1);
    asm volatile("");
}

}  // namespace sluice::detail

#endif
