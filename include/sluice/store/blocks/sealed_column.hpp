// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_BLOCKS_SEALED_COLUMN_HPP
#define SLUICE_STORE_BLOCKS_SEALED_COLUMN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <span>

#include <sluice/store/blocks/open_block.hpp>
#include <sluice/store/blocks/table_stats.hpp>
#include <sluice/store/texts/archive.hpp>
#include <sluice/store/texts/stored_array.hpp>

namespace sluice::store {

/// The number of words in a bitmap with a bit for each row of a block.
inline constexpr std::size_t bitmap_words = block_rows / 64;

/// The most rows of a code in a block that are listed; for more, a bitmap is smaller.
inline constexpr std::size_t max_run = bitmap_words * sizeof(std::uint64_t) / sizeof(std::uint16_t);

/// Estimated costs of a row, in bytes: to read its number, to set its bit in a bitmap (a read and a
/// write of a word), and to look it up in another column (half a cache line).
inline constexpr std::size_t bytes_per_posting = sizeof(std::uint16_t);
inline constexpr std::size_t bytes_per_set_row = 8;
inline constexpr std::size_t bytes_per_check = 32;

/// The rows of one code in a sealed block: listed, as a bitmap or only counted.
struct code_rows {
    std::size_t count = 0;
    std::uint32_t local = 0;                ///< the code in the column's form, see code_form
    const std::uint16_t* run = nullptr;     ///< `count` row numbers, ascending; or null
    const std::uint64_t* bitmap = nullptr;  ///< `bitmap_words` words; or null
};

/// The encoding of a sealed column's codes: the local codes that stand for them in the block.
enum class code_form : std::uint8_t {
    constant,  ///< one code in all rows; nothing is stored
    bytes,     ///< at most 256 codes: the rank among the rare codes, then among the frequent ones
    /// More codes: the index in `postings` where the code's run begins, see sealed_column. Frequent
    /// codes have no run there; they are numbered as if theirs came after the others.
    shorts,
    words,     ///< too many codes for a dictionary to pay: the codes themselves
    sequence,  ///< each code is one more than the row before, as in new ids; nothing is stored
};

/// Returns the numbers of all rows of a block, ascending. In the form of a sequence, each code has
/// one row, and its row list is a part of these.
[[nodiscard]] inline const std::uint16_t* all_row_numbers() noexcept {
    static const auto numbers = [] {
        std::vector<std::uint16_t> rows(block_rows);
        std::iota(rows.begin(), rows.end(), std::uint16_t{0});
        return rows;
    }();
    return numbers.data();
}

/// A column of a full block. Immutable. Frequent and rare codes are indexed differently:
///
/// ```
/// frequent codes (count > 4,096)  | code, count, bitmap of 8 KiB |
/// rare codes (all others)         | rare:        code 3 | code 7 | code 9 ...     sorted
///                                 | list_begins: 0      | 2      | 5      ...     run of each code
///                                 | postings:    12 900 | 3 4 77 | 1 ...          row numbers
/// ```
///
/// `postings` are the rows sorted by (code, row), so that the rows of a code are one run. Columns
/// in the form of words have no `rare` and `list_begins`: a run is found by binary search over the
/// codes of the postings. If counts and bitmaps would make the index exceed 2 bytes a row, the
/// longest runs are dropped, and their codes become frequent ones, without a bitmap.
///
/// `before` are the running counts: the number of rows of each code in the blocks before this one.
/// A column has them if all its codes up to this block are below `counted_codes`, and if they don't
/// displace more than a few row lists.
class sealed_column {
public:
    static constexpr std::size_t counted_codes = 1024;

    [[nodiscard]] code_form form() const noexcept { return form_; }
    [[nodiscard]] code least() const noexcept { return least_; }
    [[nodiscard]] code most() const noexcept { return most_; }
    /// Returns the local codes of all rows if the column has the form of bytes; shorts() and
    /// words() do so for theirs.
    [[nodiscard]] const std::uint8_t* bytes() const noexcept { return bytes_.data(); }
    [[nodiscard]] const std::uint16_t* shorts() const noexcept { return shorts_.data(); }
    [[nodiscard]] const code* words() const noexcept { return words_.data(); }

