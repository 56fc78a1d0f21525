// SPDX-License-Identifier: MIT
#include <random>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <sluice/filters/collation.hpp>

using namespace sluice;

static_assert(record_of(collation::url).name == "url");
static_assert(record_of(collation::exact).is_exact());
static_assert(!record_of(collation::ignore_case).is_exact());
static_assert(equal("US-CA", "ca", collation::subdivision));
static_assert(!equal("ca", "US-CA", collation::subdivision));

namespace {

std::string lower(std::string_view text) {
    std::string lower(text);
    for (char& byte : lower)
        byte = byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + 32) : byte;
    return lower;
}

/// Each collation in its own words.
bool is_named(const std::string& row, const std::string& value, collation how) {
    switch (how) {
        case collation::exact: return row == value;
        case collation::ignore_case: return lower(row) == lower(value);
        case collation::subdivision: {
            const std::size_t dash = row.find('-');
            const bool has_part = dash != row.npos;
            return lower(row) == lower(value) ||
                   (has_part && lower(row.substr(dash + 1)) == lower(value));
        }
        case collation::url:
            return (value.find('?') == value.npos ? row.substr(0, row.find('?')) : row) == value;
    }
    return false;
}

}  // namespace

TEST_CASE("a collation has its record, whose name is its own") {
    CHECK(collations.size() == collation_names.size());
    for (const collation how : collations) {
        CHECK(record_of(how).name == collation_names[static_cast<std::size_t>(how)]);
        CHECK_FALSE(record_of(how).help.empty());
    }
}

TEST_CASE("texts are equal as each collation says in its own words") {
    std::mt19937 random(17);
    const auto text = [&] {
        std::string letters(random() % 5, 'x');
        for (char& byte : letters) byte = std::string_view("aAbB-?\xC3")[random() % 7];
        return letters;
    };
    for (int i = 0; i < 20'000; ++i) {
        const std::string row = text(), value = text();
        for (const collation how : collations) {
            CAPTURE(row);
            CAPTURE(value);
            CHECK(sluice::equal(row, value, how) == is_named(row, value, how));
        }
    }
}

TEST_CASE("a value that a collation keeps apart is compared with one key of a text only") {
    const collation_record& url = record_of(collation::url);
    CHECK(url.compares_whole("a?b"));
    CHECK_FALSE(url.compares_part("a?b"));
    CHECK(url.compares_part("a"));
    CHECK_FALSE(url.compares_whole("a"));
    const collation_record& region = record_of(collation::subdivision);
    CHECK(region.compares_whole("US-CA"));
    CHECK(region.compares_part("US-CA"));
    CHECK(region.part->find("US-") == "");
    CHECK(region.part->find("US") == std::nullopt);
    CHECK(region.part->find("US-CA-1") == "CA-1");
    CHECK(record_of(collation::exact).compares_part("a") == false);
}
