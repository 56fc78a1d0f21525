// SPDX-License-Identifier: MIT
#ifndef SLUICE_ARROW_TEXT_COLUMN_HPP
#define SLUICE_ARROW_TEXT_COLUMN_HPP

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <sluice/arrow/array_view.hpp>
#include <sluice/arrow/detail/text_avx2.hpp>
#include <sluice/arrow/detail/text_avx512.hpp>
#include <sluice/arrow/detail/text_scalar.hpp>
#include <sluice/base/simd_level.hpp>
#include <sluice/base/word.hpp>

/// Columns of text in Arrow's layouts, read in blocks of rows by the kernels of the CPU.
namespace sluice::arrow {

namespace detail {

/// Returns the text kernels of the active SIMD level.
[[nodiscard]] inline const text_kernels& active_text_kernels() noexcept {
    switch (active_simd_level()) {
#if defined(__x86_64__)
        case simd_level::avx512:
        case simd_level::avx512_vbmi: return avx512::table;
        case simd_level::avx2: return avx2::table;
#endif
        default: return scalar_text_kernels;
    }
}

/// Rows of a text column are read in blocks, whose offsets and keys stay in the L1 cache.
inline constexpr std::size_t block_rows = 1'024;

}  // namespace detail

/// A column of text or bytes with offsets of 32 or 64 bits. It views the array.
///
/// ```
/// if (!column.is_sound(block)) ...      // offsets first: the others trust them
/// column.match(block, set, {hits, maybe});
/// column.text(row);                     // the whole text of a row in `maybe`
/// ```
template <class Offset>
class offset_column {
public:
    /// Opens rows that are counted from the start of the buffers. Error: fault::malformed.
    [[nodiscard]] static import_result<offset_column> open(const array_view& array, row_span rows) {
        auto offsets = array.buffer<Offset>(1, rows.count);
        if (!offsets) return tl::unexpected(std::move(offsets.error()));
        if (rows.count == 0) return offset_column();
        offset_column column(*offsets, static_cast<const char*>(array.raw().buffers[2]), rows);
        if (column.data_ == nullptr && column.end_ > 0) {
            return refuse(fault::malformed, "text without its bytes");
        }
        return column;
    }

    /// Returns true if the offsets of a block are valid. Call it before reading its rows.
    [[nodiscard]] bool is_sound(row_span block) const noexcept {
        if constexpr (sizeof(Offset) == 4) {
            const Offset* const first = offsets_ + block.first;
            return *first >= 0 && first[block.count] <= end_ &&
                   detail::active_text_kernels().are_rising(first, block.count);
        } else {
            return detail::are_offsets<Offset>(offsets_, block.first, block.count, 0, end_);
        }
    }
    /// Returns a row's text; never nullopt, unlike view_column's.
    [[nodiscard]] std::optional<std::string_view> text(std::size_t row) const noexcept {
        const Offset begin = offsets_[row];
        const Offset end = offsets_[row + 1];
        return std::string_view(data_ + begin, static_cast<std::size_t>(end - begin));
    }
    /// Writes the bits of a block's rows; see text_matches. Kernels take 32-bit offsets, so that
    /// 64-bit ones are made relative to the block's first. Rows that kernels can't read, at the
    /// end of the buffer or in a block of 2 GB and more, are compared one by one.
    void match(row_span block, const detail::key_set& set, detail::text_matches out) const {
        std::array<std::int32_t, detail::block_rows + 1> local;
        const Offset base = offsets_[block.first];
        detail::clear(block.count, out);
        std::size_t rows = whole_rows(block);
        if (!near(block, base)) rows = 0;
        for (std::size_t i = 0; sizeof(Offset) == 8 && rows > 0 && i <= rows; ++i) {
            local[i] = static_cast<std::int32_t>(offsets_[block.first + i] - base);
        }
        const auto& kernels = detail::active_text_kernels();
        if constexpr (sizeof(Offset) == 8) {
            if (rows > 0) kernels.match_offsets(local.data(), data_ + base, rows, set, out);
        } else {
            if (rows > 0) kernels.match_offsets(offsets_ + block.first, data_, rows, set, out);
        }
        for (; rows < block.count; ++rows) {
            detail::mark(out, rows, set.contains(*text(block.first + rows)), true);
        }
    }

private:
    offset_column() = default;
    offset_column(const Offset* offsets, const char* data, row_span rows) noexcept
        : offsets_(offsets), data_(data), end_(offsets[rows.end()]) {}

