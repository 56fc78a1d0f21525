// SPDX-License-Identifier: MIT
#ifndef SLUICE_BASE_SIMD_LEVEL_HPP
#define SLUICE_BASE_SIMD_LEVEL_HPP

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace sluice {

/// An instruction set that column scans are written for. All levels give the same results.
enum class simd_level : std::uint8_t {
    scalar,       ///< no vectors: every machine
    sse2,         ///< every x86-64
    avx2,         ///< AVX2, POPCNT
    avx512,       ///< AVX-512 F, BW, VL, DQ
    avx512_vbmi,  ///< `avx512` and VBMI, VBMI2, VPOPCNTDQ
    neon,         ///< every AArch64
};

/// Returns the compiler's name of the level, e.g. "avx512bw".
[[nodiscard]] constexpr std::string_view to_string(simd_level level) noexcept {
    switch (level) {
        case simd_level::scalar: return "scalar";
        case simd_level::sse2: return "sse2";
        case simd_level::avx2: return "avx2";
        case simd_level::avx512: return "avx512bw";
        case simd_level::avx512_vbmi: return "avx512vbmi";
        case simd_level::neon: return "neon";
    }
    return {};
}

namespace detail {

inline constexpr std::size_t simd_level_count = 6;

/// Levels in ascending order.
struct simd_level_list {
    std::array<simd_level, simd_level_count> levels{};
    std::size_t count = 0;

    constexpr void append(simd_level level) noexcept { levels[count++] = level; }
};

/// Detects the CPU's levels. The builtin also checks that the system saves the wide registers.
inline simd_level_list find_simd_levels() noexcept {
    simd_level_list levels;
    levels.append(simd_level::scalar);
#if defined(__x86_64__)
    __builtin_cpu_init();  // for callers that run before the constructors of the C library
    levels.append(simd_level::sse2);
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("popcnt")) return levels;
    levels.append(simd_level::avx2);
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512vl") || !__builtin_cpu_supports("avx512dq")) {
        return levels;
    }
    levels.append(simd_level::avx512);
    if (__builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
        __builtin_cpu_supports("avx512vpopcntdq")) {
        levels.append(simd_level::avx512_vbmi);
    }
#elif defined(__aarch64__) && defined(__ARM_NEON) && !defined(__AARCH64EB__)
    levels.append(simd_level::neon);
#endif
    return levels;
}

/// The active level; `simd_level_count` until one is chosen.
inline std::atomic<std::size_t> chosen_simd_level{simd_level_count};

}  // namespace detail

/// Returns the levels that this CPU and build can run, in ascending order; the last is the default.
[[nodiscard]] inline std::span<const simd_level> supported_simd_levels() noexcept {
    static const detail::simd_level_list list = detail::find_simd_levels();
    return {list.levels.data(), list.count};
}

/// Returns true if this CPU and build can run a level.
[[nodiscard]] inline bool supports(simd_level level) noexcept {
    for (const simd_level known : supported_simd_levels()) {
        if (known == level) return true;
    }
    return false;
}

/// Returns the level that scans run at.
[[nodiscard]] inline simd_level active_simd_level() noexcept {
    std::size_t level = detail::chosen_simd_level.load(std::memory_order_relaxed);
    if (level == detail::simd_level_count) {
        const auto best = static_cast<std::size_t>(supported_simd_levels().back());
        // If another thread has forced a level meanwhile, it stays, and `level` becomes it.
        if (detail::chosen_simd_level.compare_exchange_strong(level, best)) level = best;
    }
    return static_cast<simd_level>(level);
}

/// Makes scans in all threads run at `level` from now on, or at the best one if it is empty. Meant
/// for tests and measurements. Returns false, and changes nothing, if `level` is not supported.
///
/// ```
/// for (simd_level level : supported_simd_levels()) {
///     force_simd_level(level);
///     ...
/// }
/// force_simd_level(std::nullopt);
/// ```
inline bool force_simd_level(std::optional<simd_level> level) noexcept {
    const simd_level wanted = level.value_or(supported_simd_levels().back());
    if (!supports(wanted)) return false;
    detail::chosen_simd_level.store(static_cast<std::size_t>(wanted), std::memory_order_relaxed);
    return true;
}

}  // namespace sluice

#endif
