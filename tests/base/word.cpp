// SPDX-License-Identifier: MIT
#include <cstddef>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <sluice/base/word.hpp>

using sluice::detail::has_byte;

TEST_CASE("a byte is found wherever it is in a text of any size, and nowhere around it") {
    for (std::size_t size = 0; size <= 130; ++size) {
        CAPTURE(size);
        // Neighbours of the byte, which differ from it in a bit or by one, and the byte outside.
        for (const char other : {'a', '[', ']', '\xDC', '\0'}) {
            std::string text = "\\" + std::string(size, other) + "\\";
            const std::string_view inner = std::string_view(text).substr(1, size);
            CHECK_FALSE(has_byte(inner, '\\'));
            for (std::size_t at = 0; at < size; ++at) {
                text[1 + at] = '\\';
                CHECK(has_byte(inner, '\\'));
                text[1 + at] = other;
            }
        }
    }
}
