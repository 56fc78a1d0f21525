// SPDX-License-Identifier: MIT
#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <sluice/api/service/error_page.hpp>

using namespace sluice;
using namespace sluice::api;

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

}  // namespace

TEST_CASE("the page of errors has one anchor a code and a rule") {
    const std::string page = error_page();
    std::set<std::string> expected;
    for (const std::string_view name : sluice::detail::error_code_names) {
        expected.insert(anchor_of(name));
    }
    int rules = 0;
    for (; rules == 0 || to_string(static_cast<rule>(rules - 1)) != "unexpected_failure"; ++rules) {
        expected.insert(anchor_of(to_string(static_cast<rule>(rules))));
    }
    CHECK(to_string(static_cast<rule>(rules)) == "unexpected_failure");  // that was the last rule
    CHECK(ids_of(page) == expected);
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

TEST_CASE("the page of errors says what is wrong and what is accepted, as HTML") {
    const std::string page = error_page();
    CHECK(page.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"));
    CHECK(page.ends_with("</html>\n"));
    CHECK(
        page.find("<dt id=\"filter-dash\"><code>filter_dash</code>: '-' before a single item</dt>\n"
                  "<dd>") != page.npos);
    for (const std::string_view name : sluice::detail::error_code_names) {
        const std::string condition(condition_of(*parse_error_code(name)));
        const std::string plain = condition.substr(0, condition.find('<'));
        CHECK(page.find("</h2>\n<p>" + plain) != page.npos);
    }
    CHECK(page.find("Bearer &lt;key&gt;") != page.npos);
    CHECK(page.find("<key>") == page.npos);
    CHECK(page.find("<script") == page.npos);
    CHECK(page.size() < 20'000);
}
