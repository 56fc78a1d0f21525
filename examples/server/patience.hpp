// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_PATIENCE_HPP
#define SLUICE_EXAMPLES_SERVER_PATIENCE_HPP

#include <chrono>
#include <stop_token>

namespace server {

/// How long somebody waits for something.
struct patience {
    std::chrono::steady_clock::time_point end;
    std::stop_token stop{};  ///< asked for once nobody waits any more
};

}  // namespace server

#endif
