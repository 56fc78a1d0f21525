// SPDX-License-Identifier: MIT
#ifndef SLUICE_BENCH_DRIVER_REQUESTS_HPP
#define SLUICE_BENCH_DRIVER_REQUESTS_HPP

#include <memory>
#include <numeric>
#include <stdexcept>

#include <sluice/api/events_query.hpp>
#include <sluice/detail/random.hpp>
#include <sluice/envelope.hpp>
#include <sluice/keyed_limiter.hpp>
#include <sluice/system_time_zones.hpp>

#include "operation.hpp"

namespace sluice_bench {

inline constexpr sluice::instant request_time{std::chrono::milliseconds{1'787'279'415'123}};

[[nodiscard]] inline sluice::api::events_query parse_events(
    std::string_view text, const sluice::time_zone_database& zones) {
    const sluice::query_string pairs = sluice::parse_query_string(text);
    auto query = sluice::api::parse_events_query(pairs.pairs(), {.zones = &zones}, request_time);
    if (!query) throw std::runtime_error(sluice::message(query.error()));
    return *std::move(query);
}

/// `validate TEXT`: the parameters of `GET /events`, read and checked.
inline void add_validation(operation_table& operations) {
    auto zones = sluice::load_time_zones();
    if (!zones) throw std::runtime_error(sluice::message(zones.error()));
    const auto shared = std::make_shared<const sluice::time_zone_database>(*std::move(zones));
    operations["validate"] = [shared](std::string_view text) {
        const auto run = [shared, text = std::string(text)] { return parse_events(text, *shared); };
        return repeated(
            [run] { return sluice::to_query_string(sluice::api::events_params, run()); }, run);
    };
}

/// `error`: the body that answers a refused filter.
inline void add_error(operation_table& operations) {
    operations["error"] = [](std::string_view) {
        const sluice::error why = sluice::parse_filter("US,-CA").error();
        const auto run = [why] { return sluice::error_body(why, "https://example.com/docs"); };
        return repeated(run, run);
    };
}

/// `limit KEYS`: decisions about that many keys in random order; the answer is how many of 1,000
/// requests pass a limit of 600.
inline void add_limits(operation_table& operations) {
    operations["limit"] = [](std::string_view argument) {
        const auto count = static_cast<std::uint32_t>(std::stoul(std::string(argument)));
        std::vector<std::string> keys;
        for (std::uint32_t i = 0; i < count; ++i) keys.push_back("key_" + std::to_string(i));
        auto limiter = std::make_shared<sluice::keyed_limiter<>>(count + 1);
        const sluice::policy many{100'000'000, std::chrono::minutes{1}};
        const auto run = [limiter, many, keys = std::move(keys),
                          random = sluice::detail::random_source(1)]() mutable {
            const auto size = static_cast<std::uint32_t>(keys.size());
            return limiter->check(keys[random.below(size)], many, request_time);
        };
        const auto passed = [limiter] {
            int allowed = 0;
            for (int i = 0; i < 1'000; ++i) {
                const sluice::policy few{600, std::chrono::minutes{1}};
                allowed += limiter->check("checked", few, request_time).allowed ? 1 : 0;
            }
            limiter->forget("checked");
            return std::to_string(allowed);
        };
        return repeated(passed, run);
    };
}

}  // namespace sluice_bench

#endif
