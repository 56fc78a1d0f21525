// SPDX-License-Identifier: MIT
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/reference/service/record_lists.hpp>

#include "../make_service.hpp"

using namespace sluice_tests;

namespace {

/// A link of a test, and the arguments that its record views.
struct shown {
    std::string id, domain, key, url;
    std::int64_t created_at = 0;
    std::vector<tag> tags{};
    std::optional<std::string> external_id{}, tenant_id{}, folder_id{}, user_id{};
    bool archived = false;
};

void add_link(event_store& store, const shown& of, std::optional<std::string_view> owner = {}) {
    auto added = make_link(of.id);
    added.domain = of.domain;
    added.key = of.key;
    added.url = of.url;
    added.created_at = at_ms(of.created_at);
    added.tags = of.tags;
    added.external_id = of.external_id;
    added.tenant_id = of.tenant_id;
    added.folder_id = of.folder_id;
    added.user_id = of.user_id;
    added.archived = of.archived;
    added.workspace_id = owner;
    REQUIRE(store.add(added));
}

const tag red{.id = "t_red", .name = "Red"}, blue{.id = "t_blue", .name = "blue,ish"},
    green{.id = "t_green", .name = "Grün"};

const std::vector<shown> some_links{{.id = "a",
                                     .domain = "go.x",
                                     .key = "One",
                                     .url = "https://x.example/alpha",
                                     .created_at = 10,
                                     .tags = {red, blue},
                                     .external_id = "e-1",
                                     .tenant_id = "ten_1",
                                     .folder_id = "f_1",
                                     .user_id = "u_1"},
                                    {.id = "b",
                                     .domain = "GO.x",
                                     .key = "two",
                                     .url = "https://x.example/BETA?Q=1",
                                     .created_at = 30,
                                     .tags = {red},
                                     .folder_id = "f_2",
                                     .user_id = "u_2"},
                                    {.id = "c",
                                     .domain = "to.x",
                                     .key = "_root",
                                     .url = "https://x.example/gamma",
                                     .created_at = 20,
                                     .folder_id = "f_1"},
                                    {.id = "d",
                                     .domain = "to.x",
                                     .key = "Über/one",
                                     .url = "https://x.example/alpha",
                                     .created_at = 20,
                                     .tags = {green},
                                     .tenant_id = "ten_1",
                                     .archived = true},
                                    {.id = "e",
                                     .domain = "to.x",
                                     .key = "e%",
                                     .url = "https://y.example/",
                                     .created_at = 5,
                                     .tags = {blue, green},
                                     .user_id = "u_1"}};

/// A service with these links, and one of another workspace.
class link_service : public service {
public:
    explicit link_service(const handler_options& options = make_options()) : service(options, 0) {
        for (const shown& one : some_links) add_link(store, one);
        add_link(store, {.id = "z", .domain = "go.x", .key = "One", .url = "https://x.example/"},
                 "ws_other");
        store.publish();
    }
    [[nodiscard]] id_list ids(const std::string& query) {
        const response answer = get("/links?showArchived=true&" + query);
        REQUIRE_MESSAGE(answer.status == 200, answer.body);
        id_list all = ids_in(answer.body);
        std::erase(all, "link_1");  // which every service has
        return all;
    }
};

}  // namespace

