// SPDX-License-Identifier: MIT
#ifndef SLUICE_ARROW_CODE_COLUMN_HPP
#define SLUICE_ARROW_CODE_COLUMN_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <sluice/arrow/array_view.hpp>
#include <sluice/arrow/row_bits.hpp>
#include <sluice/arrow/text_column.hpp>
#include <sluice/base/simd/kernels.hpp>
#include <sluice/base/simd_level.hpp>

/// Columns of codes, which are Arrow's dictionary indices, and the kernels that match them: a
/// column's rows are compared by their codes after each value of the dictionary was tested once.
namespace sluice::arrow {

namespace detail {

/// The wanted codes of a dictionary, in the forms that kernels need: a list if they are few, else
/// a bit for each code. It views `wanted`.
struct wanted_codes {
    /// `wanted` has a bit for each value of the dictionary; codes from `limit` on are ignored.
    wanted_codes(const row_bits& wanted, std::size_t limit) noexcept
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

    /// Returns true if `few` holds all codes.
    [[nodiscard]] bool is_few() const noexcept { return count <= few.size(); }
    /// Returns `few` in the type of a kernel's codes: the first `count` elements are the wanted
    /// codes, the rest is 0. Expects is_few().
    template <class Code>
    [[nodiscard]] std::array<Code, sluice::detail::simd::few_values> listed() const noexcept {
        std::array<Code, sluice::detail::simd::few_values> codes{};
        std::ranges::transform(few, codes.begin(),
                               [](auto code) { return static_cast<Code>(code); });
        return codes;
    }

