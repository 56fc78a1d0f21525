// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_RECORDS_RECORD_READER_HPP
#define SLUICE_REFERENCE_RECORDS_RECORD_READER_HPP

#include <cstddef>
#include <string_view>

#include <simdjson.h>

#include <sluice/base/ascii.hpp>
#include <sluice/errors/error.hpp>
#include <sluice/metadata/json_text.hpp>
#include <sluice/reference/records/record_fields.hpp>
#include <sluice/reference/records/records.hpp>

namespace sluice::reference {

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
/// | error | where |
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
        if (line.size() > record_max_length) {
            return fail_beyond(rule::text_too_long, record_max_length, 0, line.size());
        }
        auto record = read_object<Record>(line);
        if (record) return record;
        const auto json = check_object(line);
        if (!json) return tl::unexpected(json.error());
        return record;
    }

    template <class Record>
    result<Record> read_object(std::string_view line) {
        buffers_.line.assign(line).append(simdjson::SIMDJSON_PADDING, '\0');
        buffers_.json.clear();
        buffers_.json.reserve(line.size());
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
        const bool at_end = document.current_location().error() == simdjson::OUT_OF_BOUNDS;
        if (!at_end) return detail::refuse_json();
        return record;
    }

    /// Checks the first byte here, because versions of simdjson differ in accepting a byte order
    /// mark.
    static bool begins_object(std::string_view line) noexcept {
        const std::size_t first = line.find_first_not_of(sluice::detail::white_space);
        return first != std::string_view::npos && line[first] == '{';
    }

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
