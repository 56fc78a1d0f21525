// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/params/bind.hpp>
#include <sluice/params/runtime/table.hpp>
#include <sluice/query/json_writer.hpp>
#include <sluice/sql/place.hpp>
#include <sluice/store/select.hpp>

#include "make_orders.hpp"

using namespace sluice;
using namespace order_samples;
using std::chrono::milliseconds;

namespace {

/// Rows in a store and beside it, published in parts so that some come late.
struct shop {
    explicit shop(std::size_t rows, unsigned seed, std::size_t rows_a_part = 257) : random(seed) {
        for (std::size_t at = 0; at < rows; ++at) {
            orders.push_back(random.row());
            REQUIRE(store.add(orders.back().cells()));
            if (at % rows_a_part == 0) store.publish();
        }
        store.publish();
    }
    /// Returns the ids of all rows that a query selects, in its order.
    [[nodiscard]] std::vector<std::string> ids(const list_query& query) const {
        std::vector<const order*> selected;
        for (const order& row : orders) {
            if (query.matches(row)) selected.push_back(&row);
        }
        std::ranges::sort(selected, [&](const order* a, const order* b) {
            for (const sort_key& key : query.order) {
                const auto order = compare(*a, *b, key.by.name);
                if (order != 0) return (order < 0) == (key.direction == sort_order::ascending);
            }
            return false;
        });
        std::vector<std::string> list;
        for (const order* row : selected) list.push_back(row->id);
        return list;
    }

    random_orders random;
    std::deque<order> orders;
    store::column_store store{columns};
};

/// The ids of a page's rows.
std::vector<std::string> ids_of(const store::selected_page& page) {
    std::vector<std::string> list;
    for (const store::stored_row& row : page.rows()) {
        list.emplace_back(std::get<std::string_view>(row.at(named("id"))));
    }
    return list;
}

std::vector<std::string> part(const std::vector<std::string>& all, std::size_t begin,
                              std::size_t size) {
    const std::size_t first = std::min(begin, all.size()), end = std::min(first + size, all.size());
    return {all.begin() + static_cast<std::ptrdiff_t>(first),
            all.begin() + static_cast<std::ptrdiff_t>(end)};
}

}  // namespace

