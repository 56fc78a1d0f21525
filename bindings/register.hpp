// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_REGISTER_HPP
#define SLUICE_BINDINGS_REGISTER_HPP

#include <pybind11/pybind11.h>

namespace sluice::bindings {

/// A class of Python that has no subclasses. Its type is `type`, the only one that stubs can tell.
template <class T>
[[nodiscard]] pybind11::class_<T> make_class(pybind11::module_& m, const char* name,
                                             const char* doc) {
    auto* const type = reinterpret_cast<PyObject*>(&PyType_Type);
    return {m, name, doc, pybind11::is_final(), pybind11::metaclass(type)};
}

// Each binds what the header of its name declares. A type is registered before what returns it.
void register_envelope(pybind11::module_& m);
void register_limits(pybind11::module_& m);
void register_query_string(pybind11::module_& m);
void register_filter(pybind11::module_& m);
void register_mask(pybind11::module_& m);
void register_metadata_query(pybind11::module_& m);
void register_plan(pybind11::module_& m);
void register_rate_limit(pybind11::module_& m);
void register_events_query(pybind11::module_& m);
void register_tags_query(pybind11::module_& m);
void register_event_store(pybind11::module_& m);
void register_handler(pybind11::module_& m);
void register_sample(pybind11::module_& m);

}  // namespace sluice::bindings

#endif
