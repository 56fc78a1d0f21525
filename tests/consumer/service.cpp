// SPDX-License-Identifier: MIT
// Something of each package that sluice::api needs: keys from JSON, their hashes, time zones.
#include <iostream>
#include <string>

#include <sluice/api/service/key_file.hpp>
#include <sluice/system_time_zones.hpp>

int main() {
    const std::string keys =
        R"([{"sha256": ")" + sluice::api::to_hex(sluice::api::sha256("secret")) +
        R"(", "workspaceId": "ws_1", "plan": "pro", "permissions": ["tags.read"]}])";
    const auto ring = sluice::api::parse_keys(keys);
    const auto zones = sluice::load_time_zones();
    if (!ring || !zones) {
        std::cerr << (ring ? "no time zones" : sluice::api::message(ring.error())) << '\n';
        return 1;
    }
    std::cout << ring->size() << " key\n";
    return zones->find("Europe/Berlin") ? 0 : 1;
}
