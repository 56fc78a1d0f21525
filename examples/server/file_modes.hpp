// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_FILE_MODES_HPP
#define SLUICE_EXAMPLES_SERVER_FILE_MODES_HPP

#include <string>

#include <sys/stat.h>

namespace server {

/// The problem of a secret file's mode; empty if it is fine or there is no file.
[[nodiscard]] inline std::string problem_of_mode(const std::string& path) {
    struct stat file{};
    if (path.empty() || ::stat(path.c_str(), &file) != 0 || !S_ISREG(file.st_mode)) return {};
    if ((file.st_mode & (S_IWGRP | S_IWOTH)) != 0) return path + ": others may write it";
    if ((file.st_mode & S_IROTH) != 0) return path + ": everyone may read it";
    return {};
}

}  // namespace server

#endif
