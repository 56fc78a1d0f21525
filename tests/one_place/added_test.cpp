// SPDX-License-Identifier: MIT
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <sluice/arrow/list_mask.hpp>
#include <sluice/errors/message.hpp>
#include <sluice/query/json_reader.hpp>
#include <sluice/query/json_writer.hpp>
#include <sluice/sql/compile.hpp>

// Compiled with a copy of the headers in which add_test.cmake has added a test `longer_than`.

using namespace sluice;

namespace {

constexpr schema pages{column{.name = "id"}, column{.name = "title", .is_nullable = true}};
const columns_view columns(pages.begin(), pages.size());

list_query query_of(std::string_view leaf) {
    return parse_list_query("{\"where\":" + std::string(leaf) + "}", columns).value();
}

}  // namespace

TEST_CASE("an added test is read, written and met by the rows that a loop says") {
    for (const std::string number : {"-1", "0", "2", "3"}) {
        const std::string leaf = R"({"column":"title","longer_than":)" + number + "}";
        const list_query query = query_of(leaf);
        CHECK(to_json(query).find(leaf) != std::string::npos);
        CHECK(parse_list_query(to_json(query), columns) == query);
        for (const std::string_view title : {"", "a", "ab", "abc", "abcd"}) {
            const bool is_longer = static_cast<int>(title.size()) > std::stoi(number);
            CHECK(query.matches([&](const column&) { return cell(title); }) == is_longer);
        }
        CHECK_FALSE(query.matches([](const column&) { return cell(); }));
    }
    CHECK(query_mark(query_of(R"({"column":"title","longer_than":1})")) !=
          query_mark(query_of(R"({"column":"title","longer_than":2})")));
}

TEST_CASE("an added test is named where it has no place") {
    const auto failed = [](std::string_view leaf) {
        const auto read = parse_list_query("{\"where\":" + std::string(leaf) + "}", columns);
        return read ? std::string() : message(read.error());
    };
    CHECK(failed(R"({"column":"title","longer_than":"a"})") ==
          "where.longer_than of column title: has the wrong type, expected a whole number");
    CHECK(failed(R"({"column":"title","equal":1})").ends_with("lt, lte, is_null or longer_than"));
}

TEST_CASE("engines without an added test refuse it by name") {
    const list_query query = query_of(R"({"column":"title","longer_than":1})");
    for (std::size_t at = 0; at < sql::dialect_names.size(); ++at) {
        const auto of = static_cast<sql::dialect>(at);
        const auto refused = sql::compile(query, sql::table_mapping(columns, "pages", of), of);
        REQUIRE_FALSE(refused);
        CHECK(message(refused.error()) ==
              "title: a test that the rows' engine doesn't answer, leave longer_than of this "
              "column out: the engine has no such test");
    }
}

TEST_CASE("masks answer an added test of texts by its meaning") {
    const list_query query = query_of(R"({"column":"title","longer_than":1})");
    const auto tree = arrow::mask_conditions(query);
    const auto& test = std::get<arrow::value_test>(tree.conditions.at(0).wanted);
    CHECK_FALSE(test.holds("a"));
    CHECK(test.holds("ab"));
}
