// SPDX-License-Identifier: MIT
#ifndef SLUICE_ARROW_DETAIL_TEXT_SCALAR_HPP
#define SLUICE_ARROW_DETAIL_TEXT_SCALAR_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <sluice/arrow/row_filter.hpp>

/// Kernels that compare blocks of text with a key_set, and their versions without SIMD.
namespace sluice::arrow::detail {

/// An Arrow view, 16 bytes:
///
/// ```
/// up to 12 bytes   | length, 32 bits | the bytes, then zeros                    |
/// longer           | length, 32 bits | first 4 bytes | buffer, 32 | offset, 32 |
/// ```
struct text_view {
    std::uint64_t first;
    std::uint64_t second;

    [[nodiscard]] std::int32_t size() const noexcept { return static_cast<std::int32_t>(first); }
};
static_assert(sizeof(text_view) == 16);

/// The output of text kernels for a block of rows: a bit per row, 0 beyond the last.
struct text_matches {
    std::uint64_t* hits;   ///< rows that are in the set
    std::uint64_t* maybe;  ///< rows that only their whole text can decide
};

/// Kernels over text: match() of a block of rows against a set, by their keys (see text_key). A
/// head is a text's first 4 bytes, a tail the second word of its key. They read only the elements
/// passed to them, except that `match_offsets` may read 12 bytes from the start of each row.
struct text_kernels {
    /// Row r is data[offsets[r]] up to data[offsets[r + 1]]. Expects offsets that never fall.
    void (*match_offsets)(const std::int32_t* offsets, const char* data, std::size_t rows,
                          const key_set& set, text_matches out);
    void (*match_views)(const text_view* views, std::size_t rows, const key_set& set,
                        text_matches out);
    /// Returns true if offsets [0, rows] never fall.
    bool (*are_rising)(const std::int32_t* offsets, std::size_t rows);
};

/// Sets the bit of one row, which must be 0 so far: in `hits` if its key holds the whole text, else
/// in `maybe`.
inline void mark(text_matches out, std::size_t row, bool is_match, bool is_whole) noexcept {
    const std::uint64_t bit = std::uint64_t{is_match ? 1U : 0U} << (row % 64);
    std::uint64_t* const words = is_whole ? out.hits : out.maybe;
    words[row / 64] |= bit;
}

/// Matches the rows from `from` on one by one: those that don't fill a vector.
inline void match_offsets_tail(const std::int32_t* offsets, const char* data, std::size_t from,
                               std::size_t rows, const key_set& set, text_matches out) {
    for (std::size_t row = from; row < rows; ++row) {
        const auto size = static_cast<std::uint32_t>(offsets[row + 1] - offsets[row]);
        const text_key key = key_within(data + offsets[row], size, set.fold());
        mark(out, row, set.has_key(key), size <= key_whole_max);
    }
}

/// Returns the key of a view of up to 12 bytes.
[[nodiscard]] inline text_key key_of(const text_view& view, bool fold) noexcept {
    if (!fold) return {view.first, view.second};
    return make_key(static_cast<std::uint32_t>(view.first), view.first >> 32, view.second, true);
}

/// Returns true if a view of more than 12 bytes may be in the set: length and first bytes are those
/// of one of the few keys, or the keys are many. The kernels of all SIMD levels decide this alike:
/// text behind such a view is read, and a view that points nowhere is an error.
[[nodiscard]] inline bool may_have_long(const key_set& set, const text_key& key) noexcept {
    const few_keys& few = set.few();
    bool may_match = !set.is_few();
    for (std::size_t i = few.whole; i < few.count; ++i) may_match |= few.keys[i].first == key.first;
    return may_match;
}

/// Like match_offsets_tail(), for views.
inline void match_views_tail(const text_view* views, std::size_t from, std::size_t rows,
                             const key_set& set, text_matches out) {
    for (std::size_t row = from; row < rows; ++row) {
        const bool is_whole = static_cast<std::uint32_t>(views[row].first) <= key_whole_max;
        const text_key key = key_of(views[row], set.fold());
        mark(out, row, is_whole ? set.has_key(key) : may_have_long(set, key), is_whole);
    }
}

/// Sets the bits of all rows to 0.
inline void clear(std::size_t rows, text_matches out) noexcept {
    std::memset(out.hits, 0, (rows + 63) / 64 * 8);
    std::memset(out.maybe, 0, (rows + 63) / 64 * 8);
}

inline void match_offsets_scalar(const std::int32_t* offsets, const char* data, std::size_t rows,
                                 const key_set& set, text_matches out) {
    clear(rows, out);
    match_offsets_tail(offsets, data, 0, rows, set, out);
}

inline void match_views_scalar(const text_view* views, std::size_t rows, const key_set& set,
                               text_matches out) {
    clear(rows, out);
    match_views_tail(views, 0, rows, set, out);
}

inline bool are_rising_scalar(const std::int32_t* offsets, std::size_t rows) {
    bool rising = true;
    for (std::size_t row = 0; row < rows; ++row) rising &= offsets[row] <= offsets[row + 1];
    return rising;
}

inline constexpr text_kernels scalar_text_kernels{match_offsets_scalar, match_views_scalar,
                                                  are_rising_scalar};

}  // namespace sluice::arrow::detail

#endif
