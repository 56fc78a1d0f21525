// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_MASK_HPP
#define SLUICE_BINDINGS_MASK_HPP

#include <memory>
#include <string_view>
#include <vector>

#include <pybind11/pybind11.h>

#include <sluice/arrow/data_type.hpp>
#include <sluice/arrow/row_bits.hpp>

namespace sluice::bindings {

namespace py = pybind11;

/// The value of Mask.
struct row_mask {
    std::shared_ptr<const arrow::row_bits> bits;  ///< one bit per row; shared with Arrow consumers
    std::vector<std::uint8_t> bytes{};            ///< one byte per row, once a buffer is requested
};

/// Returns bits as the value of a Mask.
[[nodiscard]] inline row_mask to_mask(arrow::row_bits bits) {
    return {std::make_shared<const arrow::row_bits>(std::move(bits))};
}

/// Raises a fault of Arrow data: TypeError for types, RuntimeError for an error of a stream,
/// otherwise ValueError. `what` names the argument.
[[noreturn]] void raise_failure(const arrow::failure& failed, std::string_view what);

/// Returns the value of an import_result, or raises its failure; `what` names the argument.
template <class T>
[[nodiscard]] T unwrap_import(arrow::import_result<T>&& imported, std::string_view what) {
    if (!imported) raise_failure(imported.error(), what);
    return std::move(*imported);
}

}  // namespace sluice::bindings

#endif
