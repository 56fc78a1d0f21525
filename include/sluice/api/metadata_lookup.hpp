// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_METADATA_LOOKUP_HPP
#define SLUICE_API_METADATA_LOOKUP_HPP

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <simdjson.h>

#include <sluice/detail/decimal.hpp>
#include <sluice/detail/json_text.hpp>
#include <sluice/metadata_expression.hpp>

namespace sluice::api {

/// Looks paths up in metadata, for `metadata_query::matches`.
///
/// ```
/// metadata_reader metadata;
/// metadata.load(R"({"items":[{"sku":"cd-77"}],"total":10.0})");
/// query.matches([&](auto path) { return metadata.find(path); });
/// // find({"items", "0", "sku"}) is the string cd-77, find({"total"}) the number 10.0
/// ```
///
/// Each key of a path names a member of an object, as text without its escapes, or an element of an
/// array: its index, a decimal number from 0 without leading zeros. Of a name that is there twice
/// the last member counts, as in JavaScript and Python.
///
/// The metadata is JSON as records hold it; what is no JSON has nothing at any path, or only what
/// stands before its fault. A lookup reads the document once from its start, whatever the path.
class metadata_reader {
public:
    metadata_reader() = default;
    metadata_reader(const metadata_reader&) = delete;
    metadata_reader& operator=(const metadata_reader&) = delete;

    /// Takes a copy of the JSON that the next lookups read.
    void load(std::string_view json) {
        text_.assign(json).append(simdjson::SIMDJSON_PADDING, '\0');
        loaded_ = parser_.iterate(text_.data(), json.size(), text_.size()).get(document_) ==
                  simdjson::SUCCESS;
    }

    /// What stands at a path of at least one key: a string's value, a number's or boolean's JSON
    /// text as it is spelled; nullopt for null, an object, an array or nothing. The text holds
    /// until the next find() or load().
    [[nodiscard]] std::optional<scalar> find(std::span<const std::string> keys) {
        if (keys.empty() || keys.size() > sluice::detail::json_max_depth) return std::nullopt;
        // A lookup that met a fault has given the document up.
        if (!loaded_ || !document_.is_alive()) return std::nullopt;
        document_.rewind();
        return find_in(document_.get_value(), keys);
    }

    /// load() and find() in one.
    [[nodiscard]] std::optional<scalar> find(std::string_view json,
                                             std::span<const std::string> keys) {
        load(json);
        return find(keys);
    }

private:
    using found_value = simdjson::simdjson_result<simdjson::ondemand::value>;

    /// The recursion is as deep as the path and the document, json_max_depth at most.
    static std::optional<scalar> find_in(found_value found, std::span<const std::string> keys) {
        simdjson::ondemand::value value;
        if (found.get(value) != simdjson::SUCCESS) return std::nullopt;
        if (keys.empty()) return to_scalar(value);
        switch (value.raw_json_token()[0]) {
            case '{': return find_member(value, keys);
            case '[': return find_element(value, keys);
            default: return std::nullopt;
        }
    }

    /// simdjson reads forward only, so what the last member of a name holds is known at the end of
    /// the object; each member of that name is searched on the way.
    static std::optional<scalar> find_member(simdjson::ondemand::value& value,
                                             std::span<const std::string> keys) {
        simdjson::ondemand::object members;
        if (value.get_object().get(members) != simdjson::SUCCESS) return std::nullopt;
        std::optional<scalar> last;
        for (auto member : members) {
            std::string_view name;
            if (member.unescaped_key().get(name) != simdjson::SUCCESS) return std::nullopt;
            if (name == keys.front()) last = find_in(member.value(), keys.subspan(1));
        }
        return last;
    }

    static std::optional<scalar> find_element(simdjson::ondemand::value& value,
                                              std::span<const std::string> keys) {
        simdjson::ondemand::array elements;
        const auto index = parse_array_index(keys.front());
        if (!index || value.get_array().get(elements) != simdjson::SUCCESS) return std::nullopt;
        std::size_t at = 0;
        for (auto element : elements) {
            if (at++ == *index) return find_in(element, keys.subspan(1));
        }
        return std::nullopt;
    }

    static std::optional<scalar> to_scalar(simdjson::ondemand::value& value) {
        std::string_view text = value.raw_json_token();
        bool flag = false;
        switch (text[0]) {
            case '"':
                if (value.get_string().get(text) != simdjson::SUCCESS) return std::nullopt;
                return scalar::string(text);
            case 't':
            case 'f':
                if (value.get_bool().get(flag) != simdjson::SUCCESS) return std::nullopt;
                return scalar::boolean(flag);
            default: break;
        }
        text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
        if (!sluice::detail::parse_decimal(text)) return std::nullopt;
        return scalar::number(text);
    }

    simdjson::ondemand::parser parser_;
    simdjson::ondemand::document document_;
    std::string text_;  // the document, with the padding that simdjson reads beyond it
    bool loaded_ = false;
};

}  // namespace sluice::api

#endif
