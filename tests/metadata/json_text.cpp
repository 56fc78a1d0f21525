// SPDX-License-Identifier: MIT
#include <cstddef>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <sluice/base/json_cursor.hpp>
#include <sluice/metadata/json_text.hpp>

using namespace sluice::detail;
using namespace std::string_literals;
using namespace std::string_view_literals;

using sluice::json_max_depth;

namespace {

std::string nested(std::size_t depth, std::string_view open, std::string_view inner,
                   std::string_view close) {
    std::string text;
    for (std::size_t i = 0; i < depth; ++i) text += open;
    text += inner;
    for (std::size_t i = 0; i < depth; ++i) text += close;
    return text;
}

}  // namespace

TEST_CASE("minified JSON keeps the spelling of strings and numbers") {
    struct {
        std::string_view text, minified;
    } const table[] = {
        {"null", "null"},
        {" true ", "true"},
        {"\r\n\tfalse", "false"},
        {"0", "0"},
        {"-0", "-0"},
        {"10.0", "10.0"},
        {"1E+2", "1E+2"},
        {"-1.50e-007", "-1.50e-007"},
        {"123456789012345678901234567890", "123456789012345678901234567890"},
        {"1e999", "1e999"},
        {R"("")", R"("")"},
        {R"(" a  b ")", R"(" a  b ")"},
        {R"("\"\\\/\b\f\n\r\t\u00e9\u00E9")", R"("\"\\\/\b\f\n\r\t\u00e9\u00E9")"},
        {R"("\ud83d\uDE00")", R"("\ud83d\uDE00")"},
        {"\"é😀\x7F\"", "\"é😀\x7F\""},
        {"[ ]", "[]"},
        {"{ }", "{}"},
        {"[ 1 , 2 ]", "[1,2]"},
        {R"({ "a" : 1 , "b" : [ { } , [ ] , "x" ] })", R"({"a":1,"b":[{},[],"x"]})"},
        {R"({"a":1,"a":2,"":3})", R"({"a":1,"a":2,"":3})"},
    };
    for (const auto& [text, minified] : table) {
        CAPTURE(text);
        std::string out = "before";
        const auto size = append_minified(out, text);
        REQUIRE(size);
        CHECK(out == "before" + std::string(minified));
        CHECK(text.substr(*size).find_first_not_of(' ') == std::string_view::npos);
        CHECK(check_json(text));
    }
}

TEST_CASE("a value ends before what follows it") {
    std::string out;
    CHECK(*append_minified(out, R"( {"a": 1} , 2)") == 9);
    CHECK(*append_minified(out, "12]") == 2);
    CHECK(*append_minified(out, "truefalse") == 4);
    CHECK(out == R"({"a":1}12true)");
}

TEST_CASE("malformed JSON is refused at the first byte that can't be right") {
    struct {
        std::string_view text;
        std::size_t offset, length;
    } const table[] = {
        {"", 0, 0},
        {"   ", 3, 0},
        {"nul", 3, 0},
        {"nulL", 3, 1},
        {"True", 0, 1},
        {"NaN", 0, 1},
        {"Infinity", 0, 1},
        {"undefined", 0, 1},
        {"'a'", 0, 1},
        {"+1", 0, 1},
        {".5", 0, 1},
        {"-", 1, 0},
        {"-x", 1, 1},
        {"1.", 2, 0},
        {"1.e5", 2, 1},
        {"1e", 2, 0},
        {"1e+", 3, 0},
        {"01", 1, 1},
        {"-01", 2, 1},
        {"0x10", 1, 3},
        {"1 2", 2, 1},
        {"[", 1, 0},
        {"[1", 2, 0},
        {"[1,", 3, 0},
        {"[1,]", 3, 1},
        {"[,1]", 1, 1},
        {"[1 2]", 3, 1},
        {"[1}", 2, 1},
        {"]", 0, 1},
        {"{", 1, 0},
        {"{\"a\"", 4, 0},
        {"{\"a\" 1}", 5, 1},
        {"{\"a\":}", 5, 1},
        {"{\"a\":1,}", 7, 1},
        {"{\"a\":1]", 6, 1},
        {"{a:1}", 1, 1},
        {"{1:1}", 1, 1},
        {"{,}", 1, 1},
        {"{\"a\":1}}", 7, 1},
        {"{} {}", 3, 2},
        {"[1] // a comment", 4, 12},
        {"\"", 1, 0},
        {"\"a", 2, 0},
        {"\"\\", 2, 0},
        {"\"\\x\"", 2, 1},
        {"\"\\u12\"", 5, 1},
        {"\"\\u12g4\"", 5, 1},
        {"\"\\U0041\"", 2, 1},
        {"\"a\nb\"", 2, 1},
        {"\"a\0b\""sv, 2, 1},
        {"[1\0]"sv, 2, 1},
        {"\"\\ud8\"", 5, 1},
        {"\"\\ud800\\x\"", 8, 1},
        {"\"\\ud800\\u00\"", 11, 1},
        {"\xEF\xBB\xBF{}", 0, 1},
        {"{]\xFF", 1, 1},
    };
    for (const auto& [text, offset, length] : table) {
        CAPTURE(text);
        const auto checked = check_json(text);
        REQUIRE(!checked);
        CHECK(checked.error() == sluice::make_error(sluice::rule::json_malformed, offset, length));
        CHECK(minify_json(text).error() == checked.error());
    }
}

