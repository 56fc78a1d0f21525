// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_SERVICE_KEY_FILE_HPP
#define SLUICE_REFERENCE_SERVICE_KEY_FILE_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <simdjson.h>

#include <sluice/base/near_miss.hpp>
#include <sluice/base/static_text.hpp>
#include <sluice/errors/message.hpp>
#include <sluice/metadata/json_text.hpp>
#include <sluice/rate_limit/policy.hpp>
#include <sluice/reference/service/key_ring.hpp>
#include <sluice/reference/service/routes.hpp>

/// Files of API keys: a JSON list, parsed into a key_ring.
namespace sluice::reference {

/// An error in a list of keys.
struct key_error {
    /// The first entry at fault, counted from 0; nullopt: the whole text.
    std::optional<std::int64_t> entry;
    error why;
    std::string field{};  ///< the name of an unknown field; `why` has only its length

    friend bool operator==(const key_error&, const key_error&) = default;
};

/// `key 2: plan: not one of the accepted values, expected free, pro, business, advanced or
/// enterprise`
[[nodiscard]] inline std::string message(const key_error& refused) {
    const std::string place = refused.entry ? "key " + std::to_string(*refused.entry) : "keys";
    return place + ": " + message(refused.why, refused.field);
}

namespace detail {

using simdjson::dom::element;
using simdjson::dom::object;

/// Returns an error about a field. Both texts must outlive it, as static texts do.
inline tl::unexpected<error> refuse_key(rule broken, std::string_view field,
                                        std::string_view accepts) noexcept {
    error why = make_error(broken);
    why.param = field;
    why.accepts = accepts;
    return tl::unexpected<error>(why);
}

/// The fields of an entry, and of its `limits`, which have other names in older files.
inline constexpr std::array<std::string_view, 6> entry_fields{
    "sha256", "workspaceId", "plan", "permissions", "expiresAt", "limits"};
inline constexpr std::array<std::string_view, 2> limit_fields{"perMinute", "analyticsPerSecond"};
inline constexpr std::array<std::string_view, 2> limit_aliases{"per_minute",
                                                               "analytics_per_second"};

/// Returns true if a field is present and not null.
inline bool has(const object& entry, std::string_view field) {
    element value;
    return entry[field].get(value) == simdjson::SUCCESS && !value.is_null();
}

/// The index of a field in a list of names, or of their aliases; the list's size if it is in
/// neither.
constexpr std::size_t index_of(std::string_view field, std::span<const std::string_view> names,
                               std::span<const std::string_view> aliases) noexcept {
    const auto place = static_cast<std::size_t>(std::ranges::find(names, field) - names.begin());
    if (place < names.size() || aliases.empty()) return place;
    return static_cast<std::size_t>(std::ranges::find(aliases, field) - aliases.begin());
}

/// Checks that an object has only fields of `Names`, each at most once, under its name or alias.
/// Errors: field_unknown, parameter_repeated.
template <const auto& Names>
tl::expected<void, key_error> check_fields(const object& checked,
                                           std::span<const std::string_view> aliases = {}) {
    std::array<bool, Names.size()> seen{};
    for (const auto& [field, value] : checked) {
        const std::size_t index = index_of(field, Names, aliases);
        if (index == Names.size()) {
            error why = make_error(rule::field_unknown, 0, field.size());
            why.accepts = sluice::detail::choices_text<Names>.view();
            why.suggestion = sluice::detail::near_miss(field, Names);
            return tl::unexpected(key_error{{}, why, std::string(field)});
        }
        if (std::exchange(seen[index], true)) {
            return tl::unexpected(
                key_error{{}, refuse_key(rule::parameter_repeated, Names[index], {}).value(), {}});
        }
    }
    return {};
}

/// Reads a required text, which views the parsed JSON. `field` must be a static text. Errors:
/// field_missing, field_type.
inline result<std::string_view> text_of(const object& entry, std::string_view field) {
    std::string_view text;
    if (!has(entry, field)) return refuse_key(rule::field_missing, field, "expected a text");
    if (entry[field].get(text) != simdjson::SUCCESS) {
        return refuse_key(rule::field_type, field, "expected a text");
    }
    return text;
}

/// Reads the required permissions. Errors: field_missing, field_type, choice_unknown.
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
        const auto known = parse_choice<permission_names>(text);
        if (!known) {
            error why = known.error();
            why.param = field;
            return tl::unexpected<error>(why);
        }
        permissions.emplace_back(text);
    }
    return permissions;
}

/// Reads the limit `limit_fields[which]`; keeps `limit` if the object has none. Errors: field_type,
/// field_value.
inline result<void> read_limit(const object& limits, std::size_t which,
                               std::optional<std::int64_t>& limit) {
    const std::string_view field = limit_fields[which];
    const std::string_view name = has(limits, field) ? field : limit_aliases[which];
    if (!has(limits, name)) return {};
    constexpr std::string_view accepts = sluice::detail::range_text<1, policy_max_limit>.view();
    std::int64_t number = 0;
    if (limits[name].get(number) != simdjson::SUCCESS) {
        return refuse_key(rule::field_type, field, accepts);
    }
    if (number < 1 || number > policy_max_limit) {
        return refuse_key(rule::field_value, field, accepts);
    }
    limit = number;
    return {};
}

