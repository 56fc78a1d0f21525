// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_SEMAPHORE_HPP
#define SLUICE_EXAMPLES_SERVER_SEMAPHORE_HPP

#include <condition_variable>
#include <cstddef>
#include <mutex>

#include "deadline.hpp"

namespace server {

/// A semaphore whose waiting has a deadline and can be stopped.
class semaphore {
public:
    explicit semaphore(std::size_t count) : free_(count) {}

    /// A permit for the lifetime of this object; false if the waiting ended without one.
    class permit {
    public:
        permit(semaphore& owner, const deadline& until)
            : owner_(owner), is_granted_(owner.acquire(until)) {}
        permit(const permit&) = delete;
        permit& operator=(const permit&) = delete;
        ~permit() {
            if (is_granted_) owner_.release();
        }
        explicit operator bool() const noexcept { return is_granted_; }

    private:
        semaphore& owner_;
        bool is_granted_;
    };

private:
    /// Waits for a free permit and takes it. Returns false at the deadline or on a stop request.
    bool acquire(const deadline& until) {
        std::unique_lock lock(mutex_);
        const auto is_free = [this] { return free_ != 0; };
        if (!freed_.wait_until(lock, until.stop, until.end, is_free)) return false;
        --free_;
        return true;
    }
    void release() {
        {
            const std::lock_guard lock(mutex_);
            ++free_;
        }
        freed_.notify_one();
    }

    std::mutex mutex_;
    std::condition_variable_any freed_;
    std::size_t free_;
};

}  // namespace server

#endif
