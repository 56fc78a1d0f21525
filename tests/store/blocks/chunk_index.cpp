// SPDX-License-Identifier: MIT
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/store/plan/scan.hpp>
#include <sluice/store/table.hpp>

using namespace sluice::store;

namespace {

using chunk = std::vector<code>;

chunk make_chunk(const std::function<std::size_t(std::size_t row)>& code_of) {
    chunk codes(chunk_rows);
    for (std::size_t row = 0; row < chunk_rows; ++row) codes[row] = static_cast<code>(code_of(row));
    return codes;
}
/// Neither in order nor in the pattern of a word.
std::size_t mixed(std::size_t row) { return row * 2'654'435'761U % 1'000'003; }

const std::vector<chunk> chunks{
    make_chunk([](std::size_t) { return 7; }),
    make_chunk([](std::size_t row) { return 3 + mixed(row) % 2; }),
    make_chunk([](std::size_t row) { return mixed(row) % 300; }),
    make_chunk([](std::size_t row) { return mixed(row) % 2'048; }),
    make_chunk([](std::size_t row) { return mixed(row) % 2'049; }),
    make_chunk([](std::size_t row) { return 5 + row; }),
    make_chunk([](std::size_t row) { return mixed(row) % 3 == 0 ? 1 : 2'049 * (row % 5); }),
    make_chunk([](std::size_t row) {
        return row < 255 ? 0 : row < 511 ? 1 : row < 768 ? 2 : 3;
    }),
    make_chunk([](std::size_t row) { return row % 2 == 0 ? 0 : ~code{0} - row / 4; })};

/// Returns the codes of a chunk, and others next to them and far from them.
std::set<code> probes_of(const chunk& codes) {
    std::set<code> probes{0, 1, 2'048, ~code{0}};
    for (const code c : codes) {
        for (const code probe : {c - 1, c, c + 1, c + 2'048}) probes.insert(probe);
    }
    return probes;
}

}  // namespace

TEST_CASE("a chunk's index knows the rows of each code, in all of the chunk and in parts of it") {
    struct part {
        std::size_t first_word, words;
    };
    for (const chunk& codes : chunks) {
        const chunk_index index(codes.data());
        std::size_t wrong = 0;
        for (const code c : probes_of(codes)) {
            for (const auto& [first, words] : {part{0, 64}, part{0, 1}, part{3, 60}, part{63, 1}}) {
                std::array<std::uint64_t, 64> bits{1};  // of a row that another code has
                index.add_rows(c, codes.data(), {first, words, bits.data()});
                for (std::size_t at = 0; at < words * 64; ++at) {
                    const bool is_set = ((bits[at / 64] >> (at % 64)) & 1) != 0;
                    wrong += is_set != (at == 0 || codes[first * 64 + at] == c) ? 1 : 0;
                }
            }
        }
        CHECK(wrong == 0);
    }
}

TEST_CASE("a chunk's index takes no more than its codes, and tells what a code's rows cost") {
    for (const chunk& codes : chunks) {
        const chunk_index index(codes.data());
        CHECK(index.size_in_bytes() <= chunk_rows * sizeof(code));
    }
    CHECK(chunk_index(chunks[0].data()).size_in_bytes() == 0);
    const chunk_index few(chunks[1].data());
    CHECK(few.bytes(3) == chunk_words * sizeof(std::uint64_t));
    CHECK(few.bytes(5) == 0);
}

namespace {

/// A table of three codes, whose rows show after each of some appends.
class growing_table {
public:
    growing_table() {
        ids_.encode(std::string_view("row"));
        table_.project_counts({});  // nothing but chunks to maintain
    }

    void append(std::size_t rows) {
        row_buffer added(table_.columns());
        for (; rows > 0; --rows) {
            const auto codes = added.codes(added.add(static_cast<std::int64_t>(size_)));
            codes[0] = 1;
            codes[1] = static_cast<code>(mixed(size_) % 3);
            codes[2] = static_cast<code>(mixed(size_) % 50'000);
            ++size_;
        }
        table_.append(std::move(added), [](std::size_t, std::span<code>) {});
    }
    [[nodiscard]] snapshot current() const { return table_.current(); }
    [[nodiscard]] std::size_t indexed() const {
        const snapshot now = current();
        return now.open() ? now.open()->chunks() : 0;
    }
    bool maintain() { return table_.maintain(); }

private:
    dictionary ids_;
    table table_{schema{3, 0, 0, &ids_}};
    std::size_t size_ = 0;
};

selection conditions(bool excludes) {
    selection wanted;
    wanted.conditions.push_back({1, code_set({2}, excludes)});
    wanted.conditions.push_back({2, code_set({17, 170, 1'700, 60'000}, !excludes)});
    return wanted;
}
std::int64_t counted(const snapshot& rows, const selection& wanted) {
    std::int64_t all = 0;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        bool meets = true;
        for (const condition& condition : wanted.conditions) {
            meets = meets && condition.accepted.contains(rows.code_at(row, condition.column));
        }
        all += meets ? 1 : 0;
    }
    return all;
}

}  // namespace

TEST_CASE("the open block is read by the index of its chunks as they become full") {
    growing_table rows;
    std::vector<snapshot> seen;
    for (const std::size_t added : {4'095U, 1U, 1U, 8'191U, 20'000U, 33'247U, 1U, 9'000U}) {
        rows.append(added);
        while (rows.maintain()) {
        }
        seen.push_back(rows.current());
    }
    for (const snapshot& now : seen) {
        CAPTURE(now.size());
        for (const bool excludes : {false, true}) {
            const selection wanted = conditions(excludes);
            const std::int64_t expected = counted(now, wanted);
            const auto planned = scan(now, wanted).explain().value();
            const auto done = scan(now, wanted).analyze().value();
            CHECK(done.matching == expected);
            CHECK(planned[access_path::bitmaps].bytes == done[access_path::bitmaps].bytes);
            CHECK(scan(now, wanted, {.forced = access_path::code_scan}).count() == expected);
            const bool has_chunk = now.size() % block_rows >= chunk_rows;
            CHECK(done[access_path::code_scan].blocks ==
                  (now.size() % block_rows == 0 || has_chunk ? 0U : 1U));
        }
    }
    CHECK((*scan(seen[1], conditions(false)).explain())[access_path::bitmaps].bytes <
          chunk_rows * sizeof(code));
}

TEST_CASE("an append of fewer rows than a chunk leaves its index to be made") {
    struct step {
        std::size_t rows, indexed, maintained;  // chunks once they are added, and maintained
    };
    growing_table rows;
    for (const auto& [added, indexed, maintained] :
         {step{4'095, 0, 0}, step{1, 0, 1}, step{4'095, 1, 1}, step{16'385, 6, 6},
          step{4'095, 6, 6}, step{4'095, 6, 7}, step{28'672, 14, 14}, step{4'095, 14, 15},
          step{3, 0, 0}, step{1, 0, 0}, step{4'095, 0, 1}, step{2, 1, 1}, step{4'096, 2, 2},
          step{70'000, 3, 3}}) {
        rows.append(added);
        CAPTURE(rows.current().size());
        CHECK(rows.indexed() == indexed);
        const std::int64_t expected = counted(rows.current(), conditions(false));
        CHECK(scan(rows.current(), conditions(false)).count() == expected);
        CHECK(rows.maintain() == (indexed < maintained));
        CHECK_FALSE(rows.maintain());
        CHECK(rows.indexed() == maintained);
        CHECK(scan(rows.current(), conditions(false)).count() == expected);
    }
}
