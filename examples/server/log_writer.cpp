// SPDX-License-Identifier: MIT
#include "log_writer.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <mutex>
#include <optional>
#include <utility>

#include <poll.h>
#include <unistd.h>

namespace server {

void log_writer::write(std::string_view line) {
    {
        const std::lock_guard lock(mutex_);
        if (waiting_.size() + line.size() > max_waiting) {
            ++dropped_;
            return;
        }
        if (dropped_ != 0) waiting_.append(to_dropped_line_(std::exchange(dropped_, 0)));
        waiting_.append(line);
    }
    arrived_.notify_one();
}

void log_writer::run(const std::stop_token& stop) {
    for (std::string lines = next(stop); !lines.empty(); lines = next(stop)) pass_on(lines, stop);
}

std::string log_writer::next(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, stop, [this] { return !waiting_.empty(); });
    return std::exchange(waiting_, {});
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
