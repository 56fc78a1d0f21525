// SPDX-License-Identifier: MIT
// The extension module sluice._sluice. The package beside it gives its names to the public.
//
//   convert.hpp        text, bytes, instants and parameters, from and to Python
//   raise.hpp          an error as the exception sluice.ApiError
//   background.hpp     long work without the GIL, its progress and Ctrl-C
//   queries.hpp        what EventsQuery and TagsQuery hold
//   register_*.cpp     one for each header that is bound
#include "register.hpp"

PYBIND11_MODULE(_sluice, m, pybind11::mod_gil_not_used(false)) {
    using namespace sluice::bindings;
    m.doc() = "What passes and how fast: the C++ library sluice.";
    m.attr("__version__") = SLUICE_VERSION;
    register_envelope(m);
    register_limits(m);
    register_query_string(m);
    register_filter(m);
    register_metadata_query(m);
    register_plan(m);
    register_rate_limit(m);
    register_events_query(m);
    register_tags_query(m);
    register_event_store(m);
    register_handler(m);
    register_sample(m);
}
