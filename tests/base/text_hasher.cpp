// SPDX-License-Identifier: MIT
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/base/ascii.hpp>
#include <sluice/base/random_hash_seed.hpp>
#include <sluice/base/text_hasher.hpp>

#include "../colliding_texts.hpp"

using sluice::hash_seed;
using sluice::detail::text_hasher;

namespace {

const text_hasher hasher(hash_seed{7});

std::string random_text(std::mt19937_64& random, std::size_t size) {
    std::string text(size, '\0');
    for (char& byte : text) byte = static_cast<char>(random());
    return text;
}

std::string flipped(std::string text, std::size_t bit) {
    text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << bit % 8));
    return text;
}

/// Returns the chi-square of the hashes over 256 places: about 255 on average, and below 380 but
/// for one set in a million.
template <class Hash>
double chi_square(const std::vector<std::string>& texts, const Hash& hash, int shift) {
    std::array<double, 256> counts{};
    for (const std::string& text : texts) ++counts[hash(text) >> shift & 0xFF];
    const double expected = static_cast<double>(texts.size()) / 256;
    double sum = 0;
    for (const double count : counts) sum += (count - expected) * (count - expected) / expected;
    return sum;
}

template <class Hash>
void check_even(const std::vector<std::string>& texts, const Hash& hash) {
    for (const int shift : {0, 8, 16, 24, 32, 40, 48, 56}) {
        CAPTURE(shift);
        CHECK(chi_square(texts, hash, shift) < 380);
    }
}

template <class Hash>
std::size_t distinct(const std::vector<std::string>& texts, const Hash& hash) {
    std::set<std::uint64_t> hashes;
    for (const std::string& text : texts) hashes.insert(hash(text));
    return hashes.size();
}

}  // namespace

TEST_CASE("a change of one bit changes about half of the hash, at every length") {
    std::mt19937_64 random(1);
    for (std::size_t size = 1; size <= 64; ++size) {
        CAPTURE(size);
        std::array<int, 64> flips{};  // by bit of the hash
        int changed = 0;
        int count = 0;
        for (int i = 0; i < 40; ++i) {
            const std::string text = random_text(random, size);
            for (std::size_t bit = 0; bit < size * 8; ++bit, ++count) {
                const std::uint64_t change = hasher(text) ^ hasher(flipped(text, bit));
                REQUIRE(change != 0);
                changed += std::popcount(change);
                for (std::size_t at = 0; at < 64; ++at) flips[at] += change >> at & 1 ? 1 : 0;
            }
        }
        CHECK(std::abs(static_cast<double>(changed) / count - 32) < 1);
        for (const int flip_count : flips)
            CHECK(std::abs(static_cast<double>(flip_count) / count - 0.5) < 0.15);
    }
}

TEST_CASE("texts of zeros differ by their length, and from those with one bit set") {
    std::set<std::uint64_t> hashes;
    std::size_t texts = 0;
    for (std::size_t size = 0; size <= 64; ++size) {
        const std::string zeros(size, '\0');
        hashes.insert(hasher(zeros));
        for (std::size_t bit = 0; bit < size * 8; ++bit) hashes.insert(hasher(flipped(zeros, bit)));
        texts += 1 + size * 8;
    }
    CHECK(hashes.size() == texts);
}

TEST_CASE("no byte makes up for another length") {
    // Where the size is mixed into a word, "ab" and "abc" meet whatever the seed: 'c' is 'b' ^ 1.
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const text_hasher other(hash_seed{seed});
        std::set<std::uint64_t> hashes;
        for (std::size_t size = 0; size <= 64; ++size) {
            for (std::size_t changed = 0; changed <= size; ++changed) {
                std::string text(size, 'b');
                if (changed < size) text[changed] = static_cast<char>('b' ^ (size + 1) ^ size);
                hashes.insert(other(text));
            }
        }
        REQUIRE(hashes.size() == 65 * 66 / 2);
    }
}

TEST_CASE("hashes spread evenly over places, by any of their bytes") {
    std::vector<std::string> numbered, padded, zeros;
    for (int i = 0; i < 65'536; ++i) {
        numbered.push_back("key_" + std::to_string(i));
        padded.push_back(std::to_string(i) + std::string(40, ' '));
        zeros.push_back(std::string(static_cast<std::size_t>(i % 256), '\0') +
                        static_cast<char>(1 + i / 256));
    }
    check_even(numbered, hasher);
    check_even(padded, hasher);
    check_even(zeros, hasher);
}

TEST_CASE("a hash reads the text and nothing beside it") {
    const std::string text = "a text between two others, longer than a step and than the one after";
    for (std::size_t size = 0; size <= text.size(); ++size) {
        const std::string copy = text.substr(0, size);
        CHECK(hasher(copy) == hasher(std::string_view(text).substr(0, size)));
    }
}

TEST_CASE("a mapped hash is that of the mapped text") {
    std::mt19937_64 random(3);
    for (std::size_t size = 0; size <= 64; ++size) {
        for (int i = 0; i < 50; ++i) {
            const std::string text = random_text(random, size);
            CHECK(hasher(text, sluice::detail::to_lower_bytes) ==
                  hasher(sluice::detail::to_lower(text)));
        }
    }
}

