// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_JSON_JSON_FRAGMENTS_HPP
#define SLUICE_STORE_JSON_JSON_FRAGMENTS_HPP

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/base/json_writer.hpp>
#include <sluice/store/texts/chunked_list.hpp>
#include <sluice/store/texts/dictionary.hpp>
#include <sluice/time/instant.hpp>

/// JSON of rows: fragments that are escaped in advance, and the buffer that they are copied to.
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

/// A writer that appends JSON to a string in place. The string grows in steps that fit into the
/// fastest cache, so that the zeros it grows by are still cached when JSON overwrites them.
///
/// ```
/// out: | what was there | what was put | zeros |
///                                      end_    limit_
/// ```
class json_buffer {
public:
    /// Appends to `out`, which must outlive this and is valid only after flush().
    explicit json_buffer(std::string& out) noexcept : out_(out) { point_to_end(); }
    json_buffer(const json_buffer&) = delete;
    json_buffer& operator=(const json_buffer&) = delete;

    /// Cuts the string off at the end of the written JSON.
    void flush() {
        out_.resize(size());
        point_to_end();
    }
    /// Returns the size of the string, including written JSON.
    [[nodiscard]] std::size_t size() const noexcept {
        return static_cast<std::size_t>(end_ - out_.data());
    }
    /// Reserves memory for a string of `bytes` bytes, so that it doesn't move while it grows.
    void reserve(std::size_t bytes) {
        flush();
        out_.reserve(bytes);
        point_to_end();
    }

    /// Begins a run of fragments, for which it makes room once: returns the position of the first.
    /// Expects up to longest_run fragments of at most short_fragment bytes, all readable for
    /// fragment_step (json_fragments.hpp) bytes past their end.
    ///
    /// ```
    /// char* to = buffer.begin_run();
    /// for (const std::string_view fragment : run) to = json_buffer::copy_fragment(to, fragment);
    /// buffer.end_run(to);
    /// ```
    [[nodiscard]] char* begin_run() {
        make_room(longest_run * short_fragment + fragment_step);
        return end_;
    }
    /// Copies a short fragment and returns the end of it. Overwrites up to fragment_step bytes
    /// after that.
    [[nodiscard]] static char* copy_fragment(char* to, std::string_view fragment) noexcept {
        std::memcpy(to, fragment.data(), fragment_step);
        for (std::size_t at = fragment_step; at < fragment.size(); at += fragment_step) {
            std::memcpy(to + at, fragment.data() + at, fragment_step);
        }
        return to + fragment.size();
    }
    /// Ends a run at the position that copy_fragment() returned last.
    void end_run(char* to) noexcept { end_ = to; }

    static constexpr std::size_t longest_run = 32;      ///< fragments in a run, at most
    static constexpr std::size_t short_fragment = 128;  ///< bytes of a fragment in a run, at most

    /// Appends JSON.
    void put(std::string_view json) {
        if (json.empty()) return;
        make_room(json.size());
        std::memcpy(end_, json.data(), json.size());
        end_ += json.size();
    }

    /// Appends a text (valid UTF-8) as a quoted JSON string.
    void put_text(std::string_view text) {
        make_room(text.size() + 2);
        *end_ = '"';
        if (!copy_plain(end_ + 1, text)) return put_escaped(text);
        end_[text.size() + 1] = '"';
        end_ += text.size() + 2;
    }

    /// Appends a time, in milliseconds since 1970, as a JSON string; see format_timestamp().
    void put_time(std::int64_t time) {
        constexpr std::size_t length = 26;
        make_room(length);
        write_time(end_, time);
        end_ += length;
    }

    void put_integer(std::int64_t number) {
        constexpr std::size_t longest = 20;
        make_room(longest);
        end_ = std::to_chars(end_, end_ + longest, number).ptr;
    }

private:
    static constexpr std::size_t growth = std::size_t{1} << 14;  // bytes

    void make_room(std::size_t bytes) {
        if (bytes > static_cast<std::size_t>(limit_ - end_)) grow(bytes);
    }
    /// Lengthens the string by at least `bytes` bytes.
    void grow(std::size_t bytes) {
        const std::size_t before = size();
        out_.resize(before + std::max(bytes, growth));
        end_ = out_.data() + before;
        limit_ = out_.data() + out_.size();
    }
    void point_to_end() noexcept { end_ = limit_ = out_.data() + out_.size(); }
    /// Like put_text(), for a text that needs escapes.
    void put_escaped(std::string_view text) {
        flush();
        sluice::detail::append_json_string(out_, text);
        point_to_end();
    }

    /// Copies a text. Returns false if it has a byte that needs an escape.
    [[nodiscard]] static bool copy_plain(char* to, std::string_view text) noexcept {
        constexpr std::size_t step = sizeof(std::uint64_t);
        std::uint64_t escapes = 0;
        const auto copy = [&](std::size_t at, std::size_t size) {
            std::uint64_t bytes = 0x2020'2020'2020'2020;  // spaces, which need no escape
            std::memcpy(&bytes, text.data() + at, size);
            std::memcpy(to + at, &bytes, size);
            escapes |= sluice::detail::mark_escapes(bytes);
        };
        if (text.size() < step) {
            if (!text.empty()) copy(0, text.size());
            return escapes == 0;
        }
        for (std::size_t at = 0; at + step < text.size(); at += step) copy(at, step);
        copy(text.size() - step, step);
        return escapes == 0;
    }

    /// Writes `"2026-08-21T02:30:15.123Z"`. Caches the date, as most rows in order of time share
    /// it.
    void write_time(char* to, std::int64_t time) noexcept {
        const auto [day, since_midnight] =
            sluice::detail::split_at_midnight(instant{std::chrono::milliseconds{time}});
        if (day != day_) {
            sluice::detail::write_day(date_.data(), day);
            day_ = day;
        }
        to[0] = '"';
        std::memcpy(to + 1, date_.data(), date_.size());
        sluice::detail::write_rest_of_timestamp(to + 11, since_midnight);
        to[25] = '"';
    }

    std::string& out_;
    char* end_;                                                      // end of the written JSON
    char* limit_;                                                    // end of the string
    std::uint32_t day_ = std::numeric_limits<std::uint32_t>::max();  // none at first
    std::array<char, 10> date_;                                      // text of day_
};

}  // namespace sluice::store

#endif
