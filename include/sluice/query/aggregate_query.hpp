// SPDX-License-Identifier: MIT
#ifndef SLUICE_QUERY_AGGREGATE_QUERY_HPP
#define SLUICE_QUERY_AGGREGATE_QUERY_HPP

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/base/heap_sort.hpp>
#include <sluice/errors/error.hpp>
#include <sluice/query/bounds.hpp>
#include <sluice/query/list_query.hpp>
#include <sluice/query/schema.hpp>
#include <sluice/query/where.hpp>
#include <sluice/time/bucket.hpp>
#include <sluice/time/zone.hpp>

/// Aggregate queries: groups of rows and their measures, independent of an endpoint.
namespace sluice {

/// The largest and the default number of groups in an answer.
inline constexpr std::int64_t aggregate_limit_max = 10'000;
inline constexpr std::int64_t aggregate_limit_default = 1'000;
/// The largest number of groups, empty buckets included, from which those of an answer are chosen.
inline constexpr std::size_t aggregate_groups_max = 1'000'000;
/// The largest number of groups and of measures in a query.
inline constexpr std::size_t aggregate_columns_max = 16;

/// A number that is computed from the rows of a group.
enum class measure_kind : std::uint8_t {
    count,           ///< the rows
    sum,             ///< exact; 0 without values
    min,             ///< null without values
    max,             ///< null without values
    average,         ///< the sum as a double, divided by the number of values; null without any
    count_distinct,  ///< the number of distinct values, as groups would have
    approx_count_distinct,  ///< an estimate of their number, or that number
};

/// Names of the measures, in the order of the enumeration.
inline constexpr std::array<std::string_view, 7> measure_names{
    "count", "sum", "min", "max", "average", "count_distinct", "approx_count_distinct"};
[[nodiscard]] constexpr std::string_view to_string(measure_kind kind) noexcept {
    return measure_names[static_cast<std::size_t>(kind)];
}

/// A column, or a path of a JSON column, whose values are the groups.
///
/// ```
/// group_key{country}                              values of the column
/// group_key{tags}                                 items: a row is in the groups of all its items
/// group_key{.by = metadata, .path = {"plan"}}     texts at a path
/// group_key{.by = created, .bucket = time_bucket::day, .zone = zone}
/// ```
///
/// Rows without a value, or with an empty list, are a group. Values are compared by their bytes,
/// whatever the column's collation; UUIDs in any case, decimals and reals by their numbers.
struct group_key {
    column by{};
    std::vector<std::string> path{};      ///< of a JSON column
    std::optional<time_bucket> bucket{};  ///< of a time or date column
    time_zone zone = time_zone::utc();    ///< of the buckets of a time
    std::string name{};                   ///< in answers; by default that of the column and path

    friend bool operator==(const group_key& a, const group_key& b) {
        return a.by == b.by && a.path == b.path && a.bucket == b.bucket &&
               a.zone.name() == b.zone.name() && a.name == b.name;
    }
};

/// A measure of each group. All but counts of rows have a column; missing values don't count.
struct measure {
    measure_kind kind = measure_kind::count;
    column of{};
    std::string name{};  ///< in answers; by default `count`, `sum_total`

    friend bool operator==(const measure&, const measure&) = default;
};

/// A group or measure by which an answer is ordered.
struct aggregate_key {
    bool is_measure = false;
    std::size_t index = 0;  ///< among the measures, or among the groups
    sort_order direction = sort_order::ascending;

    friend bool operator==(const aggregate_key&, const aggregate_key&) = default;
};

/// A request for groups of a list's rows, independent of its endpoint: engines read nothing else.
///
/// ```
/// rows      status any of {paid}                WHERE status IN ('paid')
/// groups    country                             GROUP BY country
/// measures  count, sum of total                 SELECT count(*), sum(total)
/// order     the sum descending                  ORDER BY sum(total) DESC, country
/// limit     10                                  LIMIT 10
/// ```
///
/// Groups with equal keys come in ascending order of their values, null first. Without groups the
/// answer is one row. If the only group is a bucket of time, an answer has every bucket, empty ones
/// too: from the window of the rows' conditions, or from the first to the last of the rows.
struct aggregate_query {
    std::string_view resource{};        ///< the list, if several share a table; static text
    where rows{};                       ///< conditions on the rows
    std::vector<group_key> group_by{};  ///< none: one group of all rows
    std::vector<measure> measures{measure{}};
    std::vector<aggregate_key> order{};  ///< most significant first
    std::int64_t limit = aggregate_limit_default;

