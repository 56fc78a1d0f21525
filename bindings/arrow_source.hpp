// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_ARROW_SOURCE_HPP
#define SLUICE_BINDINGS_ARROW_SOURCE_HPP

#include <utility>

#include <pybind11/pybind11.h>

#include <sluice/arrow/table_mask.hpp>

#include "background.hpp"
#include "mask.hpp"

namespace sluice::bindings {

/// The Arrow data of a Python object, a stream or a single array, taken from its PyCapsules, which
/// are left empty.
class arrow_source {
public:
    /// Returns true if an object implements the Arrow PyCapsule interface.
    [[nodiscard]] static bool is_in(py::handle object);
    /// Takes the data of an object. TypeError if its capsules don't conform to the interface.
    explicit arrow_source(py::handle object);

    /// Returns the mask of all chunks, once: it consumes the data. `prepare(type)` is called first,
    /// with the type of the rows; it returns an import_result of a function `mask(type, chunk)`,
    /// which returns an import_result of the chunk's bits. Both run without the GIL.
    template <class Prepare>
    [[nodiscard]] arrow::import_result<arrow::row_bits> mask(Prepare prepare) {
        return without_gil([&] { return evaluate(prepare); });
    }

private:
    /// Like mask(), on a thread that has released the GIL.
    template <class Prepare>
    arrow::import_result<arrow::row_bits> evaluate(Prepare& prepare) {
        auto type = stream_ ? arrow::stream_type(stream_) : arrow::read_type(*schema_);
        if (!type) return tl::unexpected(type.error());
        auto mask = prepare(*type);
        if (!mask) return tl::unexpected(mask.error());
        const auto of_chunk = [&](const ArrowArray& chunk) { return (*mask)(*type, chunk); };
        if (stream_) return arrow::stream_mask(stream_, of_chunk);
        auto bits = of_chunk(*array_);
        array_ = {};
        return bits;
    }

    arrow::owned<ArrowArrayStream> stream_;  // empty for a single array
    arrow::owned<ArrowSchema> schema_;       // with array_; both are empty for a stream
    arrow::owned<ArrowArray> array_;
};

}  // namespace sluice::bindings

#endif
