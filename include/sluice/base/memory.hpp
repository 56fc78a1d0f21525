// SPDX-License-Identifier: MIT
#ifndef SLUICE_BASE_MEMORY_HPP
#define SLUICE_BASE_MEMORY_HPP

#include <cstddef>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

/// Prefetches, and huge pages for large tables.
namespace sluice::detail {

/// Prefetches the cache line of a memory address, which need not exist.
///
/// To g++ a function that only prefetches has no effect, so that it drops the calls. An empty
/// volatile statement keeps them.
inline void prefetch(const void* address) noexcept {
    __builtin_prefetch(address);
    asm volatile("");
}
/// Like prefetch(), for a line that will be written.
inline void prefetch_to_write(const void* address) noexcept {
    __builtin_prefetch(address, 1);
    asm volatile("");
}

/// Size of a huge page (one TLB entry) on x86-64 and AArch64, in bytes.
inline constexpr std::size_t huge_page = std::size_t{1} << 21;

/// Returns the size to allocate for `bytes` bytes with page_allocator: whole huge pages, so that it
/// aligns them. Less than three quarters of a page stays as it is, in ordinary pages.
[[nodiscard]] constexpr std::size_t round_to_pages(std::size_t bytes) noexcept {
    if (bytes < huge_page / 4 * 3) return bytes;
    return (bytes + huge_page - 1) / huge_page * huge_page;
}

/// An allocator that aligns whole huge pages and asks the system to keep them as such: random
/// accesses to a large table then need no walk through page tables. If the system has none, or is
/// configured to provide none, they are ordinary pages.
template <class T>
class page_allocator {
public:
    using value_type = T;

    page_allocator() noexcept = default;
    template <class Other>
    page_allocator(const page_allocator<Other>&) noexcept {}  // NOLINT(*-explicit-*)

    /// Returns memory for `count` objects. Throws std::bad_alloc.
    [[nodiscard]] T* allocate(std::size_t count) {
        const std::size_t bytes = count * sizeof(T);
        void* const memory = ::operator new(bytes, alignment_of(bytes));
#if defined(__linux__)
        if (is_whole(bytes)) static_cast<void>(madvise(memory, bytes, MADV_HUGEPAGE));
#endif
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t count) noexcept {
        ::operator delete(memory, alignment_of(count * sizeof(T)));
    }

    friend bool operator==(const page_allocator&, const page_allocator&) noexcept { return true; }

private:
    static constexpr bool is_whole(std::size_t bytes) noexcept {
        return bytes > 0 && bytes % huge_page == 0;
    }
    static constexpr std::align_val_t alignment_of(std::size_t bytes) noexcept {
        return std::align_val_t{is_whole(bytes) ? huge_page : alignof(T)};
    }
};

}  // namespace sluice::detail

#endif
