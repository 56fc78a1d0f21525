// SPDX-License-Identifier: MIT
#ifndef SLUICE_ARROW_DETAIL_CODE_KERNELS_HPP
#define SLUICE_ARROW_DETAIL_CODE_KERNELS_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <sluice/arrow/row_bits.hpp>
#include <sluice/base/simd/kernels.hpp>
#include <sluice/base/simd_level.hpp>

namespace sluice::arrow::detail {

/// The wanted codes of a dictionary, in the forms that kernels need.
struct code_set {
    /// `wanted` has a bit for each value of the dictionary; codes from `limit` on are ignored.
    code_set(const row_bits& wanted, std::size_t limit) noexcept
        : bits{wanted.words().data(), limit, false} {
        for (std::size_t word = 0; word < words_of(limit) && is_few(); ++word) {
            std::uint64_t left = wanted.words()[word] & low_bits(limit - word * 64);
            for (; left != 0 && is_few(); left &= left - 1) {
                if (count < few.size()) {
                    few[count] = static_cast<std::uint32_t>(word * 64) +
                                 static_cast<std::uint32_t>(std::countr_zero(left));
                }
                ++count;
            }
        }
    }

    [[nodiscard]] bool is_few() const noexcept { return count <= few.size(); }
    /// Returns the codes, if they are few.
    template <class Code>
    [[nodiscard]] std::array<Code, sluice::detail::simd::few_values> listed() const noexcept {
        std::array<Code, sluice::detail::simd::few_values> codes{};
        std::ranges::transform(few, codes.begin(),
                               [](auto code) { return static_cast<Code>(code); });
        return codes;
    }

    sluice::detail::simd::code_bits bits;
    std::array<std::uint32_t, sluice::detail::simd::few_values> few{};
    std::size_t count = 0;  ///< of `few`, or one more if they don't fit
};

/// Kernels over codes. Each writes the bits of rows whose code is in a set, and returns the largest
/// code of all rows (0 without rows), so that codes which the dictionary lacks are found, too.
struct code_kernels {
    std::uint16_t (*match_u16)(const std::uint16_t* codes, std::size_t rows, const code_set& set,
                               std::uint64_t* hits);
    std::uint32_t (*match_u32)(const std::uint32_t* codes, std::size_t rows, const code_set& set,
                               std::uint64_t* hits);
};

template <class Code>
Code largest_scalar(const Code* codes, std::size_t rows) {
    Code largest = 0;
    for (std::size_t row = 0; row < rows; ++row) largest = std::max(largest, codes[row]);
    return largest;
}

/// Makes two passes over a block of rows: the second finds it in the L1 cache.
template <class Code, Code (*largest)(const Code*, std::size_t)>
Code match_codes(const Code* codes, std::size_t rows, const code_set& set, std::uint64_t* hits) {
    const Code largest_code = largest(codes, rows);
    const auto& kernels = sluice::detail::simd::active_kernels();
    const auto few = set.listed<Code>();
    if constexpr (sizeof(Code) == 2) {
        if (set.is_few()) {
            kernels.match_few_u16(codes, rows, few.data(), set.count, hits);
        } else {
            kernels.match_u16(codes, rows, set.bits, hits);
        }
    } else if (set.is_few()) {
        kernels.match_few_u32(codes, rows, few.data(), set.count, hits);
    } else {
        kernels.match_u32(codes, rows, set.bits, hits);
    }
    return largest_code;
}

inline constexpr code_kernels scalar_code_kernels{
    match_codes<std::uint16_t, largest_scalar<std::uint16_t>>,
    match_codes<std::uint32_t, largest_scalar<std::uint32_t>>};

#if defined(__x86_64__)

template <class Code>
[[gnu::target("avx2")]] Code largest_avx2(const Code* codes, std::size_t rows) noexcept {
    constexpr std::size_t step = 32 / sizeof(Code);
    __m256i largest = _mm256_setzero_si256();
    std::size_t row = 0;
    for (; row + step <= rows; row += step) {
        const __m256i next = sluice::detail::simd::load_avx2(codes + row);
        largest =
            sizeof(Code) == 2 ? _mm256_max_epu16(largest, next) : _mm256_max_epu32(largest, next);
    }
    std::array<Code, step> lanes;
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(lanes.data()), largest);
    return std::max(largest_scalar(lanes.data(), step), largest_scalar(codes + row, rows - row));
}

inline constexpr code_kernels avx2_code_kernels{
    match_codes<std::uint16_t, largest_avx2<std::uint16_t>>,
    match_codes<std::uint32_t, largest_avx2<std::uint32_t>>};

/// Makes one pass.
template <class Code>
[[gnu::target("avx512f,avx512bw")]] Code match_codes_avx512(const Code* codes, std::size_t rows,
                                                            const code_set& set,
                                                            std::uint64_t* hits) noexcept {
    sluice::detail::simd::track_max_avx512<Code> largest;
    if (set.is_few()) {
        const auto few = set.listed<Code>();
        sluice::detail::simd::match_few_avx512(codes, rows, few.data(), set.count, hits, largest);
    } else {
        sluice::detail::simd::match_table_avx512(codes, rows, set.bits, hits, largest);
    }
    return largest.value();
}

inline constexpr code_kernels avx512_code_kernels{match_codes_avx512<std::uint16_t>,
                                                  match_codes_avx512<std::uint32_t>};

#endif

/// Returns the kernels of the active SIMD level.
[[nodiscard]] inline const code_kernels& active_code_kernels() noexcept {
    switch (active_simd_level()) {
#if defined(__x86_64__)
        case simd_level::avx512:
        case simd_level::avx512_vbmi: return avx512_code_kernels;
        case simd_level::avx2: return avx2_code_kernels;
#endif
        default: return scalar_code_kernels;
    }
}

}  // namespace sluice::arrow::detail

#endif
