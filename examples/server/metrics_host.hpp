// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_METRICS_HOST_HPP
#define SLUICE_EXAMPLES_SERVER_METRICS_HOST_HPP

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/base/ascii.hpp>
#include <sluice/reference/service/request.hpp>

#include "networks.hpp"

namespace server {

/// Returns true if a request's Host is an address, localhost or one of `names`. Other names may
/// belong to a web page whose domain resolves to this server (DNS rebinding).
[[nodiscard]] inline bool has_known_host(const sluice::reference::request& request,
                                         const std::vector<std::string>& names) {
    const std::optional<std::string_view> host = request.header_value("host");
    if (!host) return true;  // not a browser
    const bool has_brackets = host->starts_with('[');
    const std::size_t end = std::min(host->find(has_brackets ? ']' : ':'), host->size());
    const std::string_view name = host->substr(has_brackets, end - has_brackets);
    return detail::parse_address(name) || sluice::detail::equal_ignoring_case(name, "localhost") ||
           std::ranges::any_of(names, [&](const std::string& known) {
               return sluice::detail::equal_ignoring_case(name, known);
           });
}

}  // namespace server

#endif
