// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_PLAN_BLOCK_CONDITION_HPP
#define SLUICE_STORE_PLAN_BLOCK_CONDITION_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <sluice/base/simd/kernels.hpp>
#include <sluice/store/blocks/block_directory.hpp>
#include <sluice/store/blocks/block_numbers.hpp>
#include <sluice/store/blocks/column_bits.hpp>
#include <sluice/store/blocks/open_block.hpp>
#include <sluice/store/blocks/sealed_column.hpp>
#include <sluice/store/conditions/explanation.hpp>
#include <sluice/store/conditions/expression.hpp>

/// Conditions on the blocks of a table, evaluated by an index or by a scan of codes, and their
/// costs.
namespace sluice::store {

/// An estimate of the bytes that a condition made a scan read. A cost without a source is less than
/// any with one.
struct condition_cost {
    std::size_t bytes = 0;
    const condition_source* source = nullptr;

    friend bool operator<(const condition_cost& a, const condition_cost& b) noexcept {
        return a.bytes < b.bytes || (a.source == nullptr && b.source != nullptr);
    }
};

/// A condition, evaluated on one block after the other: looks the accepted codes up in the block's
/// index and writes the bits of matching rows, from the index or from the codes.
///
/// "Listed" codes are those of the condition's code_set: the accepted ones, or, in a complement,
/// all that aren't accepted. The index is read for the listed codes; a complement inverts the bits.
class block_condition {
public:
    explicit block_condition(const condition& wanted) : wanted_(&wanted) {}

    [[nodiscard]] std::size_t column() const noexcept { return wanted_->column; }

    /// Moves to a column of the open block. Rows up to `end` may be read; those from `begin` on
    /// will be.
    void enter(const open_block& rows, std::size_t begin, std::size_t end) noexcept {
        column_ = nullptr;
        numbers_ = nullptr;
        open_ = {rows, column(), begin, end};
        code_rows_.clear();
        is_exact_ = false;
        reads_index_ = has_lists() && index_bytes() < scan_bytes();
    }
    /// Moves to a column of a sealed block and looks up the accepted codes. `numbers` are the
    /// column's, or null.
    void enter(const sealed_column& column, const block_numbers* numbers) {
        column_ = &column;
        numbers_ = wanted_->accepted.has_ranges() ? numbers : nullptr;
        code_rows_.clear();
        listed_rows_ = 0;
        has_locals_ = false;
        is_exact_ = true;
        find_listed();
        reads_index_ = has_lists() && index_bytes() <= scan_bytes();
    }

    /// Moves to a group of sealed blocks. Returns the blocks that may have matching rows.
    [[nodiscard]] block_mask enter(const block_group& group) {
        constexpr auto all = static_cast<block_mask>(~block_mask{0});
        frequent_ = nullptr;
        if (wanted_->accepted.has_ranges()) return all;
        const column_directory& directory = group.column(column());
        const std::span<const code> listed = wanted_->accepted.listed();
        if (listed.size() == 1) frequent_ = directory.find(listed.front());
        if (is_complement() || listed.size() > max_lookups) return all;
        block_mask blocks = 0;
        for (const code c : listed) blocks |= directory.blocks_with(c);
        return blocks;
    }
    /// Returns the bitmap of the only listed code in one of the group's blocks, or null; see
    /// is_complement().
    [[nodiscard]] const std::uint64_t* bitmap_in(std::size_t block) const noexcept {
        return frequent_ ? frequent_->bitmaps[block % group_blocks] : nullptr;
    }

    /// Returns true if rows() is known for the block.
    [[nodiscard]] bool is_exact() const noexcept { return is_exact_; }
    /// Returns the number of matching rows in the whole block. Expects is_exact().
    [[nodiscard]] std::size_t rows() const noexcept {
        return is_complement() ? block_rows - listed_rows_ : listed_rows_;
    }
    /// Returns true if runs() lists the matching rows one by one.
    [[nodiscard]] bool has_runs() const noexcept {
        return is_exact_ && !is_complement() && numbers_ == nullptr &&
               std::ranges::all_of(code_rows_, [](const code_rows& rows) { return rows.run; });
    }
    /// Returns the matching rows: one ascending list for each listed code. Expects has_runs().
    [[nodiscard]] std::span<const code_rows> runs() const noexcept { return code_rows_; }

    /// Selects the source of bits: the index if `wanted` and possible, else the codes.
    void read_index(bool wanted) noexcept { reads_index_ = wanted && has_lists(); }
    [[nodiscard]] bool reads_index() const noexcept { return reads_index_; }
    /// Returns how many bytes are read for the bits of all rows, as estimated.
    [[nodiscard]] std::size_t bytes() const noexcept {
        return reads_index_ ? index_bytes() : scan_bytes();
    }

