// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_TEXTS_CODE_CACHE_HPP
#define SLUICE_STORE_TEXTS_CODE_CACHE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <sluice/base/word.hpp>
#include <sluice/store/texts/dictionary.hpp>

namespace sluice::store {

/// A cache of the recent texts' codes in a column, which saves most lookups in its dictionary. A
/// text of up to 16 bytes is its own key:
///
/// ```
/// "EU"            first = 'E', 'U', 'U': the first, middle and last byte   (up to 3 bytes)
/// "Desktop"       first = "Desk", "ktop", which overlap                    (4 to 7)
/// "San Francisco" first = "San Fran", last = "rancisco"                    (8 to 16)
/// ```
///
/// A longer text is compared with the dictionary's. Entries need no hash seed: an entry holds one
/// text, so texts that collide cost a dictionary lookup and no more.
class code_cache {
public:
    /// Returns the code of a text, adding it if needed; see dictionary::encode().
    code encode(dictionary& texts, std::string_view text) {
        const key wanted = key_of(text);
        const entry& cached = entries_[place_of(wanted)];
        const bool is_known = cached.known == wanted && cached.code != absent &&
                              (text.size() <= 16 || texts.text(cached.code) == text);
        if (is_known) return cached.code;
        make_room(wanted);  // may run out of memory, so before the text is added
        const code added = texts.encode(text);
        entries_[place_of(wanted)] = {wanted, added};
        return added;
    }

private:
    struct key {
        std::uint64_t first = 0;
        std::uint64_t last = 0;
        std::size_t size = 0;

        friend bool operator==(const key&, const key&) = default;
    };
    struct entry {
        key known{};
        store::code code = absent;
    };
    static constexpr unsigned first_bits = 1, most_bits = 6;  // of the number of entries

    /// Doubles the entries, which drops them, if another key has the entry of this one.
    void make_room(const key& wanted) {
        if (entries_[place_of(wanted)].code == absent || bits_ == most_bits) return;
        entries_ = std::vector<entry>(2 * entries_.size());
        ++bits_;
    }
    static key key_of(std::string_view text) noexcept {
        key text_key{.size = text.size()};
        if (text.size() < sizeof(text_key.first)) {
            text_key.first = key_of_short(text);
            return text_key;
        }
        text_key.first = sluice::detail::load_word<std::uint64_t>(text.data());
        text_key.last = sluice::detail::load_word<std::uint64_t>(text.data() + text.size() -
                                                                 sizeof(text_key.last));
        return text_key;
    }
    /// Returns the key of a text of less than eight bytes; with its size, unique.
    static std::uint64_t key_of_short(std::string_view text) noexcept {
        if (text.size() >= 4) {
            const std::uint64_t last =
                sluice::detail::load_word<std::uint32_t>(text.data() + text.size() - 4);
            return sluice::detail::load_word<std::uint32_t>(text.data()) << 32 | last;
        }
        if (text.empty()) return 0;
        const auto byte = [&](std::size_t at) -> std::uint64_t {
            return static_cast<unsigned char>(text[at]);
        };
        return byte(0) << 16 | byte(text.size() / 2) << 8 | byte(text.size() - 1);
    }
    /// Returns the index of the only entry that may hold a key.
    [[nodiscard]] std::size_t place_of(const key& of) const noexcept {
        constexpr std::uint64_t odd = 0x9E37'79B9'7F4A'7C15;  // 2^64 / golden ratio: mixes bits
        const std::uint64_t mixed = (of.first ^ (of.last * odd) ^ of.size) * odd;
        return static_cast<std::size_t>(mixed >> (64 - bits_));
    }

    unsigned bits_ = first_bits;
    std::vector<entry> entries_{std::size_t{1} << first_bits};
};

}  // namespace sluice::store

#endif
