// SPDX-License-Identifier: MIT
#ifndef SLUICE_ARROW_ROW_FILTER_HPP
#define SLUICE_ARROW_ROW_FILTER_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/base/ascii.hpp>
#include <sluice/base/random.hpp>
#include <sluice/base/text_hasher.hpp>
#include <sluice/filters/matcher.hpp>

/// Filters prepared for many rows, and the sets of their values. A value and a row are compared by
/// keys of 16 bytes first, which decide for texts of up to 12 bytes and rule out most longer ones.
namespace sluice::arrow {

namespace detail {

/// Maximum size of a text that a key holds whole.
inline constexpr std::size_t key_whole_max = 12;

/// Two words that represent a text; texts of up to 12 bytes are equal if their keys are.
///
/// ```
/// first   | length, 32 bits | bytes 0-3                |
/// second  | bytes 4-11, or of a longer text its last 8 |
/// ```
/// Missing bytes are 0. It is the layout of an Arrow view, except for the second word of long
/// texts.
struct text_key {
    std::uint64_t first = 0;
    std::uint64_t second = 0;

    friend constexpr bool operator==(const text_key&, const text_key&) = default;
};

/// Loads up to 8 bytes as a little-endian number; missing ones are 0.
[[nodiscard]] inline std::uint64_t load_bytes(const char* at, std::size_t count) noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, at, std::min<std::size_t>(count, 8));
    return word;
}

/// Returns the key of a text of `size` bytes: `head` are bytes 0-3, `tail` the second word. With
/// `fold` both become ASCII lower case.
[[nodiscard]] constexpr text_key make_key(std::size_t size, std::uint64_t head, std::uint64_t tail,
                                          bool fold) noexcept {
    if (fold) head = sluice::detail::to_lower_bytes(head);
    if (fold) tail = sluice::detail::to_lower_bytes(tail);
    return {static_cast<std::uint32_t>(size) | head << 32, tail};
}

