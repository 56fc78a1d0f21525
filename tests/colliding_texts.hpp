// SPDX-License-Identifier: MIT
#ifndef TESTS_COLLIDING_TEXTS_HPP
#define TESTS_COLLIDING_TEXTS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/base/text_hasher.hpp>

/// Texts that anybody can choose so that they meet in a hash table whose hash has no seed, for two
/// common kinds of hashes.
namespace colliding_texts {

inline constexpr std::uint64_t golden = 0x9E37'79B9'7F4A'7C15U;

inline std::uint64_t word_at(std::string_view text, std::size_t at) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, sizeof word);
    return word;
}

/// A product of two words of the text, folded, as is the next one: those from `at` on.
inline std::uint64_t folded_product(std::uint64_t hash, std::string_view text, std::size_t at) {
    return sluice::detail::text_hasher::mix_by_halves(
        word_at(text, at) ^ golden ^ hash, word_at(text, at + 8) ^ 0xD1B5'4A32'D192'ED03U);
}

/// The hash of a text of 32, 48, … bytes that is made of folded products.
inline std::uint64_t hash_by_products(std::string_view text) {
    std::uint64_t hash = text.size() * golden;
    for (std::size_t at = 0; at < text.size(); at += 16) hash = folded_product(hash, text, at);
    return hash;
}

/// The hash of a text of 16, 24, … bytes that is made of one product a word.
inline std::uint64_t hash_by_words(std::string_view text) {
    std::uint64_t hash = text.size();
    for (std::size_t at = 0; at < text.size(); at += 8) {
        hash = (hash ^ word_at(text, at)) * golden;
        hash ^= hash >> 32;
    }
    return hash;
}

inline bool is_plain(char byte) { return byte > ' ' && byte <= '~' && byte != '"' && byte != '\\'; }

/// Printable texts of `size` bytes, 32, 48, …, whose hash by products is 0: the last word but one
/// makes the last product 0, whatever the last word.
inline std::vector<std::string> by_products(std::size_t count, std::size_t size) {
    std::mt19937_64 random(1);
    std::string prefix(size - 8, 'x');
    do {
        for (char& byte : prefix) byte = static_cast<char>('a' + random() % 26);
        std::uint64_t hash = size * golden;
        for (std::size_t at = 0; at + 16 < size; at += 16) hash = folded_product(hash, prefix, at);
        hash ^= golden;
        std::memcpy(prefix.data() + size - 16, &hash, sizeof hash);
    } while (!std::ranges::all_of(prefix, is_plain));
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < count; ++i)
        texts.push_back(prefix + std::to_string(10'000'000 + i));
    return texts;
}

/// Texts of 16 bytes, any of them, whose hash by words is the same.
inline std::vector<std::string> by_words(std::size_t count) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < count; ++i) {
        std::uint64_t hash = (16 ^ i) * golden;
        hash ^= hash >> 32;
        std::string text(16, '\0');
        std::memcpy(text.data(), &i, sizeof i);
        std::memcpy(text.data() + 8, &hash, sizeof hash);
        texts.push_back(std::move(text));
    }
    return texts;
}

/// Returns `count` random texts of a size.
inline std::vector<std::string> at_random(std::size_t count, std::size_t size) {
    std::mt19937_64 random(2);
    std::vector<std::string> texts(count, std::string(size, ' '));
    for (std::string& text : texts) {
        for (char& byte : text) byte = static_cast<char>('a' + random() % 26);
    }
    return texts;
}

}  // namespace colliding_texts

#endif
