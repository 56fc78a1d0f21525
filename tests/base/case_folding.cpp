// SPDX-License-Identifier: MIT
#include <array>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/base/case_folding.hpp>

using namespace sluice::detail;

static_assert(fold(U'A') == U'a' && fold(U'a') == U'a' && fold(U'É') == U'é');

namespace {

// tests/data/case_folding.txt: a class a line, the folded code point first.
std::vector<std::vector<char32_t>> read_classes() {
    std::ifstream file(SLUICE_TEST_DATA "/case_folding.txt");
    std::vector<std::vector<char32_t>> classes;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with('#')) continue;
        std::istringstream words(line);
        std::vector<char32_t>& members = classes.emplace_back();
        for (std::string word; words >> word;) {
            members.push_back(static_cast<char32_t>(std::stoul(word, nullptr, 16)));
        }
    }
    return classes;
}

}  // namespace

TEST_CASE("every code point folds as ECMAScript's case-insensitive matching does") {
    const auto classes = read_classes();
    REQUIRE(classes.size() == 1482);
    std::map<char32_t, char32_t> expected;
    for (const auto& members : classes) {
        for (const char32_t member : members) expected[member] = members.front();
    }
    std::set<char32_t> wrong;
    for (char32_t c = 0; c <= 0x110000; ++c) {
        const auto entry = expected.find(c);
        if (fold(c) != (entry == expected.end() ? c : entry->second)) wrong.insert(c);
    }
    CHECK(wrong.empty());
    CHECK(fold(0xFFFFFFFF) == 0xFFFFFFFF);
}

TEST_CASE("folding takes the simple mapping, never the full or the Turkish one") {
    struct row {
        char32_t from, to;
    };
    const std::array rows{
        row{U'Z', U'z'},       row{U'[', U'['},       row{U'@', U'@'},
        row{U'I', U'i'},       row{0x130, 0x130},      // I with a dot: only full and Turkish
        row{0x131, 0x131},     row{0x00DF, 0x00DF},    // sharp s: only full
        row{0x1E9E, 0x00DF},   row{0x017F, U's'},      // long s
        row{0x212A, U'k'},     row{0x00B5, 0x03BC},    // Kelvin and micro signs
        row{0x03A3, 0x03C3},   row{0x03C2, 0x03C3},    // sigma, final sigma
        row{0xFB05, 0xFB06},   row{0xFB00, 0xFB00},    // ligatures
        row{0x13A0, 0x13A0},   row{0xAB70, 0x13A0},    // Cherokee folds to upper case
        row{0x10400, 0x10428}, row{0x1E921, 0x1E943},  // beyond the first plane
    };
    for (const row& r : rows) {
        CAPTURE(static_cast<unsigned>(r.from));
        CHECK(fold(r.from) == r.to);
    }
}

TEST_CASE("the ranges are sorted, disjoint and whole") {
    char32_t after = 0x80;
    for (const fold_range& range : fold_ranges) {
        CAPTURE(static_cast<unsigned>(range.first));
        CHECK(range.first >= after);
        CHECK(range.last >= range.first);
        CHECK((range.last - range.first) % range.stride == 0);
        after = range.last + 1;
    }
}

TEST_CASE("folded texts compare without case, and ill-formed parts as U+FFFD") {
    CHECK(fold_case("") == "");
    CHECK(fold_case("STRASSE ẞ, ΣΊΣΥΦΟΣ, Ж") == "strasse ß, σίσυφοσ, ж");
    CHECK(fold_case("\u212A\u017F") == "ks");
    CHECK(fold_case("A\xFF"
                    "B") ==
          "a\xEF\xBF\xBD"
          "b");
}

TEST_CASE("a needle is found in any case, without wildcards") {
    const auto contains = [](std::string_view text, std::string_view needle) {
        return fold_case(text).find(fold_case(needle)) != std::string::npos;
    };
    CHECK(contains("Launch", ""));
    CHECK(contains("", ""));
    CHECK(contains("Spring Launch", "LAUNCH"));
    CHECK(contains("ΟΔΥΣΣΕΎΣ", "οδυσσεύς"));
    CHECK(contains("100% off", "% O"));
    CHECK_FALSE(contains("100 off", "%"));
    CHECK_FALSE(contains("abc", "a*c"));
    CHECK_FALSE(contains("Straße", "STRASSE"));
    CHECK_FALSE(contains("abc", "abcd"));
}
