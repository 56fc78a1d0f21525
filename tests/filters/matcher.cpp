// SPDX-License-Identifier: MIT
#include <random>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/filters/matcher.hpp>

#include "../colliding_texts.hpp"

using sluice::hash_seed;
using sluice::detail::letter_case;
using sluice::detail::text_set;

TEST_CASE("a text set holds what a set holds, whatever the case where it is ignored") {
    std::mt19937_64 random(1);
    for (const std::size_t size : {1U, 4U, 5U, 6U, 100U, 1'000U}) {
        for (const letter_case how : {letter_case::kept, letter_case::ignored}) {
            const auto key = [how](const std::string& text) {
                return how == letter_case::kept ? text : sluice::detail::to_lower(text);
            };
            text_set held(how, hash_seed{random()});
            std::set<std::string> expected;
            const auto any_text = [&] {
                std::string text(random() % 20, ' ');
                for (char& byte : text) byte = "aAbB"[random() % 4];
                return text;
            };
            for (std::size_t i = 0; i < size; ++i) {
                const std::string text = any_text();
                held.insert(text);
                expected.insert(key(text));
            }
            for (int i = 0; i < 2'000; ++i) {
                const std::string text = any_text();
                REQUIRE(held.contains(text) == expected.contains(key(text)));
            }
        }
    }
}

TEST_CASE("a text set holds texts that were chosen to meet") {
    const auto chosen = colliding_texts::by_words(2'000);
    for (const letter_case how : {letter_case::kept, letter_case::ignored}) {
        text_set held(how, hash_seed{3});
        for (std::size_t i = 0; i < chosen.size(); i += 2) held.insert(chosen[i]);
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            REQUIRE(held.contains(chosen[i]) == (i % 2 == 0));
        }
    }
}
