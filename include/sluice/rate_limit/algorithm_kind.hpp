// SPDX-License-Identifier: MIT
#ifndef SLUICE_RATE_LIMIT_ALGORITHM_KIND_HPP
#define SLUICE_RATE_LIMIT_ALGORITHM_KIND_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <sluice/errors/choice.hpp>
#include <sluice/errors/error.hpp>
#include <sluice/rate_limit/algorithms.hpp>
#include <sluice/rate_limit/sliding_log.hpp>

namespace sluice {

/// An algorithm that is chosen at run time.
enum class algorithm_kind : std::uint8_t { sliding_window, fixed_window, sliding_log, gcra };

namespace detail {

template <class... States>
struct algorithm_list {};

/// The states of all algorithms, in the order of algorithm_kind. Names, limiters, bindings and the
/// Redis script derive from this list.
using algorithms = algorithm_list<sliding_window, fixed_window, sliding_log, gcra>;

/// Returns `make.operator()<State>()` of each algorithm, in the order of algorithm_kind.
template <class Make, class... States>
[[nodiscard]] constexpr auto for_algorithms(const Make& make, algorithm_list<States...>) {
    return std::array { make.template operator()<States>()... };
}
template <class Make>
[[nodiscard]] constexpr auto for_algorithms(const Make& make) {
    return for_algorithms(make, algorithms());
}

}  // namespace detail

/// Names of the algorithms, in the order of the enumeration.
inline constexpr auto algorithm_names =
    detail::for_algorithms([]<class State>() { return State::name; });

/// Returns an algorithm's name, such as `gcra`; empty for a number without an algorithm.
[[nodiscard]] constexpr std::string_view to_string(algorithm_kind kind) noexcept {
    switch (kind) {  // no default: the compiler names an enumerator without a case
        case algorithm_kind::sliding_window: return sliding_window::name;
        case algorithm_kind::fixed_window: return fixed_window::name;
        case algorithm_kind::sliding_log: return sliding_log::name;
        case algorithm_kind::gcra: return gcra::name;
    }
    return {};
}

static_assert(
    [] {
        for (std::size_t i = 0; i < algorithm_names.size(); ++i) {
            if (to_string(static_cast<algorithm_kind>(i)) != algorithm_names[i]) return false;
        }
        return to_string(static_cast<algorithm_kind>(algorithm_names.size())).empty();
    }(),
    "detail::algorithms lists the states of algorithm_kind's enumerators, in their order");

/// Parses an algorithm's name, in its exact spelling. Error: choice_unknown over the whole text,
/// with the names in `accepts`.
[[nodiscard]] constexpr result<algorithm_kind> parse_algorithm(std::string_view text) noexcept {
    auto index = parse_choice<algorithm_names>(text);
    if (index) return static_cast<algorithm_kind>(*index);
    index.error().param = "algorithm";
    return tl::unexpected<error>(index.error());
}

}  // namespace sluice

#endif
