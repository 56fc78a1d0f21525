// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <stop_token>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/reference/lists/workspace_rows.hpp>

#include "../make_records.hpp"

using namespace sluice::reference;

namespace {

struct named {
    std::string id, name;
    std::int64_t created_at = 0;
};

/// A workspace with these tags.
class tagged : public workspace {
public:
    explicit tagged(const std::vector<named>& tags) : workspace("ws_1") {
        for (const named& entry : tags) {
            REQUIRE(add(make_tag(entry.id, entry.name, entry.created_at)));
        }
        publish();
    }

    [[nodiscard]] json_page page(const std::string& text) const {
        const auto pairs = sluice::parse_query_string(text);
        const auto query = parse_tags_query(pairs.pairs());
        REQUIRE_MESSAGE(query.has_value(), text);
        return list_tags(current(), *query).value();
    }
    [[nodiscard]] id_list ids(const std::string& text) const { return ids_in(page(text).body); }
};

const std::vector<named> some_tags{{"t1", "beta", 30},
                                   {"t2", "Alpha", 10},
                                   {"t3", "alpha", 20},
                                   {"t4", "\u00C9t\u00E9", 20},
                                   {"t5", "alpha", 5}};

}  // namespace

TEST_CASE("tags are sorted by name or time, ties by id, in both orders") {
    const tagged records(some_tags);
    const std::vector<std::pair<std::string, id_list>> table{
        {"", {"t2", "t3", "t5", "t1", "t4"}},
        {"sortBy=name", {"t2", "t3", "t5", "t1", "t4"}},
        {"sortBy=name&sortOrder=asc", {"t2", "t3", "t5", "t1", "t4"}},
        {"sortOrder=desc", {"t4", "t1", "t5", "t3", "t2"}},
        {"sortBy=createdAt", {"t5", "t2", "t3", "t4", "t1"}},
        {"sortBy=createdAt&sortOrder=desc", {"t1", "t4", "t3", "t2", "t5"}},
    };
    for (const auto& [query, expected] : table) {
        CAPTURE(query);
        CHECK(records.ids(query) == expected);
    }
}

TEST_CASE("a tag is written with its color, if it has one") {
    workspace records("ws_1");
    tag red = make_tag("t1", "a \"quoted\" name");
    red.color = "red";
    REQUIRE(records.add(red));
    REQUIRE(records.add(make_tag("t2", "b")));
    records.publish();
    CHECK(list_tags(records.current(), {})->body ==
          R"([{"id":"t1","name":"a \"quoted\" name","color":"red"},{"id":"t2","name":"b"}])");
}

TEST_CASE("a workspace without tags lists none") {
    const tagged records({});
    CHECK(records.page("").body == "[]");
    CHECK_FALSE(records.page("").has_next);
    CHECK(records.page("page=9223372036854775807&pageSize=100&search=x&ids=t1").body == "[]");
}

TEST_CASE("a search finds parts of names in any case by simple folding") {
    struct row {
        std::string_view name, search;
        bool is_match;
    };
    const std::vector<row> table{
        {"Summer Sale", "summer", true},
        {"Summer Sale", "MER S", true},
        {"Summer Sale", "sale ", false},
        {"Summer Sale", "summer  sale", false},
        {"50% off", "%", true},
        {"50% off", "_", false},
        {"a*b", "*", true},
        {"ab", "a*b", false},
        {"a.b", "a.b", true},
        {"axb", "a.b", false},
        {"\u00C9T\u00C9", "\u00E9t\u00E9", true},
        {"\u00C9T\u00C9", "ete", false},
        {"e\u0301", "\u00E9", false},
        {"stra\u00DFe", "STRA\u1E9EE", true},
        {"STRA\u1E9EE", "stra\u00DFe", true},
        {"stra\u00DFe", "strasse", false},
        {"strasse", "stra\u00DFe", false},
        {"\u03A3\u03AF\u03C3\u03C5\u03C6\u03BF\u03C2", "\u03C3\u03AF\u03C2", true},
        {"\u03BF\u03B4\u03CC\u03C2", "\u03CC\u03C3", true},
        {"\u03BF\u03B4\u03CC\u03A3", "\u03CC\u03C2", true},
        {"\u212Aelvin", "kelvin", true},
        {"kelvin", "\u212A", true},
        {"\u017Fuper", "SUPER", true},
        {"\u0130stanbul", "istanbul", false},
        {"\u0130stanbul", "i\u0307stanbul", false},
        {"\u0130stanbul", "\u0130STANBUL", true},
        {"\u0130stanbul", "stanbul", true},
        {"I", "\u0131", false},
        {"I", "i", true},
        {"\uFB03", "ffi", false},
        {"\U00010400", "\U00010428", true},
        {"\U0001F600 fun", "\U0001F600", true},
        {"\U0001F600", "\U0001F601", false},
        {"x", "\u00FF", false},
        {"", "x", false},
    };
    for (const row& entry : table) {
        CAPTURE(entry.name);
        CAPTURE(entry.search);
        const tagged records({named{"t1", std::string(entry.name)}});
        tags_query query;
        query.search = std::string(entry.search);
        CHECK((list_tags(records.current(), query)->body != "[]") == entry.is_match);
    }
}

