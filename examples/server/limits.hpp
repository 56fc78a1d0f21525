// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_LIMITS_HPP
#define SLUICE_EXAMPLES_SERVER_LIMITS_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include <sluice/rate_limit/redis_options.hpp>

#include "networks.hpp"

namespace server {

/// How many connections there may be.
struct connection_limits {
    std::size_t in_all = 10'000;
    std::size_t per_address = 1'000;  ///< an address of IPv6 counts with its /64 network
    /// Bytes of answers that are being sent; beyond them the oldest answers are cut off.
    std::size_t unread = std::size_t{512} << 20;
    networks trusted{};  ///< proxies, which have no limit per address
};

/// How long clients may take, and a server that stops.
struct time_limits {
    std::chrono::milliseconds handshake{5'000};
    std::chrono::milliseconds head{10'000};   ///< for a request's head, and again for its body
    std::chrono::milliseconds idle{30'000};   ///< until a request begins
    std::chrono::milliseconds write{60'000};  ///< to take an answer
    /// In each such time a client that takes an answer has to take so many bytes a second of it.
    std::chrono::seconds rate_time{10};
    std::size_t least_rate = 4'096;

    /// For requests that were sent before their clients could know that the server stops.
    std::chrono::milliseconds last_words{500};
    std::chrono::milliseconds grace{10'000};     ///< for all that is under way then
    std::chrono::milliseconds cancelled{2'000};  ///< for what is given up after that
};

/// Where the requests of keys are counted that several servers answer.
struct limit_sharing {
    std::string url;  ///< of Redis; empty where this server counts for itself
    sluice::on_error on_error = sluice::on_error::local;
    std::int64_t nodes = 1;
};

/// Where the events and tags are, if not in memory, and what asking for them may take.
struct store_options {
    std::string url;          ///< of ClickHouse; empty for none
    std::string password;     ///< where the URL has none
    std::string ca_file;      ///< who signed certificates that are trusted; empty for the system's
    std::size_t timeout = 5;  ///< seconds that a statement may take, on all servers together
    std::size_t statements = 16;  ///< at a time
};

}  // namespace server

#endif
