// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_BACKGROUND_HPP
#define SLUICE_BINDINGS_BACKGROUND_HPP

#include <cstdint>

#include <pybind11/pybind11.h>

namespace sluice::bindings {

/// Runs work that touches no Python object while other Python threads go on.
template <class Work>
auto without_gil(Work work) {
    const pybind11::gil_scoped_release release;
    return work();
}

/// What work without the GIL calls now and then: it lets Ctrl-C in and tells a Python callable, or
/// None, how much is done. What Python raises ends the work.
class progress_report {
public:
    /// `tell` outlives the report, since a copy would need the GIL.
    explicit progress_report(const pybind11::object& tell) : tell_(tell) {}

    void operator()(std::int64_t done, std::int64_t total) const {
        const pybind11::gil_scoped_acquire acquire;
        if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
        if (!tell_.is_none()) tell_(done, total);
    }

private:
    const pybind11::object& tell_;
};

}  // namespace sluice::bindings

#endif
