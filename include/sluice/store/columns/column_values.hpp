// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_COLUMNS_COLUMN_VALUES_HPP
#define SLUICE_STORE_COLUMNS_COLUMN_VALUES_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <simdjson.h>

#include <sluice/base/json_writer.hpp>
#include <sluice/query/list_query.hpp>
#include <sluice/query/page.hpp>
#include <sluice/query/where.hpp>
#include <sluice/store/columns/list_values.hpp>
#include <sluice/store/columns/value_reader.hpp>
#include <sluice/store/texts/chunked_list.hpp>
#include <sluice/store/texts/code_cache.hpp>
#include <sluice/time/instant.hpp>

namespace sluice::store {

/// The dictionary of a column's distinct values: rows hold their codes, and a condition is a set of
/// codes. Each value has a distinct text:
///
/// ```
/// text, json   as it is                  time      2026-08-21T02:30:15.000Z
/// integer      digits                    boolean   true / false
/// decimal      as it was written         list      ["a","b"]
/// ```
///
/// One thread adds values; any number of threads look up values that they have seen.
class column_values {
public:
    explicit column_values(const column& of, hash_seed seed)
        : column_(of), texts_(seed), lists_(seed) {
        numbers_.push_back(std::numeric_limits<double>::quiet_NaN());
    }

    [[nodiscard]] const column& of() const noexcept { return column_; }
    [[nodiscard]] const dictionary& texts() const noexcept { return texts_; }

    /// Checks that the column can hold a value. Errors, with the column's name as param:
    /// field_missing, field_type, number_malformed, time_out_of_range.
    [[nodiscard]] result<void> check(const cell& value) const {
        if (std::holds_alternative<std::monostate>(value)) {
            if (!column_.is_nullable) return fail_in(rule::field_missing, column_.name);
            return {};
        }
        if (!is_of_type(value)) return fail_in(rule::field_type, column_.name);
        const auto* const at = std::get_if<instant>(&value);
        if (at && (*at < earliest_instant || *at > latest_instant)) {
            return fail_in(rule::time_out_of_range, column_.name);
        }
        const auto* const text = std::get_if<std::string_view>(&value);
        const bool is_number = column_.type == column_type::decimal && text;
        if (is_number && !sluice::detail::parse_decimal(*text)) {
            return fail_in(rule::number_malformed, column_.name);
        }
        return {};
    }

    /// Returns the code of a value, adding it if needed. Expects a value that passes check().
    code encode(const cell& value) {
        if (std::holds_alternative<std::monostate>(value)) return absent;
        if (const auto* const text = std::get_if<std::string_view>(&value)) {
            return encode(*text, value);
        }
        return encode(std::visit(text_of{}, value), value);
    }

    /// Returns true if the texts become strings in JSON.
    [[nodiscard]] bool is_quoted() const noexcept {
        const column_type type = column_.type;
        return (type == column_type::text || type == column_type::time) && !column_.is_list;
    }
    /// Returns the JSON of a code's value.
    [[nodiscard]] std::string json(code of) const {
        if (of == absent) return "null";
        if (!is_quoted()) return std::string(texts_.text(of));
        std::string json;
        sluice::detail::append_json_string(json, texts_.text(of));
        return json;
    }

    /// Returns a reader of the values, which views this.
    [[nodiscard]] value_reader reader() const noexcept {
        return {column_, texts_, is_numeric() ? &numbers_ : nullptr,
                column_.is_list ? &lists_ : nullptr};
    }

    /// Writes the values of the codes below `size`; others may be added meanwhile. Any thread.
    void save(archive_writer& archive, std::size_t size) const { texts_.save(archive, size); }
    /// Reads the values of an archive. Expects no values yet.
    void open(archive_reader& archive) {
        if (!is_numeric() && !column_.is_list) return texts_.open(archive);
        texts_.open_all(archive);
        simdjson::dom::parser parser;
        for (code c = 1; c < texts_.size() && !archive.has_failed(); ++c) {
            if (is_numeric()) numbers_.push_back(approximation_of(texts_.text(c)));
            if (column_.is_list && !open_list(parser.parse(texts_.text(c)))) archive.fail();
        }
    }
    /// Returns the memory use of values and their index, in bytes.
    [[nodiscard]] std::size_t bytes() const {
        return texts_.bytes() + numbers_.bytes() + lists_.bytes();
    }

private:
    /// Returns the text of a cell. Absent cells have none, and json columns hold texts, not
    /// lookups.
    struct text_of {
        std::string operator()(std::monostate) const { return {}; }
        std::string operator()(const scalar_lookup&) const { return {}; }
        // Columns of these aren't storable.
        std::string operator()(const record_lookup&) const { return {}; }
        std::string operator()(double) const { return {}; }
        std::string operator()(calendar_day) const { return {}; }
        std::string operator()(std::span<const std::int64_t>) const { return {}; }
        std::string operator()(std::string_view text) const { return std::string(text); }
        std::string operator()(std::int64_t number) const { return std::to_string(number); }
        std::string operator()(instant at) const { return std::string(format_timestamp(at)); }
        std::string operator()(bool flag) const { return flag ? "true" : "false"; }
        std::string operator()(std::span<const std::string_view> items) const {
            std::string text;
            sluice::detail::json_writer json(text);
            json.begin_array();
            for (const std::string_view item : items) json.value(item);
            json.end_array();
            return text;
        }
    };

    [[nodiscard]] bool is_numeric() const noexcept {
        return column_.type == column_type::integer || column_.type == column_type::decimal;
    }
    /// Returns true if a value that isn't absent has the column's type; JSON is text.
    [[nodiscard]] bool is_of_type(const cell& value) const noexcept {
        return is_value_of(column_, value) && !std::holds_alternative<scalar_lookup>(value);
    }

    /// Returns the code of a value with a known text, adding it if needed.
    code encode(std::string_view text, const cell& value) {
        if (!is_numeric() && !column_.is_list) return recent_.encode(texts_, text);
        const code known = texts_.find(text);
        return known != absent ? known : add(text, value);
    }
    /// Adds a text and its parsed value. Reserves memory for everything first, so that out of
    /// memory adds nothing.
    code add(std::string_view text, const cell& value) {
        list_values::stored_list items;
        if (column_.is_list) {
            items = lists_.store(std::get<std::span<const std::string_view>>(value));
        }
        numbers_.reserve_next();
        const code added = texts_.encode(text);
        if (is_numeric()) numbers_.push_back(approximation_of(text));
        if (column_.is_list) lists_.push_back(std::move(items));
        return added;
    }
    [[nodiscard]] static double approximation_of(std::string_view number) noexcept {
        return approximate(sluice::detail::parse_decimal(number).value_or(decimal{}));
    }
    /// Adds the next list from its JSON. Returns false if it isn't a list of texts.
    [[nodiscard]] bool open_list(const simdjson::simdjson_result<simdjson::dom::element>& json) {
        simdjson::dom::array items;
        if (json.get_array().get(items) != simdjson::SUCCESS) return false;
        std::vector<std::string_view> texts;
        for (const simdjson::dom::element item : items) {
            if (item.get_string().get(texts.emplace_back()) != simdjson::SUCCESS) return false;
        }
        lists_.push_back(lists_.store(texts));
        return true;
    }

    column column_;
    dictionary texts_;
    code_cache recent_;          // codes of recent texts; neither numbers nor lists
    flat_list<double> numbers_;  // by code, in a numeric column: the values as doubles
    list_values lists_;          // by code, in a list column
};

}  // namespace sluice::store

#endif
