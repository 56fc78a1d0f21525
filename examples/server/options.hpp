// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_OPTIONS_HPP
#define SLUICE_EXAMPLES_SERVER_OPTIONS_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include <sluice/reference/service/log_record.hpp>

#include "limits.hpp"
#include "work_queues.hpp"

namespace server {

/// The settings of the command line and the environment; `server --help` describes them.
struct server_options {
    std::string data;      ///< folder; empty if the events are in ClickHouse
    std::string snapshot;  ///< snapshot file of the data; empty for none
    store_options store;
    std::string host = "127.0.0.1";
    std::uint16_t port = 8443;
    std::string certfile;  ///< empty for a development certificate
    std::string keyfile;
    std::string keys;          ///< keys file; empty for none
    std::string token;         ///< empty for none; from --token, --token-file or SLUICE_TOKEN
    std::string token_file;    ///< source of the token; empty for none
    networks trusted_proxies;  ///< clients of plain HTTP; empty for HTTPS
    std::chrono::milliseconds deadline{1'000};  ///< CPU time per request
    std::size_t threads = 16;
    std::size_t unread_per_key = work_queues::default_unread;  ///< bytes of answers
    limit_sharing sharing;
    std::vector<std::string> cors_origins;  ///< origins allowed by CORS
    sluice::reference::log_format log = sluice::reference::log_format::text;
    std::optional<std::uint16_t> metrics_port{};
    std::string metrics_host = "127.0.0.1";
    std::vector<std::string> metrics_names{};  ///< further names accepted in Host headers
    connection_limits connections;
    time_limits times;
    std::string help;  ///< text for --help or --version; empty otherwise

    /// Returns true if plain HTTP is served to proxies, which handle HTTPS.
    [[nodiscard]] bool is_behind_proxy() const noexcept { return !trusted_proxies.empty(); }
};

/// Parses the command line, including the program's name, or returns its error. Overwrites tokens
/// and URLs in `words`, so that process lists don't show them.
[[nodiscard]] tl::expected<server_options, std::string> parse_options(int count, char** words);

}  // namespace server

#endif
