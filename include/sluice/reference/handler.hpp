// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_HANDLER_HPP
#define SLUICE_REFERENCE_HANDLER_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/rate_limit/headers.hpp>
#include <sluice/rate_limit/keyed_limiter.hpp>
#include <sluice/reference/service/cors.hpp>
#include <sluice/reference/service/current_keys.hpp>
#include <sluice/reference/service/documentation_url.hpp>
#include <sluice/reference/service/metrics.hpp>
#include <sluice/reference/service/routes.hpp>
#include <sluice/reference/service/spare_response.hpp>
#include <sluice/reference/store/event_store.hpp>

namespace sluice::reference {

/// Answers requests to a list API over one store. Thread-safe. Each request passes these checks;
/// the first that fails answers it:
///
/// ```
/// https? -> route? -> key? -> rate? -> plan? -> permission? -> parameters? -> answer
///  403       404      401     429      403        403          400 / 422       200 / 304
/// ```
///
/// ```
/// sluice::reference::handler handler(store, keys, *zones);
/// auto response = handler.handle({.target = "/events?country=US", .headers = headers}, now);
/// ```
class handler {
public:
    /// Borrows the store and the zones, which must outlive the handler.
    handler(const event_store& store, key_ring keys, const time_zone_database& zones,
            handler_options options = {})
        : store_(store),
          keys_(std::move(keys)),
          zones_(zones),
          options_(std::move(options)),
          limiter_(options_.max_keys) {}

    /// Answers a request at the time `now`. Never throws: an unexpected failure is a 500, even if
    /// memory has run out. `stop` ends a search early, because the client has disconnected or the
    /// server stops; the response is then a 500 of rule request_cancelled.
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

    /// The number of the key that a request authenticates by, 0 without a known key. Servers share
    /// their threads fairly by it. Permissions and limits are not checked.
    [[nodiscard]] std::uint64_t lane_of(const request& asked) const noexcept {
        const auto token = token_of(asked);
        return token ? keys_.get()->number_of(*token) : 0;
    }

    /// Returns true if the answer takes a fraction of a millisecond, so that a server may compute
    /// it on its I/O thread: few records are searched and no other server is waited for.
    [[nodiscard]] bool is_small(const request& asked) const {
        const route* const asked_route = find_route(asked.path());
        if (asked_route == nullptr || !asked.is_get()) return true;
        if (asked_route->is_open()) return !options_.run_statement;
        const auto token = token_of(asked);
        const auto known = keys_.get();
        const api_key* const key = token ? known->find(*token, instant::min()) : nullptr;
        if (key == nullptr) return true;
        if (options_.run_statement || options_.check_limit) return false;
        return asked.target.size() <= small_target &&
               searched_by(*asked_route, *key) <= small_search;
    }

    /// Replaces the keys. Requests in progress use the previous ones; keys that stay keep their
    /// rate-limit counts.
    void replace_keys(key_ring keys) { keys_.replace(std::move(keys)); }

    /// The CORS headers for a response that the server itself sends, without calling handle(): see
    /// cors_headers_of_refusal.
    [[nodiscard]] std::vector<header> cors_headers(const request& asked) const {
        return cors_headers_of_refusal(asked, options_.cors_origins);
    }

    /// Measurements of this handler and its store.
    [[nodiscard]] auto measure() const {
        handler_state state{.keys = keys_.get()->size(), .limiter_keys = limiter_.size()};
        state.rows = store_.size();
        for (const workspace_stats& each : store_.stats()) state.bytes += total_bytes(each);
        return measurements_of(counts_, state);
    }

    /// The OpenAPI 3.1 document of this handler as JSON, as served at GET /openapi.json.
    [[nodiscard]] std::string openapi() const { return openapi_document(options_, routes); }

private:
    static constexpr std::size_t small_target = 1'024;   // bytes: few conditions
    static constexpr std::size_t small_search = 10'000;  // records

    /// The outcome of a request's rate-limit check.
    struct admission {
        decision counted;
        std::optional<policy> limits;  ///< empty if the plan has no quota
    };

