// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARAMS_HPP
#define SLUICE_PARAMS_HPP

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <sluice/choice.hpp>
#include <sluice/detail/near_miss.hpp>
#include <sluice/detail/param_text.hpp>
#include <sluice/detail/static_text.hpp>
#include <sluice/error.hpp>
#include <sluice/filter.hpp>
#include <sluice/metadata/query.hpp>
#include <sluice/page.hpp>
#include <sluice/param_info.hpp>
#include <sluice/parse_limits.hpp>
#include <sluice/time_range.hpp>
#include <sluice/time_zone.hpp>

namespace sluice {

/// What binding takes from outside.
struct bind_options {
    const time_zone_database* zones = nullptr;  ///< required by tables with a time_zone_param
    bool strict = false;                        ///< names that the table lacks are errors
};

/// One condition of a query, as everything downstream reads it: the row's value in `column` is (or
/// with `excludes` is not) one of `values`. Views into the query and its table.
struct clause {
    std::string_view column;
    bool excludes = false;
    filter_values values;
    collation how = collation::exact;
};

/// A row of a parameter table: what is known of the parameter and where its value goes.
template <class Query>
struct param {
    using query_type = Query;
    using assign_function = result<void> (*)(Query&, const param_info&, std::string_view text,
                                             const bind_options&);
    using clause_function = std::optional<clause> (*)(const Query&, const param_info&);
    using text_function = std::optional<std::string> (*)(const Query&, const param_info&);

    param_info info;
    assign_function assign = nullptr;     ///< reads one value of the parameter into the query
    clause_function as_clause = nullptr;  ///< the condition it puts on rows, where it does
    text_function as_text = nullptr;      ///< the value's text, unless it is the default

