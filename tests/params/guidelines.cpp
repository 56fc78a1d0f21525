// SPDX-License-Identifier: MIT
#include <array>
#include <cstddef>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/errors/message.hpp>
#include <sluice/params.hpp>
#include <sluice/params/guidelines.hpp>
#include <sluice/params/runtime/table.hpp>
#include <sluice/query/json_writer.hpp>

// The parameters of guidelines, of tables made while compiling and of the same made at run time.

namespace guideline_params {

using namespace sluice;

constexpr schema columns{column{.name = "id"}, column{.name = "name"},
                         column{.name = "total", .type = column_type::integer}};
constexpr std::array<std::string_view, 1> searched{"name"};

struct orders : guideline_list {};
struct short_orders : guideline_list {
    short_orders() { limit = 20; }
};

constexpr param_table odata{columns, odata_params<orders, 50>()};
constexpr param_table aip{columns, aip_params<orders, 50>({.searched = searched})};
constexpr param_table scim{columns, scim_params<orders, 50>()};

declaration page_of(page_style style, std::vector<std::string> names) {
    return {.kind = declared_kind::page,
            .names = std::move(names),
            .absent = "20",
            .maximum = 50,
            .style = style};
}

declared_table make(std::vector<declaration> specs) {
    auto table = declared_table::make(std::move(specs), {columns.begin(), columns.size()});
    REQUIRE_MESSAGE(table, (table ? std::string() : table.error().name + table.error().what));
    return *std::move(table);
}

/// Returns the tree of a request as JSON, or the codes, offsets and messages of its errors.
template <class Table>
std::string read(const Table& table, std::string_view text) {
    const query_string request = parse_query_string(text);
    const auto query = bind_all(table, request.pairs());
    std::string messages;
    if (!query) {
        for (const error& why : query.error()) {
            messages.append(to_string(why.code)).append(" ").append(message(why)).append("\n");
        }
        return messages;
    }
    const list_query list = to_list_query(table, *query);
    const std::string again = to_query_string(table, *query);
    const query_string pairs = parse_query_string(again);
    CHECK(to_list_query(table, *bind(table, pairs.pairs())) == list);
    return to_json(list);
}

template <class Table>
std::string page_of(const Table& table, std::string_view text) {
    const std::string json = read(table, text);
    const std::size_t begin = json.find("\"page\":");
    return begin == json.npos ? json : json.substr(begin + 7, json.find('}', begin) - begin - 6);
}

TEST_CASE("the parameters of OData") {
    CHECK(
        read(odata, "$filter=total gt 5 or name eq null&$orderby=total desc&$top=7&$count=true") ==
        R"({"where":{"all":[{"any":[{"column":"total","gt":5},{"any":[]}]}]},"order":[{"column":"total","direction":"desc"},{"column":"id","direction":"desc"}],"page":{"number":1,"size":7},"total":true})");
    CHECK(page_of(odata, "$skip=20&$top=7") == R"({"number":1,"offset":20,"size":7})");
    CHECK(page_of(odata, "$top=70") == R"({"number":1,"size":50})");
    CHECK(page_of(odata, "$filter=totl eq 1&$orderby=x&$top=x&$skip=-1") ==
          "bad_request $filter: unknown column (did you mean 'total'?), expected one of the "
          "documented names\n"
          "bad_request $orderby: unknown column, expected one of the documented names\n"
          "unprocessable_entity $skip: too small, expected a whole number of at least 0\n"
          "bad_request $top: not a number, expected a whole number of at least 0\n");
    CHECK(page_of(odata, "top=1") ==
          "bad_request unknown parameter (did you mean '$top'?), expected one of the documented "
          "names\n");
}

TEST_CASE("the parameters of Google's AIPs") {
    CHECK(
        read(aip, "filter=total > 5 Ada&order_by=total desc,name&page_size=7") ==
        R"({"where":{"all":[{"all":[{"column":"total","gt":5},{"column":"name","contains":["Ada"]}]}]},"order":[{"column":"total","direction":"desc"},{"column":"name","direction":"asc"},{"column":"id","direction":"asc"}],"page":{"number":1,"size":7},"total":false})");
    CHECK(page_of(aip, "page_size=0") == R"({"number":1,"size":50})");
    CHECK(page_of(aip, "page_size=70&skip=3") == R"({"number":1,"offset":3,"size":50})");
}

TEST_CASE("the parameters of SCIM") {
    CHECK(
        read(scim, "filter=total gt 5&sortBy=total&sortOrder=descending&startIndex=11&count=5") ==
        R"({"where":{"all":[{"column":"total","gt":5}]},"order":[{"column":"total","direction":"desc"},{"column":"id","direction":"desc"}],"page":{"number":1,"offset":10,"size":5},"total":true})");
    CHECK(page_of(scim, "sortOrder=asc") ==
          "unprocessable_entity sortOrder: not one of the accepted values, expected ascending or "
          "descending\n");
}

TEST_CASE("the search of OData") {
    const declared_table table = make({{.kind = declared_kind::search,
                                        .name = "$search",
                                        .words = search_form::odata,
                                        .searched = {"name", "id"}}});
    const auto both = [](const std::string& text) {
        return R"({"any":[{"column":"name","contains":[")" + text +
               R"("]},{"column":"id","contains":[")" + text + R"("]}]})";
    };
    const auto where_of = [&](std::string_view text) {
        const std::string json = read(table, text);
        const std::size_t end = json.find(",\"order\"");
        return end == json.npos ? json : json.substr(9, end - 9);
    };
    CHECK(where_of("$search=") == R"({"all":[]})");
    CHECK(where_of("$search=+") == R"({"all":[]})");
    CHECK(where_of("$search=red") == "{\"all\":[" + both("red") + "]}");
    CHECK(where_of("$search=red bike") == "{\"all\":[" + both("red") + "," + both("bike") + "]}");
    CHECK(where_of("$search=ORed AND \"red (bike\"") ==
          "{\"all\":[" + both("ORed") + "," + both("red (bike") + "]}");
    const std::string_view advice = ", expected words, phrases in double quotes, and AND\n";
    CHECK(where_of("$search=red OR bike") ==
          std::string("bad_request $search: not supported here (at byte 4)").append(advice));
    CHECK(where_of("$search=NOT x") ==
          std::string("bad_request $search: not supported here").append(advice));
    CHECK(where_of("$search=a(b)") ==
          std::string("bad_request $search: not supported here (at byte 1)").append(advice));
    CHECK(
        where_of("$search=a \"b") ==
        "bad_request $search: missing closing quote (at byte 2), end the text with the quote that "
        "it began with\n");
    CHECK(openapi_parameters(table).find("rows have all of them") != std::string::npos);
}

