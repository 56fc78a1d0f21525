// SPDX-License-Identifier: MIT
#ifndef SLUICE_ARROW_FILTER_MASK_HPP
#define SLUICE_ARROW_FILTER_MASK_HPP

#include <algorithm>
#include <array>
#include <bit>

#include <sluice/arrow/code_column.hpp>
#include <sluice/arrow/row_filter.hpp>
#include <sluice/arrow/text_column.hpp>
#include <sluice/arrow/type_name.hpp>

/// Masks of columns of text: the rows that pass a filter. Includes what all masks share: blocks of
/// rows, dictionaries and lists.
namespace sluice::arrow {

namespace detail {

/// A bit for each row of a block.
using block_words = std::array<std::uint64_t, block_rows / 64>;

/// Returns the words that hold the bits of the first `rows`.
template <std::size_t Words>
[[nodiscard]] std::span<const std::uint64_t> words_in(const std::array<std::uint64_t, Words>& words,
                                                      std::size_t rows) noexcept {
    return {words.data(), words_of(rows)};
}

/// Clears the bits of rows without a value in a block of a mask.
inline void keep_valid(std::span<std::uint64_t> words, row_span block,
                       const validity& valid) noexcept {
    for (std::size_t at = 0; !valid.all() && at < block.count; at += 64) {
        const std::size_t rows = std::min<std::size_t>(64, block.count - at);
        words[at / 64] &= valid.word(block.first + at, rows);
    }
}

inline constexpr const char* outside_of_buffers = "a text view outside of its buffers";

/// Calls `visit(block)` for the blocks of some rows, in order, until one fails. `visit` counts a
/// failure's row from the block's first, the result from the first of all rows.
template <std::size_t BlockRows = block_rows, class Visit>
[[nodiscard]] import_result<void> for_each_block(row_span rows, Visit visit) {
    for (std::size_t at = 0; at < rows.count; at += BlockRows) {
        import_result<void> done =
            visit(row_span{rows.first + at, std::min(BlockRows, rows.count - at)});
        if (done) continue;
        if (done.error().row) *done.error().row += at;
        return done;
    }
    return {};
}

/// Removes the row of a failure in a dictionary or in the items of lists, where it doesn't count
/// the column's rows.
[[nodiscard]] inline import_result<void> unplaced(import_result<void> failed) {
    failed.error().row.reset();
    return failed;
}

/// Sets the bits of a block's rows that are in a set, by their keys (see text_key) and, if those
/// don't decide, by their texts.
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
            if (!text) return refuse(fault::malformed, outside_of_buffers, word * 64 + bit);
            if (set.contains(*text)) hits[word] |= std::uint64_t{1} << bit;
        }
    }
    return {};
}

/// Sets the bits of a block's rows that `test` accepts, one by one.
template <class Column, class Test>
import_result<void> match_texts(const Column& column, row_span block, const validity& valid,
                                const Test& test, block_words& hits) {
    for (std::size_t i = 0; i < block.count; ++i) {
        if (!valid[block.first + i]) continue;
        const auto text = column.text(block.first + i);
        if (!text) return refuse(fault::malformed, outside_of_buffers, i);
        hits[i / 64] |= std::uint64_t{test(*text) ? 1U : 0U} << (i % 64);
    }
    return {};
}

/// Appends a bit for each row of a text column. `match(column, block, valid, hits)` sets those of a
/// block; hits are 0 before.
template <class Match>
import_result<void> append_text_blocks(const data_type& type, const ArrowArray& array,
                                       row_span of_parent, const Match& match, row_bits& matches) {
    const auto read = [&](const auto& column, row_span rows, validity valid) {
        return for_each_block(rows, [&](row_span block) -> import_result<void> {
            block_words hits{};
            if (!column.is_sound(block)) return refuse(fault::malformed, "offsets that fall");
            auto done = match(column, block, valid, hits);
            if (done) matches.append(words_in(hits, block.count), block.count);
            return done;
        });
    };
    return visit_text(type, array, of_parent, read);
}

/// Appends a bit for each row of a text column, set if it has a value of the filter.
inline import_result<void> append_text(const data_type& type, const ArrowArray& array,
                                       row_span of_parent, const row_filter& wanted,
                                       row_bits& matches) {
    const key_set* const set = wanted.whole_texts();
    const auto matches_any_value = [&](std::string_view text) {
        return wanted.matches_any_value(text);
    };
    const auto match = [&](const auto& column, row_span block, const validity& valid,
                           block_words& hits) {
        return set != nullptr ? match_set(column, block, valid, *set, hits)
                              : match_texts(column, block, valid, matches_any_value, hits);
    };
    return append_text_blocks(type, array, of_parent, match, matches);
}

/// Returns true if filter_mask() supports a type; a dictionary's values are checked when it is
/// read.
[[nodiscard]] inline bool is_filterable(const data_type& type) {
    if (type.is_coded()) return type.has_plain_codes();
    if (type.is_list()) return is_filterable(type.children.front());
    return type.is_text() || type.id == type_id::null;
}

