// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/errors/message.hpp>
#include <sluice/sql/aggregate.hpp>

#include "../query/make_tests.hpp"
#include "../zones.hpp"

using namespace sluice;
using sql::dialect;
using test_samples::columns;
using test_samples::named;

namespace {

const columns_view all_columns(columns.begin(), columns.size());

result<sql::statement> compile(const aggregate_query& query, dialect of) {
    return sql::compile_aggregate(query, sql::table_mapping(all_columns, "rows", of), of);
}
/// The first three days of a window around the end of summer time.
aggregate_query by_day() {
    bounds<instant> window;
    window.narrow(comparison::at_least, utc("2026-10-23T22:00"));
    window.narrow(comparison::less_than, utc("2026-10-26T10:00"));
    return {
        .rows = where(leaf{named("created"), window, "start", true}),
        .group_by = {
            {.by = named("created"), .bucket = time_bucket::day, .zone = zone_of("Europe/Paris")}}};
}

}  // namespace

TEST_CASE("groups and measures in the words of each dialect") {
    const aggregate_query query{.group_by = {{named("name")}},
                                .measures = {{},
                                             {measure_kind::sum, named("seats")},
                                             {measure_kind::average, named("seats")}},
                                .order = {{true, 1, sort_order::descending}},
                                .limit = 10};
    struct {
        dialect of;
        std::string_view text;
    } const cases[] = {
        {dialect::sqlite,
         R"(SELECT * FROM (SELECT sluice_rows.sluice_group_1 COLLATE BINARY AS sluice_group_1, )"
         R"(count(*) AS sluice_measure_1, coalesce(sum(sluice_rows.sluice_value_2), 0) AS )"
         R"(sluice_measure_2, CAST(sum(sluice_rows.sluice_value_3) AS REAL) / )"
         R"(nullif(count(sluice_rows.sluice_value_3), 0) AS sluice_measure_3 FROM (SELECT "name" )"
         R"(COLLATE BINARY AS sluice_group_1, "seats" AS sluice_value_2, "seats" AS )"
         R"(sluice_value_3 FROM "rows" WHERE TRUE) AS sluice_rows GROUP BY )"
         R"(sluice_rows.sluice_group_1 COLLATE BINARY) AS sluice_groups ORDER BY )"
         R"(sluice_measure_2 DESC, sluice_group_1 COLLATE BINARY ASC NULLS FIRST LIMIT ?1)"},
        {dialect::clickhouse,
         R"(SELECT * FROM (SELECT sluice_rows.sluice_group_1 AS sluice_group_1, count(*) AS )"
         R"(sluice_measure_1, coalesce(sum(toInt128(sluice_rows.sluice_value_2)), 0) AS )"
         R"(sluice_measure_2, toFloat64(sum(toInt128(sluice_rows.sluice_value_3))) / )"
         R"(nullIf(count(sluice_rows.sluice_value_3), 0) AS sluice_measure_3 FROM (SELECT "name" )"
         R"(AS sluice_group_1, "seats" AS sluice_value_2, "seats" AS sluice_value_3 FROM "rows" )"
         R"(WHERE TRUE) AS sluice_rows GROUP BY sluice_rows.sluice_group_1) AS sluice_groups )"
         R"(ORDER BY sluice_measure_2 DESC, sluice_group_1 ASC NULLS FIRST LIMIT {p1:Int64})"},
    };
    for (const auto& [of, text] : cases) {
        const auto written = compile(query, of);
        REQUIRE(written);
        CHECK(written->text == text);
        CHECK(written->parameters == std::vector<sql::value>{std::int64_t{10}});
    }
    for (const dialect of : sql::all_dialects) CHECK(compile(query, of));
}

