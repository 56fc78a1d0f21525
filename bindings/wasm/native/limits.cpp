// SPDX-License-Identifier: MIT
#include <chrono>

#include <sluice/rate_limit/algorithms.hpp>
#include <sluice/rate_limit/policy.hpp>

#include "abi.hpp"

// The errors of rate limits' arguments. src/algorithms.ts decides.

namespace sluice::wasm {

/// Arguments: an algorithm, a limit and a window in milliseconds. Answer: true, or their first
/// error.
SLUICE_WASM_FUNCTION(limit_policy) {
    const std::string_view name = args.text();
    const auto algorithm = parse_algorithm(name);
    if (!algorithm) return out.error_in(algorithm.error(), name);
    const std::int64_t limit = args.integer();
    const auto limits = make_policy(limit, std::chrono::milliseconds{args.integer()});
    if (!limits) return out.errors({&limits.error(), 1});
    out.value(true);
}

}  // namespace sluice::wasm