/// Returns the limits of the plan, replaced by those of the entry. The plan enterprise has no
/// limits of its own, so its entries need both. Errors: those of read_limit(), field_missing.
inline result<plan_limits> limits_of_entry(const object& entry, plan subscribed) {
    plan_limits limits = limits_of(subscribed);
    object replaced;
    if (has(entry, "limits")) {
        if (entry["limits"].get(replaced) != simdjson::SUCCESS) {
            return refuse_key(rule::field_type, "limits", "expected an object");
        }
        auto read = read_limit(replaced, 0, limits.per_minute).and_then([&] {
            return read_limit(replaced, 1, limits.analytics_per_second);
        });
        if (!read) return tl::unexpected(read.error());
    }
    if (!limits.per_minute || (!limits.analytics_per_second && subscribed == plan::enterprise)) {
        return refuse_key(rule::field_missing, "limits",
                          "expected perMinute and analyticsPerSecond on this plan");
    }
    return limits;
}

/// Reads the optional time of expiry. Errors: field_type, field_value.
inline result<std::optional<instant>> expiry_of(const object& entry) {
    if (!has(entry, "expiresAt")) return std::nullopt;
    const auto text = text_of(entry, "expiresAt");
    if (!text) return tl::unexpected(text.error());
    const auto at = parse_timestamp(*text);
    if (!at) return refuse_key(rule::field_value, "expiresAt", "expected an RFC 3339 time");
    return *at;
}

/// Reads the required hash of a key. Errors: field_missing, field_type, field_value.
inline result<digest> digest_of(const object& entry) {
    const auto text = text_of(entry, "sha256");
    if (!text) return tl::unexpected(text.error());
    const auto hash = parse_digest(*text);
    if (!hash) return refuse_key(rule::field_value, "sha256", "expected 64 hexadecimal digits");
    return *hash;
}

/// Parses an entry whose field names are valid. Errors: those of its fields.
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

/// Checks the names of an entry's fields and parses it.
inline tl::expected<api_key, key_error> parse_entry(const element& entry) {
    object fields, limits;
    if (entry.get(fields) != simdjson::SUCCESS) {
        return tl::unexpected(
            key_error{{}, refuse_key(rule::field_type, "", "expected an object").value(), {}});
    }
    auto checked = check_fields<entry_fields>(fields);
    if (checked && fields["limits"].get(limits) == simdjson::SUCCESS) {
        checked = check_fields<limit_fields>(limits, limit_aliases);
    }
    if (!checked) return tl::unexpected(std::move(checked.error()));
    return parse_key(fields).map_error([](const error& why) { return key_error{{}, why, {}}; });
}

/// Returns the error of a text that is not a JSON list: where its JSON is malformed, or
/// json_malformed at its start for well-formed JSON of another type.
inline error list_error(std::string_view json) noexcept {
    if (json.starts_with("\xEF\xBB\xBF")) return make_error(rule::byte_order_mark, 0, 3);
    error why = make_error(rule::json_malformed);
    const auto checked = sluice::detail::minify_json(json, json_max_depth);
    if (!checked) why = checked.error();
    if (why.broken == rule::json_malformed) why.accepts = "expected a JSON list of objects";
    return why;
}

}  // namespace detail

/// Parses a JSON list of keys:
///
/// ```
/// [{"sha256": "<64 hex digits>", "workspaceId": "ws_default", "plan": "business",
///   "permissions": ["analytics.read", "tags.read"],         of permission_names
///   "expiresAt": "2030-01-01T00:00:00Z",                    optional
///   "limits": {"perMinute": 100, "analyticsPerSecond": 9}}] optional; required by enterprise
/// ```
///
/// `per_minute` and `analytics_per_second` are accepted as aliases. Unknown fields are errors,
/// because a misspelt limit or date would otherwise be ignored silently. Errors name the entry and
/// the field; a list with an error yields no keys.
[[nodiscard]] inline tl::expected<key_ring, key_error> parse_keys(std::string_view json) {
    simdjson::dom::parser parser;
    simdjson::dom::array entries;
    if (parser.parse(json.data(), json.size()).get(entries) != simdjson::SUCCESS) {
        return tl::unexpected(key_error{{}, detail::list_error(json), {}});
    }
    key_ring keys;
    std::int64_t number = 0;
    for (const simdjson::dom::element entry : entries) {
        auto added = detail::parse_entry(entry).and_then([&](api_key&& parsed) {
            return keys.add(std::move(parsed)).map_error([](const error& why) {
                return key_error{{}, why, {}};
            });
        });
        if (!added) {
            added.error().entry = number;
            return tl::unexpected(std::move(added.error()));
        }
        ++number;
    }
    return keys;
}

}  // namespace sluice::reference

#endif
