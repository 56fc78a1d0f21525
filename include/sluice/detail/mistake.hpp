// SPDX-License-Identifier: MIT
#ifndef SLUICE_DETAIL_MISTAKE_HPP
#define SLUICE_DETAIL_MISTAKE_HPP

#include <string_view>

#include <sluice/detail/static_text.hpp>

namespace sluice::detail {

/// Ends the compilation of constant expressions that call it, since it isn't constexpr. Compilers
/// show its name with the sentence, which says what to do.
template <text_literal Sentence>
void stop_compiling() noexcept {}

/// Reports a mistake in a table that is made at compile time. `name` is the parameter, column or
/// rule at fault: compilers show this call with its value.
template <text_literal Sentence>
constexpr void mistake(const char* name) noexcept {
    if (name != nullptr) stop_compiling<Sentence>();
}
template <text_literal Sentence>
constexpr void mistake(std::string_view name) noexcept {
    mistake<Sentence>(name.empty() ? "" : name.data());
}

}  // namespace sluice::detail

#endif
