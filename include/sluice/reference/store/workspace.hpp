// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_STORE_WORKSPACE_HPP
#define SLUICE_REFERENCE_STORE_WORKSPACE_HPP

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

#include <sluice/reference/events/click_places.hpp>
#include <sluice/reference/events/event_columns.hpp>
#include <sluice/reference/events/event_json.hpp>
#include <sluice/reference/events/event_texts.hpp>
#include <sluice/reference/events/link_list.hpp>
#include <sluice/reference/events/sale_types.hpp>
#include <sluice/reference/lists/record_rows.hpp>
#include <sluice/reference/records/records.hpp>
#include <sluice/reference/store/workspace_view.hpp>
#include <sluice/store/documents/columns.hpp>
#include <sluice/store/documents/shredder.hpp>
#include <sluice/store/table.hpp>
#include <sluice/store/texts/dictionary.hpp>

namespace sluice::reference {

/// One tenant's records and events. An added record is checked against the records
/// that it refers to, and becomes visible with the next publish(). One thread adds and publishes;
/// any number of threads read views.
///
/// ```
/// add(tag), add(domain), add(folder), add(customer), add(link)
///       add(click) --------> pending rows --publish()--> tables --current()--> workspace_view
///             add(lead), add(sale) --^
/// ```
class workspace {
public:
    /// `seed` is the seed of the text hashes.
    explicit workspace(std::string_view id, hash_seed seed = hash_seed::of_process())
        : id_(id), seed_(seed) {}
    workspace(const workspace&) = delete;
    workspace& operator=(const workspace&) = delete;

    [[nodiscard]] const std::string& id() const noexcept { return id_; }
    [[nodiscard]] hash_seed seed() const noexcept { return seed_; }

    /// Adds a record. Errors: identifier_taken (param `id`; for links also `key`, which is unique
    /// per domain, and `externalId`; leads and sales may share their ids, as two outcomes of one
    /// event do); for events also reference_unknown (param `linkId`, `clickId` or `customerId`). A
    /// refused record changes nothing.
    [[nodiscard]] result<void> add(const tag& added) { return rows<tag>().add(added); }
    [[nodiscard]] result<void> add(const domain& added) { return rows<domain>().add(added); }
    [[nodiscard]] result<void> add(const folder& added) { return rows<folder>().add(added); }
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
    /// Like add() above, for an event whose link's code is known: the number of links up to and
    /// including it, or `absent`.
    [[nodiscard]] result<void> add(const click& added, store::code link) {
        return add(added, link, seek(added));
    }
    [[nodiscard]] result<void> add(const lead& added, store::code link);
    [[nodiscard]] result<void> add(const sale& added, store::code link);

    /// Lookups of the texts that differ in most clicks, started ahead of add(). Views the click.
    struct click_lookups {
        store::sought_text id, url, ip;
        store::code likely_url = store::absent, likely_ip = store::absent;
    };
    /// Starts the lookups of a click. Takes each of these steps for many clicks before the next, so
    /// that cache misses overlap: seek(), seek_places(), seek_texts(), add(). The steps in between
    /// may be left out. Only for the adding thread.
    [[nodiscard]] click_lookups seek(const click& ahead) const noexcept {
        return {texts_.seek<column::click_id>(ahead.id), texts_.seek<column::url>(ahead.url),
                texts_.seek<column::ip>(ahead.ip)};
    }
    /// Prefetches the places of texts; returns the lookups with their codes.
    [[nodiscard]] click_lookups seek_places(click_lookups ahead) const noexcept {
        ahead.likely_url = texts(column::url).seek_place(ahead.url);
        ahead.likely_ip = texts(column::ip).seek_place(ahead.ip);
        return ahead;
    }
    /// Prefetches the texts of the codes of seek_places().
    void seek_texts(const click_lookups& ahead) const noexcept {
        texts(column::url).prefetch_text(ahead.likely_url);
        texts(column::ip).prefetch_text(ahead.likely_ip);
    }
    /// Like add() above, for a click whose lookups were started by seek().
    [[nodiscard]] result<void> add(const click& added, store::code link,
                                   const click_lookups& sought);

    /// Makes all added records visible to later views, atomically.
    void publish();
    /// Runs one step of background indexing: of the rows published last, and of columns that counts
    /// often combine. Returns false if there was nothing to do. Safe on any thread, concurrently
    /// with adding and reading; see store::table::maintain().
    bool maintain();

