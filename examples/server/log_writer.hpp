// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_LOG_WRITER_HPP
#define SLUICE_EXAMPLES_SERVER_LOG_WRITER_HPP

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

namespace server {

/// Writes lines to a file from a thread of its own, so that whoever logs never waits for whoever
/// reads. Where the reader is too slow, lines are dropped; how many is said once there is room.
///
/// ```
/// write() -> waiting_ (bounded) -> thread -> descriptor, never more than it takes at once
///               \-> dropped_ -> "log: 12 lines dropped"
/// ```
class log_writer {
public:
    static constexpr std::size_t max_waiting = 4 << 20;  ///< bytes
    /// How long a reader has at the end to take what waits.
    static constexpr std::chrono::seconds time_to_end{1};

    /// `to_dropped_line` says that so many lines were dropped, on a line of its own.
    log_writer(int descriptor, std::function<std::string(std::uint64_t)> to_dropped_line)
        : descriptor_(descriptor),
          to_dropped_line_(std::move(to_dropped_line)),
          thread_([this](const std::stop_token& stop) { run(stop); }) {}

    /// Hands a line over, its end included.
    void write(std::string_view line);

private:
    void run(const std::stop_token& stop);
    /// The lines that wait, once there are any; empty once there is nothing left to do.
    [[nodiscard]] std::string next(const std::stop_token& stop);
    /// Writes what the reader takes until there is nothing left or the time at the end is over.
    void pass_on(std::string_view lines, const std::stop_token& stop);

    int descriptor_;
    std::function<std::string(std::uint64_t)> to_dropped_line_;
    std::mutex mutex_;  // guards waiting_ and dropped_
    std::condition_variable_any arrived_;
    std::string waiting_;
    std::uint64_t dropped_ = 0;  // lines
    std::jthread thread_;        // the first to go
};

}  // namespace server

#endif
