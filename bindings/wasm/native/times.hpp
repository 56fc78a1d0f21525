// SPDX-License-Identifier: MIT
#ifndef SLUICE_WASM_TIMES_HPP
#define SLUICE_WASM_TIMES_HPP

#include <sluice/params/list.hpp>

#include "abi.hpp"

namespace sluice::wasm {

/// Writes the members `start` and `end` of a window; null for an open side.
void write_bounds(json_writer& json, const time_range& window);

/// Writes the window of a request: `{ "start", "end", "interval", "timezone" }`.
void write_window(json_writer& json, const list_window& window);

}  // namespace sluice::wasm

#endif
