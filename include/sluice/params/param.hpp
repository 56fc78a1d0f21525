// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARAMS_PARAM_HPP
#define SLUICE_PARAMS_PARAM_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <sluice/filters/filter.hpp>
#include <sluice/grammars/columns.hpp>
#include <sluice/params/name_style.hpp>
#include <sluice/query/bounds.hpp>
#include <sluice/query/column_test.hpp>
#include <sluice/query/list_query.hpp>
#include <sluice/time/instant.hpp>
#include <sluice/time/zone.hpp>

/// The parts of a parameter table: types, descriptions, options of binding, and rows.
namespace sluice {

/// The type of a parameter, which determines how its text is read.
enum class param_type : std::uint8_t {
    filter,      ///< an advanced filter; repeats are merged
    list,        ///< identifiers separated by commas; repeats are merged
    text,        ///< one text, compared as it is
    choice,      ///< one of an enumeration's values
    boolean,     ///< true or false, in any case
    integer,     ///< a JSON number with a whole value
    real,        ///< a JSON number, as the nearest double
    time,        ///< a point in time or a period, see time_expression
    time_zone,   ///< an IANA time zone
    expression,  ///< a metadata expression
    condition,   ///< a whole condition, in the grammar of a guideline
    order,       ///< columns to order by, in the grammar of a guideline
    sort,        ///< columns to order by, separated by commas; `-` before one: descending
    cursor,      ///< a position in the list, as in links to other pages
    value,       ///< a custom type; see param_traits
};

/// The part of a list query that a parameter sets.
enum class param_role : std::uint8_t {
    condition,    ///< a condition on rows, or none of the others
    page,         ///< the page number, or the number of rows before the page
    page_size,    ///< the number of rows on a page
    cursor,       ///< the page's start or end, instead of its number
    total,        ///< a request for the number of all rows
    sort_column,  ///< the columns to order by
    sort_order,   ///< the direction of the order
};
inline constexpr std::size_t param_role_count = 7;

/// The rules of a page. Those of guidelines take a size beyond the maximum as the maximum, and
/// refuse a cursor from a request with other arguments as malformed (400).
enum class page_style : std::uint8_t {
    plain,  ///< a size beyond the maximum is an error, a cursor of another request a 422
    odata,  ///< a size of 0 is a page without rows
    aip,    ///< a size of 0 is the default
    scim,   ///< the offset is the number of the first row, from 1; a smaller one is 1, a negative
            ///< size 0; all rows are counted unless the page is at a cursor
};

/// Names of the styles, in the order of the enumeration.
inline constexpr std::array<std::string_view, 4> page_style_names{"plain", "odata", "aip", "scim"};

struct declared_param;
struct grammar_record;
struct param_info;

/// The syntax of a parameter's texts, for documentation.
struct syntax_words {
    std::string note{};     ///< the columns and operators in words
    std::string example{};  ///< an accepted text; empty if there is none
};

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
    std::string_view accepts{};                    ///< the accepted values in words: `expected …`
    std::string_view pattern{};                    ///< the accepted values as a regular expression
    std::span<const std::string_view> choices{};   ///< the accepted values, in order
    std::int64_t minimum = 0;                      ///< of an integer
    std::int64_t maximum = 0;                      ///< of an integer
    std::string_view format{};                     ///< OpenAPI's `format` of a custom type
    std::span<const std::string_view> searched{};  ///< of a search: the columns with its words
    std::span<const std::string_view> grouped{};   ///< of groups and measures: their columns
    std::span<const expression_column> named{};    ///< in a grammar: the columns; empty: all
    page_style style = page_style::plain;          ///< of the rows of a page
    list_form lists = list_form::commas;           ///< of a filter or a list
    exclusion excludes = exclusion::dash;          ///< of a filter
    sort_form sorts = sort_form::dash;             ///< of a sort
    search_form words = search_form::any;          ///< of a search with columns
    std::string_view part{};  ///< in a group: the part, such as `start`, whatever its name
    // Set by the functions that make rows, and by the table:
    param_type type = param_type::text;
    param_role role = param_role::condition;
    test_kind test = test_kind::any_of;        ///< of its condition; of a filter none_of too
    collation how = collation::exact;          ///< of the column
    const declared_param* declared = nullptr;  ///< more about a parameter declared at run time
    const grammar_record* grammar = nullptr;   ///< of a condition or an order
    columns_view columns{};                    ///< of the table, if it has a grammar
    syntax_words (*syntax)(const param_info&) = nullptr;  ///< if it has a grammar
};

