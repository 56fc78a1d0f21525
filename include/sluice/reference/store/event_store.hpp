// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_STORE_EVENT_STORE_HPP
#define SLUICE_REFERENCE_STORE_EVENT_STORE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/reference/records/folder_state.hpp>
#include <sluice/reference/store/store_stats.hpp>
#include <sluice/reference/store/workspace.hpp>
#include <sluice/store/texts/chunked_list.hpp>

namespace sluice::reference {

/// The workspaces of a service, isolated from each other. A record belongs to the workspace that it
/// names; an event that names none to its link's workspace, any other record to the default one.
/// Any number of threads may add, publish and read.
///
/// ```
/// sluice::reference::event_store store("ws_default");
/// if (auto added = store.add(click); !added) report(added.error());
/// store.publish();
/// const auto view = store.find("ws_default")->current();
/// ```
///
/// A batch adds records all at once or not at all:
///
/// ```
/// sluice::reference::event_store::batch batch(store);
/// for (const auto& click : clicks) {
///     if (auto added = batch.add(click); !added) return added;  // nothing is added
/// }
/// batch.publish();
/// ```
class event_store {
public:
    class batch;

    /// `seed` is the seed of the text hashes. Programs that serve untrusted clients pass
    /// random_hash_seed().
    explicit event_store(std::string default_workspace, hash_seed seed = hash_seed::of_process())
        : default_workspace_(std::move(default_workspace)), seed_(seed) {
        static_cast<void>(obtain(default_workspace_));
        publish();
    }

    [[nodiscard]] const std::string& default_workspace() const noexcept {
        return default_workspace_;
    }

    /// Adds a record. The errors are those of workspace::add. Link ids are unique across
    /// workspaces, because events refer to them.
    template <class Record>
    [[nodiscard]] result<void> add(const Record& added) {
        const std::lock_guard lock(writer_);
        return put(added).map([this] {
            origin_.reset();
            has_records_ = true;
        });
    }

    /// Makes all added records visible. Each workspace changes atomically.
    void publish() {
        const std::lock_guard lock(writer_);
        publish_all();
    }

    /// Runs one step of background indexing in each workspace: of the rows published last and of
    /// conditions that are often combined. Returns false if there was nothing to do. Safe on any
    /// thread, concurrently with adding, publishing and reading; see store::table::maintain().
    ///
    /// ```
    /// while (store.maintain()) {}  // now and then, on a thread that has the time
    /// ```
    bool maintain() {
        bool is_done = false;
        for (workspace* const tenant : all_workspaces()) is_done = tenant->maintain() || is_done;
        return is_done;
    }

    /// The workspace with this id, or null. It lives as long as the store.
    [[nodiscard]] const workspace* find(std::string_view id) const {
        const std::shared_lock lock(mutex_);
        const auto position = workspaces_.find(id);
        return position == workspaces_.end() ? nullptr : position->second.get();
    }

    /// The ids of all workspaces, sorted.
    [[nodiscard]] std::vector<std::string> workspace_ids() const {
        const std::shared_lock lock(mutex_);
        std::vector<std::string> ids;
        for (const auto& [id, tenant] : workspaces_) ids.push_back(id);
        return ids;
    }

    /// The folder that all published records were loaded from; empty if they weren't loaded from
    /// one.
    [[nodiscard]] std::optional<folder_state> origin() const {
        const std::shared_lock lock(mutex_);
        return published_origin_;
    }

    /// Writes the records published so far to an archive, the format of snapshot files. Adding and
    /// reading go on meanwhile; only a publish() in progress is waited for. Safe on any thread. See
    /// save_snapshot().
    void save(store::archive_writer& archive) const;
    /// Opens the store in an archive; null if the archive holds something else.
    [[nodiscard]] static std::unique_ptr<event_store> open(store::archive_reader& archive);

    /// The number of published events in all workspaces.
    [[nodiscard]] std::size_t size() const {
        const std::shared_lock lock(mutex_);
        std::size_t events = 0;
        for (const auto& [id, tenant] : workspaces_) {
            const workspace_view view = tenant->current();
            events += view.clicks.size() + view.leads.size() + view.sales.size();
        }
        return events;
    }

    /// The memory use of each workspace, in the order of their ids.
    [[nodiscard]] std::vector<workspace_stats> stats() const {
        const std::shared_lock lock(mutex_);
        std::vector<workspace_stats> all;
        for (const auto& [id, tenant] : workspaces_)
            all.push_back(reference::stats(tenant->current()));
        return all;
    }

private:
    /// The workspace of a link, and the link's code there.
    struct link_place {
        workspace* owner = nullptr;
        store::code code = store::absent;
    };

    /// The link of a click, or its error, and the lookups of its texts.
    struct click_lookups {
        result<link_place> link = fail_in(rule::reference_unknown, "linkId");
        workspace::click_lookups texts{};
    };

