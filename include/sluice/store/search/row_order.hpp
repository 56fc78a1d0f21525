// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_SEARCH_ROW_ORDER_HPP
#define SLUICE_STORE_SEARCH_ROW_ORDER_HPP

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/query/list_query.hpp>
#include <sluice/store/column_store.hpp>
#include <sluice/store/columns/stored_columns.hpp>
#include <sluice/store/conditions/selection.hpp>
#include <sluice/store/numbers/sort_prefix.hpp>

namespace sluice::store {

/// The row order of a list query: by its sort keys, or by the store's time and the id if it has
/// none. Absent values come first in ascending order. A column that the store lacks is absent in
/// all rows.
class row_order {
public:
    row_order(const stored_rows& rows, const list_query& query) : rows_(&rows) {
        const stored_columns& store = rows.columns();
        if (query.order.empty() && store.has_row_time()) {
            keys_.push_back(key_at(store.time_place(), sort_order::ascending));
        }
        for (const sort_key& sort : whole_order(query)) {
            keys_.push_back(key_at(store.place_of(sort.by.name), sort.direction));
        }
    }

    /// Returns the direction in which this is the order of the store's rows; nullopt if it is
    /// another.
    [[nodiscard]] std::optional<sort_order> table_order() const noexcept {
        const stored_columns& store = rows_->columns();
        const bool has_time = store.has_row_time();
        const bool is_own =
            keys_.size() == (has_time ? 2 : 1) && (!has_time || is_time(keys_[0])) &&
            keys_.back().place == store.id_place() && keys_[0].direction == keys_.back().direction;
        return is_own ? std::optional(keys_[0].direction) : std::nullopt;
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
            return by.place ? is_key_of(values(by).of(), known) : !known;
        };
        return std::ranges::equal(keys_, place.keys, is_key) &&
               std::ranges::all_of(place.cuts, [&](const cut_key& cut) {
                   return can_be_cut(cut.at) && place.keys[cut.at];
               });
    }
    /// Restores the cut keys of a cursor from those of its row, if given; see with_whole_keys().
    /// Expects has_place().
    [[nodiscard]] cursor whole_place(const cursor& place, std::optional<std::size_t> row) const {
        const auto ascends = [this](std::size_t at) {
            return keys_[at].direction == sort_order::ascending;
        };
        return with_whole_keys(place, ascends, [&](const std::optional<std::string>&) {
            return row ? keys_of(*row) : std::vector<std::optional<std::string>>();
        });
    }
    /// Returns true if a row has the last key of a cursor. Expects has_place().
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
    /// Returns the sort prefix of a row's first key, in its direction; see detail/sort_prefix.hpp.
    [[nodiscard]] std::uint64_t prefix_of(std::size_t row) const {
        const key& first = keys_.front();
        if (!first.place) return 0;
        if (is_time(first)) return directed(first, detail::prefix_of_time(rows_->rows().time(row)));
        return directed(first, values(first).prefix_of(code_of(first, row)));
    }
    /// Returns the sort prefix of a cursor's first key. Expects has_place().
    [[nodiscard]] std::uint64_t prefix_of(const cursor& place) const {
        const key& first = keys_.front();
        if (!first.place) return 0;
        return directed(first, detail::prefix_of_key(values(first).of(), place.keys.front()));
    }
    /// Returns the largest difference of two prefixes that doesn't determine their order.
    [[nodiscard]] std::uint64_t prefix_margin() const {
        const key& first = keys_.front();
        return first.place ? detail::prefix_margin(values(first).of()) : 0;
    }
    /// Returns a cursor before or after a row. Cuts texts that are too long for it.
    [[nodiscard]] cursor place_of(std::size_t row, bool is_before, std::uint32_t mark) const {
        cursor place{is_before, mark, 0, keys_of(row)};
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
    struct key {
        std::optional<std::size_t> place;  // index of the column; nullopt if the store lacks it
        sort_order direction;
        const column_values* values;  // null if the store lacks the column
        bool is_row_time;
    };

    [[nodiscard]] key key_at(std::optional<std::size_t> place, sort_order direction) const {
        const stored_columns& store = rows_->columns();
        return {place, direction, place ? &store.values(*place) : nullptr,
                place && store.is_row_time(*place)};
    }
    [[nodiscard]] static std::weak_ordering directed(const key& by, std::weak_ordering order) {
        return by.direction == sort_order::ascending ? order : 0 <=> order;
    }
    [[nodiscard]] static std::uint64_t directed(const key& by, std::uint64_t prefix) {
        return by.direction == sort_order::ascending ? prefix : ~prefix;
    }
    [[nodiscard]] bool can_be_cut(std::size_t at) const {
        return at + 1 < keys_.size() && keys_[at].place &&
               values(keys_[at]).of().type == column_type::text;
    }
    [[nodiscard]] static const column_values& values(const key& of) noexcept { return *of.values; }
    [[nodiscard]] static bool is_time(const key& of) noexcept { return of.is_row_time; }
    [[nodiscard]] code code_of(const key& of, std::size_t row) const {
        return rows_->rows().code_at(row, *of.place);
    }
    [[nodiscard]] std::weak_ordering compare(const key& by, std::size_t a, std::size_t b) const {
        if (!by.place) return std::weak_ordering::equivalent;
        if (is_time(by)) return rows_->rows().time(a) <=> rows_->rows().time(b);
        return values(by).compare(code_of(by, a), code_of(by, b));
    }
    [[nodiscard]] std::weak_ordering compare(const key& by, std::size_t row,
                                             const std::optional<std::string>& known) const {
        if (!by.place) return std::weak_ordering::equivalent;
        if (is_time(by)) return rows_->rows().time(row) <=> *parse_time_key(*known);
        return values(by).compare(code_of(by, row), known);
    }
    [[nodiscard]] std::optional<std::string> key_of(const key& of, std::size_t row) const {
        if (!of.place) return std::nullopt;
        if (is_time(of)) return to_time_key(rows_->rows().time(row));
        return values(of).key_of(code_of(of, row));
    }

    const stored_rows* rows_;
    std::vector<key> keys_;
};

}  // namespace sluice::store

#endif
