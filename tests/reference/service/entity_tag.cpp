// SPDX-License-Identifier: MIT
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/base/random.hpp>
#include <sluice/reference/service/entity_tag.hpp>

#include "../make_service.hpp"

using namespace sluice_tests;
using sluice::reference::detail::names_entity_tag;
using std::chrono::hours;
using std::chrono::milliseconds;

namespace {

std::string tag_of(service& api, std::string_view target, instant at = now) {
    const response answer = api.get(target, "all", at);
    REQUIRE(answer.status == 200);
    return std::string(answer.header_value("etag"));
}

}  // namespace

TEST_CASE("a client that has the page already is told so") {
    service api;
    const std::string etag(api.get("/events?limit=2").header_value("etag"));
    struct row {
        std::vector<std::string> lines;
        int status;
    };
    const std::string inner = etag.substr(1, etag.size() - 2);
    const std::vector<row> table{
        {{etag}, 304},
        {{"W/" + etag}, 304},
        {{"*"}, 304},
        {{"\"a\", " + etag}, 304},
        {{"\"a\",W/" + etag + ",\"b\""}, 304},
        {{"\"a\"", etag}, 304},
        {{etag, "\"a\""}, 304},
        {{"\"a\""}, 200},
        {{""}, 200},
        {{inner}, 200},
        {{"\"" + inner.substr(1) + "\""}, 200},
        {{"\"" + inner + "0\""}, 200},
        {{"\"x" + etag}, 200},
        {{"\"x" + etag + "x\""}, 200},
        {{"\"a\"" + etag}, 200},
        {{"w/" + etag}, 200},
        {{"\"*\""}, 200},
        {{"\"a\", *"}, 200},
    };
    for (const row& entry : table) {
        CAPTURE(entry.lines.front());
        std::vector<name_value> headers;
        for (const std::string& line : entry.lines) headers.push_back({"If-None-Match", line});
        const response answer = api.get("/events?limit=2", "all", now, headers);
        CHECK(answer.status == entry.status);
        CHECK(answer.body.empty() == (entry.status == 304));
        CHECK(answer.header_value("etag") == etag);
    }
    CHECK(api.get("/events?limit=1", "all", now, {{"if-none-match", etag}}).status == 200);
    CHECK(api.get("/events?limit=0", "all", now, {{"if-none-match", "*"}}).status == 422);
    CHECK(api.get("/events", "nobody", now, {{"if-none-match", "*"}}).status == 401);
    CHECK(api.get("/events?limit=2&interval=7d").header_value("etag") == etag);
    api.add_click(now);
    api.store.publish();
    CHECK(api.get("/events?limit=2", "all", now, {{"if-none-match", etag}}).status == 200);
}

TEST_CASE("an entity tag is strong, and other after every publish and every start") {
    service api;
    const std::string etag = tag_of(api, "/events");
    CHECK(etag.size() == 34);
    CHECK(etag.front() == '"');
    CHECK(etag.back() == '"');
    CHECK(tag_of(api, "/events") == etag);
    api.store.publish();
    CHECK(tag_of(api, "/events") != etag);

    service same;
    CHECK(tag_of(same, "/events") == etag);
    handler_options options = make_options();
    options.start_number = 2;
    service restarted(options);
    CHECK(tag_of(restarted, "/events") != etag);
}

TEST_CASE("a client that has the page is told so before any search") {
    int searches = 0;
    handler_options options = make_options();
    options.cpu_time = [&] { return std::chrono::nanoseconds(++searches); };
    service api(options);
    const std::string etag = tag_of(api, "/events");
    CHECK(std::exchange(searches, 0) > 0);
    CHECK(api.get("/events", "all", now, {{"if-none-match", etag}}).status == 304);
    CHECK(searches == 0);
}

TEST_CASE("without a number of its start a handler sends no entity tag, and has no answer 304") {
    handler_options options = make_options();
    options.start_number.reset();
    service api(options);
    for (const char* copy : {"*", "\"\"", ""}) {
        const response answer = api.get("/events", "all", now, {{"if-none-match", copy}});
        CHECK(answer.status == 200);
        CHECK(answer.header_value("etag").empty());
    }
}

TEST_CASE("an entity tag tells workspaces and lists apart") {
    service api;
    const std::string lost(api.get("/tags", "lost").header_value("etag"));
    CHECK(lost != tag_of(api, "/tags"));
    CHECK(lost != std::string(api.get("/events", "lost").header_value("etag")));
    CHECK(tag_of(api, "/events?event=leads") != tag_of(api, "/events?event=sales"));
    CHECK(std::string(api.get("/events", "business").header_value("etag")) ==
          tag_of(api, "/events"));
}