    friend bool operator==(const aggregate_query&, const aggregate_query&) = default;
};

/// Returns the name of a group in answers: `country`, `metadata.plan`.
[[nodiscard]] inline std::string name_of(const group_key& group) {
    if (!group.name.empty()) return group.name;
    std::string name(group.by.name);
    for (const std::string& key : group.path) name.append(".").append(key);
    return name;
}
/// Returns the name of a measure in answers: `count`, `sum_total`.
[[nodiscard]] inline std::string name_of(const measure& of) {
    if (!of.name.empty()) return of.name;
    std::string name(to_string(of.kind));
    if (of.kind != measure_kind::count) name.append("_").append(of.of.name);
    return name;
}

/// Returns true if the values of a column can be groups, and be counted: all but JSON and records.
[[nodiscard]] constexpr bool has_groups(const column& of) noexcept {
    return of.type != column_type::json && of.type != column_type::records;
}
/// Returns true if a measure exists for a column.
[[nodiscard]] constexpr bool allows_measure(measure_kind kind, const column& of) noexcept {
    using enum column_type;
    const column_types type = set_of(of.type);
    switch (kind) {
        case measure_kind::count: return true;
        case measure_kind::count_distinct:
        case measure_kind::approx_count_distinct: return has_groups(of);
        case measure_kind::sum:
        case measure_kind::average:
            return !of.is_list && (type & set_of(integer, decimal, real)) != 0;
        case measure_kind::min:
        case measure_kind::max:
            return !of.is_list && (type & set_of(integer, decimal, real, time, date)) != 0;
    }
    return false;
}

namespace detail {

[[nodiscard]] inline tl::unexpected<error> refuse_aggregate(std::string_view param,
                                                            std::string_view accepts) noexcept {
    error why = make_error(rule::field_value);
    why.param = param;
    why.accepts = accepts;
    return tl::unexpected<error>(why);
}

/// Returns true if two of an aggregate's groups and measures share a name.
[[nodiscard]] inline bool repeats_name(const aggregate_query& query) {
    std::vector<std::string> names;
    for (const group_key& group : query.group_by) names.push_back(name_of(group));
    for (const measure& of : query.measures) names.push_back(name_of(of));
    heap_sort(names, std::less<>());
    return std::ranges::adjacent_find(names) != names.end();
}

}  // namespace detail

/// Checks a group. Errors, with the column's name as param: field_value for a column without
/// groups, a path or a bucket that it can't have.
[[nodiscard]] inline result<void> check(const group_key& group) {
    const column& by = group.by;
    if (by.type == column_type::records) {
        return detail::refuse_aggregate(by.name, "expected a column that isn't of records");
    }
    if ((by.type == column_type::json) == group.path.empty()) {
        return detail::refuse_aggregate(by.name,
                                        "expected a path of a JSON column, and of no other");
    }
    if (!group.bucket) return {};
    const bool has_days = by.type == column_type::date && *group.bucket != time_bucket::hour;
    if (by.is_list || (by.type != column_type::time && !has_days)) {
        return detail::refuse_aggregate(
            by.name, "expected buckets of a time, or of at least a day of a date");
    }
    return {};
}
/// Checks a measure. Error: field_value for a column without it, with the column's name as param.
[[nodiscard]] inline result<void> check(const measure& of) {
    if (allows_measure(of.kind, of.of)) return {};
    switch (of.kind) {
        case measure_kind::count:
        case measure_kind::count_distinct:
        case measure_kind::approx_count_distinct: break;
        case measure_kind::sum:
        case measure_kind::average:
            return detail::refuse_aggregate(of.of.name, "expected a column of numbers");
        case measure_kind::min:
        case measure_kind::max:
            return detail::refuse_aggregate(of.of.name,
                                            "expected a column of numbers, times or dates");
    }
    return detail::refuse_aggregate(of.of.name,
                                    "expected a column that is neither JSON nor records");
}
/// Checks a query that wasn't parsed. Errors: those of its groups and measures; list_too_long for
/// too many of them or of keys of its order, list_too_short without a measure; field_value if the
/// order names a missing one or two have the same name; number_too_small and number_too_large for
/// the limit.
[[nodiscard]] inline result<void> check(const aggregate_query& query) {
    for (const group_key& group : query.group_by) {
        if (auto checked = check(group); !checked) return checked;
    }
    for (const measure& of : query.measures) {
        if (auto checked = check(of); !checked) return checked;
    }
    constexpr auto most = static_cast<std::int64_t>(aggregate_columns_max);
    const auto refuse = [](rule broken, std::string_view param, std::int64_t bound) {
        error why = fail_beyond(broken, bound).value();
        why.param = param;
        return tl::unexpected<error>(why);
    };
    if (query.group_by.size() > aggregate_columns_max)
        return refuse(rule::list_too_long, "group_by", most);
    if (query.measures.size() > aggregate_columns_max)
        return refuse(rule::list_too_long, "measures", most);
    if (query.measures.empty()) return refuse(rule::list_too_short, "measures", 1);
    if (query.limit < 1) return refuse(rule::number_too_small, "limit", 1);
    if (query.limit > aggregate_limit_max)
        return refuse(rule::number_too_large, "limit", aggregate_limit_max);
    if (query.order.size() > 2 * aggregate_columns_max)
        return refuse(rule::list_too_long, "order", 2 * most);
    for (const aggregate_key& key : query.order) {
        if (key.index >= (key.is_measure ? query.measures.size() : query.group_by.size())) {
            return detail::refuse_aggregate("order", "expected a group or a measure of the query");
        }
    }
    if (detail::repeats_name(query)) {
        return detail::refuse_aggregate("measures",
                                        "expected groups and measures of different names");
    }
    return {};
}

namespace detail {

/// An operand of a conjunction.
struct conjunct {
    where condition{};
    std::optional<std::string_view> only{};  ///< the column that it tests, if that is one
};

/// Conditions, and the operands that they are a conjunction of; see conjuncts_of().
struct split_conditions {
    where all{};
    std::optional<std::string_view> only{};
    std::vector<conjunct> operands{};
};
struct condition_splitter {
    [[nodiscard]] static split_conditions leaf(const sluice::leaf& condition) {
        return whole(where(condition), condition.subject.name);
    }
    [[nodiscard]] static split_conditions negation(split_conditions operand) {
        return whole(where::negation(std::move(operand.all)), operand.only);
    }
    [[nodiscard]] static split_conditions group(where_kind kind,
                                                std::vector<split_conditions> parts) {
        split_conditions joined;
        if (!parts.empty()) joined.only = parts.front().only;
        std::vector<where> all;
        for (split_conditions& part : parts) {
            if (part.only != joined.only) joined.only.reset();
            for (conjunct& operand : part.operands) joined.operands.push_back(std::move(operand));
            all.push_back(std::move(part.all));
        }
        if (kind != where_kind::conjunction) return whole(where::any(std::move(all)), joined.only);
        joined.all = where::all(std::move(all));
        return joined;
    }

private:
    static split_conditions whole(where all, std::optional<std::string_view> only) {
        return {all, only, {{all, only}}};
    }
};

/// Returns the operands of a conjunction and of those in it; other conditions are the only one.
[[nodiscard]] inline std::vector<conjunct> conjuncts_of(const where& rows) {
    return rows.visit(condition_splitter()).operands;
}

/// The bounds that conditions set on a time column; see window_of().
struct window_reader {
    std::string_view of;

