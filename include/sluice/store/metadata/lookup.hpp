// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_METADATA_LOOKUP_HPP
#define SLUICE_STORE_METADATA_LOOKUP_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/detail/decimal.hpp>
#include <sluice/detail/json_cursor.hpp>
#include <sluice/metadata/expression.hpp>
#include <sluice/store/metadata/detail/json_path_tree.hpp>
#include <sluice/store/metadata/detail/json_path_walk.hpp>

namespace sluice::store {

using sluice::detail::json_path;

/// Looks paths up in one JSON document after the other, all paths in one walk of each. It views the
/// paths' keys and the document. For one thread.
///
/// ```
/// const std::vector<std::string> sku{"items", "0", "sku"}, total{"total"};
/// metadata_lookup metadata(std::vector<json_path>{sku, total});
/// metadata.read(R"({"items":[{"sku":"cd-77"}],"total":10.0})");
/// metadata.at(0);  // the string cd-77
/// metadata.at(1);  // the number 10.0
/// ```
///
/// Each key of a path names a member of an object, as text without its escapes, or an element of an
/// array: its index, a decimal number from 0 without leading zeros. Of a name that is there twice
/// the last member counts, as in JavaScript and Python.
///
/// The metadata is JSON as records hold it: the reader of records has checked it. What isn't JSON
/// is safe to look into, but what is found there is not specified.
class metadata_lookup {
public:
    /// What is at a path: a string's value, a number's or boolean's JSON text as it is spelled.
    /// Nothing for null, an object, an array or where nothing is.
    struct found {
        std::optional<scalar> value{};
        std::optional<sluice::detail::decimal> number{};  ///< the text where it reads as one
    };

    explicit metadata_lookup(std::span<const json_path> paths)
        : tree_(paths), walk_(tree_), found_(tree_.size()) {}
    metadata_lookup(const metadata_lookup&) = delete;
    metadata_lookup& operator=(const metadata_lookup&) = delete;

    /// Goes to a document, which lasts until the next one; false where it has nothing at any path.
    bool read(std::string_view json) {
        json_ = json;
        ++documents_;
        return walk_.read(json);
    }

    /// What is at a path, by its number among those given. A value is read once, when it is
    /// first asked for, and holds until the next document.
    [[nodiscard]] const found& at(std::size_t path) {
        static constexpr found nothing{};
        const std::uint32_t node = tree_.end_of(path);
        const auto begin = walk_.find(node);
        if (!begin) return nothing;
        entry& known = found_[node];
        if (known.document == documents_) return known.content;
        known.document = documents_;
        return known.content = read_value(*begin, known.text);
    }

private:
    struct entry {
        std::uint64_t document = 0;  // by number, from 1
        found content{};
        std::string text{};  // a string without its escapes
    };

    [[nodiscard]] found read_value(std::size_t begin, std::string& text) const {
        sluice::detail::json_cursor cursor(json_);
        cursor.move_to(begin);
        if (cursor.peek() != '"') return read_word(cursor.take_word());
        const auto value = read_string(cursor, text);
        if (!value) return {};
        return {value, sluice::detail::parse_decimal(value->text)};
    }
    static found read_word(std::string_view word) {
        if (word == "true" || word == "false") return {scalar::boolean(word == "true"), {}};
        const auto number = sluice::detail::parse_decimal(word);
        if (!number) return {};
        return {scalar::number(word), number};
    }
    static std::optional<scalar> read_string(sluice::detail::json_cursor& cursor,
                                             std::string& unescaped) {
        const auto token = cursor.take_string();
        if (!token) return std::nullopt;
        std::string_view text = token->spelled;
        if (token->has_escapes) {
            unescaped.clear();
            if (!sluice::detail::json_unescaper(unescaped).append(text)) return std::nullopt;
            text = unescaped;
        }
        if (!token->is_ascii && !sluice::detail::is_valid_utf8(text)) return std::nullopt;
        return scalar::string(text);
    }

    sluice::detail::json_path_tree tree_;
    sluice::detail::json_path_walk walk_;
    std::string_view json_;
    std::uint64_t documents_ = 0;  // read so far
    std::vector<entry> found_;     // by node
};

}  // namespace sluice::store

#endif
