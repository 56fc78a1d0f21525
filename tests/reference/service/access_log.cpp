// SPDX-License-Identifier: MIT
#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <simdjson.h>

#include <sluice/reference/service/access_log.hpp>

using namespace sluice::reference;
using namespace std::string_view_literals;

namespace {

const sluice::instant seen_at = sluice::parse_timestamp("2026-08-21T02:30:15.123Z").value();

access_record make_access(std::string_view target, std::string_view route) {
    return {.time = seen_at,
            .client = "127.0.0.1",
            .method = "GET",
            .target = target,
            .route = route,
            .status = 200,
            .bytes = 5'123,
            .taken = std::chrono::microseconds(1'250),
            .request_id = "id-1"};
}

/// The members of a line that is a JSON object, as `name=value`.
std::vector<std::string> members_of(std::string_view line) {
    REQUIRE(line.ends_with("}\n"));
    CHECK(line.find('\n') == line.size() - 1);
    simdjson::dom::parser parser;
    simdjson::dom::object object;
    REQUIRE(parser.parse(line.data(), line.size()).get(object) == simdjson::SUCCESS);
    std::vector<std::string> members;
    for (const auto& [name, value] : object) {
        std::string_view text;
        const bool is_text = value.get(text) == simdjson::SUCCESS;
        members.push_back(std::string(name) + "=" +
                          (is_text ? std::string(text) : simdjson::minify(value)));
    }
    return members;
}

}  // namespace

TEST_CASE("a request is a line, without what may be secret or breaks the line") {
    struct row {
        std::string target, path, query, route;
    };
    const std::string cut(1'024, 'y');
    const std::vector<row> table{
        {"/events?country=US&page=2", "/events", "country=US&page=2", "/events"},
        {"/tags", "/tags", "", "/tags"},
        {"/tags?", "/tags", "***", "/tags"},
        {"/tags?api_key=secret&search=x&secret&&page", "/tags", "***&search=x&***&***&page",
         "/tags"},
        {"/ta\\gs\xC3\xA9?search=\xFF\x1B[31m", "/ta\\x5cgs\\xc3\\xa9", "search=\\xff\\x1b[31m",
         "other"},
        {"/no\nwhere", "/no\\x0awhere", "", "other"},
        {"/~\x7F", "/~\\x7f", "", "other"},
        {"/\"quoted\"", "/\"quoted\"", "", "other"},
        {"-", "-", "", "other"},
        {"/" + cut, "/" + cut.substr(1) + "...", "", "other"},
        {"/tags?ids=" + cut, "/tags", "ids=" + cut.substr(10) + "...", "/tags"},
    };
    for (const row& entry : table) {
        CAPTURE(entry.target);
        const access_record logged = make_access(entry.target, entry.route);
        const std::string mark = entry.query.empty() ? "" : "?";
        CHECK(access_line(logged, log_format::text) == "2026-08-21T02:30:15.123Z 127.0.0.1 GET " +
                                                           entry.path + mark + entry.query +
                                                           " 200 5123 1.25ms id-1\n");
        CHECK(members_of(access_line(logged, log_format::json)) ==
              std::vector<std::string>{
                  "time=2026-08-21T02:30:15.123Z", "level=info", "event=request", "request_id=id-1",
                  "client=127.0.0.1", "method=GET", "path=" + entry.path, "query=" + entry.query,
                  "route=" + entry.route, "status=200", "bytes=5123", "duration_ms=1.25"});
    }
}

TEST_CASE("durations are milliseconds, rounded to two decimals") {
    const std::vector<std::pair<int, std::string>> table{
        {0, "0.00"},       {4, "0.00"},
        {5, "0.01"},       {99, "0.10"},
        {1'004, "1.00"},   {1'005, "1.01"},
        {9'994, "9.99"},   {9'995, "10.00"},
        {63'000, "63.00"}, {12'345'678, "12345.68"}};
    for (const auto& [microseconds, text] : table) {
        access_record logged;
        logged.taken = std::chrono::microseconds(microseconds);
        CHECK(access_line(logged, log_format::text).ends_with(" 0 " + text + "ms -\n"));
    }
}

TEST_CASE("what isn't known of a request is a dash, and its status 0") {
    access_record unknown;
    unknown.time = seen_at;
    CHECK(access_line(unknown, log_format::text) ==
          "2026-08-21T02:30:15.123Z - - - - 0 0.00ms -\n");
    const auto members = members_of(access_line(unknown, log_format::json));
    CHECK(members.at(9) == "status=0");
}

TEST_CASE("a message is a line of its own words, or a JSON object") {
    CHECK(message_line(seen_at, log_level::info, "stopped", log_format::text) == "stopped\n");
    struct row {
        std::string_view text, shown;
    };
    for (const auto& [text, shown] : std::vector<row>{{"stopped", "stopped"},
                                                      {"a \"b\"\nc", "a \"b\"\nc"},
                                                      {"Z\xC3\xBCrich", "Z\xC3\xBCrich"},
                                                      {"\xFF x", "\\xff\\x20x"},
                                                      {"", ""}}) {
        CHECK(members_of(message_line(seen_at, log_level::warning, text, log_format::json)) ==
              std::vector<std::string>{"time=2026-08-21T02:30:15.123Z", "level=warning",
                                       "event=message", "message=" + std::string(shown)});
    }
}

TEST_CASE("formats and levels have names") {
    for (const log_format format : {log_format::text, log_format::json}) {
        CHECK(parse_log_format(to_string(format)) == format);
    }
    CHECK(to_string(log_level::info) == "info");
    CHECK(to_string(log_level::warning) == "warning");
    CHECK(to_string(log_level::error) == "error");
    CHECK(parse_log_format("JSON").error().broken == sluice::rule::choice_unknown);
}