    [[nodiscard]] bounds<instant> leaf(const sluice::leaf& condition) const {
        bounds<instant> window;
        const auto* const test = std::get_if<bounds<instant>>(&condition.test);
        if (test == nullptr || condition.subject.name != of) return window;
        constexpr std::chrono::milliseconds step(1);
        window.least = test->least;
        window.most = test->most;
        if (window.least && test->excludes_least) *window.least += step;
        if (window.most && test->excludes_most) *window.most -= step;
        return window;
    }
    [[nodiscard]] static bounds<instant> negation(const bounds<instant>&) { return {}; }
    [[nodiscard]] static bounds<instant> group(where_kind kind,
                                               const std::vector<bounds<instant>>& operands) {
        bounds<instant> window;
        if (kind != where_kind::conjunction) return window;
        for (const bounds<instant>& operand : operands) {
            if (operand.least) window.least = std::max(window.least, operand.least);
            if (operand.most)
                window.most = std::min(window.most.value_or(*operand.most), *operand.most);
        }
        return window;
    }
};

}  // namespace detail

/// Returns the bounds that conditions set on a time column, both inclusive. Bounds inside of OR and
/// NOT don't count.
[[nodiscard]] inline bounds<instant> window_of(const where& rows, std::string_view of) {
    return rows.visit(detail::window_reader{of});
}
/// Returns conditions without those on a column: a conjunction loses the operands that test no
/// other column. Facets count the values of a column under such conditions.
[[nodiscard]] inline where without_column(const where& rows, std::string_view of) {
    std::vector<detail::conjunct> operands = detail::conjuncts_of(rows);
    if (std::ranges::find(operands, of, &detail::conjunct::only) == operands.end()) return rows;
    std::vector<where> others;
    for (detail::conjunct& operand : operands) {
        if (operand.only != of) others.push_back(std::move(operand.condition));
    }
    return where::all(std::move(others));
}

}  // namespace sluice

#endif
