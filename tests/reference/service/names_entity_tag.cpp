// SPDX-License-Identifier: MIT
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <sluice/reference/service/detail/names_entity_tag.hpp>

using sluice::detail::names_entity_tag;

static_assert(names_entity_tag(R"("a", W/"b")", R"("b")"));

TEST_CASE("If-None-Match names an entity tag as a whole, be it weak or strong") {
    for (const std::string_view line :
         {R"("b")", R"(W/"b")", R"("a", "b")", R"("a","b","c")", R"("a" , W/"b" , "c")", R"(, "b")",
          R"("a",, "b",)", "\t\"b\"\t", R"("a,b", "b")", R"("", "b")", "*"}) {
        CAPTURE(line);
        CHECK(names_entity_tag(line, R"("b")"));
        CHECK(names_entity_tag(line, R"(W/"b")"));
    }
}

TEST_CASE("a part of an entity tag, or what is none, names nothing") {
    for (const std::string_view line : {"",
                                        " ",
                                        ",",
                                        "b",
                                        R"("B")",
                                        R"("")",
                                        R"("bb")",
                                        R"("a")",
                                        R"("b)",
                                        R"(b")",
                                        R"('b')",
                                        R"("a"b"c")",
                                        R"("a""b")",
                                        R"("a,"b",c")",
                                        R"("b"x)",
                                        R"(x"b")",
                                        R"(w/"b")",
                                        R"(W"b")",
                                        R"(W/ "b")",
                                        R"(W/W/"b")",
                                        R"("a" "b")",
                                        R"("a"; "b")",
                                        R"("a, "b"")",
                                        R"("*")",
                                        "**",
                                        R"(*, "a")",
                                        "W/*"}) {
        CAPTURE(line);
        CHECK_FALSE(names_entity_tag(line, R"("b")"));
    }
}

TEST_CASE("an entity tag may hold commas and bytes beyond ASCII") {
    CHECK(names_entity_tag(R"("a,b")", R"("a,b")"));
    CHECK_FALSE(names_entity_tag(R"("a,b")", R"("a)"));
    CHECK_FALSE(names_entity_tag(R"("a", "b")", R"("a,b")"));
    CHECK(names_entity_tag("\"\xC3\xA9!\"", "\"\xC3\xA9!\""));
}

TEST_CASE("a long list is read once") {
    std::string line;
    for (int i = 0; i < 100'000; ++i) line += "\"" + std::to_string(i) + "\", ";
    CHECK(names_entity_tag(line, "\"99999\""));
    CHECK_FALSE(names_entity_tag(line, "\"100000\""));
    CHECK_FALSE(names_entity_tag(std::string(1 << 20, '"'), "\"b\""));
    CHECK_FALSE(names_entity_tag(std::string(1 << 20, ','), "\"b\""));
}
