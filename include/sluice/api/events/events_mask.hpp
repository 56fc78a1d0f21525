// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_EVENTS_EVENTS_MASK_HPP
#define SLUICE_API_EVENTS_EVENTS_MASK_HPP

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/api/events/events_query.hpp>
#include <sluice/arrow/table_mask.hpp>
#include <sluice/store/metadata/matcher.hpp>

namespace sluice::api {

/// Where a table has what a query asks about: columns by parameter. A parameter that is not here
/// has the column of its own name, but for those of `default_column`; one without a column is known
/// to hold for every row, and not asked about.
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

/// Whether a condition on rows may have this name.
inline bool may_be_masked(std::string_view name) {
    if (name == mask_timestamp) return true;
    return std::ranges::any_of(events_params,
                               [&](const auto& row) { return row.info.name == name; });
}

/// Collects the conditions of a query, each with its column.
class condition_list {
public:
    explicit condition_list(const mask_columns& columns) : columns_(columns) {}

    template <class Wanted>
    void add(std::string_view parameter, Wanted wanted) {
        const auto named = columns_.find(parameter);
        std::optional<std::string> column{default_column(parameter)};
        if (named != columns_.end()) column = named->second;
        if (!column) return;
        all_.push_back({std::string(parameter), std::move(*column), std::move(wanted)});
    }
    [[nodiscard]] std::vector<arrow::condition> take() { return std::move(all_); }

private:
    const mask_columns& columns_;
    std::vector<arrow::condition> all_;
};

inline arrow::row_filter one_of(std::string_view value, bool excludes = false) {
    return {filter({value}, excludes), collation::exact};
}

/// A metadata expression over JSON text; absent metadata has nothing at any path.
inline arrow::text_test metadata_test(const metadata_query& query) {
    auto matcher = std::make_shared<store::metadata_matcher>(query);
    return {[matcher](std::string_view json) { return matcher->matches(json); },
            matcher->matches_nothing()};
}

}  // namespace detail

/// What a query asks of the rows of a table of events of its kind: its window on `timestamp`, its
/// filters, each on the column of its parameter's name, and its expression on `metadata`, last
/// since it costs most. `root` asks about `key`. Page, limit and order are no conditions on rows.
/// fault::missing where `columns` names no parameter.
[[nodiscard]] inline arrow::import_result<std::vector<arrow::condition>> mask_conditions(
    const events_query& query, const mask_columns& columns) {
    for (const auto& [name, column] : columns) {
        if (detail::may_be_masked(name)) continue;
        return arrow::refuse(arrow::fault::missing, "columns: no parameter '" + name + "'");
    }
    detail::condition_list conditions(columns);
    conditions.add(mask_timestamp, query.window);
    for (const auto& row : events_params) {
        const bool asks = row.as_clause != nullptr && !row.info.column.empty();
        const auto found = asks ? row.as_clause(query, row.info) : std::nullopt;
        if (!found) continue;
        const filter wanted(found->values, found->excludes);
        conditions.add(row.info.name, arrow::row_filter(wanted, found->how));
    }
    if (query.root) conditions.add("root", detail::one_of(root_link_key, !*query.root));
    if (query.sale_type) {
        const auto type = static_cast<std::size_t>(*query.sale_type);
        conditions.add("saleType", detail::one_of(sale_type_names[type]));
    }
    if (!query.query.empty()) conditions.add("query", detail::metadata_test(query.query));
    return conditions.take();
}

}  // namespace sluice::api

#endif
