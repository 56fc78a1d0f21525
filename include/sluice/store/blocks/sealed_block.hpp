// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_BLOCKS_SEALED_BLOCK_HPP
#define SLUICE_STORE_BLOCKS_SEALED_BLOCK_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <sluice/store/blocks/block_numbers.hpp>
#include <sluice/store/blocks/column_sealer.hpp>
#include <sluice/store/blocks/open_block.hpp>
#include <sluice/store/texts/archive.hpp>

/// Full blocks: their times, their codes row by row, and their sealed columns.
namespace sluice::store {

/// The times of a full block in milliseconds since 1970, ascending: 4-byte offsets from the first
/// if all fit (in 49 days), else 8-byte values.
class block_times {
public:
    /// Copies the times of a full block as offsets, or shares its array.
    explicit block_times(const open_block& rows) : first_(rows.times()[0]) {
        const std::int64_t* const times = rows.times();
        const auto span =
            static_cast<std::uint64_t>(times[block_rows - 1]) - static_cast<std::uint64_t>(first_);
        if (span > std::numeric_limits<std::uint32_t>::max()) {
            whole_ = rows.shared_times();
            return;
        }
        auto after_first = std::make_shared_for_overwrite<std::uint32_t[]>(block_rows);
        std::transform(times, times + block_rows, after_first.get(), [this](std::int64_t time) {
            return static_cast<std::uint32_t>(time - first_);
        });
        after_first_ = std::move(after_first);
    }

    void save(archive_writer& archive) const {
        archive.number(static_cast<std::uint64_t>(first_));
        archive.number(after_first_ ? 1 : 0);
        after_first_ ? archive.array(std::span(after_first_.get(), block_rows))
                     : archive.array(std::span(whole_.get(), block_rows));
    }
    /// Reads times that view an archive.
    explicit block_times(archive_reader& archive)
        : first_(static_cast<std::int64_t>(archive.number())) {
        if (archive.number(1) != 0) {
            after_first_ = {archive.keeper(), archive.view<std::uint32_t>(block_rows).data()};
        } else {
            whole_ = {archive.keeper(), archive.view<std::int64_t>(block_rows).data()};
        }
    }

    [[nodiscard]] std::int64_t operator[](std::size_t row) const noexcept {
        return after_first_ ? first_ + after_first_.get()[row] : whole_.get()[row];
    }
    [[nodiscard]] std::size_t bytes() const noexcept {
        return block_rows * (after_first_ ? sizeof(std::uint32_t) : sizeof first_);
    }

private:
    std::int64_t first_;
    std::shared_ptr<const std::uint32_t[]> after_first_;  // offsets from first_, or null
    std::shared_ptr<const std::int64_t[]> whole_;         // the times, if after_first_ is null
};

/// The codes of a block row by row, so that all codes of a row lie on one or two cache lines:
///
/// ```
/// row:   | column 0 |1|column 2 | 3  | ... |     as many bits a column as its codes need here,
///        0          5 6         15   20          whole bytes a row, little-endian
/// ```
///
/// Codes are stored as differences from the column's smallest code in the block: a column with a
/// single code takes no bits, one whose codes are all new at most 16.
class row_image {
public:
    /// Copies the codes of a full block.
    explicit row_image(const open_block& rows) : places_(rows.columns().code_columns) {
        std::uint32_t bits = 0;
        for (std::size_t i = 0; i < places_.size(); ++i) {
            places_[i] = place_after(bits, range_of(rows.codes(i)));
            bits += static_cast<std::uint32_t>(std::bit_width(places_[i].mask));
        }
        stride_ = (bits + 7) / 8;
        auto bytes = std::make_shared<std::uint8_t[]>(size());
        for (std::size_t row = 0; row < block_rows; row += tile) {
            std::uint8_t* const first = bytes.get() + row * stride_;
            for (std::size_t i = 0; i < places_.size(); ++i) {
                write(first, places_[i], rows.codes(i) + row);
            }
        }
        bytes_ = std::move(bytes);
    }

    void save(archive_writer& archive) const {
        archive.number(stride_);
        archive.array(std::span<const place>(places_));
        archive.array(std::span(bytes_.get(), size()));
    }
    /// Reads an image of `columns` columns that views an archive.
    row_image(archive_reader& archive, std::size_t columns)
        : stride_(static_cast<std::uint32_t>(archive.number(columns * sizeof(code)))) {
        const auto places = archive.view<place>(columns);
        places_.assign(places.begin(), places.end());
        bytes_ = {archive.keeper(), archive.view<std::uint8_t>(size()).data()};
        const auto is_in_row = [this](const place& column) {
            return column.offset <= stride_ && column.shift < 8;
        };
        if (!std::ranges::all_of(places_, is_in_row)) archive.fail();
    }

    [[nodiscard]] code at(std::size_t row, std::size_t column) const noexcept {
        return load(bytes_.get() + row * stride_, places_[column]);
    }
    /// Reads the codes of a row's first `out.size()` columns.
    void read(std::size_t row, std::span<code> out) const noexcept {
        const std::uint8_t* const bytes = bytes_.get() + row * stride_;
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = load(bytes, places_[i]);
    }
    /// Returns the size in bytes.
    [[nodiscard]] std::size_t size() const noexcept { return block_rows * stride_ + sizeof(word); }

private:
    using word = std::uint64_t;  // holds one code, wherever in a byte it begins

    struct place {
        std::uint32_t offset;  // byte in which the column's bits begin
        std::uint32_t shift;   // first bit in that byte
        code mask;             // 0 in a column of one code
        code least;
    };
    static constexpr std::size_t tile = 64;  // rows written at a time, as they stay in the cache

