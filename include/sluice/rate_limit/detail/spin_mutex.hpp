// SPDX-License-Identifier: MIT
#ifndef SLUICE_RATE_LIMIT_DETAIL_SPIN_MUTEX_HPP
#define SLUICE_RATE_LIMIT_DETAIL_SPIN_MUTEX_HPP

#include <atomic>
#include <thread>

namespace sluice::detail {

/// A mutex for a few dozen instructions: one byte, and one locked instruction for locking and
/// unlocking together, where std::mutex takes two. Who waits gives way after a short while, since
/// the holder may have been interrupted. A BasicLockable for std::lock_guard.
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
        std::this_thread::yield();
#endif
    }

    std::atomic<bool> held_{false};
};

}  // namespace sluice::detail

#endif
