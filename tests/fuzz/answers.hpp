// SPDX-License-Identifier: MIT
#ifndef SLUICE_TESTS_FUZZ_ANSWERS_HPP
#define SLUICE_TESTS_FUZZ_ANSWERS_HPP

#include <string>
#include <string_view>
#include <vector>

#include <sluice/rate_limit/redis/limiter.hpp>
#include <sluice/reference/clickhouse/queries.hpp>

#include "limiters.hpp"
#include "parsers.hpp"
#include "service.hpp"

// Answers of other servers: Redis and ClickHouse.

namespace sluice_fuzz {

/// Policies, then the script's reply: decisions that limiters could make, or an error inside it.
inline void fuzz_redis_reply(std::string_view input) {
    byte_source bytes(input);
    std::vector<sluice::policy> policies;
    for (std::size_t left = 1 + bytes.below(3); left > 0; --left) {
        const limited_request request = read_limited_request(bytes);
        const auto limits = sluice::make_policy(request.limits.limit, request.limits.window);
        policies.push_back(limits.value_or(sluice::policy{10, std::chrono::minutes{1}}));
    }
    const std::int64_t cost = bytes.magnitude();
    const std::string_view text = bytes.rest();
    const auto reply = sluice::parse_redis_reply(text, policies, cost);
    if (!reply) return require_inside(reply.error(), text);
    require(reply->parts.size() == policies.size());
    for (const auto& part : reply->parts) {
        require_sound(part.decided, cost);
        require(part.ready >= reply->now);
    }
}

/// ClickHouse's answer to every question of a page with its total: a page of JSON, if the cells of
/// events are, or store_unavailable.
inline void fuzz_clickhouse_answer(std::string_view input) {
    const std::string answer(input);
    for (const std::size_t columns : {1U, 3U}) {
        const auto rows = sluice::reference::clickhouse::read_answer(answer, columns);
        if (!rows) continue;
        for (const auto& row : *rows) require(row.size() == columns);
    }
    static const sluice::time_zone_database zones({sluice::time_zone::utc()});
    const auto pairs = sluice::parse_query_string("interval=all&count=true&limit=2");
    const auto query =
        sluice::reference::parse_events_query(pairs.pairs(), {.zones = &zones}, service_now);
    require(query.has_value());
    const auto page = sluice::reference::clickhouse::list_events(
        [&](const sluice::sql::statement&) -> sluice::result<std::string> { return answer; },
        "ws_default", *query);
    require(page || page.error().broken == sluice::rule::store_unavailable);
}

}  // namespace sluice_fuzz

#endif
