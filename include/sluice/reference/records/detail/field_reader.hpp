// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_RECORDS_DETAIL_FIELD_READER_HPP
#define SLUICE_REFERENCE_RECORDS_DETAIL_FIELD_READER_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

#include <sluice/base/ascii.hpp>
#include <sluice/base/decimal.hpp>
#include <sluice/base/json_cursor.hpp>
#include <sluice/base/static_text.hpp>
#include <sluice/errors/error.hpp>
#include <sluice/metadata/json_text.hpp>
#include <sluice/reference/limits.hpp>
#include <sluice/reference/records/records.hpp>

/// Reading the values of fields from JSON with simdjson's on-demand parser, one overload of
/// read_value() for each of the `kinds` of fields. Errors point at the value in its line.
namespace sluice::reference::detail {

namespace ondemand = simdjson::ondemand;

/// The maximum number of fields of a record, for which a 64-bit set has room.
inline constexpr std::size_t max_fields = 64;

/// The buffers of a field reader, which a parsed record views.
struct record_buffers {
    std::string line;  ///< the line, followed by the padding that simdjson reads
    std::string json;  ///< minified values and unescaped texts; reserved to the length of the line,
                       ///< so that it never moves
    std::vector<tag> tags;
    std::vector<test_variant> test_variants;
    std::vector<std::string_view> texts;          ///< of a field of kinds::text_list
    std::vector<std::string_view> texts_or_none;  ///< of a field of kinds::text_list_or_none
    /// The first field of the line before, and the one after each field, by the index of that
    /// field plus 1; see read_plain_members().
    std::array<std::uint8_t, max_fields + 2> next_fields{};
    std::vector<std::uint64_t> stops;  ///< memory of plain_cursor
};

/// A JSON value to read. A reader that returns no error has validated the whole value, whether or
/// not it advanced past it.
struct json_source {
    /// The parts of a value that have been validated.
    enum class validated : std::uint8_t { nothing, all_but_escapes, all };

    record_buffers& buffers;
    ondemand::value value;          ///< set if nothing has been validated
    std::string_view spaced_token;  ///< token() and the white space after it, in buffers.line
    /// If anything, the value is a string (without escapes if all has been validated), `true`,
    /// `false` or `null`, and spaced_token the whole of it.
    validated checked = validated::nothing;

