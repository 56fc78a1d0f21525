// SPDX-License-Identifier: MIT
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/errors/message.hpp>
#include <sluice/params/table_tests.hpp>
#include <sluice/query/test_set.hpp>
#include <sluice/reference/events/events_query.hpp>
#include <sluice/time/system_zones.hpp>

using namespace sluice;

// The lists of events answer these tests alone (see event_search): no parameter has another.
static_assert(find_unanswered(reference::events_params, common_tests) ==
              reference::events_params.size());

namespace {

const instant now = *parse_timestamp("2026-08-21T02:30:15.123Z");

auto parsed_all(std::string_view text, bool strict = false) {
    static const auto zones = load_time_zones();
    const query_string pairs = parse_query_string(text);
    return reference::parse_events_query_all(pairs.pairs(), {.zones = &*zones, .strict = strict},
                                             now);
}

reference::events_query parsed(std::string_view text) {
    auto query = parsed_all(text);
    REQUIRE(query);
    return *std::move(query);
}

}  // namespace

TEST_CASE("a query without parameters has the documented defaults") {
    const reference::events_query q = parsed("");
    CHECK(q.event == reference::event_kind::clicks);
    CHECK(q.page == 1);
    CHECK(q.limit == 100);
    CHECK(q.sort_order == sort_order::descending);
    CHECK(q.interval == interval());
    CHECK(q.timezone == time_zone::utc());
    CHECK(q.window.start == now - std::chrono::hours(24));
    CHECK(q.window.end == now);
    CHECK(q.query.empty());
    const list_query list = to_list_query(reference::events_params, q);
    CHECK(list.resource == "clicks");
    REQUIRE(list.rows.leaves().size() == 1);
    CHECK(list.rows.leaves()[0].subject.name == "timestamp");
    CHECK(list.wanted == page{1, 100});
    REQUIRE(list.order.size() == 2);
    CHECK(list.order[0].by.name == "timestamp");
    CHECK(list.order[0].direction == sort_order::descending);
    CHECK(list.order[1].by.name == "id");
    CHECK(list.order[1].direction == sort_order::descending);
    CHECK_FALSE(list.from);
    CHECK_FALSE(list.wants_total);
}

TEST_CASE("a twin gives way to the parameter that replaces it") {
    struct row {
        const char* text;
        const char* tag_id;
        const char* trigger;
        sort_order order;
    };
    const auto desc = sort_order::descending;
    const auto asc = sort_order::ascending;
    const std::vector<row> table{
        {"tagIds=a,b", "a,b", "", desc},
        {"tagIds=a&tagId=c", "c", "", desc},
        {"tagIds=a&tagId=", "a", "", desc},
        {"tagIds=-a", "-a", "", desc},
        {"qr=true", "", "qr", desc},
        {"qr=false", "", "link", desc},
        {"qr=true&trigger=pageview", "", "pageview", desc},
        {"qr=true&trigger=-link", "", "-link", desc},
        {"qr=true&trigger=", "", "qr", desc},
        {"order=asc", "", "", asc},
        {"sortOrder=asc", "", "", asc},
        {"order=asc&sortOrder=desc", "", "", asc},
        {"order=desc&sortOrder=asc", "", "", asc},
        {"order=desc&sortOrder=desc", "", "", desc},
    };
    for (const row& entry : table) {
        CAPTURE(entry.text);
        const reference::events_query q = parsed(entry.text);
        CHECK(to_string(q.tag_id) == entry.tag_id);
        CHECK(to_string(q.trigger) == entry.trigger);
        CHECK(q.sort_order == entry.order);
    }
}

