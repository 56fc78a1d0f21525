// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_DETAIL_BLOCK_TIMES_HPP
#define SLUICE_STORE_DETAIL_BLOCK_TIMES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include <sluice/store/detail/open_block.hpp>

namespace sluice::store {

/// The times of a full block, which ascend: each by how much it is after the first, in four bytes
/// where all fit, which those of 49 days do in milliseconds; else as they are.
class block_times {
public:
    explicit block_times(const open_block& rows) : first_(rows.times()[0]) {
        const std::int64_t* const times = rows.times();
        const auto span =
            static_cast<std::uint64_t>(times[block_rows - 1]) - static_cast<std::uint64_t>(first_);
        if (span > std::numeric_limits<std::uint32_t>::max()) {
            whole_ = rows.shared_times();
            return;
        }
        after_first_ = std::make_unique_for_overwrite<std::uint32_t[]>(block_rows);
        std::transform(times, times + block_rows, after_first_.get(), [this](std::int64_t time) {
            return static_cast<std::uint32_t>(time - first_);
        });
    }

    [[nodiscard]] std::int64_t operator[](std::size_t row) const noexcept {
        return after_first_ ? first_ + after_first_[row] : whole_[static_cast<std::ptrdiff_t>(row)];
    }
    [[nodiscard]] std::size_t bytes() const noexcept {
        return block_rows * (after_first_ ? sizeof after_first_[0] : sizeof first_);
    }

private:
    std::int64_t first_;
    std::unique_ptr<std::uint32_t[]> after_first_;
    std::shared_ptr<const std::int64_t[]> whole_;
};

}  // namespace sluice::store

#endif