namespace detail {

/// The zones member of the options for a table that reads time zones. Leaving it out doesn't
/// compile: the default constructor is a template, so that its assertion fails only where it is
/// called. If the value is null, requests that name a zone fail.
struct needed_zones {
    constexpr needed_zones(const time_zone_database* zones) noexcept : value(zones) {}
    template <class Zones = void>
    constexpr needed_zones() noexcept {
        static_assert(!std::is_void_v<Zones>,
                      "the table reads time zones: give bind .zones, a pointer to those of "
                      "load_time_zones() of <sluice/time/system_zones.hpp>");
    }
    constexpr operator const time_zone_database*() const noexcept { return value; }

    const time_zone_database* value = nullptr;
};

/// Like needed_zones, for the current time. If the value is nullopt, every request that reads a
/// time fails.
struct needed_now {
    constexpr needed_now(std::optional<instant> now) noexcept : value(now) {}
    constexpr needed_now(instant now) noexcept : value(now) {}
    constexpr needed_now(std::nullopt_t) noexcept {}
    template <class Now = void>
    constexpr needed_now() noexcept {
        static_assert(!std::is_void_v<Now>,
                      "the table reads times: give bind the present, its .now");
    }
    constexpr operator std::optional<instant>() const noexcept { return value; }

    std::optional<instant> value{};
};

}  // namespace detail

/// Inputs of binding besides the request. Members that the table needs must be set.
template <bool NeedsZones, bool NeedsNow>
struct basic_bind_options {
    using zones_type =
        std::conditional_t<NeedsZones, detail::needed_zones, const time_zone_database*>;
    using now_type = std::conditional_t<NeedsNow, detail::needed_now, std::optional<instant>>;

    zones_type zones = zones_type();  ///< for tables with a time_zone_param or a window
    bool strict = true;               ///< unknown names are errors; false ignores them
    now_type now = now_type();        ///< for tables with an instant_param or a window
    bool wants_empty = true;          ///< false: parameters with an empty value count as absent
};
/// Options of a table that needs neither zones nor the current time.
using bind_options = basic_bind_options<false, false>;

/// The options of binding that rows read.
struct needed_options {
    bool zones = false, now = false;
};
/// Marks rows that read time zones or the current time: param_table requires the options for them.
template <class Rows, needed_options Needs>
struct needing_rows : Rows {};

struct aggregate_draft;

/// A list query under construction, to which the rows of a table contribute.
struct list_query_draft {
    list_query query{};
    std::vector<leaf> leaves{};             ///< conditions that all must hold
    std::vector<where> trees{};             ///< more conditions that all must hold
    std::optional<sort_order> direction{};  ///< of all sort keys; from sort_order_param()
    columns_view columns{};                 ///< of the table's schema
    aggregate_draft* aggregate = nullptr;   ///< of to_aggregate_query() and to_facets()
};

/// A row of a parameter table: the parameter's description, and functions that read and write its
/// value and contribute it to a list query.
template <class Query>
struct param {
    using query_type = Query;
    using assign_function = result<void> (*)(Query&, const param_info&, std::string_view text,
                                             const bind_options&);
    using text_function = std::optional<std::string> (*)(const Query&, const param_info&);
    using default_function = std::optional<std::string> (*)(const param_info&);
    using contribute_function = void (*)(const Query&, const param_info&, const column* subject,
                                         list_query_draft&);  ///< `subject`: null without a column
    using finish_function = result<void> (*)(Query&, const param_info&, const bind_options&);

    param_info info;
    assign_function assign = nullptr;           ///< reads one value of the parameter into the query
    text_function as_text = nullptr;            ///< the value's text; nullopt if it is the default
    text_function as_canonical_text = nullptr;  ///< like as_text, but one text for equal meanings
    default_function as_default = nullptr;      ///< the text of the value when absent
    contribute_function contribute = nullptr;   ///< adds to a list query, or null
    column_types comparable = 0;                ///< types of columns that it can be compared with
    finish_function finish = nullptr;  ///< runs after reading, unless a row it needs was refused
    std::size_t finishes = 1;          ///< rows that `finish` needs: this one and those after it

    /// Returns true if repeats of the parameter are merged.
    [[nodiscard]] constexpr bool repeatable() const noexcept {
        return info.type == param_type::filter || info.type == param_type::list;
    }
    /// Returns the text of the value when the parameter is absent; empty if it has none.
    [[nodiscard]] std::string default_text() const {
        if (!info.absent.empty() || as_default == nullptr) return std::string(info.absent);
        return as_default(info).value_or(std::string());
    }
};

/// Rows that belong together, such as those of a window.
template <class Query, std::size_t Rows>
using param_group = std::array<param<Query>, Rows>;

}  // namespace sluice

#endif
