// SPDX-License-Identifier: MIT
#include "log_writer.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <poll.h>
#include <unistd.h>

namespace server {

void log_writer::write(std::string_view line) {
    bool is_first = false;  // of a batch, which the thread waits for
    {
        const std::lock_guard lock(mutex_);
        if (waiting_.size() + line.size() > max_waiting) {
            ++dropped_;
            return;
        }
        is_first = waiting_.empty();
        if (dropped_ != 0) waiting_.append(to_dropped_line_(std::exchange(dropped_, 0)));
        waiting_.append(line);
    }
    if (is_first) arrived_.notify_one();
}

void log_writer::run(const std::stop_token& stop) {
    std::string lines;
    for (take_batch(lines, stop); !lines.empty(); take_batch(lines, stop)) pass_on(lines, stop);
}

void log_writer::take_batch(std::string& lines, const std::stop_token& stop) {
    lines.clear();
    std::unique_lock lock(mutex_);
    if (!arrived_.wait(lock, stop, [this] { return !waiting_.empty(); })) return;
    arrived_.wait_for(lock, stop, batch_time, [] { return false; });
    lines.swap(waiting_);  // both keep their memory
}

void log_writer::pass_on(std::string_view lines, const std::stop_token& stop) {
    constexpr std::chrono::milliseconds wait{50};  // for the reader, before checking for a stop
    std::optional<std::chrono::steady_clock::time_point> end;
    while (!lines.empty()) {
        const auto now = std::chrono::steady_clock::now();
        if (stop.stop_requested() && !end) end = now + time_to_end;
        if (end && now > *end) return;
        pollfd reader{descriptor_, POLLOUT, 0};
        if (::poll(&reader, 1, static_cast<int>(wait.count())) <= 0) continue;
        // A writable pipe has room for PIPE_BUF bytes, so that this write doesn't block.
        const auto written =
            ::write(descriptor_, lines.data(), std::min<std::size_t>(lines.size(), PIPE_BUF));
        if (written < 0 && errno != EINTR && errno != EAGAIN) return;  // the reader is gone
        lines.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
    }
}

}  // namespace server
