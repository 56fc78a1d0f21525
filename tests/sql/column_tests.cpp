// SPDX-License-Identifier: MIT
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/errors/message.hpp>
#include <sluice/sql/compile.hpp>

#include "../query/make_tests.hpp"

using namespace sluice;
using sql::dialect;
using sql::form;
using sql::statement;
using test_samples::columns;
using test_samples::line_columns;
using test_samples::named;

namespace {

using texts = std::vector<std::string>;
const columns_view all_columns(columns.begin(), columns.size());

result<statement> compile(const list_query& query, dialect of, form wanted = form::condition) {
    return sql::compile(query, sql::table_mapping(all_columns, "rows", of), of, wanted);
}
list_query query_of(std::string_view name, column_test test) {
    list_query query;
    query.rows = where(leaf{named(name), std::move(test), "p"});
    return query;
}
/// Returns a text with each `@` replaced.
std::string replaced(std::string_view text, std::string_view with) {
    std::string filled;
    for (const char byte : text) {
        if (byte == '@') {
            filled.append(with);
        } else {
            filled.push_back(byte);
        }
    }
    return filled;
}
/// Returns a text column as each dialect compares it byte by byte.
std::string in_bytes(dialect of, std::string_view name) {
    constexpr std::array<std::string_view, 5> forms{
        R"("@" COLLATE BINARY)", R"("@"::VARCHAR COLLATE "binary")", R"("@"::text COLLATE "C")",
        R"("@")", "CONVERT(`@` USING utf8mb4) COLLATE utf8mb4_nopad_bin"};
    return replaced(forms[static_cast<std::size_t>(of)], name);
}
part_test part(part_place place, texts parts) { return {place, std::move(parts)}; }
texts many_parts() {
    texts parts;
    for (char byte = 'a'; byte <= 'q'; ++byte) parts.emplace_back(1, byte);
    return parts;
}
texts more_parts() {
    texts parts = many_parts();
    parts.insert(parts.end(), {"'", "%", "?1"});
    return parts;
}
record_test any_line(std::string_view column, column_test test) {
    return record_test(where(leaf{*line_columns.find(column), std::move(test), {}}));
}

}  // namespace

TEST_CASE("texts are tested for parts and bounds in each dialect's own words") {
    const struct {
        std::string_view name;
        column_test test;
        std::array<std::string, 5> text;  // by dialect; `@` is the column
    } table[] = {
        {"name",
         part(part_place::anywhere, {"a%"}),
         {"instr(@, ?1) > 0", "contains(@, $1::VARCHAR)", "@ LIKE $1::text", "@ LIKE {p1:String}",
          "LOCATE(?, @) > 0"}},
        {"name",
         part(part_place::at_end, {"a", "b"}),
         {"(substr(@, -length(?1)) = ?1 OR substr(@, -length(?2)) = ?2)",
          "(ends_with(@, $1::VARCHAR) OR ends_with(@, $2::VARCHAR))",
          "(@ LIKE $1::text OR @ LIKE $2::text)",
          "(endsWith(@, {p1:String}) OR endsWith(@, {p2:String}))",
          "(RIGHT(@, CHAR_LENGTH(?)) = ? OR RIGHT(@, CHAR_LENGTH(?)) = ?)"}},
        {"name",
         part(part_place::at_start, {"a"}),
         {"(@ >= ?1 AND @ < ?2)", "prefix(@, $1::VARCHAR)", "@ LIKE $1::text",
          "startsWith(@, {p1:String})", "LEFT(@, CHAR_LENGTH(?)) = ?"}},
        {"name",
         part(part_place::anywhere, many_parts()),
         {"EXISTS (SELECT 1 FROM (SELECT @ AS sluice_text), json_each(?1) AS sluice_part WHERE "
          "instr(sluice_text, sluice_part.value) > 0)",
          "EXISTS (SELECT 1 FROM (SELECT unnest($1::VARCHAR[]) AS sluice_value) AS sluice_part "
          "WHERE contains(@, sluice_part.sluice_value))",
          "EXISTS (SELECT 1 FROM unnest($1::text[]) AS sluice_part(sluice_value) WHERE @ LIKE "
          "sluice_part.sluice_value)",
          "arrayExists(sluice_part -> @ LIKE sluice_part, {p1:Array(String)})", ""}},
        {"name",
         bounds<std::string>{.least = "a", .most = "b", .excludes_most = true},
         {"@ >= ?1 AND @ < ?2", "@ >= $1::VARCHAR AND @ < $2::VARCHAR",
          "@ >= $1::text AND @ < $2::text", "@ >= {p1:String} AND @ < {p2:String}",
          "@ >= ? AND @ < ?"}},
    };
    for (const auto& row : table) {
        for (const dialect of : sql::all_dialects) {
            if (row.text[static_cast<std::size_t>(of)].empty()) continue;
            const std::string column = sql::quoted(row.name, of);
            CAPTURE(to_string(of));
            CHECK(compile(query_of(row.name, row.test), of).value().text ==
                  "(" + column + " IS NOT NULL AND " +
                      replaced(row.text[static_cast<std::size_t>(of)], in_bytes(of, row.name)) +
                      ")");
        }
    }
}