    /// Returns how many bytes are read for a row's code.
    [[nodiscard]] std::size_t width() const noexcept {
        constexpr std::size_t widths[] = {0, 1, 2, 4, 4};
        return widths[static_cast<std::size_t>(form_)];
    }

    /// Returns true if for_each() visits all codes. False in forms where most codes have one row.
    [[nodiscard]] bool lists_codes() const noexcept {
        return form_ != code_form::words && form_ != code_form::sequence;
    }

    /// Returns true if the block has too many codes to test them all instead of the rows.
    [[nodiscard]] bool has_many_codes() const noexcept {
        return form_ != code_form::constant && form_ != code_form::bytes;
    }

    /// Returns the code of a row.
    [[nodiscard]] code at(std::size_t row) const noexcept {
        switch (form_) {
            case code_form::constant: break;
            case code_form::bytes: return code_of_rank(bytes_[row]);
            case code_form::shorts: return code_of_place(shorts_[row]);
            case code_form::words: return words_[row];
            case code_form::sequence: return least_ + static_cast<code>(row);
        }
        return least_;
    }
    /// Returns the rows of a code; `count` is 0 if there are none.
    [[nodiscard]] code_rows find(code c) const noexcept {
        if (c < least_ || c > most_) return {};
        if (form_ == code_form::sequence) return {1, c, all_row_numbers() + (c - least_), nullptr};
        for (std::size_t i = 0; i < frequent_.size(); ++i) {
            if (frequent_[i].value == c) return frequent_rows(i);
        }
        return form_ == code_form::words ? find_in_words(c) : find_rare(c);
    }
    /// Returns the number of distinct codes that for_each() visits.
    [[nodiscard]] std::size_t codes() const noexcept { return frequent_.size() + rare_.size(); }
    /// Calls `visit(code, code_rows)` for each code with `wanted(code)`; only for frequent codes
    /// unless lists_codes().
    template <class Wanted, class Visit>
    void for_each(const Wanted& wanted, const Visit& visit) const {
        for (std::size_t i = 0; i < frequent_.size(); ++i) {
            if (wanted(frequent_[i].value)) visit(frequent_[i].value, frequent_rows(i));
        }
        for (std::size_t i = 0; i < rare_.size(); ++i) {
            if (wanted(rare_[i])) visit(rare_[i], rare_rows(i));
        }
    }

    /// Calls `visit(code, bitmap)` for each code that has a bitmap.
    template <class Visit>
    void for_each_bitmap(const Visit& visit) const {
        for (std::size_t i = 0; i < frequent_.size(); ++i) {
            if (const code_rows rows = frequent_rows(i); rows.bitmap)
                visit(frequent_[i].value, rows.bitmap);
        }
    }

    /// Returns the number of rows that are listed by their codes.
    [[nodiscard]] std::size_t listed_rows() const noexcept { return postings_.size(); }
    /// Returns the number of frequent codes; nullopt if one of them has no bitmap.
    [[nodiscard]] std::optional<std::size_t> bitmaps() const noexcept {
        const bool has_all = std::ranges::none_of(
            frequent_, [](const frequent_code& frequent) { return frequent.bitmap == no_bitmap; });
        return has_all ? std::optional(frequent_.size()) : std::nullopt;
    }

    /// Returns true if rows_before() is known.
    [[nodiscard]] bool has_counts() const noexcept { return has_counts_; }
    /// Returns the number of rows with a code in the blocks before this one.
    [[nodiscard]] std::size_t rows_before(code c) const noexcept {
        return c < before_.size() ? before_[c] : 0;
    }
    /// Returns the number of rows with a code in this block and those before it.
    [[nodiscard]] std::size_t rows_up_to_here(code c) const noexcept {
        return rows_before(c) + find(c).count;
    }

