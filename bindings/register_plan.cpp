// SPDX-License-Identifier: MIT
#include <pybind11/stl.h>

#include <sluice/plan.hpp>

#include "convert.hpp"
#include "raise.hpp"
#include "register.hpp"

namespace sluice::bindings {

namespace {

py::dict limits(const py::str& name) {
    const std::string text = to_utf8(name);
    const plan_limits found = limits_of(unwrap(parse_plan(text), text));
    py::dict limits;
    limits["per_minute"] = found.per_minute;
    limits["analytics_per_second"] = found.analytics_per_second;
    return limits;
}

}  // namespace

void register_plan(py::module_& m) {
    m.def("plan_limits", limits, py::arg("name"),
          "The requests that a plan admits: 'per_minute' and 'analytics_per_second', each None\n"
          "where there is none or the workspace sets it. Raises ApiError for an unknown plan.");
}

}  // namespace sluice::bindings
