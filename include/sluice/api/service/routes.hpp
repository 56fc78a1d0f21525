// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_SERVICE_ROUTES_HPP
#define SLUICE_API_SERVICE_ROUTES_HPP

#include <algorithm>
#include <array>
#include <string_view>

#include <sluice/api/service/lists.hpp>

namespace sluice::api {

/// Something that can be asked for.
struct route {
    std::string_view path;
    std::string_view permission;  ///< what a key needs for it
    bool is_analytics;            ///< counted per second, and not on every plan
    answer_function answer;
};

/// All that can be asked for.
inline constexpr std::array routes{route{"/events", "analytics.read", true, answer_events},
                                   route{"/tags", "tags.read", false, answer_tags}};

/// The route of a path, or null.
[[nodiscard]] constexpr const route* find_route(std::string_view path) noexcept {
    const auto found = std::ranges::find(routes, path, &route::path);
    return found == routes.end() ? nullptr : &*found;
}

}  // namespace sluice::api

#endif