    /// Whether repeats of the parameter are united.
    [[nodiscard]] constexpr bool repeatable() const noexcept {
        return info.type == param_type::filter || info.type == param_type::list;
    }
    /// Whether a name in a query string is the parameter's. Lists are also named with `[]` behind.
    [[nodiscard]] constexpr bool is_named(std::string_view name) const noexcept {
        return detail::equal_bytes(name, info.name) ||
               (repeatable() && name.ends_with("[]") &&
                name.substr(0, name.size() - 2) == info.name);
    }
};

/// Splits a comma list, dropping empty items. At most 1,000 items: list_too_long.
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

/// Reads `true` or `false` in any case: boolean_malformed.
[[nodiscard]] constexpr result<bool> parse_boolean(std::string_view text) noexcept {
    constexpr std::array<std::string_view, 2> names{"true", "false"};
    if (detail::equal_ignoring_case(text, names[0])) return true;
    if (detail::equal_ignoring_case(text, names[1])) return false;
    auto malformed = fail(rule::boolean_malformed, 0, text.size());
    malformed.value().suggestion = detail::near_miss(text, names);
    return malformed;
}

namespace detail {

template <class T>
struct member_of;
template <class Query, class Value>
struct member_of<Value Query::*> {
    using query = Query;
    using value = Value;
};
template <auto Member>
using query_of = typename member_of<decltype(Member)>::query;
template <auto Member>
using value_of = typename member_of<decltype(Member)>::value;

/// `T` for members of type `T` and `std::optional<T>`.
template <class T>
struct bare {
    using type = T;
};
template <class T>
struct bare<std::optional<T>> {
    using type = T;
};
template <auto Member>
using bare_value_of = typename bare<value_of<Member>>::type;

/// Stores a parsed value, or passes its error on.
template <auto Member, class T>
result<void> store(query_of<Member>& query, result<T>&& parsed) {
    if (!parsed) return tl::unexpected(parsed.error());
    query.*Member = std::move(*parsed);
    return {};
}

/// The text that assigns a query's value again; none for what the parameter is when absent.
template <auto Member>
std::optional<std::string> value_text(const query_of<Member>& query, const param_info& info) {
    const auto& value = query.*Member;
    if constexpr (std::is_same_v<value_of<Member>, bare_value_of<Member>>) {
        std::string text = param_text(info, value);
        return text == info.default_text ? std::nullopt : std::optional(std::move(text));
    } else {
        return value ? std::optional(param_text(info, *value)) : std::nullopt;
    }
}

inline bool accepts_choice(const param_info& info, std::string_view value) {
    return std::ranges::any_of(info.choices,
                               [&](std::string_view c) { return equal(value, c, info.how); });
}

inline bool accepts_filter_value(const param_info& info, std::string_view value) {
    if (info.accepts_value != nullptr) return info.accepts_value(value);
    return info.choices.empty() || accepts_choice(info, value);
}

/// The failure of a text of a filter, with the choice that a refused value was probably meant to
/// be.
inline tl::unexpected<error> fail_filter(error why, const param_info& info, std::string_view text) {
    if (why.broken == rule::filter_value) {
        why.suggestion = near_miss(text.substr(why.offset, why.length), info.choices);
    }
    return tl::unexpected(why);
}

/// Reads one text of a filter, which is united with what was read before.
inline result<void> read_filter(filter& into, const param_info& info, std::string_view text) {
    const auto accepts = [&](std::string_view value) { return accepts_filter_value(info, value); };
    if (into.empty()) {
        const auto done = filter_reader{text, into}.read(accepts);
        if (done) return {};
        into = filter();
        return fail_filter(done.error(), info, text);
    }
    auto united = parse_filter(text, accepts).and_then([&](const filter& parsed) {
        return unite(into, parsed);
    });
    if (!united) return fail_filter(united.error(), info, text);
    into = std::move(*united);
    return {};
}

template <auto Member>
result<void> assign_filter(query_of<Member>& query, const param_info& info, std::string_view text,
                           const bind_options&) {
    return read_filter(query.*Member, info, text);
}

template <auto Member>
std::optional<clause> filter_clause(const query_of<Member>& query, const param_info& info) {
    const filter& f = query.*Member;
    if (f.empty()) return std::nullopt;
    return clause{info.column, f.excludes(), f.values(), info.how};
}

template <auto Member>
result<void> assign_list(query_of<Member>& query, const param_info&, std::string_view text,
                         const bind_options&) {
    auto items = parse_list(text);
    if (!items) return tl::unexpected(items.error());
    auto& all = query.*Member;
    if (all.size() + (*items).size() > list_max_items) {
        return fail_beyond(rule::list_too_long, list_max_items);
    }
    std::ranges::move(*items, std::back_inserter(all));
    return {};
}

template <auto Member>
result<void> assign_text(query_of<Member>& query, const param_info& info, std::string_view text,
                         const bind_options&) {
    if (text.empty()) return {};
    if (!text.starts_with(info.prefix)) return fail(rule::prefix_missing, 0, text.size());
    (query.*Member).emplace(text.substr(info.prefix.size()));
    return {};
}

template <auto Member>
std::optional<clause> text_clause(const query_of<Member>& query, const param_info& info) {
    const std::optional<std::string>& text = query.*Member;
    if (!text) return std::nullopt;
    return clause{info.column, false, std::span(&*text, 1), info.how};
}

template <auto Member>
result<void> assign_choice(query_of<Member>& query, const param_info& info, std::string_view text,
                           const bind_options&) {
    const auto index = parse_choice(text, info.choices);
    if (!index) return tl::unexpected(index.error());
    query.*Member = static_cast<bare_value_of<Member>>(*index);
    return {};
}

template <auto Member>
result<void> assign_boolean(query_of<Member>& query, const param_info&, std::string_view text,
                            const bind_options&) {
    return store<Member>(query, parse_boolean(text));
}

template <auto Member>
result<void> assign_integer(query_of<Member>& query, const param_info& info, std::string_view text,
                            const bind_options&) {
    return store<Member>(query, parse_whole_number(text, info.minimum, info.maximum));
}

template <auto Member>
result<void> assign_time(query_of<Member>& query, const param_info&, std::string_view text,
                         const bind_options&) {
    return store<Member>(query, parse_time_expression(text));
}

template <auto Member>
result<void> assign_time_zone(query_of<Member>& query, const param_info&, std::string_view text,
                              const bind_options& options) {
    if (options.zones == nullptr) return fail(rule::time_zone_data, 0, text.size());
    return store<Member>(query, options.zones->find(text));
}

template <auto Member>
result<void> assign_expression(query_of<Member>& query, const param_info&, std::string_view text,
                               const bind_options&) {
    return store<Member>(query, parse_metadata_query(text));
}

}  // namespace detail

/// An advanced filter, bound to a `filter`. Give `column`; `accepts_value` with `accepts` where not
/// every value makes sense.
template <auto Member>
[[nodiscard]] constexpr auto filter_param(param_info info) noexcept {
    info.type = param_type::filter;
    return param<detail::query_of<Member>>{info, detail::assign_filter<Member>,
                                           detail::filter_clause<Member>,
                                           detail::value_text<Member>};
}

/// An advanced filter whose values are all of `Choices`, an array of names with static storage.
template <auto Member, const auto& Choices>
[[nodiscard]] constexpr auto filter_param(param_info info) noexcept {
    info.choices = Choices;
    info.accepts = detail::choices_text<Choices>.view();
    return filter_param<Member>(info);
}

/// A comma list, bound to a `std::vector<std::string>`; `name[]` is accepted too.
template <auto Member>
[[nodiscard]] constexpr auto list_param(param_info info) noexcept {
    info.type = param_type::list;
    return param<detail::query_of<Member>>{info, detail::assign_list<Member>, nullptr,
                                           detail::value_text<Member>};
}

/// One text, bound to a `std::optional<std::string>` without its `prefix`; empty is absent.
template <auto Member>
[[nodiscard]] constexpr auto text_param(param_info info) noexcept {
    info.type = param_type::text;
    return param<detail::query_of<Member>>{
        info, detail::assign_text<Member>,
        info.column.empty() ? nullptr : detail::text_clause<Member>, detail::value_text<Member>};
}

/// An enumeration, bound to an enum (or an optional one) whose values count `Choices` from 0.
template <auto Member, const auto& Choices>
[[nodiscard]] constexpr auto choice_param(param_info info) noexcept {
    info.type = param_type::choice;
    info.choices = Choices;
    info.accepts = detail::choices_text<Choices>.view();
    return param<detail::query_of<Member>>{info, detail::assign_choice<Member>, nullptr,
                                           detail::value_text<Member>};
}

/// `true` or `false`, bound to a `bool` or an optional one.
template <auto Member>
[[nodiscard]] constexpr auto boolean_param(param_info info) noexcept {
    info.type = param_type::boolean;
    return param<detail::query_of<Member>>{info, detail::assign_boolean<Member>, nullptr,
                                           detail::value_text<Member>};
}

/// A whole number from `Minimum` to `Maximum`, bound to a `std::int64_t`. Without a maximum larger
/// numbers are the largest: a page past the end is no error.
template <auto Member, std::int64_t Minimum,
          std::int64_t Maximum = std::numeric_limits<std::int64_t>::max()>
[[nodiscard]] constexpr auto integer_param(param_info info) noexcept {
    info.type = param_type::integer;
    info.minimum = Minimum;
    info.maximum = Maximum;
    info.accepts = detail::range_text<Minimum, Maximum>.view();
    return param<detail::query_of<Member>>{info, detail::assign_integer<Member>, nullptr,
                                           detail::value_text<Member>};
}

/// A time, bound to a `std::optional<time_expression>`; resolve_window makes it instants.
template <auto Member>
[[nodiscard]] constexpr auto time_param(param_info info) noexcept {
    info.type = param_type::time;
    return param<detail::query_of<Member>>{info, detail::assign_time<Member>, nullptr,
                                           detail::value_text<Member>};
}

/// An IANA name, bound to a `time_zone`.
template <auto Member>
[[nodiscard]] constexpr auto time_zone_param(param_info info) noexcept {
    info.type = param_type::time_zone;
    return param<detail::query_of<Member>>{info, detail::assign_time_zone<Member>, nullptr,
                                           detail::value_text<Member>};
}

/// A metadata expression, bound to a `metadata_query`.
template <auto Member>
[[nodiscard]] constexpr auto expression_param(param_info info) noexcept {
    info.type = param_type::expression;
    return param<detail::query_of<Member>>{info, detail::assign_expression<Member>, nullptr,
                                           detail::value_text<Member>};
}

}  // namespace sluice

#endif