TEST_CASE("another seed gives other hashes") {
    std::vector<std::string> texts;
    for (int i = 0; i < 65'536; ++i) texts.push_back("key_" + std::to_string(i));
    for (const std::uint64_t seed : {0ULL, 1ULL, 6ULL, 8ULL, 1ULL << 63}) {
        const text_hasher other(hash_seed{seed});
        check_even(texts, [&](std::string_view text) { return hasher(text) ^ other(text); });
    }
    CHECK(sluice::random_hash_seed() != sluice::random_hash_seed());
    CHECK(hash_seed::of_process() == hash_seed::of_process());
}

TEST_CASE("texts that meet where a hash has no seed don't meet here") {
    const auto products = colliding_texts::by_products(65'536, 64);
    const auto words = colliding_texts::by_words(65'536);
    REQUIRE(distinct(products, colliding_texts::hash_by_products) == 1);
    REQUIRE(distinct(words, colliding_texts::hash_by_words) == 1);
    for (const std::uint64_t seed : {0ULL, 1ULL, 0x9E37'79B9'7F4A'7C15ULL}) {
        const text_hasher other(hash_seed{seed});
        CHECK(distinct(products, other) == products.size());
        CHECK(distinct(words, other) == words.size());
        check_even(products, other);
        check_even(words, other);
        const auto lowered = [&](std::string_view text) {
            return other(text, sluice::detail::to_lower_bytes);
        };
        CHECK(distinct(words, lowered) > words.size() / 2);  // some differ by their case alone
    }
}

TEST_CASE("no texts meet by their own zeros: the seed is in each factor") {
    // Where a word is a factor as it stands, one of zeros makes all others vanish.
    std::mt19937_64 random(5);
    for (std::size_t zero = 0; zero < 64; zero += 8) {
        std::vector<std::string> texts;
        for (int i = 0; i < 4'096; ++i) {
            texts.push_back(random_text(random, 64));
            texts.back().replace(zero, 8, 8, '\0');
        }
        for (const std::uint64_t seed : {0ULL, 1ULL}) {
            CHECK(distinct(texts, text_hasher(hash_seed{seed})) == texts.size());
        }
    }
}

// Cursors, marks and entity tags are made of it, which outlive a process.
TEST_CASE("hashes of one seed are the same on every machine and of every version") {
    const std::string_view text = "The quick brown fox jumps over the lazy dog\xFF\x80!";
    const struct {
        std::size_t size;
        std::uint64_t seed, hash;
    } table[] = {
        {0, 7, 0xF251'EAB2'A51E'B7F5},      {1, 7, 0x93FC'6EBA'9088'D8BF},
        {2, 7, 0xC839'1157'79B4'81B0},      {3, 0, 0xF1FF'601B'8B68'6B85},
        {3, 7, 0x3E91'1C05'32DD'4D49},      {3, ~0ULL, 0xB1DB'BDD3'2F4D'35FF},
        {4, 7, 0x9BA0'C8D8'03C5'031F},      {7, 7, 0x1A92'03C1'899D'D3B3},
        {8, 7, 0x7273'6DEF'80E6'4E0C},      {9, 7, 0x6236'77E3'E258'5263},
        {15, 7, 0xE011'7A34'EC66'7CD5},     {16, 7, 0xE36A'5D8D'6DD4'4BB2},
        {17, 7, 0xF543'F46B'97C3'592C},     {24, 7, 0x3401'7B6C'F5E5'FD7F},
        {32, 7, 0x38D7'1BEC'F578'793C},     {33, 7, 0xB4DF'EF08'2398'DA10},
        {46, 0, 0x203D'5836'DD6C'7065},     {46, 7, 0x3D8A'9909'5070'0BF0},
        {46, ~0ULL, 0x7A1C'74CF'C3B3'4FC8},
    };
    for (const auto& [size, seed, hash] : table) {
        CAPTURE(size);
        CAPTURE(seed);
        CHECK(text_hasher(hash_seed{seed})(text.substr(0, size)) == hash);
    }
}

TEST_CASE("words of 64 bits are multiplied by halves as by one product") {
    std::mt19937_64 random(11);
    constexpr std::uint64_t ends[] = {0, 1, 0xFFFF'FFFF, 0x1'0000'0000, ~std::uint64_t{0}};
    const std::pair<std::uint64_t, std::uint64_t> known[] = {
        {0x0123'4567'89AB'CDEF, 0xFEDC'BA98'7654'3210},
        {0x9E37'79B9'7F4A'7C15, 0xD6E8'FEB8'6659'FD93}};
    CHECK(text_hasher::mix_by_halves(known[0].first, known[0].second) == 0x2317'228F'4816'5BB2);
    CHECK(text_hasher::mix_by_halves(known[1].first, known[1].second) == 0xC9D8'74CA'57D9'E055);
    CHECK(text_hasher::mix_by_halves(~std::uint64_t{0}, ~std::uint64_t{0}) == ~std::uint64_t{0});
    for (const std::uint64_t a : ends) {
        CHECK(text_hasher::mix_by_halves(a, 0) == 0);
        CHECK(text_hasher::mix_by_halves(a, 1) == a);
        const std::uint64_t b = random();
        CHECK(text_hasher::mix_by_halves(a, b) == text_hasher::mix_by_halves(b, a));
    }
#ifdef __SIZEOF_INT128__
    __extension__ using wide = unsigned __int128;
    for (int i = 0; i < 10'000; ++i) {
        const std::uint64_t a = random() >> random() % 64, b = random() >> random() % 64;
        const wide both = static_cast<wide>(a) * b;
        CHECK(text_hasher::mix_by_halves(a, b) ==
              (static_cast<std::uint64_t>(both) ^ static_cast<std::uint64_t>(both >> 64)));
    }
#endif
}
