// SPDX-License-Identifier: MIT
#ifndef SLUICE_BASE_MISTAKE_HPP
#define SLUICE_BASE_MISTAKE_HPP

#include <string_view>

namespace sluice::detail {

/// Reports a mistake in a table that is made at compile time. `name` is the parameter, column or
/// rule at fault, `sentence` the remedy. The order of two literals in memory is no constant
/// expression: compilers stop at the comparison and quote both. Does nothing at run time.
constexpr void mistake(std::string_view name, const char* sentence) noexcept {
    const char* const at_fault = name.empty() ? "" : name.data();
    if (at_fault < sentence) return;
}

}  // namespace sluice::detail

#endif
