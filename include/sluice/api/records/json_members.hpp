// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_RECORDS_JSON_MEMBERS_HPP
#define SLUICE_API_RECORDS_JSON_MEMBERS_HPP

#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include <sluice/detail/json_writer.hpp>
#include <sluice/instant.hpp>

namespace sluice::api::detail {

using sluice::detail::json_writer;

/// A text, or null.
inline void write_nullable(json_writer& json, std::string_view name,
                           const std::optional<std::string_view>& text) {
    json.key(name);
    text ? json.value(*text) : json.value(nullptr);
}

/// A time, as all records write times: `2026-08-21T02:30:15.123Z`.
inline void write_time(json_writer& json, std::string_view name, instant at) {
    json.member(name, format_timestamp(at));
}

/// A time, or "" where it is unset.
inline void write_time(json_writer& json, std::string_view name, const std::optional<instant>& at) {
    at ? write_time(json, name, *at) : static_cast<void>(json.member(name, ""));
}

/// A finite number in its shortest form: 50, 33.3.
inline void write_number(json_writer& json, std::string_view name, double number) {
    std::array<char, 32> text;
    const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
    json.raw_member(name, {text.data(), static_cast<std::size_t>(end - text.data())});
}

}  // namespace sluice::api::detail

#endif
