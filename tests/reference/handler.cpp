// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/reference/handler.hpp>

#include "make_service.hpp"

using namespace sluice_tests;
using std::chrono::milliseconds;

namespace {

/// The body of an error.
std::string refusal(std::string_view code, std::string_view message) {
    std::string anchor(code);
    std::ranges::replace(anchor, '_', '-');
    return R"({"error":{"code":")" + std::string(code) + R"(","message":")" + std::string(message) +
           R"(","doc_url":")" + std::string(docs) + "/api-reference/errors#" + anchor + R"("}})";
}

constexpr std::string_view insecure = "plain HTTP, use https";
constexpr std::string_view unknown_route =
    "unknown operation, expected a documented method and path";
constexpr std::string_view no_credentials =
    "missing credentials, send 'Authorization: Bearer <key>'";
constexpr std::string_view bad_credentials =
    "the key is unknown or has expired, send 'Authorization: Bearer <key>'";
constexpr std::string_view too_many = "too many requests, retry after the time in Retry-After";
constexpr std::string_view wrong_plan = "not in the workspace's plan, upgrade the plan";
constexpr std::string_view no_permission =
    "the key does not have the permission, use a key that has it";

std::set<std::string> header_names(const response& answer) {
    std::set<std::string> names;
    for (const header& sent : answer.headers) {
        CHECK(names.insert(sent.name).second);  // none is sent twice
    }
    return names;
}

const std::set<std::string> common_headers{"cache-control", "vary"};
const std::set<std::string> body_headers{"content-length", "content-type"};
const std::set<std::string> list_headers{"etag", "link"};
const std::set<std::string> rate_headers{"x-ratelimit-limit", "x-ratelimit-remaining",
                                         "x-ratelimit-reset"};

std::set<std::string> operator+(std::set<std::string> a, const std::set<std::string>& b) {
    a.insert(b.begin(), b.end());
    return a;
}

}  // namespace

TEST_CASE("the first gate that a request fails at answers, though it fails at all later ones") {
    service api;
    for (int i = 0; i < 2; ++i) {  // uses the quota of powerless-pro up
        REQUIRE(api.get("/events", "powerless-pro", now).status == 403);
    }
    struct row {
        std::string_view scheme, target, token;
        instant at;
        int status;
        std::string body;
    };
    const instant later = now + seconds{60};
    const std::vector<row> table{
        {"http", "/nowhere?limit=x", "", now, 403, refusal("forbidden", insecure)},
        {"https", "/nowhere?limit=x", "", now, 404, refusal("not_found", unknown_route)},
        {"https", "/events?limit=x", "", now, 401, refusal("unauthorized", no_credentials)},
        {"https", "/events?limit=x", "unknown", now, 401, refusal("unauthorized", bad_credentials)},
        {"https", "/events?limit=x", "expiring", now, 401,
         refusal("unauthorized", bad_credentials)},
        {"https", "/events?limit=x", "powerless-pro", now, 429,
         refusal("rate_limit_exceeded", too_many)},
        {"https", "/events?limit=x", "powerless-pro", later, 403, refusal("forbidden", wrong_plan)},
        {"https", "/events?limit=x", "powerless", later, 403, refusal("forbidden", no_permission)},
        {"https", "/events?limit=x", "analyst", later, 400,
         refusal("bad_request", "limit: not a number, expected a whole number from 1 to 1000")},
        {"https", "/events?limit=0", "analyst", later, 422,
         refusal("unprocessable_entity",
                 "limit: too small, expected a whole number from 1 to 1000")},
        {"https", "/tags?page=x", "powerless-pro", later, 403, refusal("forbidden", no_permission)},
        {"https", "/tags?page=x", "librarian", later, 400,
         refusal("bad_request", "page: not a number, expected a whole number of at least 1")},
        {"https", "/events?limit=1", "analyst", later + seconds{1}, 200, ""},
        {"https", "/tags", "librarian", later, 200, R"([{"id":"tag_1","name":"one"}])"},
    };
    for (const row& entry : table) {
        CAPTURE(entry.target);
        CAPTURE(entry.token);
        const std::string credentials = "Bearer " + std::string(entry.token);
        std::vector<name_value> headers;
        if (!entry.token.empty()) headers.push_back({"authorization", credentials});
        const response answer = api.handle(
            {.target = entry.target, .headers = headers, .scheme = entry.scheme}, entry.at);
        CHECK(answer.status == entry.status);
        if (!entry.body.empty()) CHECK(answer.body == entry.body);
    }
}

