// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_TEXTS_CHUNKED_LIST_HPP
#define SLUICE_STORE_TEXTS_CHUNKED_LIST_HPP

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

/// Lists that grow while other threads read them: in chunks, or in one array.
namespace sluice::store {

/// A list that grows while other threads read it, at stable addresses. One thread appends; any
/// thread reads elements below a size that it has seen.
///
/// ```
/// | 8 elements | 16 | 32 | ...    chunks, each twice the one before
/// ```
///
/// Elements of arithmetic types aren't zeroed in advance, so that the free part of a chunk takes no
/// memory.
template <class T>
class chunked_list {
public:
    /// Returns the number of readable elements. Makes the writes of those elements visible to the
    /// caller.
    [[nodiscard]] std::size_t size() const noexcept {
        return size_.load(std::memory_order_acquire);
    }

    [[nodiscard]] const T& operator[](std::size_t index) const noexcept {
        const place at = locate(index);
        return chunks_[at.chunk][at.offset];
    }

    /// Appends an element. One thread at a time.
    void push_back(T element) {
        set_next(std::move(element));
        show_next();
    }
    /// Stores the next element, which isn't a part of the list before show_next(). Only for the
    /// appending thread.
    void set_next(T element) {
        reserve_next();
        const place at = locate(size_.load(std::memory_order_relaxed));
        chunks_[at.chunk][at.offset] = std::move(element);
    }
    /// Appends the element of set_next().
    void show_next() noexcept {
        size_.store(size_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    }
    /// Allocates memory for the next element, if needed. Only for the appending thread.
    void reserve_next() {
        const std::size_t chunk = locate(size_.load(std::memory_order_relaxed)).chunk;
        if (!chunks_[chunk]) {
            chunks_[chunk] = std::make_unique_for_overwrite<T[]>(first_size << chunk);
        }
    }

    /// Drops the last elements, keeping `size`. Only for the appending thread; no other thread may
    /// read the dropped elements, now or later.
    void shrink(std::size_t size) noexcept {
        for (std::size_t index = size; index < this->size(); ++index) {
            const place at = locate(index);
            chunks_[at.chunk][at.offset] = T{};
        }
        size_.store(size, std::memory_order_release);
    }

private:
    static constexpr std::size_t first_size = 8;
    static constexpr std::size_t max_chunks = 30;  // 2^33 elements: more than codes number

    /// The highest bit of index + `first_size` is the size of the chunk, the other bits are the
    /// offset in it.
    struct place {
        std::size_t chunk;
        std::size_t offset;
    };

    static constexpr std::size_t first_bit = std::countr_zero(first_size);

    /// Returns the place of an element.
    static constexpr place locate(std::size_t index) noexcept {
        const std::size_t shifted = index + first_size;
        const auto high = static_cast<std::size_t>(std::bit_width(shifted)) - 1;
        return {high - first_bit, shifted ^ std::size_t{1} << high};
    }

    std::array<std::unique_ptr<T[]>, max_chunks> chunks_;  // by number, see place
    std::atomic<std::size_t> size_ = 0;
};

/// A list in one array that grows while other threads read it; for elements read so often that the
/// lookup of a chunk in a chunked_list would show. One thread appends; any thread reads elements
/// below a size that it has seen. Readers may still use outgrown arrays, which are kept, so the
/// list takes up to twice the memory of its elements.
template <class T>
class flat_list {
    static_assert(std::is_trivially_copyable_v<T>, "elements are copied to larger arrays");

public:
    /// Returns the number of readable elements. Makes the writes of those elements visible to the
    /// caller.
    [[nodiscard]] std::size_t size() const noexcept {
        return size_.load(std::memory_order_acquire);
    }

    /// Returns the array of elements, which has all below a size seen before the call.
    [[nodiscard]] const T* data() const noexcept { return data_.load(std::memory_order_acquire); }

    [[nodiscard]] const T& operator[](std::size_t index) const noexcept { return data()[index]; }

    /// Appends an element. One thread at a time.
    void push_back(const T& element) {
        reserve_next();
        const std::size_t index = size_.load(std::memory_order_relaxed);
        arrays_.back()[index] = element;
        size_.store(index + 1, std::memory_order_release);
    }
    /// Allocates memory for the next element, if needed. Only for the appending thread.
    void reserve_next() {
        const std::size_t index = size_.load(std::memory_order_relaxed);
        if (index == capacity_) grow(index);
    }
    /// Drops the last elements, keeping `size`. Only for the appending thread; no other thread may
    /// read the dropped elements, now or later.
    void shrink(std::size_t size) noexcept { size_.store(size, std::memory_order_release); }

    /// Returns the size of the current array and all outgrown ones, in bytes. Any thread: derives
    /// the capacity from the size, as `capacity_` is the appending thread's. After shrink() it may
    /// be too small.
    [[nodiscard]] std::size_t bytes() const noexcept {
        const std::size_t kept = size();
        std::size_t capacity = first_size;
        while (capacity < kept) capacity *= 2;
        // 8 + 16 + ... + capacity elements
        return kept == 0 ? 0 : (2 * capacity - first_size) * sizeof(T);
    }

private:
    static constexpr std::size_t first_size = 8;

    /// Replaces the array by one twice as large, with the `kept` elements.
    void grow(std::size_t kept) {
        const std::size_t capacity = std::max(first_size, 2 * capacity_);
        auto larger = std::make_unique<T[]>(capacity);
        if (kept > 0) std::copy_n(arrays_.back().get(), kept, larger.get());
        arrays_.push_back(std::move(larger));
        capacity_ = capacity;
        data_.store(arrays_.back().get(), std::memory_order_release);
    }

    std::vector<std::unique_ptr<T[]>> arrays_;  // the last one is in use
    std::size_t capacity_ = 0;
    std::atomic<const T*> data_ = nullptr;
    std::atomic<std::size_t> size_ = 0;
};

}  // namespace sluice::store

#endif
