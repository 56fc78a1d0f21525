// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARAMS_HPP
#define SLUICE_PARAMS_HPP

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/detail/enumerators.hpp>
#include <sluice/detail/member.hpp>
#include <sluice/detail/mistake.hpp>
#include <sluice/detail/static_text.hpp>
#include <sluice/param_values.hpp>
#include <sluice/time_range.hpp>

namespace sluice {

/// An integer of at most 64 bits with a sign, or of fewer bits without one.
template <class T>
concept parameter_integer =
    std::integral<T> && !std::same_as<T, bool> && std::numeric_limits<T>::digits < 64;

namespace detail {

/// What reads a value of a kind of parameter: `result<T>(text, info, options)`.
template <auto Member, auto Read, class Query = query_of<Member>>
result<void> assign(Query& query, const param_info& info, std::string_view text,
                    const bind_options& options) {
    auto parsed = Read(text, info, options);
    if (!parsed) return tl::unexpected(parsed.error());
    query.*Member = std::move(*parsed);
    return {};
}

/// Whether a value is the one that its member has from the start. A zone is the one of its name.
template <class T>
bool is_unbound(const T& value, const T& unbound_value) {
    return value == unbound_value;
}
inline bool is_unbound(const time_zone& zone, const time_zone& unbound_zone) {
    return zone.name() == unbound_zone.name();
}

template <auto Member, class Query>
std::optional<std::string> value_text(const Query& query, const param_info& info) {
    const auto& value = query.*Member;
    if constexpr (is_optional_member<Member>) {
        return value ? std::optional(param_text(info, *value)) : std::nullopt;
    } else {
        if (is_unbound(value, unbound<Query>().*Member)) return std::nullopt;
        return param_text(info, value);
    }
}
template <auto Member, class Query>
std::optional<std::string> default_text(const param_info& info) {
    const auto& value = unbound<Query>().*Member;
    if constexpr (is_optional_member<Member>) {
        return value ? std::optional(param_text(info, *value)) : std::nullopt;
    } else {
        return param_text(info, value);
    }
}

/// A row of a query that has the member, or inherits it.
template <auto Member, class Query = query_of<Member>>
constexpr auto make_row(const param_info& info, param_type type) noexcept {
    param<Query> row{};
    row.info = info;
    row.info.type = type;
    row.as_text = row.as_canonical_text = value_text<Member, Query>;
    row.as_default = default_text<Member, Query>;
    if (!is_optional_member<Member> && !info.absent.empty()) {
        mistake("the default is the member's own initial value: leave .absent out");
    }
    return row;
}

/// Adds the test of a value that isn't the default.
template <auto Member, auto MakeTest, class Query>
void contribute_test(const Query& query, const param_info& info, const column* subject,
                     list_query_draft& draft) {
    const auto& value = query.*Member;
    if constexpr (is_optional_member<Member>) {
        if (value) draft.leaves.push_back({*subject, MakeTest(*value, info), info.name});
    } else if (value != unbound<Query>().*Member) {
        draft.leaves.push_back({*subject, MakeTest(value, info), info.name});
    }
}
/// Makes a row one that yields a condition, where it names a column of such a type.
template <auto Member, auto MakeTest, class Query>
constexpr auto compared(param<Query> row, column_types with) noexcept {
    row.comparable = with;
    if (!row.info.column.empty()) row.contribute = contribute_test<Member, MakeTest, Query>;
    return row;
}

inline constexpr auto one_text = [](const std::string& value, const param_info&) -> column_test {
    return column_test(std::in_place_type<text_test>, text_test{filter(filter_values(&value, 1))});
};

}  // namespace detail

/// An advanced filter, bound to a `filter`. Give `column`; `accepts_value` with `accepts` where not
/// every value makes sense.
template <auto Member>
[[nodiscard]] constexpr auto filter_param(param_info info) noexcept {
    using query_type = detail::query_of<Member>;
    constexpr auto test = [](const filter& value, const param_info&) -> column_test {
        return text_test{value};
    };
    auto row = detail::compared<Member, test>(detail::make_row<Member>(info, param_type::filter),
                                              set_of(column_type::text));
    row.assign = [](query_type& query, const param_info& own, std::string_view text,
                    const bind_options&) { return detail::read_filter(query.*Member, own, text); };
    row.as_canonical_text = [](const query_type& query, const param_info& own) {
        const filter& value = query.*Member;
        return value.empty() ? std::nullopt : std::optional(detail::canonical_text(value, own.how));
    };
    return row;
}

/// An advanced filter whose values are all of `Choices`, an array of names with static storage.
template <auto Member, const auto& Choices>
[[nodiscard]] constexpr auto filter_param(param_info info) noexcept {
    info.choices = Choices;
    if (info.accepts.empty()) info.accepts = detail::choices_text<Choices>.view();
    return filter_param<Member>(info);
}

/// A comma list, bound to a `std::vector<std::string>`; `name[]` is accepted too. With a column:
/// any of the values.
template <auto Member>
[[nodiscard]] constexpr auto list_param(const param_info& info) noexcept {
    using query_type = detail::query_of<Member>;
    constexpr auto test = [](const std::vector<std::string>& values,
                             const param_info&) -> column_test {
        return text_test{filter(values)};
    };
    auto row = detail::compared<Member, test>(detail::make_row<Member>(info, param_type::list),
                                              set_of(column_type::text));
    row.assign = [](query_type& query, const param_info&, std::string_view text,
                    const bind_options&) -> result<void> {
        auto items = parse_list<detail::bare_value_of<Member>>(text);
        if (!items) return tl::unexpected(items.error());
        auto& all = query.*Member;
        if (all.size() + (*items).size() > list_max_items) {
            return fail_beyond(rule::list_too_long, list_max_items);
        }
        for (std::string& item : *items) all.push_back(std::move(item));
        return {};
    };
    return row;
}

/// One text, bound to a `std::optional<std::string>` without its `prefix`; empty is absent. With a
/// column: rows whose text it is.
template <auto Member>
[[nodiscard]] constexpr auto text_param(const param_info& info) noexcept {
    using query_type = detail::query_of<Member>;
    auto row = detail::compared<Member, detail::one_text>(
        detail::make_row<Member>(info, param_type::text), set_of(column_type::text));
    row.assign = [](query_type& query, const param_info& own, std::string_view text,
                    const bind_options&) -> result<void> {
        if (text.empty()) return {};
        if (!text.starts_with(own.prefix)) return fail(rule::prefix_missing, 0, text.size());
        (query.*Member).emplace(text.substr(own.prefix.size()));
        return {};
    };
    return row;
}

/// One of `info.choices`, bound to an enum (or an optional one) whose values count them from 0.
/// With a column: rows whose text is the choice.
template <auto Member, class Query = detail::query_of<Member>>
[[nodiscard]] constexpr auto choice_param(const param_info& info) noexcept {
    using choice = detail::bare_value_of<Member>;
    constexpr auto test = [](choice value, const param_info& own) -> column_test {
        return text_test{filter({own.choices[static_cast<std::size_t>(value)]})};
    };
    constexpr auto read = [](std::string_view text, const param_info& own,
                             const bind_options&) -> result<choice> {
        const auto index = parse_choice(text, own.choices);
        if (!index) return tl::unexpected(index.error());
        return static_cast<choice>(*index);
    };
    auto row = detail::compared<Member, test>(
        detail::make_row<Member, Query>(info, param_type::choice), set_of(column_type::text));
    row.assign = detail::assign<Member, read, Query>;
    return row;
}

/// The same of an array of names with static storage.
template <auto Member, const auto& Choices, class Query = detail::query_of<Member>>
[[nodiscard]] constexpr auto choice_param(param_info info) noexcept {
    detail::check_enumerators<detail::bare_value_of<Member>, Choices.size()>();
    info.choices = Choices;
    if (info.accepts.empty()) info.accepts = detail::choices_text<Choices>.view();
    return choice_param<Member, Query>(info);
}

/// `true` or `false`, bound to a `bool` or an optional one. With a column: rows where it is that.
template <auto Member, class Query = detail::query_of<Member>>
[[nodiscard]] constexpr auto boolean_param(const param_info& info) noexcept {
    constexpr auto test = [](bool value, const param_info&) -> column_test {
        return boolean_test{value};
    };
    constexpr auto read = [](std::string_view text, const param_info&, const bind_options&) {
        return parse_boolean<detail::bare_value_of<Member>>(text);
    };
    auto row = detail::compared<Member, test>(
        detail::make_row<Member, Query>(info, param_type::boolean), set_of(column_type::boolean));
    row.assign = detail::assign<Member, read, Query>;
    return row;
}

/// `true` or `false` to a `std::optional<bool>`: rows whose text is any of `Texts`, or none of
/// them.
template <auto Member, const auto& Texts>
[[nodiscard]] constexpr auto membership_param(const param_info& info) noexcept {
    constexpr auto test = [](bool value, const param_info&) -> column_test {
        return text_test{filter(filter_values(std::span<const std::string_view>(Texts)), !value)};
    };
    return detail::compared<Member, test>(boolean_param<Member>(info), set_of(column_type::text));
}

namespace detail {

/// The largest value of an integer; of other types nothing that matters.
template <class T>
inline constexpr std::int64_t largest = 0;
template <parameter_integer Integer>
inline constexpr std::int64_t largest<Integer> = std::numeric_limits<Integer>::max();

template <class Integer>
inline constexpr auto integer_test = [](Integer value, const param_info& own) -> column_test {
    bounds<std::int64_t> asked;
    asked.narrow(own.op, static_cast<std::int64_t>(value));
    return column_test(std::in_place_type<bounds<std::int64_t>>, asked);
};

}  // namespace detail

/// A whole number from `Minimum` to `Maximum`, bound to an integer or an optional one. Without a
/// maximum larger numbers are the largest: a page past the end isn't an error. With a column: rows
/// whose number is `op` it.
template <auto Member, std::int64_t Minimum,
          std::int64_t Maximum = detail::largest<detail::bare_value_of<Member>>,
          class Query = detail::query_of<Member>>
    requires parameter_integer<detail::bare_value_of<Member>>
[[nodiscard]] constexpr auto integer_param(param_info info) noexcept {
    using integer = detail::bare_value_of<Member>;
    static_assert(std::in_range<integer>(Minimum) && std::in_range<integer>(Maximum),
                  "the member can't hold the minimum or the maximum: give it a wider type");
    constexpr bool is_open = Maximum == std::numeric_limits<integer>::max();
    constexpr std::int64_t bound = is_open ? std::numeric_limits<std::int64_t>::max() : Maximum;
    info.minimum = Minimum;
    info.maximum = bound;
    if (info.accepts.empty()) info.accepts = detail::range_text<Minimum, bound>.view();
    constexpr auto read = [](std::string_view text, const param_info& own,
                             const bind_options&) -> result<integer> {
        const auto number = parse_whole_number(text, own.minimum, own.maximum);
        if (!number) return tl::unexpected(number.error());
        return static_cast<integer>(
            std::min<std::int64_t>(*number, std::numeric_limits<integer>::max()));
    };
    auto row = detail::compared<Member, detail::integer_test<integer>>(
        detail::make_row<Member, Query>(info, param_type::integer), set_of(column_type::integer));
    row.assign = detail::assign<Member, read, Query>;
    return row;
}

/// A type of your own, bound to it or an optional one: see param_traits.
template <auto Member>
    requires param_value<detail::bare_value_of<Member>>
[[nodiscard]] constexpr auto value_param(param_info info) noexcept {
    using value_type = detail::bare_value_of<Member>;
    using traits = param_traits<value_type>;
    info.format = traits::form;
    if (info.accepts.empty()) info.accepts = traits::accepts;
    if constexpr (requires { traits::pattern; }) info.pattern = traits::pattern;
    if constexpr (requires { traits::example; }) {
        if (info.example.empty()) info.example = traits::example;
    }
    constexpr auto test = [](const value_type& value, const param_info& own) -> column_test {
        if constexpr (requires { traits::test(value, own.op); }) {
            return traits::test(value, own.op);
        } else {
            return text_test{filter({std::string_view(traits::format(value))})};
        }
    };
    constexpr auto read = [](std::string_view text, const param_info&, const bind_options&) {
        return traits::parse(text);
    };
    constexpr column_type with = [] {
        if constexpr (requires { traits::compared_with; }) return traits::compared_with;
        return column_type::text;
    }();
    auto row = detail::compared<Member, test>(detail::make_row<Member>(info, param_type::value),
                                              set_of(with));
    row.assign = detail::assign<Member, read>;
    return row;
}

/// A time, bound to a `std::optional<time_expression>`; resolve() makes it an instant. For a window
/// on a column see window_params.
template <auto Member, class Query = detail::query_of<Member>>
[[nodiscard]] constexpr auto time_param(const param_info& info) noexcept {
    constexpr auto read = [](std::string_view text, const param_info&, const bind_options&) {
        return parse_time_expression<detail::bare_value_of<Member>>(text);
    };
    auto row = detail::make_row<Member, Query>(info, param_type::time);
    row.assign = detail::assign<Member, read, Query>;
    return row;
}

namespace detail {

inline constexpr auto instant_test = [](instant value, const param_info& own) -> column_test {
    bounds<instant> asked;
    asked.narrow(own.op, value);
    return column_test(std::in_place_type<bounds<instant>>, asked);
};

/// Which edge of a day or another period bounds a comparison: `<= day` takes the whole day.
constexpr edge edge_of(comparison op) noexcept {
    const bool is_end = op == comparison::at_most || op == comparison::more_than;
    return is_end ? edge::end : edge::start;
}

template <std::same_as<time_expression> Expression = time_expression>
result<instant> read_instant(std::string_view text, const param_info& own,
                             const bind_options& options) {
    if (!options.now) return fail(rule::clock_missing);
    return parse_time_expression<Expression>(text).and_then([&](const Expression& at) {
        return resolve(at, edge_of(own.op), time_zone::utc(), *options.now);
    });
}

}  // namespace detail

/// A time that rows are compared with, bound to a `std::optional<instant>`: a time expression,
/// resolved in UTC, of which a day is its first or its last millisecond, as `op` says. Give `op`;
/// it needs bind_options::now.
///
/// ```
/// sluice::instant_param<&orders::since>(
///     {.name = "created[gte]", .column = "created", .op = sluice::comparison::at_least})
/// ```
template <auto Member>
[[nodiscard]] constexpr auto instant_param(const param_info& info) noexcept {
    if (info.op == comparison::equal) {
        detail::mistake("rows of one instant are seldom meant: give it an .op");
    }
    constexpr auto read = [](std::string_view text, const param_info& own,
                             const bind_options& options) {
        return detail::read_instant(text, own, options);
    };
    auto row = detail::compared<Member, detail::instant_test>(
        detail::make_row<Member>(info, param_type::time), set_of(column_type::time));
    row.assign = detail::assign<Member, read>;
    return row;
}

/// An IANA name, bound to a `time_zone`.
template <auto Member, class Query = detail::query_of<Member>>
[[nodiscard]] constexpr auto time_zone_param(const param_info& info) noexcept {
    constexpr auto read = [](std::string_view text, const param_info&,
                             const bind_options& options) -> result<detail::bare_value_of<Member>> {
        if (options.zones == nullptr) return fail(rule::time_zone_data, 0, text.size());
        return options.zones->template find<detail::bare_value_of<Member>>(text);
    };
    auto row = detail::make_row<Member, Query>(info, param_type::time_zone);
    row.assign = detail::assign<Member, read, Query>;
    return row;
}

/// A metadata expression, bound to a `metadata_query`. With a column: over its JSON.
template <auto Member>
[[nodiscard]] constexpr auto expression_param(const param_info& info) noexcept {
    constexpr auto test = [](const metadata_query& value, const param_info&) -> column_test {
        return value;
    };
    constexpr auto read = [](std::string_view text, const param_info&, const bind_options&) {
        return parse_metadata_query<detail::bare_value_of<Member>>(text);
    };
    auto row = detail::compared<Member, test>(
        detail::make_row<Member>(info, param_type::expression), set_of(column_type::json));
    row.assign = detail::assign<Member, read>;
    return row;
}

}  // namespace sluice

#endif
