// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_OPEN_FILES_HPP
#define SLUICE_EXAMPLES_SERVER_OPEN_FILES_HPP

#include <algorithm>
#include <cstddef>

#include <sys/resource.h>

namespace server {

/// Raises the limit of open files and sockets to `wanted`, as far as possible; returns the
/// resulting limit, at most `wanted`.
[[nodiscard]] inline std::size_t allow_open_files(std::size_t wanted) noexcept {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
    limit.rlim_cur = std::max(limit.rlim_cur, std::min<rlim_t>(wanted, limit.rlim_max));
    ::setrlimit(RLIMIT_NOFILE, &limit);
    return static_cast<std::size_t>(std::min<rlim_t>(limit.rlim_cur, wanted));
}

}  // namespace server

#endif