TEST_CASE("distinct values are estimated by the functions of dialects") {
    struct {
        dialect of;
        std::string_view words;
    } const cases[] = {{dialect::sqlite, "count(DISTINCT "},
                       {dialect::duckdb, "approx_count_distinct("},
                       {dialect::postgresql, "count(DISTINCT "},
                       {dialect::clickhouse, "uniq("},
                       {dialect::mariadb, "count(DISTINCT "}};
    static_assert(std::size(cases) == sql::all_dialects.size());
    const aggregate_query query{
        .measures = {{measure_kind::approx_count_distinct, named("seats")}}};
    for (const auto& [of, words] : cases) {
        const auto written = compile(query, of);
        REQUIRE(written);
        const std::string start = "SELECT * FROM (SELECT " + std::string(words);
        CHECK(written->text.starts_with(start));
    }
}

TEST_CASE("native decimals are summed and compared as numbers") {
    sql::mapping places = sql::table_mapping(all_columns, "rows", dialect::duckdb);
    for (sql::mapped_column& place : places.columns) {
        if (place.name == "total") place.type = "decimal(12,2)";
    }
    const aggregate_query query{
        .measures = {{measure_kind::sum, named("total")}, {measure_kind::max, named("total")}}};
    const auto written = sql::compile_aggregate(query, places, dialect::duckdb);
    REQUIRE(written);
    CHECK(written->text ==
          R"(SELECT * FROM (SELECT coalesce(sum(sluice_rows.sluice_value_1), 0) AS )"
          R"(sluice_measure_1, max(sluice_rows.sluice_value_2) AS sluice_measure_2 FROM (SELECT )"
          R"("total" AS sluice_value_1, "total" AS sluice_value_2 FROM "rows" WHERE TRUE) AS )"
          R"(sluice_rows) AS sluice_groups LIMIT $1)");
}

TEST_CASE("groups of native decimals are numbers, and scaled ones have their scale") {
    const auto places_of = [](dialect of, std::string_view type) {
        sql::mapping places = sql::table_mapping(all_columns, "rows", of);
        for (sql::mapped_column& place : places.columns) {
            if (place.name == "total") place.type = type;
        }
        return places;
    };
    const aggregate_query query{.group_by = {{named("total")}},
                                .measures = {{}, {measure_kind::min, named("total")}}};
    const auto native =
        sql::compile_aggregate(query, places_of(dialect::duckdb, "decimal(12,2)"), dialect::duckdb);
    REQUIRE(native);
    CHECK(native->text ==
          R"(SELECT * FROM (SELECT sluice_rows.sluice_group_1 AS sluice_group_1, count(*) AS )"
          R"(sluice_measure_1, min(sluice_rows.sluice_value_2) AS sluice_measure_2 FROM (SELECT )"
          R"("total" AS sluice_group_1, "total" AS sluice_value_2 FROM "rows" WHERE TRUE) AS )"
          R"(sluice_rows GROUP BY sluice_rows.sluice_group_1) AS sluice_groups ORDER BY )"
          R"(sluice_group_1 ASC NULLS FIRST LIMIT $1)");
    const auto scaled =
        sql::compile_aggregate(query, places_of(dialect::duckdb, "scaled(2)"), dialect::duckdb);
    REQUIRE(scaled);
    CHECK(
        scaled->text.starts_with("SELECT sluice_group_1::VARCHAR || 'e-2', sluice_measure_1, "
                                 "sluice_measure_2::VARCHAR || 'e-2' FROM (SELECT "));
    CHECK(scaled->text.ends_with("ORDER BY sluice_group_1 ASC NULLS FIRST LIMIT $1"));
}

