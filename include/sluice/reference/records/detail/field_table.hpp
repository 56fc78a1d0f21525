// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_RECORDS_DETAIL_FIELD_TABLE_HPP
#define SLUICE_REFERENCE_RECORDS_DETAIL_FIELD_TABLE_HPP

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <simdjson.h>

#include <sluice/base/ascii.hpp>
#include <sluice/base/static_text.hpp>
#include <sluice/base/word.hpp>
#include <sluice/errors/error.hpp>
#include <sluice/reference/records/detail/field_reader.hpp>
#include <sluice/reference/records/detail/plain_cursor.hpp>
#include <sluice/reference/records/records.hpp>

/// Tables of the fields of records, with the functions that read them.
namespace sluice::reference::detail {

/// A field of a record: the functions that read its value, and its name in errors.
template <class Record>
struct field {
    std::string_view name;
    std::string_view param;  ///< within another field, the path: `tags.id`
    bool required = false;
    result<void> (*read)(json_source& source, Record& record) = nullptr;
    /// Like `read`, for plain values; false is any error. Null if the field's kind isn't plain.
    bool (*read_plain)(const plain_token& value, record_buffers& buffers, Record& record) = nullptr;
    std::string_view Record::* text = nullptr;  ///< the member, if any string is valid for it
};

/// Kinds of fields whose values are strings, booleans or null.
template <class Kind>
concept plain_kind =
    std::derived_from<Kind, kinds::text> || std::derived_from<Kind, kinds::nullable_text> ||
    std::derived_from<Kind, kinds::time> || std::derived_from<Kind, kinds::optional_time> ||
    std::derived_from<Kind, kinds::flag>;

/// Reads the value of a row into its member of the record.
template <class Record, class Row>
result<void> read_member(json_source& source, Record& record) {
    const auto value = read_value(typename Row::kind{}, source);
    if (!value) return tl::unexpected(value.error());
    record.*Row::member = *value;
    if constexpr (std::is_same_v<typename Row::kind, kinds::variant_list>) {
        record.has_test_variants = true;
    }
    return {};
}

/// Returns the value of a string without escapes; nullopt if the kind has no such value. Only for
/// kinds of clicks' fields: read_value() describes errors, too, which takes longer.
[[nodiscard]] inline std::optional<instant> plain_value(kinds::time, std::string_view text) {
    const auto at = parse_timestamp(text);
    return at ? std::optional(*at) : std::nullopt;
}
template <const auto& Choices>
[[nodiscard]] std::optional<std::string_view> plain_value(kinds::choice<Choices>,
                                                          std::string_view text) noexcept {
    for (const std::string_view choice : Choices) {
        if (sluice::detail::equal_bytes(choice, text)) return choice;
    }
    return std::nullopt;
}

/// Reads the plain value of a row into its member of the record; see field::read_plain.
template <class Record, class Row>
bool read_plain_member(const plain_token& value, record_buffers& buffers, Record& record) {
    using kind = typename Row::kind;
    if constexpr (requires { plain_value(kind{}, value.text); }) {
        if (value.is_string && !value.has_escapes) {
            const auto known = plain_value(kind{}, value.text);
            if (known) record.*Row::member = *known;
            return known.has_value();
        }
    }
    using enum json_source::validated;
    json_source source{buffers, {}, value.spelled(), value.has_escapes ? all_but_escapes : all};
    return read_member<Record, Row>(source, record).has_value();
}

/// The path of a field within another, such as `tags.id`.
template <sluice::detail::text_literal Within, class Record, std::size_t Row>
inline constexpr auto param_text = [] {
    constexpr std::string_view name = std::get<Row>(rows<Record>).name;
    constexpr std::string_view dot = Within.view().empty() ? "" : ".";
    sluice::detail::static_text<Within.view().size() + 1 + name.size()> text;
    return text.add(Within.view()).add(dot).add(name);
}();

/// Returns true if a stored record, or a record nested in a field, may have the field.
template <sluice::detail::text_literal Within, class Record, std::size_t Row>
consteval bool is_read() noexcept {
    using row = std::tuple_element_t<Row, std::remove_const_t<decltype(rows<Record>)>>;
    const bool is_within = !Within.view().empty();
    return stored_row<row> && !(is_within && std::get<Row>(rows<Record>).has(field_use::hidden));
}

/// Adds the field of a row to `fields` at `next`, unless is_read() excludes it.
template <sluice::detail::text_literal Within, class Record, std::size_t Row>
constexpr void add_field(auto& fields, std::size_t& next) {
    if constexpr (is_read<Within, Record, Row>()) {
        constexpr auto row = std::get<Row>(rows<Record>);
        using row_type = decltype(row);
        fields[next] = {row.name, param_text<Within, Record, Row>.view(),
                        row.has(field_use::required), &read_member<Record, row_type>};
        using kind = typename row_type::kind;
        if constexpr (plain_kind<kind>) {
            fields[next].read_plain = &read_plain_member<Record, row_type>;
        }
        if constexpr (std::is_same_v<kind, kinds::text>) fields[next].text = row_type::member;
        ++next;
    }
}

template <sluice::detail::text_literal Within, class Record, std::size_t... Row>
consteval auto make_fields(std::index_sequence<Row...>) noexcept {
    std::array<field<Record>, (std::size_t{is_read<Within, Record, Row>()} + ...)> fields;
    std::size_t next = 0;
    (add_field<Within, Record, Row>(fields, next), ...);
    return fields;
}

/// The fields of a stored record, or of one nested in the field `Within`, in the order of its rows.
template <class Record, sluice::detail::text_literal Within = "">
inline constexpr auto fields_of =
    make_fields<Within, Record>(std::make_index_sequence<row_lines<Record>.size()>());

/// The index of a field in its table; the table's size if it isn't there.
template <class Record>
constexpr std::size_t find_field(std::span<const field<Record>> fields,
                                 std::string_view name) noexcept {
    std::size_t at = 0;
    while (at < fields.size() && fields[at].name != name) ++at;
    return at;
}

/// Returns true if the JSON string at `spelled`, behind its opening quote, is exactly `name`
/// without escapes. Reads up to name.size() + 1 bytes, which the padding after the line allows.
/// Names of up to 16 bytes are compared by words, which is faster.
inline bool is_spelled(const char* spelled, std::string_view name) noexcept {
    if (spelled[name.size()] != '"') return false;
    if (name.size() > 16) return std::string_view(spelled, name.size()) == name;
    return sluice::detail::same_words(spelled, name.data(), name.size(),
                                      [](std::uint64_t word) { return word; });
}

/// Returns the index of a member's field that isn't at `next`; the table's size if the name is
/// unknown. Tries the neighbors of `next` first. Error: json_malformed.
template <class Record>
[[gnu::noinline]] result<std::size_t> find_field(std::span<const field<Record>> fields,
                                                 ondemand::field& member, std::size_t next) {
    const char* const spelled = member.key().raw();
    const auto is_at = [&](std::size_t at) {
        return at < fields.size() && is_spelled(spelled, fields[at].name);
    };
    if (is_at(next + 1)) return next + 1;  // a field was left out
    if (is_at(next - 2)) return next - 2;  // two fields are swapped; -1 and -2 wrap and fail
    std::string_view name;
    if (member.unescaped_key().get(name) != simdjson::SUCCESS) return refuse_json();
    return find_field(fields, name);
}

/// The fields seen so far, as one bit per field of a table.
using field_set = std::uint64_t;

/// Checks that all required fields have been seen. Error: field_missing, for the first one that
/// hasn't.
template <const auto& Fields>
result<void> check_required(field_set seen) noexcept {
    static_assert(Fields.size() <= max_fields);
    static_assert(std::ranges::all_of(
        Fields, [](const auto& entry) { return entry.name.size() < simdjson::SIMDJSON_PADDING; }));
    for (std::size_t at = 0; at < Fields.size(); ++at) {
        if (Fields[at].required && ((seen >> at) & 1) == 0) {
            return fail_in(rule::field_missing, Fields[at].param);
        }
    }
    return {};
}

}  // namespace sluice::reference::detail

#endif
