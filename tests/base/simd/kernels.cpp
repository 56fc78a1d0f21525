// SPDX-License-Identifier: MIT
// Every kernel of every level that the machine runs, against naive loops over rows. Inputs and
// results end where a page without access begins, so that a read or write past them is a crash.
#include <algorithm>
#include <limits>
#include <memory>
#include <random>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <sys/mman.h>

#include <sluice/base/simd/kernels.hpp>

using namespace sluice;
using namespace sluice::detail::simd;

namespace {

/// Elements whose end (or, `from_start`, whose beginning) touches a page without access.
template <class Element>
class guarded {
public:
    explicit guarded(std::size_t size, bool from_start = false) : size_(size) {
        const std::size_t room = (size * sizeof(Element) + page - 1) / page * page;
        bytes_ = room + 2 * page;
        void* all = mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        REQUIRE(all != MAP_FAILED);
        begin_ = static_cast<std::byte*>(all);
        std::byte* const data = begin_ + page;
        if (room != 0) REQUIRE(mprotect(data, room, PROT_READ | PROT_WRITE) == 0);
        data_ =
            reinterpret_cast<Element*>(from_start ? data : data + room - size * sizeof(Element));
    }
    template <class Range>
    static guarded copy_of(const Range& range, bool from_start = false) {
        guarded copy(range.size(), from_start);
        std::copy(range.begin(), range.end(), copy.data_);
        return copy;
    }
    guarded(guarded&& other) noexcept
        : begin_(std::exchange(other.begin_, nullptr)),
          data_(other.data_),
          bytes_(other.bytes_),
          size_(other.size_) {}
    guarded& operator=(guarded&&) = delete;
    ~guarded() {
        if (begin_ != nullptr) munmap(begin_, bytes_);
    }

