// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_HANDLER_HPP
#define SLUICE_REFERENCE_HANDLER_HPP

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/errors/envelope.hpp>
#include <sluice/rate_limit/headers.hpp>
#include <sluice/rate_limit/keyed_limiter.hpp>
#include <sluice/reference/service/cors.hpp>
#include <sluice/reference/service/error_page.hpp>
#include <sluice/reference/service/key_ring.hpp>
#include <sluice/reference/service/log_record.hpp>
#include <sluice/reference/service/metrics.hpp>
#include <sluice/reference/service/routes.hpp>
#include <sluice/reference/store/event_store.hpp>

/// The handler of requests to the reference service.
namespace sluice::reference {

/// Copies of a response, allocated in advance for requests that run out of memory. Thread-safe.
class spare_responses {
public:
    /// Allocates the first copies of a response. `original` has all headers that take() may set,
    /// with values as long as the longest, so that setting them never allocates.
    explicit spare_responses(response original) : original_(std::move(original)) {
        copies_.reserve(most);
        refill();
    }

    /// Replaces the copies that were taken. Call it once memory may be allocated again.
    void refill() {
        if (is_full_) return;
        const std::lock_guard lock(mutex_);
        while (copies_.size() < most) copies_.push_back(original_);
        is_full_ = true;
    }

    /// Takes a copy and sets its headers, without allocating: the allowed origin and the quota, if
    /// there are any. The status alone if no copy is left.
    [[nodiscard]] response take(std::string_view origin,
                                const std::optional<decision>& charged) noexcept {
        response copy = take();
        set(copy, "access-control-allow-origin", origin);
        if (origin.empty()) set(copy, "access-control-expose-headers", {});
        const auto values = sluice::detail::rate_limit_values(charged.value_or(decision{}));
        for (std::size_t i = 0; i < values.size(); ++i) {
            std::array<char, 20> digits;  // of any 64-bit number, with its sign
            const auto end = std::to_chars(digits.begin(), digits.end(), values[i]).ptr;
            const std::string_view text(digits.begin(), end);
            set(copy, sluice::detail::rate_limit_names[i], charged ? text : std::string_view());
        }
        return copy;
    }

private:
    static constexpr std::size_t most = 64;  // copies, for requests that run out of memory at once

    /// Takes a copy as it is; the status alone if none is left.
    [[nodiscard]] response take() noexcept {
        const std::lock_guard lock(mutex_);
        is_full_ = false;
        if (copies_.empty()) return {.status = original_.status};
        response copy = std::move(copies_.back());
        copies_.pop_back();
        return copy;
    }

    /// Sets the value of a header, or removes it if the value is empty.
    static void set(response& copy, std::string_view name, std::string_view value) noexcept {
        const auto place = std::ranges::find(copy.headers, name, &header::name);
        if (place == copy.headers.end()) return;
        if (value.empty()) {
            copy.headers.erase(place);
        } else {
            place->value.assign(value);
        }
    }

    response original_;
    std::mutex mutex_;  // guards copies_
    std::vector<response> copies_;
    std::atomic<bool> is_full_ = false;  // read without the mutex, so that refill() is cheap
};

/// A request with all that is looked up for it, once: see handler::resolve. Valid as long as the
/// views in the request and the handler.
struct resolved_request {
    request received;
    const route* endpoint = nullptr;         ///< null if the path is unknown
    std::shared_ptr<const key_ring> keys{};  ///< the keys at the time of the look-up
    const api_key* key = nullptr;            ///< one of them, even if expired; null if unknown
    const workspace* records = nullptr;      ///< of the key's workspace; null without a key
    std::string_view origin{};               ///< CORS: result of allowed_origin(); empty: none

    /// The number of the key, 0 without a known key. Servers identify clients by it, to share their
    /// threads fairly.
    [[nodiscard]] std::uint64_t key_number() const noexcept {
        return key == nullptr ? 0 : key->number;
    }
    /// The label of the request in logs and metrics: the path of its route, not its target, so
    /// that clients can't create new labels.
    [[nodiscard]] std::string_view route_label() const noexcept {
        return endpoint == nullptr ? no_route_label : endpoint->path;
    }
};

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

    /// Looks up the route, the key and the workspace of a request.
    [[nodiscard]] resolved_request resolve(const request& received) const noexcept {
        resolved_request resolved{received, find_route(received.path()), keys_.get()};
        resolved.origin = allowed_origin(received, options_.cors_origins);
        const auto credentials = received.header_value("authorization");
        const auto token = credentials ? bearer_token(*credentials) : std::nullopt;
        if (token) resolved.key = resolved.keys->find(*token);
        if (resolved.key == nullptr) return resolved;
        const workspace* const records = store_.find(resolved.key->workspace_id);
        resolved.records = records == nullptr ? &no_records_ : records;
        return resolved;
    }

