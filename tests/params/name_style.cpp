// SPDX-License-Identifier: MIT
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/errors/message.hpp>
#include <sluice/params/bind.hpp>
#include <sluice/params/name_style.hpp>
#include <sluice/params/named_values.hpp>
#include <sluice/params/openapi.hpp>
#include <sluice/params/runtime/table.hpp>
#include <sluice/query/json_writer.hpp>

using namespace sluice;

// Lists and exclusions in the forms of a caller, compiled and declared.
namespace {

namespace styled {

constexpr schema goods_schema{column{.name = "id"}, column{.name = "status"},
                              column{.name = "number", .type = column_type::integer},
                              column{.name = "price", .type = column_type::decimal}};
struct goods {
    filter commas, plain, without, repeated, repeated_without;
    std::vector<std::string> ids;
    std::optional<decimal_number> least;
};
constexpr param_table compiled{
    goods_schema,
    filter_param<&goods::commas>({.name = "status", .column = "status"}),
    filter_param<&goods::plain>(
        {.name = "plain", .column = "status", .excludes = exclusion::never}),
    filter_param<&goods::without>(
        {.name = "status!", .column = "status", .excludes = exclusion::always}),
    filter_param<&goods::repeated>(
        {.name = "state", .column = "status", .lists = list_form::repeated}),
    filter_param<&goods::repeated_without>({.name = "state__not_in",
                                            .column = "status",
                                            .lists = list_form::repeated,
                                            .excludes = exclusion::always}),
    list_param<&goods::ids>({.name = "ids[]", .column = "id", .lists = list_form::repeated}),
    value_param<&goods::least>(
        {.name = "price__gte", .column = "price", .op = comparison::at_least})};

declared_table declared() {
    using enum declared_kind;
    const list_form repeated = list_form::repeated;
    auto table = declared_table::make(
        {{.name = "status", .column = "status"},
         {.name = "plain", .column = "status", .excludes = exclusion::never},
         {.name = "status!", .column = "status", .excludes = exclusion::always},
         {.name = "state", .column = "status", .lists = repeated},
         {.name = "state__not_in",
          .column = "status",
          .lists = repeated,
          .excludes = exclusion::always},
         {.kind = list, .name = "ids[]", .column = "id", .lists = repeated},
         {.kind = decimal,
          .name = "price",
          .column = "price",
          .op = comparison::at_least,
          .naming = name_style::underscores}},
        {goods_schema.begin(), goods_schema.end()});
    if (!table) FAIL(table.error().name << ": " << table.error().what);
    return std::move(*table);
}

/// The conditions of a request and its canonical text, or the first error.
template <class Table>
std::string rows_of(const Table& table, std::string_view text) {
    const query_string request = parse_query_string(text);
    const auto query = bind(table, request.pairs(), {});
    if (!query) {
        const error& why = query.error();
        return message(why, text_at_fault(request.pairs(), why)) + " at " +
               std::to_string(why.offset) + "+" + std::to_string(why.length);
    }
    const std::string json = to_json(to_list_query(table, *query));
    const std::string again = to_query_string(table, *query);
    const query_string written = parse_query_string(again);
    const auto same = bind(table, written.pairs(), {});
    REQUIRE(same);
    CHECK(to_json(to_list_query(table, *same)) == json);
    CHECK(to_query_string(table, *same) == again);
    const std::size_t begin = json.find('[') + 1;
    return json.substr(begin, json.find("]},\"order\"") - begin) + " " +
           canonical_query_string(table, *query);
}

}  // namespace styled

}  // namespace

