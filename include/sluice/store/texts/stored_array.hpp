// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_TEXTS_STORED_ARRAY_HPP
#define SLUICE_STORE_TEXTS_STORED_ARRAY_HPP

#include <cstddef>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace sluice::store {

/// Allocates stored arrays aligned to cache lines, so that no 64-byte vector straddles two lines.
template <class T>
struct line_allocator {
    using value_type = T;
    static constexpr std::align_val_t alignment{64};

    line_allocator() = default;
    template <class Other>
    explicit line_allocator(const line_allocator<Other>&) noexcept {}

    [[nodiscard]] static T* allocate(std::size_t count) {
        if (count > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_array_new_length();
        return static_cast<T*>(operator new(count * sizeof(T), alignment));
    }
    static void deallocate(T* at, std::size_t) noexcept { operator delete(at, alignment); }

    friend bool operator==(const line_allocator&, const line_allocator&) = default;
};

/// An array that is built once and then read. It owns its items, or views those of an archive,
/// without copying, which must outlive it.
///
/// ```
/// stored_array<code> built;            stored_array<code> mapped(archive.array<code>());
/// built.push_back(7);                  mapped[0];
/// ```
template <class T>
class stored_array {
    static_assert(std::is_trivially_copyable_v<T>, "an archive holds bytes");

public:
    using value_type = T;

    stored_array() = default;
    explicit stored_array(std::span<const T> elsewhere) noexcept : items_(elsewhere) {}
    stored_array(stored_array&& other) noexcept
        : own_(std::move(other.own_)), items_(std::exchange(other.items_, {})) {}
    stored_array& operator=(stored_array&& other) noexcept {
        own_ = std::move(other.own_);
        items_ = std::exchange(other.items_, {});
        return *this;
    }
    ~stored_array() = default;

    [[nodiscard]] const T* data() const noexcept { return items_.data(); }
    [[nodiscard]] std::size_t size() const noexcept { return items_.size(); }
    [[nodiscard]] bool empty() const noexcept { return items_.empty(); }
    [[nodiscard]] const T& operator[](std::size_t at) const noexcept { return items_[at]; }
    [[nodiscard]] const T* begin() const noexcept { return items_.data(); }
    [[nodiscard]] const T* end() const noexcept { return items_.data() + items_.size(); }

    // To build an array that owns its items:
    void reserve(std::size_t size) { own_.reserve(size); }
    void push_back(const T& item) {
        own_.push_back(item);
        items_ = own_;
    }
    void append(std::span<const T> items) {
        own_.insert(own_.end(), items.begin(), items.end());
        items_ = own_;
    }
    void shrink_to_fit() {
        own_.shrink_to_fit();
        items_ = own_;
    }
    /// Resizes the array, zeroing new items. Returns all items, to be filled in.
    std::span<T> resize(std::size_t size) {
        own_.resize(size);
        items_ = own_;
        return own_;
    }

private:
    std::vector<T, line_allocator<T>> own_;
    std::span<const T> items_;
};

}  // namespace sluice::store

#endif