    /// Answers a request at the time `now`. Never throws: an unexpected failure is a 500, even if
    /// memory has run out. `stop` ends a search early, because the client has disconnected or the
    /// server stops; the response is then a 500 of rule request_cancelled.
    [[nodiscard]] response handle(const request& received, instant now,
                                  const std::stop_token& stop = {}) noexcept {
        return handle(resolve(received), now, stop);
    }

    /// Answers a request that is resolved already.
    [[nodiscard]] response handle(const resolved_request& resolved, instant now,
                                  const std::stop_token& stop = {}) noexcept {
        quota_charge charge;
        try {
            spares_.refill();
            auto answered = answer(resolved, now, stop, charge);
            return complete(resolved, std::move(answered), charge, now);
        } catch (...) {
            return answer_failure(resolved, charge, now);
        }
    }

    /// Returns true if the answer at the time `now` takes a fraction of a millisecond, so that a
    /// server may compute it on its I/O thread: few records are searched, by the plan of a page of
    /// events, and no other server is waited for.
    [[nodiscard]] bool is_small(const resolved_request& resolved, instant now) const {
        const request& received = resolved.received;
        const route* const endpoint = resolved.endpoint;
        if (endpoint == nullptr || !received.is_get()) return true;
        if (endpoint->is_open()) return !options_.run_statement;  // readiness asks ClickHouse
        if (resolved.key == nullptr) return true;
        if (options_.run_statement || options_.check_limit) return false;
        if (received.target.size() > small_target) return false;
        const call context{
            received, resolved.records->current(), resolved.key->workspace_id, zones_, options_,
            now};
        return endpoint->searched(context) <= small_search;
    }

    /// Replaces the keys. Requests in progress use the previous ones; keys that stay keep their
    /// rate-limit counts.
    void replace_keys(key_ring keys) { keys_.replace(std::move(keys)); }

    /// The CORS headers for a response that the server itself sends, without calling handle(): see
    /// cors_headers_of_refusal.
    [[nodiscard]] std::vector<header> cors_headers(const request& received) const {
        return cors_headers_of_refusal(received, options_.cors_origins);
    }

    /// Measurements of this handler and its store.
    [[nodiscard]] auto measure() const {
        handler_state state{.keys = keys_.get()->size(), .limiter_keys = limiter_.size()};
        state.rows = store_.size();
        for (const workspace_stats& stats : store_.stats()) state.bytes += total_bytes(stats);
        return measurements_of(counts_, state);
    }

    /// The OpenAPI 3.1 document of this handler as JSON, as served at GET /openapi.json.
    [[nodiscard]] std::string openapi() const { return openapi_document(options_, routes); }

private:
    static constexpr std::size_t small_target = 1'024;   // bytes: few conditions
    static constexpr std::size_t small_search = 10'000;  // records

    /// The charge of a request to the quota of its key.
    struct quota_charge {
        std::optional<policy> limits{};     ///< empty if the plan has no quota
        std::optional<decision> decided{};  ///< empty until charged
    };

    /// Checks a request in the order that the class comment shows, and calls its endpoint.
    result<response> answer(const resolved_request& resolved, instant now,
                            const std::stop_token& stop, quota_charge& charge) {
        const request& received = resolved.received;
        const route* const endpoint = resolved.endpoint;
        if (!is_secure(received)) return fail(rule::transport_insecure);
        if (endpoint == nullptr) return fail(rule::route_unknown);
        if (received.is_preflight() && !resolved.origin.empty()) return preflight_response();
        if (!received.is_get()) return fail(rule::route_unknown);
        if (endpoint->is_open())
            return endpoint->answer({received, {}, {}, zones_, options_, now, stop});
        const auto admitted = admit(resolved, now, charge);
        if (!admitted) return tl::unexpected(admitted.error());
        return endpoint->answer({received, resolved.records->current(), resolved.key->workspace_id,
                                 zones_, options_, now, stop});
    }

    /// Returns true if the client uses HTTPS; behind a proxy, by its X-Forwarded-Proto.
    [[nodiscard]] bool is_secure(const request& received) const {
        if (!options_.behind_proxy) return received.scheme == "https";
        const auto scheme = received.header_value("x-forwarded-proto");
        return scheme && sluice::detail::equal_ignoring_case(*scheme, "https");
    }

    /// Checks the key of a request, its quota, plan and permissions.
    result<void> admit(const resolved_request& resolved, instant now, quota_charge& charge) {
        const route* const endpoint = resolved.endpoint;
        const api_key* const key = resolved.key;
        if (!resolved.received.header_value("authorization")) {
            return fail(rule::credentials_missing);
        }
        if (key == nullptr || key->has_expired(now)) return fail(rule::credentials_invalid);
        charge_quota(*endpoint, *key, now, charge);
        if (!charge.decided->allowed) return fail(rule::rate_exceeded);
        if (key->plan < endpoint->needs) return fail(rule::plan_insufficient);
        if (!key->may(endpoint->permission)) return fail(rule::permission_missing);
        return {};
    }

