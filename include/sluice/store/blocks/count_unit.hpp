// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_BLOCKS_COUNT_UNIT_HPP
#define SLUICE_STORE_BLOCKS_COUNT_UNIT_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <sluice/base/memory.hpp>
#include <sluice/store/blocks/open_block.hpp>
#include <sluice/store/texts/archive.hpp>
#include <sluice/store/texts/stored_array.hpp>

namespace sluice::store {

/// A span of rows, such as those of a unit: from `begin` up to `end`.
struct row_span {
    std::size_t begin;
    std::size_t end;

    [[nodiscard]] std::size_t size() const noexcept { return end - begin; }
    friend bool operator==(const row_span&, const row_span&) = default;
};

/// The columns that the units of a count_projection can count by, as indexes of a table's columns.
struct projected_columns {
    std::vector<std::size_t> key{};     ///< columns that rows are sorted by, in order
    std::vector<std::size_t> beside{};  ///< further columns, kept as far as space allows

    /// Writes both lists, which open() reads.
    void save(archive_writer& archive) const {
        archive.array(std::span<const std::size_t>(key));
        archive.array(std::span<const std::size_t>(beside));
    }
    /// Reads a copy of both lists. Incomplete if the archive is damaged; see has_failed().
    [[nodiscard]] static projected_columns open(archive_reader& archive) {
        projected_columns projected;
        for (auto* const list : {&projected.key, &projected.beside}) {
            const auto columns = archive.view<std::size_t>();
            list->assign(columns.begin(), columns.end());
        }
        return projected;
    }
    friend bool operator==(const projected_columns&, const projected_columns&) = default;
};

/// A line of a unit: the bits of 512 rows, the size of a cache line.
inline constexpr std::size_t line_words = 8;
inline constexpr std::size_t line_rows = line_words * 64;
struct alignas(64) bit_line {
    std::array<std::uint64_t, line_words> words{};
};

/// A set of lines of a unit, as bits: bit `i` is line `i`, of at most 512 lines.
struct line_mask {
    std::array<std::uint64_t, 8> words{};

    /// Returns the set of the first `lines` lines.
    [[nodiscard]] static line_mask of_first(std::size_t lines) noexcept {
        line_mask mask;
        for (std::size_t i = 0; i < lines / 64; ++i) mask.words[i] = ~std::uint64_t{0};
        if (lines % 64 != 0) mask.words[lines / 64] = ~(~std::uint64_t{0} << (lines % 64));
        return mask;
    }
    [[nodiscard]] bool has(std::size_t line) const noexcept {
        return ((words[line / 64] >> (line % 64)) & 1) != 0;
    }
    void insert(std::size_t line) noexcept { words[line / 64] |= std::uint64_t{1} << (line % 64); }
    line_mask& operator&=(const line_mask& with) noexcept {
        for (std::size_t i = 0; i < words.size(); ++i) words[i] &= with.words[i];
        return *this;
    }
    line_mask& operator|=(const line_mask& with) noexcept {
        for (std::size_t i = 0; i < words.size(); ++i) words[i] |= with.words[i];
        return *this;
    }
    line_mask& operator-=(const line_mask& without) noexcept {
        for (std::size_t i = 0; i < words.size(); ++i) words[i] &= ~without.words[i];
        return *this;
    }
};

/// The rows of one code in a unit, as masks of lines.
struct unit_value {
    std::size_t column = 0;
    std::uint32_t rows = 0;
    std::uint32_t first_line = 0;           ///< its first mixed line, an index of the unit's lines
    line_mask some{};                       ///< lines with a row of this code
    line_mask all{};                        ///< lines where all rows have this code
    std::array<std::uint16_t, 8> before{};  ///< mixed lines before each word of the masks

    /// Returns the index of a mixed line among the unit's lines.
    [[nodiscard]] std::size_t place_of(std::size_t line) const noexcept {
        const std::size_t word = line / 64;
        const std::uint64_t earlier = ~(~std::uint64_t{0} << (line % 64));
        const std::uint64_t mixed = some.words[word] & ~all.words[word] & earlier;
        return first_line + before[word] + static_cast<std::size_t>(std::popcount(mixed));
    }
};

/// A span of a table's rows, sorted by a few key columns so that equal values lie together. For
/// each frequent value, masks tell which lines of 512 rows lack it and which are full of it; only
/// the other lines, the mixed ones, are stored as bits:
///
/// ```
/// line     0     1     2     3     4     5    6 ...
/// value 7  none  mixed full  full  mixed none none    some: 0 1 1 1 1 0 0   all: 0 0 1 1 0 0 0
///                bits              bits
/// ```
///
/// Immutable. Row numbers aren't kept: a unit only counts rows.
class count_unit {
public:
    /// Row counts of the smallest and the largest unit; each size is four times the previous one.
    static constexpr std::size_t min_rows = 4'096;
    static constexpr std::size_t max_rows = 4 * block_rows;

