// SPDX-License-Identifier: MIT
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/filters/filter.hpp>
#include <sluice/filters/matcher.hpp>

using namespace sluice;
using texts = std::vector<std::string>;

namespace {

std::string repeat(std::string_view text, std::size_t times) {
    std::string all;
    for (std::size_t i = 0; i < times; ++i) all.append(text);
    return all;
}

struct ok {
    std::string text;
    texts values;
    bool excludes;
    std::string canonical;
};

struct bad {
    std::string text;
    rule broken;
    std::uint32_t offset;
    std::uint32_t length;
};

}  // namespace

TEST_CASE("a filter's text gives its values and canonical text") {
    const std::vector<ok> table{
        {"", {}, false, ""},
        {"-", {}, false, ""},
        {",", {}, false, ""},
        {"-,,", {}, false, ""},
        {"US", {"US"}, false, "US"},
        {"US,CA", {"US", "CA"}, false, "US,CA"},
        {"-US", {"US"}, true, "-US"},
        {"-US,CA", {"US", "CA"}, true, "-US,CA"},
        {"US,,CA,", {"US", "CA"}, false, "US,CA"},
        {",US", {"US"}, false, "US"},
        {"-,US", {"US"}, true, "-US"},
        {" US , CA ", {" US ", " CA "}, false, " US , CA "},
        {"a-b", {"a-b"}, false, "a-b"},
        {"a\\-b", {"a-b"}, false, "a-b"},
        {"\\-US", {"-US"}, false, "\\-US"},
        {"-\\-US", {"-US"}, true, "-\\-US"},
        {"US,\\-CA", {"US", "-CA"}, false, "US,\\-CA"},
        {"Washington\\, D.C.", {"Washington, D.C."}, false, "Washington\\, D.C."},
        {"a\\\\", {"a\\"}, false, "a\\\\"},
        {"\\\\,b", {"\\", "b"}, false, "\\\\,b"},
        {"\\,", {","}, false, "\\,"},
        {"US,US", {"US", "US"}, false, "US,US"},
        {"\u05E9\u05DC\u05D5\u05DD,\U0001F600",
         {"\u05E9\u05DC\u05D5\u05DD", "\U0001F600"},
         false,
         "\u05E9\u05DC\u05D5\u05DD,\U0001F600"},
        {std::string("a\0b", 3), {std::string("a\0b", 3)}, false, std::string("a\0b", 3)},
        {"\xFF", {"\xFF"}, false, "\xFF"},
    };
    for (const ok& row : table) {
        CAPTURE(row.text);
        const auto parsed = parse_filter(row.text);
        REQUIRE(parsed);
        CHECK(texts(parsed->values().begin(), parsed->values().end()) == row.values);
        CHECK(parsed->excludes() == row.excludes);
        CHECK(parsed->empty() == row.values.empty());
        CHECK(to_string(*parsed) == row.canonical);
        CHECK(parse_filter(row.canonical) == parsed);
    }
}

