// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARAMS_GUIDELINES_HPP
#define SLUICE_PARAMS_GUIDELINES_HPP

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <sluice/params/expression.hpp>
#include <sluice/params/list.hpp>

/// The whole set of parameters of a guideline: condition, order and page.
namespace sluice {

/// Members for the parameters of a guideline. A query inherits them; odata_params(), aip_params()
/// and scim_params() bind them.
struct guideline_list : list_page {
    expression filter{};
    ordering order{};
    sort_order direction = sort_order::ascending;  ///< of SCIM

    friend bool operator==(const guideline_list&, const guideline_list&) = default;
};

/// The columns that clients of a guideline may name, as in param_info.
struct guideline_columns {
    std::span<const expression_column> named{};    ///< empty: all columns of the table
    std::span<const std::string_view> searched{};  ///< of words of AIP-160 without a column
};

namespace detail {

inline constexpr page_names odata_page_names{
    .page = {}, .offset = "$skip", .limit = "$top", .cursor = "$skiptoken", .count = "$count"};
inline constexpr page_names aip_page_names{
    .page = {}, .offset = "skip", .limit = "page_size", .cursor = "page_token", .count = {}};
inline constexpr page_names scim_page_names{
    .page = {}, .offset = "startIndex", .limit = "count", .cursor = "cursor", .count = {}};
inline constexpr std::array<std::string_view, 2> scim_directions{"ascending", "descending"};

/// Returns the rows of several groups as one.
template <class Query, std::size_t... Sizes>
[[nodiscard]] constexpr auto joined_rows(const param_group<Query, Sizes>&... groups) noexcept {
    param_group<Query, (Sizes + ...)> all{};
    auto next = all.begin();
    ((next = std::ranges::copy(groups, next).out), ...);
    return all;
}

/// Makes the rows of a condition and an order in a grammar.
template <class Query, grammar Kind>
[[nodiscard]] constexpr param_group<Query, 2> rows_in_grammar(
    std::string_view filter, std::string_view order, const guideline_columns& columns) noexcept {
    static_assert(std::derived_from<Query, guideline_list>,
                  "a guideline is bound to members of guideline_list: let the struct inherit it");
    return {expression_param<&guideline_list::filter, Kind, Query>(
                {.name = filter, .searched = columns.searched, .named = columns.named}),
            ordering_param<&guideline_list::order, Kind, Query>(
                {.name = order, .named = columns.named})};
}

}  // namespace detail

/// Declares the parameters of OData 4.01: `$filter`, `$orderby`, `$skip`, `$top`, `$skiptoken` and
/// `$count`, bound to a query that inherits guideline_list. A `$top` beyond `Maximum` is `Maximum`,
/// 0 is a page without rows. The token is a cursor; one from a request with other arguments is
/// malformed (400).
///
/// ```
/// struct orders : sluice::guideline_list {};
/// constexpr sluice::param_table table{orders_schema, sluice::odata_params<orders, 1'000>()};
/// // $filter=total gt 5 or status eq 'open'&$orderby=total desc&$top=20
/// ```
template <class Query, std::int64_t Maximum>
[[nodiscard]] constexpr auto odata_params(const guideline_columns& columns = {}) noexcept {
    return detail::joined_rows<Query>(
        detail::rows_in_grammar<Query, grammar::odata>("$filter", "$orderby", columns),
        page_params<Query, Maximum, detail::odata_page_names, page_style::odata>());
}

/// Like odata_params(), for the standard methods of Google's AIPs (132, 158, 160): `filter`,
/// `order_by`, `skip`, `page_size` and `page_token`. A `page_size` of 0 is the default.
template <class Query, std::int64_t Maximum>
[[nodiscard]] constexpr auto aip_params(const guideline_columns& columns = {}) noexcept {
    return detail::joined_rows<Query>(
        detail::rows_in_grammar<Query, grammar::aip160>("filter", "order_by", columns),
        page_params<Query, Maximum, detail::aip_page_names, page_style::aip>());
}

/// Like odata_params(), for SCIM (RFC 7644, RFC 9865): `filter`, `sortBy`, `sortOrder`,
/// `startIndex`, `count` and `cursor`. A `startIndex` below 1 is 1, a negative `count` is 0. The
/// number of all rows, `totalResults`, is requested unless the page is at a cursor.
template <class Query, std::int64_t Maximum>
[[nodiscard]] constexpr auto scim_params(const guideline_columns& columns = {}) noexcept {
    auto direction = choice_param<&guideline_list::direction, detail::scim_directions, Query>(
        {.name = "sortOrder"});
    direction.comparable = 0;
    direction.info.role = param_role::sort_order;
    direction.contribute = [](const Query& query, const param_info&, const column*,
                              list_query_draft& draft) { draft.direction = query.direction; };
    return detail::joined_rows<Query>(
        detail::rows_in_grammar<Query, grammar::scim>("filter", "sortBy", columns),
        param_group<Query, 1>{direction},
        page_params<Query, Maximum, detail::scim_page_names, page_style::scim>());
}

}  // namespace sluice

#endif
