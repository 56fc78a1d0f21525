// SPDX-License-Identifier: MIT
#ifndef SLUICE_BASE_SIMD_KERNELS_HPP
#define SLUICE_BASE_SIMD_KERNELS_HPP

#include <sluice/base/simd/kernel_table.hpp>
#include <sluice/base/simd/scalar.hpp>
#include <sluice/base/simd_level.hpp>

#if defined(__x86_64__)
#include <sluice/base/simd/avx2.hpp>
#include <sluice/base/simd/avx512.hpp>
#include <sluice/base/simd/sse2.hpp>
#elif defined(__aarch64__) && defined(__ARM_NEON) && !defined(__AARCH64EB__)
#include <sluice/base/simd/neon.hpp>
#endif

/// Access to the kernels by SIMD level.
namespace sluice::detail::simd {

/// Returns the kernels of a level in this build; null if it has none.
[[nodiscard]] constexpr const kernels* built_kernels(simd_level level) noexcept {
    switch (level) {
        case simd_level::scalar: return &scalar_kernels;
#if defined(__x86_64__)
        case simd_level::sse2: return &sse2_kernels;
        case simd_level::avx2: return &avx2_kernels;
        case simd_level::avx512: return &avx512_kernels;
        case simd_level::avx512_vbmi: return &vbmi_kernels;
#elif defined(__aarch64__) && defined(__ARM_NEON) && !defined(__AARCH64EB__)
        case simd_level::neon: return &neon_kernels;
#endif
        default: return nullptr;
    }
}

/// Returns the kernels of a level; null if the CPU or the compiler lacks it.
[[nodiscard]] inline const kernels* kernels_of(simd_level level) noexcept {
    return supports(level) ? built_kernels(level) : nullptr;
}

/// Returns the kernels of `active_simd_level()`. Fetch them once for a scan, not once for a block.
[[nodiscard]] inline const kernels& active_kernels() noexcept {
    return *built_kernels(active_simd_level());
}

}  // namespace sluice::detail::simd

#endif