    /// The numbers of records, and of events that wait for a publish(). Records of a kind are kept
    /// in order of arrival, so that roll_back() removes those beyond these numbers.
    struct record_counts {
        event_texts::sizes texts;
        std::size_t tags, domains, folders, pending_clicks, pending_leads, pending_sales;
    };
    [[nodiscard]] record_counts counts() const noexcept;
    /// Removes all records added since `earlier` counts that have not been published. Readers are
    /// not affected. Distinct texts of columns stay in memory, unused until a record has them
    /// again.
    void roll_back(const record_counts& earlier) noexcept;

    /// A consistent view of the published records. Safe on any thread.
    [[nodiscard]] workspace_view current() const {
        const std::lock_guard lock(mutex_);
        return view_;
    }

    /// The published state, all of one moment, for save().
    struct saved_state {
        workspace_view view;
        event_texts::sizes texts;
    };
    [[nodiscard]] saved_state saved() const {
        const std::lock_guard lock(mutex_);
        return {view_, published_};
    }
    /// Writes a result of saved() to an archive, the format of snapshot files. Adding and reading
    /// may go on. Safe on any thread.
    void save(store::archive_writer& archive, const saved_state& state);
    /// Reads the state from an archive into this empty workspace. The archive must be of a
    /// workspace with the same seed. If it is damaged, its has_failed() is true afterwards.
    void open(store::archive_reader& archive);
    /// The number of bytes of texts and their JSON that are mapped from an archive.
    [[nodiscard]] std::size_t mapped_text_bytes() const noexcept { return texts_.mapped_bytes(); }

    // The tables that a view's codes and counts refer to.
    [[nodiscard]] const store::dictionary& texts(column c) const noexcept { return texts_.of(c); }
    [[nodiscard]] const store::dictionary& event_ids(event_kind kind) const noexcept {
        return kind == event_kind::sales ? texts_.sale_ids() : texts(id_column_of(kind));
    }
    [[nodiscard]] const event_fragments& fragments() const noexcept { return texts_.fragments(); }
    [[nodiscard]] const reference::link_fields& link_fields() const noexcept {
        return links_.fields();
    }
    [[nodiscard]] const event_json& json() const noexcept { return json_; }
    /// The columns of the metadata of leads or of sales, by path.
    [[nodiscard]] const store::metadata_columns& metadata(event_kind kind) const noexcept {
        return kind == event_kind::leads ? lead_metadata_.columns : sale_metadata_.columns;
    }
    /// The records of a kind, as rows of their list.
    template <class Record>
    [[nodiscard]] const record_rows<Record>& rows() const noexcept {
        return std::get<record_rows<Record>>(rows_);
    }
    /// Memory use of the rows of records, in bytes.
    [[nodiscard]] std::size_t row_bytes() const {
        return std::apply([](const auto&... kind) { return (kind.bytes() + ...); }, rows_);
    }

private:
    template <class Record>
    record_rows<Record>& rows() noexcept {
        return std::get<record_rows<Record>>(rows_);
    }
    /// Copies the current tables into the view; requires mutex_.
    void show_tables();

    /// The metadata of one kind of event.
    struct event_metadata {
        explicit event_metadata(hash_seed seed) : columns(seed) {}

        store::metadata_columns columns;
        store::metadata_shredder shredder{columns};
    };

    /// The layout of the table of one kind of event, and the dictionary of its ids.
    store::schema schema_of(event_kind kind) noexcept {
        return {code_columns_of(kind), integer_columns_of(kind), index_of(id_column_of(kind)),
                &event_ids(kind)};
    }
    template <class Outcome>
    result<std::size_t> add_outcome(store::row_buffer& pending, const Outcome& added,
                                    store::code link);

