// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_SERVICE_ERROR_PAGE_HPP
#define SLUICE_REFERENCE_SERVICE_ERROR_PAGE_HPP

#include <cstddef>
#include <string>
#include <string_view>

#include <sluice/errors/envelope.hpp>
#include <sluice/errors/rules.hpp>
#include <sluice/reference/service/route.hpp>

/// The HTML page that explains all errors, and the URLs in errors that lead to it.
namespace sluice::reference {

/// The prefix of links to this service: its configured address, or the path that it is mounted at.
[[nodiscard]] inline std::string_view address_of(const request& received,
                                                 const handler_options& options) noexcept {
    return options.base_url.empty() ? received.mount : std::string_view(options.base_url);
}

/// The prefix of `doc_url` in the errors of a request: the configured documentation URL, or this
/// server's address, which serves a page of errors. Without a valid Host header it is the mount
/// path.
[[nodiscard]] inline std::string documentation_url(const request& received,
                                                   const handler_options& options) {
    if (!options.docs_url.empty()) return options.docs_url;
    std::string address(address_of(received, options));
    const auto host = received.header_value("host");
    if (!options.base_url.empty() || !host || !is_authority(*host)) return address;
    address.insert(0, "https://" + std::string(*host));  // the only scheme that is answered
    return address;
}

/// The path of the page of errors.
inline constexpr std::string_view error_page_path =
    sluice::detail::doc_path.substr(0, sluice::detail::doc_path.find('#'));

namespace detail {

/// Appends a text to a page, with the characters of HTML escaped.
inline void append_html(std::string& page, std::string_view text) {
    for (const char byte : text) {
        switch (byte) {
            case '&': page.append("&amp;"); break;
            case '<': page.append("&lt;"); break;
            case '>': page.append("&gt;"); break;
            default: page.push_back(byte); break;
        }
    }
}

/// Appends a heading, such as `<h3 id="filter-dash"><code>filter_dash</code></h3>`.
inline void append_heading(std::string& page, std::string_view level, std::string_view name,
                           std::string_view before = {}) {
    page.append("<").append(level).append(" id=\"");
    sluice::detail::append_doc_anchor(page, name);
    page.append("\">").append(before).append("<code>").append(name).append("</code></");
    page.append(level).append(">\n");
}

/// Appends a rule's problem and advice. `N` stands for the number that ends the advice in errors.
inline void append_rule(std::string& page, const rule_info& row) {
    append_heading(page, "h3", row.name);
    page.append("<p>");
    append_html(page, row.problem);
    page.append(", ");
    append_html(page, row.advice);
    const bool lacks_bound = row.advice.ends_with("at most") || row.advice.ends_with("at least");
    page.append(lacks_bound ? " N</p>\n" : "</p>\n");
}

/// Appends a code with its rules.
inline void append_code(std::string& page, error_code code) {
    page.append("<section>\n");
    append_heading(page, "h2", to_string(code), std::to_string(http_status(code)) + ' ');
    page.append("<p>");
    append_html(page, condition_of(code));
    page.append("</p>\n");
    for (const rule_info& row : sluice::detail::rules) {
        if (row.code == code) append_rule(page, row);
    }
    page.append("</section>\n");
}

}  // namespace detail

/// The reference of errors as an HTML page: each code with its rules, as the rule table has them.
/// Anchors are names with `-` for `_`: `#bad-request`, `#filter-dash`.
[[nodiscard]] inline std::string error_page() {
    std::string page =
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
        "<title>Errors</title>\n"
        "<style>:root{color-scheme:light dark} "
        "body{max-width:48em;margin:2em auto;padding:0 1em;font:1em/1.5 sans-serif}</style>\n"
        "</head>\n<body>\n<main>\n<h1>Errors</h1>\n";
    for (std::size_t number = 0; number < sluice::detail::error_codes.size(); ++number) {
        detail::append_code(page, static_cast<error_code>(number));
    }
    return page.append("</main>\n</body>\n</html>\n");
}

}  // namespace sluice::reference

#endif
