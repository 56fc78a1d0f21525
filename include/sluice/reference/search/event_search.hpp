// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_SEARCH_EVENT_SEARCH_HPP
#define SLUICE_REFERENCE_SEARCH_EVENT_SEARCH_HPP

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/reference/events/events_query.hpp>
#include <sluice/reference/search/link_selection.hpp>
#include <sluice/reference/store/workspace.hpp>
#include <sluice/store/conditions/where_selection.hpp>
#include <sluice/store/documents/leaves.hpp>
#include <sluice/store/search/row_place.hpp>

namespace sluice::reference {

/// Finds the events of a list query in one view. The conditions are converted to sets of codes
/// once; conditions on links are merged into one set of links. Borrows the view. Errors are those
/// of a scan that exceeds its limits; see store::scan.
class event_search {
public:
    event_search(const workspace_view& view, event_kind kind, list_query query,
                 const store::scan_options& options = {})
        : view_(view),
          query_(std::move(query)),
          kind_(kind),
          options_(options),
          events_(view.events(kind)) {
        select_rows();
    }
    event_search(const workspace_view& view, const events_query& query,
                 const store::scan_options& options = {})
        : event_search(view, query.event, to_list_query(events_params, query), options) {}
    event_search(workspace_view&&, event_kind, list_query,
                 const store::scan_options& = {}) = delete;
    event_search(workspace_view&&, const events_query&, const store::scan_options& = {}) = delete;
    event_search(const event_search&) = delete;
    event_search& operator=(const event_search&) = delete;

    /// Counts the matching events on all pages.
    [[nodiscard]] result<std::int64_t> count() const {
        return find(wanted_, [](store::scan rows) { return rows.count(); });
    }

    /// The rows of the query's page.
    [[nodiscard]] result<store::row_page> page() const {
        const sluice::page& wanted = query_.wanted;
        if (!query_.from) {
            return find(wanted_, [&](store::scan rows) {
                return rows.page(direction(), wanted.offset(), wanted.size);
            });
        }
        const auto place = place_of(*query_.from);
        if (!place) return tl::unexpected(place.error());
        return page_at(*place);
    }

    /// The cursor of the page before the page's first row, or after its last row.
    [[nodiscard]] cursor place_before(std::size_t row) const { return make_place(row, true); }
    [[nodiscard]] cursor place_after(std::size_t row) const { return make_place(row, false); }

    /// Explains how the rows would be counted; analyze() counts them and explains how.
    [[nodiscard]] result<store::explanation> explain() const {
        return find(wanted_, [](store::scan rows) { return rows.explain(); });
    }
    [[nodiscard]] result<store::explanation> analyze() const {
        return find(wanted_, [](store::scan rows) { return rows.analyze(); });
    }

private:
    /// The direction of the order, which is always by time; ascending if the query has none.
    [[nodiscard]] sort_order direction() const noexcept {
        return query_.order.empty() ? sort_order::ascending : query_.order.front().direction;
    }

    /// Returns `ask(scan)`, or the error of a search that its limits ended earlier.
    template <class Ask>
    [[nodiscard]] auto find(const store::selection& wanted, const Ask& read) const
        -> decltype(read(std::declval<store::scan>())) {
        if (ended_) return tl::unexpected(*ended_);
        return read({events_, wanted, options_}).map_error([this](error why) {
            return documents_.pointed_at_test(why);
        });
    }
    // --- Pages at a cursor -----------------------------------------------------------------

    [[nodiscard]] result<store::row_page> page_at(const store::row_place& place) const {
        const auto find_first = [this](const store::selection& wanted, sort_order order) {
            return find(wanted,
                        [&](store::scan rows) { return rows.page(order, 0, query_.wanted.size); });
        };
        return store::page_at(place, wanted_, direction(), find_first);
    }
    [[nodiscard]] result<store::row_place> place_of(const cursor& from) const {
        const auto time = parse_time_key(from.key(0));
        if (!time) return fail_in(rule::cursor_malformed, "cursor");
        return store::find_place(events_, from, {*time, from.key(1)});
    }
    [[nodiscard]] cursor make_place(std::size_t row, bool is_before) const {
        const store::code id_code = events_.code_at(row, index_of(id_column_of(kind_)));
        const std::string_view id = view_.source->event_ids(kind_).text(id_code);
        const std::int64_t time = events_.time(row);
        return {is_before,
                query_mark(query_),
                store::repeats_before(events_, row, {time, id}),
                {to_time_key(time), std::string(id)}};
    }

    // --- Leaves to codes -------------------------------------------------------------------

    void select_rows() {
        if (!is_list_of_leaves(query_.rows)) {
            const auto convert_leaf = [this](const leaf& condition) { return convert(condition); };
            return require(wanted_, store::to_expression(query_.rows, convert_leaf));
        }
        for (const leaf& condition : query_.rows.leaves()) select(condition);
        if (links_) select_links(std::move(*links_).take());
    }
    /// Adds a condition that all rows must meet: a window narrows the range of rows, and texts of
    /// links narrow the set of links.
    void select(const leaf& condition) {
        if (const auto* const window = std::get_if<bounds<instant>>(&condition.test)) {
            return require(wanted_, *window);
        }
        const auto* const texts = std::get_if<text_test>(&condition.test);
        if (texts == nullptr || texts->wanted.empty()) return require(wanted_, convert(condition));
        const std::string_view name = condition.subject.name;
        if (!name.starts_with("link.") || name == "link.id") {
            return require(wanted_, convert(condition));
        }
        if (links_param_.empty()) links_param_ = condition.param;
        if (!links_) links_.emplace();
        links_->narrow(links_matching(condition.subject, texts->wanted), texts->wanted.excludes());
    }
    void select_links(store::code_set accepted) {
        wanted_.conditions.push_back({index_of(column::link), std::move(accepted), {links_param_}});
    }

