// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_DEADLINE_HPP
#define SLUICE_EXAMPLES_SERVER_DEADLINE_HPP

#include <chrono>
#include <stop_token>

namespace server {

/// A deadline and a stop token for waiting.
struct deadline {
    std::chrono::steady_clock::time_point end;
    std::stop_token stop{};  ///< requested once the result is no longer needed
};

}  // namespace server

#endif
