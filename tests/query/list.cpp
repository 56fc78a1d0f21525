// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/query/accessors.hpp>
#include <sluice/query/list.hpp>

#include "make_tests.hpp"
#include "row_accessors.hpp"

namespace list_test {

using namespace sluice;
using test_samples::named;
using test_samples::random_tests;
using test_samples::row;
using test_samples::row_accessors;

using order_function = std::function<std::weak_ordering(const row&, const row&)>;

/// Returns the order of a member's values, missing ones first.
template <class Key>
order_function by(Key key) {
    return [key](const row& a, const row& b) -> std::weak_ordering {
        const auto left = key(a), right = key(b);
        if (!left || !right) return left.has_value() <=> right.has_value();
        return *left < *right   ? std::weak_ordering::less
               : *right < *left ? std::weak_ordering::greater
                                : std::weak_ordering::equivalent;
    };
}
std::optional<std::size_t> place_of(const std::optional<std::string>& text) {
    if (!text) return std::nullopt;
    return std::ranges::find(test_samples::sizes, *text) - test_samples::sizes.begin();
}

/// The columns by which rows are sorted, each with its order.
const std::vector<std::pair<std::string_view, order_function>>& orders() {
    static const std::vector<std::pair<std::string_view, order_function>> all{
        {"name", by([](const row& of) { return of.name; })},
        {"city", by([](const row& of) { return of.city; })},
        {"seats", by([](const row& of) { return of.seats; })},
        {"total", by([](const row& of) {
             return of.total ? std::optional(parse_decimal_number(*of.total).value())
                             : std::nullopt;
         })},
        {"score", by([](const row& of) { return of.score == of.score ? of.score : std::nullopt; })},
        {"created", by([](const row& of) { return std::optional(of.created); })},
        {"due", by([](const row& of) { return of.due; })},
        {"token", by([](const row& of) {
             return of.token ? std::optional(test_samples::lower(*of.token)) : std::nullopt;
         })},
        {"size", by([](const row& of) { return place_of(of.size); })},
        {"open", by([](const row& of) { return of.open; })},
    };
    return all;
}

template <class Object>
std::vector<std::string> ids_of(const object_page<Object>& page) {
    std::vector<std::string> ids;
    for (const Object& of : page) ids.push_back(of.id);
    return ids;
}
std::vector<std::string> part_of(const std::vector<std::string>& all, std::size_t first,
                                 std::size_t size) {
    const std::size_t begin = std::min(all.size(), first);
    const std::size_t end = begin + std::min(all.size() - begin, size);
    return {all.begin() + static_cast<std::ptrdiff_t>(begin),
            all.begin() + static_cast<std::ptrdiff_t>(end)};
}

/// Reads all pages by their cursors from the first page on, and back again.
template <class Range, class Accessors>
void walk(const Range& rows, list_query query, const Accessors& accessors,
          const std::vector<std::string>& expected) {
    const auto size = static_cast<std::size_t>(query.wanted.size);
    query.wanted.number = 1;
    auto page = list(rows, query, accessors);
    REQUIRE(page);
    std::size_t first = 0;
    for (;; first += size) {
        CHECK(ids_of(*page) == part_of(expected, first, size));
        CHECK(page->has_next == (first + size < expected.size()));
        CHECK(page->has_previous == (first > 0));
        CHECK(page->next.has_value() == page->has_next);
        if (!page->next) break;
        REQUIRE(first < expected.size());
        query.from = parse_cursor(to_string(*page->next).value()).value();
        page = list(rows, query, accessors);
        REQUIRE(page);
    }
    for (; first > 0; first -= size) {
        REQUIRE(page->previous);
        query.from = parse_cursor(to_string(*page->previous).value()).value();
        page = list(rows, query, accessors);
        REQUIRE(page);
        CHECK(ids_of(*page) == part_of(expected, first - size, size));
        CHECK(page->has_next);
        CHECK(page->has_previous == (first > size));
    }
}

TEST_CASE("a list of objects is that of a naive loop") {
    random_tests random(11);
    for (int round = 0; round < 300; ++round) {
        CAPTURE(round);
        std::vector<row> rows(random.below(40));
        for (row& added : rows) added = random.make_row();
        auto [tree, meets] = random.make_tree(2);
        list_query query{.rows = tree, .wants_total = true};
        query.wanted = {.number = 1 + static_cast<std::int64_t>(random.below(4)),
                        .size = 1 + static_cast<std::int64_t>(random.below(7))};
        std::vector<const row*> sorted;
        for (const row& of : rows) {
            CHECK(query.matches(row_accessors.cells(of)) == meets(of));
            if (meets(of)) sorted.push_back(&of);
        }
        std::vector<std::pair<order_function, sort_order>> keys;
        for (std::size_t left = random.below(3); left > 0; --left) {
            const auto& [name, order] = orders()[random.below(orders().size())];
            const auto direction = static_cast<sort_order>(random.below(2));
            query.order.push_back({named(name), direction});
            keys.emplace_back(order, direction);
        }
        const auto last = keys.empty() ? sort_order::ascending : keys.back().second;
        if (random.below(2) == 0) query.order.push_back({named("id"), last});
        keys.emplace_back(by([](const row& of) { return std::optional(of.id); }), last);
        std::ranges::sort(sorted, [&](const row* a, const row* b) {
            for (const auto& [order, direction] : keys) {
                const auto ordering = order(*a, *b);
                if (ordering != 0) return (ordering < 0) == (direction == sort_order::ascending);
            }
            return false;
        });
        std::vector<std::string> expected;
        for (const row* of : sorted) expected.push_back(of->id);

        const auto page = list(rows, query, row_accessors);
        REQUIRE(page);
        const auto size = static_cast<std::size_t>(query.wanted.size);
        const auto first = static_cast<std::size_t>(query.wanted.offset());
        CHECK(ids_of(*page) == part_of(expected, first, size));
        CHECK(page->total == static_cast<std::int64_t>(expected.size()));
        CHECK(page->has_next == (first + size < expected.size()));
        CHECK(page->has_previous == (query.wanted.number > 1));
        walk(rows, query, row_accessors, expected);
    }
}

enum class grade : std::uint8_t { good, fair, poor };
constexpr std::array<std::string_view, 3> grades{"good", "fair", "poor"};

struct maker {
    std::string country{};
};
struct stored {
    std::string id{};
};
struct item : stored {
    std::int64_t cents = 0;
    std::optional<decimal_number> weight{};
    scaled_number rate{};
    std::string fee{};
    std::optional<grade> state{};
    std::vector<grade> states{};
    uuid token{};
    std::set<uuid, bool (*)(const uuid&, const uuid&)> tokens{
        [](const uuid& a, const uuid& b) { return a.text() < b.text(); }};
    std::chrono::year_month_day built{};
    std::chrono::sys_days sold{};
    std::chrono::sys_time<std::chrono::nanoseconds> seen{};
    std::forward_list<short> ports{};
    float score = 0;
    unsigned stars = 0;
    maker by{};
    scalar_lookup data{};

