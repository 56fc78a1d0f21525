// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_BLOCKS_BLOCK_NUMBERS_HPP
#define SLUICE_STORE_BLOCKS_BLOCK_NUMBERS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <sluice/base/simd/kernels.hpp>
#include <sluice/store/blocks/column_bits.hpp>
#include <sluice/store/blocks/open_block.hpp>
#include <sluice/store/numbers/number_list.hpp>
#include <sluice/store/numbers/number_ranges.hpp>
#include <sluice/store/texts/archive.hpp>
#include <sluice/store/texts/stored_array.hpp>

namespace sluice::store {

/// The numbers of a full block in one column, row by row: keys (see number_list), or decimals times
/// a power of ten that makes all of them integers. They are stored as their distances from the
/// least, in 2, 4 or 8 bytes a row. Immutable.
///
/// ```
/// 19.90  7  absent  20       scale 1: 199 70 - 200      least 70, most 200
///                            distances: 130 1 0 131     0 is an absent number, 1 the least
/// ```
class block_numbers {
public:
    /// Numbers in a range, as distances: `least` to `least` + `span`.
    struct distance_range {
        std::uint64_t least, span;
    };

    /// Makes an empty() object.
    block_numbers() = default;
    /// Copies the numbers of a full block's codes. The result is empty() if the block has no
    /// numbers, or if its decimals don't fit integers of one scale.
    block_numbers(const code* codes, const number_list& numbers) {
        const std::span<const std::int64_t> keys = numbers.keys();
        std::vector<std::int64_t> values(block_rows);
        for (std::size_t row = 0; row < block_rows; ++row) values[row] = keys[codes[row]];
        if (numbers.is_decimal() && !scale(values)) return;
        bool has_any = false;
        for (std::size_t row = 0; row < block_rows; ++row) {
            if (codes[row] == absent) {
                has_absent_ = true;
                continue;
            }
            least_ = has_any ? std::min(least_, values[row]) : values[row];
            most_ = has_any ? std::max(most_, values[row]) : values[row];
            has_any = true;
        }
        if (!has_any || span() == std::numeric_limits<std::uint64_t>::max()) return;
        if (span() < std::numeric_limits<std::uint16_t>::max()) {
            write(codes, values, shorts_);
        } else if (span() < std::numeric_limits<std::uint32_t>::max()) {
            write(codes, values, words_);
        } else {
            write(codes, values, longs_);
        }
    }

    /// Returns true if there are no numbers; the other functions expect some.
    [[nodiscard]] bool empty() const noexcept { return width() == 0; }
    /// Returns the decimals' scale; 0 for keys.
    [[nodiscard]] unsigned scale() const noexcept { return scale_; }
    [[nodiscard]] std::int64_t least() const noexcept { return least_; }
    [[nodiscard]] std::int64_t most() const noexcept { return most_; }
    /// Returns the number of bytes that are read for a row.
    [[nodiscard]] std::size_t width() const noexcept {
        return !shorts_.empty() ? 2U : !words_.empty() ? 4U : !longs_.empty() ? 8U : 0U;
    }

    /// Converts ranges of numbers to ranges of distances. Leaves out ranges beside the numbers of
    /// the block.
    [[nodiscard]] std::vector<distance_range> distances(std::span<const key_range> ranges) const {
        std::vector<distance_range> all;
        for (const key_range& range : ranges) {
            const std::int64_t first = std::max(range.least, least_);
            const std::int64_t last = std::min(range.most, most_);
            if (first <= last) all.push_back({distance(first), distance(last) - distance(first)});
        }
        return all;
    }
    /// Returns true if the numbers of all rows are in one of some ranges.
    [[nodiscard]] bool are_in(std::span<const distance_range> ranges) const noexcept {
        return !has_absent_ && std::ranges::any_of(ranges, [this](const distance_range& range) {
            return range.span == span();
        });
    }
    /// Returns true if a row's number is in one of some ranges.
    [[nodiscard]] bool is_in(std::size_t row,
                             std::span<const distance_range> ranges) const noexcept {
        const std::uint64_t number = !shorts_.empty()  ? shorts_[row]
                                     : !words_.empty() ? words_[row]
                                                       : longs_[row];
        return std::ranges::any_of(ranges, [number](const distance_range& range) {
            return number - range.least <= range.span;
        });
    }
    /// Calls `visit(i, number)` with the number of each of some rows that has one, by the row's
    /// index among them.
    template <class Visit>
    void for_each(std::span<const std::uint16_t> rows, const Visit& visit) const {
        const auto visit_all = [&](const auto& distances) {
            for (std::size_t i = 0; i < rows.size(); ++i) {
                const std::uint64_t distance = distances[rows[i]];
                if (distance == 0) continue;
                visit(i,
                      static_cast<std::int64_t>(static_cast<std::uint64_t>(least_) + distance - 1));
            }
        };
        if (!shorts_.empty()) {
            visit_all(shorts_);
        } else if (!words_.empty()) {
            visit_all(words_);
        } else {
            visit_all(longs_);
        }
    }
    /// Writes the bits of rows whose number is in one of some ranges.
    void match(std::span<const distance_range> ranges, const bits_range& output,
               const sluice::detail::simd::kernels& by) const {
        if (ranges.empty()) return clear(output);
        match(ranges.front(), output, by);
        for (const distance_range& range : ranges.subspan(1)) {
            std::array<std::uint64_t, block_rows / 64> others;
            match(range, {output.first_word, output.words, others.data()}, by);
            by.unite(output.bits, others.data(), output.words);
        }
    }

