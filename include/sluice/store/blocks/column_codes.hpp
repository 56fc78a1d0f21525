// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_BLOCKS_COLUMN_CODES_HPP
#define SLUICE_STORE_BLOCKS_COLUMN_CODES_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include <sluice/store/blocks/column_bits.hpp>
#include <sluice/store/blocks/sealed_column.hpp>

namespace sluice::store {

/// Reads the codes of a column in one block after the other, whatever form they are stored in (see
/// code_form):
///
/// ```
/// words    | 700 | 3 | 700 | 81 |      are the codes
/// shorts   |   9 | 0 |   9 |  4 |      stand for codes:  table  0: 3 | 4: 81 | 9: 700
/// ```
///
/// The table is built only if enough rows are read for it to pay.
class column_codes {
public:
    /// Moves to a column of the open block, of which rows up to `end` may be read.
    void enter(const code* codes, std::size_t end) noexcept {
        column_ = nullptr;
        open_ = {codes, end};
    }
    /// Moves to a column of a sealed block.
    void enter(const sealed_column& column) noexcept {
        column_ = &column;
        has_table_ = false;
    }

    /// Returns the codes of a range of rows, valid until the next call. Values at rows whose bits
    /// aren't set are unspecified.
    [[nodiscard]] std::span<const code> read(const bits_range& rows) {
        const std::size_t first = rows.first_word * 64, count = rows.words * 64;
        if (column_ == nullptr) return open_.subspan(first, std::min(count, open_.size() - first));
        if (column_->form() == code_form::words) return {column_->words() + first, count};
        codes_.resize(std::max(codes_.size(), count));
        if (column_->form() == code_form::constant) {
            std::fill_n(codes_.begin(), count, column_->least());
        } else if (column_->form() == code_form::sequence) {
            std::iota(codes_.begin(), codes_.begin() + static_cast<std::ptrdiff_t>(count),
                      column_->at(first));
        } else if (has_table_ || pays(rows)) {
            look_up(first, count);
        } else {
            read_rows(rows);
        }
        return {codes_.data(), count};
    }

private:
    // Table entries that are written in the time in which one row's code is looked up without it.
    static constexpr std::size_t entries_a_row = 16;

    /// Returns true if building the table is faster than looking up the code of each row to read.
    [[nodiscard]] bool pays(const bits_range& rows) const noexcept {
        std::size_t read = 0;
        for (std::size_t i = 0; i < rows.words; ++i) {
            read += static_cast<std::size_t>(std::popcount(rows.bits[i]));
        }
        return read * entries_a_row >= column_->codes();
    }
    /// Reads `count` codes from row `first` on, by the table.
    void look_up(std::size_t first, std::size_t count) {
        if (!has_table_) make_table();
        const auto code_of = [this](std::size_t local) { return table_[local]; };
        if (column_->form() == code_form::bytes) {
            std::transform(column_->bytes() + first, column_->bytes() + first + count,
                           codes_.begin(), code_of);
        } else {
            std::transform(column_->shorts() + first, column_->shorts() + first + count,
                           codes_.begin(), code_of);
        }
    }
    /// Fills in the code of each local code.
    void make_table() {
        has_table_ = true;
        table_.resize(std::max(
            table_.size(), column_->form() == code_form::bytes ? std::size_t{256} : block_rows));
        column_->for_each([](code) { return true; },
                          [this](code c, const code_rows& rows) { table_[rows.local] = c; });
    }
    /// Reads the codes of the set rows one by one, without the table.
    void read_rows(const bits_range& rows) {
        for_each_set(rows,
                     [&](std::size_t at) { codes_[at] = column_->at(rows.first_word * 64 + at); });
    }

    const sealed_column* column_ = nullptr;  // null in the open block
    std::span<const code> open_;
    bool has_table_ = false;
    std::vector<code> table_;  // by local code
    std::vector<code> codes_;  // result of read(), unless that views the column
};

}  // namespace sluice::store

#endif
