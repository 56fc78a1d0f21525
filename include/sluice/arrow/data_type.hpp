// SPDX-License-Identifier: MIT
#ifndef SLUICE_ARROW_DATA_TYPE_HPP
#define SLUICE_ARROW_DATA_TYPE_HPP

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include <sluice/arrow/abi.hpp>

/// The types of Arrow columns, read from their schemas, and the failures of reading foreign data.
namespace sluice::arrow {

/// The kind of a failure to read data, for example of its type.
enum class fault : std::uint8_t {
    unsupported,  ///< well-formed, but of a type that can't be compared
    malformed,    ///< against the rules of the interface
    missing,      ///< a condition's column doesn't exist
    stream,       ///< the stream's own error
};

/// A fault and its text for people, which names columns and types but quotes no data.
struct failure {
    fault kind = fault::malformed;
    std::string what{};
    std::optional<std::size_t> row{};  ///< the row at fault, if any, counted from 0
    std::string column{};              ///< parameter and column, `country: column 'land'`; or empty
};

/// Formats a failure in one line: `country: column 'land', row 3: expected text`.
[[nodiscard]] inline std::string message(const failure& failed) {
    std::string text = failed.column;
    if (failed.row) text += (text.empty() ? "row " : ", row ") + std::to_string(*failed.row);
    return text.empty() ? failed.what : text + ": " + failed.what;
}

/// A value, or the failure that prevented it.
template <class T>
using import_result = tl::expected<T, failure>;

[[nodiscard]] inline tl::unexpected<failure> refuse(fault kind, std::string what,
                                                    std::optional<std::size_t> row = {}) {
    return tl::unexpected<failure>(failure{kind, std::move(what), row, {}});
}

/// The layout of a column's values, as far as masks distinguish them.
enum class type_id : std::uint8_t {
    null,        ///< no values at all
    text32,      ///< UTF-8 or bytes with 32-bit offsets
    text64,      ///< UTF-8 or bytes with 64-bit offsets
    text_view,   ///< UTF-8 or bytes as 16-byte views
    integer,     ///< 1 to 8 bytes
    decimal,     ///< 4 to 32 bytes: whole units of 10^-scale
    real,        ///< floats of 2, 4 or 8 bytes
    boolean,     ///< bits
    date,        ///< days since 1970 in 4 bytes, or milliseconds in 8
    uuid,        ///< 16 bytes
    timestamp,   ///< 64-bit counts since 1970
    list32,      ///< lists with 32-bit offsets
    list64,      ///< lists with 64-bit offsets
    list_fixed,  ///< lists of one length
    structure,   ///< the columns of a table
    other,       ///< anything else
};

/// A column's type, read from its format string.
///
/// ```
/// "u" "z"    text32          "n"   null
/// "U" "Z"    text64          "+s"  structure
/// "vu" "vz"  text_view       "+l"  list32
///                            "+L"  list64        "+w:3"  list_fixed
/// "b"        boolean
/// "c" "C" "s" "S" "i" "I" "l" "L"   integers of 1, 2, 4, 8 bytes, upper case unsigned
/// "e" "f" "g"       real          "tdD" "tdm"  date         "w:16"  uuid
/// "d:19,10" "d:9,2,32"              decimals: digits, scale, and bits where they aren't 128
/// "tss:" "tsm:" "tsu:" "tsn:"       timestamps, the zone after the colon
/// ```
struct data_type {
    type_id id = type_id::other;
    std::uint8_t width = 0;               ///< bytes of an integer, a decimal, a real or a date
    bool is_signed = false;               ///< of an integer
    std::int64_t ticks_a_second = 0;      ///< of a timestamp: 1, 1e3, 1e6 or 1e9
    std::int64_t list_size = 0;           ///< items of a list of fixed length
    std::int64_t scale = 0;               ///< of a decimal: digits after its point
    std::string name{};                   ///< of the column; empty if it has none
    std::string format{};                 ///< as the producer wrote it
    std::string extension{};              ///< the extension type with this storage; or empty
    std::vector<data_type> children{};    ///< of a structure or list
    std::vector<data_type> dictionary{};  ///< the values' type if integers are codes; or empty