    store::expression convert(const leaf& condition) {
        if (const auto* const texts = std::get_if<text_test>(&condition.test)) {
            return convert(condition, texts->wanted);
        }
        if (const auto* const query = std::get_if<metadata_query>(&condition.test)) {
            return convert(condition, *query);
        }
        if (condition.subject.type == column_type::integer) return convert_numbers(condition);
        // The remaining column of events is their time.
        return store::expression::test(
            [this, test = condition](std::size_t row) {
                return holds(test, instant(std::chrono::milliseconds(events_.time(row))));
            },
            {condition.param});
    }
    store::expression convert(const leaf& condition, const filter& wanted) {
        if (wanted.empty()) return store::expression::constant(true);
        const std::string_view name = condition.subject.name;
        column tested = column::link;
        std::vector<store::code> codes;
        if (name == "customer.id" && kind_ == event_kind::clicks) {
            tested = column::click_id;
            codes = clicks_of(condition, wanted);
        } else if (name == "id") {
            tested = id_column_of(kind_);
            codes =
                view_.source->event_ids(kind_).codes_named(wanted.values(), condition.subject.how);
        } else if (const auto stored_column = column_of(name)) {
            // Columns that this kind of event lacks are null, which only an exclusion accepts.
            if (index_of(*stored_column) >= fixed_columns_of(kind_)) {
                return store::expression::constant(wanted.excludes());
            }
            tested = *stored_column;
            codes = view_.source->texts(*stored_column)
                        .codes_named(wanted.values(), condition.subject.how);
        } else {
            codes = links_matching(condition.subject, wanted);
        }
        return store::expression::leaf({index_of(tested),
                                        store::code_set(std::move(codes), wanted.excludes()),
                                        {condition.param}});
    }
    /// Converts a condition on integers. Numbers are stored as texts, so that each distinct one is
    /// tested once, regardless of the number of rows.
    store::expression convert_numbers(const leaf& condition) const {
        const auto stored_column = column_of(condition.subject.name);
        if (!stored_column || index_of(*stored_column) >= fixed_columns_of(kind_)) {
            return store::expression::constant(holds(condition, cell()));
        }
        auto codes = view_.source->texts(*stored_column).codes_where([&](std::string_view number) {
            const auto read = parse_int64(number);
            return read && holds(condition, *read);
        });
        return store::expression::leaf(
            {index_of(*stored_column), store::code_set(std::move(codes)), {condition.param}});
    }
    /// The table column that holds exactly this column of the schema, if there is one.
    static std::optional<column> column_of(std::string_view name) noexcept {
        if (name == "link.id") return column::link;
        if (name == "customer.id") return column::customer;
        if (name == "sale.type") return column::sale_type;
        return event_column(name);
    }
    std::vector<store::code> links_matching(const sluice::column& field,
                                            const filter& values) const {
        return view_.source->link_fields().find(field.name, values.values(), field.how);
    }
    /// The clicks of leads and sales of the matching customers.
    std::vector<store::code> clicks_of(const leaf& condition, const filter& customers) {
        store::selection customer_rows;
        customer_rows.conditions.push_back(
            {index_of(column::customer),
             store::codes_named(view_.source->texts(column::customer), customers.values(),
                                condition.subject.how),
             {condition.param}});
        std::vector<store::code> clicks;
        for (const store::snapshot* outcomes : {&view_.leads, &view_.sales}) {
            constexpr auto all = std::numeric_limits<std::int64_t>::max();
            const auto matches =
                store::scan(*outcomes, customer_rows, options_).page(sort_order::ascending, 0, all);
            if (!matches) {
                ended_ = matches.error();
                return clicks;
            }
            for (const std::size_t row : matches->rows) {
                clicks.push_back(outcomes->code_at(row, index_of(column::click_id)));
            }
        }
        return clicks;
    }
    store::expression convert(const leaf& condition, const metadata_query& query) {
        if (kind_ == event_kind::clicks) {  // clicks have no metadata
            return store::expression::constant(
                query.matches([](const auto&) { return std::optional<scalar>(); }));
        }
        const store::row_documents documents{index_of(column::metadata),
                                             &view_.source->texts(column::metadata)};
        return documents_.add(view_.source->metadata(kind_), fixed_columns_of(kind_),
                              condition.param, documents, query);
    }

    const workspace_view& view_;
    list_query query_;
    event_kind kind_;
    store::scan_options options_;
    const store::snapshot& events_;
    std::optional<link_selection> links_;
    std::string_view links_param_;  // the first parameter that selects links
    store::metadata_leaves documents_;
    std::optional<error> ended_;  // a limit was exceeded during the conversion to codes
    store::selection wanted_;
};

}  // namespace sluice::reference

#endif
