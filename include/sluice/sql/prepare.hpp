// SPDX-License-Identifier: MIT
#ifndef SLUICE_SQL_PREPARE_HPP
#define SLUICE_SQL_PREPARE_HPP

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <sluice/base/json_cursor.hpp>
#include <sluice/errors/error.hpp>
#include <sluice/metadata/json_text.hpp>
#include <sluice/sql/order_key.hpp>

namespace sluice::sql {

/// The values of a JSON text that conditions compare, prepared by path; see json_pointer().
struct prepared_json {
    std::map<std::string, std::string> texts{};    ///< strings and booleans, as prepared_text()
    std::map<std::string, std::string> numbers{};  ///< order keys of numbers and numeric strings

    friend bool operator==(const prepared_json&, const prepared_json&) = default;
};

/// Escapes a text for the maps: without NUL, which not every database can hold.
///
/// ```
/// NUL  %x01 "0"        %x01  %x01 "1"        all else  as it is
/// ```
[[nodiscard]] inline std::string prepared_text(std::string_view text) {
    std::string held;
    for (const char byte : text) {
        if (byte != '\0' && byte != '\1') {
            held.push_back(byte);
        } else {
            held.append(byte == '\0' ? "\1"
                                       "0"
                                     : "\1"
                                       "1");
        }
    }
    return held;
}

/// Returns a path as a JSON pointer (RFC 6901), with `~2` for NUL, for which that has no escape.
[[nodiscard]] inline std::string json_pointer(std::span<const std::string> path) {
    std::string pointer;
    for (const std::string& key : path) {
        pointer.push_back('/');
        for (const char byte : key) {
            switch (byte) {
                case '~': pointer.append("~0"); break;
                case '/': pointer.append("~1"); break;
                case '\0': pointer.append("~2"); break;
                default: pointer.push_back(byte);
            }
        }
    }
    return pointer;
}

namespace detail {

/// Fills the maps from a valid JSON text, without values deeper than json_max_depth. Recurses no
/// deeper.
class json_preparer {
public:
    explicit json_preparer(std::string_view json) : json_(json) {}

    [[nodiscard]] prepared_json prepare() {
        read_value();
        return std::move(made_);
    }

private:
    void read_value() {
        if (depth_ > json_max_depth) return json_.skip_value();
        switch (json_.peek()) {
            case '{': return read_object();
            case '[': return read_array();
            case '"': return put(read_string());
            default: return put_word(json_.take_word());
        }
    }
    void read_object() {
        json_.take('{');
        while (!json_.take('}')) {
            const std::string key = read_string();
            json_.take(':');
            read_child(key);
            json_.take(',');
        }
    }
    void read_array() {
        json_.take('[');
        for (std::size_t index = 0; !json_.take(']'); ++index) {
            read_child(std::to_string(index));
            json_.take(',');
        }
    }
    void read_child(const std::string& key) {
        const std::size_t parent = path_.size();
        path_.append(json_pointer({&key, 1}));
        forget(made_.texts);
        forget(made_.numbers);
        ++depth_;
        read_value();
        --depth_;
        path_.resize(parent);
    }
    /// Removes earlier entries of a path and below it: the last member of a repeated key counts.
    void forget(std::map<std::string, std::string>& entries) const {
        entries.erase(path_);
        entries.erase(entries.lower_bound(path_ + '/'), entries.lower_bound(path_ + '0'));
    }

    std::string read_string() {
        std::string text;
        const auto token = json_.take_string();
        if (token) static_cast<void>(sluice::detail::json_unescaper(text).append(token->spelled));
        return text;
    }
    void put(const std::string& text) {
        if (path_.empty()) return;  // conditions test what is below the top
        made_.texts[path_] = prepared_text(text);
        put_number(text);
    }
    void put_word(std::string_view word) {
        if (path_.empty() || word == "null") return;
        if (word == "true" || word == "false") {
            made_.texts[path_] = word;
        } else {
            put_number(word);
        }
    }
    void put_number(std::string_view text) {
        if (auto key = order_key(text)) made_.numbers[path_] = *std::move(key);
    }

    sluice::detail::json_cursor json_;
    std::string path_;       // of the current value, as a JSON pointer
    std::size_t depth_ = 0;  // keys on the path
    prepared_json made_;
};

}  // namespace detail

/// Prepares the two maps that a table stores beside a JSON text. Errors: json_malformed,
/// text_encoding. A database's own JSON functions round numbers, take the first of a repeated key
/// or can't read the text at all; maps are compared exactly.
///
/// ```
/// prepare(R"({"plan":"pro","seats":{"used":12}})");
/// // texts    /plan        pro
/// // numbers  /seats/used  211212
/// ```
[[nodiscard]] inline result<prepared_json> prepare(std::string_view json) {
    const auto checked = sluice::detail::check_json(json);
    if (!checked) return tl::unexpected(checked.error());
    return detail::json_preparer(json).prepare();
}

}  // namespace sluice::sql

#endif