TEST_CASE("no character of a part is a wildcard of LIKE") {
    const struct {
        part_place place;
        std::string_view part, postgresql, mariadb;
    } table[] = {
        {part_place::at_start, "a%_b", "a\\%\\_b%", "a!%!_b%"},
        {part_place::at_start, "\\!", "\\\\!%", "\\!!%"},
        {part_place::at_start, "", "%", ""},
        {part_place::at_end, "%", "%\\%", ""},
        {part_place::anywhere, "_\\", "%\\_\\\\%", ""},
    };
    for (const auto& row : table) {
        const list_query query = query_of("name", part(row.place, {std::string(row.part)}));
        CHECK(compile(query, dialect::postgresql).value().parameters ==
              std::vector<sql::value>{std::string(row.postgresql)});
        if (row.mariadb.empty()) continue;
        sql::mapping places = sql::table_mapping(all_columns, "rows", dialect::mariadb);
        for (sql::mapped_column& place : places.columns) {
            if (place.name == "name") place.type = "bytewise";
        }
        const auto written = sql::compile(query, places, dialect::mariadb, form::condition);
        CHECK(written.value().parameters.front() == sql::value(std::string(row.mariadb)));
    }
}

TEST_CASE("a place's type says how the database compares its texts") {
    const struct {
        dialect of;
        std::string_view type;
        std::string_view exact, several, folded, starts;  // `name`, and `city` without its case
    } table[] = {
        {dialect::postgresql, "bytewise", R"(($1::text IS NOT NULL AND "name"::text = $1::text))",
         R"("name"::text = ANY($1::text[]))",
         R"(($1::text IS NOT NULL AND lower("city"::text COLLATE "C") = $1::text))",
         R"("name"::text LIKE $1::text)"},
        {dialect::postgresql, "deterministic",
         R"(($1::text IS NOT NULL AND "name"::text = $1::text))",
         R"("name"::text = ANY($1::text[]))",
         R"(($1::text IS NOT NULL AND lower("city"::text COLLATE "C") = $1::text))",
         R"("name"::text LIKE $1::text)"},
        {dialect::postgresql, "citext",
         R"(("name" = $1::text::citext AND coalesce(($1::text IS NOT NULL AND "name"::text = )"
         R"($1::text AND coalesce("name"::text COLLATE "C" = $1::text, FALSE)), FALSE)))",
         R"(("name" = ANY($1::text[]::citext[]) AND coalesce(("name"::text = ANY($1::text[]) AND )"
         R"(coalesce("name"::text COLLATE "C" = ANY($1::text[]), FALSE)), FALSE)))",
         R"(("city" = $1::text::citext AND coalesce(($1::text IS NOT NULL AND )"
         R"(lower("city"::text COLLATE "C") = $1::text), FALSE)))",
         R"("name"::text COLLATE "C" LIKE $1::text)"},
        {dialect::sqlite, "Ignore_Case",
         R"(("name" COLLATE NOCASE = ?1 AND coalesce("name" COLLATE BINARY IS ?1, FALSE)))",
         R"(("name" COLLATE NOCASE IN (SELECT value FROM json_each(?1)) AND )"
         R"(coalesce("name" COLLATE BINARY IN (SELECT value FROM json_each(?1)), FALSE)))",
         R"(("city" COLLATE NOCASE = ?1 AND coalesce("city" COLLATE NOCASE IS ?1, FALSE)))",
         R"(("name" COLLATE BINARY >= ?1 AND "name" COLLATE BINARY < ?2))"},
        {dialect::mariadb, "bytewise", "`name` IN (?)", "`name` IN (?, ?)", "",
         "(`name` LIKE ? ESCAPE '!' AND LEFT(`name`, CHAR_LENGTH(?)) = ?)"},
    };
    for (const auto& row : table) {
        const auto text_of = [&](std::string_view name, column_test test) {
            sql::mapping places = sql::table_mapping(all_columns, "rows", row.of);
            for (sql::mapped_column& place : places.columns) {
                if (place.name == name) place.type = row.type;
            }
            return sql::compile(query_of(name, std::move(test)), places, row.of, form::condition)
                .value()
                .text;
        };
        CAPTURE(row.type);
        const auto holds = [](std::string_view text, std::string_view expected) {
            CAPTURE(text);
            CAPTURE(expected);
            CHECK(text.find(expected) != text.npos);
        };
        holds(text_of("name", text_test{filter({"a"})}), row.exact);
        holds(text_of("name", text_test{filter({"a", "b"})}), row.several);
        holds(text_of("city", text_test{filter({"a"})}), row.folded);
        holds(text_of("name", part(part_place::at_start, {"a"})), row.starts);
    }
}