TEST_CASE("requests that mean the same have one entity tag") {
    service api;
    const std::vector<std::vector<std::string_view>> table{
        {"/events", "/events?", "/events?limit=100&page=1", "/events?limit=1e2&unknown=1",
         "/events?event=clicks&sortBy=timestamp&order=desc", "/events?interval=24h&timezone=UTC",
         "/events?interval=30d", "/events?start=yesterday&end=now", "/events?interval=all"},
        {"/events?country=US,FR", "/events?country=fr,us", "/events?country[]=FR&country=US,US"},
        {"/events?trigger=qr", "/events?qr=true", "/events?qr=false&trigger=qr"},
        {"/events?tagId=a,b", "/events?tagIds=b,a", "/events?tagId=b,a&tagIds=c"},
        {"/events?sortOrder=asc", "/events?order=asc", "/events?order=asc&sortOrder=desc"},
        {"/events?event=leads&query=metadata['a']:b",
         "/events?query=metadata[\"a\"]+:+'b'&event=leads"},
        {"/tags", "/tags?sortBy=name&page=1.0&pageSize=100", "/tags?search=&ids="},
        {"/tags?ids=a,b&search=x", "/tags?ids=b&ids[]=a,b&search=X"},
    };
    std::map<std::string, std::size_t> seen;
    for (std::size_t row = 0; row < table.size(); ++row) {
        for (const std::string_view target : table[row]) {
            CAPTURE(target);
            CHECK(seen.emplace(tag_of(api, target), row).first->second == row);
        }
    }
    CHECK(seen.size() == table.size());
}

TEST_CASE("a relative window keeps its entity tag until an event leaves it") {
    service api;  // its clicks are 10 seconds old
    const std::string etag = tag_of(api, "/events?interval=24h");
    const instant leaves = now + hours{24} - seconds{10};
    CHECK(tag_of(api, "/events?interval=24h", now + milliseconds{1}) == etag);
    CHECK(tag_of(api, "/events?interval=24h", leaves) == etag);
    CHECK(tag_of(api, "/events?interval=24h", leaves + milliseconds{1}) != etag);
    api.add_click(now + seconds{5});
    api.store.publish();
    const std::string before = tag_of(api, "/events", now + seconds{5} - milliseconds{1});
    CHECK(tag_of(api, "/events", now + seconds{5}) != before);
}

TEST_CASE("answers with one entity tag are one, whatever was asked") {
    service api(make_options(), 40);
    sluice::detail::random_source random(1);
    constexpr std::array<std::string_view, 12> parts{
        "country=us",   "country=-US", "country=FR,US", "device=Desktop",
        "limit=3",      "limit=7",     "page=2",        "sortOrder=asc",
        "interval=all", "start=today", "trigger=qr",    "start=15 seconds ago"};
    std::map<std::string, std::string> bodies;
    for (int round = 0; round < 2'000; ++round) {
        std::string target = "/events?";
        for (int i = 0; i < 3; ++i) target.append(random.pick(parts)).append("&");
        const instant at = now + seconds{random.below(20)} - seconds{10};
        const response answer = api.get(target, "all", at);
        if (answer.status != 200) continue;  // a name twice
        const std::string etag(answer.header_value("etag"));
        CHECK(bodies.emplace(etag, answer.body).first->second == answer.body);
    }
    CHECK(bodies.size() > 50);
}

static_assert(names_entity_tag(R"("a", W/"b")", R"("b")"));

TEST_CASE("If-None-Match names an entity tag as a whole, be it weak or strong") {
    for (const std::string_view line :
         {R"("b")", R"(W/"b")", R"("a", "b")", R"("a","b","c")", R"("a" , W/"b" , "c")", R"(, "b")",
          R"("a",, "b",)", "\t\"b\"\t", R"("a,b", "b")", R"("", "b")", "*"}) {
        CAPTURE(line);
        CHECK(names_entity_tag(line, R"("b")"));
        CHECK(names_entity_tag(line, R"(W/"b")"));
    }
}

TEST_CASE("a part of an entity tag, or what is none, names nothing") {
    for (const std::string_view line : {"",
                                        " ",
                                        ",",
                                        "b",
                                        R"("B")",
                                        R"("")",
                                        R"("bb")",
                                        R"("a")",
                                        R"("b)",
                                        R"(b")",
                                        R"('b')",
                                        R"("a"b"c")",
                                        R"("a""b")",
                                        R"("a,"b",c")",
                                        R"("b"x)",
                                        R"(x"b")",
                                        R"(w/"b")",
                                        R"(W"b")",
                                        R"(W/ "b")",
                                        R"(W/W/"b")",
                                        R"("a" "b")",
                                        R"("a"; "b")",
                                        R"("a, "b"")",
                                        R"("*")",
                                        "**",
                                        R"(*, "a")",
                                        "W/*"}) {
        CAPTURE(line);
        CHECK_FALSE(names_entity_tag(line, R"("b")"));
    }
}

TEST_CASE("an entity tag may hold commas and bytes beyond ASCII") {
    CHECK(names_entity_tag(R"("a,b")", R"("a,b")"));
    CHECK_FALSE(names_entity_tag(R"("a,b")", R"("a)"));
    CHECK_FALSE(names_entity_tag(R"("a", "b")", R"("a,b")"));
    CHECK(names_entity_tag("\"\xC3\xA9!\"", "\"\xC3\xA9!\""));
}

TEST_CASE("a long list is read once") {
    std::string line;
    for (int i = 0; i < 100'000; ++i) line += "\"" + std::to_string(i) + "\", ";
    CHECK(names_entity_tag(line, "\"99999\""));
    CHECK_FALSE(names_entity_tag(line, "\"100000\""));
    CHECK_FALSE(names_entity_tag(std::string(1 << 20, '"'), "\"b\""));
    CHECK_FALSE(names_entity_tag(std::string(1 << 20, ','), "\"b\""));
}
