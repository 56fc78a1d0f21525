// SPDX-License-Identifier: MIT
#ifndef SLUICE_BENCH_SAMPLE_SERVICE_HPP
#define SLUICE_BENCH_SAMPLE_SERVICE_HPP

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/errors/message.hpp>
#include <sluice/reference/handler.hpp>
#include <sluice/reference/sample.hpp>
#include <sluice/reference/search/event_page.hpp>
#include <sluice/reference/store/loader.hpp>

#include "event_requests.hpp"

namespace sluice_bench {

inline void write_sample(const std::filesystem::path& folder, std::int64_t events) {
    if (!sluice::reference::write_sample(folder, {events, 1, now}))
        throw std::runtime_error("no sample");
}

/// Loads a folder of NDJSON into a new store.
[[nodiscard]] inline std::unique_ptr<sluice::reference::event_store> load_sample(
    const std::filesystem::path& folder) {
    auto store = std::make_unique<sluice::reference::event_store>("ws_default");
    const auto loaded = sluice::reference::load_folder(*store, folder);
    if (!loaded) throw std::runtime_error(sluice::reference::message(loaded.error()));
    return store;
}

[[nodiscard]] inline sluice::reference::events_query parse_events(
    std::string_view text, const sluice::time_zone_database& zones) {
    const sluice::query_string pairs = sluice::parse_query_string(text);
    auto query = sluice::reference::parse_events_query(pairs.pairs(), {.zones = &zones}, now);
    if (!query) throw std::runtime_error(sluice::message(query.error()));
    return *std::move(query);
}

/// The reference service over a sample, with one key whose limits are never reached. Members take
/// the text of a query string.
class sample_service {
public:
    sample_service(const sample_service&) = delete;
    sample_service& operator=(const sample_service&) = delete;
    explicit sample_service(const std::filesystem::path& folder) : store_(load_sample(folder)) {
        sluice::reference::key_ring keys;
        const auto added =
            keys.add({.hash = sluice::reference::sha256("key"),
                      .workspace_id = "ws_default",
                      .plan = sluice::reference::plan::enterprise,
                      .permissions = {"analytics.read"},
                      .limits = {sluice::policy_max_limit, sluice::policy_max_limit}});
        if (!added) throw std::runtime_error("no key");
        handler_ = std::make_unique<sluice::reference::handler>(
            *store_, std::move(keys), zones_,
            sluice::reference::handler_options{.start_number = 1});
    }

    [[nodiscard]] std::size_t size() const { return store_->size(); }

    [[nodiscard]] std::int64_t count(std::string_view text) const {
        return sluice::reference::count_events(view(), parse_events(text, zones_)).value();
    }
    /// Returns the page's JSON, like `EventStore.page`.
    [[nodiscard]] std::string page(std::string_view text) const {
        return sluice::reference::list_events(view(), parse_events(text, zones_)).value().body;
    }
    /// Handles a whole request: key, limit, parameters, page, ETag and other headers.
    [[nodiscard]] sluice::response answer(std::string_view text, std::string_view etag) const {
        const std::string target = "/events?" + std::string(text);
        const std::vector<sluice::name_value> headers{
            {"authorization", "Bearer key"}, {"host", "localhost"}, {"if-none-match", etag}};
        return handler_->handle({.target = target, .headers = headers}, now);
    }

private:
    [[nodiscard]] sluice::reference::workspace_view view() const {
        return store_->find("ws_default")->current();
    }

    sluice::time_zone_database zones_{{sluice::time_zone::utc()}};
    std::unique_ptr<sluice::reference::event_store> store_;
    std::unique_ptr<sluice::reference::handler> handler_;
};

}  // namespace sluice_bench

#endif
