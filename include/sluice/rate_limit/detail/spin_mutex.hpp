// SPDX-License-Identifier: MIT
#ifndef SLUICE_RATE_LIMIT_DETAIL_SPIN_MUTEX_HPP
#define SLUICE_RATE_LIMIT_DETAIL_SPIN_MUTEX_HPP

#include <sched.h>

namespace sluice::detail {

/// A spinning mutex for a few dozen instructions: one byte, and one locked instruction for locking
/// and unlocking together, where std::mutex takes two. A waiting thread yields after a short while,
/// since the holder may have been interrupted. The atomics are compiler builtins: <atomic>, <mutex>
/// and <thread> would take a tenth of the compile time of <sluice/sluice.hpp>.
class spin_mutex {
public:
    void lock() noexcept {
        while (__atomic_exchange_n(&held_, true, __ATOMIC_ACQUIRE)) wait();
    }
    void unlock() noexcept { __atomic_store_n(&held_, false, __ATOMIC_RELEASE); }

private:
    void wait() const noexcept {
        for (int turn = 0; turn < 100; ++turn) {
            if (!__atomic_load_n(&held_, __ATOMIC_RELAXED)) return;
        }
#ifdef __STDCPP_THREADS__  // WebAssembly has one thread only, which nobody holds up
        static_cast<void>(sched_yield());
#endif
    }

    bool held_ = false;
};

/// Holds a mutex during its lifetime.
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
