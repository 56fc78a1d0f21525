// SPDX-License-Identifier: MIT
#ifndef SLUICE_HASH_SEED_HPP
#define SLUICE_HASH_SEED_HPP

#include <cstdint>

namespace sluice {

/// Where the hashes of texts start from. Whoever knows it can choose texts that all hash alike, and
/// so make the tables that hold them slow. No result depends on it.
///
/// Programs that serve strangers draw one at their start, from the system's source of randomness:
/// `random_hash_seed()`. Tests fix one: `hash_seed{7}`.
struct hash_seed {
    std::uint64_t value = 0;

    /// The default of everything that takes a seed: where the system has put the program, another
    /// place in each process unless it is told to load programs without randomisation (ASLR).
    [[nodiscard]] static hash_seed of_process() noexcept {
        static constexpr char somewhere = 0;
        return {reinterpret_cast<std::uintptr_t>(&somewhere)};
    }

    friend constexpr bool operator==(const hash_seed&, const hash_seed&) = default;
};

}  // namespace sluice

#endif
