// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_RECORDS_RECORD_WRITER_HPP
#define SLUICE_REFERENCE_RECORDS_RECORD_WRITER_HPP

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include <sluice/base/ascii.hpp>
#include <sluice/base/json_writer.hpp>
#include <sluice/reference/records/records.hpp>

/// Writing records as JSON, field by field, and the schemas of what is written.
namespace sluice::reference {

/// Writes a record as answers show it: an object of its stored and derived fields, without those
/// that are hidden, in the order of its SLUICE_FIELD lines. `workspace_id` is the workspace that
/// holds the record, whether or not the record names it.
template <class Record>
void write_record(sluice::detail::json_writer& json, const Record& record,
                  std::string_view workspace_id = {});

namespace detail {

using sluice::detail::json_writer;

// An overload of write_value() writes the values of one kind of field; see `kinds`.

inline void write_value(kinds::text, json_writer& json, std::string_view text) { json.value(text); }
inline void write_value(kinds::lower_text, json_writer& json, std::string_view text) {
    json.value(sluice::detail::to_lower(text));
}
inline void write_value(kinds::nullable_text, json_writer& json,
                        const std::optional<std::string_view>& text) {
    text ? json.value(*text) : json.value(nullptr);
}

/// Writes a time in the format of all records: `2026-08-21T02:30:15.123Z`.
inline void write_value(kinds::time, json_writer& json, instant at) {
    json.value(format_timestamp(at));
}
inline void write_value(kinds::optional_time, json_writer& json, const std::optional<instant>& at) {
    at ? write_value(kinds::time{}, json, *at) : static_cast<void>(json.value(""));
}

inline void write_value(kinds::flag, json_writer& json, bool flag) { json.value(flag); }
inline void write_value(kinds::integer, json_writer& json, std::int64_t number) {
    json.value(number);
}
inline void write_value(kinds::nullable_integer, json_writer& json,
                        const std::optional<std::int64_t>& number) {
    number ? json.value(*number) : json.value(nullptr);
}
/// Writes a finite number in its shortest form: 50, 33.3.
inline void write_value(kinds::number, json_writer& json, double number) {
    std::array<char, 32> text;
    const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
    json.raw({text.data(), static_cast<std::size_t>(end - text.data())});
}

/// Writes a value that is JSON text already, as do text maps.
inline void write_value(kinds::json, json_writer& json, std::string_view text) { json.raw(text); }
inline void write_value(kinds::text_map, json_writer& json,
                        const std::optional<std::string_view>& map) {
    json.raw(map.value_or("null"));
}

inline void write_value(kinds::text_list, json_writer& json,
                        std::span<const std::string_view> texts) {
    json.begin_array();
    for (const std::string_view text : texts) json.value(text);
    json.end_array();
}
template <class Record>
void write_records(json_writer& json, std::span<const Record> records) {
    json.begin_array();
    for (const Record& record : records) write_record(json, record);
    json.end_array();
}
inline void write_value(kinds::tag_list, json_writer& json, std::span<const tag> tags) {
    write_records(json, tags);
}
inline void write_value(kinds::registration, json_writer& json,
                        const std::optional<registered_domain>& written) {
    written ? write_record(json, *written) : static_cast<void>(json.value(nullptr));
}
inline void write_value(kinds::variant_list, json_writer& json,
                        const std::optional<std::span<const test_variant>>& variants) {
    variants ? write_records(json, *variants) : static_cast<void>(json.value(nullptr));
}

/// The stored or derived value of a field.
template <class Row, class Record>
decltype(auto) value_of(const Row&, const Record& record, std::string_view workspace_id) {
    if constexpr (stored_row<Row>) {
        return (record.*Row::member);
    } else {
        return Row::derive(record, workspace_id);
    }
}

/// Returns true if a record has the field. Only optional fields and the variants of a link may be
/// missing.
template <class Kind, class Record, class Value>
bool is_there(Kind, const Record&, const Value& value) noexcept {
    if constexpr (Kind::is == presence::optional) return value.has_value();
    return true;
}
inline bool is_there(kinds::variant_list, const link& record, const auto&) noexcept {
    return record.has_test_variants;
}

/// Writes a field of write_record().
template <class Row, class Record>
void write_row(json_writer& json, const Row& row, const Record& record,
               std::string_view workspace_id) {
    if (row.has(field_use::hidden)) return;
    using kind = typename Row::kind;
    const auto& value = value_of(row, record, workspace_id);
    if (is_there(kind{}, record, value)) write_value(kind{}, json.key(row.name), value);
}

}  // namespace detail

template <class Record>
void write_record(sluice::detail::json_writer& json, const Record& record,
                  std::string_view workspace_id) {
    json.begin_object();
    for_each_row<Record>(
        [&](const auto& row) { detail::write_row(json, row, record, workspace_id); });
    json.end_object();
}

namespace detail {

/// Writes a field of write_stored(). Texts keep their case, also those that answers have in lower
/// case.
template <class Row, class Record>
void write_stored_row(json_writer& json, const Row& row, const Record& stored) {
    using kind = std::conditional_t<std::is_same_v<typename Row::kind, kinds::lower_text>,
                                    kinds::text, typename Row::kind>;
    const auto& value = stored.*Row::member;
    if constexpr (kind::is == presence::nullable && requires { value.has_value(); }) {
        if (row.has(field_use::hidden) && !value) return;
    }
    if (is_there(kind{}, stored, value)) write_value(kind{}, json.key(row.name), value);
}

}  // namespace detail

/// Writes a record so that a record_reader restores it: an object of its stored fields, in the
/// order of its SLUICE_FIELD lines. Hidden fields are written unless they are null, derived ones
/// aren't.
template <class Record>
void write_stored(sluice::detail::json_writer& json, const Record& stored) {
    json.begin_object();
    for_each_row<Record>([&]<class Row>(const Row& row) {
        if constexpr (stored_row<Row>) detail::write_stored_row(json, row, stored);
    });
    json.end_object();
}

/// A field of written records, for its JSON Schema.
struct field_schema {
    std::string_view name;
    std::string_view type;  ///< in the notation of `kinds`: `string`, `any`, `string[]`
    presence is = presence::required;
    std::string_view help{};
    std::span<const std::string_view> choices{};  ///< the allowed values; empty: any

    /// Returns true if the help is `deprecated:` and the field to use instead.
    [[nodiscard]] constexpr bool is_deprecated() const noexcept {
        return help.starts_with("deprecated:");
    }
};

namespace detail {

/// The number of fields that written records have.
template <class Record>
consteval std::size_t count_shown() noexcept {
    std::size_t count = 0;
    for_each_row<Record>([&](const auto& row) { count += !row.has(field_use::hidden); });
    return count;
}

template <class Record>
consteval auto make_schema() noexcept {
    std::array<field_schema, count_shown<Record>()> fields;
    std::size_t next = 0;
    for_each_row<Record>([&]<class Row>(const Row& row) {
        using kind = typename Row::kind;
        if (!row.has(field_use::hidden))
            fields[next++] = {row.name, kind::type, kind::is, row.help, kind::choices};
    });
    return fields;
}

}  // namespace detail

/// The fields that written records have, in the order of writing.
template <class Record>
inline constexpr auto schema_of = detail::make_schema<Record>();

}  // namespace sluice::reference

#endif
