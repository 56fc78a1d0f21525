// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_EVENT_STORE_HPP
#define SLUICE_API_EVENT_STORE_HPP

#include <functional>
#include <map>
#include <memory>
#include <shared_mutex>
#include <vector>

#include <sluice/api/store_stats.hpp>
#include <sluice/api/workspace.hpp>

namespace sluice::api {

/// The workspaces of a service, each apart from the others. A record belongs to the workspace that
/// it names, an event else to that of its link, and all others to the default one. Any number of
/// threads may add, publish and read.
///
/// ```
/// sluice::api::event_store store("ws_default");
/// if (auto added = store.add(click); !added) report(added.error());
/// store.publish();
/// const auto view = store.find("ws_default")->current();
/// ```
class event_store {
public:
    /// `seed` starts the hashes of all texts here; programs that serve strangers give a
    /// random_hash_seed().
    explicit event_store(std::string default_workspace, hash_seed seed = hash_seed::of_process())
        : default_workspace_(std::move(default_workspace)), seed_(seed) {
        static_cast<void>(obtain(default_workspace_));
    }

    [[nodiscard]] const std::string& default_workspace() const noexcept {
        return default_workspace_;
    }

    /// Adds a tag or a customer; see workspace::add for the errors.
    template <class Record>
    [[nodiscard]] result<void> add(const Record& added) {
        const std::lock_guard lock(writer_);
        return obtain(added.workspace_id.value_or(default_workspace_)).add(added);
    }
    /// Adds a link. Its id is unique across workspaces, since events find theirs through it.
    [[nodiscard]] result<void> add(const link& added) {
        const std::lock_guard lock(writer_);
        if (link_ids_.find(added.id) != store::absent) {
            return detail::refuse_field(rule::identifier_taken, "id");
        }
        workspace& owner = obtain(added.workspace_id.value_or(default_workspace_));
        static_cast<void>(link_ids_.encode(added.id));
        return owner.add(added).map(
            [&] { links_.push_back({&owner, owner.texts(column::link).find(added.id)}); });
    }
    [[nodiscard]] result<void> add(const click& added) { return add_event(added); }
    [[nodiscard]] result<void> add(const lead& added) { return add_event(added); }
    [[nodiscard]] result<void> add(const sale& added) { return add_event(added); }

    /// Makes all that was added visible. Each workspace changes at once.
    void publish() {
        const std::lock_guard lock(writer_);
        for (const auto& [id, each] : workspaces_) each->publish();
    }

    /// A workspace, or null where there is none of that id. It lives as long as the store.
    [[nodiscard]] const workspace* find(std::string_view id) const {
        const std::shared_lock lock(mutex_);
        const auto found = workspaces_.find(id);
        return found == workspaces_.end() ? nullptr : found->second.get();
    }

    /// All published events of all workspaces.
    [[nodiscard]] std::size_t size() const {
        const std::shared_lock lock(mutex_);
        std::size_t events = 0;
        for (const auto& [id, each] : workspaces_) {
            const workspace_view view = each->current();
            events += view.clicks.size() + view.leads.size() + view.sales.size();
        }
        return events;
    }

    /// What each workspace takes in memory, in the order of their ids.
    [[nodiscard]] std::vector<workspace_stats> stats() const {
        const std::shared_lock lock(mutex_);
        std::vector<workspace_stats> all;
        for (const auto& [id, each] : workspaces_) all.push_back(api::stats(each->current()));
        return all;
    }

private:
    /// Where a link is kept, and its code there.
    struct link_place {
        workspace* owner;
        store::code code;
    };

    template <class Event>
    result<void> add_event(const Event& added) {
        const std::lock_guard lock(writer_);
        const store::code link = link_ids_.find(added.link_id);
        if (link == store::absent) return detail::refuse_field(rule::reference_unknown, "linkId");
        const auto& [owner, code] = links_[link - 1];
        if (added.workspace_id && *added.workspace_id != owner->id()) {
            return detail::refuse_field(rule::reference_unknown, "linkId");
        }
        return owner->add(added, code);
    }
    /// The workspace of an id, new if there is none.
    workspace& obtain(std::string_view id) {
        const std::unique_lock lock(mutex_);
        auto& found = workspaces_[std::string(id)];
        if (!found) found = std::make_unique<workspace>(id, seed_);
        return *found;
    }

    std::string default_workspace_;
    std::map<std::string, std::unique_ptr<workspace>, std::less<>> workspaces_;
    hash_seed seed_;
    store::dictionary link_ids_{seed_};  // of all workspaces
    std::vector<link_place> links_;      // by code of link_ids_
    std::mutex writer_;                  // one writer at a time; also guards link_ids_ and links_
    mutable std::shared_mutex mutex_;    // guards workspaces_
};

}  // namespace sluice::api

#endif
