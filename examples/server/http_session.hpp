// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_HTTP_SESSION_HPP
#define SLUICE_EXAMPLES_SERVER_HTTP_SESSION_HPP

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>

#include <sluice/api/service/log_record.hpp>
#include <sluice/api/service/request.hpp>
#include <sluice/envelope.hpp>
#include <sluice/instant.hpp>

#include "admission.hpp"
#include "lanes.hpp"
#include "limits.hpp"
#include "sessions.hpp"

namespace server {

/// What all sessions of a server share.
struct service {
    /// Answers a request at a time; ends early once it is asked to stop. Called by many threads.
    std::function<sluice::response(const sluice::api::request&, sluice::instant, std::stop_token)>
        handle;
    /// The lane of a request, 0 for one that costs so little that it needs none.
    std::function<std::uint64_t(const sluice::api::request&)> lane_of;
    std::shared_ptr<boost::asio::ssl::context> tls;  ///< of new connections; null for plain HTTP
    lanes& work;
    time_limits times;
    networks trusted{};  ///< whose X-Forwarded fields are believed; of others they are dropped
    /// What the server's own answer to a request needs beside what all have.
    std::function<std::vector<sluice::header>(const sluice::api::request&)> refusal_headers =
        [](const auto&) { return std::vector<sluice::header>(); };
    /// An id for a request that has none.
    std::function<std::string()> make_id = [] { return std::string("-"); };
    /// Told of each request that was answered.
    std::function<void(const sluice::api::access_record&)> note = [](const auto&) {};
    /// Called once the server begins to stop.
    std::function<void()> stopping = [] {};
    /// Told of what failed unexpectedly.
    std::function<void(std::string_view)> report = [](auto) {};
    /// Once the server stops: until when a request may still begin.
    std::optional<std::chrono::steady_clock::time_point> end{};
    std::stop_token cancelled{};  ///< ends what is still being worked on
};

/// A client's connection: greeting, requests one after another, farewell.
class http_session : public listed_session {
public:
    [[nodiscard]] virtual boost::asio::awaitable<void> run() = 0;
};

/// Makes the session of a client that has connected; it says in the lists what it does. Nothing but
/// refusals are sent where it isn't to be served.
[[nodiscard]] std::unique_ptr<http_session> make_session(boost::asio::ip::tcp::socket client,
                                                         service& shared, session_lists& sessions,
                                                         verdict given);

}  // namespace server

#endif
