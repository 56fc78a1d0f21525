// SPDX-License-Identifier: MIT
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/arrow/list_mask.hpp>
#include <sluice/errors/message.hpp>
#include <sluice/sql/compile.hpp>
#include <sluice/sql/ddl.hpp>
#include <sluice/store.hpp>

#include "query/make_tests.hpp"

using namespace sluice;
using test_samples::columns;
using test_samples::named;

namespace {

/// Returns bounds of a column's type; empty without such bounds.
std::optional<column_test> bounds_of(const column& of) {
    switch (of.type) {
        case column_type::text:
        case column_type::choice: return bounds<std::string>{.least = "small"};
        case column_type::integer: return bounds<std::int64_t>{.least = 1};
        case column_type::decimal: return bounds<decimal_number>{.least = decimal_number(1)};
        case column_type::real: return bounds<double>{.least = 0.5};
        case column_type::time: return bounds<instant>{.least = instant()};
        case column_type::date: return bounds<calendar_day>{.least = calendar_day()};
        case column_type::boolean:
        case column_type::json:
        case column_type::uuid:
        case column_type::records: break;
    }
    return std::nullopt;
}

/// Returns a test of a kind that a column can have.
column_test test_of(test_kind kind, const column& of) {
    const bool is_uuid = of.type == column_type::uuid;
    const std::string value = is_uuid ? "0190c7a6-5e2b-7c61-9f0e-8d7b1a2c3d4e"
                              : of.type == column_type::date   ? "2026-08-21"
                              : of.type == column_type::text   ? "a"
                              : of.type == column_type::choice ? "small"
                                                               : "1";
    switch (kind) {
        case test_kind::any_of: return text_test{filter({value})};
        case test_kind::none_of: return text_test{filter({value}, true)};
        case test_kind::all_of: return all_of_test{{value}};
        case test_kind::contains: return part_test{part_place::anywhere, {"a"}};
        case test_kind::starts_with: return part_test{part_place::at_start, {"a"}};
        case test_kind::ends_with: return part_test{part_place::at_end, {"a"}};
        case test_kind::bounds: return bounds_of(of).value();
        case test_kind::is: return boolean_test{true};
        case test_kind::any:
            return record_test(
                where(leaf{*test_samples::line_columns.find("sku"), text_test{filter({"a"})}, {}}));
        case test_kind::matches: return parse_metadata_query("metadata['plan']:pro").value();
        case test_kind::is_null: return null_test{true};
    }
    return text_test{};
}

/// Calls `see` with each test of each column.
template <class See>
void for_each_test(const See& see) {
    for (const column& of : columns) {
        for (const test_record& record : test_records) {
            if (!allows_test(of, record.kind)) continue;
            const column_test test = test_of(record.kind, of);
            CAPTURE(of.name);
            CAPTURE(record.name);
            CHECK(kind_of(test) == record.kind);
            see(leaf{of, test, {}}, record.kind);
        }
    }
}
list_query query_of(leaf condition) {
    list_query query;
    query.rows = where::negation(where::all({where(std::move(condition))}));
    return query;
}
void check_refused(const error& why, const leaf& condition) {
    CHECK(why.broken == rule::test_unanswered);
    CHECK(http_status(why.code) == 500);
    CHECK(why.param == condition.subject.name);
    const std::string name(to_string(kind_of(condition.test)));
    CHECK(message(why).find("leave " + name + " of this column out") != std::string::npos);
}

}  // namespace

TEST_CASE("statements of each dialect answer the tests that it says, and refuse the others") {
    for (std::size_t at = 0; at < sql::dialect_names.size(); ++at) {
        const auto of = static_cast<sql::dialect>(at);
        CAPTURE(to_string(of));
        const auto mapped =
            sql::table_mapping(columns_view(columns.begin(), columns.size()), "rows", of);
        for_each_test([&](const leaf& condition, test_kind kind) {
            const auto written = sql::compile(query_of(condition), mapped, of);
            CHECK(written.has_value() == sql::answered_tests(of).has(kind, condition.subject));
            if (!written) check_refused(written.error(), condition);
        });
        for (const column& source : columns) {
            const std::array<column, 2> few{column{.name = "key"}, source};
            const std::array<column, 2> with_id{column{.name = "id"}, source};
            const columns_view schema = source.name == "id" ? few : with_id;
            const auto created = sql::ddl(schema, sql::table_mapping(schema, "rows", of), of);
            const bool is_known = sql::answered_tests(of).has_any(source);
            CAPTURE(source.name);
            CHECK((created || created.error().broken != rule::test_unanswered) == is_known);
            if (!created && !is_known) CHECK(created.error().param == source.name);
        }
    }
}

TEST_CASE("stores answer the tests that they say, and refuse the others") {
    static constexpr sluice::schema id_only{column{.name = "id"}};
    store::column_store rows(id_only);
    CHECK(rows.add({"a"}));
    rows.publish();
    for_each_test([&](const leaf& condition, test_kind kind) {
        const auto page = store::select(rows.current(), query_of(condition));
        CHECK(page.has_value() == store::answered_tests.has(kind, condition.subject));
        if (!page) check_refused(page.error(), condition);
    });
}

TEST_CASE("masks answer every test") {
    for_each_test([&](const leaf& condition, test_kind kind) {
        CHECK(arrow::answered_tests.has(kind, condition.subject));
        const auto tree = arrow::mask_conditions(query_of(condition));
        REQUIRE(tree.conditions.size() == 1);
        const arrow::data_type nulls{.id = arrow::type_id::null};
        CHECK(arrow::check_type(tree.conditions[0], nulls));
        CHECK(arrow::holds_absent(tree.conditions[0]) == holds(condition, cell()));
    });
}

TEST_CASE("a test that isn't answered is found in records too") {
    const column records = named("lines");
    const where inner(leaf{*test_samples::line_columns.find("count"), null_test{true}, {}, false});
    const where rows = where::any({where(leaf{named("id"), text_test{filter({"a"})}, {}}),
                                   where(leaf{records, record_test(inner), "lines"})});
    constexpr auto with_records = common_tests.with(test_kind::any, set_of(column_type::records));
    REQUIRE(find_unanswered(rows, with_records) != nullptr);
    CHECK(find_unanswered(rows, with_records)->subject.name == "count");
    CHECK(check_answered(rows, with_records).error().param == "count");
    CHECK(find_unanswered(rows, common_tests)->subject.name == "lines");
    CHECK(check_answered(rows, common_tests).error().param == "lines");
    constexpr auto all = with_records.with(test_kind::is_null, all_column_types());
    CHECK(find_unanswered(rows, all) == nullptr);
    CHECK(check_answered(rows, all));
}