TEST_CASE("lists and exclusions are read as their parameters say") {
    using namespace styled;
    const declared_table table = declared();
    const std::pair<std::string_view, std::string_view> cases[] = {
        {"status=-b,a", R"({"column":"status","none_of":["b","a"]} status=-a%2Cb)"},
        {"plain=-b,a", R"({"column":"status","any_of":["-b","a"]} plain=%5C-b%2Ca)"},
        {"plain=a,-b&plain=c\\,d",
         R"({"column":"status","any_of":["a","-b","c,d"]} plain=%5C-b%2Ca%2Cc%5C%2Cd)"},
        {"status!=b,a", R"({"column":"status","none_of":["b","a"]} status%21=a%2Cb)"},
        {"status!=-b", R"({"column":"status","none_of":["-b"]} status%21=%5C-b)"},
        {"status!=a&status!=b", R"({"column":"status","none_of":["a","b"]} status%21=a%2Cb)"},
        {"status=a,b&status!=b",
         R"({"column":"status","any_of":["a","b"]},{"column":"status","none_of":["b"]})"
         R"( status=a%2Cb&status%21=b)"},
        {"state=b,c&state=a\\",
         R"({"column":"status","any_of":["b,c","a\\"]} state=a%5C&state=b%2Cc)"},
        {"state=-a", R"({"column":"status","any_of":["-a"]} state=-a)"},
        {"state[]=a", R"({"column":"status","any_of":["a"]} state=a)"},
        {"state__not_in=-a&state__not_in=b,",
         R"({"column":"status","none_of":["-a","b,"]} state__not_in=-a&state__not_in=b%2C)"},
        {"ids[]=a,b&ids[]=c",
         R"({"column":"id","any_of":["a,b","c"]} ids%5B%5D=a%2Cb&ids%5B%5D=c)"},
        {"price__gte=7", R"({"column":"price","gte":"7"} price__gte=7)"},
        {"state=&state__not_in=&ids[]=&status!=", " "},
    };
    for (const auto& [text, answer] : cases) {
        CAPTURE(text);
        CHECK(rows_of(compiled, text) == answer);
        CHECK(rows_of(table, text) == answer);
    }
    const std::string_view refused[] = {"ids=a", "price[gte]=1", "price=1", "status=a,-b"};
    for (const std::string_view text : refused) {
        CAPTURE(text);
        CHECK(rows_of(compiled, text) == rows_of(table, text));
        CHECK(rows_of(compiled, text).find(" at ") != std::string::npos);
    }
    CHECK(rows_of(compiled, "price=1").find("(did you mean 'price__gte'?)") != std::string::npos);
    CHECK(openapi_parameters(compiled) == openapi_parameters(table));
}

TEST_CASE("a default of a repeated list has commas between its values") {
    using namespace styled;
    const auto table = declared_table::make(
        {{.name = "state", .column = "status", .lists = list_form::repeated, .absent = "a,b\\,c"}},
        {goods_schema.begin(), goods_schema.end()});
    REQUIRE(table);
    CHECK(rows_of(*table, "") == R"({"column":"status","any_of":["a","b,c"]} )");
    CHECK(openapi_parameters(*table).find(R"("default":["a","b,c"])") != std::string::npos);
}

TEST_CASE("each style adds an operator to a name, and finds the name without it") {
    using enum comparison;
    const std::pair<name_style, std::vector<std::string_view>> table[] = {
        {name_style::brackets, {"p", "p[gte]", "p[gt]", "p[lte]", "p[lt]"}},
        {name_style::underscores, {"p", "p__gte", "p__gt", "p__lte", "p__lt"}},
        {name_style::dots, {"p", "p.gte", "p.gt", "p.lte", "p.lt"}},
        {name_style::words, {"p", "p_min", "p_above", "p_max", "p_below"}},
    };
    for (const auto& [style, names] : table) {
        std::size_t i = 0;
        for (const comparison op : {equal, at_least, more_than, at_most, less_than}) {
            const std::string name = "p" + std::string(suffix_of(style, op));
            CHECK(name == names[i++]);
            CHECK(sluice::detail::stem_of(name) == "p");
        }
    }
}

