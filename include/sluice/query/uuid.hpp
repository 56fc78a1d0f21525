// SPDX-License-Identifier: MIT
#ifndef SLUICE_QUERY_UUID_HPP
#define SLUICE_QUERY_UUID_HPP

#include <algorithm>
#include <compare>
#include <cstddef>
#include <string>
#include <string_view>

#include <sluice/base/ascii.hpp>
#include <sluice/base/value.hpp>
#include <sluice/errors/error.hpp>

namespace sluice {

class uuid;
result<uuid> parse_uuid(std::string_view text);

/// A UUID in its text form (RFC 9562), in lower case.
///
/// ```
/// uuid = 8hex "-" 4hex "-" 4hex "-" 4hex "-" 12hex     ; read in any case
/// ```
class uuid {
public:
    /// The nil UUID.
    uuid() : text_("00000000-0000-0000-0000-000000000000") {}

    [[nodiscard]] const std::string& text() const noexcept { return text_; }

    friend auto operator<=>(const uuid&, const uuid&) = default;

private:
    friend result<uuid> parse_uuid(std::string_view text);

    std::string text_;
};

[[nodiscard]] inline std::string to_string(const uuid& id) { return id.text(); }

/// Parses a UUID. Error: value_malformed, from the first byte that can't continue one to the end.
[[nodiscard]] inline result<uuid> parse_uuid(std::string_view text) {
    uuid id;
    const std::string_view form = id.text_;
    for (std::size_t at = 0; at < form.size(); ++at) {
        const char byte = at < text.size() ? detail::to_lower(text[at]) : '\0';
        const bool is_hex = (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f');
        if (form[at] == '-' ? byte != '-' : !is_hex) {
            return fail(rule::value_malformed, std::min(at, text.size()),
                        text.size() - std::min(at, text.size()));
        }
        id.text_[at] = byte;
    }
    if (text.size() > form.size()) {
        return fail(rule::value_malformed, form.size(), text.size() - form.size());
    }
    return id;
}

template <>
inline constexpr bool is_value<uuid> = true;

}  // namespace sluice

#endif
