// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_SEARCH_EVENT_PAGE_HPP
#define SLUICE_REFERENCE_SEARCH_EVENT_PAGE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/reference/events/events_query.hpp>
#include <sluice/reference/search/list_page.hpp>
#include <sluice/reference/store/workspace.hpp>
#include <sluice/store/search/list_search.hpp>

/// Pages, counts and query plans of events in memory, and the search that they come from.
namespace sluice::reference {

namespace detail {

/// Maps the columns of one kind of event to their storage; see store::searched_column. Borrows the
/// view.
class stored_events final : public store::searched_columns {
public:
    stored_events(const workspace_view& view, event_kind kind) noexcept
        : view_(view), kind_(kind) {}

    [[nodiscard]] bool has_row_time() const noexcept override { return true; }
    [[nodiscard]] const test_set& answered() const noexcept override { return common_tests; }
    [[nodiscard]] store::searched_column find(const sluice::column& searched) const override {
        const std::string_view name = searched.name;
        if (name == "timestamp") return store::time_column();
        if (name == "id") {
            return values_of(searched, id_column_of(kind_), source().event_ids(kind_));
        }
        if (name == "metadata") return metadata(searched);
        if (name == "customer.id" && kind_ == event_kind::clicks) {
            return store::referenced_column{
                index_of(column::click_id),
                [this](const leaf& test, const store::scan_options& options) {
                    return clicks_of(test, options);
                }};
        }
        if (name == "sale.amount") return amount();
        if (const auto stored = column_of(name)) {
            // Columns that this kind of event lacks are null.
            if (index_of(*stored) >= fixed_columns_of(kind_)) return store::absent_column();
            return values_of(searched, *stored, source().texts(*stored));
        }
        // Other columns are fields of links: a row meets a condition if its link does.
        const auto* const field = source().link_fields().find(name);
        if (field == nullptr) return store::absent_column();
        return field->searched_by(index_of(column::link));
    }

private:
    [[nodiscard]] const workspace& source() const noexcept { return *view_.source; }

    /// The table column that holds exactly this column of the schema, if there is one.
    static std::optional<column> column_of(std::string_view name) noexcept {
        if (name == "customer.id") return column::customer;
        if (name == "sale.type") return column::sale_type;
        return event_column(name);
    }
    /// A stored column, whose rows have single values: leads and sales have one customer, although
    /// the schema has a list, for the customers of clicks.
    static store::value_column values_of(sluice::column searched, column stored,
                                         const store::dictionary& texts) {
        searched.is_list = false;
        return {index_of(stored), store::value_reader(searched, texts)};
    }
    /// The amounts of sales.
    [[nodiscard]] store::searched_column amount() const noexcept {
        if (kind_ != event_kind::sales) return store::absent_column();
        return store::number_column{index_of(integer_column::amount)};
    }
    /// The JSON column of leads and sales.
    [[nodiscard]] store::searched_column metadata(const sluice::column& searched) const {
        if (kind_ == event_kind::clicks) return store::absent_column();  // clicks have no metadata
        return store::json_column{
            values_of(searched, column::metadata, source().texts(column::metadata)),
            source().metadata(kind_), fixed_columns_of(kind_)};
    }
    /// The codes of the clicks that led to leads and sales of the customers in `test`, or of all
    /// other clicks if the test excludes its customers. A code is a text's number in the column's
    /// dictionary. Errors: query_too_costly, request_cancelled.
    [[nodiscard]] result<store::code_set> clicks_of(const leaf& test,
                                                    const store::scan_options& options) const {
        const auto* const customers = std::get_if<text_test>(&test.test);
        if (customers == nullptr) return store::code_set();
        store::selection outcomes;
        outcomes.conditions.push_back(
            {index_of(column::customer),
             store::codes_named(source().texts(column::customer), customers->wanted.values(),
                                test.subject.how),
             {test.param}});
        std::vector<store::code> clicks;
        for (const store::snapshot* rows : {&view_.leads, &view_.sales}) {
            constexpr auto all = std::numeric_limits<std::int64_t>::max();
            const auto matches =
                store::scan(*rows, outcomes, options).page(sort_order::ascending, 0, all);
            if (!matches) return tl::unexpected(matches.error());
            for (const std::size_t row : matches->rows) {
                clicks.push_back(rows->code_at(row, index_of(column::click_id)));
            }
        }
        return store::code_set(std::move(clicks), customers->wanted.excludes());
    }

