// SPDX-License-Identifier: MIT
#ifndef SLUICE_NAMED_FILTERS_HPP
#define SLUICE_NAMED_FILTERS_HPP

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <sluice/params.hpp>

namespace sluice {

/// Filters by the names of their parameters, which are static text: one member of a query for all
/// that need none of their own, so that such a parameter is one row of its table and no more.
///
/// ```
/// struct visits { sluice::named_filters others; };
/// constexpr sluice::param_table visits_params{
///     sluice::named_filter_param<&visits::others>({.name = "asn", .column = "asn"}),
///     sluice::named_filter_param<&visits::others>({.name = "carrier", .column = "carrier"})};
/// ```
using named_filters = std::map<std::string_view, filter>;

namespace detail {

template <auto Member>
result<void> assign_named_filter(query_of<Member>& query, const param_info& info,
                                 std::string_view text, const bind_options&) {
    named_filters& all = query.*Member;
    filter& named = all[info.name];
    auto read = read_filter(named, info, text);
    if (named.empty()) all.erase(info.name);
    return read;
}

template <auto Member>
const filter* find_named_filter(const query_of<Member>& query, const param_info& info) noexcept {
    const auto found = (query.*Member).find(info.name);
    return found == (query.*Member).end() ? nullptr : &found->second;
}

template <auto Member>
std::optional<clause> named_filter_clause(const query_of<Member>& query, const param_info& info) {
    const filter* const named = find_named_filter<Member>(query, info);
    if (named == nullptr) return std::nullopt;
    return clause{info.column, named->excludes(), named->values(), info.how};
}

template <auto Member>
std::optional<std::string> named_filter_text(const query_of<Member>& query,
                                             const param_info& info) {
    const filter* const named = find_named_filter<Member>(query, info);
    return named == nullptr ? std::nullopt : std::optional(param_text(info, *named));
}

}  // namespace detail

/// An advanced filter as filter_param() has it, bound to its name among `named_filters`.
template <auto Member>
[[nodiscard]] constexpr auto named_filter_param(param_info info) noexcept {
    info.type = param_type::filter;
    return param<detail::query_of<Member>>{info, detail::assign_named_filter<Member>,
                                           detail::named_filter_clause<Member>,
                                           detail::named_filter_text<Member>};
}

}  // namespace sluice

#endif
