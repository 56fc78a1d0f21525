// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_STORE_SERVERS_HPP
#define SLUICE_EXAMPLES_SERVER_STORE_SERVERS_HPP

#include <functional>
#include <string>

#include <tl/expected.hpp>

#include <sluice/api/clickhouse/answer.hpp>

#include "limits.hpp"

namespace server {

/// Runs statements on the servers of ClickHouse that the options name. `note` is told of each that
/// has no answer, from any thread; never of a password, nor of what a statement holds. Says what is
/// wrong with the options, or that the servers refuse this user.
[[nodiscard]] tl::expected<sluice::api::clickhouse::stoppable_runner, std::string> ask_store(
    const store_options& given, std::function<void(const std::string&)> note);

}  // namespace server

#endif
