// SPDX-License-Identifier: MIT
#include "shared_limits.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include <boost/url/parse.hpp>
#include <boost/url/src.hpp>  // compiled here: the library is used as headers only

#include <sluice/rate_limit/redis/hiredis_pool.hpp>
#include <sluice/rate_limit/redis/limiter.hpp>

namespace server {

namespace {

/// The time that the answer to a client may wait for Redis.
constexpr std::chrono::milliseconds deadline{150};

/// The number of a database from a path such as `/1`; 0 for an empty path, nullopt if it is
/// invalid.
std::optional<int> database_of(const boost::urls::url_view& url) {
    const std::string path = url.path();
    if (path.empty() || path == "/") return 0;
    const bool is_number = path.size() < 6 && path.find_first_not_of("0123456789", 1) == path.npos;
    return is_number ? std::optional(std::stoi(path.substr(1))) : std::nullopt;
}

/// Parses `redis://[[user]:password@]host[:port][/database]`; `rediss` is TLS.
std::optional<sluice::redis_place> parse_place(const std::string& text) {
    const auto url = boost::urls::parse_uri(text);
    if (!url || url->host().empty()) return std::nullopt;
    if (url->scheme() != "redis" && url->scheme() != "rediss") return std::nullopt;
    if (url->has_query() || url->has_fragment()) return std::nullopt;
    const auto database = database_of(*url);
    if (!database) return std::nullopt;
    sluice::redis_place place{.host = url->host_address(),
                              .user = url->user(),
                              .password = url->password(),
                              .database = *database};
    if (url->has_port()) place.port = url->port_number();
    if (url->scheme() == "rediss") place.tls.emplace();
    return place;
}

/// A limiter and its connections to Redis.
class shared_limiter {
public:
    shared_limiter(const limit_sharing& options, sluice::redis_place place,
                   std::function<void(std::string_view)> warn)
        : limiter_({.on_error = options.on_error, .nodes = options.nodes}),
          redis_(std::move(place), deadline, std::move(warn)) {}

    /// Counts a request of a key in Redis and returns the decision, that of on_error while Redis
    /// fails.
    sluice::decision check(std::string_view key, const sluice::policy& limits,
                           sluice::instant now) {
        const sluice::shared_policy one{limits};
        return limiter_.check({key, {&one, 1}}, now, redis_).value().front();
    }

    /// See hiredis_pool::try_out.
    [[nodiscard]] std::string try_out() { return redis_.try_out(); }

private:
    sluice::redis_limiter limiter_;
    sluice::hiredis_pool redis_;
};

}  // namespace

tl::expected<sluice::reference::limit_check, std::string> share_limits(
    const limit_sharing& options, std::function<void(std::string_view)> warn) {
    auto place = parse_place(options.url);
    if (!place) {
        return tl::unexpected(
            std::string("--limits: expected redis[s]://[[user]:password@]host[:port][/database]"));
    }
    const auto shared =
        std::make_shared<shared_limiter>(options, *std::move(place), std::move(warn));
    if (const std::string refused = shared->try_out(); !refused.empty()) {
        return tl::unexpected("--limits: Redis: " + refused);
    }
    return [shared](std::string_view key, const sluice::policy& limits, sluice::instant now) {
        return shared->check(key, limits, now);
    };
}

}  // namespace server
