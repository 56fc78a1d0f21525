// SPDX-License-Identifier: MIT
#ifndef SLUICE_ERROR_HPP
#define SLUICE_ERROR_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tl/expected.hpp>

namespace sluice {

/// The machine-readable `code` of an error body. Each has exactly one HTTP status.
enum class error_code : std::uint8_t {
    bad_request,            ///< 400: malformed: missing required, wrong datatype, bad syntax
    unauthorized,           ///< 401: no valid credentials
    forbidden,              ///< 403: understood but refused
    not_found,              ///< 404: nothing matches the request
    conflict,               ///< 409: another resource uses the same identifier
    invite_expired,         ///< 410: the invite has expired
    unprocessable_entity,   ///< 422: well-formed but invalid data
    rate_limit_exceeded,    ///< 429: too many requests
    internal_server_error,  ///< 500: unexpected failure
};

/// The HTTP status of a code, 400 to 500.
[[nodiscard]] constexpr int http_status(error_code code) noexcept {
    switch (code) {
        case error_code::bad_request: return 400;
        case error_code::unauthorized: return 401;
        case error_code::forbidden: return 403;
        case error_code::not_found: return 404;
        case error_code::conflict: return 409;
        case error_code::invite_expired: return 410;
        case error_code::unprocessable_entity: return 422;
        case error_code::rate_limit_exceeded: return 429;
        case error_code::internal_server_error: return 500;
    }
    return 500;
}

/// The code as it is written in an error body, such as `bad_request`.
[[nodiscard]] constexpr std::string_view to_string(error_code code) noexcept {
    switch (code) {
        case error_code::bad_request: return "bad_request";
        case error_code::unauthorized: return "unauthorized";
        case error_code::forbidden: return "forbidden";
        case error_code::not_found: return "not_found";
        case error_code::conflict: return "conflict";
        case error_code::invite_expired: return "invite_expired";
        case error_code::unprocessable_entity: return "unprocessable_entity";
        case error_code::rate_limit_exceeded: return "rate_limit_exceeded";
        case error_code::internal_server_error: return "internal_server_error";
    }
    return "internal_server_error";
}

/// The rule that an input broke: one enumerator a rule, its comment states the rule.
enum class rule : std::uint8_t {
    // query strings and parameter tables
    parameter_unknown,   ///< Strict binding takes only the names of the table.
    parameter_repeated,  ///< Only list-valued parameters may be given more than once.
    parameter_missing,   ///< A required parameter is given.
    companion_missing,   ///< A parameter that refines another is given together with it.
    not_applicable,      ///< A parameter is given only where it has a meaning.
    choice_unknown,      ///< An enumeration is one of its values, in their exact spelling.
    boolean_malformed,   ///< A boolean is `true` or `false`, in any case.
    number_malformed,    ///< A number has JSON number syntax.
    number_not_whole,    ///< A whole number has no fraction.
    number_too_small,    ///< A number is at least its minimum.
    number_too_large,    ///< A number is at most its maximum.
    text_too_long,       ///< A text is at most as long as its limit.
    prefix_missing,      ///< An identifier starts with its prefix.
    list_too_long,       ///< A list has at most as many items as its limit.
    list_too_short,      ///< A list has at least as many items as its minimum.
    // advanced filters
    filter_dash,       ///< `-` stands only before the whole list; elsewhere it is escaped.
    filter_escape,     ///< A backslash escapes only `,`, `-` or itself.
    filter_exclusion,  ///< Repeats of one filter all include or all exclude.
    filter_value,      ///< Each value of a filter has the form that its column takes.
    filter_too_many,   ///< A filter has at most 1,000 values.
    filter_too_long,   ///< A filter has at most 10,000 bytes.
    // metadata expressions
    query_condition,         ///< A condition, `NOT` or `(` comes next.
    query_key,               ///< `metadata` is followed by keys in brackets: `['key']`.
    query_bracket,           ///< A key ends with `]`.
    query_operator,          ///< A path is followed by an operator.
    query_operator_unknown,  ///< An operator is `:`, `=`, `!=`, `>`, `>=`, `<` or `<=`.
    query_value,             ///< An operator is followed by a value.
    query_bare,         ///< A value without quotes begins and goes on with no special character.
    query_quote,        ///< A quoted text ends with the quote that it began with.
    query_escape,       ///< In a quoted text a backslash escapes only the quote and itself.
    query_parenthesis,  ///< Each `(` has its `)`.
    query_connective,   ///< `AND` and `OR` join conditions.
    query_end,          ///< A condition is followed by `AND`, `OR`, `)` or the end.
    query_number,       ///< The right side of `>`, `>=`, `<`, `<=` is a JSON number.
    query_too_long,     ///< An expression has at most 10,000 UTF-16 code units.
    query_too_deep,     ///< Parentheses and NOTs nest at most 64 levels.
    query_too_many,     ///< An expression has at most 256 conditions.
    // time
    time_malformed,     ///< A time has one of the accepted forms.
    time_out_of_range,  ///< A time lies in the years 0000 to 9999.
    day_impossible,     ///< A day is one that the calendar has.
    time_zone_unknown,  ///< A time zone is an IANA name.
    time_zone_data,     ///< The time-zone database can be read.
    window_reversed,    ///< A window does not start after its end.
    // records and files
    json_malformed,     ///< A line is one JSON object.
    json_too_deep,      ///< Objects and arrays nest at most 256 levels.
    text_encoding,      ///< A text is UTF-8.
    byte_order_mark,    ///< A file does not start with a byte-order mark.
    field_unknown,      ///< Where unknown fields are no use, a field is one that is known.
    field_missing,      ///< A record has its required fields.
    field_type,         ///< A field has its type.
    field_value,        ///< A field's value is one of those it accepts.
    reference_unknown,  ///< An identifier names a record that was loaded.
    identifier_taken,   ///< An identifier names one record only.
    file_unreadable,    ///< A file can be read.
    file_unwritable,    ///< A file can be written.
    // requests
    transport_insecure,   ///< Requests come over HTTPS.
    route_unknown,        ///< The method and path name an operation.
    credentials_missing,  ///< A request carries `Authorization: Bearer <key>`.
    credentials_invalid,  ///< The key is known and has not expired.
    rate_exceeded,        ///< A key stays within its limit.
    query_too_costly,     ///< A search is done within its share of the server's time.
    request_cancelled,    ///< A client waits for its answer, and the server runs.
    plan_insufficient,    ///< The workspace's plan includes the operation.
    permission_missing,   ///< The key holds the operation's permission.
    unexpected_failure,   ///< The service works.
};

/// The error code of a broken rule.
[[nodiscard]] constexpr error_code code_of(rule broken) noexcept {
    switch (broken) {
        case rule::parameter_unknown:
        case rule::parameter_repeated:
        case rule::parameter_missing:
        case rule::companion_missing:
        case rule::boolean_malformed:
        case rule::number_malformed:
        case rule::filter_dash:
        case rule::filter_escape:
        case rule::filter_exclusion:
        case rule::query_condition:
        case rule::query_key:
        case rule::query_bracket:
        case rule::query_operator:
        case rule::query_operator_unknown:
        case rule::query_value:
        case rule::query_bare:
        case rule::query_quote:
        case rule::query_escape:
        case rule::query_parenthesis:
        case rule::query_connective:
        case rule::query_end:
        case rule::time_malformed:
        case rule::time_out_of_range:
        case rule::day_impossible:
        case rule::json_malformed:
        case rule::text_encoding:
        case rule::byte_order_mark:
        case rule::field_unknown:
        case rule::field_missing:
        case rule::field_type: return error_code::bad_request;
        case rule::credentials_missing:
        case rule::credentials_invalid: return error_code::unauthorized;
        case rule::transport_insecure:
        case rule::plan_insufficient:
        case rule::permission_missing: return error_code::forbidden;
        case rule::route_unknown: return error_code::not_found;
        case rule::identifier_taken: return error_code::conflict;
        case rule::not_applicable:
        case rule::choice_unknown:
        case rule::number_not_whole:
        case rule::number_too_small:
        case rule::number_too_large:
        case rule::text_too_long:
        case rule::prefix_missing:
        case rule::list_too_long:
        case rule::list_too_short:
        case rule::filter_value:
        case rule::filter_too_many:
        case rule::filter_too_long:
        case rule::query_number:
        case rule::query_too_long:
        case rule::query_too_deep:
        case rule::query_too_many:
        case rule::json_too_deep:
        case rule::time_zone_unknown:
        case rule::window_reversed:
        case rule::field_value:
        case rule::reference_unknown:
        case rule::query_too_costly: return error_code::unprocessable_entity;
        case rule::rate_exceeded: return error_code::rate_limit_exceeded;
        case rule::time_zone_data:
        case rule::file_unreadable:
        case rule::file_unwritable:
        case rule::request_cancelled:
        case rule::unexpected_failure: return error_code::internal_server_error;
    }
    return error_code::internal_server_error;
}

/// Why an input was refused. Trivially copyable; it refers to static text only, never to the input.
///
/// ```
/// country=US,-CA          rule::filter_dash
///            ^^^          offset 3, length 3, in bytes of the parameter's decoded value
/// ```
/// <sluice/message.hpp> says it in words.
struct error {
    /// `pair` where the error is in no pair of a request.
    static constexpr std::uint32_t no_pair = 0xFFFF'FFFF;