TEST_CASE("each response has the headers of its status") {
    service api;
    const auto names = [&](std::string_view target, std::string_view token,
                           std::vector<name_value> headers = {}) {
        return header_names(api.get(target, token, now, std::move(headers)));
    };
    const auto with_body = common_headers + body_headers;
    CHECK(names("/nowhere", "all") == with_body);
    CHECK(names("/events", "unknown") == with_body + std::set<std::string>{"www-authenticate"});
    CHECK(header_names(api.handle({.target = "/events", .scheme = "http"})) == with_body);
    CHECK(names("/events", "all") == with_body + rate_headers + list_headers);
    CHECK(names("/tags", "all") == with_body + rate_headers + list_headers);
    CHECK(names("/events", "all", {{"if-none-match", "*"}}) ==
          common_headers + rate_headers + std::set<std::string>{"etag"});
    for (const char* target : {"/events?limit=0", "/events?limit=x", "/tags?pageSize=101"}) {
        CHECK(names(target, "all") == with_body + rate_headers);
    }
    CHECK(names("/events", "free") == with_body + rate_headers);
    CHECK(names("/events", "pro") == with_body + rate_headers);
    CHECK(names("/tags", "powerless") == with_body + rate_headers);
    CHECK(names("/events", "pro") == with_body + rate_headers);
    CHECK(names("/events", "pro") ==
          with_body + rate_headers + std::set<std::string>{"retry-after"});
}

TEST_CASE("headers have their values") {
    service api;
    const response good = api.get("/events", "business", now + milliseconds{250});
    CHECK(good.header_value("content-type") == "application/json; charset=utf-8");
    CHECK(good.header_value("content-length") == std::to_string(good.body.size()));
    CHECK(good.header_value("cache-control") == "private");
    CHECK(good.header_value("vary") == "authorization");
    CHECK(good.header_value("x-ratelimit-limit") == "4");
    CHECK(good.header_value("x-ratelimit-remaining") == "3");
    const std::int64_t epoch = std::chrono::floor<seconds>(now).time_since_epoch().count();
    const auto reset = std::stoll(std::string(good.header_value("x-ratelimit-reset")));
    CHECK(reset >= epoch + 1);
    CHECK(reset <= epoch + 2);
    const std::string_view etag = good.header_value("etag");
    CHECK(etag.size() == 34);
    CHECK(etag.front() == '"');
    CHECK(etag.back() == '"');
    CHECK(api.get("/events", "nobody").header_value("www-authenticate") == "Bearer");
    const response refused = api.get("/events?limit=0", "business", now + milliseconds{250});
    CHECK(refused.header_value("x-ratelimit-remaining") == "2");
    CHECK(refused.header_value("content-length") == std::to_string(refused.body.size()));
}

TEST_CASE("credentials are one bearer token of a known key, else the answer is 401") {
    struct row {
        std::vector<name_value> headers;
        std::string_view message;  // empty: they are good
    };
    const std::vector<row> table{
        {{{"authorization", "Bearer all"}}, ""},
        {{{"AUTHORIZATION", "bearer all"}}, ""},
        {{{"x-other", "1"}, {"Authorization", "BEARER  all"}}, ""},
        {{}, no_credentials},
        {{{"x-authorization", "Bearer all"}}, no_credentials},
        {{{"authorization", "Bearer all"}, {"Authorization", "Bearer all"}}, no_credentials},
        {{{"authorization", "Bearer all"}, {"authorization", "Bearer other"}}, no_credentials},
        {{{"authorization", ""}}, bad_credentials},
        {{{"authorization", "all"}}, bad_credentials},
        {{{"authorization", "Basic all"}}, bad_credentials},
        {{{"authorization", "Bearer"}}, bad_credentials},
        {{{"authorization", "Bearer ALL"}}, bad_credentials},
        {{{"authorization", "Bearer all "}}, bad_credentials},
        {{{"authorization", "Bearer all, Bearer all"}}, bad_credentials},
        {{{"authorization", "Bearer top-secret-token"}}, bad_credentials},
    };
    service api;
    for (const row& entry : table) {
        const response answer = api.handle({.target = "/tags", .headers = entry.headers}, now);
        CHECK(answer.status == (entry.message.empty() ? 200 : 401));
        if (!entry.message.empty()) CHECK(answer.body == refusal("unauthorized", entry.message));
        CHECK(answer.body.find("top-secret-token") == std::string::npos);
    }
    CHECK(api.get("/tags?access_token=all", "").status == 401);
    CHECK(api.get("/tags", "expiring", now - milliseconds{1}).status == 200);
    CHECK(api.get("/tags", "expiring", now).status == 401);
}

TEST_CASE("requests of one key have one lane, apart from those of others") {
    const service api;
    const std::uint64_t lane = api.lane_of({{"authorization", "Bearer all"}});
    CHECK(lane != 0);
    CHECK(api.lane_of({{"x-other", "1"}, {"AUTHORIZATION", "bearer  all"}}) == lane);
    std::set<std::uint64_t> lanes{lane};
    for (const char* other : {"free", "business", "business-2", "expiring"}) {
        const std::string credentials = "Bearer " + std::string(other);
        CHECK(lanes.insert(api.lane_of({{"authorization", credentials}})).second);
    }
    CHECK(!lanes.contains(0));
    CHECK(api.lane_of({}) == 0);
    CHECK(api.lane_of({{"authorization", "Bearer unknown"}}) == 0);
    CHECK(api.lane_of({{"authorization", "Basic all"}}) == 0);
    CHECK(api.lane_of({{"authorization", "Bearer all"}, {"authorization", "Bearer all"}}) == 0);
}

