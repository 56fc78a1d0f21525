// SPDX-License-Identifier: MIT
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/query/page.hpp>

using namespace sluice;

namespace {

constexpr auto most = std::numeric_limits<std::int64_t>::max();

/// The relations of a Link header, each with a space after it.
std::string relations_in(std::string_view links) {
    std::string relations;
    for (std::size_t at = links.find("rel=\""); at != links.npos; at = links.find("rel=\"", at)) {
        at += 5;
        relations.append(links.substr(at, links.find('"', at) - at)).append(" ");
    }
    return relations;
}

}  // namespace

static_assert(parse_whole_number("2", 1) == 2);
static_assert(page{3, 10}.offset() == 20);
static_assert(page{}.offset() == 0);
static_assert(page{} == page{1, 100});

TEST_CASE("digits alone are read as any number is") {
    for (const std::string_view text :
         {"0", "7", "10", "999999999999999999", "00", "01", "", "1000000000000000000", "1.0", "-1",
          "1e2", "1a", "+1", " 1", "9223372036854775808"}) {
        CAPTURE(text);
        const auto plain = detail::parse_plain_number(text);
        if (plain) CHECK(detail::to_int64(*detail::parse_decimal(text)) == *plain);
        const bool digits = text.find_first_not_of("0123456789") == text.npos;
        const bool leading = text.size() > 1 && text.starts_with('0');
        CHECK(plain.has_value() == (digits && !leading && !text.empty() && text.size() <= 18));
    }
}