/// Returns the key of a text or, with `fold`, of its ASCII lower case. It reads no byte outside of
/// the text.
[[nodiscard]] inline text_key key_of(std::string_view text, bool fold) noexcept {
    const std::size_t size = text.size();
    if (size > key_whole_max) {
        const std::uint64_t last = load_bytes(text.data() + size - 8, 8);
        return make_key(size, load_bytes(text.data(), 4), last, fold);
    }
    if (size >= 8) {
        const std::uint64_t head = load_bytes(text.data(), 8);
        // The last 8 bytes hold bytes 4 to 11 and the few before them, which the
        // shift drops.
        const std::uint64_t last = load_bytes(text.data() + size - 8, 8);
        return make_key(size, head & 0xFFFF'FFFFU, last >> (8 * (key_whole_max - size)), fold);
    }
    // Two halves of 4 bytes that overlap, or up to 3 bytes.
    if (size >= 4) {
        const std::uint64_t last = load_bytes(text.data() + size - 4, 4);
        return make_key(size, load_bytes(text.data(), 4), last >> (8 * (8 - size)), fold);
    }
    const std::uint64_t few = size == 0 ? 0 : load_bytes(text.data(), size);
    return make_key(size, few, 0, fold);
}

/// Like key_of(), but faster. Expects that 12 bytes from the start of the text can be read, however
/// short it is.
[[nodiscard]] inline text_key key_within(const char* at, std::uint32_t size, bool fold) noexcept {
    constexpr std::uint64_t all = ~std::uint64_t{0};
    const std::uint64_t head_bytes = std::min<std::uint64_t>(size, 4);
    const std::uint64_t tail_bytes = size <= 4 ? 0 : std::min<std::uint64_t>(size - 4, 8);
    const std::uint64_t head = load_bytes(at, 4) & ((std::uint64_t{1} << (8 * head_bytes)) - 1);
    const std::uint64_t tail = load_bytes(at + (size > key_whole_max ? size - 8 : 4), 8);
    const std::uint64_t kept = tail_bytes == 0 ? 0 : all >> (8 * (8 - tail_bytes));
    return make_key(size, head, tail & kept, fold);
}

/// Maximum number of keys that are compared one after another.
inline constexpr std::size_t few_keys_max = 8;

/// Keys in the order of their lengths, so that kernels test the cheapest first.
struct few_keys {
    std::array<text_key, few_keys_max> keys{};
    std::size_t heads = 0;  ///< number of texts of up to 4 bytes: their first word decides
    std::size_t whole = 0;  ///< of up to 12 bytes, including those: their key decides
    std::size_t count = 0;  ///< of all; a longer row with one of these keys may be in the set
    bool fold = false;      ///< rows are compared in ASCII lower case
};

/// A cuckoo hash table: a key is in one of two slots, so that a look-up takes two independent
/// probes.
class key_table {
public:
    key_table() = default;
    /// Makes a table of at least 32 slots, and of three times as many as keys: a cuckoo table that
    /// is half full often can't be built.
    key_table(const std::vector<text_key>& keys, hash_seed seed) : random_(seed.value) {
        for (bits_ = 5; (std::size_t{1} << bits_) < 3 * keys.size();) ++bits_;
        do draw_factors();
        while (!place_all(keys));
    }

    /// Returns true if the table has a key.
    [[nodiscard]] bool contains(const text_key& key) const noexcept {
        const auto [one, other] = slots_of(key);
        return slots_[one] == key || slots_[other] == key;
    }

    // For kernels, which compute slots_of() for several keys at a time.
    [[nodiscard]] const text_key* slots() const noexcept { return slots_.data(); }
    /// Returns the binary logarithm of the number of slots.
    [[nodiscard]] int bits() const noexcept { return bits_; }
    [[nodiscard]] const std::array<std::uint64_t, 2>& factors() const noexcept { return factors_; }

private:
    // The key of an empty row is (0, 0); no value is empty, and no length has all bits set.
    static constexpr text_key vacant{~std::uint64_t{0}, ~std::uint64_t{0}};
    static constexpr int moves_max = 64;

    struct slot_pair {
        std::size_t one, other;
    };

    /// Mixes the upper half of a word into its lower one.
    static constexpr std::uint64_t folded(std::uint64_t word) noexcept {
        return word ^ (word >> 32);
    }

    /// Returns the slots of a key: the highest bits of a product, and some bits of another one. A
    /// word is folded before it is multiplied, since its upper bits by themselves reach only the
    /// upper ones of a product, where many words collide whatever the factor.
    [[nodiscard]] slot_pair slots_of(const text_key& key) const noexcept {
        const std::uint64_t first = folded(folded(key.first) * factors_[0]);
        const std::uint64_t mixed = (first ^ key.second) * factors_[1];
        const std::uint64_t hash = folded(mixed);
        const std::uint64_t mask = (std::uint64_t{1} << bits_) - 1;
        return {static_cast<std::size_t>(mixed >> (64 - bits_)),
                static_cast<std::size_t>((hash * factors_[0] >> 40) & mask)};
    }

    /// Fills an empty table; false if the current factors leave a key without a slot.
    bool place_all(const std::vector<text_key>& keys) {
        slots_.assign(std::size_t{1} << bits_, vacant);
        return std::ranges::all_of(keys, [&](const text_key& key) { return place(key); });
    }

    /// Puts a key into one of its slots and moves the key that was there to its other one, and so
    /// on. Returns false after too many moves; then the table lacks a key and must be built anew.
    bool place(text_key key) {
        std::size_t at = slots_of(key).one;
        for (int moves = 0; moves < moves_max; ++moves) {
            std::swap(key, slots_[at]);
            if (key == vacant) return true;
            const auto [one, other] = slots_of(key);
            at = at == one ? other : one;
        }
        return false;
    }

    /// Draws other factors, and doubles the table at every eighth draw, so that building it ends.
    void draw_factors() {
        for (std::uint64_t& factor : factors_) factor = random_.next() | 1;
        if (++draws_ % 8 == 0) ++bits_;
    }

    int bits_ = 0;
    int draws_ = 0;
    sluice::detail::random_source random_{0};
    std::array<std::uint64_t, 2> factors_{1, 1};
    std::vector<text_key> slots_;
};

/// A set of texts for tests of many rows. Its keys decide about texts of up to 12 bytes and rule
/// most others out; the rest is compared whole.
class key_set {
public:
    key_set() = default;
    /// Makes the set of `values`, in any order and with repeats. Expects that none is empty. With
    /// `fold` texts are compared without ASCII case. `seed` sets the hash function of the table.
    key_set(std::vector<std::string> values, bool fold, hash_seed seed)
        : fold_(fold), values_(std::move(values)) {
        if (fold_)
            std::ranges::for_each(values_,
                                  [](auto& value) { value = sluice::detail::to_lower(value); });
        std::ranges::sort(values_);
        values_.erase(std::ranges::unique(values_).begin(), values_.end());
        for (const std::string& value : values_) longest_ = std::max(longest_, value.size());
        make_keys(seed);
    }

    [[nodiscard]] bool empty() const noexcept { return values_.empty(); }
    /// Returns true if texts are compared without ASCII case.
    [[nodiscard]] bool fold() const noexcept { return fold_; }
    /// Returns true if few() holds all keys; otherwise the table does.
    [[nodiscard]] bool is_few() const noexcept { return is_few_; }
    [[nodiscard]] const few_keys& few() const noexcept { return few_; }
    [[nodiscard]] const key_table& table() const noexcept { return table_; }

    /// Returns true if a row equals a value of the set.
    [[nodiscard]] bool contains(std::string_view row) const {
        if (row.empty() || row.size() > longest_ || !has_key(key_of(row, fold_))) return false;
        return row.size() <= key_whole_max || has_text(row);
    }
    /// Returns true if a value has this key: it decides for keys of texts of up to 12 bytes.
    [[nodiscard]] bool has_key(const text_key& key) const noexcept {
        if (!is_few_) return table_.contains(key);
        bool has_match = false;
        for (std::size_t i = 0; i < few_.count; ++i) has_match |= few_.keys[i] == key;
        return has_match;
    }
    /// Returns true if a row equals a value, by comparing all bytes. Call it for rows of more than
    /// 12 bytes whose key the set has.
    [[nodiscard]] bool has_text(std::string_view row) const {
        if (fold_) return std::ranges::binary_search(values_, sluice::detail::to_lower(row));
        return std::ranges::binary_search(values_, row, std::less<>{});
    }

private:
    /// Computes the keys of the values, sorted by length, into few_ or table_.
    void make_keys(hash_seed seed) {
        std::vector<text_key> keys;
        for (const std::string& value : values_) keys.push_back(key_of(value, fold_));
        const auto size_of = [](const text_key& key) { return key.first & 0xFFFF'FFFFU; };
        std::ranges::sort(keys, [&](const text_key& a, const text_key& b) {
            return size_of(a) != size_of(b)
                       ? size_of(a) < size_of(b)
                       : std::pair(a.first, a.second) < std::pair(b.first, b.second);
        });
        keys.erase(std::ranges::unique(keys).begin(), keys.end());
        is_few_ = keys.size() <= few_keys_max;
        if (!is_few_) {
            table_ = key_table(keys, seed);
            return;
        }
        std::ranges::copy(keys, few_.keys.begin());
        const auto up_to = [&](std::size_t size) {
            return static_cast<std::size_t>(
                std::ranges::count_if(keys, [&](const auto& key) { return size_of(key) <= size; }));
        };
        few_.heads = up_to(4);
        few_.whole = up_to(key_whole_max);
        few_.count = keys.size();
        few_.fold = fold_;
    }

    bool fold_ = false;
    bool is_few_ = true;
    std::size_t longest_ = 0;
    std::vector<std::string> values_;
    few_keys few_;
    key_table table_;
};

}  // namespace detail

/// A filter with its collation, prepared for many rows; it returns the same results as
/// filter::matches(). Owns its data.
///
/// ```
/// const row_filter wanted(*sluice::parse_filter("-US,CA"), sluice::collation::ignore_case);
/// wanted.passes("us");          // false
/// wanted.passes(std::nullopt);  // true: an exclusion keeps what is absent
/// ```
class row_filter {
public:
    /// Copies the values of a filter. If untrusted clients choose them, pass a `seed` that they
    /// can't know; see hash_seed.
    row_filter(const filter& wanted, collation how, hash_seed seed = hash_seed::of_process())
        : matcher_(wanted.values(), how, seed),
          is_empty_(wanted.empty()),
          excludes_(wanted.excludes()) {
        if (record_of(how).part) return;
        std::vector<std::string> texts;
        for (const std::string_view value : wanted.values()) texts.emplace_back(value);
        whole_.emplace(std::move(texts), record_of(how).ignores_case, seed);
    }

    /// Returns true if the filter is empty: every row passes.
    [[nodiscard]] bool empty() const noexcept { return is_empty_; }
    [[nodiscard]] bool excludes() const noexcept { return excludes_; }

    /// Returns true if a row's text equals any value.
    [[nodiscard]] bool matches_any_value(std::string_view row) const noexcept {
        return matcher_.contains(row);
    }
    /// Returns true if a row passes; nullopt is a row without a value.
    [[nodiscard]] bool passes(std::optional<std::string_view> row) const {
        return is_empty_ || (row && matches_any_value(*row)) != excludes_;
    }

    /// Returns the values, if the collation compares whole texts and not parts of them; otherwise
    /// null.
    [[nodiscard]] const detail::key_set* whole_texts() const noexcept {
        return whole_ ? &*whole_ : nullptr;
    }

private:
    filter_matcher matcher_;
    bool is_empty_;
    bool excludes_;
    std::optional<detail::key_set> whole_;
};

}  // namespace sluice::arrow

#endif
