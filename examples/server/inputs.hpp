// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_INPUTS_HPP
#define SLUICE_EXAMPLES_SERVER_INPUTS_HPP

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <system_error>

#include <tl/expected.hpp>

#include <sluice/errors/message.hpp>
#include <sluice/reference/plan.hpp>
#include <sluice/reference/service/key_file.hpp>
#include <sluice/reference/service/key_ring.hpp>
#include <sluice/reference/store/event_store.hpp>
#include <sluice/reference/store/loader.hpp>

#include "../progress.hpp"

/// The inputs of the server: records and keys.
namespace server {

/// The workspace of records that name none, and of the token's key.
inline constexpr std::string_view default_workspace = "ws_default";

/// Loads a folder into a store, with a progress bar if that takes long. Returns the error with its
/// location: `data/clicks.ndjson:12: ...`.
[[nodiscard]] inline tl::expected<void, std::string> load_data(
    sluice::reference::event_store& store, const std::string& folder) {
    constexpr std::int64_t bytes_without_progress = 16 << 20;
    std::error_code unknown;
    if (!std::filesystem::is_directory(folder, unknown)) {
        return tl::unexpected(folder + ": no such folder");
    }
    std::optional<progress_bar> bar;
    const auto show = [&bar](std::int64_t done, std::int64_t total) {
        if (!bar) bar.emplace(total, total > bytes_without_progress);
        bar->update(done);
    };
    const auto loaded = sluice::reference::load_folder(
        store, folder, {.random = std::random_device{}(), .progress = show});
    if (loaded) return {};
    return tl::unexpected(message(loaded.error()));
}

/// Reads the keys of a file, or returns the error.
[[nodiscard]] inline tl::expected<sluice::reference::key_ring, std::string> read_keys(
    const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file.is_open()) return tl::unexpected(path + ": " + std::strerror(errno));
    const std::string json{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    return sluice::reference::parse_keys(json).map_error(
        [&path](const auto& refused) { return path + ": " + message(refused); });
}

/// The API key of a token, for development.
[[nodiscard]] inline sluice::reference::api_key development_key(std::string_view token) {
    return {.hash = sluice::reference::sha256(token),
            .workspace_id = std::string(default_workspace),
            .plan = sluice::reference::plan::business,
            .permissions = {"analytics.read", "tags.read"},
            .limits = sluice::reference::limits_of(sluice::reference::plan::business)};
}

}  // namespace server

#endif
