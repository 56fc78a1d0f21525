// SPDX-License-Identifier: MIT
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <sluice/base/unicode.hpp>

using namespace sluice::detail;
using namespace std::string_literals;
using namespace std::string_view_literals;

static_assert(decode_utf8("\xF0\x9F\x98\x80", 0) == decoded_utf8{0x1F600, 4, true});
static_assert(is_valid_utf8("\xE2\x82\xAC") && !is_valid_utf8("\xE2\x82"));
static_assert(utf16_length("\xF0\x9F\x98\x80!") == 3);

namespace {

constexpr std::string_view fffd = "\xEF\xBF\xBD";

std::string times(std::string_view part, int count) {
    std::string whole;
    for (int i = 0; i < count; ++i) whole += part;
    return whole;
}

std::string encoded(char32_t code_point) {
    std::string bytes;
    append_utf8(bytes, code_point);
    return bytes;
}

bool is_scalar_value(char32_t code_point) {
    return code_point < 0xD800 || (code_point > 0xDFFF && code_point <= 0x10FFFF);
}

// Bytes at and beside every boundary of the UTF-8 table.
constexpr std::string_view boundary_bytes =
    "\x00\x41\x7F\x80\x8F\x90\x9F\xA0\xBF\xC0\xC1\xC2\xDF"
    "\xE0\xE1\xEC\xED\xEE\xEF\xF0\xF1\xF3\xF4\xF5\xFF"sv;

// Calls `visit` with every text of `size` boundary bytes, in the order of the bytes above.
template <class Visit>
void for_each_text(std::size_t size, std::string& text, const Visit& visit) {
    if (text.size() == size) return visit(std::string_view(text));
    for (const char byte : boundary_bytes) {
        text.push_back(byte);
        for_each_text(size, text, visit);
        text.pop_back();
    }
}

template <class Visit>
void for_each_boundary_text(const Visit& visit) {
    std::string text;
    for (std::size_t size = 0; size <= 4; ++size) for_each_text(size, text, visit);
}

}  // namespace

TEST_CASE("the first code point of a text is decoded with the bytes it takes") {
    struct row {
        std::string_view text;
        decoded_utf8 expected;
    };
    const std::array rows{
        row{"\0"sv, {0, 1, true}},
        row{"A", {'A', 1, true}},
        row{"\x7F", {0x7F, 1, true}},
        row{"\xC2\x80", {0x80, 2, true}},
        row{"\xDF\xBF", {0x7FF, 2, true}},
        row{"\xE0\xA0\x80", {0x800, 3, true}},
        row{"\xED\x9F\xBF", {0xD7FF, 3, true}},
        row{"\xEE\x80\x80", {0xE000, 3, true}},
        row{"\xEF\xBF\xBD", {0xFFFD, 3, true}},
        row{"\xEF\xBF\xBF", {0xFFFF, 3, true}},
        row{"\xF0\x90\x80\x80", {0x10000, 4, true}},
        row{"\xF4\x8F\xBF\xBF", {0x10FFFF, 4, true}},
        row{"\x80", {0xFFFD, 1, false}},
        row{"\xC0\x80", {0xFFFD, 1, false}},
        row{"\xC2", {0xFFFD, 1, false}},
        row{"\xC2z", {0xFFFD, 1, false}},
        row{"\xE0\x9F\xBF", {0xFFFD, 1, false}},
        row{"\xE2\x82", {0xFFFD, 2, false}},
        row{"\xE2\x82z", {0xFFFD, 2, false}},
        row{"\xED\xA0\x80", {0xFFFD, 1, false}},
        row{"\xF0\x8F\xBF\xBF", {0xFFFD, 1, false}},
        row{"\xF1\x80", {0xFFFD, 2, false}},
        row{"\xF1\x80\x80", {0xFFFD, 3, false}},
        row{"\xF1\x80\x80\xC0", {0xFFFD, 3, false}},
        row{"\xF4\x90\x80\x80", {0xFFFD, 1, false}},
        row{"\xF5\x80\x80\x80", {0xFFFD, 1, false}},
        row{"\xFF", {0xFFFD, 1, false}},
    };
    for (const row& r : rows) {
        CAPTURE(r.text);
        const decoded_utf8 actual = decode_utf8(r.text, 0);
        CHECK(actual.code_point == r.expected.code_point);
        CHECK(actual.size == r.expected.size);
        CHECK(actual.is_well_formed == r.expected.is_well_formed);
        CHECK(decode_utf8("ab" + std::string(r.text), 2) == r.expected);
    }
}