    [[nodiscard]] std::string label() const { return "#" + id; }
    [[nodiscard]] std::optional<std::string_view> code() const noexcept {
        if (id.empty()) return std::nullopt;
        return id;
    }
};
const std::string& country_of(const item& of) { return of.by.country; }

constexpr schema item_columns{
    column{.name = "id"},
    column{.name = "price", .type = column_type::decimal},
    column{.name = "weight", .type = column_type::decimal, .is_nullable = true},
    column{.name = "rate", .type = column_type::decimal},
    column{.name = "fee", .type = column_type::decimal},
    column{.name = "state", .type = column_type::choice, .is_nullable = true, .choices = grades},
    column{.name = "states", .type = column_type::choice, .is_list = true, .choices = grades},
    column{.name = "token", .type = column_type::uuid},
    column{.name = "tokens", .type = column_type::uuid, .is_list = true},
    column{.name = "built", .type = column_type::date},
    column{.name = "sold", .type = column_type::date},
    column{.name = "sold_at", .type = column_type::time},
    column{.name = "seen", .type = column_type::time},
    column{.name = "ports", .type = column_type::integer, .is_list = true},
    column{.name = "score", .type = column_type::real},
    column{.name = "stars", .type = column_type::integer},
    column{.name = "label"},
    column{.name = "code", .is_nullable = true},
    column{.name = "maker.country", .how = collation::ignore_case},
    column{.name = "data", .type = column_type::json}};

constexpr auto item_accessors = accessors_of<item>(
    item_columns, member<&item::id>("id"), member<&item::cents, 2>("price"),
    member<&item::weight>("weight"), member<&item::rate>("rate"), member<&item::fee>("fee"),
    member<&item::state>("state"), member<&item::states>("states"), member<&item::token>("token"),
    member<&item::tokens>("tokens"), member<&item::built>("built"), member<&item::sold>("sold"),
    member<&item::sold>("sold_at"), member<&item::seen>("seen"), member<&item::ports>("ports"),
    member<&item::score>("score"), member<&item::stars>("stars"), member<&item::label>("label"),
    member<&item::code>("code"), member<country_of>("maker.country"), member<&item::data>("data"));

column item_column(std::string_view name) { return *item_columns.find(name); }

item make_item() {
    item example;
    example.id = "i1";
    example.cents = 1999;
    example.weight = parse_decimal_number("12345678901234567890.5").value();
    example.rate = {5, 1};
    example.fee = "1e1";
    example.state = grade::fair;
    example.states = {grade::poor, grade::good};
    example.token = parse_uuid("0190C7A6-5E2B-7C61-9F0E-8D7B1A2C3D4E").value();
    example.tokens.insert(example.token);
    using std::chrono::year;
    example.built = year(2024) / 2 / 29;
    example.sold = year(2024) / 3 / 1;
    example.seen = example.sold + std::chrono::nanoseconds(1'999'999);
    example.ports = {80, -7};
    example.score = 0.5F;
    example.stars = 4;
    example.by.country = "DE";
    example.data = [](std::span<const std::string> path) {
        return path[0] == "plan" ? std::optional(scalar::string("pro")) : std::nullopt;
    };
    return example;
}

template <class T>
bounds<T> equal_to(T value) {
    bounds<T> wanted;
    wanted.narrow(comparison::equal, std::move(value));
    return wanted;
}

TEST_CASE("columns are read from members of every type") {
    const auto decimal = [](std::string_view text) {
        return equal_to(parse_decimal_number(text).value());
    };
    const auto day = [](std::string_view text) { return equal_to(parse_day(text).value()); };
    const auto time = [](std::string_view text) { return equal_to(parse_timestamp(text).value()); };
    const auto text = [](std::string_view value) { return text_test{filter({value})}; };
    const struct {
        std::string_view name;
        column_test met;
        column_test unmet;
    } table[]{
        {"id", text("i1"), text("I1")},
        {"price", decimal("19.99"), decimal("19.9")},
        {"weight", decimal("12345678901234567890.50"), decimal("12345678901234567890")},
        {"rate", decimal("0.5"), decimal("5")},
        {"fee", decimal("10"), decimal("1")},
        {"state", text("fair"), text("good")},
        {"state", equal_to<std::string>("fair"), bounds<std::string>{.most = "good"}},
        {"states", text("poor"), text("fair")},
        {"token", text("0190C7A6-5E2B-7C61-9F0E-8D7B1A2C3D4E"), text("0190")},
        {"tokens", text("0190c7a6-5e2b-7c61-9f0e-8d7b1a2c3d4e"), text("0190")},
        {"built", day("2024-02-29"), day("2024-03-01")},
        {"sold", day("2024-03-01"), day("2024-02-29")},
        {"sold_at", time("2024-03-01T00:00:00Z"), time("2024-03-01T00:00:00.001Z")},
        {"seen", time("2024-03-01T00:00:00.001Z"), time("2024-03-01T00:00:00.002Z")},
        {"ports", text("-7"), text("8")},
        {"score", equal_to(0.5), equal_to(0.25)},
        {"stars", equal_to<std::int64_t>(4), equal_to<std::int64_t>(5)},
        {"label", text("#i1"), text("i1")},
        {"code", text("i1"), null_test{true}},
        {"maker.country", text("de"), text("FR")},
        {"data", parse_metadata_query("metadata['plan']:pro").value(),
         parse_metadata_query("metadata['plan']:free").value()},
    };
    const std::vector<item> items{make_item()};
    for (const auto& [name, met, unmet] : table) {
        CAPTURE(name);
        const auto count = [&](const column_test& test) {
            list_query query{.rows = where(leaf{item_column(name), test, {}})};
            return list(items, query, item_accessors).value().size();
        };
        CHECK(count(met) == 1);
        CHECK(count(unmet) == 0);
    }
}

TEST_CASE("values that no column of their type has are missing") {
    item odd = make_item();
    odd.fee = "ten";
    odd.state = static_cast<grade>(9);
    odd.built = std::chrono::year(2023) / 2 / 29;
    odd.score = std::numeric_limits<float>::quiet_NaN();
    odd.id.clear();
    odd.states.push_back(static_cast<grade>(9));
    const auto cells = [&](std::string_view name) {
        return item_accessors.cells(odd)(item_column(name)).index();
    };
    for (const std::string_view name : {"fee", "state", "built", "score", "code"}) {
        CAPTURE(name);
        CHECK(cells(name) == 0);
    }
    CHECK(item_accessors.cells(odd)(column{.name = "other"}).index() == 0);
    CHECK(item_accessors.cells(odd)(column{.name = "stars"}).index() == 0);  // of another type

    // They are keys of cursors all the same.
    std::vector<item> items(3, odd);
    for (std::size_t at = 0; at < items.size(); ++at) items[at].id = std::to_string(at);
    list_query query{.order = {{item_column("score")}, {item_column("id")}}, .wanted = {1, 1}};
    const auto first = list(items, query, item_accessors);
    REQUIRE(first);
    query.from = first->next;
    const auto second = list(items, query, item_accessors);
    REQUIRE(second);
    CHECK(second->begin()->id == "1");
}

struct part {
    int count = 0;
};
constexpr schema part_columns{column{.name = "count", .type = column_type::integer}};
constexpr auto part_accessors = accessors_of<part>(part_columns, member<&part::count>("count"));
struct parcel {
    std::vector<part> held{};
    std::chrono::sys_seconds due{};

