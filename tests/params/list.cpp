// SPDX-License-Identifier: MIT
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/errors/message.hpp>
#include <sluice/params/bind.hpp>
#include <sluice/params/openapi.hpp>
#include <sluice/params/uuid.hpp>
#include <sluice/query/json_writer.hpp>

using namespace sluice;

namespace {

constexpr schema columns{
    column{.name = "id"},
    column{.name = "customer"},
    column{.name = "total", .type = column_type::decimal},
    column{.name = "items", .type = column_type::integer},
    column{.name = "created", .type = column_type::time},
    column{.name = "paid", .type = column_type::time, .is_nullable = true},
    column{.name = "open", .type = column_type::boolean},
};
constexpr std::array<std::string_view, 3> sorts{"created", "total", "id"};
constexpr std::array<std::string_view, 2> vips{"c_1", "c_2"};

struct orders : list_window, list_page {
    std::optional<uuid> customer;
    std::optional<decimal_number> total, least, below;
    int items = 0;
    std::optional<instant> paid_from, paid_after, paid_until, paid_before;
    std::optional<bool> open, vip;
    sort_choices order{{0, sort_order::descending}};
};

constexpr param_table params{
    columns,
    value_param<&orders::customer>({.name = "customer", .column = "customer"}),
    value_param<&orders::total>({.name = "total", .column = "total"}),
    value_param<&orders::least>(
        {.name = "total[gte]", .column = "total", .op = comparison::at_least}),
    value_param<&orders::below>(
        {.name = "total[lt]", .column = "total", .op = comparison::less_than}),
    integer_param<&orders::items, 0>(
        {.name = "minItems", .column = "items", .op = comparison::at_least}),
    boolean_param<&orders::open>({.name = "open", .column = "open"}),
    instant_param<&orders::paid_from>(
        {.name = "paid[gte]", .column = "paid", .op = comparison::at_least}),
    instant_param<&orders::paid_after>(
        {.name = "paid[gt]", .column = "paid", .op = comparison::more_than}),
    instant_param<&orders::paid_until>(
        {.name = "paid[lte]", .column = "paid", .op = comparison::at_most}),
    instant_param<&orders::paid_before>(
        {.name = "paid[lt]", .column = "paid", .op = comparison::less_than}),
    membership_param<&orders::vip, vips>({.name = "vip", .column = "customer"}),
    window_params<orders>({.column = "created"}),
    sort_param<&orders::order, sorts>({.name = "sortBy"}),
    page_params<orders, 1'000>()};

enum class sorted_by { created, total, id };
struct sorted_list {
    sorted_by column = sorted_by::created;
    sort_order direction = sort_order::ascending;
};
constexpr param_table sorted_params{
    columns, sort_column_param<&sorted_list::column, sorts>({.name = "sortBy"}),
    sort_order_param<&sorted_list::direction>({.name = "sortOrder"})};

const instant now = *parse_timestamp("2026-11-22T12:00:00Z");

result<orders> bound(std::string_view text) {
    const query_string pairs = parse_query_string(text);
    return bind(params, pairs.pairs(), {.zones = nullptr, .now = now});
}
std::string shown(std::string_view text) {
    const auto query = bound(text);
    REQUIRE(query);
    return to_json(to_list_query(params, *query));
}

constexpr std::string_view day =
    R"({"column":"created","gte":"2026-11-21T12:00:00.000Z","lte":"2026-11-22T12:00:00.000Z",)"
    R"("window":true})";
constexpr std::string_view newest =
    R"("order":[{"column":"created","direction":"desc"},{"column":"id","direction":"desc"}])";

std::string with(std::string_view leaves) {
    std::string text = R"({"where":{"all":[)";
    return text.append(leaves).append(leaves.empty() ? "" : ",").append(day).append("]},");
}

}  // namespace

TEST_CASE("each kind of parameter adds what it asks for") {
    const std::string end =
        std::string(newest) + R"(,"page":{"number":1,"size":100},"total":false})";
    const std::pair<std::string_view, std::string_view> table[] = {
        {"", ""},
        {"customer=0190C7A6-5e2b-7c61-9f0e-8d7b1a2c3d4e",
         R"({"column":"customer","any_of":["0190c7a6-5e2b-7c61-9f0e-8d7b1a2c3d4e"]})"},
        {"total=1.50", R"({"column":"total","gte":"1.50","lte":"1.50"})"},
        {"total[gte]=10&total%5Blt%5D=2e1",
         R"({"column":"total","gte":"10"},{"column":"total","lt":"2e1"})"},
        {"minItems=3", R"({"column":"items","gte":3})"},
        {"minItems=0", ""},
        {"open=TRUE", R"({"column":"open","is":true})"},
        {"paid[gte]=2026-01-31", R"({"column":"paid","gte":"2026-01-31T00:00:00.000Z"})"},
        {"paid[gt]=2026-01-31", R"({"column":"paid","gt":"2026-01-31T23:59:59.999Z"})"},
        {"paid[lte]=2026-01-31", R"({"column":"paid","lte":"2026-01-31T23:59:59.999Z"})"},
        {"paid[lt]=today", R"({"column":"paid","lt":"2026-11-22T00:00:00.000Z"})"},
        {"paid[gte]=1767225600&paid[lt]=1 hour ago",
         R"({"column":"paid","gte":"2026-01-01T00:00:00.000Z"},)"
         R"({"column":"paid","lt":"2026-11-22T11:00:00.000Z"})"},
        {"vip=true", R"({"column":"customer","any_of":["c_1","c_2"]})"},
        {"vip=false", R"({"column":"customer","none_of":["c_1","c_2"]})"},
    };
    for (const auto& [text, leaves] : table) {
        CAPTURE(text);
        CHECK(shown(text) == with(leaves) + end);
    }
}

TEST_CASE("order, page and window are what was asked for, and the last key is unique") {
    CHECK(shown("sortBy=-total,created&page=3&limit=7&count=true") ==
          with("") + R"("order":[{"column":"total","direction":"desc"},)"
                     R"({"column":"created","direction":"asc"},{"column":"id","direction":"asc"}],)"
                     R"("page":{"number":3,"size":7},"total":true})");
    CHECK(shown("sortBy=-id") == with("") + R"("order":[{"column":"id","direction":"desc"}],)"
                                            R"("page":{"number":1,"size":100},"total":false})");
    CHECK(shown("interval=all&end=2026-01-01T00:00:00Z")
              .starts_with(R"({"where":{"all":[{"column":"created",)"
                           R"("lte":"2026-01-01T00:00:00.000Z","window":true}]})"));
    CHECK(shown("interval=all").starts_with(R"({"where":{"all":[]},"order":)"));
    CHECK(shown("interval=all&start=2026-01-01")
              .starts_with(R"({"where":{"all":[{"column":"created",)"
                           R"("gte":"2026-01-01T00:00:00.000Z","window":true}]})"));
}

TEST_CASE("a column and a direction in two parameters are an order") {
    const std::pair<std::string_view, std::string_view> cases[] = {
        {"", R"([{"column":"created","direction":"asc"},{"column":"id","direction":"asc"}])"},
        {"sortBy=total&sortOrder=desc",
         R"([{"column":"total","direction":"desc"},{"column":"id","direction":"desc"}])"},
        {"sortBy=id&sortOrder=desc", R"([{"column":"id","direction":"desc"}])"},
    };
    for (const auto& [text, order] : cases) {
        CAPTURE(text);
        const query_string pairs = parse_query_string(text);
        const auto query = bind(sorted_params, pairs.pairs());
        REQUIRE(query);
        const std::string json = to_json(to_list_query(sorted_params, *query));
        CHECK(json.find(R"("order":)" + std::string(order)) != std::string::npos);
    }
}

TEST_CASE("what can't be read is refused, with its place") {
    struct row {
        std::string_view text, message;
        std::size_t offset, length;
    };
    const row table[] = {
        {"customer=0190c7a6-5e2b",
         "customer: not a value of this type (at byte 13), expected a "
         "UUID such as 0190c7a6-5e2b-7c61-9f0e-8d7b1a2c3d4e",
         13, 0},
        {"customer=0190c7a6x5e2b-7c61-9f0e-8d7b1a2c3d4e",
         "customer: not a value of this type (at byte 8), expected a UUID such as "
         "0190c7a6-5e2b-7c61-9f0e-8d7b1a2c3d4e",
         8, 28},
        {"customer=0190c7a6-5e2b-7c61-9f0e-8d7b1a2c3d4e0",
         "customer: not a value of this type (at byte 36), expected a UUID such as "
         "0190c7a6-5e2b-7c61-9f0e-8d7b1a2c3d4e",
         36, 1},
        {"total[gte]=ten", "total[gte]: not a number, expected a number such as 10.50", 0, 3},
        {"paid[lt]=soon",
         "paid[lt]: not a time, expected RFC 3339 (2026-08-21T02:30:15Z), YYYY-MM-DD, "
         "YYYY-MM-DDTHH:MM[:SS[.fff]], epoch seconds (10 digits) or milliseconds (13 digits), now, "
         "today, yesterday, tomorrow, 'N minutes ago' (or hours, days, weeks, months, years), "
         "'last "
         "week' or 'this week' (or month, quarter, year)",
         0, 4},
        {"sortBy=total,-total",
         "sortBy: a column named twice (at byte 6), expected created, "
         "total or id",
         6, 6},
        {"sortBy=-tota",
         "sortBy: not one of the accepted values (at byte 1, did you mean "
         "'total'?), expected created, total or id",
         1, 4},
        {"sortBy=", "sortBy: not one of the accepted values, expected created, total or id", 0, 0},
        {"start=tomorrow",
         "start: the window starts after it ends, expected a start that is not "
         "after the end",
         0, 8},
        {"cursor=AA&page=1", "cursor: not a cursor, take it from a Link header as it is", 0, 2},
    };
    for (const row& entry : table) {
        CAPTURE(entry.text);
        const auto query = bound(entry.text);
        REQUIRE(!query);
        CHECK(message(query.error()) == entry.message);
        CHECK(query.error().offset == entry.offset);
        CHECK(query.error().length == entry.length);
    }
    const query_string none = parse_query_string("");
    CHECK(bind(params, none.pairs(), {.zones = nullptr, .now = std::nullopt}).error().broken ==
          rule::clock_missing);
}

TEST_CASE("a cursor is one of its own list, and stands without a page's number") {
    const auto cursor_text = [](std::string_view list,
                                std::vector<std::optional<std::string>> keys) {
        const cursor place{.query_mark = query_mark(to_list_query(params, *bound(list))),
                           .keys = std::move(keys)};
        return *to_string(place);
    };
    const std::vector<std::optional<std::string>> keys{"2.50", "o1"};
    const std::string whole = cursor_text("open=true&sortBy=total", keys);
    const std::string list = "open=true&sortBy=total&cursor=";
    CHECK(to_list_query(params, *bound(list + whole)).from->keys == keys);
    struct row {
        std::string text;
        rule broken;
    };
    const row table[] = {
        {list + whole + "&page=1", rule::cursor_with_page},
        {"sortBy=total&cursor=" + whole, rule::cursor_mismatch},
        {"open=true&sortBy=-total&cursor=" + whole, rule::cursor_mismatch},
        {list + cursor_text("open=true&sortBy=total", {"ten", "o1"}), rule::cursor_malformed},
        {list + cursor_text("open=true&sortBy=total", {"2.50"}), rule::cursor_malformed},
    };
    for (const row& wrong : table) {
        CAPTURE(wrong.text);
        const auto query = bound(wrong.text);
        REQUIRE(!query);
        CHECK(query.error().broken == wrong.broken);
        CHECK(query.error().param == "cursor");
        CHECK(query.error().offset == 0);
    }
}

namespace {

struct searching {
    std::optional<std::string> text, words;
    std::optional<cursor> from;
};
constexpr std::array<std::string_view, 2> searched_columns{"id", "customer"};
constexpr param_table searching_params{
    columns, search_param<&searching::text>({.name = "text"}),
    search_param<&searching::words, searched_columns>({.name = "words"}),
    cursor_param<&searching::from>({.name = "cursor"})};

result<list_query> searched(std::string_view text) {
    const query_string pairs = parse_query_string(text);
    return bind(searching_params, pairs.pairs(), {}).map([](const searching& query) {
        return to_list_query(searching_params, query);
    });
}

}  // namespace

TEST_CASE("a cursor is one of its search") {
    for (const std::string_view list : {"text=a+b", "words=a+b"}) {
        const std::uint32_t mark = query_mark(*searched(list));
        const std::string place = *to_string(cursor{.query_mark = mark, .keys = {"o1"}});
        CHECK(searched(std::string(list) + "&cursor=" + place).has_value());
        for (const std::string_view other : {"", "text=a&", "words=a&", "text=a+b+c&",
                                             "words=a+b+c&", "text=a+B&", "words=A+b&"}) {
            CAPTURE(other);
            const auto refused = searched(std::string(other) + "cursor=" + place);
            REQUIRE(!refused);
            CHECK(refused.error().broken == rule::cursor_mismatch);
            CHECK(refused.error().param == "cursor");
        }
    }
}

TEST_CASE("a window of which a part was refused is not resolved") {
    const query_string pairs =
        parse_query_string("start=2026-01-02&end=2026-01-01&timezone=Europe/Paris");
    const auto query = bind_all(params, pairs.pairs(), {.zones = nullptr, .now = now});
    REQUIRE(!query);
    REQUIRE(query.error().size() == 1);
    CHECK(query.error()[0].broken == rule::time_zone_data);
    CHECK(query.error()[0].param == "timezone");
}

TEST_CASE("a query is written again as it was bound") {
    for (const std::string_view text :
         {"", "customer=0190c7a6-5e2b-7c61-9f0e-8d7b1a2c3d4e", "total%5Bgte%5D=1.50",
          "minItems=3&open=false&vip=true", "interval=7d&sortBy=-total%2Ccreated&page=2&limit=5",
          "interval=90min", "sortBy=created&count=true",
          "paid%5Bgte%5D=2026-01-31T00%3A00%3A00.000Z"}) {
        CAPTURE(text);
        CHECK(to_query_string(params, *bound(text)) == text);
    }
    CHECK(to_query_string(params, *bound("sortBy=-created&page=1&interval=24h&minItems=0")) == "");
}

TEST_CASE(
    "a table of one's own types describes itself to OpenAPI, its members' defaults included") {
    const std::string text = openapi_parameters(params);
    for (const std::string_view part :
         {R"("name":"customer","in":"query")", R"("format":"uuid")", R"("format":"decimal")",
          R"("default":"-created")", R"("default":100)", R"("default":"24h")",
          R"("pattern":"^(?:[1-9][0-9]{0,8}(?:min|h|d|w|mo|y)|mtd|qtd|ytd|all)$")",
          R"(with interval=all none)"}) {
        CAPTURE(part);
        CHECK(text.find(part) != std::string::npos);
    }
}
