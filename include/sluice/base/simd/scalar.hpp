// SPDX-License-Identifier: MIT
#ifndef SLUICE_BASE_SIMD_SCALAR_HPP
#define SLUICE_BASE_SIMD_SCALAR_HPP

#include <algorithm>

#include <sluice/base/simd/shared.hpp>

/// The scalar kernels, without vectors. kernel_table.hpp says what kernels do.
namespace sluice::detail::simd {

/// Returns the bits of up to 64 rows. `matches(code)` returns 1 or 0.
template <class Code, class Matches>
[[nodiscard]] std::uint64_t match_word(const Code* codes, std::size_t rows,
                                       const Matches& matches) noexcept {
    std::uint64_t word = 0;
    for (std::size_t row = 0; row < rows; ++row) word |= matches(codes[row]) << row;
    return word;
}

template <class Code, class Matches>
void match_rows(const Code* codes, std::size_t rows, std::uint64_t* bitmap,
                const Matches& matches) noexcept {
    const std::size_t whole = rows / word_rows;
    for (std::size_t word = 0; word < whole; ++word, codes += word_rows) {
        bitmap[word] = match_word(codes, word_rows, matches);
    }
    if (const std::size_t rest = rows % word_rows; rest != 0) {
        bitmap[whole] = match_word(codes, rest, matches);
    }
}

inline void match_u8_scalar(const std::uint8_t* codes, std::size_t rows, const byte_set& accepted,
                            std::uint64_t* bitmap) noexcept {
    match_rows(codes, rows, bitmap, [bits = accepted.bits](std::uint8_t code) {
        return bits[code / 64U] >> (code % 64U) & 1;
    });
}

template <class Code>
void match_table_scalar(const Code* codes, std::size_t rows, const code_bits& accepted,
                        std::uint64_t* bitmap) noexcept {
    const std::uint64_t others = accepted.others ? 1 : 0;
    match_rows(codes, rows, bitmap,
               [=, words = accepted.words, known = accepted.codes](Code value) {
                   return value < known ? words[value / 64U] >> (value % 64U) & 1 : others;
               });
}

template <class Code>
void match_few_scalar(const Code* codes, std::size_t rows, const Code* values, std::size_t count,
                      std::uint64_t* bitmap) noexcept {
    match_rows(codes, rows, bitmap, [=](Code value) {
        std::uint64_t match = 0;
        for (std::size_t i = 0; i < count; ++i) match |= value == values[i] ? 1U : 0U;
        return match;
    });
}

template <class Number>
void match_range_scalar(const Number* numbers, std::size_t rows, Number least, Number span,
                        std::uint64_t* bitmap) noexcept {
    match_rows(numbers, rows, bitmap, [=](Number value) {
        return std::uint64_t{static_cast<Number>(value - least) <= span};
    });
}

inline std::size_t count_u8_scalar(const std::uint8_t* codes, std::size_t rows,
                                   const byte_set& accepted) noexcept {
    std::size_t count = 0;
    for (std::size_t row = 0; row < rows; ++row) {
        count += accepted.bits[codes[row] / 64U] >> (codes[row] % 64U) & 1;
    }
    return count;
}

inline std::size_t count_all_scalar(const std::uint64_t* const* bitmaps, std::size_t count,
                                    std::size_t words) noexcept {
    return count_all_words(bitmaps, count, 0, words);
}

inline std::size_t count_bits_scalar(const std::uint64_t* bitmap, std::size_t words) noexcept {
    return count_all_words(&bitmap, 1, 0, words);
}

template <bit_operation operation>
void combine_scalar(std::uint64_t* into, const std::uint64_t* with, std::size_t words) noexcept {
    combine_words<operation>(into, with, 0, words);
}

inline std::size_t list_rows_scalar(const std::uint64_t* bitmap, std::size_t words,
                                    std::uint16_t* rows) noexcept {
    std::uint16_t* next = rows;
    for (std::size_t word = 0; word < words; ++word) {
        next = list_word(bitmap[word], word * word_rows, next);
    }
    return static_cast<std::size_t>(next - rows);
}

inline std::size_t find_quoted_scalar(const char* text, std::size_t begin, std::size_t size,
                                      const after_quote& wanted) noexcept {
    const auto is_wanted = [&](char byte) {
        const auto end = wanted.bytes.begin() + static_cast<std::ptrdiff_t>(wanted.count);
        return std::find(wanted.bytes.begin(), end, byte) != end;
    };
    for (std::size_t at = begin; at + 1 < size; ++at) {
        if (text[at] == '\\' || (text[at] == '"' && is_wanted(text[at + 1]))) return at;
    }
    return size;
}

inline std::size_t find_pair_scalar(const char* text, std::size_t begin, std::size_t size,
                                    const byte_pair& wanted) noexcept {
    for (std::size_t at = begin; at + wanted.distance < size; ++at) {
        if (text[at] == wanted.first && text[at + wanted.distance] == wanted.last) return at;
    }
    return size;
}

inline constexpr kernels scalar_kernels{
    .match_u8 = match_u8_scalar,
    .match_u16 = match_table_scalar<std::uint16_t>,
    .match_u32 = match_table_scalar<std::uint32_t>,
    .match_few_u16 = match_few_scalar<std::uint16_t>,
    .match_few_u32 = match_few_scalar<std::uint32_t>,
    .match_range_u16 = match_range_scalar<std::uint16_t>,
    .match_range_u32 = match_range_scalar<std::uint32_t>,
    .match_range_u64 = match_range_scalar<std::uint64_t>,
    .count_u8 = count_u8_scalar,
    .count_bits = count_bits_scalar,
    .count_all = count_all_scalar,
    .intersect = combine_scalar<bit_operation::intersect>,
    .subtract = combine_scalar<bit_operation::subtract>,
    .unite = combine_scalar<bit_operation::unite>,
    .list_rows = list_rows_scalar,
    .find_quoted = find_quoted_scalar,
    .find_pair = find_pair_scalar,
};

}  // namespace sluice::detail::simd

#endif
