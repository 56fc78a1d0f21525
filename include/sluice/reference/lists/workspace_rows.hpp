// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_LISTS_WORKSPACE_ROWS_HPP
#define SLUICE_REFERENCE_LISTS_WORKSPACE_ROWS_HPP

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/base/ascii.hpp>
#include <sluice/reference/lists/record_search.hpp>
#include <sluice/reference/store/workspace.hpp>
#include <sluice/reference/tags/tags_query.hpp>
#include <sluice/store/plan/scan.hpp>

/// The rows of lists in a workspace.
namespace sluice::reference {

/// The rows of a list, and the memory of rows that the workspace doesn't hold.
struct loaded_rows {
    std::vector<std::string> texts{};  ///< rows
    std::vector<packed_row> views{};   ///< all rows, if some are in `texts`
    listed_rows all{};
};

/// Returns the rows of a kind of record in a view, which they must not outlive.
template <class Record>
[[nodiscard]] listed_rows rows_of(const workspace_view& view) {
    const record_rows<Record>& kept = view.source->rows<Record>();
    listed_rows all{kept.first(view.size_of(kept))};
    if constexpr (std::is_same_v<Record, link>) all.json = &view.source->fragments().links();
    if constexpr (std::is_same_v<Record, customer>) {
        all.json = &view.source->fragments().customers();
    }
    return all;
}

/// Returns a page of the tags in a view. Errors: see record_search::page().
[[nodiscard]] inline result<json_page> list_tags(const workspace_view& view,
                                                 const tags_query& query,
                                                 const store::scan_limits& limits = {}) {
    return record_search<tag>(rows_of<tag>(view), to_list_query(tags_params, query), limits).page();
}

namespace detail {

/// Packs a domain without a record: its links tell its name, and when it was used first and last.
[[nodiscard]] inline std::string pack_domain(std::string_view slug, instant first, instant last) {
    const std::string id = "dom_" + std::string(slug);
    const domain derived{.id = id, .slug = slug, .created_at = first, .updated_at = last};
    return pack_row(derived, json_of([&](auto& json) { write_record(json, derived); }));
}

}  // namespace detail

/// Returns all domains of a workspace: those that have records, and those that only its links name.
[[nodiscard]] inline loaded_rows domains_of(std::span<const packed_row> records,
                                            std::span<const packed_row> links) {
    constexpr auto place = [](const auto& schema, std::string_view name) {
        return static_cast<std::size_t>(schema.find(name) - schema.begin());
    };
    constexpr std::size_t slug = place(domains_schema, "slug");
    constexpr std::size_t name = place(links_schema, "domain");
    constexpr std::size_t time = place(links_schema, "createdAt");
    std::map<std::string, std::pair<instant, instant>, std::less<>> named;
    for (const packed_row& row : links) {
        const instant at = detail::value_in<link, time>(row);
        const auto [entry, is_new] =
            named.try_emplace(sluice::detail::to_lower(detail::value_in<link, name>(row)), at, at);
        entry->second = {std::min(entry->second.first, at), std::max(entry->second.second, at)};
    }
    for (const packed_row& row : records) {
        named.erase(sluice::detail::to_lower(detail::value_in<domain, slug>(row)));
    }
    loaded_rows rows{.views = {records.begin(), records.end()}};
    for (const auto& [domain, times] : named) {
        rows.texts.push_back(detail::pack_domain(domain, times.first, times.second));
    }
    rows.views.insert(rows.views.end(), rows.texts.begin(), rows.texts.end());
    rows.all.rows = rows.views;
    return rows;
}

/// Returns the customers with leads or sales of a link, as codes. Errors: those of store::scan.
[[nodiscard]] inline result<store::code_set> customers_of(const workspace_view& view,
                                                          std::string_view link_id,
                                                          const store::scan_limits& limits) {
    std::vector<store::code> customers;
    const store::code link = view.source->texts(column::link).find(link_id);
    const store::selection wanted{
        .conditions = {{index_of(column::link), store::code_set({link})}}};
    for (const store::snapshot* const events : {&view.leads, &view.sales}) {
        if (link == store::absent) break;
        const auto done =
            store::scan(*events, wanted, {.limits = limits})
                .visit(sort_order::ascending, 0, [&](std::size_t row) {
                    customers.push_back(events->code_at(row, index_of(column::customer)));
                    return true;
                });
        if (!done) return tl::unexpected(done.error());
    }
    return store::code_set(std::move(customers));
}

}  // namespace sluice::reference

#endif