TEST_CASE("sums are of types of exact numbers") {
    struct {
        dialect of;
        std::string_view type;
        bool is_exact;
    } const cases[] = {
        {dialect::postgresql, "numeric", true},    {dialect::postgresql, "numeric(12,2)", true},
        {dialect::postgresql, "scaled(2)", false}, {dialect::duckdb, "decimal(12,2)", true},
        {dialect::mariadb, "decimal(12,2)", true}, {dialect::clickhouse, "decimal(12,2)", true},
        {dialect::sqlite, "scaled(2)", false},
    };
    const aggregate_query query{.measures = {{measure_kind::sum, named("total")}}};
    for (const auto& [of, type, is_exact] : cases) {
        CAPTURE(type);
        sql::mapping places = sql::table_mapping(all_columns, "rows", of);
        for (sql::mapped_column& place : places.columns) {
            if (place.name == "total") place.type = type;
        }
        CHECK(sql::compile_aggregate(query, places, of).has_value() == is_exact);
    }
}

TEST_CASE("the bounds of buckets are parameters, those of the zone") {
    const std::vector<std::int64_t> begins{1'792'792'800'000, 1'792'879'200'000, 1'792'969'200'000};
    const auto sqlite = compile(by_day(), dialect::sqlite);
    REQUIRE(sqlite);
    // The second of the days has 25 hours.
    CHECK(std::get<std::string>(sqlite->parameters[0]) ==
          "[[1792792800000,1792879200000],[1792879200000,1792969200000],"
          "[1792969200000,1793055600000]]");
    CHECK(sqlite->text.find("LEFT JOIN") != std::string::npos);
    for (const dialect of : {dialect::duckdb, dialect::postgresql, dialect::clickhouse}) {
        const auto written = compile(by_day(), of);
        REQUIRE(written);
        CHECK(std::get<std::vector<std::int64_t>>(written->parameters[0]) == begins);
    }
    aggregate_query with_names = by_day();
    with_names.group_by.push_back({named("name")});
    CHECK(compile(with_names, dialect::postgresql)->text.find("LEFT JOIN") == std::string::npos);
}

TEST_CASE("a window without a bucket has no rows") {
    bounds<instant> window;
    window.narrow(comparison::at_least, utc("2026-10-26T10:00"));
    window.narrow(comparison::less_than, utc("2026-10-23T22:00"));
    aggregate_query query = by_day();
    query.rows = where(leaf{named("created"), window, "start", true});
    for (const dialect of : sql::all_dialects) {
        const auto written = compile(query, of);
        REQUIRE(written);
        // ClickHouse refuses to round by no numbers.
        CHECK(written->text.find("roundDown") == std::string::npos);
    }
}

TEST_CASE("a statement has a limit of buckets") {
    const instant first = utc("2000-01-01T00:00");
    const auto of_hours = [&](std::int64_t hours, dialect of) {
        bounds<instant> window;
        window.narrow(comparison::at_least, first);
        window.narrow(comparison::less_than, first + std::chrono::hours(hours));
        const aggregate_query query{
            .rows = where(leaf{named("created"), window, "start", true}),
            .group_by = {{.by = named("created"), .bucket = time_bucket::hour}}};
        return compile(query, of);
    };
    for (const dialect of : sql::all_dialects) {
        const bool is_clickhouse = of == dialect::clickhouse;
        const std::int64_t most = is_clickhouse ? 6'000 : 100'000;
        CHECK(of_hours(most, of));
        const auto refused = of_hours(most + 1, of);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().broken == rule::sql_too_large);
        CHECK(refused.error().accepts == (is_clickhouse ? "use at most 6000 buckets of time"
                                                        : "use at most 100000 buckets of time"));
    }
}

TEST_CASE("a row counts once for a UUID that its list has in two cases") {
    constexpr schema owned{column{.name = "owners", .type = column_type::uuid, .is_list = true}};
    const columns_view owners(owned.begin(), owned.size());
    struct {
        dialect of;
        std::string_view part;
    } const cases[] = {
        {dialect::sqlite, "(SELECT lower(\"owners\") AS sluice_json)"},
        {dialect::duckdb, "[lower(sluice_item) FOR sluice_item IN \"owners\"::VARCHAR[]]"},
        {dialect::postgresql, "lower(\"owners\"::text)::text[]"},
        {dialect::clickhouse, "arrayMap(sluice_item -> lower(toString(sluice_item)), \"owners\")"},
        {dialect::mariadb, "lower(`owners`)"},
    };
    for (const auto& [of, part] : cases) {
        const auto written = sql::compile_aggregate({.group_by = {{owners[0]}}},
                                                    sql::table_mapping(owners, "rows", of), of);
        REQUIRE(written);
        CAPTURE(written->text);
        CHECK(written->text.find(part) != std::string::npos);
    }
}

