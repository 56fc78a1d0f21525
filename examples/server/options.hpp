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

#include <sluice/api/service/log_record.hpp>

#include "lanes.hpp"
#include "limits.hpp"

namespace server {

struct server_options {
    std::string data;      ///< empty where the events are in a store
    std::string snapshot;  ///< of the data; empty for none
    store_options store;
    std::string host = "127.0.0.1";
    std::uint16_t port = 8443;
    std::string certfile;  ///< empty for one made here
    std::string keyfile;
    std::string keys;          ///< empty for none
    std::string token;         ///< empty for none; from --token, --token-file or SLUICE_TOKEN
    std::string token_file;    ///< that the token is from; empty for none
    networks trusted_proxies;  ///< plain HTTP is for these; empty for TLS
    std::chrono::milliseconds deadline{1'000};  ///< of processor time that a request may take
    std::size_t threads = 16;
    std::size_t unread_per_key = lanes::default_unread;  ///< bytes of answers
    limit_sharing sharing;
    std::vector<std::string> cors_origins;  ///< whose pages may read answers
    sluice::api::log_format log = sluice::api::log_format::text;
    std::optional<std::uint16_t> metrics_port{};
    std::string metrics_host = "127.0.0.1";
    std::vector<std::string> metrics_names{};  ///< of Host headers that are answered beside it
    connection_limits connections;
    time_limits times;
    std::string help;  ///< what --help or --version prints; empty without them

    /// Returns true for plain HTTP, where a proxy vouches for https.
    [[nodiscard]] bool is_behind_proxy() const noexcept { return !trusted_proxies.empty(); }
};

/// Reads the words of the command line, the program's name first, or says what is wrong with them.
/// A token or URL among them is overwritten, so that lists of processes don't show it.
[[nodiscard]] tl::expected<server_options, std::string> parse_options(int count, char** words);

}  // namespace server

#endif
