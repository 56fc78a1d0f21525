// SPDX-License-Identifier: MIT
// Replaces shared_limits.cpp in builds without hiredis.
#include "shared_limits.hpp"

namespace server {

tl::expected<sluice::reference::limit_check, std::string> share_limits(
    const limit_sharing& /*options*/, std::function<void(std::string_view)> /*warn*/) {
    return tl::unexpected(std::string("--limits: this server was built without hiredis"));
}

}  // namespace server