    std::string id_;
    hash_seed seed_;
    event_texts texts_{seed_};
    event_json json_{texts_.all(), texts_.sale_ids(), texts_.fragments()};
    link_list links_{seed_};
    std::tuple<record_rows<tag>, record_rows<domain>, record_rows<folder>, record_rows<customer>,
               record_rows<link>>
        rows_{seed_, seed_, seed_, seed_, seed_};
    click_places click_places_;
    sale_types sale_types_{seed_};
    event_metadata lead_metadata_{seed_}, sale_metadata_{seed_};
    store::table clicks_{schema_of(event_kind::clicks)};
    store::table leads_{schema_of(event_kind::leads)};
    store::table sales_{schema_of(event_kind::sales)};
    workspace_view view_{.source = this};
    event_texts::sizes published_ = texts_.size();
    std::mutex turn_;           // held to change the view: by one publish() or maintain() at a time
    mutable std::mutex mutex_;  // guards view_ and published_
};

inline result<void> workspace::add(const customer& added) {
    if (texts(column::customer).find(added.id) != store::absent) {
        return fail_in(rule::identifier_taken, "id");
    }
    static_cast<void>(texts_.of(column::customer).encode(added.id));
    texts_.fragments().add_customer(added);
    rows<customer>().shrink(texts(column::customer).size() - 2);  // see link_fields::add()
    return rows<customer>().add(added);
}

inline result<void> workspace::add(const link& added) {
    if (texts(column::link).find(added.id) != store::absent) {
        return fail_in(rule::identifier_taken, "id");
    }
    if (auto listed = links_.add(added); !listed) return listed;
    static_cast<void>(texts_.of(column::link).encode(added.id));
    texts_.fragments().add_link(added, id_);
    rows<link>().shrink(texts(column::link).size() - 2);
    return rows<link>().add(added);
}

inline result<void> workspace::add(const click& added, store::code link,
                                   const click_lookups& sought) {
    if (link == store::absent) return fail_in(rule::reference_unknown, "linkId");
    const std::size_t clicks = texts(column::click_id).size();
    const store::code id = texts_.of(column::click_id).encode(sought.id);
    if (id < clicks) return fail_in(rule::identifier_taken, "id");  // a code that existed before
    const std::size_t row = clicks_.pending().add(added.timestamp.time_since_epoch().count());
    const std::span<store::code> codes = clicks_.pending().codes(row);
    codes[index_of(column::link)] = link;
    codes[index_of(column::click_id)] = id;
    texts_.encode_click(codes, added);
    texts_.encode<column::url>(codes, sought.url);
    texts_.encode<column::ip>(codes, sought.ip);
    texts_.encode_utm(codes, links_);
    click_places_.add();
    return {};
}

inline result<void> workspace::add(const lead& added, store::code link) {
    const auto id = texts_.seek<column::event_id>(added.event_id);
    const auto row = add_outcome(leads_.pending(), added, link);
    if (!row) return tl::unexpected<error>(row.error());
    const std::span<store::code> codes = leads_.pending().codes(*row);
    texts_.encode<column::event_id>(codes, id);
    lead_metadata_.shredder.shred(added.metadata,
                                  codes.subspan(fixed_columns_of(event_kind::leads)));
    return {};
}

inline result<void> workspace::add(const sale& added, store::code link) {
    const auto id = texts_.sale_ids().seek(added.event_id);
    const auto row = add_outcome(sales_.pending(), added, link);
    if (!row) return tl::unexpected<error>(row.error());
    const std::span<store::code> codes = sales_.pending().codes(*row);
    codes[index_of(column::event_id)] = texts_.sale_ids().encode(id);
    texts_.encode<column::invoice_id>(codes, added.invoice_id);
    texts_.encode<column::payment_processor>(codes, added.payment_processor);
    texts_.encode<column::currency>(codes, added.currency);
    sales_.pending().integers(*row)[index_of(integer_column::amount)] = added.amount;
    sale_metadata_.shredder.shred(added.metadata,
                                  codes.subspan(fixed_columns_of(event_kind::sales)));
    return {};
}

/// Adds the fields that leads and sales share; returns the pending row.
template <class Outcome>
result<std::size_t> workspace::add_outcome(store::row_buffer& pending, const Outcome& added,
                                           store::code link) {
    const auto sought_click = texts_.seek<column::click_id>(added.click_id);
    const auto sought_customer = texts_.seek<column::customer>(added.customer_id);
    const auto metadata = texts_.seek<column::metadata>(added.metadata);
    const store::code click = texts(column::click_id).find(sought_click);
    const store::code customer = texts(column::customer).find(sought_customer);
    if (link == store::absent) return fail_in(rule::reference_unknown, "linkId");
    if (click == store::absent) return fail_in(rule::reference_unknown, "clickId");
    if (customer == store::absent) return fail_in(rule::reference_unknown, "customerId");
    const std::size_t row = pending.add(added.timestamp.time_since_epoch().count());
    const std::span<store::code> codes = pending.codes(row);
    const std::int64_t clicked = click_places_.copy(click, clicks_.pending(), codes);
    pending.integers(row)[index_of(integer_column::click_timestamp)] = clicked;
    codes[index_of(column::link)] = link;
    texts_.encode_utm(codes, links_);
    codes[index_of(column::customer)] = customer;
    texts_.encode<column::event_name>(codes, added.event_name);
    texts_.encode<column::metadata>(codes, metadata);
    return row;
}

inline void workspace::publish() {
    const std::lock_guard turn(turn_);
    // The callbacks are called for new rows, and for rows that new ones with earlier times move.
    clicks_.publish([this](std::size_t row, std::span<store::code> codes) {
        click_places_.set_row(codes[index_of(column::click_id)], row);
    });
    click_places_.take(clicks_.current());
    leads_.publish([](std::size_t, std::span<store::code>) noexcept {});
    sales_.publish([this](std::size_t row, std::span<store::code> codes) {
        const sale_type type =
            sale_types_.mark(row, codes[index_of(column::customer)], codes[index_of(column::link)]);
        texts_.encode<column::sale_type>(codes, sale_type_names[static_cast<std::size_t>(type)]);
    });
    const std::lock_guard lock(mutex_);
    show_tables();
    view_.links = links_.size();
    view_.customers = texts(column::customer).size() - 1;
    view_.tags = rows<tag>().size();
    view_.domains = rows<domain>().size();
    view_.folders = rows<folder>().size();
    ++view_.version;
    published_ = texts_.size();
}
inline void workspace::show_tables() {
    view_.clicks = clicks_.current();
    view_.leads = leads_.current();
    view_.sales = sales_.current();
}
inline bool workspace::maintain() {
    const bool is_done = clicks_.maintain() || leads_.maintain() || sales_.maintain();
    if (!is_done) return false;
    const std::lock_guard turn(turn_);
    const std::lock_guard lock(mutex_);
    show_tables();
    return true;
}

inline workspace::record_counts workspace::counts() const noexcept {
    return {.texts = texts_.size(),
            .tags = rows<tag>().size(),
            .domains = rows<domain>().size(),
            .folders = rows<folder>().size(),
            .pending_clicks = clicks_.pending().size(),
            .pending_leads = leads_.pending().size(),
            .pending_sales = sales_.pending().size()};
}

inline void workspace::save(store::archive_writer& archive, const saved_state& state) {
    archive.number(state.texts.links);
    texts_.save(archive, state.texts);
    links_.save(archive, static_cast<store::code>(state.texts.links));
    std::apply([&](const auto&... kind) { (kind.save(archive, state.view.size_of(kind)), ...); },
               rows_);
    lead_metadata_.columns.save(archive);
    sale_metadata_.columns.save(archive);
    clicks_.save(archive, state.view.clicks);
    leads_.save(archive, state.view.leads);
    sales_.save(archive, state.view.sales);
    click_places::save(archive, state.view.clicks);
    sale_types::save(archive, state.view.sales);
}
inline void workspace::open(store::archive_reader& archive) {
    const std::size_t links = archive.count();
    texts_.open(archive);
    links_.open(archive, static_cast<store::code>(links));
    std::apply([&](auto&... kind) { (kind.open(archive), ...); }, rows_);
    lead_metadata_.columns.open(archive);
    sale_metadata_.columns.open(archive);
    for (store::table* const table : {&clicks_, &leads_, &sales_}) table->open(archive);
    const store::snapshot clicks = clicks_.current();
    click_places_.open(archive, clicks);
    sale_types_.open(archive, sales_.current().size());
    const bool is_whole = texts(column::link).size() == links && links_.size() + 1 == links &&
                          rows<link>().size() + 1 == links &&
                          rows<customer>().size() + 1 == texts(column::customer).size() &&
                          texts(column::click_id).size() == clicks.size() + 1;
    if (!is_whole) archive.fail();
}

inline void workspace::roll_back(const record_counts& earlier) noexcept {
    rows<tag>().shrink(earlier.tags);
    rows<domain>().shrink(earlier.domains);
    rows<folder>().shrink(earlier.folders);
    rows<customer>().shrink(earlier.texts.customers - 1);
    rows<link>().shrink(earlier.texts.links - 1);
    links_.shrink(earlier.texts.links);
    texts_.shrink(earlier.texts);
    click_places_.shrink(earlier.texts.clicks - 1);
    clicks_.pending().shrink(earlier.pending_clicks);
    leads_.pending().shrink(earlier.pending_leads);
    sales_.pending().shrink(earlier.pending_sales);
}

}  // namespace sluice::reference

#endif
