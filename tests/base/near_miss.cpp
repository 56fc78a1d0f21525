// SPDX-License-Identifier: MIT
#include <array>
#include <random>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include <sluice/base/near_miss.hpp>

using namespace sluice::detail;

namespace {

constexpr std::array<std::string_view, 8> names{"country", "linkId", "page",  "end",
                                                "os",      "qr",     "tagId", "tagIds"};

static_assert(near_miss("Country", names) == "country");

/// Every text that one slip makes of another.
std::set<std::string> one_slip_from(const std::string& text) {
    std::set<std::string> edits;
    for (std::size_t at = 0; at <= text.size(); ++at) {
        for (const char byte : {'a', 'b', 'c'}) edits.insert(std::string(text).insert(at, 1, byte));
        if (at == text.size()) break;
        edits.insert(std::string(text).erase(at, 1));
        for (const char byte : {'a', 'b', 'c'}) {
            edits.insert(std::string(text).replace(at, 1, 1, byte));
        }
        std::string swapped = text;
        if (at > 0) std::swap(swapped[at - 1], swapped[at]);
        edits.insert(swapped);
    }
    return edits;
}

}  // namespace

TEST_CASE("a near miss is the nearest word, within what its size allows") {
    const std::pair<std::string_view, std::string_view> table[] = {
        {"COUNTRY", "country"},   // letter case alone
        {"contry", "country"},    // a byte missing
        {"countryy", "country"},  // one too many
        {"cowntri", "country"},   // two wrong
        {"uocntry", "country"},   // two swapped
        {"cowndri", ""},          // three wrong
        {"link_id", "linkId"},    // other ways to write two words
        {"link-id", "linkId"},
        {"pgae", "page"},
        {"gpea", ""},        // two slips of four bytes
        {"tagid", "tagId"},  // the nearest, not the first that would do
        {"tagids", "tagIds"},
        {"en", "end"},
        {"OS", "os"},
        {"so", ""},  // of two bytes every slip is half
        {"rq", ""},
        {"", ""},
        {"x", ""},
        {"countrycountry", ""},
    };
    for (const auto& [text, expected] : table) {
        CAPTURE(text);
        CHECK(near_miss(text, names) == expected);
    }
}

TEST_CASE("words may be members of rows, and of equally near ones the first counts") {
    struct row {
        std::string_view name;
    };
    constexpr std::array rows{row{"abcd"}, row{"abce"}};
    CHECK(near_miss("abcf", rows, &row::name) == "abcd");
}

TEST_CASE("texts too long to be a name have no near miss, whatever the words") {
    const std::string longest(near_miss_max_size, 'x');
    const std::string longer = longest + 'x';
    const std::array<std::string_view, 2> words{longer, longest};
    CHECK(near_miss(longest.substr(1), words) == longest);
    CHECK(near_miss(std::string(near_miss_max_size, 'X'), words) == longest);
    CHECK(near_miss(longer, words).empty());
    CHECK(near_miss(std::string(100'000, 'x'), words).empty());
}

TEST_CASE("one slip is what any single slip makes, and nothing else is") {
    std::mt19937 random(5);
    for (int times = 0; times < 200; ++times) {
        std::string text(random() % 6, 'a');
        for (char& byte : text) byte = static_cast<char>('a' + random() % 3);
        CHECK(count_slips(text, text) == 0);
        const std::set<std::string> near = one_slip_from(text);
        for (const std::string& other : near) {
            CHECK(count_slips(text, other) == (other == text ? 0 : 1));
            CHECK(count_slips(other, text) == count_slips(text, other));
            for (const std::string& further : one_slip_from(other)) {
                const bool is_near = further == text || near.contains(further);
                CHECK((count_slips(text, further) <= 1) == is_near);
            }
        }
    }
}
