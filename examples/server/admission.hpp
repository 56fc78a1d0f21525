// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_ADMISSION_HPP
#define SLUICE_EXAMPLES_SERVER_ADMISSION_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>

#include <boost/asio/ip/address.hpp>

#include "limits.hpp"

/// Limits of connections, in total and per address.
namespace server {

/// The decision on a new connection. A refused client is greeted and answered 429, so that it
/// learns the reason and when to retry; if too many are being refused at once, the connection is
/// closed without an answer.
enum class verdict { serve, refuse, close };

/// Counts connections, in total and per address.
class admission {
public:
    static constexpr std::size_t max_refused = 128;  ///< at once

    explicit admission(const connection_limits& limits) : limits_(limits) {}

    /// Decides on a client and counts it until release(), unless the verdict is `close`. With
    /// `can_replace` a client is served beyond the total limit, in exchange for another: see
    /// is_over().
    [[nodiscard]] verdict admit(const boost::asio::ip::address& client, bool can_replace = false) {
        const auto counted = per_network_.try_emplace(network_of(client)).first;
        const bool has_place = served_ < limits_.in_all || can_replace;
        if (has_place &&
            (counted->second < limits_.per_address || contains(limits_.trusted, client))) {
            ++served_;
            ++counted->second;
            return verdict::serve;
        }
        if (counted->second == 0) per_network_.erase(counted);
        if (refused_ == max_refused) return verdict::close;
        ++refused_;
        return verdict::refuse;
    }

    /// Ends the count of a client. `decision` is the result of its admit().
    void release(const boost::asio::ip::address& client, verdict decision) {
        if (decision == verdict::refuse) --refused_;
        if (decision != verdict::serve) return;
        --served_;
        const auto counted = per_network_.find(network_of(client));
        if (--counted->second == 0) per_network_.erase(counted);
    }

    /// Returns true if too many clients are served, so that one must be cut off.
    [[nodiscard]] bool is_over() const noexcept { return served_ > limits_.in_all; }
    /// The number of clients being served.
    [[nodiscard]] std::size_t served() const noexcept { return served_; }

private:
    /// The unit that is limited: an IPv4 address or an IPv6 /64 network, of which a single client
    /// has all addresses.
    static boost::asio::ip::address network_of(const boost::asio::ip::address& client) {
        const boost::asio::ip::address address = unmapped(client);
        if (!address.is_v6()) return address;
        auto bytes = address.to_v6().to_bytes();
        std::fill(bytes.begin() + 8, bytes.end(), std::uint8_t{0});
        return boost::asio::ip::address_v6(bytes);
    }

    connection_limits limits_;
    std::size_t served_ = 0;
    std::size_t refused_ = 0;
    std::map<boost::asio::ip::address, std::size_t> per_network_;
};

}  // namespace server

#endif