TEST_CASE("links are listed from the newest on, of those that a request takes") {
    link_service api;
    const std::vector<std::pair<std::string, id_list>> table{
        {"", {"b", "d", "c", "a", "e"}},  // equal times by id, in the direction of the list
        {"domain=go.X", {"b", "a"}},
        {"domain=go", {}},
        {"domain=go.x,to.x", {}},
        {"domain=", {"b", "d", "c", "a", "e"}},
        {"tagIds=t_red", {"b", "a"}},
        {"tagIds=t_red,t_green", {"b", "d", "a", "e"}},
        {"tagIds=t_red&tagIds[]=t_green", {"b", "d", "a", "e"}},
        {"tagIds=T_RED", {}},
        {"tagId=t_blue", {"a", "e"}},
        {"tagId=t_blue&tagIds=t_green", {"d", "e"}},
        {"tagNames=RED", {"b", "a"}},
        {"tagNames=Grün&tagNames=red", {"b", "d", "a", "e"}},
        {"tagNames=blue,ish", {}},
        {"folderId=f_1", {"c", "a"}},
        {"folderId=F_1", {}},
        {"userId=u_1", {"a", "e"}},
        {"userId=u_1&folderId=f_1", {"a"}},
        {"tenantId=ten_1", {"d", "a"}},
        {"search=ALPHA", {"d", "a"}},
        {"search=über", {"d"}},
        {"search=ONE", {"d", "a"}},
        {"search=beta?q=1", {"b"}},
        {"search=%25", {"e"}},
        {"search=x.example/alpha&tenantId=ten_1&tagNames=red", {"a"}},
        {"search=go.x", {}},
        {"withTags=true", {"b", "d", "a", "e"}},
        {"withTags=TRUE&folderId=f_1", {"a"}},
        {"withTags=false", {"b", "d", "c", "a", "e"}},
        {"pageSize=2", {"b", "d"}},
        {"pageSize=2&page=2", {"c", "a"}},
        {"page=9", {}},
        {"page=9223372036854775808", {}},
        {"startingAfter=d", {"c", "a", "e"}},
        {"startingAfter=d&pageSize=1", {"c"}},
        {"startingAfter=e", {}},
        {"startingAfter=nobody", {}},
        {"startingAfter=z", {}},  // of another workspace
        {"endingBefore=c", {"b", "d"}},
        {"endingBefore=e&pageSize=2", {"c", "a"}},
        {"endingBefore=b", {}},
        {"startingAfter=&endingBefore=&page=1", {"b", "d", "c", "a", "e"}},
        {"startingAfter=b&tagIds=t_green", {"d", "e"}},  // a place that the filter leaves out
        {"unknown=1&sort=clicks", {"b", "d", "c", "a", "e"}},
    };
    for (const auto& [query, expected] : table) CHECK_MESSAGE(api.ids(query) == expected, query);
    const std::string body = api.get("/links?pageSize=100").body;
    CHECK(body.find(R"("id":"d")") == std::string::npos);  // archived
    CHECK(body.find(R"("id":"c","domain":"to.x","key":"_root")") != std::string::npos);
    CHECK(api.get("/links?folderId=f_1&search=gamma").body ==
          "[" + std::string(api.get("/links/info?linkId=c").body) + "]");
}

