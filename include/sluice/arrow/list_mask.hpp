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
        if (source.subject.type != column_type::integer) {
            return arrow::row_filter(test.wanted, source.subject.how);
        }
        // Values that aren't the text of a 64-bit integer, such as `07`, equal no row.
        std::vector<std::int64_t> numbers;
        for (const std::string_view value : test.wanted.values()) {
            const auto number = parse_int64(value);
            if (number && std::to_string(*number) == value) numbers.push_back(*number);
        }
        // An empty filter accepts every row, as does an empty list of excluded numbers.
        const bool none_of = test.wanted.excludes() || test.wanted.empty();
        return arrow::integer_test(std::move(numbers), none_of);
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
    wanted operator()(const all_of_test&) const { return unanswered(); }
    wanted operator()(const part_test&) const { return unanswered(); }
    wanted operator()(const bounds<std::string>&) const { return unanswered(); }
    wanted operator()(const bounds<double>&) const { return unanswered(); }
    wanted operator()(const bounds<calendar_day>&) const { return unanswered(); }
    wanted operator()(const null_test&) const { return unanswered(); }
    wanted operator()(const record_test&) const { return unanswered(); }

    /// Returns the condition of a test that masks don't answer.
    [[nodiscard]] wanted unanswered() const { return arrow::unanswered_test{kind_of(source.test)}; }
};

/// Returns the relative cost of a condition, of which only the order counts: time windows are
/// cheapest, metadata expressions dearest.
[[nodiscard]] inline int mask_cost(const arrow::condition& constraint) noexcept {
    if (std::holds_alternative<time_range>(constraint.wanted)) return 0;
    return std::holds_alternative<arrow::text_test>(constraint.wanted) ? 2 : 1;
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
        const detail::mask_test test{source};
        const bool is_answered = answered_tests.has(kind_of(source.test), source.subject) ||
                                 !allows_test(source.subject, source.test);
        tree.conditions.push_back(
            {std::move(place->parameter), std::move(place->column),
             is_answered ? std::visit(test, source.test) : test.unanswered()});
    }
    if (is_list_of_leaves(query.rows)) {
        tree.conditions = detail::sorted_by_cost(std::move(tree.conditions));
    }
    return tree;
}

}  // namespace sluice::arrow

#endif
