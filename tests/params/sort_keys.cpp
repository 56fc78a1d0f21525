// SPDX-License-Identifier: MIT
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/errors/message.hpp>
#include <sluice/params/bind.hpp>
#include <sluice/params/openapi.hpp>
#include <sluice/params/runtime/table.hpp>
#include <sluice/params/sort_keys.hpp>

using namespace sluice;

// Orders in the forms of a caller.
namespace {

namespace sorted_forms {

constexpr std::array<std::string_view, 3> columns{"total", "created", "a.b"};

/// The keys of a text as `column` or `-column`, or the rule that it breaks and its bytes.
std::string keys_of(std::string_view text, sort_form form) {
    const auto keys = parse_sort(text, columns, form);
    if (!keys) {
        const error& why = keys.error();
        return std::string(to_string(why.broken)) + " " + std::to_string(why.offset) + "+" +
               std::to_string(why.length);
    }
    std::string all;
    for (const sort_choice& key : *keys) {
        all.append(all.empty() ? "" : ",");
        all.append(key.direction == sort_order::descending ? "-" : "").append(columns[key.column]);
    }
    return all;
}

}  // namespace sorted_forms

}  // namespace

TEST_CASE("sort keys have their direction in any form") {
    using namespace sorted_forms;
    using enum sort_form;
    struct row {
        sort_form form;
        std::string_view text, keys;
    };
    const row table[] = {
        {dash, "-total,created", "-total,created"},
        {dash, "total desc", "sort_descending 0+10"},
        {space, "total desc,created", "-total,created"},
        {space, "total DESC , created asc", "-total,created"},
        {space, "  total   desc", "-total"},
        {space, "-total", "choice_unknown 0+6"},
        {space, "created, totl desc", "choice_unknown 9+4"},
        {space, "total desc,total", "sort_repeated 11+5"},
        {space, "", "choice_unknown 0+0"},
        {space, " ", "choice_unknown 1+0"},
        {space, "total descending", "choice_unknown 0+16"},
        {colon, "total:desc,created:ASC", "-total,created"},
        {colon, "total", "total"},
        {colon, "total desc", "choice_unknown 0+10"},
        {colon, "total:down", "choice_unknown 0+10"},
        {colon, "total:", "choice_unknown 0+6"},
        {dot, "a.b.desc,total.asc", "-a.b,total"},
        {dot, "a.b", "a.b"},
        {bare, "created,total", "created,total"},
        {bare, "-total", "choice_unknown 0+6"},
        {bare, "total desc", "choice_unknown 0+10"},
        {bare, "total,total", "sort_repeated 6+5"},
    };
    for (const auto& [form, text, keys] : table) {
        CAPTURE(text);
        CHECK(keys_of(text, form) == keys);
    }
}

TEST_CASE("an order is written in the form that reads it") {
    using namespace sorted_forms;
    constexpr column schema_columns[] = {{.name = "id"}, {.name = "total"}, {.name = "a.b"}};
    const std::pair<sort_form, std::string_view> table[] = {
        {sort_form::dash, "by=-total%2Ca.b"},
        {sort_form::space, "by=total+desc%2Ca.b"},
        {sort_form::colon, "by=total%3Adesc%2Ca.b"},
        {sort_form::dot, "by=total.desc%2Ca.b"},
    };
    for (const auto& [form, text] : table) {
        CAPTURE(text);
        const auto created = declared_table::make({{.kind = declared_kind::sort,
                                                    .name = "by",
                                                    .sorts = form,
                                                    .choices = {"total", "a.b"}}},
                                                  schema_columns);
        REQUIRE(created);
        const query_string request = parse_query_string(text);
        const auto query = bind(*created, request.pairs(), {});
        REQUIRE(query);
        CHECK(to_query_string(*created, *query) == text);
        const list_query list = to_list_query(*created, *query);
        REQUIRE(list.order.size() == 3);
        CHECK(list.order[0].direction == sort_order::descending);
        CHECK(list.order[1].direction == sort_order::ascending);
    }
}

TEST_CASE("a direction of its own is that of every key") {
    using enum declared_kind;
    constexpr column schema_columns[] = {{.name = "id"}, {.name = "total"}};
    const auto created =
        declared_table::make({{.kind = sort, .name = "by", .absent = "total", .choices = {"total"}},
                              {.kind = direction, .name = "order", .choices = {"up", "down"}}},
                             schema_columns);
    REQUIRE(created);
    const std::pair<std::string_view, sort_order> table[] = {
        {"", sort_order::ascending},
        {"order=down", sort_order::descending},
        {"by=total&order=up", sort_order::ascending},
        {"by=-total", sort_order::descending},
        {"by=-total&order=up", sort_order::ascending},
    };
    for (const auto& [text, order] : table) {
        CAPTURE(text);
        const query_string request = parse_query_string(text);
        const auto query = bind(*created, request.pairs(), {});
        REQUIRE(query);
        for (const sort_key& key : to_list_query(*created, *query).order) {
            CHECK(key.direction == order);
        }
    }
    const query_string request = parse_query_string("order=sideways");
    const auto query = bind(*created, request.pairs(), {});
    REQUIRE(!query);
    CHECK(message(query.error()).starts_with("order: not one of the accepted values"));
}
