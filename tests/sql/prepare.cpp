// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <compare>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/metadata/query.hpp>
#include <sluice/sql/prepare.hpp>

using namespace sluice;
using sql::order_key;

namespace {

/// Numbers that are near each other, in value or in spelling, as often as not.
class number_source {
public:
    std::string draw() {
        std::string text = below(3) == 0 ? "-" : "";
        const bool has_zeros = below(8) == 0;
        text += below(4) == 0 ? "0" : std::to_string(1 + below(120));
        if (has_zeros && !text.ends_with('0')) text += std::string(below(30), '0');
        if (below(2) == 0) text += "." + std::string(below(3), '0') + std::to_string(below(200));
        if (below(2) == 0) text += exponent();
        return text;
    }

private:
    std::string exponent() {
        constexpr std::array<std::string_view, 3> signs{"", "+", "-"};
        std::string text = below(2) == 0 ? "e" : "E";
        text += signs[below(3)];
        if (below(3) != 0) return text + std::to_string(below(12));
        // About where digits are added up as texts, and where their count gets one more digit.
        constexpr std::array<std::size_t, 6> sizes{8, 9, 10, 17, 18, 99};
        const std::size_t size = sizes[below(sizes.size())];
        text += std::string(size, below(2) == 0 ? '9' : '0');
        return text += static_cast<char>('0' + below(10));
    }
    std::size_t below(std::size_t limit) { return random_() % limit; }

    std::mt19937 random_{11};
};

}  // namespace

TEST_CASE("order keys are ordered as their numbers are") {
    number_source source;
    std::vector<std::string> numbers{"0", "-0", "0.0e9", "1", "-1", "1e400", "-1e400", "1e-400"};
    while (numbers.size() < 700) numbers.push_back(source.draw());
    for (const std::string& a : numbers) {
        const auto left = detail::parse_decimal(a);
        REQUIRE(left.has_value());
        for (const std::string& b : numbers) {
            const auto expected = detail::compare(*left, *detail::parse_decimal(b));
            if ((*order_key(a) <=> *order_key(b)) == expected) continue;
            FAIL_CHECK(a << " and " << b);
        }
    }
}

TEST_CASE("a number comes back from its order key") {
    number_source source;
    for (int i = 0; i < 3'000; ++i) {
        const std::string number = source.draw();
        CAPTURE(number);
        const auto read = sql::number_of(order_key(number).value());
        REQUIRE(read.has_value());
        CHECK(detail::compare(*detail::parse_decimal(*read), *detail::parse_decimal(number)) == 0);
    }
    CHECK(sql::number_of("2112105") == "0.105e2");
    CHECK(sql::number_of("09128~") == "-0.1e-2");
    for (const auto text :
         {"", "2", "0", "3", "21", "211", "2112", "2119", "219", "21921", "~", "0~", "09128",
          "21120", "2112a", "211a1", "2199999999999999999999", "10", "00"}) {
        CAPTURE(text);
        CHECK_FALSE(sql::number_of(text).has_value());
    }
}

TEST_CASE("an order key is of a JSON number alone") {
    CHECK(order_key("0") == "1");
    CHECK(order_key("10.50") == "2112105");
    CHECK(order_key("-0.001") == "09128~");
    CHECK(order_key("1e99999999999999999999") == "2192211000000000000000000001");
    for (const auto text : {"", "+1", "01", "1.", ".5", " 1", "1e", "NaN", "ten"}) {
        CHECK_FALSE(order_key(text).has_value());
    }
}

