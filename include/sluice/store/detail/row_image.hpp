// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_DETAIL_ROW_IMAGE_HPP
#define SLUICE_STORE_DETAIL_ROW_IMAGE_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <sluice/store/archive_reader.hpp>
#include <sluice/store/archive_writer.hpp>
#include <sluice/store/detail/open_block.hpp>

namespace sluice::store {

/// The codes of a block row by row, so that all codes of a row lie on one or two cache lines:
///
/// ```
/// | row 0: column 0, 1, 3, ... | row 1: ... |      little-endian, 1 to 4 bytes a code
/// ```
///
/// A column has as many bytes as its largest code needs in this block; one that holds a single
/// code has none.
class row_image {
public:
    explicit row_image(const open_block& rows) : places_(rows.columns().code_columns) {
        for (std::size_t i = 0; i < places_.size(); ++i) place_column(i, rows.codes(i));
        auto bytes = std::make_shared_for_overwrite<std::uint8_t[]>(size());
        for (std::size_t row = 0; row < block_rows; row += tile) {
            std::uint8_t* const first = bytes.get() + row * stride_;
            for (std::size_t i = 0; i < places_.size(); ++i) {
                write(first, places_[i], rows.codes(i) + row);
            }
        }
        bytes_ = std::move(bytes);
    }

    void save(archive_writer& to) const {
        to.number(stride_);
        to.array(std::span<const place>(places_));
        to.array(std::span(bytes_.get(), size()));
    }
    /// An image of so many columns that views an archive.
    row_image(archive_reader& from, std::size_t columns)
        : stride_(static_cast<std::uint32_t>(from.number(columns * sizeof(code)))) {
        const auto places = from.view<place>(columns);
        places_.assign(places.begin(), places.end());
        bytes_ = {from.keeper(), from.view<std::uint8_t>(size()).data()};
        const auto is_in_row = [this](const place& each) { return each.offset <= stride_; };
        if (!std::ranges::all_of(places_, is_in_row)) from.fail();
    }

    [[nodiscard]] code at(std::size_t row, std::size_t column) const noexcept {
        return load(bytes_.get() + row * stride_, places_[column]);
    }
    /// The codes of a row's first columns.
    void read(std::size_t row, std::span<code> out) const noexcept {
        const std::uint8_t* const bytes = bytes_.get() + row * stride_;
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = load(bytes, places_[i]);
    }
    /// In bytes.
    [[nodiscard]] std::size_t size() const noexcept { return block_rows * stride_ + sizeof(code); }

private:
    struct place {
        std::uint32_t offset;  // in the bytes of a row
        code mask;             // of the bytes that hold the code; 0 in a column of one code
        code constant;         // the code of such a column, else 0
    };
    static constexpr std::size_t tile = 64;  // rows whose bytes stay in the cache

    void place_column(std::size_t column, const code* codes) {
        const auto [least, most] = range_of(codes);
        if (least == most) {
            places_[column] = {0, 0, least};
            return;
        }
        const auto width = static_cast<std::uint32_t>((std::bit_width(most) + 7) / 8);
        places_[column] = {stride_, ~code{0} >> (32 - 8 * width), 0};
        stride_ += width;
    }
    /// Writes a column's codes into the rows of a tile.
    void write(std::uint8_t* rows, const place& to, const code* codes) const noexcept {
        std::uint8_t* const bytes = rows + to.offset;
        switch (std::bit_width(to.mask) / 8) {
            case 1: return write_tile<1>(bytes, codes);
            case 2: return write_tile<2>(bytes, codes);
            case 3: return write_tile<3>(bytes, codes);
            case 4: return write_tile<4>(bytes, codes);
            default: return;
        }
    }
    template <std::size_t Width>
    void write_tile(std::uint8_t* bytes, const code* codes) const noexcept {
        for (std::size_t i = 0; i < tile; ++i) {
            const code little = to_little(codes[i]);
            std::memcpy(bytes + i * stride_, &little, Width);
        }
    }
    /// Reads four bytes whatever the width: the image ends in spare ones.
    static code load(const std::uint8_t* bytes, const place& from) noexcept {
        code little = 0;
        std::memcpy(&little, bytes + from.offset, sizeof little);
        return (to_little(little) & from.mask) | from.constant;
    }
    static constexpr code to_little(code c) noexcept {
        if constexpr (std::endian::native == std::endian::little) return c;
        return (c >> 24) | ((c >> 8) & 0xFF00) | ((c << 8) & 0xFF0000) | (c << 24);
    }

    std::vector<place> places_;
    std::uint32_t stride_ = 0;  // bytes of a row
    std::shared_ptr<const std::uint8_t[]> bytes_;
};

}  // namespace sluice::store

#endif
