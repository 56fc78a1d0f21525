// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_SERVICE_ERROR_PAGE_HPP
#define SLUICE_API_SERVICE_ERROR_PAGE_HPP

#include <cstdint>
#include <string>
#include <string_view>

#include <sluice/envelope.hpp>
#include <sluice/rule_name.hpp>

namespace sluice::api {

/// When a code is the answer, as a sentence.
[[nodiscard]] constexpr std::string_view condition_of(error_code code) noexcept {
    switch (code) {
        case error_code::bad_request:
            return "The request is malformed: a required parameter is missing, a value has the "
                   "wrong type or its syntax is wrong.";
        case error_code::unauthorized:
            return "The request has no valid credentials. Send a key of your workspace as "
                   "'Authorization: Bearer <key>'.";
        case error_code::forbidden:
            return "The request was understood and is refused: the key lacks the permission, or "
                   "the workspace's plan does not include the operation.";
        case error_code::not_found: return "Nothing answers to this method and path.";
        case error_code::conflict:
            return "Another resource has the same identifier, which must be unique.";
        case error_code::invite_expired: return "The invite has expired.";
        case error_code::unprocessable_entity:
            return "The request is well-formed, but its data are not valid.";
        case error_code::rate_limit_exceeded:
            return "The key has used up its requests. Wait as many seconds as Retry-After says.";
        case error_code::internal_server_error:
            return "Something unexpected happened in the server. Try again later.";
    }
    return "";
}

namespace detail {

/// Appends a text as it stands inside an HTML element.
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
    constexpr auto last = static_cast<std::uint8_t>(rule::unexpected_failure);
    for (std::uint8_t value = 0; value <= last; ++value) {
        const auto broken = static_cast<rule>(value);
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
    for (const std::string_view name : sluice::detail::error_code_names) {
        detail::append_code(page, *parse_error_code(name));
    }
    page.append("</body>\n</html>\n");
    return page;
}

}  // namespace sluice::api

#endif