    error_code code = error_code::internal_server_error;
    rule broken = rule::unexpected_failure;
    std::uint32_t offset = 0;      ///< first byte at fault in the decoded value
    std::uint32_t length = 0;      ///< bytes at fault; 0 where something is missing
    std::uint32_t pair = no_pair;  ///< which of the bound pairs is at fault, counted from 0
    std::string_view param{};    ///< the parameter or field; static text, empty where there is none
    std::string_view accepts{};  ///< what would be accepted; static text, empty for the rule's own
    std::string_view suggestion{};        ///< what was probably meant; static text or a zone's name
    std::optional<std::int64_t> bound{};  ///< the least or most that is accepted

    friend constexpr bool operator==(const error&, const error&) = default;
};

/// A type that hands out views of itself and says so by a member type `lends_views`.
template <class T>
concept view_lender = requires { typename T::lends_views; };

/// A value or the reason why there is none: a tl::expected, but that a temporary one isn't looked
/// into by `->` where its value lends views, which would outlive it. Name it, check it, and then
/// look into it.
///
/// ```
/// const auto countries = sluice::parse_filter(text);
/// if (!countries) return sluice::message(countries.error());
/// for (const std::string_view value : countries->values()) …
/// ```
template <class T>
class [[nodiscard]] result : public tl::expected<T, error> {
    using base = tl::expected<T, error>;

public:
    using base::base;
    using base::operator=;
    result() = default;
    constexpr result(base other) : base(std::move(other)) {}

