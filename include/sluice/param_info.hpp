// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARAM_INFO_HPP
#define SLUICE_PARAM_INFO_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <sluice/bounds.hpp>
#include <sluice/filter.hpp>

namespace sluice {

/// What a parameter's text is read as.
enum class param_type : std::uint8_t {
    filter,      ///< an advanced filter; repeats are united
    list,        ///< identifiers separated by commas; repeats are united
    text,        ///< one text, compared as it is
    choice,      ///< one of an enumeration's values
    boolean,     ///< true or false, in any case
    integer,     ///< a JSON number with a whole value
    time,        ///< a point in time or a period, see time_expression
    time_zone,   ///< an IANA time zone
    expression,  ///< a metadata expression
    sort,        ///< columns to order by, separated by commas; `-` before one: descending
    cursor,      ///< a place in the list, as links to other pages have it
    value,       ///< a type of the user's own, see param_traits
};

/// What a parameter says of the list: of its rows, by default.
enum class param_role : std::uint8_t {
    condition,    ///< which rows, or nothing
    page,         ///< the number of the page
    page_size,    ///< the rows on a page
    cursor,       ///< where the page begins, instead of its number
    total,        ///< whether the rows are counted
    sort_column,  ///< what orders the list
    sort_order,   ///< in which direction
};
inline constexpr std::size_t param_role_count = 7;

struct declared_param;

/// Everything that a parameter table says about one parameter, whatever it is bound to. Texts are
/// static.
struct param_info {
    std::string_view name{};            ///< as in the query string; case-sensitive
    std::string_view column{};          ///< what the value is compared with; empty: nothing
    comparison op = comparison::equal;  ///< how a number or time is compared
    std::string_view help{};            ///< one line for people
    std::string_view example{};         ///< a text that is accepted, for people
    std::string_view absent{};          ///< what an optional parameter is when absent, in words
    bool required = false;              ///< absent is an error
    bool deprecated = false;            ///< kept for old clients
    std::string_view replaced_by{};  ///< the parameter whose twin it is, and that is written for it
    std::string_view prefix{};       ///< what a text must start with; not part of its value
    bool (*accepts_value)(std::string_view) = nullptr;  ///< the form of each value of a filter
    std::string_view accepts{};                         ///< the same in words: `expected …`
    std::string_view pattern{};                         ///< the same as a regular expression
    std::span<const std::string_view> choices{};        ///< the accepted values, in order
    std::int64_t minimum = 0;                           ///< of an integer
    std::int64_t maximum = 0;                           ///< of an integer
    std::string_view format{};  ///< OpenAPI's name of the form of a type of the user's own
    // Set by the functions that make rows, and by the table:
    param_type type = param_type::text;
    param_role role = param_role::condition;
    collation how = collation::exact;  ///< of the column
    const declared_param* declared =
        nullptr;  ///< what one that is declared at run time has besides
};

}  // namespace sluice

#endif
