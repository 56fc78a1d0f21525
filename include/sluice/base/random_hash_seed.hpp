// SPDX-License-Identifier: MIT
#ifndef SLUICE_BASE_RANDOM_HASH_SEED_HPP
#define SLUICE_BASE_RANDOM_HASH_SEED_HPP

#include <cstdint>
#include <random>

#include <sluice/base/text_hasher.hpp>

namespace sluice {

/// Returns a seed that nobody can guess. Call it once, at the program's start: it may take 0.1 ms.
///
/// ```
/// sluice::reference::event_store store("ws_default", sluice::random_hash_seed());
/// ```
[[nodiscard]] inline hash_seed random_hash_seed() {
    std::random_device source;
    const std::uint64_t upper = source();
    return {upper << 32 | source()};
}

}  // namespace sluice

#endif
