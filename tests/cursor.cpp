// SPDX-License-Identifier: MIT
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/list_query.hpp>

using namespace sluice;

TEST_CASE("base64url has the digits of RFC 4648 and no padding") {
    const std::pair<std::string_view, std::string_view> table[] = {
        {"", ""},           {"f", "Zg"},          {"fo", "Zm8"},          {"foo", "Zm9v"},
        {"foob", "Zm9vYg"}, {"fooba", "Zm9vYmE"}, {"foobar", "Zm9vYmFy"}, {"\xFB\xFF", "-_8"}};
    for (const auto& [bytes, text] : table) {
        CHECK(detail::to_base64url(bytes) == text);
        CHECK(detail::from_base64url(text) == bytes);
    }
    for (const std::string_view text : {"Zg==", "Z", "Zh", "Zm9", "Zm8+", "Zm8/", "Zm 8"}) {
        CAPTURE(text);
        CHECK_FALSE(detail::from_base64url(text));
    }
}

TEST_CASE("a cursor is read back from its text, however it was made") {
    std::mt19937 random(3);
    for (int i = 0; i < 500; ++i) {
        cursor place{random() % 2 == 0,
                     static_cast<std::uint32_t>(random()),
                     static_cast<std::uint32_t>(random() % 3),
                     {}};
        for (unsigned keys = random() % 4; keys > 0; --keys) {
            const std::size_t size = random() % 40;
            std::string key;
            for (std::size_t at = 0; at < size; ++at) key.push_back(static_cast<char>(random()));
            place.keys.push_back(random() % 5 == 0 ? std::nullopt : std::optional(key));
        }
        const auto text = to_string(place);
        REQUIRE(text);
        CHECK(text->size() <= cursor_max_length);
        CHECK(parse_cursor(*text) == place);
    }
}

TEST_CASE("a key that is too long for a cursor has none") {
    const auto fits = [](std::size_t size) {
        return to_string(cursor{.keys = {std::string(size, 'x')}}).has_value();
    };
    CHECK(fits(177));
    CHECK_FALSE(fits(178));
    CHECK_FALSE(fits(255));
    const cursor longest{.keys = {std::string(177, 'x')}};
    const std::string text = to_string(longest).value();
    CHECK(text.size() == cursor_max_length);
    CHECK(parse_cursor(text) == longest);
}

TEST_CASE("a damaged cursor is refused as a whole") {
    const std::string text = to_string(cursor{.keys = {"1787279415123", "ev_1"}}).value();
    REQUIRE(parse_cursor(text));
    for (std::size_t at = 0; at < text.size(); ++at) {
        std::string damaged = text;
        damaged[at] = damaged[at] == 'A' ? 'B' : 'A';
        CAPTURE(damaged);
        const auto read = parse_cursor(damaged);
        REQUIRE(!read);
        CHECK(read.error().broken == rule::cursor_malformed);
        CHECK(read.error().length == damaged.size());
        CHECK_FALSE(parse_cursor(text.substr(0, at)));
    }
    CHECK_FALSE(parse_cursor(text + "A"));
}

TEST_CASE("a forged cursor whose keys are torn is refused, though its check is right") {
    const auto forged = [](std::string_view keys) {
        std::string bytes(detail::cursor_head, '\0');
        bytes[0] = detail::cursor_version;
        bytes.append(keys);
        detail::append_number(bytes, detail::lasting_hash(bytes));
        return detail::to_base64url(bytes);
    };
    using namespace std::string_view_literals;
    const auto whole = parse_cursor(forged("\0\1\3ab\0"sv));
    REQUIRE(whole);
    CHECK((*whole).keys == decltype(cursor::keys){std::nullopt, "", "ab", std::nullopt});
    for (const std::string_view torn : {"\2"sv, "\3a"sv, "\0\xFF"sv, "\3ab\4cd"sv}) {
        CHECK_FALSE(parse_cursor(forged(torn)));
    }
}

TEST_CASE("queries of one order and filter share a mark, whatever their window and page") {
    const column status{.name = "status", .how = collation::ignore_case};
    const column created{.name = "created", .type = column_type::time};
    const auto make = [&](std::string_view values, sort_order direction, std::int64_t since) {
        list_query query;
        query.rows = where::all_of(
            {{status, text_test{parse_filter(values).value()}},
             {created, bounds<instant>{.least = instant(std::chrono::milliseconds(since))}}});
        query.order = {{created, direction}};
        return query;
    };
    const auto asc = sort_order::ascending;
    const std::uint32_t mark = query_mark(make("a,b", asc, 1));
    CHECK(query_mark(make("B,a,b", asc, 2)) == mark);
    CHECK(query_mark(make("a", asc, 1)) != mark);
    CHECK(query_mark(make("-a,b", asc, 1)) != mark);
    CHECK(query_mark(make("a,b", sort_order::descending, 1)) != mark);
    list_query other = make("a,b", asc, 1);
    other.wanted.number = 7;
    CHECK(query_mark(other) == mark);
    other.resource = "leads";
    CHECK(query_mark(other) != mark);
}

TEST_CASE("a key is a value of its column, and nothing else") {
    using enum column_type;
    const struct {
        column_type type;
        std::optional<std::string> key;
        bool is_key;
    } table[] = {
        {integer, "-9223372036854775808", true},
        {integer, "9223372036854775807", true},
        {integer, "9223372036854775808", false},
        {integer, "1.5", false},
        {integer, "", false},
        {time, "-9223372036854775808", true},
        {time, "9223372036854775807", true},
        {time, "-9223372036854775809", false},
        {time, "1e19", false},
        {time, "1970-01-01T00:00:01.500Z", true},
        {time, "soon", false},
        {decimal, "1e400", true},
        {decimal, "ten", false},
        {boolean, "true", true},
        {boolean, "yes", false},
        {text, "", true},
        {text, std::nullopt, false},
    };
    for (const auto& [type, key, is_key] : table) {
        CAPTURE(to_string(type));
        CAPTURE(key.value_or("null"));
        const column by{.name = "by", .type = type};
        CHECK(is_key_of(by, key) == is_key);
        CHECK(has_keys_of({{by}}, cursor{false, 0, 0, {key}}) == is_key);
        CHECK_FALSE(has_keys_of({{by}}, cursor{false, 0, 0, {key, key}}));
        CHECK_FALSE(has_keys_of({{by}, {by}}, cursor{false, 0, 0, {key}}));
    }
    CHECK(is_key_of({.name = "by", .type = integer, .is_nullable = true}, std::nullopt));
    CHECK(parse_time_key("-1500").value() == -1'500);
    CHECK(parse_time_key("1970-01-01T00:00:01.500Z").value() == 1'500);
}
