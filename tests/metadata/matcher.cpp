// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/base/random.hpp>
#include <sluice/base/simd_level.hpp>
#include <sluice/metadata/matcher.hpp>

#include "one_path_lookup.hpp"

using sluice::metadata_matcher;
using sluice::detail::document_prefilter;

namespace {

bool rejects(std::string_view expression, std::string_view json) {
    const auto query = sluice::parse_metadata_query(expression).value();
    return document_prefilter(query).rejects(json);
}

/// Matches by a lookup of each path; nothing else reads the document.
bool matches(std::string_view expression, std::string_view json) {
    one_path_lookup lookup(json);
    const auto query = sluice::parse_metadata_query(expression).value();
    return query.matches([&](auto path) { return lookup.find(path); });
}

}  // namespace

TEST_CASE("a document is rejected where it lacks what the expression needs") {
    const struct {
        std::string_view expression, json;
        bool rejected;
    } table[] = {
        // A text is needed as a string, a name for what may be a number or a boolean.
        {"metadata['plan']:pro", R"({"plan":"free"})", true},
        {"metadata['plan']:pro", R"({"plan":"pro"})", false},
        {"metadata['plan']:pro", R"({"plan":"prof"})", true},
        {"metadata['plan']:pro", R"({"plan":"a pro"})", true},
        {"metadata['plan']!=pro", R"({"plan":"free"})", true},
        {"metadata['plan']:''", R"({"plan":"x"})", true},
        {"metadata['plan']:''", R"({"plan":""})", false},
        {"metadata['on']:true", R"({"off":true})", true},
        {"metadata['on']:true", R"({"on":true})", false},
        {"metadata['n']:10", R"({"n":1e1})", false},
        {"metadata['n']>5", R"({"m":"n"})", false},
        {"metadata['n']>5", R"({"nn":9,"n ":9})", true},
        {"metadata['']>5", R"({"":9})", false},
        // The last name on the path; an index may be an array's element, without quotes.
        {"metadata['a']['b']>5", R"({"a":{"c":9}})", true},
        {"metadata['a']['b']>5", R"({"b":9})", false},
        {"metadata['a']['0']>5", R"({"a":[9]})", false},
        {"metadata['a']['0']>5", R"({"b":[9]})", true},
        {"metadata['0']>5", "[1]", false},
        {"metadata['00']>5", "[1]", true},
        // Whatever has a backslash may spell anything.
        {"metadata['plan']:pro", R"({"plan":"\u0070ro"})", false},
        {"metadata['n']>5", R"({"\u006e":9})", false},
        {"metadata['n']>5", R"({"x":"\\"})", false},
        {R"(metadata['a"b']>5)", R"({"a\"b":9})", false},
        {R"(metadata['x']:'a"b')", R"({"x":"a\"b"})", false},
        {R"(metadata['x']:'a"b')", R"({"x":"a"})", true},
        // What one condition needs is enough where it decides; else none may be there.
        {"metadata['a']>1 AND metadata['b']:x", R"({"a":2,"b":"y"})", true},
        {"metadata['a']>1 AND metadata['b']:x", R"({"b":"x"})", false},
        {"metadata['a']>1 AND metadata['b']!=x", R"({"b":"x"})", true},
        {"metadata['a']!=1 AND metadata['b']!=x", R"({"b":"x"})", false},
        {"metadata['a']>1 OR metadata['b']:x", R"({"a":1})", false},
        {"metadata['a']>1 OR metadata['b']:x", R"({"b":"y"})", true},
        {"metadata['a']!=1 OR metadata['b']:x", R"({"b":"x"})", true},
        {"NOT metadata['a']>1", R"({"b":1})", true},
        {"NOT (metadata['a']>1 OR metadata['0']:x)", R"({"b":1})", true},
        {"NOT (metadata['a']>1 OR metadata['0']>1)", R"({"b":1})", false},
        {"metadata['0']>1 AND metadata['1']>1", "[2,2]", false},
        // More texts than it looks for, and four.
        {"metadata['a']:x OR metadata['b']:y OR metadata['c']:z OR metadata['d']:u", "{}", true},
        {"metadata['a']:x OR metadata['b']:y OR metadata['c']:z OR metadata['d']:u", R"({"d":"u"})",
         false},
        {"metadata['a']:x OR metadata['b']:y OR metadata['c']:z OR metadata['d']:u OR "
         "metadata['e']:v",
         "{}", false},
        // Nothing, a byte, no JSON.
        {"", "{}", false},
        {"metadata['n']>5", "", true},
        {"metadata['n']>5", "7", true},
        {"metadata['n']>5", "\"", true},
        {"metadata['n']>5", "\\", true},
        {"metadata['n']>5", "\"n", true},
        {"metadata['n']>5", "\"n\"", false},
        {"metadata['n']>5", "{\"n\"", false},
        {"metadata['n']>5", "no JSON", true},
    };
    for (const auto& [expression, json, rejected] : table) {
        CAPTURE(expression);
        CAPTURE(json);
        CHECK(rejects(expression, json) == rejected);
        const auto query = sluice::parse_metadata_query(expression).value();
        CHECK(metadata_matcher(query).matches(json) == matches(expression, json));
    }
}

TEST_CASE("text that may not be JSON matches as JSON does, or else as an empty document") {
    sluice::detail::random_source random(5);
    constexpr std::string_view document = R"({"plan":"pro","n":[7,"\u00e9"],"x":{"n":1,"n":9}})";
    constexpr std::string_view bytes = "{}[]\",:\\ 019.-etn\xC3\xFF";
    std::size_t wrong = 0, invalid = 0;
    for (const std::string_view expression :
         {"metadata['plan']:pro", "metadata['plan']!=pro", "metadata['x']['n']>5",
          "NOT metadata['n']['0']:7", "metadata['plan']:pro OR metadata['absent']!=1", ""}) {
        metadata_matcher matcher(sluice::parse_metadata_query(expression).value());
        for (int round = 0; round < 2'000; ++round) {
            std::string text(document);
            for (std::uint32_t edits = random.below(3); edits > 0; --edits) {
                const std::size_t place = random.below(static_cast<std::uint32_t>(text.size()));
                text.replace(place, random.below(2), 1, bytes[random.below(bytes.size())]);
            }
            const bool is_json = sluice::detail::check_json(text).has_value();
            const bool expected =
                is_json ? matches(expression, text) : matcher.matches_empty_document();
            invalid += is_json ? 0 : 1;
            wrong += matcher.matches_unchecked(text) == expected ? 0 : 1;
        }
    }
    CHECK(wrong == 0);
    CHECK(invalid > 3'000);
    CHECK(invalid < 9'000);
}

TEST_CASE("names and numbers are read in every spelling, and only in JSON") {
    struct row {
        std::string_view json;
        bool is_above;  // n > 5
    };
    for (const auto& [json, is_above] : {row{R"({"n":6})", true},
                                         row{R"( { "n" : 6 } )", true},
                                         row{R"({"n":6.0e0})", true},
                                         row{R"({"n":0.6E+1})", true},
                                         row{R"({"n":600e-2})", true},
                                         row{R"({"n":5.0})", false},
                                         row{R"({"n":5.0000000000000000000000001})", true},
                                         row{R"({"n":1e999})", true},
                                         row{R"({"n":-6})", false},
                                         row{R"({"n":"6"})", true},
                                         row{R"({"n":"\u0036"})", true},
                                         row{R"({"\u006e":6})", true},
                                         row{R"({"n\u0000":6})", false},
                                         row{R"({"n":1,"n":6})", true},
                                         row{R"({"n":6,"n":1})", false},
                                         row{R"({"n":6,"\u006e":1})", false},
                                         row{R"({"n":6,"n":{}})", false},
                                         row{R"({"n":[6]})", false},
                                         row{R"({"m":{"n":6}})", false},
                                         row{R"([{"n":6}])", false},
                                         row{R"({"n":true})", false},
                                         row{R"({"n":null})", false},
                                         row{R"({"x":"\"n\":6"})", false},
                                         row{R"({"n":06})", false},
                                         row{R"({"n":6.})", false},
                                         row{R"({"n":+6})", false},
                                         row{R"({"n":6}})", false},
                                         row{R"({"n":6)", false},
                                         row{R"({"n":6,})", false},
                                         row{"{\"n\":6,\"x\":\"\xFF\"}", false},
                                         row{"{'n':6}", false},
                                         row{"\"n\"", false},
                                         row{"", false}}) {
        CAPTURE(json);
        metadata_matcher matcher(sluice::parse_metadata_query("metadata['n']>5").value());
        metadata_matcher others(sluice::parse_metadata_query("NOT metadata['n']>5").value());
        CHECK(matcher.matches_unchecked(json) == is_above);
        CHECK(others.matches_unchecked(json) != is_above);
    }
}

TEST_CASE("a name is found wherever blocks of bytes end, at every level") {
    for (const sluice::simd_level level : sluice::supported_simd_levels()) {
        sluice::force_simd_level(level);
        const auto query = sluice::parse_metadata_query("metadata['deep']['name']>5").value();
        std::size_t wrong = 0;
        for (std::size_t before = 0; before < 150; ++before) {
            for (const std::size_t after : {0U, 1U, 15U, 16U, 31U, 63U, 64U, 65U}) {
                const std::string head = "{\"x\":\"" + std::string(before, 'n');
                const std::string tail = R"(},"z":")" + std::string(after, 'e') + "\"}";
                const std::string matching = head + R"(","deep":{"name":9)" + tail;
                const std::string lacking = head + R"(","deep":{"nama":9)" + tail;
                const std::string spelled = head + R"(","deep":{"nam\u0065":9)" + tail;
                const std::string elsewhere = head + R"(","name":9,"deep":{"n":9)" + tail;
                const std::string again = head + R"(","deep":{"name":9,"name":1)" + tail;
                metadata_matcher matcher(query);
                wrong += matcher.matches(matching) ? 0 : 1;
                wrong += matcher.matches(lacking) ? 1 : 0;
                wrong += matcher.matches(spelled) ? 0 : 1;
                wrong += matcher.matches(elsewhere) ? 1 : 0;
                wrong += matcher.matches(again) ? 1 : 0;
                wrong += document_prefilter(query).rejects(lacking) ? 0 : 1;
                wrong += document_prefilter(query).rejects(matching) ? 1 : 0;
            }
        }
        CHECK(wrong == 0);
    }
    sluice::force_simd_level(std::nullopt);
}

TEST_CASE("where few are rejected it ends to look, and finds the same") {
    const auto query = sluice::parse_metadata_query("metadata['n']>5").value();
    document_prefilter seldom(query), often(query);
    for (int i = 0; i < 2'000; ++i) {
        static_cast<void>(seldom.rejects(i % 10 == 0 ? "{}" : R"({"n":9})"));
        static_cast<void>(often.rejects(i % 3 == 0 ? "{}" : R"({"n":9})"));
    }
    CHECK_FALSE(seldom.rejects("{}"));
    CHECK(often.rejects("{}"));
    metadata_matcher matcher(query);
    std::size_t wrong = 0;
    for (int i = 0; i < 2'000; ++i) {
        wrong += matcher.matches(R"({"n":9})") ? 0 : 1;
        wrong += matcher.matches(R"({"m":9})") ? 1 : 0;
    }
    CHECK(wrong == 0);
}
