// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARAMS_TABLE_HPP
#define SLUICE_PARAMS_TABLE_HPP

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include <sluice/base/name_index.hpp>
#include <sluice/base/static_text.hpp>
#include <sluice/params/list.hpp>
#include <sluice/query/schema.hpp>
#include <sluice/query/uuid.hpp>

/// Parameter tables, declared at compile time.
namespace sluice {

namespace detail {

/// Number of rows in an element of a parameter table: a row, or a group of rows.
template <class T>
inline constexpr std::size_t rows_in = 0;
template <class Query>
inline constexpr std::size_t rows_in<param<Query>> = 1;
template <class Query, std::size_t Rows>
inline constexpr std::size_t rows_in<param_group<Query, Rows>> = Rows;
template <class Rows, needed_options Needs>
inline constexpr std::size_t rows_in<needing_rows<Rows, Needs>> = rows_in<Rows>;

/// The struct that an element of a parameter table is bound to.
template <class T>
struct query_type_of;
template <class Query>
struct query_type_of<param<Query>> {
    using type = Query;
};
template <class Query, std::size_t Rows>
struct query_type_of<param_group<Query, Rows>> {
    using type = Query;
};
template <class Rows, needed_options Needs>
struct query_type_of<needing_rows<Rows, Needs>> : query_type_of<Rows> {};

/// True if an element of a parameter table reads time zones, or the current time.
template <class T>
inline constexpr bool needs_zones = false;
template <class Rows, needed_options Needs>
inline constexpr bool needs_zones<needing_rows<Rows, Needs>> = Needs.zones;
template <class T>
inline constexpr bool needs_now = false;
template <class Rows, needed_options Needs>
inline constexpr bool needs_now<needing_rows<Rows, Needs>> = Needs.now;

/// Makes a filter accept the values of its column alone: days, UUIDs, choices.
constexpr void fit_filter(param_info& info, const column& subject) noexcept {
    if (info.type != param_type::filter) return;
    if (subject.type == column_type::choice && info.choices.empty()) info.choices = subject.choices;
    if (info.accepts_value != nullptr) return;
    if (subject.type == column_type::date) {
        info.accepts_value = [](std::string_view text) { return parse_day(text).has_value(); };
        info.pattern = R"([0-9]{4}\\?-[0-9]{2}\\?-[0-9]{2})";
        if (info.accepts.empty()) info.accepts = "expected days such as 2026-08-21";
    } else if (subject.type == column_type::uuid) {
        info.accepts_value = [](std::string_view text) { return parse_uuid(text).has_value(); };
        info.pattern = R"([0-9A-Fa-f]{8}(?:\\?-[0-9A-Fa-f]{4}){3}\\?-[0-9A-Fa-f]{12})";
        if (info.accepts.empty()) info.accepts = "expected UUIDs";
    }
}

/// Stops the compilation: a parameter can't be compared with the type of its column.
constexpr void refuse_column_type(column_type type, std::string_view name) noexcept {
    switch (type) {
        case column_type::text:
            return mistake(name,
                           "its column holds text: use filter_param, text_param or choice_param");
        case column_type::integer:
            return mistake(name, "its column holds integers: use integer_param");
        case column_type::decimal:
            return mistake(name, "its column holds decimals: use value_param of a decimal_number");
        case column_type::time:
            return mistake(name, "its column holds times: use instant_param or window_params");
        case column_type::boolean:
            return mistake(name, "its column holds booleans: use boolean_param");
        case column_type::json: return mistake(name, "its column holds JSON: use expression_param");
        case column_type::real: return mistake(name, "its column holds reals: use real_param");
        case column_type::date:
            return mistake(name,
                           "its column holds days: use value_param of a calendar_day, or "
                           "filter_param");
        case column_type::uuid:
            return mistake(name,
                           "its column holds UUIDs: use value_param of a uuid, or filter_param");
        case column_type::choice:
            return mistake(name, "its column holds choices: use filter_param or choice_param");
        case column_type::records:
            return mistake(name, "its column holds records: no parameter is compared with it");
    }
}

}  // namespace detail

/// A row of a parameter table, or a group of rows, whatever they are bound to.
template <class T>
concept parameter_rows = detail::rows_in<T> > 0;

/// The parameters of an endpoint in order, with an index of their names, built at compile time.
///
/// ```
/// inline constexpr sluice::schema orders_schema{sluice::column{.name = "id"},
///                                               sluice::column{.name = "status"}};
/// struct orders { sluice::filter status; std::int64_t page = 1; };
/// inline constexpr sluice::param_table orders_params{
///     orders_schema,
///     sluice::filter_param<&orders::status>({.name = "status", .column = "status"}),
///     sluice::page_param<&orders::page>({.name = "page"})};
/// ```
///
/// Rows name columns of the schema, which must be static. A table whose rows name none needs no
/// schema. Mistakes don't compile; the error quotes the parameter's name and a sentence with the
/// remedy: a name that is missing or repeated; a column that the schema lacks, whose type can't be
/// compared with the parameter, or whose parameter adds no condition; a filter without a column.
template <class Query, std::size_t Rows, bool NeedsZones = false, bool NeedsNow = false>
class param_table {
public:
    using value_type = param<Query>;
    using options_type = basic_bind_options<NeedsZones, NeedsNow>;  ///< of bind()

