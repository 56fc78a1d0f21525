// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_EVENTS_EVENTS_MASK_HPP
#define SLUICE_API_EVENTS_EVENTS_MASK_HPP

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/api/events/events_query.hpp>
#include <sluice/arrow/table_mask.hpp>
#include <sluice/store/metadata/matcher.hpp>

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

/// Collects the conditions of a query, each with its column.
class condition_list {
public:
    explicit condition_list(const mask_columns& columns) : columns_(columns) {}

    template <class Wanted>
    void add(std::string_view parameter, Wanted wanted) {
        const std::string_view own = without_comparison(parameter);
        const auto named = columns_.find(own);
        std::optional<std::string> column{default_column(own)};
        if (named != columns_.end()) column = named->second;
        if (!column) return;
        all_.push_back({std::string(parameter), std::move(*column), std::move(wanted)});
    }
    [[nodiscard]] std::vector<arrow::condition> take() { return std::move(all_); }

private:
    const mask_columns& columns_;
    std::vector<arrow::condition> all_;
};

/// A metadata expression over JSON text; absent metadata has nothing at any path.
inline arrow::text_test metadata_test(const metadata_query& query) {
    auto matcher = std::make_shared<store::metadata_matcher>(query);
    return {[matcher](std::string_view json) { return matcher->matches(json); },
            matcher->matches_nothing()};
}

/// Adds a leaf's condition, in the form that masks take.
struct add_to {
    condition_list& conditions;
    const leaf& asked;

    void operator()(const text_test& test) const {
        if (asked.subject.type == column_type::integer) return add_numbers(test.wanted);
        conditions.add(asked.param, arrow::row_filter(test.wanted, asked.subject.how));
    }
    void operator()(const bounds<std::int64_t>& test) const {
        conditions.add(asked.param, arrow::integer_test{test});
    }
    void operator()(const bounds<instant>& test) const {
        conditions.add(mask_timestamp, time_range{test.least, test.most.value_or(latest_instant)});
    }
    void operator()(const metadata_query& test) const {
        conditions.add(asked.param, metadata_test(test));
    }
    // Events have no columns of these types.
    void operator()(const bounds<decimal_number>&) const {}
    void operator()(const boolean_test&) const {}

private:
    void add_numbers(const filter& wanted) const {
        std::vector<std::int64_t> numbers;
        for (const std::string_view value : wanted.values()) {
            if (const auto number = parse_int64(value)) numbers.push_back(*number);
        }
        conditions.add(asked.param, arrow::integer_test(std::move(numbers), wanted.excludes()));
    }
};

/// Windows are the cheapest to ask, expressions the dearest.
inline int cost_of(const leaf& asked) noexcept {
    if (std::holds_alternative<bounds<instant>>(asked.test)) return 0;
    return std::holds_alternative<metadata_query>(asked.test) ? 2 : 1;
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
    const list_query asked = to_list_query(events_params, query);
    const auto add_those = [&](int cost) {
        for (const leaf& each : asked.rows.leaves()) {
            if (detail::cost_of(each) == cost)
                std::visit(detail::add_to{conditions, each}, each.test);
        }
    };
    for (const int cost : {0, 1, 2}) add_those(cost);
    return conditions.take();
}

}  // namespace sluice::api

#endif
