// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/store/texts/archive.hpp>

#include "../make_archive.hpp"

using namespace sluice::store;

namespace {

constexpr std::uint64_t odd = 0x0123'4567'89AB'CDEF;

std::vector<std::uint32_t> counted(std::size_t size) {
    std::vector<std::uint32_t> numbers(size);
    std::iota(numbers.begin(), numbers.end(), 7U);
    return numbers;
}
/// Arrays around the size up to which one stands in the directory.
const std::vector<std::size_t> sizes{0, 1, 2, 3, 63, 64, 65, 66, 1'000};

std::string small_archive() {
    return archived([](archive_writer& to) {
        to.number(odd);
        to.text("a text");
        to.array(std::span<const std::uint32_t>(counted(100)));
        to.array(std::span<const std::uint32_t>(counted(3)));
    });
}

/// Returns true if the archive reads as small_archive() does.
bool is_small_archive(archive_reader from) {
    const bool is_same = from.number() == odd && from.text() == "a text";
    const auto longer = from.view<std::uint32_t>(), shorter = from.view<std::uint32_t>();
    return is_same && std::ranges::equal(longer, counted(100)) &&
           std::ranges::equal(shorter, counted(3)) && from.is_done();
}

archive_fault fault_of(const archive_reader& from) {
    if (from.fault() != archive_fault::none) return from.fault();
    return from.data_fault([] { return true; });
}

}  // namespace

TEST_CASE("an archive holds numbers, texts and arrays of all sizes in their order") {
    const std::string bytes = archived([](archive_writer& to) {
        for (const std::size_t size : sizes) {
            to.number(size * odd);
            to.text(std::string(size, 'x'));
            to.array(std::span<const std::uint32_t>(counted(size)));
        }
    });
    archive_reader from = reader_of(bytes);
    REQUIRE(fault_of(from) == archive_fault::none);
    for (const std::size_t size : sizes) {
        CAPTURE(size);
        CHECK(from.number() == size * odd);
        CHECK(from.text() == std::string(size, 'x'));
        const auto numbers = from.array<std::uint32_t>();
        CHECK(std::ranges::equal(numbers, counted(size)));
        CHECK(numbers.empty() == (size == 0));
    }
    CHECK(from.is_done());
}

TEST_CASE("long arrays begin at multiples of 64 bytes, and pieces make one") {
    const std::string bytes = archived([](archive_writer& to) {
        to.array(std::span<const std::uint32_t>(counted(1'001)));
        const std::uint64_t begin = to.begin_array();
        for (int i = 0; i < 300'000; ++i) to.piece("piece, ");
        to.end_array(begin, 300'000 * 7);
        to.array(std::span<const std::uint32_t>(counted(1'003)));
    });
    archive_reader from = reader_of(bytes);
    REQUIRE(fault_of(from) == archive_fault::none);
    const auto first = from.view<std::uint32_t>(1'001);
    const std::string_view text = from.text();
    const auto last = from.view<std::uint32_t>(1'003);
    REQUIRE(from.is_done());
    CHECK(reinterpret_cast<std::uintptr_t>(first.data()) % 64 == 0);
    CHECK(reinterpret_cast<std::uintptr_t>(last.data()) % 64 == 0);
    CHECK(std::ranges::equal(last, counted(1'003)));
    REQUIRE(text.size() == 2'100'000);
    CHECK(text.substr(1'048'565, 14) == "piece, piece, ");
}

TEST_CASE("what is cut off anywhere, or goes on, is refused") {
    const std::string bytes = small_archive();
    REQUIRE(fault_of(reader_of(bytes)) == archive_fault::none);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        CAPTURE(size);
        const archive_fault expected =
            size < sizeof(archive::head) ? archive_fault::foreign : archive_fault::cut_off;
        CHECK(fault_of(reader_of(bytes.substr(0, size))) == expected);
    }
    CHECK(fault_of(reader_of(bytes + '\0')) == archive_fault::cut_off);
    CHECK(fault_of(reader_of(bytes + bytes)) == archive_fault::cut_off);
}

TEST_CASE("each bit that flips is found") {
    std::string bytes = small_archive();
    for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
        const auto flip = static_cast<char>(1 << bit % 8);
        bytes[bit / 8] ^= flip;
        CAPTURE(bit);
        CHECK(fault_of(reader_of(bytes)) != archive_fault::none);
        bytes[bit / 8] ^= flip;
    }
    CHECK(is_small_archive(reader_of(bytes)));
}

TEST_CASE("other bytes are foreign, and those of another program another version's") {
    CHECK(fault_of(reader_of({})) == archive_fault::foreign);
    CHECK(fault_of(reader_of(std::string(1'000, '{'))) == archive_fault::foreign);
    std::string bytes = small_archive();
    bytes[sizeof(archive::head::magic)] ^= 1;  // the format
    CHECK(fault_of(reader_of(bytes)) == archive_fault::other_version);
}

TEST_CASE("what is read as something else is empty from there on") {
    const std::string bytes = small_archive();
    using read = void (*)(archive_reader&);
    const read wrong[] = {[](archive_reader& from) { std::ignore = from.number(5); },
                          [](archive_reader& from) { std::ignore = from.count(); },
                          [](archive_reader& from) { std::ignore = from.view<std::uint64_t>(); },
                          [](archive_reader& from) {
                              std::ignore = from.number();
                              std::ignore = from.view<char>(5);
                          },
                          [](archive_reader& from) {
                              std::ignore = from.number();
                              std::ignore = from.text();
                              std::ignore = from.count();
                          },
                          [](archive_reader& from) {
                              for (int i = 0; i < 100; ++i) std::ignore = from.number();
                          }};
    for (const read attempt : wrong) {
        archive_reader from = reader_of(bytes);
        attempt(from);
        CHECK(from.has_failed());
        CHECK_FALSE(from.is_done());
        CHECK(from.number() == 0);
        CHECK(from.text().empty());
        CHECK(from.array<double>().empty());
    }
}

TEST_CASE("an archive is done once all is read") {
    archive_reader from = reader_of(small_archive());
    CHECK_FALSE(from.is_done());
    CHECK_FALSE(from.has_failed());
}

TEST_CASE("a sink that takes no more ends an archive") {
    for (int taken = 0; taken < 4; ++taken) {
        int left = taken;
        archive_writer to([&](std::string_view) { return left-- > 0; }, test_head);
        to.number(1);
        CHECK_FALSE(to.finish());
    }
}

TEST_CASE("a check of the data ends when it is told to") {
    std::string bytes = archived(
        [](archive_writer& to) { to.array(std::span<const std::uint32_t>(counted(1'000'000))); });
    bytes[3 << 20] ^= 1;  // in the fourth MiB
    const archive_reader from = reader_of(bytes);
    for (int chunks = 0; chunks < 5; ++chunks) {
        int left = chunks;
        const bool is_found = from.data_fault([&] { return left-- > 0; }) == archive_fault::damaged;
        CHECK(is_found == (chunks == 4));
    }
}
