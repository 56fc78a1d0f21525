// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARAM_TABLE_HPP
#define SLUICE_PARAM_TABLE_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <sluice/detail/mistake.hpp>
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
        index_names();
        index_roles();
    }
    template <parameter_rows... Row>
    explicit consteval param_table(const Row&... rows) {
        (add(rows), ...);
        check();
        index_names();
        index_roles();
    }

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
        const std::size_t row = slots_[slot_of(name)];
        if (row != none) return row;
        if (!name.ends_with("[]")) return Rows;
        const std::size_t list = slots_[slot_of(name.substr(0, name.size() - 2))];
        return list != none && rows_[list].repeatable() ? list : Rows;
    }

private:
    static constexpr std::uint16_t none = 0xFFFF;
    static constexpr std::size_t slot_count = std::bit_ceil(4 * Rows + 1);
    static_assert(Rows < none);

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
        if (find_column(columns_, "id") == nullptr) {
            detail::mistake("the last sort key is unique: give the schema a column called id");
        }
    }

    // --- The index of names ----------------------------------------------------------------

    constexpr void index_names() noexcept {
        for (int tries = 200; has_collision() && tries > 0; --tries) factor_ += 2 * 0x3C6E'F35FU;
        slots_.fill(none);
        for (std::size_t row = 0; row < Rows; ++row) {
            std::uint16_t& slot = slots_[slot_of(rows_[row].info.name)];
            if (slot == none) slot = static_cast<std::uint16_t>(row);
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
    /// Whether names meet in a slot that another factor could keep apart: those of one mark always
    /// do.
    [[nodiscard]] constexpr bool has_collision() const noexcept {
        std::array<std::uint32_t, slot_count> marks{};  // by slot; 0: no name's
        for (const value_type& row : rows_) {
            const std::uint32_t mark = mark_of(row.info.name);
            std::uint32_t& own = marks[slot_of_mark(mark)];
            if (own != 0 && own != mark) return true;
            own = mark;
        }
        return false;
    }

    /// The slot of a name, or the free one where it would go: the first from its hash on.
    [[nodiscard]] constexpr std::size_t slot_of(std::string_view name) const noexcept {
        std::size_t slot = first_slot(name);
        while (slots_[slot] != none && !detail::equal_bytes(rows_[slots_[slot]].info.name, name)) {
            slot = (slot + 1) % slot_count;
        }
        return slot;
    }

    [[nodiscard]] constexpr std::size_t first_slot(std::string_view name) const noexcept {
        return name.empty() ? 0 : slot_of_mark(mark_of(name));
    }
    [[nodiscard]] constexpr std::size_t slot_of_mark(std::uint32_t mark) const noexcept {
        return ((mark * factor_) >> 16U) % slot_count;
    }
    /// The length of a name and three of its bytes, which are enough to tell most names apart.
    [[nodiscard]] static constexpr std::uint32_t mark_of(std::string_view name) noexcept {
        const auto byte = [&](std::size_t at) -> std::uint32_t {
            return static_cast<unsigned char>(name[at]);
        };
        return static_cast<std::uint32_t>(name.size()) ^ byte(0) << 8U ^
               byte(name.size() / 2) << 16U ^ byte(name.size() - 1) << 24U;
    }

    std::array<value_type, Rows> rows_{};
    std::size_t added_ = 0;
    columns_view columns_{};
    std::array<const column*, Rows> subjects_{};  // by row
    bool has_required_ = false;
    std::array<std::size_t, param_role_count> roles_{};  // the first row of each
    std::array<std::size_t, Rows> finishers_{};
    std::size_t finisher_count_ = 0;
    std::array<std::uint16_t, slot_count> slots_{};
    std::uint32_t factor_ = 0x9E37'79B1;  // of the hash; chosen so that names don't meet in a slot
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
