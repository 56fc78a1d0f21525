// SPDX-License-Identifier: MIT
#ifndef SLUICE_QUERY_BOUNDS_HPP
#define SLUICE_QUERY_BOUNDS_HPP

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include <sluice/query/decimal_number.hpp>

namespace sluice {

/// A comparison of a row's value with a bound in a parameter.
enum class comparison : std::uint8_t {
    equal,      ///< `total=10`
    at_least,   ///< `total[gte]=10`
    more_than,  ///< `total[gt]=10`
    at_most,    ///< `total[lte]=10`
    less_than,  ///< `total[lt]=10`
};

/// Names of the comparisons in parameters, in the order of the enumeration.
inline constexpr std::array<std::string_view, 5> comparison_names{"eq", "gte", "gt", "lte", "lt"};
[[nodiscard]] constexpr std::string_view to_string(comparison op) noexcept {
    return comparison_names[static_cast<std::size_t>(op)];
}

/// A range of values with an optional lower and upper bound.
///
/// ```
/// bounds<std::int64_t> total;
/// total.narrow(comparison::at_least, 10);
/// total.narrow(comparison::less_than, 20);
/// total.contains(20);  // false
/// ```
template <std::totally_ordered T>
struct bounds {
    std::optional<T> least{}, most{};
    bool excludes_least = false;  ///< more than `least`, not at least
    bool excludes_most = false;   ///< less than `most`, not at most

    /// Returns true if there is no bound: every value is within.
    [[nodiscard]] bool empty() const noexcept { return !least && !most; }
    /// Returns true if a value, or one that compares with them, is within the bounds.
    template <std::totally_ordered_with<T> Value = T>
    [[nodiscard]] bool contains(const Value& value) const noexcept {
        if (least && (value < *least || (excludes_least && value == *least))) return false;
        return !most || !(*most < value || (excludes_most && value == *most));
    }
    /// Sets the bounds that a comparison implies, replacing earlier ones on the same side.
    void narrow(comparison op, T value) {
        const bool is_upper = op == comparison::at_most || op == comparison::less_than;
        if (op == comparison::equal || is_upper) {
            most = value;
            excludes_most = op == comparison::less_than;
        }
        if (is_upper) return;
        least = std::move(value);
        excludes_least = op == comparison::more_than;
    }

    friend bool operator==(const bounds&, const bounds&) = default;
};

}  // namespace sluice

#endif
