// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_JSON_JSON_BUFFER_HPP
#define SLUICE_STORE_JSON_JSON_BUFFER_HPP

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#include <sluice/base/json_writer.hpp>
#include <sluice/store/json/json_fragments.hpp>
#include <sluice/time/instant.hpp>

namespace sluice::store {

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
