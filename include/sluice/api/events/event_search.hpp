// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_EVENTS_EVENT_SEARCH_HPP
#define SLUICE_API_EVENTS_EVENT_SEARCH_HPP

#include <limits>

#include <sluice/api/events/link_selection.hpp>
#include <sluice/api/workspace.hpp>
#include <sluice/store/metadata/conditions.hpp>
#include <sluice/store/scan.hpp>

namespace sluice::api {

/// One events query against one view: its clauses turned into sets of codes, once, and its rows
/// found. Link clauses come to one set of links. It views the view and the query. Errors are those
/// of a scan that its limits end; see store::scan.
class event_search {
public:
    event_search(const workspace_view& view, const events_query& query,
                 const store::scan_options& options = {})
        : view_(view), query_(query), options_(options), events_(view.events(query.event)) {
        select_window();
        select_clauses();
        select_sale_type();
        select_metadata();
    }
    event_search(const event_search&) = delete;
    event_search& operator=(const event_search&) = delete;

    /// How many events match, whatever the page.
    [[nodiscard]] result<std::int64_t> count() const {
        return find([](store::scan rows) { return rows.count(); });
    }

    /// The rows of the query's page.
    [[nodiscard]] result<store::row_page> page() const {
        const page_position at{query_.page, query_.limit};
        return find(
            [&](store::scan rows) { return rows.page(query_.sort_order, at.offset(), at.size); });
    }

    /// How the rows are found, and what is read for that.
    [[nodiscard]] result<store::explanation> explain() const {
        return find([](store::scan rows) { return rows.explain(); });
    }

private:
    using page_position = sluice::page;
    static constexpr std::string_view metadata_param = "query";

    /// What `ask(scan)` gives, unless the limits have ended the search before.
    template <class Ask>
    [[nodiscard]] auto find(const Ask& ask) const -> decltype(ask(std::declval<store::scan>())) {
        if (ended_) return tl::unexpected(*ended_);
        return ask({events_, wanted_, options_}).map_error([this](error why) {
            return pointed_at_test(why);
        });
    }
    /// An error at the test of metadata points at its condition that was asked the most.
    [[nodiscard]] error pointed_at_test(error why) const {
        if (why.param != metadata_param || why.length > 0) return why;
        const store::condition_source source = metadata_->costliest_test();
        why.offset = source.offset;
        why.length = source.length;
        return why;
    }

    void select_window() {
        if (query_.window.start) {
            wanted_.first_time = query_.window.start->time_since_epoch().count();
        }
        wanted_.last_time = query_.window.end.time_since_epoch().count();
    }

    void select_clauses() {
        for (const clause& each : clauses(events_params, query_)) {
            const std::string_view param = param_of(each.column);
            if (const auto own = event_column(each.column)) {
                require(*own, each, param);
            } else if (each.column == "link.id") {
                require(column::link, each, param);
            } else if (each.column == "customer.id") {
                select_customer(each, param);
            } else {
                keep_links(each, param);
            }
        }
        if (query_.root) {
            keep_links({.column = "link.key",
                        .excludes = !*query_.root,
                        .values = std::span(&root_link_key, 1)},
                       "root");
        }
        if (links_) require(column::link, std::move(*links_).take(), links_param_);
    }

    /// The parameter that puts a clause on a column.
    static std::string_view param_of(std::string_view name) noexcept {
        const auto found = std::ranges::find_if(
            events_params, [&](const auto& row) { return row.info.column == name; });
        return found == events_params.end() ? std::string_view{} : found->info.name;
    }

    /// Requires a column's code to be among those that a clause names, or not to be.
    void require(column where, const clause& wanted, std::string_view param) {
        auto accepted = store::codes_named(view_.source->texts(where), wanted.values, wanted.how);
        if (wanted.excludes) accepted.flip();
        require(where, std::move(accepted), param);
    }
    void require(column where, store::code_set accepted, std::string_view param) {
        wanted_.conditions.push_back({index_of(where), std::move(accepted), {param}});
    }

    void keep_links(const clause& wanted, std::string_view param) {
        if (links_param_.empty()) links_param_ = param;
        if (!links_) links_.emplace();
        links_->keep(view_.source->link_fields().find(wanted.column, wanted.values, wanted.how),
                     wanted.excludes);
    }

    /// Leads and sales name their customer; clicks are named by the customer's leads and sales.
    void select_customer(const clause& wanted, std::string_view param) {
        if (query_.event != event_kind::clicks) return require(column::customer, wanted, param);
        store::selection of_customer;
        of_customer.conditions.push_back(
            {index_of(column::customer),
             store::codes_named(view_.source->texts(column::customer), wanted.values, wanted.how),
             {param}});
        std::vector<store::code> clicks;
        for (const store::snapshot* outcomes : {&view_.leads, &view_.sales}) {
            constexpr auto all = std::numeric_limits<std::int64_t>::max();
            store::scan rows(*outcomes, of_customer, options_);
            const auto found = rows.page(sort_order::ascending, 0, all);
            if (!found) return static_cast<void>(ended_ = found.error());
            for (const std::size_t row : found->rows) {
                clicks.push_back(outcomes->code_at(row, index_of(column::click_id)));
            }
        }
        require(column::click_id, store::code_set(std::move(clicks)), param);
    }

    void select_sale_type() {
        if (!query_.sale_type) return;
        const auto type = static_cast<std::size_t>(*query_.sale_type);
        require(column::sale_type,
                {.column = "sale.type", .values = std::span(sale_type_names).subspan(type, 1)},
                "saleType");
    }

    void select_metadata() {
        if (query_.query.empty()) return;
        const auto json_of = [this](std::size_t row) {
            const store::code c = events_.code_at(row, index_of(column::metadata));
            return view_.source->texts(column::metadata).text(c);
        };
        metadata_.emplace(view_.source->metadata(query_.event), own_columns_of(query_.event),
                          metadata_param, json_of, query_.query);
        require(metadata_->rows());
    }
    /// A lone condition is met more quickly than an expression.
    void require(store::expression wanted) {
        const store::expression::node& root = wanted.nodes().back();
        if (root.what == store::expression::kind::condition) {
            wanted_.conditions.push_back(root.rows);
        } else {
            wanted_.where = std::move(wanted);
        }
    }

    const workspace_view& view_;
    const events_query& query_;
    store::scan_options options_;
    const store::snapshot& events_;
    std::optional<link_selection> links_;
    std::string_view links_param_;  // the first that selects links
    std::optional<store::metadata_conditions> metadata_;
    std::optional<error> ended_;  // by the limits, while the query was turned into codes
    store::selection wanted_;
};

}  // namespace sluice::api

#endif
