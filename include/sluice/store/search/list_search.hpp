// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_SEARCH_LIST_SEARCH_HPP
#define SLUICE_STORE_SEARCH_LIST_SEARCH_HPP

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/base/visit.hpp>
#include <sluice/query/list_query.hpp>
#include <sluice/query/where.hpp>
#include <sluice/store/column_store.hpp>
#include <sluice/store/columns/searched_columns.hpp>
#include <sluice/store/columns/stored_columns.hpp>
#include <sluice/store/conditions/expression.hpp>
#include <sluice/store/documents/conditions.hpp>
#include <sluice/store/plan/block_reader.hpp>
#include <sluice/store/search/ordered_parts.hpp>
#include <sluice/store/search/page_sorter.hpp>
#include <sluice/store/search/row_order.hpp>

/// Searches of a table's rows by a list query.
namespace sluice::store {

/// A function that converts a leaf to an expression of the store.
template <class Convert>
concept leaf_converter = std::is_invocable_r_v<expression, Convert&, const leaf&>;

/// Converts a list query's conditions to an expression of the store, leaf by leaf.
template <leaf_converter Convert>
[[nodiscard]] expression to_expression(const where& rows, Convert&& convert) {
    struct visitor {
        Convert& convert;

        expression leaf(const sluice::leaf& condition) const { return convert(condition); }
        static expression negation(expression operand) {
            return expression::negation(std::move(operand));
        }
        static expression group(where_kind kind, std::vector<expression> operands) {
            return kind == where_kind::conjunction ? expression::all(std::move(operands))
                                                   : expression::any(std::move(operands));
        }
    };
    return rows.visit(visitor{convert});
}

/// Adds an expression that all rows must meet. A single condition is added as one, which is faster
/// than an expression; a constant true is dropped.
inline void require(selection& of, expression wanted) {
    const expression::node& root = wanted.nodes().back();
    if (root.what == expression::kind::constant && root.value) return;
    if (root.what == expression::kind::condition) {
        of.conditions.push_back(root.rows);
    } else if (!of.where) {
        of.where = std::move(wanted);
    } else {
        of.where = expression::all({*std::move(of.where), std::move(wanted)});
    }
}

/// Adds bounds of the time that rows are sorted by. Bounds that exclude all times
/// select no rows.
inline void require(selection& of, const bounds<instant>& window) {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    if (window.least) {
        const std::int64_t least = window.least->time_since_epoch().count();
        if (window.excludes_least && least == most) of.end_row = 0;
        of.first_time = std::max(of.first_time, least + (window.excludes_least && least < most));
    }
    if (window.most) {
        const std::int64_t last = window.most->time_since_epoch().count();
        if (window.excludes_most && last == least_time) of.end_row = 0;
        of.last_time = std::min(of.last_time, last - (window.excludes_most && last > least_time));
    }
}

/// The row numbers of a page.
struct searched_page : page_info {
    std::vector<std::size_t> rows{};
};

/// Selects rows of a table by a list query, whose conditions are converted to sets of codes (see
/// table.hpp) once. Conditions on referenced rows, those that a column refers to by id (see
/// storable_columns), become one set of references for each such column.
/// A condition on a column that the table lacks, or has with another type, sees an absent value.
/// Views the rows, their columns and the query. Errors: test_unanswered, for a test that
/// the columns don't answer; those of a scan's limits, see store::scan;
/// not_applicable for a query with a `search`, which the caller must implement; for a page at a
/// cursor, cursor_malformed if a key isn't a value of its column.
class list_search {
public:
    list_search(const snapshot& rows, const searched_columns& columns, const list_query& query,
                const scan_options& options = {})
        : rows_(rows), columns_(columns), query_(query), options_(options) {
        if (auto known = check_answered(query_.rows, columns_.answered()); !known) {
            broken_ = known.error();
        } else if (is_list_of_leaves(query_.rows)) {
            for (const leaf& condition : query_.rows.leaves()) select(condition);
        } else {
            const auto convert_leaf = [this](const leaf& condition) { return convert(condition); };
            require(wanted_, to_expression(query_.rows, convert_leaf));
        }
    }
    list_search(const snapshot&, const searched_columns&, list_query&&,
                const scan_options& = {}) = delete;
    list_search(const stored_rows& rows, const list_query& query, const scan_options& options = {})
        : list_search(rows.rows(), rows.columns(), query, options) {}
    list_search(const stored_rows&, list_query&&, const scan_options& = {}) = delete;
    list_search(stored_rows&&, const list_query&, const scan_options& = {}) = delete;
    list_search(const list_search&) = delete;
    list_search& operator=(const list_search&) = delete;

