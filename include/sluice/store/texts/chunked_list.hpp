// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_TEXTS_CHUNKED_LIST_HPP
#define SLUICE_STORE_TEXTS_CHUNKED_LIST_HPP

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <memory>
#include <utility>

namespace sluice::store {

/// A list that grows while other threads read it, at stable addresses. One thread appends; any
/// thread reads elements below a size that it has seen.
///
/// ```
/// chunk 0: 64 elements | chunk 1: 128 | chunk 2: 256 | ...    each twice the one before
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
        reserve_next();
        const std::size_t index = size_.load(std::memory_order_relaxed);
        const place at = locate(index);
        chunks_[at.chunk][at.offset] = std::move(element);
        size_.store(index + 1, std::memory_order_release);
    }
    /// Allocates memory for the next element, if needed. Only for the appending thread.
    void reserve_next() {
        const std::size_t chunk = locate(size_.load(std::memory_order_relaxed)).chunk;
        if (!chunks_[chunk]) {
            chunks_[chunk] = std::make_unique_for_overwrite<T[]>(std::size_t{1} << chunk);
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
    static constexpr std::size_t first_size = 64;
    static constexpr std::size_t max_chunks = 46;  // 2^46 elements: more than memory holds

    /// The highest bit of index + `first_size` is the chunk, the other bits the offset in it.
    struct place {
        std::size_t chunk;
        std::size_t offset;
    };

    /// Returns the place of an element.
    static constexpr place locate(std::size_t index) noexcept {
        const std::size_t shifted = index + first_size;
        const auto high = static_cast<std::size_t>(std::bit_width(shifted)) - 1;
        return {high, shifted ^ std::size_t{1} << high};
    }

    std::array<std::unique_ptr<T[]>, max_chunks> chunks_;  // by highest bit
    std::atomic<std::size_t> size_ = 0;
};

}  // namespace sluice::store

#endif
