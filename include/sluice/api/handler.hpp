// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_HANDLER_HPP
#define SLUICE_API_HANDLER_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include <sluice/api/event_store.hpp>
#include <sluice/api/service/cors.hpp>
#include <sluice/api/service/documentation_url.hpp>
#include <sluice/api/service/key_ring.hpp>
#include <sluice/api/service/routes.hpp>
#include <sluice/api/service/spare_response.hpp>
#include <sluice/rate_limit.hpp>

namespace sluice::api {

/// Answers requests to a list API over one store. Thread-safe. Each request passes these gates; the
/// first that it fails at answers:
///
/// ```
/// https? -> route? -> key? -> rate? -> plan? -> permission? -> parameters? -> answer
///  403       404      401     429      403        403          400 / 422       200 / 304
/// ```
///
/// ```
/// sluice::api::handler handler(store, keys, *zones);
/// auto response = handler.handle({.target = "/events?country=US", .headers = headers}, now);
/// ```
class handler {
public:
    /// Views the store and the zones, which must outlive it.
    handler(const event_store& store, key_ring keys, const time_zone_database& zones,
            handler_options options = {})
        : store_(store),
          keys_(std::move(keys)),
          zones_(zones),
          options_(std::move(options)),
          limiter_(options_.max_keys) {}

    /// The response to a request at a time. Nothing is thrown: an unexpected failure is a 500, be
    /// it that memory has run out. A search ends once `stop` asks for it, as its client has gone or
    /// the server stops: the response is a 500 then, of the rule request_cancelled.
    [[nodiscard]] response handle(const request& asked, instant now,
                                  std::stop_token stop = {}) noexcept {
        spare_response spare;
        try {
            spare.prepare(finish(asked, refuse(asked, make_error(rule::unexpected_failure))));
            return finish(asked, respond(asked, now, stop, spare));
        } catch (...) {
            return std::move(spare).take();
        }
    }

    /// A number for the key that a request authenticates by, 0 for none: what a server shares its
    /// threads out by. Nothing is checked but that the key is known.
    [[nodiscard]] std::uint64_t lane_of(const request& asked) const noexcept {
        const auto header = asked.header_value("authorization");
        const auto token = header ? bearer_token(*header) : std::nullopt;
        return token ? keys_.number_of(*token) : 0;
    }

private:
    /// What a key's request came to at its limit.
    struct admission {
        decision counted;
        std::optional<policy> limits;  ///< none where the plan has no quota
    };

    response respond(const request& asked, instant now, const std::stop_token& stop,
                     spare_response& spare) {
        if (!is_secure(asked)) return refuse(asked, make_error(rule::transport_insecure));
        const route* const asked_route = find_route(asked.path());
        if (asked_route == nullptr) return refuse(asked, make_error(rule::route_unknown));
        if (is_preflight(asked, options_)) return preflight_response();
        if (!asked.is_get()) return refuse_method(asked);
        if (asked_route->is_open()) {
            return or_refuse(asked,
                             asked_route->answer({asked, {}, {}, zones_, options_, now, stop}));
        }
        const auto key = authenticate(asked, now);
        if (!key) return refuse_credentials(asked, key.error());
        const admission admitted = count(**key, *asked_route, now, spare);
        response answer = admitted.counted.allowed
                              ? or_refuse(asked, answer_key(asked, *asked_route, **key, now, stop))
                              : refuse(asked, make_error(rule::rate_exceeded));
        add_rate_headers(answer, admitted, now);
        return answer;
    }

    [[nodiscard]] bool is_secure(const request& asked) const {
        if (!options_.behind_proxy) return asked.scheme == "https";
        const auto scheme = asked.header_value("x-forwarded-proto");
        return scheme && sluice::detail::equal_ignoring_case(*scheme, "https");
    }

    [[nodiscard]] result<const api_key*> authenticate(const request& asked, instant now) const {
        const auto header = asked.header_value("authorization");
        if (!header) return fail(rule::credentials_missing);
        const auto token = bearer_token(*header);
        const api_key* const key = token ? keys_.find(*token, now) : nullptr;
        if (key == nullptr) return fail(rule::credentials_invalid);
        return key;
    }

