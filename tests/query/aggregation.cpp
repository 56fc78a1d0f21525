// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/base/exact_sum.hpp>
#include <sluice/errors/message.hpp>
#include <sluice/query/aggregate_result.hpp>
#include <sluice/query/aggregation.hpp>

#include "make_aggregates.hpp"

using namespace sluice;

namespace {

constexpr std::array<std::string_view, 3> ranks{"low", "mid", "high"};
constexpr schema sale_columns{
    column{.name = "id"},
    column{.name = "country", .is_nullable = true, .how = collation::ignore_case},
    column{.name = "tags", .is_list = true, .is_nullable = true},
    column{.name = "seats", .type = column_type::integer, .is_nullable = true},
    column{.name = "total", .type = column_type::decimal, .is_nullable = true},
    column{.name = "score", .type = column_type::real, .is_nullable = true},
    column{.name = "at", .type = column_type::time},
    column{.name = "rank", .type = column_type::choice, .is_nullable = true, .choices = ranks},
    column{.name = "data", .type = column_type::json, .is_nullable = true},
};

struct sale {
    std::optional<std::string_view> country{};
    std::vector<std::string_view> tags{};
    std::optional<std::int64_t> seats{};
    std::optional<std::string_view> total{};
    std::optional<double> score{};
    std::string_view time = "2026-08-21T10:00:00Z";
    std::optional<std::string_view> rank{};
    std::string_view plan{};

    [[nodiscard]] cell operator()(const column& of) const {
        const auto cell_of = [](const auto& value) { return value ? cell(*value) : cell(); };
        if (of.name == "country") return cell_of(country);
        if (of.name == "tags") return std::span<const std::string_view>(tags);
        if (of.name == "seats") return cell_of(seats);
        if (of.name == "total") {  // with two digits after the point as a scaled number
            if (!total || total->find('.') != total->size() - 3) return cell_of(total);
            return scaled_number{to_integer(*parse_decimal_number(*total), 2).value(), 2};
        }
        if (of.name == "score") return cell_of(score);
        if (of.name == "at") return parse_timestamp(time).value();
        if (of.name == "rank") return cell_of(rank);
        if (of.name != "data") return std::monostate();
        return scalar_lookup([this](std::span<const std::string> path) -> std::optional<scalar> {
            if (path.size() != 1 || path[0] != "plan" || plan.empty()) return std::nullopt;
            return scalar::string(plan);
        });
    }
};

column of(std::string_view name) { return *sale_columns.find(name); }

/// Returns the answer for some sales as JSON.
std::string answer(const aggregate_query& query, const std::vector<sale>& sales) {
    aggregation groups(query);
    for (const sale& row : sales) groups.add(row);
    const auto rows = groups.finish();
    if (!rows) return message(rows.error());
    return to_json(query, *rows);
}

const std::vector<sale> some_sales{
    {.country = "US",
     .tags = {"a", "b"},
     .seats = 3,
     .total = "19.90",
     .score = 0.1,
     .rank = "high"},
    {.country = "DE",
     .tags = {"b", "b"},
     .seats = -1,
     .total = "0.10",
     .score = 0.2,
     .rank = "low"},
    {.country = "US", .seats = 3, .total = "10", .rank = "mid", .plan = "pro"},
    {.country = "us", .tags = {"c"}, .total = "10.0", .score = 0.3, .plan = "free"},
    {.seats = 5},
};

}  // namespace

