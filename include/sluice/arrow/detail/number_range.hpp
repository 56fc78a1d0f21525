// SPDX-License-Identifier: MIT
#ifndef SLUICE_ARROW_DETAIL_NUMBER_RANGE_HPP
#define SLUICE_ARROW_DETAIL_NUMBER_RANGE_HPP

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <sluice/arrow/detail/wide_integer.hpp>
#include <sluice/base/simd/kernels.hpp>
#include <sluice/query/bounds.hpp>

/// Ranges of whole numbers, and the rows of a column that lie in one.
namespace sluice::arrow::detail {

/// The numbers from `first` to `last`, both included; none if `first` is the larger. Without bounds
/// all that a wide_integer holds.
struct number_range {
    wide_integer first = wide_integer::least(), last = wide_integer::most();

    number_range() = default;
    /// The whole numbers within bounds.
    explicit number_range(const bounds<std::int64_t>& within) {
        if (within.least) first = wide_integer(*within.least);
        if (within.least && within.excludes_least) first.add_one();
        if (within.most) last = wide_integer(*within.most);
        if (within.most && within.excludes_most) last.subtract_one();
    }

    /// Returns true if a number, of any integer type or limbs of Arrow, lies in the range.
    template <class Value>
    [[nodiscard]] bool contains(const Value& value) const noexcept {
        const wide_integer number(value);
        return first <= number && number <= last;
    }
};

/// The numbers of a column's type in a range, as `least` and how many follow: a number is in it if
/// `number - least`, modulo the type's width, is at most `span`. That is one comparison.
template <class Number>
struct number_span {
    Number least{}, span{};
    bool is_empty = true;
};

/// Decimals of 128 bits, as Arrow lays them out: the lowest limb first.
using limbs_128 = std::array<std::uint64_t, 2>;

/// Returns `a - b` modulo 2^128.
[[nodiscard]] constexpr limbs_128 difference(const limbs_128& a, const limbs_128& b) noexcept {
    return {a[0] - b[0], a[1] - b[1] - (a[0] < b[0] ? 1U : 0U)};
}

/// Returns the part of a range that the values between two numbers can have. `Number` is unsigned,
/// or limbs.
template <class Number>
[[nodiscard]] number_span<Number> span_within(const number_range& range, const wide_integer& lowest,
                                              const wide_integer& highest) noexcept {
    const wide_integer first = std::max(range.first, lowest), last = std::min(range.last, highest);
    if (last < first) return {};
    if constexpr (std::is_same_v<Number, limbs_128>) {
        const limbs_128 least = first.low_limbs<2>();
        return {least, difference(last.low_limbs<2>(), least), false};
    } else {
        const auto least = static_cast<Number>(first.low_limbs<1>()[0]);
        const auto most = static_cast<Number>(last.low_limbs<1>()[0]);
        return {least, static_cast<Number>(most - least), false};
    }
}

/// Matches blocks of rows whose numbers lie in a range, by the kernels of the active SIMD level.
template <std::integral Value>
class range_matcher {
public:
    explicit range_matcher(const number_range& range) noexcept
        : wanted_(span_within<number>(range, wide_integer(std::numeric_limits<Value>::min()),
                                      wide_integer(std::numeric_limits<Value>::max()))) {
        if constexpr (sizeof(Value) == 1) {
            for (unsigned i = 0; !wanted_.is_empty && i <= wanted_.span; ++i) {
                bytes_.insert(static_cast<std::uint8_t>(wanted_.least + i));
            }
        }
    }

    /// Overwrites the bits of some rows; see simd::kernels.
    void operator()(const Value* values, std::size_t rows, std::uint64_t* bits) const noexcept {
        const auto* const numbers = reinterpret_cast<const number*>(values);
        const auto [least, span, is_empty] = wanted_;
        if (is_empty) {
            sluice::detail::simd::fill_rows(bits, rows, false);
        } else if constexpr (sizeof(Value) == 1) {
            kernels_.match_u8(numbers, rows, bytes_, bits);
        } else if constexpr (sizeof(Value) == 2) {
            kernels_.match_range_u16(numbers, rows, least, span, bits);
        } else if constexpr (sizeof(Value) == 4) {
            kernels_.match_range_u32(numbers, rows, least, span, bits);
        } else {
            kernels_.match_range_u64(numbers, rows, least, span, bits);
        }
    }

private:
    using number = std::make_unsigned_t<Value>;

    number_span<number> wanted_;
    sluice::detail::simd::byte_set bytes_{};  // of numbers of one byte
    const sluice::detail::simd::kernels& kernels_ = sluice::detail::simd::active_kernels();
};

/// Like range_matcher, for decimals of 128 bits.
class limbs_matcher {
public:
    explicit limbs_matcher(const number_range& range) noexcept
        : wanted_(span_within<limbs_128>(
              range, wide_integer(limbs_128{0, std::uint64_t{1} << 63}),
              wide_integer(limbs_128{~std::uint64_t{0}, ~std::uint64_t{0} >> 1}))) {}

    void operator()(const limbs_128* values, std::size_t rows, std::uint64_t* bits) const noexcept {
        const limbs_128 least = wanted_.least, span = wanted_.span;
        const std::uint64_t holds = wanted_.is_empty ? 0 : 1;
        sluice::detail::simd::match_rows(values, rows, bits, [=](const limbs_128& value) {
            const limbs_128 offset = difference(value, least);
            // Without branches, which random numbers would mispredict.
            const std::uint64_t is_less = offset[1] < span[1] ? 1 : 0;
            const std::uint64_t is_same = offset[1] == span[1] ? 1 : 0;
            const std::uint64_t is_low = offset[0] <= span[0] ? 1 : 0;
            return holds & (is_less | (is_same & is_low));
        });
    }

private:
    number_span<limbs_128> wanted_;
};

}  // namespace sluice::arrow::detail

#endif
