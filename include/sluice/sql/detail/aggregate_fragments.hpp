// SPDX-License-Identifier: MIT
#ifndef SLUICE_SQL_DETAIL_AGGREGATE_FRAGMENTS_HPP
#define SLUICE_SQL_DETAIL_AGGREGATE_FRAGMENTS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include <sluice/sql/statement.hpp>

/// The words of dialects for groups and measures.
namespace sluice::sql::detail {

/// A dialect's words for aggregates. `%1` is a column; see fill().
struct aggregate_fragments {
    std::string_view sum;           // of exact numbers and doubles
    std::string_view sum_integers;  // exactly; NULL without values
    std::string_view average;       // of a sum %1 and the values %2
    std::string_view count_distinct;
    std::string_view approx_count_distinct;  // exact without a function that estimates
    // Rows of sluice_begin and sluice_end, in milliseconds, from two lists, %1 and %2, or from a
    // JSON text of pairs, %1.
    std::string_view buckets;
    // Buckets %1 joined with rows %2: every bucket, or only those with rows.
    std::string_view every_bucket, some_buckets;
    // For dialects that join only equal values: a time %1 rounded down to the start of its bucket,
    // one of %2, and the end of such a statement. Empty in other dialects.
    std::string_view rounded, settings;
    // A list column %1 as the rows select it; the join of rows with its distinct items, named %2;
    // an item of the join %1. Without a join, `list` yields a row for each item. A list without
    // items yields one row with NULL.
    std::string_view list, integer_list, each_item, item, integer_item;
    std::string_view list_in_lower_case;  // a list column %1 of texts
    // The first day of the week, month, quarter and year of a day %1; and a day %1 as a text.
    std::array<std::string_view, 4> first_days;
    std::string_view day_as_text;
    // A native time in milliseconds, one without a zone and one with; empty if there is none.
    std::string_view milliseconds, zoned_milliseconds;
};

inline constexpr std::string_view every_bucket =
    "(%1) AS sluice_buckets LEFT JOIN %2 ON sluice_rows.sluice_time >= sluice_buckets.sluice_begin "
    "AND sluice_rows.sluice_time < sluice_buckets.sluice_end";
inline constexpr std::string_view some_buckets =
    "(%1) AS sluice_buckets JOIN %2 ON sluice_rows.sluice_time >= sluice_buckets.sluice_begin AND "
    "sluice_rows.sluice_time < sluice_buckets.sluice_end";

inline constexpr std::array<aggregate_fragments, dialect_names.size()> all_aggregate_fragments{{
    {.sum = "sum(%1)",
     .sum_integers = "sum(%1)",
     .average = "CAST(%1 AS REAL) / nullif(count(%2), 0)",
     .count_distinct = "count(DISTINCT %1)",
     .approx_count_distinct = "count(DISTINCT %1)",
     .buckets =
         "SELECT json_extract(value, '$[0]') AS sluice_begin, json_extract(value, '$[1]') AS "
         "sluice_end FROM json_each(%1)",
     .every_bucket = every_bucket,
     .some_buckets = some_buckets,
     .rounded = {},
     .settings = {},
     .list = "(SELECT json_group_array(DISTINCT sluice_item.value) FROM %1 AS sluice_item "
             "WHERE sluice_item.value IS NOT NULL)",
     .integer_list = {},
     .each_item = " LEFT JOIN json_each(sluice_rows.%1) AS %2 ON TRUE",
     .item = "%1.value",
     .integer_item = {},
     .list_in_lower_case = "lower(%1)",
     .first_days = {"date(%1, 'weekday 0', '-6 days')", "date(%1, 'start of month')",
                    "date(%1, 'start of month', '-' || ((strftime('%%m', %1) - 1) %% 3) || ' "
                    "months')",
                    "date(%1, 'start of year')"},
     .day_as_text = {},
     .milliseconds = {},
     .zoned_milliseconds = {}},
    {.sum = "sum(%1)",
     .sum_integers = "sum(%1)",
     .average = "%1::DOUBLE / nullif(count(%2), 0)",
     .count_distinct = "count(DISTINCT %1)",
     .approx_count_distinct = "approx_count_distinct(%1)",
     .buckets = "SELECT unnest(%1::BIGINT[]) AS sluice_begin, unnest(%2::BIGINT[]) AS sluice_end",
     .every_bucket = every_bucket,
     .some_buckets = some_buckets,
     .rounded = {},
     .settings = {},
     .list = "list_distinct(%1::VARCHAR[])",
     .integer_list = "list_distinct(%1::BIGINT[])",
     .each_item =
         " LEFT JOIN LATERAL (SELECT unnest(sluice_rows.%1) AS sluice_value) AS %2 ON TRUE",
     .item = "%1.sluice_value",
     .integer_item = {},
     .list_in_lower_case = "[lower(sluice_item) FOR sluice_item IN %1::VARCHAR[]]",
     .first_days = {"date_trunc('week', %1)::DATE", "date_trunc('month', %1)::DATE",
                    "date_trunc('quarter', %1)::DATE", "date_trunc('year', %1)::DATE"},
     .day_as_text = {},
     .milliseconds = "epoch_ms(%1::TIMESTAMP)",
     .zoned_milliseconds = "epoch_ms(%1)"},
    {.sum = "sum(%1)",
     .sum_integers = "sum(%1)",
     .average = "(%1)::float8 / nullif(count(%2), 0)",
     .count_distinct = "count(DISTINCT %1)",
     .approx_count_distinct = "count(DISTINCT %1)",
     .buckets = "SELECT * FROM unnest(%1, %2) AS sluice_bounds(sluice_begin, sluice_end)",
     .every_bucket = every_bucket,
     .some_buckets = some_buckets,
     .rounded = {},
     .settings = {},
     .list = "%1::text[]",
     .integer_list = "%1::bigint[]",
     .each_item = " LEFT JOIN LATERAL (SELECT DISTINCT sluice_item.sluice_value FROM "
                  "unnest(sluice_rows.%1) AS sluice_item(sluice_value) WHERE "
                  "sluice_item.sluice_value IS NOT NULL) AS %2 ON TRUE",
     .item = "%1.sluice_value",
     .integer_item = {},
     .list_in_lower_case = "lower(%1::text)::text[]",
     .first_days = {"date_trunc('week', %1::timestamp)::date",
                    "date_trunc('month', %1::timestamp)::date",
                    "date_trunc('quarter', %1::timestamp)::date",
                    "date_trunc('year', %1::timestamp)::date"},
     .day_as_text = {},
     .milliseconds = "floor(extract(epoch FROM %1) * 1000)::bigint",
     .zoned_milliseconds = "floor(extract(epoch FROM %1) * 1000)::bigint"},
    // Joins take equal values only, so the bucket of a row is its time rounded down.
    {.sum = "sum(%1)",
     .sum_integers = "sum(toInt128(%1))",
     .average = "toFloat64(%1) / nullIf(count(%2), 0)",
     .count_distinct = "uniqExact(%1)",
     .approx_count_distinct = "uniq(%1)",
     .buckets = "SELECT arrayJoin(%1) AS sluice_begin",
     .every_bucket = "(%1) AS sluice_buckets LEFT JOIN %2 ON sluice_rows.sluice_time = "
                     "sluice_buckets.sluice_begin",
     .some_buckets = "(%1) AS sluice_buckets JOIN %2 ON sluice_rows.sluice_time = "
                     "sluice_buckets.sluice_begin",
     .rounded = "roundDown(%1, %2)",
     .settings = " SETTINGS join_use_nulls = 1",
     .list = "arrayJoin(if(empty(%1), [NULL], arrayMap(sluice_item -> toNullable(sluice_item), "
             "arrayDistinct(%1))))",
     .integer_list = {},
     .each_item = {},
     .item = {},
     .integer_item = {},
     .list_in_lower_case = "arrayMap(sluice_item -> lower(toString(sluice_item)), %1)",
     .first_days = {"toString(subtractDays(toDate32(%1), toDayOfWeek(toDate32(%1)) - 1))",
                    "concat(substring(%1, 1, 7), '-01')",
                    "concat(substring(%1, 1, 5), leftPad(toString(intDiv(toUInt8(substring(%1, 6, "
                    "2)) - 1, 3) * 3 + 1), 2, '0'), '-01')",
                    "concat(substring(%1, 1, 4), '-01-01')"},
     .day_as_text = "toString(%1)",
     .milliseconds = "toUnixTimestamp64Milli(toDateTime64(%1, 3))",
     .zoned_milliseconds = "toUnixTimestamp64Milli(toDateTime64(%1, 3))"},
    {.sum = "sum(%1)",
     .sum_integers = "sum(%1)",
     .average = "CAST(%1 AS DOUBLE) / nullif(count(%2), 0)",
     .count_distinct = "count(DISTINCT %1)",
     .approx_count_distinct = "count(DISTINCT %1)",
     .buckets = "SELECT sluice_begin, sluice_end FROM JSON_TABLE(%1, '$[*]' COLUMNS (sluice_begin "
                "BIGINT PATH '$[0]', sluice_end BIGINT PATH '$[1]')) AS sluice_bounds",
     .every_bucket = every_bucket,
     .some_buckets = some_buckets,
     .rounded = {},
     .settings = {},
     .list = "%1",
     .integer_list = {},
     .each_item = " LEFT JOIN JSON_TABLE(sluice_rows.%1, '$[*]' COLUMNS (sluice_at FOR ORDINALITY, "
                  "sluice_value LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin PATH "
                  "'$')) AS %2 ON %2.sluice_value IS NOT NULL AND NOT EXISTS (SELECT 1 FROM "
                  "JSON_TABLE(sluice_rows.%1, '$[*]' COLUMNS (sluice_at FOR ORDINALITY, "
                  "sluice_value LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin PATH "
                  "'$')) AS sluice_item WHERE sluice_item.sluice_at < %2.sluice_at AND "
                  "sluice_item.sluice_value = %2.sluice_value)",
     .item = "%1.sluice_value",
     .integer_item = "CAST(%1.sluice_value AS SIGNED)",
     .list_in_lower_case = "lower(%1)",
     .first_days = {"(%1 - INTERVAL WEEKDAY(%1) DAY)", "(%1 - INTERVAL DAY(%1) - 1 DAY)",
                    "(%1 - INTERVAL DAY(%1) - 1 DAY - INTERVAL (MONTH(%1) - 1) %% 3 MONTH)",
                    "(%1 - INTERVAL DAYOFYEAR(%1) - 1 DAY)"},
     .day_as_text = {},
     .milliseconds = "floor(timestampdiff(MICROSECOND, '1970-01-01', %1) / 1000)",
     .zoned_milliseconds = "floor(timestampdiff(MICROSECOND, '1970-01-01', %1) / 1000)"},
}};
static_assert(std::ranges::all_of(all_aggregate_fragments, [](const aggregate_fragments& of) {
    return !of.sum.empty() && !of.buckets.empty();
}));

[[nodiscard]] constexpr const aggregate_fragments& aggregate_fragments_of(dialect of) noexcept {
    return all_aggregate_fragments[static_cast<std::size_t>(of)];
}

}  // namespace sluice::sql::detail

#endif