TEST_CASE("a malformed filter names the rule and the bytes at fault") {
    const std::vector<bad> table{
        {"US,-CA", rule::filter_dash, 3, 3},
        {"--US", rule::filter_dash, 1, 3},
        {"--", rule::filter_dash, 1, 1},
        {"-US,-CA,FR", rule::filter_dash, 4, 3},
        {",-US", rule::filter_dash, 1, 3},
        {"-,-US", rule::filter_dash, 2, 3},
        {"US,-", rule::filter_dash, 3, 1},
        {"US,-a\\,b,c", rule::filter_dash, 3, 5},
        {"a\\b", rule::filter_escape, 1, 1},
        {"a\\", rule::filter_escape, 1, 1},
        {"\\", rule::filter_escape, 0, 1},
        {"-\\", rule::filter_escape, 1, 1},
        {"US,b\\ c", rule::filter_escape, 4, 1},
        {"a\\\\\\", rule::filter_escape, 3, 1},
        {"\\\xC3\xA9", rule::filter_escape, 0, 1},
        {std::string(10'001, 'x'), rule::filter_too_long, 10'000, 1},
        {std::string(1 << 20, ','), rule::filter_too_long, 10'000, (1 << 20) - 10'000},
        {repeat("x,", 1'000) + "y", rule::filter_too_many, 2'000, 1},
    };
    for (const bad& row : table) {
        CAPTURE(row.text.substr(0, 40));
        const auto parsed = parse_filter(row.text);
        REQUIRE(!parsed);
        CHECK(parsed.error().broken == row.broken);
        CHECK(parsed.error().offset == row.offset);
        CHECK(parsed.error().length == row.length);
        CHECK(parsed.error().code == code_of(row.broken));
    }
}

TEST_CASE("a filter at its limits is accepted") {
    const auto longest = parse_filter(std::string(10'000, 'x'));
    CHECK(longest->values().size() == 1);
    const auto most = parse_filter(repeat("x,", 1'000));
    CHECK(most->values().size() == 1'000);
    CHECK(parse_filter(std::string(10'000, ',')).value().empty());
}

TEST_CASE("a value that the caller does not take is refused where it stands") {
    const auto short_only = [](std::string_view value) { return value.size() < 3; };
    CHECK(parse_filter("-US,CA", short_only));
    const auto parsed = parse_filter("US,USA,CA", short_only);
    REQUIRE(!parsed);
    CHECK(parsed.error() == make_error(rule::filter_value, 3, 3));
}

TEST_CASE("rows pass by collation") {
    struct row {
        const char* filter;
        collation how;
        const char* value;
        bool passes;
    };
    const std::vector<row> table{
        {"US", collation::exact, "US", true},
        {"US", collation::exact, "us", false},
        {"us", collation::ignore_case, "US", true},
        {"-us", collation::ignore_case, "US", false},
        {"Ü", collation::ignore_case, "ü", false},
        {"US-CA", collation::subdivision, "US-CA", true},
        {"us-ca", collation::subdivision, "US-CA", true},
        {"US-CA", collation::subdivision, "FR-CA", false},
        {"CA", collation::subdivision, "US-CA", true},
        {"ca", collation::subdivision, "FR-CA", true},
        {"US", collation::subdivision, "US-CA", false},
        {"-CA", collation::subdivision, "US-CA", false},
        {"-CA", collation::subdivision, "Unknown", true},
        {"unknown", collation::subdivision, "Unknown", true},
        {"https://a/b", collation::url, "https://a/b?x=1", true},
        {"https://a/b", collation::url, "https://a/b", true},
        {"https://a/b", collation::url, "https://a/bc", false},
        {"https://a/b?x=1", collation::url, "https://a/b?x=1", true},
        {"https://a/b?x=1", collation::url, "https://a/b", false},
        {"https://a/b?", collation::url, "https://a/b", false},
        {"https://a/b?", collation::url, "https://a/b?", true},
        {"-https://a/b", collation::url, "https://a/b?x=1", false},
        {"", collation::exact, "anything", true},
    };
    for (const row& entry : table) {
        CAPTURE(entry.filter);
        CAPTURE(entry.value);
        const auto parsed = parse_filter(entry.filter);
        CHECK(parsed->matches(entry.value, entry.how) == entry.passes);
        const filter_matcher names(parsed->values(), entry.how);
        if (!parsed->empty()) {
            CHECK((names.contains(entry.value) != parsed->excludes()) == entry.passes);
        }
    }
}

TEST_CASE("a value that is absent passes only exclusions, a list shares any or none") {
    CHECK(!parse_filter("US").value().matches(std::nullopt));
    CHECK(parse_filter("-US").value().matches(std::nullopt));
    CHECK(parse_filter("").value().matches(std::nullopt));
    CHECK(parse_filter("a,b").value().matches_any(texts{"x", "b"}));
    CHECK(!parse_filter("-a,b").value().matches_any(texts{"x", "b"}));
    CHECK(parse_filter("-a,b").value().matches_any(texts{}));
    CHECK(!parse_filter("a,b").value().matches_any(texts{}));
}

TEST_CASE("repeats of a filter are merged when they agree") {
    const auto parsed = [](const char* text) { return *parse_filter(text); };
    CHECK(merge(parsed("US"), parsed("CA")) == parse_filter("US,CA"));
    CHECK(merge(parsed("-US"), parsed("-CA")) == parse_filter("-US,CA"));
    CHECK(merge(parsed(""), parsed("-CA")) == parse_filter("-CA"));
    CHECK(merge(parsed("US"), parsed("-")) == parse_filter("US"));
    CHECK(merge(parsed("-US"), parsed("CA")).error().broken == rule::filter_exclusion);
    const filter many(texts(600, "x"));
    CHECK(merge(many, many).error().broken == rule::filter_too_many);
    const filter huge({std::string(6'000, 'x')});
    CHECK(merge(huge, huge).error().broken == rule::filter_too_long);
}

TEST_CASE("repeats are merged up to the limits, and not beyond") {
    const filter half(texts(500, "x"));
    const auto full = merge(half, half);
    REQUIRE(full);
    CHECK(full->values().size() == filter_max_values);
    const auto beyond = merge(*full, filter({"y"}));
    REQUIRE(!beyond);
    CHECK(beyond.error() == make_error(rule::filter_too_many));
    // 5,000 and 4,999 bytes with the comma between them
    const filter first({std::string(5'000, 'x')});
    const auto longest = merge(first, filter({std::string(4'999, 'y')}));
    REQUIRE(longest);
    CHECK(to_string(*longest).size() == filter_max_bytes);
    const auto longer = merge(first, filter({std::string(5'000, 'y')}));
    REQUIRE(!longer);
    CHECK(longer.error() == make_error(rule::filter_too_long));
    // escapes count as they are written
    CHECK(!merge(first, filter({std::string(4'998, 'y') + ","})));
}

TEST_CASE("any filter survives its text, and its matcher agrees with it") {
    std::mt19937 random(7);
    const std::string alphabet = "ab-,\\?AB";
    const auto pick = [&](std::size_t bound) { return random() % bound; };
    const auto word = [&] {
        std::string text(pick(4), 'x');
        for (char& byte : text) byte = alphabet[pick(alphabet.size())];
        return text;
    };
    for (int i = 0; i < 20'000; ++i) {
        texts values(pick(4));
        for (std::string& value : values) value = word();
        const filter f(values, pick(2) == 0);
        CHECK(parse_filter(to_string(f)) == f);
        for (const collation how : sluice::collations) {
            const std::string row = word();
            const filter_matcher names(f.values(), how);
            CHECK((f.empty() || names.contains(row) != f.excludes()) == f.matches(row, how));
        }
    }
}

TEST_CASE("a filter of any number and size of values holds them, copied and moved") {
    std::mt19937 random(13);
    for (int i = 0; i < 4'000; ++i) {
        texts values(random() % (i % 8 == 0 ? 80 : 8));
        for (std::string& value : values) {
            value = std::string(1 + random() % (i % 3 == 0 ? 60 : 6), 'x');
            for (char& byte : value) byte = static_cast<char>('a' + random() % 3);
        }
        const filter f(values, i % 2 == 0);
        filter copied = f;
        const filter moved = std::move(copied);
        copied = moved;  // what was moved from can be assigned to
        for (const filter& copy : {f, moved, copied}) {
            CHECK(copy == f);
            CHECK(texts(copy.values().begin(), copy.values().end()) == values);
            CHECK(copy.values().size() == values.size());
        }
        for (std::size_t at = 0; at < values.size(); ++at) {
            CHECK(f.values()[at] == values[at]);
            CHECK(f.values().begin()[static_cast<std::ptrdiff_t>(at)] == values[at]);
        }
        CHECK(parse_filter(to_string(f)) == f);
    }
    static_assert(std::ranges::random_access_range<filter_values>);
    static_assert(std::ranges::borrowed_range<filter_values>);
    static_assert(sizeof(filter) <= 64);
}

TEST_CASE("an iterator over values goes both ways, by one and by many") {
    const filter f = *parse_filter("a,b,c,d");
    auto at = f.values().begin();
    CHECK(*at++ == "a");
    CHECK(*at == "b");
    CHECK(*++at == "c");
    CHECK(*at-- == "c");
    CHECK(*at == "b");
    CHECK(*--at == "a");
    CHECK(*(at += 3) == "d");
    CHECK(*(at -= 2) == "b");
    CHECK(*(at + 2) == "d");
    CHECK(*(2 + at) == "d");
    CHECK(*(at - 1) == "a");
    CHECK(at[-1] == "a");
    CHECK(f.values().end() - at == 3);
    CHECK(at < f.values().end());
}

TEST_CASE("a matcher of many values names the rows that its values name one by one") {
    std::mt19937 random(23);
    const std::string alphabet = "aAbB-?";
    const auto word = [&] {
        std::string text(random() % 12, 'x');
        for (char& byte : text) byte = alphabet[random() % alphabet.size()];
        return text;
    };
    for (std::size_t count = 0; count < 300; ++count) {
        texts values(count);
        for (std::string& value : values) value = word() + (count % 2 == 0 ? "" : "long enough");
        const filter f(values);
        for (const collation how : sluice::collations) {
            const filter_matcher names(f.values(), how);
            for (int rows = 0; rows < 20; ++rows) {
                const std::string row =
                    rows % 2 == 0 || count == 0 ? word() : values[random() % count];
                CHECK((f.empty() || names.contains(row)) == f.matches(row, how));
            }
        }
    }
}

TEST_CASE("any text is either a filter that survives its text or an error inside the text") {
    std::mt19937 random(11);
    const std::string alphabet = "ab-,\\";
    for (int i = 0; i < 50'000; ++i) {
        std::string text(random() % 9, 'x');
        for (char& byte : text) byte = alphabet[random() % alphabet.size()];
        CAPTURE(text);
        const auto parsed = parse_filter(text);
        if (parsed) {
            CHECK(parse_filter(to_string(*parsed)) == parsed);
        } else {
            CHECK(parsed.error().length > 0);
            CHECK(parsed.error().offset + parsed.error().length <= text.size());
        }
    }
}
