// SPDX-License-Identifier: MIT
#ifndef SLUICE_STORE_BLOCKS_BITMAP_ARENA_HPP
#define SLUICE_STORE_BLOCKS_BITMAP_ARENA_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <sluice/base/memory.hpp>

namespace sluice::store {

/// Memory for the bitmaps of blocks, in huge pages. A count of several conditions reads the bitmaps
/// of all blocks; packed together, they cost fewer page-table walks.
///
/// ```
/// huge page, 2 MiB   | block 0: column 0 | column 2 | ... | block 1: column 0 | ... | free |
/// ```
///
/// One thread may call take(). A page is freed with the last bitmap in it, on any thread.
class bitmap_arena {
public:
    static constexpr std::size_t page_words = sluice::detail::huge_page / sizeof(std::uint64_t);

    /// Allocates `words` zeroed words, aligned to a cache line. Expects a multiple of eight, at
    /// most `page_words`.
    [[nodiscard]] std::shared_ptr<std::uint64_t[]> take(std::size_t words) {
        if (words > left_) {
            page_ = make_page();
            left_ = page_words;
        }
        std::uint64_t* const taken = page_.get() + (page_words - left_);
        left_ -= words;
        std::fill_n(taken, words, std::uint64_t{0});
        return {page_, taken};
    }

private:
    using pages = sluice::detail::page_allocator<std::uint64_t>;

    [[nodiscard]] static std::shared_ptr<std::uint64_t[]> make_page() {
        return {pages().allocate(page_words),
                [](std::uint64_t* page) { pages().deallocate(page, page_words); }};
    }

    std::shared_ptr<std::uint64_t[]> page_;
    std::size_t left_ = 0;  // free words of page_
};

}  // namespace sluice::store

#endif
