// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_SNAPSHOT_HPP
#define SLUICE_EXAMPLES_SERVER_SNAPSHOT_HPP

#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include <sluice/reference/store/event_store.hpp>
#include <sluice/reference/store/loader.hpp>
#include <sluice/reference/store/snapshot_file.hpp>

#include "options.hpp"
#include "server_log.hpp"

/// Snapshot files of the records, which open faster than the records load.
namespace server {

/// Opens the snapshot that the options name, checking all its bytes. Returns null if the records
/// are to be loaded instead; the log says why.
[[nodiscard]] inline std::unique_ptr<sluice::reference::event_store> open_snapshot(
    const server_options& options, server_log& log) {
    std::error_code unknown;
    if (options.snapshot.empty() || !std::filesystem::exists(options.snapshot, unknown)) {
        return nullptr;
    }
    auto opened = sluice::reference::open_snapshot(options.snapshot);
    if (!opened) {
        log.say("snapshot: " + message(opened.error()), log_level::warning);
        return nullptr;
    }
    const std::string changes = sluice::reference::changes_since_load(**opened, options.data);
    if (!changes.empty()) {
        log.say("snapshot: " + options.snapshot +
                " is not of the records, which are loaded: " + changes);
        return nullptr;
    }
    log.say("opened: " + std::to_string((*opened)->size()) + " events from " + options.snapshot);
    return *std::move(opened);
}

/// Writes the snapshot that the options name, if any, after a load. A failure is only logged.
inline void write_snapshot(const sluice::reference::event_store& loaded,
                           const server_options& options, server_log& log) {
    if (options.snapshot.empty()) return;
    const auto written = sluice::reference::save_snapshot(loaded, options.snapshot);
    if (!written) return log.say("snapshot: " + message(written.error()), log_level::warning);
    log.say("snapshot: " + std::to_string(*written) + " bytes written to " + options.snapshot);
}

}  // namespace server

#endif