    template <std::size_t Columns, parameter_rows... Row>
    explicit consteval param_table(const schema<Columns>& columns, const Row&... rows)
        : columns_(columns.begin(), columns.end()) {
        static_assert((std::same_as<typename detail::query_type_of<Row>::type, Query> && ...),
                      "the rows are of several structs: declare the members in one, and those of "
                      "list_page and list_window by page_params and window_params");
        (add(rows), ...);
        check();
        names_.build(rows_);
        index_roles();
    }
    template <parameter_rows... Row>
    explicit consteval param_table(const Row&... rows) {
        static_assert((std::same_as<typename detail::query_type_of<Row>::type, Query> && ...),
                      "the rows are of several structs: declare the members in one, and those of "
                      "list_page and list_window by page_params and window_params");
        (add(rows), ...);
        check();
        names_.build(rows_);
        index_roles();
    }

    static constexpr std::size_t most_rows = Rows;  ///< number of rows a binding has room for

    [[nodiscard]] static constexpr std::size_t size() noexcept { return Rows; }
    [[nodiscard]] constexpr const value_type* begin() const noexcept { return rows_.data(); }
    [[nodiscard]] constexpr const value_type* end() const noexcept { return begin() + Rows; }
    [[nodiscard]] constexpr const value_type& operator[](std::size_t row) const noexcept {
        return rows_[row];
    }

    /// Returns true if any parameter is required.
    [[nodiscard]] constexpr bool has_required() const noexcept { return has_required_; }

    /// Returns the columns of the resource.
    [[nodiscard]] constexpr columns_view columns() const noexcept { return columns_; }
    /// Returns the column that a row names; null if it names none.
    [[nodiscard]] constexpr const column* column_of(std::size_t row) const noexcept {
        return subjects_[row];
    }
    /// Returns the unique column, the last sort key of every list; null if there is none.
    [[nodiscard]] constexpr const column* unique_column() const noexcept {
        return find_column(columns_, "id");
    }
    /// Returns the index of the first row of a role, or `size()`.
    [[nodiscard]] constexpr std::size_t find(param_role role) const noexcept {
        return roles_[static_cast<std::size_t>(role)];
    }
    /// Returns the indexes of the rows with a `finish`.
    [[nodiscard]] constexpr std::span<const std::size_t> finishers() const noexcept {
        return std::span(finishers_).first(finisher_count_);
    }

    /// Returns the index of the row that a name in a query string refers to, or `size()`. A list's
    /// name may be followed by `[]`.
    [[nodiscard]] constexpr std::size_t find(std::string_view name) const noexcept {
        return std::min<std::size_t>(names_.find_parameter(rows_, name), Rows);
    }

private:
    using names = detail::name_index<std::array<std::uint16_t, detail::name_slots(Rows)>>;
    static_assert(Rows < names::none);