    const workspace_view& view_;
    event_kind kind_;
};

}  // namespace detail

/// Finds the events of a list query in one view; see store::list_search. Borrows the view.
class event_search {
public:
    event_search(const workspace_view& view, event_kind kind, list_query query,
                 const store::scan_options& options = {})
        : query_(std::move(query)),
          columns_(view, kind),
          rows_(view.events(kind), columns_, query_, options) {}
    event_search(const workspace_view& view, const events_query& query,
                 const store::scan_options& options = {})
        : event_search(view, query.event, to_list_query(events_params, query), options) {}
    // A temporary view would not outlive the search.
    event_search(workspace_view&&, event_kind, list_query,
                 const store::scan_options& = {}) = delete;
    event_search(workspace_view&&, const events_query&, const store::scan_options& = {}) = delete;
    event_search(const event_search&) = delete;
    event_search& operator=(const event_search&) = delete;

    // Errors of all: query_too_costly or request_cancelled if the limits in the options end the
    // search.
    [[nodiscard]] result<std::int64_t> count() const { return rows_.count(); }
    [[nodiscard]] result<store::searched_page> page() const { return rows_.page(); }
    [[nodiscard]] result<store::explanation> explain() const { return rows_.explain(); }
    [[nodiscard]] bool has_table_order() const { return rows_.has_table_order(); }
    [[nodiscard]] result<store::explanation> analyze() const { return rows_.analyze(); }

private:
    list_query query_;
    detail::stored_events columns_;
    store::list_search rows_;
};

/// Returns the page of events that a query describes. Errors of this header's functions:
/// query_too_costly and request_cancelled if the limits in `options` are exceeded; list_events()
/// also cursor_malformed.
[[nodiscard]] inline result<json_page> list_events(const workspace_view& view,
                                                   const events_query& query,
                                                   const store::scan_options& options = {}) {
    return event_search(view, query, options).page().map([&](store::searched_page&& selected) {
        const std::vector<std::size_t> rows = std::move(selected.rows);
        json_page page{std::move(selected), "["};
        view.source->json().layout(query.event).write(view.events(query.event), rows, page.body);
        page.body.push_back(']');
        return page;
    });
}

/// Counts the events that a query matches on all pages.
[[nodiscard]] inline result<std::int64_t> count_events(const workspace_view& view,
                                                       const events_query& query,
                                                       const store::scan_options& options = {}) {
    return event_search(view, query, options).count();
}

/// Explains how the store would find the events of a query, and what it would read, without reading
/// any event.
[[nodiscard]] inline result<store::explanation> explain_events(
    const workspace_view& view, const events_query& query,
    const store::scan_options& options = {}) {
    return event_search(view, query, options).explain();
}

/// Returns the number of records whose search takes as long as the page of a query, by the plan of
/// its count, which reads no less; all if that isn't known.
[[nodiscard]] inline std::size_t planned_records(const workspace_view& view,
                                                 const events_query& query,
                                                 const store::scan_options& options = {}) {
    constexpr std::size_t bytes_per_record = 100;  // of codes and index, read in the same time
    constexpr std::size_t records_per_row = 50;    // searched while a row of the page is written
    const std::size_t all = view.events(query.event).size();
    const event_search search(view, query, options);
    const auto plan = search.explain();
    std::size_t read = all;
    if (plan && search.has_table_order()) {
        read = 0;
        for (const store::explanation::path_use& path : plan->paths) {
            read += path.bytes / bytes_per_record;
        }
        for (const store::condition_use& condition : plan->conditions) read += condition.rows;
    }
    const auto rows = static_cast<std::size_t>(std::max<std::int64_t>(query.limit, 0));
    return std::min(read, all) + records_per_row * std::min(rows, all);
}

/// Runs the query and explains how the events were selected.
[[nodiscard]] inline result<store::explanation> analyze_events(
    const workspace_view& view, const events_query& query,
    const store::scan_options& options = {}) {
    return event_search(view, query, options).analyze();
}

}  // namespace sluice::reference

#endif
