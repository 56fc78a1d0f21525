// SPDX-License-Identifier: MIT
#ifndef SLUICE_TESTS_FUZZ_MASKS_HPP
#define SLUICE_TESTS_FUZZ_MASKS_HPP

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/reference/events/events_mask.hpp>

#include "../arrow/make_array.hpp"
#include "byte_source.hpp"

// Masks of queries over Arrow tables of any contents. Buffers are as long as their arrays say,
// since no reader can find out; what is in them, offsets, views, sizes and codes, is anything.

namespace sluice_fuzz {

using arrow_test::column;
using arrow_test::column_ptr;

/// The rows of an array and those before its first one.
struct array_shape {
    std::size_t rows, offset;

    [[nodiscard]] std::size_t all() const noexcept { return rows + offset; }
};

inline array_shape read_shape(byte_source& bytes, std::size_t rows) {
    return {rows, bytes.below(3)};
}

inline std::string read_bytes(byte_source& bytes, std::size_t size) {
    std::string text(bytes.text(size));
    text.resize(size, '\0');
    return text;
}

inline column_ptr begin_column(byte_source& bytes, std::string format, array_shape shape) {
    auto array = std::make_unique<column>(std::move(format), shape.rows, shape.offset);
    const std::string validity = read_bytes(bytes, (shape.all() + 7) / 8);
    if (bytes.below(2) == 0) {
        array->buffers.push_back(nullptr);
    } else {
        array->add_bytes(validity.data(), validity.size());
    }
    array->array.null_count = bytes.below(4) == 0 ? bytes.magnitude() : -1;
    return array;
}

/// Offsets in any order and below zero too, but none past what they refer to, which no reader could
/// find out: rows may end at any of them.
template <class Offset>
void add_offsets(byte_source& bytes, column& array, array_shape shape, std::size_t size) {
    std::vector<Offset> offsets(shape.all() + 1, 0);
    const auto end = static_cast<Offset>(size);
    for (Offset& offset : offsets) {
        const bool is_odd = bytes.below(8) == 0;
        offset = is_odd ? std::min(static_cast<Offset>(bytes.magnitude()), end)
                        : static_cast<Offset>(bytes.below(size + 1));
    }
    array.add_buffer(offsets);
}

inline column_ptr make_texts(byte_source& bytes, std::size_t rows, bool is_large) {
    const array_shape shape = read_shape(bytes, rows);
    auto array = begin_column(bytes, is_large ? "U" : "u", shape);
    const std::string data = read_bytes(bytes, bytes.below(40));
    is_large ? add_offsets<std::int64_t>(bytes, *array, shape, data.size())
             : add_offsets<std::int32_t>(bytes, *array, shape, data.size());
    array->add_bytes(data.data(), data.size());
    return array;
}

inline column_ptr make_views(byte_source& bytes, std::size_t rows) {
    const array_shape shape = read_shape(bytes, rows);
    auto array = begin_column(bytes, "vu", shape);
    const std::string views = read_bytes(bytes, shape.all() * 16);
    array->add_bytes(views.data(), views.size());
    std::vector<std::int64_t> sizes;
    for (std::size_t buffers = bytes.below(3); buffers > 0; --buffers) {
        const std::string data = read_bytes(bytes, bytes.below(40));
        array->add_bytes(data.data(), data.size());
        const bool is_true = bytes.below(2) == 0;
        sizes.push_back(is_true ? static_cast<std::int64_t>(data.size())
                                : std::min<std::int64_t>(bytes.magnitude(), 0));
    }
    array->add_buffer(sizes);
    return array;
}

inline column_ptr make_numbers(byte_source& bytes, std::size_t rows, std::string format) {
    const std::size_t at = std::string_view("cCsSiIlL").find(format.front());
    const std::size_t width = at == std::string_view::npos ? 8 : std::size_t{1} << (at / 2);
    const array_shape shape = read_shape(bytes, rows);
    auto array = begin_column(bytes, std::move(format), shape);
    const std::string data = read_bytes(bytes, shape.all() * width);
    array->add_bytes(data.data(), data.size());
    return array;
}

inline std::string read_integer_format(byte_source& bytes) {
    return std::string(1, "cCsSiIlL"[bytes.below(8)]);
}

inline column_ptr make_codes(byte_source& bytes, std::size_t rows) {
    auto array = make_numbers(bytes, rows, read_integer_format(bytes));
    array->dictionary = make_texts(bytes, bytes.below(300), false);
    array->dictionary->wire();
    return array;
}

inline column_ptr make_lists(byte_source& bytes, std::size_t rows) {
    const array_shape shape = read_shape(bytes, rows);
    auto array = begin_column(bytes, "+l", shape);
    const std::size_t items = bytes.below(10);
    add_offsets<std::int32_t>(bytes, *array, shape, items);
    array->children.push_back(make_texts(bytes, items, false));
    array->children.back()->wire();
    return array;
}

inline column_ptr make_column(byte_source& bytes, std::size_t rows) {
    constexpr std::array stamps{"tss:", "tsm:UTC", "tsu:UTC", "tsn:Europe/Paris"};
    switch (bytes.below(8)) {
        case 0: return make_texts(bytes, rows, true);
        case 1: return make_views(bytes, rows);
        case 2: return make_codes(bytes, rows);
        case 3: return make_lists(bytes, rows);
        case 4: return make_numbers(bytes, rows, stamps[bytes.below(stamps.size())]);
        case 5: return make_numbers(bytes, rows, read_integer_format(bytes));
        case 6: return arrow_test::make_nulls(rows);
        default: return make_texts(bytes, rows, false);
    }
}

/// `<bytes of a table>` asked for everything that a query can ask: a mask of its rows or a refusal
/// that says what is wrong.
inline void fuzz_masks(std::string_view input) {
    static const auto query = [] {
        const auto pairs = sluice::parse_query_string(
            "event=leads&interval=all&country=US,de&tagId=-a&url=/&region=CA&root=false"
            "&query=metadata['a']!=1");
        const sluice::instant now{std::chrono::milliseconds(1'787'279'415'123)};
        return sluice::reference::parse_events_query(pairs.pairs(), {}, now).value();
    }();
    byte_source bytes(input);
    const std::size_t rows = bytes.below(20);
    std::vector<std::pair<std::string, column_ptr>> columns;
    columns.emplace_back("timestamp", make_numbers(bytes, rows + 3, "tsm:UTC"));
    for (const char* const name : {"country", "tagId", "url", "region", "key", "metadata"}) {
        columns.emplace_back(name, make_column(bytes, rows + bytes.below(4)));
    }
    const auto table = arrow_test::make_table(std::move(columns), rows, bytes.below(4));
    auto conditions = sluice::reference::mask_conditions(query, {});
    const auto filter = sluice::arrow::table_filter::make(table->type(), std::move(*conditions));
    if (!filter) return require(!filter.error().what.empty());
    const auto mask = filter->mask(table->array);
    require(mask ? mask->size() == rows : !mask.error().what.empty());
}

}  // namespace sluice_fuzz

#endif
