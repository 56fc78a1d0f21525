// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARAMS_RUNTIME_DECLARATION_HPP
#define SLUICE_PARAMS_RUNTIME_DECLARATION_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/errors/error.hpp>
#include <sluice/query/bounds.hpp>

namespace sluice {

/// The kind of a declaration, a parameter or a group of them. <sluice/params.hpp> and
/// <sluice/params/list.hpp> say what each accepts.
enum class declared_kind : std::uint8_t {
    filter,      ///< an advanced filter, on texts or integers
    list,        ///< identifiers separated by commas
    text,        ///< one text
    search,      ///< a text to search for
    choice,      ///< one of `choices`
    boolean,     ///< true or false
    integer,     ///< a whole number of 64 bits, compared by `op`
    decimal,     ///< a JSON number, compared by `op`
    uuid,        ///< a UUID
    time,        ///< a time that rows are compared with by `op`
    expression,  ///< a metadata expression
    custom,      ///< a custom type
    sort,        ///< columns to order by
    window,      ///< `interval`, `start`, `end` and `timezone`, on a column of times
    page,        ///< `page`, `limit`, `cursor` and `count`
};

/// Names of the kinds, in the order of the enumeration.
inline constexpr std::array<std::string_view, 15> declared_kind_names{
    "filter", "list", "text",       "search", "choice", "boolean", "integer", "decimal",
    "uuid",   "time", "expression", "custom", "sort",   "window",  "page"};
[[nodiscard]] constexpr std::string_view to_string(declared_kind kind) noexcept {
    return declared_kind_names[static_cast<std::size_t>(kind)];
}

/// A value of a custom type.
struct custom_value {
    std::string text{};                    ///< its text, the same for equal values
    std::shared_ptr<const void> object{};  ///< the program's object

    friend bool operator==(const custom_value& a, const custom_value& b) noexcept {
        return a.text == b.text;
    }
};

/// The declaration of a parameter, or a group of parameters, at run time.
struct declaration {
    declared_kind kind = declared_kind::filter;
    std::string name{};    ///< as in the query string; of a group the prefix of its names
    std::string column{};  ///< the column that the value is compared with; empty: none
    comparison op = comparison::equal;     ///< the comparison of a number or time
    std::string help{};                    ///< one line for people
    std::string accepts{};                 ///< the accepted values in words: `expected …`
    std::optional<std::string> absent{};   ///< the default, as a text; of a window
                                           ///< its interval, of a page its limit
    bool required = false;                 ///< absent is an error
    bool deprecated = false;               ///< kept for old clients
    std::string prefix{};                  ///< required start of a text, not part of its value
    std::vector<std::string> choices{};    ///< of a choice, filter or sort
    std::vector<std::string> sorted_by{};  ///< of a sort: the column of each choice
    std::int64_t minimum = 0;              ///< of an integer
    std::int64_t maximum = 0;              ///< of an integer, or of a page's limit
    std::function<result<custom_value>(std::string_view)> parse{};  ///< of a custom type
    std::string form{};  ///< OpenAPI's `format` of a custom type
};

/// A mistake in a table's declarations: an error of the program, not of a request.
struct declaration_mistake {
    std::string name{};  ///< of the parameter or column
    std::string what{};  ///< a sentence that says what to do
};

}  // namespace sluice

#endif
