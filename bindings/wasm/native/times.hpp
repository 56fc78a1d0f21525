// SPDX-License-Identifier: MIT
#ifndef SLUICE_WASM_TIMES_HPP
#define SLUICE_WASM_TIMES_HPP

#include <sluice/params/list.hpp>

#include "abi.hpp"

namespace sluice::wasm {

/// Writes the window of a request.
void write_window(answer_writer& out, const list_window& window);

}  // namespace sluice::wasm

#endif
