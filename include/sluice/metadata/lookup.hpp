// SPDX-License-Identifier: MIT
#ifndef SLUICE_METADATA_LOOKUP_HPP
#define SLUICE_METADATA_LOOKUP_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/base/decimal.hpp>
#include <sluice/base/json_cursor.hpp>
#include <sluice/metadata/detail/json_path_walk.hpp>
#include <sluice/metadata/expression.hpp>

namespace sluice {

using json_path = detail::json_path;

/// Looks up paths in one JSON document after the other. A document is walked over once, however
/// many paths there are. Views the keys of the paths, not the span of paths, and the document. Not
/// safe for several threads.
///
/// ```
/// const std::vector<std::string> sku{"items", "0", "sku"}, total{"total"};
/// document_lookup metadata(std::vector<json_path>{sku, total});
/// metadata.read(R"({"items":[{"sku":"cd-77"}],"total":10.0})");
/// metadata.at(0);  // the string cd-77
/// metadata.at(1);  // the number 10.0
/// ```
///
/// A key names an object's member, without escapes, or an array's element by its index: a decimal
/// number from 0 without leading zeros. If an object repeats a name, the last member counts, as in
/// JavaScript and Python.
///
/// Expects the JSON of records, which their reader has checked. Other text is safe to read, but the
/// results are unspecified.
class document_lookup {
public:
    /// The value at a path: a string's text, or the JSON text of a number or boolean. Empty for
    /// null, an object, an array or a missing value.
    struct path_value {
        std::optional<scalar> value{};
        std::optional<detail::decimal> number{};  ///< the text as a number, if it is one
    };

    explicit document_lookup(std::span<const json_path> paths)
        : tree_(paths), walk_(tree_), entries_(tree_.size()) {}
    document_lookup(const document_lookup&) = delete;
    document_lookup& operator=(const document_lookup&) = delete;

    /// Moves to a document, which must live until the next one. Returns false if no path has a
    /// value.
    bool read(std::string_view json) {
        json_ = json;
        ++documents_;
        return walk_.read(json);
    }

    /// Returns the value at a path, by the path's index. It is read on first use and valid until
    /// the next document.
    [[nodiscard]] const path_value& at(std::size_t path) {
        static constexpr path_value nothing{};
        const std::uint32_t node = tree_.end_of(path);
        const auto begin = walk_.find(node);
        if (!begin) return nothing;
        entry& known = entries_[node];
        if (known.document == documents_) return known.content;
        known.document = documents_;
        return known.content = read_value(*begin, known.text);
    }

private:
    /// The value at a node of the tree that was read last.
    struct entry {
        std::uint64_t document = 0;  // number of its document, from 1; 0 if none was read
        path_value content{};
        std::string text{};  // owns the value if it is a string with escapes
    };

    /// Reads the value at an offset of the document. Stores a string that has escapes in `text`.
    [[nodiscard]] path_value read_value(std::size_t begin, std::string& text) const {
        detail::json_cursor cursor(json_);
        cursor.move_to(begin);
        if (cursor.peek() != '"') return read_word(cursor.take_word());
        const auto value = read_string(cursor, text);
        if (!value) return {};
        return {value, detail::parse_decimal(value->text)};
    }
    /// Returns a boolean or a number; no value for `null` or an opening bracket.
    static path_value read_word(std::string_view word) {
        if (word == "true" || word == "false") return {scalar::boolean(word == "true"), {}};
        const auto number = detail::parse_decimal(word);
        if (!number) return {};
        return {scalar::number(word), number};
    }
    /// Returns a string; nullopt if it isn't valid JSON or UTF-8.
    static std::optional<scalar> read_string(detail::json_cursor& cursor, std::string& unescaped) {
        const auto token = cursor.take_string();
        if (!token) return std::nullopt;
        std::string_view text = token->spelled;
        if (token->has_escapes) {
            unescaped.clear();
            if (!detail::json_unescaper(unescaped).append(text)) return std::nullopt;
            text = unescaped;
        }
        if (!token->is_ascii && !detail::is_valid_utf8(text)) return std::nullopt;
        return scalar::string(text);
    }

    detail::json_path_tree tree_;
    detail::json_path_walk walk_;
    std::string_view json_{};
    std::uint64_t documents_ = 0;  // number of the current document, from 1
    std::vector<entry> entries_;   // by node
};

}  // namespace sluice

#endif