    /// The published state, all of one moment, for save().
    struct saved_workspace {
        workspace* source;
        workspace::saved_state state;
    };
    struct saved_state {
        std::vector<saved_workspace> workspaces;
        std::size_t links;
        std::optional<folder_state> origin;
    };
    [[nodiscard]] saved_state saved() const;
    void save_links(store::archive_writer& archive, const saved_state& state) const;
    void open_links(store::archive_reader& archive);

    [[nodiscard]] std::vector<workspace*> all_workspaces() const {
        const std::shared_lock lock(mutex_);
        std::vector<workspace*> all;
        for (const auto& [id, tenant] : workspaces_) all.push_back(tenant.get());
        return all;
    }

    // The overloads of put() add a record; the caller holds writer_. Errors: see workspace::add.

    template <class Record>
    result<void> put(const Record& added) {
        return obtain(added.workspace_id.value_or(default_workspace_)).add(added);
    }
    result<void> put(const link& added) {
        if (link_ids_.find(added.id) != store::absent) {
            return fail_in(rule::identifier_taken, "id");
        }
        workspace& owner = obtain(added.workspace_id.value_or(default_workspace_));
        return owner.add(added).map([&] {
            static_cast<void>(link_ids_.encode(added.id));
            links_.push_back({&owner, owner.texts(column::link).find(added.id)});
        });
    }
    result<void> put(const click& added) { return put_event(added); }
    result<void> put(const click& added, const click_lookups& sought) {
        return sought.link.and_then([&](const link_place& link) {
            return link.owner->add(added, link.code, sought.texts);
        });
    }
    result<void> put(const lead& added) { return put_event(added); }
    result<void> put(const sale& added) { return put_event(added); }

    /// Finds the link of an event, in its workspace.
    template <class Event>
    [[nodiscard]] result<link_place> find_link(const Event& added) const {
        const store::code link = link_ids_.find(added.link_id);
        if (link == store::absent) return fail_in(rule::reference_unknown, "linkId");
        const link_place& place = links_[link - 1];  // codes start at 1
        if (added.workspace_id && *added.workspace_id != place.owner->id()) {
            return fail_in(rule::reference_unknown, "linkId");
        }
        return place;
    }
    /// Adds an event to the workspace of its link.
    template <class Event>
    result<void> put_event(const Event& added) {
        return find_link(added).and_then(
            [&](const link_place& link) { return link.owner->add(added, link.code); });
    }
    /// Returns the workspace with this id; adds it if there is none.
    workspace& obtain(std::string_view id) {
        if (const auto known = workspaces_.find(id); known != workspaces_.end()) {
            return *known->second;
        }
        auto& added = new_workspaces_[std::string(id)];
        if (!added) added = std::make_unique<workspace>(id, seed_);
        return *added;
    }
    /// Publishes all workspaces and shows the new ones to readers; the caller holds writer_.
    void publish_all() {
        const std::lock_guard moment(moment_);
        for (const auto& [id, tenant] : workspaces_) tenant->publish();
        for (const auto& [id, tenant] : new_workspaces_) tenant->publish();
        const std::unique_lock lock(mutex_);
        published_links_ = links_.size();
        published_origin_ = origin_;
        workspaces_.merge(new_workspaces_);
    }

    using workspace_map = std::map<std::string, std::unique_ptr<workspace>, std::less<>>;