TEST_CASE("a token of other arguments is malformed") {
    const std::string text = "filter=total > 5";
    const auto request = parse_query_string(text);
    const list_query list = to_list_query(aip, *bind(aip, request.pairs()));
    const std::string token = *to_string(cursor{.query_mark = query_mark(list), .keys = {"7"}});
    CHECK(
        page_of(aip, "filter=total > 5&page_token=" + token) ==
        R"({"where":{"all":[{"column":"total","gt":5}]},"order":[{"column":"id","direction":"asc"}],"cursor":{"text":"AQCSC3-pAAAAAAI3Iexliw","size":100},"total":false})");
    CHECK(page_of(aip, "filter=total > 6&page_token=" + token) ==
          "bad_request page_token: made for another order or other filters, leave it out to begin "
          "again\n");
    CHECK(page_of(aip, "filter=total > 5&skip=2&page_token=" + token) ==
          "bad_request page_token: given together with a page number, give one of them\n");
}

TEST_CASE("each row of the table of pages holds, of parameters made while compiling or running") {
    constexpr param_table short_odata{columns, odata_params<short_orders, 50>()};
    constexpr param_table short_aip{columns, aip_params<short_orders, 50>()};
    constexpr param_table short_scim{columns, scim_params<short_orders, 50>()};
    const declared_table of_odata =
        make({page_of(page_style::odata, {"", "$skip", "$top", "$skiptoken", "$count"})});
    const declared_table of_aip =
        make({page_of(page_style::aip, {"", "skip", "page_size", "page_token", ""})});
    const declared_table of_scim =
        make({page_of(page_style::scim, {"", "startIndex", "count", "cursor", ""})});
    std::ifstream lines(SLUICE_TEST_DATA "/guidelines/pages.tsv");
    REQUIRE(lines.is_open());
    std::string line;
    REQUIRE(std::getline(lines, line));  // the head
    while (std::getline(lines, line)) {
        CAPTURE(line);
        const std::size_t first = line.find('\t'), second = line.find('\t', first + 1);
        const std::string set = line.substr(0, first), expected = line.substr(second + 1);
        const std::string request = line.substr(first + 1, second - first - 1);
        const auto answer = [&](const auto& table) {
            const std::string page = page_of(table, request);
            if (!page.starts_with('{')) return page.substr(page.find(' ') + 1);
            const bool has_total = read(table, request).find("\"total\":true") != page.npos;
            return page + (has_total ? " true" : " false");
        };
        const std::string_view end = expected.starts_with('{') ? "" : "\n";
        const std::string wanted = expected + std::string(end);
        if (set == "odata") {
            CHECK(answer(short_odata) == wanted);
            CHECK(answer(of_odata) == wanted);
        } else if (set == "aip") {
            CHECK(answer(short_aip) == wanted);
            CHECK(answer(of_aip) == wanted);
        } else {
            REQUIRE(set == "scim");
            CHECK(answer(short_scim) == wanted);
            CHECK(answer(of_scim) == wanted);
        }
    }
}

TEST_CASE("pages of guidelines that are declared at run time") {
    const declared_table of_aip =
        make({page_of(page_style::aip, {"", "skip", "page_size", "page_token", ""})});
    CHECK(page_of(of_aip, "page_size=0") == R"({"number":1,"size":20})");
    CHECK(page_of(of_aip, "page_size=70&skip=3") == R"({"number":1,"offset":3,"size":50})");
    const declared_table of_scim =
        make({page_of(page_style::scim, {"", "startIndex", "count", "cursor", ""})});
    CHECK(page_of(of_scim, "startIndex=11&count=5") == R"({"number":1,"offset":10,"size":5})");
    CHECK(page_of(of_scim, "") == R"({"number":1,"size":20})");
    CHECK(page_of(of_scim, "startIndex=99999999999999999999") ==  // beyond doubles
          R"({"number":1,"offset":9223372036854775806,"size":20})");
    const declared_table plain =
        make({page_of(page_style::plain, {"", "skip", "limit", "cursor", ""})});
    CHECK(page_of(plain, "limit=70") ==
          "unprocessable_entity limit: too large, expected a whole number from 1 to 50\n");
    CHECK(
        openapi_parameters(of_scim) ==
        R"([{"name":"startIndex","in":"query","description":"number of the first row, from 1","required":false,"schema":{"type":"integer","minimum":1,"default":1}},{"name":"count","in":"query","description":"rows on a page","required":false,"schema":{"type":"integer","minimum":0,"default":20}},{"name":"cursor","in":"query","description":"place in the list where the page begins or ends; as the links to other pages have it; not with a page","required":false,"schema":{"type":"string","pattern":"^[A-Za-z0-9_-]{19,512}[A-Za-z0-9_-]{0,512}$"}}])");
}

}  // namespace guideline_params
