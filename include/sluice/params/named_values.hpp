// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARAMS_NAMED_VALUES_HPP
#define SLUICE_PARAMS_NAMED_VALUES_HPP

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/params/text.hpp>
#include <sluice/params/value.hpp>

/// Named values: parameters whose values share one member of the query.
namespace sluice {

/// The value of a parameter that a query has no member for.
using named_value = std::variant<filter, std::int64_t>;

/// Filters and integers by the names of their parameters, in the order of the names. One such
/// member of a query serves all parameters without a member of their own; each is then just a row
/// of the table. Names are views of static text, as in the table.
///
/// ```
/// struct visits { sluice::named_values others; };
/// constexpr sluice::param_table visits_params{
///     visits_schema,
///     sluice::named_filter_param<&visits::others>({.name = "carrier", .column = "carrier"}),
///     sluice::named_integer_params<&visits::others, "asn">({.column = "asn"})};
/// ```
using named_values = std::vector<std::pair<std::string_view, named_value>>;

namespace detail {

/// Returns the entry of a name, or the place to insert it at.
inline named_values::iterator place_of_name(named_values& all, std::string_view name) {
    auto place = all.begin();
    while (place != all.end() && place->first < name) ++place;
    return place;
}

/// Returns the value of a name, inserting a default one if there is none.
template <class T>
T& value_named(named_values& all, std::string_view name) {
    auto entry = place_of_name(all, name);
    if (entry == all.end() || entry->first != name) entry = all.insert(entry, {name, T()});
    return std::get<T>(entry->second);
}

/// Returns the value of a parameter, or null.
template <class T, auto Member>
const T* find_named_value(const query_of<Member>& query, const param_info& info) noexcept {
    for (const auto& [name, value] : query.*Member) {
        if (name == info.name) return std::get_if<T>(&value);
    }
    return nullptr;
}

/// Parses a filter into the entry of its name, or merges it with the one there. An empty filter has
/// no entry.
template <auto Member>
result<void> assign_named_filter(query_of<Member>& query, const param_info& info,
                                 std::string_view text, const bind_options&) {
    auto& all = query.*Member;
    filter& value = value_named<filter>(all, info.name);
    auto assigned = read_filter(value, info, text);
    if (value.empty()) all.erase(place_of_name(all, info.name));
    return assigned;
}
/// Parses an integer into the entry of its name.
template <auto Member>
result<void> assign_named_integer(query_of<Member>& query, const param_info& info,
                                  std::string_view text, const bind_options&) {
    return parse_int64(text).map(
        [&](std::int64_t number) { value_named<std::int64_t>(query.*Member, info.name) = number; });
}

/// Returns the test of a column by a value: a filter, or a number that is compared by `info.op`.
inline column_test named_test(const filter& value, const param_info&) {
    return column_test(std::in_place_type<text_test>, text_test{value});
}
inline column_test named_test(std::int64_t value, const param_info& info) {
    return integer_test<std::int64_t>(value, info);
}

/// Adds the condition of a value to a list query, if the query has the value.
template <class T, auto Member>
void contribute_named_value(const query_of<Member>& query, const param_info& info,
                            const column* subject, list_query_draft& draft) {
    const T* const named = find_named_value<T, Member>(query, info);
    if (named != nullptr) draft.leaves.push_back({*subject, named_test(*named, info), info.name});
}

/// Returns the text of a value; nullopt if the query lacks it.
template <class T, auto Member>
std::optional<std::string> named_value_text(const query_of<Member>& query, const param_info& info) {
    const T* const named = find_named_value<T, Member>(query, info);
    return named == nullptr ? std::nullopt : std::optional(param_text(info, *named));
}

/// Like named_value_text(), with the same text for equivalent filters.
template <auto Member>
std::optional<std::string> canonical_named_filter(const query_of<Member>& query,
                                                  const param_info& info) {
    const filter* const named = find_named_value<filter, Member>(query, info);
    if (named == nullptr) return std::nullopt;
    return without_dash(info, canonical_text(*named, info.how));
}

/// Makes the row of a named value, without its `assign`.
template <class T, auto Member>
constexpr auto make_named_row(const param_info& info, param_type type,
                              column_type compared_with) noexcept {
    param<query_of<Member>> row{};
    row.info = info;
    row.info.type = type;
    row.as_text = row.as_canonical_text = named_value_text<T, Member>;
    row.contribute = contribute_named_value<T, Member>;
    row.comparable = set_of(compared_with);
    return row;
}

/// Returns true if a text is an integer in canonical form: `0`, `7`, `-7`, not `07` or `+7`.
constexpr bool is_plain_integer(std::string_view text) noexcept {
    if (text == "0") return true;
    if (text.starts_with('-')) text.remove_prefix(1);
    return !text.empty() && text[0] != '0' && std::all_of(text.begin(), text.end(), is_digit);
}
/// is_plain_integer() as a regular expression for values of filters, where a leading dash is
/// escaped.
inline constexpr std::string_view plain_integer_pattern = R"(0|(?:\\-)?[1-9][0-9]*)";

/// The name of a range's parameter: `asn[gte]`.
template <text_literal Name, comparison Op>
inline constexpr auto range_name = static_text<Name.view().size() + to_string(Op).size() + 2>()
                                       .add(Name.view())
                                       .add("[")
                                       .add(to_string(Op))
                                       .add("]");

/// Makes the row of one range of named_integer_params().
template <auto Member, text_literal Name, comparison Op>
constexpr auto named_range_param(param_info info) noexcept {
    info.name = range_name<Name, Op>.view();
    info.op = Op;
    info.minimum = std::numeric_limits<std::int64_t>::min();
    info.maximum = std::numeric_limits<std::int64_t>::max();
    info.accepts = "expected a whole number";
    auto row =
        make_named_row<std::int64_t, Member>(info, param_type::integer, column_type::integer);
    row.info.test = test_kind::bounds;
    row.assign = assign_named_integer<Member>;
    return row;
}

}  // namespace detail

/// Declares an advanced filter as in filter_param(), bound to its name among `named_values`.
template <auto Member>
[[nodiscard]] constexpr auto named_filter_param(const param_info& info) noexcept {
    auto row = detail::make_named_row<filter, Member>(info, param_type::filter, column_type::text);
    row.assign = detail::assign_named_filter<Member>;
    row.as_canonical_text = detail::canonical_named_filter<Member>;
    return row;
}

/// Declares a filter of whole numbers and its ranges, bound to their names among `named_values`:
/// `asn=1,2`, `asn=-1` (all but 1), `asn[gte]=1`, `asn[gt]=1`, `asn[lte]=1`, `asn[lt]=1`. `column`
/// must be one of integers.
template <auto Member, detail::text_literal Name>
[[nodiscard]] constexpr auto named_integer_params(param_info info) noexcept {
    using enum comparison;
    info.name = Name.view();
    info.accepts_value = detail::is_plain_integer;
    info.accepts = "expected whole numbers such as 7";
    info.pattern = detail::plain_integer_pattern;
    auto numbers = named_filter_param<Member>(info);
    numbers.comparable = set_of(column_type::integer);
    info.accepts_value = nullptr;  // ranges are read as numbers
    return param_group<detail::query_of<Member>, 5>{
        numbers, detail::named_range_param<Member, Name, at_least>(info),
        detail::named_range_param<Member, Name, more_than>(info),
        detail::named_range_param<Member, Name, at_most>(info),
        detail::named_range_param<Member, Name, less_than>(info)};
}

}  // namespace sluice

#endif
