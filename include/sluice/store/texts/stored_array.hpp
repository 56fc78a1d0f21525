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
        : owned_(std::move(other.owned_)), items_(std::exchange(other.items_, {})) {}
    stored_array& operator=(stored_array&& other) noexcept {
        owned_ = std::move(other.owned_);
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
    void reserve(std::size_t size) { owned_.reserve(size); }
    void push_back(const T& item) {
        owned_.push_back(item);
        items_ = owned_;
    }
    void append(std::span<const T> items) {
        owned_.insert(owned_.end(), items.begin(), items.end());
        items_ = owned_;
    }
    void shrink_to_fit() {
        owned_.shrink_to_fit();
        items_ = owned_;
    }
    /// Resizes the array, zeroing new items. Returns all items, to be filled in.
    std::span<T> resize(std::size_t size) {
        owned_.resize(size);
        items_ = owned_;
        return owned_;
    }

private:
    std::vector<T, line_allocator<T>> owned_;
    std::span<const T> items_;
};

}  // namespace sluice::store

#endif
