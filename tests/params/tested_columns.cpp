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
#include <sluice/params/openapi.hpp>
#include <sluice/params/runtime/table.hpp>
#include <sluice/params/uuid.hpp>
#include <sluice/query/json_writer.hpp>

// Parameters of the tests and types of columns that not every engine has, of a table made while
// compiling and of the same table made at run time.

using namespace sluice;

namespace {

enum class weight : std::uint8_t { light, heavy };
constexpr std::array<std::string_view, 2> weights{"light", "heavy"};

constexpr schema columns{
    column{.name = "id"},
    column{.name = "reference"},
    column{.name = "container", .is_nullable = true, .how = collation::ignore_case},
    column{.name = "tags", .is_list = true},
    column{.name = "load", .type = column_type::real, .is_nullable = true},
    column{.name = "due", .type = column_type::date, .is_nullable = true},
    column{.name = "token", .type = column_type::uuid},
    column{.name = "weight", .type = column_type::choice, .choices = weights},
    column{.name = "weights", .type = column_type::choice, .is_list = true, .choices = weights}};
constexpr std::array<std::string_view, 2> searched_columns{"reference", "container"};

struct shipments {
    std::optional<std::string> reference, container, tag, after, search;
    std::optional<bool> is_open;
    std::optional<double> load, most_load;
    std::optional<calendar_day> due, least_due;
    std::optional<uuid> token;
    std::optional<weight> weight_is, least_weight;
    filter days, weights_any, tokens;
};

using enum comparison;
constexpr param_table static_table{
    columns,
    contains_param<&shipments::reference>({.name = "reference[contains]", .column = "reference"}),
    starts_with_param<&shipments::container>(
        {.name = "container[starts_with]", .column = "container"}),
    ends_with_param<&shipments::tag>({.name = "tags[ends_with]", .column = "tags"}),
    text_param<&shipments::after>(
        {.name = "reference[gt]", .column = "reference", .op = more_than}),
    search_param<&shipments::search, searched_columns>({.name = "search"}),
    null_param<&shipments::is_open>({.name = "due[is_null]", .column = "due"}),
    real_param<&shipments::load>({.name = "load", .column = "load"}),
    real_param<&shipments::most_load>({.name = "load[lte]", .column = "load", .op = at_most}),
    value_param<&shipments::due>({.name = "due", .column = "due"}),
    value_param<&shipments::least_due>({.name = "due[gte]", .column = "due", .op = at_least}),
    value_param<&shipments::token>({.name = "token", .column = "token"}),
    choice_param<&shipments::weight_is, weights>({.name = "weight", .column = "weight"}),
    choice_param<&shipments::least_weight, weights>(
        {.name = "weight[gte]", .column = "weight", .op = at_least}),
    filter_param<&shipments::days>({.name = "days", .column = "due"}),
    filter_param<&shipments::weights_any>({.name = "weights", .column = "weights"}),
    filter_param<&shipments::tokens>({.name = "tokens", .column = "token"})};

declared_table make_table() {
    using enum declared_kind;
    const auto of = [](declared_kind kind, std::string name, std::string of_column,
                       comparison op = equal) {
        return declaration{
            .kind = kind, .name = std::move(name), .column = std::move(of_column), .op = op};
    };
    std::vector<declaration> all{
        of(contains, "reference[contains]", "reference"),
        of(starts_with, "container[starts_with]", "container"),
        of(ends_with, "tags[ends_with]", "tags"),
        of(text, "reference[gt]", "reference", more_than),
        of(search, "search", ""),
        of(is_null, "due[is_null]", "due"),
        of(real, "load", "load"),
        of(real, "load[lte]", "load", at_most),
        of(date, "due", "due"),
        of(date, "due[gte]", "due", at_least),
        of(declared_kind::uuid, "token", "token"),
        of(choice, "weight", "weight"),
        of(choice, "weight[gte]", "weight", at_least),
        of(declared_kind::filter, "days", "due"),
        of(declared_kind::filter, "weights", "weights"),
        of(declared_kind::filter, "tokens", "token"),
    };
    all[4].searched.assign(searched_columns.begin(), searched_columns.end());
    for (const std::size_t at : {11U, 12U}) all[at].choices.assign(weights.begin(), weights.end());
    auto table = declared_table::make(std::move(all), {columns.begin(), columns.size()});
    REQUIRE_MESSAGE(table, (table ? std::string() : table.error().name + table.error().what));
    return *std::move(table);
}

/// Returns the conditions of a request as JSON, or the message of its first error.
template <class Table>
std::string read(const Table& table, std::string_view text) {
    const query_string request = parse_query_string(text);
    const auto query = bind(table, request.pairs());
    if (!query) return message(query.error());
    const std::string written = to_query_string(table, *query);
    const query_string again = parse_query_string(written);
    CHECK(to_list_query(table, *bind(table, again.pairs())) == to_list_query(table, *query));
    const std::string json = to_json(to_list_query(table, *query));
    const std::size_t begin = json.find("\"where\":") + 8;
    return json.substr(begin, json.rfind(",\"order\"") - begin);
}

}  // namespace

