// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARAMS_RUNTIME_DECLARATION_HPP
#define SLUICE_PARAMS_RUNTIME_DECLARATION_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/base/heap_sort.hpp>
#include <sluice/errors/error.hpp>
#include <sluice/grammars/grammar.hpp>
#include <sluice/params/expression.hpp>
#include <sluice/params/list.hpp>
#include <sluice/params/param.hpp>
#include <sluice/params/uuid.hpp>
#include <sluice/query/bounds.hpp>
#include <sluice/query/column_test.hpp>
#include <sluice/query/schema.hpp>

/// Declarations of parameters at run time, their values, and checks of mistakes in them.
namespace sluice {

/// The kind of a declaration: of a parameter, or of a group of parameters (window, page). The
/// functions of <sluice/params/text.hpp>, value.hpp and list.hpp that declare such parameters at
/// compile time describe the accepted texts.
enum class declared_kind : std::uint8_t {
    filter,       ///< an advanced filter, on texts or integers
    list,         ///< identifiers separated by commas
    text,         ///< one text, compared by `op`
    search,       ///< a text to search for
    choice,       ///< one of `choices`, compared by `op`
    boolean,      ///< true or false
    integer,      ///< a whole number of 64 bits, compared by `op`
    decimal,      ///< a JSON number, compared by `op`
    uuid,         ///< a UUID
    time,         ///< a time that rows are compared with by `op`
    expression,   ///< a metadata expression
    custom,       ///< a custom type
    sort,         ///< columns to order by
    window,       ///< a group: see window_names; on a column of times
    page,         ///< a group: see page_names
    real,         ///< a JSON number as the nearest double, compared by `op`
    date,         ///< a day, compared by `op`
    contains,     ///< a part of a text
    starts_with,  ///< its beginning
    ends_with,    ///< its end
    is_null,      ///< true: rows without a value; false: rows with one
    condition,    ///< a whole condition, in a grammar
    order,        ///< columns to order by, in a grammar
    direction,    ///< the direction of all sort keys: the first choice, or the second
    names,        ///< some of `choices`, no part of a list query: groups, measures, facets
};

/// Names of the kinds, in the order of the enumeration.
inline constexpr std::array<std::string_view, 25> declared_kind_names{
    "filter",    "list",  "text",      "search",     "choice",      "boolean",   "integer",
    "decimal",   "uuid",  "time",      "expression", "custom",      "sort",      "window",
    "page",      "real",  "date",      "contains",   "starts_with", "ends_with", "is_null",
    "condition", "order", "direction", "names"};
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

/// A column that clients may name in a condition; see expression_column.
struct declared_name {
    std::string name{};
    std::string column{};
    test_kinds allowed = all_test_kinds;
};

/// The declaration of a parameter, or a group of parameters, at run time.
struct declaration {
    declared_kind kind = declared_kind::filter;
    std::string name{};  ///< as in the query string; of a group: the prefix of its names
    std::vector<std::string> names{};   ///< of a group: in the order of its rows, each after the
                                        ///< prefix; an empty one leaves its row out; none: defaults
    std::string column{};               ///< the column that the value is compared with; empty: none
    comparison op = comparison::equal;  ///< the comparison of a number, time, text or choice
    std::optional<name_style> naming{};    ///< adds the operator to the name
    list_form lists = list_form::commas;   ///< of a filter or a list
    exclusion excludes = exclusion::dash;  ///< of a filter or a list
    sort_form sorts = sort_form::dash;     ///< of a sort or names
    search_form words = search_form::any;  ///< of a search with columns
    std::string help{};                    ///< one line for people
    std::string accepts{};                 ///< the accepted values in words: `expected …`
    std::optional<std::string> absent{};   ///< the default, as a text; of a window:
                                           ///< its interval; of a page: its limit
    bool required = false;                 ///< absent is an error
    bool deprecated = false;               ///< kept for old clients
    std::string prefix{};                  ///< required start of a text, not part of its value
    std::vector<std::string> choices{};    ///< of a choice, filter, sort or names
    std::vector<std::string> sorted_by{};  ///< of a sort: the column of each choice
    std::vector<std::string> searched{};   ///< of a search: the columns with its words
    sluice::grammar grammar{};             ///< of a condition or an order
    std::vector<declared_name> named{};    ///< of a condition or an order; empty: all columns
    std::int64_t minimum = 0;              ///< of an integer
    std::int64_t maximum = 0;              ///< of an integer, or of a page's limit
    std::function<result<custom_value>(std::string_view)> parse{};  ///< of a custom type
    page_style style = page_style::plain;                           ///< of a page
    std::string form{};  ///< OpenAPI's `format` of a custom type
};

/// A mistake in a table's declarations: an error of the program, not of a request.
struct declaration_mistake {
    std::string name{};  ///< of the parameter or column
    std::string what{};  ///< a sentence that says what to do
};

/// The value of a single declared parameter, as a member to which a row can be bound.
template <class T>
struct single {
    T value{};
};

/// The index of a choice among its parameter's choices.
enum class choice_index : std::uint32_t {};

/// The value of a declaration; of a group: its struct. monostate if the request lacks it.
using declared_value =
    std::variant<std::monostate, single<filter>, single<std::vector<std::string>>,
                 single<std::optional<std::string>>, single<std::optional<choice_index>>,
                 single<std::optional<bool>>, single<std::optional<std::int64_t>>,
                 single<std::optional<decimal_number>>, single<std::optional<uuid>>,
                 single<std::optional<instant>>, single<metadata_query>,
                 single<std::optional<custom_value>>, single<sort_choices>, list_window, list_page,
                 single<std::optional<double>>, single<std::optional<calendar_day>>,
                 single<expression>, single<ordering>>;

/// The query that a declared table binds: the values by the places of their declarations.
struct declared_query {
    std::vector<declared_value> values{};  ///< of all declarations; empty if nothing was bound
};

/// A declaration in a table. It owns what the param_info of its rows view, so its address is fixed.
struct declared_param {
    declaration spec;
    std::size_t place = 0;            ///< index of its value in a query
    std::size_t places = 0;           ///< number of values in a query
    declared_value unset{};           ///< its default, for requests without it
    const column* subject = nullptr;  ///< the column that it names, or null; owned by the table
    std::vector<std::string_view> choices{};   ///< views of spec.choices
    std::vector<std::string_view> searched{};  ///< views of spec.searched
    std::vector<expression_column> named{};    ///< of spec.named
    std::vector<column> sorted_by{};           ///< of a sort: the column of each choice
    std::deque<std::string> texts{};           ///< texts that its rows view; see keep()