    /// The value's first token in buffers.line.
    [[nodiscard]] std::string_view token() const noexcept {
        std::size_t size = spaced_token.size();
        while (size > 0 && is_white_space(spaced_token[size - 1])) --size;
        return spaced_token.substr(0, size);
    }
    /// The value's position in the line, in bytes.
    [[nodiscard]] std::size_t offset() const noexcept {
        return static_cast<std::size_t>(spaced_token.data() - buffers.line.data());
    }

private:
    static constexpr bool is_white_space(char byte) noexcept {
        return byte <= ' ' && sluice::detail::white_space.find(byte) != std::string_view::npos;
    }
};

/// The error of a line that simdjson rejects; check_json() finds the position.
[[nodiscard]] inline tl::unexpected<error> refuse_json() noexcept {
    return fail(rule::json_malformed);
}

/// The error of a value, at its first token. `accepts` is a static text that says what is valid.
[[nodiscard]] inline tl::unexpected<error> refuse(const json_source& source, rule broken,
                                                  std::string_view accepts) noexcept {
    error refused = make_error(broken, source.offset(), source.token().size());
    refused.accepts = accepts;
    return tl::unexpected<error>(refused);
}

/// Opens an element of an array or a member of an object.
[[nodiscard]] inline result<json_source> open_value(
    record_buffers& buffers, simdjson::simdjson_result<ondemand::value> item) {
    ondemand::value value;
    if (std::move(item).get(value) != simdjson::SUCCESS) return refuse_json();
    return json_source{buffers, value, value.raw_json_token()};
}

/// Returns true if the value is null, which is then consumed.
[[nodiscard]] inline bool take_null(json_source& source) {
    if (!source.spaced_token.starts_with('n')) return false;
    if (source.checked != json_source::validated::nothing) return true;
    bool null = false;
    return source.value.is_null().get(null) == simdjson::SUCCESS && null;
}

/// Reads a string, as a view of the line or, unescaped, of buffers.json. `accepts` is a static text
/// that says what is valid. Error: field_type.
[[nodiscard]] inline result<std::string_view> read_text_as(json_source& source,
                                                           std::string_view accepts) {
    const std::string_view token = source.token();
    if (!token.starts_with('"')) return refuse(source, rule::field_type, accepts);
    using enum json_source::validated;
    if (source.checked == all) return token.substr(1, token.size() - 2);
    if (source.checked != nothing ||
        source.value.get_raw_json_string().error() == simdjson::SUCCESS) {
        const std::string_view spelled = token.substr(1, token.size() - 2);
        if (!sluice::detail::has_byte(spelled, '\\')) return spelled;
        std::string& texts = source.buffers.json;
        const std::size_t begin = texts.size();
        if (sluice::detail::json_unescaper(texts).append(spelled)) {
            return std::string_view(texts).substr(begin);
        }
    }
    return refuse(source, rule::field_type, accepts);
}

// Each overload of read_value() reads one kind of value, or returns its error: field_type for
// another JSON type, field_value for a value outside of the kind's range.

[[nodiscard]] inline result<std::string_view> read_value(kinds::text, json_source& source) {
    return read_text_as(source, "expected a string");
}

[[nodiscard]] inline result<std::optional<std::string_view>> read_value(kinds::nullable_text,
                                                                        json_source& source) {
    if (take_null(source)) return std::optional<std::string_view>();
    return read_text_as(source, "expected a string or null");
}

[[nodiscard]] inline result<std::string_view> read_value(kinds::text_or_none, json_source& source) {
    if (take_null(source)) return std::string_view();
    return read_text_as(source, "expected a string or null");
}

[[nodiscard]] inline result<bool> read_value(kinds::flag, json_source& source) {
    const std::string_view token = source.token();
    if (token == "true" || token == "false") return token == "true";
    return refuse(source, rule::field_type, "expected true or false");
}

/// Reads a whole number. Refuses the smallest and the largest 64-bit number, because
/// to_int64_saturated() returns them for all numbers beyond. Errors: field_type, field_value.
[[nodiscard]] inline result<std::int64_t> read_integer_as(json_source& source,
                                                          std::string_view accepts) {
    using limits = std::numeric_limits<std::int64_t>;
    const auto number = sluice::detail::parse_decimal(source.token());
    if (!number || !is_whole(*number)) return refuse(source, rule::field_type, accepts);
    const std::int64_t value = to_int64_saturated(*number);
    if (value > limits::min() && value < limits::max()) return value;
    return refuse(source, rule::field_value, "expected a number of less than 64 bits");
}

/// Reads a number without a fraction, in any notation: 10, 10.0, 1e1.
[[nodiscard]] inline result<std::int64_t> read_value(kinds::integer, json_source& source) {
    return read_integer_as(source, "expected a whole number");
}

[[nodiscard]] inline result<std::optional<std::int64_t>> read_value(kinds::nullable_integer,
                                                                    json_source& source) {
    if (take_null(source)) return std::optional<std::int64_t>();
    return read_integer_as(source, "expected a whole number or null");
}

[[nodiscard]] inline result<std::int64_t> read_value(kinds::count, json_source& source) {
    const auto count = read_value(kinds::integer{}, source);
    if (count && *count < 0) return refuse(source, rule::field_value, "expected 0 or more");
    return count;
}

inline constexpr auto percentage_text = sluice::detail::static_text<64>()
                                            .add("expected a number from ")
                                            .add(std::int64_t{variant_percentage_min})
                                            .add(" to ")
                                            .add(std::int64_t{variant_percentage_max});

[[nodiscard]] inline result<double> read_value(kinds::number, json_source& source) {
    double number = 0;
    if (source.value.get_double().get(number) == simdjson::SUCCESS) return number;
    return refuse(source, rule::field_type, "expected a number");
}
[[nodiscard]] inline result<double> read_value(kinds::percentage, json_source& source) {
    const auto percentage = read_value(kinds::number{}, source);
    if (!percentage || check_variant_percentage(*percentage)) return percentage;
    return refuse(source, rule::field_value, percentage_text.view());
}

/// Parses the text of the value of `source`. Error: field_value.
[[nodiscard]] inline result<instant> parse_time(const json_source& source, std::string_view text) {
    const auto at = parse_timestamp(text);
    if (at) return at;
    return refuse(source, rule::field_value,
                  "expected a timestamp such as 2026-08-21T02:30:15.123Z");
}

[[nodiscard]] inline result<instant> read_value(kinds::time, json_source& source) {
    const auto text = read_value(kinds::text{}, source);
    if (!text) return tl::unexpected(text.error());
    return parse_time(source, *text);
}

/// Reads a time; nullopt if it is null or "".
[[nodiscard]] inline result<std::optional<instant>> read_value(kinds::optional_time,
                                                               json_source& source) {
    const auto text = read_value(kinds::text_or_none{}, source);
    if (!text) return tl::unexpected(text.error());
    if (text->empty()) return std::optional<instant>();
    return parse_time(source, *text);
}

template <const auto& Choices>
[[nodiscard]] result<std::optional<std::string_view>> read_value(kinds::choice<Choices>,
                                                                 json_source& source) {
    const auto text = read_value(kinds::nullable_text{}, source);
    if (!text || !*text) return text;
    if (std::ranges::find(Choices, **text) != Choices.end()) return text;
    return refuse(source, rule::field_value, sluice::detail::choices_text<Choices>.view());
}

template <const auto& Choices>
[[nodiscard]] result<std::string_view> read_value(kinds::choice_or_first<Choices>,
                                                  json_source& source) {
    const auto text = read_value(kinds::choice<Choices>{}, source);
    if (!text) return tl::unexpected(text.error());
    return (*text).value_or(Choices[0]);
}

/// Reads any JSON value, minified. It is validated here, because simdjson only counts brackets in
/// values that it skips. Strings are read instead of skipped, because simdjson would skip a colon
/// after them too.
[[nodiscard]] inline result<std::string_view> read_value(kinds::json, json_source& source) {
    record_buffers& buffers = source.buffers;
    const std::size_t start = buffers.json.size();
    const std::string_view rest = std::string_view(buffers.line).substr(source.offset());
    const auto size = sluice::detail::append_minified(buffers.json, rest);
    // A token that is longer than the value goes on with an error, such as `truex`.
    if (!size || *size < source.token().size()) return refuse_json();
    if (source.spaced_token.starts_with('"') &&
        source.value.get_raw_json_string().error() != simdjson::SUCCESS) {
        return refuse_json();
    }
    return std::string_view(buffers.json).substr(start);
}

[[nodiscard]] inline result<std::optional<std::string_view>> read_value(kinds::text_map,
                                                                        json_source& source) {
    if (take_null(source)) return std::optional<std::string_view>();
    constexpr std::string_view accepts = "expected an object of strings or null";
    const auto json = read_value(kinds::json{}, source);
    if (!json) return tl::unexpected(json.error());
    ondemand::object members;
    if (source.value.get_object().get(members) != simdjson::SUCCESS) {
        return refuse(source, rule::field_type, accepts);
    }
    for (auto member : members) {
        auto text = open_value(source.buffers, member.value());
        if (!text) return tl::unexpected(text.error());
        if (!text->token().starts_with('"')) return refuse(*text, rule::field_type, accepts);
    }
    return *json;
}

/// Reads the elements of an array with `read_item` into `items`, which the result views.
template <class Item, class ReadItem>
[[nodiscard]] result<std::span<const Item>> read_list(json_source& source, std::vector<Item>& items,
                                                      std::string_view accepts,
                                                      ReadItem read_item) {
    ondemand::array elements;
    if (source.value.get_array().get(elements) != simdjson::SUCCESS) {
        return refuse(source, rule::field_type, accepts);
    }
    items.clear();
    for (auto element : elements) {
        auto item_source = open_value(source.buffers, std::move(element));
        if (!item_source) return tl::unexpected(item_source.error());
        auto item = read_item(*item_source);
        if (!item) return tl::unexpected(item.error());
        items.push_back(*item);
    }
    return std::span<const Item>(items);
}

[[nodiscard]] inline result<std::span<const std::string_view>> read_texts(
    json_source& source, std::vector<std::string_view>& texts) {
    const auto read_text = [](json_source& item) { return read_value(kinds::text{}, item); };
    return read_list(source, texts, "expected an array of strings", read_text);
}

[[nodiscard]] inline result<std::span<const std::string_view>> read_value(kinds::text_list,
                                                                          json_source& source) {
    return read_texts(source, source.buffers.texts);
}

[[nodiscard]] inline result<std::span<const std::string_view>> read_value(kinds::text_list_or_none,
                                                                          json_source& source) {
    if (take_null(source)) return std::span<const std::string_view>();
    return read_texts(source, source.buffers.texts_or_none);
}

}  // namespace sluice::reference::detail

#endif
