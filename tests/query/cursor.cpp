// SPDX-License-Identifier: MIT
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/query/list_query.hpp>

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

TEST_CASE("base64url ends in the digits that its last bytes are written as, and in no others") {
    for (unsigned end = 0; end < 256; ++end) {
        const auto byte = static_cast<char>(end);
        for (const std::string_view before : {"", "Z", "Zm", "Zm9", "Zm9v"}) {
            const std::string text = std::string(before) + byte;
            CAPTURE(text);
            const auto bytes = detail::from_base64url(text);
            const bool is_digit = detail::base64url_digits.find(byte) != std::string_view::npos;
            const unsigned unused = text.size() % 4 == 1   ? 0x3FU
                                    : text.size() % 4 == 2 ? 0x0FU
                                    : text.size() % 4 == 3 ? 0x03U
                                                           : 0U;
            const std::size_t value = detail::base64url_digits.find(byte);
            const bool is_whole = text.size() % 4 != 1 && (value & unused) == 0;
            CHECK(bytes.has_value() == (is_digit && is_whole));
            if (bytes) CHECK(detail::to_base64url(*bytes) == text);
        }
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

TEST_CASE("keys are whole as long as they fill a cursor, and have none where they are longer") {
    constexpr std::size_t most = detail::cursor_keys_max - detail::key_size_head;
    for (const std::size_t size : {0U, 1U, 252U, 253U, 254U, 255U, 256U, 600U, 750U, 751U, 752U}) {
        CAPTURE(size);
        const cursor place{.keys = {std::string(size, 'x')}};
        const auto text = to_string(place);
        CHECK(text.has_value() == (size <= most));
        if (!text) continue;
        CHECK(text->size() <= cursor_max_length);
        CHECK(parse_cursor(*text) == place);
    }
    CHECK(most == 751);
    CHECK(to_string(cursor{.keys = {std::string(most, 'x')}}).value().size() == cursor_max_length);
    const std::string third(250, 'x'), rest(754 - 2 * 251 - 1, 'y');
    CHECK(to_string(cursor{.keys = {third, third, rest}}).value().size() == cursor_max_length);
}

TEST_CASE("texts that are too long are cut, the last key and other types never") {
    struct row {
        std::vector<std::size_t> sizes;    // of a cursor's keys
        std::vector<std::size_t> are_cut;  // their indexes
        bool has_text = true;
    };
    const std::vector<row> table{
        {{700, 20}, {}},
        {{751, 2}, {0}},
        {{10'000, 20}, {0}},
        {{10'000, 10'000, 20}, {0, 1}},
        {{10'000, 10, 10'000, 20}, {0, 2}},
        {{400, 400, 20}, {0, 1}},
        {{100, 700, 20}, {1}},
        {{10'000, 700}, {0}},
        {{10'000, 740}, {}, false},  // no room for a beginning
        {{20, 752}, {}, false},
        {{10'000}, {}, false},
    };
    for (const auto& [sizes, are_cut, has_text] : table) {
        cursor place{.repeat = 1};
        for (const std::size_t size : sizes) place.keys.emplace_back(std::string(size, 'k'));
        CAPTURE(sizes.front());
        const cursor whole = place;
        cut_long_keys(place, [](std::size_t) { return true; });
        std::vector<std::size_t> cuts;
        for (const cut_key& cut : place.cuts) cuts.push_back(cut.at);
        CHECK(cuts == are_cut);
        const auto text = to_string(place);
        REQUIRE(text.has_value() == has_text);
        if (text) CHECK(text->size() <= cursor_max_length);
        if (text) CHECK(parse_cursor(*text) == place);
        for (std::size_t at = 0; at < sizes.size(); ++at) {
            CHECK(whole.keys[at]->starts_with(*place.keys[at]));
            if (place.cut_of(at) == nullptr) CHECK(place.keys[at] == whole.keys[at]);
            if (place.cut_of(at) != nullptr) CHECK(place.keys[at]->size() > 20);
        }
        cursor others = whole;
        cut_long_keys(others, [](std::size_t) { return false; });
        CHECK(others == whole);
    }
}

TEST_CASE("a text is cut between characters, whatever their sizes") {
    for (const std::string_view character : {"x", "\u00E9", "\u0436", "\u20AC", "\U0001F600"}) {
        for (std::size_t ahead = 0; ahead < 4; ++ahead) {
            std::string text(ahead, 'a');
            while (text.size() < 2'000) text.append(character);
            cursor place{.keys = {text, "id"}};
            cut_long_keys(place, [](std::size_t) { return true; });
            REQUIRE(place.cuts.size() == 1);
            const std::string_view left = place.key(0);
            CAPTURE(left);
            CHECK(detail::is_valid_utf8(left));
            CHECK(text.starts_with(left));
            CHECK(left.size() > 730);
        }
    }
    cursor broken{.keys = {std::string(2'000, '\x80'), "id"}};
    cut_long_keys(broken, [](std::size_t) { return true; });
    CHECK(to_string(broken));
    CHECK(broken.key(0).size() > 730);
}

TEST_CASE("the text after a prefix is after all texts that begin with it, and before all others") {
    using namespace std::string_view_literals;
    const std::pair<std::string_view, std::string_view> table[] = {
        {"a", "b"},
        {"ab", "ac"},
        {"a\x7F", "a\u0080"},
        {"a\0"sv, "a\1"},
        {"\u00FF", "\u0100"},
        {"\u07FF", "\u0800"},
        {"\uD7FF", "\uE000"},
        {"\uFFFF", "\U00010000"},
        {"a\U0010FFFF", "b"},
        {"a\U0010FFFF\U0010FFFF", "b"},
        {"\U0010FFFF", "\U0010FFFF\U0010FFFF"},
        {"", "\U0010FFFF"},
        {"a\xFF", "b"},
        {"a\xC3", "b"},
        {"a\x80\x80", "b"},
    };
    for (const auto& [prefix, after] : table) {
        CAPTURE(prefix);
        CHECK(detail::text_after(prefix) == after);
    }
    std::mt19937 random(7);
    const auto draw = [&] {
        std::string text;
        for (auto left = random() % 3; left > 0; --left) {
            constexpr char32_t some[] = {'a', 'b', 0x7F, 0x80, 0xD7FF, 0xE000, 0xFFFF, 0x10000};
            detail::append_utf8(text, some[random() % std::size(some)]);
        }
        return text;
    };
    for (int i = 0; i < 5'000; ++i) {
        const std::string prefix = draw() + "a", text = draw() + draw();
        CAPTURE(prefix);
        CAPTURE(text);
        const bool is_between = text >= prefix && text < detail::text_after(prefix);
        CHECK(is_between == text.starts_with(prefix));
    }
}

TEST_CASE("cut keys are those of the row that the last key names, or the end of those alike") {
    const std::string name = std::string(800, 'n') + "end", other = std::string(800, 'n') + "other";
    using keys = std::vector<std::optional<std::string>>;
    cursor place{.keys = {name, "5", "id"}};
    cut_long_keys(place, [](std::size_t at) { return at == 0; });
    REQUIRE(place.cuts.size() == 1);
    const std::string left(place.key(0)), after = left.substr(0, left.size() - 1) + "o";
    struct row {
        keys of_row;
        bool is_before, ascends;
        std::string expected;
    };
    const std::vector<row> table{
        {{name, "5", "id"}, false, true, name},
        {{name, "6", "id"}, true, false, name},
        {{}, false, true, left},
        {{}, true, false, left},
        {{}, false, false, after},
        {{}, true, true, after},
        {{other, "5", "id"}, false, true, left},
        {{other, "5", "id"}, true, true, after},
        {{"n", "5", "id"}, false, false, after},
        {{std::nullopt, "5", "id"}, false, true, left},
    };
    for (const auto& [of_row, is_before, ascends, expected] : table) {
        place.is_before = is_before;
        const cursor whole = with_whole_keys(
            place, [goes_up = ascends](std::size_t) { return goes_up; },
            [&](const std::optional<std::string>& last) {
                CHECK(last == "id");
                return of_row;
            });
        CHECK(whole == cursor{.is_before = is_before, .keys = {expected, "5", "id"}});
    }
    const cursor short_one{.keys = {"a", "id"}};
    CHECK(with_whole_keys(
              short_one, [](std::size_t) { return true; },
              [](const auto&) { return keys{"b", "id"}; }) == short_one);
}

TEST_CASE("a cursor whose last key is too long is an error that names its column") {
    const std::vector<sort_key> order{{{.name = "name"}}, {{.name = "key", .type = {}}}};
    struct row {
        std::size_t name, key;
        std::string_view param;
        std::int64_t bound;
    };
    for (const auto& [name, key, param, bound] :
         {row{5, 800, "key", 745}, row{5, 746, "key", 745}, row{900, 800, "key", 739},
          row{900, 739, "", 0}, row{900, 740, "key", 739}, row{900, 5, "", 0},
          row{5, 745, "", 0}}) {
        cursor place{.keys = {std::string(name, 'n'), std::string(key, 'k')}};
        cut_long_keys(place, order);
        CAPTURE(name);
        CAPTURE(key);
        const auto text = cursor_text(place, order);
        CHECK(text.has_value() == param.empty());
        if (text) CHECK(to_string(place) == *text);
        if (text) continue;
        CHECK(text.error().broken == rule::cursor_key_too_long);
        CHECK(text.error().param == param);
        CHECK(text.error().bound == bound);
        CHECK(http_status(text.error().code) == 500);
    }
    // A decimal can't be cut: its digits are no text in order.
    const std::vector<sort_key> sums{{{.name = "sum", .type = column_type::decimal}},
                                     {{.name = "id"}}};
    cursor place{.keys = {std::string(900, '7'), "id"}};
    cut_long_keys(place, sums);
    CHECK(cursor_text(place, sums).error().param == "sum");
}

// What is written here outlives a process, and may be read on another machine.
TEST_CASE("cursors are the same text on every machine and of every version") {
    const std::string name = std::string(700, 'n') + "\u20AC" + std::string(100, 'm');
    cursor cut{.is_before = true, .query_mark = 0xDEADBEEF, .repeat = 2, .keys = {name, "id"}};
    cut_long_keys(cut, [](std::size_t) { return true; });
    const std::pair<cursor, std::string_view> table[] = {
        {{}, "AQAAAAAAAAAAAKtaOgY"},
        {{.keys = {"1787279415123", "ev_1"}}, "AQAAAAAAAAAAAA4xNzg3Mjc5NDE1MTIzBWV2XzEh_b0s"},
        {{true, 0x01020304, 5, {std::nullopt, "", "\xFF"}}, "AQEEAwIBBQAAAAABAv8sh2CH"},
        {{.query_mark = 7, .keys = {std::string(252, 'a')}}, "2007549568329150956"},
        {{.query_mark = 7, .keys = {std::string(253, 'a')}}, "17840730578512548450"},
        {cut, "5880605766230095658"},
    };
    for (const auto& [place, expected] : table) {
        const std::string text = to_string(place).value();
        CHECK(parse_cursor(text) == place);
        if (text.size() < 100) CHECK(text == expected);
        if (text.size() >= 100) CHECK(std::to_string(detail::lasting_hash_64(text)) == expected);
    }
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
    using namespace std::string_literals;
    using namespace std::string_view_literals;
    const auto whole = parse_cursor(forged("\0\1\3ab\0"sv));
    REQUIRE(whole);
    CHECK((*whole).keys == decltype(cursor::keys){std::nullopt, "", "ab", std::nullopt});
    for (const std::string_view torn :
         {"\2"sv, "\3a"sv, "\0\xFF"sv, "\3ab\4cd"sv, "\xFE"sv, "\xFE\xFD"sv, "\xFE\1\0a"sv,
          "\xFF\1\0a"sv, "\xFF\2\0hhhhhhhha\1"sv}) {
        CHECK_FALSE(parse_cursor(forged(torn)));
    }
    const std::string cut = "\xFF\1"s + "\0hhhhhhhha"s;
    CHECK(parse_cursor(forged(cut + "\2b")).value().cuts ==
          std::vector{cut_key{0, 0x6868686868686868}});
    CHECK_FALSE(parse_cursor(forged(cut)));          // the last key is whole
    CHECK_FALSE(parse_cursor(forged("\2b" + cut)));  // here too
}

TEST_CASE("a forged cursor of another version or with other flags is refused") {
    for (unsigned version = 0; version < 4; ++version) {
        for (unsigned flags = 0; flags < 4; ++flags) {
            std::string bytes(detail::cursor_head, '\0');
            bytes[0] = static_cast<char>(version);
            bytes[1] = static_cast<char>(flags);
            detail::append_number(bytes, detail::lasting_hash(bytes));
            CAPTURE(version);
            CAPTURE(flags);
            CHECK(parse_cursor(detail::to_base64url(bytes)).has_value() ==
                  (version == 1 && flags <= 1));
        }
    }
}

TEST_CASE("queries of one order and filter share a mark, whatever their window and page") {
    const column status{.name = "status", .how = collation::ignore_case};
    const column created{.name = "created", .type = column_type::time};
    const auto make = [&](std::string_view values, sort_order direction, std::int64_t since) {
        list_query query;
        query.rows = where::all_of(
            {{status, text_test{parse_filter(values).value()}},
             {created, bounds<instant>{.least = instant(std::chrono::milliseconds(since))},
              "interval", true}});
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
    other.resource = {};
    CHECK(query_mark(other) == mark);
    other.search = "x";
    CHECK(query_mark(other) != mark);
    other.search.clear();
    other.wants_total = true;
    CHECK(query_mark(other) == mark);
}

TEST_CASE("a mark leaves out the window, and no other condition on time") {
    const column created{.name = "created", .type = column_type::time};
    const column paid{.name = "paid", .type = column_type::time};
    const auto at = [](std::int64_t ms) { return instant(std::chrono::milliseconds(ms)); };
    const auto mark_of = [&](std::vector<leaf> leaves) {
        list_query query;
        query.rows = where::all_of(std::move(leaves));
        return query_mark(query);
    };
    const auto window = [&](std::int64_t since) {
        return leaf{created, bounds<instant>{.least = at(since)}, "interval", true};
    };
    const auto test_of = [&](const column& of, bounds<instant> test) {
        return leaf{of, test, "x"};
    };
    const std::uint32_t mark = mark_of({test_of(paid, {.least = at(1)})});
    CHECK(mark_of({test_of(paid, {.least = at(1)}), window(1)}) == mark);
    CHECK(mark_of({window(9), test_of(paid, {.least = at(1)})}) == mark);
    CHECK(mark_of({test_of(paid, {.least = at(2)})}) != mark);
    CHECK(mark_of({test_of(paid, {.most = at(1)})}) != mark);
    CHECK(mark_of({test_of(paid, {.least = at(1), .excludes_least = true})}) != mark);
    CHECK(mark_of({test_of(created, {.least = at(1)})}) != mark);
    CHECK(mark_of({window(1)}) != mark);
    CHECK(mark_of({window(1)}) == mark_of({}));
}

TEST_CASE("marks are the same on every machine and of every version") {
    const column status{.name = "status", .how = collation::ignore_case};
    const column total{.name = "total", .type = column_type::integer};
    list_query query;
    CHECK(query_mark(query) == 0x27D477D7);
    query.resource = "orders";
    query.search = "\u00E9t\u00E9";
    query.order = {{total, sort_order::descending}, {status}};
    CHECK(query_mark(query) == 0x055D1C50);
    query.rows = where::all({where::negation(where(leaf{status, text_test{filter({"b", "A"})}})),
                             where(leaf{total, bounds<std::int64_t>{.least = -5}})});
    CHECK(query_mark(query) == 0x3B2C30FC);
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
        {integer, std::nullopt, false},
        {time, std::nullopt, false},
        {decimal, std::nullopt, true},  // a missing one: NaN
        {boolean, std::nullopt, false},
    };
    for (const auto& [type, key, is_key] : table) {
        CAPTURE(to_string(type));
        CAPTURE(key.value_or("null"));
        const column by{.name = "by", .type = type};
        CHECK(is_key_of(by, key) == is_key);
        CHECK(has_keys_of({{by}}, cursor{false, 0, 0, {key}}) == is_key);
        CHECK(has_keys_of({{column{.name = "id"}}, {by}}, cursor{.keys = {"1", key}}) == is_key);
        CHECK_FALSE(has_keys_of({{by}}, cursor{false, 0, 0, {key, key}}));
        CHECK_FALSE(has_keys_of({{by}, {by}}, cursor{false, 0, 0, {key}}));
    }
    CHECK(is_key_of({.name = "by", .type = integer, .is_nullable = true}, std::nullopt));
    for (const column_type type : {text, integer, time, decimal, boolean}) {
        const column by{.name = "by", .type = type};
        const std::string key = type == boolean ? "true" : "1";
        const cursor cut{.keys = {key, "id"}, .cuts = {{0, 1}}};
        CHECK(has_keys_of({{by}, {column{.name = "id"}}}, cut) == (type == text));
    }
    CHECK(parse_time_key("-1500").value() == -1'500);
    CHECK(parse_time_key("1970-01-01T00:00:01.500Z").value() == 1'500);
}