    /// Charges the key's quota of a route, in this process or through check_limit. A key without a
    /// limit for the route passes; on the free plan, admit() then refuses it for its plan.
    void charge_quota(const route& endpoint, const api_key& key, instant now,
                      quota_charge& charge) {
        charge.limits = endpoint.policy_of(key);
        if (!charge.limits) {
            charge.decided = {.allowed = true, .reset = now};
            return;
        }
        const std::string_view counter = endpoint.is_analytics() ? " analytics" : " all";
        if (options_.check_limit) {
            charge.decided = options_.check_limit(key.shared_counter(counter), *charge.limits, now);
        } else {
            check_local(key.local_counter(counter), now, charge);
        }
        ++(charge.decided->allowed ? counts_.allowed : counts_.refused);
    }
    /// Charges this process's limiter. If memory runs out, throws after setting `charge.decided` to
    /// the decision that the check would have had, for the headers of the failure.
    void check_local(const std::string& name, instant now, quota_charge& charge) {
        try {
            charge.decided = limiter_.check(name, *charge.limits, now);
        } catch (...) {
            charge.decided = limiter_.peek(name, *charge.limits, now);
            throw;
        }
    }

    /// The response with an answer or an error, and the headers that all responses have.
    [[nodiscard]] response complete(const resolved_request& resolved, result<response>&& answered,
                                    const quota_charge& charge, instant now) const {
        response completed = answered ? std::move(*answered) : refuse(resolved, answered.error());
        std::vector<header>& headers = completed.headers;
        if (charge.decided) add_rate_headers(headers, charge, now);
        if (completed.status != 304 && completed.status != 204) {
            headers.push_back({"content-length", std::to_string(completed.body.size())});
        }
        headers.push_back({"cache-control", "private"});
        headers.push_back(
            {"vary", options_.cors_origins.empty() ? "authorization" : "authorization, origin"});
        add_cors_headers(headers, resolved.origin);
        if (resolved.received.method == "HEAD") completed.body.clear();
        return completed;
    }

    /// Adds the X-RateLimit headers and, if enabled, the IETF RateLimit fields.
    void add_rate_headers(std::vector<header>& headers, const quota_charge& charge,
                          instant now) const {
        std::ranges::move(rate_limit_headers(*charge.decided), std::back_inserter(headers));
        if (!options_.ratelimit_fields || !charge.limits) return;
        auto fields = rate_limit_fields(*charge.decided, *charge.limits, now);
        if (fields) std::ranges::move(*fields, std::back_inserter(headers));
    }

    /// The response to a request with an error, and the headers of its kind.
    [[nodiscard]] response refuse(const resolved_request& resolved, const error& why) const {
        response refusal = error_response(why, documentation_url(resolved.received, options_));
        if (why.broken == rule::query_too_costly) ++counts_.past_deadline;
        if (why.broken == rule::store_unavailable) refusal.headers.push_back({"retry-after", "1"});
        if (why.broken == rule::route_unknown && resolved.endpoint != nullptr) {
            refusal.headers.push_back(
                {"allow", options_.cors_origins.empty() ? "GET, HEAD" : "GET, HEAD, OPTIONS"});
        }
        if (why.code == error_code::unauthorized) {
            refusal.headers.push_back({"www-authenticate", "Bearer"});
        }
        return refusal;
    }

    /// The response to a request whose answer threw: a 500. If memory has run out, it is a copy
    /// that was allocated in advance, when the host for its doc_url wasn't known.
    [[nodiscard]] response answer_failure(const resolved_request& resolved,
                                          const quota_charge& charge, instant now) noexcept {
        try {
            return complete(resolved, fail(rule::unexpected_failure), charge, now);
        } catch (...) {
            response spare = spares_.take(resolved.origin, charge.decided);
            if (resolved.received.method == "HEAD") spare.body.clear();
            return spare;
        }
    }

    /// The response to an unexpected failure, with all headers and the longest values: later ones
    /// fit into its copies without allocating.
    [[nodiscard]] response longest_failure() const {
        const auto& origins = options_.cors_origins;
        const auto longest = std::ranges::max_element(origins, {}, &std::string::size);
        resolved_request resolved{.received = {.target = {}}};
        if (longest != origins.end()) resolved.origin = *longest;
        constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
        const quota_charge charge{
            .decided = decision{
                .allowed = true, .limit = most, .remaining = most, .reset = latest_instant}};
        return complete(resolved, fail(rule::unexpected_failure), charge, {});
    }

    const event_store& store_;
    current_keys keys_;
    mutable handler_counts counts_;
    const time_zone_database& zones_;
    handler_options options_;
    keyed_limiter<> limiter_;
    workspace no_records_{""};  // stands for the workspace of a key without records
    spare_responses spares_{longest_failure()};
};

}  // namespace sluice::reference

#endif
