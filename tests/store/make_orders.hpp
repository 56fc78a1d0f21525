// SPDX-License-Identifier: MIT
#ifndef SLUICE_TESTS_STORE_MAKE_ORDERS_HPP
#define SLUICE_TESTS_STORE_MAKE_ORDERS_HPP

#include <algorithm>
#include <array>
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/query/list_query.hpp>

// Orders with a column of each type, and queries of all kinds on them.

namespace order_samples {

using namespace sluice;

inline constexpr sluice::schema columns{
    column{.name = "id"},
    column{.name = "status", .is_nullable = true, .how = collation::ignore_case},
    column{.name = "tags", .is_list = true, .is_nullable = true},
    column{.name = "seats", .type = column_type::integer, .is_nullable = true},
    column{.name = "total", .type = column_type::decimal, .is_nullable = true},
    column{.name = "paid", .type = column_type::time, .is_nullable = true},
    column{.name = "created", .type = column_type::time},
    column{.name = "open", .type = column_type::boolean, .is_nullable = true},
    column{.name = "data", .type = column_type::json, .is_nullable = true}};

inline column named(std::string_view name) { return *columns.find(name); }
inline instant at(std::int64_t count) { return instant(std::chrono::milliseconds(count)); }

/// A row as a user has it, for the loop that the store is held against.
struct order {
    std::string id;
    std::optional<std::string> status{};
    std::optional<std::vector<std::string_view>> tags{};
    std::optional<std::int64_t> seats{};
    std::optional<std::string> total{};
    std::optional<instant> paid{};
    instant created{};
    std::optional<bool> open{};
    std::optional<std::string> data{};  ///< {"plan":text} or none

    template <class T>
    static cell cell_of(const std::optional<T>& value) {
        return value ? cell(*value) : cell();
    }
    [[nodiscard]] std::vector<cell> cells() const {
        return {id,
                cell_of(status),
                tags ? cell(std::span<const std::string_view>(*tags)) : cell(),
                cell_of(seats),
                cell_of(total),
                cell_of(paid),
                created,
                cell_of(open),
                cell_of(data)};
    }
    /// Returns the cell that a query sees; a JSON column answers only for the path `plan`.
    [[nodiscard]] cell operator()(const column& of) const {
        if (of.name != "data")
            return cells()[static_cast<std::size_t>(columns.find(of.name) - columns.begin())];
        return scalar_lookup([this](std::span<const std::string> path) -> std::optional<scalar> {
            if (!data || path.size() != 1 || path[0] != "plan") return std::nullopt;
            return scalar::string(std::string_view(*data).substr(9, data->size() - 11));
        });
    }
};

/// Compares two orders by a column, absent values first.
inline std::weak_ordering compare(const order& a, const order& b, std::string_view by) {
    if (by == "id") return a.id <=> b.id;
    if (by == "status") return a.status <=> b.status;
    if (by == "seats") return a.seats <=> b.seats;
    if (by == "paid") return a.paid <=> b.paid;
    if (by == "created") return a.created <=> b.created;
    if (by == "open") return a.open <=> b.open;
    if (!a.total || !b.total) return a.total.has_value() <=> b.total.has_value();
    return *parse_decimal_number(*a.total) <=> *parse_decimal_number(*b.total);
}

class random_orders {
public:
    explicit random_orders(unsigned seed) : random_(seed) {}

    [[nodiscard]] std::size_t below(std::size_t size) { return random_() % size; }
    template <class T, std::size_t Size>
    [[nodiscard]] T any_of(const std::array<T, Size>& values) {
        return values[below(Size)];
    }
    template <class Make>
    [[nodiscard]] auto maybe(Make make) -> std::optional<decltype(make())> {
        if (below(5) == 0) return std::nullopt;
        return make();
    }

