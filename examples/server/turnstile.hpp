// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_TURNSTILE_HPP
#define SLUICE_EXAMPLES_SERVER_TURNSTILE_HPP

#include <condition_variable>
#include <cstddef>
#include <mutex>

#include "patience.hpp"

namespace server {

/// A semaphore whose waiting has a deadline and can be stopped.
class turnstile {
public:
    explicit turnstile(std::size_t places) : left_(places) {}

    /// A place for the lifetime of this object; false if the waiting ended without one.
    class turn {
    public:
        turn(turnstile& of, const patience& until) : of_(of), is_mine_(of.enter(until)) {}
        turn(const turn&) = delete;
        turn& operator=(const turn&) = delete;
        ~turn() {
            if (is_mine_) of_.leave();
        }
        explicit operator bool() const noexcept { return is_mine_; }

    private:
        turnstile& of_;
        bool is_mine_;
    };

private:
    bool enter(const patience& until) {
        std::unique_lock lock(mutex_);
        const auto is_free = [this] { return left_ != 0; };
        if (!freed_.wait_until(lock, until.stop, until.end, is_free)) return false;
        --left_;
        return true;
    }
    void leave() {
        {
            const std::lock_guard lock(mutex_);
            ++left_;
        }
        freed_.notify_one();
    }

    std::mutex mutex_;
    std::condition_variable_any freed_;
    std::size_t left_;
};

}  // namespace server

#endif
