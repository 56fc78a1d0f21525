// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_SHARED_LIMITS_HPP
#define SLUICE_EXAMPLES_SERVER_SHARED_LIMITS_HPP

#include <functional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include <sluice/reference/service/handler_options.hpp>

#include "limits.hpp"

namespace server {

/// Counts requests in Redis as the options say. `warn` is called on each failure, from any thread,
/// and never with the URL. Returns an error if the URL is invalid, Redis refuses it, or this server
/// was built without hiredis.
[[nodiscard]] tl::expected<sluice::reference::limit_check, std::string> share_limits(
    const limit_sharing& options, std::function<void(std::string_view)> warn);

}  // namespace server

#endif