TEST_CASE("queries that ask for the same by a twin or by what replaces it are equal") {
    const std::pair<const char*, const char*> table[] = {
        {"qr=true", "trigger=qr"},
        {"qr=false", "trigger=link"},
        {"qr=TRUE&trigger=", "trigger=qr"},
        {"qr=true&trigger=pageview", "trigger=pageview"},
        {"qr=false&trigger=-qr", "trigger=-qr"},
        {"order=asc", "sortOrder=asc"},
        {"order=asc&sortOrder=desc", "sortOrder=asc"},
        {"order=desc", ""},
        {"tagIds=a,b", "tagId=a,b"},
        {"tagIds=a&tagId=c", "tagId=c"},
        {"tagIds=-a&qr=true&order=asc", "trigger=qr&tagId=-a&sortOrder=asc"},
    };
    for (const auto& [twin, replacement] : table) {
        CAPTURE(twin);
        const reference::events_query by_twin = parsed(twin);
        const reference::events_query by_replacement = parsed(replacement);
        CHECK(by_twin == by_replacement);
        const std::string text = to_query_string(reference::events_params, by_twin);
        CHECK(text == to_query_string(reference::events_params, by_replacement));
        CHECK(parsed(text) == by_twin);
        for (const char* name : {"qr=", "order=", "tagIds="}) {
            CHECK(("&" + text).find(std::string("&") + name) == std::string::npos);
        }
    }
    CHECK(parsed("qr=true") != parsed("qr=false"));
    CHECK(parsed("qr=true") != parsed(""));
    CHECK(parsed("trigger=-qr") != parsed("qr=true"));
    CHECK(parsed("trigger=qr,link") != parsed("qr=true"));
    CHECK(parsed("order=asc") != parsed(""));
    CHECK(parsed("trigger=qr").qr == true);
    CHECK(parsed("trigger=qr,link").qr == std::nullopt);
}

TEST_CASE("leaves name the column, the values and how they are compared") {
    const reference::events_query q = parsed(
        "country=-us,CA&region=CA&key=k&domain=D.io&externalId=ext_7&url=http://"
        "a&tagIds=t&root=false");
    const list_query list = to_list_query(reference::events_params, q);
    std::string shown;
    for (const leaf& leaf_ : list.rows.leaves()) {
        const auto* const texts = std::get_if<text_test>(&leaf_.test);
        shown.append(leaf_.param).append(">").append(leaf_.subject.name);
        shown.append(texts == nullptr ? "" : texts->wanted.excludes() ? "-" : "=");
        if (texts != nullptr) {
            for (const std::string_view value : texts->wanted.values()) shown.append(value) += ',';
            shown.append(std::to_string(static_cast<int>(leaf_.subject.how)));
        }
        shown.append(" ");
    }
    CHECK(shown ==
          "domain>link.domain=D.io,1 key>link.key=k,0 externalId>link.externalId=7,0 "
          "tagId>link.tagIds=t,0 interval>timestamp country>click.country-us,CA,1 "
          "region>click.region=CA,2 url>click.url=http://a,3 root>link.key-_root,0 ");
}

TEST_CASE("an external ID that is its prefix alone is one that no link has") {
    const auto takes_all = [](std::string_view text) {
        const list_query list = to_list_query(reference::events_params, parsed(text));
        return list.rows.matches(
            [](const column& of) { return of.name == "timestamp" ? cell(now) : cell(); });
    };
    CHECK(takes_all("interval=all&externalId="));
    CHECK_FALSE(takes_all("interval=all&externalId=ext_"));
}

TEST_CASE("all errors come in table order, one a parameter") {
    const auto query = parsed_all("order=x&country=USA,-CA&key=k&limit=0&saleType=new&zzz=1", true);
    REQUIRE(!query);
    std::string params;
    for (const error& e : query.error()) params.append(e.param).append(" ");
    CHECK(params == "key country saleType limit order  ");
    CHECK(query.error().back().broken == rule::parameter_unknown);
}

TEST_CASE("messages say what is wrong, where, and what is accepted") {
    const std::vector<std::pair<const char*, const char*>> table{
        {"country=US,USA",
         "country: not an accepted value (at byte 3), expected a 2-letter country code or "
         "Unknown"},
        {"limit=1001", "limit: too large, expected a whole number from 1 to 1000"},
        {"page=0", "page: too small, expected a whole number of at least 1"},
        {"event=x", "event: not one of the accepted values, expected clicks, leads or sales"},
        {"trigger=x", "trigger: not an accepted value, expected qr, link or pageview"},
        {"externalId=1", "externalId: missing its prefix, it must start with ext_"},
        {"key=k", "key: given without the parameter it refines, give domain too"},
        {"saleType=new", "saleType: has no meaning in this request, give it with event=sales"},
        {"city=a,-b",
         "city: '-' before a single item (at byte 2), exclude the whole list with one leading '-', "
         "or escape it as '\\-'"},
        {"event=leads&event=leads", "event: given more than once, give it once"},
        {"timezone=x", "timezone: unknown time zone, expected an IANA name such as Europe/Paris"},
    };
    for (const auto& [text, expected] : table) {
        const auto query = parsed_all(text);
        REQUIRE(!query);
        CHECK(message(query.error().front()) == expected);
    }
}
