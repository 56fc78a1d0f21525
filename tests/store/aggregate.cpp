// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/errors/message.hpp>
#include <sluice/query/aggregate_writer.hpp>
#include <sluice/query/aggregation.hpp>
#include <sluice/query/facets.hpp>
#include <sluice/store/aggregate.hpp>
#include <sluice/store/groups/distinct_estimate.hpp>
#include <sluice/store/groups/group_ids.hpp>

#include "../query/make_aggregates.hpp"
#include "stored_samples.hpp"

using namespace sluice;

namespace {

/// Returns the answer of a loop over all rows.
template <class Rows>
result<aggregate_result> loop(const aggregate_query& query, const Rows& rows) {
    aggregation groups(query);
    for (const auto& row : rows) groups.add(row);
    return groups.finish();
}
/// Checks that the store answers as the loop.
template <class Rows>
void check_same(const store::column_store& stored, const aggregate_query& query, const Rows& rows) {
    CAPTURE(to_json(query));
    const auto expected = loop(query, rows);
    const auto answered = store::aggregate(stored.current(), query);
    REQUIRE(answered.has_value() == expected.has_value());
    if (!expected) {
        CHECK(answered.error().broken == expected.error().broken);
        CHECK(answered.error().param == expected.error().param);
        return;
    }
    CHECK(to_json(query, *answered) == to_json(query, *expected));
}

constexpr schema visit_columns{
    column{.name = "id"},
    column{.name = "at", .type = column_type::time},
    column{.name = "country", .is_nullable = true},
    column{.name = "link"},
    column{.name = "customer", .is_nullable = true},
    column{.name = "tags", .is_list = true, .is_nullable = true},
    column{.name = "amount", .type = column_type::integer, .is_nullable = true},
    column{.name = "price", .type = column_type::decimal, .is_nullable = true},
    column{.name = "weight", .type = column_type::real, .is_nullable = true},
    column{.name = "shop.id", .is_nullable = true},
    column{.name = "shop.city", .is_nullable = true},
    column{.name = "shop.tags", .is_list = true, .is_nullable = true},
};
column of(std::string_view name) { return *visit_columns.find(name); }

struct visit {
    std::string id;
    instant at{};
    std::optional<std::string_view> country{};
    std::string link{};
    std::optional<std::string> customer{};
    std::optional<std::vector<std::string_view>> tags{};
    std::optional<std::int64_t> amount{};
    std::optional<std::string> price{};
    std::optional<double> weight{};
    std::optional<std::string> shop{};
    std::string_view city{};
    std::vector<std::string_view> shop_tags{};

