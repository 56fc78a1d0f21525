// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARAMS_VALUE_HPP
#define SLUICE_PARAMS_VALUE_HPP

#include <concepts>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <sluice/base/static_text.hpp>
#include <sluice/params/row.hpp>
#include <sluice/time/window.hpp>

/// Parameters of one value other than a text: booleans, integers, custom types, expressions, times.
namespace sluice {

/// An integer of at most 64 bits with a sign, or of fewer bits without one.
template <class T>
concept parameter_integer =
    std::integral<T> && !std::same_as<T, bool> && std::numeric_limits<T>::digits < 64;

/// Declares a boolean, `true` or `false`, bound to a `bool` or an optional one. With a column: rows
/// with this value.
template <auto Member, class Query = detail::query_of<Member>>
[[nodiscard]] constexpr auto boolean_param(const param_info& info) noexcept {
    static_assert(detail::may_hold<Member, bool>,
                  "boolean_param is bound to a bool or a std::optional<bool>: give the member "
                  "this type");
    constexpr auto test = [](bool value, const param_info&) -> column_test {
        return boolean_test{value};
    };
    constexpr auto read = [](std::string_view text, const param_info&, const bind_options&) {
        return parse_boolean(text);
    };
    auto row =
        detail::compared<Member, test>(detail::make_row<Member, Query>(info, param_type::boolean),
                                       set_of(column_type::boolean), test_kind::is);
    row.assign = detail::assign<Member, read, Query>;
    return row;
}

/// Declares a boolean, bound to a `std::optional<bool>`: `true` selects rows without a value in the
/// column, `false` rows with one.
///
/// ```
/// sluice::null_param<&orders::is_open>({.name = "paid[is_null]", .column = "paid"})
/// ```
template <auto Member>
[[nodiscard]] constexpr auto null_param(const param_info& info) noexcept {
    constexpr auto test = [](bool value, const param_info&) -> column_test {
        return null_test{value};
    };
    return detail::compared<Member, test>(boolean_param<Member>(info), all_column_types(),
                                          test_kind::is_null);
}

/// Declares a boolean, bound to a `std::optional<bool>`: `true` selects rows whose text is any of
/// `Texts`, `false` all others.
template <auto Member, const auto& Texts>
[[nodiscard]] constexpr auto membership_param(const param_info& info) noexcept {
    constexpr auto test = [](bool value, const param_info&) -> column_test {
        return text_test{filter(filter_values(std::span<const std::string_view>(Texts)), !value)};
    };
    return detail::compared<Member, test>(boolean_param<Member>(info), set_of(column_type::text));
}

namespace detail {

/// The least and the largest value of an integer; 0, which is not used, for other types.
template <class T>
inline constexpr std::int64_t least = 0;
template <class T>
inline constexpr std::int64_t largest = 0;
template <parameter_integer Integer>
inline constexpr std::int64_t least<Integer> = std::numeric_limits<Integer>::min();
template <parameter_integer Integer>
inline constexpr std::int64_t largest<Integer> = std::numeric_limits<Integer>::max();

/// Returns the test of a column for numbers that compare to a value by `info.op`.
template <class Integer>
inline constexpr auto integer_test = [](Integer value, const param_info& info) -> column_test {
    bounds<std::int64_t> range;
    range.narrow(info.op, static_cast<std::int64_t>(value));
    return column_test(std::in_place_type<bounds<std::int64_t>>, range);
};

}  // namespace detail

/// Declares a whole number from `Minimum` to `Maximum`, by default any that the member holds, bound
/// to an integer or an optional one. With a column: rows whose number compares to it by `op`.
template <auto Member, std::int64_t Minimum = detail::least<detail::bare_value_of<Member>>,
          std::int64_t Maximum = detail::largest<detail::bare_value_of<Member>>,
          class Query = detail::query_of<Member>>
[[nodiscard]] constexpr auto integer_param(param_info info) noexcept {
    using integer = detail::bare_value_of<Member>;
    static_assert(parameter_integer<integer>,
                  "integer_param is bound to an integer of at most 64 bits with a sign, or an "
                  "optional one: for text use text_param, for amounts value_param of a "
                  "decimal_number");
    static_assert(std::in_range<integer>(Minimum) && std::in_range<integer>(Maximum),
                  "the member can't hold the minimum or the maximum: give it a wider type");
    info.minimum = Minimum;
    info.maximum = Maximum;
    if (info.accepts.empty()) info.accepts = detail::range_text<Minimum, Maximum>.view();
    constexpr auto read = [](std::string_view text, const param_info& row_info,
                             const bind_options&) -> result<integer> {
        return parse_int64(text, row_info.minimum, row_info.maximum).map([](std::int64_t number) {
            return static_cast<integer>(number);
        });
    };
    auto row = detail::compared<Member, detail::integer_test<integer>>(
        detail::make_row<Member, Query>(info, param_type::integer), set_of(column_type::integer),
        test_kind::bounds);
    row.assign = detail::assign<Member, read, Query>;
    return row;
}

namespace detail {

inline constexpr auto real_test = [](double value, const param_info& info) -> column_test {
    bounds<double> range;
    range.narrow(info.op, value);
    return range;
};

}  // namespace detail

/// Declares a number, bound to a `std::optional<double>`, as the nearest double. With a column of
/// reals: rows whose number compares to it by `op`.
template <auto Member>
[[nodiscard]] constexpr auto real_param(param_info info) noexcept {
    static_assert(detail::holds<Member, std::optional<double>>,
                  "real_param is bound to a std::optional<double>: for amounts use value_param of "
                  "a decimal_number, which is exact");
    if (info.accepts.empty()) info.accepts = "expected a number such as 0.5 or 1e3";
    constexpr auto read = [](std::string_view text, const param_info&, const bind_options&) {
        return parse_real_number(text);
    };
    auto row = detail::compared<Member, detail::real_test>(
        detail::make_row<Member>(info, param_type::real), set_of(column_type::real),
        test_kind::bounds);
    row.assign = detail::assign<Member, read>;
    return row;
}

namespace detail {

/// Checks that a type has param_traits; says what to use instead for types that need none.
template <class T>
consteval void check_custom_type() noexcept {
    static_assert(!std::same_as<T, std::string> && !std::same_as<T, std::string_view>,
                  "value_param is for types of your own: use text_param, bound to a "
                  "std::optional<std::string>");
    static_assert(!std::same_as<T, filter>,
                  "value_param is for types of your own: use filter_param for a filter");
    static_assert(!std::same_as<T, bool>,
                  "value_param is for types of your own: use boolean_param for a bool");
    static_assert(!std::integral<T> || std::same_as<T, bool>,
                  "value_param is for types of your own: use integer_param for an integer");
    static_assert(!std::is_enum_v<T>,
                  "value_param is for types of your own: use choice_param for an enum");
    static_assert(!std::floating_point<T>,
                  "amounts are exact: give the member the type sluice::decimal_number");
    static_assert(!std::same_as<T, instant>,
                  "value_param is for types of your own: use instant_param for an instant");
    static_assert(param_value<T>,
                  "the type has no param_traits: specialise sluice::param_traits for it");
}

}  // namespace detail

/// Declares a value of a type of your own, bound to it or an optional one; see param_traits.
template <auto Member>
[[nodiscard]] constexpr auto value_param(param_info info) noexcept {
    using value_type = detail::bare_value_of<Member>;
    detail::check_custom_type<value_type>();
    using traits = param_traits<value_type>;
    info.format = traits::form;
    if (info.accepts.empty()) info.accepts = traits::accepts;
    if constexpr (requires { traits::pattern; }) info.pattern = traits::pattern;
    if constexpr (requires { traits::example; }) {
        if (info.example.empty()) info.example = traits::example;
    }
    constexpr auto test = [](const value_type& value, const param_info& row_info) -> column_test {
        if constexpr (requires { traits::test(value, row_info.op); }) {
            return traits::test(value, row_info.op);
        } else {
            return text_test{filter({std::string_view(traits::format(value))})};
        }
    };
    constexpr auto read = [](std::string_view text, const param_info&, const bind_options&) {
        return traits::parse(text);
    };
    constexpr column_types with = [] {
        if constexpr (requires { traits::compared_with; }) return set_of(traits::compared_with);
        if constexpr (requires { traits::also_with; }) {
            return set_of(column_type::text, traits::also_with);
        }
        return set_of(column_type::text);
    }();
    constexpr bool has_bounds = (with & set_of(column_type::text)) == 0;
    auto row =
        detail::compared<Member, test>(detail::make_row<Member>(info, param_type::value), with,
                                       has_bounds ? test_kind::bounds : test_kind::any_of);
    row.assign = detail::assign<Member, read>;
    return row;
}

/// Declares a metadata expression, bound to a `metadata_query`. With a column: rows whose JSON it
/// matches.
template <auto Member>
[[nodiscard]] constexpr auto expression_param(const param_info& info) noexcept {
    static_assert(detail::holds<Member, metadata_query>,
                  "expression_param is bound to a sluice::metadata_query: give the member this "
                  "type");
    constexpr auto test = [](const metadata_query& value, const param_info&) -> column_test {
        return value;
    };
    constexpr auto read = [](std::string_view text, const param_info&, const bind_options&) {
        return parse_metadata_query(text);
    };
    auto row =
        detail::compared<Member, test>(detail::make_row<Member>(info, param_type::expression),
                                       set_of(column_type::json), test_kind::matches);
    row.assign = detail::assign<Member, read>;
    return row;
}

// Parameters of times: a time, an instant that rows are compared with, a zone.

/// Declares a time, bound to a `std::optional<time_expression>`; resolve() turns it into an
/// instant. For a window on a column see window_params.
template <auto Member, class Query = detail::query_of<Member>>
[[nodiscard]] constexpr auto time_param(const param_info& info) noexcept {
    static_assert(detail::may_hold<Member, time_expression>,
                  "time_param is bound to a std::optional<sluice::time_expression>: give the "
                  "member this type, or use instant_param");
    constexpr auto read = [](std::string_view text, const param_info&, const bind_options&) {
        return parse_time_expression(text);
    };
    auto row = detail::make_row<Member, Query>(info, param_type::time);
    row.assign = detail::assign<Member, read, Query>;
    return row;
}

namespace detail {

/// Returns the test of a column for instants that compare to a value by `info.op`.
inline constexpr auto instant_test = [](instant value, const param_info& info) -> column_test {
    bounds<instant> range;
    range.narrow(info.op, value);
    return column_test(std::in_place_type<bounds<instant>>, range);
};

/// Returns the edge of a day or another period that a comparison uses: `<=` and `>` its last
/// millisecond, so that `<= day` includes the day; `>=` and `<` its first.
constexpr edge edge_of(comparison op) noexcept {
    const bool is_end = op == comparison::at_most || op == comparison::more_than;
    return is_end ? edge::end : edge::start;
}

/// Parses a time expression and resolves it in UTC. Errors: those of parse_time_expression() and
/// resolve(); clock_missing without options.now.
inline result<instant> read_instant(std::string_view text, const param_info& info,
                                    const bind_options& options) {
    if (!options.now) return fail(rule::clock_missing);
    return parse_time_expression(text).and_then([&](const time_expression& at) {
        return resolve(at, edge_of(info.op), time_zone::utc(), *options.now);
    });
}

}  // namespace detail

/// Declares a time that rows are compared with, bound to a `std::optional<instant>`: a time
/// expression resolved in UTC. `op` decides whether a day is its first or its last millisecond. It
/// needs `op` and bind_options::now.
///
/// ```
/// sluice::instant_param<&orders::since>(
///     {.name = "created[gte]", .column = "created", .op = sluice::comparison::at_least})
/// ```
template <auto Member>
[[nodiscard]] constexpr auto instant_param(const param_info& info) noexcept {
    static_assert(detail::holds<Member, std::optional<instant>>,
                  "instant_param is bound to a std::optional<sluice::instant>: give the member "
                  "this type, and floor other time points to milliseconds");
    if (info.op == comparison::equal) {
        detail::mistake(info.name, "rows of one instant are seldom meant: give it an .op");
    }
    constexpr auto read = [](std::string_view text, const param_info& row_info,
                             const bind_options& options) {
        return detail::read_instant(text, row_info, options);
    };
    auto row = detail::compared<Member, detail::instant_test>(
        detail::make_row<Member>(info, param_type::time), set_of(column_type::time),
        test_kind::bounds);
    row.assign = detail::assign<Member, read>;
    return needing_rows<decltype(row), needed_options{.now = true}>{row};
}

/// Declares an IANA time zone, bound to a `time_zone`.
template <auto Member, class Query = detail::query_of<Member>>
[[nodiscard]] constexpr auto time_zone_param(const param_info& info) noexcept {
    static_assert(detail::may_hold<Member, time_zone>,
                  "time_zone_param is bound to a sluice::time_zone: give the member this type");
    constexpr auto read = [](std::string_view text, const param_info&,
                             const bind_options& options) -> result<detail::bare_value_of<Member>> {
        if (options.zones == nullptr) return fail(rule::time_zone_data, 0, text.size());
        return options.zones->find(text);
    };
    auto row = detail::make_row<Member, Query>(info, param_type::time_zone);
    row.assign = detail::assign<Member, read, Query>;
    return needing_rows<decltype(row), needed_options{.zones = true}>{row};
}

}  // namespace sluice

#endif
