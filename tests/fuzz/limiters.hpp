// SPDX-License-Identifier: MIT
#ifndef SLUICE_TESTS_FUZZ_LIMITERS_HPP
#define SLUICE_TESTS_FUZZ_LIMITERS_HPP

#include <chrono>
#include <string_view>

#include <sluice/sluice.hpp>

#include "byte_source.hpp"

// Limiters under any policies, clocks and costs.

namespace sluice_fuzz {

struct limited_request {
    sluice::policy limits;
    sluice::instant now;
    std::int64_t cost;
};

inline limited_request read_limited_request(byte_source& bytes) noexcept {
    using std::chrono::milliseconds;
    const sluice::policy limits{bytes.magnitude(), milliseconds{bytes.magnitude()}};
    return {limits, sluice::instant{milliseconds{bytes.magnitude()}}, bytes.magnitude()};
}

/// Requires the promises of every decision.
inline void require_sound(const sluice::decision& d, std::int64_t cost) {
    require(d.limit >= 1 && d.limit <= sluice::policy_max_limit);
    require(d.remaining >= 0 && d.remaining <= d.limit);
    require(d.retry_after.has_value() == (!d.allowed && cost <= d.limit));
    require(!d.retry_after || *d.retry_after >= std::chrono::seconds{1});
}

/// A refusal counts nothing, and a lone client that waits as it is told is admitted.
template <class State>
void require_fair(const State& before, const State& after, const limited_request& request,
                  const sluice::decision& refused) {
    require(after == before);
    const bool is_written = sluice::is_writable(request.now);
    if (!refused.retry_after || !is_written) return;
    const sluice::instant later = request.now + *refused.retry_after;
    if (!sluice::is_writable(later)) return;
    require(sluice::peek(before, request.limits, later, request.cost).allowed);
}

template <class State>
void fuzz_algorithm(byte_source bytes) {
    State state;
    for (int requests = 0; requests < 200 && !bytes.empty(); ++requests) {
        const limited_request request = read_limited_request(bytes);
        const auto seen = sluice::peek(state, request.limits, request.now, request.cost);
        auto [decided, next] = sluice::decide(state, request.limits, request.now, request.cost);
        require_sound(seen, request.cost);
        require_sound(decided, request.cost);
        require(decided.allowed == seen.allowed && decided.retry_after == seen.retry_after);
        if (!decided.allowed) require_fair(state, next, request, decided);
        state = std::move(next);
    }
}

/// Each algorithm, decided on one state after the other.
inline void fuzz_algorithms(std::string_view input) {
    fuzz_algorithm<sluice::fixed_window>(byte_source(input));
    fuzz_algorithm<sluice::sliding_window>(byte_source(input));
    fuzz_algorithm<sluice::sliding_log>(byte_source(input));
    fuzz_algorithm<sluice::gcra>(byte_source(input));
}

/// Keys of any bytes in a limiter of few: it stays within its bound, and peeks as it checks.
inline void fuzz_keyed_limiter(std::string_view input) {
    constexpr std::size_t most = 5;
    byte_source bytes(input);
    sluice::keyed_limiter<> limiter(most, {bytes.number<std::uint64_t>()});
    for (int requests = 0; requests < 200 && !bytes.empty(); ++requests) {
        const std::string_view key = bytes.text(bytes.below(160));
        const limited_request request = read_limited_request(bytes);
        const auto seen = limiter.peek(key, request.limits, request.now, request.cost);
        const auto decided = limiter.check(key, request.limits, request.now, request.cost);
        require_sound(decided, request.cost);
        require(decided.allowed == seen.allowed);
        require(limiter.size() <= most);
    }
}

}  // namespace sluice_fuzz

#endif