    std::string default_workspace_;
    hash_seed seed_;
    workspace_map workspaces_;
    workspace_map new_workspaces_;           // since the last publish; not visible to readers yet
    store::dictionary link_ids_{seed_};      // of all workspaces
    store::chunked_list<link_place> links_;  // by code of link_ids_
    std::optional<folder_state> origin_;     // the folder of all records, if they have one
    bool has_records_ = false;               // any record was ever added
    std::size_t published_links_ = 0;        // links_.size() at the last publish
    std::optional<folder_state> published_origin_;
    std::mutex writer_;                // one writer at a time; guards all but what readers see
    mutable std::mutex moment_;        // held while all workspaces are published or saved together
    mutable std::shared_mutex mutex_;  // guards workspaces_ and the published state, for readers
};

inline event_store::saved_state event_store::saved() const {
    const std::lock_guard moment(moment_);
    const std::shared_lock lock(mutex_);
    saved_state state{{}, published_links_, published_origin_};
    for (const auto& [id, tenant] : workspaces_) {
        state.workspaces.push_back({tenant.get(), tenant->saved()});
    }
    return state;
}
inline void event_store::save(store::archive_writer& archive) const {
    const saved_state saved = this->saved();
    archive.number(seed_.value);
    archive.text(default_workspace_);
    archive.number(saved.workspaces.size());
    for (const auto& [source, state] : saved.workspaces) {
        archive.text(source->id());
        source->save(archive, state);
    }
    save_links(archive, saved);
    archive.number(saved.origin ? 1 : 0);
    if (saved.origin) saved.origin->save(archive);
}
inline void event_store::save_links(store::archive_writer& archive,
                                    const saved_state& state) const {
    archive.number(state.links);
    for (std::size_t at = 0; at < state.links; ++at) {
        const link_place& place = links_[at];
        const auto owner =
            std::ranges::find(state.workspaces, place.owner, &saved_workspace::source);
        archive.number(static_cast<std::uint64_t>(owner - state.workspaces.begin()));
        archive.number(place.code);
    }
    link_ids_.save(archive, state.links + 1);
}
inline void event_store::open_links(store::archive_reader& archive) {
    const std::vector<workspace*> owners = all_workspaces();
    // number(limit) fails the archive if the number is above the limit.
    for (std::size_t left = archive.count(); left > 0 && !archive.has_failed(); --left) {
        const std::size_t owner = archive.number(owners.size() - 1);
        const std::size_t code = archive.number(owners[owner]->texts(column::link).size() - 1);
        links_.push_back({owners[owner], static_cast<store::code>(code)});
    }
    link_ids_.open(archive);
    if (link_ids_.size() != links_.size() + 1) archive.fail();
}
inline std::unique_ptr<event_store> event_store::open(store::archive_reader& archive) {
    const hash_seed seed{archive.number()};
    auto store = std::make_unique<event_store>(std::string(archive.text()), seed);
    std::string last;
    for (std::size_t left = archive.count(); left > 0 && !archive.has_failed(); --left) {
        const std::string id(archive.text());
        if (!last.empty() && id <= last) archive.fail();  // ids are unique and sorted
        if (!archive.has_failed()) store->obtain(id).open(archive);
        last = id;
    }
    store->publish();
    store->open_links(archive);
    if (archive.number(1) != 0) store->origin_ = folder_state::open(archive);
    store->has_records_ = true;
    store->published_links_ = store->links_.size();
    store->published_origin_ = store->origin_;
    return archive.is_done() ? std::move(store) : nullptr;
}

/// Records that one thread adds to a store while all other writers wait. Unless the batch is
/// published, its destructor undoes all of it.
class event_store::batch {
public:
    explicit batch(event_store& store)
        : store_(store), turn_(store.writer_), links_(store.links_.size()) {
        for (const auto* const workspaces : {&store.workspaces_, &store.new_workspaces_}) {
            for (const auto& [id, tenant] : *workspaces)
                counts_.emplace(tenant.get(), tenant->counts());
        }
    }
    batch(const batch&) = delete;
    batch& operator=(const batch&) = delete;
    ~batch() {
        if (!is_published_) roll_back();
    }

    /// Adds a record; see event_store::add.
    template <class Record>
    [[nodiscard]] result<void> add(const Record& added) {
        return store_.put(added);
    }
    /// A click to be added, whose lookups have been started; see workspace::seek(). Views it.
    using click_lookups = event_store::click_lookups;
    [[nodiscard]] click_lookups seek(const click& ahead) const {
        click_lookups sought{store_.find_link(ahead)};
        if (sought.link) sought.texts = sought.link->owner->seek(ahead);
        return sought;
    }
    [[nodiscard]] click_lookups seek_places(click_lookups ahead) const noexcept {
        if (ahead.link) ahead.texts = ahead.link->owner->seek_places(ahead.texts);
        return ahead;
    }
    void seek_texts(const click_lookups& ahead) const noexcept {
        if (ahead.link) ahead.link->owner->seek_texts(ahead.texts);
    }
    /// Adds the click of a seek(). Expects that no link was added since.
    [[nodiscard]] result<void> add(const click& added, const click_lookups& sought) {
        return store_.put(added, sought);
    }
    /// Makes all added records visible, those of this batch and earlier ones. Nothing may be added
    /// afterwards. `origin` is the folder that all records of the batch come from, if there is one.
    void publish(std::optional<folder_state> origin = {}) {
        is_published_ = true;
        if (store_.has_records_) origin.reset();
        store_.origin_ = std::move(origin);
        store_.has_records_ = true;
        store_.publish_all();
    }

private:
    /// Removes the batch's records and the workspaces that it added.
    void roll_back() noexcept {
        for (const auto& [tenant, counts] : counts_) tenant->roll_back(counts);
        std::erase_if(store_.new_workspaces_,
                      [&](const auto& entry) { return !counts_.contains(entry.second.get()); });
        store_.link_ids_.shrink(links_ + 1);
        store_.links_.shrink(links_);
    }

    event_store& store_;
    std::unique_lock<std::mutex> turn_;  // lets other writers wait
    std::size_t links_;                  // links of the store at the begin of the batch
    std::map<workspace*, workspace::record_counts> counts_;  // at the begin of the batch
    bool is_published_ = false;
};

}  // namespace sluice::reference

#endif
