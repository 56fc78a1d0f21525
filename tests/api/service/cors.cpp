// SPDX-License-Identifier: MIT
#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "../make_service.hpp"

using namespace sluice_tests;

namespace {

constexpr std::string_view told = "https://app.example";

service make_api(std::vector<std::string> origins = {"https://other.example", std::string(told)}) {
    handler_options options = make_options();
    options.cors_origins = std::move(origins);
    return service(options);
}

response preflight(service& api, std::string_view target, std::string_view origin) {
    const std::vector<name_value> headers{{"Origin", origin},
                                          {"Access-Control-Request-Method", "GET"},
                                          {"Access-Control-Request-Headers", "authorization"}};
    return api.handle({.method = "OPTIONS", .target = target, .headers = headers});
}

bool has_cors(const response& answer) {
    return std::ranges::any_of(answer.headers, [](const header& each) {
        return each.name.starts_with("access-control-");
    });
}

}  // namespace

TEST_CASE("pages of a told origin may ask, and read the answers and their headers") {
    service api = make_api();
    for (const route& each : routes) {
        CAPTURE(each.path);
        const response allowed = preflight(api, each.path, told);
        CHECK(allowed.status == 204);
        CHECK(allowed.body.empty());
        CHECK(allowed.header_value("content-length").empty());
        CHECK(allowed.header_value("access-control-allow-origin") == told);
        CHECK(allowed.header_value("access-control-allow-methods") == "GET, HEAD");
        CHECK(allowed.header_value("access-control-allow-headers").starts_with("authorization"));
        CHECK(allowed.header_value("access-control-max-age") == "7200");
        CHECK(allowed.header_value("vary") == "authorization, origin");
    }
    for (const auto& [target, token] :
         std::vector<std::pair<std::string_view, std::string_view>>{{"/tags", "all"},
                                                                    {"/tags?page=0", "all"},
                                                                    {"/tags", "nobody"},
                                                                    {"/nowhere", "all"},
                                                                    {"/healthz", "nobody"}}) {
        CAPTURE(target);
        const response answer = api.get(target, token, now, {{"origin", told}});
        CHECK(answer.header_value("access-control-allow-origin") == told);
        const std::string_view exposed = answer.header_value("access-control-expose-headers");
        for (const char* name : {"etag", "link", "retry-after", "x-ratelimit-remaining"}) {
            CHECK(exposed.find(name) != std::string_view::npos);
        }
        CHECK(answer.header_value("vary") == "authorization, origin");
    }
}

TEST_CASE("pages of other origins get no leave") {
    service api = make_api();
    for (const std::string_view origin :
         {"https://app.example.evil", "https://app.exampl", "http://app.example",
          "https://app.example:8443", "HTTPS://APP.EXAMPLE", "null", "*", ""}) {
        CAPTURE(origin);
        const response refused = preflight(api, "/tags", origin);
        CHECK(refused.status == 404);
        CHECK(refused.header_value("allow") == "GET, HEAD, OPTIONS");
        CHECK_FALSE(has_cors(refused));
        const response answer = api.get("/tags", "all", now, {{"origin", origin}});
        CHECK(answer.status == 200);
        CHECK_FALSE(has_cors(answer));
        CHECK(answer.header_value("vary") == "authorization, origin");
    }
    CHECK_FALSE(has_cors(api.get("/tags", "all", now, {{"origin", told}, {"origin", told}})));
    CHECK_FALSE(has_cors(api.get("/tags")));
}

TEST_CASE("a preflight asks for a method, on a path that is there, over https") {
    service api = make_api();
    CHECK(preflight(api, "/nowhere", told).status == 404);
    const std::vector<name_value> headers{{"origin", told}};
    CHECK(api.handle({.method = "OPTIONS", .target = "/tags", .headers = headers}).status == 404);
    const std::vector<name_value> asks{{"origin", told}, {"access-control-request-method", "GET"}};
    CHECK(api.handle({.method = "OPTIONS", .target = "/tags", .headers = asks, .scheme = "http"})
              .status == 403);
}

TEST_CASE("a server that was told no origin answers nobody's preflight") {
    service api = make_api({});
    CHECK(preflight(api, "/tags", told).status == 404);
    const response answer = api.get("/tags", "all", now, {{"origin", told}});
    CHECK_FALSE(has_cors(answer));
    CHECK(answer.header_value("vary") == "authorization");
}
