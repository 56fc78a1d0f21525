// SPDX-License-Identifier: MIT
#ifndef SLUICE_ARROW_FILTER_MASK_HPP
#define SLUICE_ARROW_FILTER_MASK_HPP

#include <algorithm>
#include <array>
#include <bit>

#include <sluice/arrow/code_column.hpp>
#include <sluice/arrow/row_filter.hpp>
#include <sluice/arrow/text_column.hpp>

namespace sluice::arrow {

namespace detail {

using block_words = std::array<std::uint64_t, block_rows / 64>;

[[nodiscard]] inline std::span<const std::uint64_t> words_in(const block_words& words,
                                                             std::size_t rows) noexcept {
    return {words.data(), words_of(rows)};
}

/// Clears the bits of rows without a value.
inline void keep_valid(block_words& words, row_span block, const validity& valid) noexcept {
    for (std::size_t at = 0; !valid.all() && at < block.count; at += 64) {
        const std::size_t rows = std::min<std::size_t>(64, block.count - at);
        words[at / 64] &= valid.word(block.first + at, rows);
    }
}

/// Calls `each(block)` for the blocks of some rows, in order, until one fails.
template <class Each>
[[nodiscard]] import_result<void> for_each_block(row_span rows, Each each) {
    for (std::size_t at = 0; at < rows.count; at += block_rows) {
        auto done = each(row_span{rows.first + at, std::min(block_rows, rows.count - at)});
        if (!done) return done;
    }
    return {};
}

/// The rows of a block that a set holds, from its keys and, where those don't
/// tell, its texts.
template <class Column>
import_result<void> match_set(const Column& column, row_span block, const validity& valid,
                              const key_set& set, block_words& hits) {
    block_words maybe{};
    column.match(block, set, {hits.data(), maybe.data()});
    keep_valid(hits, block, valid);
    keep_valid(maybe, block, valid);
    for (std::size_t word = 0; word < words_of(block.count); ++word) {
        for (std::uint64_t left = maybe[word]; left != 0; left &= left - 1) {
            const auto bit = static_cast<std::size_t>(std::countr_zero(left));
            const auto text = column.text(block.first + word * 64 + bit);
            if (!text) return refuse(fault::malformed, "a text view outside of its buffers");
            if (set.contains(*text)) hits[word] |= std::uint64_t{1} << bit;
        }
    }
    return {};
}

/// The rows of a block that `test` holds for, one by one.
template <class Column, class Test>
import_result<void> match_each(const Column& column, row_span block, const validity& valid,
                               const Test& test, block_words& hits) {
    for (std::size_t i = 0; i < block.count; ++i) {
        if (!valid[block.first + i]) continue;
        const auto text = column.text(block.first + i);
        if (!text) return refuse(fault::malformed, "a text view outside of its buffers");
        hits[i / 64] |= std::uint64_t{test(*text) ? 1U : 0U} << (i % 64);
    }
    return {};
}

inline import_result<void> append_text(const data_type& type, const ArrowArray& array,
                                       row_span of_parent, const row_filter& wanted,
                                       row_bits& named) {
    const auto names = [&](std::string_view text) { return wanted.names(text); };
    return visit_text(
        type, array, of_parent,
        [&](const auto& column, row_span rows, validity valid) -> import_result<void> {
            return for_each_block(rows, [&](row_span block) -> import_result<void> {
                block_words hits{};
                if (!column.is_sound(block)) return refuse(fault::malformed, "offsets that fall");
                const key_set* const set = wanted.whole_texts();
                auto done = set != nullptr ? match_set(column, block, valid, *set, hits)
                                           : match_each(column, block, valid, names, hits);
                if (done) named.append(words_in(hits, block.count), block.count);
                return done;
            });
        });
}

inline import_result<void> append_named(const data_type& type, const ArrowArray& array,
                                        row_span of_parent, const row_filter& wanted,
                                        row_bits& named);

/// Asks about each value of the dictionary once, and about rows by their codes.
inline import_result<void> append_codes(const data_type& type, const ArrowArray& array,
                                        row_span of_parent, const row_filter& wanted,
                                        row_bits& named) {
    if (array.dictionary == nullptr || array.dictionary->release == nullptr ||
        array.dictionary->length < 0) {
        return refuse(fault::malformed, "codes without their dictionary");
    }
    row_bits values;
    const row_span all{0, static_cast<std::size_t>(array.dictionary->length)};
    auto done = append_named(type.dictionary.front(), *array.dictionary, all, wanted, values);
    if (!done) return done;
    const auto column = code_column::open(type, array, of_parent, values);
    if (!column) return tl::unexpected(column.error());
    return for_each_block(column->rows(), [&](row_span block) -> import_result<void> {
        block_words hits{};
        if (!column->match(block, hits.data())) {
            return refuse(fault::malformed, "a code outside of its dictionary");
        }
        keep_valid(hits, block, column->valid());
        named.append(words_in(hits, block.count), block.count);
        return {};
    });
}

/// Whether any of some rows is set.
[[nodiscard]] inline bool any_in(const row_bits& bits, std::size_t first,
                                 std::size_t end) noexcept {
    while (first < end) {
        const std::size_t rows = std::min(end - first, 64 - first % 64);
        if ((bits.words()[first / 64] >> (first % 64) & low_bits(rows)) != 0) return true;
        first += rows;
    }
    return false;
}

/// A list is named where any of its items is.
template <class Offset>
import_result<void> append_lists(const data_type& type, const ArrowArray& array, row_span of_parent,
                                 const row_filter& wanted, row_bits& named) {
    const auto opened = array_view::open(&array, 2);
    if (!opened) return tl::unexpected(opened.error());
    const auto rows = opened->rows(of_parent);
    if (!rows) return tl::unexpected(rows.error());
    const auto offsets = opened->buffer<Offset>(1, rows->count);
    if (!offsets) return tl::unexpected(offsets.error());
    if (array.n_children != 1 || array.children == nullptr || array.children[0] == nullptr) {
        return refuse(fault::malformed, "lists without their items");
    }
    if (rows->count == 0) return {};
    const Offset begin = (*offsets)[rows->first], end = (*offsets)[rows->end()];
    if (!are_offsets<Offset>(*offsets, rows->first, rows->count, 0, end)) {
        return refuse(fault::malformed, "offsets that fall");
    }
    row_bits items;
    const row_span used{static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)};
    auto done = append_named(type.children.front(), *array.children[0], used, wanted, items);
    if (!done) return done;
    const auto item = [&](std::size_t row) {
        return static_cast<std::size_t>((*offsets)[row] - begin);
    };
    return for_each_block(*rows, [&](row_span block) -> import_result<void> {
        block_words hits{};
        for (std::size_t i = 0; i < block.count; ++i) {
            const std::size_t row = block.first + i;
            hits[i / 64] |= std::uint64_t{any_in(items, item(row), item(row + 1)) ? 1U : 0U}
                            << (i % 64);
        }
        keep_valid(hits, block, opened->valid());
        named.append(words_in(hits, block.count), block.count);
        return {};
    });
}

/// Adds a bit for each row: whether it has a value that the filter names.
/// `of_parent` are rows of the array, counted from its first.
inline import_result<void> append_named(const data_type& type, const ArrowArray& array,
                                        row_span of_parent, const row_filter& wanted,
                                        row_bits& named) {
    if (type.is_coded()) {
        if (type.id == type_id::integer && !type.dictionary.front().is_coded()) {
            return append_codes(type, array, of_parent, wanted, named);
        }
    } else if (type.is_text()) {
        return append_text(type, array, of_parent, wanted, named);
    } else if (type.id == type_id::list32) {
        return append_lists<std::int32_t>(type, array, of_parent, wanted, named);
    } else if (type.id == type_id::list64) {
        return append_lists<std::int64_t>(type, array, of_parent, wanted, named);
    } else if (type.id == type_id::null) {
        if (auto checked = check_rows(array, of_parent); !checked) return checked;
        const row_bits none(of_parent.count, false);
        named.append(none.words(), of_parent.count);
        return {};
    }
    return refuse(
        fault::unsupported,
        "expected text, a dictionary of text or lists of text, not Arrow's '" + type.format + "'");
}

/// Sets the rows that are not set, and the other way round.
inline void flip(row_bits& bits) noexcept {
    const std::size_t rows = bits.size();
    for (std::uint64_t& word : bits.words()) word = ~word;
    if (rows % 64 != 0) bits.words().back() &= low_bits(rows % 64);
}

}  // namespace detail

