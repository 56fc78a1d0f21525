// SPDX-License-Identifier: MIT
#ifndef SLUICE_RATE_LIMIT_ANY_LIMITER_HPP
#define SLUICE_RATE_LIMIT_ANY_LIMITER_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <variant>

#include <sluice/choice.hpp>
#include <sluice/error.hpp>
#include <sluice/hash_seed.hpp>
#include <sluice/instant.hpp>
#include <sluice/rate_limit/algorithms.hpp>
#include <sluice/rate_limit/decision.hpp>
#include <sluice/rate_limit/keyed_limiter.hpp>
#include <sluice/rate_limit/policy.hpp>
#include <sluice/rate_limit/sliding_log.hpp>

namespace sluice {

/// An algorithm that is chosen at run time.
enum class algorithm_kind : std::uint8_t { sliding_window, fixed_window, sliding_log, gcra };

/// Names of the algorithms, in the order of the enumeration.
inline constexpr std::array<std::string_view, 4> algorithm_names{"sliding_window", "fixed_window",
                                                                 "sliding_log", "gcra"};

/// Returns an algorithm's name, such as `gcra`.
[[nodiscard]] constexpr std::string_view to_string(algorithm_kind kind) noexcept {
    switch (kind) {
        case algorithm_kind::sliding_window: return algorithm_names[0];
        case algorithm_kind::fixed_window: return algorithm_names[1];
        case algorithm_kind::sliding_log: return algorithm_names[2];
        case algorithm_kind::gcra: return algorithm_names[3];
    }
    return algorithm_names[0];
}

/// Parses an algorithm's name, in its exact spelling. Error: choice_unknown over the whole text,
/// with the names in `accepts`.
[[nodiscard]] constexpr result<algorithm_kind> parse_algorithm(std::string_view text) noexcept {
    auto index = parse_choice<algorithm_names>(text);
    if (index) return static_cast<algorithm_kind>(*index);
    index.error().param = "algorithm";
    return tl::unexpected<error>(index.error());
}

/// A keyed_limiter whose algorithm is chosen at run time.
class any_limiter {
public:
    explicit any_limiter(algorithm_kind kind,
                         std::size_t max_keys = keyed_limiter<>::default_max_keys,
                         hash_seed seed = hash_seed::of_process())
        : states_(make(std::make_index_sequence<std::variant_size_v<states>>(), kind, max_keys,
                       seed)) {}

    [[nodiscard]] algorithm_kind algorithm() const noexcept {
        return static_cast<algorithm_kind>(states_.index());
    }

    /// See keyed_limiter::check.
    [[nodiscard]] decision check(std::string_view key, const policy& limits, instant now,
                                 std::int64_t cost = 1) {
        return std::visit([&](auto& each) { return each.check(key, limits, now, cost); }, states_);
    }

    /// See keyed_limiter::peek.
    [[nodiscard]] decision peek(std::string_view key, const policy& limits, instant now,
                                std::int64_t cost = 1) const {
        return std::visit([&](const auto& each) { return each.peek(key, limits, now, cost); },
                          states_);
    }

    /// See keyed_limiter::forget.
    bool forget(std::string_view key) {
        return std::visit([&](auto& each) { return each.forget(key); }, states_);
    }

    /// The number of keys held.
    [[nodiscard]] std::size_t size() const {
        return std::visit([](const auto& each) { return each.size(); }, states_);
    }

private:
    /// In the order of algorithm_kind.
    using states = std::variant<keyed_limiter<sliding_window>, keyed_limiter<fixed_window>,
                                keyed_limiter<sliding_log>, keyed_limiter<gcra>>;

    template <std::size_t... Index>
    static states make(std::index_sequence<Index...>, algorithm_kind kind, std::size_t max_keys,
                       hash_seed seed) {
        using make_function = states (*)(std::size_t, hash_seed);
        constexpr std::array<make_function, sizeof...(Index)> makers{
            [](std::size_t keys, hash_seed hashes) {
                return states(std::in_place_index<Index>, keys, hashes);
            }...};
        return makers[static_cast<std::size_t>(kind)](max_keys, seed);
    }

    states states_;
};

}  // namespace sluice

#endif
