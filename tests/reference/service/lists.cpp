// SPDX-License-Identifier: MIT
#include <algorithm>
#include <atomic>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "../make_service.hpp"

using namespace sluice_tests;
using std::chrono::milliseconds;
using std::chrono::seconds;
using links = std::map<std::string, std::string>;

namespace {

/// The links of an answer, their cursors cut off.
links pages_beside(const response& answer) {
    links links_ = links_of(answer);
    for (auto& [relation, target] : links_) {
        const std::size_t at = target.find("&cursor=");
        if (at != std::string::npos) target.erase(at + 8);
    }
    return links_;
}

/// The rule that a request breaks, by its message.
std::string refusal_of(const response& answer) {
    const std::string& body = answer.body;
    const std::size_t begin = body.find("\"message\":\"") + 11;
    return body.substr(begin, body.find('"', begin) - begin);
}

}  // namespace

TEST_CASE("a list of events links to its other pages, its window as instants") {
    handler_options options = make_options();
    options.base_url = "https://api.example/v";
    service api(options, 5);
    const std::string base = "https://api.example/v/events?limit=2&country=US%2CFR&";
    const auto window = [&](std::string_view start, std::string_view end) {
        return base + std::string(start) + "&end=" + std::string(end) + "&";
    };
    const std::string day =
        window("start=2026-08-20T12%3A00%3A00.000Z", "2026-08-21T12%3A00%3A00.000Z");
    const std::string target = "/events?limit=2&country=US,FR&end=2026-08-21T12:00:00Z";
    const std::string first = day + "page=1", there = day + "cursor=";
    CHECK(pages_beside(api.get(target)) == links{{"first", first}, {"next", there}});
    CHECK(pages_beside(api.get(target + "&page=2")) ==
          links{{"first", first}, {"prev", there}, {"next", there}});
    CHECK(pages_beside(api.get(target + "&page=3")) == links{{"first", first}, {"prev", there}});
    CHECK(pages_beside(api.get(target + "&page=9")) ==
          links{{"first", first}, {"prev", day + "page=8"}});
    struct row {
        std::string_view conditions;
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
    for (const row& entry : table) {
        CAPTURE(entry.conditions);
        const std::string pages = window(entry.start, entry.end);
        CHECK(pages_beside(
                  api.get("/events?limit=2&country=US,FR" + std::string(entry.conditions))) ==
              links{{"first", pages + "page=1"}, {"next", pages + "cursor="}});
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
        const links links_ = links_of(page);
        REQUIRE(links_.size() == 1);
        const response again = api.get(links_.at("first"));
        CHECK(again.status == 200);
        CHECK(again.body == "[]");
    }
}

TEST_CASE("a list of tags links to its other pages") {
    service api;
    REQUIRE(api.store.add(make_tag("tag_2", "two")));
    REQUIRE(api.store.add(make_tag("tag_3", "three")));
    api.store.publish();
    const std::string base = "/tags?pageSize=1&search=T&";
    CHECK(pages_beside(api.get("/tags?pageSize=1&search=T")) ==
          links{{"first", base + "page=1"}, {"next", base + "cursor="}});
    CHECK(pages_beside(api.get(base + "page=2")) ==
          links{{"first", base + "page=1"}, {"prev", base + "cursor="}});
    CHECK(links_of(api.get("/tags")) == links{{"first", "/tags?page=1"}});
}

TEST_CASE("a page past the end is empty, up to the last number, and leads back") {
    service api(make_options(), 5);
    const std::string day = "start=2026-08-20T00%3A00%3A00.000Z&end=2026-08-21T00%3A00%3A00.000Z&";
    const struct {
        std::string list, fixed;
    } lists[] = {{"/events?limit=1000&", day}, {"/tags?pageSize=100&", ""}};
    const struct {
        std::string number, before;  // before: the number of the page before it
    } pages[] = {
        {"3", "2"},
        {"1e3", "999"},
        {"9223372036854776", "9223372036854775"},  // of events the last whose offset has 63 bits
        {"9223372036854777", "9223372036854776"},
        {"9223372036854775806", "9223372036854775805"},
        {"9223372036854775807", "9223372036854775806"},
        {"9223372036854775808",
         "9223372036854775806"},  // the largest number stands for larger ones
        {"1e400", "9223372036854775806"},
    };
    for (const auto& [list, fixed] : lists) {
        for (const auto& [number, before] : pages) {
            CAPTURE(list);
            CAPTURE(number);
            const response answer = api.get(list + "count=true&page=" + number);
            CHECK(answer.status == 200);
            CHECK(answer.body == "[]");
            CHECK(answer.header_value("x-total-count") == (fixed.empty() ? "1" : "5"));
            const std::string beside = list + "count=true&" + fixed + "page=";
            CHECK(links_of(answer) == links{{"first", beside + "1"}, {"prev", beside + before}});
        }
    }
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
    CHECK(relations(900) == "next prev ");
    CHECK(relations(2'000) == "next ");
    CHECK(relations(2'700) == "");
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

TEST_CASE("late events neither repeat nor hide the others, whichever way the links are followed") {
    for (const std::string order : {"asc", "desc"}) {
        CAPTURE(order);
        service api(make_options(), 57);
        const std::string target = "/events?limit=5&end=now&sortOrder=" + order;
        const id_list all = ids_in(api.get("/events?limit=1000&sortOrder=" + order).body);
        int arrived = 0;
        const auto late = [&] {  // between and beside those that are there, at the same times too
            for (int i = 0; i < 3; ++i) api.add_click(now - seconds{8 + arrived++ % 23});
            api.store.publish();
        };
        id_list seen = walk(api, target, "next", late);
        id_list once = seen;
        std::ranges::sort(once);
        CHECK(std::ranges::adjacent_find(once) == once.end());
        std::erase_if(seen,
                      [&](const auto& id) { return std::ranges::find(all, id) == all.end(); });
        CHECK(seen == all);
    }
}

TEST_CASE("a page and the one after it lead back to each other") {
    service api(make_options(), 23);
    for (const std::string list : {"/events?limit=4&sortOrder=asc", "/events?limit=4"}) {
        std::string target = list;
        std::string before;
        for (int page = 0; page < 6; ++page) {
            const response answer = api.get(target);
            const links beside = links_of(answer);
            CHECK(beside.contains("prev") == (page > 0));
            if (page > 0) CHECK(api.get(beside.at("prev")).body == before);
            CHECK(beside.contains("next") == (page < 5));
            before = answer.body;
            if (page < 5) target = beside.at("next");
        }
    }
}

TEST_CASE("tags are walked by their links both ways, in each order") {
    service api;
    for (int i = 0; i < 20; ++i) {
        const std::string id = "tag_x" + std::to_string(i), name = "name " + std::to_string(i / 3);
        REQUIRE(api.store.add(make_tag(id, name)));
    }
    api.store.publish();
    for (const std::string by : {"name", "createdAt"}) {
        for (const std::string order : {"asc", "desc"}) {
            const std::string list = "/tags?sortBy=" + by + "&sortOrder=" + order;
            const id_list all = ids_in(api.get(list).body);
            CHECK(walk(api, list + "&pageSize=3", "next", [] {}) == all);
            const std::string last = list + "&pageSize=1&page=" + std::to_string(all.size());
            id_list backwards = walk(api, last, "prev", [] {});
            std::ranges::reverse(backwards);
            CHECK(backwards == all);
        }
    }
}

TEST_CASE("tags whose names are longer than a cursor are walked both ways, each once") {
    service api;
    for (int i = 0; i < 12; ++i) {
        std::string name =
            i % 3 == 0 ? "short " : std::string(400 + 700 * static_cast<std::size_t>(i % 3), 'n');
        for (int j = 0; i == 7 && j < 300; ++j) name += "\u0436";
        REQUIRE(api.store.add(make_tag("tag_x" + std::to_string(i), name + std::to_string(i / 2))));
    }
    api.store.publish();
    for (const std::string order : {"asc", "desc"}) {
        const std::string list = "/tags?sortOrder=" + order;
        const id_list all = ids_in(api.get(list).body);
        REQUIRE(all.size() == 13);
        for (const std::string size : {"1", "2", "5"}) {
            CAPTURE(order);
            CAPTURE(size);
            CHECK(walk(api, list + "&pageSize=" + size, "next", [] {}) == all);
        }
        id_list backwards = walk(api, list + "&pageSize=1&page=13", "prev", [] {});
        std::ranges::reverse(backwards);
        CHECK(backwards == all);
    }
}

TEST_CASE("of a long name whose tag is gone the names that begin alike come again, none is lost") {
    service api;
    const std::string long_name(1'000, 'n');
    for (const char* const end : {"a", "b", "c", "d"}) {
        REQUIRE(api.store.add(make_tag("tag_" + std::string(end), long_name + end)));
    }
    REQUIRE(api.store.add(make_tag("tag_0", "m")));
    REQUIRE(api.store.add(make_tag("tag_9", "p")));
    api.store.publish();
    for (const std::string order : {"asc", "desc"}) {
        for (const std::string relation : {"next", "prev"}) {
            CAPTURE(order);
            CAPTURE(relation);
            const std::string list = "/tags?search=&sortOrder=" + order + "&pageSize=";
            const id_list all = ids_in(api.get(list + "100").body);
            std::string link = links_of(api.get(list + "2&page=2")).at(relation);
            const std::size_t begin = link.find("cursor=") + 7;
            cursor place = parse_cursor(link.substr(begin)).value();
            REQUIRE(place.cuts.size() == 1);
            place.keys.back() = "none";
            link.replace(begin, std::string::npos, to_string(place).value());
            link.replace(link.find("pageSize=2"), 10, "pageSize=9");
            const id_list there = ids_in(api.get(link).body);
            const bool is_next = relation == "next";
            const auto names_end = std::ranges::find(all, is_next ? all.back() : all.front());
            CHECK(std::ranges::find(there, *names_end) != there.end());
            for (const char* const id : {"tag_a", "tag_b", "tag_c", "tag_d"}) {
                CHECK(std::ranges::find(there, id) != there.end());
            }
        }
    }
}

TEST_CASE("an id that no cursor has room for is an error of the server's") {
    service api;
    REQUIRE(api.store.add(make_tag("tag_" + std::string(800, 'x'), "a")));
    REQUIRE(api.store.add(make_tag("tag_2", "b")));
    api.store.publish();
    CHECK(ids_in(api.get("/tags?pageSize=100").body).size() == 3);
    const response answer = api.get("/tags?pageSize=1");
    CHECK(answer.status == 500);
    CHECK(refusal_of(answer) ==
          "id: a key that no cursor has room for, expected a size in bytes of at most 749");
}

TEST_CASE("a cursor is taken with the order and the filters that it was made for") {
    service api(make_options(), 23);
    const std::string next = links_of(api.get("/events?limit=4&country=US")).at("next");
    const std::string cursor = next.substr(next.find("cursor="));
    struct row {
        std::string conditions;
        int status;
        std::string message;
    };
    const std::string other =
        "cursor: made for another order or other filters, leave it out to begin again";
    const std::string malformed = "cursor: not a cursor, take it from a Link header as it is";
    std::string damaged = cursor;
    damaged[12] = damaged[12] == 'A' ? 'B' : 'A';
    const std::vector<row> table{
        {"country=US&" + cursor, 200, ""},
        {"country=us,US&limit=9&interval=30d&" + cursor, 200, ""},
        {cursor, 422, other},
        {"country=US&sortOrder=asc&" + cursor, 422, other},
        {"country=-US&" + cursor, 422, other},
        {"country=US&event=leads&" + cursor, 422, other},
        {"country=US&page=1&" + cursor, 400,
         "cursor: given together with a page number, give one of them"},
        {"country=US&" + damaged, 400, malformed},
        {"country=US&cursor=", 400, malformed},
        {"country=US&cursor=AQ", 400, malformed},
        {"country=US&" + cursor + "A", 400, malformed},
        {"country=US&cursor=" + std::string(300, 'A'), 400, malformed},
    };
    for (const row& entry : table) {
        CAPTURE(entry.conditions);
        const response answer = api.get("/events?" + entry.conditions);
        CHECK(answer.status == entry.status);
        if (entry.status != 200) CHECK(refusal_of(answer) == entry.message);
    }
    CHECK(cursor.size() <= std::string_view("cursor=").size() + cursor_max_length);
}

TEST_CASE("a cursor whose key is no value of its column is refused, whatever the list") {
    service api(make_options(), 5);
    REQUIRE(api.store.add(make_tag("tag_2", "two")));
    REQUIRE(api.store.add(make_tag("tag_3", "three")));
    api.store.publish();
    const std::string above = "9223372036854775808", below = "-9223372036854775809";
    for (const std::string list :
         {"/events?limit=1", "/events?limit=1&sortOrder=asc", "/tags?pageSize=1&sortBy=createdAt",
          "/tags?pageSize=1&sortBy=createdAt&sortOrder=desc"}) {
        const std::string next = links_of(api.get(list)).at("next");
        const std::string cursor_text = next.substr(next.find("cursor=") + 7);
        cursor place = parse_cursor(cursor_text.substr(0, cursor_text.find('&'))).value();
        for (const std::optional<std::string>& key :
             std::vector<std::optional<std::string>>{above, below, "1.5", "", std::nullopt}) {
            CAPTURE(list);
            CAPTURE(key.value_or("null"));
            place.keys[0] = key;
            const response answer = api.get(list + "&cursor=" + to_string(place).value());
            CHECK(answer.status == 400);
            CHECK(refusal_of(answer) ==
                  "cursor: not a cursor, take it from a Link header as it is");
        }
        place.keys[0] = "9223372036854775807";
        CHECK(api.get(list + "&cursor=" + to_string(place).value()).status == 200);
        place.keys.pop_back();
        CHECK(api.get(list + "&cursor=" + to_string(place).value()).status == 400);
    }
}

TEST_CASE("a cursor of tags is taken with the search that it was made for") {
    service api;
    REQUIRE(api.store.add(make_tag("tag_2", "two")));
    REQUIRE(api.store.add(make_tag("tag_3", "three")));
    api.store.publish();
    const std::string next = links_of(api.get("/tags?pageSize=1&search=t")).at("next");
    const std::string cursor = next.substr(next.find("cursor="));
    CHECK(api.get("/tags?search=t&" + cursor).status == 200);
    CHECK(api.get("/tags?search=e&" + cursor).status == 422);
    CHECK(api.get("/tags?" + cursor).status == 422);
    CHECK(api.get("/tags?search=t&sortBy=createdAt&" + cursor).status == 422);
}

TEST_CASE("a cursor that was made by hand is a place as any other") {
    service api(make_options(), 23);
    events_query by_hand = events_query_of("limit=5");
    by_hand.cursor = sluice::cursor{.keys = {"0", ""}};
    CHECK(list_events(api.store.find("ws_1")->current(), by_hand)->body == "[]");
    by_hand.cursor->is_before = true;
    CHECK(ids_in(list_events(api.store.find("ws_1")->current(), by_hand)->body).size() == 5);
    list_query bare;  // of no order
    const workspace_view view = api.store.find("ws_1")->current();
    CHECK(event_search(view, event_kind::clicks, bare).page()->rows.size() == 23);
}

TEST_CASE("a tree of conditions takes the rows that its parts take") {
    service api(make_options(), 40);
    const auto view = api.store.find("ws_1")->current();
    const auto one = [](std::string_view name, std::string_view values) {
        return where(leaf{*events_schema.find(name), text_test{parse_filter(values).value()}, {}});
    };
    const where before(
        leaf{*events_schema.find("timestamp"), bounds<instant>{.most = now - seconds{15}}, {}});
    const auto count = [&](where rows) {
        list_query query;
        query.rows = std::move(rows);
        return event_search(view, event_kind::clicks, query).count().value();
    };
    const std::vector<where> parts{before,
                                   one("click.country", "us"),
                                   one("click.country", "-US"),
                                   one("link.id", "link_1"),
                                   one("link.domain", "-nowhere.example"),
                                   one("id", "1000007")};
    const std::int64_t all = count({});
    REQUIRE(all == 40);
    CHECK(count(before) > 0);
    CHECK(count(before) < all);
    CHECK(count(one("id", "1000007,1000008,nothing")) == 2);
    CHECK(count(one("sale.type", "new")) == 0);  // clicks have none
    CHECK(count(one("sale.type", "-new")) == all);
    CHECK(count(one("link.domain", "-nowhere.example")) == all);
    for (const std::string_view text : {"metadata['plan']:pro", "metadata['plan']!=pro"}) {
        const where metadata(
            leaf{*events_schema.find("metadata"), parse_metadata_query(text).value(), {}});
        CHECK(count(metadata) == (text.find('!') == std::string_view::npos ? 0 : all));
    }
    for (const where& a : parts) {
        CHECK(count(where::negation(a)) == all - count(a));
        for (const where& b : parts) {
            CHECK(count(where::any({a, b})) == count(a) + count(b) - count(where::all({a, b})));
            CHECK(count(where::negation(where::any({a, b}))) ==
                  count(where::all({where::negation(a), where::negation(b)})));
        }
    }
}

TEST_CASE("the total is told where it is asked for") {
    service api(make_options(), 23);
    CHECK(api.get("/events?limit=4").header_value("x-total-count").empty());
    CHECK(api.get("/events?limit=4&count=true").header_value("x-total-count") == "23");
    CHECK(api.get("/events?limit=4&count=true&page=3").header_value("x-total-count") == "23");
    const std::string next = links_of(api.get("/events?limit=4&count=true")).at("next");
    CHECK(api.get(next).header_value("x-total-count") == "23");
    CHECK(api.get("/tags?count=TRUE").header_value("x-total-count") == "1");
    CHECK(api.get("/events?count=1").status == 400);
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
