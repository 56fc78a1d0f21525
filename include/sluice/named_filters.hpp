// SPDX-License-Identifier: MIT
#ifndef SLUICE_NAMED_FILTERS_HPP
#define SLUICE_NAMED_FILTERS_HPP

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/params.hpp>

namespace sluice {

/// Filters by the names of their parameters, which are static text: one member of a query for all
/// that need none of their own, so that such a parameter is one row of its table and no more.
///
/// ```
/// struct visits { sluice::named_filters others; };
/// constexpr sluice::param_table visits_params{
///     visits_schema,
///     sluice::named_filter_param<&visits::others>({.name = "asn", .column = "asn"}),
///     sluice::named_filter_param<&visits::others>({.name = "carrier", .column = "carrier"})};
/// ```
using named_filters = std::vector<std::pair<std::string_view, filter>>;  // in order of the names

namespace detail {

template <auto Member>
result<void> assign_named_filter(query_of<Member>& query, const param_info& info,
                                 std::string_view text, const bind_options&) {
    named_filters& all = query.*Member;
    auto own = std::ranges::lower_bound(all, info.name, {}, &named_filters::value_type::first);
    if (own == all.end() || own->first != info.name) own = all.insert(own, {info.name, filter()});
    auto read = read_filter(own->second, info, text);
    if (own->second.empty()) all.erase(own);
    return read;
}

template <auto Member>
const filter* find_named_filter(const query_of<Member>& query, const param_info& info) noexcept {
    const auto found =
        std::ranges::find(query.*Member, info.name, &named_filters::value_type::first);
    return found == (query.*Member).end() ? nullptr : &found->second;
}

template <auto Member>
void contribute_named_filter(const query_of<Member>& query, const param_info& info,
                             const column* subject, list_query_draft& draft) {
    const filter* const named = find_named_filter<Member>(query, info);
    if (named != nullptr) draft.leaves.push_back({*subject, text_test{*named}, info.name});
}

template <auto Member>
std::optional<std::string> named_filter_text(const query_of<Member>& query,
                                             const param_info& info) {
    const filter* const named = find_named_filter<Member>(query, info);
    return named == nullptr ? std::nullopt : std::optional(param_text(info, *named));
}

template <auto Member>
std::optional<std::string> canonical_named_filter(const query_of<Member>& query,
                                                  const param_info& info) {
    const filter* const named = find_named_filter<Member>(query, info);
    return named == nullptr ? std::nullopt : std::optional(canonical_text(*named, info.how));
}

}  // namespace detail

/// An advanced filter as filter_param() has it, bound to its name among `named_filters`.
template <auto Member>
[[nodiscard]] constexpr auto named_filter_param(const param_info& info) noexcept {
    param<detail::query_of<Member>> row{};
    row.info = info;
    row.info.type = param_type::filter;
    row.assign = detail::assign_named_filter<Member>;
    row.as_text = detail::named_filter_text<Member>;
    row.as_canonical_text = detail::canonical_named_filter<Member>;
    row.contribute = detail::contribute_named_filter<Member>;
    row.comparable = set_of(column_type::text);
    return row;
}

}  // namespace sluice

#endif
