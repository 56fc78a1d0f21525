// SPDX-License-Identifier: MIT
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/filters/filter.hpp>
#include <sluice/store/texts/dictionary.hpp>

#include "../../colliding_texts.hpp"
#include "../make_archive.hpp"

using sluice::hash_seed;
using sluice::store::absent;
using sluice::store::code;
using sluice::store::dictionary;
using namespace std::string_view_literals;

TEST_CASE("texts are numbered from 1 in order of arrival") {
    dictionary texts;
    CHECK(texts.size() == 1);
    CHECK(texts.encode("b"sv) == 1);
    CHECK(texts.encode("a"sv) == 2);
    CHECK(texts.encode("b"sv) == 1);
    CHECK(texts.size() == 3);
    CHECK(texts.text(1) == "b");
    CHECK(texts.text(2) == "a");
    CHECK(texts.find("a") == 2);
    CHECK(texts.find("c") == absent);
    CHECK(texts.size() == 3);
}

TEST_CASE("a test is asked about each text once, and gives the codes of those it holds for") {
    dictionary texts;
    for (const std::string_view text : {"7"sv, "-7"sv, "13"sv, ""sv}) texts.encode(text);
    std::vector<std::string> called;
    const auto codes = texts.codes_where([&](std::string_view text) {
        called.emplace_back(text);
        return text.ends_with('7');
    });
    CHECK(codes == std::vector<code>{1, 2});
    CHECK(called == std::vector<std::string>{"7", "-7", "13", ""});
    texts.shrink(2);
    CHECK(texts.codes_where([](std::string_view) { return true; }) == std::vector<code>{1});
    CHECK(dictionary().codes_where([](std::string_view) { return true; }).empty());
}

TEST_CASE("texts with a part are those that a test of each text finds, of an archive too") {
    std::mt19937 random(12);
    const auto text_of = [&](std::size_t size) {
        std::string text;
        for (; size > 0; --size) text.push_back("aab\x01\x02"[random() % 5]);  // lengths, too
        return text;
    };
    for (int round = 0; round < 40; ++round) {
        dictionary original(hash_seed{7}), texts(hash_seed{7});
        for (int i = 0; i < 200; ++i) original.encode(std::string_view(text_of(random() % 12)));
        if (round % 2 == 0) original.encode(std::string_view(text_of(300)));
        const std::string bytes =
            archived([&](auto& to) { original.save(to, round % 4 == 0 ? 1 : original.size()); });
        auto from = reader_of(bytes);
        if (round % 3 != 0) texts.open(from);
        for (int i = 0; i < 200; ++i) texts.encode(std::string_view(text_of(random() % 40)));
        for (std::size_t size = 0; size < 9; ++size) {
            const std::string part = text_of(size);
            CAPTURE(part);
            CHECK(texts.codes_containing(part) == texts.codes_where([&](std::string_view text) {
                return text.find(part) != text.npos;
            }));
        }
    }
    CHECK(dictionary().codes_containing("a").empty());
    CHECK(dictionary().codes_containing("").empty());
}

TEST_CASE("an empty text is a text, an absent value is none") {
    dictionary texts;
    CHECK(texts.find("") == absent);
    CHECK(texts.text(absent).empty());
    CHECK(texts.encode(std::optional<std::string_view>()) == absent);
    CHECK(texts.size() == 1);
    CHECK(texts.encode(std::optional(""sv)) == 1);
    CHECK(texts.encode(""sv) == 1);
    CHECK(texts.find("") == 1);
    CHECK(texts.text(1).empty());
}

TEST_CASE("texts are told apart by all of their bytes") {
    const std::vector<std::string_view> distinct{"a"sv,    "A"sv,      "a\0"sv,    "a\0b"sv,
                                                 "\0"sv,   "\0\0"sv,   " a"sv,     "a "sv,
                                                 "\xFF"sv, "\u00E9"sv, "e\u0301"sv};
    dictionary texts;
    for (std::size_t i = 0; i < distinct.size(); ++i) CHECK(texts.encode(distinct[i]) == i + 1);
    for (std::size_t i = 0; i < distinct.size(); ++i) {
        CHECK(texts.find(distinct[i]) == i + 1);
        CHECK(texts.text(static_cast<code>(i + 1)) == distinct[i]);
    }
}

