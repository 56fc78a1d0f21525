// SPDX-License-Identifier: MIT
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/sql/compile.hpp>

using namespace sluice;
using sql::dialect;
using sql::value;

namespace {
namespace native_values_test {

constexpr std::array<std::string_view, 3> sizes{"small", "medium", "large"};
constexpr schema goods{
    column{.name = "id"},
    column{.name = "code", .how = collation::ignore_case},
    column{.name = "token", .type = column_type::uuid},
    column{.name = "due", .type = column_type::date},
    column{.name = "total", .type = column_type::decimal},
    column{.name = "score", .type = column_type::real, .is_nullable = true},
    column{.name = "size", .type = column_type::choice, .choices = sizes},
    column{.name = "tags", .is_list = true},
};

sql::mapping places_of(std::string_view name, std::string_view type) {
    return {
        .table = "t",
        .columns = {{"id", "id"}, {.name = name, .expression = "c", .type = std::string(type)}}};
}
result<sql::statement> condition_of(std::string_view name, column_test test, std::string_view type,
                                    dialect of) {
    list_query query;
    query.rows = where(leaf{*goods.find(name), std::move(test), "p"});
    return sql::compile(query, places_of(name, type), of, sql::form::condition);
}
column_test any_of(std::initializer_list<std::string_view> values) {
    return text_test{filter(values)};
}
column_test total(std::optional<std::string_view> least, std::optional<std::string_view> most,
                  bool excludes) {
    bounds<decimal_number> range{.excludes_least = excludes, .excludes_most = excludes};
    if (least) range.least = parse_decimal_number(*least).value();
    if (most) range.most = parse_decimal_number(*most).value();
    return range;
}

constexpr std::string_view one = "0190C7A6-5E2B-7C61-9F0E-8D7B1A2C3D4E",
                           lower = "0190c7a6-5e2b-7c61-9f0e-8d7b1a2c3d4e";

TEST_CASE("values are cast to a native type, without those that no row can have") {
    const std::vector<std::string> held{std::string(lower), std::string(lower)};
    const struct {
        std::string_view column;
        column_test test;
        std::string_view type;
        dialect of;
        std::string text;
        std::vector<value> parameters;
    } table[] = {
        {"token",
         any_of({one, "x", lower}),
         "uuid",
         dialect::postgresql,
         "c = ANY($1::text[]::uuid[])",
         {held}},
        {"token",
         any_of({one}),
         "UUID",
         dialect::postgresql,
         "($1::text::uuid IS NOT NULL AND c = $1::text::uuid)",
         {std::string(lower)}},
        {"token",
         any_of({"x"}),
         "uuid",
         dialect::postgresql,
         "($1::text::uuid IS NOT NULL AND c = $1::text::uuid)",
         {value()}},
        {"token", any_of({one, lower}), "uuid", dialect::duckdb, "c IN $1::UUID[]", {held}},
        {"token", any_of({one}), "uuid", dialect::sqlite, "c IS ?1", {std::string(lower)}},
        {"token", any_of({one}), "UUID", dialect::clickhouse, "c = toUUID({p1:String})", {held[0]}},
        {"token",
         any_of({"x"}),
         "UUID",
         dialect::clickhouse,
         "c IN CAST({p1:Array(String)} AS Array(UUID))",
         {std::vector<std::string>{}}},
        {"size", any_of({"large"}), "Enum8", dialect::clickhouse, "c = {p1:String}", {"large"}},
        {"token",
         any_of({one, lower}),
         "uuid",
         dialect::mariadb,
         "(c IN (CAST(? AS UUID), CAST(? AS UUID)) AND COALESCE(c IN (CAST(? AS UUID), CAST(? AS "
         "UUID)), FALSE))",
         {held[0], held[0], held[0], held[0]}},
        {"token",
         any_of({one}),
         "BINARY(16)",
         dialect::mariadb,
         "c IN (UNHEX(REPLACE(?, '-', '')))",
         {held[0]}},
        {"due",
         any_of({"2026-08-21", "1899-12-31", "x"}),
         "Date32",
         dialect::clickhouse,
         "c IN CAST({p1:Array(String)} AS Array(Date32))",
         {std::vector<std::string>{"2026-08-21"}}},
        // Texts are compared under the schema's collation.
        {"code", any_of({"A"}), "bytewise", dialect::sqlite, "c COLLATE NOCASE IS ?1", {"a"}},
        {"size",
         any_of({"large", "huge"}),
         "enum(\"Size 100%\")",
         dialect::postgresql,
         "c = ANY($1::\"Size 100%\"[])",
         {std::vector<std::string>{"large"}}},
        {"tags",
         any_of({"a", "b"}),
         "deterministic[]",
         dialect::postgresql,
         "c && $1::text[]",
         {std::vector<std::string>{"a", "b"}}},
        {"tags",
         all_of_test{{"a", "b"}},
         "deterministic[]",
         dialect::postgresql,
         "(c @> $1::text[] AND cardinality($1::text[]) = $2::bigint)",
         {std::vector<std::string>{"a", "b"}, std::int64_t{2}}},
        {"size",
         bounds<std::string>{.least = "medium"},
         "enum",
         dialect::mariadb,
         "c IN (?, ?)",
         {"medium", "large"}},
    };
    for (const auto& [column, test, type, of, text, parameters] : table) {
        const auto compiled = condition_of(column, test, type, of);
        REQUIRE(compiled);
        CHECK(compiled->text == text);
        CHECK(compiled->parameters == parameters);
    }
}

TEST_CASE("a bound is rounded to a number that the column can have") {
    const auto none = std::nullopt;
    const struct {
        column_test test;
        std::string_view type;
        dialect of;
        std::string text;
        std::vector<value> parameters;
    } table[] = {
        {total("1.005", none, false),
         "decimal(12,2)",
         dialect::duckdb,
         "c >= $1::VARCHAR::DECIMAL(12,2)",
         {"1.01"}},
        {total("1.005", none, true),
         "decimal(12, 2)",
         dialect::duckdb,
         "c > $1::VARCHAR::DECIMAL(12, 2)",
         {"1.00"}},
        {total("-1.005", none, false),
         "numeric(12,2)",
         dialect::mariadb,
         "c >= CAST(? AS DECIMAL(12,2))",
         {"-1.00"}},
        {total(none, "-1.005", false),
         "decimal(12,2)",
         dialect::clickhouse,
         "c <= CAST({p1:String} AS Decimal(12,2))",
         {"-1.01"}},
        {total(none, "1e-9", true), "scaled(2)", dialect::sqlite, "c < ?1", {std::int64_t{1}}},
        {total("-1e-9", "99.99", true),
         "scaled(2)",
         dialect::postgresql,
         "(c > $1::bigint AND c < $2::bigint)",
         {std::int64_t{-1}, std::int64_t{9'999}}},
        {total("12e1", none, false),
         "decimal(3)",
         dialect::mariadb,
         "c >= CAST(? AS DECIMAL(3))",
         {"120"}},
        {total("12e1", none, false),
         "numeric",
         dialect::postgresql,
         "(c >= CAST($1::text AS numeric) AND c <> 'NaN'::numeric)",
         {"12e1"}},
        // Beyond all numbers of the column.
        {total("999.995", none, false), "decimal(5,2)", dialect::duckdb, "FALSE", {}},
        {total("1", "-1e400", false), "decimal(5,2)", dialect::duckdb, "FALSE", {}},
        {total("-1e400", "1e400", false), "decimal(5,2)", dialect::duckdb, "TRUE", {}},
        {total("-1e400", "1e400", false),
         "numeric(5,2)",
         dialect::postgresql,
         "(c >= CAST($1::text AS numeric) AND c <= CAST($2::text AS numeric))",
         {"-1e400", "1e400"}},
        {total("-1e140000", "1e140000", false),
         "numeric",
         dialect::postgresql,
         "c <> 'NaN'::numeric",
         {}},
        {total("92233720368547758.08", none, false), "scaled(2)", dialect::sqlite, "FALSE", {}},
        {total("-92233720368547758.08", none, false),
         "scaled(2)",
         dialect::sqlite,
         "c >= ?1",
         {INT64_MIN}},
    };
    for (const auto& [test, type, of, text, parameters] : table) {
        const auto compiled = condition_of("total", test, type, of);
        REQUIRE(compiled);
        CHECK(compiled->text == text);
        CHECK(compiled->parameters == parameters);
    }
    const auto day = [](int year) { return calendar_day{std::chrono::year{year} / 1 / 1}; };
    const auto due = [&](const bounds<calendar_day>& range, std::string_view type) {
        return condition_of("due", range, type, dialect::clickhouse)->text;
    };
    CHECK(due({.least = day(1900), .most = day(2300)}, "date32") == "c >= toDate32({p1:String})");
    CHECK(due({.least = day(1969)}, "date") == "TRUE");
    CHECK(due({.least = day(2150)}, "date") == "FALSE");
    CHECK(due({.most = day(1969)}, "date") == "FALSE");
}

TEST_CASE("an order by a native type has keys that a cursor casts back") {
    list_query query;
    const auto page = [&](std::string_view name, std::string_view type, dialect of,
                          std::string_view key) {
        query.order = {{*goods.find(name), sort_order::ascending}};
        query.from = cursor{false, query_mark(query), 0, {std::string(key), "1"}};
        sql::mapping places = places_of(name, type);
        places.selects = "id";
        return sql::compile(query, places, of);
    };
    CHECK(page("total", "decimal(5,2)", dialect::duckdb, "10.5e0")->text ==
          R"(SELECT * REPLACE (sluice_page.sluice_key_1::VARCHAR || 'e0' AS sluice_key_1) FROM )"
          R"((SELECT id, c AS sluice_key_1, id::VARCHAR COLLATE "binary" AS sluice_key_2 FROM t )"
          R"(WHERE ((c, id::VARCHAR COLLATE "binary") > ($1::VARCHAR::DECIMAL(5,2), $2::VARCHAR) )"
          R"(AND c >= $1::VARCHAR::DECIMAL(5,2)) ORDER BY c ASC, id::VARCHAR COLLATE "binary" ASC )"
          "LIMIT $3) AS sluice_page ORDER BY sluice_page.sluice_key_1 ASC, "
          "sluice_page.sluice_key_2 ASC");
    CHECK(page("size", "enum", dialect::mariadb, "medium")
              ->text.find("((c IN (?) OR CONVERT(id USING utf8mb4) COLLATE utf8mb4_nopad_bin > ?) "
                          "AND c IN (?, "
                          "?))") != std::string::npos);
    // The last choice: no row comes after it.
    CHECK(page("size", "enum", dialect::duckdb, "large")->text.find("((FALSE OR ") !=
          std::string::npos);
    // Keys that no row of the column has.
    const struct {
        std::string_view name, type;
        dialect of;
        std::string_view key;
    } table[] = {
        {"token", "uuid", dialect::postgresql, "x"},
        {"due", "date32", dialect::clickhouse, "1899-12-31"},
        {"total", "decimal(5,2)", dialect::duckdb, "1.005"},
        {"total", "decimal(5,2)", dialect::duckdb, "1000"},
        {"total", "scaled(2)", dialect::sqlite, "1e18"},
        {"size", "enum", dialect::mariadb, "huge"},
    };
    for (const auto& [name, type, of, key] : table) {
        CHECK(page(name, type, of, key).error().broken == rule::cursor_malformed);
    }
    // Keys of native decimals are no order keys, whatever the storage of the others is.
    query.order = {{*goods.find("total"), sort_order::ascending}};
    for (const sql::storage how : {sql::storage::prepared, sql::storage::native}) {
        CHECK(sql::place_beside(query, {"1050e-2", "1"}, false, how)->key(0) == "1050e-2");
    }
    CHECK(sql::place_beside(query, {"1", "1"})->key(0) == "0");
    CHECK(sql::place_beside(query, {"Infinite0", "1"}).error().broken == rule::value_malformed);
}

TEST_CASE("a cursor carries infinite decimals and NaN to the types that have them") {
    list_query query{.order = {{*goods.find("total")}, {*goods.find("id")}}};
    const struct {
        std::string text, key;
    } table[] = {{"Infinity", "1e999999"}, {"-Infinity", "-1e999999"}, {"NaN", "1e9999999"}};
    for (const auto& [text, key] : table) {
        for (const std::string& of_row : {text, text + "e0"}) {
            query.from = sql::place_beside(query, {of_row, "1"}).value();
            CHECK(query.from->key(0) == key);
        }
        for (const std::string_view type : {"numeric", "numeric(12,2)", "finite"}) {
            const auto page = sql::compile(query, places_of("total", type), dialect::postgresql);
            REQUIRE(page.has_value());
            CHECK(std::ranges::count(page->parameters, sql::value(text)) > 0);
        }
        const auto other = sql::compile(query, places_of("total", "decimal(5,2)"), dialect::duckdb);
        CHECK(other.error().broken == rule::cursor_malformed);
    }
}

TEST_CASE("a type that a column can't have is refused, and those that it can are named") {
    const struct {
        std::string_view name, type;
        dialect of;
    } table[] = {
        {"token", "uid", dialect::postgresql},        {"token", "binary(16)", dialect::postgresql},
        {"total", "decimal", dialect::duckdb},        {"total", "decimal(0)", dialect::duckdb},
        {"total", "decimal(2,3)", dialect::duckdb},   {"total", "decimal(12,x)", dialect::duckdb},
        {"total", "decimal(12,)", dialect::duckdb},   {"total", "scaled", dialect::sqlite},
        {"total", "scaled(19)", dialect::sqlite},     {"size", "enum", dialect::postgresql},
        {"size", "enum()", dialect::postgresql},      {"due", "uuid", dialect::postgresql},
        {"score", "decimal(12,2)", dialect::mariadb}, {"due", "dat", dialect::mariadb},
    };
    for (const auto& [name, type, of] : table) {
        list_query query;
        query.rows = where(leaf{*goods.find(name), null_test{}, "p"});
        const auto refused =
            sql::compile(query, places_of(name, type), of, sql::form::condition).error();
        CHECK(refused.broken == rule::sql_inexact);
        CHECK(refused.accepts == "give its place a type that the database has for the column");
    }
    const auto names = [](std::string_view name, dialect of) {
        return sql::detail::native_type_names(*goods.find(name), of);
    };
    CHECK(names("size", dialect::postgresql) == "enum(name)");
    CHECK(names("total", dialect::duckdb) == "decimal(p,s), numeric(p,s), scaled(s)");
    CHECK(names("token", dialect::mariadb) == "uuid, binary");
}

}  // namespace native_values_test
}  // namespace
