// SPDX-License-Identifier: MIT
#ifndef SLUICE_DETAIL_MISTAKE_HPP
#define SLUICE_DETAIL_MISTAKE_HPP

namespace sluice::detail {

/// Ends the compilation of whatever calls it while compiling: it isn't a constexpr function, so
/// that the compiler shows the call, with a sentence that says what to do.
inline void mistake(const char* /*what_to_do*/) noexcept {}

}  // namespace sluice::detail

#endif