    [[nodiscard]] Element* data() const { return data_; }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::vector<Element> list() const { return {data_, data_ + size_}; }

private:
    static constexpr std::size_t page = 65'536;  // a multiple of every machine's
    std::byte* begin_ = nullptr;
    Element* data_ = nullptr;
    std::size_t bytes_ = 0;
    std::size_t size_ = 0;
};

using words = std::vector<std::uint64_t>;
using random_source = std::mt19937_64;

constexpr std::array<std::size_t, 13> row_counts{0,   1,     2,     63,     64,     65,    127,
                                                 200, 4'095, 8'200, 65'535, 65'536, 65'537};

std::size_t word_count(std::size_t rows) { return (rows + 63) / 64; }

template <class Code, class Accepts>
words naive_match(std::span<const Code> codes, const Accepts& accepts) {
    words bitmap(word_count(codes.size()));
    for (std::size_t row = 0; row < codes.size(); ++row) {
        if (accepts(codes[row])) bitmap[row / 64] |= std::uint64_t{1} << row % 64;
    }
    return bitmap;
}

std::size_t naive_count(const words& bitmap) {
    std::size_t count = 0;
    for (std::size_t row = 0; row < 64 * bitmap.size(); ++row) {
        count += bitmap[row / 64] >> row % 64 & 1;
    }
    return count;
}

/// Codes that are all, mostly, sometimes or never among `wanted`, in runs and one by one.
template <class Code>
std::vector<Code> draw_codes(random_source& random, std::size_t rows,
                             const std::vector<Code>& wanted, std::uint64_t span, int mode) {
    std::vector<Code> codes(rows);
    for (std::size_t row = 0; row < rows; ++row) {
        const bool in_run = mode == 3 ? row / 96 % 2 == 0 : random() % 4 < std::uint64_t(mode);
        if (row % 3 != 0 && mode == 3 && row != 0) {
            codes[row] = codes[row - 1];
        } else if (in_run && !wanted.empty()) {
            codes[row] = wanted[random() % wanted.size()];
        } else {
            codes[row] = static_cast<Code>(random() % span);
        }
    }
    return codes;
}

/// Calls `check` at every level, naming it where the check fails.
template <class Check>
void at_every_level(const Check& check) {
    for (const simd_level level : supported_simd_levels()) {
        const std::string name{to_string(level)};
        CAPTURE(name);
        check(*kernels_of(level));
    }
}

/// `match(kernels, codes, bitmap)` gives the bits of `expected`, wherever the codes begin.
template <class Code, class Match>
void check_match(const std::vector<Code>& codes, const words& expected, const Match& match) {
    CAPTURE(codes.size());
    for (const bool from_start : {false, true}) {
        const auto input = guarded<Code>::copy_of(codes, from_start);
        at_every_level([&](const kernels& level) {
            auto bitmap = guarded<std::uint64_t>::copy_of(words(expected.size(), 0x5a5a));
            match(level, input.data(), bitmap.data());
            CHECK((bitmap.list() == expected));
        });
    }
}

void check_byte_set(random_source& random, const std::vector<std::uint8_t>& members, int mode) {
    byte_set accepted;
    for (const std::uint8_t member : members) accepted.insert(member);
    const std::set<std::uint8_t> wanted(members.begin(), members.end());
    CAPTURE(wanted.size());
    for (const std::size_t rows : row_counts) {
        const auto codes = draw_codes<std::uint8_t>(random, rows, members, 256, mode);
        const auto expected = naive_match<std::uint8_t>(
            codes, [&](std::uint8_t code) { return wanted.contains(code); });
        const auto count = naive_count(expected);
        check_match(codes, expected, [&](const kernels& level, const auto* from, auto* to) {
            level.match_u8(from, rows, accepted, to);
            CHECK(level.count_u8(from, rows, accepted) == count);
        });
    }
}

std::vector<std::uint8_t> draw_members(random_source& random, std::size_t count) {
    std::vector<std::uint8_t> all(256);
    for (std::size_t i = 0; i < 256; ++i) all[i] = static_cast<std::uint8_t>(i);
    std::shuffle(all.begin(), all.end(), random);
    all.resize(count);
    return all;
}

}  // namespace

constexpr std::array<std::size_t, 15> set_sizes{0,  1,  2,   3,   4,   9,   10, 11,
                                                16, 17, 128, 245, 246, 255, 256};

TEST_CASE("byte codes in a set of any size, at every level") {
    random_source random(1);
    for (const std::size_t count : set_sizes) {
        for (const int mode : {0, 2, 3}) check_byte_set(random, draw_members(random, count), mode);
    }
}

TEST_CASE("each byte code is told from each other, at every level") {
    std::vector<std::uint8_t> codes(256);
    for (std::size_t i = 0; i < 256; ++i) codes[i] = static_cast<std::uint8_t>(i);
    for (std::size_t member = 0; member < 256; ++member) {
        byte_set accepted;
        accepted.insert(static_cast<std::uint8_t>(member));
        const auto expected = naive_match<std::uint8_t>(
            codes, [&](std::uint8_t code) { return std::size_t{code} == member; });
        at_every_level([&](const kernels& level) {
            words bitmap(4);
            level.match_u8(codes.data(), codes.size(), accepted, bitmap.data());
            CHECK((bitmap == expected));
            for (auto& word : accepted.bits) word = ~word;
            level.match_u8(codes.data(), codes.size(), accepted, bitmap.data());
            for (auto& word : bitmap) word = ~word;
            CHECK((bitmap == expected));
            CHECK(level.count_u8(codes.data(), codes.size(), accepted) == 255);
            for (auto& word : accepted.bits) word = ~word;
        });
    }
}

TEST_CASE("any start and any length, at every level") {
    random_source random(2);
    const auto codes = draw_codes<std::uint8_t>(random, 400, {7, 200}, 256, 2);
    byte_set accepted;
    for (const unsigned member : {7U, 8U, 63U, 64U, 200U, 255U}) {
        accepted.insert(static_cast<std::uint8_t>(member));
    }
    for (std::size_t begin = 0; begin < 70; ++begin) {
        for (std::size_t rows = 0; rows < 200; rows += 1 + begin % 3) {
            const std::span<const std::uint8_t> part(codes.data() + begin, rows);
            const auto expected = naive_match<std::uint8_t>(
                part, [&](std::uint8_t code) { return accepted.contains(code); });
            at_every_level([&](const kernels& level) {
                words bitmap(expected.size());
                level.match_u8(part.data(), rows, accepted, bitmap.data());
                CHECK((bitmap == expected));
            });
        }
    }
}

constexpr std::array<std::size_t, 15> table_sizes{0,   1,   31,  32,  33,    63,     64,    65,
                                                  257, 511, 512, 513, 5'000, 65'535, 65'536};

constexpr std::array<std::size_t, 7> value_counts{0, 1, 2, 3, 7, 15, 16};

TEST_CASE_TEMPLATE("wide codes in a table, at every level", Code, std::uint16_t, std::uint32_t) {
    random_source random(3);
    constexpr std::uint64_t greatest = std::numeric_limits<Code>::max();
    for (const std::size_t known : table_sizes) {
        words table(word_count(known));
        for (auto& word : table) word = random() & random();
        // Bits past the known codes mean nothing.
        const auto bits = guarded<std::uint64_t>::copy_of(table);
        const auto edge = static_cast<Code>(std::min<std::uint64_t>(known, greatest));
        const std::vector<Code> edges{0, static_cast<Code>(edge / 2),
                                      static_cast<Code>(edge - (edge != 0 ? 1 : 0)), edge,
                                      static_cast<Code>(greatest)};
        for (const bool others : {false, true}) {
            CAPTURE(known);
            CAPTURE(others);
            const code_bits accepted{bits.data(), known, others};
            for (const std::size_t rows : row_counts) {
                const std::uint64_t span =
                    std::min<std::uint64_t>(random() % 2 != 0 ? 2 * known + 2 : greatest, greatest);
                const auto codes = draw_codes<Code>(random, rows, edges, span, 1);
                const auto expected = naive_match<Code>(codes, [&](Code code) {
                    return code < known ? (table[code / 64] >> code % 64 & 1) != 0 : others;
                });
                check_match(codes, expected, [&](const kernels& level, const Code* from, auto* to) {
                    if constexpr (sizeof(Code) == 2) level.match_u16(from, rows, accepted, to);
                    if constexpr (sizeof(Code) == 4) level.match_u32(from, rows, accepted, to);
                });
            }
        }
    }
}

TEST_CASE_TEMPLATE("numbers in a range, at every level", Number, std::uint16_t, std::uint32_t,
                   std::uint64_t) {
    random_source random(9);
    constexpr Number greatest = std::numeric_limits<Number>::max(), sign = greatest / 2 + 1;
    const std::array<Number, 7> edges{0, 1, sign - 1, sign, 1'000, greatest - 1, greatest};
    for (const Number least : edges) {
        for (const Number span : edges) {
            CAPTURE(least);
            CAPTURE(span);
            const std::size_t rows = row_counts[random() % row_counts.size()];
            auto numbers =
                draw_codes<Number>(random, rows, {edges.begin(), edges.end()}, greatest, 2);
            for (Number& number : numbers) {
                if (random() % 4 == 0) number = static_cast<Number>(least + span + random() % 3);
                if (random() % 4 == 0) number = static_cast<Number>(least - random() % 2);
            }
            const auto expected = naive_match<Number>(numbers, [&](Number number) {
                const auto last = static_cast<Number>(least + span);
                return last >= least ? number >= least && number <= last
                                     : number >= least || number <= last;
            });
            check_match(numbers, expected, [&](const kernels& level, const Number* from, auto* to) {
                if constexpr (sizeof(Number) == 2)
                    level.match_range_u16(from, rows, least, span, to);
                if constexpr (sizeof(Number) == 4)
                    level.match_range_u32(from, rows, least, span, to);
                if constexpr (sizeof(Number) == 8)
                    level.match_range_u64(from, rows, least, span, to);
            });
        }
    }
}

TEST_CASE("a table may be longer than codes are wide, at every level") {
    const words table(word_count(70'000), ~std::uint64_t{0});
    const std::vector<std::uint16_t> codes{0, 1, 65'534, 65'535};
    at_every_level([&](const kernels& level) {
        words bitmap(1);
        level.match_u16(codes.data(), 4, {table.data(), 70'000, false}, bitmap.data());
        CHECK(bitmap[0] == 15);
    });
}

TEST_CASE_TEMPLATE("wide codes equal to a few values, at every level", Code, std::uint16_t,
                   std::uint32_t) {
    random_source random(4);
    constexpr Code greatest = std::numeric_limits<Code>::max();
    // Of 16 bits from any place on: of all of them, of those below 512, of some that low bits tell
    // apart and some that no bits beside each other do.
    const auto draw = [&](std::size_t kind, std::size_t count) {
        std::vector<Code> values(count);
        for (std::size_t i = 0; i < count; ++i) {
            const std::array<std::uint64_t, 4> kinds{random(), random() % 512, 600 + 33 * i,
                                                     std::uint64_t{i % 4} << 12 | i / 4};
            values[i] = static_cast<Code>(kinds[kind]);
        }
        if (kind == 0 && count > 2) values[0] = 0, values[1] = greatest;
        return values;
    };
    for (std::size_t turn = 0; turn < 4 * value_counts.size(); ++turn) {
        const std::size_t count = value_counts[turn / 4];
        const std::vector<Code> values = draw(turn % 4, count);
        CAPTURE(turn);
        const auto few = guarded<Code>::copy_of(values);
        for (const std::size_t rows : row_counts) {
            auto codes = draw_codes<Code>(random, rows, values, greatest, 2);
            for (auto& code : codes) {
                if (random() % 8 == 0) code = static_cast<Code>(code ^ 1U << random() % 16);
            }
            const auto expected = naive_match<Code>(codes, [&](Code code) {
                return std::find(values.begin(), values.end(), code) != values.end();
            });
            check_match(codes, expected, [&](const kernels& level, const Code* from, auto* to) {
                if constexpr (sizeof(Code) == 2)
                    level.match_few_u16(from, rows, few.data(), count, to);
                if constexpr (sizeof(Code) == 4)
                    level.match_few_u32(from, rows, few.data(), count, to);
            });
        }
    }
}

namespace {

/// Bitmaps of every density, in words that are empty, full, sparse and dense.
words draw_bitmap(random_source& random, std::size_t size, int mode) {
    words bitmap(size);
    for (auto& word : bitmap) {
        switch (mode == 5 ? static_cast<int>(random() % 5) : mode) {
            case 0: word = 0; break;
            case 1: word = ~std::uint64_t{0}; break;
            case 2: word = std::uint64_t{1} << random() % 64; break;
            case 3: word = random() & random() & random(); break;
            default: word = random(); break;
        }
    }
    return bitmap;
}

constexpr std::array<std::size_t, 12> bitmap_sizes{0, 1, 2, 3, 7, 8, 9, 15, 31, 33, 1'023, 1'024};

}  // namespace

TEST_CASE("bits in one and in all bitmaps are counted, at every level") {
    random_source random(5);
    for (const std::size_t size : bitmap_sizes) {
        for (const int mode : {0, 1, 2, 3, 4, 5}) {
            std::vector<guarded<std::uint64_t>> bitmaps;
            std::vector<const std::uint64_t*> pointers;
            words common(size, ~std::uint64_t{0});
            for (std::size_t count = 1; count <= 9; ++count) {
                const words bitmap = draw_bitmap(random, size, count > 1 ? mode | 1 : mode);
                bitmaps.push_back(guarded<std::uint64_t>::copy_of(bitmap));
                pointers.push_back(bitmaps.back().data());
                for (std::size_t word = 0; word < size; ++word) common[word] &= bitmap[word];
                at_every_level([&](const kernels& level) {
                    CHECK(level.count_all(pointers.data(), count, size) == naive_count(common));
                    CHECK(level.count_bits(pointers.back(), size) == naive_count(bitmap));
                });
            }
        }
    }
}

TEST_CASE("bitmaps are combined word by word, at every level") {
    random_source random(6);
    for (const std::size_t size : bitmap_sizes) {
        const words left = draw_bitmap(random, size, 4);
        const words right = draw_bitmap(random, size, 5);
        const auto with = guarded<std::uint64_t>::copy_of(right);
        at_every_level([&](const kernels& level) {
            const auto both = guarded<std::uint64_t>::copy_of(left);
            const auto without = guarded<std::uint64_t>::copy_of(left);
            const auto either = guarded<std::uint64_t>::copy_of(left);
            level.intersect(both.data(), with.data(), size);
            level.subtract(without.data(), with.data(), size);
            level.unite(either.data(), with.data(), size);
            for (std::size_t word = 0; word < size; ++word) {
                CHECK(both.data()[word] == (left[word] & right[word]));
                CHECK(without.data()[word] == (left[word] & ~right[word]));
                CHECK(either.data()[word] == (left[word] | right[word]));
            }
        });
    }
}

TEST_CASE("set bits are listed in order with no room to spare, at every level") {
    random_source random(7);
    for (const std::size_t size : bitmap_sizes) {
        for (const int mode : {0, 1, 2, 3, 4, 5, 5, 5}) {
            const words bitmap = draw_bitmap(random, size, mode);
            std::vector<std::uint16_t> expected;
            for (std::size_t row = 0; row < 64 * size; ++row) {
                if ((bitmap[row / 64] >> row % 64 & 1) != 0) {
                    expected.push_back(static_cast<std::uint16_t>(row));
                }
            }
            const auto input = guarded<std::uint64_t>::copy_of(bitmap);
            at_every_level([&](const kernels& level) {
                const guarded<std::uint16_t> rows(expected.size());
                CHECK(level.list_rows(input.data(), size, rows.data()) == expected.size());
                CHECK((rows.list() == expected));
            });
        }
    }
}

TEST_CASE(
    "backslashes, and quotes before a wanted byte, are found in texts of any size, at every "
    "level") {
    random_source random(8);
    constexpr std::string_view often = "\"\\abc ";
    for (std::size_t size = 0; size < 200; ++size) {
        for (const unsigned rare : {2U, 8U, 64U, 1'000U}) {
            std::string text(size, 'x');
            for (char& byte : text) {
                if (random() % rare == 0) byte = often[random() % often.size()];
            }
            after_quote wanted{{'a', '"', '\xE9', 'b'}, random() % 5};
            const auto is_found = [&](std::size_t at) {
                const auto end = wanted.bytes.begin() + static_cast<std::ptrdiff_t>(wanted.count);
                return text[at] == '\\' || (text[at] == '"' && std::find(wanted.bytes.begin(), end,
                                                                         text[at + 1]) != end);
            };
            const std::size_t begin = size == 0 ? 0 : random() % size;
            std::size_t expected = begin;
            while (expected + 1 < size && !is_found(expected)) ++expected;
            if (expected + 1 >= size) expected = size;
            for (const bool from_start : {false, true}) {
                const auto input = guarded<char>::copy_of(text, from_start);
                at_every_level([&](const kernels& level) {
                    CHECK(level.find_quoted(input.data(), begin, size, wanted) == expected);
                });
            }
        }
    }
}

TEST_CASE("pairs of bytes are found in texts of any size, at every level") {
    random_source random(9);
    for (std::size_t size = 0; size < 300; ++size) {
        for (const unsigned rare : {2U, 8U, 64U, 1'000U}) {
            std::string text(size, 'x');
            for (char& byte : text) {
                if (random() % rare == 0) byte = "ab\xE9"[random() % 3];
            }
            const byte_pair wanted{"a\xE9"[random() % 2], "b\xE9"[random() % 2], random() % 70};
            const std::size_t begin = size == 0 ? 0 : random() % size;
            std::size_t expected = size;
            for (std::size_t at = size; at-- > begin;) {
                const std::size_t last = at + wanted.distance;
                if (last < size && text[at] == wanted.first && text[last] == wanted.last)
                    expected = at;
            }
            for (const bool from_start : {false, true}) {
                const auto input = guarded<char>::copy_of(text, from_start);
                at_every_level([&](const kernels& level) {
                    CHECK(level.find_pair(input.data(), begin, size, wanted) == expected);
                });
            }
        }
    }
}