    [[nodiscard]] cell operator()(const column& by) const {
        const auto cell_of = [](const auto& value) { return value ? cell(*value) : cell(); };
        if (by.name == "id") return std::string_view(id);
        if (by.name == "at") return at;
        if (by.name == "country") return cell_of(country);
        if (by.name == "link") return std::string_view(link);
        if (by.name == "customer") return cell_of(customer);
        if (by.name == "tags")
            return tags ? cell(std::span<const std::string_view>(*tags)) : cell();
        if (by.name == "amount") return cell_of(amount);
        if (by.name == "price") return cell_of(price);
        if (by.name == "weight") return cell_of(weight);
        if (by.name == "shop.id") return cell_of(shop);
        if (by.name == "shop.city") return shop ? cell(city) : cell();
        return shop ? cell(std::span<const std::string_view>(shop_tags)) : cell();
    }
};

constexpr std::array<std::string_view, 7> countries{"DE", "FR", "JP", "US", "us", "", "BR"};

/// Visits of some full blocks and one that isn't: columns of few and of many values, of each form.
struct stored_visits {
    explicit stored_visits(std::size_t count) {
        std::mt19937 random(17);
        const auto below = [&](std::size_t size) { return random() % size; };
        for (std::size_t at = 0; at < 30; ++at) {
            const std::string id = "s" + std::to_string(at);
            const std::array<std::string_view, 2> tags{"a", countries[at % 7]};
            REQUIRE(stored.add_referenced(
                "shop.id",
                {id, countries[at % 5], std::span<const std::string_view>(tags).first(at % 3)}));
        }
        for (std::size_t at = 0; at < count; ++at) {
            visit& row = rows.emplace_back();
            row.id = "v" + std::to_string(at);
            // 100 days around the end of summer time.
            row.at =
                utc("2026-09-01T00:00") + std::chrono::milliseconds(at * 8'640'000 / count * 1'000);
            if (below(9) != 0) row.country = countries[std::min(below(7), below(7))];
            row.link = "l" + std::to_string(below(3'000) * below(10));
            if (below(4) != 0) row.customer = "c" + std::to_string(random() % 1'000'000);
            if (below(3) != 0) {
                row.tags.emplace();
                for (std::size_t left = below(4); left > 0; --left)
                    row.tags->push_back(countries[below(7)]);
            }
            if (below(5) != 0) row.amount = static_cast<std::int64_t>(below(1'000)) - 100;
            if (below(5) != 0) {
                const auto cents = static_cast<std::int64_t>(below(100'000)) - 5'000;
                row.price = std::to_string(cents / 10) + (cents % 10 != 0 ? ".5" : ".0");
            }
            if (below(5) != 0) row.weight = static_cast<double>(random()) * 0.1;
            if (below(5) != 0) {
                const std::size_t shop = below(30);
                row.shop = "s" + std::to_string(shop);
                row.city = countries[shop % 5];
                row.shop_tags = {"a", countries[shop % 7]};
                row.shop_tags.resize(shop % 3);
            }
            REQUIRE(stored.add({row.id, row.at, row(of("country")), row.link, row(of("customer")),
                                row(of("tags")), row(of("amount")), row(of("price")),
                                row(of("weight")), row(of("shop.id"))}));
        }
        stored.publish();
        while (stored.maintain()) {
        }
    }

    std::vector<visit> rows;
    store::column_store stored{{visit_columns, "shop.id"}};
};

const stored_visits& visits() {
    static const stored_visits all(150'000);
    return all;
}

where is(std::string_view name, std::string_view value, bool excludes = false) {
    return where(leaf{of(name), text_test{filter({value}, excludes)}});
}
where since(std::string_view time) {
    bounds<instant> window;
    window.narrow(comparison::at_least, utc(time));
    return where(leaf{of("at"), window, "start", true});
}

}  // namespace

TEST_CASE("random aggregates of columns of every type are those of a loop") {
    test_samples::samples samples(1'500, 5);
    test_samples::random_aggregates aggregates(samples.random);
    for (int round = 0; round < 150; ++round) {
        aggregate_query query = aggregates.make_query();
        if (round % 3 != 0) query.rows = samples.random.make_tree(2).first;
        check_same(samples.store, query, samples.rows);
    }
}

TEST_CASE("aggregates of full blocks are those of a loop") {
    const measure count{};
    const aggregate_key by_count{true, 0, sort_order::descending};
    const group_key by_day{
        .by = of("at"), .bucket = time_bucket::day, .zone = zone_of("Europe/Paris")};
    const group_key by_hour{.by = of("at"), .bucket = time_bucket::hour};
    const std::vector<group_key> none;
    const std::vector<where> conditions{
        where(),
        is("country", "US"),
        where::all({is("country", "US", true), is("shop.city", "FR")}),
        is("link", "l120"),
        where::all({since("2026-10-20T10:00"), is("country", "DE")}),
        where::any({is("country", "JP"), is("link", "l0")}),
        is("country", "nowhere"),
    };
    const std::vector<std::vector<group_key>> groups{
        {},
        {{of("country")}},
        {{of("link")}},
        {{of("customer")}},
        {{of("tags")}},
        {{of("shop.id")}},
        {{of("shop.city")}},
        {{of("shop.tags")}},
        {{of("price")}},
        {by_day},
        {by_hour},
        {{of("country")}, {of("shop.city")}},
        {{of("tags")}, by_day, {of("shop.tags")}},
        {{of("link")}, {of("country")}},
    };
    const std::vector<measure> measures{{measure_kind::sum, of("amount")},
                                        {measure_kind::sum, of("price")},
                                        {measure_kind::average, of("weight")},
                                        {measure_kind::min, of("price")},
                                        {measure_kind::max, of("at")},
                                        {measure_kind::count_distinct, of("customer")},
                                        {measure_kind::count_distinct, of("shop.tags")},
                                        {measure_kind::count_distinct, of("price")}};
    for (std::size_t at = 0; at < groups.size(); ++at) {
        // Counts of rows under two of the conditions, and some of the measures under another.
        for (std::size_t more = 0; more < 2; ++more) {
            check_same(visits().stored,
                       {.rows = conditions[(at + more) % conditions.size()],
                        .group_by = groups[at],
                        .order = {by_count},
                        .limit = 40},
                       visits().rows);
        }
        check_same(visits().stored,
                   {.rows = conditions[(at + 2) % conditions.size()],
                    .group_by = groups[at],
                    .measures = {count, measures[at % 8], measures[(at + 3) % 8]},
                    .order = {{true, 1, sort_order::descending}},
                    .limit = 200},
                   visits().rows);
    }
    check_same(visits().stored, {.rows = since("2026-10-20T10:00"), .group_by = {{of("link")}}},
               visits().rows);
    // The hours of the first block have a bit for each customer, those of all have too many.
    check_same(visits().stored,
               {.group_by = {by_hour},
                .measures = {{measure_kind::count_distinct, of("customer")}},
                .limit = aggregate_limit_max},
               visits().rows);
}

TEST_CASE("aggregates by cubes of counts are those of a loop") {
    stored_visits visits(2 * 65'536 + 1'000);
    const measure count{};
    const auto sum_of = [](std::string_view name) { return measure{measure_kind::sum, of(name)}; };
    const std::vector<aggregate_query> queries{
        {.rows = is("country", "US"), .group_by = {{of("shop.city")}}},
        {.rows = is("country", "US", true), .group_by = {{of("shop.id")}}},
        {.rows = where::all({is("country", "DE"), is("shop.id", "s7", true)}),
         .group_by = {{of("link")}},
         .measures = {count},
         .order = {{true, 0, sort_order::descending}},
         .limit = 10},
        {.rows = where::all({is("country", "DE"), is("shop.city", "FR", true)}),
         .group_by = {{of("shop.city")}}},
        {.rows = where::all({is("shop.city", "FR"), is("tags", "JP")}),
         .group_by = {{of("country")}}},
        {.group_by = {{of("country")}, {of("shop.city")}}},
        {.group_by = {{of("country")}},
         .measures = {{measure_kind::count_distinct, of("shop.city")},
                      {measure_kind::approx_count_distinct, of("shop.id")},
                      count}},
        {.rows = is("country", "JP"),
         .group_by = {{of("shop.city")}},
         .measures = {sum_of("amount"),
                      {measure_kind::average, of("amount")},
                      count,
                      {measure_kind::max, of("amount")}}},
        {.rows = where::all({is("country", "US", true), is("shop.id", "s7")}),
         .group_by = {{of("shop.city")}, {of("country")}}},
        // Not by cubes:
        {.rows = is("country", "JP"), .group_by = {{of("shop.tags")}}},
        {.rows = is("country", "JP"),
         .group_by = {{of("shop.city")}},
         .measures = {sum_of("price")}},
        {.rows = where::any({is("country", "JP"), is("shop.city", "FR")}),
         .group_by = {{of("shop.city")}}},
        {.group_by = {{.by = of("at"), .bucket = time_bucket::day}, {of("country")}}},
    };
    const auto check_all = [&] {
        for (aggregate_query query : queries) {
            check_same(visits.stored, query, visits.rows);
            query.rows = where::all({since("2026-09-10T10:00"), std::move(query.rows)});
            check_same(visits.stored, query, visits.rows);
        }
    };
    for (std::uint32_t i = 0; i < store::count_cubes::least_uses; ++i) {
        for (const aggregate_query& query : queries)
            CHECK(store::aggregate(visits.stored.current(), query));
    }
    std::size_t steps = 0;
    while (visits.stored.maintain()) ++steps;
    CHECK(steps == 4 * 2);  // four sets of columns in two full blocks
    check_all();
    // A row after those of cubes, and a late one, which moves the second block.
    visit last = visits.rows.back(), late = visits.rows[70'000];
    last.id = "v_last";
    late.id = "v_late";
    for (const visit& row : {last, late}) {
        visits.rows.push_back(row);
        REQUIRE(visits.stored.add({row.id, row.at, row(of("country")), row.link,
                                   row(of("customer")), row(of("tags")), row(of("amount")),
                                   row(of("price")), row(of("weight")), row(of("shop.id"))}));
    }
    visits.stored.publish();
    check_all();
    // Limits end it.
    std::stop_source stop;
    stop.request_stop();
    for (const std::string_view country : {"US", "nowhere"}) {
        const auto ended =
            store::aggregate(visits.stored.current(),
                             {.rows = is("country", country), .group_by = {{of("shop.city")}}},
                             {.limits = {.stop = stop.get_token()}});
        REQUIRE(!ended);
        CHECK(ended.error().broken == rule::request_cancelled);
    }
}

TEST_CASE("series of uneven times are those of a loop") {
    std::mt19937 random(23);
    std::vector<visit> rows;
    store::column_store stored{{visit_columns, "shop.id"}};
    instant at = utc("2026-10-20T00:00");
    for (std::size_t i = 0; i < 66'000; ++i) {  // a full block and a part of one
        // Many rows of an instant, a stretch of some an hour, and days without any.
        const std::size_t gap = i / 2'000 % 3 == 0 ? random() % 2 : random() % 200'000;
        at += std::chrono::milliseconds(i % 9'000 == 0 ? 200'000'000 : gap);
        visit& row = rows.emplace_back();
        row.id = "v" + std::to_string(i);
        row.at = at;
        row.country = countries[std::min(random() % 7, random() % 7)];
        row.link = "l" + std::to_string(random() % 2'000);
        REQUIRE(stored.add({row.id, row.at, *row.country, row.link}));
    }
    stored.publish();
    const std::vector<where> conditions{
        where(), is("country", "DE"), is("link", "l7"),
        where::all({since("2026-10-24T21:30"), is("link", "l7", true)})};
    for (const where& condition : conditions) {
        for (const auto bucket : {time_bucket::hour, time_bucket::day, time_bucket::month}) {
            for (const auto direction : {sort_order::ascending, sort_order::descending}) {
                const group_key by{
                    .by = of("at"), .bucket = bucket, .zone = zone_of("Europe/Paris")};
                check_same(stored,
                           {.rows = condition,
                            .group_by = {by},
                            .order = {{.is_measure = false, .direction = direction}},
                            .limit = aggregate_limit_max},
                           rows);
            }
        }
    }
}

TEST_CASE("facets count values under the conditions on other columns") {
    const list_query query{.rows = where::all({is("country", "US"), is("shop.city", "FR")})};
    const std::array columns{of("country"), of("tags"), of("shop.city"), of("link")};
    const auto facets = store::facets(visits().stored.current(), query, columns, 3);
    REQUIRE(facets);
    REQUIRE(facets->size() == columns.size());
    const auto counts_of = [](const facet& values) {
        std::string text;
        for (const auto& [value, count] : values.values)
            text.append(std::get<std::string>(value))
                .append(" ")
                .append(std::to_string(count))
                .append(" ");
        return text;
    };
    for (std::size_t at = 0; at < columns.size(); ++at) {
        // The counts of a plain loop, the most frequent first.
        std::map<std::string, std::int64_t> counts;
        for (const visit& row : visits().rows) {
            if (at != 0 && row.country != "US") continue;
            if (at != 2 && (!row.shop || row.city != "FR")) continue;
            if (at == 0 && row.country) ++counts[std::string(*row.country)];
            if (at == 1 && row.tags) {
                for (const std::string_view tag :
                     std::set<std::string_view>(row.tags->begin(), row.tags->end()))
                    ++counts[std::string(tag)];
            }
            if (at == 2 && row.shop) ++counts[std::string(row.city)];
            if (at == 3) ++counts[row.link];
        }
        std::vector<std::pair<std::string, std::int64_t>> expected(counts.begin(), counts.end());
        std::ranges::sort(expected, [](const auto& a, const auto& b) {
            return a.second != b.second ? a.second > b.second : a.first < b.first;
        });
        facet top{columns[at], {}};
        for (std::size_t i = 0; i < 3; ++i)
            top.values.push_back({expected[i].first, expected[i].second});
        CHECK(counts_of((*facets)[at]) == counts_of(top));
        CHECK((*facets)[at] == top);
    }
}

TEST_CASE("facets under any conditions are those of a loop") {
    const where us = is("country", "US"), fr = is("shop.city", "FR"), link = is("link", "l120");
    const where not_de = is("country", "DE", true), nowhere = is("country", "nowhere");
    const where late = since("2026-11-20T10:00"), mixed = where::any({us, fr});
    const where us_or_jp = where::any({us, where::negation(is("country", "JP", true))});
    const std::vector<where> conditions{
        where(),
        mixed,
        where::negation(link),
        where::all({us, fr, link}),
        where::all({us_or_jp, late, where::all({not_de, fr})}),
        where::all({nowhere, late}),
        where::all({nowhere, is("shop.city", "nowhere"), late}),
        where::all({mixed, late, is("tags", "JP")}),
    };
    const std::array columns{of("country"), of("tags"),    of("shop.city"),
                             of("link"),    of("country"), of("at")};
    static const stored_visits visits(70'000);  // a full block and a part of one
    for (const where& rows : conditions) {
        const list_query query{.rows = rows};
        const auto facets = store::facets(visits.stored.current(), query, columns, 7);
        REQUIRE(facets);
        REQUIRE(facets->size() == columns.size());
        for (std::size_t at = 0; at < columns.size(); ++at) {
            CAPTURE(columns[at].name);
            auto expected = loop(facet_query(query, columns[at], 7), visits.rows);
            REQUIRE(expected);
            CHECK((*facets)[at] == to_facet(columns[at], *std::move(expected), 7));
        }
    }
}

TEST_CASE("estimates of distinct values are within their error") {
    constexpr double standard_error = 0.0081;  // as documented
    std::vector<double> errors;
    for (const std::uint32_t size : {2'100U, 5'000U, 20'000U, 60'000U, 200'000U}) {
        for (std::uint32_t seed = 0; seed < 40; ++seed) {
            // Sets of dense codes and of random ones.
            std::mt19937 random(seed);
            std::vector<std::uint32_t> values(size + size / 4);
            for (std::uint32_t& value : values) {
                value = static_cast<std::uint32_t>(random());
                if (seed % 2 != 0) value %= 4 * size;
            }
            std::ranges::sort(values);
            const auto repeated = std::ranges::unique(values);
            values.erase(repeated.begin(), repeated.end());
            REQUIRE(values.size() >= size);
            values.resize(size);
            store::distinct_estimate estimate;
            for (const std::uint32_t value : values) estimate.add(value);
            errors.push_back((static_cast<double>(estimate.count()) - size) / size);
        }
    }
    double squares = 0, sum = 0;
    for (const double error : errors) {
        CHECK(std::abs(error) < 4.5 * standard_error);
        squares += error * error;
        sum += error;
    }
    const auto count = static_cast<double>(errors.size());
    CHECK(std::sqrt(squares / count) < 1.2 * standard_error);
    CHECK(std::abs(sum / count) < 3 * standard_error / std::sqrt(count));
}

TEST_CASE("estimates depend on the set of values alone") {
    std::mt19937 random(4);
    for (const std::size_t size : {0U, 1U, 31U, 2'047U, 2'048U, 2'049U, 9'000U}) {
        std::vector<std::uint32_t> values(size);
        for (std::uint32_t& value : values) value = static_cast<std::uint32_t>(random());
        std::ranges::sort(values);
        values.erase(std::ranges::unique(values).begin(), values.end());
        store::distinct_estimate once, often;
        for (const std::uint32_t value : values) once.add(value);
        for (int round = 0; round < 3; ++round) {
            std::ranges::shuffle(values, random);
            for (const std::uint32_t value : values) {
                often.add(value);
                often.add(values[random() % values.size()]);
            }
        }
        CHECK(often.count() == once.count());
        if (size <= store::distinct_estimate::listed_max)
            CHECK(once.count() == static_cast<std::int64_t>(values.size()));
    }
}

TEST_CASE("estimates of groups are those of their values, whatever blocks have them") {
    const auto answer = [&](measure_kind kind, std::string_view name) {
        return store::aggregate(visits().stored.current(), {.rows = is("country", "", true),
                                                            .group_by = {{of("shop.city")}},
                                                            .measures = {{kind, of(name)}}});
    };
    for (const std::string_view name : {"customer", "link", "shop.tags", "price", "at"}) {
        CAPTURE(name);
        const auto exact = answer(measure_kind::count_distinct, name);
        const auto estimated = answer(measure_kind::approx_count_distinct, name);
        REQUIRE(exact);
        REQUIRE(estimated);
        REQUIRE(estimated->size() == exact->size());
        for (std::size_t at = 0; at < exact->size(); ++at) {
            CHECK((*estimated)[at].groups == (*exact)[at].groups);
            const auto count =
                static_cast<double>(std::get<std::int64_t>((*exact)[at].measures[0]));
            const auto estimate =
                static_cast<double>(std::get<std::int64_t>((*estimated)[at].measures[0]));
            CHECK(std::abs(estimate - count) <= (count <= 2'048 ? 0 : count * 0.036));
        }
    }
    const auto none =
        store::aggregate(visits().stored.current(),
                         {.rows = is("country", "nowhere"),
                          .measures = {{measure_kind::approx_count_distinct, of("customer")}}});
    CHECK(none == aggregate_result{{{}, {std::int64_t{0}}}});
}

TEST_CASE("common rows of selections of a block") {
    std::mt19937_64 random(9);
    std::vector<std::uint64_t> first(store::bitmap_words), second(first), words(first);
    const auto has = [](const store::selected_rows& of, std::size_t row) {
        const bool is_set = of.bits == nullptr || ((of.bits[row / 64] >> (row % 64)) & 1) != 0;
        return is_set && row >= of.part.begin && row < of.part.end;
    };
    for (int round = 0; round < 200; ++round) {
        // Bits outside of a part are never set.
        const auto make = [&](std::vector<std::uint64_t>& bits) {
            const std::size_t begin = random() % 3 == 0 ? random() % 40'000 : 0;
            const std::size_t end =
                random() % 3 == 0 ? 20'001 + random() % 45'536 : store::block_rows;
            const store::block_part part{3, std::min(begin, end - 1), end};
            if (random() % 3 == 0) return store::selected_rows{part};
            for (std::uint64_t& word : bits) word = random() & random();
            const store::bits_range all{0, store::bitmap_words, bits.data()};
            store::clear_before(part.begin, all);
            store::clear_from(part.end, all);
            return store::selected_rows{part, bits.data()};
        };
        const store::selected_rows a = make(first), b = make(second);
        std::vector<std::uint16_t> expected, listed;
        for (std::size_t row = 0; row < store::block_rows; ++row) {
            if (has(a, row) && has(b, row)) expected.push_back(static_cast<std::uint16_t>(row));
        }
        // In place, too.
        const bool in_place = a.bits != nullptr && random() % 2 == 0;
        const auto common = store::common_rows(a, b, in_place ? first.data() : words.data());
        if (common) common->list(listed);
        CHECK(listed == expected);
        CHECK((common ? common->count() : 0) == expected.size());
    }
}

TEST_CASE("aggregates and facets that a store can't answer") {
    const auto rows = visits().stored.current();
    const auto said = [&](const aggregate_query& query) {
        return message(store::aggregate(rows, query).error());
    };
    CHECK(said({.group_by = {{column{.name = "colour"}}}}) ==
          "colour: unknown field, expected a documented field");
    CHECK(
        said({.measures = {{measure_kind::sum, {.name = "size", .type = column_type::integer}}}}) ==
        "size: unknown field, expected a documented field");
    CHECK(said({.measures = {}}) == "measures: too few items, expected at least 1");
    const std::array columns{of("country")};
    CHECK(message(store::facets(rows, {}, columns, 0).error()) == "too small, expected at least 1");
    CHECK(message(store::facets(rows, {}, columns, 101).error()) ==
          "too large, expected at most 100");
    CHECK(store::facets(rows, {.search = "a"}, columns).error().broken == rule::not_applicable);
    CHECK(store::facets(rows, {}, std::array{column{.name = "colour"}}).error().broken ==
          rule::field_unknown);
}

TEST_CASE("the limits of scans end grouping") {
    const auto rows = visits().stored.current();
    using namespace std::chrono_literals;
    const std::vector<aggregate_query> queries{
        {.group_by = {{of("country")}}},
        {.group_by = {{.by = of("at"), .bucket = time_bucket::hour}}},
        {.rows = is("country", "US"), .group_by = {{of("link")}}},
        {.group_by = {{of("country")}, {of("link")}},
         .measures = {{measure_kind::count_distinct, of("customer")}}}};
    for (const aggregate_query& query : queries) {
        std::stop_source stop;
        stop.request_stop();
        CHECK(
            store::aggregate(rows, query, {.limits = {.stop = stop.get_token()}}).error().broken ==
            rule::request_cancelled);
        const store::scan_options late{.limits = {.cpu_time = [] { return 2ns; }, .deadline = 1ns}};
        const auto answered = store::aggregate(rows, query, late);
        // The clock is first read after one share of work.
        if (query.group_by.size() > 1) CHECK(answered.error().broken == rule::query_too_costly);
    }
    std::stop_source stop;
    stop.request_stop();
    const store::scan_options late{.limits = {.cpu_time = [] { return 2ns; }, .deadline = 1ns}};
    const list_query query{.rows = where::all({is("country", "US"), is("tags", "JP")})};
    const std::array columns{of("country"), of("tags"), of("link")};
    CHECK(store::facets(rows, query, columns, 10, {.limits = {.stop = stop.get_token()}})
              .error()
              .broken == rule::request_cancelled);
    CHECK(store::facets(rows, query, columns, 10, late).error().broken == rule::query_too_costly);
}

TEST_CASE("several lists multiply rows in parts, within the limits") {
    static constexpr schema columns{column{.name = "id"},
                                    column{.name = "at", .type = column_type::time},
                                    column{.name = "tags", .is_list = true}};
    const std::array<std::string_view, 4> tags{"a", "b", "c", "d"};
    store::column_store stored{columns};
    for (std::size_t at = 0; at < 160; ++at) {
        const std::string id = std::to_string(at);
        REQUIRE(stored.add(
            {id, instant(std::chrono::seconds(at)), std::span<const std::string_view>(tags)}));
    }
    stored.publish();
    aggregate_query query{.limit = 1};
    for (const std::string_view name : {"1", "2", "3", "4", "5", "6", "7"})
        query.group_by.push_back({.by = *columns.find("tags"), .name = std::string(name)});
    const auto groups = store::aggregate(stored.current(), query);
    REQUIRE(groups.has_value());
    CHECK(to_json(query, *groups) ==
          R"([{"1":"a","2":"a","3":"a","4":"a","5":"a","6":"a","7":"a","count":160}])");
    // 160 rows in 16,384 groups each: 40 blocks of rows.
    std::chrono::nanoseconds ticks{};
    const store::scan_options late{
        .limits = {.cpu_time = [&] { return ++ticks; }, .deadline = std::chrono::nanoseconds(20)}};
    const auto ended = store::aggregate(stored.current(), query, late);
    REQUIRE(!ended);
    CHECK(ended.error().broken == rule::query_too_costly);
}

TEST_CASE("pairs are numbered once") {
    store::group_ids numbers;
    std::mt19937_64 random(3);
    std::map<std::uint64_t, std::uint32_t> known;
    for (int round = 0; round < 20'000; ++round) {
        const std::uint64_t key = store::group_ids::pair(static_cast<std::uint32_t>(random() % 90),
                                                         static_cast<std::uint32_t>(random() % 90));
        const auto expected =
            known.try_emplace(key, static_cast<std::uint32_t>(known.size())).first;
        CHECK(numbers.number(key) == expected->second);
        CHECK(numbers.key(expected->second) == key);
    }
    CHECK(numbers.size() == known.size());
}
