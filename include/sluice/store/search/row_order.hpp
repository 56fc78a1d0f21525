// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_SEARCH_ROW_ORDER_HPP
#define SLUICE_STORE_SEARCH_ROW_ORDER_HPP

#include <algorithm>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/query/cursor.hpp>
#include <sluice/query/list_query.hpp>
#include <sluice/query/page.hpp>
#include <sluice/store/columns/searched_columns.hpp>
#include <sluice/store/numbers/number_ranges.hpp>
#include <sluice/store/plan/scan.hpp>

/// The order of rows in a list, and the place of a cursor in it.
namespace sluice::store {

/// The sort keys of a row in table order, as in a cursor. The time is in milliseconds since 1970.
struct row_key {
    std::int64_t time;
    std::string_view id;
};

/// The place of a cursor's row in a snapshot, in ascending order:
///
/// ```
/// rows   | o  o  o | X | o  o  o |    X the row; late ones may take a place on either side
///             ends ^   ^ begins
/// ```
struct row_place {
    bool is_before;      ///< the page ends there, in the order of the list
    std::size_t ends;    ///< one past the last row before it
    std::size_t begins;  ///< the first row after it
};

/// Finds the row that a cursor refers to by `key`.
[[nodiscard]] inline row_place find_place(const snapshot& rows, const cursor& from,
                                          const row_key& key) {
    const std::size_t first = rows.lower_bound(key.time, key.id);
    const std::size_t end = rows.upper_bound(key.time, key.id);
    const std::size_t place = std::min(first + from.repeat, end);
    return {from.is_before, place, std::min(place + 1, end)};
}

/// Counts the rows with the same key before a row.
[[nodiscard]] inline std::uint32_t repeats_before(const snapshot& rows, std::size_t row,
                                                  const row_key& key) {
    return static_cast<std::uint32_t>(row - rows.lower_bound(key.time, key.id));
}

/// Finds the page at a place, in table order or its reverse. `find(selection, order)` returns the
/// first rows of a selection in an order, up to the page size. A page before a place is found
/// backwards from there.
template <std::invocable<const selection&, sort_order> Find>
[[nodiscard]] result<row_page> page_at(const row_place& place, selection wanted, sort_order order,
                                       const Find& find) {
    const bool is_forward = (order == sort_order::ascending) != place.is_before;
    (is_forward ? wanted.first_row : wanted.end_row) = is_forward ? place.begins : place.ends;
    result<row_page> page =
        find(wanted, is_forward ? sort_order::ascending : sort_order::descending);
    if (!page) return page;
    page->has_previous = true;
    if (place.is_before) {
        std::ranges::reverse(page->rows);
        page->has_previous = std::exchange(page->has_next, true);
    }
    return page;
}

/// The row order of a list query: by its sort keys, or by the rows' time and the id if it has none.
/// The row time is the time that a table is sorted by, if it is; see searched_columns. Absent
/// values come first in ascending order. A column that the table lacks is absent in all rows. Views
/// the rows and their columns.
class row_order {
public:
    row_order(const snapshot& rows, const searched_columns& columns, const list_query& query)
        : rows_(rows), has_row_time_(columns.has_row_time()) {
        const std::vector<sort_key> order = whole_order(query);
        keys_.reserve(order.size() + 1);
        if (query.order.empty() && has_row_time_)
            keys_.push_back(key_of_time(sort_order::ascending));
        for (const sort_key& sort : order) {
            keys_.push_back(key_at(columns.find(sort.by), sort));
        }
    }

    /// Returns ascending if this is the order of the table's rows (by time and id, or by id alone),
    /// descending if it is the reverse, nullopt if it is neither.
    [[nodiscard]] std::optional<sort_order> table_order() const noexcept {
        const bool is_by_rows = keys_.size() == (has_row_time_ ? 2 : 1) &&
                                (!has_row_time_ || keys_[0].is_row_time) && keys_.back().is_id &&
                                keys_[0].direction == keys_.back().direction;
        return is_by_rows ? std::optional(keys_[0].direction) : std::nullopt;
    }

