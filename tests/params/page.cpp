// SPDX-License-Identifier: MIT
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/errors/message.hpp>
#include <sluice/params/bind.hpp>
#include <sluice/params/openapi.hpp>
#include <sluice/params/page.hpp>
#include <sluice/params/runtime/table.hpp>
#include <sluice/query/json_reader.hpp>
#include <sluice/query/json_writer.hpp>

using namespace sluice;

// Pages by the names of a caller, compiled and declared.
namespace {

namespace named_pages {

constexpr schema notes_schema{column{.name = "id"}};
struct notes : list_page {};

constexpr page_names short_names{.page = "p", .limit = "page_size", .cursor = "after", .count = {}};
constexpr page_names offset_names{
    .page = {}, .offset = "offset", .limit = "limit", .cursor = {}, .count = {}};
constexpr page_names limit_alone{.page = {}, .limit = "top", .cursor = {}, .count = {}};

constexpr param_table by_number{notes_schema, page_params<notes, 50, short_names>()};
constexpr param_table by_offset{notes_schema, page_params<notes, 50, offset_names>()};
constexpr param_table first_rows{notes_schema, page_params<notes, 50, limit_alone>()};

declared_table declared(const page_names& names, std::string prefix = {}) {
    declaration spec{.kind = declared_kind::page, .name = std::move(prefix), .maximum = 50};
    for (const std::string_view name : names.all()) spec.names.emplace_back(name);
    auto table = declared_table::make({spec}, {notes_schema.begin(), notes_schema.end()});
    if (!table) FAIL(table.error().name << ": " << table.error().what);
    return std::move(*table);
}

/// The page of a request, or the first error.
template <class Table>
std::string page_of(const Table& table, std::string_view text) {
    const query_string request = parse_query_string(text);
    const auto query = bind(table, request.pairs(), {});
    if (!query) return message(query.error(), text_at_fault(request.pairs(), query.error()));
    const std::string json = to_json(to_list_query(table, *query));
    return json.substr(json.find("\"id\"")) + to_query_string(table, *query);
}

std::string page_json(std::string_view members, std::string_view text = "") {
    return R"("id","direction":"asc"}],"page":{)" + std::string(members) + R"(},"total":false})" +
           std::string(text);
}

}  // namespace named_pages

}  // namespace

TEST_CASE("a page is named by its caller, and what has no name is unknown") {
    using namespace named_pages;
    const declared_table declared_number = declared(short_names);
    const std::pair<std::string_view, std::string> table[] = {
        {"", page_json(R"("number":1,"size":100)")},
        {"p=3&page_size=7", page_json(R"("number":3,"size":7)", "p=3&page_size=7")},
        {"page=3", "page: unknown parameter"},
        {"limit=3", "limit: unknown parameter"},
        {"count=true", "count: unknown parameter"},
        {"p=0", "p: too small, expected a whole number of at least 1"},
        {"page_size=51", "page_size: too large, expected a whole number from 1 to 50"},
        {"after=x", "after: not a cursor, take it from a Link header as it is"},
    };
    for (const auto& [text, answer] : table) {
        CAPTURE(text);
        CHECK(page_of(by_number, text).starts_with(answer));
        CHECK(page_of(declared_number, text).starts_with(answer));
    }
    CHECK(openapi_parameters(by_number) == openapi_parameters(declared_number));
    CHECK(by_number.size() == 3);
}

