// SPDX-License-Identifier: MIT
#ifndef SLUICE_BENCH_DRIVER_EVENTS_HPP
#define SLUICE_BENCH_DRIVER_EVENTS_HPP

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include <sluice/errors/message.hpp>
#include <sluice/reference/search/event_page.hpp>
#include <sluice/reference/store/loader.hpp>
#include <sluice/time/system_zones.hpp>

#include "operation.hpp"

namespace sluice_bench {

/// Parses the parameters of `GET /events`, at the time of the last events of a sample.
[[nodiscard]] inline sluice::reference::events_query parse_events(
    std::string_view text, const sluice::time_zone_database& zones) {
    constexpr sluice::instant now{std::chrono::milliseconds{1'787'279'415'123}};
    const sluice::query_string pairs = sluice::parse_query_string(text);
    auto query = sluice::reference::parse_events_query(pairs.pairs(), {.zones = &zones}, now);
    if (!query) throw std::runtime_error(sluice::message(query.error()));
    return *std::move(query);
}

/// Loads a folder, and returns the number of its events.
[[nodiscard]] inline std::size_t load_events(const std::filesystem::path& folder) {
    sluice::reference::event_store store("ws_default");
    const auto loaded = sluice::reference::load_folder(store, folder);
    if (!loaded) throw std::runtime_error(sluice::reference::message(loaded.error()));
    return store.size();
}

/// The events of a sample. Members take the text of a query string.
class sample_events {
public:
    explicit sample_events(const std::filesystem::path& folder) {
        const auto loaded = sluice::reference::load_folder(store_, folder);
        if (!loaded) throw std::runtime_error(sluice::reference::message(loaded.error()));
    }

    [[nodiscard]] std::size_t size() const { return store_.size(); }

    [[nodiscard]] std::int64_t count(std::string_view text) const {
        return sluice::reference::count_events(view(), parse_events(text, zones_)).value();
    }
    /// Returns the page's JSON, like `EventStore.page`.
    [[nodiscard]] std::string page(std::string_view text) const {
        return sluice::reference::list_events(view(), parse_events(text, zones_)).value().body;
    }

private:
    [[nodiscard]] sluice::reference::workspace_view view() const {
        return store_.find("ws_default")->current();
    }

    sluice::time_zone_database zones_{{sluice::time_zone::utc()}};
    sluice::reference::event_store store_{"ws_default"};
};

/// Adds `serve FOLDER`, which reads sample events and answers their number; `event_count TEXT` and
/// `event_page TEXT` over them; `event_load FOLDER` reads events into a new store; `validate TEXT`
/// parses the parameters of `GET /events`.
inline void add_events(operation_table& operations) {
    const auto events = std::make_shared<std::unique_ptr<sample_events>>();
    operations["serve"] = [events](const std::string& folder) {
        *events = std::make_unique<sample_events>(folder);
        return operation{[events] { return std::to_string((*events)->size()); }};
    };
    operations["event_load"] = [](const std::string& folder) {
        return measured([folder] { return load_events(folder); });
    };
    operations["event_count"] = [events](const std::string& text) {
        return measured([events, text] { return (*events)->count(text); });
    };
    operations["event_page"] = [events](const std::string& text) {
        return measured([events, text] { return (*events)->page(text); });
    };
    auto zones = sluice::load_time_zones();
    if (!zones) throw std::runtime_error(sluice::message(zones.error()));
    const auto shared = std::make_shared<const sluice::time_zone_database>(*std::move(zones));
    operations["validate"] = [shared](const std::string& text) {
        const auto run = [shared, text] { return parse_events(text, *shared); };
        return repeated(
            [run] { return sluice::to_query_string(sluice::reference::events_params, run()); },
            run);
    };
}

}  // namespace sluice_bench

#endif
