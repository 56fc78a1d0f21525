// SPDX-License-Identifier: MIT
#include <array>
#include <memory>
#include <string>

#include "convert.hpp"
#include "mask.hpp"
#include "register.hpp"

namespace sluice::bindings {

namespace {

namespace doc {

constexpr const char* type = R"(The rows that pass, as bits.

NumPy takes it as an array of bool (numpy.asarray), Arrow libraries as a boolean array
(pyarrow.array, polars.from_arrow), both without a copy. It is a collections.abc.Sequence of bool,
so that a frame of polars filters by it. The mask methods of Filter and of queries return it.)";

constexpr const char* count = R"(count($self, value: bool = True) -> int
--

The number of rows that pass, or that don't if `value` is False.)";

constexpr const char* index = R"(index($self, value: bool) -> int
--

The index of the first row that passes, or that doesn't if `value` is False.

Raises:
    ValueError: There is none.)";

constexpr const char* list = R"(tolist($self, /) -> list[bool]
--

The rows as a list of bool.)";

constexpr const char* item = R"(__getitem__($self, row: int, /) -> bool
--

Return self[row], a bool.)";

constexpr const char* iter = R"(__iter__($self, /) -> Iterator[bool]
--

Implement iter(self).)";

constexpr const char* schema = R"(__arrow_c_schema__($self, /) -> object
--

The Arrow type, boolean, as a PyCapsule.)";

constexpr const char* array =
    R"(__arrow_c_array__($self, requested_schema: object = None) -> tuple[object, object]
--

The rows as an Arrow array of booleans: a pair of PyCapsules. No other type is offered.)";

}  // namespace doc

using shared_bits = std::shared_ptr<const arrow::row_bits>;

/// The private data of an exported boolean array: its two buffers and the owner of the bits.
struct exported_mask {
    shared_bits bits;
    std::array<const void*, 2> buffers;
};

// The `release` functions of exported structs, by the Arrow C data interface.
void release_schema(ArrowSchema* schema) { schema->release = nullptr; }

void release_array(ArrowArray* array) {
    delete static_cast<exported_mask*>(array->private_data);
    array->release = nullptr;
}

/// The Arrow type of a mask. Its texts are static, so release frees nothing.
ArrowSchema boolean_schema() noexcept {
    ArrowSchema schema{};
    schema.format = "b";
    schema.name = "";
    schema.release = release_schema;
    return schema;
}

/// Exports bits as an Arrow array without nulls, which shares them.
ArrowArray boolean_array(const shared_bits& bits) {
    // An empty mask may have no words, but Arrow requires a buffer.
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

/// A capsule of a struct, which its destructor releases unless a consumer has taken it.
template <class Struct>
py::object to_capsule(const Struct& source, const char* name) {
    auto* const held = new Struct(source);
    PyObject* const capsule = PyCapsule_New(held, name, [](PyObject* self) {
        auto* const left =
            static_cast<Struct*>(PyCapsule_GetPointer(self, PyCapsule_GetName(self)));
        const arrow::owned<Struct> released(*left);  // does nothing if a consumer has taken it
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

py::tuple array_of(const row_mask& mask, py::handle /*requested_schema*/) {
    const py::object array = to_capsule(boolean_array(mask.bits), "arrow_array");
    return py::make_tuple(schema_of(mask), array);
}

/// One byte per row, written on the first access.
py::buffer_info bytes_of(row_mask& mask) {
    const auto rows = static_cast<py::ssize_t>(mask.bits->size());
    if (mask.bytes.empty()) {
        mask.bytes.resize(mask.bits->size() + 1);  // a non-null pointer even without rows
        mask.bits->write_bytes(mask.bytes);
    }
    return py::buffer_info(mask.bytes.data(), 1, "?", 1, {rows}, {1}, true);
}

/// Implements mask[index]. IndexError out of range; negative indices count from the end.
bool row_of(const row_mask& mask, py::handle index) {
    const std::int64_t row = to_integer(index, "row");
    const auto rows = static_cast<std::int64_t>(mask.bits->size());
    const std::int64_t at = row < 0 ? row + rows : row;
    if (at < 0 || at >= rows) throw py::index_error("row out of range");
    return (*mask.bits)[static_cast<std::size_t>(at)];
}

std::size_t count_of(const row_mask& mask, py::handle value) {
    const std::size_t passing = mask.bits->count();
    return to_flag(value, "value") ? passing : mask.bits->size() - passing;
}

std::size_t index_of(const row_mask& mask, py::handle value) {
    const bool wanted = to_flag(value, "value");
    std::size_t row = 0;
    while (row < mask.bits->size() && (*mask.bits)[row] != wanted) ++row;
    if (row == mask.bits->size()) throw py::value_error("no such row");
    return row;
}

std::size_t size_of(const row_mask& mask) { return mask.bits->size(); }

bool are_equal(const row_mask& a, const row_mask& b) { return *a.bits == *b.bits; }

py::list to_list(const row_mask& mask) {
    const std::size_t rows = mask.bits->size();
    py::list all(rows);
    for (std::size_t row = 0; row < rows; ++row) {
        PyList_SET_ITEM(all.ptr(), static_cast<py::ssize_t>(row),
                        PyBool_FromLong((*mask.bits)[row] ? 1 : 0));
    }
    return all;
}

py::object iterate(const row_mask& mask) { return py::iter(to_list(mask)); }

std::string repr(const row_mask& mask) {
    return "<Mask: " + std::to_string(mask.bits->count()) + " of " +
           std::to_string(mask.bits->size()) + " rows>";
}

}  // namespace

void raise_failure(const arrow::failure& failed, std::string_view what) {
    arrow::failure placed = failed;
    if (placed.column.empty()) placed.column = what;
    const std::string text = message(placed);
    switch (failed.kind) {
        case arrow::fault::unsupported: PyErr_SetString(PyExc_TypeError, text.c_str()); break;
        case arrow::fault::stream: PyErr_SetString(PyExc_RuntimeError, text.c_str()); break;
        case arrow::fault::malformed:
        case arrow::fault::missing: PyErr_SetString(PyExc_ValueError, text.c_str()); break;
    }
    throw py::error_already_set();
}

void register_arrow(py::module_& m) {
    auto c = make_class<row_mask>(m, "Mask", doc::type, py::buffer_protocol());
    c.def_buffer(bytes_of);
    def(c, "count", count_of, doc::count, py::arg("value") = true);
    def(c, "index", index_of, doc::index, py::arg("value"));
    def(c, "tolist", to_list, doc::list);
    def(c, "__len__", size_of, len_doc);
    def(c, "__getitem__", row_of, doc::item, py::arg("row"));
    def(c, "__iter__", iterate, doc::iter);
    def_equal(c, are_equal);
    declare(c, "__buffer__", "__buffer__($self, flags: int, /) -> memoryview");
    def(c, "__repr__", repr, repr_doc);
    def(c, "__arrow_c_schema__", schema_of, doc::schema);
    def(c, "__arrow_c_array__", array_of, doc::array, py::arg("requested_schema") = py::none());
}

}  // namespace sluice::bindings
