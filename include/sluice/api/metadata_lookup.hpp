// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_METADATA_LOOKUP_HPP
#define SLUICE_API_METADATA_LOOKUP_HPP

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <sluice/detail/ascii.hpp>
#include <sluice/detail/decimal.hpp>
#include <sluice/detail/json_cursor.hpp>
#include <sluice/detail/json_member_walk.hpp>
#include <sluice/detail/json_text.hpp>
#include <sluice/metadata_expression.hpp>

namespace sluice::api {

/// Looks paths up in one JSON document, for `metadata_query::matches`. It views the document.
///
/// ```
/// metadata_lookup metadata(R"({"items":[{"sku":"cd-77"}],"total":10.0})");
/// query.matches([&](auto path) { return metadata.find(path); });
/// // find({"items", "0", "sku"}) is the string cd-77, find({"total"}) the number 10.0
/// ```
///
/// Each key of a path names a member of an object, as text without its escapes, or an element of an
/// array: its index, a decimal number from 0 without leading zeros. Of a name that is there twice
/// the last member counts, as in JavaScript and Python.
///
/// The metadata is JSON as records hold it: the reader of records has checked it. What is no JSON
/// is safe to look into, but what is found there is not specified, as members that the path does
/// not name are not looked at. A lookup reads each level of the document once, whatever the path,
/// and allocates nothing but for long texts with escapes.
class metadata_lookup {
public:
    explicit metadata_lookup(std::string_view json) noexcept : json_(json), cursor_(json) {}

    /// What stands at a path of at least one key: a string's value, a number's or boolean's JSON
    /// text as it is spelled; nullopt for null, an object, an array or nothing. The text holds
    /// until the next find(), and as long as the document.
    [[nodiscard]] std::optional<scalar> find(std::span<const std::string> keys) {
        if (keys.empty() || keys.size() > sluice::detail::json_max_depth) return std::nullopt;
        cursor_.move_to(0);
        for (const std::string& key : keys) {
            const char first = cursor_.peek();
            const bool is_there = first == '{'   ? enter_member(key)
                                  : first == '[' ? enter_element(key)
                                                 : false;
            if (!is_there) return std::nullopt;
        }
        return read_scalar();
    }

private:
    /// Moves to the value of the last member of a name, if the object has one.
    bool enter_member(std::string_view key) {
        sluice::detail::json_member_walk members(json_, cursor_.offset());
        const auto found =
            members.find_last(key.size(), [&](std::string_view name, bool may_have_escapes) {
                return may_have_escapes ? spells(name, key)
                                        : sluice::detail::equal_bytes(name, key);
            });
        if (found) cursor_.move_to(*found);
        return found.has_value();
    }
    /// Moves to the element at an index, if the array has it.
    bool enter_element(std::string_view key) {
        const auto index = parse_array_index(key);
        cursor_.take('[');
        if (!index || cursor_.peek() == ']') return false;
        for (std::size_t skipped = 0; skipped < *index; ++skipped) {
            if (!cursor_.skip_value() || !cursor_.take(',')) return false;
        }
        return true;
    }

    [[nodiscard]] bool spells(std::string_view name, std::string_view key) {
        if (name.find('\\') == std::string_view::npos) return name == key;
        text_.clear();
        return sluice::detail::json_unescaper(text_).append(name) && text_ == key;
    }

    std::optional<scalar> read_scalar() {
        const char first = cursor_.peek();
        if (first == '"') return read_string();
        const std::string_view word = cursor_.take_word();
        if (word == "true" || word == "false") return scalar::boolean(word == "true");
        if (!sluice::detail::parse_decimal(word)) return std::nullopt;
        return scalar::number(word);
    }
    std::optional<scalar> read_string() {
        const auto token = cursor_.take_string();
        if (!token) return std::nullopt;
        std::string_view text = token->spelled;
        if (token->has_escapes) {
            text_.clear();
            if (!sluice::detail::json_unescaper(text_).append(text)) return std::nullopt;
            text = text_;
        }
        if (!token->is_ascii && !sluice::detail::is_valid_utf8(text)) return std::nullopt;
        return scalar::string(text);
    }

    std::string_view json_;
    sluice::detail::json_cursor cursor_;
    std::string text_;  // without its escapes
};

/// A metadata_lookup that keeps its documents: they are copied.
class metadata_reader {
public:
    metadata_reader() = default;
    metadata_reader(const metadata_reader&) = delete;
    metadata_reader& operator=(const metadata_reader&) = delete;

    /// Takes a copy of the JSON that the next lookups read.
    void load(std::string_view json) {
        json_.assign(json);
        lookup_ = metadata_lookup(json_);
    }

    /// See metadata_lookup::find(); the text holds until the next find() or load().
    [[nodiscard]] std::optional<scalar> find(std::span<const std::string> keys) {
        return lookup_.find(keys);
    }

    /// load() and find() in one.
    [[nodiscard]] std::optional<scalar> find(std::string_view json,
                                             std::span<const std::string> keys) {
        load(json);
        return find(keys);
    }

private:
    std::string json_;
    metadata_lookup lookup_{json_};
};

}  // namespace sluice::api

#endif
