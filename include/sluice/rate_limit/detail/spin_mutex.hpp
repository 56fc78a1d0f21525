// SPDX-License-Identifier: MIT
#ifndef SLUICE_RATE_LIMIT_DETAIL_SPIN_MUTEX_HPP
#define SLUICE_RATE_LIMIT_DETAIL_SPIN_MUTEX_HPP

#include <atomic>

#include <sched.h>

namespace sluice::detail {

/// A mutex for a few dozen instructions: one byte, and one locked instruction for locking and
/// unlocking together, where std::mutex takes two. Who waits gives way after a short while, since
/// the holder may have been interrupted. <thread> and <mutex> would be a
/// tenth of what the limiter takes to compile.
class spin_mutex {
public:
    void lock() noexcept {
        while (held_.exchange(true, std::memory_order_acquire)) wait();
    }
    void unlock() noexcept { held_.store(false, std::memory_order_release); }

private:
    void wait() const noexcept {
        for (int turn = 0; turn < 100; ++turn) {
            if (!held_.load(std::memory_order_relaxed)) return;
        }
#ifdef __STDCPP_THREADS__  // WebAssembly has one thread only, which nobody holds up
        static_cast<void>(sched_yield());
#endif
    }

    std::atomic<bool> held_{false};
};

/// Holds a mutex for as long as it lives.
class [[nodiscard]] spin_lock {
public:
    explicit spin_lock(spin_mutex& held) noexcept : held_(held) { held_.lock(); }
    ~spin_lock() { held_.unlock(); }
    spin_lock(const spin_lock&) = delete;
    spin_lock& operator=(const spin_lock&) = delete;

private:
    spin_mutex& held_;
};

}  // namespace sluice::detail

#endif
