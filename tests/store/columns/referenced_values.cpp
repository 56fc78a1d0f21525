// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/query/json_writer.hpp>
#include <sluice/store/select.hpp>

using namespace sluice;

namespace {

constexpr schema columns{
    column{.name = "id"},
    column{.name = "link.domain", .is_nullable = true, .how = collation::ignore_case},
    column{.name = "at", .type = column_type::time},
    column{.name = "link.id", .is_nullable = true},
    column{.name = "link.tags", .is_list = true, .is_nullable = true},
    column{.name = "link.seats", .type = column_type::integer, .is_nullable = true},
    column{.name = "link.price", .type = column_type::decimal, .is_nullable = true},
    column{.name = "link.open", .type = column_type::boolean, .is_nullable = true},
    column{.name = "link.since", .type = column_type::time, .is_nullable = true},
    column{.name = "country", .is_nullable = true},
    column{.name = "owner.id"},
    column{.name = "owner.name", .is_nullable = true}};
constexpr store::storable_columns stored{columns, "link.id", "owner.id"};

column named(std::string_view name) { return *columns.find(name); }
instant time_of(std::int64_t count) { return instant(std::chrono::milliseconds(count)); }

struct link_row {
    std::string id, domain;
    std::optional<std::vector<std::string_view>> tags;
    std::optional<std::int64_t> seats;
    std::optional<std::string> price;
    std::optional<bool> open;
    instant since;
};
struct owner_row {
    std::string id;
    std::optional<std::string> name;
};

template <class T>
cell cell_of(const std::optional<T>& value) {
    return value ? cell(*value) : cell();
}
cell tags_of(const link_row& link) {
    return link.tags ? cell(std::span<const std::string_view>(*link.tags)) : cell();
}

/// A click with the rows that it refers to, as a loop sees it.
struct click_row {
    std::string id;
    instant at;
    std::optional<std::string> country;
    const link_row* link;  // null without one
    const owner_row* owner;

    [[nodiscard]] cell operator()(const column& of) const {
        if (of.name == "id") return id;
        if (of.name == "at") return at;
        if (of.name == "country") return cell_of(country);
        if (of.name == "owner.id") return owner->id;
        if (of.name == "owner.name") return cell_of(owner->name);
        if (link == nullptr) return cell();
        if (of.name == "link.id") return link->id;
        if (of.name == "link.domain") return link->domain;
        if (of.name == "link.tags") return tags_of(*link);
        if (of.name == "link.seats") return cell_of(link->seats);
        if (of.name == "link.price") return cell_of(link->price);
        if (of.name == "link.open") return cell_of(link->open);
        if (of.name == "link.since") return link->since;
        return cell();
    }
};

/// Compares cells of one sortable column, absent ones first.
std::weak_ordering compare_cells(const column& of, const cell& a, const cell& b) {
    if (a.index() == 0 || b.index() == 0) return (a.index() != 0) <=> (b.index() != 0);
    switch (of.type) {
        case column_type::integer: return std::get<std::int64_t>(a) <=> std::get<std::int64_t>(b);
        case column_type::decimal:
            return *parse_decimal_number(std::get<std::string_view>(a)) <=>
                   *parse_decimal_number(std::get<std::string_view>(b));
        case column_type::time: return std::get<instant>(a) <=> std::get<instant>(b);
        case column_type::boolean: return std::get<bool>(a) <=> std::get<bool>(b);
        case column_type::text:
        case column_type::json:
        case column_type::real:
        case column_type::date:
        case column_type::uuid:
        case column_type::choice:
        case column_type::records: break;  // the tables below have none of the last six
    }
    return std::get<std::string_view>(a) <=> std::get<std::string_view>(b);
}

class shop {
public:
    shop(std::size_t links, std::size_t clicks, unsigned seed) : random_(seed) {
        links_.reserve(links);
        owners_.reserve(3);
        for (std::size_t at = 0; at < 3; ++at) add_owner();
        for (std::size_t at = 0; at < clicks; ++at) {
            if (at % (clicks / links) == 0 && links_.size() < links) add_link();
            add_click();
            if (at % 97 == 0) clicks_store.publish();
        }
        clicks_store.publish();
    }

    [[nodiscard]] std::size_t below(std::size_t size) { return random_() % size; }

