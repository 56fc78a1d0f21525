// SPDX-License-Identifier: MIT
#ifndef SLUICE_ARROW_INTEGER_MASK_HPP
#define SLUICE_ARROW_INTEGER_MASK_HPP

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/arrow/detail/value_mask.hpp>
#include <sluice/query/bounds.hpp>

namespace sluice::arrow {

/// A test of integers: they lie within bounds, or they are any of a list, or none of it. A row
/// without a number meets only exclusions.
struct integer_test {
    std::variant<bounds<std::int64_t>, std::vector<std::int64_t>> numbers;  ///< a list is ascending
    bool excludes = false;

    explicit integer_test(const bounds<std::int64_t>& within) : numbers(within) {}
    integer_test(std::vector<std::int64_t> listed, bool none_of) : excludes(none_of) {
        std::ranges::sort(listed);
        numbers = std::move(listed);
    }
};

namespace detail {

/// Returns true if a number of any integer type lies within bounds, or is in a list.
template <std::integral T>
[[nodiscard]] bool is_within(const bounds<std::int64_t>& wanted, T number) noexcept {
    if (!std::in_range<std::int64_t>(number)) return !wanted.most;  // above every bound
    return wanted.contains(static_cast<std::int64_t>(number));
}
template <std::integral T>
[[nodiscard]] bool is_within(const std::vector<std::int64_t>& wanted, T number) noexcept {
    return std::in_range<std::int64_t>(number) &&
           std::ranges::binary_search(wanted, static_cast<std::int64_t>(number));
}

/// Appends a bit for each row, set if its number is wanted.
inline import_result<void> append_integers(const data_type& type, const ArrowArray& array,
                                           row_span of_parent, const integer_test& test,
                                           row_bits& matches) {
    return visit_integer(type, [&]<class T>(T) {
        return std::visit(
            [&](const auto& wanted) {
                const auto holds = [&](T number) { return is_within(wanted, number); };
                return append_values<T>(array, of_parent, holds, matches);
            },
            test.numbers);
    });
}

[[nodiscard]] inline import_result<void> check_integers(const data_type& values,
                                                        const data_type& type) {
    if (values.id == type_id::integer && !values.is_coded()) return {};
    return refuse(fault::unsupported,
                  "expected integers or a dictionary of integers, not " + type_name(type));
}

}  // namespace detail

/// Returns the result of a test for a number, or for a row without one.
[[nodiscard]] inline bool passes(const integer_test& test, std::optional<std::int64_t> number) {
    const auto holds = [&](const auto& wanted) {
        return number && detail::is_within(wanted, *number);
    };
    return std::visit(holds, test.numbers) != test.excludes;
}

/// Checks that integer_mask() supports a type; a dictionary's values are checked when it is read.
/// Error: fault::unsupported.
[[nodiscard]] inline import_result<void> check_integer_type(const data_type& type) {
    if (type.id == type_id::null || type.has_plain_codes()) return {};
    return detail::check_integers(type, type);
}

/// Returns the rows of an array that meet a test. The array is of integers of any width, signed or
/// unsigned, of a dictionary of these, or null.
[[nodiscard]] inline import_result<row_bits> integer_mask(const data_type& type,
                                                          const ArrowArray& array, row_span rows,
                                                          const integer_test& test) {
    auto done = check_integer_type(type);
    if (done) done = detail::check_rows(array, rows);
    if (!done) return tl::unexpected(std::move(done.error()));
    if (type.id == type_id::null) return row_bits(rows.count, test.excludes);
    row_bits passes;
    passes.reserve(rows.count);
    const auto append = [&](const data_type& of, const ArrowArray& in, row_span at,
                            row_bits& matches) {
        return detail::append_integers(of, in, at, test, matches);
    };
    done = type.is_coded()
               ? detail::append_coded(type, array, rows,
                                      detail::check_integers(type.dictionary.front(), type), append,
                                      passes)
               : append(type, array, rows, passes);
    if (!done) return tl::unexpected(std::move(done.error()));
    if (test.excludes) detail::flip(passes);
    return passes;
}

}  // namespace sluice::arrow

#endif