    /// Counts the rows on all pages.
    [[nodiscard]] result<std::int64_t> count() const {
        return scan_rows(wanted_, [](scan rows) { return rows.count(); });
    }
    /// Explains the count without running it: its access paths, conditions and their costs.
    [[nodiscard]] result<explanation> explain() const {
        return scan_rows(wanted_, [](const scan& rows) { return rows.explain(); });
    }
    /// Returns true if page() reads rows in the table's order, only as far as the page.
    [[nodiscard]] bool has_table_order() const {
        return row_order(rows_, columns_, query_).table_order().has_value();
    }
    /// Counts the rows and explains how.
    [[nodiscard]] result<explanation> analyze() const {
        return scan_rows(wanted_, [](scan rows) { return rows.analyze(); });
    }
    /// Returns the query's conditions, as sets of codes.
    [[nodiscard]] const selection& wanted() const noexcept { return wanted_; }
    /// Returns a reader of the matching rows of blocks, which views this.
    [[nodiscard]] result<std::unique_ptr<block_reader>> blocks() const {
        return check_search().map(
            [this] { return std::make_unique<block_reader>(rows_, wanted_, options_); });
    }
    /// Returns the error of such a reader that is_spent().
    [[nodiscard]] error why_spent(const block_reader& reader) const {
        return documents_.pointed_at_test(reader.why_spent());
    }
    /// Returns the page of the query. Expects that its cursor, if any, belongs to this query:
    /// doesn't compare the cursor's mark with query_mark().
    [[nodiscard]] result<searched_page> page() const {
        const row_order order(rows_, columns_, query_);
        if (query_.from && !order.has_place(*query_.from)) {
            return fail_in(rule::cursor_malformed, "cursor");
        }
        const auto direction = order.table_order();
        auto selected = direction ? page_in_table_order(*direction) : page_in(order);
        if (!selected) return tl::unexpected(selected.error());
        searched_page page{
            {.has_next = selected->has_next,
             .has_previous = query_.from ? selected->has_previous : query_.wanted.number > 1},
            std::move(selected->rows)};
        add_places(page, order);
        if (!query_.wants_total) return page;
        return count().map([&](std::int64_t total) {
            page.total = total;
            return std::move(page);
        });
    }

private:
    [[nodiscard]] result<void> check_search() const {
        if (!query_.search.empty()) return fail_in(rule::not_applicable, "search");
        if (broken_) return tl::unexpected(*broken_);
        return {};
    }
    /// Calls `run` with a scan of a selection, and points its error at a metadata condition.
    template <class Run>
    [[nodiscard]] auto scan_rows(const selection& wanted, const Run& run) const
        -> decltype(run(std::declval<scan>())) {
        if (auto checked = check_search(); !checked) return tl::unexpected(checked.error());
        return run(scan(rows_, wanted, options_)).map_error([this](error why) {
            return documents_.pointed_at_test(why);
        });
    }

    /// Returns the page size; 0 for the negative size of a hand-written query.
    [[nodiscard]] std::int64_t page_size() const noexcept {
        return std::max<std::int64_t>(query_.wanted.size, 0);
    }

    // --- Pages -----------------------------------------------------------------------------

    /// Finds the page in the order of the table's rows, reading only as far as it.
    [[nodiscard]] result<row_page> page_in_table_order(sort_order direction) const {
        const sluice::page& wanted = query_.wanted;
        if (!query_.from) {
            return scan_rows(wanted_, [&](scan rows) {
                return rows.page(direction, wanted.offset(), page_size());
            });
        }
        const std::size_t id = columns_.has_row_time() ? 1 : 0;
        const std::int64_t time = id == 0 ? 0 : *parse_time_key(query_.from->key(0));
        const row_place place = find_place(rows_, *query_.from, {time, query_.from->key(id)});
        return store::page_at(
            place, wanted_, direction, [&](const selection& part, sort_order order) {
                return scan_rows(part, [&](scan rows) { return rows.page(order, 0, page_size()); });
            });
    }
    /// Finds the page in another order, sorting the rows as they are found, within the same limits.
    [[nodiscard]] result<row_page> page_in(const row_order& order) const {
        const auto from = whole_place(order);
        if (!from) return tl::unexpected(from.error());
        scan_budget budget(options_.limits);
        detail::page_sorter sorter(order, *from, query_.wanted.offset(), page_size(), budget);
        selection wanted = wanted_;
        detail::ordered_parts parts(rows_, order, *from, sorter, wanted);
        const auto done = scan_rows(wanted, [&](scan rows) {
            parts.plan(rows.range());
            return rows.visit_parts(
                parts.direction(), [&] { return parts.next(); },
                [&](std::size_t row) { return sorter.add(row); });
        });
        if (!done) return tl::unexpected(done.error());
        auto page = sorter.page();
        if (!page) return tl::unexpected(spent_error(budget, {}));
        return *std::move(page);
    }
    /// Returns the cursor, if any, with whole keys. Cursors have only the beginning of long texts;
    /// these are read from the cursor's row, which is searched by its last key.
    [[nodiscard]] result<std::optional<cursor>> whole_place(const row_order& order) const {
        const std::optional<cursor>& from = query_.from;
        if (!from || from->cuts.empty()) return from;
        std::optional<std::size_t> match;
        const auto is_done = visit([&](std::size_t row) {
            if (order.has_last_key(row, *from)) match = row;
            return !match;
        });
        return is_done.map([&] { return std::optional(order.whole_place(*from, match)); });
    }
    /// Calls `take` with each matching row until it returns false.
    template <class Take>
    [[nodiscard]] result<void> visit(Take take) const {
        return scan_rows(wanted_,
                         [&](scan rows) { return rows.visit(sort_order::ascending, 0, take); });
    }
    /// Adds the cursors of the page's neighbours.
    void add_places(searched_page& page, const row_order& order) const {
        if (page.rows.empty() || !(page.has_next || page.has_previous)) return;
        const std::uint32_t mark = query_mark(query_);
        if (page.has_next) page.next = order.place_of(page.rows.back(), false, mark);
        if (page.has_previous) page.previous = order.place_of(page.rows.front(), true, mark);
    }