/// Returns the error for a type that no filter supports.
[[nodiscard]] inline import_result<void> refuse_filter(const data_type& type) {
    return refuse(fault::unsupported,
                  "expected text, a dictionary of text or lists of text, not " + type_name(type));
}

inline import_result<void> append_matches(const data_type& type, const ArrowArray& array,
                                          row_span of_parent, const row_filter& wanted,
                                          row_bits& matches);

/// Returns all rows of a column's dictionary. `checked` is the result of checking its type; it is
/// ignored if the dictionary is empty, which may have any type. Error: fault::malformed, or that of
/// `checked`.
[[nodiscard]] inline import_result<row_span> dictionary_rows(const ArrowArray& array,
                                                             import_result<void> checked) {
    if (array.dictionary == nullptr || array.dictionary->release == nullptr ||
        array.dictionary->length < 0) {
        return refuse(fault::malformed, "codes without their dictionary");
    }
    const row_span all{0, static_cast<std::size_t>(array.dictionary->length)};
    if (all.count > 0 && checked) checked = check_rows(*array.dictionary, all);
    if (all.count > 0 && !checked) return tl::unexpected(std::move(checked.error()));
    return all;
}

/// Appends for each row the bit in `values` of its code; 0 for rows without a value.
inline import_result<void> append_by_codes(const data_type& type, const ArrowArray& array,
                                           row_span of_parent, const row_bits& values,
                                           row_bits& matches) {
    const auto column = code_column::open(type, array, of_parent, values);
    if (!column) return tl::unexpected(column.error());
    const auto match = [&](row_span block) -> import_result<void> {
        std::array<std::uint64_t, code_column::block_rows / 64> hits;
        if (!column->match(block, hits.data())) {
            return refuse(fault::malformed, "a code outside of its dictionary");
        }
        keep_valid(hits, block, column->valid());
        matches.append(words_in(hits, block.count), block.count);
        return {};
    };
    return for_each_block<code_column::block_rows>(column->rows(), match);
}

/// Like append_matches(), for a dictionary: tests each of its values once, and rows by their codes.
inline import_result<void> append_codes(const data_type& type, const ArrowArray& array,
                                        row_span of_parent, const row_filter& wanted,
                                        row_bits& matches) {
    const auto all =
        dictionary_rows(array, is_filterable(type.dictionary.front()) ? import_result<void>()
                                                                      : refuse_filter(type));
    if (!all) return tl::unexpected(all.error());
    row_bits values;
    auto done = append_matches(type.dictionary.front(), *array.dictionary, *all, wanted, values);
    return done ? append_by_codes(type, array, of_parent, values, matches) : unplaced(done);
}

/// Returns true if any of the rows from `first` until before `end` is set.
[[nodiscard]] inline bool any_in(const row_bits& bits, std::size_t first,
                                 std::size_t end) noexcept {
    while (first < end) {
        const std::size_t rows = std::min(end - first, 64 - first % 64);
        if ((bits.words()[first / 64] >> (first % 64) & low_bits(rows)) != 0) return true;
        first += rows;
    }
    return false;
}

/// Returns the items of lists. Error: fault::malformed, if they are missing.
[[nodiscard]] inline import_result<const ArrowArray*> items_of(const ArrowArray& lists) {
    if (lists.n_children == 1 && lists.children != nullptr && lists.children[0] != nullptr) {
        return lists.children[0];
    }
    return refuse(fault::malformed, "lists without their items");
}

/// Appends a bit for each list, set if the bit of any of its items is. item(row) returns the index
/// of a row's first item; its last is the one before item(row + 1).
template <class Item>
void append_lists_with(const row_bits& items, row_span rows, const validity& valid, Item item,
                       row_bits& matches) {
    for (std::size_t row = rows.first; row < rows.end(); ++row) {
        const std::uint64_t bit = valid[row] && any_in(items, item(row), item(row + 1)) ? 1 : 0;
        matches.append({&bit, 1}, 1);
    }
}

/// Appends a bit for each list, set if any of its items is in the bits that `append(type, array,
/// rows, bits)` appends for them.
template <class Offset, class Append>
import_result<void> append_lists(const data_type& type, const ArrowArray& array, row_span of_parent,
                                 const Append& append, row_bits& matches) {
    const auto opened = array_view::open(&array, 2);
    if (!opened) return tl::unexpected(opened.error());
    const auto rows = opened->rows(of_parent);
    if (!rows) return tl::unexpected(rows.error());
    const auto offsets = opened->buffer<Offset>(1, rows->count);
    if (!offsets) return tl::unexpected(offsets.error());
    const auto child = items_of(array);
    if (!child) return tl::unexpected(child.error());
    if (rows->count == 0) return {};
    const Offset begin = (*offsets)[rows->first], end = (*offsets)[rows->end()];
    if (!are_offsets<Offset>(*offsets, rows->first, rows->count, 0, end)) {
        return refuse(fault::malformed, "offsets that fall");
    }
    row_bits items;
    const row_span used{static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)};
    import_result<void> done = append(type.children.front(), **child, used, items);
    if (!done) return unplaced(std::move(done));
    const auto item = [&](std::size_t row) {
        return static_cast<std::size_t>((*offsets)[row] - begin);
    };
    append_lists_with(items, *rows, opened->valid(), item, matches);
    return {};
}

