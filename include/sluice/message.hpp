// SPDX-License-Identifier: MIT
#ifndef SLUICE_MESSAGE_HPP
#define SLUICE_MESSAGE_HPP

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include <sluice/detail/hex.hpp>
#include <sluice/detail/static_text.hpp>
#include <sluice/error.hpp>
#include <sluice/parse_limits.hpp>

namespace sluice {

/// What is wrong when a rule is broken, as the first half of a message.
[[nodiscard]] constexpr std::string_view what_is_wrong(rule broken) noexcept {
    switch (broken) {
        case rule::parameter_unknown: return "unknown parameter";
        case rule::parameter_repeated: return "given more than once";
        case rule::parameter_missing: return "missing";
        case rule::companion_missing: return "given without the parameter it refines";
        case rule::not_applicable: return "has no meaning in this request";
        case rule::choice_unknown: return "not one of the accepted values";
        case rule::boolean_malformed: return "not a boolean";
        case rule::number_malformed: return "not a number";
        case rule::number_not_whole: return "not a whole number";
        case rule::number_too_small: return "too small";
        case rule::number_too_large: return "too large";
        case rule::text_too_long: return "too long";
        case rule::prefix_missing: return "missing its prefix";
        case rule::list_too_long: return "too many items";
        case rule::list_too_short: return "too few items";
        case rule::filter_dash: return "'-' before a single item";
        case rule::filter_escape: return "a backslash that escapes nothing";
        case rule::filter_exclusion: return "both included and excluded";
        case rule::filter_value: return "not an accepted value";
        case rule::filter_too_many: return "too many values";
        case rule::filter_too_long: return "too long";
        case rule::query_condition: return "missing condition";
        case rule::query_key: return "missing key";
        case rule::query_bracket: return "missing closing bracket";
        case rule::query_operator: return "missing operator";
        case rule::query_operator_unknown: return "not an operator";
        case rule::query_value: return "missing value";
        case rule::query_bare: return "a value that needs quotes";
        case rule::query_quote: return "missing closing quote";
        case rule::query_escape: return "a backslash that escapes nothing";
        case rule::query_parenthesis: return "missing closing parenthesis";
        case rule::query_connective: return "conditions joined by neither AND nor OR";
        case rule::query_end: return "text after the condition";
        case rule::query_number: return "not a number";
        case rule::query_too_long: return "too long";
        case rule::query_too_deep: return "nested too deeply";
        case rule::query_too_many: return "too many conditions";
        case rule::time_malformed: return "not a time";
        case rule::time_out_of_range: return "a time out of range";
        case rule::day_impossible: return "a day that no calendar has";
        case rule::time_zone_unknown: return "unknown time zone";
        case rule::time_zone_data: return "missing time-zone database";
        case rule::window_reversed: return "the window starts after it ends";
        case rule::json_malformed: return "malformed JSON";
        case rule::json_too_deep: return "nested too deeply";
        case rule::text_encoding: return "not valid UTF-8";
        case rule::byte_order_mark: return "starts with a byte-order mark";
        case rule::field_unknown: return "unknown field";
        case rule::field_missing: return "missing";
        case rule::field_type: return "has the wrong type";
        case rule::field_value: return "a value that is not accepted";
        case rule::reference_unknown: return "names no record";
        case rule::identifier_taken: return "names a record that exists";
        case rule::file_unreadable: return "cannot be read";
        case rule::file_unwritable: return "cannot be written";
        case rule::transport_insecure: return "plain HTTP";
        case rule::route_unknown: return "unknown operation";
        case rule::credentials_missing: return "missing credentials";
        case rule::credentials_invalid: return "the key is unknown or has expired";
        case rule::rate_exceeded: return "too many requests";
        case rule::query_too_costly:
            return "the costliest condition of a search that takes too long";
        case rule::request_cancelled: return "the request was cancelled";
        case rule::plan_insufficient: return "not in the workspace's plan";
        case rule::permission_missing: return "the key does not have the permission";
        case rule::unexpected_failure: return "an unexpected failure";
    }
    return "an unexpected failure";
}

/// What would have been accepted, as the second half of a message: the rule's own text, used where
/// the error has none that is more precise. That of a rule whose bound is the caller's ends where
/// the bound goes.
[[nodiscard]] constexpr std::string_view what_is_accepted(rule broken) noexcept {
    switch (broken) {
        case rule::parameter_unknown: return "expected one of the documented names";
        case rule::parameter_repeated: return "give it once";
        case rule::parameter_missing: return "it is required";
        case rule::companion_missing: return "give both";
        case rule::not_applicable: return "leave it out";
        case rule::choice_unknown: return "expected one of the documented values";
        case rule::boolean_malformed: return "expected true or false";
        case rule::number_malformed: return "expected a number such as 2 or 1e2";
        case rule::number_not_whole: return "expected a whole number such as 2 or 1e2";
        case rule::number_too_small:
        case rule::list_too_short: return "expected at least";
        case rule::number_too_large:
        case rule::text_too_long:
        case rule::list_too_long: return "expected at most";
        case rule::prefix_missing: return "it must start with the documented prefix";
        case rule::filter_dash:
            return "exclude the whole list with one leading '-', or escape it as '\\-'";
        case rule::filter_escape: return "use it only before ',', '-' or another backslash";
        case rule::filter_exclusion: return "give '-' with all repeats or with none";
        case rule::filter_value: return "expected a value of the documented form";
        case rule::filter_too_many:
            return detail::number_text<"expected at most ", filter_max_values>.view();
        case rule::filter_too_long:
            return detail::number_text<"expected at most ", filter_max_bytes, " bytes">.view();
        case rule::query_condition: return "expected metadata['key'], NOT or '('";
        case rule::query_key: return "expected a quoted key in brackets: ['key']";
        case rule::query_bracket: return "expected ']' after the key";
        case rule::query_operator:
        case rule::query_operator_unknown: return "expected one of : = != > >= < <=";
        case rule::query_value: return "expected a value, in quotes if it has white space";
        case rule::query_bare:
            return "put quotes around a value that begins with : = ! < > or holds a quote, bracket "
                   "or parenthesis";
        case rule::query_quote: return "end the text with the quote that it began with";
        case rule::query_escape: return "use it only before the quote or another backslash";
        case rule::query_parenthesis: return "expected ')'";
        case rule::query_connective: return "write AND or OR between conditions";
        case rule::query_end: return "expected AND, OR or the end";
        case rule::query_number: return "expected a number after >, >=, < or <=";
        case rule::query_too_long:
            return detail::number_text<"expected at most ", metadata_query_max_length,
                                       " characters">.view();
        case rule::query_too_deep:
            return detail::number_text<"expected at most ", metadata_query_max_depth,
                                       " levels of parentheses and NOTs">.view();
        case rule::query_too_many:
            return detail::number_text<"expected at most ", metadata_query_max_conditions>.view();
        case rule::time_malformed:
            return "expected RFC 3339 (2026-08-21T02:30:15Z), YYYY-MM-DD, "
                   "YYYY-MM-DDTHH:MM[:SS[.fff]], epoch seconds (10 digits) or milliseconds (13 "
                   "digits), now, today, yesterday, tomorrow, 'N minutes ago' (or hours, days, "
                   "weeks, months, years), 'last week' or 'this week' (or month, quarter, year)";
        case rule::time_out_of_range: return "expected a time in the years 0000 to 9999";
        case rule::day_impossible: return "expected a day that exists, such as 2024-02-29";
        case rule::time_zone_unknown: return "expected an IANA name such as Europe/Paris";
        case rule::time_zone_data: return "install tzdata";
        case rule::window_reversed: return "expected a start that is not after the end";
        case rule::json_malformed: return "expected one JSON object a line";
        case rule::json_too_deep:
            return detail::number_text<"expected at most ", json_max_depth, " levels">.view();
        case rule::text_encoding: return "save the file as UTF-8";
        case rule::byte_order_mark: return "save the file as UTF-8 without one";
        case rule::field_unknown: return "expected a documented field";
        case rule::field_missing: return "it is required";
        case rule::field_type: return "expected the documented type";
        case rule::field_value: return "expected an accepted value";
        case rule::reference_unknown: return "load that record first";
        case rule::identifier_taken: return "expected an identifier of its own";
        case rule::file_unreadable: return "expected a readable file";
        case rule::file_unwritable: return "expected a writable folder with room in it";
        case rule::transport_insecure: return "use https";
        case rule::route_unknown: return "expected a documented method and path";
        case rule::credentials_missing:
        case rule::credentials_invalid: return "send 'Authorization: Bearer <key>'";
        case rule::rate_exceeded: return "retry after the time in Retry-After";
        case rule::query_too_costly: return "leave it out or search a shorter time range";
        case rule::request_cancelled: return "send it again";
        case rule::plan_insufficient: return "upgrade the plan";
        case rule::permission_missing: return "use a key that has it";
        case rule::unexpected_failure: return "try again later";
    }
    return "try again later";
}

/// The most bytes of an input that a message repeats.
inline constexpr std::size_t message_max_quoted = 64;

namespace detail {

/// The bytes of an input that a message repeats: the name of an unknown parameter or field. All
/// other messages say what is wrong without it.
constexpr std::string_view quoted_input(const error& e, std::string_view input) noexcept {
    const bool is_name = e.broken == rule::parameter_unknown || e.broken == rule::field_unknown;
    if (!is_name || e.offset > input.size()) return {};
    return input.substr(e.offset, e.length);
}

/// Passes printable ASCII to `append` as it is and every other byte as `\xNN`, up to
/// message_max_quoted bytes of the text.
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

/// Passes where the fault is and what was probably meant to `append`, as far as the error tells.
template <class Append>
void write_hints(const error& e, Append append) {
    if (e.offset == 0 && e.suggestion.empty()) return;
    append(" (");
    if (e.offset > 0) {
        append("at byte ");
        append(std::to_string(e.offset));
    }
    if (!e.suggestion.empty()) {
        append(e.offset > 0 ? ", did you mean '" : "did you mean '");
        append(e.suggestion);
        append("'?");
    }
    append(")");
}

template <class Append>
void write_accepted(const error& e, Append append) {
    if (!e.accepts.empty()) return append(e.accepts);
    append(what_is_accepted(e.broken));
    if (!e.bound) return;
    append(" ");
    append(std::to_string(*e.bound));
    if (e.broken == rule::text_too_long) append(" bytes");
}

/// Passes the parts of a message to `append`, in their order.
template <class Append>
void write_message(const error& e, std::string_view input, Append append) {
    const std::string_view quoted = quoted_input(e, input);
    append(e.param);
    write_escaped(quoted, append);
    if (!e.param.empty() || !quoted.empty()) append(": ");
    append(what_is_wrong(e.broken));
    write_hints(e, append);
    append(", ");
    write_accepted(e, append);
}

/// No less than the size of a message.
constexpr std::size_t message_bound(const error& e, std::string_view input) noexcept {
    const std::size_t quoted = std::min(quoted_input(e, input).size(), message_max_quoted);
    return e.param.size() + 4 * quoted + what_is_wrong(e.broken).size() + e.suggestion.size() + 64 +
           (e.accepts.empty() ? what_is_accepted(e.broken) : e.accepts).size();
}

}  // namespace detail

/// The message for people: `<parameter>: <what is wrong> (at byte N, did you mean 'x'?), <what is
/// accepted>`.
///
/// `input` is what the error's offset and length count in (see text_at_fault). Only the name of an
/// unknown parameter or field is repeated from it: at most 64 bytes, without control characters.
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
