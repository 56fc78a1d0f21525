// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_SELECT_HPP
#define SLUICE_STORE_SELECT_HPP

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/list_query.hpp>
#include <sluice/store/metadata/leaves.hpp>
#include <sluice/store/row_order.hpp>
#include <sluice/store/row_place.hpp>
#include <sluice/store/where_selection.hpp>

namespace sluice::store {

/// The rows of a list query's page, by their numbers, and what leads to the pages beside it.
struct selected_page {
    std::vector<std::size_t> rows{};
    bool has_next = false;
    bool has_previous = false;
    std::optional<cursor> next{};         ///< after the last row, where there is a next page
    std::optional<cursor> previous{};     ///< before the first row, where there is a previous one
    std::optional<std::int64_t> total{};  ///< rows on all pages, where the query wants it
};

/// A list query against the rows of a column_store: its leaves turned into sets of codes, once. A
/// leaf of a column that the store lacks, or of another type, is as of an absent value. It views
/// the rows and the query. Errors are those of a scan that its limits end, see store::scan, and
/// not_applicable of a query with a `search`, which is a list's own to answer; of a page at a
/// cursor cursor_mismatch, where it is another query's, and cursor_malformed, where a key of it
/// isn't a value of its column.
class list_search {
public:
    list_search(const stored_rows& rows, const list_query& asked, const scan_options& options = {})
        : rows_(rows), asked_(asked), options_(options) {
        const auto convert_leaf = [this](const leaf& each) { return convert(each); };
        if (!is_list_of_leaves(asked_.rows)) {
            require(wanted_, to_expression(asked_.rows, convert_leaf));
            return;
        }
        for (const leaf& each : asked_.rows.leaves()) {
            const auto* const window = std::get_if<bounds<instant>>(&each.test);
            const auto place = rows_.store().place_of(each.subject.name);
            if (window && place && rows_.store().is_row_time(*place)) {
                require(wanted_, *window);
            } else {
                require(wanted_, convert(each));
            }
        }
    }
    list_search(const stored_rows&, list_query&&, const scan_options& = {}) = delete;
    list_search(stored_rows&&, const list_query&, const scan_options& = {}) = delete;
    list_search(const list_search&) = delete;
    list_search& operator=(const list_search&) = delete;

    /// How many rows there are on all pages.
    [[nodiscard]] result<std::int64_t> count() const {
        return find(wanted_, [](scan rows) { return rows.count(); });
    }
    /// How they would be counted, by which conditions at what cost; then how they were.
    [[nodiscard]] result<explanation> explain() const {
        return find(wanted_, [](const scan& rows) { return rows.explain(); });
    }
    [[nodiscard]] result<explanation> analyze() const {
        return find(wanted_, [](scan rows) { return rows.analyze(); });
    }
    /// The query's page.
    [[nodiscard]] result<selected_page> page() const {
        if (asked_.from && asked_.from->query_mark != query_mark(asked_)) {
            return fail_in(rule::cursor_mismatch, "cursor");
        }
        const row_order order(rows_, asked_);
        if (asked_.from && !order.has_place(*asked_.from)) {
            return fail_in(rule::cursor_malformed, "cursor");
        }
        const auto own = order.table_order();
        auto found = own ? page_in_table_order(*own) : page_in(order);
        if (!found) return tl::unexpected(found.error());
        selected_page page{std::move(found->rows), found->has_next,
                           asked_.from ? found->has_previous : asked_.wanted.number > 1};
        if (!page.rows.empty() && page.has_next) {
            page.next = place_of(order, page.rows.back(), false);
        }
        if (!page.rows.empty() && page.has_previous) {
            page.previous = place_of(order, page.rows.front(), true);
        }
        if (!asked_.wants_total) return page;
        return count().map([&](std::int64_t total) {
            page.total = total;
            return std::move(page);
        });
    }

private:
    /// What `ask(scan)` gives.
    template <class Ask>
    [[nodiscard]] auto find(const selection& wanted, const Ask& ask) const
        -> decltype(ask(std::declval<scan>())) {
        if (!asked_.search.empty()) return fail_in(rule::not_applicable, "search");
        return ask(scan(rows_.rows(), wanted, options_)).map_error([this](error why) {
            return documents_.pointed_at_test(why);
        });
    }

    /// A query made by hand may ask for none.
    [[nodiscard]] std::int64_t page_size() const noexcept {
        return std::max<std::int64_t>(asked_.wanted.size, 0);
    }

    // --- Pages -----------------------------------------------------------------------------

