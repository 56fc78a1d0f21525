// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_EVENT_PAGE_HPP
#define SLUICE_API_EVENT_PAGE_HPP

#include <sluice/api/event_search.hpp>

namespace sluice::api {

/// A page of a list as the JSON array that goes to the client.
struct json_page {
    std::string body;
    bool has_next = false;  ///< more rows follow
};

namespace detail {

/// Reads the records of one kind of event back from a view's columns.
class event_reader {
public:
    event_reader(const workspace_view& view, event_kind kind)
        : source_(*view.source), events_(view.events(kind)), kind_(kind) {}

    [[nodiscard]] click click_at(std::size_t row) const {
        const bool is_click = kind_ == event_kind::clicks;
        return {.id = text(row, column::click_id),
                .timestamp = at(is_click ? events_.time(row)
                                         : integer(row, integer_column::click_timestamp)),
                .link_id = text(row, column::link),
                .url = text(row, column::url),
                .country = text(row, column::country),
                .city = text(row, column::city),
                .region = text(row, column::region),
                .continent = text(row, column::continent),
                .device = text(row, column::device),
                .browser = text(row, column::browser),
                .os = text(row, column::os),
                .trigger = optional_text(row, column::trigger),
                .referer = text(row, column::referer),
                .referer_url = text(row, column::referer_url),
                .qr = code_at(row, column::qr) != 0,
                .ip = text(row, column::ip),
                .workspace_id = std::nullopt};
    }
    [[nodiscard]] lead lead_at(std::size_t row) const { return outcome_at<lead>(row); }
    [[nodiscard]] sale sale_at(std::size_t row) const {
        sale found = outcome_at<sale>(row);
        found.amount = integer(row, integer_column::amount);
        found.currency = text(row, column::currency);
        found.invoice_id = optional_text(row, column::invoice_id);
        found.payment_processor = text(row, column::payment_processor);
        return found;
    }
    [[nodiscard]] link_part link_at(std::size_t row) const {
        return source_.link_of(code_at(row, column::link)).part();
    }
    [[nodiscard]] std::string_view customer_at(std::size_t row) const {
        return source_.customer_json(code_at(row, column::customer));
    }

private:
    /// What a lead and a sale have in common.
    template <class Outcome>
    [[nodiscard]] Outcome outcome_at(std::size_t row) const {
        Outcome found;
        found.event_id = event_id(row);
        found.event_name = text(row, column::event_name);
        found.timestamp = at(events_.time(row));
        found.customer_id = text(row, column::customer);
        found.click_id = text(row, column::click_id);
        found.link_id = text(row, column::link);
        found.metadata = text(row, column::metadata);
        return found;
    }
    static instant at(std::int64_t time) noexcept {
        return instant{std::chrono::milliseconds{time}};
    }
    [[nodiscard]] store::code code_at(std::size_t row, column c) const {
        return events_.code_at(row, index_of(c));
    }
    [[nodiscard]] std::string_view text(std::size_t row, column c) const {
        return source_.texts(c).text(code_at(row, c));
    }
    [[nodiscard]] std::optional<std::string_view> optional_text(std::size_t row, column c) const {
        const store::code found = code_at(row, c);
        return found == store::absent ? std::nullopt : std::optional(source_.texts(c).text(found));
    }
    [[nodiscard]] std::string_view event_id(std::size_t row) const {
        return source_.event_ids(kind_).text(code_at(row, column::event_id));
    }
    [[nodiscard]] std::int64_t integer(std::size_t row, integer_column c) const {
        return events_.integer_at(row, index_of(c));
    }

    const workspace& source_;
    const store::snapshot& events_;
    event_kind kind_;
};

inline void write_event(sluice::detail::json_writer& json, const event_reader& events,
                        event_kind kind, std::size_t row) {
    const click clicked = events.click_at(row);
    const link_part link = events.link_at(row);
    switch (kind) {
        case event_kind::clicks: return write_click_event(json, clicked, link);
        case event_kind::leads:
            return write_lead_event(json, events.lead_at(row), clicked, link,
                                    events.customer_at(row));
        case event_kind::sales:
            return write_sale_event(json, events.sale_at(row), clicked, link,
                                    events.customer_at(row));
    }
}

}  // namespace detail

/// The page of events that a query asks for.
[[nodiscard]] inline json_page list_events(const workspace_view& view, const events_query& query) {
    const store::row_page found = event_search(view, query).page();
    const detail::event_reader events(view, query.event);
    json_page page{{}, found.has_next};
    page.body.reserve(found.rows.size() * 2048);
    sluice::detail::json_writer json(page.body);
    json.begin_array();
    for (const std::size_t row : found.rows) detail::write_event(json, events, query.event, row);
    json.end_array();
    return page;
}

/// How many events a query matches on all its pages.
[[nodiscard]] inline std::int64_t count_events(const workspace_view& view,
                                               const events_query& query) {
    return event_search(view, query).count();
}

}  // namespace sluice::api

#endif
