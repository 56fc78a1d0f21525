// SPDX-License-Identifier: MIT
#ifndef SLUICE_TESTS_API_ONDEMAND_METADATA_HPP
#define SLUICE_TESTS_API_ONDEMAND_METADATA_HPP

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <simdjson.h>

#include <sluice/metadata/expression.hpp>

/// Looks paths up with the streaming parser of simdjson: a second opinion on what stands where.
class ondemand_metadata {
public:
    explicit ondemand_metadata(std::string_view json) : json_(json), size_(json.size()) {
        json_.append(simdjson::SIMDJSON_PADDING, '\0');
    }

    std::optional<sluice::scalar> find(std::span<const std::string> keys) {
        simdjson::ondemand::document document;
        if (parser_.iterate(json_.data(), size_, json_.size()).get(document) != ok) return {};
        simdjson::ondemand::value root;
        if (document.get_value().get(root) != ok) return {};
        return find_in(root, keys);
    }

private:
    static constexpr auto ok = simdjson::SUCCESS;
    using value = simdjson::ondemand::value;

    std::optional<sluice::scalar> find_in(value& at, std::span<const std::string> keys) {
        if (keys.empty()) return scalar_of(at);
        switch (at.raw_json_token()[0]) {
            case '{': return find_member(at, keys);
            case '[': return find_element(at, keys);
            default: return {};
        }
    }
    std::optional<sluice::scalar> find_member(value& at, std::span<const std::string> keys) {
        std::optional<sluice::scalar> last;
        simdjson::ondemand::object members;
        if (at.get_object().get(members) != ok) return {};
        for (auto member : members) {
            std::string_view name;
            value content;
            if (member.unescaped_key().get(name) != ok || member.value().get(content) != ok) {
                return {};
            }
            if (name == keys[0]) last = find_in(content, keys.subspan(1));
        }
        return last;
    }
    std::optional<sluice::scalar> find_element(value& at, std::span<const std::string> keys) {
        simdjson::ondemand::array elements;
        if (at.get_array().get(elements) != ok) return {};
        std::size_t index = 0;
        for (auto element : elements) {
            value content;
            if (element.get(content) != ok) return {};
            if (std::to_string(index++) == keys[0]) return find_in(content, keys.subspan(1));
        }
        return {};
    }
    static std::optional<sluice::scalar> scalar_of(value& at) {
        std::string_view text = at.raw_json_token();
        bool flag = false;
        switch (text[0]) {
            case '"':
                if (at.get_string().get(text) != ok) return {};
                return sluice::scalar::string(text);
            case 't':
            case 'f':
                if (at.get_bool().get(flag) != ok) return {};
                return sluice::scalar::boolean(flag);
            case '{':
            case '[':
            case 'n': return {};
            default: break;
        }
        return sluice::scalar::number(text.substr(0, text.find_last_not_of(" \t\r\n") + 1));
    }

    simdjson::ondemand::parser parser_;
    std::string json_;
    std::size_t size_;
};

#endif