    constexpr void add(const value_type& row) noexcept { rows_[added_++] = row; }
    template <std::size_t Count>
    constexpr void add(const param_group<Query, Count>& rows) noexcept {
        for (const value_type& row : rows) add(row);
    }

    // --- Checks of the declaration ---------------------------------------------------------

    /// Checks all rows, and sets what they have from their columns. Mistakes stop the compilation.
    constexpr void check() noexcept {
        for (std::size_t row = 0; row < Rows; ++row) {
            check_name(rows_[row].info);
            check_column(row);
            check_searched(rows_[row].info);
            check_grouped(rows_[row].info);
            if (rows_[row].info.grammar != nullptr) check_named(rows_[row].info);
            if (rows_[row].info.role == param_role::sort_column) check_sort(rows_[row].info);
        }
    }
    constexpr void check_name(const param_info& info) const noexcept {
        if (info.name.empty()) {
            detail::mistake(info.column, "a parameter has no name: give it a .name");
        }
        const auto same = [&](const value_type& row) { return row.info.name == info.name; };
        if (std::ranges::count_if(rows_, same) != 1) {
            detail::mistake(info.name,
                            "two parameters have the same name: give each a .name of its own");
        }
        const bool needs_choices =
            info.type == param_type::choice || info.sorts == sort_form::bare ||
            (info.role == param_role::sort_column && info.grammar == nullptr);
        if (needs_choices && info.choices.empty()) {
            detail::mistake(info.name, "it has no choices: name an array of them after the member");
        }
    }
    /// Checks the column that a row names, and sets the row's column and collation.
    constexpr void check_column(std::size_t row) noexcept {
        param_info& info = rows_[row].info;
        const column_types with = rows_[row].comparable;
        if (info.column.empty()) return check_without_column(rows_[row]);
        if (with == 0) {
            detail::mistake(info.name,
                            "this kind of parameter yields no condition: leave .column out");
        }
        if (columns_.empty()) {
            detail::mistake(info.name,
                            "it names a column: give the table a schema, before its rows");
        }
        subjects_[row] = find_column(columns_, info.column);
        if (subjects_[row] == nullptr) {
            detail::mistake(info.name, "its .column names no column of the schema: correct either");
        }
        const column_type type = subjects_[row]->type;
        if ((set_of(type) & with) == 0) {
            if (rows_[row].finish != nullptr) refuse_window(info);
            detail::refuse_column_type(type, info.name);
        }
        if (info.op != comparison::equal && info.type != param_type::value &&
            info.test != test_kind::bounds) {
            detail::mistake(info.name, "its column is compared by equality alone: leave .op out");
        }
        if (info.type != param_type::value && !allows_test(*subjects_[row], info.test)) {
            refuse_test(info);
        }
        info.how = collation_of(*subjects_[row]);
        detail::fit_filter(info, *subjects_[row]);
    }
    static constexpr void refuse_test(const param_info& info) noexcept {
        if (info.test == test_kind::is_null) {
            return detail::mistake(info.name,
                                   "its column is never missing: give it .is_nullable = true");
        }
        detail::mistake(info.name,
                        "its column has no such test: test_records says which columns have it");
    }
    constexpr void check_searched(const param_info& info) const noexcept {
        for (const std::string_view name : info.searched) {
            const column* const searched = find_column(columns_, name);
            if (searched == nullptr || !allows_test(*searched, test_kind::contains)) {
                detail::mistake(name,
                                "a search is of text columns of the schema, whose collation is "
                                "exact or ignore_case");
            }
        }
    }
    constexpr void check_grouped(const param_info& info) const noexcept {
        for (const std::string_view name : info.grouped) {
            if (!name.empty() && find_column(columns_, name) == nullptr) {
                detail::mistake(name, "groups and measures are of columns of the schema: add it");
            }
        }
    }
    /// Checks the columns of a condition, and sets those of the table.
    constexpr void check_named(param_info& info) const noexcept {
        if (columns_.empty()) {
            detail::mistake(info.name,
                            "it reads conditions on columns: give the table a schema, before its "
                            "rows");
        }
        info.columns = columns_;
        for (const expression_column& named : info.named) {
            const column* const subject = find_column(columns_, named.subject.name);
            if (subject == nullptr || *subject != named.subject) {
                detail::mistake(named.name, "its .subject is no column of the schema");
            }
        }
    }
    static constexpr void check_without_column(const value_type& row) noexcept {
        const param_info& info = row.info;
        if (info.type == param_type::filter && info.replaced_by.empty()) {
            detail::mistake(info.name,
                            "a filter yields a condition on a column: give it a .column");
        }
        if (row.finish != nullptr) refuse_window(info);
    }
    /// Stops the compilation: a window has no column of times.
    static constexpr void refuse_window(const param_info& info) noexcept {
        detail::mistake(info.name, "a window is of a column of times: give it such a .column");
    }
    /// Checks that the choices of a sort are columns, and that the order can end with a unique one.
    constexpr void check_sort(const param_info& info) const noexcept {
        for (const std::string_view name : info.choices) {
            const column* const by = find_column(columns_, name);
            if (by == nullptr) {
                detail::mistake(name, "a list is sorted by columns: the schema lacks this choice");
            } else if (!has_order(*by)) {
                detail::mistake(name,
                                "lists, JSON and records have no order: leave this choice out");
            }
        }
        if (unique_column() == nullptr) {
            detail::mistake(info.name,
                            "the last sort key is unique: give the schema a column called id");
        }
    }

