// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_BACKGROUND_HPP
#define SLUICE_BINDINGS_BACKGROUND_HPP

#include <chrono>
#include <cstdint>
#include <thread>

#include <cxxabi.h>
#include <pybind11/pybind11.h>

namespace sluice::bindings {

/// Runs `work`, which takes the GIL or calls Python. While the interpreter exits, CPython ends
/// other threads there by unwinding their stacks, through destructors that need the GIL. Such a
/// thread sleeps instead until the process is gone, as CPython itself has it from 3.14 on.
template <class Work>
auto asleep_at_exit(Work work) {
#ifdef __GLIBCXX__
    try {
        return work();
    } catch (abi::__forced_unwind&) {
        for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
    }
#else
    return work();
#endif
}

/// Runs work that touches no Python object while other Python threads go on.
template <class Work>
auto without_gil(Work work) {
    struct released {
        released() = default;
        released(const released&) = delete;
        released& operator=(const released&) = delete;
        ~released() {
            asleep_at_exit([this] { PyEval_RestoreThread(thread); });
        }
        PyThreadState* thread = PyEval_SaveThread();
    };
    const released gil;
    return work();
}

/// What work without the GIL calls now and then: it lets Ctrl-C in and tells a Python callable, or
/// None, how much is done. What Python raises ends the work.
class progress_report {
public:
    /// `tell` outlives the report, since a copy would need the GIL.
    explicit progress_report(pybind11::handle tell) : tell_(tell) {}

    void operator()(std::int64_t done, std::int64_t total) const {
        if (!asleep_at_exit([&] { return report(done, total); })) raise_with_gil();
    }

private:
    /// Holds no C++ object while Python runs; false where Python raised.
    [[nodiscard]] bool report(long long done, long long total) const {
        const PyGILState_STATE gil = PyGILState_Ensure();
        bool goes_on = PyErr_CheckSignals() == 0;
        if (goes_on && !tell_.is_none()) {
            PyObject* const told = PyObject_CallFunction(tell_.ptr(), "LL", done, total);
            goes_on = told != nullptr;
            Py_XDECREF(told);
        }
        PyGILState_Release(gil);
        return goes_on;
    }
    /// The thread's state, and the exception in it, outlive the time without the GIL.
    [[noreturn]] static void raise_with_gil() {
        const pybind11::gil_scoped_acquire acquire;
        throw pybind11::error_already_set();
    }

    pybind11::handle tell_;
};

}  // namespace sluice::bindings

#endif
