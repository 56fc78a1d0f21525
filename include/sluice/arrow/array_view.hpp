// SPDX-License-Identifier: MIT
#ifndef SLUICE_ARROW_ARRAY_VIEW_HPP
#define SLUICE_ARROW_ARRAY_VIEW_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <sluice/arrow/data_type.hpp>
#include <sluice/arrow/row_bits.hpp>

/// Checked views of Arrow arrays, which come from other libraries and may be malformed: their rows,
/// buffers and validity.
namespace sluice::arrow {

/// Rows of an array, counted from the start of its buffers. Parameters called `of_parent` count
/// from the array's first row instead, which lies ArrowArray::offset further; array_view::rows()
/// converts them.
struct row_span {
    std::size_t first = 0;
    std::size_t count = 0;

    [[nodiscard]] std::size_t end() const noexcept { return first + count; }
};

/// The rows of an array that have a value, as its validity bitmap says. It views the array.
class validity {
public:
    validity() = default;
    /// Views a bitmap; without one (null) every row has a value.
    explicit validity(const void* bits) noexcept : bits_(static_cast<const std::uint8_t*>(bits)) {}

    /// Returns true if every row has a value.
    [[nodiscard]] bool all() const noexcept { return bits_ == nullptr; }
    /// Returns the bits of `count` <= 64 rows, the first in the lowest bit.
    [[nodiscard]] std::uint64_t word(std::size_t first, std::size_t count) const noexcept {
        return all() ? detail::low_bits(count) : detail::load_bits(bits_, first, count);
    }
    [[nodiscard]] bool operator[](std::size_t row) const noexcept {
        return all() || (bits_[row / 8] >> (row % 8) & 1) != 0;
    }

private:
    const std::uint8_t* bits_ = nullptr;
};

/// Maximum number of rows of an array. Their mask takes 128 GB, so that a larger length is corrupt.
inline constexpr std::int64_t array_max_rows = std::int64_t{1} << 40;

/// A view of an array whose numbers of rows and buffers are consistent. The array must outlive it.
///
/// Arrow's C data interface doesn't state the sizes of buffers, so no reader can check that they
/// are as long as the rows need. All else is checked: the counts and pointers here, the offsets,
/// views and codes in the buffers by their readers.
class array_view {
public:
    /// Opens an array with `buffers` buffers, or at least as many if `allows_more`. Error:
    /// fault::malformed.
    [[nodiscard]] static import_result<array_view> open(const ArrowArray* array,
                                                        std::int64_t buffers,
                                                        bool allows_more = false) {
        if (array == nullptr || array->release == nullptr) {
            return refuse(fault::malformed, "an array that was released");
        }
        if (array->length < 0 || array->offset < 0 || array->length > array_max_rows ||
            array->offset > array_max_rows) {
            return refuse(fault::malformed, "an array of an impossible length");
        }
        if (allows_more ? array->n_buffers < buffers : array->n_buffers != buffers) {
            return refuse(fault::malformed, "an array with the wrong number of buffers");
        }
        if (buffers > 0 && array->buffers == nullptr) {
            return refuse(fault::malformed, "an array without buffers");
        }
        return array_view(*array);
    }

    /// Returns the rows of the array.
    [[nodiscard]] row_span rows() const noexcept {
        return {static_cast<std::size_t>(array_->offset), static_cast<std::size_t>(array_->length)};
    }
    /// Returns rows of this array that are counted from its first, as those of a table's column
    /// are from the table's first. Error: fault::malformed, if the array is too short.
    [[nodiscard]] import_result<row_span> rows(row_span of_parent) const {
        if (of_parent.end() > rows().count) {
            return refuse(fault::malformed, "a child array that is too short");
        }
        return row_span{rows().first + of_parent.first, of_parent.count};
    }
    /// Returns the rows that have a value. Expects an array whose first buffer is a validity bitmap
    /// or a null pointer, as in all types except null, unions and run-end encoded columns.
    [[nodiscard]] validity valid() const noexcept {
        return array_->null_count == 0 ? validity() : validity(array_->buffers[0]);
    }
    [[nodiscard]] const ArrowArray& raw() const noexcept { return *array_; }

    /// Returns a buffer to read rows from. Error: fault::malformed, if it is null or not aligned.
    /// Without rows it returns null, since producers may then pass any pointer.
    template <class T>
    [[nodiscard]] import_result<const T*> buffer(std::int64_t index, std::size_t rows) const {
        const void* const at = array_->buffers[index];
        if (rows == 0) return nullptr;
        if (at == nullptr) return refuse(fault::malformed, "a null buffer");
        if (reinterpret_cast<std::uintptr_t>(at) % alignof(T) != 0) {
            return refuse(fault::malformed, "a buffer that is not aligned");
        }
        return static_cast<const T*>(at);
    }

private:
    explicit array_view(const ArrowArray& array) noexcept : array_(&array) {}

    const ArrowArray* array_;
};

namespace detail {

/// Returns a bit for each of `rows`, set if the row has a value.
[[nodiscard]] inline row_bits present_rows(const validity& valid, row_span rows) {
    if (valid.all()) return row_bits(rows.count, true);
    row_bits present;
    for (std::size_t at = 0; at < rows.count; at += 64) {
        const std::size_t count = std::min<std::size_t>(64, rows.count - at);
        const std::uint64_t word = valid.word(rows.first + at, count);
        present.append({&word, 1}, count);
    }
    return present;
}

/// Checks that an array of any type has these rows. Call it before allocating a mask. Error:
/// fault::malformed.
[[nodiscard]] inline import_result<void> check_rows(const ArrowArray& array, row_span of_parent) {
    const auto opened = array_view::open(&array, 0, true);
    if (!opened) return tl::unexpected(opened.error());
    if (const auto rows = opened->rows(of_parent); !rows) return tl::unexpected(rows.error());
    return {};
}

/// Returns true if the offsets of rows, from index `first` to `first + rows` inclusive, never
/// decrease and lie between `least` and `most`.
template <class Offset>
[[nodiscard]] bool are_offsets(const Offset* offsets, std::size_t first, std::size_t rows,
                               Offset least, Offset most) noexcept {
    Offset before = offsets[first];
    bool is_rising = before >= least;
    for (std::size_t row = first + 1; row <= first + rows; ++row) {
        const Offset here = offsets[row];
        is_rising &= here >= before;
        before = here;
    }
    return is_rising && before <= most;
}

}  // namespace detail

}  // namespace sluice::arrow

#endif
