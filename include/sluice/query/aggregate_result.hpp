// SPDX-License-Identifier: MIT
#ifndef SLUICE_QUERY_AGGREGATE_RESULT_HPP
#define SLUICE_QUERY_AGGREGATE_RESULT_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/base/json_writer.hpp>
#include <sluice/base/real.hpp>
#include <sluice/base/visit.hpp>
#include <sluice/query/aggregate_query.hpp>
#include <sluice/query/bounds.hpp>
#include <sluice/time/day.hpp>
#include <sluice/time/instant.hpp>

/// Answers of aggregate queries.
namespace sluice {

/// The value of a group or a measure; std::monostate is null.
///
/// ```
/// group    text, uuid, choice, path: std::string     measure  count: std::int64_t
///          integer: std::int64_t                              sum of integers: std::int64_t, or
///          decimal: decimal_number                              decimal_number beyond 64 bits
///          real: double          boolean: bool                sum of decimals: decimal_number
///          time: instant         date: calendar_day           average: double
/// ```
using aggregate_value = std::variant<std::monostate, std::string, std::int64_t, decimal_number,
                                     double, bool, instant, calendar_day>;

/// A group of an answer: a value for each group key and each measure of the query.
struct aggregate_row {
    std::vector<aggregate_value> groups{};
    std::vector<aggregate_value> measures{};

    friend bool operator==(const aggregate_row& a, const aggregate_row& b) {
        const auto same = [](const aggregate_value& left, const aggregate_value& right) {
            return detail::hold_equal(left, right);
        };
        return std::ranges::equal(a.groups, b.groups, same) &&
               std::ranges::equal(a.measures, b.measures, same);
    }
};

/// The groups of an aggregate query, in its order.
using aggregate_result = std::vector<aggregate_row>;

namespace detail {

template <class T>
[[nodiscard]] std::weak_ordering order_of(const T& a, const T& b) {
    return a < b   ? std::weak_ordering::less
           : b < a ? std::weak_ordering::greater
                   : std::weak_ordering::equivalent;
}

/// Compares values of a column or of a measure: null first, integers with decimals by their number,
/// choices by their places, texts by their bytes.
[[nodiscard]] inline std::weak_ordering compare_values(const column& of, const aggregate_value& a,
                                                       const aggregate_value& b) {
    const auto number_of = [](const aggregate_value& value) {
        const auto* const whole = std::get_if<std::int64_t>(&value);
        const auto* const exact = std::get_if<decimal_number>(&value);
        return whole ? decimal_number(*whole) : exact ? *exact : decimal_number();
    };
    const bool has_null =
        std::holds_alternative<std::monostate>(a) || std::holds_alternative<std::monostate>(b);
    if (a.index() != b.index()) {
        return has_null ? order_of(a.index(), b.index()) : order_of(number_of(a), number_of(b));
    }
    const auto* const text = std::get_if<std::string>(&a);
    if (text != nullptr && of.type == column_type::choice) {
        return order_of(place_of_choice(of, *text), place_of_choice(of, std::get<std::string>(b)));
    }
    return visit_as<std::weak_ordering>(
        [&b]<class Value>(const Value& value) { return order_of(value, std::get<Value>(b)); }, a);
}

/// Returns true if a row comes before another in the order of a query.
[[nodiscard]] inline bool comes_before(const aggregate_query& query, const aggregate_row& a,
                                       const aggregate_row& b) {
    const auto compare_groups = [&](std::size_t at) {
        return compare_values(query.group_by[at].by, a.groups[at], b.groups[at]);
    };
    for (const aggregate_key& key : query.order) {
        const std::weak_ordering order =
            key.is_measure ? compare_values({}, a.measures[key.index], b.measures[key.index])
                           : compare_groups(key.index);
        if (order != 0) return key.direction == sort_order::ascending ? order < 0 : order > 0;
    }
    for (std::size_t at = 0; at < query.group_by.size(); ++at) {
        if (const std::weak_ordering order = compare_groups(at); order != 0) return order < 0;
    }
    return false;
}

/// Returns the values of measures of no rows.
[[nodiscard]] inline std::vector<aggregate_value> empty_measures(const aggregate_query& query) {
    std::vector<aggregate_value> values;
    for (const measure& of : query.measures) {
        switch (of.kind) {
            case measure_kind::count:
            case measure_kind::count_distinct:
            case measure_kind::approx_count_distinct: values.push_back(std::int64_t{0}); break;
            case measure_kind::sum:
                if (of.of.type == column_type::decimal) {
                    values.push_back(decimal_number());
                } else if (of.of.type == column_type::real) {
                    values.push_back(0.0);
                } else {
                    values.push_back(std::int64_t{0});
                }
                break;
            case measure_kind::min:
            case measure_kind::max:
            case measure_kind::average: values.push_back(std::monostate()); break;
        }
    }
    return values;
}

/// Returns true if an answer has every bucket of time: a bucket is the query's only group.
[[nodiscard]] inline bool has_every_bucket(const aggregate_query& query) noexcept {
    return query.group_by.size() == 1 && query.group_by[0].bucket &&
           query.group_by[0].by.type == column_type::time;
}

[[nodiscard]] inline tl::unexpected<error> too_many_groups() noexcept {
    error why =
        fail_beyond(rule::list_too_long, static_cast<std::int64_t>(aggregate_groups_max)).value();
    why.param = "group_by";
    return tl::unexpected<error>(why);
}

/// Returns the first instants of the buckets from that of `first` to that of `last`. Error:
/// list_too_long beyond aggregate_groups_max.
[[nodiscard]] inline result<std::vector<instant>> buckets_between(const group_key& group,
                                                                  instant first, instant last) {
    std::vector<instant> starts;
    for (bucket_steps at(*group.bucket, first, group.zone); at.start() <= last; at.advance()) {
        if (starts.size() == aggregate_groups_max) return too_many_groups();
        starts.push_back(at.start());
    }
    return starts;
}

/// Adds the empty buckets of the window, or of the time between the rows, as far as they may be
/// within the limit: they differ by their times only. Error: list_too_long.
[[nodiscard]] inline result<void> add_empty_buckets(const aggregate_query& query,
                                                    aggregate_result& rows) {
    const group_key& group = query.group_by[0];
    bounds<instant> window = window_of(query.rows, group.by.name);
    std::vector<instant> known;
    for (const aggregate_row& row : rows) {
        if (const auto* const start = std::get_if<instant>(&row.groups[0])) known.push_back(*start);
    }
    if (!std::ranges::is_sorted(known)) std::ranges::sort(known);
    if (!known.empty()) {
        if (!window.least) window.least = known.front();
        if (!window.most) window.most = known.back();
    }
    if (!window.least || !window.most) return {};
    auto starts = buckets_between(group, *window.least, *window.most);
    if (!starts) return tl::unexpected(starts.error());
    std::vector<instant> empty;
    std::ranges::set_difference(*starts, known, std::back_inserter(empty));
    const auto by_time = std::ranges::find(query.order, false, &aggregate_key::is_measure);
    if (by_time != query.order.end() && by_time->direction == sort_order::descending)
        std::ranges::reverse(empty);
    if (empty.size() > static_cast<std::size_t>(query.limit))
        empty.resize(static_cast<std::size_t>(query.limit));
    for (const instant start : empty) rows.push_back({{start}, empty_measures(query)});
    return {};
}

/// Orders the groups of all rows and keeps those within the limit; see aggregate_query. Error:
/// list_too_long for too many groups.
[[nodiscard]] inline result<aggregate_result> finish_aggregate(const aggregate_query& query,
                                                               aggregate_result&& rows) {
    if (query.group_by.empty() && rows.empty()) rows.push_back({{}, empty_measures(query)});
    if (has_every_bucket(query)) {
        if (auto added = add_empty_buckets(query, rows); !added) {
            return tl::unexpected(added.error());
        }
    }
    if (rows.size() > aggregate_groups_max) return too_many_groups();
    const auto is_before = [&](const aggregate_row& a, const aggregate_row& b) {
        return comes_before(query, a, b);
    };
    const auto end = std::min(rows.size(), static_cast<std::size_t>(query.limit));
    if (!std::ranges::is_sorted(rows, is_before)) {  // as series are
        std::ranges::partial_sort(rows, rows.begin() + static_cast<std::ptrdiff_t>(end), is_before);
    }
    rows.resize(end);
    return std::move(rows);
}

/// Writes a value as JSON: numbers of any length as they are, times as RFC 3339; infinity is null.
struct aggregate_value_writer {
    json_writer& json;