TEST_CASE("pages and counts of any query are those of a loop over the rows") {
    for (const std::size_t rows : {0U, 1U, 3'000U}) {
        shop sample(rows, 7);
        const store::stored_rows now = sample.store.current();
        REQUIRE(now.size() == rows);
        for (int round = 0; round < 300; ++round) {
            const list_query query = sample.random.query();
            CAPTURE(to_json(query));
            const auto all = sample.ids(query);
            const auto page = store::select(now, query);
            REQUIRE(page);
            const auto size = static_cast<std::size_t>(query.wanted.size);
            const auto begin = static_cast<std::size_t>(query.wanted.offset());
            CHECK(ids_of(*page) == part(all, begin, size));
            CHECK(page->has_next == (begin + size < all.size()));
            CHECK(page->has_previous == (begin > 0));
            CHECK(page->total.has_value() == query.wants_total);
            CHECK(page->total.value_or(std::ssize(all)) == std::ssize(all));
            CHECK(store::count(now, query) == std::ssize(all));
        }
    }
}

TEST_CASE("pages and counts of a whole block and an open one are those of a loop, by any path") {
    shop sample(store::block_rows + 3'000, 22, 30'000);
    const store::stored_rows now = sample.store.current();
    const std::pair<sort_order, std::int64_t> pages[] = {{sort_order::ascending, 1},
                                                         {sort_order::ascending, 660},
                                                         {sort_order::descending, 20},
                                                         {sort_order::descending, 650}};
    const std::vector<leaf> wheres[] = {
        {},
        {{named("open"), boolean_test{true}}},
        {{named("created"), bounds<instant>{.least = at(17), .excludes_least = true}},
         {named("created"), bounds<instant>{.most = at(1'990), .excludes_most = true}},
         {named("status"), text_test{filter({"paid"}, true)}}}};
    for (const std::vector<leaf>& leaves : wheres) {
        for (const auto& [direction, number] : pages) {
            list_query query;
            query.rows = where::all_of(leaves);
            query.order = {{named("created"), direction}, {named("id"), direction}};
            query.wanted = {number, 100};
            CAPTURE(to_json(query));
            const auto all = sample.ids(query);
            const auto begin = static_cast<std::size_t>(query.wanted.offset());
            for (const std::optional<store::access_path> forced :
                 {std::optional<store::access_path>(), std::optional(store::access_path::counts),
                  std::optional(store::access_path::postings),
                  std::optional(store::access_path::bitmaps),
                  std::optional(store::access_path::code_scan)}) {
                const store::scan_options options{.forced = forced};
                const auto page = store::select(now, query, options);
                REQUIRE(page);
                CHECK(ids_of(*page) == part(all, begin, 100));
                CHECK(page->has_next == (begin + 100 < all.size()));
                CHECK(store::count(now, query, options) == std::ssize(all));
                if (!page->next) continue;
                list_query next = query;
                next.from = page->next;
                CHECK(ids_of(*store::select(now, next, options)) == part(all, begin + 100, 100));
            }
        }
    }
}

TEST_CASE("the largest pages and page numbers don't overflow in any order") {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    shop sample(900, 31);
    const store::stored_rows now = sample.store.current();
    for (const std::string_view by : {"created", "status", "total"}) {
        list_query query;
        query.order = {{named(by), sort_order::ascending}, {named("id"), sort_order::ascending}};
        for (const std::int64_t number : {most / 100, most / 100 + 1, most / 100 + 2, most}) {
            query.wanted = {number, 100};
            const auto page = store::select(now, query);
            REQUIRE(page);
            CHECK(page->empty());
            CHECK_FALSE(page->has_next);
        }
        for (const std::int64_t size : {most / 2, most / 2 + 1, most - 1, most}) {
            query.wanted = {1, size};
            CHECK(ids_of(*store::select(now, query)) == sample.ids(query));
            query.wanted.number = 2;
            CHECK(store::select(now, query)->empty());
        }
    }
}

TEST_CASE("windows at the ends of time take the rows that they say") {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    constexpr auto least = std::numeric_limits<std::int64_t>::min();
    shop sample(50, 23);
    const store::stored_rows now = sample.store.current();
    for (const std::int64_t bound :
         {least, least + 1, std::int64_t{0}, std::int64_t{1'000}, most - 1, most}) {
        for (const bool excludes : {false, true}) {
            for (const bool is_least : {false, true}) {
                bounds<instant> window;
                (is_least ? window.least : window.most) = at(bound);
                (is_least ? window.excludes_least : window.excludes_most) = excludes;
                list_query query;
                query.rows = where::all_of({{named("created"), window}});
                query.order = {{named("id"), sort_order::ascending}};
                CAPTURE(bound);
                CAPTURE(excludes);
                CAPTURE(is_least);
                CHECK(store::count(now, query) == std::ssize(sample.ids(query)));
            }
        }
    }
}

TEST_CASE("cursors lead over all rows, forth and back, each once") {
    shop sample(900, 8);
    const store::stored_rows now = sample.store.current();
    for (int round = 0; round < 60; ++round) {
        list_query query = sample.random.query();
        query.wanted = {1, static_cast<std::int64_t>(20 + sample.random.below(200))};
        CAPTURE(to_json(query));
        const auto all = sample.ids(query);
        std::vector<std::string> walked;
        auto page = store::select(now, query);
        for (;;) {
            for (std::string& id : ids_of(*page)) walked.push_back(std::move(id));
            if (!page->next) break;
            query.from = parse_cursor(to_string(*page->next).value()).value();
            page = store::select(now, query);
        }
        CHECK(walked == all);
        std::vector<std::string> back;
        while (page->previous) {
            query.from = page->previous;
            page = store::select(now, query);
            const auto ids = ids_of(*page);
            back.insert(back.begin(), ids.begin(), ids.end());
        }
        CHECK(back == part(all, 0, back.size()));
        CHECK(back.size() + static_cast<std::size_t>(query.wanted.size) >= all.size());
        CHECK_FALSE(page->has_previous);
    }
}

TEST_CASE("cursors lead over rows whose texts are longer than one, forth and back") {
    shop sample(0, 9);
    for (int i = 0; i < 60; ++i) {
        order added = sample.random.row();
        added.id = "o" + std::to_string(i);
        added.status = i % 7 == 0
                           ? std::nullopt
                           : std::optional(std::string(static_cast<std::size_t>(i % 3) * 600, 's') +
                                           std::to_string(i % 5));
        REQUIRE(sample.store.add(added.cells()));
        sample.orders.push_back(std::move(added));
    }
    sample.store.publish();
    const store::stored_rows now = sample.store.current();
    for (const sort_order direction : {sort_order::ascending, sort_order::descending}) {
        list_query query;
        query.order = {{named("status"), direction}, {named("seats")}, {named("id"), direction}};
        query.wanted.size = 7;
        const auto all = sample.ids(query);
        std::vector<std::string> walked, back;
        auto page = store::select(now, query);
        bool is_any_cut = false;
        for (;;) {
            for (std::string& id : ids_of(*page)) walked.push_back(std::move(id));
            if (!page->next) break;
            is_any_cut = is_any_cut || !page->next->cuts.empty();
            query.from = parse_cursor(to_string(*page->next).value()).value();
            page = store::select(now, query);
        }
        CHECK(is_any_cut);
        CHECK(walked == all);
        while (page->previous) {
            query.from = parse_cursor(to_string(*page->previous).value()).value();
            page = store::select(now, query);
            const auto ids = ids_of(*page);
            back.insert(back.begin(), ids.begin(), ids.end());
        }
        CHECK(back == part(all, 0, back.size()));
        CHECK(back.size() + 7 >= all.size());
        // Of a row that is gone those whose texts begin alike come again; none is left out.
        for (std::size_t at = 0; at < all.size(); ++at) {
            query.from.reset();
            query.wanted = {static_cast<std::int64_t>(at) + 1, 1};
            page = store::select(now, query);
            for (std::optional<cursor> place : {page->next, page->previous}) {
                if (!place || place->cuts.empty()) continue;
                place->keys.back() = "gone";
                query.from = place;
                query.wanted.size = 100;
                const auto ids = ids_of(*store::select(now, query));
                const bool is_next = !place->is_before;
                const auto wanted = is_next ? part(all, at + 1, 100) : part(all, 0, at);
                CHECK(ids.size() >= wanted.size());
                CHECK((is_next ? part(ids, ids.size() - wanted.size(), 100)
                               : part(ids, 0, wanted.size())) == wanted);
            }
        }
        query.from = cursor{.query_mark = query_mark(query), .keys = {"s", "1", "o1"}};
        CHECK(store::select(now, query));
        for (const std::size_t cut : {1U, 2U, 3U}) {
            query.from->cuts = {{cut, 1}};
            CHECK(store::select(now, query).error().broken == rule::cursor_malformed);
        }
    }
}

TEST_CASE("a cursor of another order or other filters is refused") {
    shop sample(100, 15);
    const store::stored_rows now = sample.store.current();
    list_query query;
    query.wanted.size = 10;
    query.order = {{named("total"), sort_order::descending}, {named("id"), sort_order::descending}};
    query.from = store::select(now, query)->next;
    REQUIRE(query.from);
    CHECK(store::select(now, query));
    list_query turned = query;
    turned.order[0].direction = sort_order::ascending;
    CHECK(store::select(now, turned).error().broken == rule::cursor_mismatch);
    list_query filtered = query;
    filtered.rows = where(leaf{named("open"), boolean_test{true}});
    CHECK(store::select(now, filtered).error().broken == rule::cursor_mismatch);
    list_query later = query;  // the window moves on, and a place stays one
    later.rows =
        where::all_of({{named("created"), bounds<instant>{.most = at(1'999)}, "interval", true}});
    CHECK(store::select(now, later));
    CHECK(store::count(now, turned) == 100);
}

TEST_CASE("a cursor whose key is no value of its column is refused") {
    shop sample(100, 16);
    const store::stored_rows now = sample.store.current();
    for (const std::string_view by : {"created", "total"}) {
        list_query query;
        query.order = {{named(by), sort_order::descending}, {named("id"), sort_order::descending}};
        query.wanted.size = 10;
        query.from = store::select(now, query)->next;
        REQUIRE(query.from);
        CHECK(store::select(now, query));
        for (const std::string_view key : {"1e", "ten", ""}) {
            CAPTURE(key);
            query.from->keys[0] = key;
            CHECK(store::select(now, query).error().broken == rule::cursor_malformed);
        }
        query.from->keys[0] = "9223372036854775808";
        CHECK(store::select(now, query).has_value() == (by == "total"));
        query.from->keys.pop_back();
        CHECK(store::select(now, query).error().broken == rule::cursor_malformed);
    }
}

TEST_CASE(
    "cursors of the store and of SQL are the same, by any column, and each takes the other's") {
    shop sample(300, 17);
    const store::stored_rows now = sample.store.current();
    const auto of_database = [&](std::string_view id, std::string_view by) -> sql::value {
        const order& row = *std::ranges::find(sample.orders, id, &order::id);
        const auto milliseconds_of = [](instant time) { return time.time_since_epoch().count(); };
        if (by == "id") return row.id;
        if (by == "created") return milliseconds_of(row.created);
        if (by == "paid" && row.paid) return milliseconds_of(*row.paid);
        if (by == "status" && row.status) return *row.status;
        if (by == "seats" && row.seats) return *row.seats;
        if (by == "total" && row.total) return *row.total;
        if (by == "open" && row.open) return *row.open;
        return std::monostate();
    };
    for (const std::string_view by : {"created", "paid", "status", "seats", "total", "open"}) {
        for (const sort_order direction : {sort_order::ascending, sort_order::descending}) {
            list_query query;
            query.order = {{named(by), direction}};
            query.wanted.size = 7;
            CAPTURE(by);
            std::vector<std::string> walked;
            for (auto page = store::select(now, query);; page = store::select(now, query)) {
                REQUIRE(page);
                REQUIRE(walked.size() < sample.orders.size());
                for (std::string& id : ids_of(*page)) walked.push_back(std::move(id));
                if (!page->next) break;
                query.from =
                    sql::place_beside(
                        query, {of_database(walked.back(), by), of_database(walked.back(), "id")},
                        false, sql::storage::native)
                        .value();
                CHECK(page->next == query.from);
            }
            list_query whole;
            whole.order = {{named(by), direction}, {named("id"), direction}};
            CHECK(walked == sample.ids(whole));
        }
    }
}

TEST_CASE("a time in a cursor is milliseconds, and is read by RFC 3339 too") {
    shop sample(100, 18);
    const store::stored_rows now = sample.store.current();
    list_query query;
    query.order = {{named("paid"), sort_order::descending}};
    query.wanted.size = 30;
    query.from = store::select(now, query)->next;
    REQUIRE(query.from);
    REQUIRE(query.from->keys[0]);
    const auto paid = parse_int64(*query.from->keys[0]);
    REQUIRE(paid);
    const auto rest = ids_of(*store::select(now, query));
    query.from->keys[0] = std::string(format_timestamp(at(*paid)));
    CHECK(ids_of(*store::select(now, query)) == rest);
}

TEST_CASE("a list with a unique key of its own is paged by it, and by its cursors") {
    static constexpr schema tickets{column{.name = "id"},
                                    column{.name = "number", .type = column_type::integer},
                                    column{.name = "status"}};
    const auto table = declared_table::make(
        {{.kind = declared_kind::sort, .name = "sort", .choices = {"status", "number"}},
         {.kind = declared_kind::page, .absent = "3", .maximum = 100}},
        tickets, "number");
    REQUIRE(table);
    store::column_store store{tickets};
    std::vector<std::pair<std::string_view, std::int64_t>> rows;
    for (std::int64_t number = 0; number < 20; ++number) {
        rows.emplace_back(number % 3 == 0 ? "open" : "void", number);
        // Ids are in the reverse order of numbers: they take no part in the list's.
        const std::string id = "t" + std::to_string(99 - number);
        REQUIRE(store.add({id, number, rows.back().first}));
    }
    store.publish();
    std::ranges::sort(rows);
    const store::stored_rows now = store.current();
    std::string text = "sort=status";
    std::vector<std::int64_t> walked;
    for (bool has_next = true; has_next;) {
        CAPTURE(text);
        const auto parsed = parse_query_string(text);
        const auto query = bind(*table, parsed.pairs());
        REQUIRE(query);
        const auto page = store::select(now, to_list_query(*table, *query));
        REQUIRE(page);
        for (const store::stored_row& row : page->rows()) {
            walked.push_back(std::get<std::int64_t>(row.at(*tickets.find("number"))));
        }
        has_next = page->has_next;
        REQUIRE(page->next.has_value() == has_next);
        if (has_next) text = "sort=status&cursor=" + to_string(*page->next).value();
    }
    std::vector<std::int64_t> expected;
    for (const auto& row : rows) expected.push_back(row.second);
    CHECK(walked == expected);
}

TEST_CASE("a place stays one while rows come, before it and after it") {
    shop sample(300, 9);
    list_query query;
    query.order = {{named("created"), sort_order::descending},
                   {named("id"), sort_order::descending}};
    query.wanted.size = 50;
    const auto first = ids_of(*store::select(sample.store.current(), query));
    query.from = store::select(sample.store.current(), query)->next;
    for (int late = 0; late < 200; ++late) {
        sample.orders.push_back(sample.random.row());
        REQUIRE(sample.store.add(sample.orders.back().cells()));
    }
    sample.store.publish();
    const auto rest = ids_of(*store::select(sample.store.current(), query));
    const auto all = sample.ids(query);
    const auto place = std::ranges::find(all, first.back()) - all.begin();
    CHECK(rest == part(all, static_cast<std::size_t>(place) + 1, 50));
}

TEST_CASE("a page's rows and JSON are those of its moment, whatever is published later") {
    static constexpr schema names{column{.name = "id"}, column{.name = "name"},
                                  column{.name = "created", .type = column_type::time}};
    store::column_store people(names);
    REQUIRE(people.add({"2", "ada", at(2'000)}));
    people.publish();
    const list_query query{.rows = where(leaf{*names.find("name"), text_test{filter({"ada"})}})};
    const auto page = store::select(people.current(), query);
    REQUIRE(page);
    const auto rows = page->rows();
    REQUIRE(people.add({"1", "bob", at(1'000)}));  // takes the place of the first row
    people.publish();
    for (const std::string& json : {page->json(), store::selected_page(*page).json()}) {
        CHECK(json == R"([{"id":"2","name":"ada","created":"1970-01-01T00:00:02.000Z"}])");
    }
    REQUIRE(rows.size() == 1);
    CHECK(std::get<std::string_view>(rows[0].at(*names.find("name"))) == "ada");
    CHECK(store::select(people.current(), query)->json() == page->json());
}

TEST_CASE("a page in another order than the store's is found within the limits") {
    shop sample(20'000, 19);
    const store::stored_rows now = sample.store.current();
    std::size_t looks = 0;
    std::size_t stops_at = 0;
    const auto run = [&](const list_query& query, int deadline) {
        looks = 0;
        std::stop_source client;
        const store::scan_options options{.limits = {.cpu_time = [&]() -> std::chrono::nanoseconds {
                                                         if (++looks == stops_at)
                                                             client.request_stop();
                                                         return milliseconds(looks);
                                                     },
                                                     .deadline = milliseconds(deadline),
                                                     .stop = client.get_token()}};
        return store::select(now, query, options);
    };
    for (const std::string_view by : {"total", "status", "created"}) {
        list_query query;
        query.order = {{named(by), sort_order::descending},
                       {named("id"), sort_order::ascending, true}};
        query.wanted = {900, 20};
        CAPTURE(by);
        const auto all = sample.ids(query);
        const auto page = run(query, 1'000'000);
        REQUIRE(page);
        CHECK(ids_of(*page) == part(all, static_cast<std::size_t>(query.wanted.offset()), 20));
        const std::size_t most = looks;
        CHECK(most > 40);  // of one block, which the scan looks at once or twice
        for (const std::size_t deadline : {most / 2, most}) {
            CHECK(run(query, static_cast<int>(deadline)).error().broken == rule::query_too_costly);
            CHECK(looks == deadline);
        }
        stops_at = most / 2;
        CHECK(run(query, 1'000'000).error().broken == rule::request_cancelled);
        CHECK(looks == stops_at);
        stops_at = 0;
        query.from = page->next;
        const auto next = run(query, 1'000'000);
        REQUIRE(next);
        CHECK(ids_of(*next) == part(all, static_cast<std::size_t>(query.wanted.offset()) + 20, 20));
        CHECK(run(query, static_cast<int>(looks / 2)).error().broken == rule::query_too_costly);
    }
}

TEST_CASE("pages in another order are those of a sort, of any size and wherever they end") {
    shop sample(12'000, 24, 5'000);
    const store::stored_rows now = sample.store.current();
    const where opened(leaf{named("open"), boolean_test{true}});  // all equal by the first key
    const struct {
        std::string_view by;
        where rows;
    } orders[] = {{"total", {}}, {"seats", {}},   {"status", {}},
                  {"paid", {}},  {"created", {}}, {"open", opened}};
    for (const auto& [by, rows] : orders) {
        for (const sort_order direction : {sort_order::ascending, sort_order::descending}) {
            const bool ascends = direction == sort_order::ascending;
            list_query query{.rows = rows};
            query.order = {{named(by), direction},
                           {named("id"), ascends ? sort_order::descending : sort_order::ascending}};
            const auto all = sample.ids(query);
            const auto count = std::ssize(all);
            for (const page wanted :
                 {page{1, 1}, page{1, 100}, page{2, 100}, page{40, 50}, page{2, 2'100},
                  page{3, 300}, page{count, 1}, page{count + 1, 1}, page{1, count - 1},
                  page{1, count}, page{1, count + 1}, page{2, count},
                  page{1'000'000'000'000, 9'000'000}}) {
                query.wanted = wanted;
                query.from.reset();
                CAPTURE(by);
                CAPTURE(ascends);
                CAPTURE(wanted.number);
                CAPTURE(wanted.size);
                const auto size = static_cast<std::size_t>(wanted.size);
                const auto begin = static_cast<std::size_t>(wanted.offset());
                const auto page = store::select(now, query);
                REQUIRE(page);
                CHECK(ids_of(*page) == part(all, begin, size));
                CHECK(page->has_next == (begin + size < all.size()));
                if (page->next) {
                    query.from = page->next;
                    const auto next = store::select(now, query);
                    CHECK(ids_of(*next) == part(all, begin + size, size));
                    CHECK(next->has_next == (begin + 2 * size < all.size()));
                }
                if (page->previous) {
                    query.from = page->previous;
                    const auto previous = store::select(now, query);
                    const std::size_t first = begin - std::min(begin, size);
                    CHECK(ids_of(*previous) == part(all, first, begin - first));
                    CHECK(previous->has_previous == (first > 0));
                }
            }
        }
    }
}

TEST_CASE("what the store's cells hold is what was put in, as a query's matches() sees it") {
    shop sample(400, 10);
    const store::stored_rows now = sample.store.current();
    for (int round = 0; round < 200; ++round) {
        const list_query query = sample.random.query();
        CAPTURE(to_json(query));
        std::int64_t matching = 0;
        for (std::size_t row = 0; row < now.size(); ++row) {
            matching += query.matches([&](const column& of) { return now.at(row, of); }) ? 1 : 0;
        }
        CHECK(matching == std::ssize(sample.ids(query)));
    }
}

TEST_CASE("a row that doesn't fit is refused, and nothing of it is kept") {
    struct {
        std::vector<cell> row;
        rule broken;
        std::string_view param;
    } const table[]{
        {{}, rule::field_missing, "id"},
        {{cell("a")}, rule::field_missing, "created"},
        {{cell(std::int64_t{1})}, rule::field_type, "id"},
        {{cell("a"), cell(true)}, rule::field_type, "status"},
        {{cell("a"), {}, cell("tag")}, rule::field_type, "tags"},
        {{cell("a"), {}, {}, cell("1")}, rule::field_type, "seats"},
        {{cell("a"), {}, {}, {}, cell("ten")}, rule::number_malformed, "total"},
        {{cell("a"), {}, {}, {}, cell(at(0))}, rule::field_type, "total"},
        {{cell("a"), {}, {}, {}, {}, {}, cell(latest_instant + milliseconds(1))},
         rule::time_out_of_range,
         "created"},
        {{cell("a"), {}, {}, {}, {}, {}, cell(at(0)), cell("true")}, rule::field_type, "open"},
        {{cell("a"), {}, {}, {}, {}, {}, cell(at(0)), {}, cell("{")}, rule::json_malformed, "data"},
        {{cell("a"), {}, {}, {}, {}, {}, cell(at(0)), {}, {}, {}}, rule::field_unknown, ""},
        {{cell("known"), {}, {}, {}, {}, {}, cell(at(0))}, rule::identifier_taken, "id"},
    };
    store::column_store orders(columns);
    CHECK(orders.add(std::vector<cell>(10)).error().broken == rule::field_missing);
    REQUIRE(orders.add({"known", {}, {}, {}, {}, {}, at(0)}));
    for (const auto& [row, broken, param] : table) {
        const auto added = orders.add(row);
        REQUIRE_FALSE(added);
        CHECK(added.error().broken == broken);
        CHECK(added.error().param == param);
    }
    CHECK(orders.current().size() == 0);
    orders.publish();
    CHECK(orders.current().size() == 1);
    REQUIRE(orders.add({"a", {}, {}, {}, {}, {}, at(0)}));
}

TEST_CASE("rows as JSON have the schema's members") {
    store::column_store orders(columns);
    const std::array<std::string_view, 2> tags{"a\"", "b"};
    REQUIRE(orders.add({"1", "pa\nid", std::span<const std::string_view>(tags), std::int64_t{-4},
                        "1.50", at(1), at(2), false, R"({"plan":"pro"})"}));
    REQUIRE(orders.add({"2", {}, {}, {}, {}, {}, at(1)}));
    orders.publish();
    const auto page = store::select(orders.current(), {.order = {{named("created")}}});
    REQUIRE(page);
    CHECK(page->json() ==
          R"([{"id":"2","status":null,"tags":null,"seats":null,"total":null,"paid":null,)"
          R"("created":"1970-01-01T00:00:00.001Z","open":null,"data":null},)"
          R"({"id":"1","status":"pa\nid","tags":["a\"","b"],"seats":-4,"total":1.50,)"
          R"("paid":"1970-01-01T00:00:00.001Z","created":"1970-01-01T00:00:00.002Z",)"
          R"("open":false,"data":{"plan":"pro"}}])");
    CHECK(store::select(orders.current(), {.wanted = {2, 100}})->json() == "[]");
    const auto rows = page->rows();
    CHECK_FALSE(rows[0].json(named("data")));
    CHECK(rows[1].json(named("data")) == R"({"plan":"pro"})");
    CHECK_FALSE(rows[1].json(named("status")));
}

TEST_CASE("what the store lacks is absent") {
    shop sample(50, 11);
    const store::stored_rows now = sample.store.current();
    const auto count = [&](leaf condition) {
        list_query query;
        query.rows = where(std::move(condition));
        return store::count(now, query).value();
    };
    const column lacking{.name = "color"};
    CHECK(count({lacking, text_test{filter({"red"}, false)}}) == 0);
    CHECK(count({lacking, text_test{filter({"red"}, true)}}) == 50);
    CHECK(count({named("status"), boolean_test{true}}) == 0);
    CHECK(count({named("open"), text_test{filter({"true"}, false)}}) == 0);
    CHECK(count({named("total"), boolean_test{true}}) == 0);
    CHECK(count({named("total"), text_test{filter({"1"}, true)}}) == 50);
    CHECK(count({named("status"), bounds<decimal_number>{.least = decimal_number(-1'000)}}) == 0);
    list_query query;
    query.order = {{lacking, sort_order::descending}};
    CHECK(ids_of(*store::select(now, query)).size() == 50);
}

TEST_CASE("a store may have neither times nor JSON: its rows are in the order of their ids") {
    static constexpr schema bare{column{.name = "id"}, column{.name = "status"}};
    store::column_store store{bare};
    for (const std::string_view id : {"a", "b", "c"}) {
        REQUIRE(store.add(std::vector<cell>{id, std::string_view("new")}));
    }
    store.publish();
    const store::stored_rows now = store.current();
    list_query query;
    query.wanted.size = 1;
    std::string walked;
    for (int pages = 0; pages < 3; ++pages) {
        const auto page = store::select(now, query);
        REQUIRE(page);
        walked += page->json();
        query.from = page->next;
    }
    CHECK(walked ==
          R"([{"id":"a","status":"new"}][{"id":"b","status":"new"}][{"id":"c","status":"new"}])");
    CHECK_FALSE(query.from);
}

TEST_CASE("a query is explained by its parameters, before it runs and after") {
    shop sample(500, 13);
    const store::stored_rows now = sample.store.current();
    list_query query;
    query.rows = where::all_of({{named("status"), text_test{filter({"paid"}, false)}, "status"},
                                {named("open"), boolean_test{true}, "open"}});
    const auto before = store::explain(now, query), after = store::analyze(now, query);
    REQUIRE(before);
    REQUIRE(after);
    CHECK_FALSE(before->matching);
    CHECK(after->matching == store::count(now, query));
    CHECK(before->rows == 500);
    REQUIRE(before->conditions.size() == 2);
    CHECK(before->conditions[0].from.param == "status");
    CHECK(before->conditions[1].from.param == "open");
    CHECK(before->conditions[1].bytes > 0);
}

TEST_CASE("what a query can't ask of a store is refused, and no page is as good as an empty one") {
    shop sample(20, 14);
    const store::stored_rows now = sample.store.current();
    list_query query;
    query.search = "summer";
    CHECK(store::select(now, query).error().broken == rule::not_applicable);
    CHECK(store::count(now, query).error().param == "search");
    for (const page wanted : {page{1, 0}, page{2, 0}, page{1, -5}, page{-1, 0}}) {
        list_query none;
        none.wanted = wanted;
        CHECK(store::select(now, none)->empty());
        none.order = {{named("total"), sort_order::descending}};
        CHECK(store::select(now, none)->empty());
    }
}

TEST_CASE("a search ends by its limits") {
    shop sample(3'000, 12);
    const store::stored_rows now = sample.store.current();
    list_query query;
    query.rows =
        where(leaf{named("data"), *parse_metadata_query("metadata['plan']:open"), "query"});
    std::stop_source client;
    client.request_stop();
    const store::scan_options options{.limits = {.stop = client.get_token()}};
    CHECK(store::select(now, query, options).error().broken == rule::request_cancelled);
    CHECK(store::count(now, query, options).error().broken == rule::request_cancelled);
}

TEST_CASE("counts of a store that is maintained are the same, and say how they were made") {
    shop sample(9'000, 16);
    list_query query;
    query.rows = where::all_of({{named("status"), text_test{filter({"paid"}, false)}},
                                {named("open"), boolean_test{true}}});
    const auto expected = std::ssize(sample.ids(query));
    CHECK_FALSE(sample.store.maintain());  // nothing was asked yet
    for (int i = 0; i < 50; ++i) CHECK(store::count(sample.store.current(), query) == expected);
    while (sample.store.maintain()) {
    }
    const store::stored_rows now = sample.store.current();
    const auto work = store::analyze(now, query);
    REQUIRE(work);
    CHECK(work->matching == expected);
    CHECK((*work)[store::access_path::projection].blocks == 2);
    CHECK(now.rows().stats().projection > 0);
}
