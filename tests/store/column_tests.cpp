// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/errors/message.hpp>
#include <sluice/query/json_writer.hpp>
#include <sluice/query/list.hpp>
#include <sluice/store/select.hpp>
#include <sluice/store/snapshot_file.hpp>

#include "../query/make_tests.hpp"
#include "../query/row_accessors.hpp"
#include "../temporary_folder.hpp"
#include "stored_samples.hpp"

using namespace sluice;
using test_samples::named, test_samples::random_tests, test_samples::row, test_samples::samples;

namespace {

std::vector<std::string> ids_of(const store::selected_page& page) {
    std::vector<std::string> list;
    for (const store::stored_row& of : page.rows()) {
        list.emplace_back(std::get<std::string_view>(of.at(named("id"))));
    }
    return list;
}

template <class T>
std::weak_ordering order_of(const std::optional<T>& a, const std::optional<T>& b) {
    if (!a || !b) return a.has_value() <=> b.has_value();
    return *a < *b   ? std::weak_ordering::less
           : *b < *a ? std::weak_ordering::greater
                     : std::weak_ordering::equivalent;
}
std::optional<std::string> lower(const std::optional<std::string>& text) {
    return text ? std::optional(test_samples::lower(*text)) : std::nullopt;
}
std::optional<std::ptrdiff_t> place(const std::optional<std::string>& size) {
    if (!size) return std::nullopt;
    return std::ranges::find(test_samples::sizes, *size) - test_samples::sizes.begin();
}
std::optional<decimal_number> number(const std::optional<std::string>& text) {
    return text ? std::optional(*parse_decimal_number(*text)) : std::nullopt;
}
std::optional<double> there(const std::optional<double>& real) {
    return real && *real == *real ? real : std::nullopt;
}

constexpr std::array<std::string_view, 10> sorts{"name",  "city", "seats", "total",   "score",
                                                 "token", "size", "due",   "created", "open"};
/// Compares rows by a column, those without a value first.
std::weak_ordering compare(const row& a, const row& b, std::string_view by) {
    if (by == "name") return order_of(a.name, b.name);
    if (by == "city") return order_of(a.city, b.city);
    if (by == "seats") return order_of(a.seats, b.seats);
    if (by == "total") return order_of(number(a.total), number(b.total));
    if (by == "score") return order_of(there(a.score), there(b.score));
    if (by == "token") return order_of(lower(a.token), lower(b.token));
    if (by == "size") return order_of(place(a.size), place(b.size));
    if (by == "due") return order_of(a.due, b.due);
    if (by == "created") return a.created <=> b.created;
    if (by == "open") return order_of(a.open, b.open);
    return a.id <=> b.id;
}
std::vector<std::string> sorted_ids(const std::deque<row>& rows, const list_query& query) {
    std::vector<const row*> all;
    for (const row& of : rows) all.push_back(&of);
    std::ranges::sort(all, [&](const row* a, const row* b) {
        for (const sort_key& key : query.order) {
            const auto order = compare(*a, *b, key.by.name);
            if (order != 0) return (order < 0) == (key.direction == sort_order::ascending);
        }
        return false;
    });
    std::vector<std::string> ids;
    for (const row* of : all) ids.push_back(of->id);
    return ids;
}

/// Returns the ids of the rows that meet a condition, sorted.
template <class Meets>
std::vector<std::string> meeting(const samples& in, const Meets& meets) {
    std::vector<std::string> ids;
    for (const row& of : in.rows) {
        if (meets(of)) ids.push_back(of.id);
    }
    std::ranges::sort(ids);
    return ids;
}
template <class Meets>
void check_rows(const samples& in, const where& rows, const Meets& meets) {
    list_query query;
    query.rows = rows;
    query.wanted = {1, 1'000};
    CAPTURE(to_json(query));
    const store::stored_rows now = in.store.current();
    const auto page = store::select(now, query);
    if (find_unanswered(rows, store::answered_tests) != nullptr) {
        REQUIRE_FALSE(page);
        CHECK(page.error().broken == rule::test_unanswered);
        return;
    }
    REQUIRE(page);
    auto ids = ids_of(*page);
    std::ranges::sort(ids);
    const auto expected = meeting(in, meets);
    CHECK(ids == expected);
    CHECK(store::count(now, query) == std::ssize(expected));
}

}  // namespace

TEST_CASE("a store has the rows of every test that a loop has, alone and in trees") {
    samples all(300, 31);
    for (int round = 0; round < 3'000; ++round) {
        const auto [condition, meets] = all.random.make_test();
        check_rows(all, where(condition), meets);
    }
    for (int round = 0; round < 1'000; ++round) {
        const auto [tree, meets] = all.random.make_tree(4);
        check_rows(all, tree, meets);
    }
}

TEST_CASE("cursors lead over all rows in the order of any column, forth and back") {
    samples all(150, 32);
    const store::stored_rows now = all.store.current();
    for (const std::string_view by : sorts) {
        for (const sort_order direction : {sort_order::ascending, sort_order::descending}) {
            list_query query;
            query.order = {{named(by), direction}, {named("id")}};
            // As the second key, values are compared without their prefixes.
            if (direction == sort_order::descending && by != "open") {
                query.order.insert(query.order.begin(), {named("open")});
            }
            query.wanted.size = 7;
            CAPTURE(to_json(query));
            const auto expected = sorted_ids(all.rows, query);
            std::vector<std::string> walked, back;
            auto page = store::select(now, query);
            for (;;) {
                REQUIRE(page);
                // A list of the same objects has the same page, and either's cursor leads on.
                const auto objects = sluice::list(all.rows, query, test_samples::row_accessors);
                REQUIRE(objects);
                std::vector<std::string> listed;
                for (const test_samples::row& of : *objects) listed.push_back(of.id);
                CHECK(listed == ids_of(*page));
                for (std::string& id : ids_of(*page)) walked.push_back(std::move(id));
                CHECK(objects->next.has_value() == page->next.has_value());
                if (!page->next || !objects->next) break;
                const cursor& next = walked.size() % 2 == 0 ? *page->next : *objects->next;
                query.from = parse_cursor(to_string(next).value()).value();
                page = store::select(now, query);
            }
            CHECK(walked == expected);
            while (page->previous) {
                query.from = parse_cursor(to_string(*page->previous).value()).value();
                page = store::select(now, query);
                REQUIRE(page);
                const auto ids = ids_of(*page);
                back.insert(back.begin(), ids.begin(), ids.end());
            }
            CHECK(back.size() + 7 >= expected.size());
            CHECK(back == std::vector(expected.begin(),
                                      expected.begin() + static_cast<std::ptrdiff_t>(back.size())));
        }
    }
}

TEST_CASE("keys of cursors that other engines write are read in any spelling") {
    samples all(60, 33);
    const store::stored_rows now = all.store.current();
    const struct {
        std::string_view by;
        std::string_view key, same;
    } table[] = {
        {"token", "0190c7a6-5e2b-7c61-9f0e-8d7b1a2c3d4e", "0190C7A6-5E2B-7C61-9F0E-8D7B1A2C3D4E"},
        {"score", "0.1", "10e-2"},
        {"score", "0", "-0.0"},
        {"score", "1e+300", "1E300"},
        {"score", "-1e999", "-1e400"}};
    for (const auto& [by, key, same] : table) {
        CAPTURE(key);
        list_query query;
        query.order = {{named(by)}, {named("id")}};
        query.from = cursor{.query_mark = query_mark(query), .keys = {std::string(key), "r5"}};
        const auto ids = ids_of(store::select(now, query).value());
        query.from->keys[0] = same;
        CHECK(ids_of(store::select(now, query).value()) == ids);
        CHECK_FALSE(ids.empty());
    }
    list_query last{.order = {{named("score")}, {named("id")}}};
    last.from = cursor{.query_mark = query_mark(last), .keys = {"1e999", "r5"}};
    CHECK(ids_of(store::select(now, last).value()).empty());
    for (const auto& [by, key] :
         {std::pair("score", "NaN"), std::pair("due", "2026-02-30"), std::pair("size", "XXL")}) {
        list_query query;
        query.order = {{named(by)}, {named("id")}};
        query.from = cursor{.query_mark = query_mark(query), .keys = {std::string(key), "r5"}};
        CHECK(store::select(now, query).error().broken == rule::cursor_malformed);
    }
}

TEST_CASE("a row's values are kept, and printed as JSON") {
    constexpr std::array<std::string_view, 2> sizes{"s", "an 'XL'\""};
    static constexpr std::array<std::string_view, 2> choices = sizes;
    static constexpr schema kinds{
        column{.name = "id"},
        column{.name = "score", .type = column_type::real, .is_nullable = true},
        column{.name = "due", .type = column_type::date, .is_nullable = true},
        column{.name = "token", .type = column_type::uuid, .is_nullable = true},
        column{
            .name = "size", .type = column_type::choice, .is_nullable = true, .choices = choices},
        column{.name = "ports", .type = column_type::integer, .is_list = true, .is_nullable = true},
        column{.name = "tokens", .type = column_type::uuid, .is_list = true, .is_nullable = true},
        column{.name = "sizes",
               .type = column_type::choice,
               .is_list = true,
               .is_nullable = true,
               .choices = choices}};
    using integers = std::span<const std::int64_t>;
    using texts = std::span<const std::string_view>;
    constexpr auto least = std::numeric_limits<std::int64_t>::min();
    const std::array<std::int64_t, 2> ports{least, 7};
    const std::array<std::string_view, 1> tokens{"0190C7A6-5E2B-7C61-9F0E-8D7B1A2C3D4E"};
    const calendar_day first(std::chrono::year{1} / 1 / 1), last(std::chrono::year{9999} / 12 / 31);
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    store::column_store store(kinds);
    REQUIRE(store.add(
        {"a", 0.1, first, tokens[0], sizes[1], integers(ports), texts(tokens), texts(sizes)}));
    REQUIRE(store.add({"b", -0.0, last, cell(), cell(), integers(), texts(), texts()}));
    REQUIRE(store.add({"c", nan}));
    REQUIRE(store.add({"d", std::int64_t{3}}));
    REQUIRE(store.add({"e", 1e300}));
    REQUIRE(store.add({"f", 5e-324}));
    store.publish();
    const store::stored_rows rows = store.current();
    const auto end = std::string(R"("due":null,"token":null,"size":null,"ports":null,)") +
                     R"("tokens":null,"sizes":null})";
    const std::string_view token = "0190c7a6-5e2b-7c61-9f0e-8d7b1a2c3d4e";
    CHECK(rows.json(0) == R"({"id":"a","score":0.1,"due":"0001-01-01","token":")" +
                              std::string(token) +
                              R"(","size":"an 'XL'\"","ports":[-9223372036854775808,7],)"
                              R"("tokens":[")" +
                              std::string(token) + R"("],"sizes":["s","an 'XL'\""]})");
    CHECK(rows.json(1) == R"({"id":"b","score":0,"due":"9999-12-31","token":null,"size":null,)"
                          R"("ports":[],"tokens":[],"sizes":[]})");
    CHECK(rows.json(2) == R"({"id":"c","score":null,)" + end);
    CHECK(rows.json(3) == R"({"id":"d","score":3,)" + end);
    CHECK(rows.json(4) == R"({"id":"e","score":1e+300,)" + end);
    CHECK(rows.json(5) == R"({"id":"f","score":5e-324,)" + end);
    const auto at = [&](std::size_t number, std::string_view name) {
        return rows.at(number, *kinds.find(name));
    };
    CHECK(std::get<double>(at(0, "score")) == 0.1);
    CHECK(std::get<double>(at(5, "score")) == 5e-324);
    CHECK(std::holds_alternative<std::monostate>(at(2, "score")));
    CHECK(std::get<calendar_day>(at(0, "due")) == first);
    CHECK(std::get<std::string_view>(at(0, "token")) == token);
    CHECK(std::get<std::string_view>(at(0, "size")) == sizes[1]);
    CHECK(std::ranges::equal(std::get<integers>(at(0, "ports")), ports));
    CHECK(std::get<integers>(at(1, "ports")).empty());
    CHECK(std::get<texts>(at(0, "tokens")).front() == token);
    CHECK(std::ranges::equal(std::get<texts>(at(0, "sizes")), sizes));
    CHECK(std::holds_alternative<std::monostate>(at(2, "ports")));
}

