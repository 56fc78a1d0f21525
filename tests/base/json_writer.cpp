// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <sluice/base/json_writer.hpp>

using namespace sluice::detail;

namespace {

// RFC 8259, section 7, byte by byte.
std::string escaped(std::string_view text) {
    std::string out;
    for (const char byte : text) {
        const auto code = static_cast<unsigned char>(byte);
        const std::size_t letter = std::string_view("\b\t\n\f\r\"\\").find(byte);
        if (letter != std::string_view::npos) {
            out.append("\\").push_back("btnfr\"\\"[letter]);
        } else if (code < 0x20) {
            char unit[8];
            std::snprintf(unit, sizeof(unit), "\\u%04x", code);
            out.append(unit);
        } else {
            out.push_back(byte);
        }
    }
    return out;
}

std::string written(std::string_view text) {
    std::string out = "[";
    append_json_string(out, text);
    return out;
}

}  // namespace

TEST_CASE("every byte is escaped as JSON wants it, wherever it stands") {
    for (std::size_t size = 1; size <= 40; ++size) {
        for (std::size_t at = 0; at < size; ++at) {
            for (int byte = 0; byte < 256; ++byte) {
                std::string text(size, 'a');
                text[at] = static_cast<char>(byte);
                if (written(text) != "[\"" + escaped(text) + "\"") {
                    CHECK_MESSAGE(false, "byte " << byte << " at " << at << " of " << size);
                }
            }
        }
    }
}

TEST_CASE("texts of many escapes and of none are written as JSON wants them") {
    constexpr std::string_view bytes = "\"\\\n\x1F !a#[]\x7F\x80\xFF\x01";
    std::mt19937_64 random(1);
    for (int i = 0; i < 100'000; ++i) {
        std::string text(random() % 70, 'x');
        for (std::uint64_t change = random() % 6; change-- > 0 && !text.empty();) {
            text[random() % text.size()] = bytes[random() % bytes.size()];
        }
        REQUIRE(written(text) == "[\"" + escaped(text) + "\"");
        const std::size_t from = text.empty() ? 0 : random() % text.size();
        std::size_t first = from;
        while (first < text.size() && escaped({&text[first], 1}).size() == 1) ++first;
        REQUIRE(find_json_escape(text, from) == first);
    }
    CHECK(written("") == "[\"\"");
}

TEST_CASE("a document is written with its commas") {
    std::string out;
    json_writer json(out);
    json.begin_object().member("a\"b", "c\\").key("list").begin_array();
    json.value(true).value(nullptr).value(std::numeric_limits<std::int64_t>::min());
    json.begin_object().end_object().end_array().raw_member("raw", "[1,2]").end_object();
    CHECK(out == R"({"a\"b":"c\\","list":[true,null,-9223372036854775808,{}],"raw":[1,2]})");
}
