// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_LISTS_CUSTOMERS_HPP
#define SLUICE_REFERENCE_LISTS_CUSTOMERS_HPP

#include <sluice/reference/lists/record_columns.hpp>
#include <sluice/reference/lists/record_query.hpp>

/// The list of customers.
namespace sluice::reference {

/// The column that a list of customers is ordered by.
enum class customer_sort : std::uint8_t { created_at };
inline constexpr std::array<std::string_view, 1> customer_sort_names{"createdAt"};

/// The columns of conditions: those of rows, and the links of a customer's leads and sales.
inline constexpr schema customer_conditions([] {
    std::array<sluice::column, customers_schema.size() + 1> all{};
    std::ranges::copy(customers_schema, all.begin());
    all.back() = {.name = "linkId", .is_list = true};
    return all;
}());

/// The parameters of `GET /customers`.
struct customers_query : record_page {
    std::optional<std::string> email{}, external_id{}, search{}, country{}, link_id{};
    customer_sort sort_by = customer_sort::created_at;
    sluice::sort_order sort_order = sluice::sort_order::descending;

    static void settle(auto& bound) { refuse_two_places(bound); }
};

/// The table of these parameters.
inline constexpr param_table customers_params{
    customer_conditions,
    text_param<&customers_query::email>(
        {.name = "email", .column = "email", .help = "mail address of the customer"}),
    text_param<&customers_query::external_id>(
        {.name = "externalId", .column = "externalId", .help = "your own ID of the customer"}),
    search_param<&customers_query::search>(
        {.name = "search", .help = "part of the ID, externalId, name or email, in any case"}),
    text_param<&customers_query::country>(
        {.name = "country", .column = "country", .help = "ISO 3166-1 alpha-2 code"}),
    text_param<&customers_query::link_id>(
        {.name = "linkId", .column = "linkId", .help = "ID of a link of its leads or sales"}),
    sort_column_param<&customers_query::sort_by, customer_sort_names>(
        {.name = "sortBy", .help = "field that the list is ordered by"}),
    sort_order_param<&customers_query::sort_order>(
        {.name = "sortOrder", .help = "order of the list"}),
    record_place_params<customers_query>(),
    record_page_params<customers_query, page_size_max>()};

}  // namespace sluice::reference

#endif
