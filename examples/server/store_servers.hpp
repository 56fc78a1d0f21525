// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_STORE_SERVERS_HPP
#define SLUICE_EXAMPLES_SERVER_STORE_SERVERS_HPP

#include <functional>
#include <string>

#include <tl/expected.hpp>

#include <sluice/reference/clickhouse/request.hpp>

#include "limits.hpp"

namespace server {

/// Runs statements on the ClickHouse servers that the options name. `warn` is called for each
/// failed statement, from any thread, and never with a password or the statement's values. Returns
/// an error if the options are invalid or the servers refuse the user.
[[nodiscard]] tl::expected<sluice::reference::clickhouse::stoppable_runner, std::string> ask_store(
    const store_options& options, std::function<void(const std::string&)> warn);

}  // namespace server

#endif
