// SPDX-License-Identifier: MIT
#include "host.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <sluice/base/real.hpp>

// Replaces parts of the C and C++ libraries that are large, by JavaScript or by less.

namespace sluice::detail {

double host_real(std::string_view text) { return sluice_parse_real(text.data(), text.size()); }
std::size_t write_host_real(double number, char* text) { return sluice_real_text(number, text); }

}  // namespace sluice::detail

// The library's print a message by printf(), into a file that no host has.
void std::__libcpp_verbose_abort(const char*, ...) { __builtin_trap(); }
extern "C" [[noreturn]] void abort_message(const char*, ...) { __builtin_trap(); }
