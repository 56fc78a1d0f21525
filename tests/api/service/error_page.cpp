// SPDX-License-Identifier: MIT
#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/api/loader.hpp>
#include <sluice/api/sample.hpp>
#include <sluice/api/service/error_page.hpp>

#include "../make_service.hpp"

using namespace sluice_tests;

namespace {

/// The ids on the page; none is there twice.
std::set<std::string> ids_of(std::string_view page) {
    std::set<std::string> ids;
    constexpr std::string_view mark = " id=\"";
    for (std::size_t at = page.find(mark); at != page.npos; at = page.find(mark, at)) {
        at += mark.size();
        CHECK(ids.emplace(page.substr(at, page.find('"', at) - at)).second);
    }
    return ids;
}

std::string anchor_of(std::string_view name) {
    std::string anchor(name);
    std::ranges::replace(anchor, '_', '-');
    return anchor;
}

std::string as_html(std::string_view text) {
    std::string html;
    for (const char byte : text) {
        if (byte == '<') html.append("&lt;");
        if (byte == '>') html.append("&gt;");
        if (byte == '&') html.append("&amp;");
        if (byte != '<' && byte != '>' && byte != '&') html.push_back(byte);
    }
    return html;
}

/// What the page says of a code or rule, up to the next.
std::string entry_of(std::string_view name) {
    const std::string& page = error_page();
    const std::size_t begin = page.find(" id=\"" + anchor_of(name) + "\"");
    REQUIRE(begin != page.npos);
    return page.substr(begin, page.find(" id=\"", begin + 1) - begin);
}

/// The message in an answer's body, as it is without JSON's escapes.
std::string message_of(const response& answer) {
    constexpr std::string_view before = "\"message\":\"", after = "\",\"doc_url\"";
    const std::size_t begin = answer.body.find(before) + before.size();
    return answer.body.substr(begin, answer.body.find(after) - begin);
}

response events_of_store(const clickhouse::stoppable_runner& run) {
    handler_options options = make_options();
    options.run_statement = run;
    return service(options).get("/events");
}

/// What a real request is answered where an example stops at a gate of the handler.
const std::map<rule, std::function<response()>> gates{
    {rule::transport_insecure,
     [] { return service().handle({.target = "/tags", .scheme = "http"}); }},
    {rule::route_unknown, [] { return service().get("/event"); }},
    {rule::credentials_missing, [] { return service().handle({.target = "/tags"}); }},
    {rule::credentials_invalid,
     [] {
         const std::vector<name_value> headers{{"authorization", "Basic all"}};
         return service().handle({.target = "/tags", .headers = headers});
     }},
    {rule::rate_exceeded,
     [] {
         service api;
         for (int i = 0; i < 4; ++i) REQUIRE(api.get("/events", "business").status == 200);
         return api.get("/events", "business");
     }},
    {rule::store_unavailable,
     [] {
         return events_of_store([](const auto&, const auto&) -> result<std::string> {
             return fail(rule::store_unavailable);
         });
     }},
    {rule::request_cancelled,
     [] {
         std::stop_source stop;
         stop.request_stop();
         const std::vector<name_value> headers{{"authorization", "Bearer all"}};
         return service().handle({.target = "/events", .headers = headers}, now, stop.get_token());
     }},
    {rule::plan_insufficient, [] { return service().get("/events", "pro"); }},
    {rule::permission_missing, [] { return service().get("/tags", "analyst"); }},
    {rule::unexpected_failure,
     [] {
         return events_of_store([](const auto&, const auto&) -> result<std::string> {
             throw std::runtime_error("out of order");
         });
     }},
};

}  // namespace

TEST_CASE("the page of errors has one anchor a code and a rule") {
    std::set<std::string> expected;
    for (const std::string_view name : sluice::detail::error_code_names<sluice::error_code>) {
        expected.insert(anchor_of(name));
    }
    int rules = 0;
    for (; rules == 0 || to_string(static_cast<rule>(rules - 1)) != "unexpected_failure"; ++rules) {
        expected.insert(anchor_of(to_string(static_cast<rule>(rules))));
    }
    CHECK(to_string(static_cast<rule>(rules)) == "unexpected_failure");  // that was the last rule
    CHECK(ids_of(error_page()) == expected);
    CHECK(expected.size() == sluice::detail::error_code_names<sluice::error_code>.size() +
                                 static_cast<unsigned>(rules));
}

TEST_CASE("doc_url leads to a place on the page of errors") {
    const std::set<std::string> ids = ids_of(error_page());
    for (const std::string_view name : sluice::detail::error_code_names<sluice::error_code>) {
        const std::string url = error_doc_url(*parse_error_code(name), "https://a.example");
        const std::size_t mark = url.find('#');
        CHECK(url.substr(0, mark) == "https://a.example" + std::string(error_page_path));
        CHECK(ids.contains(url.substr(mark + 1)));
    }
}

