// SPDX-License-Identifier: MIT
#ifndef SLUICE_BASE_TEXT_HASHER_HPP
#define SLUICE_BASE_TEXT_HASHER_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <sluice/base/word.hpp>

/// Hashes of texts by a secret seed, for hash tables.
namespace sluice {

/// The seed of text hashes. Clients who know it can choose texts with equal hashes, which slow hash
/// tables down. Results don't depend on it.
///
/// Programs that serve untrusted clients draw one at their start with `random_hash_seed()`. Tests
/// fix one: `hash_seed{7}`.
struct hash_seed {
    std::uint64_t value = 0;

    /// Default of everything that takes a seed: an address of the program, which differs between
    /// processes unless address-space randomisation (ASLR) is off.
    [[nodiscard]] static hash_seed of_process() noexcept {
        static constexpr char somewhere = 0;
        return {reinterpret_cast<std::uintptr_t>(&somewhere)};
    }

    friend constexpr bool operator==(const hash_seed&, const hash_seed&) = default;
};

namespace detail {

/// Hashes texts to 64 bits, 16 bytes a step. Each factor contains a part of the seed, so that no
/// text by itself makes a product 0, and nobody who doesn't know the seed can choose texts that
/// collide, as far as a multiplication can ensure that: this is not a cryptographic hash. For a
/// seed and a text it is the same on every machine: words are little-endian.
///
/// ```
/// "https://go.example.com/a"      size 24
///  [ 8    ][ 8    ]               a step: hash = mix(word ^ first, word ^ hash)
///                  [ 8    ]       the end, up to 16 bytes, by words that overlap
/// ```
///
/// The constants are those of SplitMix64, xxHash and wyhash, with about half of their bits set; any
/// such number would do.
class text_hasher {
public:
    explicit constexpr text_hasher(hash_seed seed = hash_seed::of_process()) noexcept
        : first_(mix(seed.value ^ 0x9E37'79B9'7F4A'7C15U, 0xD6E8'FEB8'6659'FD93U)),
          second_(mix(seed.value ^ 0xC2B2'AE3D'27D4'EB4FU, 0xA076'1D64'78BD'642FU)) {}

    [[nodiscard]] std::uint64_t operator()(std::string_view text) const noexcept {
        return (*this)(text, [](std::uint64_t word) { return word; });
    }
    /// Returns the hash of a text after `map` has been applied to its words, such as
    /// to_lower_bytes(). It has to map each byte by itself, and 0 to 0.
    template <class Map>
    [[nodiscard]] std::uint64_t operator()(std::string_view text, Map map) const noexcept {
        const auto word = [map](const char* at) { return map(load_little<std::uint64_t>(at)); };
        const auto half = [map](const char* at) { return map(load_little<std::uint32_t>(at)); };
        const auto byte = [map](const char* at) { return map(load_little<std::uint8_t>(at)); };
        const char* at = text.data();
        std::size_t left = text.size();
        std::uint64_t hash = second_;
        for (; left > 16; left -= 16, at += 16) hash = step(hash, word(at), word(at + 8));
        const auto end = [&](std::uint64_t a, std::uint64_t b) {
            return finish(step(hash, a, b), text.size());
        };
        if (left >= 8) return end(word(at), word(at + left - 8));
        if (left >= 4) return end(half(at), half(at + left - 4));
        if (left == 0) return end(0, 0);
        return end(byte(at), byte(at + left / 2) << 8 | byte(at + left - 1));
    }

    /// Returns the upper half of a 128-bit product XOR its lower half, like mix(), but without a
    /// type of 128 bits: schoolbook multiplication of 32-bit digits.
    static constexpr std::uint64_t mix_by_halves(std::uint64_t a, std::uint64_t b) noexcept {
        constexpr std::uint64_t low = 0xFFFF'FFFF;
        const std::uint64_t least = (a & low) * (b & low);
        const std::uint64_t inner = (a >> 32) * (b & low) + (least >> 32);
        const std::uint64_t outer = (a & low) * (b >> 32) + (inner & low);
        const std::uint64_t most = (a >> 32) * (b >> 32) + (inner >> 32) + (outer >> 32);
        return most ^ (outer << 32 | (least & low));
    }

private:
    /// Returns the upper half of a 128-bit product XOR its lower half, so that every bit of both
    /// factors counts.
    static constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) noexcept {
#ifdef __SIZEOF_INT128__
        __extension__ using product = unsigned __int128;
        const product both = static_cast<product>(a) * b;
        return static_cast<std::uint64_t>(both) ^ static_cast<std::uint64_t>(both >> 64);
#else
        return mix_by_halves(a, b);
#endif
    }

    /// Mixes the next 16 bytes of a text, as two words, into the hash.
    [[nodiscard]] constexpr std::uint64_t step(std::uint64_t hash, std::uint64_t a,
                                               std::uint64_t b) const noexcept {
        return mix(a ^ first_, b ^ hash);
    }
    /// Mixes in the size, last: no bytes of a text can undo that. Without it "a" and "aa" would
    /// have the same hash.
    [[nodiscard]] constexpr std::uint64_t finish(std::uint64_t hash,
                                                 std::uint64_t size) const noexcept {
        return mix(hash ^ first_, size ^ second_ ^ 0x9E37'79B9'7F4A'7C15U);
    }

    std::uint64_t first_;   // from the seed: part of every step
    std::uint64_t second_;  // from the seed: the hash before the first step
};

}  // namespace detail

}  // namespace sluice

#endif
