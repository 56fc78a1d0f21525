// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/filters/filter.hpp>
#include <sluice/store/conditions/code_set.hpp>

using sluice::collation;
using sluice::store::absent;
using sluice::store::code;
using sluice::store::code_set;
using sluice::store::codes_named;
using sluice::store::dictionary;
using texts = std::vector<std::string>;

namespace {

std::set<code> members(const code_set& codes, std::size_t size) {
    std::set<code> all;
    for (code c = 0; c < size; ++c) {
        if (codes.contains(c)) all.insert(c);
    }
    return all;
}

std::set<std::string> named_texts(const dictionary& all, const texts& values, collation how) {
    std::set<std::string> named;
    for (const code c : members(codes_named(all, values, how), all.size()))
        named.emplace(all.text(c));
    return named;
}

}  // namespace

TEST_CASE("a code set holds what it lists, flipped it holds the rest") {
    std::mt19937 random(2);
    for (const std::size_t size : {1U, 2U, 16U, 17U, 63U, 64U, 65U, 129U, 1'000U, 100'000U}) {
        CAPTURE(size);
        CHECK(members(code_set(), size).empty());
        std::set<code> expected;
        std::vector<code> repeated;
        for (std::size_t i = 0; i < std::min<std::size_t>(size, 200); ++i) {
            const auto c = static_cast<code>(random() % size);
            repeated.push_back(c);
            expected.insert(c);
        }
        code_set codes(repeated);
        CHECK(members(codes, size) == expected);
        CHECK(std::ranges::equal(codes.listed(), expected));
        codes.flip();
        CHECK(codes.is_complement());
        for (code c = 0; c < size; ++c) CHECK(codes.contains(c) != expected.contains(c));
        CHECK(codes.contains(~code{0}));
        codes.flip();
        CHECK(members(codes, size) == expected);
    }
}

TEST_CASE("the intersection of two sets has the codes that both have, listed or not") {
    constexpr std::size_t size = 40;
    std::mt19937 random(4);
    for (int round = 0; round < 200; ++round) {
        const auto any_set = [&] {
            std::vector<code> listed(random() % 30);
            for (code& c : listed) c = static_cast<code>(random() % size);
            return code_set(listed, random() % 2 == 0);
        };
        code_set both = any_set();
        const code_set first = both, second = any_set();
        both.intersect(second);
        for (code c = 0; c < size; ++c) {
            CHECK(both.contains(c) == (first.contains(c) && second.contains(c)));
        }
        CHECK(both.contains(~code{0}) == (first.is_complement() && second.is_complement()));
    }
}

TEST_CASE("only long lists of codes that lie close have a bit for each code") {
    std::vector<code> close(17), apart(17);
    for (code i = 0; i < 17; ++i) close[i] = 3 * i, apart[i] = 1'000'000 * i;
    CHECK(code_set(std::vector<code>(close.begin(), close.begin() + 16)).listed_bits().empty());
    CHECK(code_set(close).listed_bits().size() == 1);
    CHECK(code_set(close).listed_bits().front() == 0x1'2492'4924'9249);
    CHECK(code_set(apart).listed_bits().empty());
    CHECK(code_set(apart).contains(16'000'000));
    CHECK_FALSE(code_set(apart).contains(16'000'001));
    CHECK_FALSE(code_set(close).contains(~code{0}));
    std::vector<code> sparse = close;  // 4 words of bits for each of 17 codes are the most
    sparse.back() = 17 * 4 * 64 - 1;
    CHECK(code_set(sparse).listed_bits().size() == 17 * 4);
    ++sparse.back();
    CHECK(code_set(sparse).listed_bits().empty());
}

TEST_CASE("the codes named by values are those of the texts that equal one") {
    dictionary all;
    for (const char* text : {"US-CA", "us-ca", "FR-CA", "CA", "Unknown", "", "https://a/b",
                             "https://a/b?x=1", "https://a/b?"}) {
        static_cast<void>(all.encode(std::string_view(text)));
    }
    struct row {
        texts values;
        collation how;
        std::set<std::string> named;
    };
    const std::vector<row> table{
        {{}, collation::exact, {}},
        {{"US-CA"}, collation::exact, {"US-CA"}},
        {{"US-CA", "US-CA", "nowhere"}, collation::exact, {"US-CA"}},
        {{"US-CA"}, collation::ignore_case, {"US-CA", "us-ca"}},
        {{"ca"}, collation::subdivision, {"US-CA", "us-ca", "FR-CA", "CA"}},
        {{"us-ca", "unknown"}, collation::subdivision, {"US-CA", "us-ca", "Unknown"}},
        {{"https://a/b"}, collation::url, {"https://a/b", "https://a/b?x=1", "https://a/b?"}},
        {{"https://a/b?"}, collation::url, {"https://a/b?"}},
        {{""}, collation::exact, {""}},
    };
    for (const row& expected : table)
        CHECK(named_texts(all, expected.values, expected.how) == expected.named);
}

TEST_CASE("an absent value is named by nothing") {
    dictionary all;
    static_cast<void>(all.encode(std::string_view("a")));
    for (const collation how : sluice::collations) {
        CHECK_FALSE(codes_named(all, texts{"", "a"}, how).contains(absent));
    }
}

TEST_CASE("codes are named as the filter's own comparison has it") {
    std::mt19937 random(3);
    const auto word = [&] {
        std::string text(random() % 5, 'x');
        for (char& byte : text) byte = std::string_view("aAbB-?")[random() % 6];
        return text;
    };
    dictionary all;
    for (int i = 0; i < 500; ++i) static_cast<void>(all.encode(std::string_view(word())));
    for (int i = 0; i < 500; ++i) {
        texts values(random() % 5);
        for (std::string& value : values) value = word();
        for (const collation how : sluice::collations) {
            const code_set named = codes_named(all, values, how);
            for (code c = 1; c < all.size(); ++c) {
                const bool expected = std::ranges::any_of(
                    values, [&](const auto& value) { return equal(all.text(c), value, how); });
                REQUIRE(named.contains(c) == expected);
            }
        }
    }
}
