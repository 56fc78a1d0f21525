// SPDX-License-Identifier: MIT
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/arrow/row_filter.hpp>

#include "../colliding_texts.hpp"

using sluice::hash_seed;
using sluice::arrow::detail::key_set;

namespace {

/// Twelve bytes: the words of their key differ in the uppermost byte of each alone, of which a sum
/// of products would keep one byte.
std::string with_upper_bytes(char first, char second) {
    std::string text = "aaa.aaaaaaa.";
    text[3] = first;
    text[11] = second;
    return text;
}

}  // namespace

TEST_CASE("any keys find their places, in little more room than they need") {
    std::vector<std::string> upper_bytes;
    for (char first = 'a'; first <= 'z'; ++first) {
        for (char second = 'a'; second <= 'z'; ++second) {
            upper_bytes.push_back(with_upper_bytes(first, second));
        }
    }
    for (const auto& texts : {upper_bytes, colliding_texts::at_random(1'000, 12)}) {
        for (std::uint64_t seed = 0; seed < 100; ++seed) {
            const key_set held(texts, false, hash_seed{seed});
            REQUIRE_FALSE(held.is_few());
            REQUIRE(held.table().bits() <= 12);
            for (const std::string& text : texts) REQUIRE(held.contains(text));
            REQUIRE_FALSE(held.contains("aaa.aaaaaaa."));
        }
    }
}
