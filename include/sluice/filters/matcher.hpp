// SPDX-License-Identifier: MIT
#ifndef SLUICE_FILTERS_MATCHER_HPP
#define SLUICE_FILTERS_MATCHER_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/base/ascii.hpp>
#include <sluice/base/text_hasher.hpp>
#include <sluice/filters/filter.hpp>

/// Matchers of filters: an index of a filter's values for one collation.
namespace sluice {

namespace detail {

/// The handling of ASCII case in a set of texts.
enum class letter_case : std::uint8_t { kept, ignored };

/// A set of texts that is filled once and searched often. A few texts are compared one by one; more
/// are found by a hash of their bytes, in a table of slots that is at most half full:
///
/// ```
/// texts_   "us" "ca" "fr" …             in the order in which they came
/// slots_   - 2 - - 1 - 3 - …            a text's number from 1, at its hash or the next free slot
/// ```
class text_set {
public:
    text_set(letter_case how, hash_seed seed) noexcept
        : ignores_case_(how == letter_case::ignored), hasher_(seed) {}

    /// Adds a text unless it is present.
    void insert(std::string_view text) {
        if (contains(text)) return;
        texts_.emplace_back(text);
        if (texts_.size() <= few) return;
        if (2 * texts_.size() > slots_.size()) return make_slots();
        *find_slot(text) = static_cast<std::uint32_t>(texts_.size());
    }

    [[nodiscard]] bool contains(std::string_view text) const noexcept {
        if (!slots_.empty()) return slots_[slot_of(text)] != 0;
        for (const std::string& known : texts_) {
            if (is_same(known, text)) return true;
        }
        return false;
    }

private:
    static constexpr std::size_t few = 4;  // texts compared one by one, without slots

    [[nodiscard]] bool is_same(std::string_view a, std::string_view b) const noexcept {
        return ignores_case_ ? equal_ignoring_case(a, b) : equal_bytes(a, b);
    }

    /// Returns the slot that holds a text, or the free one that it would take.
    [[nodiscard]] std::size_t slot_of(std::string_view text) const noexcept {
        std::size_t at = hash(text) & (slots_.size() - 1);
        while (slots_[at] != 0 && !is_same(texts_[slots_[at] - 1], text)) {
            at = (at + 1) & (slots_.size() - 1);
        }
        return at;
    }
    std::uint32_t* find_slot(std::string_view text) noexcept { return &slots_[slot_of(text)]; }

    /// Makes at least four times as many slots as texts, a power of two, and fills them anew.
    void make_slots() {
        slots_.assign(4 * std::bit_ceil(texts_.size()), 0);
        for (std::uint32_t number = 1; number <= texts_.size(); ++number) {
            *find_slot(texts_[number - 1]) = number;
        }
    }

    [[nodiscard]] std::uint64_t hash(std::string_view text) const noexcept {
        return ignores_case_ ? hasher_(text, to_lower_bytes) : hasher_(text);
    }

    bool ignores_case_;
    text_hasher hasher_;
    std::vector<std::string> texts_{};
    std::vector<std::uint32_t> slots_{};  // empty for a few texts
};

}  // namespace detail

/// An index of a filter's values for one collation: a row costs one lookup, however long the list
/// is. Same results as equal() on every value in turn. Owns its data; lookups don't allocate.
///
/// ```
/// const sluice::filter_matcher names(f.values(), sluice::collation::ignore_case);
/// const bool passes = names.contains("us") != f.excludes();
/// ```
class filter_matcher {
public:
    /// If untrusted clients choose the values, pass a `seed` that they can't know; see hash_seed.
    filter_matcher(filter_values values, collation how, hash_seed seed = hash_seed::of_process())
        : part_(record_of(how).part), whole_(case_of(how), seed), parts_(case_of(how), seed) {
        const collation_record& record = record_of(how);
        // A value that only a part can equal isn't compared with whole rows.
        for (const std::string_view value : values) {
            (record.compares_whole(value) ? whole_ : parts_).insert(value);
        }
    }

    /// Returns true if the row equals any value of the list. Don't call it for rows without a
    /// value, which equal none.
    [[nodiscard]] bool contains(std::string_view row) const noexcept {
        return whole_.contains(row) || (part_ && contains_part(*part_, row));
    }

private:
    static constexpr detail::letter_case case_of(collation how) noexcept {
        return record_of(how).ignores_case ? detail::letter_case::ignored
                                           : detail::letter_case::kept;
    }
    /// Returns true if the row has a part that equals a value compared with parts.
    [[nodiscard]] bool contains_part(const text_part& part, std::string_view row) const noexcept {
        const std::optional<std::string_view> key = part.find(row);
        return key && (part.splits_values() ? parts_ : whole_).contains(*key);
    }

    std::optional<text_part> part_;
    // Values compared with the whole row, and with its part too unless the part splits values.
    detail::text_set whole_;
    // Values compared with the part only; empty unless it splits values. See
    // text_part::splits_values().
    detail::text_set parts_;
};

}  // namespace sluice

#endif
