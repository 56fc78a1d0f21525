// SPDX-License-Identifier: MIT
#ifndef SLUICE_BASE_INLINE_LIST_HPP
#define SLUICE_BASE_INLINE_LIST_HPP

#include <cstddef>
#include <cstring>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace sluice::detail {

/// A list of plain values that allocates nothing for the first `Room` of them, at least one. Adding
/// values, or moving the list, invalidates pointers and views of them.
template <class T, std::size_t Room>
class inline_list {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
    static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);

public:
    inline_list() noexcept : items_(room_) {}
    inline_list(inline_list&& other) noexcept : inline_list() { take(other); }
    inline_list& operator=(inline_list&& other) noexcept {
        if (this == &other) return *this;
        release();
        take(other);
        return *this;
    }
    inline_list(const inline_list&) = delete;
    inline_list& operator=(const inline_list&) = delete;
    ~inline_list() { release(); }

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] T* begin() noexcept { return items_; }
    [[nodiscard]] T* end() noexcept { return items_ + size_; }
    [[nodiscard]] const T* begin() const noexcept { return items_; }
    [[nodiscard]] const T* end() const noexcept { return items_ + size_; }
    [[nodiscard]] const T& operator[](std::size_t at) const noexcept { return items_[at]; }
    [[nodiscard]] T& operator[](std::size_t at) noexcept { return items_[at]; }
    [[nodiscard]] std::span<const T> view() const noexcept { return {begin(), size_}; }

    void push_back(const T& item) {
        if (size_ == capacity_) grow();
        ::new (items_ + size_++) T(item);
    }
    /// Inserts an item before the one at `place`.
    void insert(std::size_t place, const T& item) {
        const T added = item;
        push_back(added);
        std::memmove(items_ + place + 1, items_ + place, (size_ - 1 - place) * sizeof(T));
        ::new (items_ + place) T(added);
    }

private:
    /// Doubles the capacity: the items move to a larger block on the heap.
    void grow() {
        T* const larger = static_cast<T*>(::operator new(2 * capacity_ * sizeof(T)));
        std::memcpy(larger, items_, size_ * sizeof(T));
        release();
        items_ = larger;
        capacity_ *= 2;
    }
    /// Frees the block on the heap, if there is one. items_ dangles then.
    void release() noexcept {
        if (items_ != room_) ::operator delete(items_);
    }
    /// Takes over the items of another list, which is empty then. The items of this one are lost.
    void take(inline_list& other) noexcept {
        const bool is_in_room = other.items_ == other.room_;
        if (is_in_room) std::memcpy(room_, other.room_, other.size_ * sizeof(T));
        items_ = is_in_room ? room_ : std::exchange(other.items_, other.room_);
        size_ = std::exchange(other.size_, 0);
        capacity_ = std::exchange(other.capacity_, Room);
    }

    T* items_;  // room_, or a block on the heap
    std::size_t size_ = 0;
    std::size_t capacity_ = Room;
    union {
        T room_[Room];  // uninitialised until they are pushed
    };
};

}  // namespace sluice::detail

#endif
