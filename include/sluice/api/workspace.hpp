// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_WORKSPACE_HPP
#define SLUICE_API_WORKSPACE_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <sluice/api/event_columns.hpp>
#include <sluice/api/record_writer.hpp>
#include <sluice/api/records.hpp>
#include <sluice/detail/case_folding.hpp>
#include <sluice/query_string.hpp>
#include <sluice/store/chunked_list.hpp>
#include <sluice/store/dictionary.hpp>
#include <sluice/store/table.hpp>

namespace sluice::api {

/// What the store keeps of a link: the fields that filters read, and its JSON, rendered once.
struct stored_link {
    std::string id, domain, key, json;
    std::optional<std::string> external_id, tenant_id, program_id, partner_id, group_id, folder_id;
    std::array<std::optional<std::string>, 5> utm;  ///< in the order of utm_names
    std::vector<std::string> tag_ids, partner_tag_ids;

    /// What event records show of it.
    [[nodiscard]] link_part part() const noexcept { return {id, domain, key, json}; }
};

/// What the store keeps of a tag.
struct stored_tag {
    std::string id, name, folded_name, json;
    instant created_at;
};

class workspace;

/// Everything in a workspace at one moment. It stays as it is while the workspace grows; it must
/// not outlive it.
struct workspace_view {
    const workspace* source = nullptr;
    store::snapshot clicks{}, leads{}, sales{};
    std::size_t links = 0, customers = 0, tags = 0;  ///< how many can be seen

    [[nodiscard]] const store::snapshot& events(event_kind kind) const noexcept {
        switch (kind) {
            case event_kind::clicks: return clicks;
            case event_kind::leads: return leads;
            case event_kind::sales: return sales;
        }
        return clicks;
    }
};

namespace detail {

inline std::optional<std::string> owned(const std::optional<std::string_view>& text) {
    return text ? std::optional<std::string>(*text) : std::nullopt;
}

/// The decoded value of a parameter in a URL's query, if it is there; the first one counts.
inline std::optional<std::string_view> find_value(std::span<const name_value> pairs,
                                                  std::string_view name) noexcept {
    const auto found = std::ranges::find(pairs, name, &name_value::name);
    return found == pairs.end() ? std::nullopt : std::optional(found->value);
}

/// The query of a URL: what stands between `?` and `#`.
constexpr std::string_view url_query(std::string_view url) noexcept {
    url = url.substr(0, url.find('#'));
    const std::size_t mark = url.find('?');
    return mark == std::string_view::npos ? std::string_view{} : url.substr(mark + 1);
}

inline tl::unexpected<error> refuse_field(rule broken, std::string_view field) noexcept {
    error e = make_error(broken);
    e.param = field;
    return tl::unexpected<error>(e);
}

}  // namespace detail

/// One tenant's links, tags, customers and events. A record that is added is checked against those
/// it refers to and becomes visible with the next publish(). One thread adds and publishes; any
/// number read views.
///
/// ```
/// add(tag), add(customer), add(link)
///       add(click) --------> pending rows --publish()--> tables --current()--> workspace_view
///             add(lead), add(sale) --^
/// ```
class workspace {
public:
    explicit workspace(std::string_view id) : id_(id) {}
    workspace(const workspace&) = delete;
    workspace& operator=(const workspace&) = delete;

    [[nodiscard]] const std::string& id() const noexcept { return id_; }

    /// Errors: identifier_taken (param `id`; leads and sales may share theirs, as two outcomes of
    /// one event do), and of events reference_unknown (param `linkId`, `clickId` or `customerId`).
    /// A refused record changes nothing.
    [[nodiscard]] result<void> add(const tag& added);
    [[nodiscard]] result<void> add(const customer& added);
    [[nodiscard]] result<void> add(const link& added);
    [[nodiscard]] result<void> add(const click& added);
    [[nodiscard]] result<void> add(const lead& added);
    [[nodiscard]] result<void> add(const sale& added);

    /// Makes all that was added visible to views taken from now on, at once.
    void publish();

    /// A consistent view of what was published. Any thread.
    [[nodiscard]] workspace_view current() const {
        const std::lock_guard lock(mutex_);
        return view_;
    }

    // What a view's codes and counts refer to.
    [[nodiscard]] const store::dictionary& texts(column c) const noexcept {
        return texts_[index_of(c)];
    }
    [[nodiscard]] const store::dictionary& event_ids(event_kind kind) const noexcept {
        return kind == event_kind::sales ? sale_ids_ : texts(id_column_of(kind));
    }
    [[nodiscard]] const stored_link& link_of(store::code c) const noexcept { return links_[c - 1]; }
    [[nodiscard]] const std::string& customer_json(store::code c) const noexcept {
        return customers_[c - 1];
    }
    [[nodiscard]] const stored_tag& tag_at(std::size_t index) const noexcept {
        return tags_[index];
    }

private:
    /// A table and the rows that wait to enter it.
    struct event_table {
        explicit event_table(const store::schema& columns) : rows(columns), pending(columns) {}
        store::table rows;
        store::row_buffer pending;

