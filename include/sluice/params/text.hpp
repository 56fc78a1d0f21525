// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARAMS_TEXT_HPP
#define SLUICE_PARAMS_TEXT_HPP

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <sluice/base/heap_sort.hpp>
#include <sluice/base/static_text.hpp>
#include <sluice/params/row.hpp>

/// Parameters of texts: filters, lists, single texts and choices.
namespace sluice {

namespace detail {

/// Returns true if a value of an enumeration has a name. In __PRETTY_FUNCTION__ compilers write a
/// value without a name as a cast, `(sluice::edge)2`, with a number after the last parenthesis.
/// An enumerator may have parentheses, too: `(anonymous namespace)::pace::fast`.
template <auto Value>
[[nodiscard]] consteval bool is_enumerator() noexcept {
    std::string_view name = __PRETTY_FUNCTION__;
    name.remove_prefix(name.rfind("Value = ") + 8);
    const std::size_t cast = name.rfind(')');
    if (cast == std::string_view::npos) return true;
    const char first = name[cast + 1];
    return first != '-' && (first < '0' || first > '9');
}

/// Checks that the named values of an enumeration are 0 to `Names` - 1. Otherwise it doesn't
/// compile.
template <class Enum, std::size_t Names>
consteval void check_enumerators() noexcept {
    static_assert(
        std::is_enum_v<Enum>,
        "a choice is bound to an enum, or to an optional one: give the member such a type");
    static_assert(Names > 0 && is_enumerator<static_cast<Enum>(Names - 1)>(),
                  "there are more names than enumerators: give each enumerator one name");
    static_assert(!is_enumerator<static_cast<Enum>(Names)>(),
                  "there are enumerators without a name: give each enumerator one name");
}

}  // namespace detail

// Parameters whose values are texts of a column: a filter, a list, one text, a choice.

namespace detail {

/// Returns the test that a value equals a text, or compares to it by another `op`.
[[nodiscard]] inline column_test compared_text(std::string_view value, comparison op) {
    if (op == comparison::equal) {
        return column_test(std::in_place_type<text_test>, text_test{filter({value})});
    }
    bounds<std::string> range;
    range.narrow(op, std::string(value));
    return range;
}
/// Returns the kind of compared_text().
[[nodiscard]] constexpr test_kind kind_of_text(comparison op) noexcept {
    return op == comparison::equal ? test_kind::any_of : test_kind::bounds;
}
/// Returns the test of a column for one text.
inline constexpr auto one_text = [](const std::string& value,
                                    const param_info& info) -> column_test {
    return compared_text(value, info.op);
};

}  // namespace detail

/// Declares an advanced filter, a list of values to include (`US,CA`) or exclude (`-US,CA`), bound
/// to a sluice::filter. It needs a `column`. Set `accepts_value` and `accepts` to refuse some of
/// the values.
template <auto Member>
[[nodiscard]] constexpr auto filter_param(param_info info) noexcept {
    static_assert(detail::holds<Member, filter>,
                  "filter_param is bound to a sluice::filter: give the member this type, or use "
                  "text_param, integer_param or another function for its type");
    using query_type = detail::query_of<Member>;
    constexpr auto test = [](const filter& value, const param_info&) -> column_test {
        return text_test{value};
    };
    auto row = detail::compared<Member, test>(
        detail::make_row<Member>(info, param_type::filter),
        set_of(column_type::text, column_type::uuid, column_type::date, column_type::choice));
    row.assign = [](query_type& query, const param_info& row_info, std::string_view text,
                    const bind_options&) {
        return detail::read_filter(query.*Member, row_info, text);
    };
    row.as_canonical_text = [](const query_type& query, const param_info& row_info) {
        const filter& value = query.*Member;
        if (value.empty()) return std::optional<std::string>();
        return std::optional(
            detail::without_dash(row_info, detail::canonical_text(value, row_info.how)));
    };
    return row;
}

/// Declares an advanced filter of values out of `Choices`, an array of names with static storage.
template <auto Member, const auto& Choices>
[[nodiscard]] constexpr auto filter_param(param_info info) noexcept {
    info.choices = Choices;
    if (info.accepts.empty()) info.accepts = detail::choices_text<Choices>.view();
    return filter_param<Member>(info);
}

/// Declares a comma-separated list, bound to a `std::vector<std::string>`; `name[]` is accepted
/// too. With a column: rows with any of the values, or without them if `excludes` is always.
template <auto Member, class Query = detail::query_of<Member>>
[[nodiscard]] constexpr auto list_param(const param_info& info) noexcept {
    static_assert(detail::holds<Member, std::vector<std::string>>,
                  "list_param is bound to a std::vector<std::string>: give the member this type");
    constexpr auto test = [](const std::vector<std::string>& values,
                             const param_info& row_info) -> column_test {
        return text_test{filter(values, row_info.excludes == exclusion::always)};
    };
    auto row = detail::compared<Member, test>(
        detail::make_row<Member, Query>(info, param_type::list),
        set_of(column_type::text, column_type::uuid, column_type::choice));
    row.assign = [](Query& query, const param_info& row_info, std::string_view text,
                    const bind_options&) -> result<void> {
        auto items = detail::read_items(row_info, text);
        if (!items) return tl::unexpected<error>(items.error());
        auto& all = query.*Member;
        if (all.size() + (*items).size() > list_max_items) {
            return fail_beyond(rule::list_too_long, list_max_items);
        }
        for (std::string& item : *items) all.push_back(std::move(item));
        return {};
    };
    row.as_canonical_text = [](const Query& query,
                               const param_info& row_info) -> std::optional<std::string> {
        std::vector<std::string> values = query.*Member;
        if (values == detail::unbound<Query>().*Member) return std::nullopt;
        detail::heap_sort(values, std::less<>());
        values.erase(std::unique(values.begin(), values.end()), values.end());
        return detail::param_text(row_info, values);
    };
    return row;
}

namespace detail {

/// Adds the condition of one text. A prefix alone is a value that no row equals, as a filter has no
/// empty one.
template <auto Member, class Query>
void contribute_text(const Query& query, const param_info& info, const column* subject,
                     list_query_draft& draft) {
    if (info.op == comparison::equal && !info.prefix.empty() && query.*Member == "") {
        draft.trees.push_back(where::any({}));
        return;
    }
    contribute_test<Member, one_text>(query, info, subject, draft);
}

}  // namespace detail

/// Declares one text, bound to a `std::optional<std::string>` without its `prefix`; empty is
/// absent. With a column: rows with this text, or whose bytes compare to it by `op`; none if the
/// text is its prefix.
template <auto Member, class Query = detail::query_of<Member>>
[[nodiscard]] constexpr auto text_param(const param_info& info) noexcept {
    static_assert(detail::holds<Member, std::optional<std::string>>,
                  "a text is bound to a std::optional<std::string>: give the member this type");
    auto row = detail::compared<Member, detail::one_text>(
        detail::make_row<Member, Query>(info, param_type::text), set_of(column_type::text),
        detail::kind_of_text(info.op));
    if (row.contribute != nullptr) row.contribute = detail::contribute_text<Member, Query>;
    row.assign = [](Query& query, const param_info& row_info, std::string_view text,
                    const bind_options&) -> result<void> {
        if (text.empty()) return {};
        if (!text.starts_with(row_info.prefix)) {
            auto missing = fail(rule::prefix_missing, 0, text.size());
            missing.value().suggestion = row_info.prefix;
            return missing;
        }
        (query.*Member).emplace(text.substr(row_info.prefix.size()));
        return {};
    };
    return row;
}

namespace detail {

/// Returns the kind of a part_test.
[[nodiscard]] constexpr test_kind kind_of_part(part_place place) noexcept {
    if (place == part_place::anywhere) return test_kind::contains;
    return place == part_place::at_start ? test_kind::starts_with : test_kind::ends_with;
}

/// Declares a part of a text, as text_param() has it.
template <auto Member, part_place Place>
[[nodiscard]] constexpr auto part_row(const param_info& info) noexcept {
    constexpr auto test = [](const std::string& value, const param_info&) -> column_test {
        return part_test{Place, {value}};
    };
    return compared<Member, test>(text_param<Member>(info), set_of(column_type::text),
                                  kind_of_part(Place));
}

}  // namespace detail

/// Declares a part of a text, bound to a `std::optional<std::string>`: rows whose text, or any text
/// of a list, contains it. No character is a wildcard; empty is absent.
///
/// ```
/// sluice::contains_param<&orders::name>({.name = "name[contains]", .column = "name"})
/// ```
template <auto Member>
[[nodiscard]] constexpr auto contains_param(const param_info& info) noexcept {
    return detail::part_row<Member, part_place::anywhere>(info);
}
/// Like contains_param(), for the beginning of a text.
template <auto Member>
[[nodiscard]] constexpr auto starts_with_param(const param_info& info) noexcept {
    return detail::part_row<Member, part_place::at_start>(info);
}
/// Like contains_param(), for the end of a text.
template <auto Member>
[[nodiscard]] constexpr auto ends_with_param(const param_info& info) noexcept {
    return detail::part_row<Member, part_place::at_end>(info);
}

/// Declares one of `info.choices`, bound to an enum (or an optional one) whose values count them
/// from 0. With a column: rows whose text is the choice, or compares to it by `op`: by the order of
/// a column of choices.
template <auto Member, class Query = detail::query_of<Member>>
[[nodiscard]] constexpr auto choice_param(const param_info& info) noexcept {
    static_assert(
        std::is_enum_v<detail::bare_value_of<Member>>,
        "a choice is bound to an enum, or to an optional one: give the member such a type");
    using choice = detail::bare_value_of<Member>;
    constexpr auto test = [](choice value, const param_info& row_info) -> column_test {
        return detail::compared_text(row_info.choices[static_cast<std::size_t>(value)],
                                     row_info.op);
    };
    constexpr auto read = [](std::string_view text, const param_info& row_info,
                             const bind_options&) -> result<choice> {
        const auto index = parse_choice(text, row_info.choices);
        if (!index) return tl::unexpected<error>(index.error());
        return static_cast<choice>(*index);
    };
    auto row = detail::compared<Member, test>(
        detail::make_row<Member, Query>(info, param_type::choice),
        set_of(column_type::text, column_type::choice), detail::kind_of_text(info.op));
    row.assign = detail::assign<Member, read, Query>;
    return row;
}

/// Like choice_param() of `info.choices`, for an array of names with static storage.
template <auto Member, const auto& Choices, class Query = detail::query_of<Member>>
[[nodiscard]] constexpr auto choice_param(param_info info) noexcept {
    detail::check_enumerators<detail::bare_value_of<Member>, Choices.size()>();
    info.choices = Choices;
    if (info.accepts.empty()) info.accepts = detail::choices_text<Choices>.view();
    return choice_param<Member, Query>(info);
}

}  // namespace sluice

#endif
