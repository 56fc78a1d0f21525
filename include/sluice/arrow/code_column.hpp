// SPDX-License-Identifier: MIT
#ifndef SLUICE_ARROW_CODE_COLUMN_HPP
#define SLUICE_ARROW_CODE_COLUMN_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <sluice/arrow/array_view.hpp>
#include <sluice/arrow/detail/code_kernels.hpp>
#include <sluice/arrow/text_column.hpp>
#include <sluice/base/simd/kernels.hpp>

namespace sluice::arrow {

/// A column of codes, and the wanted rows of its dictionary. It views both.
class code_column {
public:
    /// Maximum number of rows in a block. With codes of 32 bits they take half of the L1 cache.
    static constexpr std::size_t block_rows = 4'096;

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

    /// Writes the bits of a block's rows. Returns false if a row with a value has a code that the
    /// dictionary lacks.
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
    /// Returns the number of possible codes. A negative one reads as one beyond all positive ones.
    static std::uint64_t codes_of_type(const data_type& type) noexcept {
        if (type.width == 8) return ~std::uint64_t{0} >> 1;
        return std::uint64_t{1} << (8 * type.width - (type.is_signed ? 1 : 0));
    }

    template <class Code>
    [[nodiscard]] const Code* codes_of(row_span block) const noexcept {
        return static_cast<const Code*>(codes_) + block.first;
    }

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

    /// Matches codes of 64 bits, clamped to 32.
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

    /// The largest code shows if the dictionary lacks one, unless it is in a row without a value.
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
    std::uint64_t limit_;  // the first code without a value
    detail::code_set set_;
    byte_set accepted_, beyond_;
};

}  // namespace sluice::arrow

#endif
