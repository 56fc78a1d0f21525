// SPDX-License-Identifier: MIT
#include "arrow_source.hpp"

namespace sluice::bindings {

namespace {

/// Moves a struct out of a capsule. TypeError if it has another name, ValueError if it is empty.
template <class Struct>
arrow::owned<Struct> take(py::handle capsule, const char* name) {
    if (PyCapsule_IsValid(capsule.ptr(), name) == 0) {
        throw py::type_error(std::string("expected a PyCapsule named ") + name);
    }
    auto* const held = static_cast<Struct*>(PyCapsule_GetPointer(capsule.ptr(), name));
    if (held->release == nullptr) {
        throw py::value_error(std::string("the PyCapsule ") + name + " was consumed before");
    }
    return arrow::owned<Struct>(*held);
}

}  // namespace

bool arrow_source::is_in(py::handle object) {
    return py::hasattr(object, "__arrow_c_stream__") || py::hasattr(object, "__arrow_c_array__");
}

arrow_source::arrow_source(py::handle object) {
    if (py::hasattr(object, "__arrow_c_stream__")) {
        const py::object capsule = object.attr("__arrow_c_stream__")();
        stream_ = take<ArrowArrayStream>(capsule, "arrow_array_stream");
        return;
    }
    const py::object pair = object.attr("__arrow_c_array__")();
    if (!py::isinstance<py::tuple>(pair) || py::len(pair) != 2) {
        throw py::type_error("__arrow_c_array__: expected a pair of PyCapsules");
    }
    const auto capsules = py::reinterpret_borrow<py::tuple>(pair);
    schema_ = take<ArrowSchema>(capsules[0], "arrow_schema");
    array_ = take<ArrowArray>(capsules[1], "arrow_array");
}

}  // namespace sluice::bindings
