// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/store/blocks/column_sealer.hpp>

using sluice::store::bitmap_arena;

namespace {

struct taken_words {
    std::shared_ptr<std::uint64_t[]> words;
    std::size_t size;

    [[nodiscard]] bool are_all(std::uint64_t value) const {
        return std::all_of(words.get(), words.get() + size,
                           [&](std::uint64_t word) { return word == value; });
    }
};

}  // namespace

TEST_CASE("bitmaps are zeros of their own, side by side while a huge page lasts") {
    struct step {
        std::size_t size;
        bool begins_page;
    };
    bitmap_arena arena;
    std::vector<taken_words> all;
    for (const auto& [size, begins_page] : {step{1'024, true},
                                            {15'360, false},
                                            {bitmap_arena::page_words - 16'384, false},
                                            {8, true},
                                            {bitmap_arena::page_words, true},
                                            {2'048, true},
                                            {bitmap_arena::page_words - 2'048 + 8, true},
                                            {2'040, false}}) {
        const taken_words taken{arena.take(size), size};
        CAPTURE(all.size());
        CHECK(taken.are_all(0));
        CHECK(reinterpret_cast<std::uintptr_t>(taken.words.get()) % 64 == 0);
        const auto* const end = all.empty() ? nullptr : all.back().words.get() + all.back().size;
        if (!begins_page) CHECK(taken.words.get() == end);
        const auto page = reinterpret_cast<std::uintptr_t>(taken.words.get());
        CHECK((page % sluice::detail::huge_page == 0) == begins_page);
        std::fill_n(taken.words.get(), size, all.size() + 1);
        all.push_back(taken);
    }
    for (std::size_t i = 0; i < all.size(); ++i) CHECK(all[i].are_all(i + 1));
}

TEST_CASE("a page stays while anyone has bitmaps in it") {
    auto arena = std::make_unique<bitmap_arena>();
    auto first = arena->take(1'024);
    taken_words second{arena->take(1'024), 1'024};
    std::fill_n(second.words.get(), second.size, std::uint64_t{7});
    const std::weak_ptr<std::uint64_t[]> page = first;
    first.reset();
    arena.reset();
    CHECK(!page.expired());
    CHECK(second.are_all(7));
    second.words.reset();
    CHECK(page.expired());
}
