// SPDX-License-Identifier: MIT
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <simdjson.h>

#include <sluice/reference/records/record_writer.hpp>
#include <sluice/reference/service/key_file.hpp>

#include "../reference/make_service.hpp"

// Compiled with a copy of the headers to which add_endpoint.cmake has added `GET /short-links`.

using namespace sluice_tests;
using simdjson::dom::element;

namespace {

struct listed_link {
    std::string id, domain;
    std::optional<std::string> folder;
};

/// Links in no order, on three domains, in two folders or in none.
std::vector<listed_link> make_links() {
    std::vector<listed_link> links;
    for (int number = 0; number < 60; ++number) {
        const std::string id = "link_" + std::to_string(100 + number * 37 % 60);
        links.push_back(
            {id, std::string("go.abc.example").replace(3, 3, 3, "abc"[number % 3]),
             number % 4 < 2 ? std::optional("fold_" + std::to_string(number % 4)) : std::nullopt});
    }
    return links;
}

api_key make_links_key(std::string_view token, plan subscribed, std::string_view permission,
                       std::string_view workspace_id = "ws_1") {
    api_key key = make_key(token, subscribed, {std::string(permission)});
    key.workspace_id = workspace_id;
    return key;
}

/// A handler over links of one workspace, and one of another.
class links_service {
public:
    explicit links_service(const handler_options& options = make_options()) {
        for (const listed_link& entry : links) add(entry, "ws_1");
        add({"link_other", "go.aaa.example", std::nullopt}, "ws_2");
        store.publish();
        key_ring keys;
        REQUIRE(keys.add(make_links_key("reader", plan::advanced, "short-links.read")));
        REQUIRE(keys.add(make_links_key("free", plan::free, "short-links.read")));
        REQUIRE(keys.add(make_links_key("librarian", plan::business, "tags.read")));
        REQUIRE(keys.add(make_links_key("other", plan::free, "short-links.read", "ws_2")));
        handler_.emplace(store, std::move(keys), zones_, options);
    }

    void add(const listed_link& added, std::string_view workspace_id) {
        auto link = make_link(added.id);
        link.domain = added.domain;
        link.folder_id = added.folder;
        link.workspace_id = workspace_id;
        REQUIRE(store.add(link));
        if (added.id != "link_100") return;
        sluice::detail::json_writer json(first);
        write_record(json, link, workspace_id);
    }
    [[nodiscard]] response get(std::string_view target, std::string_view token = "reader",
                               std::vector<name_value> headers = {}) {
        const std::string credentials = "Bearer " + std::string(token);
        headers.push_back({"Authorization", credentials});
        return handler_->handle({.target = target, .headers = headers}, now);
    }
    /// The links of a list and of all that follow, by the links of each.
    [[nodiscard]] id_list walk(std::string target) {
        id_list all;
        while (true) {
            const response answer = get(target);
            REQUIRE(answer.status == 200);
            std::ranges::move(ids_in(answer.body), std::back_inserter(all));
            const auto beside = links_of(answer);
            if (!beside.contains("next")) return all;
            target = beside.at("next");
        }
    }
    /// Returns the links that a loop over all of them finds.
    template <class Holds>
    [[nodiscard]] id_list where(Holds holds) const {
        id_list ids;
        for (const listed_link& entry : links) {
            if (holds(entry)) ids.push_back(entry.id);
        }
        std::ranges::sort(ids);
        return ids;
    }

    const std::vector<listed_link> links = make_links();
    event_store store{"ws_1"};
    std::string first;  // of the links by their IDs, as records are written

private:
    time_zone_database zones_{{time_zone::utc()}};
    std::optional<handler> handler_;
};

}  // namespace

TEST_CASE("an added list has the rows of its filters, whatever its pages") {
    links_service api;
    const std::pair<std::string, bool (*)(const listed_link&)> table[] = {
        {"", [](const listed_link&) { return true; }},
        {"&domain=GO.AAA.example", [](const auto& l) { return l.domain == "go.aaa.example"; }},
        {"&domain=-go.aaa.example", [](const auto& l) { return l.domain != "go.aaa.example"; }},
        {"&folderId=fold_1", [](const auto& l) { return l.folder == "fold_1"; }},
        {"&folderId=-fold_1,fold_0", [](const auto& l) { return !l.folder; }},
        {"&folderId=-fold_1&domain=go.bbb.example,go.ccc.example",
         [](const auto& l) { return l.folder != "fold_1" && l.domain != "go.aaa.example"; }},
        {"&folderId=fold_9", [](const auto&) { return false; }},
    };
    for (const auto& [filters, holds] : table) {
        CAPTURE(filters);
        const id_list expected = api.where(holds);
        for (const std::string size : {"1", "7", "100"}) {
            CHECK(api.walk("/short-links?pageSize=" + size + filters) == expected);
        }
        const response counted = api.get("/short-links?count=true&pageSize=1" + filters);
        CHECK(counted.header_value("x-total-count") == std::to_string(expected.size()));
    }
}

