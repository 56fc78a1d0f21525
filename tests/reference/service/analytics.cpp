// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/reference/service/analytics.hpp>

#include "../make_service.hpp"

using namespace sluice_tests;
using std::chrono::hours;
using std::chrono::milliseconds;

TEST_CASE("analytics need the Pro plan, their permission and their quota") {
    service api;
    struct row {
        std::string_view key;
        int status;
        std::string_view limit;
    };
    const std::vector<row> table{{"free", 403, ""},        {"pro", 200, "2"},
                                 {"business", 200, "4"},   {"advanced", 200, "8"},
                                 {"enterprise", 200, "3"}, {"powerless-pro", 403, "2"},
                                 {"librarian", 403, "4"},  {"analyst", 200, "4"}};
    for (const row& of : table) {
        CAPTURE(of.key);
        const response answer = api.get("/analytics", of.key);
        CHECK(answer.status == of.status);
        if (!of.limit.empty()) CHECK(answer.header_value("x-ratelimit-limit") == of.limit);
    }
    CHECK(api.get("/events", "pro").status == 403);  // the second of a second
    CHECK(api.get("/analytics", "pro").status == 429);
    CHECK(api.get("/tags", "pro").status == 200);
    CHECK(api.get("/analytics", "lost").body ==
          R"({"clicks":0,"leads":0,"sales":0,"saleAmount":0})");
}

TEST_CASE("an answer of analytics has neither pages nor a count, and an entity tag") {
    service api;
    const response answer = api.get("/analytics?groupBy=countries");
    CHECK(answer.body == R"([{"country":"US","region":"*","city":"*",)"
                         R"("clicks":3,"leads":0,"sales":0,"saleAmount":0}])");
    CHECK(answer.header_value("content-type") == json_content_type);
    CHECK(answer.header_value("link").empty());
    CHECK(answer.header_value("x-total-count").empty());
    CHECK(api.get("/analytics?country=US,-CA").status == 400);
    CHECK(api.get("/analytics?groupBy=planets").status == 422);
    const std::string tag(answer.header_value("etag"));
    REQUIRE_FALSE(tag.empty());
    const auto status = [&](std::string_view target, instant at = now) {
        return api.get(target, "all", at, {{"If-None-Match", tag}}).status;
    };
    CHECK(status("/analytics?groupBy=countries") == 304);
    CHECK(status("/analytics?event=clicks&groupBy=countries&page=2") == 304);
    CHECK(status("/analytics?groupBy=countries", now + hours(1)) == 304);
    CHECK(status("/analytics?groupBy=countries", now + hours(30)) == 200);
    CHECK(status("/analytics?groupBy=os") == 200);
    CHECK(status("/analytics?groupBy=countries&event=composite") == 200);
    CHECK(status("/analytics?groupBy=countries&country=US") == 200);
    api.add_click(now - hours(1));
    api.store.publish();
    CHECK(status("/analytics?groupBy=countries") == 200);
}

TEST_CASE("the entity tag of a series changes with its buckets") {
    service api;
    const std::string target = "/analytics?groupBy=timeseries&timezone=";
    const std::string tag(api.get(target + "UTC").header_value("etag"));
    const auto status = [&](const std::string& zone, instant at) {
        return api.get(target + zone, "all", at, {{"If-None-Match", tag}}).status;
    };
    CHECK(status("utc", now) == 304);
    CHECK(status("UTC", now + hours(1) - milliseconds(1)) == 304);
    CHECK(status("UTC", now + hours(1)) == 200);
    CHECK(status("Pacific/Apia", now) == 200);
}

TEST_CASE("the document has each row of analytics once") {
    CHECK(analytics_schemas.size() == 25);
    CHECK(analytics_schemas.front() == "AnalyticsCount");
    const std::string document = openapi_document(make_options(), routes);
    for (const std::string_view schema : analytics_schemas) {
        CAPTURE(schema);
        const std::string name = "\"" + std::string(schema) + "\":";
        CHECK(document.find(name) != std::string::npos);
        CHECK(document.find(name, document.find(name) + 1) == std::string::npos);
    }
    CHECK(document.find("needs analytics.read and the Pro plan") != std::string::npos);
    CHECK(document.find("needs analytics.read and the Business plan") != std::string::npos);
}
