// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_SERVICE_ERROR_PAGE_HPP
#define SLUICE_API_SERVICE_ERROR_PAGE_HPP

#include <cstddef>
#include <string>
#include <string_view>

#include <sluice/envelope.hpp>
#include <sluice/rules.hpp>

namespace sluice::api {

namespace detail {

/// Appends a text as an HTML element has it.
inline void append_html(std::string& out, std::string_view text) {
    for (const char byte : text) {
        switch (byte) {
            case '&': out.append("&amp;"); break;
            case '<': out.append("&lt;"); break;
            case '>': out.append("&gt;"); break;
            default: out.push_back(byte);
        }
    }
}

inline void append_heading(std::string& out, std::string_view name, std::string_view title) {
    out.append("<h2 id=\"");
    sluice::detail::append_doc_anchor(out, name);
    out.append("\">").append(title).append("</h2>\n");
}

/// Appends what a rule says in a list of rules.
inline void append_rule(std::string& out, rule broken) {
    out.append("<dt id=\"");
    sluice::detail::append_doc_anchor(out, to_string(broken));
    out.append("\"><code>").append(to_string(broken)).append("</code>: ");
    append_html(out, what_is_wrong(broken));
    out.append("</dt>\n<dd>");
    append_html(out, what_is_accepted(broken));
    out.append("</dd>\n");
}

inline void append_code(std::string& out, error_code code) {
    const std::string status = std::to_string(http_status(code));
    append_heading(out, to_string(code),
                   status + " <code>" + std::string(to_string(code)) + "</code>");
    out.append("<p>");
    append_html(out, condition_of(code));
    out.append("</p>\n");
    std::string rules;
    for (std::size_t at = 0; at < sluice::detail::rules.size(); ++at) {
        const auto broken = static_cast<rule>(at);
        if (code_of(broken) == code) append_rule(rules, broken);
    }
    if (!rules.empty()) out.append("<dl>\n").append(rules).append("</dl>\n");
}

}  // namespace detail

/// Where the reference of errors is.
inline constexpr std::string_view error_page_path =
    sluice::detail::doc_path.substr(0, sluice::detail::doc_path.find('#'));

/// The reference of errors, an HTML page: each code with the rules that are answered with it, and
/// for each of them what is wrong and what is accepted. A name is an anchor once its `_` are `-`:
/// `#bad-request`, `#filter-dash`.
[[nodiscard]] inline std::string error_page() {
    std::string page =
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width\">\n<title>Errors</title>\n"
        "<style>body{max-width:45em;margin:2em auto;padding:0 1em;font-family:sans-serif}"
        "dt{margin-top:1em}</style>\n</head>\n<body>\n<h1>Errors</h1>\n"
        "<p>An error is answered as JSON: <code>{\"error\": {\"code\", \"message\", "
        "\"doc_url\"}}</code>. Programs go by the code and the status; the message is for people, "
        "and names the parameter at fault.</p>\n";
    for (std::size_t at = 0; at < sluice::detail::error_codes.size(); ++at) {
        detail::append_code(page, static_cast<error_code>(at));
    }
    page.append("</body>\n</html>\n");
    return page;
}

}  // namespace sluice::api

#endif
