// SPDX-License-Identifier: MIT
#include <array>
#include <cstdint>
#include <string_view>

#include <doctest/doctest.h>

#include <sluice/errors/message.hpp>
#include <sluice/store/columns/record_values.hpp>
#include <sluice/store/select.hpp>

using namespace sluice;

namespace {

constexpr std::array<std::string_view, 2> sizes{"small", "large"};
constexpr schema members{
    column{.name = "sku"},
    column{.name = "count", .type = column_type::integer, .is_nullable = true},
    column{.name = "price", .type = column_type::decimal, .is_nullable = true},
    column{.name = "weight", .type = column_type::real, .is_nullable = true},
    column{.name = "packed", .type = column_type::time, .is_nullable = true},
    column{.name = "due", .type = column_type::date, .is_nullable = true},
    column{.name = "token", .type = column_type::uuid, .is_nullable = true},
    column{.name = "size", .type = column_type::choice, .is_nullable = true, .choices = sizes},
    column{.name = "open", .type = column_type::boolean, .is_nullable = true},
    column{.name = "tags", .is_list = true, .is_nullable = true},
    column{.name = "ports", .type = column_type::integer, .is_list = true, .is_nullable = true}};
constexpr schema columns{column{.name = "id"},
                         column{.name = "lines", .type = column_type::records, .records = members}};

constexpr std::string_view whole =
    R"([ {"sku":"a\"\u00e9","count":-3,"price":19.900,"weight":1e-3,"packed":"2026-08-21T02:30:15Z",)"
    R"("due":"2026-08-21","token":"0190C7A6-5e2b-7c61-9f0e-8d7b1a2c3d4e","size":"large",)"
    R"("open":true,"tags":["x","y\n"],"ports":[80, -1]} , {"sku":"b","count":null,"tags":[]}])";

list_query any_line(std::string_view name, const column_test& test, bool is_negated = false) {
    where inner(leaf{*members.find(name), test, {}});
    if (is_negated) inner = where::negation(std::move(inner));
    list_query query;
    query.rows = where(leaf{*columns.find("lines"), record_test(inner), "lines"});
    return query;
}

}  // namespace

TEST_CASE("records of every type are searched by their members, each record by itself") {
    store::column_store rows(columns);
    REQUIRE(rows.add({"r1", whole}));
    REQUIRE(rows.add({"r2", "[]"}));
    REQUIRE(rows.add({"r3", R"([{"sku":"c","count":9,"open":false}])"}));
    rows.publish();
    const struct {
        std::string_view name;
        column_test test;
        std::int64_t rows, others;  // with a record that meets the test, or its negation
    } table[] = {
        {"sku", text_test{filter({"a\"\xC3\xA9"})}, 1, 2},
        {"sku", part_test{part_place::at_start, {"b", "c"}}, 2, 1},
        {"count", bounds<std::int64_t>{.least = 0}, 1, 1},
        {"count", bounds<std::int64_t>{.most = 9}, 2, 1},
        {"price", bounds<decimal_number>{.least = *parse_decimal_number("19.9")}, 1, 2},
        {"price", bounds<decimal_number>{.least = *parse_decimal_number("19.901")}, 0, 2},
        {"weight", bounds<double>{.most = 0.001}, 1, 2},
        {"packed", bounds<instant>{.least = *parse_timestamp("2026-08-21T02:30:15Z")}, 1, 2},
        {"due", bounds<calendar_day>{.most = *parse_day("2026-08-21")}, 1, 2},
        {"token", text_test{filter({"0190c7a6-5e2b-7c61-9f0e-8d7b1a2c3d4e"})}, 1, 2},
        {"size", bounds<std::string>{.least = "large"}, 1, 2},
        {"open", boolean_test{false}, 1, 1},
        {"tags", all_of_test{{"x", "y\n"}}, 1, 2},
        {"ports", text_test{filter({"-1"})}, 1, 2},
        {"count", null_test{true}, 1, 2},
    };
    const store::stored_rows now = rows.current();
    for (const auto& [name, test, count, others] : table) {
        CAPTURE(name);
        CHECK(store::count(now, any_line(name, test)) == count);
        CHECK(store::count(now, any_line(name, test, true)) == others);
        for (const bool is_negated : {false, true}) {  // as a row's cell sees it
            const list_query query = any_line(name, test, is_negated);
            std::int64_t matches = 0;
            for (std::size_t row = 0; row < now.size(); ++row) {
                const auto cell_of = [&](const column& of) { return now.at(row, of); };
                matches += query.rows.matches(cell_of) ? 1 : 0;
            }
            CHECK(matches == (is_negated ? others : count));
        }
    }
    CHECK(now.json(*now.find("r2")) == R"({"id":"r2","lines":[]})");
}

TEST_CASE("what are no records of the columns is refused, and nothing is added") {
    const struct {
        std::string_view json;
        rule broken;
    } table[] = {
        {"", rule::json_malformed},
        {"[", rule::json_malformed},
        {"{}", rule::field_type},
        {"null", rule::field_type},
        {"[1]", rule::field_type},
        {"[[]]", rule::field_type},
        {R"([{"sku":"a"},{"sku":1}])", rule::field_type},
        {R"([{"sku":["a"]}])", rule::field_type},
        {R"([{"sku":"a","count":"1"}])", rule::field_type},
        {R"([{"sku":"a","count":1.5}])", rule::field_type},
        {R"([{"sku":"a","count":9223372036854775808}])", rule::field_type},
        {R"([{"sku":"a","price":"1"}])", rule::field_type},
        {R"([{"sku":"a","weight":1e999}])", rule::field_type},
        {R"([{"sku":"a","packed":"yesterday"}])", rule::field_type},
        {R"([{"sku":"a","due":"2026-02-30"}])", rule::field_type},
        {R"([{"sku":"a","token":"1"}])", rule::value_malformed},
        {R"([{"sku":"a","size":"huge"}])", rule::choice_unknown},
        {R"([{"sku":"a","open":"true"}])", rule::field_type},
        {R"([{"sku":"a","open":{}}])", rule::field_type},
        {R"([{"sku":"a","tags":"x"}])", rule::field_type},
        {R"([{"sku":"a","tags":[1]}])", rule::field_type},
        {R"([{"sku":"a","ports":["1"]}])", rule::field_type},
        {R"([{"count":1}])", rule::field_missing},
        {R"([{"sku":"a","other":1}])", rule::field_unknown},
    };
    store::column_store rows(columns);
    for (const auto& [json, broken] : table) {
        CAPTURE(json);
        const auto added = rows.add({"r1", json});
        REQUIRE_FALSE(added);
        CHECK(added.error().broken == broken);
        CHECK(added.error().param == "lines");
        CHECK_FALSE(message(added.error()).empty());
    }
    CHECK(rows.add({"r1", std::int64_t{1}}).error().broken == rule::field_type);
    CHECK(rows.add({"r1"}).error().broken == rule::field_missing);
    REQUIRE(rows.add({"r1", whole}));
    rows.publish();
    CHECK(rows.current().size() == 1);
}
