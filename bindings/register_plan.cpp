// SPDX-License-Identifier: MIT
#include <sluice/api/plan.hpp>

#include "convert.hpp"
#include "raise.hpp"
#include "register.hpp"

namespace sluice::bindings {

using namespace sluice::api;

namespace {

constexpr const char* doc = R"(plan_limits(name: str) -> dict[str, int | None]
--

The requests that a plan admits.

Args:
    name: 'free', 'pro', 'business', 'advanced' or 'enterprise'.

Returns:
    A dict with 'per_minute' and 'analytics_per_second', each an int, or None where there is none
    or the workspace sets it.

Raises:
    ApiError: The plan is unknown.

Example:
    >>> sluice.plan_limits("business")
    {'per_minute': 1200, 'analytics_per_second': 4})";

py::object to_limit(const std::optional<std::int64_t>& limit) {
    return limit ? py::object(py::int_(*limit)) : py::none();
}

PyObject* limits(PyObject*, const raw_call& call) {
    using py::literals::operator""_a;
    const auto [name] = bind_arguments<1>("plan_limits", {"name"}, 1, call);
    const utf8_text text(name, "name");
    const plan_limits found = limits_of(unwrap(parse_plan(text.view()), text.view()));
    return py::dict("per_minute"_a = to_limit(found.per_minute),
                    "analytics_per_second"_a = to_limit(found.analytics_per_second))
        .release()
        .ptr();
}

}  // namespace

void register_plan(py::module_& m) { def_fast<limits>(m, "plan_limits", doc); }

}  // namespace sluice::bindings