TEST_CASE("values of other types are compared as such, and NaN is none") {
    const struct {
        std::string_view name;
        column_test test;
        std::array<std::string_view, 5> text;  // by dialect; `@` is the column
        std::vector<sql::value> parameters;    // of ClickHouse
    } table[] = {
        {"score",
         bounds<double>{.least = 0.5},
         {"(@ IS NOT NULL AND @ >= ?1)", "(@ IS NOT NULL AND @ >= $1::DOUBLE AND NOT isnan(@))",
          "(@ IS NOT NULL AND @ >= $1::double precision AND @ <> 'NaN'::float8)",
          "(@ IS NOT NULL AND @ >= {p1:Float64} AND @ = @)", "(@ IS NOT NULL AND @ >= ?)"},
         {0.5}},
        {"score",
         null_test{true},
         {"@ IS NULL", "(@ IS NULL OR NOT (NOT isnan(@)))",
          "(@ IS NULL OR NOT (@ <> 'NaN'::float8))", "(@ IS NULL OR NOT (@ = @))", "@ IS NULL"},
         {}},
        {"name",
         null_test{false},
         {"@ IS NOT NULL", "@ IS NOT NULL", "@ IS NOT NULL", "@ IS NOT NULL", "@ IS NOT NULL"},
         {}},
        {"due",
         bounds<calendar_day>{.most = latest_day},
         {"(@ IS NOT NULL AND @ <= ?1)", "(@ IS NOT NULL AND @ <= $1::DATE)",
          "(@ IS NOT NULL AND @ <= $1::date)", "(@ IS NOT NULL AND @ <= {p1:String})",
          "(@ IS NOT NULL AND @ <= CAST(? AS DATE))"},
         {"9999-12-31"}},
        {"due",
         text_test{filter({"2024-02-29", "2024-2-29", "2024-02-30", "2023-01-01"})},
         {"(@ IN (SELECT value FROM json_each(?1)) AND @ IS NOT NULL)",
          "(@ IS NOT NULL AND @ IN $1::DATE[])", "(@ IS NOT NULL AND @ = ANY($1::date[]))",
          "(@ IN {p1:Array(String)} AND @ IS NOT NULL)",
          "(@ IS NOT NULL AND @ IN (CAST(? AS DATE), CAST(? AS DATE)))"},
         {texts{"2024-02-29", "2023-01-01"}}},
        {"ports",
         text_test{filter({"80", "x", "-5"})},
         {"(@ IS NOT NULL AND EXISTS (SELECT 1 FROM json_each(@) AS sluice_item WHERE "
          "sluice_item.value IN (SELECT value FROM json_each(?1))))",
          "(@ IS NOT NULL AND list_has_any(@::BIGINT[], $1::BIGINT[]))",
          "(@ IS NOT NULL AND @::bigint[] && $1::bigint[])",
          "(@ IS NOT NULL AND hasAny(@, {p1:Array(Int64)}))", ""},
         {std::vector<std::int64_t>{80, -5}}},
        {"ports",
         all_of_test{{"80", "x", "80"}},
         {"(@ IS NOT NULL AND (EXISTS (SELECT 1 FROM json_each(@) AS sluice_item WHERE "
          "sluice_item.value = ?3) AND (SELECT count(DISTINCT sluice_item.value) FROM "
          "json_each(@) AS sluice_item WHERE sluice_item.value IN (SELECT value FROM "
          "json_each(?1))) = ?2))",
          "(@ IS NOT NULL AND (list_has_all(@::BIGINT[], $1::BIGINT[]) AND len($1) = $2))", "",
          "(@ IS NOT NULL AND (hasAll(@, {p1:Array(Int64)}) AND length({p1:Array(Int64)}) = "
          "{p2:Int64}))",
          ""},
         {std::vector<std::int64_t>{80}, std::int64_t{2}}},
    };
    for (const auto& row : table) {
        for (const dialect of : sql::all_dialects) {
            const std::string_view expected = row.text[static_cast<std::size_t>(of)];
            if (expected.empty()) continue;
            const statement written = compile(query_of(row.name, row.test), of).value();
            CHECK(written.text == replaced(expected, sql::quoted(row.name, of)));
            if (of == dialect::clickhouse) CHECK(written.parameters == row.parameters);
        }
    }
}

