// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_BACKGROUND_HPP
#define SLUICE_BINDINGS_BACKGROUND_HPP

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>

#include <pthread.h>
#include <pybind11/pybind11.h>

namespace sluice::bindings {

/// This thread's state while it has released the GIL. PyGILState_Ensure isn't used because it
/// crashes once the interpreter has ended; PyEval_RestoreThread ends the thread instead, see
/// unwinding.cpp.
inline thread_local PyThreadState* released_state = nullptr;

/// The number of threads that have released the GIL.
inline std::atomic<int> at_work = 0;

/// Releases the GIL. Counts first, so that the end of the interpreter misses no thread.
inline void give_up_gil() {
    ++at_work;
    released_state = PyEval_SaveThread();
}

/// Reacquires the GIL on a thread that gave it up.
inline void take_gil() {
    --at_work;
    PyEval_RestoreThread(released_state);
}

/// Makes the end of the process, and forks, wait for threads that work without the GIL: at the end
/// static objects that they use are destroyed. Called when the module is loaded.
inline void end_after_work() {
    Py_AtExit([] {
        while (at_work > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
    // A forked child has the thread that forked, no other, but all locks as they were: one that
    // another thread held would stay locked. So a fork waits until no other thread works. The
    // forking thread holds the GIL, so no new work begins. It waits a second at most, as there may
    // be work that takes long, or that waits for the GIL.
    const auto wait = [] {
        using namespace std::chrono_literals;
        for (auto left = 1'000ms; at_work > 0 && left > 0ms; left -= 1ms) {
            std::this_thread::sleep_for(1ms);
        }
    };
    pthread_atfork(wait, nullptr, [] { at_work = 0; });
}

/// Runs work that touches no Python object, while other Python threads run.
template <class Work>
auto without_gil(Work work) {
    struct released {
        released() { give_up_gil(); }
        released(const released&) = delete;
        released& operator=(const released&) = delete;
        ~released() { take_gil(); }
    };
    const released gil;
    return work();
}

/// Handles signals such as Ctrl-C and yields to other threads regularly during a loop that holds
/// the GIL.
class row_pauses {
public:
    /// Call between two rows. Throws if a signal handler raises.
    void next() {
        constexpr std::size_t rows_between_checks = 4'096;
        // Twice the time after which a waiting thread demands the GIL (sys.getswitchinterval). If
        // the GIL was released sooner, this thread would get it back at once and the other's wait
        // would restart.
        constexpr std::chrono::milliseconds turn{10};
        if (++rows_ % rows_between_checks != 0) return;
        if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
        if (std::chrono::steady_clock::now() - begun_ < turn) return;
        without_gil([] {});
        begun_ = std::chrono::steady_clock::now();
    }

private:
    std::size_t rows_ = 0;  // so far
    std::chrono::steady_clock::time_point begun_ =
        std::chrono::steady_clock::now();  // when this thread last got the GIL
};

/// Reacquires the GIL for work on Python objects, within without_gil() on the same thread.
template <class Work>
auto with_gil(Work work) {
    struct taken {
        taken() { take_gil(); }
        taken(const taken&) = delete;
        taken& operator=(const taken&) = delete;
        ~taken() { give_up_gil(); }
    };
    const taken gil;
    return work();
}

/// The progress callback of work without the GIL: handles signals such as Ctrl-C and calls a Python
/// callable, or None, with the progress. Python exceptions are thrown and end the work.
class progress_report {
public:
    /// Borrows the callable, because copying it would need the GIL.
    explicit progress_report(pybind11::handle callback) : callback_(callback) {}

    /// Reports that `done` of `total` units of work are done.
    void operator()(std::int64_t done, std::int64_t total) const {
        with_gil([&] {
            if (!report(done, total)) throw pybind11::error_already_set();
        });
    }

private:
    /// Returns false if Python raised.
    [[nodiscard]] bool report(long long done, long long total) const {
        if (PyErr_CheckSignals() != 0) return false;
        if (callback_.is_none()) return true;
        PyObject* const result = PyObject_CallFunction(callback_.ptr(), "LL", done, total);
        Py_XDECREF(result);
        return result != nullptr;
    }

    pybind11::handle callback_;
};

}  // namespace sluice::bindings

#endif