TEST_CASE("groups and measures of a table of rows") {
    const measure count{};
    struct {
        aggregate_query query;
        std::string_view answer;
    } const cases[] = {
        {{}, R"([{"count":5}])"},
        {{.group_by = {{of("country")}}},
         R"([{"country":null,"count":1},{"country":"DE","count":1},{"country":"US","count":2},)"
         R"({"country":"us","count":1}])"},
        {{.group_by = {{of("country")}}, .order = {{true, 0, sort_order::descending}}, .limit = 2},
         R"([{"country":"US","count":2},{"country":null,"count":1}])"},
        {{.group_by = {{.by = of("country"), .name = "land"}},
          .order = {{false, 0, sort_order::descending}},
          .limit = 1},
         R"([{"land":"us","count":1}])"},
        {{.group_by = {{of("tags")}}},  // a row counts once for an item that it has twice
         R"([{"tags":null,"count":2},{"tags":"a","count":1},{"tags":"b","count":2},)"
         R"({"tags":"c","count":1}])"},
        {{.group_by = {{of("total")}}},
         R"([{"total":null,"count":1},{"total":0.1,"count":1},{"total":10,"count":2},)"
         R"({"total":19.9,"count":1}])"},
        {{.group_by = {{of("rank")}}},
         R"([{"rank":null,"count":2},{"rank":"low","count":1},{"rank":"mid","count":1},)"
         R"({"rank":"high","count":1}])"},
        {{.group_by = {{.by = of("data"), .path = {"plan"}}}},
         R"([{"data.plan":null,"count":3},{"data.plan":"free","count":1},)"
         R"({"data.plan":"pro","count":1}])"},
        {{.rows = where(leaf{of("country"), text_test{filter({"us"}, false)}}),
          .group_by = {{of("country")}, {of("seats")}}},
         R"([{"country":"US","seats":3,"count":2},{"country":"us","seats":null,"count":1}])"},
        {{.measures = {{measure_kind::sum, of("seats")},
                       {measure_kind::min, of("seats")},
                       {measure_kind::max, of("seats")},
                       {measure_kind::average, of("seats")},
                       {measure_kind::count_distinct, of("seats")},
                       {measure_kind::approx_count_distinct, of("seats")}}},
         R"([{"sum_seats":10,"min_seats":-1,"max_seats":5,"average_seats":2.5,)"
         R"("count_distinct_seats":3,"approx_count_distinct_seats":3}])"},
        {{.measures = {{measure_kind::sum, of("total")},
                       {measure_kind::min, of("total")},
                       {measure_kind::max, of("total")},
                       {measure_kind::average, of("total")},
                       {measure_kind::count_distinct, of("total")}}},
         R"([{"sum_total":40,"min_total":0.1,"max_total":19.9,"average_total":10,)"
         R"("count_distinct_total":3}])"},
        {{.measures = {{measure_kind::sum, of("score")},
                       {measure_kind::max, of("at")},
                       {measure_kind::count_distinct, of("tags")},
                       {measure_kind::count_distinct, of("country")}}},
         R"([{"sum_score":0.6,"max_at":"2026-08-21T10:00:00.000Z","count_distinct_tags":3,)"
         R"("count_distinct_country":3}])"},
    };
    for (const auto& [query, expected] : cases) CHECK(answer(query, some_sales) == expected);
}

TEST_CASE("rows that are known to meet the conditions aren't tested again") {
    const aggregate_query query{
        .rows = where(leaf{of("country"), text_test{filter({"US"}, false)}}),
        .group_by = {{.by = of("seats")}}};
    aggregation groups(query);
    std::string read;
    for (const sale& row : some_sales) {
        if (!query.rows.matches(row)) continue;
        groups.add_matching([&](const column& by) {
            read += std::string(by.name) + " ";
            return row(by);
        });
    }
    CHECK(read == "seats seats seats ");
    CHECK(to_json(query, groups.finish().value()) == answer(query, some_sales));
}

TEST_CASE("measures of no rows") {
    aggregate_query query;
    for (std::size_t kind = 0; kind < measure_names.size(); ++kind) {
        query.measures.push_back({static_cast<measure_kind>(kind), of("total")});
    }
    query.measures.erase(query.measures.begin());
    CHECK(answer(query, {}) ==
          R"([{"count":0,"sum_total":0,"min_total":null,"max_total":null,"average_total":null,)"
          R"("count_distinct_total":0,"approx_count_distinct_total":0}])");
    query.group_by = {{of("country")}};
    CHECK(answer(query, {}) == "[]");
    // A group whose rows have no values.
    CHECK(answer(query, {{.country = "US"}}) ==
          R"([{"country":"US","count":1,"sum_total":0,"min_total":null,"max_total":null,)"
          R"("average_total":null,"count_distinct_total":0,"approx_count_distinct_total":0}])");
}

TEST_CASE("sums beyond 64 bits are exact") {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    const aggregate_query query{.measures = {{measure_kind::sum, of("seats")},
                                             {measure_kind::average, of("seats")},
                                             {measure_kind::sum, of("total")}}};
    CHECK(answer(query, {{.seats = most, .total = "1e400"}, {.seats = most, .total = "-1e400"}}) ==
          R"([{"sum_seats":18446744073709551614,"average_seats":9223372036854775808,)"
          R"("sum_total":0}])");
    CHECK(answer(query, {{.total = "1e10001"}}) ==
          "total: too large, expected sums of at most 10000 digits");
}