TEST_CASE("each parameter adds the condition of its test") {
    const declared_table declared = make_table();
    const struct {
        std::string_view text, json;
    } table[]{
        {"reference[contains]=a%25b", R"({"all":[{"column":"reference","contains":["a%b"]}]})"},
        {"reference[contains]=", R"({"all":[]})"},
        {"reference[contains]=a,b", R"({"all":[{"column":"reference","contains":["a,b"]}]})"},
        {"container[starts_with]=MSC",
         R"({"all":[{"column":"container","collation":"ignore_case","starts_with":["MSC"]}]})"},
        {"tags[ends_with]=x", R"({"all":[{"column":"tags","ends_with":["x"]}]})"},
        {"reference[gt]=m", R"({"all":[{"column":"reference","gt":"m"}]})"},
        {"due[is_null]=true", R"({"all":[{"column":"due","is_null":true}]})"},
        {"due[is_null]=FALSE", R"({"all":[{"column":"due","is_null":false}]})"},
        {"load=0.5", R"({"all":[{"column":"load","gte":0.5,"lte":0.5}]})"},
        {"load[lte]=1e3", R"({"all":[{"column":"load","lte":1000}]})"},
        {"due=2026-08-21", R"({"all":[{"column":"due","gte":"2026-08-21","lte":"2026-08-21"}]})"},
        {"due[gte]=2026-08-21", R"({"all":[{"column":"due","gte":"2026-08-21"}]})"},
        {"token=0190C7A6-5E2B-7C61-9F0E-8D7B1A2C3D4E",
         R"({"all":[{"column":"token","any_of":["0190c7a6-5e2b-7c61-9f0e-8d7b1a2c3d4e"]}]})"},
        {"weight=heavy", R"({"all":[{"column":"weight","any_of":["heavy"]}]})"},
        {"weight[gte]=heavy", R"({"all":[{"column":"weight","gte":"heavy"}]})"},
        {"days=2026-08-21,2024-02-29",
         R"({"all":[{"column":"due","any_of":["2026-08-21","2024-02-29"]}]})"},
        {"weights=-heavy", R"({"all":[{"column":"weights","none_of":["heavy"]}]})"},
        {"search=+a++b%09",
         R"({"all":[{"any":[{"column":"reference","contains":["a","b"]},)"
         R"({"column":"container","collation":"ignore_case","contains":["a","b"]}]}]})"},
        {"search=++", R"({"all":[]})"},
        {"search=a&weight=light",
         R"({"all":[{"all":[{"column":"weight","any_of":["light"]}]},)"
         R"({"any":[{"column":"reference","contains":["a"]},)"
         R"({"column":"container","collation":"ignore_case","contains":["a"]}]}]})"},
        {"load=x", "load: not a number, expected a number such as 0.5 or 1e3"},
        {"load=1e400", "load: too large, expected a number that a double can hold"},
        {"load[lte]=-1e400", "load[lte]: too small, expected a number that a double can hold"},
        {"due=2026-02-30", "due: no such day, expected a day that exists, such as 2024-02-29"},
        {"due=today", "due: not a time, expected a day such as 2026-08-21"},
        {"due[is_null]=1", "due[is_null]: not a boolean, expected true or false"},
        {"weight=tiny", "weight: not one of the accepted values, expected light or heavy"},
        {"days=2026-08-21,x",
         "days: not an accepted value (at byte 11), expected days such as 2026-08-21"},
        {"tokens=x", "tokens: not an accepted value, expected UUIDs"},
    };
    for (const auto& [text, json] : table) {
        CAPTURE(text);
        CHECK(read(static_table, text) == json);
        CHECK(read(declared, text) == json);
    }
    CHECK(read(static_table, "weights=tiny").starts_with("weights: not an accepted value"));
    CHECK(read(declared, "weights=tiny") ==
          "weights: not an accepted value, expected light or heavy");
}