    void operator()(std::monostate) const { json.value(nullptr); }
    void operator()(const std::string& text) const { json.value(std::string_view(text)); }
    void operator()(std::int64_t number) const { json.value(number); }
    void operator()(const decimal_number& number) const { json.raw(number.text()); }
    void operator()(double number) const {
        std::isfinite(number) ? json.raw(real_text(number)) : json.value(nullptr);
    }
    void operator()(bool flag) const { json.value(flag); }
    void operator()(instant at) const {
        std::array<char, timestamp_size + 2> quoted;
        quoted.front() = quoted.back() = '"';
        write_timestamp(quoted.data() + 1, at);
        json.raw({quoted.data(), quoted.size()});
    }
    void operator()(calendar_day day) const { json.value(std::string_view(format_day(day))); }
};

}  // namespace detail

/// Writes the groups of a query as a JSON array of objects, with the names of groups and measures
/// as members.
///
/// ```
/// [{"country":"US","count":3,"sum_total":29.7},{"country":null,"count":1,"sum_total":0}]
/// ```
[[nodiscard]] inline std::string to_json(const aggregate_query& query,
                                         const aggregate_result& rows) {
    std::vector<std::string> names;
    for (const group_key& group : query.group_by) names.push_back(name_of(group));
    for (const measure& of : query.measures) names.push_back(name_of(of));
    std::string text;
    detail::json_writer json(text);
    json.begin_array();
    for (const aggregate_row& row : rows) {
        json.begin_object();
        for (std::size_t at = 0; at < names.size(); ++at) {
            json.key(names[at]);
            const std::size_t groups = row.groups.size();
            const aggregate_value& value = at < groups ? row.groups[at] : row.measures[at - groups];
            detail::visit_as<void>(detail::aggregate_value_writer{json}, value);
        }
        json.end_object();
    }
    json.end_array();
    return text;
}

}  // namespace sluice

#endif
