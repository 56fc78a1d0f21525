// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_WASM_HOST_HPP
#define SLUICE_BINDINGS_WASM_HOST_HPP

#include <cstddef>

// What JavaScript reads and writes for the module, as libc++ has 120 KB of both.

/// The double nearest to a number of `size` bytes, which may be `Infinity`.
extern "C" __attribute__((import_module("host"), import_name("parse_real"))) double
sluice_parse_real(const char* text, std::size_t size);

/// Writes the shortest text of a double into 32 bytes, and returns its length.
extern "C" __attribute__((import_module("host"), import_name("real_text"))) std::size_t
sluice_real_text(double number, char* text);

#endif