    /// Returns the ids of the clicks that a query selects, in its order, by a loop.
    [[nodiscard]] std::vector<std::string> ids(const list_query& query) const {
        std::vector<const click_row*> selected;
        for (const click_row& row : clicks_) {
            if (query.matches(row)) selected.push_back(&row);
        }
        std::ranges::sort(selected, [&](const click_row* a, const click_row* b) {
            for (const sort_key& key : query.order) {
                const auto order = compare_cells(key.by, (*a)(key.by), (*b)(key.by));
                if (order != 0) return (order < 0) == (key.direction == sort_order::ascending);
            }
            return false;
        });
        std::vector<std::string> list;
        for (const click_row* row : selected) list.push_back(row->id);
        return list;
    }

    [[nodiscard]] list_query query() {
        list_query query;
        query.rows = below(2) == 0 ? tree(3) : where::all_of(conditions());
        constexpr std::array<std::string_view, 8> sorts{"at",         "link.domain", "link.seats",
                                                        "link.price", "link.since",  "link.open",
                                                        "owner.name", "country"};
        for (std::size_t keys = below(3); keys > 0; --keys) {
            const column by = named(sorts[below(sorts.size())]);
            if (std::ranges::find(query.order, by, &sort_key::by) == query.order.end()) {
                query.order.push_back({by, direction()});
            }
        }
        query.order.push_back({named("id"), direction()});
        query.wanted = {static_cast<std::int64_t>(1 + below(3)),
                        static_cast<std::int64_t>(1 + below(30))};
        return query;
    }

    store::column_store clicks_store{stored};

private:
    static constexpr std::array<std::string_view, 4> texts{"a", "B", "b", "c d\"e"};

    [[nodiscard]] std::string_view text() { return texts[below(texts.size())]; }
    [[nodiscard]] sort_order direction() {
        return below(2) == 0 ? sort_order::ascending : sort_order::descending;
    }
    template <class Make>
    [[nodiscard]] auto maybe(Make make) -> std::optional<decltype(make())> {
        if (below(4) == 0) return std::nullopt;
        return make();
    }

    void add_owner() {
        const owner_row& owner = owners_.emplace_back(owner_row{
            "owner_" + std::to_string(owners_.size()), maybe([&] { return std::string(text()); })});
        REQUIRE(clicks_store.add_referenced("owner.id", {owner.id, cell_of(owner.name)}));
    }
    void add_link() {
        const link_row& link = links_.emplace_back(link_row{
            "link_" + std::to_string(links_.size()), std::string(text()), maybe([&] {
                std::vector<std::string_view> tags(below(3));
                for (std::string_view& tag : tags) tag = text();
                return tags;
            }),
            maybe([&] { return static_cast<std::int64_t>(below(4)); }),
            maybe([&] { return std::to_string(below(3)) + ".50"; }),
            maybe([&] { return below(2) == 0; }), time_of(static_cast<std::int64_t>(below(5)))});
        REQUIRE(clicks_store.add_referenced(
            "link.id", {link.domain, link.id, tags_of(link), cell_of(link.seats),
                        cell_of(link.price), cell_of(link.open), link.since}));
    }
    void add_click() {
        click_row click{"c" + std::to_string(clicks_.size() * 7'919 % 100'003),
                        time_of(static_cast<std::int64_t>(below(300))),
                        maybe([&] { return std::string(text()); }),
                        below(5) == 0 ? nullptr : &links_[below(links_.size())],
                        &owners_[below(owners_.size())]};
        const cell link = click.link == nullptr ? cell() : cell(click.link->id);
        REQUIRE(
            clicks_store.add({click.id, click.at, link, cell_of(click.country), click.owner->id}));
        clicks_.push_back(std::move(click));
    }

