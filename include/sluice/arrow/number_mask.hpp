// SPDX-License-Identifier: MIT
#ifndef SLUICE_ARROW_NUMBER_MASK_HPP
#define SLUICE_ARROW_NUMBER_MASK_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/arrow/detail/number_range.hpp>
#include <sluice/arrow/filter_mask.hpp>
#include <sluice/base/decimal.hpp>
#include <sluice/query/bounds.hpp>

/// Masks of columns of numbers: integers and decimals.
namespace sluice::arrow {

namespace detail {

/// Appends a bit for each row that has a value of those that `match(values, rows, bits)` sets. The
/// column consists of `Value`s.
template <class Value, class Match>
import_result<void> append_blocks(const ArrowArray& array, row_span of_parent, const Match& match,
                                  row_bits& matches) {
    const auto opened = array_view::open(&array, 2);
    if (!opened) return tl::unexpected(opened.error());
    const auto rows = opened->rows(of_parent);
    if (!rows) return tl::unexpected(rows.error());
    const auto values = opened->buffer<Value>(1, rows->count);
    if (!values) return tl::unexpected(values.error());
    return for_each_block(*rows, [&](row_span block) -> import_result<void> {
        block_words hits{};
        match(*values + block.first, block.count, hits.data());
        keep_valid(hits, block, opened->valid());
        matches.append(words_in(hits, block.count), block.count);
        return {};
    });
}
/// Appends a bit for each row, set if it has a value for which holds(value) is true.
template <class Value, class Holds>
import_result<void> append_values(const ArrowArray& array, row_span of_parent, const Holds& holds,
                                  row_bits& matches) {
    const auto match = [&](const Value* values, std::size_t rows, std::uint64_t* bits) {
        sluice::detail::simd::match_rows(values, rows, bits, [&](const Value& value) {
            return std::uint64_t{holds(value) ? 1U : 0U};
        });
    };
    return append_blocks<Value>(array, of_parent, match, matches);
}
/// Appends a bit for each row, set if its integer lies in a range.
template <std::integral Value>
import_result<void> append_range(const ArrowArray& array, row_span of_parent,
                                 const number_range& range, row_bits& matches) {
    return append_blocks<Value>(array, of_parent, range_matcher<Value>(range), matches);
}

/// Appends a bit for each row of a column of codes. `append(type, array, rows, bits)` appends a bit
/// for each value of the dictionary; `checked` is the result of checking their type, ignored if
/// there are no values.
template <class Append>
import_result<void> append_coded(const data_type& type, const ArrowArray& array, row_span of_parent,
                                 import_result<void> checked, const Append& append,
                                 row_bits& matches) {
    const auto all = dictionary_rows(array, std::move(checked));
    if (!all) return tl::unexpected(all.error());
    row_bits values;
    import_result<void> done;
    if (all->count > 0) done = append(type.dictionary.front(), *array.dictionary, *all, values);
    return done ? append_by_codes(type, array, of_parent, values, matches) : unplaced(done);
}

/// Checks a column's type by `check(values, type)`, the check of its values' type. A dictionary's
/// values are checked when it is read.
template <class Check>
import_result<void> check_column(const data_type& type, const Check& check) {
    if (type.id == type_id::null || type.has_plain_codes()) return {};
    return check(type, type);
}

/// Returns the bits of a column, or of nulls, that `append(type, array, rows, bits)` appends for
/// its values, or for those of its dictionary, of types that `check(values, type)` accepts.
template <class Check, class Append>
import_result<row_bits> values_mask(const data_type& type, const ArrowArray& array, row_span rows,
                                    const Check& check, const Append& append) {
    import_result<void> done = check_column(type, check);
    if (done) done = check_rows(array, rows);
    if (!done) return tl::unexpected(std::move(done.error()));
    if (type.id == type_id::null) return row_bits(rows.count, false);
    row_bits passes;
    passes.reserve(rows.count);
    done = type.is_coded() ? append_coded(type, array, rows, check(type.dictionary.front(), type),
                                          append, passes)
                           : append(type, array, rows, passes);
    if (!done) return tl::unexpected(std::move(done.error()));
    return passes;
}

/// Appends a bit for each row of floats, set if its whole number meets `holds`. NaN counts as
/// missing. Error: fault::malformed, at the first number that isn't whole or may be rounded.
template <class Holds>
import_result<void> append_whole_reals(const data_type& type, const ArrowArray& array,
                                       row_span of_parent, const Holds& holds, row_bits& matches) {
    constexpr double rounded = 0x1p53;
    const auto append = [&]<class Real>(Real) -> import_result<void> {
        const auto is_inexact = [](Real value) {
            const auto number = static_cast<double>(value);
            return number == number &&
                   !(std::fabs(number) < rounded && std::trunc(number) == number);
        };
        row_bits inexact;
        auto done = append_values<Real>(array, of_parent, is_inexact, inexact);
        if (!done) return done;
        for (std::size_t i = 0; i < inexact.size(); ++i) {
            if (inexact[i]) return refuse(fault::malformed, "expected a whole number", i);
        }
        const auto holds_whole = [&](Real value) {
            return value == value && std::fabs(static_cast<double>(value)) < rounded &&
                   holds(static_cast<std::int64_t>(value));
        };
        return append_values<Real>(array, of_parent, holds_whole, matches);
    };
    return type.width == 4 ? append(float{}) : append(double{});
}

/// Returns true for floats of 4 or 8 bytes without codes.
[[nodiscard]] inline bool is_plain_real(const data_type& values) {
    return values.id == type_id::real && values.width >= 4 && !values.is_coded();
}

/// Calls `use` with a 0 of the C++ type of an integer column.
template <class Use>
import_result<void> visit_integer(const data_type& type, const Use& use) {
    const auto of_width = [&]<class Signed, class Unsigned>(Signed, Unsigned) {
        return type.is_signed ? use(Signed{}) : use(Unsigned{});
    };
    switch (type.width) {
        case 1: return of_width(std::int8_t{}, std::uint8_t{});
        case 2: return of_width(std::int16_t{}, std::uint16_t{});
        case 4: return of_width(std::int32_t{}, std::uint32_t{});
        default: return of_width(std::int64_t{}, std::uint64_t{});
    }
}

}  // namespace detail

/// A test of integers: within bounds, any of a list, or none of a list. A row without a number
/// meets only the last.
struct integer_test {
    std::variant<bounds<std::int64_t>, std::vector<std::int64_t>> numbers;  ///< a list is ascending
    bool excludes = false;  ///< inverts the test: none of the list

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

/// Appends a bit for each row, set if its number lies within test.numbers; `excludes` is ignored.
inline import_result<void> append_integers(const data_type& type, const ArrowArray& array,
                                           row_span of_parent, const integer_test& test,
                                           row_bits& matches) {
    return std::visit(
        [&](const auto& wanted) {
            const auto holds = [&](auto number) { return is_within(wanted, number); };
            if (type.id == type_id::real) {
                return append_whole_reals(type, array, of_parent, holds, matches);
            }
            return visit_integer(type, [&]<class T>(T) {
                if constexpr (std::is_same_v<decltype(wanted), const bounds<std::int64_t>&>) {
                    return append_range<T>(array, of_parent, number_range(wanted), matches);
                } else {
                    return append_values<T>(array, of_parent, holds, matches);
                }
            });
        },
        test.numbers);
}

/// Checks that `values` are integers: the type of a column, or of its dictionary's values. `type`
/// is the column's, named in the error. Error: fault::unsupported.
[[nodiscard]] inline import_result<void> check_integers(const data_type& values,
                                                        const data_type& type) {
    if (values.id == type_id::integer && !values.is_coded()) return {};
    if (is_plain_real(values)) return {};
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
    return detail::check_column(type, detail::check_integers);
}

/// Returns the rows of an array that meet a test. The array is of integers of any width, signed or
/// unsigned, of whole floats, of a dictionary of these, or null. Errors: fault::unsupported,
/// fault::malformed.
[[nodiscard]] inline import_result<row_bits> integer_mask(const data_type& type,
                                                          const ArrowArray& array, row_span rows,
                                                          const integer_test& test) {
    const auto append = [&](const data_type& value_type, const ArrowArray& values,
                            row_span value_rows, row_bits& matches) {
        return detail::append_integers(value_type, values, value_rows, test, matches);
    };
    auto passes = detail::values_mask(type, array, rows, detail::check_integers, append);
    if (passes && test.excludes) detail::flip(*passes);
    return passes;
}

namespace detail {

/// A number in whole units of 10^-scale, rounded down and up: 1.005 at scale 2 is 100 and 101. One
/// with more than 76 digits becomes 10^76 (or its negative), which lies beyond every column's.
struct decimal_units {
    wide_integer floor, ceiling;

