// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_BLOCKS_COLUMN_SEALER_HPP
#define SLUICE_STORE_BLOCKS_COLUMN_SEALER_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <sluice/base/memory.hpp>
#include <sluice/store/blocks/open_block.hpp>
#include <sluice/store/blocks/sealed_column.hpp>

/// Sealing the columns of full blocks.
namespace sluice::store {

/// Memory for the bitmaps of blocks, in huge pages. A count of several conditions reads the bitmaps
/// of all blocks; packed together, they cost fewer page-table walks.
///
/// ```
/// huge page, 2 MiB   | block 0: column 0 | column 2 | ... | block 1: column 0 | ... | free |
/// ```
///
/// One thread may call take(). A page is freed with the last bitmap in it, on any thread.
class bitmap_arena {
public:
    static constexpr std::size_t page_words = sluice::detail::huge_page / sizeof(std::uint64_t);

    /// Allocates `words` zeroed words, aligned to a cache line. Expects a multiple of eight, at
    /// most `page_words`.
    [[nodiscard]] std::shared_ptr<std::uint64_t[]> take(std::size_t words) {
        if (words > left_) {
            page_ = make_page();
            left_ = page_words;
        }
        std::uint64_t* const taken = page_.get() + (page_words - left_);
        left_ -= words;
        std::fill_n(taken, words, std::uint64_t{0});
        return {page_, taken};
    }

private:
    using pages = sluice::detail::page_allocator<std::uint64_t>;

    [[nodiscard]] static std::shared_ptr<std::uint64_t[]> make_page() {
        return {pages().allocate(page_words),
                [](std::uint64_t* page) { pages().deallocate(page, page_words); }};
    }

    std::shared_ptr<std::uint64_t[]> page_;
    std::size_t left_ = 0;  // free words of page_
};

/// Sorts the rows of a full block by (code, row) in linear time. Reuses its buffers for the next
/// column.
class block_sorter {
public:
    /// A code, and the position of its rows among the sorted rows.
    struct run {
        code value;
        std::uint32_t begin;
        std::uint32_t count;
    };

    /// Sorts a column of `block_rows` codes, all of them in [least, most].
    void sort(const code* codes, code least, code most) {
        rows_.resize(block_rows);
        runs_.clear();
        if (most - least < max_counters) {
            sort_by_counting(codes, least, std::size_t{most - least} + 1);
        } else {
            sort_by_digits(codes, least, most);
        }
    }
    /// Returns the distinct codes of the column, ascending.
    [[nodiscard]] std::span<const run> runs() const noexcept { return runs_; }
    /// Returns the rows of a code, ascending.
    [[nodiscard]] std::span<const std::uint16_t> rows(const run& of) const noexcept {
        return {rows_.data() + of.begin, of.count};
    }

private:
    static constexpr std::size_t max_counters = 2 * block_rows;  // of a counting sort, by code
    static constexpr unsigned digit_bits = 11;                   // of a radix sort
    static constexpr std::size_t digits = std::size_t{1} << digit_bits;

    /// Sorts codes of a small range, with a counter for each of `range` codes from `least` on.
    void sort_by_counting(const code* codes, code least, std::size_t range) {
        counters_.assign(range, 0);
        for (std::size_t row = 0; row < block_rows; ++row) ++counters_[codes[row] - least];
        std::uint32_t begin = 0;
        for (std::size_t i = 0; i < range; ++i) {
            const std::uint32_t count = std::exchange(counters_[i], begin);
            if (count == 0) continue;
            runs_.push_back({least + static_cast<code>(i), begin, count});
            begin += count;
        }
        for (std::size_t row = 0; row < block_rows; ++row) {
            rows_[counters_[codes[row] - least]++] = static_cast<std::uint16_t>(row);
        }
    }

    /// Sorts codes of a large range by radix. A key holds the code above the 16 bits of the row.
    /// The radix sort is stable, so rows stay in order.
    void sort_by_digits(const code* codes, code least, code most) {
        keys_.resize(block_rows);
        sorted_.resize(block_rows);
        for (std::size_t row = 0; row < block_rows; ++row) {
            keys_[row] = std::uint64_t{codes[row] - least} << 16 | row;
        }
        const auto bits = static_cast<unsigned>(std::bit_width(most - least));
        for (unsigned shift = 0; shift < bits; shift += digit_bits) sort_digit(16 + shift);
        for (std::size_t at = 0; at < block_rows; ++at) {
            const code value = least + static_cast<code>(keys_[at] >> 16);
            rows_[at] = static_cast<std::uint16_t>(keys_[at]);
            if (runs_.empty() || runs_.back().value != value) {
                runs_.push_back({value, static_cast<std::uint32_t>(at), 0});
            }
            ++runs_.back().count;
        }
    }
    /// Sorts the keys by the digit that begins at bit `shift`; equal digits stay in order.
    void sort_digit(unsigned shift) {
        std::array<std::uint32_t, digits> places{};
        for (const std::uint64_t key : keys_) ++places[(key >> shift) % digits];
        std::uint32_t begin = 0;
        for (std::uint32_t& place : places) begin += std::exchange(place, begin);
        for (const std::uint64_t key : keys_) sorted_[places[(key >> shift) % digits]++] = key;
        keys_.swap(sorted_);
    }

