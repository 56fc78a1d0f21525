// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARAMS_VALUES_HPP
#define SLUICE_PARAMS_VALUES_HPP

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <sluice/base/near_miss.hpp>
#include <sluice/base/parse_limits.hpp>
#include <sluice/base/query_string.hpp>
#include <sluice/base/real.hpp>
#include <sluice/errors/choice.hpp>
#include <sluice/filters/filter.hpp>
#include <sluice/metadata/query.hpp>
#include <sluice/params/param.hpp>
#include <sluice/params/sort_keys.hpp>
#include <sluice/query/cursor.hpp>
#include <sluice/time/day.hpp>
#include <sluice/time/expression.hpp>
#include <sluice/time/interval.hpp>

/// Values of parameters: parsing from text, and writing as text.
namespace sluice {

/// Customisation point for parameters of your own types:
///
/// ```
/// template <>
/// struct sluice::param_traits<uuid> {
///     static sluice::result<uuid> parse(std::string_view text);  // errors: any rules
///     static std::string format(const uuid& value);              // parse() reads it
///     static constexpr std::string_view form = "uuid";           // OpenAPI's `format`
///     static constexpr std::string_view accepts = "expected a UUID";  // ends error messages
///     static constexpr std::string_view pattern = "[0-9a-f-]{36}";  // optional: OpenAPI's
///     // Optional; by default the column is a text that equals format(value):
///     static sluice::column_test test(const uuid& value, sluice::comparison op);
///     static constexpr sluice::column_type compared_with = sluice::column_type::text;
/// };
/// ```
template <class T>
struct param_traits;

/// A type with param_traits.
template <class T>
concept param_value = requires(std::string_view text, const T& value) {
    { param_traits<T>::parse(text) } -> std::convertible_to<result<T>>;
    { param_traits<T>::format(value) } -> std::convertible_to<std::string>;
    { param_traits<T>::form } -> std::convertible_to<std::string_view>;
    { param_traits<T>::accepts } -> std::convertible_to<std::string_view>;
};

/// A decimal amount, such as `10.50`.
template <>
struct param_traits<decimal_number> {
    static result<decimal_number> parse(std::string_view text) {
        return parse_decimal_number(text);
    }
    static std::string format(const decimal_number& value) { return value.text(); }
    static bounds<decimal_number> test(const decimal_number& value, comparison op) {
        bounds<decimal_number> range;
        range.narrow(op, value);
        return range;
    }
    static constexpr std::string_view form = "decimal";
    static constexpr std::string_view accepts = "expected a number such as 10.50";
    static constexpr std::string_view pattern =
        R"(-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)";
    static constexpr std::string_view example = "10.50";
    static constexpr column_type compared_with = column_type::decimal;
};

namespace detail {

/// Pattern of a Gregorian date: months of 31 and of 30 days, February, leap days.
inline constexpr std::string_view day_pattern =
    R"((?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|)"
    R"((?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))|)"
    R"((?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29))";

}  // namespace detail

/// A day of the calendar, such as `2026-08-21`.
template <>
struct param_traits<calendar_day> {
    static result<calendar_day> parse(std::string_view text) { return parse_day(text); }
    static std::string format(calendar_day value) { return format_day(value); }
    static bounds<calendar_day> test(calendar_day value, comparison op) {
        bounds<calendar_day> range;
        range.narrow(op, value);
        return range;
    }
    static constexpr std::string_view form = "date";
    static constexpr std::string_view accepts = "expected a day such as 2026-08-21";
    static constexpr std::string_view pattern = detail::day_pattern;
    static constexpr std::string_view example = "2026-08-21";
    static constexpr column_type compared_with = column_type::date;
};

/// Parses a JSON number to the nearest double. Errors: number_malformed; number_too_large and
/// number_too_small beyond doubles.
[[nodiscard]] inline result<double> parse_real_number(std::string_view text) {
    if (const auto number = detail::parse_real(text)) return *number;
    const bool is_number = detail::parse_decimal(text).has_value();
    auto failed = fail(!is_number              ? rule::number_malformed
                       : text.starts_with('-') ? rule::number_too_small
                                               : rule::number_too_large,
                       0, text.size());
    if (is_number) failed.value().accepts = "expected a number that a double can hold";
    return failed;
}

/// Splits a comma-separated list, dropping empty items. Error: list_too_long, for more than
/// list_max_items, from the first item beyond.
[[nodiscard]] inline result<std::vector<std::string>> parse_list(std::string_view text) {
    std::vector<std::string> items;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        if (end > begin) items.emplace_back(text.substr(begin, end - begin));
        if (items.size() > list_max_items) {
            return fail_beyond(rule::list_too_long, list_max_items, begin, text.size() - begin);
        }
        begin = end + 1;
    }
    return items;
}

