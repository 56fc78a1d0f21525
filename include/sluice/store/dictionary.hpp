// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_DICTIONARY_HPP
#define SLUICE_STORE_DICTIONARY_HPP

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include <sluice/filter_values.hpp>
#include <sluice/store/chunked_list.hpp>
#include <sluice/store/code_table.hpp>
#include <sluice/store/folded_index.hpp>
#include <sluice/store/text_arena.hpp>
#include <sluice/store/text_hash.hpp>

namespace sluice::store {

/// A text that is about to be looked up in a dictionary, and its hash.
struct sought_text {
    std::string_view text;
    std::uint64_t hash;
};

/// The distinct texts of a column, numbered from 1 in order of arrival; 0 is an absent value. One
/// thread encodes while any number look texts and codes up.
class dictionary {
public:
    dictionary() { texts_.push_back({}); }

    /// The code of a text, new if it has none. Only one thread at a time.
    code encode(std::string_view text) { return encode({text, text_hash(text)}); }
    code encode(const sought_text& sought) {
        const code known = find(sought);
        if (known != absent) return known;
        const auto added = static_cast<code>(texts_.size());
        texts_.push_back(bytes_.keep(sought.text));
        codes_.insert(sought.hash, added);
        return added;
    }
    /// The same for a value that may be absent.
    code encode(std::optional<std::string_view> text) { return text ? encode(*text) : absent; }

    /// The code of a text that is here, or `absent`.
    [[nodiscard]] code find(std::string_view text) const noexcept {
        return find({text, text_hash(text)});
    }
    [[nodiscard]] code find(const sought_text& sought) const noexcept {
        return codes_.find(sought.hash, [&](code c) { return texts_[c] == sought.text; });
    }
    /// Begins a look-up: a large dictionary is slow to reach, and several are reached in the time
    /// of one where all are begun before the first is ended. Any thread.
    [[nodiscard]] sought_text seek(std::string_view text) const noexcept {
        const sought_text sought{text, text_hash(text)};
        codes_.prefetch(sought.hash);
        return sought;
    }

    /// The text of a code below `size()`; empty for `absent`.
    [[nodiscard]] std::string_view text(code of) const noexcept { return texts_[of]; }

    /// Codes in use, `absent` included.
    [[nodiscard]] std::size_t size() const noexcept { return texts_.size(); }

    /// The codes of the texts that any of `values` names, in any order; a code may come twice. Any
    /// thread. What is not compared exactly is found by an index that takes new texts in when it is
    /// asked.
    [[nodiscard]] std::vector<code> codes_named(filter_values values, collation how) const {
        std::vector<code> codes;
        for (const std::string_view value : values) append_named(value, how, codes);
        return codes;
    }

private:
    void append_named(std::string_view value, collation how, std::vector<code>& codes) const {
        const bool is_whole_url = how == collation::url && value.find('?') != value.npos;
        if (how == collation::exact || is_whole_url) {
            if (const code found = find(value); found != absent) codes.push_back(found);
            return;
        }
        const std::lock_guard lock(mutex_);
        folded_.append_named(texts_, value, how, codes);
    }

    text_arena bytes_;
    chunked_list<std::string_view> texts_;
    code_table codes_;
    mutable folded_texts folded_;
    mutable std::mutex mutex_;  // guards folded_
};

}  // namespace sluice::store

#endif