TEST_CASE("rows are joined with the items of their lists") {
    const aggregate_query query{.group_by = {{named("tags")}, {named("name")}}};
    struct {
        dialect of;
        std::string_view part;
    } const cases[] = {
        {dialect::sqlite, " LEFT JOIN json_each(sluice_rows.sluice_list_1) AS sluice_items_1 ON "},
        {dialect::duckdb, " LEFT JOIN LATERAL (SELECT unnest(sluice_rows.sluice_list_1) AS "},
        {dialect::postgresql, " LEFT JOIN LATERAL (SELECT DISTINCT sluice_item.sluice_value FROM "},
        {dialect::clickhouse, "arrayJoin(if(empty(\"tags\"), [NULL], "},
        {dialect::mariadb, " LEFT JOIN JSON_TABLE(sluice_rows.sluice_list_1, '$[*]' COLUMNS "},
    };
    for (const auto& [of, part] : cases) {
        const auto written = compile(query, of);
        REQUIRE(written);
        CAPTURE(written->text);
        CHECK(written->text.find(part) != std::string::npos);
    }
    sql::mapping placed = sql::table_mapping(all_columns, "rows", dialect::postgresql);
    for (sql::mapped_column& column : placed.columns) {
        if (column.name == "tags") column.type = "jsonb";
    }
    const auto refused = sql::compile_aggregate(query, placed, dialect::postgresql);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().param == "tags");
}

TEST_CASE("paths of JSON are read in the words of each storage") {
    const aggregate_query query{.group_by = {{.by = named("data"), .path = {"a", "b/c"}}}};
    constexpr std::string_view native =
        R"((SELECT CASE WHEN jsonb_typeof(sluice_at.json) IN ('string', 'number', 'boolean') )"
        R"(THEN replace(sluice_at.json #>> '{}', chr(1), chr(1) || '1') END FROM )";
    struct {
        dialect of;
        sql::storage how;
        std::string_view part;  // empty if the dialect lacks the storage
    } const cases[] = {
        {dialect::sqlite, sql::storage::prepared,
         R"((SELECT (coalesce((SELECT value FROM json_each("data_text") WHERE key = ?1), )"
         R"((SELECT value FROM json_each("data_text") WHERE key = ?2))))"},
        {dialect::duckdb, sql::storage::prepared, R"(coalesce("data_text"[$1::VARCHAR], )"},
        {dialect::postgresql, sql::storage::prepared, R"(coalesce(("data_text" ->> $1::text), )"},
        {dialect::clickhouse, sql::storage::prepared,
         R"(coalesce(if(mapContains("data_text", {p1:String}), "data_text"[{p1:String}], NULL), )"},
        {dialect::mariadb, sql::storage::prepared,
         R"(coalesce(JSON_VALUE(`data_text`, CONCAT('$.', JSON_QUOTE(?))), )"},
        {dialect::sqlite, sql::storage::function, R"(sluice_text("data", ?1))"},
        {dialect::duckdb, sql::storage::function, R"(sluice_text("data", $1::VARCHAR))"},
        {dialect::postgresql, sql::storage::function, ""},
        {dialect::postgresql, sql::storage::native, native},
        {dialect::duckdb, sql::storage::native, ""},
        {dialect::clickhouse, sql::storage::function, ""},
        {dialect::mariadb, sql::storage::native, ""},
    };
    for (const auto& [of, how, part] : cases) {
        CAPTURE(sql::to_string(of));
        const auto written =
            sql::compile_aggregate(query, sql::table_mapping(all_columns, "rows", of, how), of);
        REQUIRE(written.has_value() == !part.empty());
        if (!written) {
            CHECK(written.error().broken == rule::sql_inexact);
            CHECK(written.error().param == "data");
            continue;
        }
        CAPTURE(written->text);
        CHECK(written->text.find(part) != std::string::npos);
        if (how == sql::storage::prepared) {
            CHECK(std::get<std::string>(written->parameters[0]) == "/a/b~1c");
            CHECK(std::get<std::string>(written->parameters[1]) == "=/a/b~1c");
        }
        const bool sorts = written->text.starts_with("SET STATEMENT max_sort_length");
        CHECK(sorts == (of == dialect::mariadb));
    }
    sql::mapping placed = sql::table_mapping(all_columns, "rows", dialect::postgresql);
    for (sql::mapped_column& column : placed.columns) {
        if (column.name == "data") column = {.name = "data", .expression = "d", .type = "json"};
    }
    const auto written = sql::compile_aggregate(query, placed, dialect::postgresql);
    REQUIRE(written);
    CHECK(written->text.find("jsonb_typeof((d::jsonb) #> ") != std::string::npos);
}

