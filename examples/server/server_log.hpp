// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_SERVER_LOG_HPP
#define SLUICE_EXAMPLES_SERVER_SERVER_LOG_HPP

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include <sluice/reference/service/access_log.hpp>

#include "log_writer.hpp"

namespace server {

using sluice::reference::log_level;

/// Logs messages of the server and requests, in one format. Thread-safe.
class server_log {
public:
    /// Logs to an open file, which must outlive this object.
    server_log(int descriptor, sluice::reference::log_format format)
        : format_(format), lines_(descriptor, [this](std::uint64_t dropped) {
              return to_line(log_level::warning, "log: " + std::to_string(dropped) +
                                                     " lines dropped, their reader is too slow");
          }) {}

    /// Logs a message of the server.
    void say(std::string_view text, log_level level = log_level::info) {
        lines_.write(to_line(level, text));
    }
    /// Logs a request.
    void record(const sluice::reference::access_record& access) {
        lines_.write(sluice::reference::access_line(access, format_));
    }

private:
    [[nodiscard]] std::string to_line(log_level level, std::string_view text) const {
        const auto now =
            std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
        return sluice::reference::message_line(now, level, text, format_);
    }

    sluice::reference::log_format format_;
    log_writer lines_;
};

}  // namespace server

#endif
