// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_BLOCKS_SEALED_COLUMN_HPP
#define SLUICE_STORE_BLOCKS_SEALED_COLUMN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>

#include <sluice/store/blocks/open_block.hpp>
#include <sluice/store/blocks/table_stats.hpp>
#include <sluice/store/texts/archive_reader.hpp>
#include <sluice/store/texts/archive_writer.hpp>
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
    std::uint32_t local = 0;                ///< number of the code among the block's codes
    const std::uint16_t* run = nullptr;     ///< `count` row numbers, ascending
    const std::uint64_t* bitmap = nullptr;  ///< `bitmap_words` words
};

/// The encoding of a sealed column's codes.
enum class code_form : std::uint8_t {
    constant,  ///< one code in all rows; nothing is stored
    bytes,     ///< at most 256 codes: their ranks among the block's codes
    shorts,    ///< more codes: the start of a code's run in `postings`, see sealed_column
    words,     ///< too many codes for a dictionary to pay: the codes themselves
    sequence,  ///< each code is one more than the row before, as in new ids; nothing is stored
};

/// Returns the numbers of all rows of a block, ascending. In the form of a sequence, the row list
/// of a code is one of them.
[[nodiscard]] inline const std::uint16_t* all_row_numbers() noexcept {
    static const auto numbers = [] {
        std::vector<std::uint16_t> made(block_rows);
        std::iota(made.begin(), made.end(), std::uint16_t{0});
        return made;
    }();
    return numbers.data();
}

/// A column of a full block. Immutable. Frequent and rare codes are indexed differently:
///
/// ```
/// heavy codes (count > 4,096)   | code, count, bitmap of 8 KiB |
/// light codes (all others)      | lights:   code 3 | code 7 | code 9 ...     sorted
///                               | firsts:   0      | 2      | 5      ...     run of each code
///                               | postings: 12 900 | 3 4 77 | 1 ...          row numbers
/// ```
///
/// `postings` are the rows sorted by (code, row), so that the rows of a code are one run. Columns
/// in the form of words have no `lights` and `firsts`: a run is found by binary search over the
/// codes of the postings. If counts and bitmaps would make the index exceed 2 bytes a row, the
/// longest runs are dropped, and their codes become heavy ones without a bitmap.
///
/// `before` is the number of rows of each code in the blocks before this one. It exists if all
/// codes up to this block are below `counted_codes`.
class sealed_column {
public:
    static constexpr std::size_t counted_codes = 1024;

    [[nodiscard]] code_form form() const noexcept { return form_; }
    [[nodiscard]] code least() const noexcept { return least_; }
    [[nodiscard]] code most() const noexcept { return most_; }
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
        for (std::size_t i = 0; i < heavies_.size(); ++i) {
            if (heavies_[i].value == c) return heavy_rows(i);
        }
        return form_ == code_form::words ? find_in_words(c) : find_light(c);
    }
    /// Returns the number of distinct codes that for_each() visits.
    [[nodiscard]] std::size_t codes() const noexcept { return heavies_.size() + lights_.size(); }
    /// Calls `visit(code, code_rows)` for each code with `wanted(code)`; only for heavy codes
    /// unless lists_codes().
    template <class Wanted, class Visit>
    void for_each(const Wanted& wanted, const Visit& visit) const {
        for (std::size_t i = 0; i < heavies_.size(); ++i) {
            if (wanted(heavies_[i].value)) visit(heavies_[i].value, heavy_rows(i));
        }
        for (std::size_t i = 0; i < lights_.size(); ++i) {
            if (wanted(lights_[i])) visit(lights_[i], light_rows(i));
        }
    }

    /// Calls `visit(code, bitmap)` for each code that has a bitmap.
    template <class Visit>
    void for_each_bitmap(const Visit& visit) const {
        for (std::size_t i = 0; i < heavies_.size(); ++i) {
            if (const code_rows rows = heavy_rows(i); rows.bitmap)
                visit(heavies_[i].value, rows.bitmap);
        }
    }

    /// Returns true if rows_before() is known.
    [[nodiscard]] bool has_counts() const noexcept { return has_counts_; }
    /// Returns the number of rows with a code in the blocks before this one.
    [[nodiscard]] std::size_t rows_before(code c) const noexcept {
        return c < before_.size() ? before_[c] : 0;
    }
    [[nodiscard]] std::size_t rows_up_to_here(code c) const noexcept {
        return rows_before(c) + find(c).count;
    }

    [[nodiscard]] table_stats::column_stats stats() const noexcept {
        const std::size_t firsts = firsts_.size() * sizeof(std::uint16_t);
        const bool spells_codes = form_ == code_form::shorts;
        return {.codes = bytes_.size() + shorts_.size() * 2 + words_.size() * 4 +
                         (lights_.size() + fences_.size()) * sizeof(code) +
                         (spells_codes ? firsts : 0),
                .index = postings_.size() * 2 + bitmaps_.size() * 8 + before_.size() * 8 +
                         heavies_.size() * sizeof(heavy) + (spells_codes ? 0 : firsts)};
    }

    void save(archive_writer& to) const {
        to.number(static_cast<std::uint64_t>(form_) << 1 | (has_counts_ ? 1 : 0));
        to.number(std::uint64_t{most_} << 32 | least_);
        for_each_array(*this, [&](const auto& each) { to.array(std::span(each)); });
    }
    /// Reads a column that views an archive.
    [[nodiscard]] static sealed_column open(archive_reader& from) noexcept {
        sealed_column made;
        const std::uint64_t form =
            from.number(2 * static_cast<std::uint64_t>(code_form::sequence) + 1);
        const std::uint64_t range = from.number();
        made.form_ = static_cast<code_form>(form >> 1);
        made.has_counts_ = (form & 1) != 0;
        made.least_ = static_cast<code>(range);
        made.most_ = static_cast<code>(range >> 32);
        for_each_array(made, [&]<class T>(stored_array<T>& each) { each = from.array<T>(); });
        if (!made.is_sound()) from.fail();
        return made;
    }

