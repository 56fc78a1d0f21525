// SPDX-License-Identifier: MIT
#include <array>
#include <cctype>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/errors/message.hpp>
#include <sluice/sql/compile.hpp>
#include <sluice/sql/ddl.hpp>

using namespace sluice;
using sql::dialect;
using sql::form;
using sql::statement;
using sql::storage;
using sql::value;

namespace {

constexpr schema orders{
    column{.name = "id"},
    column{.name = "created", .type = column_type::time},
    column{.name = "status", .how = collation::ignore_case},
    column{.name = "note", .is_nullable = true},
    column{.name = "region", .how = collation::subdivision},
    column{.name = "page.url", .how = collation::url},
    column{.name = "tags", .is_list = true},
    column{.name = "labels", .is_list = true, .is_nullable = true, .how = collation::ignore_case},
    column{.name = "count", .type = column_type::integer},
    column{.name = "total", .type = column_type::decimal},
    column{.name = "paid", .type = column_type::boolean, .is_nullable = true},
    column{.name = "metadata", .type = column_type::json, .is_nullable = true},
};
const columns_view all_columns(orders.begin(), orders.size());
// Those whose parameters have numbers.
constexpr std::array dialects{dialect::sqlite, dialect::duckdb, dialect::postgresql,
                              dialect::clickhouse};

using texts = std::vector<std::string>;
using numbers = std::vector<std::int64_t>;

where test_of(std::string_view name, column_test test) {
    return where(leaf{*orders.find(name), std::move(test), "p"});
}
where one_of(std::string_view name, std::string_view text) {
    return test_of(name, text_test{parse_filter(text).value()});
}
where metadata(std::string_view text) {
    return test_of("metadata", parse_metadata_query(text).value());
}
template <class T>
bounds<T> bound(comparison op, T limit) {
    bounds<T> range;
    range.narrow(op, std::move(limit));
    return range;
}
decimal_number decimal(std::string_view text) { return parse_decimal_number(text).value(); }
instant at(std::int64_t ms) { return instant(std::chrono::milliseconds(ms)); }

list_query query_of(where rows) {
    list_query query;
    query.rows = std::move(rows);
    query.order = {{*orders.find("created"), sort_order::descending},
                   {*orders.find("id"), sort_order::descending}};
    return query;
}
result<statement> compile(const list_query& query, dialect of, form wanted = form::condition,
                          storage how = storage::prepared) {
    return sql::compile(query, sql::table_mapping(all_columns, "orders", of, how), of, wanted);
}
statement condition(where rows, dialect of, storage how = storage::prepared) {
    return compile(query_of(std::move(rows)), of, form::condition, how).value();
}

// A text without its case as each dialect compares it with the first parameters, those of the only
// value of a list.

std::string replaced(std::string text, const std::string& with, char place = '@') {
    for (std::size_t at = 0; (at = text.find(place, at)) != std::string::npos; at += with.size()) {
        text.replace(at, 1, with);
    }
    return text;
}
std::string folded_in_sqlite(const std::string& text) {
    return replaced("@ COLLATE NOCASE IS ?1", text);
}
std::string folded_in_duckdb(const std::string& text) {
    return replaced(
        "(($1::VARCHAR IS NOT NULL AND lower(@) = $1::VARCHAR AND strlen(@) = length(@)) OR "
        "($2::VARCHAR IS NOT NULL AND strlen(@) <> length(@) AND translate(@, "
        "'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz') = $2::VARCHAR))",
        text);
}
std::string folded_in_postgresql(const std::string& text) {
    return replaced(R"(($1::text IS NOT NULL AND lower(@ COLLATE "C") = $1::text))", text);
}
std::string as_duckdb(const std::string& column) {
    return column + R"(::VARCHAR COLLATE "binary")";
}
std::string one_in_duckdb(const std::string& column) {
    return replaced("($1::VARCHAR IS NOT NULL AND @ = $1::VARCHAR)", as_duckdb(column));
}
std::string any_in_postgresql(const std::string& text, const std::string& parameter = "1") {
    return replaced(
        replaced(R"((@ = ANY($#::text[]) AND coalesce(@ COLLATE "C" = ANY($#::text[]), FALSE)))",
                 text),
        parameter, '#');
}
std::string one_in_postgresql(const std::string& text, const std::string& parameter = "1") {
    return replaced(replaced(R"(($#::text IS NOT NULL AND @ = $#::text AND )"
                             R"(coalesce(@ COLLATE "C" = $#::text, FALSE)))",
                             text),
                    parameter, '#');
}
std::string either(const std::string& a, const std::string& b) {
    return "(" + a + " OR " + b + ")";
}

}  // namespace