    [[nodiscard]] bool is_text() const noexcept {
        return id == type_id::text32 || id == type_id::text64 || id == type_id::text_view;
    }
    /// Returns true for texts that needn't be UTF-8.
    [[nodiscard]] bool is_bytes() const noexcept {
        return is_text() && (format.ends_with('z') || format.ends_with('Z'));
    }
    [[nodiscard]] bool is_list() const noexcept {
        return id == type_id::list32 || id == type_id::list64 || id == type_id::list_fixed;
    }
    [[nodiscard]] bool is_coded() const noexcept { return !dictionary.empty(); }
    /// Returns true if the codes are integers that stand for values, not for other codes.
    [[nodiscard]] bool has_plain_codes() const noexcept {
        return is_coded() && id == type_id::integer && !dictionary.front().is_coded();
    }
};

namespace detail {

inline constexpr int schema_max_depth = 8;  // table, list, dictionary and room to spare

/// Returns the type of a format of one letter; `other` if it names no integer.
inline data_type integer_type(char letter) {
    constexpr std::string_view letters = "cCsSiIlL";
    const std::size_t at = letters.find(letter);
    data_type type;
    if (at == std::string_view::npos) return type;
    type.id = type_id::integer;
    type.width = static_cast<std::uint8_t>(1U << (at / 2));
    type.is_signed = at % 2 == 0;
    return type;
}

/// Returns the type of a format such as "tsm:UTC"; `other` if it names no timestamp.
inline data_type timestamp_type(std::string_view format) {
    constexpr std::array<std::pair<std::string_view, std::int64_t>, 4> units{
        {{"tss:", 1}, {"tsm:", 1'000}, {"tsu:", 1'000'000}, {"tsn:", 1'000'000'000}}};
    data_type type;
    for (const auto& [prefix, ticks] : units) {
        if (!format.starts_with(prefix)) continue;
        type.id = type_id::timestamp;
        type.ticks_a_second = ticks;
    }
    return type;
}

/// Returns the numbers after a format's colon, separated by commas; empty if one is malformed.
inline std::vector<std::int64_t> numbers_of(std::string_view format) {
    std::vector<std::int64_t> numbers;
    const char* const end = format.data() + format.size();
    for (const char* at = format.data() + format.find(':'); at != end;) {
        std::int64_t number = 0;
        const auto read = std::from_chars(at + 1, end, number);
        if (read.ec != std::errc() || (read.ptr != end && *read.ptr != ',')) return {};
        numbers.push_back(number);
        at = read.ptr;
    }
    return numbers;
}

inline constexpr std::int64_t decimal_max_digits = 76;  // of 256 bits

/// Parses "d:" and the numbers of digits, of digits after the point, and of bits.
inline data_type decimal_type(std::string_view format) {
    constexpr std::array<std::int64_t, 4> widths{32, 64, 128, 256};
    const std::vector<std::int64_t> numbers = numbers_of(format);
    data_type type;
    if (numbers.size() != 2 && numbers.size() != 3) return type;
    const std::int64_t bits = numbers.size() == 3 ? numbers[2] : 128;
    const bool has_scale = std::abs(numbers[1]) <= decimal_max_digits;
    if (std::ranges::find(widths, bits) == widths.end() || !has_scale) return type;
    type.id = type_id::decimal;
    type.width = static_cast<std::uint8_t>(bits / 8);
    type.scale = numbers[1];
    return type;
}

/// Lists longer than this stay `other`: no row has that many items.
inline constexpr std::int64_t list_size_max = std::int64_t{1} << 20;

/// Parses "+w:" and the number of items.
inline data_type fixed_list_type(std::string_view format) {
    const std::vector<std::int64_t> numbers = numbers_of(format);
    data_type type;
    if (numbers.size() != 1 || numbers[0] < 0 || numbers[0] > list_size_max) return type;
    type.id = type_id::list_fixed;
    type.list_size = numbers[0];
    return type;
}

/// Parses a format with parameters after a colon; other formats become `other`.
inline data_type type_with_colon(std::string_view format) {
    if (format.starts_with("+w:")) return fixed_list_type(format);
    return format.starts_with("d:") ? decimal_type(format) : timestamp_type(format);
}

/// Parses any format string, without children and dictionary; see data_type.
inline data_type type_of_format(std::string_view format) {
    struct record {
        std::string_view format;
        type_id id;
        std::uint8_t width = 0;
    };
    constexpr std::array<record, 17> records{{
        {"u", type_id::text32},
        {"z", type_id::text32},
        {"U", type_id::text64},
        {"Z", type_id::text64},
        {"vu", type_id::text_view},
        {"vz", type_id::text_view},
        {"n", type_id::null},
        {"b", type_id::boolean},
        {"e", type_id::real, 2},
        {"f", type_id::real, 4},
        {"g", type_id::real, 8},
        {"tdD", type_id::date, 4},
        {"tdm", type_id::date, 8},
        {"w:16", type_id::uuid},
        {"+s", type_id::structure},
        {"+l", type_id::list32},
        {"+L", type_id::list64},
    }};
    data_type type = format.size() == 1 ? integer_type(format[0]) : type_with_colon(format);
    const auto* const named = std::ranges::find(records, format, &record::format);
    if (named != records.end()) {
        type.id = named->id;
        type.width = named->width;
    }
    type.format = format;
    return type;
}

/// Returns the value of a key in a schema's metadata; empty without the key. The metadata is a
/// count of pairs, then size and bytes of each key and value; counts and sizes have 32 bits.
inline std::string metadata_value(const char* metadata, std::string_view key) {
    const auto take_size = [&metadata] {
        std::int32_t size = 0;
        std::memcpy(&size, metadata, sizeof size);
        metadata += sizeof size;
        return static_cast<std::size_t>(std::max(size, 0));
    };
    const auto take_text = [&] {
        const std::size_t size = take_size();
        const std::string_view text(metadata, size);
        metadata += size;
        return text;
    };
    if (metadata == nullptr) return {};
    for (std::size_t left = take_size(); left > 0; --left) {
        const std::string_view name = take_text();
        const std::string_view value = take_text();
        if (name == key) return std::string(value);
    }
    return {};
}

/// Returns true if the values of an extension type read like those of its storage: there is no
/// extension, or it is JSON, whose storage is its text.
inline bool is_its_storage(std::string_view extension) noexcept {
    return extension.empty() || extension == "arrow.json" || extension == "arrow.uuid";
}

inline import_result<data_type> read_type(const ArrowSchema* schema, int depth);

/// Reads the types of a structure's columns, or of a list's items, into type.children.
inline import_result<void> read_children(const ArrowSchema& schema, data_type& type, int depth) {
    if (schema.n_children < 0 || (schema.n_children > 0 && schema.children == nullptr)) {
        return refuse(fault::malformed, "a schema without its children");
    }
    for (std::int64_t i = 0; i < schema.n_children; ++i) {
        auto child = read_type(schema.children[i], depth + 1);
        if (!child) return tl::unexpected(std::move(child.error()));
        type.children.push_back(std::move(*child));
    }
    if (type.is_list() && type.children.size() != 1) {
        return refuse(fault::malformed, "a list schema without its one child");
    }
    return {};
}

/// Reads a schema at `depth`, 0 for the outermost. Recurses as deep as schema_max_depth; deeper
/// types are `other`.
inline import_result<data_type> read_type(const ArrowSchema* schema, int depth) {
    if (schema == nullptr || schema->release == nullptr || schema->format == nullptr) {
        return refuse(fault::malformed, "a schema that was released");
    }
    data_type type = type_of_format(schema->format);
    if (schema->name != nullptr) type.name = schema->name;
    type.extension = metadata_value(schema->metadata, "ARROW:extension:name");
    if (depth >= schema_max_depth || !is_its_storage(type.extension)) {
        type.id = type_id::other;
        return type;
    }
    if (type.is_list() || type.id == type_id::structure) {
        if (auto read = read_children(*schema, type, depth); !read) {
            return tl::unexpected(std::move(read.error()));
        }
    }
    if (schema->dictionary == nullptr) return type;
    auto values = read_type(schema->dictionary, depth + 1);
    if (!values) return tl::unexpected(std::move(values.error()));
    type.dictionary.push_back(std::move(*values));
    return type;
}

}  // namespace detail

/// Reads a schema. Types that masks can't read are `other`, not an error, since a table may have
/// columns without conditions; so are extension types other than arrow.json and arrow.uuid, whose
/// storage only they can interpret. Error: fault::malformed, for a released or incomplete schema.
[[nodiscard]] inline import_result<data_type> read_type(const ArrowSchema& schema) {
    return detail::read_type(&schema, 0);
}

}  // namespace sluice::arrow

#endif
