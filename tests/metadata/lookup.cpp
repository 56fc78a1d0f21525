// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <simdjson.h>

#include <sluice/metadata/lookup.hpp>
#include <sluice/metadata/matcher.hpp>

#include "ondemand_metadata.hpp"
#include "one_path_lookup.hpp"

using sluice::document_lookup;
using sluice::metadata_matcher;
using sluice::scalar;

namespace {

using path = std::vector<std::string>;

constexpr std::string_view document = R"({
    "plan": "pro's \"choice\" \u00e9\/\n",
    "seats": 9, "price": 10.0, "big": 123456789012345678901234567890, "small": -1.50e-7,
    "trial": true, "over": false, "coupon": null, "none": {}, "empty": [],
    "": "no name", "a.b": "dotted", "caf\u00e9": {"\"quoted\"": "yes"},
    "items": [{"sku": "cd-77"}, ["x", ["y", 3]], null, "last"],
    "0": "key zero", "01": "key one", "nul\u0000l": "nul",
    "company": {"size": 465, "region": {"code": "NA"}}
})";

}  // namespace

TEST_CASE("a path finds the scalar that stands at it") {
    struct {
        path keys;
        scalar value;
    } const table[] = {
        {{"plan"}, scalar::string("pro's \"choice\" é/\n")},
        {{"seats"}, scalar::number("9")},
        {{"price"}, scalar::number("10.0")},
        {{"big"}, scalar::number("123456789012345678901234567890")},
        {{"small"}, scalar::number("-1.50e-7")},
        {{"trial"}, scalar::boolean(true)},
        {{"over"}, scalar::boolean(false)},
        {{""}, scalar::string("no name")},
        {{"a.b"}, scalar::string("dotted")},
        {{"café", "\"quoted\""}, scalar::string("yes")},
        {{"items", "0", "sku"}, scalar::string("cd-77")},
        {{"items", "1", "0"}, scalar::string("x")},
        {{"items", "1", "1", "1"}, scalar::number("3")},
        {{"items", "3"}, scalar::string("last")},
        {{"0"}, scalar::string("key zero")},
        {{"01"}, scalar::string("key one")},
        {{std::string("nul\0l", 5)}, scalar::string("nul")},
        {{"company", "size"}, scalar::number("465")},
        {{"company", "region", "code"}, scalar::string("NA")},
    };
    one_path_lookup metadata(document);
    for (const auto& [keys, expected] : table) {
        CAPTURE(keys.back());
        CHECK(metadata.find(keys) == expected);
        one_path_lookup another;
        CHECK(another.find(document, keys) == expected);
    }
}

TEST_CASE("null, objects, arrays and what isn't there are nothing") {
    one_path_lookup metadata(document);
    for (const path& keys : {
             path{},
             path{"coupon"},
             path{"none"},
             path{"empty"},
             path{"company"},
             path{"items"},
             path{"items", "2"},
             path{"items", "4"},
             path{"items", "00"},
             path{"items", "01"},
             path{"items", "03"},
             path{"items", "+1"},
             path{"items", "-1"},
             path{"items", "1.0"},
             path{"items", " 1"},
             path{"items", "1 "},
             path{"items", ""},
             path{"items", "sku"},
             path{"items", "18446744073709551616"},
             path{"items", "99999999999999999999999999"},
             path{"empty", "0"},
             path{"none", ""},
             path{"PLAN"},
             path{"caf\\u00e9"},
             path{"plan", "0"},
             path{"seats", "0"},
             path{"coupon", "x"},
             path{"company", "size", "x"},
             path{"company", "region"},
             path{"nul"},
         }) {
        CAPTURE(keys.size());
        CHECK(metadata.find(keys) == std::nullopt);
    }
}

TEST_CASE("metadata that is no object has no members") {
    one_path_lookup metadata;
    for (const std::string_view json : {"null", "true", "5", "\"text\"", "[]", "{}"}) {
        CAPTURE(json);
        CHECK(metadata.find(json, path{"a"}) == std::nullopt);
        CHECK(metadata.find(json, path{"0"}) == std::nullopt);
    }
    CHECK(metadata.find("[7,[8]]", path{"0"}) == scalar::number("7"));
    CHECK(metadata.find("[7,[8]]", path{"1", "0"}) == scalar::number("8"));
}