    /// Compares two rows.
    [[nodiscard]] std::weak_ordering compare(std::size_t a, std::size_t b) const {
        for (const key& sort : keys_) {
            const std::weak_ordering order = compare(sort, a, b);
            if (order != 0) return directed(sort, order);
        }
        return std::weak_ordering::equivalent;
    }
    /// Returns true if a cursor has valid keys for the columns of this order.
    [[nodiscard]] bool has_place(const cursor& place) const {
        const auto is_key = [](const key& by, const auto& known) {
            return by.is_stored() ? is_key_of(by.of(), known) : !known;
        };
        return std::ranges::equal(keys_, place.keys, is_key) &&
               std::ranges::all_of(place.cuts, [&](const cut_key& cut) {
                   return can_be_cut(cut.at) && place.keys[cut.at];
               });
    }
    /// Restores the cut keys of a cursor from those of `row`, the one with its last key; nullopt if
    /// there is none. See with_whole_keys(). Expects has_place().
    [[nodiscard]] cursor whole_place(const cursor& place, std::optional<std::size_t> row) const {
        const auto ascends = [this](std::size_t at) {
            return keys_[at].direction == sort_order::ascending;
        };
        return with_whole_keys(place, ascends, [&](const std::optional<std::string>&) {
            return row ? keys_of(*row) : std::vector<std::optional<std::string>>();
        });
    }
    /// Returns true if a row has the last key of a cursor, the unique one. Expects has_place().
    [[nodiscard]] bool has_last_key(std::size_t row, const cursor& place) const {
        return compare(keys_.back(), row, place.keys.back()) == 0;
    }
    /// Compares a row with a cursor. Expects has_place().
    [[nodiscard]] std::weak_ordering compare(std::size_t row, const cursor& place) const {
        for (std::size_t at = 0; at < keys_.size(); ++at) {
            const std::weak_ordering order = compare(keys_[at], row, place.keys[at]);
            if (order != 0) return directed(keys_[at], order);
        }
        return std::weak_ordering::equivalent;
    }
    /// Returns the sort prefix of a row's first key, reversed if the key is descending: a number by
    /// which most rows are ordered without comparing their values. It is a constant if the table
    /// lacks the key's column. See numbers/number_ranges.hpp.
    [[nodiscard]] std::uint64_t prefix_of(std::size_t row) const {
        const key& first = keys_.front();
        if (first.is_row_time) return directed(first, detail::prefix_of_number(rows_.time(row)));
        return first.values ? directed(first, first.values->prefix_of(code_of(first, row))) : 0;
    }
    /// Returns the sort prefix of a cursor's first key, to be compared with those of rows. Expects
    /// has_place().
    [[nodiscard]] std::uint64_t prefix_of(const cursor& place) const {
        const key& first = keys_.front();
        if (!first.is_stored()) return 0;
        return directed(first, detail::prefix_of_key(first.of(), place.keys.front()));
    }
    /// Returns the largest difference of two results of prefix_of() that doesn't determine the
    /// order of their rows, which then must be compared.
    [[nodiscard]] std::uint64_t prefix_margin() const {
        const key& first = keys_.front();
        return first.is_stored() ? detail::prefix_margin(first.of()) : 0;
    }
    /// Returns the code column that holds the values of the first key; nullopt for the row time,
    /// for columns of referenced rows and those that the table lacks.
    [[nodiscard]] std::optional<std::size_t> first_column() const {
        const key& first = keys_.front();
        return first.values && !first.rows ? std::optional(first.at) : std::nullopt;
    }
    /// Returns true if beside() is known. Expects a first_column().
    [[nodiscard]] bool has_beside() const { return keys_.front().values->has_beside(); }
    /// Returns the sort prefix of a code of first_column(), like prefix_of() of its rows.
    [[nodiscard]] std::uint64_t prefix_of_code(code of) const {
        const key& first = keys_.front();
        return directed(first, first.values->prefix_of(of));
    }
    /// Returns true if the first key is the row time.
    [[nodiscard]] bool is_first_row_time() const { return keys_.front().is_row_time; }
    [[nodiscard]] sort_order first_direction() const { return keys_.front().direction; }
    /// Returns the first key of a row, as in a cursor.
    [[nodiscard]] std::optional<std::string> first_key_of(std::size_t row) const {
        return key_of(keys_.front(), row);
    }
    /// Returns the codes of first_column() that come before or with a key, or, with `is_after`,
    /// with it or after it; nullopt if there are too many.
    [[nodiscard]] std::optional<code_set> beside(const std::optional<std::string>& first_key,
                                                 bool is_after) const {
        const key& first = keys_.front();
        return first.values->beside(first_key,
                                    is_after == (first.direction == sort_order::ascending));
    }
    /// Returns a cursor before or after a row, with `mark` as its query_mark. Cuts texts that are
    /// too long for it.
    [[nodiscard]] cursor place_of(std::size_t row, bool is_before, std::uint32_t mark) const {
        cursor place{is_before, mark, repeats_before(row), keys_of(row)};
        cut_long_keys(place, [this](std::size_t at) { return can_be_cut(at); });
        return place;
    }
    /// Returns the keys of a row, as in a cursor.
    [[nodiscard]] std::vector<std::optional<std::string>> keys_of(std::size_t row) const {
        std::vector<std::optional<std::string>> keys;
        for (const key& sort : keys_) keys.push_back(key_of(sort, row));
        return keys;
    }

private:
    /// A sort key and where its values are stored.
    struct key {
        sort_order direction;
        bool is_id = false;
        bool is_row_time = false;
        std::size_t at = 0;                       // code column of the rows, if `values`
        std::optional<value_reader> values{};     // empty for the row time and for absent values
        const referenced_values* rows = nullptr;  // if those codes refer to rows with the values