TEST_CASE("bounds of a choice are its texts within them") {
    const struct {
        bounds<std::string> range;
        std::vector<sql::value> parameters;
    } table[] = {
        {{.least = "medium"}, {texts{"medium", "Large", "an 'XL'"}}},
        {{.least = "medium", .excludes_least = true}, {texts{"Large", "an 'XL'"}}},
        {{.most = "small"}, {"small"}},
        {{.most = "small", .excludes_most = true}, {texts{}}},
        {{.least = "tiny"}, {texts{}}},
        {{}, {texts{"small", "medium", "Large", "an 'XL'"}}},
    };
    for (const auto& row : table) {
        const auto written = compile(query_of("size", row.range), dialect::clickhouse).value();
        CHECK(written.parameters == row.parameters);
        CHECK(written.text.find("small") == std::string::npos);
    }
}

TEST_CASE("a bound that no row can hold is cut where rows can't follow it") {
    const std::string nul("a\0b", 3);
    const struct {
        bounds<std::string> range;
        std::string_view text;
    } table[] = {
        {{.least = nul}, " > ?1"},
        {{.least = nul, .excludes_least = true}, " > ?1"},
        {{.most = nul}, " <= ?1"},
        {{.most = nul, .excludes_most = true}, " <= ?1"},
    };
    for (const auto& row : table) {
        const auto written = compile(query_of("name", row.range), dialect::sqlite).value();
        CHECK(written.text.find(row.text) != std::string::npos);
        CHECK(written.parameters == std::vector<sql::value>{"a"});
    }
    const auto refused =
        compile(query_of("name", bounds<std::string>{.least = "\xFF"}), dialect::postgresql);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().broken == rule::sql_inexact);
    CHECK(message(refused.error()).find("use a bound in UTF-8") != std::string::npos);
    CHECK(compile(query_of("name", bounds<std::string>{.least = "\xFF"}), dialect::clickhouse));
}

TEST_CASE("PostgreSQL calls the year 0 one before Christ") {
    const column_test test = bounds<calendar_day>{.least = earliest_day};
    CHECK(compile(query_of("due", test), dialect::postgresql).value().parameters ==
          std::vector<sql::value>{"0001-01-01 BC"});
    CHECK(compile(query_of("due", test), dialect::duckdb).value().parameters ==
          std::vector<sql::value>{"0000-01-01"});
}

TEST_CASE("values of the newer tests never change a text, nor does their number") {
    const struct {
        std::string_view name;
        column_test few, many;
    } table[] = {
        {"name", part(part_place::anywhere, {"a", "b", "c"}),
         part(part_place::anywhere, {"'", "x", "%", "y"})},
        {"name", part(part_place::at_end, many_parts()), part(part_place::at_end, more_parts())},
        {"city", part(part_place::at_start, {"a"}), part(part_place::at_start, {"') --"})},
        {"tags", part(part_place::at_end, {"a", "b"}), part(part_place::at_end, {"'", "%"})},
        {"tags", all_of_test{{"a", "b"}}, all_of_test{{"'", "?1", "$1"}}},
        {"sizes", all_of_test{{"a", "b"}}, all_of_test{{"'", "?1", "$1"}}},
        {"ports", all_of_test{{"1"}}, all_of_test{{"2", "3", "x"}}},
        {"name", bounds<std::string>{.least = "a"}, bounds<std::string>{.least = "' OR 1=1"}},
        {"size", bounds<std::string>{.least = "medium"}, bounds<std::string>{.most = "medium"}},
        {"lines", any_line("sku", text_test{filter({"a", "b"})}),
         any_line("sku", text_test{filter({"'", "?1", "$1"})})},
    };
    for (const auto& row : table) {
        for (const dialect of : sql::all_dialects) {
            if (of == dialect::mariadb) continue;  // its lists have the length of a power of two
            CHECK(compile(query_of(row.name, row.few), of).value().text ==
                  compile(query_of(row.name, row.many), of).value().text);
        }
    }
}

