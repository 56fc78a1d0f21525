// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_DOCUMENTS_SHREDDER_HPP
#define SLUICE_STORE_DOCUMENTS_SHREDDER_HPP

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

#include <sluice/base/ascii.hpp>
#include <sluice/base/decimal.hpp>
#include <sluice/metadata/expression.hpp>
#include <sluice/store/documents/columns.hpp>

namespace sluice::store {

/// The marker code of a row whose metadata is not in the columns.
inline constexpr code unshredded = 1;

/// Splits metadata into the columns of its paths ("shreds" it), so that a condition on a path has
/// the result that a document_lookup in the JSON has. Marks rows as unshredded if that is
/// impossible: for invalid JSON, repeated names in an object, long texts, many members or scalars,
/// or deep nesting. Only the first elements of an array get columns. For one thread.
class metadata_shredder {
public:
    explicit metadata_shredder(metadata_columns& columns) noexcept : columns_(columns) {}

    /// Fills in a row's codes: the marker, then the columns. Expects all of them `absent`.
    void shred(std::string_view json, std::span<code> codes) {
        if (!is_nested(json)) return;
        codes_ = codes.subspan(1);
        if (spread(json)) return;
        std::ranges::fill(codes_, absent);
        codes.front() = unshredded;
        columns_.record_unshredded();
    }

private:
    static constexpr std::size_t most_members = 64;   // of an object
    static constexpr std::size_t most_keys = 16;      // of a path
    static constexpr std::size_t longest_path = 512;  // bytes of a metadata_path with a column
    static constexpr std::size_t first_elements = 8;  // of an array, that get columns
    static constexpr std::size_t most_scalars = std::size_t{1} << 20;  // of a column

    /// Returns true unless the metadata is a scalar, which has no paths.
    static bool is_nested(std::string_view json) noexcept {
        constexpr std::string_view scalars = "\"-0123456789tfn";
        return json.empty() || scalars.find(json.front()) == std::string_view::npos;
    }

    /// Fills in the codes of a document. Like all functions below, returns false if the row must be
    /// marked as unshredded instead.
    bool spread(std::string_view json) {
        text_.assign(json).append(simdjson::SIMDJSON_PADDING, '\0');
        names_.clear();
        simdjson::ondemand::document document;
        simdjson::ondemand::value value;
        if (parser_.iterate(text_.data(), json.size(), text_.size()).get(document) !=
                simdjson::SUCCESS ||
            document.get_value().get(value) != simdjson::SUCCESS || !spread(value)) {
            return false;
        }
        return document.current_location().error() == simdjson::OUT_OF_BOUNDS;
    }

    /// Fills in the codes of the value at path_. The recursion is as deep as a path: at most
    /// most_keys.
    bool spread(simdjson::ondemand::value& value) {
        switch (value.raw_json_token()[0]) {
            case '{': return spread_object(value);
            case '[': return spread_array(value);
            default: return spread_scalar(value);
        }
    }
    bool spread_object(simdjson::ondemand::value& value) {
        simdjson::ondemand::object members;
        if (value.get_object().get(members) != simdjson::SUCCESS) return false;
        const std::size_t first_name = names_.size();
        for (auto member : members) {
            std::string_view name;
            simdjson::ondemand::value content;
            if (member.unescaped_key().get(name) != simdjson::SUCCESS ||
                !add_name(name, first_name) || member.value().get(content) != simdjson::SUCCESS ||
                !enter(name, content)) {
                return false;
            }
        }
        names_.resize(first_name);
        return true;
    }
    /// Adds a name of the object whose names begin at `first`. Returns false if the object repeats
    /// it or has too many.
    bool add_name(std::string_view name, std::size_t first) {
        const auto known = std::span(names_).subspan(first);
        if (known.size() == most_members) return false;
        if (std::ranges::find(known, name) != known.end()) return false;
        names_.push_back(name);
        return true;
    }
    bool spread_array(simdjson::ondemand::value& value) {
        simdjson::ondemand::array elements;
        if (value.get_array().get(elements) != simdjson::SUCCESS) return false;
        std::size_t index = 0;
        for (auto element : elements) {
            simdjson::ondemand::value content;
            if (element.get(content) != simdjson::SUCCESS) return false;
            if (!enter(std::to_string(index++), content)) return false;
        }
        return true;
    }

    /// Shreds the value under a key.
    bool enter(std::string_view key, simdjson::ondemand::value& content) {
        if (path_.depth() == most_keys) return false;
        const bool excludes = is_later_index(key);
        const std::size_t size = path_.size();
        path_.push(key);
        excluded_ += excludes ? 1 : 0;
        const bool done = spread(content);
        excluded_ -= excludes ? 1 : 0;
        path_.pop(size);
        return done;
    }
    /// Returns true if a key may be the index of an element without a column. The key alone
    /// decides, as objects may have such names, too.
    static bool is_later_index(std::string_view key) noexcept {
        if (key.empty() || key.front() < '0' || key.front() > '9') return false;
        const auto index = parse_array_index(key);
        return index && *index >= first_elements;
    }

    /// Fills in the code of a scalar; null has none.
    bool spread_scalar(simdjson::ondemand::value& value) {
        bool flag = false;
        std::string_view text = value.raw_json_token();
        switch (text[0]) {
            case '"':
                return value.get_string().get(text) == simdjson::SUCCESS &&
                       keep(scalar::string(text));
            case 't':
            case 'f':
                return value.get_bool().get(flag) == simdjson::SUCCESS &&
                       keep(scalar::boolean(flag));
            case 'n': return value.is_null().get(flag) == simdjson::SUCCESS && flag;
            default: break;
        }
        text = text.substr(0, text.find_last_not_of(sluice::detail::white_space) + 1);
        return sluice::detail::parse_decimal(text) && keep(scalar::number(text));
    }

    /// Stores a scalar in the column of the current path, if the path has one.
    bool keep(const scalar& value) {
        if (value.text.size() > metadata_scalars::longest_text) return false;
        const bool may_have_place = excluded_ == 0 && path_.size() <= longest_path;
        const auto place = may_have_place ? columns_.obtain(path_) : std::nullopt;
        if (!place) {
            columns_.record_other();
            return true;
        }
        metadata_scalars& scalars = columns_.scalars(*place);
        if (scalars.size() > most_scalars) return false;
        codes_[*place] = scalars.encode(value);
        return true;
    }

    metadata_columns& columns_;
    std::span<code> codes_;  // the current row's, without the marker
    simdjson::ondemand::parser parser_;
    std::string text_;  // the document, with simdjson's padding
    metadata_path path_;
    std::vector<std::string_view> names_;  // names of the objects around the current value
    std::size_t excluded_ = 0;             // keys on the path that may not have a column
};

}  // namespace sluice::store

#endif
