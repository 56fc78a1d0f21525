// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_EVENTS_EVENTS_MASK_HPP
#define SLUICE_API_EVENTS_EVENTS_MASK_HPP

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <sluice/api/events/events_query.hpp>
#include <sluice/store/list_mask.hpp>

namespace sluice::api {

/// Where a table has what a query asks about: columns by parameter. A parameter that is not here
/// has the column of its own name, but for those of `default_column`; one without a column is known
/// to hold for every row, and not asked about. Ranges go with their parameter: `asn[gte]` asks
/// about the column of `asn`.
using mask_columns = std::map<std::string, std::optional<std::string>, std::less<>>;

/// What the window is called among the columns: it has no parameter of its own.
inline constexpr std::string_view mask_timestamp = "timestamp";

/// The column of a parameter where nothing else is said.
[[nodiscard]] constexpr std::string_view default_column(std::string_view parameter) noexcept {
    if (parameter == "query") return "metadata";
    if (parameter == "root") return "key";
    return parameter;
}

namespace detail {

/// The parameter that a range is of; of others the name itself.
constexpr std::string_view without_comparison(std::string_view parameter) noexcept {
    return parameter.substr(0, parameter.find('['));
}

/// Whether a condition on rows may have this name.
inline bool may_be_masked(std::string_view name) {
    if (name == mask_timestamp) return true;
    return std::ranges::any_of(
        events_params, [&](const auto& row) { return without_comparison(row.info.name) == name; });
}

/// Where a leaf is asked; nowhere where it is known to hold for every row.
inline std::optional<store::mask_place> place_of(const leaf& asked, const mask_columns& columns) {
    const bool is_window = std::holds_alternative<bounds<instant>>(asked.test);
    const std::string_view name = is_window ? mask_timestamp : asked.param;
    const std::string_view own = without_comparison(name);
    const auto named = columns.find(own);
    const std::optional<std::string> column =
        named != columns.end() ? named->second : std::string(default_column(own));
    if (!column) return std::nullopt;
    return store::mask_place{std::string(name), *column};
}

}  // namespace detail

/// What a query asks of the rows of a table of events of its kind: its window on `timestamp`, its
/// filters, each on the column of its parameter's name, and its expression on `metadata`, last
/// since it costs most. `root` asks about `key`. Page, limit and order are no conditions on rows.
/// fault::missing where `columns` names no parameter.
[[nodiscard]] inline arrow::import_result<arrow::condition_tree> mask_conditions(
    const events_query& query, const mask_columns& columns) {
    for (const auto& [name, column] : columns) {
        if (detail::may_be_masked(name)) continue;
        return arrow::refuse(arrow::fault::missing, "columns: no parameter '" + name + "'");
    }
    return store::mask_conditions(to_list_query(events_params, query), [&](const leaf& asked) {
        return detail::place_of(asked, columns);
    });
}

}  // namespace sluice::api

#endif
