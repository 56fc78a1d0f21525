// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_SERVICE_ERROR_PAGE_HPP
#define SLUICE_API_SERVICE_ERROR_PAGE_HPP

#include <cstddef>
#include <string>
#include <string_view>

#include <sluice/api/service/error_examples.hpp>
#include <sluice/detail/hex.hpp>
#include <sluice/envelope.hpp>
#include <sluice/rules.hpp>

namespace sluice::api {

namespace detail {

/// Writes the HTML page of errors.
class error_page_writer {
public:
    [[nodiscard]] std::string write() && {
        add(head);
        add_contents();
        for (std::size_t at = 0; at < sluice::detail::error_codes.size(); ++at) {
            add_code(static_cast<error_code>(at));
        }
        return std::move(add("</main>\n</body>\n</html>\n").page_);
    }

private:
    static constexpr std::string_view head =
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
        "<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>Errors</title>\n<style>\n"
        ":root{color-scheme:light dark}\n"
        "body{max-width:48em;margin:2em auto;padding:0 1em;font:1em/1.5 sans-serif}\n"
        "h3{margin-bottom:0}\n"
        "dt{font-weight:bold}\n"
        "dd{margin:0 0 .5em 1em}\n"
        "code{white-space:pre-wrap;overflow-wrap:anywhere}\n"
        ":target{outline:2px solid;outline-offset:4px}\n"
        "</style>\n</head>\n<body>\n<main>\n<h1>Errors</h1>\n"
        "<p>An error is answered as JSON: <code>{\"error\": {\"code\", \"message\", "
        "\"doc_url\"}}</code>. Programs go by the code and the status. The message is for people: "
        "it names the parameter at fault, the byte where it is wrong, and what is accepted. "
        "Requests are shown here before they are percent-encoded.</p>\n";

    error_page_writer& add(std::string_view html) {
        page_.append(html);
        return *this;
    }
    /// Adds escaped text; bytes other than printable ASCII and newlines become \xNN.
    error_page_writer& add_text(std::string_view text) {
        for (const char byte : text) add_byte(byte);
        return *this;
    }
    void add_byte(char byte) {
        switch (byte) {
            case '&': add("&amp;"); return;
            case '<': add("&lt;"); return;
            case '>': add("&gt;"); return;
            default: break;
        }
        const bool is_plain = (byte >= ' ' && byte <= '~') || byte == '\n';
        if (is_plain) return page_.push_back(byte);
        const auto hex = sluice::detail::hex_of(static_cast<unsigned char>(byte),
                                                sluice::detail::upper_hex_digits);
        add("\\x");
        page_.append(hex.begin(), hex.end());
    }
    error_page_writer& add_anchor(std::string_view name) {
        sluice::detail::append_doc_anchor(page_, name);
        return *this;
    }

    void add_contents() {
        add("<nav aria-label=\"Codes\">\n<ul>\n");
        for (const auto& row : sluice::detail::error_codes) {
            add("<li><a href=\"#").add_anchor(row.name).add("\"><code>").add(row.name);
            add("</code></a></li>\n");
        }
        add("</ul>\n</nav>\n");
    }

    void add_code(error_code code) {
        const std::string_view name = to_string(code);
        add("<section>\n<h2 id=\"").add_anchor(name).add("\">");
        add(std::to_string(http_status(code))).add(" <code>").add(name).add("</code></h2>\n<p>");
        add_text(condition_of(code)).add("</p>\n<dl>\n<dt>Example</dt>\n<dd><code>");
        add_text(example_body(code)).add("</code></dd>\n<dt>Fix</dt>\n<dd>");
        add_text(fix_of(code)).add("</dd>\n</dl>\n");
        for (const error_example* const each : error_examples) {
            if (code_of(each->broken) == code) add_rule(*each);
        }
        add("</section>\n");
    }
    /// An example body for a code: of its first rule with an example, if it has one.
    static std::string example_body(error_code code) {
        for (const error_example* const each : error_examples) {
            if (code_of(each->broken) != code) continue;
            const auto refused = each->refusal();
            if (refused) return error_body(code, refused->message, {});
        }
        return error_body(code, condition_of(code), {});
    }

    void add_rule(const error_example& of) {
        const std::string_view name = to_string(of.broken);
        add("<h3 id=\"").add_anchor(name).add("\"><code>").add(name).add("</code></h3>\n<p>");
        add_text(what_is_wrong(of.broken)).add("</p>\n<dl>\n<dt>Example</dt>\n<dd><code>");
        add_text(of.from->before).add_text(of.given);
        if (of.times > 0)
            add_text(of.more).add(" ... (").add(std::to_string(of.times)).add(" times)");
        add_text(of.from->after).add("</code></dd>\n<dt>Message</dt>\n<dd><samp>");
        const auto refused = of.refusal();
        add_text(refused ? refused->message : "").add("</samp></dd>\n<dt>Fix</dt>\n<dd>");
        add_text(of.fix);
        if (!of.instead.empty()) {
            add("<br/><code>").add_text(of.from->before).add_text(of.instead);
            add_text(of.from->after).add("</code>");
        }
        add("</dd>\n</dl>\n");
    }

    std::string page_;
};

}  // namespace detail

/// The path of the page of errors.
inline constexpr std::string_view error_page_path =
    sluice::detail::doc_path.substr(0, sluice::detail::doc_path.find('#'));

/// The reference of errors as an HTML page: each code with its rules, and for each rule its
/// meaning, an input that breaks it, the resulting message and the fix. Anchors are names with `-`
/// for `_`: `#bad-request`, `#filter-dash`.
///
/// All examples run on the first call, which takes some milliseconds.
[[nodiscard]] inline const std::string& error_page() {
    static const std::string page = detail::error_page_writer().write();
    return page;
}

}  // namespace sluice::api

#endif
