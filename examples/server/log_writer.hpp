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

/// Writes lines to a file on its own thread, so that logging never waits for the reader. The thread
/// is woken once for all lines of a batch. If the reader is too slow, lines are dropped; their
/// number is logged once there is room.
///
/// ```
/// write() -> waiting_ (bounded) -> thread -> descriptor, never more than it takes at once
///               \-> dropped_ -> "log: 12 lines dropped"
/// ```
class log_writer {
public:
    static constexpr std::size_t max_waiting = 4 << 20;  ///< bytes
    /// Time for the reader to take the remaining lines at the end.
    static constexpr std::chrono::seconds time_to_end{1};
    /// Time that a line waits for others, to be written with them.
    static constexpr std::chrono::milliseconds batch_time{10};

    /// Starts the thread. The file stays the caller's and must outlive this object.
    /// `to_dropped_line` returns the line that reports a number of dropped lines.
    log_writer(int descriptor, std::function<std::string(std::uint64_t)> to_dropped_line)
        : descriptor_(descriptor),
          to_dropped_line_(std::move(to_dropped_line)),
          thread_([this](const std::stop_token& stop) { run(stop); }) {}

    /// Queues a line, including its newline, or drops it if the queue is full. Thread-safe.
    void write(std::string_view line);

private:
    /// Writes queued lines until a stop request, on the thread of this object.
    void run(const std::stop_token& stop);
    /// Waits for queued lines and moves a batch of them to `lines`; leaves it empty once writing
    /// has ended.
    void take_batch(std::string& lines, const std::stop_token& stop);
    /// Writes lines as fast as the reader takes them, until the time at the end is over.
    void pass_on(std::string_view lines, const std::stop_token& stop);

    int descriptor_;
    std::function<std::string(std::uint64_t)> to_dropped_line_;
    std::mutex mutex_;  // guards waiting_ and dropped_
    std::condition_variable_any arrived_;
    std::string waiting_;        // queued lines
    std::uint64_t dropped_ = 0;  // lines
    std::jthread thread_;        // joins before the other members are destroyed
};

}  // namespace server

#endif
