// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_SEARCH_LIST_SEARCH_HPP
#define SLUICE_STORE_SEARCH_LIST_SEARCH_HPP

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/query/list_query.hpp>
#include <sluice/store/conditions/where_selection.hpp>
#include <sluice/store/documents/leaves.hpp>
#include <sluice/store/search/page_sorter.hpp>
#include <sluice/store/search/row_order.hpp>
#include <sluice/store/search/row_place.hpp>
#include <sluice/store/selected_page.hpp>

namespace sluice::store {

/// Selects rows of a column_store by a list query, whose conditions are converted to sets of codes
/// once. A condition on a column that the store lacks, or has with another type, sees an absent
/// value. Views the rows and the query. Errors: those of a scan's limits, see store::scan;
/// not_applicable for a query with a `search`, which the caller must implement; for a page at a
/// cursor, cursor_mismatch if it is another query's, and cursor_malformed if a key isn't a value of
/// its column.
class list_search {
public:
    list_search(const stored_rows& rows, const list_query& query, const scan_options& options = {})
        : rows_(rows), query_(query), options_(options) {
        const auto convert_leaf = [this](const leaf& leaf) { return convert(leaf); };
        if (!is_list_of_leaves(query_.rows)) {
            require(wanted_, to_expression(query_.rows, convert_leaf));
            return;
        }
        for (const leaf& leaf : query_.rows.leaves()) {
            const auto* const window = std::get_if<bounds<instant>>(&leaf.test);
            const auto place = rows_.columns().place_of(leaf.subject.name);
            if (window && place && rows_.columns().is_row_time(*place)) {
                require(wanted_, *window);
            } else {
                require(wanted_, convert(leaf));
            }
        }
    }
    list_search(const stored_rows&, list_query&&, const scan_options& = {}) = delete;
    list_search(stored_rows&&, const list_query&, const scan_options& = {}) = delete;
    list_search(const list_search&) = delete;
    list_search& operator=(const list_search&) = delete;

    /// Counts the rows on all pages.
    [[nodiscard]] result<std::int64_t> count() const {
        return find(wanted_, [](scan rows) { return rows.count(); });
    }
    /// Explains the count without running it: its access paths, conditions and their costs.
    [[nodiscard]] result<explanation> explain() const {
        return find(wanted_, [](const scan& rows) { return rows.explain(); });
    }
    /// Counts the rows and explains how.
    [[nodiscard]] result<explanation> analyze() const {
        return find(wanted_, [](scan rows) { return rows.analyze(); });
    }
    /// Returns the page of the query.
    [[nodiscard]] result<selected_page> page() const {
        if (query_.from && query_.from->query_mark != query_mark(query_)) {
            return fail_in(rule::cursor_mismatch, "cursor");
        }
        const row_order order(rows_, query_);
        if (query_.from && !order.has_place(*query_.from)) {
            return fail_in(rule::cursor_malformed, "cursor");
        }
        const auto direction = order.table_order();
        auto selected = direction ? page_in_table_order(*direction) : page_in(order);
        if (!selected) return tl::unexpected(selected.error());
        const std::vector<std::size_t>& numbers = selected->rows;
        selected_page page(rows_, numbers);
        page.has_next = selected->has_next;
        page.has_previous = query_.from ? selected->has_previous : query_.wanted.number > 1;
        if (!numbers.empty() && page.has_next) page.next = place_of(order, numbers.back(), false);
        if (!numbers.empty() && page.has_previous) {
            page.previous = place_of(order, numbers.front(), true);
        }
        if (!query_.wants_total) return page;
        return count().map([&](std::int64_t total) {
            page.total = total;
            return std::move(page);
        });
    }

private:
    /// Calls `run` with a scan of a selection, and points its error at a metadata condition.
    template <class Run>
    [[nodiscard]] auto find(const selection& wanted, const Run& run) const
        -> decltype(run(std::declval<scan>())) {
        if (!query_.search.empty()) return fail_in(rule::not_applicable, "search");
        return run(scan(rows_.rows(), wanted, options_)).map_error([this](error why) {
            return documents_.pointed_at_test(why);
        });
    }

    /// Returns the page size; 0 for the negative size of a hand-written query.
    [[nodiscard]] std::int64_t page_size() const noexcept {
        return std::max<std::int64_t>(query_.wanted.size, 0);
    }

    // --- Pages -----------------------------------------------------------------------------

    /// Finds the page in the order of the store's rows, reading only as far as it.
    [[nodiscard]] result<row_page> page_in_table_order(sort_order direction) const {
        const sluice::page& wanted = query_.wanted;
        if (!query_.from) {
            return find(wanted_, [&](scan rows) {
                return rows.page(direction, wanted.offset(), page_size());
            });
        }
        const std::size_t id = rows_.columns().has_row_time() ? 1 : 0;
        const std::int64_t time = id == 0 ? 0 : *parse_time_key(query_.from->key(0));
        const row_place place =
            find_place(rows_.rows(), *query_.from, {time, query_.from->key(id)});
        return store::page_at(
            place, wanted_, direction, [&](const selection& part, sort_order order) {
                return find(part, [&](scan rows) { return rows.page(order, 0, page_size()); });
            });
    }
    /// Finds the page in another order, sorting the rows as they are found, within the same limits.
    [[nodiscard]] result<row_page> page_in(const row_order& order) const {
        const auto from = whole_place(order);
        if (!from) return tl::unexpected(from.error());
        scan_budget budget(options_.limits);
        detail::page_sorter sorter(order, *from, query_.wanted.offset(), page_size(), budget);
        const auto done = visit([&](std::size_t row) { return sorter.add(row); });
        if (!done) return tl::unexpected(done.error());
        auto page = sorter.page();
        if (!page) return tl::unexpected(spent_error(budget, {}));
        return *std::move(page);
    }
    /// Returns the cursor, if any, with whole keys; searches its row if some were cut.
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
        return find(wanted_, [&](scan rows) { return rows.visit(sort_order::ascending, 0, take); });
    }
    [[nodiscard]] cursor place_of(const row_order& order, std::size_t row, bool is_before) const {
        return order.place_of(row, is_before, query_mark(query_));
    }

    // --- Leaves to codes -------------------------------------------------------------------

    expression convert(const leaf& leaf) {
        const stored_columns& store = rows_.columns();
        const auto place = store.place_of(leaf.subject.name);
        if (!place) return expression::constant(holds(leaf, std::monostate()));
        if (store.is_row_time(*place)) {
            return expression::test(
                [this, &leaf](std::size_t row) {
                    return holds(leaf, instant(std::chrono::milliseconds(rows_.rows().time(row))));
                },
                {leaf.param});
        }
        const auto* const metadata = std::get_if<metadata_query>(&leaf.test);
        const column_values& values = store.values(*place);
        if (metadata && values.of().type == column_type::json) {
            return convert(leaf, *metadata, *place);
        }
        return expression::leaf({*place, values.meeting(leaf), {leaf.param}});
    }
    expression convert(const leaf& leaf, const metadata_query& query, std::size_t place) {
        const auto [paths, first_code] = rows_.columns().paths_of(place);
        const row_documents documents{place, &rows_.columns().values(place).texts()};
        return documents_.add(paths, first_code, leaf.param, documents, query);
    }

    const stored_rows& rows_;
    const list_query& query_;
    scan_options options_;
    metadata_leaves documents_;
    selection wanted_;
};

}  // namespace sluice::store

#endif