    [[nodiscard]] leaf condition() {
        const auto wanted = [&] {
            return text_test{filter({std::string(text()), std::string(text())}, below(2) == 0)};
        };
        switch (below(10)) {
            case 0: return {named("link.domain"), wanted()};
            case 1: return {named("link.tags"), wanted()};
            case 2:
                return {named("link.seats"),
                        bounds<std::int64_t>{.least = static_cast<std::int64_t>(below(4))}};
            case 3:
                return {named("link.price"),
                        bounds<decimal_number>{
                            .most = decimal_number(static_cast<std::int64_t>(below(3)))}};
            case 4: return {named("link.open"), boolean_test{below(2) == 0}};
            case 5:
                return {named("link.since"),
                        bounds<instant>{.least = time_of(static_cast<std::int64_t>(below(5)))}};
            case 6: return {named("owner.name"), wanted()};
            case 7:
                return {named("link.id"), text_test{filter({"link_1", "link_2"}, below(2) == 0)}};
            case 8:
                return {named("at"),
                        bounds<instant>{.least = time_of(static_cast<std::int64_t>(below(300)))}};
            default: return {named("country"), wanted()};
        }
    }
    [[nodiscard]] std::vector<leaf> conditions() {
        std::vector<leaf> leaves(below(5));
        for (leaf& leaf : leaves) leaf = condition();
        return leaves;
    }
    [[nodiscard]] where tree(int depth) {
        if (depth == 0 || below(3) == 0) return where(condition());
        if (below(4) == 0) return where::negation(tree(depth - 1));
        std::vector<where> operands(below(4));
        for (where& operand : operands) operand = tree(depth - 1);
        return below(2) == 0 ? where::all(std::move(operands)) : where::any(std::move(operands));
    }

    std::mt19937_64 random_;
    std::vector<link_row> links_;
    std::vector<owner_row> owners_;
    std::vector<click_row> clicks_;
};

std::vector<std::string> ids_of(const store::selected_page& page) {
    std::vector<std::string> list;
    for (const store::stored_row& row : page.rows()) {
        list.emplace_back(std::get<std::string_view>(row.at(named("id"))));
    }
    return list;
}

/// A store of one link and two clicks on it.
struct small_shop {
    small_shop() {
        const std::array<std::string_view, 2> tags{"x", "y\"z"};
        REQUIRE(store.add_referenced("owner.id", {"o1"}));
        REQUIRE(store.add_referenced("link.id",
                                     {"go.example", "l1", std::span<const std::string_view>(tags),
                                      std::int64_t{7}, "1.50", true, time_of(0)}));
        REQUIRE(store.add({"c1", time_of(1), "l1", "US", "o1"}));
        REQUIRE(store.add({"c2", time_of(2), cell(), cell(), "o1"}));
        store.publish();
    }
    [[nodiscard]] store::selected_page page() const {
        return store::select(store.current(),
                             list_query{.order = {{named("at")}, {named("id")}}, .wanted = {1, 10}})
            .value();
    }

    store::column_store store{stored};
};

}  // namespace

TEST_CASE("pages and counts over referenced rows are those of a loop, also at cursors") {
    shop sample(23, 2'000, 5);
    const store::stored_rows now = sample.clicks_store.current();
    for (int round = 0; round < 800; ++round) {
        list_query query = sample.query();
        CAPTURE(to_json(query));
        const auto all = sample.ids(query);
        CHECK(store::count(now, query) == std::ssize(all));
        const auto size = static_cast<std::size_t>(query.wanted.size);
        std::size_t begin = static_cast<std::size_t>(query.wanted.offset());
        for (int pages = 0; pages < 3; ++pages, begin += size) {
            const auto page = store::select(now, query);
            REQUIRE(page);
            const std::size_t first = std::min(begin, all.size());
            const std::size_t end = std::min(first + size, all.size());
            CHECK(ids_of(*page) == std::vector(all.begin() + static_cast<std::ptrdiff_t>(first),
                                               all.begin() + static_cast<std::ptrdiff_t>(end)));
            if (!page->next) break;
            query.from = page->next;
        }
    }
}

TEST_CASE("conditions on one reference's rows are one set of references") {
    const small_shop shop;
    list_query query;
    query.rows = where::all_of({{named("link.domain"), text_test{filter({"GO.example"})}, "domain"},
                                {named("link.tags"), text_test{filter({"x"})}, "tag"},
                                {named("link.seats"), bounds<std::int64_t>{.least = 5}, "seats"},
                                {named("owner.name"), text_test{filter({"x"}, true)}, "owner"}});
    const auto work = store::analyze(shop.store.current(), query);
    REQUIRE(work);
    CHECK(work->matching == 1);
    REQUIRE(work->conditions.size() == 2);
    CHECK(work->conditions[0].from.param == "domain");
    CHECK(work->conditions[1].from.param == "owner");
}

TEST_CASE("values of referenced rows are read and written like a row's") {
    const small_shop shop;
    const store::selected_page page = shop.page();
    const auto rows = page.rows();
    REQUIRE(rows.size() == 2);
    CHECK(std::get<std::string_view>(rows[0].at(named("link.domain"))) == "go.example");
    CHECK(std::get<std::int64_t>(rows[0].at(named("link.seats"))) == 7);
    CHECK(std::get<std::span<const std::string_view>>(rows[0].at(named("link.tags"))).size() == 2);
    CHECK(rows[1].at(named("link.domain")).index() == 0);
    CHECK(page.json() ==
          R"([{"id":"c1","link.domain":"go.example","at":"1970-01-01T00:00:00.001Z",)"
          R"("link.id":"l1","link.tags":["x","y\"z"],"link.seats":7,"link.price":1.50,)"
          R"("link.open":true,"link.since":"1970-01-01T00:00:00.000Z","country":"US",)"
          R"("owner.id":"o1","owner.name":null},)"
          R"({"id":"c2","link.domain":null,"at":"1970-01-01T00:00:00.002Z","link.id":null,)"
          R"("link.tags":null,"link.seats":null,"link.price":null,"link.open":null,)"
          R"("link.since":null,"country":null,"owner.id":"o1","owner.name":null}])");
}

