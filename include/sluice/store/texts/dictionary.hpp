// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_TEXTS_DICTIONARY_HPP
#define SLUICE_STORE_TEXTS_DICTIONARY_HPP

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/base/simd/kernels.hpp>
#include <sluice/base/text_hasher.hpp>
#include <sluice/filters/collation.hpp>
#include <sluice/filters/values.hpp>
#include <sluice/store/texts/code_table.hpp>
#include <sluice/store/texts/text_list.hpp>

/// Dictionaries of texts, and their indexes by a part of a text or without case.
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

/// A text to look up in a dictionary, with its hash.
struct sought_text {
    std::string_view text;
    std::uint64_t hash;
};

/// The distinct texts of a column, numbered from 1 in order of arrival; 0 is an absent value. One
/// thread encodes while any number look up texts and codes. If that thread also calls shrink(),
/// others may only call codes_named(), codes_where(), bytes(), longest_probe(), and text() and
/// save() for codes that stay.
///
/// ```
/// codes   absent 1 2 ... n | n+1 n+2 ...
///         <- of an archive -> <- added ->    only added ones, unless it was opened from an archive
/// ```
class dictionary {
public:
    explicit dictionary(hash_seed seed = hash_seed::of_process())
        : hasher_(seed), folded_(hasher_) {
        texts_.push_back({});  // the text of `absent`
    }

    /// Returns the code of a text, adding it if needed. Adds nothing if memory runs out. One thread
    /// at a time.
    code encode(std::string_view text) { return encode({text, hasher_(text)}); }
    code encode(const sought_text& sought) {
        if (const code stored = find_stored(sought); stored != absent) return stored;
        const code known = codes_.find_alone(sought.hash, is_code_of{sought.text, *this});
        if (known != absent) return known;
        const auto added = static_cast<code>(size());
        texts_.set_next(sought.text);
        codes_.insert(sought.hash, added);  // may run out of memory
        texts_.show_next();
        return added;
    }
    /// Returns the code of a text, adding it if needed; `absent` without one.
    code encode(std::optional<std::string_view> text) { return text ? encode(*text) : absent; }

    /// Returns the code of a text, or `absent` if it is unknown.
    [[nodiscard]] code find(std::string_view text) const noexcept {
        return find({text, hasher_(text)});
    }
    [[nodiscard]] code find(const sought_text& sought) const noexcept {
        if (const code stored = find_stored(sought); stored != absent) return stored;
        return codes_.find(sought.hash, is_code_of{sought.text, *this});
    }
    /// Hashes a text and prefetches its slots. Start several lookups before finishing the first to
    /// overlap their cache misses. Only for the encoding thread.
    [[nodiscard]] sought_text seek(std::string_view text) const noexcept {
        const sought_text sought{text, hasher_(text)};
        codes_.prefetch(sought.hash);
        if (stored_codes() != 0) stored_.prefetch(sought.hash);
        return sought;
    }

    /// Returns the code whose text a sought one probably equals, and prefetches the place of that
    /// text; `absent` for most new texts. Fast once the slots of seek() are in the cache. Only for
    /// the encoding thread.
    [[nodiscard]] code seek_place(const sought_text& sought) const noexcept {
        const code likely = codes_.find_alone(sought.hash, [](code) { return true; });
        if (likely != absent) prefetch_place(likely);
        return likely;
    }

    /// Drops the newest texts, keeping the codes below `size`. Expects a `size` of at least the
    /// codes of the archive, and of 1 for `absent`.
    void shrink(std::size_t size) noexcept {
        const std::lock_guard lock(mutex_);
        codes_.shrink(static_cast<code>(size));
        texts_.shrink(size - stored_codes());
        folded_.clear();
    }

    /// Returns the text of a code below `size()`; empty for `absent`.
    [[nodiscard]] std::string_view text(code of) const noexcept {
        return of < stored_codes() ? stored_.text(of) : texts_[of - stored_codes()];
    }

