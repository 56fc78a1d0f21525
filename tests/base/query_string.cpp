// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/base/query_string.hpp>

using namespace sluice;

namespace {

using owned_pairs = std::vector<std::pair<std::string, std::string>>;

owned_pairs parsed(std::string_view text) {
    const query_string query = parse_query_string(text);
    owned_pairs pairs;
    for (const auto& [name, value] : query.pairs()) pairs.emplace_back(name, value);
    return pairs;
}

}  // namespace

// The expectations are those of the URL standard's parser, as browsers' URLSearchParams shows them.
TEST_CASE("a query string is split and decoded as the URL standard says") {
    const std::vector<std::pair<std::string, owned_pairs>> table{
        {"", {}},
        {"&", {}},
        {"&&a=b&&", {{"a", "b"}}},
        {"a", {{"a", ""}}},
        {"a=", {{"a", ""}}},
        {"=b", {{"", "b"}}},
        {"=", {{"", ""}}},
        {"a=b=c", {{"a", "b=c"}}},
        {"a=1&a=2", {{"a", "1"}, {"a", "2"}}},
        {"a+b=c+d", {{"a b", "c d"}}},
        {"a=%2B", {{"a", "+"}}},
        {"a%3Db=%26", {{"a=b", "&"}}},
        {"city=S%C3%A3o+Paulo", {{"city", "S\u00E3o Paulo"}}},
        {"a=%", {{"a", "%"}}},
        {"a=%4", {{"a", "%4"}}},
        {"a=%zz", {{"a", "%zz"}}},
        {"a=%%41", {{"a", "%A"}}},
        {"a=%4%41", {{"a", "%4A"}}},
        {"a=%00", {{"a", std::string(1, '\0')}}},
        {"ids%5B%5D=x", {{"ids[]", "x"}}},
        {"a=%FF", {{"a", "\uFFFD"}}},
        {"a=\xFF", {{"a", "\uFFFD"}}},
        {"a=%C0%80", {{"a", "\uFFFD\uFFFD"}}},
        {"a=%ED%A0%80", {{"a", "\uFFFD\uFFFD\uFFFD"}}},
        {"a=%F0%9F%98", {{"a", "\uFFFD"}}},
        {"a=%F0%9F%98%80", {{"a", "\U0001F600"}}},
        {"a=%EF%BB%BFx", {{"a", "\uFEFFx"}}},
        {"a;b=1", {{"a;b", "1"}}},
        {"?", {}},
        {"?a=1", {{"a", "1"}}},
        {"??a=1", {{"?a", "1"}}},
        {"&?a=1", {{"?a", "1"}}},
        {"%3Fa=1", {{"?a", "1"}}},
        {"a=?", {{"a", "?"}}},
    };
    for (const auto& [text, pairs] : table) {
        CAPTURE(text);
        CHECK(parsed(text) == pairs);
    }
}

TEST_CASE("what needs no decoding is a view of the input") {
    const std::string text = "country=US,CA&city=a+b";
    const query_string query = parse_query_string(text);
    CHECK(query.pairs()[0].value.data() == text.data() + 8);
    CHECK(query.pairs()[1].value == "a b");
}

TEST_CASE("a query string stays valid when it is moved") {
    query_string first = parse_query_string("a=%41&b=+");
    const query_string second = std::move(first);
    CHECK(second.pairs()[0].value == "A");
    CHECK(second.pairs()[1].value == " ");
}

TEST_CASE("pairs survive their text") {
    std::mt19937 random(3);
    const std::vector<std::string> pieces{"a",  "&",   "=",      "+",          "%",
                                          " ",  "%41", "\u00E9", "\U0001F600", std::string(1, '\0'),
                                          "\"", "~"};
    const auto word = [&] {
        std::string text;
        for (auto n = random() % 5; n > 0; --n) text += pieces[random() % pieces.size()];
        return text;
    };
    for (int i = 0; i < 5'000; ++i) {
        owned_pairs pairs;
        for (auto n = 1 + random() % 4; n > 0; --n) pairs.emplace_back(word(), word());
        std::vector<name_value> views;
        for (const auto& [name, value] : pairs) views.push_back({name, value});
        CHECK(parsed(to_query_string(views)) == pairs);
    }
}

TEST_CASE("any bytes decode to valid UTF-8") {
    std::mt19937 random(5);
    for (int i = 0; i < 20'000; ++i) {
        std::string text(random() % 12, 'x');
        for (char& byte : text) byte = static_cast<char>(random());
        for (const auto& [name, value] : parsed(text)) {
            CHECK(detail::is_valid_utf8(name));
            CHECK(detail::is_valid_utf8(value));
        }
    }
}