/// Like append_lists(), for lists of one length, whose items lie one after another.
template <class Append>
import_result<void> append_fixed_lists(const data_type& type, const ArrowArray& array,
                                       row_span of_parent, const Append& append,
                                       row_bits& matches) {
    const auto opened = array_view::open(&array, 1);
    if (!opened) return tl::unexpected(opened.error());
    const auto rows = opened->rows(of_parent);
    if (!rows) return tl::unexpected(rows.error());
    const auto child = items_of(array);
    if (!child) return tl::unexpected(child.error());
    row_bits items;
    const auto size = static_cast<std::size_t>(type.list_size);
    const row_span used{rows->first * size, rows->count * size};
    import_result<void> done = append(type.children.front(), **child, used, items);
    if (!done) return unplaced(std::move(done));
    const auto item = [&](std::size_t row) { return (row - rows->first) * size; };
    append_lists_with(items, *rows, opened->valid(), item, matches);
    return {};
}

/// Like append_lists(), for lists of any layout.
template <class Append>
import_result<void> append_any_lists(const data_type& type, const ArrowArray& array,
                                     row_span of_parent, const Append& append, row_bits& matches) {
    if (type.id == type_id::list32) {
        return append_lists<std::int32_t>(type, array, of_parent, append, matches);
    }
    if (type.id == type_id::list64) {
        return append_lists<std::int64_t>(type, array, of_parent, append, matches);
    }
    return append_fixed_lists(type, array, of_parent, append, matches);
}

/// Appends a bit for each row, set if it has a value of the filter. `of_parent` are rows of the
/// array, counted from its first. Expects a type that check_filter_type() accepts.
inline import_result<void> append_matches(const data_type& type, const ArrowArray& array,
                                          row_span of_parent, const row_filter& wanted,
                                          row_bits& matches) {
    if (type.is_coded()) return append_codes(type, array, of_parent, wanted, matches);
    if (type.is_text()) return append_text(type, array, of_parent, wanted, matches);
    if (type.is_list()) {
        const auto append = [&](const data_type& item_type, const ArrowArray& items,
                                row_span item_rows, row_bits& bits) {
            return append_matches(item_type, items, item_rows, wanted, bits);
        };
        return append_any_lists(type, array, of_parent, append, matches);
    }
    if (auto checked = check_rows(array, of_parent); !checked) return checked;
    const row_bits none(of_parent.count, false);
    matches.append(none.words(), of_parent.count);
    return {};
}

/// Inverts the bits of all rows.
inline void flip(row_bits& bits) noexcept {
    const std::size_t rows = bits.size();
    for (std::uint64_t& word : bits.words()) word = ~word;
    if (rows % 64 != 0) bits.words().back() &= low_bits(rows % 64);
}

}  // namespace detail

/// Checks that filter_mask() supports a type. Error: fault::unsupported.
[[nodiscard]] inline import_result<void> check_filter_type(const data_type& type) {
    return detail::is_filterable(type) ? import_result<void>() : detail::refuse_filter(type);
}

/// Returns the rows of an array that pass a filter, a bit for each of `rows`, which count from the
/// array's first. The array is of text (UTF-8 or bytes with 32- or 64-bit offsets, or views), a
/// dictionary of text (each value is tested once, however many rows), lists of either (a list
/// matches if any of its items does) or null. A row without a value passes if the filter excludes
/// or is empty.
///
/// ```
/// const auto type = read_type(schema);
/// const auto passes = filter_mask(*type, array, row_filter(wanted, collation::exact));
/// passes->count();
/// ```
/// Errors: fault::unsupported for other types, fault::malformed for data that break the interface's
/// rules: offsets that fall, views and codes that point nowhere, missing buffers. Long texts of
/// views are read only if their first bytes don't rule them out.
[[nodiscard]] inline import_result<row_bits> filter_mask(const data_type& type,
                                                         const ArrowArray& array, row_span rows,
                                                         const row_filter& wanted) {
    auto done = check_filter_type(type);
    if (done) done = detail::check_rows(array, rows);
    if (!done) return tl::unexpected(std::move(done.error()));
    row_bits passes;
    passes.reserve(rows.count);
    done = detail::append_matches(type, array, rows, wanted, passes);
    if (!done) return tl::unexpected(std::move(done.error()));
    if (wanted.empty()) return row_bits(passes.size(), true);
    if (wanted.excludes()) detail::flip(passes);
    return passes;
}

/// Like filter_mask() of some rows, for all rows of an array.
[[nodiscard]] inline import_result<row_bits> filter_mask(const data_type& type,
                                                         const ArrowArray& array,
                                                         const row_filter& wanted) {
    const auto opened = array_view::open(&array, 0, true);
    if (!opened) return tl::unexpected(opened.error());
    return filter_mask(type, array, {0, opened->rows().count}, wanted);
}

}  // namespace sluice::arrow

#endif
