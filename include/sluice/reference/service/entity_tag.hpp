// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_SERVICE_ENTITY_TAG_HPP
#define SLUICE_REFERENCE_SERVICE_ENTITY_TAG_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include <sluice/base/text_hasher.hpp>
#include <sluice/reference/analytics/analytics_rows.hpp>
#include <sluice/reference/service/key_ring.hpp>
#include <sluice/reference/service/route.hpp>

/// Entity tags of responses, and their comparison with `If-None-Match`.
namespace sluice::reference {

namespace detail {

/// The end of the first entity tag of a list: a comma outside of quotes, or the end.
constexpr std::size_t quoted_item_end(std::string_view list) noexcept {
    bool quoted = false;
    std::size_t at = 0;
    for (; at < list.size() && (quoted || list[at] != ','); ++at) {
        if (list[at] == '"') quoted = !quoted;
    }
    return at;
}

/// An entity tag without surrounding white space and `W/`.
constexpr std::string_view opaque_tag(std::string_view tag) noexcept {
    tag.remove_prefix(std::min(tag.find_first_not_of(" \t"), tag.size()));
    tag = tag.substr(0, tag.find_last_not_of(" \t") + 1);
    return tag.starts_with("W/") ? tag.substr(2) : tag;
}

/// Returns true if a line of If-None-Match contains an entity tag, by weak comparison (RFC 9110,
/// 8.8.3.2 and 13.1.2). Tags are compared as a whole; malformed items match nothing.
///
/// ```
/// if-none-match = "*" / [ entity-tag ] *( OWS "," OWS [ entity-tag ] )
/// entity-tag    = [ "W/" ] DQUOTE *etagc DQUOTE           ; the quotes may hold a comma
/// ```
[[nodiscard]] constexpr bool names_entity_tag(std::string_view line,
                                              std::string_view etag) noexcept {
    if (line == "*") return true;
    const std::string_view wanted = opaque_tag(etag);
    while (true) {
        const std::size_t end = quoted_item_end(line);
        if (opaque_tag(line.substr(0, end)) == wanted) return true;
        if (end == line.size()) return false;
        line.remove_prefix(end + 1);
    }
}

/// The range of the rows of a window: ` rows 17 230`.
[[nodiscard]] inline std::string rows_text(const store::snapshot& events,
                                           const time_range& window) {
    const auto& [start, end] = window;
    const std::size_t first = start ? events.lower_bound(start->time_since_epoch().count()) : 0;
    const std::size_t last =
        end ? events.upper_bound(end->time_since_epoch().count()) : events.size();
    return " rows " + std::to_string(first) + ' ' + std::to_string(last);
}

}  // namespace detail

/// A text that identifies a query for events on a view: queries with the same answer have the same
/// text.
///
/// A window is represented by its range of rows instead of its instants. The last 24 hours thus
/// keep their tag although their instants always change, until an event leaves the window or a new
/// version is published.
///
/// ```
/// start=...          end=now            the rows of a version, in order of time:
///    |                  |               first = those before the start
///  o | o   o oo   o   o |               last  = those up to the end
///    ^first             ^last
/// ```
[[nodiscard]] inline std::string canonical_text(const workspace_view& view,
                                                const events_query& query) {
    return canonical_query_string(events_params, query, event_window_names) +
           detail::rows_text(view.events(query.event), query.window);
}

/// Like canonical_text() of events, for a query of analytics, which has the rows of each kind. Of a
/// series the buckets matter too.
[[nodiscard]] inline std::string canonical_text(const workspace_view& view,
                                                const analytics_query& query) {
    std::string text = canonical_query_string(analytics_params, query, event_window_names);
    for (const event_kind kind : query.kinds())
        text.append(detail::rows_text(view.events(kind), query.window));
    return text.append(buckets_text(query));
}

/// The entity tag of the answer to a call, a hash of everything that it depends on, computed before
/// the answer. An empty text if handler_options::start_number is unset.
///
/// ```
/// hash of ( version | path | canonical text | workspace ), seeded by the start number: 128 bits
/// ```
///
/// The tag is strong: within one start and version, equal queries have byte-identical answers.
/// Nobody can provoke collisions, because the start number is secret.
[[nodiscard]] inline std::string entity_tag(const call& context, std::string_view canonical) {
    if (!context.options.start_number) return {};
    const std::uint64_t start = *context.options.start_number;
    std::string text = std::to_string(context.view.version);
    text.reserve(canonical.size() + 128);
    text.append(" ").append(context.received.path()).append(" ").append(canonical);
    text.append(" ").append(context.view.source->id());
    digest both{};  // two 64-bit hashes, in its first half
    std::size_t at = 0;
    for (const std::uint64_t seed : {start, ~start}) {
        const std::uint64_t hash = sluice::detail::text_hasher(hash_seed{seed})(text);
        for (unsigned shift = 0; shift < 64; shift += 8) {
            both[at++] = static_cast<digest::value_type>(hash >> shift & 0xFFU);
        }
    }
    return '"' + to_hex(both, at) + '"';
}

/// Returns true if If-None-Match contains the entity tag. Several header lines form one list.
[[nodiscard]] inline bool has_copy(const request& received, std::string_view etag) noexcept {
    return !etag.empty() && std::ranges::any_of(received.headers, [&](const name_value& field) {
        return sluice::detail::equal_ignoring_case(field.name, "if-none-match") &&
               detail::names_entity_tag(field.value, etag);
    });
}

}  // namespace sluice::reference

#endif