    /// Adds to bytes_read().
    void record_read(std::size_t bytes) noexcept { read_ += bytes; }
    [[nodiscard]] std::size_t bytes_read() const noexcept { return read_; }
    [[nodiscard]] const condition_source& source() const noexcept { return wanted_->from; }

    /// Returns the index's bitmap of the rows with listed codes; null if the index has another form
    /// or isn't read. See is_complement().
    [[nodiscard]] const std::uint64_t* bitmap() const noexcept {
        return reads_index_ && code_rows_.size() == 1 ? code_rows_.front().bitmap : nullptr;
    }
    [[nodiscard]] bool is_complement() const noexcept { return wanted_->accepted.is_complement(); }

    /// Writes the bits of `words` words of rows, from `first_word` on; 0 beyond an open block's
    /// rows.
    void write_bits(std::size_t first_word, std::size_t words, std::uint64_t* bits) {
        const bits_range output{first_word, words, bits};
        if (column_ == nullptr) return write_open(output);
        if (numbers_ != nullptr) return match_numbers(output);
        if (reads_index_) {
            write_listed(output);
        } else if (column_->form() == code_form::bytes) {
            make_locals();
            kernels_->match_u8(column_->bytes() + first_word * 64, words * 64, bytes_, bits);
            return;
        } else {
            match_codes(output);
        }
        if (is_complement()) invert(output);
    }

    /// Clears the bits of rows that don't match. `scratch` has room for `rows.words` words.
    void narrow(const bits_range& rows, std::uint64_t* scratch) {
        if (const std::uint64_t* const bits = bitmap()) {
            const auto change = is_complement() ? kernels_->subtract : kernels_->intersect;
            return change(rows.bits, bits + rows.first_word, rows.words);
        }
        write_bits(rows.first_word, rows.words, scratch);
        kernels_->intersect(rows.bits, scratch, rows.words);
    }

    /// Returns true if a row of the sealed block matches.
    [[nodiscard]] bool accepts(std::uint16_t row) {
        if (const std::uint64_t* const bits = bitmap()) {
            return (((bits[row / 64] >> (row % 64)) & 1) != 0) != is_complement();
        }
        if (numbers_ != nullptr) {
            return numbers_->is_in(row, distances_) != wanted_->accepted.ranges().takes_others();
        }
        switch (column_->form()) {
            case code_form::constant: return rows() != 0;
            case code_form::words: return wanted_->accepted.contains(column_->words()[row]);
            case code_form::sequence: return wanted_->accepted.contains(column_->least() + row);
            case code_form::bytes: make_locals(); return bytes_.contains(column_->bytes()[row]);
            case code_form::shorts: break;
        }
        make_locals();
        return has_local(column_->shorts()[row]) != is_complement();
    }

private:
    static constexpr std::size_t max_lookups = 64;       // codes to look up in a directory
    static constexpr std::size_t max_searches = 1024;    // in a column without a dictionary
    static constexpr std::size_t codes_per_search = 32;  // codes read in the time of a search

    /// Returns true if a code is listed, or in the listed ranges.
    [[nodiscard]] bool lists(code c) const {
        return wanted_->accepted.contains(c) != is_complement();
    }
    /// Finds the rows of the listed codes in the sealed column's index, unless there are too many.
    void find_listed() {
        if (wanted_->accepted.has_ranges()) return find_in_ranges();
        const std::span<const code> listed = wanted_->accepted.listed();
        const bool has_dictionary = column_->lists_codes();
        if (has_dictionary && listed.size() * codes_per_search > column_->codes()) {
            return column_->for_each([this](code c) { return lists(c); },
                                     [this](code, const code_rows& rows) { add(rows); });
        }
        const auto first = std::ranges::lower_bound(listed, column_->least());
        const auto last = std::upper_bound(first, listed.end(), column_->most());
        is_exact_ = has_dictionary || static_cast<std::size_t>(last - first) <= max_searches;
        if (is_exact_) std::for_each(first, last, [this](code c) { add(column_->find(c)); });
    }
    /// Looks codes up only in blocks with few distinct codes: ranges may hold any number of them.
    void find_in_ranges() {
        if (numbers_ != nullptr) return find_numbers();
        is_exact_ = column_->form() == code_form::constant || column_->form() == code_form::bytes;
        if (!is_exact_) return;
        column_->for_each([this](code c) { return lists(c); },
                          [this](code, const code_rows& rows) { add(rows); });
    }
    /// Like find_in_ranges(), in a column whose numbers are stored: the number of rows is known if
    /// none or all are in the ranges.
    void find_numbers() {
        const number_ranges& ranges = wanted_->accepted.ranges();
        distances_ = numbers_->distances(ranges.key_ranges(numbers_->scale()));
        const bool has_all = numbers_->are_in(distances_);
        is_exact_ = has_all || distances_.empty();
        listed_rows_ = has_all != ranges.takes_others() ? block_rows : 0;
    }
    /// Adds the rows of a listed code.
    void add(const code_rows& rows) {
        if (rows.count == 0) return;
        code_rows_.push_back(rows);
        listed_rows_ += rows.count;
    }