TEST_CASE("each test is written in each dialect's own words") {
    const struct {
        where rows;
        std::array<std::string, 4> text;  // by dialect
        std::vector<value> parameters;    // of ClickHouse, which has each list as it is
    } table[] = {
        {one_of("id", "a,b"),
         {R"("id" COLLATE BINARY IN (SELECT value FROM json_each(?1)))",
          R"("id"::VARCHAR COLLATE "binary" IN $1)", any_in_postgresql(R"("id"::text)"),
          R"("id" IN {p1:Array(String)})"},
         {texts{"a", "b"}}},
        {one_of("note", "-a"),
         {R"(NOT (("note" COLLATE BINARY IS ?1 AND "note" IS NOT NULL)))",
          R"(NOT (("note" IS NOT NULL AND )" + one_in_duckdb(R"("note")") + "))",
          R"(NOT (("note" IS NOT NULL AND )" + one_in_postgresql(R"("note"::text)") + "))",
          R"(NOT (("note" = {p1:String} AND "note" IS NOT NULL)))"},
         {"a"}},
        {one_of("note", "-a,b"),
         {R"(("note" COLLATE BINARY IN (SELECT value FROM json_each(?1))) IS NOT TRUE)",
          R"(NOT (("note" IS NOT NULL AND "note"::VARCHAR COLLATE "binary" IN $1)))",
          R"(NOT (("note" IS NOT NULL AND )" + any_in_postgresql(R"("note"::text)") + "))",
          R"(NOT (("note" IN {p1:Array(String)} AND "note" IS NOT NULL)))"},
         {texts{"a", "b"}}},
        {one_of("status", "PAID\xC3\x89"),
         {folded_in_sqlite(R"("status")"), folded_in_duckdb(as_duckdb(R"("status")")),
          folded_in_postgresql(R"("status"::text)"), R"(lower("status") = {p1:String})"},
         {"paid\xC3\x89"}},
        {one_of("status", "A,b"),
         {R"("status" COLLATE NOCASE IN (SELECT value FROM json_each(?1)))",
          replaced("((lower(@) IN $1 AND strlen(@) = length(@)) OR (len($2) > 0 AND strlen(@) <> "
                   "length(@) AND translate(@, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', "
                   "'abcdefghijklmnopqrstuvwxyz') IN $2))",
                   as_duckdb(R"("status")")),
          R"(lower("status"::text COLLATE "C") = ANY($1::text[]))",
          R"(lower("status") IN {p1:Array(String)})"},
         {texts{"a", "b"}}},
        {one_of("region", "US-CA"),
         {either(folded_in_sqlite(R"("region")"),
                 folded_in_sqlite(R"(substr("region", instr("region", '-') + 1))")),
          either(
              folded_in_duckdb(as_duckdb(R"("region")")),
              folded_in_duckdb(replaced("substr(@, instr(@, '-') + 1)", as_duckdb(R"("region")")))),
          either(folded_in_postgresql(R"("region"::text)"),
                 folded_in_postgresql(replaced(R"(substr(@, strpos(@ COLLATE "C", '-') + 1))",
                                               R"("region"::text)"))),
          R"((lower("region") = {p1:String} OR )"
          R"(lower(substring("region", position("region", '-') + 1)) = {p1:String}))"},
         {"us-ca"}},
        {one_of("page.url", "a?b,c"),
         {R"(("page_url" COLLATE BINARY IN (SELECT value FROM json_each(?1)) OR )"
          R"(substr("page_url", 1, instr("page_url" || '?', '?') - 1) COLLATE BINARY IN )"
          R"((SELECT value FROM json_each(?2))))",
          replaced("(@ IN $1 OR split_part(@, '?', 1) IN $2)", as_duckdb(R"("page_url")")),
          either(any_in_postgresql(R"("page_url"::text)"),
                 any_in_postgresql(R"(split_part("page_url"::text COLLATE "C", '?', 1))", "2")),
          R"(("page_url" IN {p1:Array(String)} OR substring("page_url", 1, )"
          R"(position(concat("page_url", '?'), '?') - 1) IN {p2:Array(String)}))"},
         {texts{"a?b"}, texts{"c"}}},
        {one_of("page.url", "a"),
         {R"(("page_url" COLLATE BINARY IS ?1 OR substr("page_url", 1, )"
          R"(instr("page_url" || '?', '?') - 1) COLLATE BINARY IS ?2))",
          replaced("(($1::VARCHAR IS NOT NULL AND @ = $1::VARCHAR) OR ($2::VARCHAR IS NOT NULL AND "
                   "split_part(@, '?', 1) = $2::VARCHAR))",
                   as_duckdb(R"("page_url")")),
          either(one_in_postgresql(R"("page_url"::text)"),
                 one_in_postgresql(R"(split_part("page_url"::text COLLATE "C", '?', 1))", "2")),
          R"(("page_url" IN {p1:Array(String)} OR substring("page_url", 1, )"
          R"(position(concat("page_url", '?'), '?') - 1) IN {p2:Array(String)}))"},
         {texts{}, texts{"a"}}},
        {one_of("tags", "a"),
         {R"(EXISTS (SELECT 1 FROM json_each("tags") AS sluice_item WHERE sluice_item.value = ?1))",
          R"(list_has_any("tags"::VARCHAR[], $1))",
          R"(("tags"::text[] && $1::text[] AND coalesce("tags"::text[] COLLATE "C" && )"
          R"($1::text[], FALSE)))",
          R"(hasAny("tags", {p1:Array(String)}))"},
         {texts{"a"}}},
        {one_of("labels", "A"),
         {R"(("labels" IS NOT NULL AND EXISTS (SELECT 1 FROM json_each("labels") AS sluice_item )"
          "WHERE sluice_item.value IS NOT NULL AND " +
              folded_in_sqlite("sluice_item.value") + "))",
          R"(("labels" IS NOT NULL AND EXISTS (SELECT 1 FROM (SELECT unnest("labels"::VARCHAR[]))"
          " AS sluice_value) AS sluice_item WHERE " +
              folded_in_duckdb(as_duckdb("sluice_item.sluice_value")) + "))",
          R"(("labels" IS NOT NULL AND EXISTS (SELECT 1 FROM unnest("labels") AS )"
          "sluice_item(value) WHERE " +
              folded_in_postgresql("sluice_item.value::text") + "))",
          R"(("labels" IS NOT NULL AND arrayExists(sluice_item -> lower(sluice_item) = )"
          R"({p1:String}, "labels")))"},
         {"a"}},
        {one_of("count", "7,07,x,\\-1"),
         {R"("count" IN (SELECT value FROM json_each(?1)))", R"("count" IN $1)",
          R"("count" = ANY($1::bigint[]))", R"("count" IN {p1:Array(Int64)})"},
         {numbers{7, -1}}},
        {one_of("count", "7"),
         {R"("count" IS ?1)", R"(($1 IS NOT NULL AND "count" = $1))",
          R"(($1::bigint IS NOT NULL AND "count" = $1::bigint))", R"("count" = {p1:Int64})"},
         {std::int64_t{7}}},
        {test_of("count", bound<std::int64_t>(comparison::more_than, 5)),
         {R"("count" > ?1)", R"("count" > $1)", R"("count" > $1::bigint)",
          R"("count" > {p1:Int64})"},
         {std::int64_t{5}}},
        {test_of("created", bounds<instant>{.least = at(5), .most = at(9)}),
         {R"(("created" >= ?1 AND "created" <= ?2))", R"(("created" >= $1 AND "created" <= $2))",
          R"(("created" >= $1::bigint AND "created" <= $2::bigint))",
          R"(("created" >= {p1:Int64} AND "created" <= {p2:Int64}))"},
         {std::int64_t{5}, std::int64_t{9}}},
        {test_of("total", bound(comparison::less_than, decimal("10.50"))),
         {R"("total" COLLATE BINARY < ?1)", R"("total"::VARCHAR COLLATE "binary" < $1::VARCHAR)",
          R"("total"::text COLLATE "C" < $1::text)", R"("total" < {p1:String})"},
         {std::string("2112105")}},
        {test_of("paid", boolean_test{false}),
         {R"(("paid" IS NOT NULL AND "paid" = ?1))", R"(("paid" IS NOT NULL AND "paid" = $1))",
          R"(("paid" IS NOT NULL AND "paid" = $1::boolean))",
          R"(("paid" IS NOT NULL AND "paid" = {p1:Bool}))"},
         {false}},
        {metadata("metadata['a~/b'] >= 10"),
         {R"(EXISTS (SELECT 1 FROM json_each("metadata_num") WHERE key = ?1 AND value >= ?2))",
          R"(coalesce("metadata_num"[$1::VARCHAR] >= $2::VARCHAR, FALSE))",
          R"(coalesce(("metadata_num" ->> $1::text) COLLATE "C" >= $2::text, FALSE))",
          R"((mapContains("metadata_num", {p1:String}) AND "metadata_num"[{p1:String}] >= )"
          R"({p2:String}))"},
         {std::string("/a~0~1b"), std::string("21121")}},
        {metadata("metadata['a']['0'] = x"),
         {R"((EXISTS (SELECT 1 FROM json_each("metadata_text") WHERE key = ?1 AND value = ?2) OR )"
          R"((?3 <> '' AND NOT (EXISTS (SELECT 1 FROM json_each("metadata_text") WHERE key = )"
          R"(?1)) AND EXISTS )"
          R"((SELECT 1 FROM json_each("metadata_num") WHERE key = ?1 AND value = ?3))))",
          R"((coalesce("metadata_text"[$1::VARCHAR] = $2::VARCHAR, FALSE) OR )"
          R"(($3::VARCHAR <> '' AND NOT ()"
          R"("metadata_text"[$1::VARCHAR] IS NOT NULL) AND coalesce()"
          R"("metadata_num"[$1::VARCHAR] = $3::VARCHAR, FALSE))))",
          R"((("metadata_text" IS NOT NULL AND "metadata_text" @> jsonb_build_object($1::text, )"
          R"($2::text)) OR ($3::text <> '' AND NOT (("metadata_text" ->> $1::text) IS NOT )"
          R"(NULL) AND ("metadata_num" IS NOT NULL AND "metadata_num" @> jsonb_build_object($1::text, )"
          R"($3::text)))))",
          R"(((mapContains("metadata_text", {p1:String}) AND "metadata_text"[{p1:String}] = )"
          R"({p2:String}) OR ({p3:String} <> '' AND )"
          R"(NOT (mapContains("metadata_text", {p1:String})) AND (mapContains()"
          R"("metadata_num", {p1:String}) AND "metadata_num"[{p1:String}] = {p3:String}))))"},
         {std::string("/a/0"), std::string("x"), std::string()}},
        {one_of("id", ""), {"TRUE", "TRUE", "TRUE", "TRUE"}, {}},
        {metadata(" "), {"TRUE", "TRUE", "TRUE", "TRUE"}, {}},
        {where::any({}), {"FALSE", "FALSE", "FALSE", "FALSE"}, {}},
        {where::any({where::all({}), where::negation(one_of("id", "a"))}),
         {R"((TRUE OR NOT ("id" COLLATE BINARY IS ?1)))",
          "(TRUE OR NOT (" + one_in_duckdb(R"("id")") + "))",
          "(TRUE OR NOT (" + one_in_postgresql(R"("id"::text)") + "))",
          R"((TRUE OR NOT ("id" = {p1:String})))"},
         {"a"}},
    };
    for (const auto& [rows, expected, parameters] : table) {
        for (const dialect of : dialects) {
            const statement statement_ = condition(rows, of);
            CHECK(statement_.text == expected[static_cast<std::size_t>(of)]);
            if (of == dialect::clickhouse) CHECK(statement_.parameters == parameters);
        }
    }
}

