// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/query/json_writer.hpp>
#include <sluice/query/where.hpp>

using namespace sluice;

namespace {

constexpr schema columns{
    column{.name = "status", .how = collation::ignore_case},
    column{.name = "tags", .is_list = true},
    column{.name = "count", .type = column_type::integer},
    column{.name = "total", .type = column_type::decimal},
    column{.name = "created", .type = column_type::time},
    column{.name = "paid", .type = column_type::boolean},
    column{.name = "metadata", .type = column_type::json},
};

leaf leaf_of(std::string_view name, column_test test) {
    return {*columns.find(name), std::move(test), "p"};
}
text_test texts(std::string_view text) { return {parse_filter(text).value()}; }

template <class T>
bounds<T> bound(comparison op, T value) {
    bounds<T> range;
    range.narrow(op, std::move(value));
    return range;
}
decimal_number decimal(std::string_view text) { return parse_decimal_number(text).value(); }

}  // namespace

TEST_CASE("a leaf holds for what it asks, and never for what is absent or of another type") {
    const std::string_view list[] = {"a", "b"};
    const cell absent, tags{std::span<const std::string_view>(list)};
    const auto at = [](std::int64_t ms) { return instant(std::chrono::milliseconds(ms)); };
    const scalar_lookup plan = [](std::span<const std::string> path) -> std::optional<scalar> {
        if (path.size() != 1 || path[0] != "plan") return std::nullopt;
        return scalar::string("pro");
    };
    const struct {
        leaf wanted;
        cell value;
        bool holds;
    } table[] = {
        {leaf_of("status", texts("Paid,open")), cell("paid"), true},
        {leaf_of("status", texts("paid")), cell("void"), false},
        {leaf_of("status", texts("-paid")), cell("PAID"), false},
        {leaf_of("status", texts("-paid")), absent, true},
        {leaf_of("status", texts("paid")), absent, false},
        {leaf_of("status", texts("1")), cell(std::int64_t{1}), false},
        {leaf_of("count", texts("1,\\-7")), cell(std::int64_t{-7}), true},
        {leaf_of("count", texts("-1")), cell(std::int64_t{1}), false},
        {leaf_of("count", texts("-1")), absent, true},
        {leaf_of("count", texts("1")), cell(std::int64_t{10}), false},
        {leaf_of("tags", texts("b,c")), tags, true},
        {leaf_of("tags", texts("-b,c")), tags, false},
        {leaf_of("tags", texts("-c")), tags, true},
        {leaf_of("count", bound<std::int64_t>(comparison::at_least, 5)), cell(std::int64_t{5}),
         true},
        {leaf_of("count", bound<std::int64_t>(comparison::more_than, 5)), cell(std::int64_t{5}),
         false},
        {leaf_of("count", bound<std::int64_t>(comparison::equal, 5)), cell(std::int64_t{6}), false},
        {leaf_of("count", bound<std::int64_t>(comparison::at_most, 5)), absent, false},
        {leaf_of("count", bound<std::int64_t>(comparison::at_most, 5)), cell("1"), false},
        {leaf_of("total", bound(comparison::at_most, decimal("10.50"))), cell("1.05e1"), true},
        {leaf_of("total", bound(comparison::less_than, decimal("10.50"))), cell("10.5"), false},
        {leaf_of("total", bound(comparison::more_than, decimal("10"))), cell(std::int64_t{11}),
         true},
        {leaf_of("total", bound(comparison::more_than, decimal("10"))), cell("much"), false},
        {leaf_of("created", bounds<instant>{.least = at(5), .most = at(9)}), cell(at(9)), true},
        {leaf_of("created", bounds<instant>{.least = at(5), .most = at(9)}), cell(at(10)), false},
        {leaf_of("paid", boolean_test{false}), cell(false), true},
        {leaf_of("paid", boolean_test{false}), absent, false},
        {leaf_of("metadata", *parse_metadata_query("metadata['plan']:pro")), cell(plan), true},
        {leaf_of("metadata", *parse_metadata_query("metadata['plan']!=pro")), absent, true},
    };
    int number = 0;
    for (const auto& [wanted, value, expected] : table) {
        CAPTURE(number++);
        CHECK(holds(wanted, value) == expected);
    }
}

TEST_CASE("bounds take what each comparison says") {
    for (const auto& [op, taken] :
         std::vector<std::pair<comparison, std::string>>{{comparison::equal, "5"},
                                                         {comparison::at_least, "56"},
                                                         {comparison::more_than, "6"},
                                                         {comparison::at_most, "45"},
                                                         {comparison::less_than, "4"}}) {
        const auto range = bound<std::int64_t>(op, 5);
        std::string inside;
        for (const std::int64_t value : {4, 5, 6}) {
            if (range.contains(value)) inside += std::to_string(value);
        }
        CHECK(inside == taken);
        CHECK_FALSE(range.empty());
    }
    auto range = bound<std::int64_t>(comparison::at_least, 5);
    range.narrow(comparison::less_than, 7);
    CHECK(range.contains(6));
    CHECK_FALSE(range.contains(7));
    CHECK(bounds<std::int64_t>().empty());
    CHECK(bounds<std::int64_t>().contains(0));
}

