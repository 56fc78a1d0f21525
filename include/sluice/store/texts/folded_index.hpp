// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_TEXTS_FOLDED_INDEX_HPP
#define SLUICE_STORE_TEXTS_FOLDED_INDEX_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/base/text_hasher.hpp>
#include <sluice/filters/collation.hpp>
#include <sluice/store/texts/code_table.hpp>
#include <sluice/store/texts/text_list.hpp>

namespace sluice::store {

/// The key of a text in an index: the text or its part, in lower case if case is ignored.
struct folded_key {
    bool ignores_case = false;
    std::optional<text_part> part{};

    [[nodiscard]] std::string fold(std::string_view value) const {
        return ignores_case ? sluice::detail::to_lower(value) : std::string(value);
    }
    /// Returns the key of a text; nullopt for a text without the part.
    [[nodiscard]] std::optional<std::string> find(std::string_view text) const {
        const auto key = part ? part->find(text) : std::optional(text);
        return key ? std::optional(fold(*key)) : std::nullopt;
    }

    friend bool operator==(const folded_key&, const folded_key&) = default;
};

/// An index of texts by a key that several texts may share, such as the text in lower case. The
/// codes of one key form a chain:
///
/// ```
/// keys:      key 1: last code 9 | key 2: last code 4 | ...
/// previous:  ... code 9 -> 6 -> 2 -> none            of the same key, by code
/// ```
class folded_index {
public:
    folded_index(const folded_key& key, const sluice::detail::text_hasher& hasher)
        : key_(key), hasher_(hasher) {}

    [[nodiscard]] const folded_key& key() const noexcept { return key_; }

    /// Adds the texts of a dictionary that are new since the last call.
    template <class Texts>
    void follow(const Texts& texts) {
        const std::size_t size = texts.size();
        for (std::size_t c = previous_.size(); c < size; ++c) {
            previous_.push_back(absent);
            if (c == absent) continue;
            if (const auto key = key_.find(texts.text(static_cast<code>(c))))
                chain(*key, static_cast<code>(c));
        }
    }
    /// Appends the codes of all texts whose key is that of a value.
    void append_codes(std::string_view value, std::vector<code>& codes) const {
        const std::string key = key_.fold(value);
        const code place = find(key, hasher_(key));
        if (place == absent) return;
        for (code c = last_[place - 1]; c != absent; c = previous_[c]) codes.push_back(c);
    }

private:
    /// Puts a code at the head of its key's chain.
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
    /// Returns the place of a key in keys_, from 1; `absent` for an unknown one.
    [[nodiscard]] code find(std::string_view key, std::uint64_t hash) const noexcept {
        return places_.find(hash, [&](code place) { return keys_[place - 1] == key; });
    }

    folded_key key_;
    sluice::detail::text_hasher hasher_;
    text_list keys_;
    std::vector<code> last_;      // by key: the last code of its chain
    code_table places_;           // of keys in keys_, from 1
    std::vector<code> previous_;  // by code: the one before in its chain, or absent
};

/// Indexes for filters that match a part of a text or ignore case. An index is built when it is
/// first used. One thread at a time.
class folded_texts {
public:
    explicit folded_texts(const sluice::detail::text_hasher& hasher) noexcept : hasher_(hasher) {}

    /// Drops the indexes, for when the dictionary has lost texts.
    void clear() noexcept { indexes_.clear(); }

    /// Appends the codes of the texts whose key is that of a value.
    template <class Texts>
    void append_codes(const Texts& texts, std::string_view value, const folded_key& key,
                      std::vector<code>& codes) {
        auto index = std::ranges::find(indexes_, key, &folded_index::key);
        if (index == indexes_.end()) index = indexes_.emplace(index, key, hasher_);
        index->follow(texts);
        index->append_codes(value, codes);
    }

private:
    sluice::detail::text_hasher hasher_;
    std::list<folded_index> indexes_{};  // by the keys of the collations in use
};

}  // namespace sluice::store

#endif