    /// Returns the memory use, in bytes.
    [[nodiscard]] table_stats::column_stats stats() const noexcept {
        const std::size_t list_begins = list_begins_.size() * sizeof(std::uint16_t);
        const bool spells_codes = form_ == code_form::shorts;  // local codes are list begins
        return {.codes = bytes_.size() + shorts_.size() * 2 + words_.size() * 4 +
                         (rare_.size() + search_keys_.size()) * sizeof(code) +
                         (spells_codes ? list_begins : 0),
                .index = postings_.size() * 2 + bitmaps_.size() * 8 + before_.size() * 8 +
                         frequent_.size() * sizeof(frequent_code) +
                         (spells_codes ? 0 : list_begins)};
    }

    void save(archive_writer& archive) const {
        archive.number(static_cast<std::uint64_t>(form_) << 1 | (has_counts_ ? 1 : 0));
        archive.number(std::uint64_t{most_} << 32 | least_);
        for_each_array(*this, [&](const auto& array) { archive.array(std::span(array)); });
    }
    /// Reads a column that views an archive.
    [[nodiscard]] static sealed_column open(archive_reader& archive) noexcept {
        sealed_column column;
        const std::uint64_t form =
            archive.number(2 * static_cast<std::uint64_t>(code_form::sequence) + 1);
        const std::uint64_t range = archive.number();
        column.form_ = static_cast<code_form>(form >> 1);
        column.has_counts_ = (form & 1) != 0;
        column.least_ = static_cast<code>(range);
        column.most_ = static_cast<code>(range >> 32);
        for_each_array(column,
                       [&]<class T>(stored_array<T>& array) { array = archive.array<T>(); });
        if (!column.is_sound()) archive.fail();
        return column;
    }

private:
    friend class column_sealer;
    static constexpr std::uint32_t no_bitmap = ~std::uint32_t{0};
    static constexpr std::size_t rare_step = 64;      // rare codes from one search key to the next
    static constexpr std::size_t posting_step = 256;  // postings from one search key to the next

    struct frequent_code {
        code value;
        std::uint32_t count;
        std::uint32_t local;
        std::uint32_t bitmap;  // index of the bitmap, or no_bitmap
    };

    /// Returns the code of a local code in the form of bytes.
    [[nodiscard]] code code_of_rank(std::size_t rank) const noexcept {
        return rank < rare_.size() ? rare_[rank] : frequent_[rank - rare_.size()].value;
    }
    /// Returns the code of a local code in the form of shorts.
    [[nodiscard]] code code_of_place(std::uint16_t place) const noexcept {
        if (place >= postings_.size()) {
            return std::ranges::find(frequent_, std::uint32_t{place}, &frequent_code::local)->value;
        }
        const auto after = std::ranges::upper_bound(list_begins_, place);
        return rare_[static_cast<std::size_t>(after - list_begins_.begin()) - 1];
    }
    /// Returns the rows of the frequent code at an index.
    [[nodiscard]] code_rows frequent_rows(std::size_t index) const noexcept {
        const frequent_code& frequent = frequent_[index];
        const bool has_bitmap = frequent.bitmap != no_bitmap;
        return {frequent.count, frequent.local, nullptr,
                has_bitmap ? bitmaps_.data() + frequent.bitmap * bitmap_words : nullptr};
    }
    /// Returns the rows of the rare code at an index.
    [[nodiscard]] code_rows rare_rows(std::size_t index) const noexcept {
        const std::size_t begin = list_begins_[index];
        const std::size_t end =
            index + 1 < list_begins_.size() ? list_begins_[index + 1] : postings_.size();
        return {end - begin, static_cast<std::uint32_t>(form_ == code_form::bytes ? index : begin),
                postings_.data() + begin, nullptr};
    }
    /// Finds a rare code in `rare`; no rows if it isn't there.
    [[nodiscard]] code_rows find_rare(code c) const noexcept {
        const auto [begin, end] = search_range(c, rare_step, rare_.size());
        const code* const last = rare_.data() + end;
        const code* const place = std::lower_bound(rare_.data() + begin, last, c);
        if (place == last || *place != c) return {};
        return rare_rows(static_cast<std::size_t>(place - rare_.data()));
    }
    /// Finds a rare code's run by the codes of the postings, in the form of words.
    [[nodiscard]] code_rows find_in_words(code c) const noexcept {
        const auto [begin, end] = search_range(c, posting_step, postings_.size());
        const auto code_of = [this](std::uint16_t row) { return words_[row]; };
        const auto place = [this](std::size_t at) { return postings_.data() + at; };
        const auto first = std::ranges::lower_bound(place(begin), place(end), c, {}, code_of);
        const auto at = static_cast<std::size_t>(first - postings_.data());
        std::size_t step = 1;  // runs are short: gallop to the end
        while (at + step < postings_.size() && words_[postings_[at + step - 1]] == c) step *= 2;
        const auto limit = place(std::min(at + step, postings_.size()));
        const auto last = std::ranges::upper_bound(first, limit, c, {}, code_of);
        return {static_cast<std::size_t>(last - first), c, postings_.data() + at, nullptr};
    }