TEST_CASE("sixteen bytes are marked at once as they are one by one") {
    const auto marks_at = [](int place, int byte) {
        std::string text(16, 'x');
        text[static_cast<std::size_t>(place)] = static_cast<char>(byte);
        const detail::form_marks marks = detail::mark_one_by_one(text.data());
        const detail::form_marks at_once = detail::mark_sixteen(text.data());
        CHECK(marks.ends == at_once.ends);
        CHECK(marks.equals == at_once.equals);
        CHECK(marks.encoded == at_once.encoded);
        return marks;
    };
    for (int place = 0; place < 16; ++place) {
        for (int byte = 0; byte < 256; ++byte) {
            const detail::form_marks marks = marks_at(place, byte);
            const std::uint64_t here = std::uint64_t{1} << place;
            CHECK(marks.ends == (byte == '&' ? here : 0));
            CHECK(marks.equals == (byte == '=' ? here : 0));
            CHECK(marks.encoded == (byte == '%' || byte == '+' || byte >= 128 ? here : 0));
        }
    }
}

TEST_CASE("an escape that the text cuts off is not read on after its end") {
    const std::string_view text = "a=%41";
    CHECK(parsed(text.substr(0, 4)) == owned_pairs{{"a", "%4"}});
    CHECK(parsed(text.substr(0, 3)) == owned_pairs{{"a", "%"}});
}

TEST_CASE("the form serialiser writes literals and spaces as one byte, others as an escape") {
    const std::string_view literals =
        "*-._0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    for (int byte = 0; byte < 256; ++byte) {
        const std::string text(1, static_cast<char>(byte));
        char escape[4];
        std::snprintf(escape, sizeof escape, "%%%02X", static_cast<unsigned>(byte));
        const std::string expected =
            literals.find(text) != literals.npos ? text : (text == " " ? "+" : escape);
        const name_value pair{"", text};
        CHECK(to_query_string({&pair, 1}) == "=" + expected);
    }
}

// The grammar, byte by byte: an oracle for what reads 64 bytes at a time.
TEST_CASE("a text of any length is split where its bytes say") {
    std::mt19937 random(9);
    const std::string alphabet = "&&===ab%+\xC3";
    for (int i = 0; i < 20'000; ++i) {
        std::string text(random() % 200, 'x');
        for (char& byte : text) {
            if (random() % (1U + static_cast<unsigned>(i) % 16) == 0)
                byte = alphabet[random() % alphabet.size()];
        }
        CAPTURE(text);
        owned_pairs expected;
        std::size_t begin = 0;
        for (std::size_t at = 0; at <= text.size(); ++at) {
            if (at < text.size() && text[at] != '&') continue;
            const std::string pair = text.substr(begin, at - begin);
            begin = at + 1;
            if (pair.empty()) continue;
            const std::size_t equals = std::min(pair.find('='), pair.size());
            const auto decoded = [](const std::string& part) {
                std::string bytes(part.size(), 'x');
                bytes.resize(detail::form_decode(part, bytes.data()));
                return detail::to_valid_utf8(bytes);
            };
            expected.emplace_back(decoded(pair.substr(0, equals)),
                                  equals == pair.size() ? "" : decoded(pair.substr(equals + 1)));
        }
        CHECK(parsed(text) == expected);
    }
}

TEST_CASE("many pairs and long texts stay valid when they are moved") {
    std::string text;
    for (int i = 0; i < 300; ++i) {
        const std::string number = std::to_string(i);
        text += "&n" + number + "=%41" + number;
        if (i % 50 == 0) text += std::string(400, 'x') + "+";
    }
    query_string first = parse_query_string(text);
    query_string second = std::move(first);
    query_string third;
    third = std::move(second);
    REQUIRE(third.pairs().size() == 300);
    CHECK(third.pairs()[0].value == "A0" + std::string(400, 'x') + " ");
    CHECK(third.pairs()[7].value == "A7");
    CHECK(third.pairs()[299].value == "A299");
    second = parse_query_string("a=+");
    CHECK(second.pairs()[0].value == " ");
}

TEST_CASE("a megabyte of hostile bytes is decoded") {
    CHECK(parsed("a=" + std::string(1 << 20, '\xFF'))[0].second.size() == 3 << 20);
    CHECK(parsed(std::string(1 << 20, '&')).empty());
    CHECK(parsed("a=" + std::string(1 << 20, '%'))[0].second.size() == 1 << 20);
}
