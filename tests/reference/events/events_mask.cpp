// SPDX-License-Identifier: MIT
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/reference/events/events_mask.hpp>

#include "../../arrow/make_array.hpp"

using namespace sluice;
using namespace arrow_test;

namespace {

const instant now = *parse_timestamp("2026-08-21T02:30:15.123Z");

reference::events_query parse(const std::string& text) {
    const query_string pairs = parse_query_string(text);
    const auto query = reference::parse_events_query(pairs.pairs(), {}, now);
    REQUIRE(query);
    return *query;
}

using names = std::vector<std::pair<std::string, std::string>>;

/// The parameters of a query's conditions, each with its column.
names masked_names(const std::string& text, const reference::mask_columns& columns = {}) {
    const auto conditions = reference::mask_conditions(parse(text), columns);
    REQUIRE(conditions);
    names all;
    for (const auto& condition : conditions->conditions)
        all.emplace_back(condition.parameter, condition.column);
    return all;
}

column_ptr make_clicks() {
    const std::int64_t last = now.time_since_epoch().count();
    std::vector<std::pair<std::string, column_ptr>> columns;
    columns.emplace_back("timestamp",
                         make_integers("tsm:UTC", {last, last, last, last, last - 86'400'001}));
    columns.emplace_back("country", make_text("u", {"US", "us", "DE", {}, "US"}));
    columns.emplace_back("region", make_coded("C", {0, 1, 2, std::nullopt, 0},
                                              make_text("u", {"US-CA", "US-NY", "DE-BE"})));
    columns.emplace_back("key", make_text("u", {"_root", "a", "_root", {}, "_root"}));
    columns.emplace_back(
        "metadata",
        make_text("vu",
                  {R"({"plan":"pro"})", R"({"plan":"free"})", "{}", {}, R"({"plan":"pro"})"}));
    return make_table(std::move(columns), 5);
}

void check_mask(const std::string& text, const std::vector<bool>& expected) {
    CAPTURE(text);
    auto conditions = reference::mask_conditions(parse(text), {});
    REQUIRE(conditions);
    const auto table = make_clicks();
    const auto filter = arrow::table_filter::make(table->type(), std::move(*conditions));
    REQUIRE(filter);
    at_every_level([&] {
        const auto mask = filter->mask(table->array);
        REQUIRE_MESSAGE(mask, mask.error().what);
        CHECK(to_bools(*mask) == expected);
    });
}

}  // namespace

TEST_CASE("a query asks about its window and about what it filters") {
    CHECK(masked_names("") == names{{"timestamp", "timestamp"}});
    CHECK(masked_names("page=2&limit=5&order=asc") == names{{"timestamp", "timestamp"}});
    CHECK(masked_names("event=leads&query=metadata['plan']:'pro'&root=true&country=US") ==
          names{{"timestamp", "timestamp"},
                {"country", "country"},
                {"root", "key"},
                {"query", "metadata"}});
    CHECK(masked_names("event=sales&saleType=new") ==
          names{{"timestamp", "timestamp"}, {"saleType", "saleType"}});
}

TEST_CASE("columns have other names, or none where a condition is known to hold") {
    const reference::mask_columns columns{{"timestamp", std::nullopt}, {"country", "land"}};
    CHECK(masked_names("country=US&city=Rome", columns) ==
          names{{"country", "land"}, {"city", "city"}});
    const auto refused = reference::mask_conditions(parse(""), {{"land", "country"}});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == arrow::fault::missing);
    CHECK(refused.error().what == "columns: no parameter 'land'");
}

TEST_CASE("a table's mask has the rows that meet all of a query") {
    check_mask("", {true, true, true, true, false});
    check_mask("interval=7d", {true, true, true, true, true});
    check_mask("country=US", {true, true, false, false, false});
    check_mask("country=-US", {false, false, true, true, false});
    check_mask("region=CA", {true, false, false, false, false});
    check_mask("region=-US-NY", {true, false, true, true, false});
    check_mask("root=true", {true, false, true, false, false});
    check_mask("root=false", {false, true, false, true, false});
    check_mask("event=leads&query=metadata['plan']:'pro'", {true, false, false, false, false});
    check_mask("event=leads&query=metadata['plan']!='pro'", {false, true, true, true, false});
    check_mask("country=US&event=leads&query=metadata['plan']:'free'",
               {false, true, false, false, false});
}
