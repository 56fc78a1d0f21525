// SPDX-License-Identifier: MIT
#include <algorithm>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include <sluice/base/ascii.hpp>

using namespace sluice::detail;

TEST_CASE("texts of any size and bytes compare as their bytes one by one do") {
    std::mt19937 random(17);
    const auto is_same = [](char a, char b) { return to_lower(a) == to_lower(b); };
    for (std::size_t size = 0; size < 40; ++size) {
        for (int times = 0; times < 2'000; ++times) {
            std::string a(size, 'x');
            for (char& byte : a) byte = static_cast<char>(random());
            std::string b = a;
            for (auto changes = random() % 3; changes > 0 && size > 0; --changes) {
                b[random() % size] ^= static_cast<char>(random() % 2 == 0 ? 0x20 : random());
            }
            CHECK(equal_bytes(a, b) == std::equal(a.begin(), a.end(), b.begin(), b.end()));
            CHECK(equal_ignoring_case(a, b) ==
                  std::equal(a.begin(), a.end(), b.begin(), b.end(), is_same));
            CHECK(!equal_bytes(a, b + "x"));
        }
    }
}

TEST_CASE("every byte has one lower case, alone and in a word") {
    for (int byte = 0; byte < 256; ++byte) {
        const auto lower = static_cast<unsigned char>(to_lower(static_cast<char>(byte)));
        const std::uint64_t word = repeated(static_cast<std::uint8_t>(byte));
        CHECK(to_lower_bytes(word) == repeated(lower));
    }
    static_assert(equal_ignoring_case("Content-Type: text", "content-type: TEXT"));
    static_assert(!equal_ignoring_case("@", "`"));
}

TEST_CASE("every byte is a letter, a digit, white space or none of them") {
    const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    for (int value = 0; value < 256; ++value) {
        CAPTURE(value);
        const auto byte = static_cast<char>(value);
        CHECK(is_letter(byte) == (letters.find(byte) != letters.npos));
        CHECK(is_digit(byte) == (std::string("0123456789").find(byte) != std::string::npos));
        CHECK(is_space(byte) == (white_space.find(byte) != white_space.npos));
    }
    CHECK(white_space == " \t\r\n");
}

TEST_CASE("a copy of any size is the same text") {
    const std::string from = "0123456789abcdefghijklmnopqrstuvwxyz";
    for (std::size_t size = 0; size <= from.size(); ++size) {
        std::string to(from.size() + 1, '.');
        copy_words(to.data(), from.data(), size);
        CHECK(to == from.substr(0, size) + std::string(to.size() - size, '.'));
    }
}

TEST_CASE("a word has a byte where one of its bytes is that byte") {
    std::mt19937_64 random(19);
    for (int times = 0; times < 20'000; ++times) {
        const std::uint64_t word = random() & random();
        const auto wanted = static_cast<unsigned char>(random() % 4);
        bool is_found = false;
        for (int shift = 0; shift < 64; shift += 8) is_found |= ((word >> shift) & 0xFF) == wanted;
        CHECK(has_byte(word, static_cast<char>(wanted)) == is_found);
    }
}