TEST_CASE("of a name that is there twice the last member counts") {
    struct {
        std::string_view json;
        path keys;
        std::optional<scalar> value;
    } const table[] = {
        {R"({"a":1,"a":2})", {"a"}, scalar::number("2")},
        {R"({"a":1,"\u0061":"2"})", {"a"}, scalar::string("2")},
        {R"({"a":1,"a":null})", {"a"}, std::nullopt},
        {R"({"a":{"b":1},"a":{"c":2}})", {"a", "b"}, std::nullopt},
        {R"({"a":{"b":1},"x":[[]],"a":{"b":[0,5,6]},"y":{}})",
         {"a", "b", "1"},
         scalar::number("5")},
        {R"({"a":[0,1,2,3],"b":{"b":{}},"a":[4,{"c":true},6]})",
         {"a", "1", "c"},
         scalar::boolean(true)},
        {R"({"a":{"b":1},"a":7})", {"a", "b"}, std::nullopt},
    };
    for (const auto& [json, keys, expected] : table) {
        CAPTURE(json);
        one_path_lookup metadata;
        CHECK(metadata.find(json, keys) == expected);
    }
}

TEST_CASE("what was found holds until the next document") {
    const path accented{"a"}, number{"n"}, missing{"z"};
    document_lookup metadata(std::vector<sluice::json_path>{accented, number, missing, number});
    for (int i = 0; i < 3; ++i) {
        const std::string json = R"({"a":"caf\u00e9)" + std::to_string(i) + R"(","n":12.50})";
        REQUIRE(metadata.read(json));
        const auto text = metadata.at(0).value;
        CHECK(metadata.at(1).value == scalar::number("12.50"));
        CHECK(metadata.at(1).number);
        CHECK(metadata.at(3).value == scalar::number("12.50"));
        CHECK_FALSE(metadata.at(2).value);
        CHECK_FALSE(metadata.at(0).number);
        CHECK(text == scalar::string("café" + std::to_string(i)));
    }
    CHECK_FALSE(metadata.read(R"({"b":{"a":1,"n":2}})"));
    CHECK_FALSE(metadata.at(0).value);
    CHECK(metadata.read(R"({"n":null})"));
    CHECK_FALSE(metadata.at(1).value);
    CHECK(metadata.read(R"({"n":"1e1"})"));
    CHECK(metadata.at(1).number);
}

TEST_CASE("a lookup that was given nothing, or no JSON, finds nothing and goes on") {
    one_path_lookup metadata;
    CHECK(metadata.find(path{"a"}) == std::nullopt);
    for (const std::string_view json : {"",
                                        " ",
                                        "{",
                                        "}",
                                        "[",
                                        "{\"a\"",
                                        "{\"a\":",
                                        "{\"a\":}",
                                        "{\"a\" 1}",
                                        "{\"a\":\"\xFF\"}",
                                        "{\"a\":{\"b\":}",
                                        "{\"a\":tru}",
                                        "{\"a\":-}",
                                        "{\"a\":\"\\x\"}",
                                        "{\"a\":nul}",
                                        "{a:1}",
                                        "{,\"a\":1}",
                                        "{\"a\":{\"a\":{\"a\"",
                                        "[[[[",
                                        "\"a\"",
                                        "{\"a\":01}"}) {
        CAPTURE(json);
        metadata = one_path_lookup(json);
        for (int again = 0; again < 3; ++again) {
            CHECK(metadata.find(path{"a"}) == std::nullopt);
            CHECK(metadata.find(path{"a", "a", "a"}) == std::nullopt);
            CHECK(metadata.find(path{"0", "0"}) == std::nullopt);
        }
        CHECK(metadata.find(R"({"a":1})", path{"a"}) == scalar::number("1"));
    }
}