TEST_CASE("MariaDB tests the JSON text of a list before its items") {
    const std::string no_case =
        "LOCATE(BINARY ?, LOWER(CONVERT(CAST(CONVERT(@ USING utf8mb4) AS "
        "BINARY) USING geostd8))) > 0";
    const std::string exact = "LOCATE(BINARY ?, CONVERT(@ USING utf8mb4)) > 0";
    const std::string escapes = " OR LOCATE(BINARY CHAR(92), @) > 0)";
    const std::string shares =
        "(LEFT(@, 1) = '[' AND JSON_OVERLAPS(CONVERT(@ USING utf8mb4) "
        "COLLATE utf8mb4_nopad_bin, ?))";
    const struct {
        std::string_view name;
        column_test test;
        std::string text;                    // the beginning; `@` is the column
        std::vector<sql::value> parameters;  // the first ones
    } table[] = {
        {"ports",
         text_test{filter({"17", "-3", "x", "017"})},
         "((" + exact + " OR " + exact + ")" + escapes + " AND (@ REGEXP ? OR EXISTS (",
         {"-3", "17", R"(^\[[-0-9,\s]*(?<![-0-9])(?:-3|17)(?![0-9.eE]))", "17", "-3"}},
        {"ports",
         all_of_test{{"5", "5"}},
         "(" + exact + escapes + " AND (@ REGEXP ? OR (SELECT COUNT(",
         {"5", R"(^\[[-0-9,\s]*(?<![-0-9])(?:5)(?![0-9.eE]))", "5", "5", std::int64_t{1}}},
        // A text that is no integer is in no pattern.
        {"ports", all_of_test{{"1|2"}}, "SELECT COUNT(DISTINCT ", {"1|2"}},
        {"sizes",
         all_of_test{{"small", "an 'XL'"}},
         "((" + exact + " AND " + exact + ")" + escapes + " AND ((" + shares + " AND " + shares +
             ") OR (SELECT COUNT(",
         {"\"an 'XL'\"", "\"small\"", "[\"an 'XL'\"]", "[\"small\"]"}},
        // Items that are numbers and words of JSON have no quotes, and some have escapes.
        {"sizes",
         text_test{filter({"-", "4x", "true", "a\"\\\n"})},
         "((" + exact + " OR " + exact + " OR " + exact + " OR " + exact + ")",
         {"-", "4x", "\"a\"\\\n\"", "true", R"(["-","4x","a\"\\\n","true"])"}},
        {"tags",
         part(part_place::at_start, {"B", "a"}),
         "((" + no_case + " OR " + no_case + ")" + escapes + " AND EXISTS (",
         {"a", "b"}},
    };
    for (const auto& row : table) {
        const auto written = compile(query_of(row.name, row.test), dialect::mariadb).value();
        const std::string column = "`" + std::string(row.name) + "`";
        const std::string expected = "(@ IS NOT NULL AND (" + row.text;
        CAPTURE(written.text);
        CHECK(written.text.starts_with(replaced(expected, column)));
        REQUIRE(written.parameters.size() >= row.parameters.size());
        for (std::size_t at = 0; at < row.parameters.size(); ++at) {
            CHECK(written.parameters[at] == row.parameters[at]);
        }
    }
}

