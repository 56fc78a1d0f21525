// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_HANDLER_HPP
#define SLUICE_API_HANDLER_HPP

#include <sluice/api/event_page.hpp>
#include <sluice/api/event_store.hpp>
#include <sluice/api/key_ring.hpp>
#include <sluice/api/tag_page.hpp>
#include <sluice/detail/entity_tag.hpp>
#include <sluice/envelope.hpp>
#include <sluice/rate_limit.hpp>

namespace sluice::api {

/// A request, whatever the transport. Views for as long as it is handled.
struct request {
    std::string_view method = "GET";
    std::string_view target;                ///< path and query, as on the request line
    std::span<const name_value> headers{};  ///< names in any case
    std::string_view scheme = "https";      ///< of the connection

    /// The value of a header that is given once, or nothing.
    [[nodiscard]] std::optional<std::string_view> header_value(std::string_view name) const {
        std::optional<std::string_view> value;
        for (const name_value& each : headers) {
            if (!sluice::detail::equal_ignoring_case(each.name, name)) continue;
            if (value) return std::nullopt;
            value = each.value;
        }
        return value;
    }
    [[nodiscard]] std::string_view path() const noexcept {
        return target.substr(0, target.find('?'));
    }
    [[nodiscard]] std::string_view query() const noexcept {
        const std::size_t mark = target.find('?');
        return mark == std::string_view::npos ? std::string_view{} : target.substr(mark + 1);
    }
};

/// The longest `Link` header that is sent, in bytes; a request with more has none.
inline constexpr std::size_t max_link_header = 8'192;

struct handler_options {
    std::string docs_url{};          ///< what doc_url in errors starts with
    std::string base_url{};          ///< what the targets of Link headers start with
    bool behind_proxy = false;       ///< X-Forwarded-Proto tells the scheme; the proxy is trusted
    bool strict_parameters = false;  ///< unknown parameters are errors
    bool ratelimit_fields = false;   ///< send the IETF RateLimit fields too
    std::size_t max_keys = keyed_limiter<>::default_max_keys;  ///< keys whose use is remembered
};

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