    [[nodiscard]] order row() {
        order added{.id = "o" + std::to_string(added_++ * 7'919 % 100'003)};
        added.status = maybe([&] { return std::string(any_of(statuses)); });
        added.tags = maybe([&] {
            std::vector<std::string_view> tags(below(3));
            for (std::string_view& tag : tags) tag = any_of(statuses);
            return tags;
        });
        added.seats = maybe([&] { return any_of(numbers); });
        added.total = maybe([&] { return std::string(any_of(decimals)); });
        added.paid = maybe([&] { return at(static_cast<std::int64_t>(below(9)) * 1'000); });
        added.created = at(static_cast<std::int64_t>(below(2'000)));
        added.open = maybe([&] { return below(2) == 0; });
        added.data =
            maybe([&] { return R"({"plan":")" + std::string(any_of(statuses)) + R"("})"; });
        return added;
    }

    [[nodiscard]] leaf condition() {
        switch (below(9)) {
            case 8: return {named("seats"), text_test{filter({"7", "-5"}, below(2) == 0)}};
            case 0: return {named("status"), text_test{texts()}};
            case 1: return {named("tags"), text_test{texts()}};
            case 2: return {named("seats"), between<std::int64_t>([&] { return any_of(numbers); })};
            case 3:
                return {named("total"), between<decimal_number>([&] {
                            return *parse_decimal_number(any_of(decimals));
                        })};
            case 4:
                return {named("paid"), between<instant>([&] {
                            return at(static_cast<std::int64_t>(below(9)) * 1'000);
                        })};
            case 5:
                return {named("created"), between<instant>([&] {
                            return at(static_cast<std::int64_t>(below(2'000)));
                        })};
            case 6: return {named("open"), boolean_test{below(2) == 0}};
            default:
                return {named("data"), *parse_metadata_query("metadata['plan']!='" +
                                                             std::string(any_of(statuses)) + "'")};
        }
    }
    [[nodiscard]] where tree(int depth) {
        if (depth == 0 || below(3) == 0) return where(condition());
        if (below(4) == 0) return where::negation(tree(depth - 1));
        std::vector<where> operands(below(4));
        for (where& operand : operands) operand = tree(depth - 1);
        return below(2) == 0 ? where::all(std::move(operands)) : where::any(std::move(operands));
    }
    [[nodiscard]] list_query query() {
        list_query query;
        std::vector<leaf> leaves(below(4));
        for (leaf& leaf : leaves) leaf = condition();
        query.rows = below(2) == 0 ? where::all_of(std::move(leaves)) : tree(4);
        for (std::size_t keys = below(4); keys > 0; --keys) {
            const column by = named(any_of(sorts));
            const bool is_known =
                std::ranges::find(query.order, by, &sort_key::by) != query.order.end();
            if (!is_known) query.order.push_back({by, direction()});
        }
        if (below(3) == 0) query.order = {{named("created"), sort_order::descending}};
        query.order.push_back(
            {named("id"), query.order.empty() ? direction() : query.order.back().direction});
        query.wanted = {static_cast<std::int64_t>(1 + below(3)),
                        static_cast<std::int64_t>(1 + below(40))};
        query.wants_total = below(2) == 0;
        return query;
    }

private:
    static constexpr std::array<std::string_view, 5> statuses{"open", "Paid", "PAID", "void", ""};
    static constexpr std::array<std::int64_t, 6> numbers{
        std::numeric_limits<std::int64_t>::min(), -5, 0, 7, 8,
        std::numeric_limits<std::int64_t>::max()};
    static constexpr std::array<std::string_view, 9> decimals{"10",
                                                              "10.0",
                                                              "1e1",
                                                              "-3",
                                                              "0",
                                                              "1e400",
                                                              "10.00000000000000000000000001",
                                                              "123456789012345678901234567890",
                                                              "123456789012345678901234567891"};
    static constexpr std::array<std::string_view, 6> sorts{"status", "seats",   "total",
                                                           "paid",   "created", "open"};

    [[nodiscard]] sort_order direction() {
        return below(2) == 0 ? sort_order::ascending : sort_order::descending;
    }
    [[nodiscard]] filter texts() {
        std::vector<std::string> values(1 + below(3));
        for (std::string& value : values) value = any_of(statuses);
        return filter(values, below(2) == 0);
    }
    template <class T, class Make>
    [[nodiscard]] bounds<T> between(Make make) {
        bounds<T> range;
        if (below(3) != 0) range.least = make();
        if (below(3) != 0) range.most = make();
        range.excludes_least = range.least && below(2) == 0;
        range.excludes_most = range.most && below(2) == 0;
        return range;
    }

    std::mt19937_64 random_;
    std::size_t added_ = 0;
};

}  // namespace order_samples

#endif
