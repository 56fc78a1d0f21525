// SPDX-License-Identifier: MIT
#include "filter_rows.hpp"

#include <string>

#include <sluice/arrow/fixed_text.hpp>

#include "arrow_source.hpp"
#include "background.hpp"
#include "convert.hpp"
#include "values.hpp"

namespace sluice::bindings {

namespace {

/// Converts a mask to a NumPy array of bool.
py::object to_numpy(const arrow::row_bits& passes, const py::object& shape) {
    const py::object numpy = py::module_::import("numpy");
    py::object mask = numpy.attr("empty")(passes.size(), py::arg("dtype") = "bool");
    const held_buffer buffer(mask, PyBUF_WRITABLE);
    passes.write_bytes({static_cast<std::uint8_t*>((*buffer).buf), passes.size()});
    return mask.attr("reshape")(shape);
}

/// The location of a row, for messages.
std::string place_of(std::size_t row) { return "array: row " + std::to_string(row); }

/// Filters any iterable, row by row.
py::list list_mask(const py::handle rows, const arrow::row_filter& wanted) {
    py::list passes;
    row_pauses pauses;
    for (const py::handle row : rows) {
        pauses.next();
        const std::size_t at = passes.size();
        passes.append(py::bool_(row_passes(row, wanted, [&] { return place_of(at); })));
    }
    return passes;
}

/// Filters a NumPy array into one of the same shape; elements that aren't texts of NumPy are
/// filtered as Python objects.
py::object numpy_array_mask(const py::object& rows, const arrow::row_filter& wanted) {
    const py::object shape = rows.attr("shape");
    if (const auto passes = numpy_mask(rows, wanted)) return to_numpy(*passes, shape);
    const py::object numpy = py::module_::import("numpy");
    const py::list passes = list_mask(rows.attr("ravel")().attr("tolist")(), wanted);
    return numpy.attr("array")(passes, py::arg("dtype") = "bool").attr("reshape")(shape);
}

/// Filters Arrow data: `prepare` refuses a type that isn't filterable, before any chunk is read.
row_mask arrow_mask(py::handle rows, const arrow::row_filter& wanted) {
    const auto filter_chunk = [&](const arrow::data_type& type, const ArrowArray& chunk) {
        return arrow::filter_mask(type, chunk, wanted);
    };
    const auto prepare = [&](const arrow::data_type& type) {
        return arrow::check_filter_type(type).map([&] { return filter_chunk; });
    };
    return to_mask(unwrap_import(arrow_source(rows).mask(prepare), "array"));
}

}  // namespace

bool is_numpy_array(py::handle rows) {
    const py::dict modules = py::module_::import("sys").attr("modules");
    return modules.contains("numpy") && py::isinstance(rows, modules["numpy"].attr("ndarray"));
}

std::optional<arrow::row_bits> numpy_mask(const py::object& rows, const arrow::row_filter& wanted) {
    const py::module_ numpy = py::module_::import("numpy");
    const py::object dtype = rows.attr("dtype");
    const std::string kind = py::cast<std::string>(dtype.attr("kind"));
    // Subclasses such as masked arrays may give their elements another meaning.
    const bool is_subclass = !py::type::handle_of(rows).is(numpy.attr("ndarray"));
    if (is_subclass || (kind != "U" && kind != "S")) return std::nullopt;
    // Copies only if the array isn't contiguous and in native byte order.
    const py::object plain =
        numpy.attr("ascontiguousarray")(rows, py::arg("dtype") = dtype.attr("newbyteorder")("="));
    const held_buffer buffer(plain, PyBUF_CONTIG_RO);
    const std::size_t unit = kind == "U" ? 4 : 1;  // bytes of a character
    const auto size = static_cast<std::size_t>((*buffer).itemsize);
    const auto count = py::cast<std::size_t>(plain.attr("size"));
    const arrow::fixed_text text{static_cast<const char*>((*buffer).buf), count, size / unit, unit};
    return unwrap_import(without_gil([&] { return arrow::fixed_mask(text, wanted); }), "array");
}

bool row_passes(py::handle row, const arrow::row_filter& wanted, const name_place& place) {
    bool matches_any = false;
    for_each_text(row, place, [&](std::string_view text) {
        matches_any = matches_any || wanted.matches_any_value(text);
    });
    return wanted.empty() || matches_any != wanted.excludes();
}

py::object mask_of(const arrow::row_filter& wanted, const py::object& rows) {
    if (PyUnicode_Check(rows.ptr())) throw py::type_error("array: expected many values, not str");
    if (is_numpy_array(rows)) return numpy_array_mask(rows, wanted);
    if (arrow_source::is_in(rows)) return py::cast(arrow_mask(rows, wanted));
    return list_mask(rows, wanted);
}

}  // namespace sluice::bindings
