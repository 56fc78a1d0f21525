// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_SELECT_HPP
#define SLUICE_STORE_SELECT_HPP

#include <cstdint>

#include <sluice/query/list_query.hpp>
#include <sluice/store/conditions/scan_options.hpp>
#include <sluice/store/selected_page.hpp>

namespace sluice::store {

/// Returns the page of a list query.
///
/// ```
/// const auto query = sluice::to_list_query(params, *bound);
/// const auto page = sluice::store::select(orders.current(), query);
/// if (page) std::cout << page->json();
/// ```
///
/// In the order of the store's rows, or its reverse, the scan stops at the end of the page; in
/// other orders it finds all matching rows and sorts those of the page. Errors: query_too_costly
/// and request_cancelled by the limits in the options, see store::scan; not_applicable for a
/// `search`; cursor_mismatch and cursor_malformed.
[[nodiscard]] result<selected_page> select(const stored_rows& rows, const list_query& query,
                                           const scan_options& options = {});

/// Counts the rows of a list query on all its pages. Errors, here and below, are those of select()
/// but for cursors.
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
#include <utility>

#include <sluice/store/search/list_search.hpp>

namespace sluice::store {

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