    [[nodiscard]] const row_span& rows() const noexcept { return rows_; }
    [[nodiscard]] std::size_t lines() const noexcept { return rows_.size() / line_rows; }
    [[nodiscard]] const projected_columns& columns() const noexcept { return wanted_; }

    /// The result of find().
    struct lookup {
        bool is_known;            ///< false if the code isn't kept: its rows may be anywhere
        const unit_value* value;  ///< null if no row has the code
    };
    /// Looks a code up. `hint` is its index in another unit, tried first; find() updates it.
    [[nodiscard]] lookup find(std::size_t column, code c, std::size_t& hint) const noexcept {
        if (hint < values_.size() && codes_[hint] == c && values_[hint].column == column) {
            return {true, &values_[hint]};
        }
        const auto kept = std::ranges::find(columns_, column, &unit_column::column);
        if (kept == columns_.end()) return {false, nullptr};
        const code* const first = codes_.data() + kept->first;
        const code* const end = first + kept->size;
        const code* const place = std::lower_bound(first, end, c);
        if (place == end || *place != c) return {kept->has_all, nullptr};
        hint = static_cast<std::size_t>(place - codes_.data());
        return {true, &values_[hint]};
    }
    /// Prefetches the unit's own fields for find().
    void fetch() const noexcept {
        sluice::detail::prefetch(this);
        sluice::detail::prefetch(reinterpret_cast<const std::byte*>(this) + sizeof(bit_line));
    }
    /// Prefetches the value at `hint`, its index in another unit.
    void fetch(std::size_t hint) const noexcept {
        if (hint >= values_.size()) return;
        const auto* const bytes = reinterpret_cast<const std::byte*>(values_.data() + hint);
        for (std::size_t at = 0; at < sizeof(unit_value); at += sizeof(bit_line)) {
            sluice::detail::prefetch(bytes + at);
        }
        sluice::detail::prefetch(codes_.data() + hint);
    }
    [[nodiscard]] const bit_line& line(std::size_t place) const noexcept { return lines_[place]; }

    void save(archive_writer& archive) const {
        archive.number(rows_.begin);
        archive.number(rows_.end);
        wanted_.save(archive);
        archive.number(columns_.size());
        for (const unit_column& kept : columns_) {
            for (const std::size_t part : {kept.column, kept.first, kept.size})
                archive.number(part);
            archive.number(kept.has_all ? 1 : 0);
        }
        archive.array(std::span(codes_));
        archive.array(std::span(values_));
        archive.array(std::span(lines_));
    }
    /// Reads a unit that views an archive, and keeps it in memory. The archive fails if sizes don't
    /// fit together.
    [[nodiscard]] static count_unit open(archive_reader& archive) {
        count_unit unit;
        unit.mapped_ = archive.keeper();
        unit.rows_ = {archive.number(), archive.number()};
        unit.wanted_ = projected_columns::open(archive);
        unit.columns_.resize(archive.count());
        for (unit_column& kept : unit.columns_) {
            kept = {archive.number(), archive.number(), archive.number(), archive.number(1) != 0};
        }
        unit.codes_ = archive.array<code>();
        unit.values_ = archive.array<unit_value>();
        unit.lines_ = archive.array<bit_line>();
        if (!unit.is_sound()) archive.fail();
        return unit;
    }
    /// Returns true if its arrays view an archive.
    [[nodiscard]] bool is_mapped() const noexcept { return mapped_ != nullptr; }

    [[nodiscard]] std::size_t bytes() const noexcept {
        return sizeof(count_unit) + columns_.size() * sizeof(unit_column) +
               codes_.size() * (sizeof(code) + sizeof(unit_value)) +
               lines_.size() * sizeof(bit_line);
    }

private:
    friend class count_unit_builder;

    struct unit_column {
        std::size_t column;
        std::size_t first;  // index of its first code
        std::size_t size;   // number of its codes
        bool has_all;       // false if only the frequent codes are kept
    };

    /// Returns true if the array sizes are consistent.
    [[nodiscard]] bool is_sound() const noexcept {
        const std::size_t size = rows_.end - rows_.begin;
        return rows_.begin <= rows_.end && size >= min_rows && size <= max_rows &&
               values_.size() == codes_.size() &&
               std::ranges::all_of(columns_, [this](const unit_column& kept) {
                   return kept.first <= codes_.size() && kept.size <= codes_.size() - kept.first;
               });
    }

    std::shared_ptr<const void> mapped_;  // the archive, if it views one
    row_span rows_{};
    projected_columns wanted_;
    std::vector<unit_column> columns_;
    stored_array<code> codes_;         // the codes of each column, sorted
    stored_array<unit_value> values_;  // parallel to codes_
    stored_array<bit_line> lines_;
};

}  // namespace sluice::store

#endif