    struct range {
        std::size_t begin, end;
    };
    /// Returns the range that contains the first occurrence of a code, if any, among `size` sorted
    /// codes. `search_keys_` is every `step`-th of these codes.
    [[nodiscard]] range search_range(code c, std::size_t step, std::size_t size) const noexcept {
        const auto key = std::ranges::lower_bound(search_keys_, c);
        const auto passed = static_cast<std::size_t>(key - search_keys_.begin());
        return {passed == 0 ? 0 : (passed - 1) * step, std::min(size, passed * step + 1)};
    }

    /// Visits the arrays, in their order in an archive.
    template <class Column, class Visit>
    static void for_each_array(Column& of, const Visit& visit) {
        visit(of.frequent_);
        visit(of.search_keys_);
        visit(of.rare_);
        visit(of.list_begins_);
        visit(of.postings_);
        visit(of.bitmaps_);
        visit(of.before_);
        visit(of.bytes_);
        visit(of.shorts_);
        visit(of.words_);
    }
    /// Returns true if the array sizes are consistent.
    [[nodiscard]] bool is_sound() const noexcept {
        const auto rows_of = [this](code_form form) { return form_ == form ? block_rows : 0; };
        const auto steps = [](std::size_t size, std::size_t step) {
            return (size + step - 1) / step;
        };
        const std::size_t keys = form_ == code_form::words ? steps(postings_.size(), posting_step)
                                                           : steps(rare_.size(), rare_step);
        return bytes_.size() == rows_of(code_form::bytes) &&
               shorts_.size() == rows_of(code_form::shorts) &&
               words_.size() == rows_of(code_form::words) && search_keys_.size() == keys &&
               (form_ != code_form::sequence || most_ - least_ == block_rows - 1) &&
               list_begins_.size() == rare_.size() && postings_.size() <= block_rows &&
               std::ranges::all_of(frequent_, [this](const frequent_code& frequent) {
                   return frequent.bitmap == no_bitmap ||
                          frequent.bitmap < bitmaps_.size() / bitmap_words;
               });
    }

    /// Views the first `words` words of `bitmap_memory_`.
    void view_bitmaps(std::size_t words) noexcept {
        bitmaps_ = stored_array<std::uint64_t>(std::span(bitmap_memory_.get(), words));
    }

    code_form form_ = code_form::constant;
    bool has_counts_ = false;
    code least_ = absent;
    code most_ = absent;
    stored_array<frequent_code> frequent_;
    stored_array<code> search_keys_;
    stored_array<code> rare_;
    stored_array<std::uint16_t> list_begins_;
    stored_array<std::uint16_t> postings_;
    std::shared_ptr<std::uint64_t[]> bitmap_memory_;  // null if `bitmaps_` views an archive
    stored_array<std::uint64_t> bitmaps_;
    stored_array<std::uint64_t> before_;
    stored_array<std::uint8_t> bytes_;
    stored_array<std::uint16_t> shorts_;
    stored_array<code> words_;
};

}  // namespace sluice::store

#endif
