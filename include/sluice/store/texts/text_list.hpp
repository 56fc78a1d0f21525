// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_TEXTS_TEXT_LIST_HPP
#define SLUICE_STORE_TEXTS_TEXT_LIST_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <sluice/base/memory.hpp>
#include <sluice/base/text_hasher.hpp>
#include <sluice/store/texts/archive.hpp>
#include <sluice/store/texts/chunked_list.hpp>
#include <sluice/store/texts/code_table.hpp>

/// Lists of texts: in memory, and as views of an archive.
namespace sluice::store {

/// Texts in order of arrival, at stable addresses. One thread appends; any thread reads texts below
/// a size that it has seen.
///
/// ```
/// places:   5 bytes a text          | 32 | 37 | 64 | ...
/// chunks:   32 bytes, 64, 128 …     [4|abcd 2|ef       ][60|ghijkl ...
///                                   32    37           64
/// ```
///
/// A place is a number: its highest bit selects the chunk, the other bits the byte in it. Places
/// stay valid if the chunks are stored one after the other. The length precedes the bytes, seven
/// bits a byte, lowest first. A text that doesn't fit into a chunk begins the next one that can
/// hold it.
class text_list {
public:
    [[nodiscard]] std::size_t size() const noexcept { return places_.size(); }

    [[nodiscard]] std::string_view operator[](std::size_t index) const noexcept {
        const std::uint64_t at = places_[index].value();
        const std::size_t chunk = chunk_of(at);
        const char* text = chunks_[chunk].get() + (at ^ begin_of(chunk));
        auto length = static_cast<unsigned char>(*text++);
        if (length < 128) [[likely]]
            return {text, length};
        std::size_t size = length & 127U;
        for (unsigned shift = 7; length >= 128; shift += 7) {
            length = static_cast<unsigned char>(*text++);
            size |= std::size_t{length & 127U} << shift;
        }
        return {text, size};
    }

    /// Returns the first index from `index` on, up to `end`, whose text isn't in the same chunk:
    /// the texts before it lie in order, one after the other. Expects `index` < `end` <= size().
    [[nodiscard]] std::size_t chunk_end(std::size_t index, std::size_t end) const noexcept {
        const std::uint64_t next = begin_of(chunk_of(places_[index].value()) + 1);
        while (index < end) {
            const std::size_t middle = index + (end - index) / 2;
            if (places_[middle].value() < next) {
                index = middle + 1;
            } else {
                end = middle;
            }
        }
        return end;
    }

    /// Prefetches the place of a text. Prefetch the places of many texts, then the texts, then read
    /// them: their cache misses overlap.
    void prefetch_place(std::size_t index) const noexcept {
        sluice::detail::prefetch(&places_[index]);
    }
    /// Prefetches the start of a text. Fast once its place is in the cache.
    void prefetch_text(std::size_t index) const noexcept {
        const std::uint64_t at = places_[index].value();
        const std::size_t chunk = chunk_of(at);
        prefetch_lines(chunks_[chunk].get() + (at ^ begin_of(chunk)));
    }
    /// Prefetches the first lines from `text` on; addresses past its end need not exist.
    static void prefetch_lines(const char* text) noexcept {
        constexpr std::size_t line = 64, lines = 4;
        for (std::size_t i = 0; i < lines; ++i) {
            sluice::detail::prefetch(
                reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(text) + i * line));
        }
    }

    /// Appends a copy of a text. One thread at a time.
    void push_back(std::string_view text) {
        set_next(text);
        show_next();
    }
    /// Copies the next text, which isn't a part of the list before show_next(). Only for the
    /// appending thread.
    void set_next(std::string_view text) {
        std::array<char, 10> length;
        const std::size_t digits = write_length(text.size(), length);
        const std::uint64_t at = make_room(digits + text.size());
        const std::size_t chunk = chunk_of(at);
        char* const to = chunks_[chunk].get() + (at ^ begin_of(chunk));
        std::memcpy(to, length.data(), digits);
        if (!text.empty()) std::memcpy(to + digits, text.data(), text.size());
        places_.set_next(place(at));
        next_end_ = at + digits + text.size();
    }
    /// Appends the text of set_next().
    void show_next() noexcept {
        end_ = next_end_;
        places_.show_next();
    }
    /// Drops the last texts, keeping `size`. Only for the appending thread; no other thread may
    /// read the dropped texts, now or later: later texts overwrite them.
    void shrink(std::size_t size) noexcept {
        if (size < this->size()) end_ = places_[size].value();
        places_.shrink(size);
    }

    /// Returns the approximate size of the texts and their places, in bytes.
    [[nodiscard]] std::size_t bytes() const noexcept {
        const std::size_t count = size();
        if (count == 0) return 0;
        const std::string_view last = (*this)[count - 1];
        return places_[count - 1].value() - first_chunk + last.size() + 1 + count * sizeof(place);
    }

private:
    static constexpr std::size_t first_chunk = 32;
    static constexpr std::size_t max_chunks = 40;  // the last one ends at 40 bits

    /// An unaligned 40-bit number.
    class place {
    public:
        place() = default;
        explicit place(std::uint64_t at) noexcept : high_(static_cast<std::uint8_t>(at >> 32)) {
            const auto low = static_cast<std::uint32_t>(at);
            std::memcpy(low_.data(), &low, sizeof low);
        }
        [[nodiscard]] std::uint64_t value() const noexcept {
            std::uint32_t low = 0;
            std::memcpy(&low, low_.data(), sizeof low);
            return std::uint64_t{high_} << 32 | low;
        }

    private:
        std::array<std::uint8_t, 4> low_;
        std::uint8_t high_;
    };

    /// Returns the chunk of a place.
    static constexpr std::size_t chunk_of(std::uint64_t at) noexcept {
        return static_cast<std::size_t>(std::bit_width(at)) - 1;
    }
    /// Returns the first place of a chunk, which is its size, too.
    static constexpr std::uint64_t begin_of(std::size_t chunk) noexcept {
        return std::uint64_t{1} << chunk;
    }
    /// Writes a length, seven bits a byte. Returns the number of bytes.
    static std::size_t write_length(std::size_t size, std::array<char, 10>& digits) noexcept {
        std::size_t count = 0;
        for (; size >= 128; size >>= 7) digits[count++] = static_cast<char>(size | 128);
        digits[count++] = static_cast<char>(size);
        return count;
    }
    /// Returns the place of the next text, in a chunk with space for its bytes.
    [[nodiscard]] std::uint64_t make_room(std::size_t needed) {
        std::uint64_t at = end_;
        std::size_t chunk = chunk_of(at);
        while (begin_of(chunk + 1) - at < needed) at = begin_of(++chunk);
        if (chunk >= max_chunks) throw std::length_error("texts of more than a terabyte");
        if (!chunks_[chunk]) {
            chunks_[chunk] = std::make_unique_for_overwrite<char[]>(begin_of(chunk));
        }
        return at;
    }

    chunked_list<place> places_;
    std::array<std::unique_ptr<char[]>, max_chunks> chunks_;  // by highest bit of a place
    std::uint64_t end_ = first_chunk;       // the place of the next text, if it has room there
    std::uint64_t next_end_ = first_chunk;  // end_ with the text of set_next()
};

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

    /// Returns true if all texts are in the archive. Reads the places of all of them.
    [[nodiscard]] bool has_valid_places() const noexcept {
        return std::ranges::is_sorted(begins_);  // up to the last one, which is checked
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
    /// Returns the code of a text, or `absent`. `hash` is the text's hash. Expects codes() > 0.
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
