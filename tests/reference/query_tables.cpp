// SPDX-License-Identifier: MIT
#include <fstream>
#include <string>

#include <doctest/doctest.h>
#include <simdjson.h>

#include <sluice/errors/rules.hpp>
#include <sluice/reference/events/events_query.hpp>
#include <sluice/reference/tags/tags_query.hpp>
#include <sluice/time/system_zones.hpp>

using namespace sluice;

// The tables in tests/data are read by pytest too. A line is a query string and what becomes of it:
// {"query": …, "tail"?: {"text", "times"}, "error"?: {status, param, rule, offset, length},
//  "page"?, "limit"?, "pageSize"?: the bound number}

namespace {

const time_zone_database& zones() {
    static const auto database = load_time_zones();
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

void check_error(const error& actual, const simdjson::dom::element& expected) {
    CHECK(http_status(actual.code) == expected["status"].get_int64().value());
    CHECK(actual.param == expected["param"].get_string().value());
    CHECK(to_string(actual.broken) == expected["rule"].get_string().value());
    CHECK(actual.offset == expected["offset"].get_uint64().value());
    CHECK(actual.length == expected["length"].get_uint64().value());
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
        [](auto pairs) { return reference::parse_events_query(pairs, {.zones = &zones()}, now); },
        [](const reference::events_query& q, std::string_view name) {
            return name == "page" ? q.page : q.limit;
        });
}

TEST_CASE("every row of the table of /tags parameters holds") {
    check_table(
        "tags_query.ndjson", [](auto pairs) { return reference::parse_tags_query(pairs); },
        [](const reference::tags_query& q, std::string_view name) {
            return name == "page" ? q.page : q.page_size;
        });
}

TEST_CASE("the table of /events has every parameter of the interface, in its order") {
    const std::string order =
        "event domain key linkId externalId tenantId tagId folderId partnerTagId groupId partnerId "
        "customerId interval start end timezone country city region continent device browser os "
        "trigger referer refererUrl url utm_source utm_medium utm_campaign utm_term utm_content "
        "root saleType query page limit sortOrder sortBy programId tagIds qr order cursor count ";
    std::string names;
    for (const auto& row : reference::events_params) names.append(row.info.name).append(" ");
    CHECK(names == order);
    names.clear();
    for (const auto& row : reference::tags_params) names.append(row.info.name).append(" ");
    CHECK(names == "sortBy sortOrder search ids page pageSize cursor count ");
}