TEST_CASE("MariaDB compares texts in the column's collation and by their bytes") {
    const auto bytes = [](const std::string& text) {
        return "CONVERT(" + text + " USING utf8mb4) COLLATE utf8mb4_nopad_bin";
    };
    const auto is_in = [&](const std::string& text, const std::string& list) {
        return "(" + text + " IN " + list + " AND " + bytes(text) + " IN " + list + ")";
    };
    const auto folded = [](const std::string& text) {
        return "CONVERT(CAST(LOWER(CONVERT(CAST(CONVERT(" + text +
               " USING utf8mb4) AS BINARY) USING geostd8)) AS BINARY) USING utf8mb4) COLLATE "
               "utf8mb4_nopad_bin IN (?)";
    };
    const auto item = [](const std::string& list, const std::string& test) {
        return "EXISTS (SELECT 1 FROM JSON_TABLE(" + list +
               ", '$[*]' COLUMNS (sluice_value LONGTEXT CHARACTER SET utf8mb4 COLLATE "
               "utf8mb4_nopad_bin PATH '$')) AS sluice_item WHERE " +
               test + ")";
    };
    const auto settled = [](const std::string& may, const std::string& list,
                            const std::string& text, const std::string& exact) {
        return "((" + may + " OR LOCATE(BINARY CHAR(92), " + list + ") > 0) AND ((LEFT(" + list +
               ", 1) = '[' AND JSON_OVERLAPS(" + text + ", ?)) OR " + exact + "))";
    };
    const std::string has_tag = "LOCATE(BINARY ?, CONVERT(`tags` USING utf8mb4)) > 0";
    const std::string has_label =
        "LOCATE(BINARY ?, LOWER(CONVERT(CAST(CONVERT(`labels` USING utf8mb4) AS BINARY) USING "
        "geostd8))) > 0";
    const std::string folded_labels =
        "CONVERT(CAST(LOWER(CONVERT(CAST(CONVERT(`labels` USING utf8mb4) COLLATE utf8mb4_nopad_bin "
        "AS BINARY) USING geostd8)) AS BINARY) USING utf8mb4) COLLATE utf8mb4_nopad_bin";
    const auto entry = [](const std::string& map) {
        return "JSON_VALUE(`metadata_" + map + "`, CONCAT('$.', JSON_QUOTE(?)))";
    };
    const std::string nothing = "(SELECT NULL FROM DUAL WHERE FALSE)";
    const struct {
        where rows;
        std::string text;
        std::vector<value> parameters;
    } table[] = {
        {one_of("id", "a"), is_in("`id`", "(?)"), {"a", "a"}},
        {one_of("id", "a,b,c"),
         is_in("`id`", "(?, ?, ?, ?)"),
         {"a", "b", "c", "c", "a", "b", "c", "c"}},
        {one_of("id", "\xFF"), is_in("`id`", nothing), {}},
        {one_of("note", "-a"),
         "NOT ((`note` IS NOT NULL AND " + is_in("`note`", "(?)") + "))",
         {"a", "a"}},
        {one_of("status", "PAID\xC3\x89"), folded("`status`"), {"paid\xC3\x89"}},
        {one_of("region", "US-CA"),
         either(folded("`region`"),
                folded("SUBSTRING(`region`, LOCATE('-', " + bytes("`region`") + ") + 1)")),
         {"us-ca", "us-ca"}},
        {one_of("page.url", "a"),
         either(is_in("`page_url`", nothing), is_in("SUBSTRING_INDEX(`page_url`, '?', 1)", "(?)")),
         {"a", "a"}},
        {one_of("tags", "b,a,1"),
         settled("(" + has_tag + " OR " + has_tag + " OR " + has_tag + " OR " + has_tag + ")",
                 "`tags`", bytes("`tags`"),
                 item("`tags`", "sluice_item.sluice_value IN (?, ?, ?, ?)")),
         {"1", "\"a\"", "\"b\"", "\"b\"", "[\"1\",\"a\",\"b\"]", "b", "a", "1", "1"}},
        {one_of("tags", "1,2,3,4,5,6,7,8,9"),
         item("`tags`",
              "sluice_item.sluice_value IN (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
         {"1", "2", "3", "4", "5", "6", "7", "8", "9", "9", "9", "9", "9", "9", "9", "9"}},
        {one_of("tags", "\xFF"), item("`tags`", "sluice_item.sluice_value IN " + nothing), {}},
        {one_of("labels", "A"),
         "(`labels` IS NOT NULL AND " +
             settled(has_label, "`labels`", folded_labels,
                     item("`labels`", "sluice_item.sluice_value IS NOT NULL AND " +
                                          folded("sluice_item.sluice_value"))) +
             ")",
         {"\"a\"", "[\"a\"]", "a"}},
        {one_of("count", "7,07,x,\\-1"), "`count` IN (?, ?)", {std::int64_t{7}, std::int64_t{-1}}},
        {one_of("count", "x"), "`count` IN " + nothing, {}},
        {test_of("paid", boolean_test{false}), "(`paid` IS NOT NULL AND `paid` = ?)", {false}},
        {test_of("total", bound(comparison::less_than, decimal("10.50"))),
         bytes("`total`") + " < ?",
         {"2112105"}},
        {metadata("metadata['a~/b'] >= 10"),
         "coalesce(" + bytes(entry("num")) + " >= ?, FALSE)",
         {"/a~0~1b", "21121"}},
        {metadata("metadata['a'] = x"),
         "(coalesce(" + bytes(entry("text")) + " = ?, FALSE) OR (? <> '' AND NOT (" +
             entry("text") + " IS NOT NULL) AND coalesce(" + bytes(entry("num")) + " = ?, FALSE)))",
         {"/a", "x", "", "/a", "/a", ""}},
    };
    for (const auto& [rows, text, parameters] : table) {
        const statement written = condition(rows, dialect::mariadb);
        CHECK(written.text == text);
        CHECK(written.parameters == parameters);
    }
}

TEST_CASE("a parameter of MariaDB is written at each of its places") {
    list_query query = query_of(one_of("count", "7,8"));
    sql::mapping places = sql::table_mapping(all_columns, "50%`", dialect::mariadb);
    query.from = cursor{true, query_mark(query), 0, {"1500", "o1"}};
    const std::string id = "CONVERT(`id` USING utf8mb4) COLLATE utf8mb4_nopad_bin";
    const auto written = [&] { return sql::compile(query, places, dialect::mariadb).value(); };
    CHECK(written().text ==
          "SET STATEMENT max_sort_length = 8192 FOR SELECT * FROM (SELECT *, `created` AS "
          "sluice_key_1, " +
              id + " AS sluice_key_2 FROM `50%``` WHERE ((`created` > ? OR " + id +
              " > ?) AND `created` >= ? AND `count` IN (?, ?)) ORDER BY `created` ASC, " + id +
              " ASC LIMIT ?) AS sluice_page ORDER BY sluice_key_1 DESC, sluice_key_2 DESC");
    const std::int64_t at = 1'500, size = 100;
    CHECK(written().parameters ==
          std::vector<value>{at, "o1", at, std::int64_t{7}, std::int64_t{8}, size});
    places.placeholders = sql::placeholder::format;
    CHECK(written().text.find("FROM `50%%``` WHERE ((`created` > %s OR") != std::string::npos);
    // A program's own SQL may hold bytes that no database reads.
    places.table =
        "\xFF"
        "9\xFF \xFF";
    CHECK(written().parameters.size() == 6);
    // NULL is the least value in MariaDB too.
    query.from.reset();
    query.order = {{*orders.find("paid")}, {*orders.find("count"), sort_order::ascending, true}};
    CHECK(written().text.ends_with(" ORDER BY `paid` ASC, `count` ASC LIMIT %s OFFSET %s"));
    CHECK(written().text.starts_with("SELECT "));
}

TEST_CASE("NaN, which databases sort above all numbers, is ruled out where no bound does") {
    column count = *orders.find("count");
    count.is_nullable = true;
    const auto of_count = [&](const bounds<std::int64_t>& wanted) {
        return where(leaf{count, wanted, "p"});
    };
    const struct {
        where rows;
        std::array<std::string, 4> expected;  // by dialect
    } table[] = {
        {of_count({.least = 5}),
         {R"(("count" IS NOT NULL AND "count" >= ?1))",
          R"(("count" IS NOT NULL AND "count" >= $1 AND NOT isnan("count")))",
          R"(("count" IS NOT NULL AND "count" >= $1::bigint AND "count" <> 'NaN'::float8))",
          R"(("count" IS NOT NULL AND "count" >= {p1:Int64} AND "count" = "count"))"}},
        {of_count({.least = 5, .most = 9, .excludes_most = true}),
         {R"(("count" IS NOT NULL AND "count" >= ?1 AND "count" < ?2))",
          R"(("count" IS NOT NULL AND "count" >= $1 AND "count" < $2))",
          R"(("count" IS NOT NULL AND "count" >= $1::bigint AND "count" < $2::bigint))",
          R"(("count" IS NOT NULL AND "count" >= {p1:Int64} AND "count" < {p2:Int64}))"}},
        {of_count({}),
         {R"("count" IS NOT NULL)", R"(("count" IS NOT NULL AND NOT isnan("count")))",
          R"(("count" IS NOT NULL AND "count" <> 'NaN'::float8))",
          R"(("count" IS NOT NULL AND "count" = "count"))"}},
    };
    for (const auto& [rows, expected] : table) {
        for (const dialect of : dialects) {
            CHECK(condition(rows, of).text == expected[static_cast<std::size_t>(of)]);
        }
    }
    const auto total = [](comparison op) { return test_of("total", bound(op, decimal("10"))); };
    const auto native = [](const where& rows) {
        return condition(rows, dialect::postgresql, storage::native).text;
    };
    CHECK(native(total(comparison::more_than)) ==
          R"(("total" > CAST($1::text AS numeric) AND "total" <> 'NaN'::numeric))");
    CHECK(native(total(comparison::at_most)) == R"("total" <= CAST($1::text AS numeric))");
    // More than a numeric holds.
    CHECK(native(test_of("total", bound(comparison::at_least, decimal("1e131073")))) == "FALSE");
    const auto least = test_of("total", bound(comparison::at_least, decimal("1e-16384")));
    CHECK(condition(least, dialect::postgresql, storage::native).parameters ==
          std::vector<value>{"1e-16383"});
}

TEST_CASE("a list is bound whole, and the only value of one as itself") {
    const auto nothing = std::monostate();
    const std::string nul("a\0b", 3);
    using values = std::vector<value>;
    const struct {
        where rows;
        std::array<values, 4> parameters;  // by dialect
    } table[] = {
        {one_of("id", "a"), {values{"a"}, {"a"}, {"a"}, {"a"}}},
        {one_of("id", "a\"b,c\\\\,d"),
         {values{R"(["a\"b","c\\","d"])"},
          {texts{"a\"b", "c\\", "d"}},
          {texts{"a\"b", "c\\", "d"}},
          {texts{"a\"b", "c\\", "d"}}}},
        {one_of("id", nul),  // which a row of two of them can't hold
         {values{nothing}, {nul}, {nothing}, {nul}}},
        {one_of("status", "A,\xC3\x89,B"),
         {values{"[\"a\",\"\xC3\x89\",\"b\"]"},
          {texts{"a", "b"}, texts{"\xC3\x89"}},
          {texts{"a", "\xC3\x89", "b"}},
          {texts{"a", "\xC3\x89", "b"}}}},
        {one_of("status", "A"), {values{"a"}, {"a", nothing}, {"a"}, {"a"}}},
        {one_of("status", "\xC3\x89"),
         {values{"\xC3\x89"}, {nothing, "\xC3\x89"}, {"\xC3\x89"}, {"\xC3\x89"}}},
        {one_of("page.url", "a?b"),
         {values{"a?b", nothing}, {"a?b", nothing}, {"a?b", nothing}, {texts{"a?b"}, texts{}}}},
        {one_of("count", "7"),
         {values{std::int64_t{7}}, {std::int64_t{7}}, {std::int64_t{7}}, {std::int64_t{7}}}},
        {one_of("count", "7,8,9"),
         {values{"[7,8,9]"}, {numbers{7, 8, 9}}, {numbers{7, 8, 9}}, {numbers{7, 8, 9}}}},
        {one_of("count", "x"), {values{nothing}, {nothing}, {nothing}, {numbers{}}}},
    };
    for (const auto& [rows, parameters] : table) {
        for (const dialect of : dialects) {
            CHECK(condition(rows, of).parameters == parameters[static_cast<std::size_t>(of)]);
        }
    }
}

