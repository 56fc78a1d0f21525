// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_PROJECTION_UNIT_COLUMN_READER_HPP
#define SLUICE_STORE_PROJECTION_UNIT_COLUMN_READER_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include <sluice/store/blocks/count_unit.hpp>
#include <sluice/store/blocks/snapshot.hpp>

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

/// Reads the columns of the rows that a count_unit is built from. A code is rare if at most one row
/// in 256 has it, or if it is 2^20 or more, too large for the table of counts. Keeps its buffers
/// from one column to the next.
class unit_column_reader {
public:
    /// Reads a column of the rows `of`, of which there is at least one.
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

}  // namespace sluice::store

#endif
