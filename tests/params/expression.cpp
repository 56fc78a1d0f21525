// SPDX-License-Identifier: MIT
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/errors/message.hpp>
#include <sluice/params.hpp>
#include <sluice/params/expression.hpp>
#include <sluice/params/runtime/table.hpp>
#include <sluice/query/json_writer.hpp>
#include <sluice/store/storable_columns.hpp>

// Parameters that take a whole condition, of a table made while compiling and of the same table
// made at run time.

namespace expression_params {

using namespace sluice;

constexpr std::array<std::string_view, 2> states{"open", "paid"};
constexpr schema columns{column{.name = "id"},
                         column{.name = "customer"},
                         column{.name = "status", .type = column_type::choice, .choices = states},
                         column{.name = "total", .type = column_type::decimal, .is_nullable = true},
                         column{.name = "created", .type = column_type::time},
                         column{.name = "tags", .is_list = true},
                         column{.name = "secret"}};
constexpr std::array<expression_column, 5> names{{
    {.name = "customer", .subject = *columns.find("customer")},
    {.name = "state",
     .subject = *columns.find("status"),
     .allowed = set_of(test_kind::any_of, test_kind::none_of)},
    {.name = "total", .subject = *columns.find("total")},
    {.name = "createTime", .subject = *columns.find("created")},
    {.name = "tags", .subject = *columns.find("tags")},
}};
constexpr std::array<std::string_view, 1> searched{"customer"};

struct purchases : list_page {
    filter customer;
    expression odata, aip160, all;
    ordering order, keys;
};

constexpr param_table static_table{
    columns,
    filter_param<&purchases::customer>({.name = "customer", .column = "customer"}),
    expression_param<&purchases::odata, grammar::odata>({.name = "$filter", .named = names}),
    expression_param<&purchases::aip160, grammar::aip160>(
        {.name = "filter", .searched = searched, .named = names}),
    expression_param<&purchases::all, grammar::rsql>({.name = "all"}),
    ordering_param<&purchases::order, grammar::odata>({.name = "$orderby", .named = names}),
    ordering_param<&purchases::keys, grammar::rsql>({.name = "sort"}),
    page_params<purchases, 100>()};

declared_table make_table() {
    std::vector<declared_name> declared;
    for (const expression_column& named : names) {
        declared.push_back(
            {std::string(named.name), std::string(named.subject.name), named.allowed});
    }
    auto table = declared_table::make(
        {{.kind = declared_kind::filter, .name = "customer", .column = "customer"},
         {.kind = declared_kind::condition,
          .name = "$filter",
          .grammar = grammar::odata,
          .named = declared},
         {.kind = declared_kind::condition,
          .name = "filter",
          .searched = {"customer"},
          .grammar = grammar::aip160,
          .named = declared},
         {.kind = declared_kind::condition, .name = "all", .grammar = grammar::rsql},
         {.kind = declared_kind::order,
          .name = "$orderby",
          .grammar = grammar::odata,
          .named = declared},
         {.kind = declared_kind::order, .name = "sort", .grammar = grammar::rsql},
         {.kind = declared_kind::page, .absent = "100", .maximum = 100}},
        {columns.begin(), columns.size()});
    REQUIRE_MESSAGE(table, (table ? std::string() : table.error().name + table.error().what));
    return *std::move(table);
}

std::string request_of(std::vector<name_value> pairs) {
    std::string text;
    for (const name_value& pair : pairs) detail::append_pair(text, pair);
    return text;
}

/// Returns the conditions of a request as JSON, or the messages of its errors.
template <class Table>
std::string read(const Table& table, const std::string& text) {
    const query_string request = parse_query_string(text);
    const auto query = bind_all(table, request.pairs());
    std::string messages;
    if (!query) {
        for (const error& why : query.error()) {
            messages.append(std::to_string(why.offset)).append("+");
            messages.append(std::to_string(why.length)).append(" ").append(message(why) + "\n");
        }
        return messages;
    }
    const list_query list = to_list_query(table, *query);
    for (const std::string& again :
         {to_query_string(table, *query), canonical_query_string(table, *query)}) {
        const query_string pairs = parse_query_string(again);
        CHECK(to_list_query(table, *bind(table, pairs.pairs())) == list);
    }
    for (const leaf& condition : list.rows.leaves()) CHECK_FALSE(condition.param.empty());
    const std::string json = to_json(list);
    const std::size_t begin = json.find("\"where\":") + 8;
    return json.substr(begin, json.rfind(",\"order\"") - begin);
}

TEST_CASE("a condition joins those of other parameters by AND") {
    const declared_table declared = make_table();
    const std::string open = R"({"column":"status","any_of":["open"]})";
    const std::string large = R"({"column":"total","gt":"5"})";
    const struct {
        std::string text, json;
    } table[]{
        {request_of({{"$filter", ""}}), R"({"all":[]})"},
        {request_of({{"$filter", "  "}}), R"({"all":[]})"},
        {request_of({{"$filter", "true"}}), R"({"all":[]})"},
        {request_of({{"$filter", "total gt 5"}}), "{\"all\":[" + large + "]}"},
        {request_of({{"$filter", "total gt 5 or not (state eq 'open')"}}),
         "{\"all\":[{\"any\":[" + large + ",{\"not\":" + open + "}]}]}"},
        {request_of({{"filter", "state = \"open\" OR total > 5"}, {"customer", "7"}}),
         R"({"all":[{"all":[{"column":"customer","any_of":["7"]}]},{"any":[)" + open + "," + large +
             "]}]}"},
        {request_of({{"$filter", "total gt 5"}, {"filter", "Ada"}}),
         "{\"all\":[" + large + R"(,{"column":"customer","contains":["Ada"]}]})"},
        {request_of({{"$filter", "createTime gt 2026-08-21T00:00:00Z"}}),
         R"({"all":[{"column":"created","gt":"2026-08-21T00:00:00.000Z"}]})"},
        {request_of({{"$filter", "tags/any(t:t eq 'a')"}}),
         R"({"all":[{"column":"tags","any_of":["a"]}]})"},
        {request_of({{"all", "secret==1"}}), R"({"all":[{"column":"secret","any_of":["1"]}]})"},
    };
    for (const auto& [text, json] : table) {
        CAPTURE(text);
        CHECK(read(static_table, text) == json);
        CHECK(read(declared, text) == json);
    }
}

TEST_CASE("errors of conditions have their byte, and stand beside those of other parameters") {
    const declared_table declared = make_table();
    const struct {
        std::string text, messages;
    } table[]{
        {request_of({{"$filter", "total gt 'x'"}}),
         "9+3 $filter: not a value of this type (at byte 9), expected a number such as 1.5\n"},
        {request_of({{"$filter", "totl gt 5"}}),
         "0+4 $filter: unknown column (did you mean 'total'?), expected one of the documented "
         "names\n"},
        {request_of({{"$filter", "secret eq '1'"}}),
         "0+6 $filter: unknown column, expected one of the documented names\n"},
        {request_of({{"$filter", "status eq 'open'"}}),
         "0+6 $filter: unknown column, expected one of the documented names\n"},
        {request_of({{"$filter", "state gt 'open'"}}),
         "6+2 $filter: an operator that the column doesn't have (at byte 6), expected one of those "
         "documented for it\n"},
        {request_of({{"$filter", "total gt"}, {"filter", "(total > 5"}, {"limit", "x"}}),
         "8+0 $filter: missing value (at byte 8), expected a value such as 'text', 5, true, null "
         "or 2026-08-21T02:30:15Z\n"
         "10+0 filter: missing closing parenthesis (at byte 10), expected ')'\n"
         "0+1 limit: not a number, expected a whole number from 1 to 100\n"},
        {request_of({{"$filter", "true"}, {"$filter", "true"}}),
         "0+4 $filter: given more than once, give it once\n"},
        {request_of({{"$filter", std::string(10'001, ' ')}}),
         "0+10001 $filter: too long, expected at most 10000 bytes\n"},
    };
    for (const auto& [text, messages] : table) {
        CAPTURE(text);
        CHECK(read(static_table, text) == messages);
        CHECK(read(declared, text) == messages);
    }
}

TEST_CASE("a cursor belongs to the conditions that it was made with") {
    const auto marked = [](const std::string& text) {
        const std::string pairs = request_of({{"$filter", text}});
        const auto request = parse_query_string(pairs);
        return query_mark(to_list_query(static_table, *bind(static_table, request.pairs())));
    };
    const std::string_view different[]{
        "",
        "total gt 5",
        "total ge 5",
        "total gt 5 or state eq 'open'",
        "total gt 5 and state eq 'open'",
        "not (total gt 5 and state eq 'open')",
        "(total gt 5 and state eq 'open') or customer eq 'a' or customer eq null",
        "(total gt 5 and state eq 'open' and customer eq 'a') or createTime gt "
        "2026-08-21T00:00:00Z",
        "(total gt 5 and state eq 'open') or customer eq 'a' or createTime gt 2026-08-21T00:00:00Z",
        "(total gt 5 and (state eq 'open' or customer eq 'a')) or customer eq 'b'",
        "(total gt 5 and (state eq 'open' or customer eq 'a' or customer eq 'b'))",
    };
    for (const std::string_view a : different) {
        for (const std::string_view b : different) {
            CAPTURE(a);
            CAPTURE(b);
            CHECK((marked(std::string(a)) == marked(std::string(b))) == (a == b));
        }
    }
    CHECK(marked("total gt 5") == marked("( total  gt 5 )"));

    const std::string page = request_of({{"$filter", "total gt 5"}});
    const auto first = parse_query_string(page);
    const list_query list = to_list_query(static_table, *bind(static_table, first.pairs()));
    const cursor next{.query_mark = query_mark(list), .keys = {"7"}};
    const std::string text = *to_string(next);
    const auto read_with = [&](std::string_view condition) {
        return read(static_table, request_of({{"$filter", condition}, {"cursor", text}}));
    };
    CHECK(read_with("total gt 5") == R"({"all":[{"column":"total","gt":"5"}]})");
    CHECK(read_with("total gt 6") ==
          "0+22 cursor: made for another order or other filters, leave it out to begin again\n");
}

/// Returns the sort keys of a request as JSON, or the message of its first error.
template <class Table>
std::string order_of(const Table& table, std::vector<name_value> parameters) {
    const std::string text = request_of(std::move(parameters));
    const auto request = parse_query_string(text);
    const auto query = bind(table, request.pairs());
    if (!query) return std::to_string(query.error().offset) + " " + message(query.error());
    const std::string again = to_query_string(table, *query);
    const auto pairs = parse_query_string(again);
    CHECK(to_list_query(table, *bind(table, pairs.pairs())) == to_list_query(table, *query));
    const std::string json = to_json(to_list_query(table, *query));
    const std::size_t begin = json.find("\"order\":") + 8;
    return json.substr(begin, json.find("]", begin) + 1 - begin);
}

TEST_CASE("an order in a grammar") {
    const declared_table declared = make_table();
    const std::string id = R"({"column":"id","direction":"asc"}])";
    const std::string last = R"({"column":"id","direction":"desc"}])";
    const struct {
        std::vector<name_value> pairs;
        std::string keys;
    } table[]{
        {{{"$orderby", ""}}, "[" + id},
        {{{"$orderby", "createTime desc,total"}},
         R"([{"column":"created","direction":"desc"},{"column":"total","direction":"asc"},)" + id},
        {{{"sort", "-total"}}, R"([{"column":"total","direction":"desc"},)" + last},
        {{{"$orderby", "total,created"}},
         "6 $orderby: unknown column (at byte 6), expected one of the documented names"},
        {{{"$orderby", "total dsc"}},
         "6 $orderby: not what the grammar has here (at byte 6), expected asc, desc, a comma or "
         "the end"},
        {{{"$orderby", "tags"}},
         "0 $orderby: an operator that the column doesn't have, order by a column with "
         "one value in each row"},
    };
    for (const auto& [pairs, keys] : table) {
        CHECK(order_of(static_table, pairs) == keys);
        CHECK(order_of(declared, pairs) == keys);
    }
    const param_info& info = static_table[4].info;
    CHECK(info.syntax(info).note ==
          "columns `a,b desc` of `customer`, `state`, `total`, `createTime`");
    for (const grammar_record& record : grammar_records) {
        const auto of = declared_table::make({{.kind = declared_kind::order,
                                               .name = "order",
                                               .grammar = record.kind,
                                               .named = {{"createTime", "created"}}}},
                                             {columns.begin(), columns.size()});
        const syntax_words words = (*of)[0].info.syntax((*of)[0].info);
        CHECK(order_of(*of, {{"order", words.example}}).starts_with(R"([{"column":"created",)"));
    }
}

TEST_CASE("a direction turns all sort keys") {
    const auto table = declared_table::make(
        {{.kind = declared_kind::order, .name = "sortBy", .grammar = grammar::scim},
         {.kind = declared_kind::direction,
          .name = "sortOrder",
          .choices = {"ascending", "descending"}}},
        {columns.begin(), columns.size()});
    REQUIRE_MESSAGE(table, (table ? std::string() : table.error().name + table.error().what));
    const auto first = [&](std::vector<name_value> pairs) {
        return order_of(*table, std::move(pairs));
    };
    const std::string total = R"([{"column":"total","direction":")";
    CHECK(first({{"sortBy", "total"}}).starts_with(total + "asc"));
    CHECK(first({{"sortBy", "total"}, {"sortOrder", "ascending"}}).starts_with(total + "asc"));
    CHECK(first({{"sortOrder", "descending"}, {"sortBy", "TOTAL"}}).starts_with(total + "desc"));
    CHECK(first({{"sortOrder", "desc"}}) ==
          "0 sortOrder: not one of the accepted values, expected ascending or descending");
}

TEST_CASE("every test that a condition may have is one that an engine has to answer") {
    CHECK(find_unanswered(static_table, store::answered_tests) == static_table.size());
    const declared_table declared = make_table();
    CHECK(find_unanswered(declared, store::answered_tests) == declared.size());
    // By name: state has no bounds, so that a set without bounds of choices answers $filter.
    test_set without = test_set().with(
        test_kind::bounds,
        static_cast<column_types>(all_column_types() & ~set_of(column_type::choice)));
    for (const test_record& test : test_records) {
        if (test.kind == test_kind::bounds) continue;
        without = without.with(test.kind, all_column_types());
        without = without.with_lists(test.kind, all_column_types());
    }
    CHECK(find_unanswered(static_table, without) == 3);
    CHECK(find_unanswered(declared, without) == 3);
}

TEST_CASE("OpenAPI documents the grammar, its columns and their operators, with an example") {
    for (const grammar_record& record : grammar_records) {
        CAPTURE(record.name);
        std::vector<declared_name> some{{"state", "status", set_of(test_kind::any_of)},
                                        {"createTime", "created"},
                                        {"tags", "tags"},
                                        {"total", "total"}};
        const auto table = declared_table::make({{.kind = declared_kind::condition,
                                                  .name = "filter",
                                                  .grammar = record.kind,
                                                  .named = some}},
                                                {columns.begin(), columns.size()});
        const syntax_words words = (*table)[0].info.syntax((*table)[0].info);
        CHECK(read(*table, request_of({{"filter", words.example}})) ==
              R"({"all":[{"all":[{"column":"status","any_of":["open"]},)"
              R"({"column":"created","gte":"2026-08-21T02:30:15.000Z"}]}]})");
        const std::string document = openapi_parameters(*table);
        CHECK(document.find("\"maxLength\":10000") != document.npos);
    }
    const param_info& odata = static_table[1].info;
    CHECK(odata.syntax(odata).note ==
          "a $filter of OData 4.01 on `customer` (eq in ne contains startswith endswith gt ge lt "
          "le), `state` (eq in ne), `total` (eq in ne gt ge lt le eq null), `createTime` (eq in ne "
          "gt ge lt le), `tags` (any all contains startswith endswith eq null)");
}

TEST_CASE("mistakes in the names of a condition") {
    const auto mistake = [](std::vector<declared_name> some) {
        const auto table = declared_table::make(
            {{.kind = declared_kind::condition, .name = "filter", .named = std::move(some)}},
            {columns.begin(), columns.size()});
        return table ? std::string() : table.error().name + ": " + table.error().what;
    };
    CHECK(mistake({{"total", "total"}, {"sum", "total"}}).empty());
    CHECK(mistake({{"total", "totl"}}) ==
          "filter: the schema has no column 'totl': add it, or use id, customer, status, total, "
          "created, tags or secret");
    CHECK(mistake({{"total", "total"}, {"total", "id"}}) ==
          "filter: each column of a condition has a name: rename 'total'");
    CHECK(mistake({{"", "total"}}) == "filter: each column of a condition has a name: rename ''");
}

}  // namespace expression_params