TEST_CASE("a request is looked up once: it keeps its route and key") {
    service api;
    const std::vector<name_value> headers{{"authorization", "Bearer all"}};
    const request received{.target = "/tags?page=1", .headers = headers};
    const resolved_request resolved = api.answers().resolve(received);
    CHECK(resolved.route_label() == "/tags");
    api.answers().replace_keys({});
    CHECK(api.answers().handle(resolved, now).status == 200);
    CHECK(api.answers().handle(received, now).status == 401);
    CHECK(api.answers().resolve(received).route_label() == "/tags");
    CHECK(api.answers().resolve({.target = "/no\nwhere"}).route_label() == "other");
    CHECK(api.answers().resolve({.target = "-"}).route_label() == "other");
}

TEST_CASE("HTTPS is the connection's, or what a trusted proxy says") {
    struct row {
        bool behind_proxy;
        std::string_view scheme;
        std::vector<name_value> headers;
        int status;  // 401 once the scheme has passed
    };
    const std::vector<row> table{
        {false, "https", {}, 401},
        {false, "http", {}, 403},
        {false, "", {}, 403},
        {false, "http", {{"x-forwarded-proto", "https"}}, 403},
        {false, "https", {{"x-forwarded-proto", "http"}}, 401},
        {true, "http", {{"x-forwarded-proto", "https"}}, 401},
        {true, "http", {{"X-Forwarded-Proto", "HTTPS"}}, 401},
        {true, "http", {}, 403},
        {true, "http", {{"x-forwarded-proto", "http"}}, 403},
        {true, "http", {{"x-forwarded-proto", ""}}, 403},
        {true, "http", {{"x-forwarded-proto", "https, http"}}, 403},
        {true, "http", {{"x-forwarded-proto", "http, https"}}, 403},
        {true, "http", {{"x-forwarded-proto", "https"}, {"x-forwarded-proto", "http"}}, 403},
        {true, "http", {{"forwarded", "proto=https"}}, 403},
        {true, "https", {{"x-forwarded-proto", "http"}}, 403},
    };
    for (const row& entry : table) {
        handler_options options = make_options();
        options.behind_proxy = entry.behind_proxy;
        service api(options);
        const response answer = api.handle(
            {.target = "/events", .headers = entry.headers, .scheme = entry.scheme}, now);
        CHECK(answer.status == entry.status);
    }
}

TEST_CASE("other methods and paths are not found, whoever asks") {
    service api;
    const std::vector<name_value> headers{{"authorization", "Bearer all"}};
    for (const char* method : {"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT",
                               "get", "head", "GETS", ""}) {
        CAPTURE(method);
        for (const route& endpoint : routes) {
            const response answer =
                api.handle({.method = method, .target = endpoint.path, .headers = headers}, now);
            CHECK(answer.status == 404);
            CHECK(answer.body == refusal("not_found", unknown_route));
            CHECK(answer.header_value("allow") == "GET, HEAD");
        }
        const response nowhere =
            api.handle({.method = method, .target = "/nowhere", .headers = headers}, now);
        CHECK(nowhere.status == 404);
        CHECK(nowhere.header_value("allow").empty());
    }
    for (const char* target : {"",
                               "/",
                               "*",
                               "?",
                               "/?x",
                               "/events/",
                               "/tags/",
                               "/Events",
                               "/event",
                               "/eventss",
                               "//events",
                               "/events/click_1",
                               "/events%20",
                               "/%65vents",
                               "/events;x",
                               "/events#x",
                               "/../events",
                               "/v1/events",
                               "events",
                               "https://a.example/events",
                               "/analytics/",
                               "/openapi",
                               "/healthz/",
                               "/api-reference",
                               "/api-reference/errors/"}) {
        CAPTURE(target);
        CHECK(api.get(target).status == 404);
        CHECK(api.get(target, "nobody").status == 404);
    }
    for (const char* target : {"/events?", "/events?x", "/events?/tags", "/tags?a=?b", "/tags?"}) {
        CHECK(api.get(target).status == 200);
    }
}