TEST_CASE("a dictionary keeps copies: the caller's bytes may go") {
    dictionary texts;
    std::string text = "first";
    static_cast<void>(texts.encode(std::string_view(text)));
    text = "other";
    CHECK(texts.text(1) == "first");
    CHECK(texts.find("other") == absent);
}

TEST_CASE("texts of any length stay where they are while the dictionary grows") {
    constexpr std::size_t chunk = std::size_t{1} << 16;
    dictionary texts;
    std::vector<std::string> kept;
    std::vector<std::string_view> views;
    for (const std::size_t size :
         {std::size_t{1}, chunk - 2, chunk - 1, chunk, chunk + 1, 3 * chunk, std::size_t{2}}) {
        kept.push_back(std::string(size, static_cast<char>('a' + kept.size())));
        views.push_back(texts.text(texts.encode(std::string_view(kept.back()))));
    }
    for (int i = 0; i < 50'000; ++i) {
        static_cast<void>(texts.encode(std::string_view(std::to_string(i))));
    }
    for (std::size_t i = 0; i < kept.size(); ++i) {
        CHECK(views[i] == kept[i]);
        CHECK(texts.text(static_cast<code>(i + 1)).data() == views[i].data());
        CHECK(texts.find(kept[i]) == i + 1);
    }
}

TEST_CASE("a dictionary agrees with a map on random texts") {
    std::mt19937 random(1);
    dictionary texts;
    std::map<std::string, code> known;
    for (int i = 0; i < 100'000; ++i) {
        std::string text(random() % 4, '\0');
        for (char& byte : text) byte = static_cast<char>(random() % 40);
        const auto entry = known.find(text);
        REQUIRE(texts.find(text) == (entry == known.end() ? absent : entry->second));
        const code expected = known.emplace(text, texts.size()).first->second;
        REQUIRE(texts.encode(std::string_view(text)) == expected);
        REQUIRE(texts.size() == known.size() + 1);
    }
    for (const auto& [text, number] : known) REQUIRE(texts.text(number) == text);
}

