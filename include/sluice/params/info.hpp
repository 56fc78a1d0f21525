// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARAMS_INFO_HPP
#define SLUICE_PARAMS_INFO_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <sluice/filters/filter.hpp>
#include <sluice/query/bounds.hpp>

namespace sluice {

/// The type of a parameter, which determines how its text is read.
enum class param_type : std::uint8_t {
    filter,      ///< an advanced filter; repeats are merged
    list,        ///< identifiers separated by commas; repeats are merged
    text,        ///< one text, compared as it is
    choice,      ///< one of an enumeration's values
    boolean,     ///< true or false, in any case
    integer,     ///< a JSON number with a whole value
    time,        ///< a point in time or a period, see time_expression
    time_zone,   ///< an IANA time zone
    expression,  ///< a metadata expression
    sort,        ///< columns to order by, separated by commas; `-` before one: descending
    cursor,      ///< a position in the list, as in links to other pages
    value,       ///< a custom type; see param_traits
};

/// The part of a list query that a parameter sets.
enum class param_role : std::uint8_t {
    condition,    ///< a condition on rows, or none of the others
    page,         ///< the page number
    page_size,    ///< the number of rows on a page
    cursor,       ///< the page's start or end, instead of its number
    total,        ///< a request for the number of all rows
    sort_column,  ///< the columns to order by
    sort_order,   ///< the direction of the order
};
inline constexpr std::size_t param_role_count = 7;

struct declared_param;

/// The description of a parameter in its table, independent of the member it is bound to. Texts are
/// static.
struct param_info {
    std::string_view name{};            ///< as in the query string; case-sensitive
    std::string_view column{};          ///< the column that the value is compared with; empty: none
    comparison op = comparison::equal;  ///< the comparison of a number or time
    std::string_view help{};            ///< one line for people
    std::string_view example{};         ///< an accepted text, for people
    std::string_view absent{};       ///< the value of an optional parameter when absent, in words
    bool required = false;           ///< absent is an error
    bool deprecated = false;         ///< kept for old clients
    std::string_view replaced_by{};  ///< the parameter that replaces it and is written instead
    std::string_view prefix{};       ///< required start of a text; not part of its value
    bool (*accepts_value)(std::string_view) = nullptr;  ///< accepts a value of a filter
    std::string_view accepts{};                   ///< the accepted values in words: `expected …`
    std::string_view pattern{};                   ///< the accepted values as a regular expression
    std::span<const std::string_view> choices{};  ///< the accepted values, in order
    std::int64_t minimum = 0;                     ///< of an integer
    std::int64_t maximum = 0;                     ///< of an integer
    std::string_view format{};                    ///< OpenAPI's `format` of a custom type
    // Set by the functions that make rows, and by the table:
    param_type type = param_type::text;
    param_role role = param_role::condition;
    collation how = collation::exact;          ///< of the column
    const declared_param* declared = nullptr;  ///< more about a parameter declared at run time
};

}  // namespace sluice

#endif