    /// Returns true if the index has the rows of all listed codes, not only their number.
    [[nodiscard]] bool has_lists() const noexcept {
        if (!column_) {
            const code_set& accepted = wanted_->accepted;
            return open_.has_index() && !accepted.has_ranges() &&
                   accepted.listed().size() <= max_lookups;
        }
        return is_exact_ && numbers_ == nullptr &&
               std::ranges::all_of(code_rows_, [](const code_rows& rows) {
                   return rows.run != nullptr || rows.bitmap != nullptr;
               });
    }
    /// Estimates the bytes that are read and written for the bits of all rows, from the index. Runs
    /// cost half a bitmap to write, and each of their rows the setting of a bit.
    [[nodiscard]] std::size_t index_bytes() const noexcept {
        if (!column_) return open_.index_bytes(wanted_->accepted.listed());
        constexpr std::size_t bitmap_bytes = bitmap_words * sizeof(std::uint64_t);
        std::size_t bytes = 0, in_runs = 0;
        for (const code_rows& rows : code_rows_) {
            (rows.bitmap ? bytes : in_runs) += rows.bitmap ? bitmap_bytes : rows.count;
        }
        return bytes + (in_runs > 0 ? bitmap_bytes / 2 + in_runs * bytes_per_set_row : 0);
    }
    /// Like index_bytes(), from the codes.
    [[nodiscard]] std::size_t scan_bytes() const noexcept {
        if (!column_) return open_.scan_bytes();
        return (numbers_ ? numbers_->width() : column_->width()) * block_rows;
    }

    /// Writes the bits of rows with listed codes, from the index of a sealed column.
    void write_listed(const bits_range& output) const {
        clear(output);
        for (const code_rows& rows : code_rows_) {
            if (rows.bitmap) {
                kernels_->unite(output.bits, rows.bitmap + output.first_word, output.words);
            } else {
                set_rows({rows.run, rows.count}, output);
            }
        }
    }
    /// Writes the bits of rows in the ranges, from the column's numbers.
    void match_numbers(const bits_range& output) const {
        if (is_exact_) return listed_rows_ > 0 ? fill(output) : clear(output);
        numbers_->match(distances_, output, *kernels_);
        if (wanted_->accepted.ranges().takes_others()) invert(output);
    }
    /// Like write_listed(), from the column's codes. Not for the form of bytes.
    void match_codes(const bits_range& output) {
        switch (column_->form()) {
            case code_form::constant: return listed_rows_ > 0 ? fill(output) : clear(output);
            case code_form::bytes: return;
            case code_form::words: return match_words(column_->words(), block_rows, output);
            case code_form::sequence: return match_sequence(output);
            case code_form::shorts: break;
        }
        make_locals();
        const std::uint16_t* const codes = column_->shorts() + output.first_word * 64;
        if (table_.empty()) {
            kernels_->match_few_u16(codes, output.words * 64, few_.data(), few_.size(),
                                    output.bits);
        } else {
            kernels_->match_u16(codes, output.words * 64, {table_.data(), block_rows, false},
                                output.bits);
        }
    }
    /// Sets the bits of rows whose code is listed, from an array of codes by row.
    void match_words(const code* codes, std::size_t rows, const bits_range& output) const {
        const std::span<const code> listed = wanted_->accepted.listed();
        const std::span<const std::uint64_t> table = wanted_->accepted.listed_bits();
        const std::size_t first = output.first_word * 64;
        rows = std::min(rows - first, output.words * 64);
        const bool is_list = !wanted_->accepted.has_ranges();
        if (is_list && listed.size() <= sluice::detail::simd::few_values) {
            kernels_->match_few_u32(codes + first, rows, listed.data(), listed.size(), output.bits);
        } else if (!table.empty()) {
            kernels_->match_u32(codes + first, rows, {table.data(), table.size() * 64, false},
                                output.bits);
        } else if (!is_list) {
            clear(output);
            const auto code_at = [&](std::size_t row) { return codes[first + row]; };
            wanted_->accepted.ranges().match(rows, code_at, output.bits);
        } else {
            clear(output);
            for (std::size_t i = 0; i < rows; ++i) {
                output.bits[i / 64] |= std::uint64_t{lists(codes[first + i])} << (i % 64);
            }
        }
    }
    /// Like match_words(), for codes that increase by one from row to row.
    void match_sequence(const bits_range& output) const {
        clear(output);
        const code first = column_->least() + static_cast<code>(output.first_word * 64);
        const auto rows = static_cast<code>(output.words * 64);
        const auto take = [&](code row) {
            output.bits[row / 64] |= std::uint64_t{1} << (row % 64);
        };
        if (wanted_->accepted.has_ranges()) {
            const auto code_at = [&](std::size_t row) { return first + static_cast<code>(row); };
            return wanted_->accepted.ranges().match(rows, code_at, output.bits);
        }
        const std::span<const code> listed = wanted_->accepted.listed();
        for (auto place = std::ranges::lower_bound(listed, first);
             place != listed.end() && *place - first < rows; ++place) {
            take(*place - first);
        }
    }
    /// Writes the bits of matching rows in the open block: those of indexed chunks from their index
    /// if that is cheaper, the others from the codes.
    void write_open(const bits_range& output) const {
        const std::size_t listed = reads_index_ ? open_.indexed(output).words : 0;
        open_.write_listed(wanted_->accepted.listed(), {output.first_word, listed, output.bits});
        if (listed < output.words) {
            match_words(open_.codes(), open_.rows(),
                        {output.first_word + listed, output.words - listed, output.bits + listed});
        }
        if (!is_complement()) return;
        invert(output);
        clear_from(open_.rows(), output);
    }

