// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_PROGRESS_HPP
#define SLUICE_EXAMPLES_PROGRESS_HPP

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

#include <unistd.h>

/// A progress bar on standard error, drawn at most ten times a second and only on a terminal:
///
/// ```
/// [##############                ]  47%  4,718,592 of 10,000,000
/// ```
/// The bar is erased at the end, so that the next output starts on a clean line.
class progress_bar {
public:
    /// Prepares a bar, which update() draws. `total` is 100%; a bar that is not `wanted` is never
    /// shown.
    progress_bar(std::int64_t total, bool wanted)
        : total_(std::max<std::int64_t>(total, 1)),
          is_shown_(wanted && isatty(STDERR_FILENO) == 1) {}
    progress_bar(const progress_bar&) = delete;
    progress_bar& operator=(const progress_bar&) = delete;
    ~progress_bar() {
        if (is_drawn_) std::fputs("\r\x1b[K", stderr);
    }

    /// Sets the progress to `done` of the total.
    void update(std::int64_t done) {
        const auto now = std::chrono::steady_clock::now();
        const bool is_early = is_drawn_ && now - last_ < std::chrono::milliseconds(100);
        if (!is_shown_ || is_early) return;
        last_ = now;
        is_drawn_ = true;
        draw(std::clamp<std::int64_t>(done, 0, total_));
    }

private:
    void draw(std::int64_t done) const {
        constexpr int width = 30;
        const auto part = static_cast<double>(done) / static_cast<double>(total_);
        std::string bar(static_cast<std::size_t>(part * width), '#');
        bar.resize(width, ' ');
        std::fprintf(stderr, "\r[%s] %3d%%  %s of %s\x1b[K", bar.c_str(),
                     static_cast<int>(part * 100), grouped(done).c_str(), grouped(total_).c_str());
        std::fflush(stderr);
    }

    /// A count with thousands separators.
    static std::string grouped(std::int64_t count) {
        std::string text = std::to_string(count);
        for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3) {
            text.insert(static_cast<std::size_t>(at), 1, ',');
        }
        return text;
    }

    std::int64_t total_;
    bool is_shown_;
    bool is_drawn_ = false;
    std::chrono::steady_clock::time_point last_{};
};

#endif
