// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARAM_INFO_HPP
#define SLUICE_PARAM_INFO_HPP

#include <cstdint>
#include <span>
#include <string_view>

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
};

/// Everything that a parameter table says about one parameter, whatever it is bound to. Texts are
/// static.
struct param_info {
    std::string_view name{};           ///< as in the query string; case-sensitive
    std::string_view column{};         ///< what the value is compared with; empty: nothing
    collation how = collation::exact;  ///< how it is compared
    std::string_view help{};           ///< one line for people
    std::string_view default_text{};   ///< the value when absent; empty where there is none
    bool required = false;             ///< absent is an error
    bool deprecated = false;           ///< kept for old clients
    std::string_view replaced_by{};  ///< the parameter whose twin it is, and that is written for it
    std::string_view prefix{};       ///< what a text must start with; not part of its value
    bool (*accepts_value)(std::string_view) = nullptr;  ///< the form of each value of a filter
    std::string_view accepts{};                         ///< the same in words: `expected …`
    std::span<const std::string_view> choices{};        ///< the accepted values, in order
    std::int64_t minimum = 0;                           ///< of an integer
    std::int64_t maximum = 0;                           ///< of an integer
    param_type type = param_type::text;                 ///< set by the functions below
};

}  // namespace sluice

#endif
