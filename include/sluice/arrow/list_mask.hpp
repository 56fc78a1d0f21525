// SPDX-License-Identifier: MIT
#ifndef SLUICE_ARROW_LIST_MASK_HPP
#define SLUICE_ARROW_LIST_MASK_HPP

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/arrow/table_mask.hpp>
#include <sluice/metadata/matcher.hpp>
#include <sluice/query/list_query.hpp>

/// Masks from list queries: the conditions of a parsed query, ready for the rows of a table.
namespace sluice::arrow {

namespace detail {

/// Converts a leaf to the condition of a mask; see mask_conditions().
struct mask_test {
    using wanted = decltype(arrow::condition::wanted);

    const leaf& source;

    wanted operator()(const sluice::text_test& test) const {
        if (source.subject.type == column_type::text) {
            return arrow::row_filter(test.wanted, source.subject.how);
        }
        // An empty filter accepts every row, as does an empty list of excluded values.
        const bool excludes = test.wanted.excludes() || test.wanted.empty();
        std::vector<std::string> values;
        for (const std::string_view value : test.wanted.values()) values.emplace_back(value);
        if (!source.subject.is_list) return any_of(std::move(values), excludes);
        return arrow::list_test{{item_of(any_of(std::move(values), false))}, excludes};
    }
    wanted operator()(const bounds<std::int64_t>& test) const { return arrow::integer_test(test); }
    wanted operator()(const bounds<instant>& test) const {
        // Instants are whole milliseconds, so that an excluded bound is the next one, included.
        constexpr std::chrono::milliseconds next{1};
        const auto least = test.least && test.excludes_least ? *test.least + next : test.least;
        const auto most = test.most && test.excludes_most ? *test.most - next : test.most;
        return time_range{least, most};
    }
    wanted operator()(const metadata_query& test) const {
        auto matcher = std::make_shared<metadata_matcher>(test);
        const bool holds_without = matcher->matches_empty_document();
        const auto holds = [matcher](std::string_view text) {
            return matcher->matches_unchecked(text);
        };
        return arrow::text_test{holds, holds_without};
    }
    wanted operator()(const bounds<decimal_number>& test) const { return test; }
    wanted operator()(const boolean_test& test) const { return test; }
    wanted operator()(const all_of_test& test) const {
        arrow::list_test lists;
        for (const std::string& value : test.wanted) {
            const bool is_empty = value.empty() && source.subject.type == column_type::text;
            lists.tests.push_back(item_of(is_empty ? equal_to_empty() : any_of({value}, false)));
        }
        return lists;
    }
    wanted operator()(const part_test&) const {
        arrow::value_test value = held_by_texts();
        if (!source.subject.is_list) return value;
        return arrow::list_test{{item_of(std::move(value))}};
    }
    wanted operator()(const bounds<std::string>&) const { return held_by_texts(); }
    wanted operator()(const bounds<double>& test) const { return test; }
    wanted operator()(const bounds<calendar_day>& test) const {
        const auto count = [](const std::optional<calendar_day>& day) {
            return day ? std::optional<std::int64_t>(day->time_since_epoch().count())
                       : std::nullopt;
        };
        return arrow::day_test{
            arrow::integer_test(bounds<std::int64_t>{.least = count(test.least),
                                                     .most = count(test.most),
                                                     .excludes_least = test.excludes_least,
                                                     .excludes_most = test.excludes_most})};
    }
    wanted operator()(const null_test& test) const { return test; }
    wanted operator()(const record_test& test) const;  // below mask_conditions()

private:
    /// Returns the test that a value is any of some texts, or none.
    [[nodiscard]] wanted any_of(std::vector<std::string> values, bool excludes) const {
        const column_type type = source.subject.type;
        if (type == column_type::text) {
            return arrow::row_filter(filter(values, excludes), source.subject.how);
        }
        if (type == column_type::uuid || type == column_type::choice) {
            return arrow::name_test(std::move(values), collation_of(source.subject), excludes);
        }
        // Values that aren't the text of a 64-bit integer, such as `07`, equal no row.
        std::vector<std::int64_t> numbers;
        for (const std::string& value : values) {
            if (type == column_type::date) {
                const auto day = parse_day(value);
                if (day) numbers.push_back(day->time_since_epoch().count());
                continue;
            }
            const auto number = parse_int64(value);
            if (number && std::to_string(*number) == value) numbers.push_back(*number);
        }
        arrow::integer_test test(std::move(numbers), excludes);
        if (type == column_type::date) return arrow::day_test{std::move(test)};
        return test;
    }
    /// Returns the test that a text equals the empty one, which no filter has.
    [[nodiscard]] wanted equal_to_empty() const {
        const collation how = source.subject.how;
        return arrow::value_test{[how](std::string_view text) { return equal(text, "", how); }};
    }
    [[nodiscard]] arrow::value_test held_by_texts() const {
        return {[of = source](std::string_view text) { return holds(of, cell(text)); }};
    }
    static arrow::item_test item_of(wanted of_item) {
        const auto test = std::make_shared<const wanted>(std::move(of_item));
        const auto check = [test](const arrow::data_type& items) {
            return std::visit(type_check{items}, *test);
        };
        const auto mask = [test](const arrow::data_type& items, const ArrowArray& array,
                                 row_span rows) {
            const row_bits all(rows.count, true);
            return std::visit(column_test{items, array, rows, all, all}, *test);
        };
        return {check, mask};
    }
};

/// Returns the relative cost of a condition, of which only the order counts: time windows are
/// cheapest, tests of texts by functions dearest.
[[nodiscard]] inline int mask_cost(const arrow::condition& constraint) noexcept {
    if (std::holds_alternative<time_range>(constraint.wanted)) return 0;
    const bool is_dear = std::holds_alternative<arrow::text_test>(constraint.wanted) ||
                         std::holds_alternative<arrow::value_test>(constraint.wanted);
    return is_dear ? 2 : 1;
}

/// Sorts conditions by mask_cost(); those of equal cost keep their order.
[[nodiscard]] inline std::vector<arrow::condition> sorted_by_cost(
    std::vector<arrow::condition> conditions) {
    std::vector<arrow::condition> sorted;
    for (arrow::condition& constraint : conditions) {
        const auto place = std::ranges::upper_bound(sorted, mask_cost(constraint), {}, mask_cost);
        sorted.insert(place, std::move(constraint));
    }
    return sorted;
}

}  // namespace detail

/// The names of a leaf (one condition of the query): its parameter, for messages, and its column
/// in a table.
struct mask_place {
    std::string parameter, column;
};

/// Names a leaf by its parameter and by its column in the schema; never nullopt. The default of
/// mask_conditions().
[[nodiscard]] inline std::optional<mask_place> place_by_schema(const leaf& source) {
    const std::string column(source.subject.name);
    return mask_place{source.param.empty() ? column : std::string(source.param), column};
}

/// Converts a list query's conditions to those of a table_filter, ignoring page and order.
/// `place_of(leaf)` returns a mask_place, or nullopt if the leaf is known to hold for all rows.
/// Metadata expressions expect a column of JSON texts. A table_filter refuses the condition of a
/// test that answered_tests lacks. If all conditions must hold, the cheapest come first.
///
/// ```
/// auto conditions = sluice::arrow::mask_conditions(sluice::to_list_query(params, *query));
/// const auto filter = sluice::arrow::table_filter::make(type, std::move(conditions));
/// const auto mask = filter->mask(array);  // a bit a row
/// ```
[[nodiscard]] inline arrow::condition_tree mask_conditions(
    const list_query& query,
    const std::function<std::optional<mask_place>(const leaf&)>& place_of = place_by_schema) {
    arrow::condition_tree tree;
    tree.nodes.assign(query.rows.nodes().begin(), query.rows.nodes().end());
    for (where::node& node : tree.nodes) {
        if (node.kind != where_kind::leaf) continue;
        const leaf& source = query.rows.leaves()[node.leaf];
        std::optional<mask_place> place = place_of(source);
        node = place ? where::node{where_kind::leaf, 1,
                                   static_cast<std::uint32_t>(tree.conditions.size())}
                     : where::node{};
        if (!place) continue;
        tree.conditions.push_back({std::move(place->parameter), std::move(place->column),
                                   std::visit(detail::mask_test{source}, source.test), source});
    }
    if (is_list_of_leaves(query.rows)) {
        tree.conditions = detail::sorted_by_cost(std::move(tree.conditions));
    }
    return tree;
}

namespace detail {

/// A record meets the condition as the row of a table does. A null isn't a record.
inline mask_test::wanted mask_test::operator()(const record_test& test) const {
    list_query records;
    records.rows = test.wanted();
    const auto tree = std::make_shared<const condition_tree>(mask_conditions(records));
    const auto check = [tree](const arrow::data_type& items) {
        return table_filter::make(items, *tree).map([](const table_filter&) {});
    };
    const auto mask = [tree](const arrow::data_type& items, const ArrowArray& array,
                             row_span rows) -> import_result<row_bits> {
        const auto filter = table_filter::make(items, *tree);
        if (!filter) return tl::unexpected(filter.error());
        auto passes = filter->mask(array, rows);
        const auto present = null_mask(items, array, rows, null_test{false});
        if (!present) return present;
        if (passes) passes->intersect(*present);
        return passes;
    };
    return arrow::list_test{{{check, mask}}};
}

}  // namespace detail

}  // namespace sluice::arrow

#endif
