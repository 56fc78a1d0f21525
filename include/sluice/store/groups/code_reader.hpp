// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_GROUPS_CODE_READER_HPP
#define SLUICE_STORE_GROUPS_CODE_READER_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <sluice/base/simd/kernels.hpp>
#include <sluice/store/blocks/sealed_column.hpp>
#include <sluice/store/blocks/snapshot.hpp>
#include <sluice/store/plan/block_reader.hpp>

/// Codes of selected rows, and how many of them have each code.
namespace sluice::store {

/// Reads the codes of a code column, block by block. Views the snapshot.
class code_reader {
public:
    code_reader(const snapshot& rows, std::size_t column) : rows_(rows), column_(column) {}

    [[nodiscard]] std::size_t column() const noexcept { return column_; }
    /// Returns the numbers of a block's rows; null if they aren't stored.
    [[nodiscard]] const block_numbers* numbers(std::size_t block) const noexcept {
        return block < rows_.sealed_blocks() ? rows_.sealed(block).numbers(column_) : nullptr;
    }
    /// Writes the codes of some rows of a block.
    void read(std::size_t block, std::span<const std::uint16_t> rows, std::vector<code>& codes) {
        codes.resize(rows.size());
        const auto read_from = [&](const auto& code_of) {
            for (std::size_t i = 0; i < rows.size(); ++i) codes[i] = code_of(rows[i]);
        };
        if (block == rows_.sealed_blocks()) {
            const code* const open = rows_.open()->codes(column_);
            return read_from([open](std::uint16_t row) { return open[row]; });
        }
        const sealed_column& column = rows_.sealed(block).column(column_);
        switch (column.form()) {
            case code_form::constant: std::ranges::fill(codes, column.least()); return;
            case code_form::bytes:
                spell(column, 256);
                return read_from([&](std::uint16_t row) { return codes_[column.bytes()[row]]; });
            case code_form::shorts:
                if (rows.size() < few_rows) break;
                spell(column, block_rows);
                return read_from([&](std::uint16_t row) { return codes_[column.shorts()[row]]; });
            case code_form::words:
                return read_from([&](std::uint16_t row) { return column.words()[row]; });
            case code_form::sequence:
                return read_from([&](std::uint16_t row) { return column.least() + row; });
        }
        read_from([&](std::uint16_t row) { return column.at(row); });
    }

    /// Adds the number of selected rows with each code to `counts`, which has room for all codes.
    void count(const selected_rows& rows, std::vector<std::uint64_t>& counts) {
        const std::size_t block = rows.part.block;
        if (block == rows_.sealed_blocks()) {
            const code* const open = rows_.open()->codes(column_);
            return visit_selected(rows, [&](std::size_t row) { ++counts[open[row]]; });
        }
        const sealed_column& column = rows_.sealed(block).column(column_);
        switch (column.form()) {
            case code_form::constant: counts[column.least()] += rows.count(); return;
            case code_form::bytes:
            case code_form::shorts: return count_indexed(column, rows, counts);
            case code_form::words:
                return visit_selected(rows,
                                      [&](std::size_t row) { ++counts[column.words()[row]]; });
            case code_form::sequence:
                return visit_selected(rows, [&](std::size_t row) {
                    ++counts[column.least() + static_cast<code>(row)];
                });
        }
    }
    /// Adds the number of rows with each code in whole blocks, by running counts (see
    /// sealed_column). Returns false, adding nothing, if the column doesn't have them.
    [[nodiscard]] bool count_whole(std::size_t begin, std::size_t end,
                                   std::vector<std::uint64_t>& counts) const {
        if (begin >= end) return true;
        const sealed_column& first = rows_.sealed(begin).column(column_);
        const sealed_column& last = rows_.sealed(end - 1).column(column_);
        if (!first.has_counts() || !last.has_counts()) return false;
        const auto size = static_cast<code>(std::min(counts.size(), sealed_column::counted_codes));
        for (code c = 0; c < size; ++c) counts[c] += last.rows_up_to_here(c) - first.rows_before(c);
        return true;
    }

private:
    // Fewer rows are read one by one, without a table of all codes of the block.
    static constexpr std::size_t few_rows = 1'024;

    /// Calls `visit` with the number of each selected row in the block.
    template <class Visit>
    void visit_selected(const selected_rows& rows, const Visit& visit) {
        if (rows.bits == nullptr) {
            for (std::size_t row = rows.part.begin; row < rows.part.end; ++row) visit(row);
            return;
        }
        rows.list(selected_);
        for (const std::uint16_t row : selected_) visit(row);
    }
    /// Makes a table of the codes that local codes stand for.
    void spell(const sealed_column& column, std::size_t size) {
        codes_.resize(size);
        column.for_each([](code) { return true; },
                        [&](code c, const code_rows& of) { codes_[of.local] = c; });
    }
    /// Counts in a column that lists its codes: by the index if all rows are selected, or if that
    /// takes less time than reading them one by one.
    void count_indexed(const sealed_column& column, const selected_rows& rows,
                       std::vector<std::uint64_t>& counts) {
        const auto all = [](code) { return true; };
        if (rows.is_whole()) {
            return column.for_each(all,
                                   [&](code c, const code_rows& of) { counts[c] += of.count; });
        }
        if (rows.bits && is_index_faster(column, rows.count())) {
            return column.for_each(all, [&](code c, const code_rows& of) {
                counts[c] += of.bitmap ? count_common(rows.bits, of.bitmap)
                                       : count_listed(rows.bits, {of.run, of.count});
            });
        }
        locals_.resize(block_rows);
        if (column.form() == code_form::bytes) {
            visit_selected(rows, [&](std::size_t row) { ++locals_[column.bytes()[row]]; });
        } else {
            visit_selected(rows, [&](std::size_t row) { ++locals_[column.shorts()[row]]; });
        }
        column.for_each(all, [&](code c, const code_rows& of) {
            counts[c] += std::exchange(locals_[of.local], std::uint16_t{0});
        });
    }
    /// Returns true if finding the selected rows of each code by its bitmap or row list takes less
    /// time than reading `count` rows one by one.
    [[nodiscard]] static bool is_index_faster(const sealed_column& column, std::size_t count) {
        const std::optional<std::size_t> bitmaps = column.bitmaps();
        return bitmaps && column.listed_rows() + *bitmaps * rows_per_bitmap < count;
    }
    [[nodiscard]] static std::size_t count_common(const std::uint64_t* a, const std::uint64_t* b) {
        const std::array both{a, b};
        return sluice::detail::simd::active_kernels().count_all(both.data(), 2, bitmap_words);
    }
    [[nodiscard]] static std::size_t count_listed(const std::uint64_t* bits,
                                                  std::span<const std::uint16_t> rows) noexcept {
        std::size_t count = 0;
        for (const std::uint16_t row : rows) count += (bits[row / 64] >> (row % 64)) & 1;
        return count;
    }
    static constexpr std::size_t rows_per_bitmap = 128;

    const snapshot& rows_;
    std::size_t column_;
    std::vector<std::uint16_t> selected_;  // rows of a block
    std::vector<code> codes_;              // by local code
    // Rows by local code, fewer than block_rows as a block has two codes at least; 0 between
    // counts.
    std::vector<std::uint16_t> locals_;
};

}  // namespace sluice::store

#endif
