// SPDX-License-Identifier: MIT
#include <fstream>
#include <string>

#include <doctest/doctest.h>
#include <simdjson.h>

#include <sluice/api/events_query.hpp>
#include <sluice/api/tags_query.hpp>

using namespace sluice;

// The tables in tests/data are read by pytest too. A line is a query string and what becomes of it:
// {"query": …, "tail"?: {"text", "times"}, "error"?: {status, param, rule, offset, length},
//  "page"?, "limit"?, "pageSize"?: the bound number}

namespace {

const time_zone_database& zones() {
    static const auto database = time_zone_database::load();
    return *database;
}

const instant now = *parse_timestamp("2026-08-21T02:30:15.123Z");

std::string query_of(const simdjson::dom::element& row) {
    std::string query(row["query"].get_string().value());
    simdjson::dom::object tail;
    if (row["tail"].get(tail) != simdjson::SUCCESS) return query;
    const std::string_view text = tail["text"];
    for (std::int64_t times = tail["times"]; times > 0; --times) query.append(text);
    return query;
}

/// The name of a rule in the tables: that of its enumerator.
std::string_view name_of(rule broken) {
    switch (broken) {
        case rule::parameter_unknown: return "parameter_unknown";
        case rule::parameter_repeated: return "parameter_repeated";
        case rule::companion_missing: return "companion_missing";
        case rule::not_applicable: return "not_applicable";
        case rule::choice_unknown: return "choice_unknown";
        case rule::boolean_malformed: return "boolean_malformed";
        case rule::number_malformed: return "number_malformed";
        case rule::number_not_whole: return "number_not_whole";
        case rule::number_too_small: return "number_too_small";
        case rule::number_too_large: return "number_too_large";
        case rule::prefix_missing: return "prefix_missing";
        case rule::list_too_long: return "list_too_long";
        case rule::filter_dash: return "filter_dash";
        case rule::filter_escape: return "filter_escape";
        case rule::filter_exclusion: return "filter_exclusion";
        case rule::filter_value: return "filter_value";
        case rule::filter_too_many: return "filter_too_many";
        case rule::filter_too_long: return "filter_too_long";
        case rule::query_condition: return "query_condition";
        case rule::query_key: return "query_key";
        case rule::query_bracket: return "query_bracket";
        case rule::query_operator: return "query_operator";
        case rule::query_value: return "query_value";
        case rule::query_quote: return "query_quote";
        case rule::query_escape: return "query_escape";
        case rule::query_parenthesis: return "query_parenthesis";
        case rule::query_end: return "query_end";
        case rule::query_number: return "query_number";
        case rule::query_too_long: return "query_too_long";
        case rule::query_too_deep: return "query_too_deep";
        case rule::query_too_many: return "query_too_many";
        case rule::time_malformed: return "time_malformed";
        case rule::time_zone_unknown: return "time_zone_unknown";
        case rule::window_reversed: return "window_reversed";
        default: return "another";
    }
}

void check_error(const error& found, const simdjson::dom::element& expected) {
    CHECK(http_status(found.code) == expected["status"].get_int64().value());
    CHECK(found.param == expected["param"].get_string().value());
    CHECK(name_of(found.broken) == expected["rule"].get_string().value());
    CHECK(found.offset == expected["offset"].get_uint64().value());
    CHECK(found.length == expected["length"].get_uint64().value());
    CHECK(!found.accepts.empty() + !what_is_accepted(found.broken).empty() > 0);
}

/// Checks each line of a table with `parse`, and the numbers that `number` finds by name.
template <class Parse, class Number>
void check_table(const std::string& file, Parse parse, Number number) {
    std::ifstream lines(std::string(SLUICE_TEST_DATA) + "/" + file);
    REQUIRE(lines.is_open());
    simdjson::dom::parser parser;
    for (std::string line; std::getline(lines, line);) {
        CAPTURE(line);
        const simdjson::dom::element row = parser.parse(line);
        const std::string text = query_of(row);
        const query_string pairs = parse_query_string(text);
        const auto parsed = parse(pairs.pairs());
        simdjson::dom::element expected;
        const bool is_bad = row["error"].get(expected) == simdjson::SUCCESS;
        REQUIRE(parsed.has_value() != is_bad);
        if (is_bad) {
            check_error(parsed.error(), expected);
            continue;
        }
        for (const std::string_view name : {"page", "limit", "pageSize"}) {
            std::int64_t value = 0;
            if (row[name].get(value) == simdjson::SUCCESS) CHECK(number(*parsed, name) == value);
        }
    }
}

}  // namespace

TEST_CASE("every row of the table of /events parameters holds") {
    check_table(
        "events_query.ndjson",
        [](auto pairs) { return api::parse_events_query(pairs, {.zones = &zones()}, now); },
        [](const api::events_query& q, std::string_view name) {
            return name == "page" ? q.page : q.limit;
        });
}

TEST_CASE("every row of the table of /tags parameters holds") {
    check_table(
        "tags_query.ndjson", [](auto pairs) { return api::parse_tags_query(pairs); },
        [](const api::tags_query& q, std::string_view name) {
            return name == "page" ? q.page : q.page_size;
        });
}

TEST_CASE("the table of /events has every parameter of the interface, in its order") {
    const std::string order =
        "event domain key linkId externalId tenantId tagId folderId partnerTagId groupId partnerId "
        "customerId interval start end timezone country city region continent device browser os "
        "trigger referer refererUrl url utm_source utm_medium utm_campaign utm_term utm_content "
        "root saleType query page limit sortOrder sortBy programId tagIds qr order ";
    std::string names;
    for (const auto& row : api::events_params) names.append(row.info.name).append(" ");
    CHECK(names == order);
    names.clear();
    for (const auto& row : api::tags_params) names.append(row.info.name).append(" ");
    CHECK(names == "sortBy sortOrder search ids page pageSize ");
}