TEST_CASE("values of every type come back from a snapshot, with their tests") {
    samples all(120, 34);
    const temporary_folder folder;
    const auto file = folder.path() / "rows.snapshot";
    REQUIRE(store::save_snapshot(all.store, file));
    const auto opened = store::open_snapshot(test_samples::columns, file);
    REQUIRE(opened);
    const store::stored_rows before = all.store.current(), after = (*opened)->current();
    REQUIRE(after.size() == before.size());
    for (std::size_t at = 0; at < before.size(); ++at) CHECK(after.json(at) == before.json(at));
    for (int round = 0; round < 200; ++round) {
        auto [condition, meets] = all.random.make_test();
        list_query query;
        query.rows = where(std::move(condition));
        CAPTURE(to_json(query));
        CHECK(store::count(after, query) == std::ssize(meeting(all, meets)));
    }
}

namespace {

constexpr schema numbers{column{.name = "id"},
                         column{.name = "count", .type = column_type::integer},
                         column{.name = "score", .type = column_type::real, .is_nullable = true},
                         column{.name = "total", .type = column_type::decimal, .is_nullable = true},
                         column{.name = "odd", .type = column_type::decimal},
                         column{.name = "paid", .type = column_type::time, .is_nullable = true},
                         column{.name = "due", .type = column_type::date, .is_nullable = true},
                         column{.name = "few", .type = column_type::integer},
                         column{.name = "name", .is_nullable = true}};

/// Numbers of every type by row: two blocks and a part of one.
struct numbered_rows {
    static constexpr std::int64_t size = 140'000;
    static constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