/// Which rows of an array pass a filter. The array is of text (UTF-8 or bytes
/// behind 32- or 64-bit offsets, or views), a dictionary of text (each value is
/// looked at once, whatever the rows), lists of either (a list is named where
/// it shares a value) or null. A row without a value passes where the filter
/// excludes or is empty.
///
/// ```
/// const auto type = read_type(schema);
/// const auto passes = filter_mask(*type, array, row_filter(wanted, collation::exact));
/// passes->count();
/// ```
/// fault::unsupported for other types, fault::malformed for what breaks the
/// interface's rules: offsets that fall, views and codes that point nowhere,
/// missing buffers. Views of long texts are followed only where their first
/// bytes don't rule them out.
[[nodiscard]] inline import_result<row_bits> filter_mask(const data_type& type,
                                                         const ArrowArray& array, row_span rows,
                                                         const row_filter& wanted) {
    auto done = detail::check_rows(array, rows);
    if (!done) return tl::unexpected(std::move(done.error()));
    row_bits passes;
    passes.reserve(rows.count);
    done = detail::append_named(type, array, rows, wanted, passes);
    if (!done) return tl::unexpected(std::move(done.error()));
    if (wanted.empty()) return row_bits(passes.size(), true);
    if (wanted.excludes()) detail::flip(passes);
    return passes;
}

/// The same for all rows of an array.
[[nodiscard]] inline import_result<row_bits> filter_mask(const data_type& type,
                                                         const ArrowArray& array,
                                                         const row_filter& wanted) {
    const auto opened = array_view::open(&array, 0, true);
    if (!opened) return tl::unexpected(opened.error());
    return filter_mask(type, array, {0, opened->rows().count}, wanted);
}

}  // namespace sluice::arrow

#endif