TEST_CASE("JSON is prepared by the paths of what conditions compare") {
    using entries = std::map<std::string, std::string>;
    const struct {
        std::string json;
        entries texts, numbers;
    } table[] = {
        {R"({"plan":"pro","seats":{"used":12}})",
         {{"/plan", "pro"}, {"=/seats/used", "12"}},
         {{"/seats/used", "211212"}}},
        {R"( { "a" : true , "b" : false, "c":null } )", {{"/a", "true"}, {"/b", "false"}}, {}},
        {R"({"n":"10","m":"ten"})", {{"/n", "10"}, {"/m", "ten"}}, {{"/n", "21121"}}},
        {R"([7,["x"],{"0":1e400}])",
         {{"/1/0", "x"}, {"=/0", "7"}, {"=/2/0", "1e400"}},
         {{"/0", "21117"},
          {"/2/0",
           "213401"
           "1"}}},
        {R"({"a/b":"1/","~":"x"})", {{"/a~1b", "1/"}, {"/~0", "x"}}, {}},
        {R"({"":{"\u0000":"a\u0000\u0001"}})",
         {{"//~2",
           "a\1"
           "0\1"
           "1"}},
         {}},
        {R"({"\u00e9\ud83d\ude42":"\n"})", {{"/\u00e9\U0001F642", "\n"}}, {}},
        // Of a key that is there twice the last counts, with all that is in it.
        {R"({"a":{"b":"x","c":1},"a/":"y","a":{"d":"z"}})", {{"/a/d", "z"}, {"/a~1", "y"}}, {}},
        {R"({"a":"x","a":5.0})", {{"=/a", "5.0"}}, {{"/a", "21115"}}},
        {R"({"a":5,"a":"x"})", {{"/a", "x"}}, {}},
        {R"({"a":5,"a":null})", {}, {}},
        {R"({"a":{"b":1},"a":[2]})", {{"=/a/0", "2"}}, {{"/a/0", "21112"}}},
        {R"("text")", {}, {}},
        {"5", {}, {}},
        {"[]", {}, {}},
    };
    for (const auto& [json, texts, numbers] : table) {
        CAPTURE(json);
        const auto prepared = sql::prepare(json);
        REQUIRE(prepared.has_value());
        CHECK(prepared->texts == texts);
        CHECK(prepared->numbers == numbers);
    }
}

TEST_CASE("what is no JSON is refused where it goes wrong") {
    const struct {
        std::string json;
        rule broken;
        std::uint32_t offset;
    } table[] = {
        {"", rule::json_malformed, 0},
        {R"({"a":})", rule::json_malformed, 5},
        {R"({"a":1} x)", rule::json_malformed, 8},
        {"[\"\xFF\"]", rule::text_encoding, 2},
        {std::string(257, '['), rule::json_malformed, 257},
    };
    for (const auto& [json, broken, offset] : table) {
        CAPTURE(json);
        const auto prepared = sql::prepare(json);
        REQUIRE_FALSE(prepared.has_value());
        CHECK(prepared.error().broken == broken);
        CHECK(prepared.error().offset == offset);
    }
}

TEST_CASE("half a surrogate pair, or what lies too deep, hides nothing else of a document") {
    const auto cut = sql::prepare(R"({"plan":"pro","note":"cut \ud83d","\ude00":1})");
    REQUIRE(cut);
    CHECK(cut->texts == std::map<std::string, std::string>{{"/plan", "pro"},
                                                           {"/note", "cut \xEF\xBF\xBD"},
                                                           {"=/\xEF\xBF\xBD", "1"}});
    CHECK(cut->numbers.contains("/\xEF\xBF\xBD"));

    const auto nested = [](std::size_t levels, std::string_view inner) {
        std::string json(levels, '[');
        return json.append(inner).append(levels, ']');
    };
    for (const std::size_t levels : {256U, 257U, 100'000U}) {
        CAPTURE(levels);
        const auto prepared = sql::prepare(
            R"({"plan":"pro","a":)" + nested(levels - 1, R"("x",{"y":[true]})") + R"(,"z":"end"})");
        REQUIRE(prepared);
        const bool is_in = levels == 256;
        CHECK(prepared->texts.size() == (is_in ? 3 : 2));
        CHECK(prepared->texts.at("/plan") == "pro");
        CHECK(prepared->texts.at("/z") == "end");
    }
}
