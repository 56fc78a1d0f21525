// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_SELECT_HPP
#define SLUICE_STORE_SELECT_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/query/list_query.hpp>
#include <sluice/store/column_store.hpp>
#include <sluice/store/conditions/scan_budget.hpp>

/// Selecting, counting and explaining the rows of a store by a list query.
namespace sluice::store {

/// A row of a page. Keeps the rows of its moment alive and views the store.
class stored_row {
public:
    /// Returns the value in a column; see stored_rows::at().
    [[nodiscard]] cell at(const column& of) const { return rows_->at(number_, of); }
    /// Returns the text of a JSON column; nullopt for an absent value.
    [[nodiscard]] std::optional<std::string_view> json(const column& of) const {
        return rows_->json(number_, of);
    }

private:
    friend class selected_page;
    stored_row(std::shared_ptr<const stored_rows> rows, std::size_t number)
        : rows_(std::move(rows)), number_(number) {}

    std::shared_ptr<const stored_rows> rows_;
    std::size_t number_;
};

/// The page of a list query, with cursors to its neighbours. Keeps the rows of its moment, which
/// later rows don't change, and views the store.
///
/// ```
/// for (const stored_row& row : page.rows()) print(row.at(columns[0]));
/// ```
class selected_page : public page_info {
public:
    selected_page(const stored_rows& of, page_info&& place, std::vector<std::size_t>&& numbers)
        : page_info(std::move(place)), of_(of), numbers_(std::move(numbers)) {}

    [[nodiscard]] std::size_t size() const noexcept { return numbers_.size(); }
    [[nodiscard]] bool empty() const noexcept { return numbers_.empty(); }
    /// Returns the rows in the query's order.
    [[nodiscard]] std::vector<stored_row> rows() const {
        const auto moment = std::make_shared<const stored_rows>(of_);
        std::vector<stored_row> rows;
        rows.reserve(size());
        for (const std::size_t number : numbers_) rows.push_back(stored_row(moment, number));
        return rows;
    }
    /// Returns the rows as a JSON array of objects, with the members of the schema.
    [[nodiscard]] std::string json() const;
    /// Returns the rows as a JSON array, in a layout of the same store.
    [[nodiscard]] std::string json(const json_layout& layout) const {
        return json(layout.pieces());
    }
    /// Returns the rows as a JSON array, in a layout of the same store's code columns.
    [[nodiscard]] std::string json(const json_rows& pieces) const;

private:
    stored_rows of_;
    std::vector<std::size_t> numbers_;  // row numbers in of_
};

/// Returns the page of a list query.
///
/// ```
/// const auto query = sluice::to_list_query(params, *bound);
/// const auto page = sluice::store::select(orders.current(), query);
/// if (page) std::cout << page->json();
/// ```
///
/// In the order of the store's rows, or its reverse, the scan stops at the end of the page; in
/// other orders it keeps the rows of the page, and selects only rows before the last of them.
/// Errors: query_too_costly and request_cancelled by the limits in the options, see store::scan;
/// not_applicable for a `search`; cursor_mismatch and cursor_malformed.
[[nodiscard]] result<selected_page> select(const stored_rows& rows, const list_query& query,
                                           const scan_options& options = {});

/// Counts the rows of a list query on all its pages. Errors of this function and those below: those
/// of select(), except for cursors.
[[nodiscard]] result<std::int64_t> count(const stored_rows& rows, const list_query& query,
                                         const scan_options& options = {});

/// Explains how the store would count the rows of a list query and what each condition would read,
/// without reading rows.
[[nodiscard]] result<explanation> explain(const stored_rows& rows, const list_query& query,
                                          const scan_options& options = {});
/// Counts the rows of a list query and explains how.
[[nodiscard]] result<explanation> analyze(const stored_rows& rows, const list_query& query,
                                          const scan_options& options = {});

}  // namespace sluice::store

#if SLUICE_STORE_DEFINED
#include <sluice/store/columns/stored_columns.hpp>
#include <sluice/store/search/list_search.hpp>

namespace sluice::store {

SLUICE_STORE_INLINE std::string selected_page::json() const { return json(of_.columns().layout()); }

SLUICE_STORE_INLINE std::string selected_page::json(const json_rows& pieces) const {
    std::string text = "[";
    pieces.write(of_.rows(), numbers_, text);
    return text.append("]");
}

SLUICE_STORE_INLINE result<selected_page> select(const stored_rows& rows, const list_query& query,
                                                 const scan_options& options) {
    if (query.from && query.from->query_mark != query_mark(query)) {
        return fail_in(rule::cursor_mismatch, "cursor");
    }
    auto page = list_search(rows, query, options).page();
    if (!page) return tl::unexpected(page.error());
    return selected_page(rows, std::move(*page), std::move(page->rows));
}

SLUICE_STORE_INLINE result<std::int64_t> count(const stored_rows& rows, const list_query& query,
                                               const scan_options& options) {
    return list_search(rows, query, options).count();
}

SLUICE_STORE_INLINE result<explanation> explain(const stored_rows& rows, const list_query& query,
                                                const scan_options& options) {
    return list_search(rows, query, options).explain();
}
SLUICE_STORE_INLINE result<explanation> analyze(const stored_rows& rows, const list_query& query,
                                                const scan_options& options) {
    return list_search(rows, query, options).analyze();
}

}  // namespace sluice::store
#endif

#endif