TEST_CASE("a text that isn't written as its number names no whole number") {
    const struct {
        std::string_view text;
        numbers bound;
    } table[] = {
        {"7,\\-1,9223372036854775807", {7, -1, INT64_MAX}},
        {"007,7", {7}},
        {"007,8", {8}},
        {"07,00,+7, 7,7 ,7.0,7e0,\\-0", {}},
        {"9223372036854775808,1e3,x,0", {0}},
    };
    for (const auto& [text, bound] : table) {
        CAPTURE(text);
        CHECK(condition(one_of("count", text), dialect::clickhouse).parameters ==
              std::vector<value>{bound});
    }
    CHECK(condition(one_of("count", "007"), dialect::postgresql).parameters ==
          std::vector<value>{std::monostate()});
}

TEST_CASE("a value, a path or their number never changes the text") {
    const auto same = [](const where& a, const where& b, dialect of, storage how) {
        CHECK(condition(a, of, how).text == condition(b, of, how).text);
    };
    const std::string hostile = "x'); DROP TABLE orders; --$1?1{p1:String}%1\\\\\"";
    for (const dialect of : dialects) {
        for (const auto name : {"id", "note", "status", "region", "page.url", "tags", "labels"}) {
            same(one_of(name, "a"), one_of(name, hostile), of, storage::prepared);
            same(one_of(name, "a,b"), one_of(name, hostile + ",$1,?1," + std::string("\0,c", 3)),
                 of, storage::prepared);
            same(one_of(name, "a"), one_of(name, "\xC3\x89"), of, storage::prepared);
            same(one_of(name, "a?b"), one_of(name, "c"), of, storage::prepared);
            same(one_of(name, "\\-1"), one_of(name, std::string("a\0b", 3)), of, storage::prepared);
        }
        same(metadata("metadata['a'] = 1"), metadata("metadata['x\"y']['-1']['z'] = 'it\\'s'"), of,
             storage::prepared);
        same(metadata("metadata['a'] > 1"), metadata("metadata['b']['c'] > -1e400"), of,
             storage::prepared);
    }
    same(metadata("metadata['a'] = 1"), metadata("metadata['x\"y']['-1']['z'] = 'it\\'s'"),
         dialect::postgresql, storage::native);
    same(metadata("metadata['a'] = 1"), metadata("metadata['b'] != 2 OR metadata['c'] > 3"),
         dialect::sqlite, storage::function);
}

TEST_CASE("jsonb has the value of a path without an index by containment") {
    const auto written = [](std::string_view text) {
        return condition(metadata(text), dialect::postgresql, storage::native);
    };
    const std::string contains =
        R"(("metadata" IS NOT NULL AND $1::jsonb IS NOT NULL AND ("metadata" @> $1::jsonb OR )"
        R"("metadata" @> $2::jsonb)))";
    const struct {
        std::string_view text;
        std::string first, last;
    } table[] = {
        {"metadata['plan'] = pro", R"({"plan":"pro"})", R"({"plan":"pro"})"},
        {"metadata['a']['b'] = 17.0", R"({"a":{"b":17e0}})", R"({"a":{"b":"17.0"}})"},
        {"metadata['a'] = true", R"({"a":"true"})", R"({"a":true})"},
        {"metadata['a'] = null", R"({"a":"null"})", R"({"a":"null"})"},
        {"metadata['a'] = 'x\"y'", R"({"a":"x\"y"})", R"({"a":"x\"y"})"},
        {"metadata['-1']['00'] = ''", R"({"-1":{"00":""}})", R"({"-1":{"00":""}})"},
    };
    for (const auto& [text, first, last] : table) {
        CAPTURE(text);
        CHECK(written(text).text == contains);
        CHECK(written(text).parameters == std::vector<value>{first, last});
    }
    CHECK(written("metadata['a'] != x").text == "NOT (" + contains + ")");
    for (const std::string_view text : {"metadata['0'] = x", "metadata['a']['12'] = x"}) {
        CHECK(written(text).text.find("@>") == std::string::npos);
    }
}

TEST_CASE("values that no row can hold are left out") {
    const std::string nul("a\0b", 3), broken = "a\xFF";
    const auto wanted = where(leaf{*orders.find("id"), text_test{filter({nul, "c", broken})}, {}});
    CHECK(condition(wanted, dialect::sqlite).parameters[0] == value("[\"c\"]"));
    CHECK(condition(wanted, dialect::duckdb).parameters[0] == value(texts{nul, "c"}));
    CHECK(condition(wanted, dialect::postgresql).parameters[0] == value(texts{"c"}));
    CHECK(condition(wanted, dialect::clickhouse).parameters[0] == value(texts{nul, "c", broken}));
    // Prepared maps hold any text, jsonb none with a NUL.
    const auto json = metadata(std::string("metadata['k\0'] = '\0\1'", 21));
    CHECK(condition(json, dialect::postgresql).parameters == std::vector<value>{"/k~2",
                                                                                std::string("\1"
                                                                                            "0"
                                                                                            "\1"
                                                                                            "1"),
                                                                                ""});
    CHECK(condition(json, dialect::postgresql, storage::native).parameters ==
          std::vector<value>{std::monostate(), std::monostate()});
}

TEST_CASE("a page has its order, its sort keys and its place") {
    list_query query = query_of(one_of("id", "a"));
    query.wanted = {3, 10};
    const auto page = compile(query, dialect::postgresql, form::page);
    CHECK(page->text ==
          R"(SELECT *, "created" AS sluice_key_1, "id"::text COLLATE "C" AS sluice_key_2 FROM )"
          R"("orders" WHERE )" +
              one_in_postgresql(R"("id"::text)") +
              R"( ORDER BY "created" DESC, "id"::text COLLATE "C" DESC LIMIT $2::bigint OFFSET )"
              "$3::bigint");
    CHECK(page->parameters == std::vector<value>{"a", std::int64_t{10}, std::int64_t{20}});
    CHECK(compile(query, dialect::clickhouse, form::count)->text ==
          R"(SELECT count(*) FROM "orders" WHERE "id" = {p1:String})");
    query.wanted = {1, -5};
    CHECK(compile(query, dialect::postgresql, form::page)->parameters[1] == value(std::int64_t{0}));
}

TEST_CASE("a page has no sort keys where they aren't wanted, unless it's turned round by them") {
    sql::mapping places = sql::table_mapping(all_columns, "orders", dialect::duckdb);
    places.keys = false;
    list_query query = query_of(where());
    CHECK(sql::compile(query, places, dialect::duckdb)->text ==
          R"(SELECT * FROM "orders" WHERE TRUE ORDER BY "created" DESC, )" + as_duckdb(R"("id")") +
              " DESC LIMIT $1 OFFSET $2");
    query.from = cursor{false, query_mark(query), 0, {"1500", "o1"}};
    const auto has_keys = [&] {
        return sql::compile(query, places, dialect::duckdb)->text.find("sluice_key_2") !=
               std::string::npos;
    };
    CHECK_FALSE(has_keys());
    query.from->is_before = true;
    CHECK(has_keys());
}

TEST_CASE("a page is looked for among versions of rows, in the order of their key") {
    sql::mapping places = sql::table_mapping(all_columns, "orders", dialect::clickhouse);
    places.table += " FINAL";
    places.keys = false;
    places.versions = {"orders", {"shop", "created", "id"}, 20};
    list_query query = query_of(one_of("id", "a"));
    const auto text = [&] { return sql::compile(query, places, dialect::clickhouse)->text; };
    CHECK(text() ==
          R"(SELECT * FROM "orders" FINAL PREWHERE (shop, created, id) GLOBAL IN (SELECT shop, )"
          R"(created, id FROM orders PREWHERE "id" = {p1:String} ORDER BY shop DESC, )"
          R"(created DESC, id DESC LIMIT {p2:Int64}) WHERE "id" = {p1:String} ORDER BY )"
          R"("created" DESC, "id" DESC LIMIT {p3:Int64} OFFSET {p4:Int64})");
    query.from = cursor{true, query_mark(query), 0, {"1500", "o1"}};
    CHECK(text().find("ORDER BY shop ASC, created ASC, id ASC LIMIT") != std::string::npos);
}

