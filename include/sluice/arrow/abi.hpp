// SPDX-License-Identifier: MIT
#ifndef SLUICE_ARROW_ABI_HPP
#define SLUICE_ARROW_ABI_HPP

#include <cstdint>
#include <utility>

// The structs of the Arrow C data and stream interfaces, member for member as in the specification:
// https://arrow.apache.org/docs/format/CDataInterface.html. Their include guards are those of the
// specification, so that other copies may be included too.
extern "C" {

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

/// The type of a column in Arrow's ABI.
struct ArrowSchema {
    const char* format;
    const char* name;
    const char* metadata;
    std::int64_t flags;
    std::int64_t n_children;
    ArrowSchema** children;
    ArrowSchema* dictionary;
    void (*release)(ArrowSchema*);
    void* private_data;
};

/// The rows of a column: `length` of them, the first at `offset` in every buffer.
struct ArrowArray {
    std::int64_t length;
    std::int64_t null_count;
    std::int64_t offset;
    std::int64_t n_buffers;
    std::int64_t n_children;
    const void** buffers;
    ArrowArray** children;
    ArrowArray* dictionary;
    void (*release)(ArrowArray*);
    void* private_data;
};

#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

/// Chunks of one column, or of one table as a struct column. The callbacks return 0 or an errno;
/// after the last chunk get_next() returns 0 and a released `out`.
struct ArrowArrayStream {
    int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
    int (*get_next)(ArrowArrayStream*, ArrowArray* out);
    const char* (*get_last_error)(ArrowArrayStream*);
    void (*release)(ArrowArrayStream*);
    void* private_data;
};

#endif

}  // extern "C"

namespace sluice::arrow {

/// One of the structs above, released exactly once. A released struct has no `release`.
///
/// ```
/// owned<ArrowArray> chunk;
/// stream.get_next(&stream, chunk.out());
/// if (chunk) read(*chunk);
/// ```
template <class Struct>
class owned {
public:
    owned() = default;
    /// Takes over the contents of another struct and marks that one as released, as the interface
    /// requires.
    explicit owned(Struct& from) noexcept : held_(from) { from.release = nullptr; }
    owned(owned&& other) noexcept : owned(other.held_) {}
    owned& operator=(owned&& other) noexcept {
        if (this != &other) {
            reset();
            held_ = std::exchange(other.held_, Struct{});
        }
        return *this;
    }
    owned(const owned&) = delete;
    owned& operator=(const owned&) = delete;
    ~owned() { reset(); }

    [[nodiscard]] explicit operator bool() const noexcept { return held_.release != nullptr; }
    [[nodiscard]] Struct& operator*() noexcept { return held_; }
    [[nodiscard]] const Struct& operator*() const noexcept { return held_; }
    [[nodiscard]] Struct* operator->() noexcept { return &held_; }
    [[nodiscard]] const Struct* operator->() const noexcept { return &held_; }

    /// Returns the struct for a producer to fill, after releasing its contents.
    [[nodiscard]] Struct* out() noexcept {
        reset();
        return &held_;
    }

private:
    void reset() noexcept {
        if (held_.release != nullptr) held_.release(&held_);
        held_ = Struct{};
    }

    Struct held_{};
};

}  // namespace sluice::arrow

#endif
