// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_RECORDS_RECORD_READER_HPP
#define SLUICE_REFERENCE_RECORDS_RECORD_READER_HPP

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
#include <sluice/base/word.hpp>
#include <sluice/errors/error.hpp>
#include <sluice/metadata/json_text.hpp>
#include <sluice/reference/records/detail/field_reader.hpp>
#include <sluice/reference/records/detail/field_table.hpp>
#include <sluice/reference/records/detail/plain_cursor.hpp>
#include <sluice/reference/records/records.hpp>

/// Reading records from JSON, field by field.
namespace sluice::reference {

namespace detail {

/// Reads the value of a field; errors get the field's name.
template <class Record>
result<void> read_field(const field<Record>& field_to_read, json_source& source, Record& record) {
    auto read = field_to_read.read(source, record);
    if (!read && read.error().param.empty()) read.error().param = field_to_read.param;
    return read;
}

/// Reads the members of an object. If a field is repeated, its last value counts, but all must be
/// valid. Values of unknown fields must be valid JSON.
template <class Record, sluice::detail::text_literal Within = "">
[[nodiscard]] result<Record> read_members(record_buffers& buffers, ondemand::object& members) {
    constexpr const auto& fields = fields_of<Record, Within>;
    Record record;
    field_set seen = 0;
    std::size_t next = 0;
    for (auto parsed : members) {
        ondemand::field member;
        if (std::move(parsed).get(member) != simdjson::SUCCESS) return refuse_json();
        // Files have their fields in a fixed order, mostly that of our table.
        std::size_t at = next;
        if (at == fields.size() || !is_spelled(member.key().raw(), fields[at].name)) {
            const auto position = find_field<Record>(fields, member, next);
            if (!position) return tl::unexpected<error>(position.error());
            at = *position;
        }
        json_source in{buffers, member.value(), member.value().raw_json_token()};
        if (at == fields.size()) {
            if (const auto skipped = read_value(kinds::json{}, in); !skipped) return refuse_json();
            continue;
        }
        seen |= field_set{1} << at;
        next = at + 1;
        const auto read = read_field(fields[at], in, record);
        if (!read) return tl::unexpected(read.error());
    }
    const auto complete = check_required<fields>(seen);
    if (!complete) return tl::unexpected(complete.error());
    return record;
}

/// Returns true if all stored fields of a record have plain kinds.
template <class Record>
consteval bool has_plain_fields() noexcept {
    return std::apply(
        []<class... Row>(const Row&...) {
            return ((!stored_row<Row> || plain_kind<typename Row::kind>) && ...);
        },
        rows<Record>);
}

/// Reads a line of plain members in one pass; most lines of clicks are. Tries names in the order of
/// the line before. Returns false for a line with other values, and for any error: then
/// read_members() has to read the line. Expects the line of `size` bytes in `buffers`.
template <class Record>
[[nodiscard]] bool read_plain_members(record_buffers& buffers, std::size_t size, Record& record) {
    constexpr const auto& fields = fields_of<Record>;
    plain_cursor cursor(std::string_view(buffers.line).substr(0, size), buffers.stops);
    if (!cursor.take('{')) return false;
    field_set seen = 0;
    std::uint8_t* next = buffers.next_fields.data();
    do {
        if (!cursor.take('"')) return false;
        if (*next >= fields.size() || !cursor.take_name(fields[*next].name)) {
            const auto name = cursor.take_string();
            if (!name || name->has_escapes) return false;
            *next = static_cast<std::uint8_t>(find_field<Record>(fields, name->text));
        }
        const std::size_t at = *next;
        next = &buffers.next_fields[at + 1];
        if (!cursor.take(':')) return false;
        const auto value = cursor.take_value();
        if (!value) return false;
        if (at == fields.size()) {  // an unknown name
            if (value->has_escapes) return false;
            continue;
        }
        seen |= field_set{1} << at;
        if (fields[at].text != nullptr && value->is_string && !value->has_escapes) {
            record.*fields[at].text = value->text;
        } else if (!fields[at].read_plain(*value, buffers, record)) {
            return false;
        }
    } while (cursor.take(','));
    return cursor.take('}') && cursor.has_ended() && check_required<fields>(seen);
}

/// Reads a nested record. Errors of missing fields point to the object's first byte.
template <class Record, sluice::detail::text_literal Within>
[[nodiscard]] result<Record> read_nested(json_source& source) {
    ondemand::object members;
    if (source.value.get_object().get(members) != simdjson::SUCCESS) {
        return refuse(source, rule::field_type, "expected an object");
    }
    return read_members<Record, Within>(source.buffers, members).map_error([&source](error why) {
        if (why.broken == rule::field_missing) {
            why.offset = static_cast<std::uint32_t>(source.offset());
        }
        return why;
    });
}

[[nodiscard]] inline result<std::span<const tag>> read_value(kinds::tag_list, json_source& source) {
    if (take_null(source)) return std::span<const tag>();
    return read_list(source, source.buffers.tags, "expected an array of tags or null",
                     read_nested<tag, "tags">);
}

[[nodiscard]] inline result<std::optional<registered_domain>> read_value(kinds::registration,
                                                                         json_source& source) {
    if (take_null(source)) return std::optional<registered_domain>();
    return read_nested<registered_domain, "registeredDomain">(source).map(
        [](registered_domain&& read) { return std::optional(read); });
}

inline constexpr auto variants_text = sluice::detail::static_text<64>()
                                          .add("expected ")
                                          .add(test_variants_min)
                                          .add(" to ")
                                          .add(test_variants_max)
                                          .add(" variants");

[[nodiscard]] inline result<std::optional<std::span<const test_variant>>> read_value(
    kinds::variant_list, json_source& source) {
    if (take_null(source)) return std::optional<std::span<const test_variant>>();
    const auto variants =
        read_list(source, source.buffers.test_variants, "expected an array or null",
                  read_nested<test_variant, "testVariants">);
    if (!variants) return tl::unexpected(variants.error());
    if (!check_test_variants(static_cast<std::int64_t>(variants->size()))) {
        return refuse(source, rule::field_value, variants_text.view());
    }
    return *variants;
}

}  // namespace detail

/// The maximum length of a line, in bytes.
inline constexpr std::size_t record_max_length = std::size_t{16} * 1024 * 1024;

/// Reads records from lines of NDJSON files. A reader may read any number of records; the views in
/// a record refer to the reader and are valid until it reads the next line, is moved or destroyed.
///
/// ```
/// sluice::reference::record_reader reader;
/// const auto click = reader.read_click(line);
/// if (!click) std::cerr << line_number << ": " << sluice::message(click.error()) << '\n';
/// ```
///
/// Unknown fields are ignored. If a field is repeated, its last value counts, but all must be
/// valid; the same applies to metadata. A missing nullable field is null. Links only require `id`,
/// `domain`, `url`, `createdAt` and `updatedAt`. A link without `key` gets an empty one; the caller
/// replaces it with make_slug().
///
/// | error | condition: position |
/// |---|---|
/// | text_too_long | the line has more than record_max_length bytes |
/// | byte_order_mark | the line starts with one: the first byte |
/// | text_encoding | the line is not UTF-8: the first byte |
/// | json_malformed | the line is not a JSON object: the first byte |
/// | field_missing | `param` names a required field that is missing |
/// | field_type | `param` names a field of the wrong type: its value |
/// | field_value | `param` names a field whose value is outside of its set or range: its value |
///
/// Nested fields are named by their path: `tags.id`. JSON errors take precedence over all others;
/// of the others, the first in the line is returned, and missing fields last.
class record_reader {
public:
    [[nodiscard]] result<tag> read_tag(std::string_view line) { return read<tag>(line); }
    [[nodiscard]] result<domain> read_domain(std::string_view line) { return read<domain>(line); }
    [[nodiscard]] result<folder> read_folder(std::string_view line) { return read<folder>(line); }
    [[nodiscard]] result<customer> read_customer(std::string_view line) {
        return read<customer>(line);
    }
    [[nodiscard]] result<link> read_link(std::string_view line) { return read<link>(line); }
    [[nodiscard]] result<click> read_click(std::string_view line) { return read<click>(line); }
    [[nodiscard]] result<lead> read_lead(std::string_view line) { return read<lead>(line); }
    [[nodiscard]] result<sale> read_sale(std::string_view line) { return read<sale>(line); }

private:
    /// simdjson validates only what it parses and reports no position, so that a refused line is
    /// parsed again to find its first error.
    template <class Record>
    result<Record> read(std::string_view line) {
        result<Record> record;
        if (line.size() > record_max_length) {
            record = fail_beyond(rule::text_too_long, record_max_length, 0, line.size());
            return record;
        }
        buffers_.line.assign(line).append(simdjson::SIMDJSON_PADDING, '\0');
        buffers_.json.clear();
        buffers_.json.reserve(line.size());
        if constexpr (detail::has_plain_fields<Record>()) {
            if (detail::read_plain_members(buffers_, line.size(), *record)) return record;
            buffers_.json.clear();
        }
        record = read_object<Record>(line);
        if (record) return record;
        const auto json = check_object(line);
        if (!json) record = tl::unexpected(json.error());
        return record;
    }