        /// Moves the pending rows into the table.
        template <class Derive>
        void settle(Derive derive) {
            rows.append(std::exchange(pending, store::row_buffer(rows.columns())), derive);
        }
    };
    static constexpr auto keep_as_is = [](std::size_t, std::span<store::code>) noexcept {};
    store::dictionary& texts_of(column c) noexcept { return texts_[index_of(c)]; }
    store::dictionary& event_ids_of(event_kind kind) noexcept {
        return kind == event_kind::sales ? sale_ids_ : texts_of(id_column_of(kind));
    }
    store::schema schema_of(event_kind kind) noexcept {
        return {code_columns_of(kind), integer_columns_of(kind), index_of(id_column_of(kind)),
                &event_ids_of(kind)};
    }

    void encode(std::span<store::code> codes, column c, std::optional<std::string_view> text) {
        codes[index_of(c)] = texts_of(c).encode(text);
    }
    void encode_click(std::span<store::code> codes, const click& added);
    void encode_utm(std::span<store::code> codes, std::string_view url, const stored_link& link);
    template <class Outcome>
    result<std::size_t> add_outcome(event_kind kind, const Outcome& added);
    void copy_click(std::span<store::code> codes, store::code click, std::string_view click_id);
    void mark_sale_type(std::size_t row, std::span<store::code> codes);