    /// Stores a text that a row views, and returns the view.
    [[nodiscard]] std::string_view keep(std::string text) {
        return texts.emplace_back(std::move(text));
    }
};

namespace detail {

/// Returns the value of a declaration, or its default.
template <class Value>
[[nodiscard]] const Value& value_at(const declared_query& query, const declared_param& declared) {
    const declared_value* const entry =
        query.values.empty() ? nullptr : &query.values[declared.place];
    const Value* const value = entry == nullptr ? nullptr : std::get_if<Value>(entry);
    return value == nullptr ? *std::get_if<Value>(&declared.unset) : *value;
}

/// Returns the value of a declaration, to write to. When first called for a request it creates the
/// value: empty if `begins_empty`, as for lists and filters, which merge repeats; otherwise a copy
/// of the default.
template <class Value>
[[nodiscard]] Value& value_to_write(declared_query& query, const declared_param& declared,
                                    bool begins_empty) {
    if (query.values.empty()) query.values.resize(declared.places);
    declared_value& place = query.values[declared.place];
    if (Value* const value = std::get_if<Value>(&place)) return *value;
    if (begins_empty) return place.emplace<Value>();
    return place.emplace<Value>(*std::get_if<Value>(&declared.unset));
}

/// Returns the advice for the values of a parameter with choices: `expected a, b or c`.
[[nodiscard]] inline std::string choices_sentence(std::span<const std::string_view> choices) {
    std::string text = "expected ";
    for (std::size_t i = 0; i < choices.size(); ++i) {
        if (i > 0) text.append(i + 1 == choices.size() ? " or " : ", ");
        text.append(choices[i]);
    }
    return text;
}

/// Returns the advice for an integer: `expected a whole number from 1 to 100`. The least or the
/// greatest std::int64_t isn't a bound: `expected a whole number of at least 1`.
[[nodiscard]] inline std::string range_sentence(std::int64_t minimum, std::int64_t maximum) {
    using limits = std::numeric_limits<std::int64_t>;
    const std::string text = "expected a whole number";
    const std::string least = std::to_string(minimum), most = std::to_string(maximum);
    if (minimum == limits::min() && maximum == limits::max()) return text;
    if (maximum == limits::max()) return text + " of at least " + least;
    if (minimum == limits::min()) return text + " of at most " + most;
    return text + " from " + least + " to " + most;
}

/// Returns true if a kind needs choices.
[[nodiscard]] inline bool has_choices(declared_kind kind) noexcept {
    return kind == declared_kind::choice || kind == declared_kind::sort ||
           kind == declared_kind::direction || kind == declared_kind::names;
}
[[nodiscard]] inline bool is_group(declared_kind kind) noexcept {
    return kind == declared_kind::window || kind == declared_kind::page;
}

// Checks of a declaration. They return a sentence that says what to do, or an empty text if there
// isn't a mistake. In param_table such mistakes don't compile.

/// Checks the choices of a declaration.
[[nodiscard]] inline std::string mistake_in_choices(const declaration& spec) {
    std::vector<std::string> sorted = spec.choices;
    detail::heap_sort(sorted, std::less<>());
    if (has_choices(spec.kind) && sorted.empty()) return "it needs choices: give it at least one";
    if (std::ranges::adjacent_find(sorted) != sorted.end()) {
        return "two choices are the same: give each once";
    }
    const auto has_dash = [](const std::string& choice) { return choice.starts_with('-'); };
    if (spec.kind == declared_kind::sort && std::ranges::any_of(sorted, has_dash)) {
        return "a choice of a sort is a column without '-', which its default may have: rename it";
    }
    if (spec.kind == declared_kind::direction && sorted.size() != 2) {
        return "a direction has two choices, ascending and descending: name both";
    }
    const bool in_lists = spec.kind == declared_kind::sort || spec.kind == declared_kind::names ||
                          spec.kind == declared_kind::filter;
    const auto is_no_item = [](const std::string& choice) {
        return choice.empty() || choice.starts_with('-') ||
               choice.find_first_of(",\\") != choice.npos;
    };
    if (in_lists && std::ranges::any_of(sorted, is_no_item)) {
        return "a choice in a list is not empty, begins with no '-' and has no ',' or '\\': "
               "rename it";
    }
    return {};
}

/// Checks the members that only some kinds have: bounds, operator, function, forms.
[[nodiscard]] inline std::string mistake_in_kind(const declaration& spec) {
    const bool is_filter = spec.kind == declared_kind::filter;
    if (spec.lists != list_form::commas && !is_filter && spec.kind != declared_kind::list) {
        return "it has one value: leave the form of lists out";
    }
    if (spec.excludes != exclusion::dash && !is_filter && spec.kind != declared_kind::list) {
        return "only filters and lists exclude values: leave the exclusion out";
    }
    if (spec.kind == declared_kind::integer && spec.minimum > spec.maximum) {
        return "its minimum is larger than its maximum: swap them";
    }
    if (spec.kind == declared_kind::page && spec.maximum < 1) {
        return "its maximum is below 1: a page has at least one row";
    }
    if (spec.kind == declared_kind::time && spec.op == comparison::equal) {
        return "rows of one instant are seldom meant: give it another operator than =";
    }
    if (spec.kind == declared_kind::custom && !spec.parse) {
        return "a type of your own is read by a function: give it one";
    }
    return {};
}

/// Checks the names of a group.
[[nodiscard]] inline std::string mistake_in_names(const declaration& spec) {
    if (spec.names.empty()) return {};
    if (!is_group(spec.kind)) return "only a window or a page has names: give it one name";
    const std::size_t rows =
        spec.kind == declared_kind::page ? page_names().all().size() : window_names().all().size();
    if (spec.names.size() != rows) {
        return "it has " + std::to_string(rows) + " parameters: name each, or leave the name empty";
    }
    const auto is_unnamed = [](const std::string& name) { return name.empty(); };
    if (std::ranges::all_of(spec.names, is_unnamed)) {
        return "a group without names has no parameters: give one of them a name";
    }
    if (spec.kind == declared_kind::page && !spec.names[0].empty() && !spec.names[1].empty()) {
        return "a page begins at a number or at an offset: leave the name of one out";
    }
    return {};
}

/// Checks a declaration by itself.
[[nodiscard]] inline std::string mistake_in(const declaration& spec) {
    if (spec.name.empty() && !is_group(spec.kind)) return "a parameter needs a name: give it one";
    if (std::string what = mistake_in_names(spec); !what.empty()) return what;
    if (spec.required && spec.absent) {
        return "what is required has no default: leave one of them out";
    }
    if (std::string what = mistake_in_choices(spec); !what.empty()) return what;
    return mistake_in_kind(spec);
}

/// Says that a schema lacks a column, and which ones it has.
[[nodiscard]] inline std::string no_column(std::string_view name, columns_view columns) {
    std::string what = "the schema has no column '" + std::string(name) + "': add it";
    for (const column& known : columns) {
        const bool is_last = &known == &columns.back();
        what += &known == columns.data() ? ", or use " : is_last ? " or " : ", ";
        what += known.name;
    }
    return what;
}

/// Functions that declare a parameter of a column in Python and TypeScript, by the column's type.
inline constexpr std::array<std::string_view, column_type_names.size()> functions_for{
    "filter, texts or text",
    "integer or filter",
    "decimal",
    "window or time",
    "boolean",
    "metadata",
    "real",
    "date or filter",
    "uuid or filter",
    "choice or filter",
    "expression"};
static_assert(functions_for[static_cast<std::size_t>(column_type::records)] == "expression");

/// Checks the column that a row names, or its absence.
[[nodiscard]] inline std::string mistake_in_column(const param<declared_query>& row,
                                                   columns_view columns) {
    const param_info& info = row.info;
    if (info.column.empty()) {
        const bool needs_column = info.type == param_type::filter;
        return needs_column ? "a filter yields a condition on a column: give it a column" : "";
    }
    if (row.comparable == 0) {
        return "this kind of parameter yields no condition: leave the column out";
    }
    const column* const subject = find_column(columns, info.column);
    if (subject == nullptr) {
        return no_column(info.column, columns);
    }
    if ((set_of(subject->type) & row.comparable) == 0) {
        return "it can't be compared with a column of type " +
               std::string(to_string(subject->type)) + ": use " +
               std::string(functions_for[static_cast<std::size_t>(subject->type)]);
    }
    if (info.op != comparison::equal && info.type != param_type::value &&
        info.test != test_kind::bounds) {
        return "its column is compared by equality alone: leave the operator out";
    }
    if (info.type != param_type::value && !allows_test(*subject, info.test)) {
        return info.test == test_kind::is_null
                   ? "its column is never missing: make it nullable"
                   : "its column '" + std::string(subject->name) + "' has no test " +
                         std::string(to_string(info.test)) +
                         ": see the table of tests, and its collation";
    }
    return {};
}

/// Checks a custom rule that is declared at run time; see custom_rule.
[[nodiscard]] inline std::string mistake_in(const rule_info& spec) {
    if (!is_rule_name(spec.name)) return "its name is of a-z, 0-9 and _, such as check_digit";
    const auto has_name = [&](const rule_info& listed) { return listed.name == spec.name; };
    if (std::ranges::any_of(rules, has_name)) {
        return "the library has a rule of this name: give yours a name of its own";
    }
    if (spec.problem.empty()) return "it doesn't say what is wrong: give it words";
    if (!is_advice(spec.advice)) {
        return "what is accepted begins with a verb: expected, give, use, leave ...";
    }
    return {};
}

}  // namespace detail

}  // namespace sluice

#endif