TEST_CASE("forms of parameters that have none are refused") {
    using namespace styled;
    using enum declared_kind;
    const std::pair<declaration, std::string_view> table[] = {
        {{.kind = text, .name = "a", .lists = list_form::repeated}, "leave the form of lists out"},
        {{.kind = text, .name = "a", .excludes = exclusion::always}, "leave the exclusion out"},
        {{.kind = direction, .name = "a", .choices = {"asc"}}, "name both"},
        {{.kind = direction, .name = "a"}, "needs choices"},
    };
    for (const auto& [spec, what] : table) {
        const auto created =
            declared_table::make({spec}, {goods_schema.begin(), goods_schema.end()});
        REQUIRE(!created);
        CHECK(created.error().what.find(what) != std::string::npos);
    }
}

TEST_CASE("a search is of any word, of all, or of the text as it is") {
    using namespace styled;
    const std::pair<search_form, std::string_view> table[] = {
        {search_form::any, R"({"column":"status","contains":["b","c,d"]}]} q=b++c%2Cd)"},
        {search_form::all, R"({"column":"status","contains":["b"]}]},{"any":[{"column":"status",)"
                           R"("contains":["c,d"]}]} q=b++c%2Cd)"},
        {search_form::phrase, R"({"column":"status","contains":["b  c,d"]}]} q=b++c%2Cd)"},
    };
    for (const auto& [form, answer] : table) {
        const auto created = declared_table::make(
            {{.kind = declared_kind::search, .name = "q", .words = form, .searched = {"status"}}},
            {goods_schema.begin(), goods_schema.end()});
        REQUIRE(created);
        const std::string rows = rows_of(*created, "q=b  c,d");
        CHECK(rows.substr(rows.find("{\"column\"")) == answer);
        CHECK(rows_of(*created, "q=  ").find("contains") == std::string::npos);
    }
}

TEST_CASE("empty values count as absent where a table doesn't want them") {
    using namespace styled;
    const query_string request = parse_query_string("price__gte=&status=&state=a&x=");
    const auto query = bind(compiled, request.pairs(), {.wants_empty = false});
    REQUIRE(query);
    CHECK(to_query_string(compiled, *query) == "state=a");
    CHECK(!bind(compiled, request.pairs(), {}));
}

TEST_CASE("a list that is cleared of its default stays so, whether empty values count or not") {
    using namespace styled;
    const auto kept = declared_table::make(
        {{.name = "status", .column = "status", .absent = "-a,b"},
         {.kind = declared_kind::list, .name = "ids", .column = "id", .absent = "a,b"},
         {.name = "state", .column = "status", .lists = list_form::repeated, .absent = "a"}},
        {goods_schema.begin(), goods_schema.end()});
    REQUIRE(kept);
    struct row {
        std::string_view text;
        bool wants_empty;
        std::string_view written;
    };
    for (const auto& [text, wants_empty, written] :
         {row{"", true, ""}, row{"status=&ids=", false, ""}, row{"status=", true, "status="},
          row{"ids=,", true, "ids="}, row{"status=,&ids=,", false, "status=%2C&ids=%2C"},
          row{"status=-", false, "status=%2C"}, row{"state=", true, "state="},
          row{"state=,", false, "state=%2C"}}) {
        CAPTURE(text);
        const query_string request = parse_query_string(text);
        const auto query = bind(*kept, request.pairs(), {.wants_empty = wants_empty});
        REQUIRE(query);
        const std::string again = to_query_string(*kept, *query, {.wants_empty = wants_empty});
        CHECK(again == written);
        const query_string followed = parse_query_string(again);
        const auto copy = bind(*kept, followed.pairs(), {.wants_empty = wants_empty});
        REQUIRE(copy);
        CHECK(to_json(to_list_query(*kept, *copy)) == to_json(to_list_query(*kept, *query)));
    }
}

TEST_CASE("a list of texts may exclude them") {
    using namespace styled;
    const auto created = declared_table::make({{.kind = declared_kind::list,
                                                .name = "status__not_in",
                                                .column = "status",
                                                .excludes = exclusion::always}},
                                              {goods_schema.begin(), goods_schema.end()});
    REQUIRE(created);
    CHECK(rows_of(*created, "status__not_in=-a,b\\") ==
          R"({"column":"status","none_of":["-a","b\\"]} status__not_in=-a%2Cb%5C)");
}
