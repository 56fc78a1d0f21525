// SPDX-License-Identifier: MIT
#include <sluice/plan.hpp>

#include "convert.hpp"
#include "fast_method.hpp"
#include "raise.hpp"
#include "register.hpp"

namespace sluice::bindings {

namespace {

void set(const py::dict& limits, const char* name, const std::optional<std::int64_t>& value) {
    const py::object shown = value ? py::object(py::int_(*value)) : py::none();
    if (PyDict_SetItemString(limits.ptr(), name, shown.ptr()) != 0) throw py::error_already_set();
}

PyObject* limits(PyObject*, const raw_call& call) {
    const auto [name] = bind_arguments<1>("plan_limits", {"name"}, 1, call);
    const utf8_text text(name, "name");
    const plan_limits found = limits_of(unwrap(parse_plan(text.view()), text.view()));
    py::dict limits;
    set(limits, "per_minute", found.per_minute);
    set(limits, "analytics_per_second", found.analytics_per_second);
    return limits.release().ptr();
}

}  // namespace

void register_plan(py::module_& m) {
    def_fast<limits>(
        m, "plan_limits",
        "plan_limits(name)\n--\n\n"
        "The requests that a plan admits: 'per_minute' and 'analytics_per_second', each None\n"
        "where there is none or the workspace sets it. Raises ApiError for an unknown plan.");
}

}  // namespace sluice::bindings
