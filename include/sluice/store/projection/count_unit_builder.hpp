// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_PROJECTION_COUNT_UNIT_BUILDER_HPP
#define SLUICE_STORE_PROJECTION_COUNT_UNIT_BUILDER_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <sluice/store/blocks/count_unit.hpp>
#include <sluice/store/blocks/snapshot.hpp>

/// Building the units of count projections from a table's rows.
namespace sluice::store {

/// A column of the rows of a count_unit. Its frequent codes are ranked: the most frequent one is 0.
struct ranked_column {
    static constexpr std::uint8_t other = 255;  ///< the rank of all rare codes

    struct ranked_code {
        code value;
        std::uint32_t rows;
    };
    std::size_t column = 0;
    std::vector<ranked_code> codes{};   ///< by rank
    std::vector<std::uint8_t> ranks{};  ///< by row
    bool has_others = false;            ///< true if any row's rank is `other`
};

/// Reads the columns of the rows that a count_unit or a count_cube is built from. A code is rare if
/// at most one row in 256 has it, or if it is 2^20 or more, too large for the table of counts.
/// Keeps its buffers from one column to the next.
class unit_column_reader {
public:
    /// Reads the codes of the rows `of`, which live until the next call.
    [[nodiscard]] std::span<const code> codes(const snapshot& rows, const row_span& of,
                                              std::size_t column) {
        read_codes(rows, of, column);
        return codes_;
    }
    /// Reads a column of the rows `of`. Expects at least one row.
    [[nodiscard]] ranked_column read(const snapshot& rows, const row_span& of, std::size_t column) {
        read_codes(rows, of, column);
        ranked_column ranked{.column = column};
        ranked.codes = frequent_codes();
        ranked.ranks.resize(codes_.size());
        std::ranges::fill(ranks_, ranked_column::other);
        for (std::size_t i = 0; i < ranked.codes.size(); ++i) {
            ranks_[ranked.codes[i].value] = static_cast<std::uint8_t>(i);
        }
        for (std::size_t i = 0; i < codes_.size(); ++i) {
            ranked.ranks[i] = codes_[i] < ranks_.size() ? ranks_[codes_[i]] : ranked_column::other;
        }
        std::size_t ranked_rows = 0;
        for (const auto& entry : ranked.codes) ranked_rows += entry.rows;
        ranked.has_others = ranked_rows < codes_.size();
        return ranked;
    }

private:
    static constexpr std::size_t most_counted = std::size_t{1} << 20;  // size of counts_
    static constexpr std::size_t frequent_share = 256;  // more than one row in these is frequent

    /// Reads the codes of the rows `of` into codes_, block by block.
    void read_codes(const snapshot& rows, const row_span& of, std::size_t column) {
        codes_.resize(of.size());
        for (std::size_t at = of.begin; at < of.end;) {
            const std::size_t block = at / block_rows;
            const std::size_t end = std::min(of.end, (block + 1) * block_rows);
            const std::span to = std::span(codes_).subspan(at - of.begin, end - at);
            if (block == rows.sealed_blocks()) {
                std::copy_n(rows.open()->codes(column) + at % block_rows, to.size(), to.begin());
            } else {
                read_codes(rows.sealed(block).column(column), at % block_rows, to);
            }
            at = end;
        }
    }
    /// Reads a sealed column's codes, from row `first` on.
    void read_codes(const sealed_column& from, std::size_t first, std::span<code> to) {
        switch (from.form()) {
            case code_form::constant: std::ranges::fill(to, from.least()); break;
            case code_form::sequence:
                std::iota(to.begin(), to.end(), from.least() + static_cast<code>(first));
                break;
            case code_form::words: std::copy_n(from.words() + first, to.size(), to.begin()); break;
            case code_form::bytes: translate(from, from.bytes() + first, to); break;
            case code_form::shorts: translate(from, from.shorts() + first, to); break;
        }
    }
    /// Converts local codes, which number the codes of one block, to the table's.
    template <class Local>
    void translate(const sealed_column& from, const Local* locals, std::span<code> to) {
        code_of_.resize(block_rows);
        from.for_each([](code) { return true; },
                      [this](code c, const code_rows& rows) { code_of_[rows.local] = c; });
        std::ranges::transform(locals, locals + to.size(), to.begin(),
                               [this](Local local) { return code_of_[local]; });
    }
    /// Counts codes_ and returns the codes that get a rank, the most frequent first. Sizes ranks_
    /// for all counted codes.
    [[nodiscard]] std::vector<ranked_column::ranked_code> frequent_codes() {
        const std::size_t most = *std::ranges::max_element(codes_);
        counts_.assign(std::min(most_counted, most + 1), 0);
        ranks_.resize(counts_.size());
        for (const code value : codes_) {
            if (value < counts_.size()) ++counts_[value];
        }
        std::vector<ranked_column::ranked_code> frequent;
        const std::size_t least = codes_.size() / frequent_share + 1;  // so at most 255 codes
        for (code c = 0; c < counts_.size(); ++c) {
            if (counts_[c] >= least) frequent.push_back({c, counts_[c]});
        }
        std::ranges::sort(frequent, [](const auto& a, const auto& b) {
            return a.rows != b.rows ? a.rows > b.rows : a.value < b.value;
        });
        return frequent;
    }