    static bool is_null(std::int64_t at) { return at % 11 == 0; }
    static std::int64_t mixed(std::int64_t at) { return at * 7'919 % 100'003; }
    // The largest are too near together for doubles.
    static std::int64_t count(std::int64_t at) {
        return at % 2 == 0 ? mixed(at) - 50'000 : most - at;
    }
    static double score(std::int64_t at) { return static_cast<double>(mixed(at) - 40'000) / 8; }
    static double total(std::int64_t at) {
        return static_cast<double>(mixed(at)) + static_cast<double>(at % 3) / 8;
    }
    static double odd(std::int64_t at) { return at % 70'001 == 9 ? 1e30 : total(at); }
    static instant paid(std::int64_t at) {
        return instant(std::chrono::milliseconds((mixed(at) - 30'000) * 977'000));
    }
    static calendar_day due(std::int64_t at) {
        return calendar_day(std::chrono::days(mixed(at) % 9'000 - 900));
    }
    static std::string decimal_of(std::int64_t at) {
        constexpr std::array<std::string_view, 3> fractions{"", ".125", ".250"};
        return std::to_string(mixed(at)).append(fractions[static_cast<std::size_t>(at % 3)]);
    }
    /// Returns the number that rows are ordered by; nullopt for an absent one.
    static std::optional<long double> key(std::string_view name, std::int64_t at) {
        if (name == "count") return static_cast<long double>(count(at));
        if (name == "few") return static_cast<long double>(at % 40);
        if (name == "odd") return odd(at);
        if (is_null(at)) return std::nullopt;
        if (name == "score") return score(at);
        if (name == "total") return total(at);
        if (name == "name") return static_cast<long double>(mixed(at));
        if (name == "paid") return static_cast<long double>(paid(at).time_since_epoch().count());
        return static_cast<long double>(due(at).time_since_epoch().count());
    }
    static std::string id_of(std::int64_t at) { return "r" + std::to_string(1'000'000 + at); }

    numbered_rows() {
        bool is_added = true;
        for (std::int64_t at = 0; at < size; ++at) {
            const std::string id = id_of(at), total = decimal_of(at);
            const std::string name = "nn" + std::to_string(1'000'000 + mixed(at));  // 9 bytes
            const auto unless_null = [&](const cell& value) {
                return is_null(at) ? cell() : value;
            };
            is_added = is_added &&
                       store.add({std::string_view(id), count(at), unless_null(score(at)),
                                  unless_null(std::string_view(total)),
                                  at % 70'001 == 9 ? cell("1e30") : cell(std::string_view(total)),
                                  unless_null(paid(at)), unless_null(due(at)), at % 40,
                                  unless_null(std::string_view(name))});
            if (at == 66'000) store.publish();
        }
        REQUIRE(is_added);
        store.publish();
    }
    static const numbered_rows& all() {
        static const numbered_rows rows;
        return rows;
    }

    store::column_store store{numbers};
};

}  // namespace

TEST_CASE("bounds of many numbers of each type are those of a loop") {
    using in = numbered_rows;
    const store::stored_rows now = in::all().store.current();
    const auto check = [&](std::string_view name, const column_test& test, const auto& meets) {
        std::int64_t expected = 0;
        for (std::int64_t at = 0; at < in::size; ++at) expected += meets(at) ? 1 : 0;
        for (const bool is_negated : {false, true}) {
            list_query query;
            query.rows = where(leaf{*numbers.find(name), test, {}});
            if (is_negated) query.rows = where::negation(std::move(query.rows));
            CAPTURE(to_json(query));
            CHECK(store::count(now, query) == (is_negated ? in::size - expected : expected));
        }
    };
    constexpr std::int64_t most = in::most;
    constexpr std::array<std::int64_t, 6> edges{-50'001, 0, 5, 50'002, most - 9'999, most};
    for (const std::int64_t bound : edges) {
        check("count", bounds<std::int64_t>{.least = bound},
              [&](std::int64_t at) { return in::count(at) >= bound; });
        check("count", bounds<std::int64_t>{.least = -7, .most = bound, .excludes_most = true},
              [&](std::int64_t at) { return in::count(at) >= -7 && in::count(at) < bound; });
    }
    check("count", bounds<std::int64_t>{.least = most, .excludes_least = true},
          [](std::int64_t) { return false; });
    for (const double bound : {-5'000.0, -0.0, 0.125, 1e300}) {
        check("score", bounds<double>{.most = bound},
              [&](std::int64_t at) { return !in::is_null(at) && in::score(at) <= bound; });
        check("score", bounds<double>{.least = bound, .excludes_least = true},
              [&](std::int64_t at) { return !in::is_null(at) && in::score(at) > bound; });
    }
    constexpr double infinity = std::numeric_limits<double>::infinity();
    check("score", bounds<double>{.least = -infinity, .most = infinity},
          [](std::int64_t at) { return !in::is_null(at); });
    for (const std::string_view bound :
         {"-1", "7.125", "7.1250000000000000000001", "99999.5", "1e30"}) {
        const double near = std::stod(std::string(bound));
        const bool is_above = bound.size() > 20;  // the number itself is below the bound
        const auto reaches = [&](double value) { return is_above ? value > near : value >= near; };
        const bounds<decimal_number> from{.least = *parse_decimal_number(bound)};
        check("total", from,
              [&](std::int64_t at) { return !in::is_null(at) && reaches(in::total(at)); });
        check("odd", from, [&](std::int64_t at) { return reaches(in::odd(at)); });
    }
    for (const std::int64_t ms :
         {std::int64_t{-30'000} * 977'000, std::int64_t{-1}, std::int64_t{0}}) {
        const instant bound{std::chrono::milliseconds(ms)};
        check(
            "paid",
            bounds<instant>{.least = bound, .most = bound + std::chrono::milliseconds(977'000'000)},
            [&](std::int64_t at) {
                return !in::is_null(at) && in::paid(at) >= bound &&
                       in::paid(at) <= bound + std::chrono::milliseconds(977'000'000);
            });
    }
    for (const int day : {-901, -900, 0, 12, 8'099, 8'100}) {
        const calendar_day bound{std::chrono::days(day)};
        check("due", bounds<calendar_day>{.most = bound, .excludes_most = true},
              [&](std::int64_t at) { return !in::is_null(at) && in::due(at) < bound; });
    }
}

TEST_CASE("a group of ranges is that of a loop in blocks") {
    using in = numbered_rows;
    const store::stored_rows now = in::all().store.current();
    const auto within = [](std::string_view name, std::int64_t least, std::int64_t most) {
        return where(
            leaf{*numbers.find(name), bounds<std::int64_t>{.least = least, .most = most}, {}});
    };
    list_query query;
    query.rows = where::all({where::any({within("count", -100, 900), within("count", 5'000, 6'000),
                                         where::negation(within("count", -40'000, in::most))}),
                             where::negation(within("few", 3, 12))});
    std::int64_t expected = 0;
    for (std::int64_t at = 0; at < in::size; ++at) {
        const std::int64_t number = in::count(at);
        const bool is_in = (number >= -100 && number <= 900) ||
                           (number >= 5'000 && number <= 6'000) || number < -40'000;
        expected += is_in && (at % 40 < 3 || at % 40 > 12) ? 1 : 0;
    }
    for (const auto forced :
         {std::optional<store::access_path>(), std::optional(store::access_path::counts),
          std::optional(store::access_path::postings), std::optional(store::access_path::bitmaps),
          std::optional(store::access_path::code_scan)}) {
        CHECK(store::count(now, query, {.forced = forced}) == expected);
        query.wanted = {2, 50};
        const auto page = store::select(now, query, {.forced = forced});
        REQUIRE(page);
        CHECK(page->size() == 50);
    }
}

TEST_CASE("pages of blocks in the order of each type are those of a sort") {
    using in = numbered_rows;
    const store::stored_rows now = in::all().store.current();
    for (const std::string_view name :
         {"count", "score", "total", "odd", "paid", "due", "few", "name"}) {
        for (const sort_order direction : {sort_order::ascending, sort_order::descending}) {
            const bool ascends = direction == sort_order::ascending;
            const bool is_id_ascending = ascends != (name == "few");
            const leaf filtered{*numbers.find("few"), bounds<std::int64_t>{.least = 20}, {}};
            for (const bool has_filter : {false, true}) {
                std::vector<std::pair<std::optional<long double>, std::int64_t>> sorted;
                for (std::int64_t at = 0; at < in::size; ++at) {
                    if (!has_filter || at % 40 >= 20) sorted.emplace_back(in::key(name, at), at);
                }
                std::ranges::sort(sorted, [&](const auto& a, const auto& b) {
                    if (a.first != b.first) return (a.first < b.first) == ascends;
                    return (a.second < b.second) == is_id_ascending;
                });
                list_query query;
                if (has_filter) query.rows = where(filtered);
                query.order = {{*numbers.find(name), direction},
                               {*numbers.find("id"),
                                is_id_ascending ? sort_order::ascending : sort_order::descending}};
                CAPTURE(to_json(query));
                const auto expected = [&](std::size_t begin, std::size_t size) {
                    std::vector<std::string> ids;
                    for (std::size_t i = begin; i < std::min(begin + size, sorted.size()); ++i) {
                        ids.push_back(in::id_of(sorted[i].second));
                    }
                    return ids;
                };
                for (const std::int64_t number : {1, 3, 200, 1'399}) {
                    query.from.reset();
                    query.wanted = {number, 50};
                    const auto begin = static_cast<std::size_t>(query.wanted.offset());
                    const auto page = store::select(now, query);
                    REQUIRE(page);
                    CHECK(ids_of(*page) == expected(begin, 50));
                    CHECK(page->has_next == (begin + 50 < sorted.size()));
                    if (!page->next) continue;
                    query.from = page->next;
                    const auto next = store::select(now, query);
                    REQUIRE(next);
                    CHECK(ids_of(*next) == expected(begin + 50, 50));
                    REQUIRE(next->previous);
                    query.from = next->previous;
                    const auto back = store::select(now, query);
                    REQUIRE(back);
                    CHECK(ids_of(*back) == expected(begin, 50));
                }
            }
        }
    }
}

TEST_CASE("numbers of blocks come back from a snapshot") {
    const numbered_rows& all = numbered_rows::all();
    const temporary_folder folder;
    const auto file = folder.path() / "numbers.snapshot";
    REQUIRE(store::save_snapshot(all.store, file));
    const auto opened = store::open_snapshot(numbers, file);
    REQUIRE(opened);
    const store::stored_rows before = all.store.current(), after = (*opened)->current();
    for (const std::string_view name : {"count", "score", "total", "odd", "paid", "due"}) {
        list_query query;
        query.order = {{*numbers.find(name), sort_order::descending}, {*numbers.find("id")}};
        query.wanted = {70, 100};
        CHECK(store::select(after, query)->json() == store::select(before, query)->json());
        const column_test half =
            name == "count"   ? column_test(bounds<std::int64_t>{.least = 0})
            : name == "score" ? column_test(bounds<double>{.least = 0.5})
            : name == "paid"  ? column_test(bounds<instant>{.least = instant()})
            : name == "due"   ? column_test(bounds<calendar_day>{.least = calendar_day()})
                              : column_test(bounds<decimal_number>{.least = decimal_number(9'000)});
        query.rows = where(leaf{*numbers.find(name), half, {}});
        CAPTURE(name);
        CHECK(store::count(after, query).value() == store::count(before, query).value());
    }
}

TEST_CASE("values that don't fit their columns are refused, and nothing is added") {
    static constexpr schema kinds{
        column{.name = "id"},
        column{.name = "score", .type = column_type::real},
        column{.name = "due", .type = column_type::date},
        column{.name = "token", .type = column_type::uuid},
        column{.name = "size", .type = column_type::choice, .choices = test_samples::sizes},
        column{.name = "ports", .type = column_type::integer, .is_list = true},
        column{.name = "tokens", .type = column_type::uuid, .is_list = true},
        column{.name = "sizes",
               .type = column_type::choice,
               .is_list = true,
               .choices = test_samples::sizes}};
    constexpr std::string_view token = "00000000-0000-0000-0000-000000000000";
    static constexpr std::array<std::string_view, 2> odd{"small", "XXL"};
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    using texts = std::span<const std::string_view>;
    const std::vector<cell> good{"a",     1.0,     calendar_day(),
                                 token,   "small", std::span<const std::int64_t>(),
                                 texts(), texts()};
    const struct {
        std::string_view name;
        cell value;
        rule broken;
    } table[] = {
        {"score", cell(), rule::field_missing},
        {"score", nan, rule::field_missing},
        {"score", infinity, rule::number_malformed},
        {"score", -infinity, rule::number_malformed},
        {"score", "1", rule::field_type},
        {"due", "2026-08-21", rule::field_type},
        {"due", earliest_day - std::chrono::days(1), rule::time_out_of_range},
        {"due", latest_day + std::chrono::days(1), rule::time_out_of_range},
        {"token", "", rule::value_malformed},
        {"token", "{00000000-0000-0000-0000-000000000000}", rule::value_malformed},
        {"token", std::int64_t{0}, rule::field_type},
        {"size", "SMALL", rule::choice_unknown},
        {"size", "", rule::choice_unknown},
        {"size", texts(odd), rule::field_type},
        {"ports", std::int64_t{1}, rule::field_type},
        {"ports", texts(odd), rule::field_type},
        {"tokens", texts(odd), rule::value_malformed},
        {"tokens", token, rule::field_type},
        {"sizes", texts(odd), rule::choice_unknown},
        {"sizes", std::span<const std::int64_t>(), rule::field_type},
    };
    store::column_store store(kinds);
    for (const auto& [name, value, broken] : table) {
        CAPTURE(name);
        auto cells = good;
        cells[static_cast<std::size_t>(kinds.find(name) - kinds.begin())] = value;
        const auto added = store.add(cells);
        REQUIRE_FALSE(added);
        CHECK(added.error().broken == broken);
        CHECK(added.error().param == name);
        CHECK_FALSE(message(added.error()).empty());
    }
    auto cells = good;
    cells[3] = "00000000-0000-0000-0000-00000000000g";
    CHECK(store.add(cells).error().offset == 35);
    REQUIRE(store.add(good));
    store.publish();
    CHECK(store.current().size() == 1);
}
