// SPDX-License-Identifier: MIT
#include <algorithm>
#include <atomic>
#include <map>
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include "../make_service.hpp"

using namespace sluice_tests;
using std::chrono::milliseconds;
using links = std::map<std::string, std::string>;

TEST_CASE("a list of events links to its other pages, its window as instants") {
    handler_options options = make_options();
    options.base_url = "https://api.example/v";
    service api(options, 5);
    const std::string base = "https://api.example/v/events?limit=2&country=US%2CFR&";
    const auto window = [&](std::string_view start, std::string_view end) {
        return base + std::string(start) + "&end=" + std::string(end) + "&page=";
    };
    const std::string day =
        window("start=2026-08-20T12%3A00%3A00.000Z", "2026-08-21T12%3A00%3A00.000Z");
    const std::string asked = "/events?limit=2&country=US,FR&end=2026-08-21T12:00:00Z";
    CHECK(links_of(api.get(asked)) == links{{"first", day + "1"}, {"next", day + "2"}});
    CHECK(links_of(api.get(asked + "&page=2")) ==
          links{{"first", day + "1"}, {"prev", day + "1"}, {"next", day + "3"}});
    CHECK(links_of(api.get(asked + "&page=3")) == links{{"first", day + "1"}, {"prev", day + "2"}});
    CHECK(links_of(api.get(asked + "&page=9")) == links{{"first", day + "1"}, {"prev", day + "8"}});
    struct row {
        std::string_view asked;
        std::string start, end;
    };
    const std::string midnight = "2026-08-21T00%3A00%3A00.000Z";
    const std::vector<row> table{
        {"", "start=2026-08-20T00%3A00%3A00.000Z", midnight},
        {"&interval=7d", "start=2026-08-14T00%3A00%3A00.000Z", midnight},
        {"&interval=all", "interval=all", midnight},
        {"&start=1 hour ago", "start=2026-08-20T23%3A00%3A00.000Z", midnight},
        {"&interval=7d&start=yesterday&end=now", "start=2026-08-20T00%3A00%3A00.000Z", midnight},
        {"&end=2026-08-21&interval=all&page=1", "interval=all", "2026-08-21T23%3A59%3A59.999Z"},
    };
    for (const row& each : table) {
        CAPTURE(each.asked);
        const std::string pages = window(each.start, each.end);
        CHECK(links_of(api.get("/events?limit=2&country=US,FR" + std::string(each.asked))) ==
              links{{"first", pages + "1"}, {"next", pages + "2"}});
    }
    CHECK(api.get("/events?limit=0").header_value("link").empty());
}

TEST_CASE("a window that the clocks skipped has an empty page, and links to itself") {
    service api(make_options(), 5);
    for (const std::string_view days :
         {"start=2011-12-30&end=2011-12-30", "start=2011-12-30T08:00&end=2011-12-30T09:00"}) {
        const response page = api.get("/events?timezone=Pacific/Apia&" + std::string(days));
        CHECK(page.status == 200);
        CHECK(page.body == "[]");
        const links found = links_of(page);
        REQUIRE(found.size() == 1);
        const response again = api.get(found.at("first"));
        CHECK(again.status == 200);
        CHECK(again.body == "[]");
    }
}

TEST_CASE("a list of tags links to its other pages") {
    service api;
    REQUIRE(api.store.add(make_tag("tag_2", "two")));
    REQUIRE(api.store.add(make_tag("tag_3", "three")));
    api.store.publish();
    const std::string base = "/tags?pageSize=1&search=T&page=";
    CHECK(links_of(api.get("/tags?pageSize=1&search=T")) ==
          links{{"first", base + "1"}, {"next", base + "2"}});
    CHECK(links_of(api.get(base + "2")) == links{{"first", base + "1"}, {"prev", base + "1"}});
    CHECK(links_of(api.get("/tags")) == links{{"first", "/tags?page=1"}});
}

TEST_CASE("a list whose links are too long keeps the one that leads on, or none; never its page") {
    service api(make_options(), 5);
    const auto relations = [&](std::size_t city) {
        const response page = api.get("/events?limit=2&page=2&city=-" + std::string(city, 'x'));
        CHECK(ids_in(page.body).size() == 2);
        CHECK(page.header_value("link").size() <= max_link_header);
        std::string names;
        for (const auto& [relation, target] : links_of(page)) names += relation + ' ';
        return names;
    };
    CHECK(relations(100) == "first next prev ");
    CHECK(relations(700) == "next prev ");
    CHECK(relations(1'500) == "next ");
    CHECK(relations(2'000) == "");
}

TEST_CASE("following the links visits every event once while others arrive") {
    for (const std::string order : {"asc", "desc"}) {
        for (const std::string limit : {"1", "7", "57", "1000"}) {
            CAPTURE(order);
            CAPTURE(limit);
            service api(make_options(), 57);
            const std::string order_query = "&sortOrder=" + order;
            const id_list all = ids_in(api.get("/events?limit=1000" + order_query).body);
            REQUIRE(all.size() == 57);
            int arrived = 0;
            const auto more = [&] {
                api.add_click(now + milliseconds{1 + arrived++ % 3});
                api.store.publish();
            };
            for (const char* window : {"", "&interval=7d", "&start=2026-08-20", "&end=now",
                                       "&end=2026-08-20T23:59:59.999Z&interval=all"}) {
                CAPTURE(window);
                const std::string first = "/events?limit=" + limit + order_query + window;
                CHECK(walk(api, first, "next", more) == all);
            }
            const std::string last = "/events?limit=1&page=57" + order_query;
            id_list backwards = walk(api, last, "prev", more);
            std::ranges::reverse(backwards);
            CHECK(backwards == all);
        }
    }
}

TEST_CASE("following the links is stable while another thread appends") {
    service api(make_options(), 300);
    const id_list all = ids_in(api.get("/events?limit=1000").body);
    std::atomic<bool> done = false;
    std::thread writer([&] {
        std::int64_t time = now.time_since_epoch().count();
        for (int i = 0; !done; ++i) {
            const std::string id = "later_" + std::to_string(i);
            static_cast<void>(api.store.add(make_click(id, "link_1", ++time)));
            if (i % 16 == 0) api.store.publish();
        }
    });
    for (int i = 0; i < 5; ++i) CHECK(walk(api, "/events?limit=10&end=now", "next") == all);
    done = true;
    writer.join();
}
