// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_SHARED_LIMITS_HPP
#define SLUICE_EXAMPLES_SERVER_SHARED_LIMITS_HPP

#include <functional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include <sluice/api/service/handler_options.hpp>

#include "limits.hpp"

namespace server {

/// Counts requests in Redis, as the options say. `note` is told of each failure, from any thread;
/// never of what the URL holds. Says what is wrong with the URL, why Redis refuses it, or that this
/// server was built without hiredis.
[[nodiscard]] tl::expected<sluice::api::limit_check, std::string> share_limits(
    const limit_sharing& given, std::function<void(std::string_view)> note);

}  // namespace server

#endif
