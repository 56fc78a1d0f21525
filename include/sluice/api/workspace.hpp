// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_WORKSPACE_HPP
#define SLUICE_API_WORKSPACE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <sluice/api/events/code_cache.hpp>
#include <sluice/api/events/event_columns.hpp>
#include <sluice/api/events/event_json.hpp>
#include <sluice/api/events/event_table.hpp>
#include <sluice/api/events/link_index.hpp>
#include <sluice/api/events/sale_types.hpp>
#include <sluice/api/events/utm_codes.hpp>
#include <sluice/api/records/records.hpp>
#include <sluice/api/records/stored_records.hpp>
#include <sluice/api/workspace_view.hpp>
#include <sluice/store/chunked_list.hpp>
#include <sluice/store/dictionary.hpp>
#include <sluice/store/metadata/columns.hpp>
#include <sluice/store/metadata/shredder.hpp>
#include <sluice/store/table.hpp>

namespace sluice::api {

namespace detail {

inline tl::unexpected<error> refuse_field(rule broken, std::string_view field) noexcept {
    error e = make_error(broken);
    e.param = field;
    return tl::unexpected<error>(e);
}

/// Where a link is reached: no two of a workspace share their domain, in any letter case, and key.
inline std::string address_of(const link& added) {
    return sluice::detail::to_lower(added.domain).append("/").append(added.key);
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
    /// `seed` starts the hashes of all texts here.
    explicit workspace(std::string_view id, hash_seed seed = hash_seed::of_process())
        : id_(id), seed_(seed) {}
    workspace(const workspace&) = delete;
    workspace& operator=(const workspace&) = delete;

    [[nodiscard]] const std::string& id() const noexcept { return id_; }
    [[nodiscard]] hash_seed seed() const noexcept { return seed_; }

    /// Errors: identifier_taken (param `id`; leads and sales may share theirs, as two outcomes of
    /// one event do; of links also `key`, which is taken on its domain, and `externalId`), and of
    /// events reference_unknown (param `linkId`, `clickId` or `customerId`). A refused record
    /// changes nothing.
    [[nodiscard]] result<void> add(const tag& added);
    [[nodiscard]] result<void> add(const customer& added);
    [[nodiscard]] result<void> add(const link& added);
    [[nodiscard]] result<void> add(const click& added) {
        return add(added, texts(column::link).find(added.link_id));
    }
    [[nodiscard]] result<void> add(const lead& added) {
        return add(added, texts(column::link).find(added.link_id));
    }
    [[nodiscard]] result<void> add(const sale& added) {
        return add(added, texts(column::link).find(added.link_id));
    }
    /// The same where the code of the event's link is known: it is the number of links that came
    /// up to it, or `absent`.
    [[nodiscard]] result<void> add(const click& added, store::code link);
    [[nodiscard]] result<void> add(const lead& added, store::code link);
    [[nodiscard]] result<void> add(const sale& added, store::code link);

    /// Makes all that was added visible to views taken from now on, at once.
    void publish();

    /// How many records there are, and how many of the events wait for a publish(). Those of each
    /// kind come in order, so that these numbers tell what came later.
    struct record_counts {
        std::size_t tags, customers, links, clicks, lead_ids, sale_ids;  ///< and 1
        std::size_t pending_clicks, pending_leads, pending_sales;
    };
    [[nodiscard]] record_counts counts() const noexcept;
    /// Takes all back that was added since, which has not been published. What others read goes on
    /// as it is. Distinct texts of columns stay in memory, of no row, until a record has them
    /// again.
    void roll_back(const record_counts& to) noexcept;

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
    [[nodiscard]] const link_index& link_fields() const noexcept { return link_fields_; }
    [[nodiscard]] const event_json& json() const noexcept { return json_; }
    /// What stands at which paths of the metadata of leads or of sales.
    [[nodiscard]] const store::metadata_columns& metadata(event_kind kind) const noexcept {
        return kind == event_kind::leads ? lead_metadata_.columns : sale_metadata_.columns;
    }
    [[nodiscard]] const stored_tag& tag_at(std::size_t index) const noexcept {
        return tags_[index];
    }

private:
    /// The metadata of one kind of event.
    struct event_metadata {
        explicit event_metadata(hash_seed seed) : columns(seed) {}

        store::metadata_columns columns;
        store::metadata_shredder shredder{columns};
    };

    store::dictionary& texts_of(column c) noexcept { return texts_[index_of(c)]; }
    store::schema schema_of(event_kind kind) noexcept {
        const bool is_sale = kind == event_kind::sales;
        return {code_columns_of(kind), integer_columns_of(kind), index_of(id_column_of(kind)),
                is_sale ? &sale_ids_ : &texts_of(id_column_of(kind))};
    }

    template <column Column>
    void encode(std::span<store::code> codes, std::optional<std::string_view> text);
    void encode_click(std::span<store::code> codes, const click& added);
    /// Begins to look a text up; see dictionary::seek().
    template <column Column>
    [[nodiscard]] store::sought_text seek(std::string_view text) const noexcept {
        return texts(Column).seek(text);
    }
    template <column Column>
    void encode(std::span<store::code> codes, const store::sought_text& sought) {
        codes[index_of(Column)] = texts_of(Column).encode(sought);
    }
    void encode_utm(std::span<store::code> codes);
    template <class Outcome>
    result<std::size_t> add_outcome(store::row_buffer& pending, const Outcome& added,
                                    store::code link);

    std::string id_;
    hash_seed seed_;
    std::array<store::dictionary, column_count> texts_ =
        store::make_dictionaries<column_count>(seed_);
    store::dictionary sale_ids_{
        seed_};  // apart from those of leads: a lead and a sale may share an id
    store::dictionary tag_ids_{seed_};
    store::dictionary addresses_{seed_};  // of links, by their codes: domain/key
    std::array<code_cache, column_count> caches_;
    utm_codes utm_{texts_};
    event_json json_{texts_, sale_ids_};
    store::chunked_list<stored_link> links_;  // by code of column::link
    link_index link_fields_{seed_};
    store::chunked_list<stored_tag> tags_;
    click_places click_places_;
    sale_types sale_types_{seed_};
    event_metadata lead_metadata_{seed_}, sale_metadata_{seed_};
    event_table clicks_{schema_of(event_kind::clicks)};
    event_table leads_{schema_of(event_kind::leads)};
    event_table sales_{schema_of(event_kind::sales)};
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
    json_.add_customer(added);
    return {};
}

inline result<void> workspace::add(const link& added) {
    if (texts_of(column::link).find(added.id) != store::absent) {
        return detail::refuse_field(rule::identifier_taken, "id");
    }
    const std::string address = detail::address_of(added);
    if (addresses_.find(address) != store::absent) {
        return detail::refuse_field(rule::identifier_taken, "key");
    }
    if (added.external_id && link_fields_.has_external_id(*added.external_id)) {
        return detail::refuse_field(rule::identifier_taken, "externalId");
    }
    static_cast<void>(addresses_.encode(std::string_view(address)));
    link_fields_.add(texts_of(column::link).encode(added.id), added);
    json_.add_link(added, id_);
    links_.push_back(stored_link::of(added));
    return {};
}

inline result<void> workspace::add(const click& added, store::code link) {
    if (link == store::absent) return detail::refuse_field(rule::reference_unknown, "linkId");
    const auto sought_id = seek<column::click_id>(added.id);
    const auto url = seek<column::url>(added.url);
    const auto ip = seek<column::ip>(added.ip);
    const std::size_t clicks = texts(column::click_id).size();
    const store::code id = texts_of(column::click_id).encode(sought_id);
    if (id < clicks) return detail::refuse_field(rule::identifier_taken, "id");
    const std::size_t row = clicks_.pending.add(added.timestamp.time_since_epoch().count());
    const std::span<store::code> codes = clicks_.pending.codes(row);
    codes[index_of(column::link)] = link;
    codes[index_of(column::click_id)] = id;
    encode_click(codes, added);
    encode<column::url>(codes, url);
    encode<column::ip>(codes, ip);
    encode_utm(codes);
    click_places_.add();
    return {};
}

template <column Column>
void workspace::encode(std::span<store::code> codes, std::optional<std::string_view> text) {
    if (!text) return;
    constexpr std::size_t at = index_of(Column);
    codes[at] =
        repeats_texts(Column) ? caches_[at].encode(texts_[at], *text) : texts_[at].encode(*text);
    json_.follow<Column>(codes[at]);
}

inline void workspace::encode_click(std::span<store::code> codes, const click& added) {
    encode<column::country>(codes, added.country);
    encode<column::continent>(codes, added.continent);
    encode<column::region>(codes, added.region);
    encode<column::city>(codes, added.city);
    encode<column::device>(codes, added.device);
    encode<column::browser>(codes, added.browser);
    encode<column::os>(codes, added.os);
    encode<column::trigger>(codes, added.trigger);
    encode<column::referer>(codes, added.referer);
    encode<column::referer_url>(codes, added.referer_url);
    codes[index_of(column::qr)] = added.qr ? 1 : 0;
}

/// Adds the UTM fields that a row's URL and link come to.
inline void workspace::encode_utm(std::span<store::code> codes) {
    const store::code link = codes[index_of(column::link)];
    const auto found = utm_.find(codes[index_of(column::url)], link, link_of(link));
    for (std::size_t i = 0; i < found.size(); ++i) codes[index_of(utm_columns[i])] = found[i];
}

inline result<void> workspace::add(const lead& added, store::code link) {
    const auto id = seek<column::event_id>(added.event_id);
    const auto row = add_outcome(leads_.pending, added, link);
    if (!row) return tl::unexpected<error>(row.error());
    const std::span<store::code> codes = leads_.pending.codes(*row);
    codes[index_of(column::event_id)] = texts_of(column::event_id).encode(id);
    lead_metadata_.shredder.shred(added.metadata, codes.subspan(own_columns_of(event_kind::leads)));
    return {};
}

inline result<void> workspace::add(const sale& added, store::code link) {
    const auto id = sale_ids_.seek(added.event_id);
    const auto row = add_outcome(sales_.pending, added, link);
    if (!row) return tl::unexpected<error>(row.error());
    const std::span<store::code> codes = sales_.pending.codes(*row);
    codes[index_of(column::event_id)] = sale_ids_.encode(id);
    encode<column::invoice_id>(codes, added.invoice_id);
    encode<column::payment_processor>(codes, added.payment_processor);
    encode<column::currency>(codes, added.currency);
    sales_.pending.integers(*row)[index_of(integer_column::amount)] = added.amount;
    sale_metadata_.shredder.shred(added.metadata, codes.subspan(own_columns_of(event_kind::sales)));
    return {};
}

/// Adds what a lead and a sale have in common; returns the pending row.
template <class Outcome>
result<std::size_t> workspace::add_outcome(store::row_buffer& pending, const Outcome& added,
                                           store::code link) {
    const auto sought_click = seek<column::click_id>(added.click_id);
    const auto sought_customer = seek<column::customer>(added.customer_id);
    const auto metadata = seek<column::metadata>(added.metadata);
    const store::code click = texts(column::click_id).find(sought_click);
    const store::code customer = texts(column::customer).find(sought_customer);
    if (link == store::absent) return detail::refuse_field(rule::reference_unknown, "linkId");
    if (click == store::absent) return detail::refuse_field(rule::reference_unknown, "clickId");
    if (customer == store::absent) {
        return detail::refuse_field(rule::reference_unknown, "customerId");
    }
    const std::size_t row = pending.add(added.timestamp.time_since_epoch().count());
    const std::span<store::code> codes = pending.codes(row);
    const std::int64_t clicked = click_places_.copy(click, clicks_.pending, codes);
    pending.integers(row)[index_of(integer_column::click_timestamp)] = clicked;
    codes[index_of(column::link)] = link;
    encode_utm(codes);
    codes[index_of(column::customer)] = customer;
    encode<column::event_name>(codes, added.event_name);
    encode<column::metadata>(codes, metadata);
    return row;
}

inline void workspace::publish() {
    clicks_.settle([this](std::size_t row, std::span<store::code> codes) {
        click_places_.settle(codes[index_of(column::click_id)], row);
    });
    click_places_.settle(clicks_.rows.current());
    leads_.settle([](std::size_t, std::span<store::code>) noexcept {});
    sales_.settle([this](std::size_t row, std::span<store::code> codes) {
        const sale_type type =
            sale_types_.mark(row, codes[index_of(column::customer)], codes[index_of(column::link)]);
        encode<column::sale_type>(codes, sale_type_names[static_cast<std::size_t>(type)]);
    });
    const std::lock_guard lock(mutex_);
    view_ = {this,
             clicks_.rows.current(),
             leads_.rows.current(),
             sales_.rows.current(),
             links_.size(),
             texts(column::customer).size() - 1,
             tags_.size(),
             view_.version + 1};
}

inline workspace::record_counts workspace::counts() const noexcept {
    return {.tags = tag_ids_.size(),
            .customers = texts(column::customer).size(),
            .links = texts(column::link).size(),
            .clicks = texts(column::click_id).size(),
            .lead_ids = texts(column::event_id).size(),
            .sale_ids = sale_ids_.size(),
            .pending_clicks = clicks_.pending.size(),
            .pending_leads = leads_.pending.size(),
            .pending_sales = sales_.pending.size()};
}

inline void workspace::roll_back(const record_counts& to) noexcept {
    tag_ids_.shrink(to.tags);
    tags_.shrink(to.tags - 1);
    texts_of(column::customer).shrink(to.customers);
    texts_of(column::link).shrink(to.links);
    addresses_.shrink(to.links);
    links_.shrink(to.links - 1);
    link_fields_.shrink(static_cast<store::code>(to.links));
    utm_.shrink(to.links);
    json_.shrink(to.links, to.customers);
    texts_of(column::click_id).shrink(to.clicks);
    click_places_.shrink(to.clicks - 1);
    texts_of(column::event_id).shrink(to.lead_ids);
    sale_ids_.shrink(to.sale_ids);
    clicks_.pending.shrink(to.pending_clicks);
    leads_.pending.shrink(to.pending_leads);
    sales_.pending.shrink(to.pending_sales);
}

}  // namespace sluice::api

#endif
