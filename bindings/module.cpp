// SPDX-License-Identifier: MIT
// The extension module sluice._sluice. The package beside it gives its names to the public.
//
//   convert.hpp        text, bytes, instants and parameters, from and to Python
//   fast_method.hpp    methods bound to the interpreter's own calling convention
//   arrow_source.hpp   Arrow data of other packages
//   mask.hpp           what Mask holds
//   raise.hpp          an error as the exception sluice.ApiError
//   background.hpp     long work without the GIL, its progress and Ctrl-C
//   queries.hpp        what EventsQuery and TagsQuery hold
//   register_*.cpp     one for each header that is bound
#include "register.hpp"

namespace {

/// Calls types by the name under which the public finds them, such as sluice.Filter.
void name_after_package(const pybind11::module_& m) {
    for (const auto& [name, member] : pybind11::dict(m.attr("__dict__"))) {
        if (pybind11::isinstance<pybind11::type>(member)) member.attr("__module__") = "sluice";
    }
}

}  // namespace

PYBIND11_MODULE(_sluice, m) {
    using namespace sluice::bindings;
    m.doc() = "What passes and how fast: the C++ library sluice.";
    m.attr("__version__") = SLUICE_VERSION;
    register_envelope(m);
    register_limits(m);
    register_query_string(m);
    register_mask(m);
    register_filter(m);
    register_metadata_query(m);
    register_plan(m);
    register_rate_limit(m);
    register_events_query(m);
    register_tags_query(m);
    register_event_store(m);
    register_handler(m);
    register_sample(m);
    name_after_package(m);
}