TEST_CASE("the last sort key is the unique one, or else the id") {
    const sort_key created{*orders.find("created"), sort_order::ascending, true};
    list_query query = query_of(where());
    query.order = {created};
    CHECK(compile(query, dialect::sqlite, form::page)->text ==
          R"(SELECT *, "created" AS sluice_key_1 FROM "orders" WHERE TRUE ORDER BY )"
          R"("created" ASC LIMIT ?1 OFFSET ?2)");
    const auto next = sql::place_beside(query, {std::int64_t{1'500}});
    REQUIRE(next);
    CHECK(next->keys.size() == 1);
    query.order.back().is_unique = false;
    CHECK(compile(query, dialect::sqlite, form::page)->text.find(R"("id" COLLATE BINARY ASC)") !=
          std::string::npos);
}

TEST_CASE("a page at a cursor is found by its first key, backwards where it ends there") {
    list_query query = query_of(where());
    const std::uint32_t mark = query_mark(query);
    query.from = cursor{false, mark, 0, {"1500", "o'1"}};
    const auto after = compile(query, dialect::clickhouse, form::page);
    CHECK(after->text ==
          R"(SELECT *, "created" AS sluice_key_1, "id" AS sluice_key_2 FROM "orders" WHERE )"
          R"((("created" < {p1:Int64} OR "id" < {p2:String}) AND "created" <= {p1:Int64}) )"
          R"(ORDER BY "created" DESC, "id" DESC LIMIT {p3:Int64})");
    CHECK(after->parameters == std::vector<value>{std::int64_t{1'500}, "o'1", std::int64_t{100}});
    query.from->is_before = true;
    CHECK(compile(query, dialect::clickhouse, form::page)->text ==
          R"(SELECT * FROM (SELECT *, "created" AS sluice_key_1, "id" AS sluice_key_2 FROM )"
          R"("orders" WHERE (("created" > {p1:Int64} OR "id" > {p2:String}) AND "created" >= )"
          R"({p1:Int64}) ORDER BY "created" ASC, "id" ASC LIMIT {p3:Int64}) AS )"
          R"(sluice_page ORDER BY sluice_key_1 DESC, sluice_key_2 DESC)");
    // A count is of all pages.
    CHECK(compile(query, dialect::clickhouse, form::count)->text ==
          R"(SELECT count(*) FROM "orders" WHERE TRUE)");
}

TEST_CASE("the last keys of one direction are compared as a row by PostgreSQL") {
    constexpr sort_order up = sort_order::ascending, down = sort_order::descending;
    const auto place = [](std::vector<sort_key> order, cursor from) {
        list_query query;
        query.order = std::move(order);
        query.from = std::move(from);
        query.from->query_mark = query_mark(query);
        const std::string text = compile(query, dialect::postgresql, form::page)->text;
        const std::size_t begin = text.find(" WHERE ") + 7;
        return text.substr(begin, text.find(" ORDER BY ") - begin);
    };
    const column &count = *orders.find("count"), &note = *orders.find("note"),
                 &created = *orders.find("created"), &id = *orders.find("id");
    const cursor two{.keys = {"5", "i"}}, three{.keys = {"5", "7", "i"}};
    const std::string in_bytes = R"("id"::text COLLATE "C")";
    CHECK(place({{created, up}, {id, up}}, two) ==
          R"(("created", )" + in_bytes + ") > ($1::bigint, $2::text)");
    CHECK(place({{note, down}, {id, down}}, two) ==
          R"(("note"::text COLLATE "C" IS NULL OR ("note"::text COLLATE "C", )" + in_bytes +
              ") < ($1::text, $2::text))");
    CHECK(place({{count, down}, {created, up}, {id, up}}, three) ==
          R"((("count" < $1::bigint OR ("created", )" + in_bytes +
              R"() > ($2::bigint, $3::text)) AND "count" <= $1::bigint))");
    // A NULL that isn't the first, a key that is cut, and a NUL.
    CHECK(place({{created, up}, {note, up}, {id, up}}, three).starts_with("((\"created\" >"));
    CHECK(place({{note, up}, {id, up}}, {.keys = {"5", "i"}, .cuts = {{0, 1}}})
              .find("coalesce((SELECT") != std::string::npos);
    CHECK(place({{created, up}, {id, up}}, {.keys = {"5", std::string("i\0", 2)}}) ==
          R"((("created" > $1::bigint OR )" + in_bytes +
              R"( > $2::text) AND "created" >= )"
              "$1::bigint)");
    CHECK(place({{created, down}, {id, down}}, {.keys = {"5", std::string("i\0x", 3)}}) ==
          R"((("created" < $1::bigint OR )" + in_bytes +
              R"( <= $2::text) AND "created" <= )"
              "$1::bigint)");
}

TEST_CASE("a place among rows without a value") {
    const auto place = [](sort_order direction, std::optional<std::string> key) {
        list_query query;
        query.order = {{*orders.find("note"), direction}, {*orders.find("id"), direction}};
        query.from = cursor{false, query_mark(query), 0, {std::move(key), "i"}};
        const std::string text = compile(query, dialect::duckdb, form::page)->text;
        const std::size_t begin = text.find(" WHERE ") + 7;
        return text.substr(begin, text.find(" LIMIT ") - begin);
    };
    const auto in_order = [](const std::string& text) {
        return replaced(replaced(text, as_duckdb(R"("note")")), as_duckdb(R"("id")"), '#');
    };
    CHECK(place(sort_order::ascending, "n") ==
          in_order("((@, #) > ($1::VARCHAR, $2::VARCHAR) AND @ >= $1::VARCHAR) ORDER BY @ ASC "
                   "NULLS FIRST, # ASC"));
    CHECK(place(sort_order::descending, "n") ==
          in_order("(@ IS NULL OR ((@, #) < ($1::VARCHAR, $2::VARCHAR) AND @ <= $1::VARCHAR)) "
                   "ORDER BY @ DESC NULLS LAST, # DESC"));
    CHECK(place(sort_order::ascending, std::nullopt) ==
          in_order("((@ IS NULL AND # > $1::VARCHAR) OR @ IS NOT NULL) ORDER BY @ ASC NULLS FIRST, "
                   "# ASC"));
    CHECK(place(sort_order::descending, std::nullopt) ==
          in_order("((@ IS NULL AND # < $1::VARCHAR) OR FALSE) ORDER BY @ DESC NULLS LAST, # "
                   "DESC"));
}

TEST_CASE("a text that a cursor has cut is that of its row, or of those alike where it is gone") {
    const auto place = [](dialect of, sort_order direction, bool is_before) {
        list_query query;
        query.order = {{*orders.find("status"), direction}, {*orders.find("id"), direction}};
        query.from = cursor{is_before, query_mark(query), 0, {"ab", "i"}, {{0, 1}}};
        const auto compiled = compile(query, of, form::page);
        REQUIRE(compiled);
        const std::string& text = compiled->text;
        const std::size_t begin = text.find(" WHERE ") + 7;
        const bool is_bound = compiled->parameters[0] == value("ab") &&
                              compiled->parameters[1] == value("ac") &&
                              compiled->parameters[2] == value("i");
        CHECK(is_bound);
        return text.substr(begin, text.find(" ORDER BY ") - begin);
    };
    const std::string by = R"("status" COLLATE BINARY)", id = R"("id" COLLATE BINARY)";
    const std::string key = "coalesce((SELECT " + by + R"( FROM "orders" WHERE ()" + id +
                            " = ?3 AND (" + by + " >= ?1 AND " + by + " < ?2)) LIMIT 1), ";
    CHECK(place(dialect::sqlite, sort_order::ascending, false) ==
          "((" + by + " > " + key + "?1) OR " + id + " > ?4) AND " + by + " >= " + key + "?1))");
    CHECK(place(dialect::sqlite, sort_order::descending, false) ==
          "((" + by + " < " + key + "?2) OR " + id + " < ?4) AND " + by + " <= " + key + "?2))");
    CHECK(place(dialect::sqlite, sort_order::ascending, true) ==
          place(dialect::sqlite, sort_order::descending, false));
    CHECK(place(dialect::sqlite, sort_order::descending, true) ==
          place(dialect::sqlite, sort_order::ascending, false));
    for (const dialect of : dialects) {
        const std::string text = place(of, sort_order::ascending, false);
        CHECK(text.find(" LIMIT 1), ") != std::string::npos);
    }
}

TEST_CASE("a cursor that has cut what is never cut is refused") {
    const struct {
        std::string_view column;
        cursor place;
        bool is_place = false;
    } table[] = {
        {"status", {.keys = {"a", "i"}, .cuts = {{0, 1}}}, true},
        {"note", {.keys = {"a", "i"}, .cuts = {{0, 1}}}, true},
        {"status", {.keys = {"a", "i"}, .cuts = {{1, 1}}}},
        {"count", {.keys = {"1", "i"}, .cuts = {{0, 1}}}},
        {"total", {.keys = {"1", "i"}, .cuts = {{0, 1}}}},
        {"created", {.keys = {"1", "i"}, .cuts = {{0, 1}}}},
        {"note", {.keys = {std::nullopt, "i"}, .cuts = {{0, 1}}}},
        {"status", {.keys = {std::string("a\0", 2), "i"}, .cuts = {{0, 1}}}, true},
        {"status", {.keys = {"a\xFF", "i"}, .cuts = {{0, 1}}}},
        {"status", {.keys = {"a", "i\xFF"}, .cuts = {{0, 1}}}},
        {"status", {.keys = {"a"}, .cuts = {{0, 1}}}},
    };
    for (const auto& [name, place, is_place] : table) {
        CAPTURE(name);
        list_query query;
        query.order = {{*orders.find(name)}};
        query.from = place;
        query.from->query_mark = query_mark(query);
        const auto compiled = compile(query, dialect::sqlite, form::page);
        CHECK(compiled.has_value() == is_place);
        if (!compiled) CHECK(compiled.error().broken == rule::cursor_malformed);
    }
}

TEST_CASE("a row's texts are cut where they are too long for a cursor") {
    list_query query;
    query.order = {{*orders.find("status")}, {*orders.find("total")}};
    const std::string longest(2'000, 's');
    const auto place = sql::place_beside(query, {longest, "1", "o1"});
    REQUIRE(place);
    REQUIRE(place->cuts.size() == 1);
    CHECK(place->cuts[0] == cut_key{0, sluice::detail::lasting_hash_64(longest)});
    CHECK(longest.starts_with(place->key(0)));
    CHECK(parse_cursor(to_string(*place).value()) == *place);
    CHECK_FALSE(to_string(sql::place_beside(query, {"s", "1", longest}).value()));
    CHECK_FALSE(to_string(sql::place_beside(query, {"s", longest, "1"}, false, storage::native)
                              .value_or(cursor{.keys = {longest}})));
}

TEST_CASE("keys of a cursor are bound by their column's type") {
    const struct {
        std::string_view column;
        std::string key;
        std::optional<value> bound;  // nothing where the key is malformed
    } table[] = {
        {"count", "-5", std::int64_t{-5}},
        {"count", "5.5", {}},
        {"created", "1500", std::int64_t{1'500}},
        {"created", "1970-01-01T00:00:01.500Z", std::int64_t{1'500}},
        {"created", "soon", {}},
        {"total", "10.50", std::string("2112105")},
        {"total", "ten", {}},
        {"paid", "true", true},
        {"paid", "yes", {}},
        {"note", "a", std::string("a")},
        {"note", std::string("a\0", 2), std::string("a")},
        {"note", std::string("a\xFF\0", 3), {}},
    };
    for (const auto& [name, key, bound] : table) {
        CAPTURE(name);
        CAPTURE(key);
        list_query query;
        query.order = {{*orders.find(name), sort_order::ascending}};
        query.from = cursor{false, query_mark(query), 0, {key, "i"}};
        const auto compiled = compile(query, dialect::sqlite, form::page);
        CHECK(compiled.has_value() == bound.has_value());
        if (compiled && bound) CHECK(compiled->parameters[0] == *bound);
        if (!compiled) CHECK(compiled.error().broken == rule::cursor_malformed);
    }
}

TEST_CASE("a limit is a number of 64 bits, with one more row if the mapping wants it") {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    sql::mapping places = sql::table_mapping(all_columns, "orders", dialect::sqlite);
    for (const auto& [size, limit] :
         {std::pair<std::int64_t, std::int64_t>{-5, 0}, {0, 0}, {7, 7}, {most - 1, most - 1}}) {
        CAPTURE(size);
        list_query query;
        query.wanted.size = size;
        for (const bool and_next : {false, true}) {
            places.and_next = and_next;
            const auto compiled = sql::compile(query, places, dialect::sqlite, form::page);
            REQUIRE(compiled);
            CHECK(compiled->parameters[0] == sql::value(limit + (and_next ? 1 : 0)));
        }
    }
    list_query query;
    query.wanted.size = most;
    places.and_next = true;
    const auto compiled = sql::compile(query, places, dialect::sqlite, form::page);
    CHECK(compiled.value().parameters[0] == sql::value(most));
}

TEST_CASE("a cursor of another number of keys than the order's is refused") {
    list_query query;
    for (std::size_t wanted = 1; wanted < 3; ++wanted) {
        for (std::size_t size = 0; size <= 3; ++size) {
            CAPTURE(size);
            query.from = cursor{false, query_mark(query), 0, {}};
            query.from->keys.resize(size, "o1");
            const auto compiled = compile(query, dialect::sqlite, form::page);
            CHECK(compiled.has_value() == (size == wanted));
            if (!compiled) CHECK(compiled.error().broken == rule::cursor_malformed);
        }
        query.order = {{*orders.find("note"), sort_order::ascending}};
    }
}

TEST_CASE("a cursor is made of a row's sort keys") {
    list_query query;
    for (const auto name : {"count", "total", "paid", "note"}) {
        query.order.push_back({*orders.find(name), sort_order::ascending});
    }
    const std::vector<value> keys{std::int64_t{-5}, "2112105", true, std::monostate(), "o1"};
    const auto place = sql::place_beside(query, keys, true);
    REQUIRE(place.has_value());
    CHECK(*place ==
          cursor{true, query_mark(query), 0, {"-5", "0.105e2", "true", std::nullopt, "o1"}});
    CHECK(sql::place_beside(query, keys, false, storage::native)->key(1) == "2112105");
    const std::vector<value> of_sqlite{std::int64_t{0}, "1", std::int64_t{0}, "", "o1"};
    CHECK(sql::place_beside(query, of_sqlite)->keys[2] == "false");
    // Only its table knows the type of an id that the query doesn't name.
    CHECK(sql::place_beside(list_query{}, {std::int64_t{7}})->keys[0] == "7");
}

TEST_CASE("what is no sort key of a row makes no cursor") {
    const struct {
        std::string_view column;
        value key;
        std::string_view accepts;  // empty where it is one
        storage how = storage::prepared;
    } table[] = {
        {"count", std::int64_t{5}, ""},
        {"count", "5", "expected a whole number"},
        {"count", true, "expected a whole number"},
        {"count", std::monostate(), "expected a whole number"},
        {"created", std::int64_t{-1}, ""},
        {"created", "1500", "expected milliseconds since 1970, a whole number, or RFC 3339"},
        {"total", "2112105", ""},
        {"total", "10.50", "expected an order key, as the table has it"},
        {"total", std::int64_t{10}, ""},
        {"total", "10.50", "", storage::native},
        {"total", std::int64_t{10}, "", storage::native},
        {"total", "x", "expected a number", storage::native},
        {"total", "NaN", "", storage::native},
        {"paid", true, ""},
        {"paid", std::int64_t{1}, ""},
        {"paid", std::int64_t{2}, "expected true or false"},
        {"paid", "true", "expected true or false"},
        {"paid", std::monostate(), ""},
        {"note", std::monostate(), ""},
        {"status", std::int64_t{1}, "expected a text"},
        {"status", texts{"a"}, "expected a text"},
        {"status", std::monostate(), "expected a text"},
    };
    for (const auto& [name, key, accepts, how] : table) {
        CAPTURE(name);
        CAPTURE(accepts);
        list_query query;
        query.order = {{*orders.find(name), sort_order::ascending}};
        const auto place = sql::place_beside(query, {key, "o1"}, false, how);
        CHECK(place.has_value() == accepts.empty());
        if (place) continue;
        CHECK(place.error().broken == rule::value_malformed);
        CHECK(place.error().param == name);
        CHECK(place.error().accepts == accepts);
    }
    const auto count = [](const std::vector<value>& keys) {
        return message(sql::place_beside(query_of(where()), keys).error());
    };
    CHECK(count({"o1"}) == "keys: too few items, expected at least 2");
    CHECK(count({std::int64_t{1}, "o1", "o2"}) == "keys: too many items, expected at most 2");
}

namespace {

/// `(… (x AND x) OR x …)`, of so many levels.
where chain(std::size_t levels, const where& only) {
    where tree = only;
    for (std::size_t level = 0; level < levels; ++level) {
        tree = level % 2 == 0 ? where::all({only, std::move(tree)})
                              : where::any({only, std::move(tree)});
    }
    return tree;
}
/// Like chain(), with a group on either side.
where full(std::size_t levels, const where& only) {
    if (levels == 0) return only;
    const where half = full(levels - 1, only);
    return levels % 2 == 0 ? where::all({half, half}) : where::any({half, half});
}
where row(std::size_t count, const where& only) {
    return where::any(std::vector<where>(count, only));
}

}  // namespace

TEST_CASE("conditions are nested no more deeply than they have to be") {
    const where a = test_of("count", bound<std::int64_t>(comparison::more_than, 5));
    const where b = test_of("id", text_test{});  // every row
    const where c = metadata("metadata['a'] > 1 AND NOT (metadata['b'] > 1 OR metadata['c'] > 1)");
    const auto no = [](where operand) { return where::negation(std::move(operand)); };
    const std::string x = R"("count" > ?)", not_x = R"(NOT ("count" > ?)";
    const struct {
        where rows;
        std::string text;
    } table[] = {
        {no(no(a)), x + "1"},
        {no(no(no(a))), not_x + "1)"},
        {where::all({a, where::all({a, where::all({a})})}),
         "(" + x + "1 AND " + x + "2 AND " + x + "3)"},
        {where::any({a, where::all({a, where::any({a, a})})}),
         "(((" + x + "3 OR " + x + "4) AND " + x + "2) OR " + x + "1)"},
        {no(where::all({a, no(where::any({a, no(a)}))})),
         "(" + not_x + "1) OR " + x + "2 OR " + not_x + "3))"},
        {where::all({b, a, b}), x + "1"},
        {no(where::all({})), "FALSE"},
    };
    for (const auto& [rows, text] : table) CHECK(condition(rows, dialect::sqlite).text == text);
    const std::string entry = R"(EXISTS (SELECT 1 FROM json_each("metadata_num") WHERE key = ?)";
    CHECK(condition(where::all({a, c}), dialect::sqlite).text ==
          "(" + x + "1 AND " + entry + "2 AND value > ?3) AND NOT (" + entry +
              "4 AND value > ?5)) AND NOT (" + entry + "6 AND value > ?7)))");
    // Rows of hundreds are groups.
    const std::string text = condition(row(201, a), dialect::sqlite).text;
    CHECK(text.starts_with("((" + x + "1 OR " + x + "2 OR " + x + "3) OR (" + x + "4 OR "));
    CHECK(text.ends_with(" OR (" + x + "199 OR " + x + "200 OR " + x + "201))"));
}

TEST_CASE("what a parser has no room for is refused with what it has room for") {
    const where a = test_of("count", bound<std::int64_t>(comparison::more_than, 5));
    const std::string_view parser = "use at most 14 levels of AND and OR";
    const std::string_view values = "use at most 32000 conditions and values";
    const struct {
        where rows;
        dialect of;
        std::string_view accepts;  // empty where it is compiled
    } table[] = {
        {chain(40, a), dialect::sqlite, ""},
        {chain(41, a), dialect::sqlite, parser},
        {full(14, a), dialect::sqlite, ""},
        {full(15, a), dialect::sqlite, parser},
        {row(32'000, a), dialect::sqlite, ""},
        {row(32'001, a), dialect::sqlite, values},
        {chain(598, a), dialect::duckdb, ""},
        {chain(599, a), dialect::duckdb, "use at most 200 levels of AND and OR"},
        {chain(598, a), dialect::postgresql, ""},
        {chain(599, a), dialect::postgresql, "use at most 200 levels of AND and OR"},
        {row(65'001, a), dialect::postgresql, "use at most 65000 conditions and values"},
        {row(900, a), dialect::clickhouse, ""},
        {row(901, a), dialect::clickhouse, "use at most 900 conditions and values"},
        {chain(598, a), dialect::mariadb, ""},
        {chain(599, a), dialect::mariadb, "use at most 200 levels of AND and OR"},
        {row(32'000, test_of("id", text_test{filter({"a"})})), dialect::mariadb, ""},
        {row(33'000, test_of("id", text_test{filter({"a"})})), dialect::mariadb,
         "use at most 65000 conditions and values"},
        {chain(148, a), dialect::clickhouse, ""},
        {chain(149, a), dialect::clickhouse, "use at most 50 levels of AND and OR"},
    };
    for (const auto& [rows, of, accepts] : table) {
        CAPTURE(accepts);
        for (const form wanted : {form::condition, form::count, form::page}) {
            const auto compiled = compile(query_of(rows), of, wanted);
            CHECK(compiled.has_value() == accepts.empty());
            if (compiled) continue;
            CHECK(compiled.error().broken == rule::sql_too_large);
            CHECK(compiled.error().accepts == accepts);
        }
    }
    // A place in a list is part of the condition.
    list_query query = query_of(chain(40, a));
    query.from = cursor{false, query_mark(query), 0, {"1500", "o1"}};
    CHECK(compile(query, dialect::sqlite, form::page).error().accepts == parser);
}

TEST_CASE("what a database can't answer exactly is an error that says what to do") {
    const auto refused = [](const list_query& query, dialect of, storage how) {
        const auto compiled = compile(query, of, form::page, how);
        REQUIRE_FALSE(compiled.has_value());
        CHECK(compiled.error().broken == rule::sql_inexact);
        CHECK(compiled.error().code == error_code::internal_server_error);
        CHECK(detail::is_advice(compiled.error().accepts));
        return std::pair(std::string(compiled.error().param),
                         std::string(compiled.error().accepts));
    };
    using advice = std::pair<std::string, std::string>;
    const advice use_maps("p", "use prepared metadata"), leave_out("p", "leave it out");
    const list_query by_path = query_of(metadata("metadata['a'] > 1"));
    const advice not_native("p", "use 'prepared' or 'function': 'native' metadata is PostgreSQL's");
    const advice only_prepared("p", "use 'prepared': ClickHouse has no other metadata");
    CHECK(refused(by_path, dialect::sqlite, storage::native) == not_native);
    CHECK(refused(by_path, dialect::duckdb, storage::native) == not_native);
    CHECK(refused(by_path, dialect::clickhouse, storage::native) == only_prepared);
    CHECK(refused(by_path, dialect::clickhouse, storage::function) == only_prepared);
    for (const storage how : {storage::native, storage::function}) {
        CHECK(refused(by_path, dialect::mariadb, how) ==
              advice("p", "use 'prepared': MariaDB has no other metadata"));
    }
    CHECK(refused(by_path, dialect::postgresql, storage::function) ==
          advice("p", "use 'prepared' or 'native': PostgreSQL has no 'function'"));
    for (const auto number : {"1e131073", "1e-16384"}) {  // more than a numeric holds
        const auto query = query_of(metadata("metadata['a'] > " + std::string(number)));
        CHECK(refused(query, dialect::postgresql, storage::native) == use_maps);
    }
    const auto total = query_of(test_of("total", bound(comparison::at_least, decimal("1"))));
    CHECK(refused(total, dialect::duckdb, storage::native) == advice("p", "use prepared decimals"));
    // Tests that aren't their column's.
    for (const auto& rows :
         {one_of("created", "a"), one_of("total", "1"), one_of("paid", "true"),
          test_of("id", bound<std::int64_t>(comparison::equal, 1)), test_of("id", boolean_test{}),
          test_of("count", bound(comparison::equal, decimal("1"))),
          test_of("id", bounds<instant>{.least = at(1)}),
          test_of("id", parse_metadata_query("metadata['a']=1").value())}) {
        CHECK(refused(query_of(rows), dialect::sqlite, storage::prepared) == leave_out);
    }
    list_query query = query_of(where());
    query.search = "a";
    query.search_param = "q";
    CHECK(refused(query, dialect::sqlite, storage::prepared) ==
          advice("q", "leave a search out, no database has a test for it"));
    query = query_of(where());
    query.order = {{*orders.find("tags"), sort_order::ascending}};
    CHECK(refused(query, dialect::sqlite, storage::prepared) ==
          advice("tags", "choose another order"));
    query.order = {{*orders.find("total"), sort_order::ascending}};
    sql::mapping places = sql::table_mapping(all_columns, "orders", dialect::sqlite);
    for (sql::mapped_column& mapped : places.columns) mapped.how = storage::function;
    CHECK(sql::compile(query, places, dialect::sqlite).error().accepts == "use prepared decimals");
    CHECK(refused(query, dialect::duckdb, storage::native) ==
          advice("total", "use prepared decimals"));
    query.order.clear();
    query.from = cursor{false, query_mark(query), 1, {"i"}};
    CHECK(compile(query, dialect::sqlite, form::page).error().broken == rule::cursor_mismatch);
    query.from->repeat = 0;
    query.from->query_mark ^= 1;
    CHECK(compile(query, dialect::sqlite, form::page).error().broken == rule::cursor_mismatch);
}

TEST_CASE("a mapping gives columns other places, and an operand its parentheses") {
    sql::mapping places = sql::table_mapping(all_columns, "o", dialect::postgresql);
    places.table = "orders o JOIN pages p ON p.id = o.page";
    places.selects = "o.id";
    places.columns = {{"id", "o.id"}, {"page.url", "o.host || p.path"}};
    const auto compiled =
        sql::compile(query_of(one_of("page.url", "a")), places, dialect::postgresql, form::count);
    CHECK(compiled->text ==
          "SELECT count(*) FROM orders o JOIN pages p ON p.id = o.page WHERE " +
              either(one_in_postgresql("(o.host || p.path)::text"),
                     one_in_postgresql(
                         R"(split_part((o.host || p.path)::text COLLATE "C", '?', 1))", "2")));
    const auto missing = sql::compile(query_of(where()), places, dialect::postgresql);
    CHECK(missing.error().param == "created");
    CHECK(missing.error().accepts == "give the column a place in the mapping");
    list_query query = query_of(one_of("note", "a"));
    CHECK(sql::compile(query, places, dialect::postgresql).error().param == "p");
    // json_each() has a column of this name itself.
    places.columns = {{"tags", "\"Path\""}};
    CHECK(sql::compile(query_of(one_of("tags", "a")), places, dialect::sqlite, form::condition)
              ->text == R"(EXISTS (SELECT 1 FROM (SELECT "Path" AS sluice_json), )"
                        R"(json_each(sluice_json) AS sluice_item WHERE sluice_item.value = ?1))");
    CHECK(sql::quoted(R"(a"b\c)", dialect::sqlite) == R"("a""b\c")");
    CHECK(sql::quoted(R"(a"b\c)", dialect::clickhouse) == R"("a""b\\c")");
    CHECK(sql::quoted(R"(a"b`c\)", dialect::mariadb) == R"(`a"b``c\`)");
    // A name in quotes may hold the other ones.
    places.columns = {{"count", "`a\"b c`"}};
    CHECK(sql::compile(query_of(one_of("count", "1,2")), places, dialect::sqlite, form::condition)
              ->text == "`a\"b c` IN (SELECT value FROM json_each(?1))");
}

TEST_CASE("a time of a native type is compared with a parameter that is cast to it") {
    const auto written = [](std::string_view type, dialect of, const bounds<instant>& range) {
        sql::mapping places = sql::table_mapping(all_columns, "orders", of);
        places.columns = {{.name = "created", .expression = "c", .type = std::string(type)}};
        return sql::compile(query_of(test_of("created", range)), places, of, form::condition);
    };
    const auto day = [](int year) {
        return instant{std::chrono::sys_days{std::chrono::year{year} / 1 / 1}};
    };
    constexpr std::int64_t half = 500;
    const bounds<instant> second{.least = at(half), .most = at(1'000)};
    const struct {
        std::string_view type;
        dialect of;
        std::string text;
        std::vector<value> parameters;
    } table[] = {
        {"timestamptz",
         dialect::postgresql,
         "(c >= $1::text::timestamptz AND c < $2::text::timestamptz)",
         {"1970-01-01T00:00:00.500Z", "1970-01-01T00:00:01.001Z"}},
        {"TIMESTAMP(6)",
         dialect::duckdb,
         "(c >= $1::VARCHAR::TIMESTAMP AND c < $2::VARCHAR::TIMESTAMP)",
         {"1970-01-01T00:00:00.500Z", "1970-01-01T00:00:01.001Z"}},
        {"rfc3339",
         dialect::sqlite,
         "(c >= ?1 AND c < ?2)",
         {"1970-01-01T00:00:00.500Z", "1970-01-01T00:00:01.001Z"}},
        {"datetime",
         dialect::sqlite,
         "(c >= ?1 AND c < ?2)",
         {"1970-01-01 00:00:00.5", "1970-01-01 00:00:01.001"}},
        {"DATETIME(3)",
         dialect::mariadb,
         "(c >= CAST(? AS DATETIME(6)) AND c < CAST(? AS DATETIME(6)))",
         {"1970-01-01 00:00:00.5", "1970-01-01 00:00:01.001"}},
        {"DateTime64",
         dialect::clickhouse,
         "(c >= parseDateTime64BestEffort({p1:String}, 6, 'UTC') AND c < "
         "parseDateTime64BestEffort({p2:String}, 6, 'UTC'))",
         {"1970-01-01T00:00:00.500Z", "1970-01-01T00:00:01.001Z"}},
        {"seconds", dialect::duckdb, "(c >= $1 AND c < $2)", {std::int64_t{1}, std::int64_t{2}}},
    };
    for (const auto& [type, of, text, parameters] : table) {
        const auto compiled = written(type, of, second);
        REQUIRE(compiled);
        CHECK(compiled->text == text);
        CHECK(compiled->parameters == parameters);
    }
    // A millisecond is whole: later digits are at a bound that is its beginning.
    const bounds<instant> between{
        .least = at(1), .most = at(2), .excludes_least = true, .excludes_most = true};
    CHECK(written("timestamp", dialect::postgresql, between)->parameters ==
          std::vector<value>{"1970-01-01T00:00:00.002Z", "1970-01-01T00:00:00.002Z"});
    // Bounds beyond the years of a column need no parameter.
    const struct {
        bounds<instant> range;
        std::string text;
    } beyond[] = {
        {{.least = day(0)}, "TRUE"},
        {{.most = latest_instant}, "TRUE"},
        {{.least = at(INT64_MAX), .excludes_least = true}, "FALSE"},
        {{.most = day(0)}, "FALSE"},
        {{.least = day(0), .most = day(1)}, "c < $1::text::timestamp"},
    };
    for (const auto& [range, text] : beyond) {
        CHECK(written("timestamp", dialect::postgresql, range)->text == text);
    }
    CHECK(written("datetime64", dialect::clickhouse, {.most = day(1899)})->text == "FALSE");
    for (const auto& [type, of] :
         {std::pair("datetime", dialect::postgresql), std::pair("bytewise", dialect::sqlite)}) {
        CHECK(written(type, of, second).error().accepts ==
              "give its place a type that the database has for the column");
    }
}

TEST_CASE("an order by native types has keys in a form of their own") {
    sql::mapping places = sql::table_mapping(all_columns, "orders", dialect::postgresql);
    places.columns[0].type = "bytewise";
    places.columns[1].type = "timestamptz";
    list_query query = query_of(where());
    query.from = cursor{false, query_mark(query), 0, {"2026-08-21T02:30:15.123456Z", "o1"}};
    const auto page = sql::compile(query, places, dialect::postgresql);
    CHECK(page->text ==
          R"(SELECT *, coalesce(to_char("created" AT TIME ZONE 'UTC', )"
          R"('YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), "created"::text) AS sluice_key_1, "id" AS )"
          R"(sluice_key_2 FROM "orders" WHERE ("created", "id") < ($1::text::timestamptz, )"
          R"($2::text) ORDER BY "created" DESC, "id" DESC LIMIT $3::bigint)");
    CHECK(page->parameters[0] == value("2026-08-21T02:30:15.123456Z"));
    const struct {
        std::string_view text, key;  // no key for a text that is no time
    } table[] = {
        {"2026-08-21T02:30:15.123Z", "1787279415123"},
        {"2026-08-21T02:30:15.123000Z", "1787279415123"},
        {"2026-08-21 02:30:15.123400", "2026-08-21T02:30:15.1234Z"},
        {"2026-08-21 04:30:15.123456789+02:00", "2026-08-21T02:30:15.123456789Z"},
        {"1969-12-31 23:59:59.999999", "1969-12-31T23:59:59.999999Z"},
        {"2026-08-21 02:30:15", "1787279415000"},
        {"infinity", ""},
        {"12026-08-21T02:30:15Z", ""},
        {"", ""},
    };
    for (const auto& [text, key] : table) {
        CAPTURE(text);
        const auto place = sql::place_beside(query, {std::string(text), "o1"});
        CHECK(place.has_value() == !key.empty());
        if (place) CHECK(place->keys[0] == key);
    }
}

TEST_CASE("a table has the keys and indexes of its dialect") {
    constexpr schema small{
        column{.name = "id"}, column{.name = "made.at", .type = column_type::time},
        column{.name = "tags", .is_list = true},
        column{.name = "size", .type = column_type::decimal, .is_nullable = true},
        column{.name = "json", .type = column_type::json, .is_nullable = true}};
    const columns_view columns(small.begin(), small.size());
    const auto written = [&](dialect of, storage how) {
        return sql::ddl(columns, sql::table_mapping(columns, "t", of, how), of);
    };
    CHECK(written(dialect::sqlite, storage::prepared).value() ==
          texts{R"(CREATE TABLE "t" ("id" TEXT NOT NULL CHECK (instr("id", char(0)) = 0), )"
                R"("made_at" INTEGER NOT NULL, "tags" TEXT NOT NULL CHECK (instr(replace("tags", )"
                R"('\\', ''), '\u0000') = 0), "size" TEXT, "json_text" TEXT, "json_num" TEXT, )"
                R"(PRIMARY KEY ("id")) STRICT)",
                R"(CREATE INDEX "t_rows" ON "t" ("made_at", "id", "size"))"});
    CHECK(written(dialect::duckdb, storage::function).value() ==
          texts{R"(CREATE TABLE "t" ("id" VARCHAR NOT NULL, "made_at" BIGINT NOT NULL, "tags" )"
                R"(VARCHAR[] NOT NULL, "size" VARCHAR, "json" VARCHAR, PRIMARY KEY ("id")))"});
    CHECK(written(dialect::postgresql, storage::prepared).value() ==
          texts{R"(CREATE TABLE "t" ("id" text COLLATE "C" NOT NULL, "made_at" bigint NOT NULL, )"
                R"("tags" text[] NOT NULL, "size" text COLLATE "C", "json_text" jsonb, )"
                R"("json_num" jsonb, PRIMARY KEY ("id")))",
                R"(CREATE INDEX ON "t" ("made_at", "id"))",
                R"(CREATE INDEX ON "t" USING gin ("tags"))",
                R"(CREATE INDEX ON "t" USING gin ("json_text" jsonb_path_ops))",
                R"(CREATE INDEX ON "t" USING gin ("json_num" jsonb_path_ops))"});
    CHECK(written(dialect::postgresql, storage::native).value().front() ==
          R"(CREATE TABLE "t" ("id" text COLLATE "C" NOT NULL, "made_at" bigint NOT NULL, )"
          R"("tags" text[] NOT NULL, "size" numeric, "json" jsonb, PRIMARY KEY ("id")))");
    CHECK(written(dialect::clickhouse, storage::prepared).value() ==
          texts{R"(CREATE TABLE "t" ("id" String, "made_at" Int64, "tags" Array(String), )"
                R"("size" Nullable(String), "json_text" Map(String, String), "json_num" )"
                R"(Map(String, String), INDEX sluice_skip_1 "tags" TYPE bloom_filter) )"
                R"(ENGINE = MergeTree ORDER BY ("made_at", "id"))"});
    const std::string collated = " CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin";
    CHECK(written(dialect::mariadb, storage::prepared).value() ==
          texts{"CREATE TABLE `t` (`id` VARCHAR(255)" + collated +
                    " NOT NULL, `made_at` BIGINT NOT NULL, `tags` JSON NOT NULL, `size` TEXT" +
                    collated + ", `json_text` JSON, `json_num` JSON, PRIMARY KEY (`id`))",
                "CREATE INDEX `t_rows` ON `t` (`made_at`, `id`)"});
    constexpr schema timeless{column{.name = "id"}};
    const columns_view only_id(timeless.begin(), timeless.size());
    CHECK(sql::ddl(only_id, sql::table_mapping(only_id, "t", dialect::mariadb), dialect::mariadb)
              ->size() == 1);
    for (const auto& [of, how] :
         {std::pair(dialect::sqlite, storage::native), std::pair(dialect::duckdb, storage::native),
          std::pair(dialect::mariadb, storage::native),
          std::pair(dialect::mariadb, storage::function),
          std::pair(dialect::clickhouse, storage::native),
          std::pair(dialect::clickhouse, storage::function),
          std::pair(dialect::postgresql, storage::function)}) {
        const auto refused = written(of, how);
        REQUIRE_FALSE(refused.has_value());
        CHECK(refused.error().accepts == "use prepared storage");
    }
    auto places = sql::table_mapping(columns, "t", dialect::sqlite);
    places.columns.back().numbers = "a + b";
    CHECK(sql::ddl(columns, places, dialect::sqlite).error().accepts ==
          "give the column a plain name");
    places.columns.erase(places.columns.begin());
    CHECK(sql::ddl(columns, places, dialect::sqlite).error().param == "id");
}

TEST_CASE("names that a table can't have are refused") {
    const column id{.name = "id"};
    const std::string_view same =
        "expected one that no other column has, whatever its case, with _ for dots";
    const std::string_view reserved = "expected one that doesn't begin with sluice_";
    constexpr std::string_view nul("a\0b", 3);
    const struct {
        std::string_view table;
        std::vector<column> columns;
        std::string_view param;    // empty where the names are accepted
        std::string_view accepts;  // empty for the rule's own
    } table[] = {
        {"t", {id, {.name = "a.b"}, {.name = "a"}, {.name = "a_c"}}, "", ""},
        {"", {id}, "table", ""},
        {nul, {id}, "table", ""},
        {"t", {id, {.name = nul}}, nul, ""},
        {"t", {id, {.name = ""}}, "", ""},
        {"t", {id, {.name = "a.b"}, {.name = "a_b"}}, "a_b", same},
        {"t", {id, {.name = "Id"}}, "Id", same},
        {"t", {id, {.name = "a.B"}, {.name = "A_b"}}, "A_b", same},
        {"t", {id, {.name = "a_num"}, {.name = "a", .type = column_type::json}}, "a", same},
        {"t", {id, {.name = "sluice_key_1"}}, "sluice_key_1", reserved},
        {"t", {id, {.name = "Sluice.a"}}, "Sluice.a", reserved},
        {"t", {id, {.name = "sluices"}}, "", ""},
    };
    for (const auto& [name, columns, param, accepts] : table) {
        for (const dialect of : dialects) {
            CAPTURE(param);
            const auto script = sql::ddl(columns, sql::table_mapping(columns, name, of), of);
            const bool is_empty = columns.back().name.empty();
            CHECK(script.has_value() == (param.empty() && !is_empty));
            if (script) continue;
            CHECK(script.error().broken == rule::sql_name);
            CHECK(script.error().param == param);
            CHECK(script.error().accepts == accepts);
        }
    }
}
