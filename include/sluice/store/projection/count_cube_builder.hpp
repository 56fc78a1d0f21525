// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_PROJECTION_COUNT_CUBE_BUILDER_HPP
#define SLUICE_STORE_PROJECTION_COUNT_CUBE_BUILDER_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <sluice/store/blocks/count_cube.hpp>
#include <sluice/store/blocks/snapshot.hpp>
#include <sluice/store/projection/count_unit_builder.hpp>

namespace sluice::store {

/// Builds count cubes: sorts the rows by a key of all codes, then counts equal keys.
///
/// ```
/// key     | code of the first column | second | third |    of as many bits as the codes need
/// ```
class count_cube_builder {
public:
    /// Builds the cube of the rows `of`, which are full blocks; empty if it doesn't pay. Expects
    /// two columns at least.
    [[nodiscard]] count_cube build(const snapshot& rows, const row_span& of,
                                   std::span<const std::size_t> columns) {
        cube_ = {};
        cube_.rows_ = of;
        keys_.assign(of.size(), 0);
        unsigned rest_bits = 0;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const std::span<const code> codes = reader_.codes(rows, of, columns[i]);
            const code most = std::ranges::max(codes);
            const auto bits = static_cast<unsigned>(std::bit_width(most));
            cube_.most_.push_back(most);
            cube_.masks_.push_back(static_cast<code>((std::uint64_t{1} << bits) - 1));
            if (i > 0) rest_bits += bits;
            if (rest_bits > 32) return std::move(cube_);
            for (std::size_t row = 0; row < codes.size(); ++row)
                keys_[row] = keys_[row] << bits | codes[row];
        }
        if (cube_.most_[0] >= std::max(of.size() / 4, least_begins)) return std::move(cube_);
        for (unsigned left = rest_bits; const code mask : cube_.masks_) {
            if (!cube_.shifts_.empty()) left -= static_cast<unsigned>(std::bit_width(mask));
            cube_.shifts_.push_back(left % 32);  // that of the first column isn't used
        }
        sort(rest_bits + static_cast<unsigned>(std::bit_width(cube_.most_[0])));
        count(rest_bits);
        return std::move(cube_);
    }

private:
    static constexpr std::size_t least_begins = std::size_t{1} << 18;
    static constexpr unsigned digit_bits = 11;  // whose counters fit in the processor's first cache

    /// Sorts the keys, which have so many bits, digit by digit.
    void sort(unsigned bits) {
        sorted_.resize(keys_.size());
        std::array<std::uint32_t, std::size_t{1} << digit_bits> places;
        for (unsigned shift = 0; shift < bits; shift += digit_bits) {
            const auto digit_of = [&](std::uint64_t key) {
                return static_cast<std::size_t>(key >> shift) % places.size();
            };
            places.fill(0);
            for (const std::uint64_t key : keys_) ++places[digit_of(key)];
            std::uint32_t begin = 0;
            for (std::uint32_t& place : places) begin += std::exchange(place, begin);
            for (const std::uint64_t key : keys_) sorted_[places[digit_of(key)]++] = key;
            std::swap(keys_, sorted_);
        }
    }
    /// Counts equal keys, unless they are too many.
    void count(unsigned rest_bits) {
        std::size_t cells = 1;
        for (std::size_t i = 1; i < keys_.size(); ++i) cells += keys_[i] != keys_[i - 1] ? 1 : 0;
        if (cells > keys_.size() / 2) return;
        cube_.rest_.reserve(cells);
        cube_.counts_.reserve(cells);
        cube_.begins_.assign(std::size_t{cube_.most_[0]} + 2, 0);
        for (std::size_t begin = 0, end = 0; begin < keys_.size(); begin = end) {
            while (end < keys_.size() && keys_[end] == keys_[begin]) ++end;
            const auto rest =
                static_cast<std::uint32_t>(keys_[begin] & ((std::uint64_t{1} << rest_bits) - 1));
            cube_.rest_.push_back(rest);
            cube_.counts_.push_back(static_cast<std::uint32_t>(end - begin));
            ++cube_.begins_[static_cast<std::size_t>(keys_[begin] >> rest_bits) + 1];
        }
        for (std::size_t i = 1; i < cube_.begins_.size(); ++i)
            cube_.begins_[i] += cube_.begins_[i - 1];
    }

    unit_column_reader reader_;
    count_cube cube_;
    std::vector<std::uint64_t> keys_;    // by row, then sorted
    std::vector<std::uint64_t> sorted_;  // room for one more digit
};

}  // namespace sluice::store

#endif