TEST_CASE("an empty search or list of ids is no filter") {
    const tagged records(some_tags);
    for (const char* query : {"search=", "ids=", "ids[]=", "ids=,,", "search=&ids="}) {
        CAPTURE(query);
        CHECK(records.ids(query).size() == some_tags.size());
    }
}

TEST_CASE("ids may come as a list, repeated and in brackets") {
    const tagged records(some_tags);
    const id_list both{"t3", "t1"};
    for (const char* query :
         {"ids=t1,t3", "ids=t3,t1", "ids=t1&ids=t3", "ids[]=t1&ids[]=t3", "ids=t1&ids[]=t3",
          "ids=t1,t1,t3&ids=t3", "ids=,t1,,t3,", "ids%5B%5D=t1%2Ct3", "ids=t1,t3,t9"}) {
        CAPTURE(query);
        CHECK(records.ids(query) == both);
    }
    CHECK(records.ids("ids=T1").empty());
    CHECK(records.ids("ids=t").empty());
    CHECK(records.ids("ids=-t1").empty());
    CHECK(records.ids("ids= t1").empty());
    CHECK(records.ids("ids=t1,t3&search=BET") == id_list{"t1"});
}

TEST_CASE("pages of tags concatenate to the full list in every order") {
    std::mt19937 random(6);
    std::vector<named> tags;
    for (int i = 0; i < 137; ++i) {
        tags.push_back({"t" + std::to_string(i),
                        std::string(1, static_cast<char>('a' + random() % 5)),
                        static_cast<std::int64_t>(random() % 7)});
    }
    const tagged records(tags);
    for (const std::string by : {"name", "createdAt"}) {
        std::ranges::sort(tags, {}, [&](const named& t) {
            return std::tuple(by == "name" ? t.name : std::string(),
                              by == "name" ? 0 : t.created_at, t.id);
        });
        id_list expected;
        for (const named& entry : tags) expected.push_back(entry.id);
        for (const std::string order : {"asc", "desc"}) {
            for (const int size : {1, 10, 100}) {
                id_list all;
                bool has_next = true;
                for (int page = 1; has_next; ++page) {
                    const json_page one = records.page("sortBy=" + by + "&sortOrder=" + order +
                                                       "&pageSize=" + std::to_string(size) +
                                                       "&page=" + std::to_string(page));
                    const id_list ids = ids_in(one.body);
                    all.insert(all.end(), ids.begin(), ids.end());
                    has_next = one.has_next;
                }
                CHECK(all == expected);
            }
            std::ranges::reverse(expected);
        }
    }
}

TEST_CASE("a query made by hand is refused with a key that is no time") {
    const tagged records(some_tags);
    tags_query query;
    query.sort_by = tag_sort::created_at;
    for (const auto& [key, is_time] :
         {std::pair("20", true), {"9223372036854775808", false}, {"soon", false}}) {
        CAPTURE(key);
        query.cursor = sluice::cursor{false, 0, 0, {key, "t3"}};
        const auto page = list_tags(records.current(), query);
        CHECK(page.has_value() == is_time);
        if (page) CHECK(ids_in(page->body) == id_list{"t4", "t1"});
        if (!page) CHECK(page.error().broken == sluice::rule::cursor_malformed);
    }
}

TEST_CASE("a page of tags past the end is empty, however far") {
    const tagged records(some_tags);
    CHECK(records.page("pageSize=5").has_next == false);
    CHECK(records.page("pageSize=4").has_next);
    CHECK(records.ids("pageSize=4&page=2") == id_list{"t4"});
    for (const char* page : {"3", "1e18", "9223372036854775807", "1e400"}) {
        CHECK(records.ids(std::string("pageSize=4&page=") + page).empty());
    }
}

TEST_CASE("a view lists the tags that it can see") {
    tagged records({named{"t1", "one"}});
    const workspace_view old = records.current();
    REQUIRE(records.add(make_tag("t2", "two")));
    CHECK(ids_in(list_tags(records.current(), {})->body) == id_list{"t1"});
    records.publish();
    CHECK(ids_in(list_tags(records.current(), {})->body) == id_list{"t1", "t2"});
    CHECK(ids_in(list_tags(old, {})->body) == id_list{"t1"});
}

TEST_CASE("a page of tags is found within the limits") {
    workspace records("ws_1");
    for (int at = 0; at < 20'000; ++at) {
        REQUIRE(records.add(
            make_tag("t" + std::to_string(at), "name " + std::to_string(at * 7'919 % 20'000))));
    }
    records.publish();
    std::size_t looks = 0;
    const auto list = [&](int deadline) {
        looks = 0;
        return list_tags(records.current(), {},
                         {.cpu_time = [&]() -> std::chrono::nanoseconds {
                              return std::chrono::milliseconds(++looks);
                          },
                          .deadline = std::chrono::milliseconds(deadline)});
    };
    REQUIRE(list(1'000'000));
    const std::size_t most = looks;
    CHECK(most == 20'000 / 64);
    for (const std::size_t deadline : {std::size_t{1}, std::size_t{300}, most}) {
        const auto page = list(static_cast<int>(deadline));
        REQUIRE_FALSE(page);
        CHECK(page.error().broken == sluice::rule::query_too_costly);
        CHECK(looks == deadline);
    }
    std::stop_source client;
    client.request_stop();
    CHECK(list_tags(records.current(), {}, {.stop = client.get_token()}).error().broken ==
          sluice::rule::request_cancelled);
}
