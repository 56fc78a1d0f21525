// SPDX-License-Identifier: MIT
#ifndef SLUICE_WASM_CUSTOM_TYPES_HPP
#define SLUICE_WASM_CUSTOM_TYPES_HPP

#include <cstdint>
#include <string_view>

#include <sluice/errors/error.hpp>
#include <sluice/params/runtime/declaration.hpp>

namespace sluice::wasm {

/// A type whose values JavaScript reads, by the index of its function in the call.
struct host_type {
    std::uint32_t place;

    [[nodiscard]] result<custom_value> operator()(std::string_view text) const;
};

}  // namespace sluice::wasm

#endif
