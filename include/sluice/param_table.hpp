// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARAM_TABLE_HPP
#define SLUICE_PARAM_TABLE_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <sluice/detail/mistake.hpp>
#include <sluice/detail/name_index.hpp>
#include <sluice/list_params.hpp>
#include <sluice/schema.hpp>

namespace sluice {

namespace detail {

/// How many rows something that makes up a table has: a row, or a group of rows.
template <class T>
inline constexpr std::size_t rows_in = 0;
template <class Query>
inline constexpr std::size_t rows_in<param<Query>> = 1;
template <class Query, std::size_t Rows>
inline constexpr std::size_t rows_in<param_group<Query, Rows>> = Rows;

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

}  // namespace detail

/// A row of a parameter table, or a group of rows, whatever they are bound to.
template <class T>
concept parameter_rows = detail::rows_in<T> > 0;

/// The parameters of an endpoint in their order, with an index of their names, made while
/// compiling.
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
/// The columns that rows name are looked up in the schema, which has to be static. A table whose
/// rows name none needs no schema. What can't be meant doesn't compile; the error quotes a sentence
/// of what to do: a name that is missing or given twice, a column that the schema lacks, that holds
/// another type than the parameter is compared with or whose parameter yields no condition, a
/// filter without a column.
template <class Query, std::size_t Rows>
class param_table {
public:
    using value_type = param<Query>;

    template <std::size_t Columns, parameter_rows... Row>
    explicit consteval param_table(const schema<Columns>& columns, const Row&... rows)
        : columns_(columns.begin(), columns.end()) {
        (add(rows), ...);
        check();
        names_.build(rows_);
        index_roles();
    }
    template <parameter_rows... Row>
    explicit consteval param_table(const Row&... rows) {
        (add(rows), ...);
        check();
        names_.build(rows_);
        index_roles();
    }

    static constexpr std::size_t most_rows = Rows;  ///< what a binding has room for

    [[nodiscard]] static constexpr std::size_t size() noexcept { return Rows; }
    [[nodiscard]] constexpr const value_type* begin() const noexcept { return rows_.data(); }
    [[nodiscard]] constexpr const value_type* end() const noexcept { return begin() + Rows; }
    [[nodiscard]] constexpr const value_type& operator[](std::size_t row) const noexcept {
        return rows_[row];
    }

    /// Whether any row is of a required parameter.
    [[nodiscard]] constexpr bool has_required() const noexcept { return has_required_; }

    /// The columns of the resource.
    [[nodiscard]] constexpr columns_view columns() const noexcept { return columns_; }
    /// The column that a row names; null where it names none.
    [[nodiscard]] constexpr const column* column_of(std::size_t row) const noexcept {
        return subjects_[row];
    }
    /// The column that no two rows share, by which every list is ordered last; null where there is
    /// none.
    [[nodiscard]] constexpr const column* unique_column() const noexcept {
        return find_column(columns_, "id");
    }
    /// The first row of a role, or `size()`.
    [[nodiscard]] constexpr std::size_t find(param_role role) const noexcept {
        return roles_[static_cast<std::size_t>(role)];
    }
    /// The rows that have something to finish, by their numbers.
    [[nodiscard]] constexpr std::span<const std::size_t> finishers() const noexcept {
        return std::span(finishers_).first(finisher_count_);
    }

    /// The row that a name in a query string stands for, or `size()`. Lists are also named with
    /// `[]` after their name.
    [[nodiscard]] constexpr std::size_t find(std::string_view name) const noexcept {
        return std::min<std::size_t>(names_.find_given(rows_, name), Rows);
    }

private:
    using names = detail::name_index<std::array<std::uint16_t, detail::name_slots(Rows)>>;
    static_assert(Rows < names::none);

    constexpr void add(const value_type& row) noexcept { rows_[added_++] = row; }
    template <std::size_t Count>
    constexpr void add(const param_group<Query, Count>& rows) noexcept {
        for (const value_type& row : rows) add(row);
    }

    // --- What can't be meant ---------------------------------------------------------------

    constexpr void check() noexcept {
        for (std::size_t row = 0; row < Rows; ++row) {
            check_name(rows_[row].info);
            check_column(row);
            if (rows_[row].info.role == param_role::sort_column) check_sort(rows_[row].info);
        }
    }
    constexpr void check_name(const param_info& info) const noexcept {
        if (info.name.empty()) detail::mistake("a parameter has no name: give it a .name");
        const auto same = [&](const value_type& row) { return row.info.name == info.name; };
        if (std::ranges::count_if(rows_, same) != 1) {
            detail::mistake("two parameters have the same name: give each a .name of its own");
        }
    }
    constexpr void check_column(std::size_t row) noexcept {
        param_info& info = rows_[row].info;
        const column_types with = rows_[row].comparable;
        if (info.column.empty()) {
            const bool needs = info.type == param_type::filter && info.replaced_by.empty();
            if (needs)
                detail::mistake("a filter yields a condition on a column: give it a .column");
            return;
        }
        if (with == 0) {
            detail::mistake("this kind of parameter yields no condition: leave .column out");
        }
        subjects_[row] = find_column(columns_, info.column);
        if (subjects_[row] == nullptr) {
            detail::mistake("the schema has no column of this name: see .column and the schema");
        }
        if ((set_of(subjects_[row]->type) & with) == 0) {
            detail::mistake(
                "the parameter can't be compared with a column of this type: see .column");
        }
        info.how = subjects_[row]->how;
    }
    constexpr void check_sort(const param_info& info) const noexcept {
        for (const std::string_view name : info.choices) {
            if (find_column(columns_, name) == nullptr) {
                detail::mistake("a list is sorted by columns: the schema lacks one of the choices");
            }
        }
        if (unique_column() == nullptr) {
            detail::mistake("the last sort key is unique: give the schema a column called id");
        }
    }

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
    std::size_t added_ = 0;
    columns_view columns_{};
    std::array<const column*, Rows> subjects_{};  // by row
    bool has_required_ = false;
    std::array<std::size_t, param_role_count> roles_{};  // the first row of each
    std::array<std::size_t, Rows> finishers_{};
    std::size_t finisher_count_ = 0;
    names names_{};
};

template <std::size_t Columns, parameter_rows Row, parameter_rows... Rest>
param_table(schema<Columns>, Row, Rest...)
    -> param_table<typename detail::query_type_of<Row>::type,
                   detail::rows_in<Row> + (detail::rows_in<Rest> + ... + 0)>;
template <parameter_rows Row, parameter_rows... Rest>
param_table(Row, Rest...) -> param_table<typename detail::query_type_of<Row>::type,
                                         detail::rows_in<Row> + (detail::rows_in<Rest> + ... + 0)>;

namespace detail {

template <class T>
inline constexpr bool is_param_table = false;
template <class Query, std::size_t Rows>
inline constexpr bool is_param_table<param_table<Query, Rows>> = true;

}  // namespace detail

/// A param_table, whatever it binds.
template <class T>
concept parameter_table = detail::is_param_table<T>;

}  // namespace sluice

#endif