    std::string id_;
    std::array<store::dictionary, column_count> texts_;
    store::dictionary sale_ids_;  // apart from those of leads: a lead and a sale may share an id
    store::dictionary tag_ids_;
    store::chunked_list<stored_link> links_;      // by code of column::link
    store::chunked_list<std::string> customers_;  // JSON, by code of column::customer
    store::chunked_list<stored_tag> tags_;
    store::chunked_list<std::int64_t> click_times_;  // by code of column::click_id
    event_table clicks_{schema_of(event_kind::clicks)};
    event_table leads_{schema_of(event_kind::leads)};
    event_table sales_{schema_of(event_kind::sales)};
    std::unordered_map<std::uint64_t, std::size_t> first_sales_;  // rows, by customer and link
    std::size_t sales_marked_ = 0;                                // rows of sales seen so far
    workspace_view view_{.source = this};
    mutable std::mutex mutex_;  // guards view_
};

inline result<void> workspace::add(const tag& added) {
    if (tag_ids_.find(added.id) != store::absent) {
        return detail::refuse_field(rule::identifier_taken, "id");
    }
    static_cast<void>(tag_ids_.encode(added.id));
    stored_tag kept{std::string(added.id),
                    std::string(added.name),
                    sluice::detail::fold_case(added.name),
                    {},
                    added.created_at};
    sluice::detail::json_writer json(kept.json);
    write_tag(json, added);
    tags_.push_back(std::move(kept));
    return {};
}

inline result<void> workspace::add(const customer& added) {
    if (texts_of(column::customer).find(added.id) != store::absent) {
        return detail::refuse_field(rule::identifier_taken, "id");
    }
    static_cast<void>(texts_of(column::customer).encode(added.id));
    std::string json;
    sluice::detail::json_writer writer(json);
    write_customer(writer, added);
    customers_.push_back(std::move(json));
    return {};
}

inline result<void> workspace::add(const link& added) {
    if (texts_of(column::link).find(added.id) != store::absent) {
        return detail::refuse_field(rule::identifier_taken, "id");
    }
    static_cast<void>(texts_of(column::link).encode(added.id));
    using detail::owned;
    stored_link kept{
        .id = std::string(added.id),
        .domain = std::string(added.domain),
        .key = std::string(added.key),
        .json = {},
        .external_id = owned(added.external_id),
        .tenant_id = owned(added.tenant_id),
        .program_id = owned(added.program_id),
        .partner_id = owned(added.partner_id),
        .group_id = owned(added.group_id),
        .folder_id = owned(added.folder_id),
        .utm = {owned(added.utm_source), owned(added.utm_medium), owned(added.utm_campaign),
                owned(added.utm_term), owned(added.utm_content)},
        .tag_ids = {},
        .partner_tag_ids = {}};
    for (const tag& each : added.tags) kept.tag_ids.emplace_back(each.id);
    for (const auto& each : added.partner_tag_ids) kept.partner_tag_ids.emplace_back(each);
    sluice::detail::json_writer json(kept.json);
    write_link(json, added, id_);
    links_.push_back(std::move(kept));
    return {};
}

inline result<void> workspace::add(const click& added) {
    if (texts_of(column::link).find(added.link_id) == store::absent) {
        return detail::refuse_field(rule::reference_unknown, "linkId");
    }
    if (texts_of(column::click_id).find(added.id) != store::absent) {
        return detail::refuse_field(rule::identifier_taken, "id");
    }
    const std::int64_t time = added.timestamp.time_since_epoch().count();
    encode_click(clicks_.pending.codes(clicks_.pending.add(time)), added);
    click_times_.push_back(time);
    return {};
}

inline void workspace::encode_click(std::span<store::code> codes, const click& added) {
    encode(codes, column::link, added.link_id);
    encode(codes, column::click_id, added.id);
    encode(codes, column::country, added.country);
    encode(codes, column::continent, added.continent);
    encode(codes, column::region, added.region);
    encode(codes, column::city, added.city);
    encode(codes, column::device, added.device);
    encode(codes, column::browser, added.browser);
    encode(codes, column::os, added.os);
    encode(codes, column::trigger, added.trigger);
    encode(codes, column::referer, added.referer);
    encode(codes, column::referer_url, added.referer_url);
    encode(codes, column::url, added.url);
    encode(codes, column::ip, added.ip);
    codes[index_of(column::qr)] = added.qr ? 1 : 0;
    encode_utm(codes, added.url, link_of(codes[index_of(column::link)]));
}

/// A UTM field is the parameter of the click's URL, else the link's own.
inline void workspace::encode_utm(std::span<store::code> codes, std::string_view url,
                                  const stored_link& link) {
    const query_string query = parse_query_string(detail::url_query(url));
    for (std::size_t i = 0; i < utm_names.size(); ++i) {
        std::optional<std::string_view> value = detail::find_value(query.pairs(), utm_names[i]);
        if (!value) value = link.utm[i];
        encode(codes, utm_columns[i], value);
    }
}

inline result<void> workspace::add(const lead& added) {
    return add_outcome(event_kind::leads, added).map([](std::size_t) {});
}

inline result<void> workspace::add(const sale& added) {
    const auto row = add_outcome(event_kind::sales, added);
    if (!row) return tl::unexpected(row.error());
    const std::span<store::code> codes = sales_.pending.codes(*row);
    encode(codes, column::invoice_id, added.invoice_id);
    encode(codes, column::payment_processor, added.payment_processor);
    encode(codes, column::currency, added.currency);
    sales_.pending.integers(*row)[index_of(integer_column::amount)] = added.amount;
    return {};
}

/// Adds what a lead and a sale have in common and returns its pending row.
template <class Outcome>
result<std::size_t> workspace::add_outcome(event_kind kind, const Outcome& added) {
    const store::code link = texts(column::link).find(added.link_id);
    const store::code click = texts(column::click_id).find(added.click_id);
    if (link == store::absent) return detail::refuse_field(rule::reference_unknown, "linkId");
    if (click == store::absent) return detail::refuse_field(rule::reference_unknown, "clickId");
    if (texts(column::customer).find(added.customer_id) == store::absent) {
        return detail::refuse_field(rule::reference_unknown, "customerId");
    }
    store::row_buffer& pending = kind == event_kind::leads ? leads_.pending : sales_.pending;
    const std::size_t row = pending.add(added.timestamp.time_since_epoch().count());
    const std::span<store::code> codes = pending.codes(row);
    copy_click(codes, click, added.click_id);
    codes[index_of(column::link)] = link;
    encode_utm(codes, texts(column::url).text(codes[index_of(column::url)]), link_of(link));
    codes[index_of(column::event_id)] = event_ids_of(kind).encode(added.event_id);
    encode(codes, column::event_name, added.event_name);
    encode(codes, column::customer, added.customer_id);
    encode(codes, column::metadata, added.metadata);
    pending.integers(row)[index_of(integer_column::click_timestamp)] = click_times_[click - 1];
    return row;
}

/// Gives a lead or sale the codes of its click, which may not be in its table yet.
inline void workspace::copy_click(std::span<store::code> codes, store::code click,
                                  std::string_view click_id) {
    const std::size_t settled = click_times_.size() - clicks_.pending.size();
    if (click > settled) {  // clicks wait in the order of their codes
        std::ranges::copy(clicks_.pending.codes(click - 1 - settled), codes.begin());
        return;
    }
    const store::snapshot clicks = clicks_.rows.current();
    const std::size_t row = clicks.lower_bound(click_times_[click - 1], click_id);
    for (std::size_t i = 0; i < code_columns_of(event_kind::clicks); ++i) {
        codes[i] = clicks.code_at(row, i);
    }
}

/// Marks a sale as its customer's first on its link or a later one. Sales come in table order;
/// where late ones move others, it starts again from the first row that is not where it was.
inline void workspace::mark_sale_type(std::size_t row, std::span<store::code> codes) {
    if (row < sales_marked_) {
        std::erase_if(first_sales_, [&](const auto& first) { return first.second >= row; });
    }
    sales_marked_ = row + 1;
    const std::uint64_t pair =
        std::uint64_t{codes[index_of(column::customer)]} << 32 | codes[index_of(column::link)];
    const bool is_first = first_sales_.try_emplace(pair, row).second;
    encode(codes, column::sale_type, sale_type_names[is_first ? 0 : 1]);
}

inline void workspace::publish() {
    clicks_.settle(keep_as_is);
    leads_.settle(keep_as_is);
    sales_.settle(
        [this](std::size_t row, std::span<store::code> codes) { mark_sale_type(row, codes); });
    const std::lock_guard lock(mutex_);
    view_ = {this,          clicks_.rows.current(), leads_.rows.current(), sales_.rows.current(),
             links_.size(), customers_.size(),      tags_.size()};
}

}  // namespace sluice::api

#endif
