// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_TEXTS_FOLDED_INDEX_HPP
#define SLUICE_STORE_TEXTS_FOLDED_INDEX_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/base/text_hasher.hpp>
#include <sluice/filters/filter.hpp>
#include <sluice/store/texts/code_table.hpp>
#include <sluice/store/texts/text_list.hpp>

namespace sluice::store {

/// An index of texts by a key that several texts may share, such as the text in lower case. The
/// codes of one key form a chain:
///
/// ```
/// keys:      key 1: last code 9 | key 2: last code 4 | ...
/// previous:  ... code 9 -> 6 -> 2 -> none            of the same key, by code
/// ```
class folded_index {
public:
    /// Computes the key of a text; nullopt for texts that aren't indexed.
    using key_function = std::optional<std::string> (*)(std::string_view text);

    folded_index(key_function key_of, const sluice::detail::text_hasher& hasher)
        : key_of_(key_of), hasher_(hasher) {}

    /// Adds the texts of a dictionary that are new since the last call.
    template <class Texts>
    void follow(const Texts& texts) {
        const std::size_t size = texts.size();
        for (std::size_t c = previous_.size(); c < size; ++c) {
            previous_.push_back(absent);
            if (c == absent) continue;
            if (const auto key = key_of_(texts.text(static_cast<code>(c))))
                chain(*key, static_cast<code>(c));
        }
    }
    /// Appends the codes of all texts with a key.
    void append_codes(std::string_view key, std::vector<code>& codes) const {
        const code place = find(key, hasher_(key));
        if (place == absent) return;
        for (code c = last_[place - 1]; c != absent; c = previous_[c]) codes.push_back(c);
    }

private:
    void chain(std::string_view key, code added) {
        const std::uint64_t hash = hasher_(key);
        code place = find(key, hash);
        if (place == absent) {
            keys_.push_back(key);
            last_.push_back(absent);
            place = static_cast<code>(keys_.size());
            places_.insert(hash, place);
        }
        previous_[added] = last_[place - 1];
        last_[place - 1] = added;
    }
    [[nodiscard]] code find(std::string_view key, std::uint64_t hash) const noexcept {
        return places_.find(hash, [&](code place) { return keys_[place - 1] == key; });
    }

    key_function key_of_;
    sluice::detail::text_hasher hasher_;
    text_list keys_;
    std::vector<code> last_;      // by key
    code_table places_;           // of keys in keys_, from 1
    std::vector<code> previous_;  // by code
};

/// Indexes for filters that match a part of a text or ignore case. An index is built when it is
/// first used. One thread at a time.
class folded_texts {
public:
    explicit folded_texts(const sluice::detail::text_hasher& hasher) noexcept : hasher_(hasher) {}

    /// Drops the indexes, for when the dictionary has lost texts.
    void clear() noexcept {
        for (auto* const index : {&lowered_, &subdivisions_, &urls_}) index->reset();
    }

    /// Appends the codes of the texts that match `value`, some possibly twice. Not for exact
    /// comparison and whole URLs, which need no folding.
    template <class Texts>
    void append_matches(const Texts& texts, std::string_view value, collation how,
                        std::vector<code>& codes) {
        if (how == collation::url) {
            return follow(urls_, before_query, texts).append_codes(value, codes);
        }
        const std::string folded = sluice::detail::to_lower(value);
        follow(lowered_, lowered, texts).append_codes(folded, codes);
        if (how != collation::subdivision) return;
        follow(subdivisions_, subdivision, texts).append_codes(folded, codes);
    }

private:
    static std::optional<std::string> lowered(std::string_view text) {
        return sluice::detail::to_lower(text);
    }
    static std::optional<std::string> subdivision(std::string_view text) {
        const std::string_view part = sluice::detail::bare_subdivision(text);
        return part.empty() ? std::nullopt : lowered(part);
    }
    static std::optional<std::string> before_query(std::string_view text) {
        return std::string(sluice::detail::before_query(text));
    }
    template <class Texts>
    const folded_index& follow(std::optional<folded_index>& index,
                               folded_index::key_function key_of, const Texts& texts) const {
        if (!index) index.emplace(key_of, hasher_);
        index->follow(texts);
        return *index;
    }

    sluice::detail::text_hasher hasher_;
    std::optional<folded_index> lowered_, subdivisions_, urls_;
};

}  // namespace sluice::store

#endif
