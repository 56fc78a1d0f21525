// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_CONDITIONS_CODE_SET_HPP
#define SLUICE_STORE_CONDITIONS_CODE_SET_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <sluice/store/numbers/number_ranges.hpp>
#include <sluice/store/texts/dictionary.hpp>

namespace sluice::store {

/// A set of codes (see dictionary): a sorted list, all codes but a sorted list (a complement), or
/// the codes of numbers in ranges, without a list (see number_ranges).
///
/// ```
/// code_set wanted({7, 3});  // 3 and 7
/// wanted.flip();            // every code but 3 and 7
/// ```
class code_set {
public:
    /// Makes the empty set.
    code_set() = default;
    /// Makes the set of the listed codes, in any order, or of all others.
    explicit code_set(std::vector<code> listed, bool is_complement = false)
        : listed_(std::move(listed)), is_complement_(is_complement) {
        if (!std::ranges::is_sorted(listed_)) std::ranges::sort(listed_);
        listed_.erase(std::ranges::unique(listed_).begin(), listed_.end());
        update_bits();
    }

    /// Makes the set of the codes whose numbers are in ranges.
    explicit code_set(number_ranges accepted) : ranges_(std::move(accepted)) {}

    [[nodiscard]] bool contains(code c) const {
        return ranges_ ? ranges_->contains(c) : lists(c) != is_complement_;
    }

    /// Replaces the set by its complement.
    void flip() noexcept {
        if (ranges_) return ranges_->flip();
        is_complement_ = !is_complement_;
    }

    /// Keeps the codes that are in `other` too. Expects sets without ranges.
    void intersect(const code_set& other) {
        std::vector<code> kept;
        const auto output = std::back_inserter(kept);
        if (is_complement_ && other.is_complement_) {
            std::ranges::set_union(listed_, other.listed_, output);
        } else if (is_complement_) {
            std::ranges::set_difference(other.listed_, listed_, output);
        } else if (other.is_complement_) {
            std::ranges::set_difference(listed_, other.listed_, output);
        } else {
            std::ranges::set_intersection(listed_, other.listed_, output);
        }
        is_complement_ = is_complement_ && other.is_complement_;
        listed_ = std::move(kept);
        update_bits();
    }

    /// Returns true if the set consists of ranges; then listed() is empty.
    [[nodiscard]] bool has_ranges() const noexcept { return ranges_.has_value(); }
    /// Returns the ranges. Expects has_ranges().
    [[nodiscard]] const number_ranges& ranges() const noexcept { return *ranges_; }
    /// Replaces this by the intersection (`in_both`) or union of two sets that consist of ranges of
    /// one column, and returns true. Returns false, and changes nothing, if one has no ranges.
    bool merge(const code_set& other, bool in_both) {
        if (!ranges_ || !other.ranges_) return false;
        in_both ? ranges_->intersect(*other.ranges_) : ranges_->merge(*other.ranges_);
        return true;
    }

    /// Returns the codes in the set, or, if is_complement(), those not in it; sorted.
    [[nodiscard]] std::span<const code> listed() const noexcept { return listed_; }
    [[nodiscard]] bool is_complement() const noexcept { return is_complement_; }

    /// Returns a bit for each code up to the last listed one, if the list is long and dense enough
    /// for that to pay; else empty.
    [[nodiscard]] std::span<const std::uint64_t> listed_bits() const noexcept { return bits_; }

private:
    static constexpr std::size_t short_list = 16;     // codes, for which a binary search is fast
    static constexpr std::size_t words_per_code = 4;  // at most, in bits_

    /// Returns true if a code is in listed_.
    [[nodiscard]] bool lists(code c) const noexcept {
        if (bits_.empty()) return std::ranges::binary_search(listed_, c);
        return c / 64 < bits_.size() && ((bits_[c / 64] >> (c % 64)) & 1) != 0;
    }
    /// Sets bits_ for the current list; see listed_bits().
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

/// Returns the codes of all texts that match one of `values`; never `absent`. See
/// dictionary::codes_named().
[[nodiscard]] inline code_set codes_named(const dictionary& texts, filter_values values,
                                          collation how) {
    return code_set(texts.codes_named(values, how));
}

}  // namespace sluice::store

#endif