    /// Converts the listed codes into the column's local codes, once a block.
    void make_locals() {
        if (has_locals_) return;
        has_locals_ = true;
        if (column_->form() == code_form::bytes) return make_byte_set();
        few_.clear();
        table_.clear();
        if (wanted_->accepted.has_ranges()) return make_range_table();
        if (code_rows_.size() > sluice::detail::simd::few_values) {
            table_.resize(bitmap_words);
            for (const code_rows& rows : code_rows_) {
                table_[rows.local / 64] |= std::uint64_t{1} << (rows.local % 64);
            }
        } else {
            for (const code_rows& rows : code_rows_) {
                few_.push_back(static_cast<std::uint16_t>(rows.local));
            }
        }
    }
    /// Like make_locals(), for ranges in the form of shorts.
    void make_range_table() {
        table_.resize(bitmap_words);
        column_->for_each([this](code c) { return lists(c); },
                          [this](code, const code_rows& rows) {
                              table_[rows.local / 64] |= std::uint64_t{1} << (rows.local % 64);
                          });
    }
    /// Like make_locals(), for the form of bytes, but with the accepted codes.
    void make_byte_set() noexcept {
        bytes_ = {};
        for (const code_rows& rows : code_rows_)
            bytes_.insert(static_cast<std::uint8_t>(rows.local));
        if (!is_complement()) return;
        for (std::uint64_t& word : bytes_.bits) word = ~word;
    }
    /// Returns true if a local code is listed, in the form of shorts.
    [[nodiscard]] bool has_local(std::uint16_t local) const noexcept {
        if (table_.empty()) return std::ranges::find(few_, local) != few_.end();
        return ((table_[local / 64] >> (local % 64)) & 1) != 0;
    }

    const condition* wanted_;
    const sluice::detail::simd::kernels* kernels_ = &sluice::detail::simd::active_kernels();
    const column_directory::frequent* frequent_ = nullptr;  // of the only listed code
    const sealed_column* column_ = nullptr;                 // null in the open block
    const block_numbers* numbers_ = nullptr;                // of ranges, if they are stored
    std::vector<block_numbers::distance_range> distances_;  // the ranges among numbers_
    open_column open_;
    bool is_exact_ = false;
    bool reads_index_ = false;
    bool has_locals_ = false;
    std::size_t listed_rows_ = 0;  // rows with a listed code, in the whole block
    std::size_t read_ = 0;         // bytes, in all blocks so far
    std::vector<code_rows> code_rows_;
    sluice::detail::simd::byte_set bytes_;  // accepted local codes, form bytes
    std::vector<std::uint16_t> few_;        // listed local codes, form shorts, if few
    std::vector<std::uint64_t> table_;      // bitmap of the listed local codes, if many
};

}  // namespace sluice::store

#endif