TEST_CASE("a layout has members in any order and depth") {
    const small_shop shop;
    const auto layout = shop.store.layout(
        {{"click", {}, {{"id"}, {"at \"ms\"", "at"}}},
         {"link", {}, {{"domain", "link.domain"}, {"limits", {}, {{"seats", "link.seats"}}}}},
         {"again", "id"}});
    REQUIRE(layout);
    CHECK(shop.page().json(*layout) ==
          R"([{"click":{"id":"c1","at \"ms\"":"1970-01-01T00:00:00.001Z"},)"
          R"("link":{"domain":"go.example","limits":{"seats":7}},"again":"c1"},)"
          R"({"click":{"id":"c2","at \"ms\"":"1970-01-01T00:00:00.002Z"},)"
          R"("link":{"domain":null,"limits":{"seats":null}},"again":"c2"}])");
    CHECK(shop.page().json(*shop.store.layout({})) == "[{},{}]");
    const auto unknown = shop.store.layout({{"click", {}, {{"id"}, {"code", "link.code"}}}});
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error().broken == rule::field_unknown);
    CHECK(unknown.error().param == "link.code");
}

TEST_CASE("rows that don't fit their references are refused, and nothing is added") {
    store::column_store store{stored};
    const auto check = [](const result<void>& added, rule broken, std::string_view param) {
        REQUIRE_FALSE(added);
        CHECK(added.error().broken == broken);
        CHECK(added.error().param == param);
    };
    check(store.add({"c1", time_of(1), "l1", cell(), "o1"}), rule::reference_unknown, "link.id");
    check(store.add({"c1", time_of(1), cell(), cell(), "o1"}), rule::reference_unknown, "owner.id");
    check(store.add_referenced("link.domain", {"a"}), rule::field_unknown, "");
    check(store.add_referenced("owner.id", {"o1", "Ada", "more"}), rule::field_unknown, "");
    check(store.add_referenced("owner.id", {cell(), "Ada"}), rule::field_missing, "owner.id");
    check(store.add_referenced("owner.id", {"o1", std::int64_t{1}}), rule::field_type,
          "owner.name");
    check(
        store.add_referenced("link.id", {"a", cell(), cell(), cell(), cell(), cell(), time_of(0)}),
        rule::field_missing, "link.id");
    REQUIRE(store.add_referenced("owner.id", {"o1", "Ada"}));
    check(store.add_referenced("owner.id", {"o1", "Bob"}), rule::identifier_taken, "owner.id");
    check(store.add({"c1", time_of(1), cell(), cell(), "o1", "more"}), rule::field_unknown, "");
    REQUIRE(store.add({"c1", time_of(1), cell(), cell(), "o1"}));
    store.publish();
    CHECK(store.current().size() == 1);
}