TEST_CASE("a record's values are read from its JSON") {
    const auto text_in = [](dialect of, std::string_view name, column_test test) {
        return compile(query_of("lines", any_line(name, std::move(test))), of).value().text;
    };
    const bounds<std::int64_t> range{.least = 5};
    CHECK(text_in(dialect::sqlite, "count", range) ==
          R"(("lines" IS NOT NULL AND EXISTS (SELECT 1 FROM json_each("lines") AS sluice_record )"
          R"(WHERE ((json_extract(sluice_record.value, '$."count"')) >= ?1) IS TRUE)))");
    CHECK(text_in(dialect::mariadb, "count", range) ==
          "(`lines` IS NOT NULL AND EXISTS (SELECT 1 FROM JSON_TABLE(`lines`, '$[*]' COLUMNS "
          "(sluice_value JSON PATH '$')) AS sluice_record WHERE "
          "((CAST(JSON_VALUE(sluice_record.sluice_value, '$.\"count\"') AS SIGNED)) IS NOT NULL "
          "AND (CAST(JSON_VALUE(sluice_record.sluice_value, '$.\"count\"') AS SIGNED)) >= ?)))");
    CHECK(text_in(dialect::postgresql, "sku", text_test{filter({"A"})}) ==
          R"(("lines" IS NOT NULL AND EXISTS (SELECT 1 FROM jsonb_array_elements("lines") AS )"
          R"(sluice_record(value) WHERE (((sluice_record.value ->> 'sku')) IS NOT NULL AND )"
          R"(($1::text IS NOT NULL AND lower(((sluice_record.value ->> 'sku'))::text )"
          R"(COLLATE "C") = $1::text)))))");
}

TEST_CASE("MariaDB looks for a record's text in the JSON before it reads records") {
    static constexpr schema inner{column{.name = "code"}};
    const auto written = [](column_test test) {
        const column lines{.name = "lines", .type = column_type::records, .records = inner};
        list_query query;
        query.rows = where(
            leaf{lines, record_test(where(leaf{*inner.find("code"), std::move(test), {}})), {}});
        return compile(query, dialect::mariadb).value();
    };
    const std::string has = "LOCATE(BINARY ?, CONVERT(`lines` USING utf8mb4)) > 0";
    const std::string one = "((" + has;
    const statement text = written(text_test{filter({"a"})});
    CHECK(text.text.starts_with(one + " OR LOCATE(BINARY CHAR(92), `lines`) > 0) AND EXISTS ("));
    CHECK(text.parameters.front() == sql::value("\"a\""));
    const statement number = written(text_test{filter({"1"})});
    CHECK(number.parameters[0] == sql::value("1"));
    CHECK(number.parameters[1] == sql::value("true"));
    CHECK(written(text_test{filter({"a"}, true)}).text.find(has) == std::string::npos);
}

TEST_CASE("records whose values no statement reads exactly are refused") {
    static constexpr schema inner{column{.name = "price", .type = column_type::decimal},
                                  column{.name = "it's"}};
    static constexpr schema plain{column{.name = "price", .type = column_type::decimal}};
    for (const auto& [records, advice] :
         {std::pair(record_columns(plain), "leave it out"),
          std::pair(record_columns(inner), "give its columns plain names")}) {
        const column lines{.name = "lines", .type = column_type::records, .records = records};
        list_query query;
        query.rows = where(leaf{
            lines, record_test(where(leaf{*records.begin(), bounds<decimal_number>{}, {}})), {}});
        for (const dialect of : sql::all_dialects) {
            const auto refused = compile(query, of);
            REQUIRE_FALSE(refused);
            CHECK(refused.error().broken == rule::sql_inexact);
            CHECK(message(refused.error()).find(advice) != std::string::npos);
        }
    }
}

TEST_CASE("a choice is ordered by its place, and its key is its text") {
    list_query query;
    query.order = {{named("size"), sort_order::descending}};
    const auto page = compile(query, dialect::postgresql, form::page).value();
    CHECK(page.text ==
          R"(SELECT *, "size"::text COLLATE "C" AS sluice_key_1, "id"::text COLLATE "C" AS )"
          R"(sluice_key_2 FROM "rows" WHERE TRUE ORDER BY array_position($1::text[], )"
          R"("size"::text COLLATE "C") DESC NULLS LAST, "id"::text COLLATE "C" DESC LIMIT )"
          R"($2::bigint OFFSET $3::bigint)");
    CHECK(page.parameters[0] == sql::value(texts{"small", "medium", "Large", "an 'XL'"}));
    query.from = cursor{true, query_mark(query), 0, {"medium", "a"}};
    const auto before = compile(query, dialect::postgresql, form::page).value();
    CHECK(before.text.ends_with(R"(ORDER BY array_position($1::text[], sluice_key_1) DESC NULLS )"
                                R"(LAST, sluice_key_2 DESC)"));
    CHECK(before.parameters[1] == sql::value(std::int64_t{2}));
}