    /// Returns the number of a block's rows that kernels can read: those that begin at least 12
    /// bytes before the end of the buffer, as many as kernels load.
    [[nodiscard]] std::size_t whole_rows(row_span block) const noexcept {
        std::size_t rows = block.count;
        while (rows > 0 && end_ - offsets_[block.first + rows - 1] <
                               static_cast<Offset>(detail::key_whole_max)) {
            --rows;
        }
        return rows;
    }
    /// Returns true if offsets of 32 bits from `base` reach all of the block's bytes.
    [[nodiscard]] bool near(row_span block, Offset base) const noexcept {
        return sizeof(Offset) == 4 || offsets_[block.end()] - base < (std::int64_t{1} << 31);
    }

    const Offset* offsets_ = nullptr;
    const char* data_ = nullptr;
    Offset end_ = 0;  // of the last row: no offset may be larger
};

/// A column of text or bytes as Arrow views, see text_view; an interface like offset_column's. It
/// points into the array.
class view_column {
public:
    /// Opens rows that are counted from the start of the buffers: a validity bitmap, the views,
    /// any number of buffers with text, and the sizes of these. Error: fault::malformed.
    [[nodiscard]] static import_result<view_column> open(const array_view& array, row_span rows) {
        const ArrowArray& raw = array.raw();
        auto views = array.buffer<detail::text_view>(1, rows.count);
        if (!views) return tl::unexpected(std::move(views.error()));
        const auto count = static_cast<std::size_t>(raw.n_buffers - 3);
        auto sizes = array.buffer<std::int64_t>(raw.n_buffers - 1, rows.count == 0 ? 0 : count);
        if (!sizes) return tl::unexpected(std::move(sizes.error()));
        return view_column(*views, {raw.buffers + 2, count}, *sizes);
    }

    /// Returns true: text() checks views one by one.
    [[nodiscard]] bool is_sound(row_span) const noexcept { return true; }
    /// Returns a row's text; nullopt if its view points outside of the buffers.
    [[nodiscard]] std::optional<std::string_view> text(std::size_t row) const noexcept {
        const char* const at = reinterpret_cast<const char*>(views_) + row * 16;
        const std::int32_t size = field(at, 0);
        if (size < 0) return std::nullopt;
        if (size <= static_cast<std::int32_t>(detail::key_whole_max)) {
            return std::string_view(at + 4, static_cast<std::size_t>(size));
        }
        const auto buffer = static_cast<std::uint32_t>(field(at, 8));
        const std::int64_t offset = field(at, 12);
        if (buffer >= buffers_.size() || buffers_[buffer] == nullptr) return std::nullopt;
        if (offset < 0 || sizes_[buffer] < size || offset > sizes_[buffer] - size) {
            return std::nullopt;
        }
        return std::string_view(static_cast<const char*>(buffers_[buffer]) + offset,
                                static_cast<std::size_t>(size));
    }
    void match(row_span block, const detail::key_set& set, detail::text_matches out) const {
        detail::active_text_kernels().match_views(views_ + block.first, block.count, set, out);
    }

private:
    view_column(const detail::text_view* views, std::span<const void* const> buffers,
                const std::int64_t* sizes) noexcept
        : views_(views), buffers_(buffers), sizes_(sizes) {}

    /// Returns the 32-bit field at byte `at` of a view.
    static std::int32_t field(const char* view, std::size_t at) noexcept {
        return static_cast<std::int32_t>(sluice::detail::load_word<std::uint32_t>(view + at));
    }

    const detail::text_view* views_;
    std::span<const void* const> buffers_;
    const std::int64_t* sizes_;
};

/// Opens a text array and passes its column, rows and validity to `visit`, which returns an
/// import_result.
template <class Visit>
[[nodiscard]] auto visit_text(const data_type& type, const ArrowArray& array, row_span of_parent,
                              Visit visit)
    -> decltype(visit(std::declval<view_column>(), row_span{}, validity{})) {
    const bool views = type.id == type_id::text_view;
    const auto opened = array_view::open(&array, 3, views);
    if (!opened) return tl::unexpected(opened.error());
    const auto rows = opened->rows(of_parent);
    if (!rows) return tl::unexpected(rows.error());
    const auto run = [&](const auto& column) -> decltype(visit(std::declval<view_column>(),
                                                               row_span{}, validity{})) {
        if (!column) return tl::unexpected(column.error());
        return visit(*column, *rows, opened->valid());
    };
    if (views) return run(view_column::open(*opened, *rows));
    if (type.id == type_id::text64) return run(offset_column<std::int64_t>::open(*opened, *rows));
    return run(offset_column<std::int32_t>::open(*opened, *rows));
}

}  // namespace sluice::arrow

#endif