    std::vector<code> codes_;            // by row
    std::vector<code> code_of_;          // by local code of a block
    std::vector<std::uint32_t> counts_;  // by code
    std::vector<std::uint8_t> ranks_;    // by code
};

/// Builds units (see count_unit), one after the other. The values of a unit take at most two bytes
/// a row, or 64 KB in small units, where masks dominate. The columns `beside` the key get half of
/// that, if there are any.
class count_unit_builder {
public:
    /// Builds the unit of the rows `of`. Expects one of the sizes of units.
    [[nodiscard]] count_unit build(const snapshot& rows, const row_span& of,
                                   const projected_columns& wanted) {
        unit_ = {};
        unit_.rows_ = of;
        unit_.wanted_ = wanted;
        columns_.clear();
        for (const auto* const list : {&wanted.key, &wanted.beside}) {
            for (const std::size_t column : *list)
                columns_.push_back(reader_.read(rows, of, column));
        }
        order_rows(wanted.key.size());
        std::size_t room = std::max(least_room, of.size() * bytes_a_row);
        const std::size_t kept_back = wanted.beside.empty() ? 0 : room / 2;
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            const bool is_key = i < wanted.key.size();
            room -= add(columns_[i], is_key ? room - kept_back : room / (columns_.size() - i));
        }
        return std::move(unit_);
    }

private:
    static constexpr std::size_t bytes_a_row = 2;
    static constexpr std::size_t least_room = 65'536;  // bytes
    static constexpr std::size_t groups_a_line = 2;    // at most, on average

    // --- The order of rows -----------------------------------------------------------------

    /// Groups the rows by one bucket of each key column. Every second group orders the next
    /// column's buckets in reverse, so that runs continue from one group to the next.
    void order_rows(std::size_t key_columns) {
        choose_buckets(key_columns);
        groups_.assign(unit_.rows_.size(), 0);
        for (std::size_t i = 0; i < key_columns; ++i) {
            const std::uint32_t size = buckets_[i], last = size - 1;
            for (std::size_t row = 0; row < groups_.size(); ++row) {
                const std::uint32_t bucket = std::min<std::uint32_t>(columns_[i].ranks[row], last);
                groups_[row] =
                    groups_[row] * size + (groups_[row] % 2 == 0 ? bucket : last - bucket);
            }
        }
        sort_rows();
    }
    /// Assigns frequent codes a bucket for themselves; all other codes of a column share its last
    /// bucket.
    void choose_buckets(std::size_t key_columns) {
        const std::size_t most = groups_a_line * unit_.lines();
        buckets_.assign(key_columns, 1);
        for (std::size_t groups = 1;;) {
            const std::size_t next = next_to_split(groups, most);
            if (next == key_columns) return;
            groups = groups / buckets_[next] * (buckets_[next] + 1);
            ++buckets_[next];
        }
    }
    /// Returns the column whose next code has the most rows, among those with space for one more
    /// bucket.
    [[nodiscard]] std::size_t next_to_split(std::size_t groups, std::size_t most) const {
        std::size_t best = buckets_.size(), most_rows = 0;
        for (std::size_t i = 0; i < buckets_.size(); ++i) {
            const ranked_column& column = columns_[i];
            const std::size_t buckets = column.codes.size() + (column.has_others ? 1 : 0);
            if (buckets_[i] >= buckets || groups / buckets_[i] * (buckets_[i] + 1) > most) continue;
            const std::size_t rows = column.codes[buckets_[i] - 1].rows;
            if (rows > most_rows) best = i, most_rows = rows;
        }
        return best;
    }
    /// Sets order_, by a counting sort.
    void sort_rows() {
        std::vector<std::uint32_t> places(std::size_t{*std::ranges::max_element(groups_)} + 2);
        for (const std::uint32_t group : groups_) ++places[group + 1];
        for (std::size_t i = 1; i < places.size(); ++i) places[i] += places[i - 1];
        order_.resize(groups_.size());
        for (std::uint32_t row = 0; row < groups_.size(); ++row) {
            order_[places[groups_[row]]++] = row;
        }
    }