    /// The first rows of a page are found without those after it.
    [[nodiscard]] result<row_page> page_in_table_order(sort_order direction) const {
        const sluice::page& wanted = asked_.wanted;
        if (!asked_.from) {
            return find(wanted_, [&](scan rows) {
                return rows.page(direction, wanted.offset(), page_size());
            });
        }
        const std::size_t id = rows_.store().has_row_time() ? 1 : 0;
        const std::int64_t time = id == 0 ? 0 : *parse_time_key(asked_.from->key(0));
        const row_place place =
            find_place(rows_.rows(), *asked_.from, {time, asked_.from->key(id)});
        return store::page_at(
            place, wanted_, direction, [&](const selection& part, sort_order order) {
                return find(part, [&](scan rows) { return rows.page(order, 0, page_size()); });
            });
    }
    /// All rows are found, and those of the page put in order.
    [[nodiscard]] result<row_page> page_in(const row_order& order) const {
        constexpr auto all = std::numeric_limits<std::int64_t>::max();
        auto found =
            find(wanted_, [](scan rows) { return rows.page(sort_order::ascending, 0, all); });
        if (!found) return found;
        if (asked_.from) return page_at(*asked_.from, order, std::move(found->rows));
        return part_of(std::move(found->rows), order, asked_.wanted.offset(), false);
    }
    [[nodiscard]] row_page page_at(const cursor& from, const row_order& order,
                                   std::vector<std::size_t> rows) const {
        std::erase_if(rows, [&](std::size_t row) {
            const std::weak_ordering side = order.compare(row, from);
            return from.is_before ? side >= 0 : side <= 0;
        });
        row_page page = part_of(std::move(rows), order, 0, from.is_before);
        page.has_previous = true;
        if (from.is_before) {
            std::ranges::reverse(page.rows);
            page.has_previous = std::exchange(page.has_next, true);
        }
        return page;
    }
    /// The rows of a page from an offset on, in order or its reverse.
    [[nodiscard]] row_page part_of(std::vector<std::size_t> rows, const row_order& order,
                                   std::int64_t offset, bool is_reversed) const {
        const auto size = static_cast<std::size_t>(page_size());
        const std::size_t begin = std::min(rows.size(), static_cast<std::size_t>(offset));
        const std::size_t end = begin + std::min(rows.size() - begin, size);
        const auto place = [&](std::size_t at) {
            return rows.begin() + static_cast<std::ptrdiff_t>(at);
        };
        std::partial_sort(rows.begin(), place(end), rows.end(), [&](std::size_t a, std::size_t b) {
            return is_reversed ? order.is_before(b, a) : order.is_before(a, b);
        });
        return {{place(begin), place(end)}, end < rows.size()};
    }
    [[nodiscard]] cursor place_of(const row_order& order, std::size_t row, bool is_before) const {
        return {is_before, query_mark(asked_), 0, order.keys_of(row)};
    }

    // --- Leaves to codes -------------------------------------------------------------------

    expression convert(const leaf& asked) {
        const column_store& store = rows_.store();
        const auto place = store.place_of(asked.subject.name);
        if (!place) return expression::constant(holds(asked, std::monostate()));
        if (store.is_row_time(*place)) {
            return expression::test(
                [this, &asked](std::size_t row) {
                    return holds(asked, instant(std::chrono::milliseconds(rows_.rows().time(row))));
                },
                {asked.param});
        }
        const auto* const metadata = std::get_if<metadata_query>(&asked.test);
        const column_values& values = store.values(*place);
        if (metadata && values.of().type == column_type::json) {
            return convert(asked, *metadata, *place);
        }
        return expression::leaf({*place, values.meeting(asked), {asked.param}});
    }
    expression convert(const leaf& asked, const metadata_query& query, std::size_t place) {
        const auto [paths, first_code] = rows_.store().paths_of(place);
        const row_documents documents{place, &rows_.store().values(place).texts()};
        return documents_.add(paths, first_code, asked.param, documents, query);
    }

    const stored_rows& rows_;
    const list_query& asked_;
    scan_options options_;
    metadata_leaves documents_;
    selection wanted_;
};

/// The page of rows that a list query asks for.
///
/// ```
/// const auto rows = orders.current();
/// const auto page = sluice::store::select(rows, sluice::to_list_query(params, *query));
/// if (page) std::cout << rows.json(page->rows);
/// ```
///
/// In the order that the store has its rows in, or its reverse, only the page is looked for; for
/// others all rows that match are found and the page is put in order. Errors: query_too_costly and
/// request_cancelled, by the limits in the options, see store::scan; not_applicable of a `search`;
/// cursor_mismatch and cursor_malformed.
[[nodiscard]] inline result<selected_page> select(const stored_rows& rows, const list_query& query,
                                                  const scan_options& options = {}) {
    return list_search(rows, query, options).page();
}

/// How many rows a list query takes, on all its pages.
[[nodiscard]] inline result<std::int64_t> count(const stored_rows& rows, const list_query& query,
                                                const scan_options& options = {}) {
    return list_search(rows, query, options).count();
}

/// How the store would find the rows of a list query, and what it would read for that, by
/// condition: no row is looked at.
[[nodiscard]] inline result<explanation> explain(const stored_rows& rows, const list_query& query,
                                                 const scan_options& options = {}) {
    return list_search(rows, query, options).explain();
}
/// The same after it was done.
[[nodiscard]] inline result<explanation> analyze(const stored_rows& rows, const list_query& query,
                                                 const scan_options& options = {}) {
    return list_search(rows, query, options).analyze();
}

}  // namespace sluice::store

#endif
