// SPDX-License-Identifier: MIT
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/errors/message.hpp>
#include <sluice/params/bind.hpp>
#include <sluice/params/openapi.hpp>
#include <sluice/params/runtime/table.hpp>
#include <sluice/query/json_writer.hpp>

using namespace sluice;

// One endpoint twice: as a table that is made while compiling, and as one that is declared.
namespace {

constexpr schema columns{
    column{.name = "id"},
    column{.name = "status", .how = collation::ignore_case},
    column{.name = "owner"},
    column{.name = "total", .type = column_type::decimal},
    column{.name = "items", .type = column_type::integer},
    column{.name = "created", .type = column_type::time},
    column{.name = "paid", .type = column_type::time},
    column{.name = "open", .type = column_type::boolean},
    column{.name = "extra", .type = column_type::json},
};
enum class size { small, large };
constexpr std::array<std::string_view, 2> sizes{"small", "large"};
constexpr std::array<std::string_view, 3> statuses{"open", "paid", "void"};
constexpr std::array<std::string_view, 2> sorts{"created", "total"};

struct purchases : list_window, list_page {
    filter status;
    std::vector<std::string> owners;
    std::optional<std::string> owner;
    std::optional<size> how_large;
    std::optional<bool> open;
    std::optional<std::int64_t> items;
    std::optional<decimal_number> least;
    std::optional<uuid> key;
    std::optional<instant> paid;
    metadata_query extra;
    std::optional<std::string> words;
    sort_choices order{{0, sort_order::descending}};
};

constexpr param_table compiled{
    columns,
    filter_param<&purchases::status, statuses>(
        {.name = "status", .column = "status", .help = "state"}),
    list_param<&purchases::owners>({.name = "owners", .column = "owner", .help = "whose"}),
    text_param<&purchases::owner>({.name = "owner",
                                   .column = "owner",
                                   .help = "whose",
                                   .prefix = "o-",
                                   .accepts = "expected o- and a name"}),
    choice_param<&purchases::how_large, sizes>(
        {.name = "size", .column = "owner", .help = "how large"}),
    boolean_param<&purchases::open>({.name = "open", .column = "open", .help = "open"}),
    integer_param<&purchases::items, 1, 9>(
        {.name = "items[gte]", .column = "items", .op = comparison::at_least, .help = "items"}),
    value_param<&purchases::least>(
        {.name = "total[gt]", .column = "total", .op = comparison::more_than, .help = "total"}),
    value_param<&purchases::key>({.name = "key", .column = "owner", .help = "key"}),
    instant_param<&purchases::paid>(
        {.name = "paid[lte]", .column = "paid", .op = comparison::at_most, .help = "paid"}),
    expression_param<&purchases::extra>({.name = "extra", .column = "extra", .help = "extra"}),
    search_param<&purchases::words>({.name = "search", .help = "words"}),
    window_params<purchases>({.column = "created"}),
    sort_param<&purchases::order, sorts>({.name = "sort", .help = "order"}),
    page_params<purchases, 1'000>()};

std::vector<declaration> declarations() {
    using enum declared_kind;
    const std::vector<std::string> states{"open", "paid", "void"};
    return {
        {.kind = filter, .name = "status", .column = "status", .help = "state", .choices = states},
        {.kind = list, .name = "owners", .column = "owner", .help = "whose"},
        {.kind = text,
         .name = "owner",
         .column = "owner",
         .help = "whose",
         .accepts = "expected o- and a name",
         .prefix = "o-"},
        {.kind = choice,
         .name = "size",
         .column = "owner",
         .help = "how large",
         .choices = {"small", "large"}},
        {.kind = boolean, .name = "open", .column = "open", .help = "open"},
        {.kind = integer,
         .name = "items[gte]",
         .column = "items",
         .op = comparison::at_least,
         .help = "items",
         .minimum = 1,
         .maximum = 9},
        {.kind = decimal,
         .name = "total[gt]",
         .column = "total",
         .op = comparison::more_than,
         .help = "total"},
        {.kind = uuid, .name = "key", .column = "owner", .help = "key"},
        {.kind = time,
         .name = "paid[lte]",
         .column = "paid",
         .op = comparison::at_most,
         .help = "paid"},
        {.kind = expression, .name = "extra", .column = "extra", .help = "extra"},
        {.kind = search, .name = "search", .help = "words"},
        {.kind = window, .column = "created"},
        {.kind = sort,
         .name = "sort",
         .help = "order",
         .absent = "-created",
         .choices = {"created", "total"}},
        {.kind = page, .maximum = 1'000},
    };
}

const instant now = *parse_timestamp("2026-11-22T12:00:00Z");
const time_zone_database zones({time_zone::utc()});
template <class Table>
bind_options_for<Table> options_of(const Table&) {
    return {.zones = &zones, .now = now};
}

declared_table make_table(std::vector<declaration> specs,
                          columns_view of = {columns.begin(), columns.end()}) {
    auto table = declared_table::make(std::move(specs), of);
    if (!table) FAIL(table.error().name << ": " << table.error().what);
    return std::move(*table);
}

/// All that is known of a request to a table: what it asks for, its text, or what is wrong.
template <class Table>
std::string errors_of(const Table& table, std::string_view text) {
    const query_string request = parse_query_string(text);
    const auto query = bind_all(table, request.pairs(), options_of(table));
    if (query) {
        return to_json(to_list_query(table, *query)) + to_query_string(table, *query) + '\n' +
               canonical_query_string(table, *query);
    }
    std::string all;
    for (const error& e : query.error()) {
        all.append(message(e, text_at_fault(request.pairs(), e))).append(" at ");
        all.append(std::to_string(e.offset)).append("+").append(std::to_string(e.length));
        all.append(" of ").append(std::to_string(e.pair)).append(to_string(e.broken)).append("\n");
    }
    return all;
}

constexpr std::string_view pairs[] = {
    "status=open",
    "status=-VOID,paid",
    "status=opn",
    "status=",
    "status[]=paid",
    "status=open,-paid",
    "owners=a,b",
    "owners=",
    "owners[]=c",
    "owner=o-me",
    "owner=me",
    "owner=",
    "size=small",
    "size=smal",
    "size=",
    "open=TRUE",
    "open=1",
    "items[gte]=3",
    "items[gte]=10",
    "items[gte]=1.5",
    "items[gte]=x",
    "total[gt]=1e2",
    "total[gt]=one",
    "key=0190C7A6-5e2b-7c61-9f0e-8d7b1a2c3d4e",
    "key=0190",
    "paid[lte]=2026-01-31",
    "paid[lte]=soon",
    "paid[lte]=today",
    "extra=metadata['a']:1",
    "extra=metadata['a']",
    "extra=",
    "search=a b",
    "search=",
    "interval=7d",
    "interval=all",
    "interval=8d",
    "interval=6h",
    "interval=0h",
    "interval=5m",
    "interval=1001y",
    "start=3 days ago",
    "start=2027-01-01",
    "end=yesterday",
    "end=now",
    "timezone=utc",
    "timezone=Mars/Base",
    "sort=total,-created",
    "sort=-total",
    "sort=total,total",
    "sort=size",
    "sort=",
    "page=3",
    "page=0",
    "limit=1000",
    "limit=1001",
    "cursor=!",
    "count=true",
    "count=yes",
    "pgae=1",
    "page=2&page=2",
    "status=a&status=b",
};

}  // namespace

TEST_CASE("a declared table reads every request as one that is made while compiling") {
    const declared_table declared = make_table(declarations());
    for (const std::string_view pair : pairs) {
        CAPTURE(pair);
        CHECK(errors_of(declared, pair) == errors_of(compiled, pair));
    }
    std::mt19937 random(7);
    for (int i = 0; i < 3'000; ++i) {
        std::string text;
        for (auto left = random() % 5; left > 0; --left) {
            text.append(pairs[random() % std::size(pairs)]).append("&");
        }
        CAPTURE(text);
        CHECK(errors_of(declared, text) == errors_of(compiled, text));
    }
}

TEST_CASE("cursors of one table are those of the other") {
    const declared_table declared = make_table(declarations());
    const query_string request = parse_query_string("status=open&limit=2");
    const auto query = sluice::bind(compiled, request.pairs(), options_of(compiled));
    REQUIRE(query);
    const list_query list = to_list_query(compiled, *query);
    const cursor place{.query_mark = query_mark(list), .keys = {"1767225600000", "7"}};
    const std::string text = "status=open&cursor=" + to_string(place).value_or("");
    CHECK(errors_of(declared, text) == errors_of(compiled, text));
    CHECK(errors_of(declared, text).find("\"cursor\"") != std::string::npos);
    const std::string of_other = "status=paid&cursor=" + to_string(place).value_or("");
    CHECK(errors_of(declared, of_other) == errors_of(compiled, of_other));
}

TEST_CASE("a declared table is documented as one that is made while compiling") {
    CHECK(openapi_parameters(make_table(declarations())) == openapi_parameters(compiled));
}

TEST_CASE("a table may be moved, and its queries outlive the move") {
    auto first = std::make_unique<declared_table>(make_table(declarations()));
    const declared_table second = std::move(*first);
    first.reset();
    CHECK(errors_of(second, "status=opn") == errors_of(compiled, "status=opn"));
    CHECK(errors_of(second, "sort=-total&size=small") ==
          errors_of(compiled, "sort=-total&size=small"));
}

TEST_CASE("what is absent is as the declaration says") {
    using enum declared_kind;
    const declared_table table = make_table({
        {.kind = filter, .name = "status", .column = "status", .absent = "open,paid"},
        {.kind = text, .name = "owner", .column = "owner", .absent = "me"},
        {.kind = integer, .name = "items", .column = "items", .absent = "3", .maximum = 9},
        {.kind = decimal, .name = "total", .column = "total", .absent = "1.50"},
        {.kind = boolean, .name = "open", .column = "open", .absent = "true"},
        {.kind = window, .column = "created", .absent = "all"},
        {.kind = page, .absent = "20", .maximum = 50},
    });
    // what is given, its text among the parameters, what the query holds
    const std::array<std::string_view, 3> cases[] = {
        {"", "", R"("any_of":["open","paid"])"},
        {"", "", R"("gte":"1.50","lte":"1.50")"},
        {"", "", R"("lte":"1.50"},{"column":"open","is":true}]})"},
        {"end=2026-01-01T00:00:00Z", "end=2026-01-01T00%3A00%3A00.000Z",
         R"({"column":"created","lte":"2026-01-01T00:00:00.000Z","window":true})"},
        {"", "", R"("page":{"number":1,"size":20})"},
        {"status=void", "status=void", R"("any_of":["void"])"},
        {"status=void&status=open", "status=void%2Copen", R"("any_of":["void","open"])"},
        {"status=open,paid", "", R"("any_of":["open","paid"])"},
        {"status=", "status=", R"({"where":{"all":[{"column":"owner")"},
        {"owner=you&items=4", "owner=you&items=4", R"({"column":"items","gte":4,"lte":4})"},
        {"open=false", "open=false", R"("is":false)"},
        {"interval=24h&limit=50", "interval=24h&limit=50", R"("size":50)"},
        {"page=2&limit=20", "page=2", R"("number":2,"size":20)"},
    };
    for (const auto& [text, shown, held] : cases) {
        CAPTURE(text);
        const query_string request = parse_query_string(text);
        const auto query = sluice::bind(table, request.pairs(), options_of(table));
        REQUIRE(query);
        CHECK(to_query_string(table, *query) == shown);
        CHECK(to_json(to_list_query(table, *query)).find(held) != std::string::npos);
    }
}

TEST_CASE("a declared sort names columns by other names, and the last key by its own") {
    using enum declared_kind;
    const column by_key[] = {{.name = "key"}, {.name = "a_b", .type = column_type::integer}};
    const auto table = declared_table::make(
        {{.kind = sort, .name = "by", .choices = {"a"}, .sorted_by = {"a_b"}}}, by_key, "key");
    REQUIRE(table);
    CHECK(errors_of(*table, "by=-a")
              .starts_with(R"({"where":{"all":[]},"order":[{"column":"a_b","direction":"desc"},)"
                           R"({"column":"key","direction":"desc","unique":true}])"));
    CHECK(errors_of(*table, "")
              .find(R"("order":[{"column":"key","direction":"asc","unique":true}])") !=
          std::string::npos);
}

TEST_CASE("a parameter without a column is no condition") {
    using enum declared_kind;
    const declared_table table = make_table({
        {.kind = choice, .name = "view", .choices = {"short", "long"}},
        {.kind = boolean, .name = "deep"},
    });
    const query_string request = parse_query_string("view=long&deep=true");
    const auto query = sluice::bind(table, request.pairs(), options_of(table));
    REQUIRE(query);
    const list_query converted = to_list_query(table, *query);
    CHECK(converted.rows.leaves().empty());
    CHECK(to_query_string(table, *query) == "view=long&deep=true");
}

TEST_CASE("filters of integers take whole numbers as rows have them") {
    using enum declared_kind;
    const declared_table table = make_table({{.kind = filter, .name = "items", .column = "items"}});
    CHECK(errors_of(table, "items=-1,20").find(R"("none_of":["1","20"])") != std::string::npos);
    CHECK(
        errors_of(table, "items=07")
            .starts_with("items: not an accepted value, expected whole numbers such as 7 at 0+2"));
}

TEST_CASE("a type of the program's own is read by its function, and compared as its column") {
    using enum declared_kind;
    const auto parse = [](std::string_view text) -> result<custom_value> {
        if (!text.starts_with("#")) return fail(rule::value_malformed, 0, 1);
        return custom_value{std::string(text.substr(1)), std::make_shared<int>(7)};
    };
    const auto of = [&](const char* column, comparison op) {
        return make_table({{.kind = custom,
                            .name = "own",
                            .column = column,
                            .op = op,
                            .accepts = "expected # and more",
                            .parse = parse,
                            .form = "hash"}});
    };
    using enum comparison;
    struct row {
        const char* column;
        comparison op;
        std::string_view text, problem;
    };
    const row cases[] = {
        {"owner", equal, "own=%23x", R"({"column":"owner","any_of":["x"]})"},
        {"items", at_least, "own=%2312", R"({"column":"items","gte":12})"},
        {"total", less_than, "own=%231.5", R"({"column":"total","lt":"1.5"})"},
        {"paid", more_than, "own=%232026-01-01T00:00:00Z",
         R"({"column":"paid","gt":"2026-01-01T00:00:00.000Z"})"},
        {"open", equal, "own=%23true", R"({"column":"open","is":true})"},
        {"owner", equal, "own=x", "own: not a value of this type"},
        {"items", equal, "own=%23x", "own: not a value of this type"},
        {"open", equal, "own=%231", "own: not a value of this type"},
    };
    for (const row& entry : cases) {
        CAPTURE(entry.column);
        CAPTURE(entry.text);
        CHECK(errors_of(of(entry.column, entry.op), entry.text).find(entry.problem) !=
              std::string::npos);
    }
    CHECK(openapi_parameters(of("owner", equal)).find(R"("format":"hash")") != std::string::npos);
}

TEST_CASE("what can't be meant is refused with a sentence that says what to do") {
    using enum declared_kind;
    const declaration status{.name = "status", .column = "status"};
    struct row {
        std::vector<declaration> problem;
        std::string_view name, what;
    };
    const auto parse_custom = [](std::string_view) -> result<custom_value> {
        return custom_value{};
    };
    const row cases[] = {
        {{{.kind = text}}, "", "needs a name"},
        {{status, status}, "status", "two parameters have this name"},
        {{{.kind = window, .column = "created"}, {.kind = window, .column = "paid"}},
         "interval",
         "two parameters have this name"},
        {{{.name = "a"}}, "a", "give it a column"},
        {{{.name = "a", .column = "b"}}, "a", "no column 'b'"},
        {{{.name = "a", .column = "total"}},
         "a",
         "can't be compared with a column of type decimal"},
        {{{.kind = search, .name = "a", .column = "owner"}}, "a", "leave the column out"},
        {{{.kind = page, .column = "owner", .maximum = 5}}, "page", "leave the column out"},
        {{{.kind = window, .column = "owner"}}, "interval", "column of type text"},
        {{{.kind = choice, .name = "a"}}, "a", "needs choices"},
        {{{.kind = choice, .name = "a", .choices = {"b", "b"}}}, "a", "give each once"},
        {{{.kind = sort, .name = "a", .choices = {"-b"}}}, "a", "rename it"},
        {{{.name = "a", .column = "owner", .choices = {"b,c"}}}, "a", "rename it"},
        {{{.kind = sort, .name = "a", .choices = {"b"}}}, "a", "no column 'b'"},
        {{{.kind = sort, .name = "a", .choices = {"b"}, .sorted_by = {"owner", "id"}}},
         "a",
         "give as many of both"},
        {{{.kind = integer, .name = "a", .minimum = 2, .maximum = 1}}, "a", "swap them"},
        {{{.kind = page}}, "", "at least one row"},
        {{{.kind = page, .absent = "9", .maximum = 8}},
         "limit",
         "default can't be read: '9' is too large"},
        {{{.kind = time, .name = "a", .column = "paid"}}, "a", "another operator than ="},
        {{{.kind = custom, .name = "a"}}, "a", "give it one"},
        {{{.kind = text, .name = "a", .absent = "b", .required = true}}, "a", "leave one of them"},
        {{{.kind = boolean, .name = "a", .absent = "1"}},
         "a",
         "default can't be read: '1' is not a boolean"},
        {{{.kind = window, .column = "paid", .absent = "8m"}},
         "interval",
         "default can't be read: '8m' is not one of the accepted values, expected a count of min, "
         "h"},
        {{{.kind = custom, .name = "a", .column = "extra", .parse = parse_custom}},
         "a",
         "type json"},
        {std::vector<declaration>(257, {.kind = text, .name = "a"}), "a", "at most 256"},
    };
    for (const row& entry : cases) {
        CAPTURE(entry.what);
        const auto table = declared_table::make(entry.problem, {columns.begin(), columns.end()});
        REQUIRE(!table);
        CHECK(table.error().name == entry.name);
        CHECK(table.error().what.find(entry.what) != std::string::npos);
    }
    const auto table = declared_table::make({}, {columns.begin(), columns.end()}, "key");
    REQUIRE(!table);
    CHECK(table.error().name == "key");
}

TEST_CASE("bounds may leave a single value") {
    using enum declared_kind;
    const declaration cases[] = {
        {.kind = page, .maximum = 1},
        {.kind = page, .absent = "1", .maximum = 1},
        {.kind = integer, .name = "a", .minimum = 1, .maximum = 1},
    };
    for (const declaration& single : cases) {
        CAPTURE(single.absent);
        CHECK(declared_table::make({single}, {columns.begin(), columns.end()}).has_value());
    }
}

TEST_CASE("what is required is missed, in every kind") {
    using enum declared_kind;
    for (const declared_kind kind : {text, boolean, integer, decimal, uuid}) {
        const declared_table table =
            make_table({{.kind = kind, .name = "a", .required = true, .maximum = 9}});
        CHECK(errors_of(table, "").starts_with("a: missing, it is required"));
    }
}
