// SPDX-License-Identifier: MIT
#ifndef SLUICE_ARROW_FIXED_TEXT_HPP
#define SLUICE_ARROW_FIXED_TEXT_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include <sluice/arrow/filter_mask.hpp>

/// Masks of NumPy's arrays of text, whose rows all have the same width.
namespace sluice::arrow {

/// Rows of text of one width, each padded with zeros, as NumPy's `S` and `U` arrays lay them out.
/// It views the array.
struct fixed_text {
    const char* data = nullptr;  ///< aligned to `unit`
    std::size_t rows = 0;
    std::size_t width = 0;  ///< units per row
    std::size_t unit = 1;   ///< bytes per unit: 1 for bytes, 4 for native-endian UTF-32
};

namespace detail {

/// Appends a code point as UTF-8. A number that isn't a character, such as a lone surrogate,
/// becomes three U+FFFD.
inline void append_utf8(std::string& out, std::uint32_t c) {
    const auto byte = [&](std::uint32_t value) { out.push_back(static_cast<char>(value)); };
    if (c < 0x80) return byte(c);
    if (c < 0x800) {
        byte(0xC0 | c >> 6);
    } else if ((c >= 0xD800 && c < 0xE000) || c > 0x10'FFFF) {
        out.append("\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
        return;
    } else if (c < 0x1'0000) {
        byte(0xE0 | c >> 12);
        byte(0x80 | (c >> 6 & 0x3F));
    } else {
        byte(0xF0 | c >> 18);
        byte(0x80 | (c >> 12 & 0x3F));
        byte(0x80 | (c >> 6 & 0x3F));
    }
    byte(0x80 | (c & 0x3F));
}

/// A block of fixed rows as UTF-8, without their padding: row i is bytes[offsets[i]] up to
/// bytes[offsets[i + 1]].
struct packed_block {
    std::array<std::int32_t, block_rows + 1> offsets{};
    std::string bytes{};
};

/// Appends a row of `width` units as UTF-8, without its padding.
inline void append_row(std::string& out, const char* at, std::size_t width) {
    while (width > 0 && at[width - 1] == '\0') --width;
    out.append(at, width);
}
inline void append_row(std::string& out, const std::uint32_t* at, std::size_t width) {
    while (width > 0 && at[width - 1] == 0) --width;
    for (std::size_t i = 0; i < width; ++i) append_utf8(out, at[i]);
}

/// Converts a block of rows, whose units are of type `Unit`.
template <class Unit>
void pack(const fixed_text& text, row_span block, packed_block& packed) {
    const auto* const first = reinterpret_cast<const Unit*>(text.data);
    packed.bytes.clear();
    for (std::size_t i = 0; i < block.count; ++i) {
        append_row(packed.bytes, first + (block.first + i) * text.width, text.width);
        packed.offsets[i + 1] = static_cast<std::int32_t>(packed.bytes.size());
    }
    packed.bytes.append(key_whole_max, '\0');  // kernels read 12 bytes from each start
}

/// Sets the bits of a block's rows that have a value of the filter. Kernels compare the texts'
/// first bytes, if the collation allows, and leave the rest in `maybe` to compare in full.
inline void match_packed(const packed_block& packed, std::size_t rows, const row_filter& wanted,
                         block_words& hits) {
    block_words maybe{};
    const auto text = [&](std::size_t row) {
        const auto begin = static_cast<std::size_t>(packed.offsets[row]);
        return std::string_view(packed.bytes)
            .substr(begin, static_cast<std::size_t>(packed.offsets[row + 1]) - begin);
    };
    if (const key_set* const set = wanted.whole_texts()) {
        active_text_kernels().match_offsets(packed.offsets.data(), packed.bytes.data(), rows, *set,
                                            {hits.data(), maybe.data()});
    } else {
        maybe.fill(~std::uint64_t{0});
    }
    for (std::size_t row = 0; row < rows; ++row) {
        if ((maybe[row / 64] >> (row % 64) & 1) == 0 || !wanted.matches_any_value(text(row))) {
            continue;
        }
        hits[row / 64] |= std::uint64_t{1} << (row % 64);
    }
}

}  // namespace detail

/// Returns the rows of fixed-width text that pass a filter. Zeros at the end of a row aren't part
/// of it. Error: fault::unsupported, for rows so wide that a block of them exceeds 2 GB.
[[nodiscard]] inline import_result<row_bits> fixed_mask(const fixed_text& text,
                                                        const row_filter& wanted) {
    // A unit becomes at most 9 bytes, three U+FFFD; offsets of 32 bits address 2 GB.
    constexpr std::size_t widest = (std::size_t{1} << 31) / (9 * detail::block_rows) - 1;
    if (text.width > widest) return refuse(fault::unsupported, "rows that are too wide");
    if (wanted.empty()) return row_bits(text.rows, true);
    row_bits passes;
    passes.reserve(text.rows);
    detail::packed_block packed;
    auto done = detail::for_each_block({0, text.rows}, [&](row_span block) -> import_result<void> {
        detail::block_words hits{};
        if (text.unit == 1) detail::pack<char>(text, block, packed);
        if (text.unit == 4) detail::pack<std::uint32_t>(text, block, packed);
        detail::match_packed(packed, block.count, wanted, hits);
        passes.append(detail::words_in(hits, block.count), block.count);
        return {};
    });
    if (!done) return tl::unexpected(std::move(done.error()));
    if (wanted.excludes()) detail::flip(passes);
    return passes;
}

}  // namespace sluice::arrow

#endif
