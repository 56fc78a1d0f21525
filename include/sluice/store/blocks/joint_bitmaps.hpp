// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_BLOCKS_JOINT_BITMAPS_HPP
#define SLUICE_STORE_BLOCKS_JOINT_BITMAPS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <sluice/base/memory.hpp>
#include <sluice/base/simd/kernels.hpp>
#include <sluice/store/blocks/sealed_column.hpp>

namespace sluice::store {

/// Counts the rows that bitmaps of one block have in common, without writing them. One bitmap may
/// exclude its rows instead: |a and not b| = |a| - |a and b|.
class joint_bitmaps {
public:
    void clear() noexcept {
        taken_ = 0;
        excluded_ = nullptr;
    }
    /// Adds a bitmap. Returns false if it is null, a second exclusion or one too many.
    [[nodiscard]] bool add(const std::uint64_t* bitmap, bool excludes) noexcept {
        if (!bitmap || (excludes && excluded_) || taken_ == most_taken) return false;
        if (excludes) {
            excluded_ = bitmap;
        } else {
            bitmaps_[taken_++] = bitmap;
        }
        return true;
    }
    /// Counts the common rows; nullopt if there is no including bitmap.
    [[nodiscard]] std::optional<std::size_t> rows(
        const sluice::detail::simd::kernels& kernels) noexcept {
        if (taken_ == 0) return std::nullopt;
        const std::size_t all = kernels.count_all(bitmaps_.data(), taken_, bitmap_words);
        if (!excluded_) return all;
        bitmaps_[taken_] = excluded_;
        return all - kernels.count_all(bitmaps_.data(), taken_ + 1, bitmap_words);
    }

    /// Prefetches the start of each half of a bitmap that is counted soon; the hardware prefetcher
    /// follows from there.
    static void prefetch(const std::uint64_t* bitmap) noexcept {
        constexpr std::size_t line = 8, lines = 4;  // words of a cache line; lines of each half
        for (std::size_t at = 0; at < lines * line; at += line) {
            sluice::detail::prefetch(bitmap + at);
            sluice::detail::prefetch(bitmap + bitmap_words / 2 + at);
        }
    }

private:
    static constexpr std::size_t most_taken = 7;  // including bitmaps

    std::array<const std::uint64_t*, most_taken + 1> bitmaps_;  // one more for excluded_
    std::size_t taken_ = 0;                                     // number of including bitmaps
    const std::uint64_t* excluded_ = nullptr;
};

}  // namespace sluice::store

#endif