TEST_CASE("a search is part of the cursor's mark") {
    const auto mark = [](std::string_view text) {
        const auto request = parse_query_string(text);
        return query_mark(to_list_query(static_table, *bind(static_table, request.pairs())));
    };
    CHECK(mark("search=a") != mark("search=b"));
    CHECK(mark("search=a") != mark(""));
    CHECK(mark("search=a+b") == mark("search=+b+a+"));
}

TEST_CASE("the table says which parameter an engine doesn't answer") {
    constexpr auto reals = common_tests.with(test_kind::contains, set_of(column_type::text))
                               .with(test_kind::starts_with, set_of(column_type::text))
                               .with_lists(test_kind::ends_with, set_of(column_type::text))
                               .with(test_kind::bounds, set_of(column_type::text));
    static_assert(find_unanswered(static_table, common_tests) == 0);
    static_assert(static_table[find_unanswered(static_table, reals)].info.name == "due[is_null]");
    CHECK(find_unanswered(make_table(), common_tests) == 0);
    constexpr auto all = [] {
        test_set set;
        for (const test_record& record : test_records) {
            set = set.with(record.kind, record.on).with_lists(record.kind, record.on_lists);
        }
        return set;
    }();
    static_assert(find_unanswered(static_table, all) == static_table.size());
    CHECK(find_unanswered(make_table(), all) == make_table().size());
}

TEST_CASE("mistakes of a table made at run time say what to do") {
    const auto mistake = [](const declaration& spec) {
        const auto table = declared_table::make({spec}, {columns.begin(), columns.size()});
        return table ? std::string() : table.error().what;
    };
    const struct {
        declaration spec;
        std::string_view what;
    } table[]{
        {{.kind = declared_kind::contains, .name = "a", .column = "due"},
         "it can't be compared with a column of type date"},
        {{.kind = declared_kind::is_null, .name = "a", .column = "reference"},
         "its column is never missing"},
        {{.kind = declared_kind::text, .name = "a", .column = "container", .op = at_least},
         "its column 'container' has no test bounds"},
        {{.kind = declared_kind::boolean, .name = "a", .column = "due"},
         "it can't be compared with a column of type date: use date or filter"},
        {{.kind = declared_kind::filter, .name = "a", .column = "reference", .op = at_least},
         "its column is compared by equality alone"},
        {{.kind = declared_kind::search, .name = "a", .searched = {"color"}},
         "the schema has no column 'color': add it, or use id, "},
        {{.kind = declared_kind::search, .name = "a", .searched = {"due"}},
         "it searches 'due': give it columns of texts"},
    };
    for (const auto& [spec, what] : table) {
        CAPTURE(what);
        CHECK(mistake(spec).substr(0, what.size()) == what);
    }
}

TEST_CASE("OpenAPI has the type, the format and the rows of each parameter") {
    const std::string all = openapi_parameters(static_table);
    const declared_table declared = make_table();
    for (
        const std::string_view part : {
            R"({"name":"load","in":"query","description":"","required":false,"schema":{"type":"number","examples":[0.5]}})",
            R"("description":"rows whose text contains it")",
            R"("description":"true: rows without a value; false: rows with one")",
            R"("description":"words; rows have any of them")",
            R"("format":"date","examples":["2026-08-21"])",
            R"("format":"uuid")",
        }) {
        CAPTURE(part);
        CHECK(all.find(part) != std::string::npos);
        CHECK(openapi_parameters(declared).find(part) != std::string::npos);
    }
}
