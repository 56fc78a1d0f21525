// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_SERVICE_DETAIL_NAMES_ENTITY_TAG_HPP
#define SLUICE_REFERENCE_SERVICE_DETAIL_NAMES_ENTITY_TAG_HPP

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace sluice::detail {

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

}  // namespace sluice::detail

#endif