TEST_CASE("a sum of infinities of both signs is none, and has a place in an order") {
    constexpr double most = std::numeric_limits<double>::max();
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const aggregate_query query{
        .group_by = {{of("country")}},
        .measures = {{measure_kind::sum, of("score")}, {measure_kind::average, of("score")}},
        .order = {{true, 0, sort_order::descending}},
        .limit = 3};
    CHECK(answer(query, {{.country = "a", .score = 1},
                         {.country = "b", .score = infinity},
                         {.country = "b", .score = -infinity},
                         {.country = "c", .score = 3},
                         {.country = "d", .score = most},
                         {.country = "d", .score = most},
                         {.country = "d", .score = -most},
                         {.country = "d", .score = -most},
                         {.country = "e", .score = 2}}) ==
          R"([{"country":"c","sum_score":3,"average_score":3},)"
          R"({"country":"e","sum_score":2,"average_score":2},)"
          R"({"country":"a","sum_score":1,"average_score":1}])");
}

TEST_CASE("a time has every bucket of its window") {
    const group_key by_day{
        .by = of("at"), .bucket = time_bucket::day, .zone = zone_of("Europe/Paris")};
    const auto between = [](std::string_view least, std::string_view most) {
        bounds<instant> window;
        if (!least.empty()) window.narrow(comparison::at_least, utc(least));
        if (!most.empty()) window.narrow(comparison::less_than, utc(most));
        return where::all_of({leaf{of("at"), window, "", true}});
    };
    const std::vector<sale> sales{{.time = "2026-10-24T21:59:59.999Z"},
                                  {.time = "2026-10-24T22:00:00Z"},
                                  {.time = "2026-10-25T22:59:59Z"},
                                  {.time = "2026-10-27T12:00:00Z"}};
    CHECK(answer({.group_by = {by_day}}, sales) ==
          R"([{"at":"2026-10-23T22:00:00.000Z","count":1},)"
          R"({"at":"2026-10-24T22:00:00.000Z","count":2},)"
          R"({"at":"2026-10-25T23:00:00.000Z","count":0},)"
          R"({"at":"2026-10-26T23:00:00.000Z","count":1}])");
    CHECK(answer({.rows = between("2026-10-24T22:00", "2026-10-25T23:00"), .group_by = {by_day}},
                 sales) == R"([{"at":"2026-10-24T22:00:00.000Z","count":2}])");
    CHECK(answer({.rows = between("2026-10-25T00:00", "2026-10-28T00:00"),
                  .group_by = {by_day},
                  .order = {{false, 0, sort_order::descending}},
                  .limit = 3},
                 sales) == R"([{"at":"2026-10-27T23:00:00.000Z","count":0},)"
                           R"({"at":"2026-10-26T23:00:00.000Z","count":1},)"
                           R"({"at":"2026-10-25T23:00:00.000Z","count":0}])");
    CHECK(answer({.rows = between("2030-01-01T00:00", "2030-01-01T12:00"), .group_by = {by_day}},
                 sales) == R"([{"at":"2029-12-31T23:00:00.000Z","count":0}])");
    // Of many empty buckets, those that come first.
    CHECK(answer({.rows = between("2026-10-25T00:00", "2030-10-28T00:00"),
                  .group_by = {by_day},
                  .order = {{true, 0, sort_order::descending}},
                  .limit = 4},
                 sales) == R"([{"at":"2026-10-24T22:00:00.000Z","count":1},)"
                           R"({"at":"2026-10-26T23:00:00.000Z","count":1},)"
                           R"({"at":"2026-10-25T23:00:00.000Z","count":0},)"
                           R"({"at":"2026-10-27T23:00:00.000Z","count":0}])");
    CHECK(answer({.rows = between("2020-10-25T00:00", "2026-10-28T00:00"),
                  .group_by = {by_day},
                  .order = {{true, 0, sort_order::ascending}, {false, 0, sort_order::descending}},
                  .limit = 2},
                 sales) == R"([{"at":"2026-10-27T23:00:00.000Z","count":0},)"
                           R"({"at":"2026-10-25T23:00:00.000Z","count":0}])");
    CHECK(answer({.group_by = {by_day}}, {}) == "[]");
    // With another group, only buckets with rows.
    CHECK(answer({.group_by = {by_day, {of("country")}}}, {sales[3]}) ==
          R"([{"at":"2026-10-26T23:00:00.000Z","country":null,"count":1}])");
    const group_key by_hour{.by = of("at"), .bucket = time_bucket::hour};
    CHECK(answer({.rows = between("1000-01-01T00:00", "2026-10-28T00:00"), .group_by = {by_hour}},
                 sales) == "group_by: too many items, expected at most 1000000");
}