    /// Prefetches the place of a code's text; see text_list.
    void prefetch_place(code of) const noexcept {
        if (of < stored_codes()) return stored_.prefetch_place(of);
        texts_.prefetch_place(of - stored_codes());
    }
    /// Prefetches the start of a code's text. Fast once its place is in the cache.
    void prefetch_text(code of) const noexcept {
        if (of < stored_codes()) return stored_.prefetch_text(of);
        texts_.prefetch_text(of - stored_codes());
    }

    /// Writes the first `codes` codes; others may be added meanwhile. Any thread.
    void save(archive_writer& archive, std::size_t codes) const {
        stored_texts::save(archive, codes, hasher_, [this](code c) { return text(c); });
    }
    /// Reads the codes of an archive. Expects no codes yet, and the seed of the saved dictionary.
    /// If the archive is malformed, it fails and no codes are added.
    void open(archive_reader& archive) {
        stored_ = stored_texts(archive);
        if (stored_codes() != 0) texts_.shrink(0);  // `absent` is among the stored codes
    }
    /// Like open(), for callers that read all texts: fails the archive unless each of them lies
    /// within it.
    void open_all(archive_reader& archive) {
        open(archive);
        if (!stored_.has_valid_places()) archive.fail();
    }
    /// Returns the number of bytes mapped from an archive.
    [[nodiscard]] std::size_t mapped_bytes() const noexcept { return stored_.bytes(); }

    /// Returns the size of texts, places and hash tables, in bytes.
    [[nodiscard]] std::size_t bytes() const {
        const std::shared_lock lock(mutex_);
        return stored_.bytes() + texts_.bytes() + codes_.bytes();
    }
    /// Returns the maximum number of slots that a lookup visits. Scans all slots.
    [[nodiscard]] std::size_t longest_probe() const {
        const std::shared_lock lock(mutex_);
        return std::max(stored_.longest_probe(), codes_.longest_probe());
    }

    /// Returns the number of codes, including `absent`.
    [[nodiscard]] std::size_t size() const noexcept { return stored_codes() + texts_.size(); }

    /// Returns the codes of the texts that match one of `values`, in any order, some possibly
    /// twice. Any thread. Comparisons that aren't exact use an index, which first adds texts that
    /// are new.
    [[nodiscard]] std::vector<code> codes_named(filter_values values, collation how) const {
        std::vector<code> codes;
        const collation_record& record = record_of(how);
        if (record.is_exact()) {
            const std::shared_lock lock(mutex_);
            for (const std::string_view value : values) append_exactly(value, codes);
        } else {
            const std::lock_guard lock(mutex_);
            for (const std::string_view value : values) append_folded(value, record, codes);
        }
        return codes;
    }

    /// Returns the codes of texts for which `holds` is true, ascending. Calls it for each text. Any
    /// thread.
    template <std::predicate<std::string_view> Holds>
    [[nodiscard]] std::vector<code> codes_where(Holds holds) const {
        const std::shared_lock lock(mutex_);
        std::vector<code> codes;
        const auto size = static_cast<code>(this->size());
        for (code c = 1; c < size; ++c) {
            if (holds(text(c))) codes.push_back(c);
        }
        return codes;
    }