TEST_CASE("conditions are asked from left to right until the outcome is decided") {
    const auto of = [](std::string_view text) { return where(leaf_of("status", texts(text))); };
    const auto wanted = where::any({where::all({of("a"), of("b")}), where::negation(of("c"))});
    const struct {
        std::string_view met, leaf_of;
        bool holds;
    } table[] = {{"ab", "ab", true}, {"a", "abc", true}, {"", "ac", true}, {"c", "ac", false}};
    for (const auto& [met, expected, outcome] : table) {
        CAPTURE(met);
        std::string seen;
        const bool matches = wanted.matches_if([&](const leaf& test) {
            seen += *std::get<text_test>(test.test).wanted.values().begin();
            return met.find(seen.back()) != met.npos;
        });
        CHECK(matches == outcome);
        CHECK(seen == expected);
    }
    CHECK(where().matches_if([](const leaf&) { return false; }));
}

TEST_CASE("trees are true where their leaves make them so") {
    // Each leaf asks whether one of four bits is set; an oracle evaluates beside the tree.
    std::mt19937 random(7);
    const auto draw = [&](unsigned below) { return static_cast<unsigned>(random() % below); };
    using truth = std::vector<bool>;  // by the bits
    const std::function<std::pair<where, truth>(unsigned)> make =
        [&](unsigned depth) -> std::pair<where, truth> {
        truth known(16);
        const unsigned form = depth == 0 ? 0 : draw(4);
        if (form == 0) {
            const unsigned bit = draw(4);
            for (unsigned bits = 0; bits < 16; ++bits) known[bits] = (bits >> bit & 1U) != 0;
            return {where(leaf_of("status", texts(std::to_string(bit)))), known};
        }
        if (form == 1) {
            auto [operand, inner] = make(depth - 1);
            inner.flip();
            return {where::negation(std::move(operand)), inner};
        }
        const bool is_all = form == 2;
        known.assign(16, is_all);
        std::vector<where> operands;
        for (unsigned left = draw(4); left > 0; --left) {
            auto [operand, inner] = make(depth - 1);
            for (unsigned i = 0; i < 16; ++i) {
                known[i] = is_all ? known[i] && inner[i] : known[i] || inner[i];
            }
            operands.push_back(std::move(operand));
        }
        return {is_all ? where::all(std::move(operands)) : where::any(std::move(operands)), known};
    };
    for (int i = 0; i < 300; ++i) {
        const auto [tree, known] = make(4);
        CHECK(tree.nodes()[0].size == tree.nodes().size());
        for (unsigned bits = 0; bits < 16; ++bits) {
            std::string set;
            std::vector<std::string_view> values;
            for (const std::string_view bit : {"0", "1", "2", "3"}) {
                if ((bits >> (bit[0] - '0') & 1U) != 0) values.push_back(bit);
            }
            const auto cell_of = [&](const column&) {
                return cell(std::span<const std::string_view>(values));
            };
            CHECK(tree.matches(cell_of) == known[bits]);
        }
    }
    CHECK(where().empty());
    CHECK(where().matches([](const column&) { return cell(); }));
    CHECK_FALSE(where::any({}).matches([](const column&) { return cell(); }));
    CHECK(where::all_of({}) == where());
    CHECK_FALSE(where(leaf_of("paid", boolean_test{})).empty());
}

TEST_CASE("keys of an order are alike by their column and their direction") {
    const sort_key key{*columns.find("total"), sort_order::descending};
    sort_key other = key;
    other.is_unique = true;  // which changes nothing about the order
    CHECK(other == key);
    other = key;
    other.direction = sort_order::ascending;
    CHECK(other != key);
    other = key;
    other.by = *columns.find("count");
    CHECK(other != key);
}

TEST_CASE("a query as JSON names each test in the schema's terms") {
    list_query query;
    query.rows = where::all(
        {where(leaf_of("status", texts("-a,b"))),
         where::any({where(leaf_of("total", bound(comparison::more_than, decimal("1.50")))),
                     where::negation(where(leaf_of("paid", boolean_test{true})))}),
         where(leaf_of("metadata",
                       *parse_metadata_query("metadata['a']['b']:'1' AND NOT metadata['n']>=2")))});
    query.order = {{*columns.find("created"), sort_order::descending}};
    query.wants_total = true;
    CHECK(to_json(query) ==
          R"({"where":{"all":[{"column":"status","collation":"ignore_case","none_of":["a","b"]},)"
          R"({"any":[{"column":"total","gt":"1.50"},{"not":{"column":"paid","is":true}}]},)"
          R"({"column":"metadata","matches":{"all":[{"path":["a","b"],"equal":"1"},)"
          R"({"not":{"path":["n"],"gte":"2"}}]}}]},)"
          R"("order":[{"column":"created","direction":"desc"}],)"
          R"("page":{"number":1,"size":100},"total":true})");
    CHECK(to_json(list_query{}) ==
          R"({"where":{"all":[]},"order":[],"page":{"number":1,"size":100},"total":false})");
}

TEST_CASE("a metadata expression is written as it stands in a query") {
    for (const std::string_view text :
         {"", "metadata['a']['b']:'c'", "NOT (metadata['a']>1 OR metadata['b']!=x)"}) {
        CAPTURE(text);
        const auto paths = parse_metadata_query(text).value();
        const list_query query{.rows = where(leaf_of("metadata", paths))};
        CHECK(to_json(query).find("\"matches\":" + to_json(paths) + "}") != std::string::npos);
    }
    CHECK(to_json(metadata_query()) == R"({"all":[]})");
    CHECK(to_json(parse_metadata_query("metadata['a']>1").value()) == R"({"path":["a"],"gt":"1"})");
}