    /// The response to a request at a time. Nothing is thrown: an unexpected failure is a 500.
    [[nodiscard]] response handle(const request& asked, instant now) noexcept try {
        return finish(asked, respond(asked, now));
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
    using answer_function = result<response> (handler::*)(const request&, const workspace_view&,
                                                          instant) const;
    struct route {
        std::string_view path;
        std::string_view permission;
        bool is_analytics;  ///< counted per second, and not on every plan
        answer_function answer;
    };
    struct admission {
        decision counted;
        std::optional<policy> limits;  ///< none where the plan has no quota
    };

    static const route* find_route(const request& asked) noexcept {
        static constexpr std::array routes{
            route{"/events", "analytics.read", true, &handler::answer_events},
            route{"/tags", "tags.read", false, &handler::answer_tags}};
        if (asked.method != "GET" && asked.method != "HEAD") return nullptr;
        const auto found = std::ranges::find(routes, asked.path(), &route::path);
        return found == routes.end() ? nullptr : found;
    }

    response respond(const request& asked, instant now) {
        if (!is_secure(asked)) return refuse(make_error(rule::transport_insecure));
        const route* const way = find_route(asked);
        if (way == nullptr) return refuse(make_error(rule::route_unknown));
        const auto key = authenticate(asked, now);
        if (!key) {
            response answer = refuse(key.error());
            answer.headers.push_back({"www-authenticate", "Bearer"});
            return answer;
        }
        const admission admitted = count(**key, *way, now);
        auto answered =
            admitted.counted.allowed ? answer(asked, *way, **key, now) : fail(rule::rate_exceeded);
        response answer = answered ? std::move(*answered) : refuse(answered.error());
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
                                          const api_key& key, instant now) const try {
        if (way.is_analytics && key.plan < plan::business) return fail(rule::plan_insufficient);
        if (!key.may(way.permission)) return fail(rule::permission_missing);
        const workspace* const own = store_.find(key.workspace_id);
        return (this->*way.answer)(asked, (own != nullptr ? *own : nothing_).current(), now);
    } catch (...) {
        return fail(rule::unexpected_failure);  // the response still tells the key's quota
    }

    [[nodiscard]] result<response> answer_events(const request& asked, const workspace_view& view,
                                                 instant now) const {
        const query_string pairs = parse_query_string(asked.query());
        const auto query = parse_events_query(pairs.pairs(), bind_options_for(), now);
        if (!query) return tl::unexpected(query.error());
        json_page page = list_events(view, *query);
        std::string links = query->end ? links_of(pairs.pairs(), *query, page.has_next) : "";
        return respond_with(asked, std::move(page.body), std::move(links));
    }
    [[nodiscard]] result<response> answer_tags(const request& asked, const workspace_view& view,
                                               instant) const {
        const query_string pairs = parse_query_string(asked.query());
        const auto query = parse_tags_query(pairs.pairs(), bind_options_for());
        if (!query) return tl::unexpected(query.error());
        return respond_with(asked, list_tags(view, *query).body, {});
    }
    [[nodiscard]] bind_options bind_options_for() const noexcept {
        return {.zones = &zones_, .strict = options_.strict_parameters};
    }

    /// The links between the pages of a window that `end` pins. They carry the window as instants,
    /// so that the pages fit together whenever they are asked for. None where they are so long that
    /// clients would refuse the response.
    [[nodiscard]] std::string links_of(std::span<const name_value> asked, const events_query& query,
                                       bool has_next) const {
        constexpr std::array<std::string_view, 4> replaced{"page", "start", "end", "interval"};
        std::vector<name_value> pairs;
        std::ranges::copy_if(asked, std::back_inserter(pairs), [&](const name_value& pair) {
            return std::ranges::find(replaced, pair.name) == replaced.end();
        });
        const time_range& window = query.window;
        const std::string start = window.start ? format_timestamp(*window.start) : "all";
        const std::string end = format_timestamp(window.end);
        pairs.push_back({window.start ? "start" : "interval", start});
        pairs.push_back({"end", end});
        std::string links = link_header(options_.base_url + "/events", pairs, query.page, has_next);
        return links.size() <= max_link_header ? links : std::string();
    }

    /// A page, or 304 where the client has it already.
    [[nodiscard]] static response respond_with(const request& asked, std::string body,
                                               std::string links) {
        const std::string etag = '"' + to_hex(sha256(body), 16) + '"';
        response answer{200, {{"etag", etag}}, {}};
        if (!links.empty()) answer.headers.push_back({"link", std::move(links)});
        if (has_copy(asked, etag)) {
            answer.status = 304;
            return answer;
        }
        answer.body = std::move(body);
        answer.headers.push_back({"content-type", std::string(json_content_type)});
        add_content_length(answer);
        return answer;
    }
    /// Whether an If-None-Match names the entity tag. Its lines make one list.
    static bool has_copy(const request& asked, std::string_view etag) noexcept {
        return std::ranges::any_of(asked.headers, [&](const name_value& each) {
            return sluice::detail::equal_ignoring_case(each.name, "if-none-match") &&
                   sluice::detail::names_entity_tag(each.value, etag);
        });
    }

    [[nodiscard]] response refuse(const error& why) const {
        response answer = error_response(why, options_.docs_url);
        add_content_length(answer);
        return answer;
    }
    /// What all responses have in common.
    static response finish(const request& asked, response answer) {
        answer.headers.push_back({"cache-control", "private"});
        answer.headers.push_back({"vary", "authorization"});
        if (asked.method == "HEAD") answer.body.clear();
        return answer;
    }
    static void add_content_length(response& answer) {
        answer.headers.push_back({"content-length", std::to_string(answer.body.size())});
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
