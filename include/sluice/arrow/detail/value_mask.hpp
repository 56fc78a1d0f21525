// SPDX-License-Identifier: MIT
#ifndef SLUICE_ARROW_DETAIL_VALUE_MASK_HPP
#define SLUICE_ARROW_DETAIL_VALUE_MASK_HPP

#include <sluice/arrow/filter_mask.hpp>

namespace sluice::arrow::detail {

/// Appends a bit for each row, set if it has a value of a fixed width that `holds`.
template <class Value, class Holds>
import_result<void> append_values(const ArrowArray& array, row_span of_parent, const Holds& holds,
                                  row_bits& matches) {
    const auto opened = array_view::open(&array, 2);
    if (!opened) return tl::unexpected(opened.error());
    const auto rows = opened->rows(of_parent);
    if (!rows) return tl::unexpected(rows.error());
    const auto values = opened->buffer<Value>(1, rows->count);
    if (!values) return tl::unexpected(values.error());
    return for_each_block(*rows, [&](row_span block) -> import_result<void> {
        block_words hits{};
        for (std::size_t i = 0; i < block.count; ++i) {
            const bool is_hit = holds((*values)[block.first + i]);
            hits[i / 64] |= std::uint64_t{is_hit ? 1U : 0U} << (i % 64);
        }
        keep_valid(hits, block, opened->valid());
        matches.append(words_in(hits, block.count), block.count);
        return {};
    });
}

/// Appends a bit for each row of a dictionary's codes. `append(type, array, rows, bits)` appends
/// those of its values, once each; `checked`, the check of their type, counts if there are any.
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

/// Calls `use` with a value of an integer column's type.
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

}  // namespace sluice::arrow::detail

#endif
