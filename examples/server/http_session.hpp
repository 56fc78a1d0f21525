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

#include <sluice/errors/envelope.hpp>
#include <sluice/reference/service/log_record.hpp>
#include <sluice/reference/service/request.hpp>
#include <sluice/time/instant.hpp>

#include "admission.hpp"
#include "limits.hpp"
#include "sessions.hpp"
#include "work_queues.hpp"

/// Sessions: the connections of clients, and what they share.
namespace server {

/// A request that is ready to be answered.
struct prepared_request {
    /// The queue of the request, 0 for a request that is cheap enough to be answered immediately.
    std::uint64_t queue = 0;
    /// True if the answer takes a fraction of a millisecond, so that no other thread is needed.
    bool is_small = false;
    /// The label of the request in logs and metrics.
    std::string_view route = sluice::reference::no_route_label;
    /// Answers the request as of a time; ends early on a stop request. Called once, by any thread.
    std::function<sluice::response(sluice::instant, const std::stop_token&)> answer;
};

/// The state and callbacks that all sessions of a server share.
struct service {
    /// Looks up all that the answer to a request needs.
    std::function<prepared_request(const sluice::reference::request&)> prepare;
    std::shared_ptr<boost::asio::ssl::context> tls;  ///< for new connections; null for plain HTTP
    work_queues& work;
    time_limits times;
    networks trusted{};  ///< proxies whose X-Forwarded fields are used; those of others are dropped
    /// Additional headers of an answer that the server itself sends.
    std::function<std::vector<sluice::header>(const sluice::reference::request&)> refusal_headers =
        [](const auto&) { return std::vector<sluice::header>(); };
    /// Creates an id for a request without one.
    std::function<std::string()> make_id = [] { return std::string("-"); };
    /// Called after each answered request.
    std::function<void(const sluice::reference::access_record&)> record = [](const auto&) {};
    /// Called once the server begins to stop.
    std::function<void()> stopping = [] {};
    /// Called with descriptions of unexpected failures.
    std::function<void(std::string_view)> report = [](auto) {};
    /// While the server stops: the time until which a request may still begin.
    std::optional<std::chrono::steady_clock::time_point> end{};
    std::stop_token cancelled{};  ///< cancels requests in progress
};

/// A client's connection: handshake, requests one after another, shutdown.
class http_session : public listed_session {
public:
    /// Serves the client until the connection ends. Call it once; the session must outlive it.
    [[nodiscard]] virtual boost::asio::awaitable<void> run() = 0;
};

/// Creates the session of a connected client, which keeps its place in `sessions` up to date.
/// Unless `decision` is `serve`, it answers only with refusals.
[[nodiscard]] std::unique_ptr<http_session> make_session(boost::asio::ip::tcp::socket client,
                                                         service& shared, session_lists& sessions,
                                                         verdict decision);

}  // namespace server

#endif