    constexpr decimal_units(const sluice::detail::decimal& number, std::int64_t scale) noexcept {
        // Exponents may be huge; one clamped to 1,000 still lies beyond all scales.
        constexpr std::int64_t most_digits = 76, far = 1'000;
        const bool is_zero = number.digit_count() == 0;
        const std::int64_t point =
            std::clamp(sluice::detail::count_whole_digits(number), -far, far);
        const std::int64_t digits = is_zero ? 0 : point + scale;
        const bool is_beyond = digits > most_digits;
        if (is_beyond) floor = wide_integer(1);
        for (std::int64_t at = 0; at < std::min(digits, most_digits); ++at) {
            floor.push_digit(is_beyond ? 0 : number.digit(static_cast<std::size_t>(at)));
        }
        const bool has_rest =
            !is_zero && !is_beyond && digits < static_cast<std::int64_t>(number.digit_count());
        ceiling = floor;
        if (has_rest) ceiling.add_one();
        if (!number.negative) return;
        std::swap(floor, ceiling);
        floor.negate();
        ceiling.negate();
    }
};

/// Returns bounds of decimals as a range of whole units of a column's scale, 10^-scale, in which
/// the same decimals lie:
///
/// ```
/// total > 1.005, two digits     from 101 units      one more than the bound, rounded down
/// total >= 1.005                from 101 units      rounded up
/// ```
[[nodiscard]] inline number_range units_within(const bounds<decimal_number>& wanted,
                                               std::int64_t scale) {
    number_range range;
    if (wanted.least) {
        const decimal_units least(*sluice::detail::parse_decimal(wanted.least->text()), scale);
        range.first = wanted.excludes_least ? least.floor : least.ceiling;
        if (wanted.excludes_least) range.first.add_one();
    }
    if (wanted.most) {
        const decimal_units most(*sluice::detail::parse_decimal(wanted.most->text()), scale);
        range.last = wanted.excludes_most ? most.ceiling : most.floor;
        if (wanted.excludes_most) range.last.subtract_one();
    }
    return range;
}

/// Appends a bit for each row of decimals or integers, set if it lies within bounds.
inline import_result<void> append_units(const data_type& type, const ArrowArray& array,
                                        row_span rows, const bounds<decimal_number>& wanted,
                                        row_bits& matches) {
    const number_range range = units_within(wanted, type.scale);
    const auto holds = [&](const auto& value) { return range.contains(value); };
    const auto append = [&]<class T>(T) { return append_range<T>(array, rows, range, matches); };
    if (type.id == type_id::integer) return visit_integer(type, append);
    if (type.id == type_id::real) return append_whole_reals(type, array, rows, holds, matches);
    switch (type.width) {
        case 4: return append(std::int32_t{});
        case 8: return append(std::int64_t{});
        case 16: return append_blocks<limbs_128>(array, rows, limbs_matcher(range), matches);
        default: return append_values<std::array<std::uint64_t, 4>>(array, rows, holds, matches);
    }
}

/// Appends a bit for each row of text, set if it is a JSON number within bounds.
inline import_result<void> append_number_texts(const data_type& type, const ArrowArray& array,
                                               row_span of_parent,
                                               const bounds<decimal_number>& wanted,
                                               row_bits& matches) {
    const auto holds = [&](std::string_view text) {
        const auto number = parse_decimal_number(text);
        return number && wanted.contains(*number);
    };
    const auto match = [&](const auto& column, row_span block, const validity& valid,
                           block_words& hits) {
        return match_texts(column, block, valid, holds, hits);
    };
    return append_text_blocks(type, array, of_parent, match, matches);
}

/// Checks that `values` can be compared with decimals: the type of a column, or of its dictionary's
/// values. `type` is the column's, named in the error. Error: fault::unsupported.
inline import_result<void> check_decimals(const data_type& values, const data_type& type) {
    const bool is_number = values.id == type_id::decimal || values.id == type_id::integer;
    if (!values.is_coded() && (is_number || values.is_text())) return {};
    if (is_plain_real(values)) return {};
    return refuse(fault::unsupported,
                  "expected decimals, integers, text of numbers or a dictionary of any, not " +
                      type_name(type));
}

}  // namespace detail

/// Checks that decimal_mask() supports a type; a dictionary's values are checked when it is read.
/// Error: fault::unsupported.
[[nodiscard]] inline import_result<void> check_decimal_type(const data_type& type) {
    return detail::check_column(type, detail::check_decimals);
}

/// Returns the rows of an array that lie within bounds, exactly. The array is of decimals or
/// integers of any width, of whole floats, of text, of a dictionary of these, or null. Text that is
/// no JSON number counts as missing. Errors: fault::unsupported, fault::malformed.
[[nodiscard]] inline import_result<row_bits> decimal_mask(const data_type& type,
                                                          const ArrowArray& array, row_span rows,
                                                          const bounds<decimal_number>& wanted) {
    const auto append = [&](const data_type& value_type, const ArrowArray& values,
                            row_span value_rows, row_bits& matches) {
        return value_type.is_text()
                   ? detail::append_number_texts(value_type, values, value_rows, wanted, matches)
                   : detail::append_units(value_type, values, value_rows, wanted, matches);
    };
    return detail::values_mask(type, array, rows, detail::check_decimals, append);
}

}  // namespace sluice::arrow

#endif