TEST_CASE("an offset is a number of rows, whatever the limit is") {
    using namespace named_pages;
    const declared_table declared_offset = declared(offset_names);
    const std::pair<std::string_view, std::string> table[] = {
        {"", page_json(R"("number":1,"size":100)")},
        {"offset=0", page_json(R"("number":1,"size":100)")},
        {"offset=5&limit=10", page_json(R"("number":1,"offset":5,"size":10)", "offset=5&limit=10")},
        {"offset=99999999999999999999",
         page_json(R"("number":1,"offset":9223372036854775807,"size":100)",
                   "offset=9223372036854775807")},
        {"offset=-1", "offset: too small, expected a whole number of at least 0"},
        {"page=1", "page: unknown parameter, expected one of the documented names"},
    };
    for (const auto& [text, answer] : table) {
        CAPTURE(text);
        CHECK(page_of(by_offset, text) == answer);
        CHECK(page_of(declared_offset, text) == answer);
    }
    CHECK(openapi_parameters(by_offset) == openapi_parameters(declared_offset));
}

TEST_CASE("a page without a place is the first, and a prefix stands before every name") {
    using namespace named_pages;
    CHECK(page_of(first_rows, "top=7") == page_json(R"("number":1,"size":7)", "top=7"));
    CHECK(page_of(declared(limit_alone), "top=7") == page_json(R"("number":1,"size":7)", "top=7"));
    CHECK(page_of(declared(short_names, "n_"), "n_p=2&n_page_size=3") ==
          page_json(R"("number":2,"size":3)", "n_p=2&n_page_size=3"));
    declaration spec{.kind = declared_kind::page, .absent = "20", .maximum = 50};
    spec.names = {"p", "", "", "", ""};
    const auto table = declared_table::make({spec}, {notes_schema.begin(), notes_schema.end()});
    REQUIRE(table);
    CHECK(page_of(*table, "p=2") == page_json(R"("number":2,"size":20)", "p=2"));
}

TEST_CASE("a cursor and an offset say different places") {
    using namespace named_pages;
    page_names names = offset_names;
    names.cursor = "after";
    const declared_table table = declared(names);
    const query_string request = parse_query_string("limit=2");
    const auto query = bind(table, request.pairs(), {});
    REQUIRE(query);
    const cursor place{.query_mark = query_mark(to_list_query(table, *query)), .keys = {"7"}};
    const std::string text = "after=" + to_string(place).value_or("");
    CHECK(page_of(table, text).find("\"cursor\"") != std::string::npos);
    CHECK(page_of(table, text + "&offset=3").starts_with("after: given together with"));
}

TEST_CASE("an offset passes through the JSON of a query") {
    using namespace named_pages;
    const query_string request = parse_query_string("offset=5&limit=10");
    const auto query = bind(by_offset, request.pairs(), {});
    REQUIRE(query);
    const list_query list = to_list_query(by_offset, *query);
    const auto read = parse_list_query(to_json(list), by_offset.columns());
    REQUIRE(read);
    CHECK(*read == list);
    CHECK(read->wanted.offset() == 5);
    const auto refused =
        parse_list_query(R"({"page":{"number":1,"size":1,"offset":-1}})", by_offset.columns());
    REQUIRE(!refused);
    CHECK(message(refused.error()) ==
          "page.offset: a value that is not accepted, expected 0 or more");
}

TEST_CASE("names of a page that mean nothing are refused") {
    using namespace named_pages;
    struct row {
        std::vector<std::string> names;
        std::string_view what;
    };
    const row table[] = {
        {{"p"}, "it has 5 parameters"},
        {{"", "", "", "", ""}, "give one of them a name"},
        {{"p", "o", "", "", ""}, "leave the name of one out"},
        {{"p", "", "p", "", ""}, "two parameters have this name"},
    };
    for (const auto& [names, what] : table) {
        declaration spec{.kind = declared_kind::page, .maximum = 50};
        spec.names = names;
        const auto created =
            declared_table::make({spec}, {notes_schema.begin(), notes_schema.end()});
        REQUIRE(!created);
        CHECK(created.error().what.find(what) != std::string::npos);
    }
    const auto text =
        declared_table::make({{.kind = declared_kind::text, .name = "a", .names = {"b"}}},
                             {notes_schema.begin(), notes_schema.end()});
    REQUIRE(!text);
    CHECK(text.error().what.find("give it one name") != std::string::npos);
}
