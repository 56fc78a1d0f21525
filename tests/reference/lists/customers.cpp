// SPDX-License-Identifier: MIT
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/reference/service/record_lists.hpp>

#include "../make_service.hpp"

using namespace sluice_tests;

namespace {

/// A service with customers, folders and domains, and some of another workspace.
class record_service : public service {
public:
    record_service() : service(make_options(), 2) {
        const auto add = [&](customer added, std::int64_t created_at) {
            added.created_at = at_ms(created_at);
            REQUIRE(store.add(added));
        };
        add({.id = "c1",
             .external_id = "u-1",
             .name = "Zoë",
             .email = "zoe@x.example",
             .country = "US"},
            30);
        add({.id = "c2", .external_id = "u-2", .name = "Ångström", .country = "de"}, 10);
        add({.id = "c3", .external_id = "c1", .email = "Zoe@x.example", .country = "US"}, 30);
        add({.id = "c4", .external_id = "u-4"}, 20);
        add({.id = "c9", .external_id = "u-1", .email = "zoe@x.example", .workspace_id = "ws_2"},
            1);
        auto other = make_link("link_2");
        REQUIRE(store.add(other));
        add_click(now);
        REQUIRE(store.add(make_lead("e1", 10, "c1", "1000000", "link_1")));
        REQUIRE(store.add(make_lead("e2", 11, "c1", "1000001", "link_1")));
        REQUIRE(store.add(make_sale("e3", 12, "c4", "1000001", "link_1")));
        REQUIRE(store.add(make_sale("e4", 13, "c2", "1000001", "link_2")));
        for (const auto& [id, name] :
             {std::pair("f1", "spring"), {"f2", "Été"}, {"f3", "spring"}, {"f4", "Autumn"}}) {
            REQUIRE(store.add(folder{.id = id, .name = name, .created_at = now}));
        }
        REQUIRE(store.add(folder{.id = "f9", .name = "spring", .workspace_id = "ws_2"}));
        const auto add_domain = [&](std::string_view id, std::string_view slug, bool archived,
                                    std::int64_t created_at) {
            REQUIRE(store.add(domain{
                .id = id, .slug = slug, .archived = archived, .created_at = at_ms(created_at)}));
        };
        add_domain("d1", "go.x", false, 5);
        add_domain("d2", "To.x", true, 9);
        add_domain("d3", "lone.x", false, 7);
        for (const auto& [id, name, at] : {std::tuple("k1", "GO.x", 1),
                                           {"k2", "sub.x", 8},
                                           {"k3", "Sub.x", 3},
                                           {"k4", "to.x", 2}}) {
            auto link = make_link(id);
            link.domain = name;
            link.created_at = at_ms(at);
            REQUIRE(store.add(link));
        }
        store.publish();
    }
    void check(const std::vector<std::pair<std::string, id_list>>& table) {
        for (const auto& [target, expected] : table) {
            const response answer = get(target);
            REQUIRE_MESSAGE(answer.status == 200, target << answer.body);
            CHECK_MESSAGE(ids_in(answer.body) == expected, target);
        }
    }
    void check_errors(const std::vector<std::tuple<std::string, std::string, int>>& table) {
        for (const auto& [target, param, status] : table) {
            const response answer = get(target);
            CHECK_MESSAGE(answer.status == status, target << answer.body);
            CHECK_MESSAGE(answer.body.find("\"message\":\"" + param + ": ") != std::string::npos,
                          target << answer.body);
        }
    }
};

}  // namespace

TEST_CASE("customers are listed from the newest on, of those that a request takes") {
    record_service api;
    api.check({
        {"/customers", {"c3", "c1", "c4", "c2"}},
        {"/customers?sortBy=createdAt&sortOrder=asc", {"c2", "c4", "c1", "c3"}},
        {"/customers?email=zoe@x.example", {"c1"}},
        {"/customers?email=zoe@x.example,Zoe@x.example", {}},
        {"/customers?externalId=c1", {"c3"}},
        {"/customers?externalId=u-1&email=zoe@x.example", {"c1"}},
        {"/customers?country=us", {"c3", "c1"}},
        {"/customers?country=DE", {"c2"}},
        {"/customers?country=nowhere", {}},
        {"/customers?search=ZOE", {"c3", "c1"}},
        {"/customers?search=ZOË", {"c1"}},
        {"/customers?search=ångSTR", {"c2"}},
        {"/customers?search=C1", {"c3", "c1"}},  // an id, and an id of one's own
        {"/customers?search=u-", {"c1", "c4", "c2"}},
        {"/customers?search=US", {}},
        {"/customers?linkId=link_1", {"c1", "c4"}},
        {"/customers?linkId=link_2", {"c2"}},
        {"/customers?linkId=link_1&country=US", {"c1"}},
        {"/customers?linkId=link_1&search=u-4", {"c4"}},
        {"/customers?linkId=k1", {}},
        {"/customers?linkId=nowhere", {}},
        {"/customers?startingAfter=c1", {"c4", "c2"}},
        {"/customers?startingAfter=c1&linkId=link_1", {"c4"}},
        {"/customers?startingAfter=c2&sortOrder=asc&pageSize=2", {"c4", "c1"}},
        {"/customers?endingBefore=c4", {"c3", "c1"}},
        {"/customers?endingBefore=c9", {}},
        {"/customers?pageSize=3&page=2", {"c2"}},
        {"/customers?includeExpandedFields=false", {"c3", "c1", "c4", "c2"}},
    });
    CHECK(api.get("/customers?linkId=link_2").body ==
          R"([{"id":"c2","externalId":"u-2","name":"Ångström","email":null,"avatar":null,)"
          R"("country":"de","createdAt":"1970-01-01T00:00:00.010Z"}])");
    CHECK(api.get("/customers?linkId=link_1&pageSize=1&count=true").header_value("x-total-count") ==
          "2");
    api.check_errors({
        {"/customers?sortBy=saleAmount", "sortBy", 422},
        {"/customers?sortOrder=down", "sortOrder", 422},
        {"/customers?pageSize=101", "pageSize", 422},
        {"/customers?startingAfter=a&endingBefore=b", "endingBefore", 422},
        {"/customers?page=1&startingAfter=a", "startingAfter", 422},
        {"/customers?email=a&email=b", "email", 400},
    });
}