TEST_CASE("the reference and the state of the service need no key, but https") {
    service api;
    const std::map<std::string_view, std::string_view> types{
        {"/openapi.json", "application/json; charset=utf-8"},
        {"/api-reference/errors", "text/html; charset=utf-8"},
        {"/healthz", "application/json; charset=utf-8"},
        {"/readyz", "application/json; charset=utf-8"}};
    for (const auto& [target, type] : types) {
        CAPTURE(target);
        const response answer = api.handle({.target = target});
        CHECK(answer.status == 200);
        CHECK(answer.header_value("content-type") == type);
        CHECK(answer.header_value("content-length") == std::to_string(answer.body.size()));
        const bool is_page = target == "/api-reference/errors";
        CHECK(header_names(answer) ==
              common_headers + body_headers +
                  (is_page ? std::set<std::string>{"etag"} : std::set<std::string>{}));
        CHECK(api.handle({.method = "HEAD", .target = target}).headers == answer.headers);
        CHECK(api.get(target, "nobody").body == answer.body);
        CHECK(api.handle({.target = target, .scheme = "http"}).status == 403);
    }
    CHECK(api.handle({.target = "/healthz"}).body == R"({"status":"ok"})");
    CHECK(api.handle({.target = "/api-reference/errors"}).body == error_page());
    CHECK(api.handle({.target = "/openapi.json"}).body == openapi_document({}, routes));
}

TEST_CASE("links of a handler that is mounted at a path start with it, or with its own address") {
    struct row {
        std::string_view base_url, mount, host;
        std::string_view links, docs, server;
    };
    const std::vector<row> rows{
        {"", "", "", "", "", "/"},
        {"", "", "a.example", "", "https://a.example", "/"},
        {"", "/v1/a%20b", "", "/v1/a%20b", "/v1/a%20b", "/v1/a%20b"},
        {"", "/v1", "a.example:1", "/v1", "https://a.example:1/v1", "/v1"},
        {"https://b/v2", "/v1", "a.example", "https://b/v2", "https://b/v2", "https://b/v2"},
    };
    for (const row& r : rows) {
        CAPTURE(r.base_url);
        CAPTURE(r.mount);
        CAPTURE(r.host);
        handler_options options = make_options();
        options.base_url = r.base_url;
        options.docs_url = {};
        service api(options, 5);
        std::vector<name_value> headers{{"authorization", "Bearer all"}};
        if (!r.host.empty()) headers.push_back({"host", r.host});
        const auto get = [&](std::string_view target) {
            return api.handle({.target = target, .headers = headers, .mount = r.mount});
        };
        const std::string links(r.links), pages(r.docs), server(r.server);
        for (const std::string_view list : {"/events?interval=all&limit=1", "/tags?pageSize=1"}) {
            const std::string path(list.substr(0, list.find('?')));
            const auto targets = links_of(get(list));
            CHECK(targets.contains("first"));
            for (const auto& [relation, target] : targets) {
                CAPTURE(relation);
                CHECK(target.starts_with(links + path + "?"));
            }
        }
        CHECK(get("/tags?page=0").body.find("\"doc_url\":\"" + pages + "/api-reference/errors#") !=
              std::string::npos);
        CHECK(get("/openapi.json").body.find("\"servers\":[{\"url\":\"" + server + "\"") !=
              std::string::npos);
    }
}

TEST_CASE("the page of errors is not sent to who has it") {
    service api;
    const std::string etag(api.handle({.target = "/api-reference/errors"}).header_value("etag"));
    for (const auto& [length, status] : std::vector<std::pair<std::string, int>>{
             {etag, 304}, {"\"x\", W/" + etag, 304}, {"*", 304}, {"\"x\"", 200}, {"", 200}}) {
        CAPTURE(length);
        const std::vector<name_value> headers{{"if-none-match", length}};
        const response answer = api.handle({.target = "/api-reference/errors", .headers = headers});
        CHECK(answer.status == status);
        CHECK(answer.header_value("etag") == etag);
        CHECK(answer.body.empty() == (status == 304));
    }
}

TEST_CASE("doc_url leads to the documentation, else to the page of errors on the server asked") {
    struct row {
        std::string docs_url, base_url, host, starts;
    };
    const std::vector<row> table{
        {"https://docs.example", "https://api.example", "a.example", "https://docs.example"},
        {"", "https://api.example/v", "a.example", "https://api.example/v"},
        {"", "", "a.example:8443", "https://a.example:8443"},
        {"", "", "[::1]:8443", "https://[::1]:8443"},
        {"", "", "a.example/\"><script>", ""},
        {"", "", "user@a.example", ""},
    };
    for (const row& entry : table) {
        CAPTURE(entry.host);
        handler_options options = make_options();
        options.docs_url = entry.docs_url;
        options.base_url = entry.base_url;
        service api(options);
        const std::vector<name_value> headers{{"Host", entry.host}};
        for (const char* scheme : {"https", "http"}) {
            const response answer =
                api.handle({.target = "/tags", .headers = headers, .scheme = scheme});
            const std::string_view code = answer.status == 401 ? "unauthorized" : "forbidden";
            CHECK(answer.body.find("\"doc_url\":\"" + entry.starts + "/api-reference/errors#" +
                                   std::string(code) + "\"") != std::string::npos);
        }
    }
    handler_options bare = make_options();
    bare.docs_url.clear();
    service api(bare);
    CHECK(api.handle({.target = "/tags"}).body.find("\"doc_url\":\"/api-ref") != std::string::npos);
}