    std::vector<std::uint16_t> rows_;
    std::vector<run> runs_;
    std::vector<std::uint32_t> counters_;
    std::vector<std::uint64_t> keys_;
    std::vector<std::uint64_t> sorted_;
};

/// Builds sealed columns, which describe their own format; reuses its buffers from one to the next.
class column_sealer {
public:
    /// Seals the codes of a full block. `previous` is the same column of the previous block; null
    /// for the first block.
    [[nodiscard]] sealed_column seal(const code* codes, const sealed_column* previous) {
        sealed_column column;
        const auto [least, most] = range_of(codes);
        column.least_ = least;
        column.most_ = most;
        count_before(column, previous);
        if (least == most) {
            column.frequent_.push_back({least, block_rows, 0, sealed_column::no_bitmap});
            return column;
        }
        if (most - least == block_rows - 1 && is_sequence(codes)) {
            column.form_ = code_form::sequence;
            return column;
        }
        sorter_.sort(codes, least, most);
        column.form_ = form_of(sorter_.runs().size());
        if (!omit_runs(column)) {  // row lists are worth more than running counts
            column.before_ = {};
            column.has_counts_ = false;
            static_cast<void>(omit_runs(column));
        }
        write_index(column);
        write_codes(column, codes);
        return column;
    }

private:
    using run = block_sorter::run;
    static constexpr std::size_t max_bytes = 2 * block_rows;  // most bytes of a column's index
    static constexpr std::size_t max_omitted = 8;  // row lists that running counts may displace
    static constexpr std::size_t dictionary_entry = sizeof(code) + sizeof(std::uint16_t);

    /// Returns true if each code is one more than the row before.
    static bool is_sequence(const code* codes) noexcept {
        for (std::size_t row = 1; row < block_rows; ++row) {
            if (codes[row] != codes[0] + row) return false;
        }
        return true;
    }

    /// Returns the encoding of a number of distinct codes. A dictionary of two-byte codes pays if
    /// it is smaller than the two bytes that it saves for each row.
    static code_form form_of(std::size_t distinct) noexcept {
        if (distinct <= 256) return code_form::bytes;
        return distinct * dictionary_entry <= 2 * block_rows ? code_form::shorts : code_form::words;
    }

    /// Sets the running counts of a column, `before` in sealed_column, if it can have them.
    static void count_before(sealed_column& column, const sealed_column* previous) {
        constexpr auto limit = static_cast<code>(sealed_column::counted_codes);
        column.has_counts_ =
            column.most_ < limit && (previous == nullptr || previous->has_counts());
        if (!column.has_counts_) return;
        std::size_t size = std::size_t{column.most_} + 1;
        if (previous != nullptr) {
            size = std::max({size, std::size_t{previous->most()} + 1, previous->before_.size()});
        }
        const std::span<std::uint64_t> before = column.before_.resize(size);
        if (previous == nullptr) return;
        std::ranges::copy(previous->before_, before.begin());
        previous->for_each([](code) { return true; },
                           [&](code c, const code_rows& rows) { before[c] += rows.count; });
    }

    /// Returns true if the rows of a code aren't listed: they are a bitmap, or only counted.
    [[nodiscard]] bool is_frequent(const run& code_run) const noexcept {
        return code_run.count > max_run ||
               std::ranges::find(omitted_, code_run.value) != omitted_.end();
    }

    /// Drops the longest row lists until the index takes at most 2 bytes a row. Returns false if it
    /// has running counts and more than `max_omitted` lists would have to go.
    bool omit_runs(const sealed_column& column) {
        omitted_.clear();
        std::size_t bytes = index_bytes(column);
        while (bytes > max_bytes) {
            if (omitted_.size() == max_omitted && column.has_counts_) return false;
            const run* longest = longest_listed();
            if (longest == nullptr) return true;
            omitted_.push_back(longest->value);
            bytes += sizeof(sealed_column::frequent_code);
            bytes -= longest->count * sizeof(std::uint16_t);
        }
        return true;
    }
    /// Returns the size of the index with all row lists, in bytes.
    [[nodiscard]] std::size_t index_bytes(const sealed_column& column) const noexcept {
        std::size_t bytes = column.before_.size() * sizeof(std::uint64_t);
        for (const run& code_run : sorter_.runs()) {
            bytes += code_run.count <= max_run ? code_run.count * sizeof(std::uint16_t)
                                               : bitmap_words * sizeof(std::uint64_t) +
                                                     sizeof(sealed_column::frequent_code);
        }
        const bool has_directory = column.form_ == code_form::bytes;
        return bytes + (has_directory ? sorter_.runs().size() * sizeof(std::uint16_t) : 0);
    }
    /// Returns the code with the longest row list; null without lists.
    [[nodiscard]] const run* longest_listed() const noexcept {
        const run* longest = nullptr;
        for (const run& code_run : sorter_.runs()) {
            if (is_frequent(code_run)) continue;
            if (longest == nullptr || code_run.count > longest->count) longest = &code_run;
        }
        return longest;
    }