    [[nodiscard]] constexpr T* operator->() & noexcept { return base::operator->(); }
    [[nodiscard]] constexpr const T* operator->() const& noexcept { return base::operator->(); }
    [[nodiscard]] constexpr T* operator->() && noexcept { return base::operator->(); }
    T* operator->() &&
        requires view_lender<T>
    = delete;
    const T* operator->() const&&
        requires view_lender<T>
    = delete;

    /// The result of `next(value)`, or this error.
    template <class Next>
    [[nodiscard]] constexpr std::invoke_result_t<Next, T&&> and_then(Next&& next) && {
        if (!this->has_value()) return tl::unexpected<error>(this->error());
        return std::invoke(std::forward<Next>(next), *std::move(*this));
    }
};

template <class T>
[[nodiscard]] constexpr bool operator==(const result<T>& a, const result<T>& b) {
    using base = tl::expected<T, error>;
    return static_cast<const base&>(a) == static_cast<const base&>(b);
}

/// Success, or the reason why there is none.
template <>
class [[nodiscard]] result<void> : public tl::expected<void, sluice::error> {
    using base = tl::expected<void, sluice::error>;

public:
    using base::base;
    using base::operator=;
    result() = default;
    constexpr result(base other) : base(std::move(other)) {}

    /// The result of `next()`, or this error.
    template <class Next>
    [[nodiscard]] constexpr std::invoke_result_t<Next> and_then(Next&& next) && {
        if (!has_value()) return tl::unexpected<sluice::error>(error());
        return std::invoke(std::forward<Next>(next));
    }
};

/// An error for a broken rule at `offset`, with the rule's own code.
[[nodiscard]] constexpr error make_error(rule broken, std::size_t offset = 0,
                                         std::size_t length = 0) noexcept {
    error made;
    made.code = code_of(broken);
    made.broken = broken;
    made.offset = static_cast<std::uint32_t>(offset);
    made.length = static_cast<std::uint32_t>(length);
    return made;
}

/// The failed result of a broken rule: `return fail(rule::filter_dash, 3, 3);`
[[nodiscard]] constexpr tl::unexpected<error> fail(rule broken, std::size_t offset = 0,
                                                   std::size_t length = 0) noexcept {
    return tl::unexpected<error>(make_error(broken, offset, length));
}

/// The same for a parameter or field as a whole: `return fail_in(rule::identifier_taken, "id");`
[[nodiscard]] constexpr tl::unexpected<error> fail_in(rule broken,
                                                      std::string_view param) noexcept {
    error made = make_error(broken);
    made.param = param;
    return tl::unexpected<error>(made);
}

/// The same for a rule whose bound is the caller's: `return fail_beyond(rule::number_too_large,
/// 100);`
[[nodiscard]] constexpr tl::unexpected<error> fail_beyond(rule broken, std::int64_t bound,
                                                          std::size_t offset = 0,
                                                          std::size_t length = 0) noexcept {
    error made = make_error(broken, offset, length);
    made.bound = bound;
    return tl::unexpected<error>(made);
}

}  // namespace sluice

#endif