TEST_CASE("the errors of lists of links have a parameter, a status and a place") {
    link_service api;
    struct row {
        std::string_view target, param;
        int status;
    };
    for (const auto& [target, param, status] :
         std::vector<row>{{"/links?startingAfter=a&endingBefore=b", "endingBefore", 422},
                          {"/links?startingAfter=a&page=1", "startingAfter", 422},
                          {"/links?page=2&endingBefore=a", "endingBefore", 422},
                          {"/links?page=1&cursor=AQ", "cursor", 400},
                          {"/links?pageSize=101", "pageSize", 422},
                          {"/links?pageSize=0", "pageSize", 422},
                          {"/links?page=0", "page", 422},
                          {"/links?page=x", "page", 400},
                          {"/links?showArchived=1", "showArchived", 400},
                          {"/links?withTags=", "withTags", 400},
                          {"/links?domain=a&domain=b", "domain", 400},
                          {"/links/count?groupBy=url", "groupBy", 422},
                          {"/links/count?groupBy=", "groupBy", 422},
                          {"/links/info", "linkId", 400},
                          {"/links/info?domain=go.x", "domain", 400},
                          {"/links/info?key=One", "key", 400},
                          {"/links/info?domain=&key=One", "key", 400},
                          {"/links/info?externalId=e-1", "externalId", 422},
                          {"/links/info?externalId=ext_", "externalId", 422}}) {
        const response answer = api.get(target);
        CHECK_MESSAGE(answer.status == status, target << answer.body);
        CHECK_MESSAGE(
            answer.body.find("\"message\":\"" + std::string(param) + ": ") != std::string::npos,
            target << answer.body);
    }
    const auto error_of = [](std::string_view text) {
        const auto pairs = parse_query_string(text);
        return parse_record_query<links_params>(pairs.pairs(), {.strict = false}).error();
    };
    const error twice = error_of("startingAfter=a&pageSize=2.5&endingBefore=b");
    CHECK(twice.param == "endingBefore");  // the first in the order of the table
    CHECK(twice.broken == rule::not_applicable);
    const error size = error_of("search=x&pageSize=2.5");
    CHECK(size.broken == rule::number_not_whole);
    CHECK((size.offset == 0 && size.length == 3 && size.pair == 1));
    std::string ids = "tagIds=";
    for (int i = 0; i < 1'001; ++i) ids.append("a,");
    const error many = error_of(ids);
    CHECK((many.broken == rule::list_too_long && many.offset == 2'000 && many.length == 2));
}

TEST_CASE("links are counted, and those of each group") {
    link_service api;
    const std::vector<std::pair<std::string_view, std::string_view>> table{
        {"", "5"},
        {"?showArchived=true", "6"},
        {"?tagIds=t_red", "2"},
        {"?search=nothing", "0"},
        {"?page=9", "5"},
        {"?groupBy=domain",
         R"([{"domain":"to.x","_count":2},{"domain":"GO.x","_count":1},)"
         R"({"domain":"go.example.com","_count":1},{"domain":"go.x","_count":1}])"},
        {"?groupBy=tagId&search=x.example",
         R"([{"tagId":"t_red","_count":2},{"tagId":null,"_count":1},{"tagId":"t_blue","_count":1}])"},
        {"?groupBy=userId&showArchived=true",
         R"([{"userId":null,"_count":3},{"userId":"u_1","_count":2},{"userId":"u_2","_count":1}])"},
        {"?groupBy=folderId&domain=to.x",
         R"([{"folderId":null,"_count":1},{"folderId":"f_1","_count":1}])"},
        {"?groupBy=folderId&search=nothing", "[]"}};
    for (const auto& [query, expected] : table) {
        const response answer = api.get("/links/count" + std::string(query));
        CHECK_MESSAGE(answer.body == expected, query);
        CHECK(answer.status == 200);
        CHECK(answer.header_value("link").empty());
        CHECK_FALSE(answer.header_value("etag").empty());
    }
}

TEST_CASE("a link is found by its address or an id, or is unknown") {
    link_service api;
    const std::vector<std::pair<std::string_view, std::string_view>> table{
        {"linkId=a", "a"},
        {"domain=GO.X&key=One", "a"},
        {"domain=to.x&key=%C3%9Cber/one", "d"},  // archived ones too
        {"externalId=ext_e-1", "a"},
        {"linkId=a&externalId=ext_e-1&domain=go.x&key=One", "a"},
        {"linkId=b&externalId=ext_e-1", ""},
        {"domain=go.x&key=one", ""},
        {"linkId=A", ""},
        {"linkId=z", ""},  // of another workspace
    };
    for (const auto& [query, id] : table) {
        const response answer = api.get("/links/info?" + std::string(query));
        if (!id.empty()) {
            CHECK_MESSAGE(answer.body.starts_with("{\"id\":\"" + std::string(id) + "\","), query);
            CHECK(answer.header_value("link").empty());
        } else {
            CHECK_MESSAGE(answer.status == 404, query);
            CHECK(answer.body.find(R"("code":"not_found","message":"no such record)") !=
                  std::string::npos);
        }
    }
}

TEST_CASE("an answer has an entity tag, which a copy of it answers with 304") {
    link_service api;
    for (const std::string target :
         {"/links?search=ALPHA", "/links/count?groupBy=domain", "/links/info?linkId=a"}) {
        const response first = api.get(target);
        const std::string etag(first.header_value("etag"));
        const auto again = [&](const std::string& of) {
            return api.get(of, "all", now, {{"if-none-match", etag}}).status;
        };
        CHECK(again(target) == 304);
        CHECK(again(target + "&unknown=1") == 304);
        add_link(api.store, {.id = target, .domain = "new.x", .key = target, .url = "https://x/"});
        CHECK(again(target) == 304);
        api.store.publish();
        CHECK(again(target) == 200);
    }
    const std::string etag(api.get("/links?search=ALPHA&tagIds=a,b").header_value("etag"));
    CHECK(api.get("/links?search=alpha&tagIds=b&tagIds=a,b&showArchived=false")
              .header_value("etag") == etag);
    CHECK(api.get("/links?search=alpha&tagId=a").header_value("etag") ==
          api.get("/links?search=alpha&tagIds=a").header_value("etag"));
}

TEST_CASE("links are counted on request, and lists lead on by cursors") {
    link_service api;
    const response page = api.get("/links?showArchived=true&startingAfter=d&pageSize=2&count=true");
    CHECK(page.header_value("x-total-count") == "6");
    const auto beside = links_of(page);
    CHECK(beside.at("first").find("page=1") != std::string::npos);
    for (const auto& [relation, target] : beside) {
        CHECK(target.find("startingAfter") == std::string::npos);
        CHECK(target.find("pageSize=2") != std::string::npos);
    }
    CHECK(ids_in(api.get(beside.at("next")).body) == id_list{"e", "link_1"});
    CHECK(ids_in(api.get(beside.at("prev")).body) == id_list{"b", "d"});
    CHECK(api.get("/links?pageSize=1").header_value("x-total-count").empty());
    const std::string next = links_of(api.get("/links?pageSize=1")).at("next");
    CHECK(api.get(next + "&search=x").status == 422);  // of other filters
    CHECK(api.get(next + "&startingAfter=a").status == 422);
    CHECK(api.get(next + "&page=1").status == 400);
    CHECK(links_of(api.get("/links?search=alpha")).size() == 1);
}

TEST_CASE("cursors neither repeat nor skip a link while others come, in both directions") {
    service api(make_options(), 0);
    std::mt19937 random(3);
    int added = 0;
    const auto add = [&](int count) {
        for (int i = 0; i < count; ++i) {
            const std::string id = "l" + std::to_string(added++);
            add_link(api.store, {.id = id,
                                 .domain = "go.x",
                                 .key = id,
                                 .url = "https://x/",
                                 .created_at = static_cast<std::int64_t>(random() % 20)});
        }
        api.store.publish();
    };
    add(60);
    id_list before = ids_in(api.get("/links?pageSize=100").body);
    const auto check = [&](const id_list& walked) {
        const std::set<std::string> all(walked.begin(), walked.end());
        CHECK(all.size() == walked.size());  // none twice
        id_list known;
        for (const std::string& id : walked) {
            if (std::ranges::find(before, id) != before.end()) known.push_back(id);
        }
        CHECK(known == before);  // none skipped, in order
    };
    check(walk(api, "/links?pageSize=7", "next", [&] { add(2); }));
    before = ids_in(api.get("/links?pageSize=100").body);
    std::string last = "/links?endingBefore=" + before.back() + "&pageSize=7";
    id_list back{before.back()};
    while (true) {
        const response answer = api.get(last);
        const id_list ids = ids_in(answer.body);
        back.insert(back.begin(), ids.begin(), ids.end());
        const auto links = links_of(answer);
        if (!links.contains("prev")) break;
        last = links.at("prev");
        add(2);
    }
    check(back);
}

TEST_CASE("lists need their permission, and count against the quota of a minute") {
    link_service api;
    const std::vector<std::pair<std::string, std::string>> table{
        {"/links", "links.read"},         {"/links/count", "links.read"},
        {"/links/info", "links.read"},    {"/domains", "domains.read"},
        {"/customers", "customers.read"}, {"/folders", "folders.read"}};
    for (const auto& [path, permission] : table) {
        CHECK(find_route(path)->permission == permission);
        CHECK(api.get(path, "analyst").status == 403);
        CHECK(api.get(path, "nobody").status == 401);
        const response answer = api.get(path, "free");
        CHECK(answer.header_value("x-ratelimit-limit") == "60");
        CHECK(answer.status == (path == "/links/info" ? 400 : 200));
    }
    CHECK(api.get("/folders", "free").header_value("x-ratelimit-remaining") == "53");
}

TEST_CASE("a workspace without records lists nothing") {
    service api(make_options(), 0);
    for (const std::string path : {"/links", "/domains", "/customers", "/folders", "/tags"}) {
        CHECK(api.get(path, "lost").body == "[]");
    }
    CHECK(api.get("/links/count", "lost").body == "0");
    CHECK(api.get("/links/info?linkId=link_1", "lost").status == 404);
}
