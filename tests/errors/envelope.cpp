// SPDX-License-Identifier: MIT
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/errors/envelope.hpp>

using namespace sluice;

namespace {

struct code_row {
    error_code code;
    int status;
    std::string_view name;
    std::string_view anchor;
};

constexpr code_row codes[] = {
    {error_code::bad_request, 400, "bad_request", "bad-request"},
    {error_code::unauthorized, 401, "unauthorized", "unauthorized"},
    {error_code::forbidden, 403, "forbidden", "forbidden"},
    {error_code::not_found, 404, "not_found", "not-found"},
    {error_code::conflict, 409, "conflict", "conflict"},
    {error_code::invite_expired, 410, "invite_expired", "invite-expired"},
    {error_code::unprocessable_entity, 422, "unprocessable_entity", "unprocessable-entity"},
    {error_code::rate_limit_exceeded, 429, "rate_limit_exceeded", "rate-limit-exceeded"},
    {error_code::internal_server_error, 500, "internal_server_error", "internal-server-error"},
};

}  // namespace

TEST_CASE("each error code has its status, name and documentation") {
    for (const code_row& row : codes) {
        error e;
        e.code = row.code;
        const std::string url =
            "https://docs.example/api-reference/errors#" + std::string(row.anchor);
        CHECK(error_doc_url(row.code, "https://docs.example") == url);
        const response answer = error_response(e, "https://docs.example");
        CHECK(answer.status == row.status);
        CHECK(answer.body == R"({"error":{"code":")" + std::string(row.name) +
                                 R"(","message":"an unexpected failure, try again later",)" +
                                 R"("doc_url":")" + url + R"("}})");
        CHECK(answer.headers ==
              std::vector<header>{{"content-type", "application/json; charset=utf-8"}});
    }
}

TEST_CASE("an error code is read by its name, and by nothing else") {
    for (const code_row& row : codes) CHECK(parse_error_code(row.name) == row.code);
    for (const std::string_view text : {"", "Bad_request", "bad-request", "bad_request "}) {
        const auto refused = parse_error_code(text);
        REQUIRE(!refused);
        CHECK(refused.error().broken == rule::choice_unknown);
        CHECK(refused.error().length == text.size());
        CHECK(refused.error().accepts ==
              "expected bad_request, unauthorized, forbidden, not_found, conflict, invite_expired, "
              "unprocessable_entity, rate_limit_exceeded or internal_server_error");
    }
    CHECK(parse_error_code("bad-request").error().suggestion == "bad_request");
}

TEST_CASE("an error's body holds its message") {
    error e = make_error(rule::filter_dash, 3, 3);
    e.param = "country";
    CHECK(error_body(e, "") ==
          R"({"error":{"code":"bad_request","message":"country: '-' before a single item )"
          R"((at byte 3), exclude the whole list with one leading '-', or escape it as '\\-'",)"
          R"("doc_url":"/api-reference/errors#bad-request"}})");
    CHECK(error_response(e, "").body == error_body(e, ""));
}

TEST_CASE("a body names the unknown parameter, in whatever bytes it came") {
    const std::string_view name = "coun\"try\n";
    const error e = make_error(rule::parameter_unknown, 0, name.size());
    CHECK(
        error_body(e, "", name) ==
        R"({"error":{"code":"bad_request","message":"coun\"try\\x0A: unknown parameter, )"
        R"(expected one of the documented names","doc_url":"/api-reference/errors#bad-request"}})");
    CHECK(error_response(e, "", name).body == error_body(e, "", name));
    CHECK(error_body(e, "", name) == error_body(e.code, message(e, name), ""));
}

TEST_CASE("the body of every rule is what a JSON writer makes of its code and message") {
    for (int value = 0; value <= static_cast<int>(rule::unexpected_failure); ++value) {
        error e = make_error(static_cast<rule>(value), static_cast<std::size_t>(value) * 7'777'777);
        if (value % 2 == 0) e.param = "a \"parameter\"";
        if (value % 3 == 0) e.accepts = "expected C:\\ or \xC3\xA9";
        std::string expected;
        detail::json_writer json(expected);
        json.begin_object().key("error").begin_object();
        json.member("code", to_string(e.code)).member("message", message(e));
        json.member("doc_url", error_doc_url(e.code, "https://docs")).end_object().end_object();
        CHECK(error_body(e, "https://docs") == expected);
        CHECK(error_body(e.code, message(e), "https://docs") == expected);
        CHECK(message(e).size() <= detail::message_bound(e, {}));
    }
}

TEST_CASE("what stands in a body is escaped") {
    error e = make_error(rule::field_value);
    e.accepts = "expected \"a\"\n\\";
    CHECK(error_body(e, "https://\"docs\"/\x01") ==
          R"({"error":{"code":"unprocessable_entity",)"
          R"("message":"a value that is not accepted, expected \"a\"\n\\",)"
          R"("doc_url":"https://\"docs\"/\u0001/api-reference/errors#unprocessable-entity"}})");
}

TEST_CASE("a response gives the value of a header, or nothing") {
    const response answer{200, {{"etag", "\"x\""}, {"link", ""}, {"etag", "second"}}, "[]"};
    CHECK(answer.header_value("etag") == "\"x\"");
    CHECK(answer.header_value("link").empty());
    CHECK(answer.header_value("ETag").empty());
    CHECK(answer.header_value("").empty());
    CHECK(response().status == 200);
}