TEST_CASE("an added list's pages lead to those beside them, by number and by place") {
    links_service api;
    const id_list all = api.where([](const listed_link&) { return true; });
    const response third = api.get("/short-links?pageSize=10&page=3");
    CHECK(ids_in(third.body) == id_list(all.begin() + 20, all.begin() + 30));
    const auto beside = links_of(third);
    CHECK(beside.at("first") == "/short-links?pageSize=10&page=1");
    CHECK(ids_in(api.get(beside.at("prev")).body) == id_list(all.begin() + 10, all.begin() + 20));
    CHECK(ids_in(api.get(beside.at("next")).body) == id_list(all.begin() + 30, all.begin() + 40));
    CHECK(api.get("/short-links?page=9223372036854775807").body == "[]");
    CHECK(api.get("/short-links?pageSize=1").body == "[" + api.first + "]");
    REQUIRE(api.store.add(make_link("link_0")));  // before the rows that come
    api.store.publish();
    CHECK(ids_in(api.get(beside.at("next")).body) == id_list(all.begin() + 30, all.begin() + 40));
}

TEST_CASE("an added list refuses what any list refuses") {
    links_service api;
    const std::string next = links_of(api.get("/short-links?pageSize=1")).at("next");
    const std::string cursor = next.substr(next.find("cursor="));
    const struct {
        std::string query;
        int status;
        std::string_view message;
    } table[] = {
        {"page=0", 422, "page: too small, expected a whole number of at least 1"},
        {"pageSize=101", 422, "pageSize: too large, expected a whole number from 1 to 100"},
        {"domain=a&domain=-b", 400, "domain: "},
        {"folderId=--a", 400, "folderId: "},
        {"page=1&" + cursor, 400, "cursor: given together with a page number"},
        {"domain=a&" + cursor, 422, "cursor: made for another order or other filters"},
    };
    for (const auto& [query, status, message] : table) {
        CAPTURE(query);
        const response answer = api.get("/short-links?" + query);
        CHECK(answer.status == status);
        CHECK(answer.body.find("\"message\":\"" + std::string(message)) != std::string::npos);
    }
    handler_options strict = make_options();
    strict.strict_parameters = true;
    const response unknown = links_service(strict).get("/short-links?foldrId=a");
    CHECK(unknown.status == 400);
    CHECK(unknown.body.find("did you mean 'folderId'?") != std::string::npos);
}

TEST_CASE("an added list needs its permission and counts against the quota of its row") {
    links_service api;
    CHECK(api.get("/short-links", "nobody").status == 401);
    CHECK(api.get("/short-links", "librarian").status == 403);
    for (int left = 59; left >= 0; --left) {
        const response answer = api.get("/short-links", "free");
        CHECK(answer.status == 200);
        CHECK(answer.header_value("x-ratelimit-remaining") == std::to_string(left));
    }
    CHECK(api.get("/short-links", "free").status == 429);
    CHECK(api.get("/short-links", "other").body.starts_with(R"([{"id":"link_other",)"));
    CHECK(ids_in(api.get("/short-links", "other").body).size() == 1);
}

TEST_CASE("a client that has an added list's page is told so, until there are more") {
    links_service api;
    const std::string etag(api.get("/short-links?domain=a,b").header_value("etag"));
    REQUIRE(!etag.empty());
    const auto again = [&](std::string_view target) {
        return api.get(target, "reader", {{"If-None-Match", etag}}).status;
    };
    CHECK(again("/short-links?domain=b,a,A") == 304);
    CHECK(again("/short-links?domain=a") == 200);
    CHECK(again("/tags") == 403);
    api.add({"link_new", "a", std::nullopt}, "ws_1");
    api.store.publish();
    CHECK(again("/short-links?domain=a,b") == 200);
}

TEST_CASE("an added list is in the OpenAPI document, and its permission in key files") {
    simdjson::dom::parser parser;
    const std::string text = openapi_document({}, routes);
    const element document = parser.parse(text);
    const element described = document["paths"]["/short-links"]["get"];
    CHECK(described["operationId"].get_string().value() == "listShortLinks");
    CHECK(described["summary"].get_string().value() == "Short links; needs short-links.read");
    id_list names;
    for (const element parameter : described["parameters"].get_array()) {
        names.emplace_back(parameter["name"].get_string().value());
    }
    CHECK(names == id_list{"domain", "folderId", "page", "pageSize", "cursor", "count"});
    CHECK(described.at_pointer("/responses/200/content/application~1json/schema/items/$ref")
              .get_string()
              .value() == "#/components/schemas/Link");
    CHECK(described["responses"]["429"].error() == simdjson::SUCCESS);

    CHECK(id_list(permission_names.begin(), permission_names.end()) ==
          id_list{"analytics.read", "tags.read", "links.read", "domains.read", "customers.read",
                  "folders.read", "short-links.read"});
    const std::string before = R"([{"sha256":")" + std::string(64, 'a') +
                               R"(","workspaceId":"ws_1","plan":"pro","permissions":[")";
    CHECK(parse_keys(before + R"(short-links.read"]}])"));
    CHECK(message(parse_keys(before + R"(short-link.read"]}])").error()) ==
          "key 0: permissions: not one of the accepted values (did you mean 'short-links.read'?), "
          "expected analytics.read, tags.read, links.read, domains.read, customers.read, "
          "folders.read or short-links.read");
}
