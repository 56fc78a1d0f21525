// SPDX-License-Identifier: MIT
#ifndef SLUICE_ERRORS_MESSAGE_HPP
#define SLUICE_ERRORS_MESSAGE_HPP

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include <sluice/base/ascii.hpp>
#include <sluice/base/value.hpp>
#include <sluice/errors/error.hpp>

/// Messages of errors, for people.
namespace sluice {

/// Maximum number of bytes that a message quotes from an input.
inline constexpr std::size_t message_max_quoted = 64;

namespace detail {

/// Returns the bytes of an input that a message quotes: the name of an unknown parameter or field.
/// Empty for all other errors.
constexpr std::string_view quoted_input(const error& failure, std::string_view input) noexcept {
    const bool is_name =
        failure.broken == rule::parameter_unknown || failure.broken == rule::field_unknown;
    if (!is_name || failure.offset > input.size()) return {};
    return input.substr(failure.offset, failure.length);
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

/// Passes the position of the fault and the suggestions to `append`, if the error has any. A prefix
/// that is missing isn't a guess: write_accepted() names it. The suggestion for sort_descending is
/// the column, without its `-`.
template <class Append>
void write_hints(const error& failure, Append append) {
    const bool has_guess = !failure.suggestion.empty() && failure.broken != rule::prefix_missing;
    if (failure.offset == 0 && !has_guess) return;
    append(" (");
    if (failure.offset > 0) {
        append("at byte ");
        append(std::to_string(failure.offset));
    }
    if (has_guess) {
        append(failure.offset > 0 ? ", did you mean '" : "did you mean '");
        if (failure.broken == rule::sort_descending) append("-");
        append(failure.suggestion);
        if (!failure.alternative.empty()) append("' or '");
        append(failure.alternative);
        append("'?");
    }
    append(")");
}

/// Passes what is accepted to `append`: the error's own advice, or that of the rule with the
/// error's bound.
template <class Append>
void write_accepted(const error& failure, Append append) {
    if (!failure.accepts.empty()) return append(failure.accepts);
    if (failure.broken == rule::prefix_missing && !failure.suggestion.empty()) {
        append("it must start with ");
        return append(failure.suggestion);
    }
    append(advice_of(failure.broken));
    if (!failure.bound) return;
    append(" ");
    append(std::to_string(*failure.bound));
    if (failure.broken == rule::text_too_long) append(" bytes");
}

/// Passes the parts of a message to `append`, in order.
template <class Append>
void write_message(const error& failure, std::string_view input, Append append) {
    const std::string_view quoted = quoted_input(failure, input);
    append(failure.param);
    write_escaped(quoted, append);
    if (!failure.param.empty() || !quoted.empty()) append(": ");
    append(problem_of(failure.broken));
    write_hints(failure, append);
    append(", ");
    write_accepted(failure, append);
}

/// Returns an upper bound of the size of a message, in bytes. A quoted byte takes up to 4, as
/// `\xNN`.
constexpr std::size_t message_bound(const error& failure, std::string_view input) noexcept {
    const std::size_t quoted = std::min(quoted_input(failure, input).size(), message_max_quoted);
    constexpr std::size_t fixed = 64;  // punctuation, "at byte", "did you mean", two numbers
    return failure.param.size() + 4 * quoted + problem_of(failure.broken).size() +
           failure.suggestion.size() + failure.alternative.size() + fixed +
           (failure.accepts.empty() ? advice_of(failure.broken) : failure.accepts).size();
}

}  // namespace detail

/// Returns the message for people: the parameter, the problem, its position, suggestions and what
/// is accepted.
///
/// `input` is the text that the error's offset and length count in; after bind(), text_at_fault()
/// returns it. Only the name of an unknown parameter or field is quoted from it: at most
/// message_max_quoted bytes, those that aren't printable ASCII as `\xNN`.
///
/// ```
/// message(e);            // unknown parameter (did you mean 'country'?), expected one of …
/// message(e, "contry");  // contry: unknown parameter (did you mean 'country'?), expected one of …
/// ```
[[nodiscard]] inline std::string message(const error& failure, std::string_view input = {}) {
    std::string text;
    text.reserve(detail::message_bound(failure, input));
    detail::write_message(failure, input, [&](std::string_view part) { text.append(part); });
    return text;
}

/// Returns the message of an error.
[[nodiscard]] inline std::string print_text(const error& failure) { return message(failure); }
template <>
inline constexpr bool is_value<error> = true;

}  // namespace sluice

#endif
