// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_LIMITS_HPP
#define SLUICE_EXAMPLES_SERVER_LIMITS_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include <sluice/rate_limit/redis/options.hpp>

#include "networks.hpp"

/// Settings of the server that limit connections, times, requests and statements.
namespace server {

/// Limits of connections.
struct connection_limits {
    std::size_t in_all = 10'000;      ///< connections at a time
    std::size_t per_address = 1'000;  ///< per IPv4 address or IPv6 /64 network
    /// Bytes of answers being sent; beyond them the oldest answers are cut off.
    std::size_t unread = std::size_t{512} << 20;
    networks trusted{};  ///< proxies, which have no limit per address
};

/// Timeouts for clients, and for stopping the server:
///
/// ```
/// signal --last_words--> no new requests --grace--> cancels requests --cancelled--> ends
/// ```
struct time_limits {
    std::chrono::milliseconds handshake{5'000};
    std::chrono::milliseconds head{10'000};   ///< for a request's head, and again for its body
    std::chrono::milliseconds idle{30'000};   ///< until a request begins
    std::chrono::milliseconds write{60'000};  ///< for an answer to be received
    /// The time over which a client's download rate is measured, and its minimum in bytes per
    /// second.
    std::chrono::seconds rate_time{10};
    std::size_t least_rate = 4'096;  ///< 0: none

    /// For requests that were sent before their clients could know that the server stops.
    std::chrono::milliseconds last_words{500};
    std::chrono::milliseconds grace{10'000};     ///< for requests in progress after that
    std::chrono::milliseconds cancelled{2'000};  ///< for cancelled requests after that
};

/// Rate limits shared by several servers.
struct limit_sharing {
    std::string url;  ///< Redis URL; empty if this server counts by itself
    sluice::on_error on_error = sluice::on_error::local;
    std::int64_t nodes = 1;  ///< servers that share the limits
};

/// The ClickHouse server of events and tags, if they aren't in memory, and limits of its use.
struct store_options {
    std::string url;              ///< ClickHouse URL; empty for none
    std::string password;         ///< used if the URL has none
    std::string ca_file;          ///< CA bundle, PEM; empty for the system's
    std::size_t timeout = 5;      ///< seconds per statement, for all attempts together
    std::size_t statements = 16;  ///< concurrent statements
};

}  // namespace server

#endif
