// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_KEY_FILE_HPP
#define SLUICE_API_KEY_FILE_HPP

#include <simdjson.h>

#include <sluice/api/key_ring.hpp>
#include <sluice/message.hpp>
#include <sluice/rate_limit/policy.hpp>

namespace sluice::api {

/// Why a list of keys was refused: the first entry at fault, counted from 0.
struct key_error {
    std::int64_t entry = 0;
    error why;
};

/// `key 2: plan: not one of the values, expected free, pro, business, advanced or enterprise`
[[nodiscard]] inline std::string message(const key_error& refused) {
    return "key " + std::to_string(refused.entry) + ": " + message(refused.why);
}

namespace detail {

using simdjson::dom::element;
using simdjson::dom::object;

inline tl::unexpected<error> refuse_key(rule broken, std::string_view field,
                                        std::string_view accepts) noexcept {
    error why = make_error(broken);
    why.param = field;
    why.accepts = accepts;
    return tl::unexpected<error>(why);
}

inline bool has(const object& entry, std::string_view field) {
    element found;
    return entry[field].get(found) == simdjson::SUCCESS && !found.is_null();
}

/// A required text. `field` is static.
inline result<std::string_view> text_of(const object& entry, std::string_view field) {
    std::string_view text;
    if (!has(entry, field)) return refuse_key(rule::field_missing, field, "expected a text");
    if (entry[field].get(text) != simdjson::SUCCESS) {
        return refuse_key(rule::field_type, field, "expected a text");
    }
    return text;
}

inline result<std::vector<std::string>> permissions_of(const object& entry) {
    constexpr std::string_view field = "permissions";
    constexpr std::string_view accepts = "expected a list such as [\"analytics.read\"]";
    simdjson::dom::array items;
    if (!has(entry, field)) return refuse_key(rule::field_missing, field, accepts);
    if (entry[field].get(items) != simdjson::SUCCESS) {
        return refuse_key(rule::field_type, field, accepts);
    }
    std::vector<std::string> permissions;
    for (const element item : items) {
        std::string_view text;
        if (item.get(text) != simdjson::SUCCESS) {
            return refuse_key(rule::field_type, field, accepts);
        }
        permissions.emplace_back(text);
    }
    return permissions;
}

/// Sets one limit from the object `limits`, if it is there.
inline result<void> read_limit(const object& limits, std::string_view field,
                               std::optional<std::int64_t>& limit) {
    if (!has(limits, field)) return {};
    constexpr std::string_view accepts = sluice::detail::range_text<1, policy_max_limit>.view();
    std::int64_t number = 0;
    if (limits[field].get(number) != simdjson::SUCCESS) {
        return refuse_key(rule::field_type, field, accepts);
    }
    if (number < 1 || number > policy_max_limit) {
        return refuse_key(rule::field_value, field, accepts);
    }
    limit = number;
    return {};
}

/// The plan's limits, replaced by the workspace's own where it has some.
inline result<plan_limits> limits_of_entry(const object& entry, plan subscribed) {
    plan_limits limits = limits_of(subscribed);
    object own;
    if (has(entry, "limits")) {
        if (entry["limits"].get(own) != simdjson::SUCCESS) {
            return refuse_key(rule::field_type, "limits", "expected an object");
        }
        auto read = read_limit(own, "per_minute", limits.per_minute).and_then([&] {
            return read_limit(own, "analytics_per_second", limits.analytics_per_second);
        });
        if (!read) return tl::unexpected(read.error());
    }
    if (!limits.per_minute || (!limits.analytics_per_second && subscribed == plan::enterprise)) {
        return refuse_key(rule::field_missing, "limits",
                          "expected per_minute and analytics_per_second on this plan");
    }
    return limits;
}

inline result<std::optional<instant>> expiry_of(const object& entry) {
    if (!has(entry, "expiresAt")) return std::nullopt;
    const auto text = text_of(entry, "expiresAt");
    if (!text) return tl::unexpected(text.error());
    const auto at = parse_timestamp(*text);
    if (!at) return refuse_key(rule::field_value, "expiresAt", "expected an RFC 3339 time");
    return *at;
}

inline result<digest> digest_of(const object& entry) {
    const auto text = text_of(entry, "sha256");
    if (!text) return tl::unexpected(text.error());
    const auto hash = parse_digest(*text);
    if (!hash) return refuse_key(rule::field_value, "sha256", "expected 64 hexadecimal digits");
    return *hash;
}

inline result<api_key> parse_key(const object& entry) {
    const auto hash = digest_of(entry);
    if (!hash) return tl::unexpected(hash.error());
    const auto workspace = text_of(entry, "workspaceId");
    if (!workspace) return tl::unexpected(workspace.error());
    const auto subscribed = text_of(entry, "plan").and_then(parse_plan);
    if (!subscribed) return tl::unexpected(subscribed.error());
    auto permissions = permissions_of(entry);
    if (!permissions) return tl::unexpected(permissions.error());
    const auto expires = expiry_of(entry);
    if (!expires) return tl::unexpected(expires.error());
    const auto limits = limits_of_entry(entry, *subscribed);
    if (!limits) return tl::unexpected(limits.error());
    return api_key{*hash,  std::string(*workspace), *subscribed, std::move(*permissions), *expires,
                   *limits};
}

}  // namespace detail

/// Reads a JSON list of keys:
///
/// ```
/// [{"sha256": "<64 hex digits>", "workspaceId": "ws_default", "plan": "business",
///   "permissions": ["analytics.read", "tags.read"],
///   "expiresAt": "2030-01-01T00:00:00Z",                        optional
///   "limits": {"per_minute": 100, "analytics_per_second": 9}}]  optional; required by enterprise
/// ```
///
/// Unknown fields are ignored. Errors name the entry and the field; no key is taken from a list
/// with an error.
[[nodiscard]] inline tl::expected<key_ring, key_error> parse_keys(std::string_view json) {
    simdjson::dom::parser parser;
    simdjson::dom::array entries;
    if (parser.parse(json.data(), json.size()).get(entries) != simdjson::SUCCESS) {
        auto why = make_error(rule::json_malformed);
        why.accepts = "expected a JSON list of objects";
        return tl::unexpected(key_error{0, why});
    }
    key_ring keys;
    std::int64_t number = 0;
    for (const simdjson::dom::element entry : entries) {
        simdjson::dom::object fields;
        auto key = entry.get(fields) == simdjson::SUCCESS
                       ? detail::parse_key(fields)
                       : detail::refuse_key(rule::field_type, "", "expected an object");
        const auto added =
            std::move(key).and_then([&](api_key&& parsed) { return keys.add(std::move(parsed)); });
        if (!added) return tl::unexpected(key_error{number, added.error()});
        ++number;
    }
    return keys;
}

}  // namespace sluice::api

#endif