    // --- The lines of values ---------------------------------------------------------------

    /// The lines of a code under construction.
    struct draft {
        unit_value value;
        std::vector<bit_line> mixed;
    };

    /// Adds a column's codes, the most frequent first, until `room` bytes are full. Returns the
    /// bytes taken.
    std::size_t add(const ranked_column& column, std::size_t room) {
        collect_lines(column);
        std::size_t kept = 0, taken = 0;
        for (; kept < column.codes.size(); ++kept) {
            const std::size_t bytes =
                sizeof(code) + sizeof(unit_value) + drafts_[kept].mixed.size() * sizeof(bit_line);
            if (taken + bytes > room) break;
            taken += bytes;
        }
        const bool has_all = kept == column.codes.size() && !column.has_others;
        unit_.columns_.push_back({column.column, unit_.codes_.size(), kept, has_all});
        std::vector<std::pair<code, std::size_t>> sorted;
        for (std::size_t i = 0; i < kept; ++i) sorted.emplace_back(column.codes[i].value, i);
        std::ranges::sort(sorted);
        for (const auto& [value, rank] : sorted) {
            unit_.codes_.push_back(value);
            drafts_[rank].value.column = column.column;
            drafts_[rank].value.rows = column.codes[rank].rows;
            keep(drafts_[rank]);
        }
        return taken;
    }
    /// Appends a code's masks and mixed lines to the unit.
    void keep(draft& drafted) {
        unit_value& value = drafted.value;
        value.first_line = static_cast<std::uint32_t>(unit_.lines_.size());
        line_mask mixed = value.some;
        mixed -= value.all;
        std::size_t before = 0;
        for (std::size_t i = 0; i < value.before.size(); ++i) {
            value.before[i] = static_cast<std::uint16_t>(before);
            before += static_cast<std::size_t>(std::popcount(mixed.words[i]));
        }
        unit_.values_.push_back(value);
        unit_.lines_.append(drafted.mixed);
    }

    /// Drafts the lines of all codes of a column.
    void collect_lines(const ranked_column& column) {
        drafts_.resize(column.codes.size());
        for (draft& drafted : drafts_) {
            drafted.value = {};
            drafted.mixed.clear();
        }
        for (std::size_t line = 0; line < unit_.lines(); ++line) {
            std::array<bool, ranked_column::other + 1> is_there{};
            for (std::size_t i = 0; i < line_rows; ++i) {
                const std::uint8_t rank = column.ranks[order_[line * line_rows + i]];
                line_bits_[rank].words[i / 64] |= std::uint64_t{1} << (i % 64);
                is_there[rank] = true;
            }
            for (std::size_t rank = 0; rank < drafts_.size(); ++rank) {
                if (is_there[rank]) take(line, drafts_[rank], line_bits_[rank]);
            }
            line_bits_[ranked_column::other] = {};
        }
    }
    /// Moves the bits of a code in one line into its draft.
    static void take(std::size_t line, draft& drafted, bit_line& bits) {
        const auto is_full = [](std::uint64_t word) { return word == ~std::uint64_t{0}; };
        drafted.value.some.insert(line);
        if (std::ranges::all_of(bits.words, is_full)) {
            drafted.value.all.insert(line);
        } else {
            drafted.mixed.push_back(bits);
        }
        bits = {};
    }

    unit_column_reader reader_;
    count_unit unit_;
    std::vector<ranked_column> columns_;  // key columns first
    std::vector<std::uint32_t> buckets_;  // number of buckets, by key column
    std::vector<std::uint32_t> groups_;   // by row
    std::vector<std::uint32_t> order_;    // row numbers, group by group
    std::vector<draft> drafts_;           // by rank
    std::array<bit_line, ranked_column::other + 1>
        line_bits_{};  // bits of the current line, by rank
};

}  // namespace sluice::store

#endif
