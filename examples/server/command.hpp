// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_COMMAND_HPP
#define SLUICE_EXAMPLES_SERVER_COMMAND_HPP

#include <string>
#include <vector>

#include <tl/expected.hpp>

namespace server {

/// Runs a program of the PATH to its end, without a shell, and discards its output. On failure
/// returns the last line of its standard error.
[[nodiscard]] tl::expected<void, std::string> run_command(const std::string& name,
                                                          const std::vector<std::string>& words);

}  // namespace server

#endif
