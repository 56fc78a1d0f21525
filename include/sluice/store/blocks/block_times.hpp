// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_BLOCKS_BLOCK_TIMES_HPP
#define SLUICE_STORE_BLOCKS_BLOCK_TIMES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>

#include <sluice/store/blocks/open_block.hpp>

namespace sluice::store {

/// The times of a full block in milliseconds since 1970, ascending: 4-byte offsets from the first
/// if all fit (in 49 days), else 8-byte values.
class block_times {
public:
    /// Copies the times of a full block as offsets, or shares its array.
    explicit block_times(const open_block& rows) : first_(rows.times()[0]) {
        const std::int64_t* const times = rows.times();
        const auto span =
            static_cast<std::uint64_t>(times[block_rows - 1]) - static_cast<std::uint64_t>(first_);
        if (span > std::numeric_limits<std::uint32_t>::max()) {
            whole_ = rows.shared_times();
            return;
        }
        auto after_first = std::make_shared_for_overwrite<std::uint32_t[]>(block_rows);
        std::transform(times, times + block_rows, after_first.get(), [this](std::int64_t time) {
            return static_cast<std::uint32_t>(time - first_);
        });
        after_first_ = std::move(after_first);
    }

    void save(archive_writer& archive) const {
        archive.number(static_cast<std::uint64_t>(first_));
        archive.number(after_first_ ? 1 : 0);
        after_first_ ? archive.array(std::span(after_first_.get(), block_rows))
                     : archive.array(std::span(whole_.get(), block_rows));
    }
    /// Reads times that view an archive.
    explicit block_times(archive_reader& archive)
        : first_(static_cast<std::int64_t>(archive.number())) {
        if (archive.number(1) != 0) {
            after_first_ = {archive.keeper(), archive.view<std::uint32_t>(block_rows).data()};
        } else {
            whole_ = {archive.keeper(), archive.view<std::int64_t>(block_rows).data()};
        }
    }

    [[nodiscard]] std::int64_t operator[](std::size_t row) const noexcept {
        return after_first_ ? first_ + after_first_.get()[row] : whole_.get()[row];
    }
    [[nodiscard]] std::size_t bytes() const noexcept {
        return block_rows * (after_first_ ? sizeof(std::uint32_t) : sizeof first_);
    }

private:
    std::int64_t first_;
    std::shared_ptr<const std::uint32_t[]> after_first_;  // offsets from first_, or null
    std::shared_ptr<const std::int64_t[]> whole_;         // the times, if after_first_ is null
};

}  // namespace sluice::store

#endif
