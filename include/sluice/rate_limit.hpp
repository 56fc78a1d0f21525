// SPDX-License-Identifier: MIT
#ifndef SLUICE_RATE_LIMIT_HPP
#define SLUICE_RATE_LIMIT_HPP

// Rate limits.
//
//   rate_limit/policy.hpp          policy: a limit and a window
//   rate_limit/algorithms.hpp      a table of the algorithms; sliding_window is the default
//   rate_limit/sliding_log.hpp     sliding_log, one of the algorithms
//   rate_limit/decision.hpp        decide(state, policy, now, cost), peek: pure
//   rate_limit/headers.hpp         rate-limit headers of responses
//   rate_limit/keyed_limiter.hpp   keyed_limiter: a state for each key, thread-safe, bounded
//
// Not included here:
//
//   rate_limit/any_limiter.hpp     keyed_limiter for an algorithm chosen at run time
//   rate_limit/redis/limiter.hpp   limits shared through Redis, without the I/O

#include <sluice/rate_limit/algorithms.hpp>
#include <sluice/rate_limit/decision.hpp>
#include <sluice/rate_limit/headers.hpp>
#include <sluice/rate_limit/keyed_limiter.hpp>
#include <sluice/rate_limit/policy.hpp>
#include <sluice/rate_limit/sliding_log.hpp>

#endif
