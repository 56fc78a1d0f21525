// SPDX-License-Identifier: MIT
#ifndef SLUICE_BENCH_DRIVER_REFERENCE_HPP
#define SLUICE_BENCH_DRIVER_REFERENCE_HPP

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/errors/envelope.hpp>
#include <sluice/errors/message.hpp>
#include <sluice/reference/handler.hpp>
#include <sluice/reference/search/event_page.hpp>
#include <sluice/reference/store/loader.hpp>
#include <sluice/time/system_zones.hpp>

#include "operation.hpp"

namespace sluice_bench {

/// The time of all requests, and of the last events of a sample.
inline constexpr sluice::instant now{std::chrono::milliseconds{1'787'279'415'123}};

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
class reference_service {
public:
    reference_service(const reference_service&) = delete;
    reference_service& operator=(const reference_service&) = delete;
    explicit reference_service(const std::filesystem::path& folder) : store_(load_sample(folder)) {
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
    [[nodiscard]] sluice::response answer(std::string_view text) const {
        const std::string target = "/events?" + std::string(text);
        const std::vector<sluice::name_value> headers{{"authorization", "Bearer key"},
                                                      {"host", "localhost"}};
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

/// Adds what the reference service does over sample events: `event_count TEXT` and `event_page
/// TEXT` by the store, `request TEXT` by the handler, `ingest FOLDER`; `validate TEXT` parses the
/// parameters of `GET /events`; `error` writes the body for a refused filter.
inline void add_reference(operation_table& operations,
                          const std::unique_ptr<reference_service>& service) {
    operations["event_count"] =
        on_text([&service](std::string_view text) { return service->count(text); });
    operations["event_page"] =
        on_text([&service](std::string_view text) { return service->page(text); });
    operations["request"] =
        on_text([&service](std::string_view text) { return service->answer(text).body; });
    operations["ingest"] = [](std::string_view folder) {
        const auto run = [folder = std::filesystem::path(folder)] { return load_sample(folder); };
        return repeated([run] { return std::to_string(run()->size()); }, run);
    };
    auto zones = sluice::load_time_zones();
    if (!zones) throw std::runtime_error(sluice::message(zones.error()));
    const auto shared = std::make_shared<const sluice::time_zone_database>(*std::move(zones));
    operations["validate"] = [shared](std::string_view text) {
        const auto run = [shared, text = std::string(text)] { return parse_events(text, *shared); };
        return repeated(
            [run] { return sluice::to_query_string(sluice::reference::events_params, run()); },
            run);
    };
    operations["error"] = [](std::string_view) {
        const sluice::error why = sluice::parse_filter("US,-CA").error();
        return measured([why] { return sluice::error_body(why, "https://example.com/docs"); });
    };
}

}  // namespace sluice_bench

#endif
