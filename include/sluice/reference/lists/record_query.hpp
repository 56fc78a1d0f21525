// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_LISTS_RECORD_QUERY_HPP
#define SLUICE_REFERENCE_LISTS_RECORD_QUERY_HPP

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <sluice/base/case_folding.hpp>
#include <sluice/params/bind.hpp>
#include <sluice/reference/limits.hpp>
#include <sluice/reference/request_options.hpp>

/// Parameters of lists of records, and their binding.
namespace sluice::reference {

/// Members for the page of a list of records. A query inherits them; record_page_params() binds
/// them.
struct record_page : list_page {
    std::optional<std::string> starting_after{};  ///< ID of the record before the page
    std::optional<std::string> ending_before{};   ///< ID of the record after the page

    friend bool operator==(const record_page&, const record_page&) = default;
};

namespace detail {

inline constexpr page_names record_page_names{.limit = "pageSize"};

}  // namespace detail

/// Declares the parameters of a page of at most `Maximum` records: `page`, `pageSize`, `cursor`,
/// `count`. A list without parameters for its order has a query with `order_by`, the name of a
/// column, and `direction`.
template <class Query, std::int64_t Maximum>
[[nodiscard]] constexpr auto record_page_params() noexcept {
    auto rows = page_params<Query, Maximum, detail::record_page_names>();
    if constexpr (requires { Query::order_by; }) {
        rows[0].contribute = [](const Query& query, const param_info& info,
                                const sluice::column* subject, list_query_draft& draft) {
            constexpr auto all = page_params<Query, Maximum, detail::record_page_names>();
            all[0].contribute(query, info, subject, draft);
            draft.query.order.push_back(
                {*find_column(draft.columns, Query::order_by), Query::direction});
        };
    }
    return rows;
}

/// Declares the parameters of a page beside a record: `startingAfter` and `endingBefore`.
template <class Query>
[[nodiscard]] constexpr param_group<Query, 2> record_place_params() noexcept {
    return {text_param<&record_page::starting_after, Query>(
                {.name = "startingAfter", .help = "ID of the record before the page"}),
            text_param<&record_page::ending_before, Query>(
                {.name = "endingBefore", .help = "ID of the record after the page"})};
}

/// Declares a boolean without a column that adds a condition if it has one of its values:
/// `Column()` is the column, `Test` its test.
template <auto Member, bool Value, auto Column, auto Test,
          class Query = sluice::detail::query_of<Member>>
[[nodiscard]] constexpr auto flag_param(const param_info& info) noexcept {
    auto row = boolean_param<Member, Query>(info);
    row.comparable = 0;
    row.contribute = [](const Query& query, const param_info& row_info, const sluice::column*,
                        list_query_draft& draft) {
        if (query.*Member != Value) return;
        draft.leaves.push_back({Column(draft.columns), column_test(Test), row_info.name});
    };
    return row;
}
/// Returns the column `archived`, for flag_param().
inline constexpr auto archived_column = [](columns_view columns) {
    return *find_column(columns, "archived");
};

/// Refuses a page with more than one of `startingAfter`, `endingBefore`, `page` and `cursor`.
/// Error: not_applicable.
template <class Binding>
void refuse_two_places(Binding& bound) {
    const record_page& wanted = bound.query();
    const bool has_page = bound.has("page") || bound.has("cursor");
    const auto refuse = [&](std::string_view name) {
        bound.refuse(name, detail::refusal(rule::not_applicable,
                                           "give one of startingAfter, endingBefore, page and "
                                           "cursor"));
    };
    if (wanted.starting_after && has_page) refuse("startingAfter");
    if (wanted.ending_before && (has_page || wanted.starting_after)) refuse("endingBefore");
}

/// Binds the parameters of a list of records. A query may have a static member `settle(bound)`,
/// which is called once all parameters are read: it refuses those that don't go together, and reads
/// deprecated ones as those that replace them.
template <const auto& Params>
[[nodiscard]] auto parse_record_query(std::span<const name_value> pairs,
                                      const bind_options& options) {
    using query_type = typename std::remove_cvref_t<decltype(Params)>::value_type::query_type;
    result<query_type> query(tl::in_place);
    binding bound(Params, *query, {options.zones, options.strict, options.now});
    bound.take(pairs);
    if constexpr (requires { query_type::settle(bound); }) query_type::settle(bound);
    bound.finish();
    if (const auto why = bound.first_error()) query = tl::unexpected<error>(*why);
    return query;
}

/// A text that identifies a query for records: queries with the same answer have the same text, in
/// one version of the records.
template <class Table, class Query>
[[nodiscard]] std::string canonical_record_text(const Table& params, Query query) {
    if constexpr (requires { query.search; }) {
        if (query.search) query.search = sluice::detail::fold_case(*query.search);
    }
    return canonical_query_string(params, query);
}

}  // namespace sluice::reference

#endif
