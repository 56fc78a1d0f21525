// SPDX-License-Identifier: MIT
#ifndef SLUICE_ARROW_CODE_COLUMN_HPP
#define SLUICE_ARROW_CODE_COLUMN_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <sluice/arrow/array_view.hpp>
#include <sluice/arrow/text_column.hpp>
#include <sluice/detail/simd/kernels.hpp>

namespace sluice::arrow {

/// A column of codes beside the dictionary's rows that are wanted. It views
/// both.
class code_column {
public:
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

    /// Writes the bits of a block's rows; false where a row with a value has a
    /// code that the dictionary lacks.
    [[nodiscard]] bool match(row_span block, std::uint64_t* hits) const {
        switch (width_) {
            case 1: return match_bytes(block, hits);
            case 2: return match_codes(codes_of<std::uint16_t>(block), block, hits);
            case 4: return match_codes(codes_of<std::uint32_t>(block), block, hits);
            default: return match_wide(block, hits);
        }
    }

private:
    /// The buffer of codes, aligned to their width.
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
        : width_(type.width), codes_(codes), rows_(rows), valid_(valid), wanted_(&wanted) {
        // A negative code reads as one beyond all positive ones.
        const std::uint64_t range = width_ == 8 ? ~std::uint64_t{0} >> 1
                                                : std::uint64_t{1}
                                                      << (8 * width_ - (type.is_signed ? 1 : 0));
        limit_ = std::min<std::uint64_t>(wanted.size(), range);
        for (std::uint64_t code = 0; code < limit_ && listed_.size() <= few; ++code) {
            if (wanted[code]) listed_.push_back(static_cast<std::uint32_t>(code));
        }
        for (std::uint64_t code = 0; code < 256; ++code) {
            const auto byte = static_cast<std::uint8_t>(code);
            if (code >= limit_) beyond_.insert(byte);
            if (code < limit_ && wanted[code]) accepted_.insert(byte);
        }
        for (std::size_t i = 0; i < std::min(listed_.size(), few); ++i) {
            listed16_[i] = static_cast<std::uint16_t>(listed_[i]);
        }
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
        std::array<std::uint64_t, detail::block_rows / 64> lost;
        kernels.match_u8(codes, block.count, beyond_, lost.data());
        for (std::size_t at = 0; at < block.count; at += 64) {
            const std::size_t rows = std::min<std::size_t>(64, block.count - at);
            if ((lost[at / 64] & valid_.word(block.first + at, rows)) != 0) return false;
        }
        return true;
    }

    /// Codes of 64 bits, cut to 32 where they are in range.
    [[nodiscard]] bool match_wide(row_span block, std::uint64_t* hits) const {
        std::array<std::uint32_t, detail::block_rows> cut;
        const auto* const codes = codes_of<std::uint64_t>(block);
        constexpr std::uint64_t most = 0xFFFF'FFFF;
        for (std::size_t i = 0; i < block.count; ++i) {
            const std::uint64_t code = codes[i];
            cut[i] = static_cast<std::uint32_t>(std::min(code, most));
        }
        return match_codes(cut.data(), block, hits);
    }

    template <class Code>
    [[nodiscard]] bool match_codes(const Code* codes, row_span block, std::uint64_t* hits) const {
        if (!are_in_range(codes, block)) return false;
        const auto& kernels = sluice::detail::simd::active_kernels();
        const sluice::detail::simd::code_bits bits{wanted_->words().data(),
                                                   static_cast<std::size_t>(limit_), false};
        const bool is_few = listed_.size() <= few;
        if constexpr (sizeof(Code) == 2) {
            if (is_few)
                kernels.match_few_u16(codes, block.count, listed16_.data(), listed_.size(), hits);
            if (!is_few) kernels.match_u16(codes, block.count, bits, hits);
        } else {
            if (is_few)
                kernels.match_few_u32(codes, block.count, listed_.data(), listed_.size(), hits);
            if (!is_few) kernels.match_u32(codes, block.count, bits, hits);
        }
        return true;
    }

    /// A block's largest code tells, unless it may be in a row without a
    /// value.
    template <class Code>
    [[nodiscard]] bool are_in_range(const Code* codes, row_span block) const {
        const auto& kernels = detail::active_text_kernels();
        std::uint64_t largest = 0;
        if constexpr (sizeof(Code) == 2) largest = kernels.largest_u16(codes, block.count);
        if constexpr (sizeof(Code) == 4) largest = kernels.largest_u32(codes, block.count);
        if (largest < limit_) return true;
        for (std::size_t i = 0; i < block.count; ++i) {
            if (codes[i] >= limit_ && valid_[block.first + i]) return false;
        }
        return true;
    }

    static constexpr std::size_t few = sluice::detail::simd::few_values;

    std::uint8_t width_;
    const void* codes_;
    row_span rows_;
    validity valid_;
    const row_bits* wanted_;
    std::uint64_t limit_ = 0;            // the first code that stands for nothing
    std::vector<std::uint32_t> listed_;  // the wanted codes, up to one too many
    std::array<std::uint16_t, few> listed16_{};
    byte_set accepted_, beyond_;
};

}  // namespace sluice::arrow

#endif
