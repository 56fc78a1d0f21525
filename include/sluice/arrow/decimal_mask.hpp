// SPDX-License-Identifier: MIT
#ifndef SLUICE_ARROW_DECIMAL_MASK_HPP
#define SLUICE_ARROW_DECIMAL_MASK_HPP

#include <sluice/arrow/detail/value_mask.hpp>
#include <sluice/arrow/detail/wide_integer.hpp>
#include <sluice/query/bounds.hpp>

namespace sluice::arrow {

namespace detail {

/// Bounds of decimals in the whole units of a column's scale, which compare exactly:
///
/// ```
/// total > 1.005, two digits     more than 100 units      the bound rounded down
/// total >= 1.005                at least 101 units       rounded up
/// ```
struct unit_bounds {
    bounds<wide_integer> units{};

    unit_bounds(const bounds<decimal_number>& wanted, std::int64_t scale)
        : units{.excludes_least = wanted.excludes_least, .excludes_most = wanted.excludes_most} {
        if (wanted.least) {
            const decimal_units least(*sluice::detail::parse_decimal(wanted.least->text()), scale);
            units.least = wanted.excludes_least ? least.floor : least.ceiling;
        }
        if (wanted.most) {
            const decimal_units most(*sluice::detail::parse_decimal(wanted.most->text()), scale);
            units.most = wanted.excludes_most ? most.ceiling : most.floor;
        }
    }
    template <class Value>
    [[nodiscard]] bool contains(const Value& value) const noexcept {
        return units.contains(wide_integer(value));
    }
};

inline import_result<void> append_units(const data_type& type, const ArrowArray& array,
                                        row_span rows, const bounds<decimal_number>& wanted,
                                        row_bits& matches) {
    const unit_bounds within(wanted, type.scale);
    const auto holds = [&](const auto& value) { return within.contains(value); };
    const auto append = [&]<class T>(T) { return append_values<T>(array, rows, holds, matches); };
    if (type.id == type_id::integer) return visit_integer(type, append);
    switch (type.width) {
        case 4: return append(std::int32_t{});
        case 8: return append(std::int64_t{});
        case 16: return append(std::array<std::uint64_t, 2>{});
        default: return append(std::array<std::uint64_t, 4>{});
    }
}

/// Appends the bits of texts that are JSON numbers; any other text counts as missing.
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
        return match_each(column, block, valid, holds, hits);
    };
    return append_text_blocks(type, array, of_parent, match, matches);
}

inline import_result<void> check_decimals(const data_type& values, const data_type& type) {
    const bool is_number = values.id == type_id::decimal || values.id == type_id::integer;
    if (!values.is_coded() && (is_number || values.is_text())) return {};
    return refuse(fault::unsupported,
                  "expected decimals, integers, text of numbers or a dictionary of any, not " +
                      type_name(type));
}

}  // namespace detail

/// Checks that decimal_mask() supports a type; a dictionary's values are checked when it is read.
/// Error: fault::unsupported, also for floats, which hold few decimals exactly.
[[nodiscard]] inline import_result<void> check_decimal_type(const data_type& type) {
    if (type.id == type_id::null || type.has_plain_codes()) return {};
    return detail::check_decimals(type, type);
}

/// Returns the rows of an array that lie within bounds, exactly. The array is of decimals or
/// integers of any width, of texts that are JSON numbers, of a dictionary of any of these, or null.
[[nodiscard]] inline import_result<row_bits> decimal_mask(const data_type& type,
                                                          const ArrowArray& array, row_span rows,
                                                          const bounds<decimal_number>& wanted) {
    auto done = check_decimal_type(type);
    if (done) done = detail::check_rows(array, rows);
    if (!done) return tl::unexpected(std::move(done.error()));
    if (type.id == type_id::null) return row_bits(rows.count, false);
    row_bits passes;
    passes.reserve(rows.count);
    const auto append = [&](const data_type& of, const ArrowArray& in, row_span at,
                            row_bits& matches) {
        return of.is_text() ? detail::append_number_texts(of, in, at, wanted, matches)
                            : detail::append_units(of, in, at, wanted, matches);
    };
    done = type.is_coded()
               ? detail::append_coded(type, array, rows,
                                      detail::check_decimals(type.dictionary.front(), type), append,
                                      passes)
               : append(type, array, rows, passes);
    if (!done) return tl::unexpected(std::move(done.error()));
    return passes;
}

}  // namespace sluice::arrow

#endif