    [[nodiscard]] std::span<const part> parts() const { return held; }
};
constexpr schema parcel_columns{
    column{.name = "parts", .type = column_type::records, .records = part_columns},
    column{.name = "due", .type = column_type::time}};
constexpr auto parcel_accessors = accessors_of<parcel>(
    parcel_columns, member<&parcel::parts, part_accessors>("parts"), member<&parcel::due>("due"));

TEST_CASE("a view of records is read after the function that returned it") {
    const parcel full{.held = {{7}, {8}}};
    const column& parts = *parcel_columns.find("parts");
    const auto has = [&](std::int64_t count) {
        const leaf wanted{*part_columns.find("count"), equal_to(count)};
        return where(leaf{parts, record_test(where(wanted))}).matches(parcel_accessors.cells(full));
    };
    CHECK(has(8));
    CHECK_FALSE(has(9));
}

TEST_CASE("times beyond milliseconds are the first or the last") {
    const auto read = [](std::chrono::sys_seconds due) {
        const parcel one{.due = due};
        auto cells = parcel_accessors.cells(one);
        return std::get<instant>(cells(*parcel_columns.find("due")));
    };
    using std::chrono::seconds;
    using std::chrono::sys_seconds;
    CHECK(read(sys_seconds::max()) == instant::max());
    CHECK(read(sys_seconds::min()) == instant::min());
    CHECK(read(sys_seconds(seconds(-1))) == instant(std::chrono::milliseconds(-1'000)));
}

struct plain {
    std::string id{};
    int rank = 0;
};
constexpr schema plain_columns{column{.name = "rank", .type = column_type::integer}};
constexpr auto plain_accessors = accessors_of<plain>(plain_columns, member<&plain::rank>("rank"));
constexpr schema named_columns{column{.name = "id"}, column{.name = "text"}};

struct texts {
    std::string id{};
    std::string text{};
};
constexpr auto texts_accessors =
    accessors_of<texts>(named_columns, member<&texts::id>("id"), member<&texts::text>("text"));

TEST_CASE("objects without a unique key keep the order of their range") {
    const std::vector<plain> rows{{"a", 1}, {"b", 0}, {"c", 1}, {"d", 1}, {"e", 0}, {"f", 2}};
    const auto ids = [](const object_page<plain>& page) {
        std::string all;
        for (const plain& of : page) all.append(of.id);
        return all;
    };
    for (const sort_order direction : {sort_order::ascending, sort_order::descending}) {
        list_query query{.order = {{*plain_columns.find("rank"), direction}}, .wanted = {1, 1}};
        query.rows = where(leaf{*plain_columns.find("rank"), bounds<std::int64_t>{.most = 1}, {}});
        const std::string expected = direction == sort_order::ascending ? "beacd" : "acdbe";
        std::string forwards, backwards;
        auto page = list(rows, query, plain_accessors).value();
        while (forwards.size() < 2 * rows.size()) {
            forwards += ids(page);
            if (!page.next) break;
            query.from = page.next;
            page = list(rows, query, plain_accessors).value();
        }
        CHECK(forwards == expected);
        for (backwards = ids(page); page.previous && backwards.size() < 2 * rows.size();
             backwards = ids(page) + backwards) {
            query.from = page.previous;
            page = list(rows, query, plain_accessors).value();
        }
        CHECK(backwards == expected);
    }
}

/// An object whose unique key may be that of others; `id` is its own.
struct ticket {
    std::string id{};
    std::string code{};
    std::string text{};
    double score = 0;
    std::chrono::sys_days due{};
};
constexpr schema ticket_columns{column{.name = "id"}, column{.name = "text"},
                                column{.name = "score", .type = column_type::real},
                                column{.name = "due", .type = column_type::date}};
constexpr auto ticket_accessors =
    accessors_of<ticket>(ticket_columns, member<&ticket::code>("id"), member<&ticket::text>("text"),
                         member<&ticket::score>("score"), member<&ticket::due>("due"));

TEST_CASE("objects with one id keep the order of their range, and every page ends") {
    random_tests random(12);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr std::array scores{-infinity, -1.5, 0.0, 1e308, infinity};
    using days = std::chrono::days;
    constexpr std::array<days::rep, 7> dues{
        days::min().count(), -800'000, 0, 20'000, 3'000'000, 3'000'001, days::max().count()};
    for (int round = 0; round < 300; ++round) {
        CAPTURE(round);
        std::vector<ticket> rows(random.below(20));
        for (ticket& of : rows) {
            of.id = std::to_string(&of - rows.data());
            of.code = std::string(1, static_cast<char>('a' + random.below(2)));
            of.text = std::string(random.below(2) * 2'000, 'x') + std::to_string(random.below(2));
            of.score = scores[random.below(scores.size())];
            of.due = std::chrono::sys_days(days(dues[random.below(dues.size())]));
        }
        list_query query{.wanted = {1, 1 + static_cast<std::int64_t>(random.below(4))}};
        std::vector<std::string_view> names;
        for (std::size_t left = random.below(3); left > 0; --left) {
            const column& by = ticket_columns.begin()[1 + random.below(3)];
            names.push_back(by.name);
            query.order.push_back({by});
        }
        const bool is_down = random.below(2) == 0;
        for (sort_key& key : query.order) {
            key.direction = is_down ? sort_order::descending : sort_order::ascending;
        }
        const auto precedes = [&](const ticket& a, const ticket& b) {
            for (const std::string_view name : names) {
                if (name == "text" && a.text != b.text) return a.text < b.text;
                if (name == "score" && a.score != b.score) return a.score < b.score;
                if (name == "due" && a.due != b.due) return a.due < b.due;
            }
            return a.code < b.code;
        };
        std::vector<const ticket*> sorted;
        for (const ticket& of : rows) sorted.push_back(&of);
        std::ranges::sort(sorted, [&](const ticket* a, const ticket* b) {
            const bool is_reversed = is_down && !names.empty();
            if (precedes(*a, *b)) return !is_reversed;
            if (precedes(*b, *a)) return is_reversed;
            return a < b;  // in the order of the range
        });
        std::vector<std::string> expected;
        for (const ticket* of : sorted) expected.push_back(of->id);
        walk(rows, query, ticket_accessors, expected);
    }
}

TEST_CASE("a cursor has the days and reals that a list orders") {
    using std::chrono::year;
    const struct {
        std::string_view name;
        ticket of;
        std::string_view key;
    } table[]{
        {"due", {.due = year(9999) / 12 / 31}, "9999-12-31"},
        {"due", {.due = year(10'000) / 1 / 1}, "2932897"},
        {"due", {.due = year(-1) / 12 / 31}, "-719529"},
        {"score", {.score = std::numeric_limits<double>::infinity()}, "1e999"},
        {"score", {.score = -std::numeric_limits<double>::infinity()}, "-1e999"},
        {"score", {.score = std::numeric_limits<double>::max()}, "1.7976931348623157e+308"},
    };
    for (const auto& [name, of, key] : table) {
        CAPTURE(key);
        const std::vector<ticket> rows{of, of};
        list_query query{.order = {{*ticket_columns.find(name)}}, .wanted = {1, 1}};
        const auto page = list(rows, query, ticket_accessors);
        REQUIRE(page);
        REQUIRE(page->next);
        CHECK(page->next->key(0) == key);
    }
    const struct {
        std::string_view name;
        std::string_view key;
    } refused[]{
        {"due", "10000-01-01"}, {"due", "0"},     {"due", "99999999999999999999"},
        {"score", "Infinity"},  {"score", "inf"},
    };
    for (const auto& [name, key] : refused) {
        CAPTURE(key);
        const std::vector<ticket> rows{ticket()};
        list_query query{.order = {{*ticket_columns.find(name)}}};
        query.from = cursor{.query_mark = query_mark(query), .keys = {std::string(key), "a"}};
        CHECK(list(rows, query, ticket_accessors).error().broken == rule::cursor_malformed);
    }
}

TEST_CASE("a cursor finds its place by the beginning of a long text") {
    std::vector<texts> rows;
    for (const std::string_view id : {"a", "b", "c", "d"}) {
        rows.push_back({std::string(id), std::string(2'000, 'x') + std::string(id)});
    }
    list_query query{.order = {{named_columns.begin()[1]}, {named_columns.begin()[0]}},
                     .wanted = {1, 2}};
    const auto first = list(rows, query, texts_accessors);
    REQUIRE(first);
    REQUIRE(first->next);
    CHECK(first->next->cuts.size() == 1);
    query.from = first->next;
    const auto second = list(rows, query, texts_accessors);
    REQUIRE(second);
    CHECK(second->begin()->id == "c");
    rows.erase(rows.begin() + 1);  // the cursor's row: some rows may repeat, none is skipped
    const auto after = list(rows, query, texts_accessors);
    REQUIRE(after);
    CHECK(after->begin()->id == "a");
}

TEST_CASE("a list of objects refuses what the store refuses") {
    const std::vector<texts> rows{{"a", "x"}};
    list_query query{.search = "x"};
    const auto broken = [&] { return list(rows, query, texts_accessors).error().broken; };
    const auto param = [&] { return list(rows, query, texts_accessors).error().param; };
    CHECK(broken() == rule::not_applicable);
    CHECK(param() == "search");
    query.search.clear();
    query.from = cursor{.query_mark = query_mark(query) + 1, .keys = {"a"}};
    CHECK(broken() == rule::cursor_mismatch);
    CHECK(param() == "cursor");
    query.from->query_mark = query_mark(query);
    query.from->keys = {"a", "b"};
    CHECK(broken() == rule::cursor_malformed);
    query.from->keys = {"a"};
    query.from->cuts = {{0, 1}};
    CHECK(broken() == rule::cursor_malformed);
    const std::vector<plain> ranked{{"a", 1}};
    query = {.order = {{*plain_columns.find("rank")}}};
    query.from = cursor{.query_mark = query_mark(query), .keys = {"one", std::nullopt}};
    CHECK(list(ranked, query, plain_accessors).error().broken == rule::cursor_malformed);
}

TEST_CASE("any range of objects has a page") {
    const std::map<int, texts> by_number{{1, {"b", ""}}, {2, {"a", ""}}};
    std::vector<const texts*> pointers;
    for (const auto& [number, of] : by_number) pointers.push_back(&of);
    struct pointed {
        const std::vector<const texts*>& all;
        struct iterator {
            std::vector<const texts*>::const_iterator at;
            const texts& operator*() const { return **at; }
            iterator& operator++() {
                ++at;
                return *this;
            }
            bool operator==(const iterator&) const = default;
        };
        [[nodiscard]] iterator begin() const { return {all.begin()}; }
        [[nodiscard]] iterator end() const { return {all.end()}; }
    };
    const pointed range{pointers};
    const auto page = list(range, list_query{}, texts_accessors);
    REQUIRE(page);
    CHECK(page->size() == 2);
    CHECK((*page)[0].id == "a");
    CHECK(page->begin()->id == "a");

    std::array<texts, 1> one{{{"a", ""}}};
    const std::span<texts> view(one);
    CHECK(list(view, list_query{}, texts_accessors).value().size() == 1);
    const list_query far{.wanted = {std::numeric_limits<std::int64_t>::max(),
                                    std::numeric_limits<std::int64_t>::max()}};
    const auto beyond = list(one, far, texts_accessors);
    REQUIRE(beyond);
    CHECK(beyond->empty());
    CHECK(beyond->has_previous);
    const list_query none{.wanted = {.size = 0}};
    CHECK(list(one, none, texts_accessors).value().has_next);
}

template <class Range>
concept listable = requires(Range&& range, const list_query& query) {
    list(std::forward<Range>(range), query, texts_accessors);
};
static_assert(listable<std::vector<texts>&>);
static_assert(listable<const std::vector<texts>&>);
static_assert(!listable<std::vector<texts>>, "the page borrows the objects");
static_assert(!listable<const std::vector<texts>>);
static_assert(!listable<std::vector<plain>&>);

}  // namespace list_test
