// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_CODE_SET_HPP
#define SLUICE_STORE_CODE_SET_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <sluice/store/dictionary.hpp>
#include <sluice/store/number_ranges.hpp>

namespace sluice::store {

/// A set of codes: those of a sorted list, or all but those; or those in ranges of numbers, which
/// are never listed.
///
/// ```
/// code_set wanted({7, 3});  // 3 and 7
/// wanted.flip();            // every code but 3 and 7
/// ```
class code_set {
public:
    /// The empty set.
    code_set() = default;
    /// The codes of a list in any order, or all others.
    explicit code_set(std::vector<code> listed, bool is_complement = false)
        : listed_(std::move(listed)), is_complement_(is_complement) {
        if (!std::ranges::is_sorted(listed_)) std::ranges::sort(listed_);
        listed_.erase(std::ranges::unique(listed_).begin(), listed_.end());
        update_bits();
    }

    explicit code_set(number_ranges accepted) : ranges_(std::move(accepted)) {}

    [[nodiscard]] bool contains(code c) const {
        return ranges_ ? ranges_->contains(c) : lists(c) != is_complement_;
    }

    /// Puts a code into the set, which has no ranges. Quick in ascending order; each code out of
    /// order moves those after it, so that long lists are better given to the constructor.
    void insert(code c) {
        const auto place = std::ranges::lower_bound(listed_, c);
        const bool is_listed = place != listed_.end() && *place == c;
        if (is_listed != is_complement_) return;
        if (is_complement_) {
            listed_.erase(place);
        } else {
            listed_.insert(place, c);
        }
        bits_.clear();
        if (std::has_single_bit(listed_.size())) update_bits();
    }
    /// Makes it the set of all other codes.
    void flip() noexcept {
        if (ranges_) return ranges_->flip();
        is_complement_ = !is_complement_;
    }

    /// Whether the codes are those in ranges; nothing is listed then.
    [[nodiscard]] bool has_ranges() const noexcept { return ranges_.has_value(); }
    /// Where both sets of one column have ranges, makes it what is in both, or in either of them;
    /// else it is false.
    bool merge(const code_set& other, bool in_both) {
        if (!ranges_ || !other.ranges_) return false;
        in_both ? ranges_->intersect(*other.ranges_) : ranges_->unite(*other.ranges_);
        return true;
    }

    /// The codes in the set, or with is_complement() those that aren't; sorted.
    [[nodiscard]] std::span<const code> listed() const noexcept { return listed_; }
    [[nodiscard]] bool is_complement() const noexcept { return is_complement_; }

    /// A bit for each code up to the last one listed, where the list is long and dense enough for
    /// that to pay; else empty.
    [[nodiscard]] std::span<const std::uint64_t> listed_bits() const noexcept { return bits_; }

private:
    static constexpr std::size_t short_list = 16;     // codes that are searched, not tabled
    static constexpr std::size_t words_per_code = 4;  // of the table, at most

    [[nodiscard]] bool lists(code c) const noexcept {
        if (bits_.empty()) return std::ranges::binary_search(listed_, c);
        return c / 64 < bits_.size() && ((bits_[c / 64] >> (c % 64)) & 1) != 0;
    }
    void update_bits() {
        if (listed_.size() <= short_list) return bits_.clear();
        const std::size_t words = listed_.back() / 64 + 1;
        if (words > words_per_code * listed_.size()) return bits_.clear();
        bits_.assign(words, 0);
        for (const code c : listed_) bits_[c / 64] |= std::uint64_t{1} << (c % 64);
    }

    std::vector<code> listed_;
    std::vector<std::uint64_t> bits_;
    bool is_complement_ = false;
    std::optional<number_ranges> ranges_;
};

/// The codes whose text any of `values` names; absent values are named by none. See
/// dictionary::codes_named().
[[nodiscard]] inline code_set codes_named(const dictionary& texts, filter_values values,
                                          collation how) {
    return code_set(texts.codes_named(values, how));
}

}  // namespace sluice::store

#endif