TEST_CASE("deep documents and long paths take bounded stack") {
    const auto nested = [](std::size_t levels, std::string_view open, std::string_view close) {
        std::string text;
        for (std::size_t i = 0; i < levels; ++i) text += open;
        text += "1";
        for (std::size_t i = 0; i < levels; ++i) text += close;
        return text;
    };
    one_path_lookup metadata;
    for (const std::size_t levels : {255U, 256U}) {
        CHECK(metadata.find(nested(levels, "[", "]"), path(levels, "0")) == scalar::number("1"));
        const std::string objects = nested(levels, R"({"a":)", "}");
        CHECK(metadata.find(objects, path(levels, "a")) == scalar::number("1"));
        CHECK(metadata.find(path(levels - 1, "a")) == std::nullopt);
        CHECK(metadata.find(path(levels + 1, "a")) == std::nullopt);
    }
    const std::string abyss = nested(1'000'000, "[", "]");
    CHECK(metadata.find(abyss, path(256, "0")) == std::nullopt);
    CHECK(metadata.find(abyss, path(1'000'000, "0")) == std::nullopt);
    CHECK(metadata.find(std::string(1'000'000, '['), path(256, "0")) == std::nullopt);
}

TEST_CASE("an expression is matched by one walk of a document") {
    const auto holds = [&](std::string_view text) {
        return metadata_matcher(*sluice::parse_metadata_query(text)).matches(document);
    };
    CHECK(holds("metadata['price']=10 AND metadata['company']['region']['code']:NA"));
    CHECK(holds("metadata['items']['0']['sku']:cd-77 AND NOT metadata['items']['2']:null"));
    CHECK(!holds("metadata['coupon']:null OR metadata['seats']>9"));
    CHECK(holds("metadata['absent']!=1"));
    CHECK(holds("metadata['seats']>8 AND metadata['seats']<10 AND metadata['seats']!=8"));
    CHECK(holds(""));
}

TEST_CASE("it is known with how many documents each condition was compared") {
    metadata_matcher matcher(
        *sluice::parse_metadata_query("metadata['a']:1 AND metadata['b']:2 OR metadata['c']:3"));
    const auto positions = [&] {
        return std::vector<std::size_t>(matcher.comparisons().begin(), matcher.comparisons().end());
    };
    CHECK_FALSE(matcher.matches(R"({"a":0})"));
    CHECK(positions() == std::vector<std::size_t>{1, 0, 1});
    CHECK(matcher.matches(R"({"a":1,"b":2})"));
    CHECK(positions() == std::vector<std::size_t>{2, 1, 1});
    CHECK_FALSE(matcher.matches(R"({"other":1})"));  // nothing at any path: none is asked
    CHECK(positions() == std::vector<std::size_t>{2, 1, 1});
}

namespace {

// Checks a lookup of every scalar below `element` against the tree of another parser.
void check_scalars(one_path_lookup& metadata, simdjson::dom::element element, path& keys) {
    simdjson::dom::object object;
    simdjson::dom::array array;
    if (element.get(object) == simdjson::SUCCESS) {
        for (const auto& [name, value] : object) {
            keys.emplace_back(name);
            check_scalars(metadata, value, keys);
            keys.pop_back();
        }
        return;
    }
    if (element.get(array) == simdjson::SUCCESS) {
        std::size_t index = 0;
        for (const auto value : array) {
            keys.push_back(std::to_string(index++));
            check_scalars(metadata, value, keys);
            keys.pop_back();
        }
        return;
    }
    const auto match = metadata.find(keys);
    std::string_view text;
    if (element.is_null()) {
        CHECK(!match);
    } else if (element.get(text) == simdjson::SUCCESS) {
        CHECK(match == scalar::string(text));
    } else {
        REQUIRE(match);
        CHECK(match->text == simdjson::minify(element));
        CHECK((match->type == scalar::kind::boolean) == element.is_bool());
    }
}

}  // namespace

