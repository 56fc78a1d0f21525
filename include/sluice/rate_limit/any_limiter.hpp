// SPDX-License-Identifier: MIT
#ifndef SLUICE_RATE_LIMIT_ANY_LIMITER_HPP
#define SLUICE_RATE_LIMIT_ANY_LIMITER_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <variant>

#include <sluice/base/text_hasher.hpp>
#include <sluice/rate_limit/algorithms.hpp>
#include <sluice/rate_limit/decision.hpp>
#include <sluice/rate_limit/keyed_limiter.hpp>
#include <sluice/rate_limit/policy.hpp>
#include <sluice/time/instant.hpp>

namespace sluice {

/// A keyed_limiter whose algorithm is chosen at run time. Safe for any number of threads.
class any_limiter {
public:
    explicit any_limiter(algorithm_kind kind,
                         std::size_t max_keys = keyed_limiter<>::default_max_keys,
                         hash_seed seed = hash_seed::of_process())
        : limiters_(make(kind, max_keys, seed)) {}

    [[nodiscard]] algorithm_kind algorithm() const noexcept {
        return static_cast<algorithm_kind>(limiters_.index());
    }

    /// See keyed_limiter::check.
    [[nodiscard]] decision check(std::string_view key, const policy& limits, instant now,
                                 std::int64_t cost = 1) {
        return std::visit([&](auto& limiter) { return limiter.check(key, limits, now, cost); },
                          limiters_);
    }

    /// See keyed_limiter::peek.
    [[nodiscard]] decision peek(std::string_view key, const policy& limits, instant now,
                                std::int64_t cost = 1) const {
        return std::visit([&](const auto& limiter) { return limiter.peek(key, limits, now, cost); },
                          limiters_);
    }

    /// See keyed_limiter::forget.
    bool forget(std::string_view key) {
        return std::visit([&](auto& limiter) { return limiter.forget(key); }, limiters_);
    }

    /// Returns the number of keys held.
    [[nodiscard]] std::size_t size() const {
        return std::visit([](const auto& limiter) { return limiter.size(); }, limiters_);
    }

private:
    // Only declared, for the type of its result: a variant of the limiters of all algorithms.
    template <class... States>
    static std::variant<keyed_limiter<States>...> limiters_of(detail::algorithm_list<States...>);
    using limiters = decltype(limiters_of(detail::algorithms()));

    static limiters make(algorithm_kind kind, std::size_t max_keys, hash_seed seed) {
        using make_function = limiters (*)(std::size_t, hash_seed);
        constexpr auto makers = detail::for_algorithms([]<class State>() -> make_function {
            return [](std::size_t keys, hash_seed hashes) {
                return limiters(std::in_place_type<keyed_limiter<State>>, keys, hashes);
            };
        });
        return makers[static_cast<std::size_t>(kind)](max_keys, seed);
    }

    limiters limiters_;
};

}  // namespace sluice

#endif