    /// Fills roles_, finishers_ and has_required_.
    constexpr void index_roles() noexcept {
        roles_.fill(Rows);
        for (std::size_t row = Rows; row-- > 0;) {
            has_required_ = has_required_ || rows_[row].info.required;
            roles_[static_cast<std::size_t>(rows_[row].info.role)] = row;
        }
        for (std::size_t row = 0; row < Rows; ++row) {
            if (rows_[row].finish != nullptr) finishers_[finisher_count_++] = row;
        }
    }

    std::array<value_type, Rows> rows_{};
    std::size_t added_ = 0;  // rows so far
    columns_view columns_{};
    std::array<const column*, Rows> subjects_{};  // by row: the column that it names, or null
    bool has_required_ = false;
    std::array<std::size_t, param_role_count> roles_{};  // by role: its first row, or Rows
    std::array<std::size_t, Rows> finishers_{};          // rows with a `finish`
    std::size_t finisher_count_ = 0;
    names names_{};
};

template <std::size_t Columns, parameter_rows Row, parameter_rows... Rest>
param_table(schema<Columns>, Row, Rest...)
    -> param_table<typename detail::query_type_of<Row>::type,
                   detail::rows_in<Row> + (detail::rows_in<Rest> + ... + 0),
                   (detail::needs_zones<Row> || ... || detail::needs_zones<Rest>),
                   (detail::needs_now<Row> || ... || detail::needs_now<Rest>)>;
template <parameter_rows Row, parameter_rows... Rest>
param_table(Row, Rest...)
    -> param_table<typename detail::query_type_of<Row>::type,
                   detail::rows_in<Row> + (detail::rows_in<Rest> + ... + 0),
                   (detail::needs_zones<Row> || ... || detail::needs_zones<Rest>),
                   (detail::needs_now<Row> || ... || detail::needs_now<Rest>)>;

namespace detail {

template <class T>
inline constexpr bool is_param_table = false;
template <class Query, std::size_t Rows, bool NeedsZones, bool NeedsNow>
inline constexpr bool is_param_table<param_table<Query, Rows, NeedsZones, NeedsNow>> = true;

}  // namespace detail

/// A param_table, whatever it binds.
template <class T>
concept parameter_table = detail::is_param_table<T>;

/// The options of bind() for a table: bind_options, with members that the table needs.
template <class Table>
    requires parameter_table<std::remove_cvref_t<Table>>
using bind_options_for = typename std::remove_cvref_t<Table>::options_type;

}  // namespace sluice

#endif
