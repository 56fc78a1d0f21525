// SPDX-License-Identifier: MIT
#ifndef SLUICE_BASE_HASH_SEED_HPP
#define SLUICE_BASE_HASH_SEED_HPP

#include <cstdint>

namespace sluice {

/// The seed of text hashes. Who knows it can choose texts with equal hashes and so slow down the
/// tables that hold them. Results don't depend on it.
///
/// Programs that serve untrusted clients draw one at their start with `random_hash_seed()`. Tests
/// fix one: `hash_seed{7}`.
struct hash_seed {
    std::uint64_t value = 0;

    /// Default of everything that takes a seed: an address of the program, which differs between
    /// processes unless address-space randomisation (ASLR) is off.
    [[nodiscard]] static hash_seed of_process() noexcept {
        static constexpr char somewhere = 0;
        return {reinterpret_cast<std::uintptr_t>(&somewhere)};
    }

    friend constexpr bool operator==(const hash_seed&, const hash_seed&) = default;
};

}  // namespace sluice

#endif
