// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_PLAN_BLOCK_READER_HPP
#define SLUICE_STORE_PLAN_BLOCK_READER_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <sluice/base/simd/kernels.hpp>
#include <sluice/store/blocks/column_bits.hpp>
#include <sluice/store/plan/block_scanner.hpp>
#include <sluice/store/plan/scan.hpp>

/// The matching rows of selections, block by block.
namespace sluice::store {

/// Selected rows of a part of a block. Views the bits.
struct selected_rows {
    block_part part;
    const std::uint64_t* bits = nullptr;  ///< `bitmap_words` words; null for all rows of the part

    /// Returns true if the rows are all of a full block.
    [[nodiscard]] bool is_whole() const noexcept { return bits == nullptr && part.is_whole(); }
    [[nodiscard]] std::size_t count() const noexcept {
        if (bits == nullptr) return part.rows();
        return sluice::detail::simd::active_kernels().count_bits(bits, bitmap_words);
    }
    /// Writes the rows' numbers in the block, ascending.
    void list(std::vector<std::uint16_t>& rows) const {
        rows.resize(count());
        if (bits != nullptr) {
            sluice::detail::simd::active_kernels().list_rows(bits, bitmap_words, rows.data());
            return;
        }
        for (std::size_t i = 0; i < rows.size(); ++i)
            rows[i] = static_cast<std::uint16_t>(part.begin + i);
    }
};

/// Returns the rows of a block that two selections have in common; nullopt without any part of the
/// block in common. Writes bits to `words`, `bitmap_words` of them, which may be those of `a`.
[[nodiscard]] inline std::optional<selected_rows> common_rows(const selected_rows& a,
                                                              const selected_rows& b,
                                                              std::uint64_t* words) {
    const block_part part{a.part.block, std::max(a.part.begin, b.part.begin),
                          std::min(a.part.end, b.part.end)};
    if (part.begin >= part.end) return std::nullopt;
    if (a.bits == nullptr && b.bits == nullptr) return selected_rows{part};
    const std::uint64_t* const first = a.bits != nullptr ? a.bits : b.bits;
    if (first != words) std::copy_n(first, bitmap_words, words);
    if (a.bits != nullptr && b.bits != nullptr) {
        sluice::detail::simd::active_kernels().intersect(words, b.bits, bitmap_words);
    } else {
        const bits_range all{0, bitmap_words, words};
        clear_before(part.begin, all);
        clear_from(part.end, all);
    }
    return selected_rows{part, words};
}

/// Reads the rows that a selection matches, one block after the other.
///
/// ```
/// for (std::size_t block = reader.first_block(); block < reader.end_block(); ++block) {
///     if (const auto rows = reader.read(block)) add(*rows);
///     if (reader.is_spent()) return fail(reader.why_spent());
/// }
/// ```
class block_reader {
public:
    /// Views all arguments.
    block_reader(const snapshot& rows, const selection& wanted, const scan_options& options)
        : range_(scan(rows, wanted, options).range()),
          takes_all_(wanted.conditions.empty() && !wanted.where && !wanted.test),
          scanner_(rows, wanted, options.forced, options.limits),
          bits_(takes_all_ ? 0 : bitmap_words) {}
    block_reader(const block_reader&) = delete;
    block_reader& operator=(const block_reader&) = delete;

    /// Returns the rows in the ranges of the selection.
    [[nodiscard]] const row_span& rows() const noexcept { return range_; }
    [[nodiscard]] std::size_t first_block() const noexcept { return range_.begin / block_rows; }
    [[nodiscard]] std::size_t end_block() const noexcept {
        return range_.begin == range_.end ? first_block() : (range_.end - 1) / block_rows + 1;
    }
    /// Returns the matching rows of a block, whose bits are valid until the next call;
    /// nullopt if there are none as far as its index knows, or once the limits end the scan.
    [[nodiscard]] std::optional<selected_rows> read(std::size_t block) {
        if (block < first_block() || block >= end_block()) return std::nullopt;
        const std::size_t first = block * block_rows;
        const block_part part{block, std::max(range_.begin, first) - first,
                              std::min(range_.end - first, block_rows)};
        if (takes_all_) return selected_rows{part};
        if (!scanner_.enter(part)) return std::nullopt;
        const std::uint64_t* const bits = scanner_.read_bits(bits_.data());
        if (scanner_.is_spent()) return std::nullopt;
        return selected_rows{part, bits};
    }
    [[nodiscard]] bool is_spent() const noexcept { return scanner_.is_spent(); }
    /// Returns the error of a scan that is_spent().
    [[nodiscard]] error why_spent() const noexcept { return scanner_.why_spent(); }

private:
    row_span range_;
    bool takes_all_;
    block_scanner scanner_;
    std::vector<std::uint64_t> bits_;
};

}  // namespace sluice::store

#endif