TEST_CASE("each example breaks its rule, and what is advised instead breaks none") {
    for (const error_example* const each : error_examples) {
        CAPTURE(to_string(each->broken));
        const auto refused = each->refusal();
        REQUIRE(refused);
        CHECK(refused->broken == any_rule(each->broken));
        if (each->from->read == nullptr || each->instead.empty()) continue;
        const auto again = each->from->read(each->instead);
        CHECK(!again);
    }
}

TEST_CASE("an example repeats a text as often as the page says") {
    int repeated = 0;
    for (const error_example* const each : error_examples) {
        const auto times = static_cast<std::size_t>(each->times);
        repeated += times > 0 ? 1 : 0;
        CHECK(each->input().size() == each->given.size() + times * each->more.size());
    }
    CHECK(repeated > 3);
}

TEST_CASE("the page says of each rule what is wrong, an example with its message, and the fix") {
    for (const error_example* const each : error_examples) {
        CAPTURE(to_string(each->broken));
        const std::string entry = entry_of(to_string(each->broken));
        CHECK(entry.find("</h3>\n<p>" + as_html(what_is_wrong(each->broken)) + "</p>") !=
              entry.npos);
        CHECK(entry.find("<dd><samp>" + as_html(each->refusal()->message) + "</samp></dd>") !=
              entry.npos);
        CHECK(each->fix.size() > 8);
        CHECK(each->fix.ends_with('.'));
        CHECK(entry.find("<dt>Fix</dt>\n<dd>" + as_html(each->fix)) != entry.npos);
        CHECK(entry.find(as_html(each->instead)) != entry.npos);
    }
    for (const std::string_view name : sluice::detail::error_code_names<sluice::error_code>) {
        const error_code code = *parse_error_code(name);
        const std::string entry = entry_of(name);
        CHECK(entry.find("<p>" + as_html(condition_of(code)) + "</p>") != entry.npos);
        CHECK(entry.find("<code>{\"error\":{\"code\":\"" + std::string(name) + "\",\"message\":") !=
              entry.npos);
        CHECK(entry.find("<dt>Fix</dt>\n<dd>" + as_html(fix_of(code))) != entry.npos);
    }
}

TEST_CASE("an example that stops at a gate has the message that the handler gives there") {
    for (const auto& [broken, ask] : gates) {
        CAPTURE(to_string(broken));
        CHECK((example_of(broken).from->read == nullptr));
        const response answer = ask();
        CHECK(answer.status == http_status(code_of(broken)));
        CHECK(message_of(answer) == example_of(broken).refusal()->message);
    }
}

TEST_CASE("an example without a reader is a gate's, a file's or that of too much work") {
    // Searches that take too long are in the tests of the handler, large statements in those of
    // SQL.
    const std::set<rule> files{rule::file_unreadable, rule::file_unwritable, rule::query_too_costly,
                               rule::sql_too_large};
    for (const error_example* const each : error_examples) {
        if (each->from->read != nullptr) continue;
        CAPTURE(to_string(each->broken));
        CHECK(gates.contains(each->broken) != files.contains(each->broken));
    }
}

TEST_CASE("files are refused with the message of the example") {
    event_store store("ws");
    const auto loaded = load_folder(store, "/nowhere");
    REQUIRE(!loaded);
    CHECK(message(loaded.error().why) == example_of(rule::file_unreadable).refusal()->message);
    const auto made = write_sample("/proc/sample", {.events = 1, .now = now});
    REQUIRE(!made);
    CHECK(message(made.error()) ==
          "folder: " + example_of(rule::file_unwritable).refusal()->message);
}

TEST_CASE("the page of errors is whole HTML that needs nothing else") {
    const std::string& page = error_page();
    CHECK(page.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"));
    CHECK(page.ends_with("</html>\n"));
    CHECK(page.find("Bearer &lt;key&gt;") != page.npos);
    for (const std::string_view absent : {"<key>", "<script", "<link", "src=", "@import", "url("}) {
        CAPTURE(absent);
        CHECK(page.find(absent) == page.npos);
    }
    CHECK(page.find("color-scheme:light dark") != page.npos);
    CHECK(page.find("caf\\xE9") != page.npos);  // as any byte that is not ASCII
    CHECK(std::ranges::all_of(
        page, [](char byte) { return byte == '\n' || (byte >= ' ' && byte <= '~'); }));
    CHECK(page.size() < 60'000);
}