TEST_CASE("HEAD is GET without the body") {
    for (const auto& [target, token] : std::vector<std::pair<std::string_view, std::string_view>>{
             {"/events", "all"},
             {"/events?end=2026-08-22&limit=1", "all"},
             {"/tags", "all"},
             {"/tags?page=x", "all"},
             {"/events", "free"},
             {"/events", "unknown"},
             {"/nowhere", "all"}}) {
        CAPTURE(target);
        const std::string credentials = "Bearer " + std::string(token);
        const std::vector<name_value> headers{{"authorization", credentials}};
        request question{.target = target, .headers = headers};
        const response full = service().handle(question);
        question.method = "HEAD";
        const response bare = service().handle(question);
        CHECK(bare.status == full.status);
        CHECK(bare.headers == full.headers);
        CHECK(bare.body.empty());
        CHECK(bare.header_value("content-length") == std::to_string(full.body.size()));
    }
    service api;
    const std::vector<name_value> headers{{"authorization", "Bearer pro"}};
    for (int i = 0; i < 2; ++i) {
        CHECK(api.handle({.method = "HEAD", .target = "/events", .headers = headers}).status ==
              403);
    }
    CHECK(api.get("/events", "pro").status == 429);
}

TEST_CASE("plans and permissions say who may ask what") {
    struct row {
        std::string_view token;
        int events, tags;
    };
    service api;
    for (const auto& [token, events, tags] :
         {row{"free", 403, 200}, row{"pro", 403, 200}, row{"business", 200, 200},
          row{"advanced", 200, 200}, row{"enterprise", 200, 200}, row{"powerless", 403, 403},
          row{"analyst", 200, 403}, row{"librarian", 403, 200}}) {
        CAPTURE(token);
        CHECK(api.get("/events", token).status == events);
        CHECK(api.get("/tags", token).status == tags);
    }
}

