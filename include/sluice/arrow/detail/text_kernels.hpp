// SPDX-License-Identifier: MIT
#ifndef SLUICE_ARROW_DETAIL_TEXT_KERNELS_HPP
#define SLUICE_ARROW_DETAIL_TEXT_KERNELS_HPP

#include <sluice/arrow/detail/text_avx2.hpp>
#include <sluice/arrow/detail/text_avx512.hpp>
#include <sluice/arrow/detail/text_scalar.hpp>
#include <sluice/base/simd_level.hpp>

namespace sluice::arrow::detail {

/// Returns the text kernels of the active SIMD level.
[[nodiscard]] inline const text_kernels& active_text_kernels() noexcept {
    switch (active_simd_level()) {
#if defined(__x86_64__)
        case simd_level::avx512:
        case simd_level::avx512_vbmi: return avx512::table;
        case simd_level::avx2: return avx2::table;
#endif
        default: return scalar_text_kernels;
    }
}

}  // namespace sluice::arrow::detail

#endif
