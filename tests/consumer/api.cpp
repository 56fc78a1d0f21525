// SPDX-License-Identifier: MIT
#include <array>
#include <iostream>

#include <sluice/api/event_store.hpp>
#include <sluice/api/handler.hpp>
#include <sluice/system_time_zones.hpp>

int main() {
    const auto zones = sluice::load_time_zones();
    if (!zones) return 1;
    const sluice::api::event_store store("ws_1");
    sluice::api::key_ring keys;
    if (!keys.add({.hash = sluice::api::sha256("secret"),
                   .workspace_id = "ws_1",
                   .permissions = {"tags.read"}})) {
        return 1;
    }
    sluice::api::handler handler(store, keys, *zones);

    const std::array headers{sluice::name_value{"authorization", "Bearer secret"}};
    const auto tags = handler.handle({.target = "/tags", .headers = headers}, sluice::instant{});
    std::cout << tags.status << ' ' << tags.body << '\n';
    return tags.status == 200 ? 0 : 1;
}