TEST_CASE("a cursor of a link's customers is not one of another link's") {
    record_service api;
    const std::string next = links_of(api.get("/customers?linkId=link_1&pageSize=1")).at("next");
    CHECK(ids_in(api.get(next).body) == id_list{"c4"});
    std::string other = next;
    other.replace(other.find("link_1"), 6, "link_2");
    CHECK(api.get(other).status == 422);
}

TEST_CASE("a link's customers are those of the view, within the limits") {
    record_service api;
    const workspace_view view = api.store.find("ws_1")->current();
    REQUIRE(api.store.add(make_sale("e5", 14, "c3", "1000001", "link_2")));
    CHECK(customers_of(view, "link_2", {})->listed().size() == 1);
    api.store.publish();
    CHECK(customers_of(view, "link_2", {})->listed().size() == 1);
    CHECK(ids_in(api.get("/customers?linkId=link_2").body) == id_list{"c3", "c2"});
    std::stop_source gone;
    gone.request_stop();
    CHECK(customers_of(view, "link_2", {.stop = gone.get_token()}).error().broken ==
          rule::request_cancelled);
}

TEST_CASE("folders are listed by name") {
    record_service api;
    api.check({
        {"/folders", {"f4", "f1", "f3", "f2"}},  // by the order of code points
        {"/folders?search=SPR", {"f1", "f3"}},
        {"/folders?search=éTÉ", {"f2"}},
        {"/folders?search=x", {}},
        {"/folders?pageSize=3", {"f4", "f1", "f3"}},
        {"/folders?pageSize=3&page=2", {"f2"}},
    });
    CHECK(api.get("/folders?search=autumn").body ==
          R"([{"id":"f4","name":"Autumn","description":null,"type":"default","accessLevel":null,)"
          R"("createdAt":"2026-08-21T00:00:00.000Z","updatedAt":"1970-01-01T00:00:00.000Z"}])");
    api.check_errors({{"/folders?pageSize=51", "pageSize", 422}, {"/folders?page=0", "page", 422}});
    const std::string next = links_of(api.get("/folders?pageSize=2")).at("next");
    CHECK(ids_in(api.get(next).body) == id_list{"f3", "f2"});
}

TEST_CASE("domains are listed from the newest on, with those that only links name") {
    record_service api;
    api.check({
        {"/domains", {"d3", "d1", "dom_sub.x", "dom_go.example.com"}},
        {"/domains?archived=true", {"d2", "d3", "d1", "dom_sub.x", "dom_go.example.com"}},
        {"/domains?archived=TRUE&search=TO", {"d2"}},
        {"/domains?search=SUB", {"dom_sub.x"}},
        {"/domains?pageSize=1&page=2", {"d1"}},
        {"/domains?search=to.x", {}},
    });
    CHECK(api.get("/domains?search=sub").body ==
          R"([{"id":"dom_sub.x","slug":"sub.x","verified":false,"primary":false,"archived":false,)"
          R"("placeholder":null,"expiredUrl":null,"notFoundUrl":null,"logo":null,)"
          R"("createdAt":"1970-01-01T00:00:00.003Z","updatedAt":"1970-01-01T00:00:00.008Z",)"
          R"("registeredDomain":null}])");
    api.check_errors(
        {{"/domains?archived=", "archived", 400}, {"/domains?pageSize=51", "pageSize", 422}});
    CHECK(api.get("/domains?pageSize=1&count=true").header_value("x-total-count") == "4");
}

TEST_CASE("a batch that is undone leaves no record of any list") {
    record_service api;
    const std::string targets[]{"/customers", "/folders", "/domains?archived=true", "/links",
                                "/tags"};
    std::vector<std::string> before;
    for (const std::string& target : targets) before.push_back(api.get(target).body);
    const auto fill = [](event_store::batch& batch) {
        REQUIRE(batch.add(customer{.id = "c7", .external_id = "u-7"}));
        REQUIRE(batch.add(folder{.id = "f7", .name = "g"}));
        REQUIRE(batch.add(domain{.id = "d7", .slug = "new.x"}));
        REQUIRE(batch.add(make_link("k7")));
        REQUIRE(batch.add(make_tag("t7", "x")));
        CHECK(batch.add(folder{.id = "f7", .name = "h"}).error().broken == rule::identifier_taken);
    };
    {
        event_store::batch undone(api.store);
        fill(undone);
    }
    for (std::size_t at = 0; at < before.size(); ++at) {
        CHECK(api.get(targets[at]).body == before[at]);
    }
    event_store::batch kept(api.store);
    fill(kept);
    kept.publish();
    for (std::size_t at = 0; at < before.size(); ++at) {
        CHECK(ids_in(api.get(targets[at]).body).size() == ids_in(before[at]).size() + 1);
    }
}
