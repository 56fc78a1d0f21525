// SPDX-License-Identifier: MIT
#ifndef SLUICE_ARROW_ROW_BITS_HPP
#define SLUICE_ARROW_ROW_BITS_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

/// The result of all masks: one bit per row, and the words of bits that they are built from.
namespace sluice::arrow {

static_assert(std::endian::native == std::endian::little, "Arrow data is read as it lies");

namespace detail {

/// Returns a word whose lowest `count` <= 64 bits are set.
[[nodiscard]] constexpr std::uint64_t low_bits(std::size_t count) noexcept {
    return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

/// Returns the number of 64-bit words for a bit per row.
[[nodiscard]] constexpr std::size_t words_of(std::size_t rows) noexcept { return (rows + 63) / 64; }

/// Loads `count` <= 64 bits of an Arrow bitmap from bit `at`. It reads no byte beyond the last of
/// them.
[[nodiscard]] inline std::uint64_t load_bits(const std::uint8_t* bits, std::size_t at,
                                             std::size_t count) noexcept {
    const std::size_t shift = at % 8;
    const std::size_t bytes = (shift + count + 7) / 8;
    std::uint64_t word = 0;
    std::memcpy(&word, bits + at / 8, bytes < 8 ? bytes : 8);
    word >>= shift;
    if (bytes > 8) word |= std::uint64_t{bits[at / 8 + 8]} << (64 - shift);
    return word & low_bits(count);
}

/// Spreads eight bits to eight bytes of 0 or 1, the lowest bit first.
[[nodiscard]] constexpr std::uint64_t spread_bits(std::uint8_t bits) noexcept {
    // Copies the byte eight times and keeps bit i of byte i; adding 127 carries any of them to the
    // top bit of its byte.
    const std::uint64_t picked = (bits * 0x0101'0101'0101'0101U) & 0x8040'2010'0804'0201U;
    return ((picked + 0x7F7F'7F7F'7F7F'7F7FU) >> 7) & 0x0101'0101'0101'0101U;
}

}  // namespace detail

/// One bit per row, in Arrow's layout of booleans: row r is bit r % 64 of word r / 64. The bits
/// beyond the last row are 0.
///
/// ```
/// row_bits passes;
/// passes.append(block, 1'000);
/// passes.count();  // how many of the 1,000 rows pass
/// ```
class row_bits {
public:
    row_bits() = default;
    /// Initializes `rows` bits, all to `set`.
    row_bits(std::size_t rows, bool set)
        : rows_(rows), words_(detail::words_of(rows), set ? ~std::uint64_t{0} : 0) {
        if (set && rows % 64 != 0) words_.back() = detail::low_bits(rows % 64);
    }

    [[nodiscard]] std::size_t size() const noexcept { return rows_; }
    [[nodiscard]] std::span<const std::uint64_t> words() const noexcept { return words_; }
    [[nodiscard]] std::span<std::uint64_t> words() noexcept { return words_; }
    [[nodiscard]] bool operator[](std::size_t row) const noexcept {
        return (words_[row / 64] >> (row % 64) & 1) != 0;
    }
    [[nodiscard]] std::size_t count() const noexcept {
        std::size_t sum = 0;
        for (const std::uint64_t word : words_)
            sum += static_cast<std::size_t>(std::popcount(word));
        return sum;
    }
    void reserve(std::size_t rows) { words_.reserve(detail::words_of(rows)); }

    /// Appends the first `rows` bits of `block`, whose bits beyond them must be 0.
    void append(std::span<const std::uint64_t> block, std::size_t rows) {
        const std::size_t shift = rows_ % 64;
        const std::size_t at = rows_ / 64;
        rows_ += rows;
        if (shift == 0) {
            const auto added = block.first(detail::words_of(rows));
            words_.insert(words_.end(), added.begin(), added.end());
            return;
        }
        words_.resize(detail::words_of(rows_));
        for (std::size_t i = 0; i < detail::words_of(rows); ++i) {
            words_[at + i] |= block[i] << shift;
            const std::uint64_t carried = block[i] >> (64 - shift);
            if (carried != 0) words_[at + i + 1] |= carried;
        }
    }

    /// Keeps the rows that are set in `other` too, which has the same size.
    void intersect(const row_bits& other) noexcept {
        for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
    }

    /// Adds the rows that are set in `other`, which has the same size.
    void merge(const row_bits& other) noexcept {
        for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
    }

    /// Writes one byte per row, 0 or 1. `bytes` has size() of them.
    void write_bytes(std::span<std::uint8_t> bytes) const noexcept {
        const std::size_t whole = rows_ / 8;
        for (std::size_t i = 0; i < whole; ++i) {
            const auto eight = static_cast<std::uint8_t>(words_[i / 8] >> (i % 8 * 8));
            const std::uint64_t spread = detail::spread_bits(eight);
            std::memcpy(bytes.data() + i * 8, &spread, 8);
        }
        for (std::size_t row = whole * 8; row < rows_; ++row) bytes[row] = (*this)[row] ? 1 : 0;
    }

    friend bool operator==(const row_bits&, const row_bits&) = default;

private:
    std::size_t rows_ = 0;
    std::vector<std::uint64_t> words_;
};

}  // namespace sluice::arrow

#endif