        /// Returns false if the table lacks the column, so that all rows are equal by it.
        [[nodiscard]] bool is_stored() const noexcept { return is_row_time || values; }
        /// Returns the column. Expects is_stored().
        [[nodiscard]] const column& of() const noexcept {
            static constexpr column time{.name = "time", .type = column_type::time};
            return is_row_time ? time : values->of();
        }
    };

    [[nodiscard]] static key key_of_time(sort_order direction) noexcept {
        return {.direction = direction, .is_row_time = true};
    }
    /// Returns the key of a sort by a stored column.
    [[nodiscard]] static key key_at(const searched_column& stored, const sort_key& sort) {
        if (std::holds_alternative<time_column>(stored)) return key_of_time(sort.direction);
        key by{.direction = sort.direction, .is_id = sort.by.name == "id"};
        if (const auto* const values = std::get_if<value_column>(&stored)) {
            set_values(by, *values);
        } else if (const auto* const documents = std::get_if<json_column>(&stored)) {
            set_values(by, documents->texts);
        } else if (const auto* const referenced = std::get_if<referenced_column>(&stored)) {
            if (referenced->values) set_values(by, {referenced->at, *referenced->values});
            by.rows = referenced->rows;
        }
        return by;
    }
    static void set_values(key& by, const value_column& stored) {
        by.at = stored.at;
        by.values = stored.values;
    }
    /// Returns the number of rows with the same keys before a row, in the table's order; 0 in any
    /// other.
    [[nodiscard]] std::uint32_t repeats_before(std::size_t row) const {
        if (!table_order() || row == 0 || compare(row - 1, row) != 0) return 0;
        const std::optional<std::string> id = key_of(keys_.back(), row);
        return store::repeats_before(rows_, row, {rows_.time(row), *id});
    }
    /// Reverses an ascending order or prefix if the key is descending.
    [[nodiscard]] static std::weak_ordering directed(const key& by, std::weak_ordering order) {
        return by.direction == sort_order::ascending ? order : 0 <=> order;
    }
    [[nodiscard]] static std::uint64_t directed(const key& by, std::uint64_t prefix) {
        return by.direction == sort_order::ascending ? prefix : ~prefix;
    }
    /// Returns true if cursors may cut a key: if it is a text, and not the last, unique one.
    [[nodiscard]] bool can_be_cut(std::size_t at) const {
        return at + 1 < keys_.size() && keys_[at].values &&
               keys_[at].of().type == column_type::text;
    }
    /// Returns the code of a row's value. Expects `of.values`.
    [[nodiscard]] code code_of(const key& of, std::size_t row) const {
        const code stored = rows_.code_at(row, of.at);
        return of.rows == nullptr ? stored : (*of.rows)[stored];
    }
    /// Compares two rows by one key, ascending; below, a row with the key of a cursor.
    [[nodiscard]] std::weak_ordering compare(const key& by, std::size_t a, std::size_t b) const {
        if (by.is_row_time) return rows_.time(a) <=> rows_.time(b);
        if (!by.values) return std::weak_ordering::equivalent;
        return by.values->compare(code_of(by, a), code_of(by, b));
    }
    [[nodiscard]] std::weak_ordering compare(const key& by, std::size_t row,
                                             const std::optional<std::string>& known) const {
        if (by.is_row_time) return rows_.time(row) <=> *parse_time_key(*known);
        if (!by.values) return std::weak_ordering::equivalent;
        return by.values->compare(code_of(by, row), known);
    }
    /// Returns a row's value as a cursor's key; nullopt for an absent one.
    [[nodiscard]] std::optional<std::string> key_of(const key& of, std::size_t row) const {
        if (of.is_row_time) return to_time_key(rows_.time(row));
        if (!of.values) return std::nullopt;
        return of.values->key_of(code_of(of, row));
    }

    const snapshot& rows_;
    bool has_row_time_;
    std::vector<key> keys_;
};

}  // namespace sluice::store

#endif
