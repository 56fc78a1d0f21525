// SPDX-License-Identifier: MIT
#ifndef SLUICE_WASM_TIMES_HPP
#define SLUICE_WASM_TIMES_HPP

#include <sluice/list_params.hpp>

#include "abi.hpp"

namespace sluice::wasm {

/// A window that was asked for: `{ "start", "end", "interval", "timezone" }`.
void write_window(json_writer& json, const list_window& asked);

}  // namespace sluice::wasm

#endif
