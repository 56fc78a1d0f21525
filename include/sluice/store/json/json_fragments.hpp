// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_JSON_JSON_FRAGMENTS_HPP
#define SLUICE_STORE_JSON_JSON_FRAGMENTS_HPP

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/base/json_writer.hpp>
#include <sluice/store/texts/chunked_list.hpp>
#include <sluice/store/texts/dictionary.hpp>

namespace sluice::store {

/// The bytes that must be readable from any position in a fragment, even past its end: fragments
/// are copied in steps of this size, which is faster than a copy of variable length.
inline constexpr std::size_t fragment_step = 32;

/// The JSON of each code of a dictionary, quoted and escaped in advance, so that writing a value is
/// a copy:
///
/// ```
/// json_fragments countries(",\"country\":\"", "\"", ",\"country\":null");
/// countries.append_text("US");     // code 1
/// countries[1];                    // ,"country":"US"
/// countries[absent];               // ,"country":null
/// ```
///
/// Fragments are numbered like the codes of their dictionary, at stable addresses. One thread
/// appends; any thread reads fragments below a size that it has seen.
class json_fragments {
public:
    /// `before` and `after` surround each value; `for_absent` is the fragment of code 0.
    json_fragments(std::string_view before, std::string_view after, std::string_view for_absent)
        : before_(before), after_(after) {
        fragments_.push_back(keep(for_absent));
    }

    /// Appends the fragment of the next code, a text to be escaped.
    void append_text(std::string_view text) {
        built_.assign(before_);
        sluice::detail::append_json_string(built_, text);
        // `before` and `after` have the quotes.
        built_.erase(before_.size(), 1).pop_back();
        fragments_.push_back(keep(built_.append(after_)));
    }
    /// Appends the fragment of the next code, from JSON.
    void append_json(std::string_view json) {
        fragments_.push_back(keep(built_.assign(before_).append(json).append(after_)));
    }

    /// Writes the first `size` fragments; others may be added meanwhile. Any thread.
    void save(archive_writer& archive, std::size_t size) const {
        static constexpr std::array<char, fragment_step> beyond{};
        std::vector<std::uint64_t> begins{0};
        begins.reserve(size + 1);
        const std::uint64_t begin = archive.begin_array();
        for (std::size_t i = 0; i < size; ++i) {
            archive.piece(fragments_[i]);
            begins.push_back(begins.back() + fragments_[i].size());
        }
        archive.piece({beyond.data(), beyond.size()});
        archive.array(std::span<const std::uint64_t>(begins));
        archive.end_array(begin, begins.back() + beyond.size());
    }
    /// Replaces the fragments by those of an archive.
    void open(archive_reader& archive) {
        const auto begins = archive.view<std::uint64_t>();
        const auto bytes = archive.view<char>();
        fragments_.shrink(0);
        const std::uint64_t most = bytes.size() - std::min(bytes.size(), fragment_step);
        for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
            const std::uint64_t around = i == absent ? 0 : before_.size() + after_.size();
            const bool is_there = begins[i] <= begins[i + 1] && begins[i + 1] <= most &&
                                  around <= begins[i + 1] - begins[i];
            if (!is_there) {
                archive.fail();
                return;
            }
            fragments_.push_back({bytes.data() + begins[i], begins[i + 1] - begins[i]});
        }
        if (fragments_.size() == 0) archive.fail();
        mapped_ = archive.keeper();
        mapped_bytes_ = bytes.size();
    }
    /// Returns the number of bytes mapped from an archive.
    [[nodiscard]] std::size_t mapped_bytes() const noexcept { return mapped_bytes_; }

    /// Appends the fragments of a dictionary's codes that have none yet.
    void follow(const dictionary& texts) {
        while (size() < texts.size()) append_text(texts.text(static_cast<code>(size())));
    }
    /// Drops the last fragments, keeping `size`; see flat_list::shrink(). Doesn't free their bytes.
    void shrink(std::size_t size) noexcept { fragments_.shrink(size); }

    [[nodiscard]] std::size_t size() const noexcept { return fragments_.size(); }
    [[nodiscard]] std::string_view operator[](code of) const noexcept { return fragments_[of]; }

    /// Returns the part of a fragment between `before` and `after`. Expects a code other than
    /// `absent`.
    [[nodiscard]] std::string_view value(code of) const noexcept {
        const std::string_view whole = fragments_[of];
        return whole.substr(before_.size(), whole.size() - before_.size() - after_.size());
    }

    /// Returns all fragments; see flat_list::data().
    [[nodiscard]] const std::string_view* data() const noexcept { return fragments_.data(); }

    /// Returns the size of fragments and places, in bytes. Any thread.
    [[nodiscard]] std::size_t bytes() const noexcept {
        return fragments_.bytes() + mapped_bytes_ + text_bytes_.load(std::memory_order_relaxed);
    }

private:
    static constexpr std::size_t first_chunk = 256;
    static constexpr std::size_t largest_chunk = std::size_t{1} << 16;

    /// Copies a fragment to where it stays, and returns the copy.
    std::string_view keep(std::string_view fragment) {
        const std::size_t needed = fragment.size() + fragment_step;
        if (needed > room_) grow(needed);
        std::ranges::copy(fragment, next_);
        const std::string_view kept(next_, fragment.size());
        next_ += kept.size();
        room_ -= kept.size();
        return kept;
    }
    /// Begins a chunk with room for `needed` bytes.
    void grow(std::size_t needed) {
        const std::size_t bytes = std::max(needed, chunk_bytes_);
        chunks_.push_back(std::make_unique<char[]>(bytes));
        room_ = bytes;
        chunk_bytes_ = std::min(2 * chunk_bytes_, largest_chunk);
        next_ = chunks_.back().get();
        text_bytes_.fetch_add(room_, std::memory_order_relaxed);
    }

    std::string before_;
    std::string after_;
    std::string built_;  // buffer for the next fragment
    flat_list<std::string_view> fragments_;
    std::vector<std::unique_ptr<char[]>> chunks_;
    std::size_t chunk_bytes_ = first_chunk;  // of the next chunk
    char* next_ = nullptr;
    std::size_t room_ = 0;  // bytes from next_ on
    std::atomic<std::size_t> text_bytes_ = 0;
    std::shared_ptr<const void> mapped_;  // the archive that holds fragments, or null
    std::size_t mapped_bytes_ = 0;
};

}  // namespace sluice::store

#endif