TEST_CASE("a cursor at an infinite real is bound where rows may have it") {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    list_query query{.order = {{named("score")}, {named("id")}}};
    query.from = cursor{.query_mark = query_mark(query), .keys = {"-1e999", "a"}};
    for (const dialect of : sql::all_dialects) {
        const auto page = compile(query, of, form::page);
        if (of == dialect::mariadb) {
            CHECK(page.error().broken == rule::cursor_malformed);
        } else {
            CHECK(std::ranges::count(page.value().parameters, sql::value(-infinity)) > 0);
        }
    }
}

TEST_CASE("NaN of a column that isn't nullable is ordered above all, or as NULL") {
    constexpr column score{.name = "score", .type = column_type::real};
    list_query query{.order = {{score}, {named("id")}}};
    const double nan = std::numeric_limits<double>::quiet_NaN();
    query.from = sql::place_beside(query, {nan, "a"}).value();
    CHECK(query.from->keys[0] == "1e9999999");
    CHECK(query.from == sql::place_beside(query, {"NaN", "a"}).value());
    const std::string_view table[] = {
        "((score IS NULL AND id COLLATE BINARY > ?1) OR score IS NOT NULL)",
        "((score, id::VARCHAR COLLATE \"binary\") > ($1::DOUBLE, $2::VARCHAR) AND score >= "
        "$1::DOUBLE)",
        "(score, id::text COLLATE \"C\") > ($1::double precision, $2::text)",
        "((if(isNaN(score), NULL, score) IS NULL AND id > {p1:String}) OR if(isNaN(score), NULL, "
        "score) IS NOT NULL)",
        "((score IS NULL AND CONVERT(id USING utf8mb4) COLLATE utf8mb4_nopad_bin > ?) OR score IS "
        "NOT NULL)",
    };
    for (const dialect of : sql::all_dialects) {
        CAPTURE(sql::to_string(of));
        sql::mapping places{.table = "t", .columns = {{"score", "score"}, {"id", "id"}}};
        const auto page = compile(query, places, of).value();
        const std::string_view expected = table[static_cast<std::size_t>(of)];
        CHECK(page.text.substr(page.text.find("WHERE ") + 6).starts_with(expected));
        const bool is_first = page.text.find(" ASC NULLS FIRST") != page.text.npos;
        CHECK(is_first == (of == dialect::clickhouse));
    }
}

TEST_CASE("keys of the newer types make a cursor") {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    const struct {
        std::string_view name;
        sql::value key;
        std::optional<std::string> expected;
        std::string_view advice;  // of one that is refused
    } table[] = {
        {"score", 0.5, "0.5", ""},
        {"score", -0.0, "0", ""},
        {"score", std::int64_t{7}, "7", ""},
        {"score", "5e-324", "5e-324", ""},
        {"score", nan, std::nullopt, ""},
        {"score", infinity, "1e999", ""},
        {"score", -infinity, "-1e999", ""},
        {"score", "1e999", "1e999", ""},
        {"score", "x", {}, "expected a number"},
        {"due", "2024-02-29", "2024-02-29", ""},
        {"due", "2024-02-30", {}, "expected a day such as 2026-08-21"},
        {"token", "0190C7A6-5E2B-7C61-9F0E-8D7B1A2C3D4E", "0190c7a6-5e2b-7c61-9f0e-8d7b1a2c3d4e",
         ""},
        {"token", "x", {}, "expected a UUID"},
        {"size", "Large", "Large", ""},
        {"size", "large", {}, "expected one of the column's choices"},
        {"seats", 0.5, {}, "expected a whole number"},
    };
    for (const auto& row : table) {
        list_query query;
        query.order = {{named(row.name), sort_order::ascending}};
        const auto place = sql::place_beside(query, {row.key, "a"});
        CAPTURE(row.name);
        REQUIRE(place.has_value() == row.advice.empty());
        if (place) {
            CHECK(place->keys[0] == row.expected);
        } else {
            CHECK(place.error().accepts == row.advice);
        }
    }
}
