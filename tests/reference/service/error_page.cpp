// SPDX-License-Identifier: MIT
#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <sluice/reference/service/error_page.hpp>

using namespace sluice;
using namespace sluice::reference;

static_assert(is_authority("a.example"));

TEST_CASE("an authority is a host that may stand in a URL, and maybe a port") {
    for (const std::string_view good :
         {"localhost", "a.example", "A.Example", "a-b_c.example", "127.0.0.1", "a.example:8443",
          "a:1", "a:65535", "[::1]", "[::1]:443", "[2001:db8::192.0.2.1]", "[::]"}) {
        CAPTURE(good);
        CHECK(is_authority(good));
    }
    CHECK(is_authority(std::string(253, 'a')));
    CHECK(is_authority(std::string(253, 'a') + ":12345"));
    for (const std::string_view bad : {"",        ":",        ":443",     "a:",
                                       "a:b",     "a:123456", "a:443:1",  "a b",
                                       " a",      "a ",       "a/b",      "a?b",
                                       "a#b",     "user@a",   "a\"b",     "<a>",
                                       "a\\b",    "a,b",      "a%41",     "\u00E9.example",
                                       "[",       "[]",       "[:]",      "[::1",
                                       "::1",     "[::1]x",   "[::1]443", "[::1]:",
                                       "[::1]:x", "[::g]",    "a[::1]",   "[fe80::1%25eth0]"}) {
        CAPTURE(bad);
        CHECK_FALSE(is_authority(bad));
    }
    CHECK_FALSE(is_authority(std::string(254, 'a')));
    CHECK_FALSE(is_authority(std::string_view("a\0b", 3)));
}

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

/// The text of a code or rule on the page, up to the next.
std::string entry_of(std::string_view name) {
    const std::string page = error_page();
    const std::size_t begin = page.find(" id=\"" + anchor_of(name) + "\"");
    REQUIRE(begin != page.npos);
    return page.substr(begin, page.find(" id=\"", begin + 1) - begin);
}

}  // namespace

TEST_CASE("the page of errors has one anchor a code and a rule") {
    std::set<std::string> expected;
    for (const std::string_view name : sluice::detail::error_code_names) {
        expected.insert(anchor_of(name));
    }
    int rules = 0;
    for (; rules == 0 || to_string(static_cast<rule>(rules - 1)) != "unexpected_failure"; ++rules) {
        expected.insert(anchor_of(to_string(static_cast<rule>(rules))));
    }
    CHECK(to_string(static_cast<rule>(rules)) == "unexpected_failure");  // that was the last rule
    CHECK(ids_of(error_page()) == expected);
    CHECK(expected.size() ==
          sluice::detail::error_code_names.size() + static_cast<unsigned>(rules));
}

TEST_CASE("doc_url leads to a place on the page of errors") {
    const std::set<std::string> ids = ids_of(error_page());
    for (const std::string_view name : sluice::detail::error_code_names) {
        const std::string url = error_doc_url(*parse_error_code(name), "https://a.example");
        const std::size_t mark = url.find('#');
        CHECK(url.substr(0, mark) == "https://a.example" + std::string(error_page_path));
        CHECK(ids.contains(url.substr(mark + 1)));
    }
}

TEST_CASE("the page has the texts of each code and rule") {
    for (const rule_info& row : sluice::detail::rules) {
        CAPTURE(row.name);
        const std::string entry = entry_of(row.name);
        CHECK(entry.find("</h3>\n<p>" + as_html(row.problem) + ", " + as_html(row.advice)) !=
              entry.npos);
    }
    CHECK(entry_of("number_too_small").find(">too small, expected at least N</p>") !=
          std::string::npos);
    CHECK(entry_of("text_too_long").find(">too long, expected at most N</p>") != std::string::npos);
    for (const auto& row : sluice::detail::error_codes) {
        CAPTURE(row.name);
        const std::string entry = entry_of(row.name);
        CHECK(entry.find(">" + std::to_string(row.status) + " <code>") != entry.npos);
        CHECK(entry.find("<p>" + as_html(row.when) + "</p>") != entry.npos);
    }
}

TEST_CASE("a rule stands below its code") {
    const std::string page = error_page();
    for (const rule_info& row : sluice::detail::rules) {
        CAPTURE(row.name);
        const std::size_t place = page.find(" id=\"" + anchor_of(row.name) + "\"");
        const std::size_t section = page.rfind("<section>", place);
        CHECK(page.substr(section).starts_with("<section>\n<h2 id=\"" +
                                               anchor_of(to_string(row.code)) + "\""));
    }
}

TEST_CASE("the page of errors is whole HTML that needs nothing else") {
    const std::string page = error_page();
    CHECK(page.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"));
    CHECK(page.ends_with("</html>\n"));
    CHECK(page.find("Bearer &lt;key&gt;") != page.npos);
    for (const std::string_view absent : {"<key>", "<script", "<link", "src=", "@import", "url("}) {
        CAPTURE(absent);
        CHECK(page.find(absent) == page.npos);
    }
    CHECK(page.find("color-scheme:light dark") != page.npos);
    CHECK(std::ranges::all_of(
        page, [](char byte) { return byte == '\n' || (byte >= ' ' && byte <= '~'); }));
    CHECK(page.size() < 20'000);
}
