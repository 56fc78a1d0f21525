// SPDX-License-Identifier: MIT
#ifndef SLUICE_ARROW_BOOLEAN_MASK_HPP
#define SLUICE_ARROW_BOOLEAN_MASK_HPP

#include <sluice/arrow/filter_mask.hpp>

namespace sluice::arrow {

namespace detail {

inline import_result<void> append_booleans(const ArrowArray& array, row_span of_parent, bool wanted,
                                           row_bits& matches) {
    const auto opened = array_view::open(&array, 2);
    if (!opened) return tl::unexpected(opened.error());
    const auto rows = opened->rows(of_parent);
    if (!rows) return tl::unexpected(rows.error());
    const auto bits = opened->buffer<std::uint8_t>(1, rows->count);
    if (!bits) return tl::unexpected(bits.error());
    for (std::size_t at = 0; at < rows->count; at += 64) {
        const std::size_t first = rows->first + at,
                          count = std::min<std::size_t>(64, rows->count - at);
        const std::uint64_t word = load_bits(*bits, first, count);
        const std::uint64_t hits = (wanted ? word : ~word) & opened->valid().word(first, count);
        matches.append({&hits, 1}, count);
    }
    return {};
}

}  // namespace detail

/// Checks that boolean_mask() supports a type. Error: fault::unsupported.
[[nodiscard]] inline import_result<void> check_boolean_type(const data_type& type) {
    const bool is_boolean = type.id == type_id::boolean && !type.is_coded();
    if (is_boolean || type.id == type_id::null) return {};
    return refuse(fault::unsupported, "expected booleans, not " + type_name(type));
}

/// Returns the rows of an array of booleans, or of nulls, that are `wanted`; a row without a value
/// is neither true nor false.
[[nodiscard]] inline import_result<row_bits> boolean_mask(const data_type& type,
                                                          const ArrowArray& array, row_span rows,
                                                          bool wanted) {
    auto done = check_boolean_type(type);
    if (done) done = detail::check_rows(array, rows);
    if (!done) return tl::unexpected(std::move(done.error()));
    if (type.id == type_id::null) return row_bits(rows.count, false);
    row_bits passes;
    passes.reserve(rows.count);
    done = detail::append_booleans(array, rows, wanted, passes);
    if (!done) return tl::unexpected(std::move(done.error()));
    return passes;
}

}  // namespace sluice::arrow

#endif
