// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_SERVICE_REQUEST_HPP
#define SLUICE_API_SERVICE_REQUEST_HPP

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include <sluice/detail/ascii.hpp>
#include <sluice/query_string.hpp>

namespace sluice::api {

/// A request, whatever the transport. Views for as long as it is handled.
struct request {
    std::string_view method = "GET";
    std::string_view target;                ///< path and query, as on the request line
    std::span<const name_value> headers{};  ///< names in any case
    std::string_view scheme = "https";      ///< of the connection

    /// The value of a header that is given once, or nothing.
    [[nodiscard]] std::optional<std::string_view> header_value(
        std::string_view name) const noexcept {
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
    /// Whether it asks for what a path names, be it for the headers alone.
    [[nodiscard]] bool is_get() const noexcept { return method == "GET" || method == "HEAD"; }
};

}  // namespace sluice::api

#endif
