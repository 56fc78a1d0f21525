// SPDX-License-Identifier: MIT
// A service over an empty folder, by the light header alone.
#include <filesystem>
#include <fstream>
#include <iostream>

#include <sluice/reference/service.hpp>

int main() {
    std::filesystem::create_directory("data");
    for (const char* const name : {"tags", "customers", "links", "clicks", "leads", "sales"}) {
        std::ofstream(std::filesystem::path("data") / (std::string(name) + ".ndjson"));
    }
    auto opened = sluice::reference::service::open({.folder = "data", .default_workspace = "ws_1"});
    if (!opened) {
        std::cerr << opened.error().text << '\n';
        return 1;
    }
    const auto response = opened->handle({.target = "/tags"}, sluice::instant());
    std::cout << response.status << ' ' << response.body << '\n';
    return response.status == 401 ? 0 : 1;
}