    /// Returns the codes of texts that contain a part, ascending. Any thread. Searches the texts as
    /// they lie in memory, many at once.
    [[nodiscard]] std::vector<code> codes_containing(std::string_view part) const {
        if (part.empty()) return codes_where([](std::string_view) { return true; });
        const std::shared_lock lock(mutex_);
        std::vector<code> codes;
        const std::size_t stored = stored_codes(), size = this->size();
        if (stored > 1) append_containing(part, 1, static_cast<code>(stored), codes);
        for (std::size_t at = std::max<std::size_t>(stored, 1); at < size;) {
            const std::size_t end = stored + texts_.chunk_end(at - stored, size - stored);
            append_containing(part, static_cast<code>(at), static_cast<code>(end), codes);
            at = end;
        }
        return codes;
    }

private:
    /// Appends the codes from `begin` up to `end` whose texts contain a part. Expects texts that
    /// lie one after the other.
    void append_containing(std::string_view part, code begin, code end,
                           std::vector<code>& codes) const {
        const sluice::detail::simd::kernels& kernels = sluice::detail::simd::active_kernels();
        const sluice::detail::simd::byte_pair ends{part.front(), part.back(), part.size() - 1};
        const std::string_view first = text(begin), last = text(end - 1);
        const std::string_view all(
            first.data(), static_cast<std::size_t>(last.data() + last.size() - first.data()));
        code holder = begin;
        for (std::size_t at = 0; at < all.size();) {
            at = kernels.find_pair(all.data(), at, all.size(), ends);
            if (at == all.size()) return;
            if (all.substr(at, part.size()) != part) {
                ++at;
                continue;
            }
            holder = last_beginning(all.data() + at, holder, end);
            const std::string_view held = text(holder);
            const auto held_end = static_cast<std::size_t>(held.data() + held.size() - all.data());
            const bool is_whole = at + part.size() <= held_end;  // not across two texts
            if (is_whole) codes.push_back(holder);
            at = is_whole ? held_end : at + 1;
        }
    }
    /// Returns the last code from `first` on and before `end` whose text begins at an address or
    /// before it. Expects that of `first` to do so; the code is likely to be near.
    [[nodiscard]] code last_beginning(const char* address, code first, code end) const noexcept {
        code step = 1;
        while (end - first > step && text(first + step).data() <= address) {
            first += step;
            step *= 2;
        }
        for (code left = std::min(step, end - first); left > 1;) {
            const code half = left / 2;
            if (text(first + half).data() <= address) first += half;
            left -= half;
        }
        return first;
    }

    /// Compares a code's text with `text`.
    struct is_code_of {
        std::string_view text;
        const dictionary& in;

        bool operator()(code c) const noexcept { return in.text(c) == text; }
    };

    /// Returns the number of codes of the archive, including `absent`; 0 without an archive.
    [[nodiscard]] std::size_t stored_codes() const noexcept { return stored_.codes(); }
    /// Returns the code of a text of the archive, or `absent`.
    [[nodiscard]] code find_stored(const sought_text& sought) const noexcept {
        return stored_codes() == 0 ? absent : stored_.find(sought.text, sought.hash);
    }
    void append_exactly(std::string_view value, std::vector<code>& codes) const {
        if (const code known = find(value); known != absent) codes.push_back(known);
    }
    /// Appends the codes of texts that equal `value` by a collation that isn't exact: as a whole,
    /// in a part of them, or both.
    void append_folded(std::string_view value, const collation_record& record,
                       std::vector<code>& codes) const {
        const bool ignores_case = record.ignores_case;
        if (record.compares_whole(value)) {
            if (!ignores_case) append_exactly(value, codes);
            if (ignores_case) folded_.append_codes(*this, value, {.ignores_case = true}, codes);
        }
        if (record.compares_part(value)) {
            folded_.append_codes(*this, value, {ignores_case, record.part}, codes);
        }
    }

    sluice::detail::text_hasher hasher_;
    stored_texts stored_;
    text_list texts_;  // codes after the stored ones
    code_table codes_;
    mutable folded_texts folded_;
    mutable std::shared_mutex mutex_;  // guards folded_, and everything against shrink()
};

/// Returns an array of dictionaries with one seed.
template <std::size_t Count>
[[nodiscard]] std::array<dictionary, Count> make_dictionaries(hash_seed seed) {
    return [&]<std::size_t... At>(std::index_sequence<At...>) {
        return std::array<dictionary, Count>{(static_cast<void>(At), dictionary(seed))...};
    }(std::make_index_sequence<Count>());
}

}  // namespace sluice::store

#endif