TEST_CASE("queries are checked") {
    struct {
        aggregate_query query;
        rule broken;
        std::string_view param;
    } const cases[] = {
        {{.group_by = {{of("data")}}}, rule::field_value, "data"},
        {{.group_by = {{.by = of("country"), .path = {"a"}}}}, rule::field_value, "country"},
        {{.group_by = {{.by = of("country"), .bucket = time_bucket::day}}},
         rule::field_value,
         "country"},
        {{.group_by = std::vector<group_key>(17, {of("country")})},
         rule::list_too_long,
         "group_by"},
        {{.group_by = {{of("country")}, {of("country")}}}, rule::field_value, "measures"},
        {{.measures = {}}, rule::list_too_short, "measures"},
        {{.measures = {{measure_kind::sum, of("country")}}}, rule::field_value, "country"},
        {{.measures = {{measure_kind::min, of("tags")}}}, rule::field_value, "tags"},
        {{.measures = {{measure_kind::count_distinct, of("data")}}}, rule::field_value, "data"},
        {{.measures = std::vector<measure>(17)}, rule::list_too_long, "measures"},
        {{.order = {{true, 1}}}, rule::field_value, "order"},
        {{.order = {{false, 0}}}, rule::field_value, "order"},
        {{.order = std::vector<aggregate_key>(33, {true, 0})}, rule::list_too_long, "order"},
        {{.limit = 0}, rule::number_too_small, "limit"},
        {{.limit = 10'001}, rule::number_too_large, "limit"},
    };
    for (const auto& [query, broken, param] : cases) {
        CAPTURE(param);
        const auto checked = check(query);
        REQUIRE_FALSE(checked);
        CHECK(checked.error().broken == broken);
        CHECK(checked.error().param == param);
        aggregation groups(query);
        groups.add(some_sales[0]);
        CHECK(groups.finish().error() == checked.error());
    }
}

TEST_CASE("a facet's conditions are those on other columns") {
    const auto is = [](std::string_view name, std::string_view value) {
        return where(leaf{of(name), text_test{filter({value}, false)}});
    };
    const where country = is("country", "US"), rank = is("rank", "low");
    struct {
        where rows, without;
    } const cases[] = {
        {where(), where()},
        {country, where()},
        {rank, rank},
        {where::all({country, rank}), where::all({rank})},
        {where::all({where::all({country, rank}), rank}), where::all({rank, rank})},
        {where::all({where::any({country, where::negation(country)}), rank}), where::all({rank})},
        {where::any({country, rank}), where::any({country, rank})},
        {where::negation(where::all({country, rank})),
         where::negation(where::all({country, rank}))},
        {where::any({}), where::any({})},
    };
    for (const auto& [rows, without] : cases) CHECK(without_column(rows, "country") == without);
}

TEST_CASE("counts of random rows are those of a loop") {
    using test_samples::random_tests;
    random_tests random(31);
    std::vector<test_samples::row> rows;
    for (int at = 0; at < 400; ++at) rows.push_back(random.make_row());
    for (int round = 0; round < 50; ++round) {
        const auto [conditions, meets] = random.make_tree(2);
        const aggregate_query query{
            .rows = conditions,
            .group_by = {{test_samples::named("name")}, {test_samples::named("open")}},
            .measures = {{}, {measure_kind::sum, test_samples::named("seats")}}};
        using key = std::pair<std::optional<std::string>, std::optional<bool>>;
        std::map<key, std::pair<std::int64_t, detail::wide_integer>> expected;
        aggregation groups(query);
        for (const test_samples::row& row : rows) {
            groups.add(row);
            if (!meets(row)) continue;
            auto& [count, sum] = expected[{row.name, row.open}];
            ++count;
            if (row.seats) sum += *row.seats;
        }
        const auto answered = groups.finish();
        REQUIRE(answered);
        REQUIRE(answered->size() == expected.size());
        auto next = expected.begin();
        for (const aggregate_row& row : *answered) {
            const auto& [key_of, measures] = *next++;
            const auto* const name = std::get_if<std::string>(&row.groups[0]);
            const auto* const open = std::get_if<bool>(&row.groups[1]);
            CHECK((name ? std::optional(*name) : std::nullopt) == key_of.first);
            CHECK((open ? std::optional(*open) : std::nullopt) == key_of.second);
            CHECK(std::get<std::int64_t>(row.measures[0]) == measures.first);
            const auto* const whole = std::get_if<std::int64_t>(&row.measures[1]);
            const auto* const beyond = std::get_if<decimal_number>(&row.measures[1]);
            REQUIRE((whole || beyond));
            CHECK((whole ? std::to_string(*whole) : beyond->text()) == measures.second.text());
        }
    }
}
