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
    // Rows of sluice_begin and sluice_end: of two lists of milliseconds, %1 and %2, or of a JSON
    // text of pairs.
    std::string_view buckets;
    // Buckets %1 joined with rows %2: each bucket, or those with rows.
    std::string_view every_bucket, some_buckets;
    // A time %1 as the start of its bucket, among %2, if rows are joined by that; and what the
    // statement then ends with.
    std::string_view rounded, settings;
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
     .buckets =
         "SELECT json_extract(value, '$[0]') AS sluice_begin, json_extract(value, '$[1]') AS "
         "sluice_end FROM json_each(%1)",
     .every_bucket = every_bucket,
     .some_buckets = some_buckets,
     .rounded = {},
     .settings = {},
     .milliseconds = {},
     .zoned_milliseconds = {}},
    {.sum = "sum(%1)",
     .sum_integers = "sum(%1)",
     .average = "%1::DOUBLE / nullif(count(%2), 0)",
     .count_distinct = "count(DISTINCT %1)",
     .buckets = "SELECT unnest(%1::BIGINT[]) AS sluice_begin, unnest(%2::BIGINT[]) AS sluice_end",
     .every_bucket = every_bucket,
     .some_buckets = some_buckets,
     .rounded = {},
     .settings = {},
     .milliseconds = "epoch_ms(%1::TIMESTAMP)",
     .zoned_milliseconds = "epoch_ms(%1)"},
    {.sum = "sum(%1)",
     .sum_integers = "sum(%1)",
     .average = "(%1)::float8 / nullif(count(%2), 0)",
     .count_distinct = "count(DISTINCT %1)",
     .buckets = "SELECT * FROM unnest(%1, %2) AS sluice_bounds(sluice_begin, sluice_end)",
     .every_bucket = every_bucket,
     .some_buckets = some_buckets,
     .rounded = {},
     .settings = {},
     .milliseconds = "floor(extract(epoch FROM %1) * 1000)::bigint",
     .zoned_milliseconds = "floor(extract(epoch FROM %1) * 1000)::bigint"},
    // Joins take equal values only, so the bucket of a row is its time rounded down.
    {.sum = "sum(%1)",
     .sum_integers = "sum(toInt128(%1))",
     .average = "toFloat64(%1) / nullIf(count(%2), 0)",
     .count_distinct = "uniqExact(%1)",
     .buckets = "SELECT arrayJoin(%1) AS sluice_begin",
     .every_bucket = "(%1) AS sluice_buckets LEFT JOIN %2 ON sluice_rows.sluice_time = "
                     "sluice_buckets.sluice_begin",
     .some_buckets = "(%1) AS sluice_buckets JOIN %2 ON sluice_rows.sluice_time = "
                     "sluice_buckets.sluice_begin",
     .rounded = "roundDown(%1, %2)",
     .settings = " SETTINGS join_use_nulls = 1",
     .milliseconds = "toUnixTimestamp64Milli(toDateTime64(%1, 3))",
     .zoned_milliseconds = "toUnixTimestamp64Milli(toDateTime64(%1, 3))"},
    {.sum = "sum(%1)",
     .sum_integers = "sum(%1)",
     .average = "CAST(%1 AS DOUBLE) / nullif(count(%2), 0)",
     .count_distinct = "count(DISTINCT %1)",
     .buckets = "SELECT sluice_begin, sluice_end FROM JSON_TABLE(%1, '$[*]' COLUMNS (sluice_begin "
                "BIGINT PATH '$[0]', sluice_end BIGINT PATH '$[1]')) AS sluice_bounds",
     .every_bucket = every_bucket,
     .some_buckets = some_buckets,
     .rounded = {},
     .settings = {},
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
