// SPDX-License-Identifier: MIT
#ifndef SLUICE_ARROW_INTEGER_MASK_HPP
#define SLUICE_ARROW_INTEGER_MASK_HPP

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/arrow/filter_mask.hpp>
#include <sluice/bounds.hpp>

namespace sluice::arrow {

/// What a condition asks of whole numbers: that they lie within bounds, or that they are any of a
/// list, or none of it. A row without a number meets nothing but an exclusion.
struct integer_test {
    std::variant<bounds<std::int64_t>, std::vector<std::int64_t>> numbers;  ///< a list ascends
    bool excludes = false;

    explicit integer_test(const bounds<std::int64_t>& within) : numbers(within) {}
    integer_test(std::vector<std::int64_t> listed, bool none_of) : excludes(none_of) {
        std::ranges::sort(listed);
        numbers = std::move(listed);
    }
};

namespace detail {

/// Whether a number of any integer type lies within bounds, or is in a list.
template <std::integral T>
[[nodiscard]] bool is_within(const bounds<std::int64_t>& wanted, T number) noexcept {
    if (!std::in_range<std::int64_t>(number)) return !wanted.most;  // it lies above all of them
    return wanted.contains(static_cast<std::int64_t>(number));
}
template <std::integral T>
[[nodiscard]] bool is_within(const std::vector<std::int64_t>& wanted, T number) noexcept {
    return std::in_range<std::int64_t>(number) &&
           std::ranges::binary_search(wanted, static_cast<std::int64_t>(number));
}

/// Adds a bit for each row: whether it has a number that is wanted.
template <std::integral T, class Wanted>
import_result<void> append_integers(const ArrowArray& array, row_span of_parent,
                                    const Wanted& wanted, row_bits& named) {
    const auto opened = array_view::open(&array, 2);
    if (!opened) return tl::unexpected(opened.error());
    const auto rows = opened->rows(of_parent);
    if (!rows) return tl::unexpected(rows.error());
    const auto numbers = opened->buffer<T>(1, rows->count);
    if (!numbers) return tl::unexpected(numbers.error());
    return for_each_block(*rows, [&](row_span block) -> import_result<void> {
        block_words hits{};
        for (std::size_t i = 0; i < block.count; ++i) {
            const bool is_hit = is_within(wanted, (*numbers)[block.first + i]);
            hits[i / 64] |= std::uint64_t{is_hit ? 1U : 0U} << (i % 64);
        }
        keep_valid(hits, block, opened->valid());
        named.append(words_in(hits, block.count), block.count);
        return {};
    });
}

/// The same for integers of the type's width.
inline import_result<void> append_integers(const data_type& type, const ArrowArray& array,
                                           row_span of_parent, const integer_test& test,
                                           row_bits& named) {
    const auto of_width = [&]<class Signed, class Unsigned>(Signed, Unsigned) {
        return std::visit(
            [&](const auto& wanted) {
                return type.is_signed ? append_integers<Signed>(array, of_parent, wanted, named)
                                      : append_integers<Unsigned>(array, of_parent, wanted, named);
            },
            test.numbers);
    };
    switch (type.width) {
        case 1: return of_width(std::int8_t{}, std::uint8_t{});
        case 2: return of_width(std::int16_t{}, std::uint16_t{});
        case 4: return of_width(std::int32_t{}, std::uint32_t{});
        default: return of_width(std::int64_t{}, std::uint64_t{});
    }
}

[[nodiscard]] inline import_result<void> check_integers(const data_type& values,
                                                        const data_type& type) {
    if (values.id == type_id::integer && !values.is_coded()) return {};
    return refuse(fault::unsupported,
                  "expected integers or a dictionary of integers, not " + type_name(type));
}

/// Asks about each number of the dictionary once, and about rows by their codes.
inline import_result<void> append_coded_integers(const data_type& type, const ArrowArray& array,
                                                 row_span of_parent, const integer_test& test,
                                                 row_bits& named) {
    const data_type& values = type.dictionary.front();
    const auto all = dictionary_rows(array, check_integers(values, type));
    if (!all) return tl::unexpected(all.error());
    row_bits wanted;
    import_result<void> done;
    if (all->count > 0) done = append_integers(values, *array.dictionary, *all, test, wanted);
    return done ? append_by_codes(type, array, of_parent, wanted, named) : unplaced(done);
}

}  // namespace detail

/// Whether integer_mask reads a type: fault::unsupported where it does not; of a dictionary only
/// its values tell.
[[nodiscard]] inline import_result<void> check_integer_type(const data_type& type) {
    if (type.id == type_id::null || type.has_plain_codes()) return {};
    return detail::check_integers(type, type);
}

/// Which rows of an array meet a test. The array is of integers of any width, with a sign or
/// without, of a dictionary of these, or null.
[[nodiscard]] inline import_result<row_bits> integer_mask(const data_type& type,
                                                          const ArrowArray& array, row_span rows,
                                                          const integer_test& test) {
    auto done = check_integer_type(type);
    if (done) done = detail::check_rows(array, rows);
    if (!done) return tl::unexpected(std::move(done.error()));
    if (type.id == type_id::null) return row_bits(rows.count, test.excludes);
    row_bits passes;
    passes.reserve(rows.count);
    done = type.is_coded() ? detail::append_coded_integers(type, array, rows, test, passes)
                           : detail::append_integers(type, array, rows, test, passes);
    if (!done) return tl::unexpected(std::move(done.error()));
    if (test.excludes) detail::flip(passes);
    return passes;
}

}  // namespace sluice::arrow

#endif
