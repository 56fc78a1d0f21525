// SPDX-License-Identifier: MIT
#ifndef SLUICE_TESTS_ARROW_MAKE_ARRAY_HPP
#define SLUICE_TESTS_ARROW_MAKE_ARRAY_HPP

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/arrow/abi.hpp>
#include <sluice/arrow/data_type.hpp>
#include <sluice/arrow/row_bits.hpp>
#include <sluice/base/simd_level.hpp>

namespace arrow_test {

using cell = std::optional<std::string>;
using cells = std::vector<cell>;

/// A schema and an array made by hand. Each buffer is a heap block of exactly its size, so that a
/// sanitizer finds what is read beyond it. It counts how often each is released.
struct column {
    ArrowSchema schema{};
    ArrowArray array{};
    std::string format{}, name{};
    std::vector<std::unique_ptr<char[]>> heap{};
    std::vector<const void*> buffers{};
    std::vector<std::unique_ptr<column>> children{};
    std::unique_ptr<column> dictionary{};
    std::vector<ArrowSchema*> child_schemas{};
    std::vector<ArrowArray*> child_arrays{};
    int schema_releases = 0, array_releases = 0;

    explicit column(std::string of_format, std::size_t rows, std::size_t offset = 0)
        : format(std::move(of_format)) {
        array.length = static_cast<std::int64_t>(rows);
        array.offset = static_cast<std::int64_t>(offset);
        array.null_count = -1;
        array.private_data = schema.private_data = this;
        schema.release = [](ArrowSchema* self) {
            ++static_cast<column*>(self->private_data)->schema_releases;
            self->release = nullptr;
        };
        array.release = [](ArrowArray* self) {
            ++static_cast<column*>(self->private_data)->array_releases;
            self->release = nullptr;
        };
    }
    column(const column&) = delete;
    column& operator=(const column&) = delete;

    char* add_bytes(const void* from, std::size_t size) {
        heap.push_back(std::make_unique<char[]>(size));
        if (size > 0) std::memcpy(heap.back().get(), from, size);
        buffers.push_back(heap.back().get());
        return heap.back().get();
    }
    template <class T>
    T* add_buffer(const std::vector<T>& values) {
        return reinterpret_cast<T*>(add_bytes(values.data(), values.size() * sizeof(T)));
    }
    /// A bit for each row; no buffer where all are set and `always` is not.
    void add_validity(const std::vector<bool>& valid, bool always = false) {
        bool all = true;
        std::string bits((valid.size() + 7) / 8, '\0');
        for (std::size_t i = 0; i < valid.size(); ++i) {
            all = all && valid[i];
            if (valid[i]) bits[i / 8] = static_cast<char>(bits[i / 8] | 1 << (i % 8));
        }
        if (all && !always) return buffers.push_back(nullptr);
        add_bytes(bits.data(), bits.size());
    }

    /// Wires the structs to what the column holds by now.
    void wire() {
        child_schemas.clear();
        child_arrays.clear();
        for (const auto& child : children) {
            child_schemas.push_back(&child->schema);
            child_arrays.push_back(&child->array);
        }
        schema.format = format.c_str();
        schema.name = name.c_str();
        schema.n_children = array.n_children = static_cast<std::int64_t>(children.size());
        schema.children = child_schemas.data();
        array.children = child_arrays.data();
        schema.dictionary = dictionary ? &dictionary->schema : nullptr;
        array.dictionary = dictionary ? &dictionary->array : nullptr;
        array.n_buffers = static_cast<std::int64_t>(buffers.size());
        array.buffers = buffers.data();
    }
    [[nodiscard]] sluice::arrow::data_type type() const {
        return *sluice::arrow::read_type(schema);
    }
};

using column_ptr = std::unique_ptr<column>;

/// Rows before the first one, which no mask may look at.
inline cells with_lead(const cells& rows, std::size_t offset) {
    cells all(offset, "lead");
    all.insert(all.end(), rows.begin(), rows.end());
    return all;
}

inline std::vector<bool> valid_of(const cells& rows) {
    std::vector<bool> valid;
    for (const cell& row : rows) valid.push_back(row.has_value());
    return valid;
}

template <class Offset>
void add_offset_text(column& target, const cells& rows) {
    std::vector<Offset> offsets{0};
    std::string bytes;
    for (const cell& row : rows) {
        bytes += row.value_or("");
        offsets.push_back(static_cast<Offset>(bytes.size()));
    }
    target.add_buffer(offsets);
    target.add_bytes(bytes.data(), bytes.size());
}

/// Long texts take turns in two data buffers.
inline void add_view_text(column& target, const cells& rows) {
    std::string views(rows.size() * 16, '\0');
    std::string data[2];
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::string text = rows[i].value_or("");
        char* const view = views.data() + i * 16;
        const auto size = static_cast<std::int32_t>(text.size());
        std::memcpy(view, &size, 4);
        std::memcpy(view + 4, text.data(), text.size() > 12 ? 4 : text.size());
        if (text.size() <= 12) continue;
        const auto buffer = static_cast<std::int32_t>(i % 2);
        const auto at = static_cast<std::int32_t>(data[i % 2].size());
        std::memcpy(view + 8, &buffer, 4);
        std::memcpy(view + 12, &at, 4);
        data[i % 2] += text;
    }
    target.add_bytes(views.data(), views.size());
    for (const std::string& bytes : data) target.add_bytes(bytes.data(), bytes.size());
    target.add_buffer(std::vector<std::int64_t>{static_cast<std::int64_t>(data[0].size()),
                                                static_cast<std::int64_t>(data[1].size())});
}