TEST_CASE("every scalar of made-up documents is found, as another parser sees it") {
    std::uint64_t random = 7;
    const auto draw = [&](std::uint32_t bound) {
        random = random * 6364136223846793005U + 1442695040888963407U;
        return static_cast<std::uint32_t>(random >> 33) % bound;
    };
    const auto make = [&](const auto& self, int depth) -> std::string {
        std::string text;
        const std::uint32_t form = draw(depth > 4 ? 4 : 7);
        if (form == 0) return std::to_string(draw(1000));
        if (form == 1) return draw(2) == 0 ? "true" : "null";
        if (form < 4) return R"("\u00e9\"x)" + std::to_string(draw(50)) + "\"";
        const bool object = form < 6;
        const std::uint32_t count = draw(5);
        for (std::uint32_t i = 0; i < count; ++i) {
            if (i > 0) text += ", ";
            if (object) text += R"("k\t)" + std::to_string(i) + "\": ";
            text += self(self, depth + 1);
        }
        return object ? "{" + text + "}" : "[" + text + "]";
    };
    simdjson::dom::parser parser;
    one_path_lookup metadata;
    for (int round = 0; round < 3'000; ++round) {
        const std::string json = "{\"root\": " + make(make, 0) + "}";
        CAPTURE(json);
        metadata = one_path_lookup(json);
        path keys;
        check_scalars(metadata, parser.parse(json).value_unsafe(), keys);
    }
}

TEST_CASE("lookups in mutated documents end") {
    std::uint64_t random = 99;
    const auto draw = [&](std::uint32_t bound) {
        random = random * 6364136223846793005U + 1442695040888963407U;
        return static_cast<std::uint32_t>(random >> 33) % bound;
    };
    constexpr std::string_view bytes = "{}[]\",:\\ 019.-etn\xC3\xFF";
    one_path_lookup metadata;
    for (int round = 0; round < 30'000; ++round) {
        std::string json(document);
        for (std::uint32_t edits = 1 + draw(4); edits > 0; --edits) {
            const std::size_t place = draw(static_cast<std::uint32_t>(json.size()));
            if (draw(3) == 0) json.erase(place, draw(40));
            json.insert(std::min<std::size_t>(place, json.size()), 1, bytes[draw(bytes.size())]);
        }
        metadata = one_path_lookup(json);
        for (const path& keys : {path{"items", "1", "1", "1"}, path{"company", "region", "code"},
                                 path{"plan"}, path{"big"}}) {
            const auto value = metadata.find(keys);
            if (value) REQUIRE(value->text.size() <= json.size());
        }
    }
}

namespace {

// Objects whose strings are full of what a walk could stumble over, at any place of a block.
class adversary {
public:
    std::uint32_t draw(std::uint32_t bound) {
        random_ = random_ * 6364136223846793005U + 1442695040888963407U;
        return static_cast<std::uint32_t>(random_ >> 33) % bound;
    }
    std::string name() { return names[draw(static_cast<std::uint32_t>(names.size()))]; }
    std::string object(int depth = 0) {
        std::string text = "{" + space();
        for (std::uint32_t i = 0, count = draw(6); i < count; ++i) {
            if (i > 0) text += "," + space();
            text += quoted_name() + space() + ":" + space() + value(depth + 1) + space();
        }
        return text + "}";
    }

private:
    static inline const std::vector<std::string> names{"",
                                                       "a",
                                                       "ab",
                                                       "abc",
                                                       "plan",
                                                       "pla",
                                                       "\"",
                                                       "\\",
                                                       "é",
                                                       "a\":1,\"b",
                                                       "{\"a",
                                                       ":",
                                                       "x\\\"",
                                                       std::string(61, 'n'),
                                                       std::string(62, 'n'),
                                                       std::string(130, 'n')};

