// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_EVENTS_EVENTS_MASK_HPP
#define SLUICE_REFERENCE_EVENTS_EVENTS_MASK_HPP

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <sluice/arrow/list_mask.hpp>
#include <sluice/reference/events/events_query.hpp>

namespace sluice::reference {

/// The table's column for each parameter of a query. A parameter that isn't listed has
/// default_column(). One without a column (nullopt) is known to hold for all rows and not tested.
/// Ranges use the column of their parameter: `asn[gte]` tests the column of `asn`.
using mask_columns = std::map<std::string, std::optional<std::string>, std::less<>>;

/// The key of the window, which isn't a single parameter, in mask_columns.
inline constexpr std::string_view mask_timestamp = "timestamp";

/// The column of a parameter that mask_columns doesn't list.
[[nodiscard]] constexpr std::string_view default_column(std::string_view parameter) noexcept {
    if (parameter == "query") return "metadata";
    if (parameter == "root") return "key";
    return parameter;
}

namespace detail {

/// The parameter of a range, such as `asn` for `asn[gte]`; other names are returned as they are.
constexpr std::string_view without_comparison(std::string_view parameter) noexcept {
    return parameter.substr(0, parameter.find('['));
}

/// Returns true if `name` is valid in mask_columns.
inline bool may_be_masked(std::string_view name) {
    if (name == mask_timestamp) return true;
    return std::ranges::any_of(
        events_params, [&](const auto& row) { return without_comparison(row.info.name) == name; });
}

/// The column that a leaf tests; nullopt if it is known to hold for every row.
inline std::optional<arrow::mask_place> place_of(const leaf& condition,
                                                 const mask_columns& columns) {
    const bool is_window = std::holds_alternative<bounds<instant>>(condition.test);
    const std::string_view name = is_window ? mask_timestamp : condition.param;
    const std::string_view parameter = without_comparison(name);
    const auto position = columns.find(parameter);
    const std::optional<std::string> column =
        position != columns.end() ? position->second : std::string(default_column(parameter));
    if (!column) return std::nullopt;
    return arrow::mask_place{std::string(name), *column};
}

}  // namespace detail

/// The conditions of a query on the rows of a table with events of its kind: its window on
/// `timestamp`, its filters on the columns of their parameters, and its expression on `metadata`,
/// which comes last because it is the most expensive. `root` tests `key`. Page, limit and order are
/// no conditions. Error: fault::missing if `columns` names an unknown parameter.
[[nodiscard]] inline arrow::import_result<arrow::condition_tree> mask_conditions(
    const events_query& query, const mask_columns& columns) {
    for (const auto& [name, column] : columns) {
        if (detail::may_be_masked(name)) continue;
        return arrow::refuse(arrow::fault::missing, "columns: no parameter '" + name + "'");
    }
    return arrow::mask_conditions(to_list_query(events_params, query), [&](const leaf& condition) {
        return detail::place_of(condition, columns);
    });
}

}  // namespace sluice::reference

#endif
