// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_TEXTS_STORED_TEXTS_HPP
#define SLUICE_STORE_TEXTS_STORED_TEXTS_HPP

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <sluice/base/memory.hpp>
#include <sluice/base/text_hasher.hpp>
#include <sluice/store/texts/archive_reader.hpp>
#include <sluice/store/texts/archive_writer.hpp>
#include <sluice/store/texts/code_table.hpp>
#include <sluice/store/texts/text_list.hpp>

namespace sluice::store {

/// Texts by code and their hash index, as views of an archive. Immutable.
///
/// ```
/// begins: | 0 | of text 1 | of text 2 | ... | the end |      code 0 is `absent`
/// bytes:  | text 1 | text 2 | ...
/// slots:  | hash 63..32 | code |       64 bits, 0 if free; three quarters full. A code is in the
///                                      slot of its hash, or in the next free one
/// ```
class stored_texts {
public:
    stored_texts() = default;
    /// Views the texts of an archive, which save() wrote. Fails the archive if sizes don't fit.
    explicit stored_texts(archive_reader& archive)
        : begins_(archive.view<std::uint64_t>()),
          bytes_(archive.view<char>()),
          slots_(archive.view<std::uint64_t>()),
          mapped_(archive.keeper()) {
        const bool is_sound = begins_.size() >= 2 && begins_.back() <= bytes_.size() &&
                              slots_.size() == slots_for(codes());
        if (!is_sound) {
            archive.fail();
            begins_ = {};
        }
    }

    /// Writes the texts of the first `codes` codes, which include `absent`. `text_of(code)` returns
    /// a text.
    template <std::regular_invocable<code> TextOf>
    static void save(archive_writer& archive, std::size_t codes,
                     const sluice::detail::text_hasher& hasher, const TextOf& text_of) {
        std::vector<std::uint64_t> begins(2, 0);
        std::vector<std::uint32_t> tags;
        begins.reserve(codes + 1);
        tags.reserve(codes);
        const std::uint64_t begin = archive.begin_array();
        for (std::size_t c = 1; c < codes; ++c) {
            const std::string_view text = text_of(static_cast<code>(c));
            archive.piece(text);
            begins.push_back(begins.back() + text.size());
            tags.push_back(static_cast<std::uint32_t>(hasher(text) >> 32));
        }
        // The texts are written first, but come second in the directory.
        archive.array(std::span<const std::uint64_t>(begins));
        archive.end_array(begin, begins.back());
        archive.array(std::span<const std::uint64_t>(slots_of(tags)));
    }

    /// Returns the number of codes, including `absent`; 0 if there are no texts.
    [[nodiscard]] std::size_t codes() const noexcept {
        return begins_.empty() ? 0 : begins_.size() - 1;
    }
    [[nodiscard]] std::string_view text(code of) const noexcept {
        return {bytes_.data() + begins_[of], begins_[of + 1] - begins_[of]};
    }
    /// Prefetches the place of a code's text; see text_list.
    void prefetch_place(code of) const noexcept { sluice::detail::prefetch(begins_.data() + of); }
    /// Prefetches the start of a code's text. Fast once its place is in the cache.
    void prefetch_text(code of) const noexcept {
        text_list::prefetch_lines(bytes_.data() + begins_[of]);
    }
    /// Returns the code of a text, or `absent`. `hash` is the text's hash.
    [[nodiscard]] code find(std::string_view text, std::uint64_t hash) const noexcept {
        const std::uint64_t tag = hash >> 32;
        for (std::size_t at = home(tag, slots_.size());; at = next(at, slots_.size())) {
            const std::uint64_t slot = slots_[at];
            if (slot == 0) return absent;
            const auto candidate = static_cast<code>(slot);
            if (slot >> 32 == tag && this->text(candidate) == text) return candidate;
        }
    }
    /// Prefetches the slot of a hash.
    void prefetch(std::uint64_t hash) const noexcept {
        sluice::detail::prefetch(slots_.data() + home(hash >> 32, slots_.size()));
    }
    /// Returns the most slots that a find() of an existing text visits.
    [[nodiscard]] std::size_t longest_probe() const noexcept {
        std::size_t longest = 0;
        for (std::size_t at = 0; at < slots_.size(); ++at) {
            if (slots_[at] == 0) continue;
            const std::size_t first = home(slots_[at] >> 32, slots_.size());
            longest = std::max(longest, (at < first ? at + slots_.size() : at) - first + 1);
        }
        return longest;
    }
    /// Returns the size in bytes.
    [[nodiscard]] std::size_t bytes() const noexcept {
        return begins_.size_bytes() + bytes_.size() + slots_.size_bytes();
    }

private:
    /// Returns the number of slots for a number of codes.
    static constexpr std::size_t slots_for(std::size_t codes) noexcept {
        return codes + codes / 3 + 1;
    }
    /// Returns the slot of the upper half of a hash.
    static constexpr std::size_t home(std::uint64_t tag, std::size_t slots) noexcept {
        return static_cast<std::size_t>(tag * slots >> 32);
    }
    static constexpr std::size_t next(std::size_t at, std::size_t slots) noexcept {
        return at + 1 == slots ? 0 : at + 1;
    }
    /// Fills the slots of all codes from 1 on; `tags` are the upper halves of their hashes.
    [[nodiscard]] static std::vector<std::uint64_t> slots_of(
        const std::vector<std::uint32_t>& tags) {
        constexpr std::size_t ahead = 16;  // slots prefetched while others are filled
        std::vector<std::uint64_t> slots(slots_for(tags.size() + 1));
        const std::size_t size = slots.size();
        for (std::size_t i = 0; i < tags.size(); ++i) {
            if (i + ahead < tags.size()) {
                sluice::detail::prefetch_to_write(&slots[home(tags[i + ahead], size)]);
            }
            std::size_t at = home(tags[i], size);
            while (slots[at] != 0) at = next(at, size);
            slots[at] = std::uint64_t{tags[i]} << 32 | (i + 1);
        }
        return slots;
    }

    std::span<const std::uint64_t> begins_;
    std::span<const char> bytes_;
    std::span<const std::uint64_t> slots_;
    std::shared_ptr<const void> mapped_;  // the archive
};

}  // namespace sluice::store

#endif
