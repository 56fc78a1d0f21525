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

/// This thread's state while it is without the GIL. PyGILState_Ensure would look for it in a table
/// that is gone once the interpreter has ended, which crashes; PyEval_RestoreThread ends the
/// thread, which unwinding.cpp has an eye on.
inline thread_local PyThreadState* given_up = nullptr;

/// Threads that are without the GIL now.
inline std::atomic<int> at_work = 0;

/// Counted while the GIL is still held, so that the interpreter's end misses no thread.
inline void give_up_gil() {
    ++at_work;
    given_up = PyEval_SaveThread();
}

inline void take_gil() {
    --at_work;
    PyEval_RestoreThread(given_up);
}

/// For the module's start: has the end of the interpreter wait until no thread is at work, since
/// the process then destroys what such work uses, as simdjson's and the time zones' static objects.
inline void end_after_work() {
    Py_AtExit([] {
        while (at_work > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
    // A child has the locks as they were, but of the threads that hold them the one alone that
    // forked. It has the GIL, so that no work begins while it waits; work that asks for the GIL or
    // takes long isn't waited for.
    const auto wait = [] {
        using namespace std::chrono_literals;
        for (auto left = 1'000ms; at_work > 0 && left > 0ms; left -= 1ms) {
            std::this_thread::sleep_for(1ms);
        }
    };
    pthread_atfork(wait, nullptr, [] { at_work = 0; });
}

/// Runs work that touches no Python object while other Python threads go on.
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

/// Lets Ctrl-C and other threads in now and then, while a loop over rows holds the GIL.
class row_pauses {
public:
    /// Between two rows. What Python raises ends the loop.
    void next() {
        constexpr std::size_t rows_a_look = 4'096;
        // Twice what a thread waits before it demands the GIL. Given up sooner it would come back
        // here, and the wait would begin anew.
        constexpr std::chrono::milliseconds turn{10};
        if (++rows_ % rows_a_look != 0) return;
        if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
        if (std::chrono::steady_clock::now() - begun_ < turn) return;
        without_gil([] {});
        begun_ = std::chrono::steady_clock::now();
    }

private:
    std::size_t rows_ = 0;
    std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

/// Runs work on Python objects within work that is without the GIL, on the same thread.
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

/// What work without the GIL calls now and then: it lets Ctrl-C in and tells a Python callable, or
/// None, how much is done. What Python raises ends the work.
class progress_report {
public:
    /// `tell` outlives the report, since a copy would need the GIL.
    explicit progress_report(pybind11::handle tell) : tell_(tell) {}

    void operator()(std::int64_t done, std::int64_t total) const {
        with_gil([&] {
            if (!report(done, total)) throw pybind11::error_already_set();
        });
    }

private:
    /// False where Python raised.
    [[nodiscard]] bool report(long long done, long long total) const {
        if (PyErr_CheckSignals() != 0) return false;
        if (tell_.is_none()) return true;
        PyObject* const told = PyObject_CallFunction(tell_.ptr(), "LL", done, total);
        Py_XDECREF(told);
        return told != nullptr;
    }

    pybind11::handle tell_;
};

}  // namespace sluice::bindings

#endif