/// Text of any of the formats u z U Z vu vz.
inline column_ptr make_text(const std::string& format, const cells& rows, std::size_t offset = 0) {
    auto array = std::make_unique<column>(format, rows.size(), offset);
    const cells all = with_lead(rows, offset);
    array->add_validity(valid_of(all));
    if (format[0] == 'v') add_view_text(*array, all);
    if (format == "u" || format == "z") add_offset_text<std::int32_t>(*array, all);
    if (format == "U" || format == "Z") add_offset_text<std::int64_t>(*array, all);
    array->wire();
    return array;
}

using codes = std::vector<std::optional<std::int64_t>>;

/// Integers of the formats c C s S i I l L and of timestamps; rows without one hold -1.
inline column_ptr make_integers(const std::string& format, const codes& rows,
                                std::size_t offset = 0) {
    auto array = std::make_unique<column>(format, rows.size(), offset);
    const std::size_t at = std::string("cCsSiIlL").find(format[0]);
    const std::size_t width = at == std::string::npos ? 8 : std::size_t{1} << (at / 2);
    std::vector<bool> valid(offset, true);
    std::string bytes(offset * width, '\x7F');
    for (const auto& row : rows) {
        valid.push_back(row.has_value());
        const std::int64_t value = row.value_or(-1);
        bytes.append(reinterpret_cast<const char*>(&value), width);
    }
    array->add_validity(valid);
    array->add_bytes(bytes.data(), bytes.size());
    array->wire();
    return array;
}

/// Values of a fixed width; rows without one have `lead`, as has each row before the first.
template <class T>
column_ptr make_values(const std::string& format, const std::vector<std::optional<T>>& rows,
                       T lead = {}, std::size_t offset = 0) {
    auto array = std::make_unique<column>(format, rows.size(), offset);
    std::vector<bool> valid(offset, true);
    std::vector<T> values(offset, lead);
    for (const auto& row : rows) {
        valid.push_back(row.has_value());
        values.push_back(row.value_or(lead));
    }
    array->add_validity(valid);
    array->add_buffer(values);
    array->wire();
    return array;
}

/// Booleans: a bit each.
inline column_ptr make_booleans(const codes& rows, std::size_t offset = 0) {
    auto array = std::make_unique<column>("b", rows.size(), offset);
    std::vector<bool> valid(offset, true);
    std::string bits((offset + rows.size() + 7) / 8, '\x55');
    for (const auto& row : rows) {
        const std::size_t at = valid.size();
        const int bit = 1 << (at % 8);
        const bool is_set = row.value_or(at % 2) != 0;
        bits[at / 8] = static_cast<char>(is_set ? bits[at / 8] | bit : bits[at / 8] & ~bit);
        valid.push_back(row.has_value());
    }
    array->add_validity(valid);
    array->add_bytes(bits.data(), bits.size());
    array->wire();
    return array;
}

inline column_ptr make_coded(const std::string& format, const codes& rows, column_ptr dictionary,
                             std::size_t offset = 0) {
    auto array = make_integers(format, rows, offset);
    array->dictionary = std::move(dictionary);
    array->wire();
    return array;
}

inline column_ptr make_nulls(std::size_t rows) {
    auto array = std::make_unique<column>("n", rows);
    array->wire();
    return array;
}

/// Lists of the formats +l and +L: `sizes` items of the child each; no value is no list.
template <class Offset>
column_ptr make_lists(const std::string& format, const codes& sizes, column_ptr items,
                      Offset begin = 0) {
    auto array = std::make_unique<column>(format, sizes.size());
    std::vector<bool> valid;
    std::vector<Offset> offsets{begin};
    for (const auto& size : sizes) {
        valid.push_back(size.has_value());
        offsets.push_back(offsets.back() + static_cast<Offset>(size.value_or(0)));
    }
    array->add_validity(valid);
    array->add_buffer(offsets);
    array->children.push_back(std::move(items));
    array->wire();
    return array;
}

/// A table of named columns of the same length.
inline column_ptr make_table(std::vector<std::pair<std::string, column_ptr>> columns,
                             std::size_t rows, std::size_t offset = 0) {
    auto array = std::make_unique<column>("+s", rows, offset);
    array->buffers.push_back(nullptr);
    for (auto& [name, child] : columns) {
        child->name = name;
        child->wire();
        array->children.push_back(std::move(child));
    }
    array->wire();
    return array;
}

template <class Body>
void at_every_level(Body body) {
    for (const sluice::simd_level level : sluice::supported_simd_levels()) {
        CAPTURE(sluice::to_string(level));
        REQUIRE(sluice::force_simd_level(level));
        body();
    }
    sluice::force_simd_level(std::nullopt);
}

inline std::vector<bool> to_bools(const sluice::arrow::row_bits& bits) {
    std::vector<bool> all;
    for (std::size_t row = 0; row < bits.size(); ++row) all.push_back(bits[row]);
    return all;
}

}  // namespace arrow_test

#endif
