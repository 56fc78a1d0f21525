// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_HANDLER_HPP
#define SLUICE_API_HANDLER_HPP

#include <cstdint>
#include <iterator>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include <sluice/api/event_store.hpp>
#include <sluice/api/key_ring.hpp>
#include <sluice/api/service/routes.hpp>
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

    /// The response to a request at a time. Nothing is thrown: an unexpected failure is a 500. A
    /// search ends once `stop` asks for it, as its client has gone or the server stops: the
    /// response is a 500 then, of the rule request_cancelled.
    [[nodiscard]] response handle(const request& asked, instant now,
                                  std::stop_token stop = {}) noexcept try {
        return finish(asked, respond(asked, now, stop));
    } catch (...) {
        return finish(asked, refuse(make_error(rule::unexpected_failure)));
    }

    /// A number for the key that a request authenticates by, 0 for none: what a server shares its
    /// threads out by. Nothing is checked but that the key is known.
    [[nodiscard]] std::uint64_t lane_of(const request& asked) const noexcept {
        const auto header = asked.header_value("authorization");
        const auto token = header ? bearer_token(*header) : std::nullopt;
        return token ? keys_.number_of(*token) : 0;
    }

private:
    struct admission {
        decision counted;
        std::optional<policy> limits;  ///< none where the plan has no quota
    };

    response respond(const request& asked, instant now, const std::stop_token& stop) {
        if (!is_secure(asked)) return refuse(make_error(rule::transport_insecure));
        const route* const way = asked.is_get() ? find_route(asked.path()) : nullptr;
        if (way == nullptr) return refuse(make_error(rule::route_unknown));
        const auto key = authenticate(asked, now);
        if (!key) {
            response answer = refuse(key.error());
            answer.headers.push_back({"www-authenticate", "Bearer"});
            return answer;
        }
        const admission admitted = count(**key, *way, now);
        auto answered = admitted.counted.allowed ? answer(asked, *way, **key, now, stop)
                                                 : fail(rule::rate_exceeded);
        response answer = answered ? std::move(*answered) : refuse(answered.error(), asked);
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

    /// Counts the request against the key's quota for its route.
    admission count(const api_key& key, const route& way, instant now) {
        const auto quota =
            way.is_analytics ? key.limits.analytics_per_second : key.limits.per_minute;
        if (!quota) return {{.allowed = true, .limit = 0, .remaining = 0, .reset = now}, {}};
        const policy limits = way.is_analytics ? policy{*quota, std::chrono::seconds{1}}
                                               : policy{*quota, std::chrono::minutes{1}};
        const std::string counter = to_hex(key.hash) + (way.is_analytics ? 'a' : 'g');
        return {limiter_.check(counter, limits, now), limits};
    }
    void add_rate_headers(response& answer, const admission& admitted, instant now) const {
        std::ranges::move(rate_limit_headers(admitted.counted), std::back_inserter(answer.headers));
        if (!options_.ratelimit_fields || !admitted.limits) return;
        auto fields = rate_limit_fields(admitted.counted, *admitted.limits, now);
        if (fields) std::ranges::move(*fields, std::back_inserter(answer.headers));
    }

    [[nodiscard]] result<response> answer(const request& asked, const route& way,
                                          const api_key& key, instant now,
                                          const std::stop_token& stop) const try {
        if (way.is_analytics && key.plan < plan::business) return fail(rule::plan_insufficient);
        if (!key.may(way.permission)) return fail(rule::permission_missing);
        const workspace* const own = store_.find(key.workspace_id);
        const workspace_view view = (own != nullptr ? *own : nothing_).current();
        return way.answer({asked, view, zones_, options_, now, stop});
    } catch (...) {
        return fail(rule::unexpected_failure);  // the response still tells the key's quota
    }

    [[nodiscard]] response refuse(const error& why) const {
        return error_response(why, options_.docs_url);
    }
    /// The same where a parameter may be at fault: its message can name an unknown one.
    [[nodiscard]] response refuse(const error& why, const request& asked) const {
        const query_string given = parse_query_string(asked.query());
        return error_response(why, options_.docs_url, text_at_fault(given.pairs(), why));
    }
    /// What all responses have in common.
    static response finish(const request& asked, response answer) {
        if (answer.status != 304) {
            answer.headers.push_back({"content-length", std::to_string(answer.body.size())});
        }
        answer.headers.push_back({"cache-control", "private"});
        answer.headers.push_back({"vary", "authorization"});
        if (asked.method == "HEAD") answer.body.clear();
        return answer;
    }

    const event_store& store_;
    key_ring keys_;
    const time_zone_database& zones_;
    handler_options options_;
    keyed_limiter<> limiter_;
    workspace nothing_{""};  // what a key sees whose workspace has no records
};

}  // namespace sluice::api

#endif
