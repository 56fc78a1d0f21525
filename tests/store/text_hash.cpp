// SPDX-License-Identifier: MIT
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <sluice/store/text_hash.hpp>

using sluice::store::text_hash;

TEST_CASE("texts that differ in one byte or their length have other hashes") {
    for (std::size_t size = 0; size < 70; ++size) {
        CAPTURE(size);
        const std::string text(size, 'a');
        std::set<std::uint64_t> hashes{text_hash(text), text_hash(text + 'a')};
        for (std::size_t i = 0; i < size; ++i) {
            for (const char other : {'b', '\0', '\xFF'}) {
                std::string changed = text;
                changed[i] = other;
                hashes.insert(text_hash(changed));
            }
        }
        CHECK(hashes.size() == 2 + 3 * size);
    }
}

TEST_CASE("a hash reads the text and nothing beside it") {
    const std::string text = "a text between two others, longer than a step";
    for (std::size_t size = 0; size <= text.size(); ++size) {
        const std::string copy = text.substr(0, size);
        CHECK(text_hash(copy) == text_hash(std::string_view(text).substr(0, size)));
    }
}

TEST_CASE("the halves of the hashes of numbers spread") {
    std::set<std::uint64_t> upper, lower;
    for (int i = 0; i < 4'096; ++i) {
        const std::uint64_t hash = text_hash("key_" + std::to_string(i));
        upper.insert(hash >> 52);
        lower.insert(hash % 4'096);
    }
    CHECK(upper.size() > 2'450);  // 2,589 are to be expected of random ones
    CHECK(lower.size() > 2'450);
}
