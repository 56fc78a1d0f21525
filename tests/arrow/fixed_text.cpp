// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/arrow/fixed_text.hpp>

#include "make_array.hpp"

using namespace sluice;
using arrow_test::at_every_level;
using arrow_test::to_bools;

namespace {

const std::vector<std::string> texts{"",
                                     "a",
                                     "A",
                                     "US-CA",
                                     "abcdefgh",
                                     "abcdefghi",
                                     "abcdefghijkl",
                                     "abcdefghijklm",
                                     "abcDefghijklm",
                                     "abcdefgXijklm",
                                     std::string("a\0b", 3),
                                     std::string(64, 'x')};

/// Rows of exactly `width` units each, in a block of its own.
template <class Unit>
std::vector<Unit> lay_out(const std::vector<std::basic_string<Unit>>& rows, std::size_t width) {
    std::vector<Unit> laid(rows.size() * width);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        std::ranges::copy(rows[i], laid.begin() + static_cast<std::ptrdiff_t>(i * width));
    }
    return laid;
}

void check_mask(const arrow::fixed_text& text, const std::vector<std::string>& rows,
                const filter& wanted, collation how) {
    std::vector<bool> expected;
    for (const std::string& row : rows) expected.push_back(wanted.matches(row, how));
    at_every_level([&] {
        const auto mask = arrow::fixed_mask(text, arrow::row_filter(wanted, how));
        REQUIRE(mask);
        CHECK(to_bools(*mask) == expected);
    });
}

}  // namespace

TEST_CASE("fixed rows of bytes and of UTF-32 are what filter::matches says") {
    std::mt19937 random(1);
    for (const std::size_t count : {0U, 1U, 17U, 1'024U, 1'500U}) {
        std::vector<std::string> rows;
        std::vector<std::u32string> wide;
        for (std::size_t i = 0; i < count; ++i) {
            rows.push_back(texts[random() % texts.size()]);
            wide.emplace_back(rows.back().begin(), rows.back().end());
        }
        const auto bytes = lay_out<char>(rows, 64);
        const auto units = lay_out<char32_t>(wide, 64);
        std::vector<std::string_view> many(texts.begin() + 1, texts.end());
        for (const filter& wanted :
             {filter(), filter({"a"}), filter({"abcdefghijklm"}, true),
              filter(std::span<const std::string_view>(many)), filter({"CA", "abcdefgh"})}) {
            for (const collation how :
                 {collation::exact, collation::ignore_case, collation::subdivision}) {
                check_mask({bytes.data(), count, 64, 1}, rows, wanted, how);
                check_mask({reinterpret_cast<const char*>(units.data()), count, 64, 4}, rows,
                           wanted, how);
            }
        }
    }
}

TEST_CASE("UTF-32 becomes UTF-8, and what is no character U+FFFD for each byte") {
    const std::string lost = "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD";
    const std::vector<std::u32string> wide{{0x7F},    {0x80},     {0x7FF},  {0x800},  {0xFFFF},
                                           {0x10000}, {0x10FFFF}, {0xD800}, {0xDFFF}, {0x110000}};
    const std::vector<std::string> rows{"\x7F",
                                        "\xC2\x80",
                                        "\xDF\xBF",
                                        "\xE0\xA0\x80",
                                        "\xEF\xBF\xBF",
                                        "\xF0\x90\x80\x80",
                                        "\xF4\x8F\xBF\xBF",
                                        lost,
                                        lost,
                                        lost};
    const auto units = lay_out<char32_t>(wide, 1);
    for (const std::string& value : rows) {
        check_mask({reinterpret_cast<const char*>(units.data()), rows.size(), 1, 4}, rows,
                   filter({value}), collation::exact);
    }
}

TEST_CASE("rows without width are empty, and rows too wide are refused") {
    check_mask({nullptr, 3, 0, 1}, {"", "", ""}, filter({"a"}, true), collation::exact);
    const auto refused =
        arrow::fixed_mask({nullptr, 1, std::size_t{1} << 31, 4}, {filter({"a"}), collation::exact});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == arrow::fault::unsupported);
    CHECK(refused.error().what == "rows that are too wide");
}
