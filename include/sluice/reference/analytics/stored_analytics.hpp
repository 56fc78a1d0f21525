// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_ANALYTICS_STORED_ANALYTICS_HPP
#define SLUICE_REFERENCE_ANALYTICS_STORED_ANALYTICS_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/filters/collation.hpp>
#include <sluice/reference/analytics/analytics_json.hpp>
#include <sluice/reference/search/event_page.hpp>
#include <sluice/store/aggregate.hpp>

/// `GET /analytics` in memory.
namespace sluice::reference {

/// The events of a view, as a source of rows; see analytics_source. Borrows the view.
class stored_analytics {
public:
    explicit stored_analytics(const workspace_view& view, const store::scan_options& options = {})
        : view_(view), options_(options) {}

    /// Returns the groups of the events of a kind. Those of URLs without their query strings come
    /// in parts, one for each whole URL. Errors: those of store::aggregate() but for its limit.
    [[nodiscard]] result<aggregate_result> aggregate(event_kind kind,
                                                     const aggregate_query& query) const {
        const detail::stored_events columns(view_, kind);
        if (query.group_by.empty() || query.group_by.front().by.name != base_url_name)
            return store::group_search(view_.events(kind), columns, query, options_).run();
        const sluice::column& whole = *events_schema.find("click.url");
        aggregate_query by_url = query;
        by_url.group_by.front().by = whole;
        auto groups = store::group_search(view_.events(kind), columns, by_url, options_).run();
        if (!groups) return groups;
        for (aggregate_row& row : *groups) {
            auto& url = std::get<std::string>(row.groups.front());
            url.resize(record_of(whole.how).find_part(url)->size());
        }
        return groups;
    }
    /// Returns the time of the first event of a kind that meets conditions. Errors: those of a
    /// store::list_search.
    [[nodiscard]] result<std::optional<instant>> first_time(event_kind kind,
                                                            const where& rows) const {
        list_query query{.rows = rows};
        query.wanted.size = 1;
        for (const std::string_view name : {"timestamp", "id"})
            query.order.push_back({*events_schema.find(name), sort_order::ascending});
        return event_search(view_, kind, std::move(query), options_)
            .page()
            .map([&](const store::searched_page& page) -> std::optional<instant> {
                if (page.rows.empty()) return std::nullopt;
                return instant(
                    std::chrono::milliseconds(view_.events(kind).time(page.rows.front())));
            });
    }
    /// Returns the records that groups of a query name.
    [[nodiscard]] records_by_id find_records(analytics_group group,
                                             std::span<const analytics_row> rows) const {
        const workspace& source = *view_.source;
        if (group == analytics_group::top_link_tags)
            return detail::listed_records<tag>(source.rows<tag>().first(view_.tags));
        if (group == analytics_group::top_folders)
            return detail::listed_records<folder>(source.rows<folder>().first(view_.folders));
        records_by_id known;
        if (group == analytics_group::top_links) {
            for (const analytics_row& row : rows) {
                const std::string& id = row.group.front();
                const store::code link = source.texts(column::link).find(id);
                known.emplace(id, source.fragments().links().value(link));
            }
        }
        return known;
    }

private:
    const workspace_view& view_;
    store::scan_options options_;
};

/// Returns the body of `GET /analytics` for a query in one view. Errors: those of
/// find_analytics_rows().
[[nodiscard]] inline result<std::string> measure_events(const workspace_view& view,
                                                        const analytics_query& query,
                                                        const store::scan_options& options = {}) {
    const stored_analytics source(view, options);
    return find_analytics_rows(source, query).map([&](const std::vector<analytics_row>& rows) {
        return analytics_json(query.group_by, rows, source.find_records(query.group_by, rows));
    });
}

}  // namespace sluice::reference

#endif