TEST_CASE("a whole number is a JSON number without a fraction") {
    struct ok {
        std::string text;
        std::int64_t value;
    };
    const std::vector<ok> table{
        {"1", 1},
        {"2", 2},
        {"2.0", 2},
        {"2.000", 2},
        {"1e2", 100},
        {"1E2", 100},
        {"1e+2", 100},
        {"1.5e1", 15},
        {"100e-2", 1},
        {"0.1e1", 1},
        {"9223372036854775806", most - 1},
        {"9223372036854775807", most},
        {"9223372036854775808", most},
        {"1e400", most},
        {"1e99999999999999999999", most},
        {"1" + std::string(100'000, '0'), most},
        {"1." + std::string(100'000, '0'), 1},
    };
    for (const auto& [text, value] : table) {
        CAPTURE(text.substr(0, 40));
        CHECK(parse_whole_number(text, 1) == value);
    }
    CHECK(parse_whole_number("-3", -5, 5) == -3);
    CHECK(parse_whole_number("-0", 0, 5) == 0);
    CHECK(parse_whole_number("0e9", 0, 5) == 0);
}

TEST_CASE("a whole number of 64 bits is itself, and one of more is refused, not cut off") {
    constexpr auto least = std::numeric_limits<std::int64_t>::min();
    const struct {
        std::string_view text;
        std::int64_t value;
    } read[] = {
        {"0", 0},
        {"-7", -7},
        {"1e2", 100},
        {"9223372036854775806", most - 1},
        {"9223372036854775807", most},
        {"9223372036854775807.0", most},
        {"-9223372036854775807", least + 1},
        {"-9223372036854775808", least},
        {"-9.223372036854775808e18", least},
    };
    for (const auto& [text, value] : read) {
        CAPTURE(text);
        CHECK(parse_int64(text) == value);
        CHECK(parse_int64(text, value, value) == value);
    }
    const struct {
        std::string_view text;
        rule broken;
    } refused[] = {
        {"", rule::number_malformed},      {"7x", rule::number_malformed},
        {"0.5", rule::number_not_whole},   {"9223372036854775808", rule::number_too_large},
        {"1e400", rule::number_too_large}, {"-9223372036854775809", rule::number_too_small},
        {"-1e19", rule::number_too_small},
    };
    for (const auto& [text, broken] : refused) {
        CAPTURE(text);
        const auto number = parse_int64(text);
        REQUIRE(!number);
        CHECK(number.error().broken == broken);
        CHECK(number.error().offset == 0);
        CHECK(number.error().length == text.size());
        CHECK(parse_int64(text, least, most - 1).error().broken == broken);
        CHECK(parse_int64(text, least + 1, most).error().broken == broken);
    }
}

TEST_CASE("what is no whole number, too small or too large names the rule over its whole text") {
    struct bad {
        std::string text;
        rule broken;
    };
    const std::vector<bad> table{
        {"", rule::number_malformed},
        {" 1", rule::number_malformed},
        {"1 ", rule::number_malformed},
        {"+1", rule::number_malformed},
        {"01", rule::number_malformed},
        {"1.", rule::number_malformed},
        {".5", rule::number_malformed},
        {"1e", rule::number_malformed},
        {"1e+", rule::number_malformed},
        {"0x10", rule::number_malformed},
        {"1,000", rule::number_malformed},
        {"1_000", rule::number_malformed},
        {"NaN", rule::number_malformed},
        {"Infinity", rule::number_malformed},
        {"--1", rule::number_malformed},
        {"one", rule::number_malformed},
        {"\uFF11", rule::number_malformed},
        {std::string("1\0", 2), rule::number_malformed},
        {"1.5", rule::number_not_whole},
        {"0.9", rule::number_not_whole},
        {"1e-1", rule::number_not_whole},
        {"-1.5", rule::number_not_whole},
        {"1e-99999999999999999999", rule::number_not_whole},
        {"0", rule::number_too_small},
        {"-0", rule::number_too_small},
        {"-1", rule::number_too_small},
        {"-1e400", rule::number_too_small},
        {"-9223372036854775809", rule::number_too_small},
        {"1001", rule::number_too_large},
        {"1e4", rule::number_too_large},
        {"9223372036854775808", rule::number_too_large},
    };
    for (const auto& [text, broken] : table) {
        CAPTURE(text);
        const auto parsed = parse_whole_number(text, 1, 1'000);
        REQUIRE_FALSE(parsed);
        error expected = make_error(broken, 0, text.size());
        if (broken == rule::number_too_small) expected.bound = 1;
        if (broken == rule::number_too_large) expected.bound = 1'000;
        CHECK(parsed.error() == expected);
    }
    CHECK(parse_whole_number("1", 1, 1'000) == 1);
    CHECK(parse_whole_number("1000", 1, 1'000) == 1'000);
}

TEST_CASE("no page number overflows") {
    CHECK(page{1, 1'000}.offset() == 0);
    CHECK(page{2, 1'000}.offset() == 1'000);
    CHECK(page{most, 1}.offset() == most - 1);
    CHECK(page{most, 1'000}.offset() == most);
    CHECK(page{most / 1'000 + 1, 1'000}.offset() == most / 1'000 * 1'000);
    CHECK(page{most / 1'000 + 2, 1'000}.offset() == most);
    CHECK(page{1, most}.offset() == 0);
    CHECK(page{2, 0}.offset() == 0);
    CHECK(page{2, -1}.offset() == 0);
    CHECK(page{-most - 1, 10}.offset() == 0);
    CHECK(page{2, most}.offset() == most);
    CHECK(page{3, most}.offset() == most);
}

TEST_CASE("a Link header names the pages around one, where they exist") {
    const std::vector<name_value> pairs{{"limit", "9"}};
    struct row {
        std::int64_t number;
        bool has_next;
        std::string_view links;
    };
    const std::vector<row> table{
        {1, false, R"(</events?limit=9&page=1>; rel="first")"},
        {1, true, R"(</events?limit=9&page=1>; rel="first", </events?limit=9&page=2>; rel="next")"},
        {2, true,
         R"(</events?limit=9&page=1>; rel="first", </events?limit=9&page=1>; rel="prev", )"
         R"(</events?limit=9&page=3>; rel="next")"},
        {7, false,
         R"(</events?limit=9&page=1>; rel="first", </events?limit=9&page=6>; rel="prev")"},
        {most, false,
         R"(</events?limit=9&page=1>; rel="first", )"
         R"(</events?limit=9&page=9223372036854775806>; rel="prev")"},
    };
    for (const auto& [number, has_next, links] : table) {
        CHECK(link_header("/events", pairs, number, has_next) == links);
    }
    CHECK(link_header("https://a.example/x", {}, 1, false) ==
          R"(<https://a.example/x?page=1>; rel="first")");
}

TEST_CASE("links number pages in the parameter that is called so") {
    const std::vector<name_value> pairs{{"o_limit", "9"}};
    CHECK(link_header("/x", pairs, 2, true, max_link_header, "o_page") ==
          R"(</x?o_limit=9&o_page=1>; rel="first", </x?o_limit=9&o_page=1>; rel="prev", )"
          R"(</x?o_limit=9&o_page=3>; rel="next")");
    const page_links beside{.next = {{"o_cursor", "AQ"}}, .first = {{"o_page", "1"}}};
    CHECK(link_header("/x", pairs, beside) ==
          R"(</x?o_limit=9&o_page=1>; rel="first", </x?o_limit=9&o_cursor=AQ>; rel="next")");
}

TEST_CASE("the first page of a list without numbers has no place") {
    const std::vector<name_value> pairs{{"limit", "9"}};
    const page_links beside{.next = {{"after", "AQ"}}, .first = {}};
    CHECK(link_header("/x", pairs, beside) ==
          R"(</x?limit=9>; rel="first", </x?limit=9&after=AQ>; rel="next")");
    CHECK(link_header("/x", {}, beside) == R"(</x>; rel="first", </x?after=AQ>; rel="next")");
}

TEST_CASE("offsets link pages by the number of rows before them") {
    struct row {
        page shown;
        bool has_next;
        std::string_view links;
    };
    const row table[] = {
        {{1, 9, 0}, false, R"(</x?offset=0>; rel="first")"},
        {{1, 9, 0}, true, R"(</x?offset=0>; rel="first", </x?offset=9>; rel="next")"},
        {{1, 9, 4},
         true,
         R"(</x?offset=0>; rel="first", </x?offset=0>; rel="prev", </x?offset=13>; rel="next")"},
        {{1, 9, 20}, false, R"(</x?offset=0>; rel="first", </x?offset=11>; rel="prev")"},
        {{3, 10, 5}, false, R"(</x?offset=0>; rel="first", </x?offset=15>; rel="prev")"},
        {{1, 9, most},
         true,
         R"(</x?offset=0>; rel="first", </x?offset=9223372036854775798>; rel="prev", )"
         R"(</x?offset=9223372036854775807>; rel="next")"},
    };
    for (const auto& [shown, has_next, links] : table) {
        CAPTURE(shown.skipped);
        CHECK(offset_link_header("/x", {}, shown, has_next) == links);
    }
    CHECK(offset_link_header("/x", {}, {1, 9, 0}, true, max_link_header, "$skip") ==
          R"(</x?%24skip=0>; rel="first", </x?%24skip=9>; rel="next")");
}

TEST_CASE("rows before a page are those of earlier pages and those before page 1") {
    CHECK(page{1, 10, 7}.offset() == 7);
    CHECK(page{3, 10, 7}.offset() == 27);
    CHECK(page{2, 10, most - 10}.offset() == most);
    CHECK(page{2, 10, most - 9}.offset() == most);
    CHECK(page{1, 10, -1}.offset() == 0);
}

TEST_CASE("a Link header of more than its largest size loses its first relations") {
    const std::size_t around = link_header("", {}, 1, false).size();
    for (const std::size_t size : {2'815U, 2'816U, 2'817U}) {
        CAPTURE(size);
        const std::string path(size - around, 'x');
        CHECK(link_header(path, {}, 1, false).size() == (size <= 2'816 ? size : 0));
    }
    struct row {
        std::size_t size;
        std::string_view relations;
    };
    constexpr std::string_view all = "first prev next ", without_first = "prev next ";
    const std::vector<name_value> pairs{{"limit", "9"}};
    const std::string links = link_header("/events", pairs, 2, true);
    const std::size_t next = links.size() - links.rfind('<');
    const std::size_t two = links.size() - links.find('<', 1);
    for (const auto& [size, relations] :
         {row{links.size(), all}, row{links.size() - 1, without_first}, row{two, without_first},
          row{two - 1, "next "}, row{next, "next "}, row{next - 1, ""}, row{0, ""}}) {
        CAPTURE(size);
        CHECK(relations_in(link_header("/events", pairs, 2, true, size)) == relations);
    }
    const std::string last = link_header("/events", pairs, 2, false);
    CHECK(relations_in(link_header("/events", pairs, 2, false, last.size() - 1)) == "prev ");
}

TEST_CASE("no parameter breaks out of a Link header, and each is read back") {
    const std::vector<name_value> pairs{{"city", "S\u00E3o Paulo, \"SP\">; rel=\"evil\""},
                                        {"a&b=c", "<x>\r\nset-cookie: y"},
                                        {"", ""},
                                        {"tab", "\t\x01"},
                                        {"percent", "%41+"}};
    const std::string links = link_header("/events", pairs, 1, false);
    CHECK(links.find_first_of("\r\n\t \"<>", 1) == links.find(">; rel=\"first\""));
    const std::size_t begin = links.find('?') + 1;
    const std::string query = links.substr(begin, links.find('>') - begin);
    const query_string parsed = parse_query_string(query);
    REQUIRE(parsed.pairs().size() == pairs.size() + 1);
    for (std::size_t i = 0; i < pairs.size(); ++i) CHECK(parsed.pairs()[i] == pairs[i]);
    CHECK(parsed.pairs().back() == name_value{"page", "1"});
}
