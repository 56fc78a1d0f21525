// SPDX-License-Identifier: MIT
#ifndef SLUICE_RATE_LIMIT_HPP
#define SLUICE_RATE_LIMIT_HPP

// Rate limits.
//
//   rate_limit/policy.hpp          policy: a limit and a window
//   rate_limit/algorithms.hpp      sliding_window (the default), fixed_window, gcra
//   rate_limit/sliding_log.hpp     sliding_log
//   rate_limit/decision.hpp        decide(state, policy, now, cost), peek: pure
//   rate_limit/headers.hpp         rate-limit headers of responses
//   rate_limit/keyed_limiter.hpp   keyed_limiter: a state for each key, thread-safe, bounded
//
// Not included here:
//
//   rate_limit/any_limiter.hpp     keyed_limiter for an algorithm chosen at run time
//   rate_limit/redis.hpp           limits shared through Redis, without the I/O
//   rate_limit/state_members.hpp   the members of states, by name
//
//   algorithm       | admits in one window's length   | units come back    | a state holds
//   ----------------|---------------------------------|--------------------|--------------
//   sliding_window  | about the limit, at worst twice | evenly             | 24 bytes
//   fixed_window    | at worst twice the limit        | all at once        | 16 bytes
//   sliding_log     | never more than the limit       | as they were spent | 16 bytes a unit
//   gcra            | at worst twice the limit        | one by one, evenly | 24 bytes

#include <sluice/rate_limit/algorithms.hpp>
#include <sluice/rate_limit/decision.hpp>
#include <sluice/rate_limit/headers.hpp>
#include <sluice/rate_limit/keyed_limiter.hpp>
#include <sluice/rate_limit/policy.hpp>
#include <sluice/rate_limit/sliding_log.hpp>

#endif
