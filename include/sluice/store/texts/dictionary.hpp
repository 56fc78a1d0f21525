// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_TEXTS_DICTIONARY_HPP
#define SLUICE_STORE_TEXTS_DICTIONARY_HPP

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/base/text_hasher.hpp>
#include <sluice/filters/values.hpp>
#include <sluice/store/texts/code_table.hpp>
#include <sluice/store/texts/folded_index.hpp>
#include <sluice/store/texts/stored_texts.hpp>
#include <sluice/store/texts/text_list.hpp>

namespace sluice::store {

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

    /// Returns the code of a text, adding it if needed. One thread at a time.
    code encode(std::string_view text) { return encode({text, hasher_(text)}); }
    code encode(const sought_text& sought) {
        if (const code stored = find_stored(sought); stored != absent) return stored;
        const code known = codes_.find_alone(sought.hash, is_code_of{sought.text, *this});
        if (known != absent) return known;
        const auto added = static_cast<code>(size());
        texts_.push_back(sought.text);
        codes_.insert(sought.hash, added);
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

private:
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
