// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/store/texts/text_list.hpp>

using sluice::store::text_list;

TEST_CASE("texts whose lengths take one byte, two and more are what they were") {
    text_list texts;
    std::vector<std::string> kept;
    std::vector<std::string_view> views;
    for (const std::size_t size : {0U, 1U, 126U, 127U, 128U, 129U, 255U, 256U, 257U, 16'383U,
                                   16'384U, 100'000U, 2'097'151U, 2'097'152U, 0U, 5U}) {
        kept.push_back(std::string(size, static_cast<char>('a' + kept.size())));
        texts.push_back(kept.back());
        views.push_back(texts[texts.size() - 1]);
    }
    REQUIRE(texts.size() == kept.size());
    for (std::size_t i = 0; i < kept.size(); ++i) {
        REQUIRE(texts[i] == kept[i]);
        CHECK(texts[i].data() == views[i].data());
    }
}

TEST_CASE("a text fills its chunk to the last byte, or begins the next one") {
    for (std::size_t first = 240; first <= 270; ++first) {
        text_list texts;
        texts.push_back(std::string(first, 'a'));
        texts.push_back("b");
        texts.push_back(std::string(1'000, 'c'));  // doesn't fit into the next one either
        texts.push_back("d");
        CHECK(texts[0] == std::string(first, 'a'));
        CHECK(texts[1] == "b");
        CHECK(texts[2] == std::string(1'000, 'c'));
        CHECK(texts[3] == "d");
    }
}

TEST_CASE("a list of texts that is shrunk and grows again agrees with a vector") {
    std::mt19937 random(1);
    text_list texts;
    std::vector<std::string> kept;
    std::size_t most = 0, written = 0;
    for (int round = 0; round < 400; ++round) {
        for (auto more = random() % 50; more > 0; --more) {
            const std::size_t size = random() % (random() % 20 == 0 ? 700 : 20);
            kept.push_back(std::string(size, static_cast<char>('a' + random() % 26)));
            texts.push_back(kept.back());
            written += size + 6;
        }
        most = std::max(most, texts.bytes());
        kept.resize(random() % (kept.size() + 1));
        texts.shrink(kept.size());
        REQUIRE(texts.size() == kept.size());
        for (std::size_t i = 0; i < kept.size(); ++i) REQUIRE(texts[i] == kept[i]);
    }
    CHECK(most < written / 4);  // the bytes of those that went are used again
    texts.shrink(0);
    CHECK(texts.bytes() == 0);
}
