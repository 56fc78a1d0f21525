// SPDX-License-Identifier: MIT
#ifndef SLUICE_FILTERS_DETAIL_TEXT_SET_HPP
#define SLUICE_FILTERS_DETAIL_TEXT_SET_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/base/ascii.hpp>
#include <sluice/base/text_hasher.hpp>

namespace sluice::detail {

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
    static constexpr std::size_t few = 4;

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
    std::vector<std::uint32_t> slots_{};
};

}  // namespace sluice::detail

#endif