TEST_CASE("a dictionary that is shrunk is as it was before, whatever came after") {
    std::mt19937 random(2);
    dictionary texts;
    std::vector<std::string> kept{""};  // by code; `absent` has no text
    for (int round = 0; round < 60; ++round) {
        for (auto more = random() % 400; more > 0; --more) {
            const std::string text = std::to_string(random() % 1'000);
            if (texts.encode(std::string_view(text)) == kept.size()) kept.push_back(text);
        }
        kept.resize(1 + random() % kept.size());
        texts.shrink(kept.size());
        REQUIRE(texts.size() == kept.size());
        std::map<std::string, code> known;
        for (std::size_t c = 1; c < kept.size(); ++c) known[kept[c]] = static_cast<code>(c);
        REQUIRE(known.size() == kept.size() - 1);
        for (int i = 0; i < 1'000; ++i) {
            const auto entry = known.find(std::to_string(i));
            REQUIRE(texts.find(std::to_string(i)) ==
                    (entry == known.end() ? absent : entry->second));
        }
    }
}

TEST_CASE("a table of codes whose hashes meet is shrunk to what it held") {
    // Those of the first and of the last places, where slots run into what comes after.
    const auto meeting = [](std::uint64_t number) {
        const std::uint64_t few = number % 8;
        return (number / 8 % 2 == 0 ? few : 0xFFFF'FFFF - few) << 32 | number / 16 % 4;
    };
    std::mt19937_64 random(3);
    sluice::store::code_table table;
    std::vector<std::uint64_t> hashes{0};  // by code
    for (int round = 0; round < 300; ++round) {
        for (auto more = random() % 60; more > 0; --more) {
            hashes.push_back(meeting(random()));
            table.insert(hashes.back(), static_cast<code>(hashes.size() - 1));
        }
        hashes.resize(1 + random() % hashes.size());
        table.shrink(static_cast<code>(hashes.size()));
        for (code c = 1; c < hashes.size(); ++c) {
            REQUIRE(table.find(hashes[c], [c](code candidate) { return candidate == c; }) == c);
        }
        for (std::uint64_t number = 0; number < 64; ++number) {
            const auto is_gone = [&](code candidate) { return candidate >= hashes.size(); };
            REQUIRE(table.find(meeting(number), is_gone) == absent);
        }
    }
}

TEST_CASE("values name the codes of the texts that they are under a collation") {
    using enum sluice::collation;
    dictionary texts;
    for (const std::string_view text : {"ca", "CA", "US-CA", "http://x/a", "http://x/a?b", "us"}) {
        static_cast<void>(texts.encode(text));
    }
    const auto named = [&](const std::vector<std::string>& values, sluice::collation how) {
        auto codes = texts.codes_named(values, how);
        std::ranges::sort(codes);
        codes.erase(std::ranges::unique(codes).begin(), codes.end());
        return codes;
    };
    using codes = std::vector<code>;
    CHECK(named({"ca"}, exact) == codes{1});
    CHECK(named({"ca", "no", "CA", "ca"}, exact) == codes{1, 2});
    CHECK(named({"no", "c"}, exact).empty());
    CHECK(named({}, exact).empty());
    CHECK(named({"Ca", "no"}, ignore_case) == codes{1, 2});
    CHECK(named({"ca"}, subdivision) == codes{1, 2, 3});
    CHECK(named({"us-ca"}, subdivision) == codes{3});
    CHECK(named({"http://x/a"}, url) == codes{4, 5});
    CHECK(named({"http://x/a?b"}, url) == codes{5});
    CHECK(named({"http://x/a?c"}, url).empty());
    texts.shrink(2);
    CHECK(named({"CA"}, exact).empty());
    CHECK(named({"CA"}, ignore_case) == codes{1});
}

TEST_CASE("texts that were chosen to meet take no more probes than others") {
    const auto probes = [](const std::vector<std::string>& chosen, hash_seed seed) {
        dictionary texts(seed);
        for (const std::string& text : chosen)
            static_cast<void>(texts.encode(std::string_view(text)));
        CHECK(texts.size() == chosen.size() + 1);
        return texts.longest_probe();
    };
    const auto others = colliding_texts::at_random(30'000, 64);
    for (const auto& chosen :
         {colliding_texts::by_products(30'000, 64), colliding_texts::by_words(30'000)}) {
        for (const std::uint64_t seed : {0ULL, 1ULL, 0x9E37'79B9'7F4A'7C15ULL}) {
            CHECK(probes(chosen, hash_seed{seed}) <= 2 * probes(others, hash_seed{seed}));
        }
    }
}

TEST_CASE("the longest probe is the distance from a text's place, and one") {
    dictionary texts(hash_seed{1});
    CHECK(texts.longest_probe() == 0);
    static_cast<void>(texts.encode("a"sv));
    CHECK(texts.longest_probe() == 1);
    sluice::store::code_table same;
    for (code c = 1; c <= 5; ++c) same.insert(std::uint64_t{7} << 32, c);
    CHECK(same.longest_probe() == 5);
    sluice::store::code_table last;
    for (code c = 1; c <= 100; ++c) last.insert(~std::uint64_t{0}, c);
    CHECK(last.longest_probe() == 100);
}

TEST_CASE(
    "a table of codes takes less than eleven bytes for each of many, and gives back the rest") {
    std::mt19937_64 random(4);
    sluice::store::code_table table;
    CHECK(table.bytes() == 0);
    std::size_t worst = 0;
    for (code c = 1; c <= 100'000; ++c) {
        table.insert(random(), c);
        if (c > 30'000 && c % 1'000 == 0) worst = std::max(worst, table.bytes() * 100 / c);
    }
    CHECK(worst > 800 * 8 / 7);
    CHECK(worst < 1'100);
}

TEST_CASE("a dictionary takes an id's bytes, six more and its slot") {
    dictionary ids;
    for (int i = 0; i < 100'000; ++i) {
        static_cast<void>(ids.encode(std::string_view("ev_" + std::to_string(1'000'000 + i))));
    }
    CHECK(ids.bytes() / 100'000 >= 10 + 6 + 9);
    CHECK(ids.bytes() / 100'000 < 10 + 6 + 11);
    const std::size_t before = ids.bytes();
    ids.shrink(50'001);
    CHECK(ids.bytes() < before - 50'000 * (10 + 6) + 1'000);
    ids.shrink(1);
    CHECK(ids.text(ids.encode("other"sv)) == "other");
}

TEST_CASE("a dictionary of an archive goes on as the one that was saved") {
    std::mt19937 random(11);
    for (const int size : {0, 1, 2, 5, 300, 20'000}) {
        CAPTURE(size);
        dictionary original(hash_seed{7});
        const auto random_text = [&] { return std::to_string(random() % 50'000) + ", US-Ca?x"; };
        for (int i = 0; i < size; ++i)
            static_cast<void>(original.encode(std::string_view(random_text())));
        const std::size_t saved = original.size();
        static_cast<void>(original.encode("not saved"sv));
        const std::string bytes = archived([&](auto& to) { original.save(to, saved); });
        original.shrink(saved);
        dictionary opened(hash_seed{7});
        auto from = reader_of(bytes);
        opened.open(from);
        REQUIRE(from.is_done());
        CHECK(opened.find("not saved") == absent);
        CHECK(opened.text(absent).empty());
        for (int i = 0; i < 1'000; ++i) {
            const std::string text = random_text();
            REQUIRE(opened.encode(opened.seek(text)) == original.encode(std::string_view(text)));
        }
        REQUIRE(opened.size() == original.size());
        for (code c = 0; c < original.size(); ++c) REQUIRE(opened.text(c) == original.text(c));
        opened.shrink(saved + 5);
        original.shrink(saved + 5);
        const std::string first(original.text(1)), upper = "7, US-CA?X";
        const std::vector<std::string> values{first, upper, "12", "not saved"};
        for (const sluice::collation how : sluice::collations) {
            auto codes = opened.codes_named(values, how);
            auto expected = original.codes_named(values, how);
            std::ranges::sort(codes);
            std::ranges::sort(expected);
            CHECK(codes == expected);
        }
        const auto again = [](auto& of) {
            return archived([&](auto& to) { of.save(to, of.size()); });
        };
        CHECK(again(opened) == again(original));
        CHECK(opened.longest_probe() >= 1);
    }
}

TEST_CASE("texts and codes can be looked up while one thread encodes") {
    dictionary texts;
    std::atomic<bool> failed = false;
    const auto read = [&] {
        for (std::size_t seen = 1; seen < 5'001;) {
            seen = texts.size();
            const auto last = static_cast<code>(seen - 1);
            if (last == absent) continue;
            const std::string_view text = texts.text(last);
            const code listed = texts.find(text);
            const bool is_there = listed == last || listed == absent;  // listed, then found
            if (!is_there || text != std::to_string(last)) failed = true;
            if (texts.find("1") > 1 || texts.find("no number") != absent) failed = true;
        }
    };
    std::vector<std::thread> readers;
    for (int i = 0; i < 4; ++i) readers.emplace_back(read);
    for (int i = 1; i <= 5'000; ++i) {
        static_cast<void>(texts.encode(std::string_view(std::to_string(i))));
    }
    for (std::thread& reader : readers) reader.join();
    CHECK_FALSE(failed);
}

TEST_CASE("texts can be found by their parts while one thread encodes") {
    dictionary texts;
    std::atomic<bool> failed = false;
    const auto read = [&] {
        const std::vector<std::string> wanted{"ca"};
        for (std::size_t seen = 0; seen < 3'000;) {
            const std::size_t before = texts.size();
            const auto codes = texts.codes_named(wanted, sluice::collation::subdivision);
            if (codes.size() < seen || codes.size() < before - 1) failed = true;
            for (const code c : codes) {
                if (!texts.text(c).ends_with("-CA")) failed = true;
            }
            seen = codes.size();
        }
    };
    std::vector<std::thread> readers;
    for (int i = 0; i < 4; ++i) readers.emplace_back(read);
    for (int i = 0; i < 3'000; ++i) {
        static_cast<void>(texts.encode(std::string_view(std::to_string(i) + "-CA")));
    }
    for (std::thread& reader : readers) reader.join();
    CHECK_FALSE(failed);
}