    /// Returns the place of a column's codes behind `bits` bits of the columns before it.
    static place place_after(std::uint32_t bits, const code_range& codes) noexcept {
        const auto width = static_cast<unsigned>(std::bit_width(codes.most - codes.least));
        const auto mask = static_cast<code>((word{1} << width) - 1);
        return {mask == 0 ? 0 : bits / 8, bits % 8, mask, codes.least};
    }
    /// Writes a column's codes into the rows of a tile.
    void write(std::uint8_t* rows, const place& to, const code* codes) const noexcept {
        if (to.mask == 0) return;
        std::uint8_t* const bytes = rows + to.offset;
        for (std::size_t i = 0; i < tile; ++i) {
            word written = load_word(bytes + i * stride_);
            written |= word{codes[i] - to.least} << to.shift;
            written = to_little(written);
            std::memcpy(bytes + i * stride_, &written, sizeof written);
        }
    }
    /// Reads a code of the row at `bytes`. Always reads a whole word: the image ends with a spare
    /// one.
    static code load(const std::uint8_t* bytes, const place& from) noexcept {
        const word shifted = load_word(bytes + from.offset) >> from.shift;
        return (static_cast<code>(shifted) & from.mask) + from.least;
    }
    /// Reads a little-endian word.
    static word load_word(const std::uint8_t* bytes) noexcept {
        word little = 0;
        std::memcpy(&little, bytes, sizeof little);
        return to_little(little);
    }
    static constexpr word to_little(word w) noexcept {
        if constexpr (std::endian::native == std::endian::little) return w;
        return __builtin_bswap64(w);
    }

    std::vector<place> places_;
    std::uint32_t stride_ = 0;  // bytes of a row
    std::shared_ptr<const std::uint8_t[]> bytes_;
};

/// A full block of rows. Immutable. Holds each column with its index for scans, and all codes once
/// more row by row (row_image) for reading single rows.
class sealed_block {
public:
    /// Seals the rows of a full open block. `previous` is the block before it, or null.
    sealed_block(const open_block& rows, const sealed_block* previous, column_sealer& sealer)
        : columns_(rows.columns()), times_(rows), integers_(rows.shared_integers()), image_(rows) {
        sealed_.reserve(columns_.code_columns);
        for (std::size_t i = 0; i < columns_.code_columns; ++i) {
            const sealed_column* const before = previous ? &previous->column(i) : nullptr;
            sealed_.push_back(sealer.seal(rows.codes(i), before));
        }
        numbers_.resize(columns_.numbers.size());
        for (std::size_t i = 0; i < numbers_.size(); ++i) {
            if (columns_.numbers[i] && sealed_[i].has_many_codes())
                numbers_[i] = block_numbers(rows.codes(i), *columns_.numbers[i]);
        }
    }

    /// Reads a block that views an archive.
    sealed_block(archive_reader& archive, const schema& columns)
        : columns_(columns),
          mapped_(archive.keeper()),
          times_(archive),
          integers_(mapped_,
                    archive.view<std::int64_t>(block_rows * columns.integer_columns).data()),
          image_(archive, columns.code_columns) {
        sealed_.reserve(columns.code_columns);
        for (std::size_t i = 0; i < columns.code_columns; ++i) {
            sealed_.push_back(sealed_column::open(archive));
        }
        numbers_.resize(columns.numbers.size());
        for (std::size_t i = 0; i < numbers_.size(); ++i) {
            if (columns.numbers[i]) numbers_[i] = block_numbers::open(archive);
        }
    }
    void save(archive_writer& archive) const {
        times_.save(archive);
        archive.array(std::span(integers_.get(), block_rows * columns_.integer_columns));
        image_.save(archive);
        for (const sealed_column& column : sealed_) column.save(archive);
        for (std::size_t i = 0; i < numbers_.size(); ++i) {
            if (columns_.numbers[i]) numbers_[i].save(archive);
        }
    }

    /// Returns the size in bytes.
    [[nodiscard]] std::size_t bytes() const noexcept {
        std::size_t all = image_.size() + times_.bytes() +
                          columns_.integer_columns * block_rows * sizeof(std::int64_t);
        for (const sealed_column& column : sealed_)
            all += column.stats().codes + column.stats().index;
        for (const block_numbers& numbers : numbers_) all += numbers.width() * block_rows;
        return all;
    }
    /// Returns true if its arrays view an archive.
    [[nodiscard]] bool is_mapped() const noexcept { return mapped_ != nullptr; }
    [[nodiscard]] const schema& columns() const noexcept { return columns_; }
    [[nodiscard]] const sealed_column& column(std::size_t index) const noexcept {
        return sealed_[index];
    }
    /// Returns the numbers of a code column; null if they aren't stored, as for few codes.
    [[nodiscard]] const block_numbers* numbers(std::size_t column) const noexcept {
        return column < numbers_.size() && !numbers_[column].empty() ? &numbers_[column] : nullptr;
    }
    [[nodiscard]] const row_image& image() const noexcept { return image_; }
    [[nodiscard]] const block_times& times() const noexcept { return times_; }
    [[nodiscard]] const std::int64_t* integers(std::size_t column) const noexcept {
        return integers_.get() + column * block_rows;
    }

private:
    schema columns_;
    std::shared_ptr<const void> mapped_;  // the archive, if it views one
    block_times times_;
    std::shared_ptr<const std::int64_t[]> integers_;
    row_image image_;
    std::vector<sealed_column> sealed_;
    std::vector<block_numbers> numbers_;  // by code column, see schema::numbers
};

}  // namespace sluice::store

#endif