    /// Parses the line in buffers_. Error: json_malformed without a position, or the error of a
    /// field.
    template <class Record>
    result<Record> read_object(std::string_view line) {
        simdjson::ondemand::document document;
        simdjson::ondemand::object members;
        if (!begins_object(line) ||
            parser_.iterate(buffers_.line.data(), line.size(), buffers_.line.size())
                    .get(document) != simdjson::SUCCESS ||
            document.get_object().get(members) != simdjson::SUCCESS) {
            return detail::refuse_json();
        }
        auto record = detail::read_members<Record>(buffers_, members);
        if (!record) return record;
        const bool is_at_end = document.current_location().error() == simdjson::OUT_OF_BOUNDS;
        if (!is_at_end) return detail::refuse_json();
        return record;
    }

    /// Checks the first byte here, because versions of simdjson differ in accepting a byte order
    /// mark.
    static bool begins_object(std::string_view line) noexcept {
        const std::size_t first = line.find_first_not_of(sluice::detail::white_space);
        return first != std::string_view::npos && line[first] == '{';
    }

    /// Returns the first JSON error of a line, if it isn't a JSON object. See the table above.
    static result<void> check_object(std::string_view line) {
        constexpr std::string_view mark = "\xEF\xBB\xBF";
        if (line.starts_with(mark)) return fail(rule::byte_order_mark, 0, mark.size());
        auto json = sluice::detail::check_json(line);
        if (!json || begins_object(line)) return json;
        return fail(rule::json_malformed, line.find_first_not_of(sluice::detail::white_space), 1);
    }

    simdjson::ondemand::parser parser_;
    detail::record_buffers buffers_;
};

}  // namespace sluice::reference

#endif
