// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_JSON_BUFFER_HPP
#define SLUICE_STORE_JSON_BUFFER_HPP

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

#include <sluice/detail/json_writer.hpp>
#include <sluice/instant.hpp>
#include <sluice/store/json_fragments.hpp>

namespace sluice::store {

/// Bytes of JSON on their way into a string. They gather where they stay in the fastest cache, so
/// that the string is written once and in order:
///
/// ```
/// fragments, texts, times --> | written ...    | slack | --flush--> std::string
///                             <--- capacity --->  a copy's last step may write on into the slack
/// ```
class json_buffer {
public:
    /// Appends to `out`, which must outlive it. What was put shows there after flush().
    explicit json_buffer(std::string& out) noexcept : out_(out) {}
    json_buffer(const json_buffer&) = delete;
    json_buffer& operator=(const json_buffer&) = delete;

    void flush() {
        out_.append(bytes_.data(), used_);
        used_ = 0;
    }

    /// Appends a fragment: bytes after which fragment_step more can be read.
    void put_fragment(std::string_view fragment) {
        if (fragment.size() > short_fragment) return put(fragment);
        make_room(fragment.size());
        end_run(copy_fragment(end(), fragment));
    }

    /// Where up to longest_run short fragments may be copied, one after the other. The caller
    /// holds the place in a register, as the compiler can't hold a member beside the bytes that it
    /// writes.
    [[nodiscard]] char* begin_run() {
        make_room(longest_run * short_fragment);
        return end();
    }
    /// Copies a short fragment; returns where the next one goes.
    [[nodiscard]] static char* copy_fragment(char* to, std::string_view fragment) noexcept {
        std::memcpy(to, fragment.data(), fragment_step);
        for (std::size_t at = fragment_step; at < fragment.size(); at += fragment_step) {
            std::memcpy(to + at, fragment.data() + at, fragment_step);
        }
        return to + fragment.size();
    }
    /// Takes what was copied up to `to`.
    void end_run(const char* to) noexcept { used_ = static_cast<std::size_t>(to - bytes_.data()); }

    static constexpr std::size_t longest_run = 32;
    static constexpr std::size_t short_fragment = 128;

    /// Appends JSON.
    void put(std::string_view json) {
        if (json.empty()) return;
        if (json.size() > capacity) {
            flush();
            out_.append(json);
            return;
        }
        make_room(json.size());
        std::memcpy(end(), json.data(), json.size());
        used_ += json.size();
    }

    /// Appends a text (valid UTF-8) as a JSON string with its quotes.
    void put_text(std::string_view text) {
        if (text.size() + 2 > capacity) return put_escaped(text);
        make_room(text.size() + 2);
        char* const to = end();
        *to = '"';
        if (!copy_plain(to + 1, text)) return put_escaped(text);
        to[text.size() + 1] = '"';
        used_ += text.size() + 2;
    }

    /// Appends a time as a JSON string; see format_timestamp().
    void put_time(std::int64_t time) {
        constexpr std::size_t length = 26;
        make_room(length);
        write_time(end(), time);
        used_ += length;
    }

    void put_integer(std::int64_t number) {
        constexpr std::size_t longest = 20;
        make_room(longest);
        char* const to = end();
        used_ += static_cast<std::size_t>(std::to_chars(to, to + longest, number).ptr - to);
    }

private:
    static constexpr std::size_t capacity = std::size_t{1} << 14;

    [[nodiscard]] char* end() noexcept { return bytes_.data() + used_; }
    void make_room(std::size_t size) {
        if (size > capacity - used_) flush();
    }
    void put_escaped(std::string_view text) {
        flush();
        sluice::detail::append_json_string(out_, text);
    }

    /// Copies a text; false where it has a byte that needs an escape.
    [[nodiscard]] static bool copy_plain(char* to, std::string_view text) noexcept {
        constexpr std::size_t step = sizeof(std::uint64_t);
        std::uint64_t found = 0;
        const auto copy = [&](std::size_t at, std::size_t size) {
            std::uint64_t bytes = 0x2020'2020'2020'2020;
            std::memcpy(&bytes, text.data() + at, size);
            std::memcpy(to + at, &bytes, size);
            found |= sluice::detail::mark_escapes(bytes);
        };
        if (text.size() < step) {
            if (!text.empty()) copy(0, text.size());
            return found == 0;
        }
        for (std::size_t at = 0; at + step < text.size(); at += step) copy(at, step);
        copy(text.size() - step, step);
        return found == 0;
    }

    /// Writes `"2026-08-21T02:30:15.123Z"`. Rows come in order of time: most share their day.
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
    std::size_t used_ = 0;
    std::uint32_t day_ = std::numeric_limits<std::uint32_t>::max();  // its number, none at first
    std::array<char, 10> date_;                                      // of day_
    std::array<char, capacity + fragment_step> bytes_;
};

}  // namespace sluice::store

#endif
