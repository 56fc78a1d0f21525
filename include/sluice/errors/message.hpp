// SPDX-License-Identifier: MIT
#ifndef SLUICE_ERRORS_MESSAGE_HPP
#define SLUICE_ERRORS_MESSAGE_HPP

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include <sluice/base/hex.hpp>
#include <sluice/errors/error.hpp>

namespace sluice {

/// Maximum number of bytes that a message quotes from an input.
inline constexpr std::size_t message_max_quoted = 64;

namespace detail {

/// Returns the bytes of an input that a message quotes: the name of an unknown parameter or field.
/// Empty for all other errors.
constexpr std::string_view quoted_input(const error& e, std::string_view input) noexcept {
    const bool is_name = e.broken == rule::parameter_unknown || e.broken == rule::field_unknown;
    if (!is_name || e.offset > input.size()) return {};
    return input.substr(e.offset, e.length);
}

/// Passes a text to `append`: printable ASCII but `\` unchanged, every other byte as `\xNN`, and
/// `...` for bytes beyond message_max_quoted.
template <class Append>
void write_escaped(std::string_view text, Append append) {
    for (const char byte : text.substr(0, message_max_quoted)) {
        const bool is_plain = byte >= ' ' && byte <= '~' && byte != '\\';
        const auto hex = hex_of(static_cast<unsigned char>(byte), upper_hex_digits);
        const char escaped[]{'\\', 'x', hex[0], hex[1]};
        append(is_plain ? std::string_view(&byte, 1) : std::string_view(escaped, 4));
    }
    if (text.size() > message_max_quoted) append("...");
}

/// Passes the position of the fault and the suggestions to `append`, if the error has any.
template <class Append>
void write_hints(const error& e, Append append) {
    const bool has_guess = !e.suggestion.empty() && e.broken != rule::prefix_missing;
    if (e.offset == 0 && !has_guess) return;
    append(" (");
    if (e.offset > 0) {
        append("at byte ");
        append(std::to_string(e.offset));
    }
    if (has_guess) {
        append(e.offset > 0 ? ", did you mean '" : "did you mean '");
        if (e.broken == rule::sort_descending) append("-");
        append(e.suggestion);
        if (!e.alternative.empty()) append("' or '");
        append(e.alternative);
        append("'?");
    }
    append(")");
}

template <class Append>
void write_accepted(const error& e, Append append) {
    if (!e.accepts.empty()) return append(e.accepts);
    if (e.broken == rule::prefix_missing && !e.suggestion.empty()) {
        append("it must start with ");
        return append(e.suggestion);
    }
    append(advice_of(e.broken));
    if (!e.bound) return;
    append(" ");
    append(std::to_string(*e.bound));
    if (e.broken == rule::text_too_long) append(" bytes");
}

/// Passes the parts of a message to `append`, in order.
template <class Append>
void write_message(const error& e, std::string_view input, Append append) {
    const std::string_view quoted = quoted_input(e, input);
    append(e.param);
    write_escaped(quoted, append);
    if (!e.param.empty() || !quoted.empty()) append(": ");
    append(problem_of(e.broken));
    write_hints(e, append);
    append(", ");
    write_accepted(e, append);
}

/// Returns an upper bound of the size of a message, in bytes.
constexpr std::size_t message_bound(const error& e, std::string_view input) noexcept {
    const std::size_t quoted = std::min(quoted_input(e, input).size(), message_max_quoted);
    return e.param.size() + 4 * quoted + problem_of(e.broken).size() + e.suggestion.size() +
           e.alternative.size() + 64 + (e.accepts.empty() ? advice_of(e.broken) : e.accepts).size();
}

}  // namespace detail

/// Returns the message for people: the parameter, the problem, its position, suggestions and what
/// is accepted.
///
/// `input` is the text that the error's offset and length count in (see text_at_fault). Only the
/// name of an unknown parameter or field is quoted from it: at most 64 bytes, non-printable ones
/// escaped.
///
/// ```
/// message(e);            // unknown parameter (did you mean 'country'?), expected one of …
/// message(e, "contry");  // contry: unknown parameter (did you mean 'country'?), expected one of …
/// ```
[[nodiscard]] inline std::string message(const error& e, std::string_view input = {}) {
    std::string text;
    text.reserve(detail::message_bound(e, input));
    detail::write_message(e, input, [&](std::string_view part) { text.append(part); });
    return text;
}

}  // namespace sluice

#endif
