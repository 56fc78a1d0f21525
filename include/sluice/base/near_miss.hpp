// SPDX-License-Identifier: MIT
#ifndef SLUICE_BASE_NEAR_MISS_HPP
#define SLUICE_BASE_NEAR_MISS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <string_view>

#include <sluice/base/ascii.hpp>

/// Suggestions for misspelt names.
namespace sluice::detail {

/// Maximum size of a text that is compared with others, in bytes.
inline constexpr std::size_t near_miss_max_size = 64;

/// Returns the number of slips that turn one text into another: a byte too many, missing or wrong,
/// or two neighbours swapped (the optimal string alignment distance), in any letter case. Both have
/// at most near_miss_max_size bytes.
///
/// ```
///       p a g e     cell (i, j): the slips between the first i bytes of one and j of the other;
///     0 1 2 3 4     it needs its neighbours to the left, above and above to the left, and for a
///   p 1 0 1 2 3     swap the cell two up and two to the left
///   g 2 1 1 1 2
///   a 3 2 1 1 2     `pga` is two slips away from `page`
/// ```
constexpr std::size_t count_slips(std::string_view a, std::string_view b) noexcept {
    std::array<std::array<std::size_t, near_miss_max_size + 1>, 3> rows{};
    for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
    const auto same = [&](std::size_t i, std::size_t j) {
        return to_lower(a[i - 1]) == to_lower(b[j - 1]);
    };
    for (std::size_t i = 1; i <= a.size(); ++i) {
        auto& row = rows[i % 3];
        const auto& above = rows[(i + 2) % 3];
        const auto& two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same(i, j) ? 0 : 1)});
            const bool is_swap = i > 1 && j > 1 && same(i, j - 1) && same(i - 1, j);
            if (is_swap) row[j] = std::min(row[j], two_above[j - 2] + 1);
        }
    }
    return rows[a.size() % 3][b.size()];
}

/// Returns the number of slips that a near miss of a word may have: a third of its bytes, at most
/// 2.
constexpr std::size_t slips_allowed(std::string_view word) noexcept {
    return std::min<std::size_t>(word.size() / 3, 2);
}

/// Returns true if count_slips() of texts of these sizes may be at most `slips`: neither is longer
/// than near_miss_max_size, and the sizes differ by no more than `slips`.
constexpr bool may_be_near(std::size_t a, std::size_t b, std::size_t slips) noexcept {
    return std::max(a, b) <= std::min(near_miss_max_size, std::min(a, b) + slips);
}

/// Returns the word that a text was probably meant to be: the one with the fewest slips (see
/// count_slips), at most slips_allowed(); the first of several. Empty if there is none. Views the
/// word, not the text.
///
/// ```
/// near_miss("contry", names);          // country
/// near_miss("link_id", names);         // linkId
/// near_miss("x", rows, &row::name);    // words may be members
/// ```
template <class Words, class Projection = std::identity>
[[nodiscard]] constexpr std::string_view near_miss(std::string_view text, const Words& words,
                                                   Projection word_of = {}) noexcept {
    std::string_view nearest;
    std::size_t fewest = near_miss_max_size;
    for (const auto& candidate : words) {
        const std::string_view word = std::invoke(word_of, candidate);
        const std::size_t most = slips_allowed(word);
        if (!may_be_near(text.size(), word.size(), most)) continue;
        const std::size_t slips = count_slips(text, word);
        if (slips > most || slips >= fewest) continue;
        nearest = word;
        fewest = slips;
    }
    return nearest;
}

}  // namespace sluice::detail

#endif