    response respond(const request& asked, instant now, const std::stop_token& stop,
                     spare_response& spare) {
        if (!is_secure(asked)) return refuse(asked, make_error(rule::transport_insecure));
        const route* const asked_route = find_route(asked.path());
        if (asked_route == nullptr) return refuse(asked, make_error(rule::route_unknown));
        if (is_preflight(asked, options_.cors_origins)) return preflight_response();
        if (!asked.is_get()) return refuse_method(asked);
        if (asked_route->is_open()) {
            return or_refuse(asked,
                             asked_route->answer({asked, {}, {}, zones_, options_, now, stop}));
        }
        const std::shared_ptr<const key_ring> known = keys_.get();
        const auto key = authenticate(asked, *known, now);
        if (!key) return refuse_credentials(asked, key.error());
        const admission admitted = count(**key, known->number_of(**key), *asked_route, now, spare);
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

    static std::optional<std::string_view> token_of(const request& asked) noexcept {
        const auto header = asked.header_value("authorization");
        return header ? bearer_token(*header) : std::nullopt;
    }

    /// The number of records that a list request of this key searches, at most.
    [[nodiscard]] std::size_t searched_by(const route& asked_route, const api_key& key) const {
        const workspace* const records = store_.find(key.workspace_id);
        if (records == nullptr) return 0;
        const workspace_view view = records->current();
        if (!asked_route.is_analytics()) return view.tags;
        return view.clicks.size() + view.leads.size() + view.sales.size();
    }

    [[nodiscard]] static result<const api_key*> authenticate(const request& asked,
                                                             const key_ring& known, instant now) {
        if (!asked.header_value("authorization")) return fail(rule::credentials_missing);
        const auto token = token_of(asked);
        const api_key* const key = token ? known.find(*token, now) : nullptr;
        if (key == nullptr) return fail(rule::credentials_invalid);
        return key;
    }

    /// Charges the request to the key's quota for its route. The spare response gets the expected
    /// decision before the charge, and the actual one after it.
    admission count(const api_key& key, std::size_t number, const route& asked_route, instant now,
                    spare_response& spare) {
        const auto limits = asked_route.policy_of(key);
        admission admitted{{.allowed = true, .reset = now}, limits};
        const std::string_view counter = asked_route.is_analytics() ? " analytics" : " all";
        if (limits) {
            const auto own = std::to_string(number).append(counter);
            admitted.counted = options_.check_limit ? check_shared(key, counter, *limits, now)
                                                    : check(own, *limits, now, spare);
            ++(admitted.counted.allowed ? counts_.allowed : counts_.refused);
        }
        spare.tell(admitted.counted);
        return admitted;
    }
    [[nodiscard]] decision check_shared(const api_key& key, std::string_view counter,
                                        const policy& limits, instant now) const {
        constexpr std::size_t half = digest{}.size() / 2;
        return options_.check_limit(to_hex(key.hash, half).append(counter), limits, now);
    }
    decision check(const std::string& own, const policy& limits, instant now,
                   spare_response& spare) {
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

    /// An error response. The offset and length of the error refer to `input`.
    [[nodiscard]] response refuse(const request& asked, const error& why,
                                  std::string_view input = {}) const {
        return error_response(why, documentation_url(asked, options_), input);
    }
    [[nodiscard]] response or_refuse(const request& asked, result<response>&& answered) const {
        if (answered) return std::move(*answered);
        const query_string given = parse_query_string(asked.query());
        const error& why = answered.error();
        if (why.broken == rule::query_too_costly) ++counts_.past_deadline;
        response answer = refuse(asked, why, text_at_fault(given.pairs(), why));
        if (why.broken == rule::store_unavailable) answer.headers.push_back({"retry-after", "1"});
        return answer;
    }
    /// The response to a path with an unsupported method: 404 with an Allow header.
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

    /// Adds the headers that all responses have.
    [[nodiscard]] response finish(const request& asked, response answer) const {
        if (answer.status != 304 && answer.status != 204) {
            answer.headers.push_back({"content-length", std::to_string(answer.body.size())});
        }
        answer.headers.push_back({"cache-control", "private"});
        answer.headers.push_back(
            {"vary", options_.cors_origins.empty() ? "authorization" : "authorization, origin"});
        add_cors_headers(answer.headers, asked, options_.cors_origins);
        if (asked.method == "HEAD") answer.body.clear();
        return answer;
    }

    const event_store& store_;
    current_keys keys_;
    mutable handler_counts counts_;
    const time_zone_database& zones_;
    handler_options options_;
    keyed_limiter<> limiter_;
    workspace no_records_{""};  // stands for the workspace of a key without records
};

}  // namespace sluice::reference

#endif
