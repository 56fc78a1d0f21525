// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_ADMISSION_HPP
#define SLUICE_EXAMPLES_SERVER_ADMISSION_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>

#include <boost/asio/ip/address.hpp>

#include "limits.hpp"

namespace server {

/// What happens to a client that connects. One that is refused is greeted and answered 429, so that
/// it knows why and when to come back; but where this is done to as many as may be at once already,
/// the connection is closed without an answer.
enum class verdict { serve, refuse, close };

/// Counts connections.
class admission {
public:
    static constexpr std::size_t max_refused = 128;  ///< at once

    explicit admission(const connection_limits& limits) : limits_(limits) {}

    /// What happens to a client. It counts until it is released, unless it is closed. Where another
    /// can be cut off for it, it is served although there are as many as may be: see is_over().
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

    void release(const boost::asio::ip::address& client, verdict given) {
        if (given == verdict::refuse) --refused_;
        if (given != verdict::serve) return;
        --served_;
        const auto counted = per_network_.find(network_of(client));
        if (--counted->second == 0) per_network_.erase(counted);
    }

    /// Returns true if more clients are served than may be, so that one is to be cut off.
    [[nodiscard]] bool is_over() const noexcept { return served_ > limits_.in_all; }
    /// How many clients are being served.
    [[nodiscard]] std::size_t served() const noexcept { return served_; }

private:
    /// What counts as one address: of IPv6, whoever has one has 2^64 beside it.
    static boost::asio::ip::address network_of(const boost::asio::ip::address& client) {
        if (!client.is_v6()) return client;
        auto bytes = client.to_v6().to_bytes();
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
