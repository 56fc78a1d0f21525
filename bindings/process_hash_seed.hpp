// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_PROCESS_HASH_SEED_HPP
#define SLUICE_BINDINGS_PROCESS_HASH_SEED_HPP

#include <sluice/base/random_hash_seed.hpp>

namespace sluice::bindings {

/// The seed for hashes of data from Python, drawn once per process.
inline hash_seed process_hash_seed() {
    static const hash_seed drawn = random_hash_seed();
    return drawn;
}

}  // namespace sluice::bindings

#endif
