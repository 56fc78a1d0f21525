// SPDX-License-Identifier: MIT
#ifndef SLUICE_ARROW_TYPE_NAME_HPP
#define SLUICE_ARROW_TYPE_NAME_HPP

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <sluice/arrow/data_type.hpp>

/// Names of Arrow types, for the messages of errors.
namespace sluice::arrow {

namespace detail {

using type_word = std::pair<std::string_view, std::string_view>;

/// Type names of formats without parameters.
inline constexpr std::array<type_word, 41> whole_formats{{
    {"n", "null"},
    {"b", "bool"},
    {"c", "int8"},
    {"C", "uint8"},
    {"s", "int16"},
    {"S", "uint16"},
    {"i", "int32"},
    {"I", "uint32"},
    {"l", "int64"},
    {"L", "uint64"},
    {"_pli128", "int128"},  // of polars, as the next
    {"_plu128", "uint128"},
    {"e", "float16"},
    {"f", "float32"},
    {"g", "float64"},
    {"z", "bytes"},
    {"Z", "large bytes"},
    {"vz", "bytes views"},
    {"u", "text"},
    {"U", "large text"},
    {"vu", "text views"},
    {"tdD", "date32"},
    {"tdm", "date64"},
    {"tts", "time32[s]"},
    {"ttm", "time32[ms]"},
    {"ttu", "time64[us]"},
    {"ttn", "time64[ns]"},
    {"tDs", "duration[s]"},
    {"tDm", "duration[ms]"},
    {"tDu", "duration[us]"},
    {"tDn", "duration[ns]"},
    {"tiM", "month_interval"},
    {"tiD", "day_time_interval"},
    {"tin", "month_day_nano_interval"},
    {"+l", "list"},
    {"+L", "large list"},
    {"+vl", "list view"},
    {"+vL", "large list view"},
    {"+s", "struct"},
    {"+m", "map"},
    {"+r", "run-end encoded column"},
}};

/// Type names of formats with parameters after a colon, which follow a name that ends with a space.
inline constexpr std::array<type_word, 9> open_formats{{
    {"tss:", "timestamp[s]"},
    {"tsm:", "timestamp[ms]"},
    {"tsu:", "timestamp[us]"},
    {"tsn:", "timestamp[ns]"},
    {"w:", "fixed-size bytes of "},
    {"d:", "decimal of "},
    {"+w:", "fixed-size list of "},
    {"+ud:", "dense union"},
    {"+us:", "sparse union"},
}};

/// Returns the name of a format string, without children and dictionary.
[[nodiscard]] inline std::string format_name(std::string_view format) {
    for (const auto& [whole, words] : whole_formats) {
        if (format == whole) return std::string(words);
    }
    for (const auto& [prefix, words] : open_formats) {
        if (!format.starts_with(prefix)) continue;
        return std::string(words).append(words.ends_with(' ') ? format.substr(prefix.size()) : "");
    }
    return "an unknown type";
}

}  // namespace detail

/// Returns a type's name in the words of Python's libraries, for messages.
///
/// ```
/// "l"    int64        "tsu:UTC"  timestamp[us]    "+l" of "u"   list of text
/// "tdD"  date32       "+w:3"     fixed-size list of 3
/// "c" with a dictionary of "u"   dictionary of text
/// "l" of a column of periods     extension type pandas.period
/// ```
[[nodiscard]] inline std::string type_name(const data_type& type) {
    if (!type.extension.empty()) return "extension type " + type.extension;
    if (type.is_coded()) return "dictionary of " + type_name(type.dictionary.front());
    std::string name = detail::format_name(type.format);
    if (type.is_list() && !type.children.empty()) name += " of " + type_name(type.children.front());
    return name;
}

}  // namespace sluice::arrow

#endif