    /// Writes the frequent codes, the row lists and the search keys.
    void write_index(sealed_column& column) {
        std::size_t listed_rows = 0, lists = 0, bitmaps = 0;
        for (const run& code_run : sorter_.runs()) {
            listed_rows += is_frequent(code_run) ? 0 : code_run.count;
            lists += is_frequent(code_run) ? 0 : 1;
            bitmaps += code_run.count > max_run ? 1 : 0;
        }
        if (bitmaps > 0) column.bitmap_memory_ = arena_.take(bitmaps * bitmap_words);
        column.postings_.reserve(listed_rows);
        const bool has_lists = column.form_ != code_form::words;
        if (has_lists) column.rare_.reserve(lists), column.list_begins_.reserve(lists);
        for (const run& code_run : sorter_.runs()) {
            if (is_frequent(code_run)) {
                write_frequent(column, code_run);
            } else {
                write_listed(column, code_run, has_lists);
            }
        }
        number_frequent(column);
    }
    /// Writes the row list of a rare code; its entry in `rare` and `list_begins` only if
    /// `has_lists`.
    void write_listed(sealed_column& column, const run& code_run, bool has_lists) const {
        const std::span<const std::uint16_t> rows = sorter_.rows(code_run);
        if (has_lists) {
            if (column.rare_.size() % sealed_column::rare_step == 0) {
                column.search_keys_.push_back(code_run.value);
            }
            column.rare_.push_back(code_run.value);
            column.list_begins_.push_back(static_cast<std::uint16_t>(column.postings_.size()));
        } else {
            constexpr std::size_t step = sealed_column::posting_step;
            const std::size_t end = column.postings_.size() + rows.size();
            while (column.search_keys_.size() * step < end)
                column.search_keys_.push_back(code_run.value);
        }
        column.postings_.append(rows);
    }
    /// Writes a frequent code, with a bitmap unless its row list was dropped for being long.
    void write_frequent(sealed_column& column, const run& code_run) const {
        std::uint32_t number = sealed_column::no_bitmap;
        if (code_run.count > max_run) {
            const std::size_t first = column.bitmaps_.size();
            number = static_cast<std::uint32_t>(first / bitmap_words);
            std::uint64_t* const words = column.bitmap_memory_.get() + first;
            for (const std::uint16_t row : sorter_.rows(code_run)) {
                words[row / 64] |= std::uint64_t{1} << (row % 64);
            }
            column.view_bitmaps(first + bitmap_words);
        }
        column.frequent_.push_back({code_run.value, code_run.count, 0, number});
    }
    /// Sets the local codes of the frequent codes, which follow those of the rare ones; see
    /// code_form.
    static void number_frequent(sealed_column& column) noexcept {
        auto rank = static_cast<std::uint32_t>(column.rare_.size());
        auto place = static_cast<std::uint32_t>(column.postings_.size());
        for (sealed_column::frequent_code& frequent :
             column.frequent_.resize(column.frequent_.size())) {
            switch (column.form_) {
                case code_form::constant: break;
                case code_form::bytes: frequent.local = rank++; break;
                case code_form::shorts:
                    frequent.local = std::exchange(place, place + frequent.count);
                    break;
                case code_form::sequence:
                case code_form::words: frequent.local = frequent.value; break;
            }
        }
    }

    /// Writes the code of each row, in the column's form.
    void write_codes(sealed_column& column, const code* codes) const {
        switch (column.form_) {
            case code_form::constant:
            case code_form::sequence: return;
            case code_form::bytes: return write_locals(column, column.bytes_);
            case code_form::shorts: return write_locals(column, column.shorts_);
            case code_form::words: return column.words_.append({codes, block_rows});
        }
    }
    /// Writes the local code of each row.
    template <class Local>
    void write_locals(const sealed_column& column, stored_array<Local>& to) const {
        const std::span<Local> locals = to.resize(block_rows);
        std::size_t rare = 0, frequent = 0;
        for (const run& code_run : sorter_.runs()) {
            const std::uint32_t local = is_frequent(code_run) ? column.frequent_[frequent++].local
                                                              : column.rare_rows(rare++).local;
            for (const std::uint16_t row : sorter_.rows(code_run)) {
                locals[row] = static_cast<Local>(local);
            }
        }
    }

    block_sorter sorter_;
    bitmap_arena arena_;
    std::vector<code> omitted_;  // codes whose row lists were dropped
};

}  // namespace sluice::store

#endif