    // --- Leaves to codes -------------------------------------------------------------------

    /// Adds a condition that all rows must meet: a window of the row time narrows the range of
    /// rows, a condition on referenced rows the set of references.
    void select(const leaf& condition) {
        const searched_column tested = columns_.find(condition.subject);
        const auto* const window = std::get_if<bounds<instant>>(&condition.test);
        if (window && std::holds_alternative<time_column>(tested)) {
            require(wanted_, *window);
        } else if (const auto* const referenced = std::get_if<referenced_column>(&tested)) {
            if (!is_met_by_all(condition)) narrow(*referenced, condition);
        } else {
            require(wanted_, convert(condition, tested));
        }
    }
    /// Adds a condition on references; intersects it with one on the same references, if any.
    void narrow(const referenced_column& tested, const leaf& condition) {
        code_set accepted = references_meeting(tested, condition);
        for (store::condition& known : wanted_.conditions) {
            if (known.column != tested.at || known.accepted.has_ranges()) continue;
            return known.accepted.intersect(accepted);
        }
        wanted_.conditions.push_back({tested.at, std::move(accepted), {condition.param}});
    }
    /// Returns the references to rows that meet a condition. Sets broken_ if a limit ends that.
    [[nodiscard]] code_set references_meeting(const referenced_column& tested,
                                              const leaf& condition) {
        auto accepted = tested.meeting(condition, options_);
        if (accepted) return *std::move(accepted);
        if (!broken_) broken_ = accepted.error();
        return {};
    }

    /// Returns true if every row meets a condition: a filter without values.
    [[nodiscard]] static bool is_met_by_all(const leaf& condition) noexcept {
        const auto* const texts = std::get_if<text_test>(&condition.test);
        return texts && texts->wanted.empty();
    }
    [[nodiscard]] expression convert(const leaf& condition) {
        return convert(condition, columns_.find(condition.subject));
    }
    [[nodiscard]] expression convert(const leaf& condition, const searched_column& tested) {
        if (is_met_by_all(condition)) return expression::constant(true);
        return sluice::detail::visit_as<expression>(converter{*this, condition}, tested);
    }
    /// Converts a condition on a column to an expression.
    struct converter {
        list_search& search;
        const leaf& condition;

        expression operator()(const absent_column&) const {
            return expression::constant(holds(condition, std::monostate()));
        }
        expression operator()(const time_column&) const {
            const auto passes = [&rows = search.rows_, &test = condition](std::size_t row) {
                return holds(test, instant(std::chrono::milliseconds(rows.time(row))));
            };
            return expression::test(passes, {condition.param});
        }
        expression operator()(const value_column& tested) const {
            return expression::leaf(
                {tested.at, tested.values.meeting(condition), {condition.param}});
        }
        expression operator()(const number_column& tested) const {
            const auto passes = [&rows = search.rows_, &test = condition,
                                 at = tested.at](std::size_t row) {
                return holds(test, rows.integer_at(row, at));
            };
            return expression::test(passes, {condition.param});
        }
        expression operator()(const json_column& tested) const {
            const auto* const query = std::get_if<metadata_query>(&condition.test);
            if (!query) return (*this)(tested.texts);
            const row_documents documents{tested.texts.at, &tested.texts.values.texts()};
            return search.documents_.add(tested.paths, tested.first_code, condition.param,
                                         documents, *query);
        }
        expression operator()(const referenced_column& tested) const {
            return expression::leaf(
                {tested.at, search.references_meeting(tested, condition), {condition.param}});
        }
    };

    const snapshot& rows_;
    const searched_columns& columns_;
    const list_query& query_;
    scan_options options_;
    metadata_leaves documents_;
    std::optional<error> broken_;  // a limit was exceeded by a search for references
    selection wanted_;             // the query's conditions, as sets of codes
};

}  // namespace sluice::store

#endif
