// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_PROJECTION_CODE_COUNTS_HPP
#define SLUICE_STORE_PROJECTION_CODE_COUNTS_HPP

#include <cstddef>
#include <cstdint>

#include <sluice/store/blocks/snapshot.hpp>
#include <sluice/store/conditions/selection.hpp>

namespace sluice::store {

/// A range of blocks, from `begin` up to `end`.
struct block_span {
    std::size_t begin;
    std::size_t end;
};

/// Counts the rows of sealed blocks that meet a condition, from the running counts of its column
/// (see sealed_column) at both ends of a range of blocks. Takes the same time for any number of
/// blocks.
class code_counts {
public:
    /// Views both arguments.
    code_counts(const snapshot& rows, const condition& wanted) : rows_(rows), wanted_(wanted) {}

    /// Returns true if the running counts of these blocks suffice to count a condition.
    [[nodiscard]] static bool answers(const snapshot& rows, const condition& wanted,
                                      const block_span& blocks) noexcept {
        return blocks.begin < blocks.end && !wanted.accepted.has_ranges() &&
               wanted.accepted.listed().size() <= max_codes &&
               rows.sealed(blocks.end - 1).column(wanted.column).has_counts();
    }

    /// Returns the number of matching rows in some blocks. Expects answers() for them.
    [[nodiscard]] std::size_t rows_in(const block_span& blocks) const noexcept {
        if (blocks.begin == blocks.end) return 0;
        const sealed_column& first = rows_.sealed(blocks.begin).column(wanted_.column);
        const sealed_column& last = rows_.sealed(blocks.end - 1).column(wanted_.column);
        std::size_t listed = 0;
        for (const code c : wanted_.accepted.listed()) {
            listed += last.rows_up_to_here(c) - first.rows_before(c);
        }
        const std::size_t all = (blocks.end - blocks.begin) * block_rows;
        return wanted_.accepted.is_complement() ? all - listed : listed;
    }
    /// Returns how many bytes rows_in() reads.
    [[nodiscard]] std::size_t bytes() const noexcept {
        return 2 * wanted_.accepted.listed().size() * sizeof(std::uint64_t);
    }

private:
    static constexpr std::size_t max_codes = 64;

    const snapshot& rows_;
    const condition& wanted_;
};

}  // namespace sluice::store

#endif