    void save(archive_writer& archive) const {
        archive.number(static_cast<std::uint64_t>(least_));
        archive.number(static_cast<std::uint64_t>(most_));
        archive.number(std::uint64_t{scale_} << 1 | (has_absent_ ? 1 : 0));
        archive.array(std::span(shorts_));
        archive.array(std::span(words_));
        archive.array(std::span(longs_));
    }
    /// Reads numbers that view an archive.
    [[nodiscard]] static block_numbers open(archive_reader& archive) noexcept {
        block_numbers numbers;
        numbers.least_ = static_cast<std::int64_t>(archive.number());
        numbers.most_ = static_cast<std::int64_t>(archive.number());
        const std::uint64_t form = archive.number(2 * std::uint64_t{scaled_decimal::scale_max} + 1);
        numbers.scale_ = static_cast<unsigned>(form >> 1);
        numbers.has_absent_ = (form & 1) != 0;
        numbers.shorts_ = archive.array<std::uint16_t>();
        numbers.words_ = archive.array<std::uint32_t>();
        numbers.longs_ = archive.array<std::uint64_t>();
        const auto is_sound = [](const auto& array) {
            return array.empty() || array.size() == block_rows;
        };
        if (!is_sound(numbers.shorts_) || !is_sound(numbers.words_) || !is_sound(numbers.longs_))
            archive.fail();
        return numbers;
    }

private:
    void match(const distance_range& range, const bits_range& output,
               const sluice::detail::simd::kernels& by) const {
        const std::size_t first = output.first_word * 64, rows = output.words * 64;
        if (!shorts_.empty()) {
            by.match_range_u16(shorts_.data() + first, rows,
                               static_cast<std::uint16_t>(range.least),
                               static_cast<std::uint16_t>(range.span), output.bits);
        } else if (!words_.empty()) {
            by.match_range_u32(words_.data() + first, rows, static_cast<std::uint32_t>(range.least),
                               static_cast<std::uint32_t>(range.span), output.bits);
        } else {
            by.match_range_u64(longs_.data() + first, rows, range.least, range.span, output.bits);
        }
    }
    /// Replaces packed decimals by integers of one scale. Returns false if they don't fit.
    [[nodiscard]] bool scale(std::span<std::int64_t> packed) {
        for (const std::int64_t number : packed) {
            const auto unpacked = scaled_decimal::unpack(number);
            if (!unpacked) return false;
            scale_ = std::max(scale_, unpacked->scale());
        }
        for (std::int64_t& number : packed) {
            const auto scaled = scaled_decimal::unpack(number)->at_scale(scale_);
            if (!scaled) return false;
            number = *scaled;
        }
        return true;
    }
    [[nodiscard]] std::uint64_t span() const noexcept {
        return static_cast<std::uint64_t>(most_) - static_cast<std::uint64_t>(least_);
    }
    [[nodiscard]] std::uint64_t distance(std::int64_t number) const noexcept {
        return static_cast<std::uint64_t>(number) - static_cast<std::uint64_t>(least_) + 1;
    }
    template <class Distance>
    void write(const code* codes, std::span<const std::int64_t> values,
               stored_array<Distance>& to) const {
        const std::span<Distance> all = to.resize(block_rows);
        for (std::size_t row = 0; row < block_rows; ++row) {
            all[row] =
                codes[row] == absent ? Distance{0} : static_cast<Distance>(distance(values[row]));
        }
    }

    std::int64_t least_ = 0, most_ = 0;
    unsigned scale_ = 0;
    bool has_absent_ = false;
    stored_array<std::uint16_t> shorts_;
    stored_array<std::uint32_t> words_;
    stored_array<std::uint64_t> longs_;
};

}  // namespace sluice::store

#endif
