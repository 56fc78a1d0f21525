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

constexpr std::string_view app_origin = "https://app.example";

service make_api(std::vector<std::string> origins = {"https://other.example",
                                                     std::string(app_origin)}) {
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
    return std::ranges::any_of(answer.headers, [](const header& sent) {
        return sent.name.starts_with("access-control-");
    });
}

}  // namespace

TEST_CASE("pages of a told origin may ask, and read the answers and their headers") {
    service api = make_api();
    for (const route& endpoint : routes) {
        CAPTURE(endpoint.path);
        const response allowed = preflight(api, endpoint.path, app_origin);
        CHECK(allowed.status == 204);
        CHECK(allowed.body.empty());
        CHECK(allowed.header_value("content-length").empty());
        CHECK(allowed.header_value("access-control-allow-origin") == app_origin);
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
        const response answer = api.get(target, token, now, {{"origin", app_origin}});
        CHECK(answer.header_value("access-control-allow-origin") == app_origin);
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
    CHECK_FALSE(
        has_cors(api.get("/tags", "all", now, {{"origin", app_origin}, {"origin", app_origin}})));
    CHECK_FALSE(has_cors(api.get("/tags")));
}

TEST_CASE("a preflight asks for a method, on a path that is there, over https") {
    service api = make_api();
    CHECK(preflight(api, "/nowhere", app_origin).status == 404);
    const std::vector<name_value> headers{{"origin", app_origin}};
    CHECK(api.handle({.method = "OPTIONS", .target = "/tags", .headers = headers}).status == 404);
    const std::vector<name_value> asks{{"origin", app_origin},
                                       {"access-control-request-method", "GET"}};
    CHECK(api.handle({.method = "OPTIONS", .target = "/tags", .headers = asks, .scheme = "http"})
              .status == 403);
}

TEST_CASE("a server that was told no origin answers nobody's preflight") {
    service api = make_api({});
    CHECK(preflight(api, "/tags", app_origin).status == 404);
    const response answer = api.get("/tags", "all", now, {{"origin", app_origin}});
    CHECK_FALSE(has_cors(answer));
    CHECK(answer.header_value("vary") == "authorization");
}

TEST_CASE("pages of any origin may ask where the server was told so") {
    service api = make_api({std::string(any_origin)});
    const response allowed = preflight(api, "/tags", "https://any.example");
    CHECK(allowed.status == 204);
    CHECK(allowed.header_value("access-control-allow-origin") == "*");
    for (const std::string_view origin : {"https://any.example", "null"}) {
        const response answer = api.get("/tags", "nobody", now, {{"origin", origin}});
        CHECK(answer.status == 401);
        CHECK(answer.header_value("access-control-allow-origin") == "*");
        CHECK(answer.header_value("vary") == "authorization, origin");
    }
    CHECK_FALSE(has_cors(api.get("/tags")));
}

TEST_CASE("a preflight uses no quota") {
    service api = make_api();
    const std::vector<name_value> headers{{"origin", app_origin},
                                          {"authorization", "Bearer enterprise"},
                                          {"access-control-request-method", "GET"}};
    for (int i = 0; i < 10; ++i) {
        const response allowed =
            api.handle({.method = "OPTIONS", .target = "/tags", .headers = headers});
        CHECK(allowed.status == 204);
        CHECK(allowed.header_value("x-ratelimit-limit").empty());
    }
    CHECK(api.get("/tags", "enterprise").header_value("x-ratelimit-remaining") == "4");
}

TEST_CASE("a refusal of the server's own has what pages need to read it") {
    const std::vector<std::string> origins{std::string(app_origin)};
    const std::vector<name_value> from_allowed{{"Origin", app_origin}},
        from_other{{"Origin", "https://x"}};
    const auto headers = cors_headers_of_refusal({.target = {}, .headers = from_allowed}, origins);
    CHECK(headers.at(0) == header{"vary", "origin"});
    CHECK(headers.at(1) == header{"access-control-allow-origin", std::string(app_origin)});
    CHECK(headers.at(2).name == "access-control-expose-headers");
    CHECK(cors_headers_of_refusal({.target = {}, .headers = from_other}, origins) ==
          std::vector<header>{{"vary", "origin"}});
    CHECK(cors_headers_of_refusal({.target = {}, .headers = from_allowed}, {}).empty());
}

TEST_CASE("origins are read as browsers send them") {
    for (const std::string list :
         {"*", "https://app.example", "http://localhost:3000", "https://a.example,http://b.example",
          "https://xn--bcher-kva.example", "http://127.0.0.1:8080", "http://[::1]:8080",
          "https://[2001:db8::1]", "chrome-extension://abcdef", "https://a_b.example:65535"}) {
        CAPTURE(list);
        const auto origins = parse_origins(list);
        REQUIRE(origins);
        std::string joined;
        for (const std::string& origin : *origins) joined += (joined.empty() ? "" : ",") + origin;
        CHECK(joined == list);
    }
    struct bad {
        std::string_view list;
        std::uint32_t offset, length;
    };
    const std::vector<bad> table{
        {"", 0, 0},
        {",", 0, 0},
        {"https://a.example,", 18, 0},
        {"https://a.example, https://b.example", 18, 18},
        {"https://a.example,b.example", 18, 9},
        {"app.example", 0, 11},
        {"null", 0, 4},
        {"**", 0, 2},
        {"https://*.example", 0, 17},
        {"https://", 0, 8},
        {"://a.example", 0, 12},
        {"https:/a.example", 0, 16},
        {"https://a.example/", 0, 18},
        {"https://a.example/x", 0, 19},
        {"https://a.example?x", 0, 19},
        {"https://u@a.example", 0, 19},
        {"https://A.example", 0, 17},
        {"HTTPS://a.example", 0, 17},
        {"https://b\xC3\xBC.example", 0, 19},
        {"https://a.example:443", 0, 21},
        {"http://a.example:80", 0, 19},
        {"https://a.example:", 0, 18},
        {"https://a.example:080", 0, 21},
        {"https://a.example:65536", 0, 23},
        {"https://a.example:x", 0, 19},
        {"https://[::1", 0, 12},
        {"https://[::1]x", 0, 14},
        {"https://[]", 0, 10},
        {"https://[::G]", 0, 13},
    };
    for (const bad& entry : table) {
        CAPTURE(entry.list);
        const auto refused = parse_origins(entry.list);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().broken == rule::field_value);
        CHECK(refused.error().param == "cors");
        CHECK(refused.error().offset == entry.offset);
        CHECK(refused.error().length == entry.length);
        CHECK(message(refused.error()).find("such as https://app.example") != std::string::npos);
    }
}