    /// Counts the request against the key's quota for its route, and lets the spare response tell
    /// the outcome; before that, what it will be.
    admission count(const api_key& key, const route& asked_route, instant now,
                    spare_response& spare) {
        const auto limits = asked_route.policy_of(key);
        admission admitted{{.allowed = true, .reset = now}, limits};
        const std::string_view counter = asked_route.is_analytics() ? " analytics" : " all";
        if (limits) admitted.counted = check(key, counter, *limits, now, spare);
        spare.tell(admitted.counted);
        return admitted;
    }
    decision check(const api_key& key, std::string_view counter, const policy& limits, instant now,
                   spare_response& spare) {
        if (options_.check_limit) {
            constexpr std::size_t half = digest{}.size() / 2;
            return options_.check_limit(to_hex(key.hash, half).append(counter), limits, now);
        }
        const std::string own = std::to_string(keys_.number_of(key)).append(counter);
        spare.tell(limiter_.peek(own, limits, now));
        return limiter_.check(own, limits, now);
    }
    void add_rate_headers(response& answer, const admission& admitted, instant now) const {
        std::ranges::move(rate_limit_headers(admitted.counted), std::back_inserter(answer.headers));
        if (!options_.ratelimit_fields || !admitted.limits) return;
        auto fields = rate_limit_fields(admitted.counted, *admitted.limits, now);
        if (fields) std::ranges::move(*fields, std::back_inserter(answer.headers));
    }

    [[nodiscard]] result<response> answer_key(const request& asked, const route& asked_route,
                                              const api_key& key, instant now,
                                              const std::stop_token& stop) const {
        if (asked_route.is_analytics() && key.plan < plan::business)
            return fail(rule::plan_insufficient);
        if (!key.may(asked_route.permission)) return fail(rule::permission_missing);
        const workspace* const records = store_.find(key.workspace_id);
        const workspace_view view = (records != nullptr ? *records : no_records_).current();
        return asked_route.answer({asked, view, key.workspace_id, zones_, options_, now, stop});
    }

    /// The refusal of a request. `input` is what the error's offset and length count in.
    [[nodiscard]] response refuse(const request& asked, const error& why,
                                  std::string_view input = {}) const {
        return error_response(why, documentation_url(asked, options_), input);
    }
    [[nodiscard]] response or_refuse(const request& asked, result<response>&& answered) const {
        if (answered) return std::move(*answered);
        const query_string given = parse_query_string(asked.query());
        const error& why = answered.error();
        response answer = refuse(asked, why, text_at_fault(given.pairs(), why));
        if (why.broken == rule::store_unavailable) answer.headers.push_back({"retry-after", "1"});
        return answer;
    }
    /// To this service a path with another method is another operation, which it lacks.
    [[nodiscard]] response refuse_method(const request& asked) const {
        response answer = refuse(asked, make_error(rule::route_unknown));
        answer.headers.push_back(
            {"allow", options_.cors_origins.empty() ? "GET, HEAD" : "GET, HEAD, OPTIONS"});
        return answer;
    }
    [[nodiscard]] response refuse_credentials(const request& asked, const error& why) const {
        response answer = refuse(asked, why);
        answer.headers.push_back({"www-authenticate", "Bearer"});
        return answer;
    }

    /// Adds what all responses have in common.
    [[nodiscard]] response finish(const request& asked, response answer) const {
        if (answer.status != 304 && answer.status != 204) {
            answer.headers.push_back({"content-length", std::to_string(answer.body.size())});
        }
        answer.headers.push_back({"cache-control", "private"});
        answer.headers.push_back(
            {"vary", options_.cors_origins.empty() ? "authorization" : "authorization, origin"});
        add_cors_headers(answer, asked, options_);
        if (asked.method == "HEAD") answer.body.clear();
        return answer;
    }

    const event_store& store_;
    key_ring keys_;
    const time_zone_database& zones_;
    handler_options options_;
    keyed_limiter<> limiter_;
    workspace no_records_{""};  // what a key sees whose workspace has no records
};

}  // namespace sluice::api

#endif
