// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_EVENT_SEARCH_HPP
#define SLUICE_API_EVENT_SEARCH_HPP

#include <sluice/api/metadata_lookup.hpp>
#include <sluice/api/workspace.hpp>
#include <sluice/store/scan.hpp>

namespace sluice::api {

namespace detail {

/// A field of a link that a clause may name.
struct filtered_link_field {
    std::string_view column;
    bool (*passes)(const stored_link&, const filter_matcher&, bool excludes);
};

template <auto Member>
bool text_passes(const stored_link& link, const filter_matcher& names, bool excludes) {
    return names.contains(link.*Member) != excludes;
}
template <auto Member>
bool optional_passes(const stored_link& link, const filter_matcher& names, bool excludes) {
    const std::optional<std::string>& text = link.*Member;
    return (text && names.contains(*text)) != excludes;
}
template <auto Member>
bool list_passes(const stored_link& link, const filter_matcher& names, bool excludes) {
    return std::ranges::any_of(link.*Member, [&](const std::string& text) {
               return names.contains(text);
           }) != excludes;
}

inline constexpr std::array filtered_link_fields{
    filtered_link_field{"link.id", text_passes<&stored_link::id>},
    filtered_link_field{"link.domain", text_passes<&stored_link::domain>},
    filtered_link_field{"link.key", text_passes<&stored_link::key>},
    filtered_link_field{"link.externalId", optional_passes<&stored_link::external_id>},
    filtered_link_field{"link.tenantId", optional_passes<&stored_link::tenant_id>},
    filtered_link_field{"link.programId", optional_passes<&stored_link::program_id>},
    filtered_link_field{"link.partnerId", optional_passes<&stored_link::partner_id>},
    filtered_link_field{"link.groupId", optional_passes<&stored_link::group_id>},
    filtered_link_field{"link.folderId", optional_passes<&stored_link::folder_id>},
    filtered_link_field{"link.tagIds", list_passes<&stored_link::tag_ids>},
    filtered_link_field{"link.partnerTagIds", list_passes<&stored_link::partner_tag_ids>},
};

constexpr const filtered_link_field* find_link_field(std::string_view column) noexcept {
    const auto found =
        std::ranges::find(filtered_link_fields, column, &filtered_link_field::column);
    return found == filtered_link_fields.end() ? nullptr : found;
}

}  // namespace detail

/// One events query against one view: its clauses turned into sets of codes, once, and its rows
/// found. Link clauses are answered by the links, so that an event costs one test for all of them.
/// It views both arguments.
class event_search {
public:
    event_search(const workspace_view& view, const events_query& query)
        : view_(view), query_(query), events_(view.events(query.event)) {
        select_window();
        select_clauses();
        select_sale_type();
        select_metadata();
    }

    /// How many events match, whatever the page.
    [[nodiscard]] std::int64_t count() const { return store::scan(events_, wanted_).count(); }

    /// The rows of the query's page.
    [[nodiscard]] store::row_page page() const {
        const page_position at{query_.page, query_.limit};
        return store::scan(events_, wanted_).page(query_.sort_order, at.offset(), at.size);
    }

private:
    using page_position = sluice::page;

    void select_window() {
        if (query_.window.start) {
            wanted_.first_time = query_.window.start->time_since_epoch().count();
        }
        wanted_.last_time = query_.window.end.time_since_epoch().count();
    }

    void select_clauses() {
        std::vector<clause> of_links;
        for (const clause& each : clauses(events_params, query_)) {
            if (const auto own = event_column(each.column)) {
                require(*own, each);
            } else if (each.column == "customer.id") {
                select_customer(each);
            } else {
                of_links.push_back(each);
            }
        }
        if (!of_links.empty() || query_.root) select_links(of_links);
    }

    /// Requires a column's code to be among those that a clause names, or not to be.
    void require(column where, const clause& wanted) {
        require(where, store::codes_named(view_.source->texts(where), wanted.values, wanted.how),
                wanted.excludes);
    }
    void require(column where, store::code_set accepted, bool excludes = false) {
        if (excludes) accepted.flip();
        wanted_.conditions.push_back({index_of(where), std::move(accepted)});
    }

    void select_links(std::span<const clause> of_links) {
        std::vector<filter_matcher> names;
        for (const clause& each : of_links) names.emplace_back(each.values, each.how);
        const auto passes = [&](const stored_link& link) {
            if (query_.root && *query_.root != (link.key == root_link_key)) return false;
            for (std::size_t i = 0; i < of_links.size(); ++i) {
                const auto* field = detail::find_link_field(of_links[i].column);
                if (!field->passes(link, names[i], of_links[i].excludes)) return false;
            }
            return true;
        };
        store::code_set accepted(view_.links + 1);
        for (store::code c = 1; c <= view_.links; ++c) {
            if (passes(view_.source->link_of(c))) accepted.insert(c);
        }
        require(column::link, std::move(accepted));
    }

    /// Leads and sales name their customer; clicks are named by the customer's leads and sales.
    void select_customer(const clause& wanted) {
        if (query_.event != event_kind::clicks) return require(column::customer, wanted);
        const store::dictionary& customers = view_.source->texts(column::customer);
        const store::code customer = customers.find(wanted.values.front());
        store::code_set clicks(view_.source->texts(column::click_id).size());
        for (const store::snapshot* outcomes : {&view_.leads, &view_.sales}) {
            for (std::size_t row = 0; row < outcomes->size(); ++row) {
                if (outcomes->code_at(row, index_of(column::customer)) != customer) continue;
                clicks.insert(outcomes->code_at(row, index_of(column::click_id)));
            }
        }
        require(column::click_id, std::move(clicks));
    }

    void select_sale_type() {
        if (!query_.sale_type) return;
        const std::string name(sale_type_names[static_cast<std::size_t>(*query_.sale_type)]);
        require(column::sale_type, {.column = "sale.type", .values = {&name, 1}});
    }

    void select_metadata() {
        if (query_.query.empty()) return;
        wanted_.test = [this, reader = std::make_shared<metadata_reader>()](std::size_t row) {
            const store::code c = events_.code_at(row, index_of(column::metadata));
            reader->load(view_.source->texts(column::metadata).text(c));
            return query_.query.matches(
                [&](std::span<const std::string> keys) { return reader->find(keys); });
        };
    }

    const workspace_view& view_;
    const events_query& query_;
    const store::snapshot& events_;
    store::selection wanted_;
};

}  // namespace sluice::api

#endif
