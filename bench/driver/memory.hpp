// SPDX-License-Identifier: MIT
#ifndef SLUICE_BENCH_DRIVER_MEMORY_HPP
#define SLUICE_BENCH_DRIVER_MEMORY_HPP

#include <algorithm>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include <sluice/base/random.hpp>
#include <sluice/base/simd/kernels.hpp>
#include <sluice/base/simd_level.hpp>

#include "operation.hpp"

namespace sluice_bench {

/// Larger than the caches, or than most of them, so that reads come from memory.
inline constexpr std::size_t memory_bytes = std::size_t{1} << 30;

/// Sums words, 64 bytes at a time from four streams, so that memory is the only bottleneck: a
/// single stream is a tenth slower.
[[gnu::always_inline]] inline std::uint64_t sum_words(std::span<const std::uint64_t> words) {
    using wide [[gnu::vector_size(64), gnu::aligned(8), gnu::may_alias]] = std::uint64_t;
    wide a{}, b{}, c{}, d{};
    const auto* const at = reinterpret_cast<const wide*>(words.data());
    const std::size_t quarter = words.size() / 32;
    for (std::size_t i = 0; i < quarter; ++i) {
        a += at[i];
        b += at[quarter + i];
        c += at[2 * quarter + i];
        d += at[3 * quarter + i];
    }
    a += b + c + d;
    return a[0] + a[1] + a[2] + a[3] + a[4] + a[5] + a[6] + a[7];
}

/// Like sum_words(), with the widest registers of the CPU, which read as fast as any.
[[nodiscard]] inline std::uint64_t read_all(std::span<const std::uint64_t> words) {
#if defined(__x86_64__)
    struct by_width {
        [[gnu::target("avx2")]] static std::uint64_t avx2(std::span<const std::uint64_t> all) {
            return sum_words(all);
        }
        [[gnu::target("avx512f")]] static std::uint64_t avx512(std::span<const std::uint64_t> all) {
            return sum_words(all);
        }
    };
    if (__builtin_cpu_supports("avx512f")) return by_width::avx512(words);
    if (__builtin_cpu_supports("avx2")) return by_width::avx2(words);
#endif
    return sum_words(words);
}

/// A gigabyte of random byte codes below 200, filled on first use.
class code_memory {
public:
    [[nodiscard]] std::span<const std::uint64_t> words() {
        if (words_.empty()) fill();
        return words_;
    }
    [[nodiscard]] std::span<const std::uint8_t> codes() {
        const auto all = words();
        return {reinterpret_cast<const std::uint8_t*>(all.data()), all.size_bytes()};
    }

private:
    void fill() {
        words_.resize(memory_bytes / sizeof(std::uint64_t));
        sluice::detail::random_source random(1);
        std::uint64_t pattern = 0;
        for (std::uint64_t& word : words_) {
            pattern = random.next();
            // Computes byte * 200 / 256 for each byte, four bytes at a time.
            constexpr std::uint64_t even = 0x00FF00FF00FF00FF;
            word = ((((pattern & even) * 200) >> 8) & even) |
                   (((((pattern >> 8) & even) * 200)) & ~even);
        }
    }
    std::vector<std::uint64_t> words_;
};

[[nodiscard]] inline sluice::simd_level level_named(std::string_view name) {
    for (const sluice::simd_level level : sluice::supported_simd_levels()) {
        if (to_string(level) == name) return level;
    }
    throw std::runtime_error("no SIMD level " + std::string(name));
}

/// Returns a set of 16 codes, spread over the column's codes.
[[nodiscard]] inline sluice::detail::simd::byte_set sixteen_codes() {
    sluice::detail::simd::byte_set wanted;
    for (std::uint8_t i = 0; i < 16; ++i) wanted.insert(static_cast<std::uint8_t>(3 + 12 * i));
    return wanted;
}

/// Matches a gigabyte of codes, block by block, into one bitmap that stays in the cache.
[[nodiscard]] inline std::size_t scan_codes(const sluice::detail::simd::kernels& kernels,
                                            std::span<const std::uint8_t> codes,
                                            std::span<std::uint64_t> bitmap) {
    const auto wanted = sixteen_codes();
    const std::size_t rows = bitmap.size() * 64;
    std::size_t matches = 0;
    for (std::size_t at = 0; at < codes.size(); at += rows) {
        kernels.match_u8(codes.data() + at, rows, wanted, bitmap.data());
        matches += kernels.count_bits(bitmap.data(), bitmap.size());
    }
    return matches;
}

/// Adds three operations: `bandwidth` reads a gigabyte; `scan LEVEL` matches as many byte codes
/// against a set of 16; `levels` names the SIMD levels of this machine.
inline void add_memory(operation_table& operations) {
    const auto memory = std::make_shared<code_memory>();
    operations["bandwidth"] = [memory](std::string_view) {
        const auto run = [words = memory->words()] { return read_all(words); };
        return repeated([words = memory->words()] { return std::to_string(words.size_bytes()); },
                        run);
    };
    operations["scan"] = [memory](std::string_view name) {
        const auto* kernels = sluice::detail::simd::kernels_of(level_named(name));
        auto run = [memory, kernels, codes = memory->codes(),
                    bitmap = std::vector<std::uint64_t>(1'024)]() mutable {
            return scan_codes(*kernels, codes, bitmap);
        };
        return repeated([run]() mutable { return std::to_string(run()); }, run);
    };
    operations["levels"] = [](std::string_view) {
        return operation{[] {
            std::string names;
            for (const auto level : sluice::supported_simd_levels()) {
                names.append(names.empty() ? "" : " ").append(to_string(level));
            }
            return names;
        }};
    };
}

}  // namespace sluice_bench

#endif