TEST_CASE("bytes that are not UTF-8 are named as such, where they come first") {
    struct row {
        std::string_view text;
        std::size_t offset;
    };
    for (const auto& [text, offset] :
         {row{"\"\xFF\"", 1}, row{"\"\xE2\x82\"", 1}, row{"{} \xFF", 3}, row{"[1,\xC0\x80]", 3},
          row{"{\xFF]", 1}, row{"\xFF\xFE{", 0}}) {
        CAPTURE(text);
        const auto checked = check_json(text);
        REQUIRE(!checked);
        CHECK(checked.error() == sluice::make_error(sluice::rule::text_encoding, offset, 1));
        CHECK(minify_json(text).error() == checked.error());
    }
}

TEST_CASE("half a surrogate pair reads as U+FFFD, and is written so") {
    const struct {
        std::string_view spelled, minified, text;
    } table[] = {
        {R"(cut \ud83d)", R"(cut \ufffd)", "cut \xEF\xBF\xBD"},
        {R"(\ud83d\n)", R"(\ufffd\n)", "\xEF\xBF\xBD\n"},
        {R"(\uD83Dx)", R"(\ufffdx)", "\xEF\xBF\xBDx"},
        {R"(\ud83d\u0041)", R"(\ufffd\u0041)",
         "\xEF\xBF\xBD"
         "A"},
        {R"(\ude00)", R"(\ufffd)", "\xEF\xBF\xBD"},
        {R"(\ude00\ud83d)", R"(\ufffd\ufffd)", "\xEF\xBF\xBD\xEF\xBF\xBD"},
        {R"(\ud83d\ud83d\ude00)", R"(\ufffd\ud83d\ude00)", "\xEF\xBF\xBD\U0001F600"},
        {R"(\ud83d\ude00)", R"(\ud83d\ude00)", "\U0001F600"},
        {R"(\udbff\udfff\ud800\udc00)", R"(\udbff\udfff\ud800\udc00)", "\U0010FFFF\U00010000"},
        {R"(\ud7ff\ue000)", R"(\ud7ff\ue000)", "\xED\x9F\xBF\xEE\x80\x80"},
    };
    for (const auto& [spelled, minified, text] : table) {
        CAPTURE(spelled);
        const std::string json =
            "{ \"" + std::string(spelled) + "\" : [\"" + std::string(spelled) + "\", 1] }";
        CHECK(minify_json(json) ==
              "{\"" + std::string(minified) + "\":[\"" + std::string(minified) + "\",1]}");
        for (const std::string_view spelling : {spelled, minified}) {
            std::string read;
            REQUIRE(json_unescaper(read).append(spelling));
            CHECK(read == text);
        }
    }
    std::string read;
    CHECK(!json_unescaper(read).append(R"(\ud83d\u12)"));
}

TEST_CASE("half a surrogate pair is refused where another text would mean another condition") {
    const struct {
        std::string_view spelled;
        std::size_t offset;  // of the half in ["..."]
    } table[] = {{R"(cut \ud83d)", 6},   {R"(\ud83d\n)", 2},     {R"(\uD83Dx)", 2},
                 {R"(\ud83d\u0041)", 2}, {R"(\n\ude00)", 4},     {R"(\ud83d\ude00\ud83d)", 14},
                 {R"(\uDFFF)", 2},       {R"(\ud83d\ud83d)", 2}, {R"(\uDBFF\u)", 2}};
    for (const auto& [spelled, offset] : table) {
        CAPTURE(spelled);
        const std::string json = "[\"" + std::string(spelled) + "\"]";
        const auto minified = minify_json(json, any_depth, lone_surrogates::refused);
        REQUIRE(!minified);
        CHECK(minified.error().broken == sluice::rule::json_malformed);
        CHECK(minified.error().offset == offset);
        std::string read;
        CHECK(!json_unescaper(read, lone_surrogates::refused).append(spelled));
    }
    const std::string whole = R"(["\ud83d\ude00\uD7FF\uE000\udbff\udfff"])";
    CHECK(minify_json(whole, any_depth, lone_surrogates::refused) == whole);
}

TEST_CASE("brackets nest as deep as the limit and no deeper") {
    for (const std::size_t limit : {std::size_t{1}, std::size_t{2}, json_max_depth}) {
        for (const bool objects : {false, true}) {
            const std::string_view open = objects ? R"({"a":)" : "[";
            const std::string_view close = objects ? "}" : "]";
            CAPTURE(limit);
            CAPTURE(open);
            std::string out;
            CHECK(append_minified(out, nested(limit, open, "1", close), limit));
            CHECK(out == nested(limit, open, "1", close));
            const auto refused = append_minified(out, nested(limit + 1, open, "1", close), limit);
            REQUIRE(!refused);
            CHECK(refused.error().broken == sluice::rule::json_too_deep);
            CHECK(refused.error().offset == limit * open.size());
        }
    }
}

TEST_CASE("deep nesting takes no stack, and is refused at the first bracket beyond a limit") {
    const std::string brackets = nested(1'000'000, "[", "", "]");
    CHECK(minify_json(brackets, json_max_depth).error() ==
          sluice::make_error(sluice::rule::json_too_deep, json_max_depth, 1));
    CHECK(minify_json(nested(json_max_depth, "[", "", "]"), json_max_depth));
    CHECK(!minify_json(nested(json_max_depth, "[", "{}", "]"), json_max_depth));
    CHECK(check_json(brackets));
    CHECK(minify_json(nested(300, "{ \"a\" : [", "", "]}")) == nested(300, "{\"a\":[", "", "]}"));
    CHECK(check_json(nested(300, "{\"a\":[", "", "]]}")).error() ==
          sluice::make_error(sluice::rule::json_malformed, 300 * 6 + 1, 1));
}
