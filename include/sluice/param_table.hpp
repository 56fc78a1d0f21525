// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARAM_TABLE_HPP
#define SLUICE_PARAM_TABLE_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <sluice/params.hpp>

namespace sluice {

/// The parameters of an endpoint in their order, with an index of their names, made while
/// compiling. It is used as a `std::array` of the rows is, which binds the same but walks the rows
/// to find a name.
///
/// ```
/// struct orders { sluice::filter status; std::int64_t page = 1; };
/// inline constexpr sluice::param_table orders_params{
///     sluice::filter_param<&orders::status>({.name = "status", .column = "status"}),
///     sluice::integer_param<&orders::page, 1>({.name = "page", .default_text = "1"})};
/// ```
template <class Query, std::size_t Rows>
class param_table {
public:
    using value_type = param<Query>;

    template <std::same_as<value_type>... Row>
        requires(sizeof...(Row) == Rows)
    explicit constexpr param_table(const Row&... rows) noexcept : rows_{rows...} {
        for (int tries = 200; !fill_slots() && tries > 0; --tries) factor_ += 2 * 0x3C6E'F35FU;
        for (const value_type& row : rows_) has_required_ = has_required_ || row.info.required;
    }

    [[nodiscard]] constexpr std::size_t size() const noexcept { return Rows; }
    [[nodiscard]] constexpr const value_type* begin() const noexcept { return rows_.data(); }
    [[nodiscard]] constexpr const value_type* end() const noexcept { return begin() + Rows; }
    [[nodiscard]] constexpr const value_type& operator[](std::size_t row) const noexcept {
        return rows_[row];
    }

    /// Whether any row is of a required parameter.
    [[nodiscard]] constexpr bool has_required() const noexcept { return has_required_; }

    /// The row that a name in a query string stands for, or `size()`; see param::is_named.
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

    /// Puts each row in the slot of its name. Whether each got the first that it asked for.
    constexpr bool fill_slots() noexcept {
        slots_.fill(none);
        bool at_once = true;
        for (std::size_t row = 0; row < Rows; ++row) {
            const std::string_view name = rows_[row].info.name;
            const std::size_t slot = slot_of(name);
            if (slots_[slot] == none) slots_[slot] = static_cast<std::uint16_t>(row);
            at_once = at_once && slot == first_slot(name);
        }
        return at_once;
    }

    /// The slot of a name, or the free one where it would stand: the first from its hash on.
    [[nodiscard]] constexpr std::size_t slot_of(std::string_view name) const noexcept {
        std::size_t slot = first_slot(name);
        while (slots_[slot] != none && !detail::equal_bytes(rows_[slots_[slot]].info.name, name)) {
            slot = (slot + 1) % slot_count;
        }
        return slot;
    }

    /// By its length and three of its bytes, which are enough to tell most names apart.
    [[nodiscard]] constexpr std::size_t first_slot(std::string_view name) const noexcept {
        if (name.empty()) return 0;
        const auto byte = [&](std::size_t at) -> std::uint32_t {
            return static_cast<unsigned char>(name[at]);
        };
        const std::uint32_t mark = static_cast<std::uint32_t>(name.size()) ^ byte(0) << 8U ^
                                   byte(name.size() / 2) << 16U ^ byte(name.size() - 1) << 24U;
        return ((mark * factor_) >> 16U) % slot_count;
    }

    std::array<value_type, Rows> rows_;
    bool has_required_ = false;
    std::array<std::uint16_t, slot_count> slots_{};
    std::uint32_t factor_ = 0x9E37'79B1;  // of the hash; chosen so that names don't meet in a slot
};

template <class Row, class... Rest>
param_table(Row, Rest...) -> param_table<typename Row::query_type, 1 + sizeof...(Rest)>;

namespace detail {

/// The row that a name stands for, or the table's size.
template <class Table>
[[nodiscard]] constexpr std::size_t find_row(const Table& table, std::string_view name) noexcept {
    if constexpr (requires { table.find(name); }) {
        return table.find(name);
    } else {
        const auto named = [&](const auto& row) { return row.is_named(name); };
        return static_cast<std::size_t>(std::ranges::find_if(table, named) - table.begin());
    }
}

/// Whether a table may have required parameters.
template <class Table>
[[nodiscard]] constexpr bool may_require(const Table& table) noexcept {
    if constexpr (requires { table.has_required(); }) return table.has_required();
    return true;
}

}  // namespace detail

}  // namespace sluice

/// How many rows a table has, as of a `std::array`.
template <class Query, std::size_t Rows>
struct std::tuple_size<sluice::param_table<Query, Rows>>
    : std::integral_constant<std::size_t, Rows> {};

#endif
