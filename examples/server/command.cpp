// SPDX-License-Identifier: MIT
#include "command.hpp"

#include <system_error>

#define BOOST_PROCESS_USE_STD_FS  // otherwise Boost.Filesystem must be linked
#include <boost/process/args.hpp>
#include <boost/process/child.hpp>
#include <boost/process/io.hpp>
#include <boost/process/pipe.hpp>
#include <boost/process/search_path.hpp>

namespace server {

namespace process = boost::process;

tl::expected<void, std::string> run_command(const std::string& name,
                                            const std::vector<std::string>& words) {
    const auto program = process::search_path(name);
    if (program.empty()) return tl::unexpected(name + ": no such command");
    process::ipstream errors;
    std::error_code failed;
    process::child started(program, process::args(words),
                           process::std_in<process::null, process::std_out> process::null,
                           process::std_err > errors, failed);
    if (failed) return tl::unexpected(name + ": " + failed.message());
    std::string last;  // line of its standard error
    for (std::string line; std::getline(errors, line);) last = line;
    started.wait(failed);
    if (!failed && started.exit_code() == 0) return {};
    return tl::unexpected(name + ": " + last);
}

}  // namespace server