    sluice::detail::simd::code_bits bits;
    std::array<std::uint32_t, sluice::detail::simd::few_values> few{};
    std::size_t count = 0;  ///< of codes in `few`; few.size() + 1 if they don't fit
};

/// Kernels over codes. They write a bit for each row, set if its code is in the set, and return the
/// largest code of all rows (0 without rows), so that the caller notices codes beyond the
/// dictionary.
struct code_kernels {
    std::uint16_t (*match_u16)(const std::uint16_t* codes, std::size_t rows,
                               const wanted_codes& set, std::uint64_t* hits);
    std::uint32_t (*match_u32)(const std::uint32_t* codes, std::size_t rows,
                               const wanted_codes& set, std::uint64_t* hits);
};

/// Returns the largest code; 0 without rows.
template <class Code>
Code largest_scalar(const Code* codes, std::size_t rows) {
    Code largest = 0;
    for (std::size_t row = 0; row < rows; ++row) largest = std::max(largest, codes[row]);
    return largest;
}

/// Implements code_kernels in two passes over a block of rows, one for the largest code, one for
/// the matches; the second finds the block in the L1 cache.
template <class Code, Code (*largest)(const Code*, std::size_t)>
Code match_codes(const Code* codes, std::size_t rows, const wanted_codes& set,
                 std::uint64_t* hits) {
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

/// Implements code_kernels in one pass.
template <class Code>
[[gnu::target("avx512f,avx512bw")]] Code match_codes_avx512(const Code* codes, std::size_t rows,
                                                            const wanted_codes& set,
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

}  // namespace detail

/// A column of codes, and the wanted rows of its dictionary. It views both, which must outlive it.
class code_column {
public:
    /// Maximum number of rows in a block. With codes of 32 bits they take half of the L1 cache.
    static constexpr std::size_t block_rows = 4'096;

    /// Opens the codes of rows that are counted from the array's first; `wanted` has a bit for
    /// each value of the dictionary. Error: fault::malformed.
    [[nodiscard]] static import_result<code_column> open(const data_type& type,
                                                         const ArrowArray& array,
                                                         row_span of_parent,
                                                         const row_bits& wanted) {
        const auto opened = array_view::open(&array, 2);
        if (!opened) return tl::unexpected(opened.error());
        const auto rows = opened->rows(of_parent);
        if (!rows) return tl::unexpected(rows.error());
        const auto codes = codes_in(*opened, type.width, rows->count);
        if (!codes) return tl::unexpected(codes.error());
        return code_column(type, *codes, *rows, opened->valid(), wanted);
    }

    [[nodiscard]] row_span rows() const noexcept { return rows_; }
    [[nodiscard]] const validity& valid() const noexcept { return valid_; }

    /// Writes a bit for each row of a block of at most block_rows, set if its code is wanted; those
    /// of rows without a value are unspecified. Returns false if a row with a value has a code
    /// that the dictionary lacks.
    [[nodiscard]] bool match(row_span block, std::uint64_t* hits) const {
        switch (width_) {
            case 1: return match_bytes(block, hits);
            case 2: return match_codes(codes_of<std::uint16_t>(block), block, hits);
            case 4: return match_codes(codes_of<std::uint32_t>(block), block, hits);
            default: return match_wide(block, hits);
        }
    }

private:
    /// Returns the buffer of codes, aligned to their width.
    static import_result<const void*> codes_in(const array_view& array, std::uint8_t width,
                                               std::size_t rows) {
        switch (width) {
            case 1: return array.buffer<std::uint8_t>(1, rows);
            case 2: return array.buffer<std::uint16_t>(1, rows);
            case 4: return array.buffer<std::uint32_t>(1, rows);
            default: return array.buffer<std::uint64_t>(1, rows);
        }
    }

    using byte_set = sluice::detail::simd::byte_set;

    code_column(const data_type& type, const void* codes, row_span rows, validity valid,
                const row_bits& wanted)
        : width_(type.width),
          codes_(codes),
          rows_(rows),
          valid_(valid),
          limit_(std::min<std::uint64_t>(wanted.size(), codes_of_type(type))),
          set_(wanted, limit_) {
        for (std::size_t code = 0; width_ == 1 && code < 256; ++code) {
            const auto byte = static_cast<std::uint8_t>(code);
            if (code >= limit_) beyond_.insert(byte);
            if (code < limit_ && wanted[code]) accepted_.insert(byte);
        }
    }
    /// Returns the number of codes that a type can express. A negative code is read as unsigned,
    /// so that it lies beyond them and counts as one that the dictionary lacks.
    static std::uint64_t codes_of_type(const data_type& type) noexcept {
        if (type.width == 8) return ~std::uint64_t{0} >> 1;
        return std::uint64_t{1} << (8 * type.width - (type.is_signed ? 1 : 0));
    }

    template <class Code>
    [[nodiscard]] const Code* codes_of(row_span block) const noexcept {
        return static_cast<const Code*>(codes_) + block.first;
    }

    /// Matches codes of 8 bits; a second pass finds those beyond the dictionary.
    [[nodiscard]] bool match_bytes(row_span block, std::uint64_t* hits) const {
        const auto& kernels = sluice::detail::simd::active_kernels();
        const auto* const codes = codes_of<std::uint8_t>(block);
        kernels.match_u8(codes, block.count, accepted_, hits);
        if (limit_ >= 256) return true;
        std::array<std::uint64_t, block_rows / 64> lost;
        kernels.match_u8(codes, block.count, beyond_, lost.data());
        for (std::size_t at = 0; at < block.count; at += 64) {
            const std::size_t rows = std::min<std::size_t>(64, block.count - at);
            if ((lost[at / 64] & valid_.word(block.first + at, rows)) != 0) return false;
        }
        return true;
    }

    /// Matches codes of 64 bits, clamped to 32 bits for the kernel.
    [[nodiscard]] bool match_wide(row_span block, std::uint64_t* hits) const {
        std::array<std::uint32_t, block_rows> cut;
        const auto* const codes = codes_of<std::uint64_t>(block);
        constexpr std::uint64_t most = 0xFFFF'FFFF;
        for (std::size_t i = 0; i < block.count; ++i) {
            const std::uint64_t code = codes[i];
            cut[i] = static_cast<std::uint32_t>(std::min(code, most));
        }
        return match_codes(cut.data(), block, hits);
    }

    /// Matches codes of 16 or 32 bits. If the largest lies beyond the dictionary, it looks for a
    /// row with a value that has such a code.
    template <class Code>
    [[nodiscard]] bool match_codes(const Code* codes, row_span block, std::uint64_t* hits) const {
        const auto& kernels = detail::active_code_kernels();
        std::uint64_t largest = 0;
        if constexpr (sizeof(Code) == 2) {
            largest = kernels.match_u16(codes, block.count, set_, hits);
        } else {
            largest = kernels.match_u32(codes, block.count, set_, hits);
        }
        if (largest < limit_) return true;
        for (std::size_t i = 0; i < block.count; ++i) {
            if (codes[i] >= limit_ && valid_[block.first + i]) return false;
        }
        return true;
    }

    std::uint8_t width_;
    const void* codes_;
    row_span rows_;
    validity valid_;
    std::uint64_t limit_;  // the first code that the dictionary lacks
    detail::wanted_codes set_;
    byte_set accepted_, beyond_;  // for codes of 8 bits: the wanted, and those from limit_ on
};

}  // namespace sluice::arrow

#endif