TEST_CASE("buckets of dates are their first days") {
    const std::pair<time_bucket, std::string_view> cases[] = {
        {time_bucket::day, R"("due")"},
        {time_bucket::week, R"((date("due", 'weekday 0', '-6 days')))"},
        {time_bucket::month, R"((date("due", 'start of month')))"},
        {time_bucket::quarter,
         R"((date("due", 'start of month', '-' || ((strftime('%m', "due") - 1) % 3) || ' )"
         R"(months')))"},
        {time_bucket::year, R"((date("due", 'start of year')))"},
    };
    for (const auto& [bucket, day] : cases) {
        const auto written =
            compile({.group_by = {{.by = named("due"), .bucket = bucket}}}, dialect::sqlite);
        REQUIRE(written);
        CAPTURE(written->text);
        CHECK(written->text.find("(SELECT " + std::string(day) + " AS sluice_group_1") !=
              std::string::npos);
    }
}

TEST_CASE("a statement is the same for any values of conditions and limits") {
    for (const dialect of : sql::all_dialects) {
        aggregate_query query = by_day();
        const auto first = compile(query, of);
        query.limit = 7;
        query.group_by[0].bucket = time_bucket::hour;
        const auto second = compile(query, of);
        REQUIRE(first);
        REQUIRE(second);
        CHECK(first->text == second->text);
        CHECK(first->parameters != second->parameters);
    }
}

TEST_CASE("aggregates that no statement answers exactly") {
    aggregate_query unbounded = by_day();
    unbounded.rows = where();
    aggregate_query repeated = by_day();
    repeated.group_by.push_back({.by = named("created"), .bucket = time_bucket::hour, .name = "h"});
    struct {
        aggregate_query query;
        rule broken;
        std::string_view param;
    } const cases[] = {
        {{.group_by = {{named("tags")}, {.by = named("tags"), .name = "others"}}},
         rule::sql_inexact,
         "tags"},
        {unbounded, rule::sql_inexact, "created"},
        {repeated, rule::sql_inexact, "created"},
        {{.measures = {{measure_kind::sum, named("total")}}}, rule::sql_inexact, "total"},
        {{.measures = {{measure_kind::count_distinct, named("tags")}}}, rule::sql_inexact, "tags"},
        {{.measures = {}}, rule::list_too_short, "measures"},
    };
    for (const auto& [query, broken, param] : cases) {
        CAPTURE(param);
        for (const dialect of : sql::all_dialects) {
            const auto refused = compile(query, of);
            REQUIRE_FALSE(refused);
            CHECK(refused.error().broken == broken);
            CHECK(refused.error().param == param);
        }
    }
}