TEST_CASE("each plan has its limits, analytics a second and the rest a minute") {
    struct row {
        std::string_view token;
        int events, tags;
    };
    for (const auto& [token, events, tags] : {row{"pro", 2, 600}, row{"business", 4, 1'200},
                                              row{"advanced", 8, 3'000}, row{"enterprise", 3, 5}}) {
        CAPTURE(token);
        service api;
        for (int i = 0; i < events; ++i) {
            const response answer = api.get("/events", token);
            CHECK(answer.status != 429);
            CHECK(answer.header_value("x-ratelimit-limit") == std::to_string(events));
            CHECK(answer.header_value("x-ratelimit-remaining") == std::to_string(events - i - 1));
        }
        const response refused = api.get("/events", token);
        CHECK(refused.status == 429);
        CHECK(refused.header_value("x-ratelimit-limit") == std::to_string(events));
        CHECK(refused.header_value("x-ratelimit-remaining") == "0");
        for (int i = 0; i < tags; ++i) REQUIRE(api.get("/tags", token).status == 200);
        CHECK(api.get("/tags", token).status == 429);
        CHECK(api.get("/tags", token).header_value("x-ratelimit-limit") == std::to_string(tags));
        const instant next_second =
            now + seconds{std::stoi(std::string(refused.header_value("retry-after")))};
        CHECK(api.get("/events", token, next_second).status != 429);
        CHECK(api.get("/tags", token, next_second).status == 429);
        CHECK(api.get("/tags", token, now + seconds{120}).status == 200);
    }
}

TEST_CASE("a client that waits Retry-After is admitted") {
    service api;
    instant at = now + milliseconds{123};
    for (int round = 0; round < 50; ++round) {
        response answer = api.get("/events", "enterprise", at);
        while (answer.status == 200) answer = api.get("/events", "enterprise", at);
        REQUIRE(answer.status == 429);
        const int wait = std::stoi(std::string(answer.header_value("retry-after")));
        CHECK(wait >= 1);
        at += seconds{wait};
        CHECK(api.get("/events", "enterprise", at).status == 200);
        at += milliseconds{37};
    }
}

TEST_CASE("the free plan has no analytics, however often it asks") {
    service api;
    for (int i = 0; i < 100; ++i) {
        const response answer = api.get("/events", "free");
        REQUIRE(answer.status == 403);
        CHECK(answer.header_value("x-ratelimit-limit") == "0");
        CHECK(answer.header_value("x-ratelimit-remaining") == "0");
    }
    for (int i = 0; i < 60; ++i) REQUIRE(api.get("/tags", "free").status == 200);
    CHECK(api.get("/tags", "free").status == 429);
}

TEST_CASE("keys are counted apart, also in one workspace") {
    service api;
    for (int i = 0; i < 4; ++i) CHECK(api.get("/events", "business").status == 200);
    CHECK(api.get("/events", "business").status == 429);
    CHECK(api.get("/events", "business-2").status == 200);
    CHECK(api.get("/events", "unknown").status == 401);
    CHECK(api.get("/nowhere", "business-2").status == 404);
    CHECK(api.get("/events", "business-2").header_value("x-ratelimit-remaining") == "2");
}

TEST_CASE("a refused request is not counted, one with bad parameters is") {
    service api;
    for (int i = 0; i < 3; ++i) CHECK(api.get("/events?limit=0", "enterprise").status == 422);
    for (int i = 0; i < 10; ++i) CHECK(api.get("/events", "enterprise").status == 429);
    CHECK(api.get("/events", "enterprise", now + seconds{2}).status == 200);
}

TEST_CASE("what counts requests elsewhere decides, on texts that all servers have for a key") {
    std::vector<std::pair<std::string, policy>> counted;
    handler_options options = make_options();
    options.check_limit = [&](std::string_view counter, const policy& limits, instant at) {
        counted.emplace_back(counter, limits);
        const bool allowed = counted.size() < 3;
        return decision{allowed, limits.limit, 7, at + seconds{9},
                        allowed ? std::nullopt : std::optional(seconds{9})};
    };
    service api(options);
    CHECK(api.get("/events", "business").header_value("x-ratelimit-remaining") == "7");
    CHECK(api.get("/tags", "business").status == 200);
    const response refused = api.get("/tags", "business");
    CHECK(refused.status == 429);
    CHECK(refused.header_value("retry-after") == "9");
    CHECK(api.get("/events", "free").status == 403);  // without a quota
    const std::string key = to_hex(sha256("business"), 16);
    const policy a_second{4, seconds{1}};
    const policy a_minute{1'200, seconds{60}};
    CHECK(counted == std::vector<std::pair<std::string, policy>>{{key + " analytics", a_second},
                                                                 {key + " all", a_minute},
                                                                 {key + " all", a_minute}});
}

TEST_CASE("the RateLimit fields of the IETF draft come on request") {
    handler_options options = make_options();
    options.ratelimit_fields = true;
    service api(options);
    const response answer = api.get("/tags", "business");
    CHECK(answer.header_value("ratelimit-policy") == R"("default";q=1200;w=60)");
    CHECK(answer.header_value("ratelimit").starts_with(R"("default";r=1199;t=)"));
    CHECK(answer.header_value("x-ratelimit-limit") == "1200");
    CHECK(api.get("/events", "free").header_value("ratelimit").empty());
    CHECK(api.get("/events", "unknown").header_value("ratelimit").empty());
}

TEST_CASE("a key sees its own workspace, be it empty") {
    service api;
    CHECK(api.get("/events", "lost").body == "[]");
    CHECK(api.get("/tags", "lost").body == "[]");
    CHECK(api.get("/events?linkId=link_1&domain=go.example.com&root=false", "lost").body == "[]");
    CHECK(api.get("/events?customerId=x", "lost").body == "[]");
    CHECK(ids_in(api.get("/events").body).size() == 3);
}

TEST_CASE("unknown parameters are ignored, or refused where that is asked for") {
    handler_options strict = make_options();
    strict.strict_parameters = true;
    service tolerant;
    service picky(strict);
    const std::pair<const char*, const char*> table[] = {
        {"/events?granularity=day", "granularity: unknown parameter"},
        {"/tags?Page=0", "Page: unknown parameter (did you mean 'page'?)"},
        {"/events?contry=US&zzz=1", "contry: unknown parameter (did you mean 'country'?)"},
        {"/events?=x", "unknown parameter"},
        {"/events?event[]=x", "event[]: unknown parameter (did you mean 'event'?)"},
        {"/tags?ids[0]=x", "ids[0]: unknown parameter (did you mean 'ids'?)"},
        {"/events?workspaceId=ws_2&country=US", "workspaceId: unknown parameter"},
        {"/events?page=1&%0A%22=secret", R"(\\x0A\": unknown parameter)"},
    };
    for (const auto& [target, problem] : table) {
        CAPTURE(target);
        CHECK(tolerant.get(target).status == 200);
        const response answer = picky.get(target);
        CHECK(answer.status == 400);
        CHECK(answer.body == refusal("bad_request", std::string(problem) +
                                                        ", expected one of the documented names"));
    }
    CHECK(picky.get("/events?country=US&limit=5").status == 200);
    CHECK(picky.get("/tags?ids[]=tag_1").status == 200);
    CHECK(picky.get("/events?country=U&x=1").body ==
          refusal("unprocessable_entity",
                  "country: not an accepted value, expected a 2-letter country code or "
                  "Unknown"));
}

TEST_CASE("an error's body is exact, and repeats no value of the request") {
    service api;
    const std::vector<std::pair<std::string_view, std::string>> table{
        {"/events?country=US,-CA",
         refusal("bad_request",
                 R"(country: '-' before a single item (at byte 3), exclude the whole list with )"
                 R"(one leading '-', or escape it as '\\-')")},
        {"/events?event=%22%3Cscript%3E%00",
         refusal("unprocessable_entity",
                 "event: not one of the accepted values, expected clicks, leads or sales")},
        {"/events?key=abc", refusal("bad_request",
                                    "key: given without the parameter it refines, "
                                    "give domain too")},
        {"/events?page=1&page=2",
         refusal("bad_request", "page: given more than once, give it once")},
        {"/events?query=metadata['a']:1",
         refusal("unprocessable_entity",
                 "query: has no meaning in this request, give it with event=leads or "
                 "event=sales")},
        {"/events?start=2026-08-02&end=2026-08-01",
         refusal("unprocessable_entity",
                 "start: the window starts after it ends, expected a start that is not "
                 "after the end")},
        {"/events?limit=x&country=--", refusal("bad_request",
                                               "country: '-' before a single item (at byte 1), "
                                               "exclude the whole list with one leading '-', or "
                                               R"(escape it as '\\-')")},
        {"/tags?sortBy=color", refusal("unprocessable_entity",
                                       "sortBy: not one of the accepted values, expected name or "
                                       "createdAt")},
    };
    for (const auto& [target, body] : table) {
        CAPTURE(target);
        CHECK(api.get(target).body == body);
    }
}

TEST_CASE("any number of threads may ask at once") {
    service api;
    constexpr int threads = 8, requests = 50;
    std::atomic<int> admitted = 0, refused = 0, others = 0;
    std::vector<std::thread> clients;
    for (int t = 0; t < threads; ++t) {
        clients.emplace_back([&, t] {
            const std::vector<name_value> headers{
                {"authorization", t % 2 == 0 ? "Bearer advanced" : "Bearer all"}};
            for (int i = 0; i < requests; ++i) {
                const response answer = api.handle({.target = "/events", .headers = headers});
                if (t % 2 != 0) {
                    others += answer.status == 200 ? 1 : 0;
                } else {
                    (answer.status == 200 ? admitted : refused) += 1;
                }
            }
        });
    }
    for (std::thread& client : clients) client.join();
    CHECK(admitted == 8);
    CHECK(refused == threads / 2 * requests - 8);
    CHECK(others == threads / 2 * requests);
}

TEST_CASE("a search that takes longer than the deadline is refused by the condition to blame") {
    std::chrono::nanoseconds used{0};
    service served({.docs_url = std::string(docs),
                    .deadline = std::chrono::milliseconds(5),
                    .cpu_time = [&] { return used += std::chrono::milliseconds(2); }});
    served.add_click(now - seconds{1});
    served.store.publish();
    CHECK(served.get("/events?device=-tablet").status == 200);
    CHECK(served.get("/tags").status == 200);
    service slow({.deadline = std::chrono::milliseconds(1),
                  .cpu_time = [&] { return used += std::chrono::milliseconds(2); }});
    for (std::size_t click = 0; click < store::block_rows; ++click)
        slow.add_click(now - seconds{1});
    slow.store.publish();  // two blocks: the clock is looked at between them
    const response refused = slow.get("/events?country=FR,US&device=-tablet&page=1000");
    CHECK(refused.status == 422);
    const std::string costly = message(sluice::make_error(rule::query_too_costly));
    CHECK(refused.body.find(R"("message":"country: )" + costly) != std::string::npos);
    CHECK(refused.header_value("x-ratelimit-limit") != "");
    CHECK(slow.get("/tags").status == 200);
    service endless({.deadline = std::chrono::milliseconds(0), .cpu_time = [] {
                         FAIL("no deadline needs no clock");
                         return std::chrono::nanoseconds(0);
                     }});
    CHECK(endless.get("/events?country=US").status == 200);
}

TEST_CASE("a statement that fails is a 500 with the text of its rule") {
    const std::vector<std::pair<rule, clickhouse::stoppable_runner>> runners{
        {rule::store_unavailable,
         [](const auto&, const auto&) -> result<std::string> {
             return fail(rule::store_unavailable);
         }},
        {rule::unexpected_failure,
         [](const auto&, const auto&) -> result<std::string> {
             throw std::runtime_error("out of order");
         }},
    };
    for (const auto& [broken, run] : runners) {
        CAPTURE(to_string(broken));
        handler_options options = make_options();
        options.run_statement = run;
        const response answer = service(options).get("/events");
        CHECK(answer.status == 500);
        CHECK(answer.body.find("\"message\":\"" + message(sluice::make_error(broken)) + "\"") !=
              std::string::npos);
    }
}

TEST_CASE("a search ends once its client has gone or the server stops") {
    service served;
    std::stop_source client;
    const std::vector<name_value> headers{{"Authorization", "Bearer all"}};
    const request question{.target = "/events", .headers = headers};
    CHECK(served.handle(question, now, client.get_token()).status == 200);
    client.request_stop();
    const response ended = served.handle(question, now, client.get_token());
    CHECK(ended.status == 500);
    CHECK(ended.body ==
          refusal("internal_server_error", "the request was cancelled, send it again"));
}

TEST_CASE("keys are replaced, and those that stay keep what they have used") {
    service served;
    CHECK(served.get("/tags", "enterprise").header_value("x-ratelimit-remaining") == "4");
    CHECK(served.get("/tags", "free").status == 200);
    key_ring others;
    REQUIRE(others.add(make_enterprise_key("new", 5, 5)));
    REQUIRE(others.add(make_enterprise_key("enterprise", 5, 5)));
    served.answers().replace_keys(std::move(others));
    CHECK(served.get("/tags", "free").status == 401);
    CHECK(served.get("/tags", "new").header_value("x-ratelimit-remaining") == "4");
    CHECK(served.get("/tags", "enterprise").header_value("x-ratelimit-remaining") == "3");
    key_ring stricter;
    REQUIRE(stricter.add(make_enterprise_key("enterprise", 2, 2)));
    served.answers().replace_keys(std::move(stricter));
    CHECK(served.get("/tags", "enterprise").status == 429);
}

TEST_CASE("requests are answered while keys are replaced") {
    service served;
    std::atomic<bool> is_over = false;
    std::atomic<int> wrong = 0;
    std::vector<std::thread> clients;
    for (int t = 0; t < 3; ++t) {
        clients.emplace_back([&] {
            while (!is_over) wrong += served.get("/tags", "all").status == 200 ? 0 : 1;
        });
    }
    for (int i = 0; i < 200; ++i) served.answers().replace_keys(make_keys());
    is_over = true;
    for (std::thread& client : clients) client.join();
    CHECK(wrong == 0);
}

TEST_CASE("a request is small that searches few records and waits for nobody") {
    service served;
    const auto is_small = [&](service& of, std::string_view target, std::string_view token = "all",
                              std::string_view method = "GET") {
        const std::string credentials = "Bearer " + std::string(token);
        const std::vector<name_value> headers{{"authorization", credentials}};
        const handler& answers = of.answers();
        return answers.is_small(
            answers.resolve({.method = method, .target = target, .headers = headers}), now);
    };
    CHECK(is_small(served, "/events"));
    CHECK(is_small(served, "/tags"));
    CHECK_FALSE(is_small(served, "/events?query=" + std::string(1'024, 'x')));
    CHECK(is_small(served, "/events?limit=1000"));
    service large(make_options(), 10'001);
    CHECK(is_small(large, "/events"));  // by its plan
    CHECK(is_small(large, "/events?interval=all&country=US&limit=10"));
    CHECK(is_small(large, "/events?limit=many"));  // is refused
    CHECK_FALSE(is_small(large, "/events?interval=all&limit=1000"));
    CHECK_FALSE(is_small(large, "/analytics"));
    CHECK(is_small(large, "/tags"));
    CHECK(is_small(large, "/events", "lost"));
    CHECK(is_small(large, "/events", "nobody"));
    CHECK(is_small(large, "/events", "all", "POST"));
    CHECK(is_small(large, "/nowhere"));
    CHECK(is_small(large, "/healthz"));
    service elsewhere({.run_statement = [](const sql::statement&, const std::stop_token&) {
        return result<std::string>();
    }});
    CHECK_FALSE(is_small(elsewhere, "/tags"));
    CHECK_FALSE(is_small(elsewhere, "/healthz"));
    CHECK(is_small(elsewhere, "/tags", "nobody"));
    service shared({.check_limit = [](std::string_view, const policy&, instant) {
        return decision{.allowed = true};
    }});
    CHECK_FALSE(is_small(shared, "/tags"));
    CHECK(is_small(shared, "/healthz"));
}

TEST_CASE("a handler measures its limits, keys and store") {
    std::chrono::nanoseconds used{0};
    service served({.deadline = std::chrono::milliseconds(1),
                    .cpu_time = [&] { return used += std::chrono::milliseconds(2); }},
                   static_cast<int>(store::block_rows) + 5);
    const auto measured = [&](std::string_view name) {
        for (const measurement& metric : served.answers().measure()) {
            if (metric.what.name == name) return metric.value;
        }
        FAIL(name);
        return std::uint64_t{0};
    };
    CHECK(measured("sluice_store_rows") == store::block_rows + 5);
    CHECK(measured("sluice_store_bytes") > 8 * store::block_rows);
    CHECK(measured("sluice_keys") == make_keys().size());
    CHECK(measured("sluice_limiter_tracked_keys") == 0);
    for (int i = 0; i < 7; ++i) static_cast<void>(served.get("/tags", "enterprise"));
    CHECK(served.get("/tags", "nobody").status == 401);
    CHECK(served.get("/events?country=FR,US&device=-tablet&page=1000").status == 422);
    CHECK(served.get("/events?page=0").status == 422);
    CHECK(measured("sluice_limiter_allowed_total") == 5 + 2);
    CHECK(measured("sluice_limiter_refused_total") == 2);
    CHECK(measured("sluice_limiter_tracked_keys") == 2);
    CHECK(measured("sluice_store_deadline_exceeded_total") == 1);
}