TEST_CASE("each maximal ill-formed subpart becomes one U+FFFD") {
    struct row {
        std::string_view text;
        std::string expected;
    };
    const std::array rows{
        row{"", ""},
        row{"plain", "plain"},
        row{"a\0b"sv, "a\0b"s},
        row{"\xEF\xBB\xBFmark", "\xEF\xBB\xBFmark"},      // a byte order mark stays
        row{"\xC0\xAF", times(fffd, 2)},                  // overlong '/'
        row{"\xE0\x80\xAF", times(fffd, 3)},              // overlong '/'
        row{"\xF0\x80\x80\xAF", times(fffd, 4)},          // overlong '/'
        row{"\xED\xA0\x80\xED\xB0\x80", times(fffd, 6)},  // a surrogate pair
        row{"\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42",       // Unicode 15, table 3-10
            times(fffd, 5) + "A" + times(fffd, 2) + "B"},
        row{"\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", times(fffd, 4) + "A"},  // table 3-11
        row{"\xF8\x88\x80\x80\x80", times(fffd, 5)},                        // no five-byte form
        row{"\xE2\x82\xAC\xE2\x82", "\xE2\x82\xAC" + times(fffd, 1)},
        row{"x\xF0\x9F\x98", "x" + times(fffd, 1)},
    };
    for (const row& r : rows) {
        CAPTURE(r.expected);
        CHECK(to_valid_utf8(r.text) == r.expected);
        CHECK(is_valid_utf8(r.text) == (r.text == r.expected));
    }
}

TEST_CASE("every scalar value survives a round trip and nothing else is encoded") {
    bool all = true;
    for (char32_t c = 0; c <= 0x110001; ++c) {
        const std::string bytes = encoded(c);
        const decoded_utf8 back = decode_utf8(bytes, 0);
        const char32_t expected = is_scalar_value(c) ? c : replacement_character;
        all = all && back == decoded_utf8{expected, bytes.size(), true};
    }
    CHECK(all);
    CHECK(encoded(0xFFFFFFFF) == fffd);
}

TEST_CASE("the three-byte texts that decode to a code point are those that encode one") {
    std::size_t well_formed = 0;
    bool all = true;
    for (unsigned value = 0; value < 0x1000000; ++value) {
        const std::array bytes{static_cast<char>(value >> 16), static_cast<char>(value >> 8),
                               static_cast<char>(value)};
        const std::string_view text(bytes.data(), bytes.size());
        const decoded_utf8 step = decode_utf8(text, 0);
        if (step.size != 3 || !step.is_well_formed) continue;
        ++well_formed;
        all = all && encoded(step.code_point) == text;
    }
    CHECK(all);
    CHECK(well_formed == 0x10000 - 0x800 - 0x800);  // less the surrogates and the shorter forms
}

// The expected values come from walking the same texts through two other decoders, which agree:
// ECMAScript's TextDecoder and Python's bytes.decode('utf-8', 'replace').
TEST_CASE("all short texts of boundary bytes decode as WHATWG's decoder does") {
    std::uint64_t hash =
        0xCBF29CE484222325;  // FNV-1a over the outputs, each followed by a line feed
    std::size_t units = 0;
    std::size_t valid = 0;
    for_each_boundary_text([&](std::string_view text) {
        for (const char byte : to_valid_utf8(text) + "\n") {
            hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001B3;
        }
        units += utf16_length(text);
        valid += is_valid_utf8(text) ? 1 : 0;
    });
    CHECK(hash == 0xC3C6047A88B81D37);
    CHECK(units == 1'480'402);
    CHECK(valid == 2'581);
}

TEST_CASE("a text made valid is valid and stays as it is") {
    bool all = true;
    for_each_boundary_text([&](std::string_view text) {
        const std::string valid = to_valid_utf8(text);
        all = all && is_valid_utf8(valid) && to_valid_utf8(valid) == valid &&
              utf16_length(valid) == utf16_length(text) && is_valid_utf8(text) == (valid == text);
    });
    CHECK(all);
}

TEST_CASE("lengths are counted in UTF-16 code units") {
    CHECK(utf16_length("") == 0);
    CHECK(utf16_length("abc") == 3);
    CHECK(utf16_length("\xC3\xA9\xE2\x82\xAC") == 2);
    CHECK(utf16_length("\xF0\x9F\x98\x80") == 2);
    CHECK(utf16_length("\xF0\x9F\x98") == 1);
    CHECK(utf16_length("\x80\x80") == 2);
}