private:
    friend class column_sealer;
    static constexpr std::uint32_t no_bitmap = ~std::uint32_t{0};
    static constexpr std::size_t light_step = 64;     // lights from one search key to the next
    static constexpr std::size_t posting_step = 256;  // postings from one search key to the next

    struct heavy {
        code value;
        std::uint32_t count;
        std::uint32_t local;
        std::uint32_t bitmap;  // index of the bitmap, or no_bitmap
    };

    [[nodiscard]] code code_of_rank(std::size_t rank) const noexcept {
        return rank < lights_.size() ? lights_[rank] : heavies_[rank - lights_.size()].value;
    }
    [[nodiscard]] code code_of_place(std::uint16_t place) const noexcept {
        if (place >= postings_.size()) {
            return std::ranges::find(heavies_, std::uint32_t{place}, &heavy::local)->value;
        }
        const auto after = std::ranges::upper_bound(firsts_, place);
        return lights_[static_cast<std::size_t>(after - firsts_.begin()) - 1];
    }
    [[nodiscard]] code_rows heavy_rows(std::size_t index) const noexcept {
        const heavy& found = heavies_[index];
        const bool is_listed = found.bitmap != no_bitmap;
        return {found.count, found.local, nullptr,
                is_listed ? bitmaps_.data() + found.bitmap * bitmap_words : nullptr};
    }
    [[nodiscard]] code_rows light_rows(std::size_t index) const noexcept {
        const std::size_t begin = firsts_[index];
        const std::size_t end = index + 1 < firsts_.size() ? firsts_[index + 1] : postings_.size();
        return {end - begin, static_cast<std::uint32_t>(form_ == code_form::bytes ? index : begin),
                postings_.data() + begin, nullptr};
    }
    [[nodiscard]] code_rows find_light(code c) const noexcept {
        const auto [begin, end] = between_fences(c, light_step, lights_.size());
        const code* const last = lights_.data() + end;
        const code* const found = std::lower_bound(lights_.data() + begin, last, c);
        if (found == last || *found != c) return {};
        return light_rows(static_cast<std::size_t>(found - lights_.data()));
    }
    [[nodiscard]] code_rows find_in_words(code c) const noexcept {
        const auto [begin, end] = between_fences(c, posting_step, postings_.size());
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
    /// codes. `fences_` is every `step`-th of these codes.
    [[nodiscard]] range between_fences(code c, std::size_t step, std::size_t size) const noexcept {
        const auto fence = std::ranges::lower_bound(fences_, c);
        const auto passed = static_cast<std::size_t>(fence - fences_.begin());
        return {passed == 0 ? 0 : (passed - 1) * step, std::min(size, passed * step + 1)};
    }

    /// Visits the arrays, in their order in an archive.
    template <class Column, class Visit>
    static void for_each_array(Column& of, const Visit& visit) {
        visit(of.heavies_);
        visit(of.fences_);
        visit(of.lights_);
        visit(of.firsts_);
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
        const std::size_t fences = form_ == code_form::words ? steps(postings_.size(), posting_step)
                                                             : steps(lights_.size(), light_step);
        return bytes_.size() == rows_of(code_form::bytes) &&
               shorts_.size() == rows_of(code_form::shorts) &&
               words_.size() == rows_of(code_form::words) && fences_.size() == fences &&
               (form_ != code_form::sequence || most_ - least_ == block_rows - 1) &&
               firsts_.size() == lights_.size() && postings_.size() <= block_rows &&
               std::ranges::all_of(heavies_, [this](const heavy& each) {
                   return each.bitmap == no_bitmap || each.bitmap < bitmaps_.size() / bitmap_words;
               });
    }

    /// Views the first `words` words of its own bitmaps.
    void view_bitmaps(std::size_t words) noexcept {
        bitmaps_ = stored_array<std::uint64_t>(std::span(own_bitmaps_.get(), words));
    }

    code_form form_ = code_form::constant;
    bool has_counts_ = false;
    code least_ = absent;
    code most_ = absent;
    stored_array<heavy> heavies_;
    stored_array<code> fences_;
    stored_array<code> lights_;
    stored_array<std::uint16_t> firsts_;
    stored_array<std::uint16_t> postings_;
    std::shared_ptr<std::uint64_t[]> own_bitmaps_;  // null if `bitmaps_` views an archive
    stored_array<std::uint64_t> bitmaps_;
    stored_array<std::uint64_t> before_;
    stored_array<std::uint8_t> bytes_;
    stored_array<std::uint16_t> shorts_;
    stored_array<code> words_;
};

}  // namespace sluice::store

#endif