    std::string space() {
        return draw(12) == 0 ? std::string(1 + draw(3), " \t\n\r"[draw(4)]) : "";
    }
    std::string quoted_name() {
        std::string text = "\"";
        for (const char byte : name()) {
            if (byte == '"' || byte == '\\') text += '\\';
            if (byte == 'a' && draw(4) == 0) {
                text += "\\u0061";
            } else {
                text += byte;
            }
        }
        return text + "\"";
    }
    std::string value(int depth) {
        switch (draw(depth > 5 ? 4 : 7)) {
            case 0: return std::to_string(draw(100'000));
            case 1: return draw(2) == 0 ? "true" : "null";
            case 2:
            case 3: return string();
            case 4: return "[" + string() + "," + value(depth + 1) + "]";
            default: return object(depth + 1);
        }
    }
    std::string string() {
        constexpr const char* parts[] = {"\\\"",     "\\\\", "{",       "}",          "[",
                                         "]",        ":",    ",",       "a",          "é",
                                         "\\\\\\\"", "yY_",  "\\u00e9", "plain text", "\\\":"};
        std::string text = "\"";
        for (std::uint32_t count = draw(30); count > 0; --count) text += parts[draw(15)];
        return text + std::string(2 * draw(40), draw(8) == 0 ? '\\' : 'z') + "\"";
    }

    std::uint64_t random_ = 5;
};

// A copy that ends where its allocation does, so that a sanitizer sees reads behind it.
class exact_copy {
public:
    explicit exact_copy(std::string_view text) : bytes_(text.begin(), text.end()) {
        bytes_.shrink_to_fit();
    }
    [[nodiscard]] std::string_view view() const { return {bytes_.data(), bytes_.size()}; }

private:
    std::vector<char> bytes_;
};

}  // namespace

TEST_CASE("names are found among strings that look like structure, as another parser finds them") {
    adversary make;
    std::size_t values = 0;
    for (int round = 0; round < 4'000; ++round) {
        const exact_copy json(make.object());
        CAPTURE(json.view());
        one_path_lookup lookup(json.view());
        ondemand_metadata other(json.view());
        std::vector<path> paths(8);
        for (path& keys : paths) {
            for (std::uint32_t more = 1 + make.draw(2); more > 0; --more) {
                keys.push_back(make.name());
            }
        }
        document_lookup together(std::vector<sluice::json_path>(paths.begin(), paths.end()));
        together.read(json.view());
        for (std::size_t i = 0; i < paths.size(); ++i) {
            const auto value = lookup.find(paths[i]);
            REQUIRE(value == other.find(paths[i]));
            REQUIRE(value == together.at(i).value);
            values += value ? 1 : 0;
        }
    }
    CHECK(values > 1'000);
}

TEST_CASE("a member is found wherever it stands in a block, behind any run of backslashes") {
    for (std::size_t before = 0; before <= 200; ++before) {
        for (std::size_t run = 0; run < 6; ++run) {
            const std::string filler = std::string(before, 'x') + std::string(2 * run, '\\');
            const exact_copy json(R"({"f":")" + filler + R"(\"","plan":"p)" + filler +
                                  R"(","pla":{"plan":0}})");
            CAPTURE(json.view());
            one_path_lookup lookup(json.view());
            const std::string value = "p" + std::string(before, 'x') + std::string(run, '\\');
            REQUIRE(lookup.find(path{"plan"}) == scalar::string(value));
            REQUIRE(lookup.find(path{"pla", "plan"}) == scalar::number("0"));
            REQUIRE(!lookup.find(path{"pl"}));
        }
    }
}

TEST_CASE("documents that are cut off, or begun in their middle, are read within their bounds") {
    adversary make;
    for (int round = 0; round < 40; ++round) {
        const std::string json = make.object().substr(0, 200);
        for (std::size_t size = 0; size <= json.size(); ++size) {
            const exact_copy head(json.substr(0, size));
            const exact_copy tail("{" + json.substr(size));
            for (const path& keys : {path{"a"}, path{""}, path{"plan", "a"}}) {
                static_cast<void>(one_path_lookup(head.view()).find(keys));
                static_cast<void>(one_path_lookup(tail.view()).find(keys));
            }
        }
    }
    for (const std::string_view json :
         {R"({\":1})", R"({"a" 1,\":2})", R"({:1})", R"({"b":,"a":1})", R"({"b":1 "a":1})",
          R"({{"a":1})", R"({["a":1})", R"({"a":1])", R"({"a":1)", R"({"\":1})", R"( : )"}) {
        CAPTURE(json);
        const exact_copy copy(json);
        CHECK(!one_path_lookup(copy.view()).find(path{"a"}));
        CHECK(!one_path_lookup(copy.view()).find(path{""}));
    }
}
