// SPDX-License-Identifier: MIT
// The library sluice::service. It stands beside its header because it is the only compiled source.
#include <memory>
#include <stop_token>
#include <utility>

#include <sluice/reference/handler.hpp>
#include <sluice/reference/service.hpp>
#include <sluice/reference/service/key_file.hpp>
#include <sluice/reference/store/event_store.hpp>
#include <sluice/reference/store/loader.hpp>
#include <sluice/time/system_zones.hpp>

namespace sluice::reference {

namespace {

/// The error of opening a service; `text` is for people.
tl::unexpected<open_error> refuse(const error& why, std::string text) {
    return tl::unexpected(open_error{why, std::move(text)});
}

}  // namespace

/// The objects of a service. The handler refers to the others, which must not move.
struct service::parts {
    parts(service_inputs&& inputs, key_ring keys, time_zone_database known)
        : store(std::move(inputs.default_workspace), inputs.seed),
          zones(std::move(known)),
          answers(store, std::move(keys), zones, std::move(inputs.options)) {}

    event_store store;
    time_zone_database zones;
    handler answers;
};

service::service(std::unique_ptr<parts> all) noexcept : parts_(std::move(all)) {}
service::service(service&&) noexcept = default;
service& service::operator=(service&&) noexcept = default;
service::~service() = default;

tl::expected<service, open_error> service::open(service_inputs inputs) {
    auto keys = parse_keys(inputs.keys);
    if (!keys) return refuse(keys.error().why, message(keys.error()));
    auto zones = load_time_zones();
    if (!zones) return refuse(zones.error(), message(zones.error()));
    const auto folder = std::move(inputs.folder);
    const load_options how{.random = inputs.random};
    auto all = std::make_unique<parts>(std::move(inputs), std::move(*keys), std::move(*zones));
    const auto loaded = load_folder(all->store, folder, how);
    if (!loaded) return refuse(loaded.error().why, message(loaded.error()));
    return service(std::move(all));
}

response service::handle(const request& http_request, instant now, std::stop_token stop) noexcept {
    return parts_->answers.handle(http_request, now, std::move(stop));
}

}  // namespace sluice::reference
