// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/base/memory.hpp>

using sluice::detail::huge_page;
using sluice::detail::page_allocator;
using sluice::detail::round_to_pages;

TEST_CASE("from three quarters of a huge page on sizes are those of whole ones") {
    struct size {
        std::size_t bytes, expected;
    };
    constexpr std::size_t most = huge_page / 4 * 3;
    for (const auto& [bytes, expected] : {size{0, 0},
                                          {1, 1},
                                          {most - 1, most - 1},
                                          {most, huge_page},
                                          {huge_page, huge_page},
                                          {huge_page + 1, 2 * huge_page}}) {
        CAPTURE(bytes);
        CHECK(round_to_pages(bytes) == expected);
    }
}

TEST_CASE("whole huge pages begin where one does, and all that is asked for can be written") {
    struct alignas(64) line {
        std::uint64_t number = 7;
    };
    for (const std::size_t bytes : {std::size_t{64}, huge_page / 2, huge_page, 3 * huge_page}) {
        CAPTURE(bytes);
        std::vector<line, page_allocator<line>> lines(bytes / sizeof(line));
        const auto place = reinterpret_cast<std::uintptr_t>(lines.data());
        CHECK(place % (bytes % huge_page == 0 ? huge_page : alignof(line)) == 0);
        std::uint64_t sum = 0;
        for (line& part : lines) sum += part.number++;
        CHECK(sum == 7 * lines.size());
        lines.clear();
        lines.shrink_to_fit();
        CHECK(lines.capacity() == 0);
    }
}
