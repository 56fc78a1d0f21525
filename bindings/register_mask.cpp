// SPDX-License-Identifier: MIT
#include <array>
#include <string>

#include <pybind11/operators.h>

#include "mask.hpp"
#include "register.hpp"

namespace sluice::bindings {

namespace {

using shared_bits = std::shared_ptr<const arrow::row_bits>;

/// An exported array of booleans: the struct, its two buffers and what keeps the bits alive.
struct exported_mask {
    shared_bits bits;
    std::array<const void*, 2> buffers;
};

void release_schema(ArrowSchema* schema) { schema->release = nullptr; }

void release_array(ArrowArray* array) {
    delete static_cast<exported_mask*>(array->private_data);
    array->release = nullptr;
}

ArrowSchema boolean_schema() noexcept {
    ArrowSchema schema{};
    schema.format = "b";
    schema.name = "";
    schema.release = release_schema;
    return schema;
}

ArrowArray boolean_array(const shared_bits& bits) {
    // Of no rows there may be no words, but the buffer is there all the same.
    static constexpr std::uint64_t nothing = 0;
    const void* const words = bits->size() == 0 ? &nothing : bits->words().data();
    auto* const exported = new exported_mask{bits, {nullptr, words}};
    ArrowArray array{};
    array.length = static_cast<std::int64_t>(bits->size());
    array.n_buffers = 2;
    array.buffers = exported->buffers.data();
    array.release = release_array;
    array.private_data = exported;
    return array;
}

/// A capsule of a struct, which it releases unless a consumer has taken it.
template <class Struct>
py::object to_capsule(const Struct& made, const char* name) {
    auto* const held = new Struct(made);
    PyObject* const capsule = PyCapsule_New(held, name, [](PyObject* self) {
        auto* const left =
            static_cast<Struct*>(PyCapsule_GetPointer(self, PyCapsule_GetName(self)));
        const arrow::owned<Struct> released(*left);
        delete left;
    });
    if (capsule == nullptr) {
        const arrow::owned<Struct> released(*held);
        delete held;
        throw py::error_already_set();
    }
    return py::reinterpret_steal<py::object>(capsule);
}

py::object schema_of(const row_mask&) { return to_capsule(boolean_schema(), "arrow_schema"); }

py::tuple array_of(const row_mask& mask, const py::object& /*requested_schema*/) {
    return py::make_tuple(schema_of(mask), to_capsule(boolean_array(mask.bits), "arrow_array"));
}

/// One byte a row, written when first asked for.
py::buffer_info bytes_of(row_mask& mask) {
    const auto rows = static_cast<py::ssize_t>(mask.bits->size());
    if (mask.bytes.empty()) {
        mask.bytes.resize(mask.bits->size() + 1);  // a buffer of no bytes has a place too
        mask.bits->write_bytes(mask.bytes);
    }
    return py::buffer_info(mask.bytes.data(), 1, "?", 1, {rows}, {1}, true);
}

bool row_of(const row_mask& mask, std::int64_t row) {
    const auto rows = static_cast<std::int64_t>(mask.bits->size());
    const std::int64_t at = row < 0 ? row + rows : row;
    if (at < 0 || at >= rows) throw py::index_error("row out of range");
    return (*mask.bits)[static_cast<std::size_t>(at)];
}

py::list to_list(const row_mask& mask) {
    const std::size_t rows = mask.bits->size();
    py::list all(rows);
    for (std::size_t row = 0; row < rows; ++row) {
        PyList_SET_ITEM(all.ptr(), static_cast<py::ssize_t>(row),
                        PyBool_FromLong((*mask.bits)[row] ? 1 : 0));
    }
    return all;
}

std::string repr(const row_mask& mask) {
    return "<Mask: " + std::to_string(mask.bits->count()) + " of " +
           std::to_string(mask.bits->size()) + " rows>";
}

}  // namespace

void raise_failure(const arrow::failure& failed, std::string_view what) {
    std::string text(what);
    if (!text.empty()) text.append(": ");
    text.append(failed.what);
    switch (failed.kind) {
        case arrow::fault::unsupported: PyErr_SetString(PyExc_TypeError, text.c_str()); break;
        case arrow::fault::stream: PyErr_SetString(PyExc_RuntimeError, text.c_str()); break;
        case arrow::fault::malformed:
        case arrow::fault::missing: PyErr_SetString(PyExc_ValueError, text.c_str()); break;
    }
    throw py::error_already_set();
}

void register_mask(py::module_& m) {
    auto* const type = reinterpret_cast<PyObject*>(&PyType_Type);
    py::class_<row_mask> c(
        m, "Mask",
        "Which rows pass, a bit each. NumPy takes it as an array of bool (numpy.asarray), Arrow\n"
        "libraries as a boolean array (pyarrow.array, polars.Series), both without a copy.",
        py::is_final(), py::metaclass(type), py::buffer_protocol());
    c.def_buffer(bytes_of);
    c.def("count", [](const row_mask& mask) { return mask.bits->count(); }, "How many rows pass.");
    c.def("tolist", to_list, "The rows as a list of bool.");
    c.def("__len__", [](const row_mask& mask) { return mask.bits->size(); });
    c.def("__getitem__", row_of, py::arg("row"));
    c.def("__iter__", [](const row_mask& mask) { return py::iter(to_list(mask)); });
    c.def(
        "__eq__", [](const row_mask& a, const row_mask& b) { return *a.bits == *b.bits; },
        py::is_operator());
    c.attr("__hash__") = py::none();
    c.def("__repr__", repr);
    c.def("__arrow_c_schema__", schema_of, "The Arrow type: boolean.");
    c.def("__arrow_c_array__", array_of, py::arg("requested_schema") = py::none(),
          "The rows as an Arrow array of booleans.");
}

}  // namespace sluice::bindings
