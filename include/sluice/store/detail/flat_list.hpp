// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_DETAIL_FLAT_LIST_HPP
#define SLUICE_STORE_DETAIL_FLAT_LIST_HPP

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

namespace sluice::store {

/// A list that grows while others read it, in one array: for elements that are looked up so often
/// that finding a chunk of a chunked_list would show. One thread appends; any thread reads elements
/// below a size that it has seen. A grown array leaves the old ones to those who read them, so that
/// the list takes up to twice the memory of its elements.
template <class T>
class flat_list {
    static_assert(std::is_trivially_copyable_v<T>, "elements are copied to larger arrays");

public:
    /// Elements that can be read. What was appended before is seen by who reads this.
    [[nodiscard]] std::size_t size() const noexcept {
        return size_.load(std::memory_order_acquire);
    }

    /// The elements: all that are below a size seen before the call.
    [[nodiscard]] const T* data() const noexcept { return data_.load(std::memory_order_acquire); }

    [[nodiscard]] const T& operator[](std::size_t index) const noexcept { return data()[index]; }

    /// Appends an element. Only one thread at a time.
    void push_back(const T& element) {
        reserve_next();
        const std::size_t index = size_.load(std::memory_order_relaxed);
        arrays_.back()[index] = element;
        size_.store(index + 1, std::memory_order_release);
    }
    /// Takes the memory that the next element needs, if it needs any. Only who appends.
    void reserve_next() {
        const std::size_t index = size_.load(std::memory_order_relaxed);
        if (index == capacity_) grow(index);
    }
    /// Takes the last elements back, so that `size` are left. Only the thread that appends; no
    /// other may be reading those that go, now or later.
    void shrink(std::size_t size) noexcept { size_.store(size, std::memory_order_release); }

    /// Bytes of the array that is in use and of those before it.
    [[nodiscard]] std::size_t bytes() const noexcept {
        const std::size_t kept = size();
        std::size_t capacity = first_size;
        while (capacity < kept) capacity *= 2;
        return kept == 0 ? 0 : (2 * capacity - first_size) * sizeof(T);
    }

private:
    static constexpr std::size_t first_size = 64;

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