/// Parses `true` or `false`, in any case. Error: boolean_malformed.
[[nodiscard]] constexpr result<bool> parse_boolean(std::string_view text) noexcept {
    constexpr std::array<std::string_view, 2> names{"true", "false"};
    if (detail::equal_ignoring_case(text, names[0])) return true;
    if (detail::equal_ignoring_case(text, names[1])) return false;
    auto malformed = fail(rule::boolean_malformed, 0, text.size());
    malformed.value().suggestion = detail::near_miss(text, names);
    return malformed;
}

namespace detail {

/// Returns true for rules that a single value breaks. Their messages end with the parameter's
/// `accepts`, if it has that, instead of the rule's advice.
constexpr bool is_about_value(any_rule broken) noexcept {
    constexpr std::array<any_rule, 9> about_values{
        rule::choice_unknown,   rule::filter_value,     rule::prefix_missing,
        rule::value_malformed,  rule::sort_repeated,    rule::number_malformed,
        rule::number_not_whole, rule::number_too_small, rule::number_too_large};
    return std::find(about_values.begin(), about_values.end(), broken) != about_values.end();
}

/// Returns true if a value equals one of the parameter's choices.
inline bool accepts_choice(const param_info& info, std::string_view value) {
    for (const std::string_view choice : info.choices) {
        if (equal(value, choice, info.how)) return true;
    }
    return false;
}

/// Returns true if a filter of the parameter may contain a value.
inline bool accepts_filter_value(const param_info& info, std::string_view value) {
    if (info.accepts_value != nullptr) return info.accepts_value(value);
    return info.choices.empty() || accepts_choice(info, value);
}

/// Returns the failure of a filter's text. For a refused value it suggests the nearest choice, if
/// that is near enough; see near_miss().
inline tl::unexpected<error> fail_filter(error why, const param_info& info, std::string_view text) {
    if (why.broken == rule::filter_value) {
        why.suggestion = near_miss(text.substr(why.offset, why.length), info.choices);
    }
    return tl::unexpected<error>(why);
}

/// Parses the items of one text of a list, which is one item if the list is repeated.
inline result<std::vector<std::string>> read_items(const param_info& info, std::string_view text) {
    if (info.lists == list_form::commas) return parse_list(text);
    return text.empty() ? std::vector<std::string>() : std::vector{std::string(text)};
}

/// Returns the values of a filter's text, in which no dash excludes.
inline std::vector<std::string> items_of(std::string_view text) {
    filter parsed;
    if (!filter_reader{text, parsed, false}.read(any_value)) return {};
    const auto values = parsed.values();
    return {values.begin(), values.end()};
}

/// Parses one text of a filter into an empty one, in the forms of its parameter. After a failure it
/// is unspecified. Errors: those of parse_filter().
inline result<void> read_empty_filter(filter& into, const param_info& info, std::string_view text) {
    const auto accepts = [&](std::string_view value) { return accepts_filter_value(info, value); };
    const bool excludes = info.excludes == exclusion::always;
    if (info.lists == list_form::repeated) {
        if (text.size() > filter_max_bytes) {
            return fail(rule::filter_too_long, filter_max_bytes, text.size() - filter_max_bytes);
        }
        if (!text.empty() && !accepts(text)) return fail(rule::filter_value, 0, text.size());
        into = filter({text}, excludes);
        return {};
    }
    const bool has_dash = info.excludes == exclusion::dash;
    auto done = filter_reader{text, into, has_dash}.read(accepts);
    if (done && excludes) into = filter(into.values(), true);
    return done;
}

/// Parses one text of a filter and merges it into `into`, which has the values of earlier repeats.
/// After a failure `into` is as before.
inline result<void> read_filter(filter& into, const param_info& info, std::string_view text) {
    if (into.empty()) {
        const auto done = read_empty_filter(into, info, text);
        if (done) return {};
        into = filter();
        return fail_filter(done.error(), info, text);
    }
    filter more;
    auto merged = read_empty_filter(more, info, text).and_then([&] { return merge(into, more); });
    if (!merged) return fail_filter(merged.error(), info, text);
    into = std::move(*merged);
    return {};
}

// The text of a parameter's value, which parses back to the same value. Empty filters, lists and
// expressions have an empty text.

/// Returns a filter's text without the dash of an exclusion that its parameter's name says.
inline std::string without_dash(const param_info& info, std::string text) {
    if (info.excludes == exclusion::always && text.starts_with('-')) text.erase(0, 1);
    return text;
}
inline std::string param_text(const param_info& info, const filter& value) {
    return without_dash(info, to_string(value));
}
inline std::string param_text(const param_info&, double number) { return real_text(number); }
inline std::string param_text(const param_info& info, const std::vector<std::string>& items) {
    if (info.lists == list_form::repeated) return to_string(filter(items));
    std::string text;
    for (const std::string& item : items) {
        if (!text.empty()) text.push_back(',');
        text.append(item);
    }
    return text;
}
inline std::string param_text(const param_info& info, const std::string& value) {
    return std::string(info.prefix) + value;
}
template <class Choice>
    requires std::is_enum_v<Choice>
std::string param_text(const param_info& info, Choice value) {
    return std::string(info.choices[static_cast<std::size_t>(value)]);
}
inline std::string param_text(const param_info&, bool value) { return value ? "true" : "false"; }
template <std::integral Integer>
    requires(!std::same_as<Integer, bool>)
std::string param_text(const param_info&, Integer value) {
    return std::to_string(value);
}
inline std::string param_text(const param_info&, const time_expression& value) {
    return to_string(value);
}
inline std::string param_text(const param_info&, const interval& value) { return to_string(value); }
inline std::string param_text(const param_info&, instant value) { return format_timestamp(value); }
inline std::string param_text(const param_info&, const time_zone& value) {
    return std::string(value.name());
}
inline std::string param_text(const param_info&, const metadata_query& value) {
    return to_string(value);
}
inline std::string param_text(const param_info&, const cursor& value) {
    return to_string(value).value_or(std::string());
}
inline std::string param_text(const param_info& info, const sort_choices& keys) {
    const auto [name, prefix, separator] = record_of(info.sorts);
    std::string text;
    for (const sort_choice& key : keys) {
        const bool is_descending = key.direction == sort_order::descending;
        if (!text.empty()) text.push_back(',');
        if (is_descending) text.append(prefix);
        text.append(info.choices[key.column]);
        if (is_descending && !separator.empty()) text.append(separator).append("desc");
    }
    return text;
}
template <param_value T>
std::string param_text(const param_info&, const T& value) {
    return param_traits<T>::format(value);
}

/// Appends a parameter to a query string: one pair, or one for each value of a repeated list. An
/// empty list is a comma if an empty value would count as absent (bind_options::wants_empty).
inline void append_values(std::string& text, const param_info& info, std::string_view value,
                          const bind_options& options) {
    const bool has_commas = info.lists == list_form::commas;
    const bool is_list = info.type == param_type::filter || info.type == param_type::list;
    if (value.empty() && is_list && has_commas && !options.wants_empty) value = ",";
    if (has_commas || value.empty()) return append_pair(text, {info.name, value});
    for (const std::string& item : items_of(value)) append_pair(text, {info.name, item});
}

}  // namespace detail

}  // namespace sluice

#endif
