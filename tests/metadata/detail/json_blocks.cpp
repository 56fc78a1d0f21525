// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/metadata/detail/json_blocks.hpp>

using namespace sluice::detail;

TEST_CASE("vectors and single bytes find the same bits in texts of any size") {
    std::uint32_t random = 1;
    for (std::size_t size = 0; size <= 200; ++size) {
        std::vector<char> bytes(size);
        for (char& byte : bytes) {
            random = random * 1664525U + 1013904223U;
            constexpr std::string_view frequent = "\"\\:,{}[]";
            const bool is_frequent = (random >> 30) != 0;
            byte = is_frequent ? frequent[(random >> 20) % frequent.size()]
                               : static_cast<char>(random >> 16);
        }
        const std::string_view text(bytes.data(), bytes.size());
        for (std::size_t begin = 0; begin < size; ++begin) {
            CAPTURE(begin);
            REQUIRE(json_block(text, begin) == json_block_scalar(text, begin));
        }
    }
}

TEST_CASE("strings are told from what is between them, across the borders of blocks") {
    for (std::size_t run = 0; run < 140; ++run) {
        // Behind an even run of backslashes the quote closes the string, else the last one does.
        const std::string text = "{\"" + std::string(run, '\\') + "\":[\":[\"}";
        const bool closes = run % 2 == 0;
        json_string_bits strings;
        std::size_t colons = 0;
        std::size_t brackets = 0;
        for (std::size_t at = 0; at < text.size(); at += json_block_size) {
            const auto parts = strings.split(json_block(text, at));
            colons += static_cast<std::size_t>(__builtin_popcountll(parts.colons));
            brackets += static_cast<std::size_t>(__builtin_popcountll(parts.brackets));
        }
        CAPTURE(run);
        CHECK(strings.has_escapes() == (run > 0));
        CHECK(colons == 1);
        CHECK(brackets == (closes ? 3 : 2));
    }
}
