// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/store/blocks/row_buffer.hpp>
#include <sluice/store/table.hpp>

using sluice::store::block_rows;
using sluice::store::code;
using sluice::store::dictionary;
using sluice::store::row_buffer;
using sluice::store::schema;
using sluice::store::snapshot;
using sluice::store::table;

namespace {

enum : std::size_t { id_column, arrival_column, derived_column, code_columns };

/// An expected row.
struct row {
    std::int64_t time;
    std::string id;
    code arrival;  // which row it was to be added, from 1

    [[nodiscard]] std::int64_t number() const { return -std::int64_t{arrival} * 1'000'000'007; }
    friend bool operator==(const row&, const row&) = default;
};

bool before(const row& a, const row& b) { return std::tie(a.time, a.id) < std::tie(b.time, b.id); }

/// A table beside a vector that is sorted anew for each batch. The derived column of a row holds a
/// hash of all arrivals up to that row.
class checked_table {
public:
    [[nodiscard]] const std::vector<row>& expected() const { return expected_; }
    [[nodiscard]] snapshot current() const { return rows_.current(); }
    [[nodiscard]] code arrivals() const { return arrivals_; }

    void append(std::vector<std::pair<std::int64_t, std::string>> batch) {
        row_buffer added(rows_.columns());
        const std::size_t size = expected_.size();
        std::size_t earliest = size;
        for (const auto& [time, id] : batch) {
            const row next{time, id, ++arrivals_};
            const std::size_t at = added.add(time);
            added.codes(at)[id_column] = ids_.encode(std::string_view(id));
            added.codes(at)[arrival_column] = next.arrival;
            added.integers(at)[0] = next.number();
            const auto place = std::upper_bound(expected_.begin(),
                                                expected_.begin() + difference(size), next, before);
            earliest = std::min(earliest, static_cast<std::size_t>(place - expected_.begin()));
            expected_.push_back(next);
        }
        std::ranges::sort(expected_, {},
                          [](const row& r) { return std::tie(r.time, r.id, r.arrival); });
        std::vector<std::size_t> derived;
        rows_.append(std::move(added), [&](std::size_t at, std::span<code> codes) {
            derived.push_back(at);
            hashes_.resize(at);
            hashes_.push_back((at == 0 ? 0 : hashes_.back()) * 31 + codes[arrival_column]);
            codes[derived_column] = hashes_.back();
        });
        check_derived(derived, earliest);
    }

    /// Returns true if a snapshot holds these rows.
    static bool holds(const snapshot& rows, const std::vector<row>& expected,
                      const dictionary& ids) {
        if (rows.size() != expected.size()) return false;
        code hash = 0;
        for (std::size_t i = 0; i < expected.size(); ++i) {
            hash = hash * 31 + expected[i].arrival;
            if (rows.time(i) != expected[i].time ||
                ids.text(rows.code_at(i, id_column)) != expected[i].id ||
                rows.code_at(i, arrival_column) != expected[i].arrival ||
                rows.integer_at(i, 0) != expected[i].number() ||
                rows.code_at(i, derived_column) != hash) {
                return false;
            }
        }
        return true;
    }
    [[nodiscard]] bool holds(const snapshot& rows, const std::vector<row>& expected) const {
        return holds(rows, expected, ids_);
    }
    [[nodiscard]] bool is_right() const { return holds(rows_.current(), expected_); }

private:
    static std::ptrdiff_t difference(std::size_t size) { return static_cast<std::ptrdiff_t>(size); }

    /// derive() is called in order for all rows from the first one that is new or moved, or from
    /// one of its block.
    void check_derived(const std::vector<std::size_t>& derived, std::size_t earliest) const {
        if (derived.empty()) {
            CHECK(earliest == expected_.size());
            return;
        }
        CHECK(derived.front() <= earliest);
        CHECK(derived.front() / block_rows == earliest / block_rows);
        CHECK(derived.back() == expected_.size() - 1);
        CHECK(derived.size() == expected_.size() - derived.front());
        CHECK(std::ranges::is_sorted(derived));
    }

    dictionary ids_;
    table rows_{schema{code_columns, 1, id_column, &ids_}};
    std::vector<row> expected_;
    std::vector<code> hashes_;
    code arrivals_ = 0;
};

using batch = std::vector<std::pair<std::int64_t, std::string>>;

batch in_order(std::size_t rows, std::int64_t first) {
    batch added;
    for (std::size_t i = 0; i < rows; ++i) {
        added.emplace_back(first + static_cast<std::int64_t>(i), "row");
    }
    return added;
}

}  // namespace

TEST_CASE("an empty table has no rows") {
    checked_table rows;
    CHECK(rows.current().size() == 0);
    CHECK(rows.current().lower_bound(0, "") == 0);
    CHECK(rows.current().upper_bound(0, "") == 0);
    CHECK(rows.current().upper_bound(0) == 0);
    rows.append({});
    CHECK(rows.is_right());
    CHECK(rows.current().size() == 0);
}

TEST_CASE("rows are ordered by time, then by the text of their id, then by arrival") {
    checked_table rows;
    rows.append({{2, "b"}, {1, "b"}, {2, "a"}, {1, "b"}, {2, "B"}});
    CHECK(rows.is_right());
    rows.append({{2, "b"}, {-5, "\xFF"}, {2, ""}, {1, "b"}, {-5, "\u00E9"}});
    CHECK(rows.is_right());
    const std::vector<row> sorted{{-5, "\u00E9", 10}, {-5, "\xFF", 7}, {1, "b", 2}, {1, "b", 4},
                                  {1, "b", 9},        {2, "", 8},      {2, "B", 5}, {2, "a", 3},
                                  {2, "b", 1},        {2, "b", 6}};
    CHECK(rows.expected() == sorted);
}

TEST_CASE("times may be any number") {
    constexpr auto least = std::numeric_limits<std::int64_t>::min();
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    checked_table rows;
    rows.append({{most, "a"}, {0, "a"}, {least, "a"}});
    CHECK(rows.is_right());
    CHECK(rows.current().lower_bound(least, "") == 0);
    CHECK(rows.current().upper_bound(least) == 1);
    CHECK(rows.current().lower_bound(most, "") == 2);
    CHECK(rows.current().upper_bound(most) == 3);
}

TEST_CASE("a table agrees with a sorted vector, and its snapshots stay as they were") {
    struct kept {
        snapshot rows;
        std::vector<row> expected;
    };
    for (unsigned seed = 0; seed < 60; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        const std::int64_t spread = 1 + static_cast<std::int64_t>(random() % 50);
        std::int64_t clock = 0;
        checked_table rows;
        std::vector<kept> snapshots;
        for (int i = 0; i < 40; ++i) {
            if (random() % 4 == 0) snapshots.push_back({rows.current(), rows.expected()});
            batch added(random() % 12);
            for (auto& [time, id] : added) {
                const bool is_late = random() % 5 == 0;
                clock += random() % 3;
                time = is_late ? clock - static_cast<std::int64_t>(random()) % spread : clock;
                id = std::to_string(random() % 4);
            }
            rows.append(std::move(added));
            REQUIRE(rows.is_right());
        }
        for (const kept& kept_rows : snapshots)
            REQUIRE(rows.holds(kept_rows.rows, kept_rows.expected));
    }
}

TEST_CASE("a snapshot finds times and ids as a sorted vector does") {
    std::mt19937 random(5);
    checked_table rows;
    batch added(300);
    for (auto& [time, id] : added) {
        time = static_cast<std::int64_t>(random() % 40) * 2;
        id = std::to_string(random() % 20 * 2);
    }
    rows.append(std::move(added));
    const snapshot now = rows.current();
    const std::vector<row>& all = rows.expected();
    const auto index = [&](auto place) { return static_cast<std::size_t>(place - all.begin()); };
    for (std::int64_t time = -1; time < 82; ++time) {
        for (const char* id : {"", "0", "1", "10", "2", "38", "4", "40", "x"}) {
            const row wanted{time, id, 0};
            CHECK(now.lower_bound(time, id) ==
                  index(std::ranges::lower_bound(all, wanted, before)));
            CHECK(now.upper_bound(time, id) ==
                  index(std::ranges::upper_bound(all, wanted, before)));
        }
        CHECK(now.upper_bound(time) == index(std::ranges::upper_bound(all, time, {}, &row::time)));
    }
}

TEST_CASE("a table grows across the edges of its blocks") {
    static_assert(block_rows == 65'536);
    for (const std::size_t size : {65'535U, 65'536U, 65'537U, 131'072U}) {
        CAPTURE(size);
        checked_table rows;
        rows.append(in_order(size, 0));
        REQUIRE(rows.is_right());
        const snapshot old = rows.current();
        const std::vector<row> then = rows.expected();
        const auto next = static_cast<std::int64_t>(size);
        for (std::int64_t i = 0; i < 3; ++i) rows.append({{next + i, "row"}});
        REQUIRE(rows.is_right());
        rows.append(in_order(70'000, next + 3));
        REQUIRE(rows.is_right());
        REQUIRE(rows.holds(old, then));
    }
}

TEST_CASE("a small table's open block has room for its rows, up to twice as many") {
    checked_table rows;
    std::vector<snapshot> all;
    std::vector<std::size_t> capacities;
    for (std::int64_t time = 0; time < 1'100; ++time) {
        rows.append({{time, "row"}});
        const std::size_t capacity = rows.current().open()->capacity();
        if (!capacities.empty() && capacities.back() == capacity) continue;
        capacities.push_back(capacity);
        all.push_back(rows.current());  // with the block's first row
    }
    CHECK(capacities == std::vector<std::size_t>{64, 128, 256, 512, 1'024, block_rows});
    CHECK(rows.is_right());
    for (const snapshot& earlier : all) {
        const auto end = rows.expected().begin() + static_cast<std::ptrdiff_t>(earlier.size());
        CHECK(rows.holds(earlier, {rows.expected().begin(), end}));
    }
    const std::int64_t late[] = {5, 7};
    for (const std::int64_t time : late) rows.append({{time, "late"}});
    CHECK(rows.is_right());
}

TEST_CASE("rows that are added at once find room at once") {
    for (const std::size_t size : {1U, 64U, 65U, 1'000U, 1'025U}) {
        checked_table rows;
        rows.append(in_order(size, 0));
        const std::size_t room =
            size > 1'024 ? block_rows : std::bit_ceil(std::max<std::size_t>(size, 64));
        CHECK(rows.current().open()->capacity() == room);
        CHECK(rows.current().stats().times == room * sizeof(std::int64_t));
        CHECK(rows.is_right());
    }
}

TEST_CASE("late rows take their place on either side of a block's edge") {
    constexpr std::int64_t edge = 2 * 65'536;  // the time of the first row of the second block
    for (const std::int64_t late : {std::int64_t{-1}, edge - 1, edge + 1, 2 * edge + 1}) {
        CAPTURE(late);
        checked_table rows;
        batch even = in_order(2 * 65'536 + 10, 0);
        for (auto& [time, id] : even) time *= 2;
        rows.append(std::move(even));
        const snapshot old = rows.current();
        const std::vector<row> then = rows.expected();
        rows.append({{late, "row"}});
        REQUIRE(rows.is_right());
        rows.append({{late, "row"}, {edge, "row"}, {late, "a"}, {3 * edge, "row"}});
        REQUIRE(rows.is_right());
        REQUIRE(rows.holds(old, then));
    }
}

TEST_CASE("rows that are written past a snapshot's end don't show in it") {
    checked_table rows;
    rows.append(in_order(10, 0));
    const snapshot first = rows.current();
    const std::vector<row> then = rows.expected();
    rows.append(in_order(10, 100));
    rows.append({{50, "late"}});  // rewrites the block
    rows.append(in_order(10, 200));
    const snapshot last = rows.current();
    CHECK(rows.holds(first, then));
    CHECK(first.upper_bound(1'000) == 10);
    CHECK(last.size() == 31);
    CHECK(rows.is_right());
}

TEST_CASE("a snapshot outlives its table's changes, whatever they are") {
    dictionary ids;
    snapshot kept;
    {
        table rows(schema{code_columns, 1, id_column, &ids});
        row_buffer added(rows.columns());
        added.codes(added.add(7))[id_column] = ids.encode(std::string_view("a"));
        rows.append(std::move(added), [](std::size_t, std::span<code>) {});
        kept = rows.current();
    }
    CHECK(kept.size() == 1);
    CHECK(kept.time(0) == 7);
    CHECK(ids.text(kept.code_at(0, id_column)) == "a");
    CHECK(snapshot().size() == 0);
}

TEST_CASE("a buffer fills its rows with absent codes and zeros, and takes others after them") {
    dictionary ids;
    const schema columns{code_columns, 2, id_column, &ids};
    row_buffer first(columns);
    row_buffer second(columns);
    CHECK(first.add(3) == 0);
    CHECK(first.add(1) == 1);
    CHECK(second.add(2) == 0);
    CHECK(first.codes(0).size() == code_columns);
    CHECK(first.integers(1).size() == 2);
    CHECK(std::ranges::count(first.codes(1), sluice::store::absent) == code_columns);
    CHECK(first.integers(1)[1] == 0);
    second.integers(0)[1] = 5;
    first.append(second);
    CHECK(first.size() == 3);
    CHECK(first.integers(2)[1] == 5);
    CHECK(first.order() == std::vector<std::size_t>{1, 2, 0});
}

TEST_CASE("the rows of a buffer stay in place while others are added and dropped") {
    constexpr std::size_t rows = 1000;
    dictionary ids;
    row_buffer buffer({code_columns, 1, id_column, &ids});
    std::vector<const code*> places;
    const auto fill = [&](std::size_t from) {
        for (std::size_t row = from; row < rows; ++row) {
            CHECK(buffer.add(static_cast<std::int64_t>(row)) == row);
            CHECK(std::ranges::count(buffer.codes(row), sluice::store::absent) == code_columns);
            buffer.codes(row).back() = static_cast<code>(row + 1);
            buffer.integers(row)[0] = static_cast<std::int64_t>(row);
        }
    };
    const auto check_rows = [&] {
        for (std::size_t row = 0; row < rows; ++row) {
            CHECK(buffer.codes(row).back() == row + 1);
            CHECK(buffer.integers(row)[0] == static_cast<std::int64_t>(row));
            CHECK(buffer.time(row) == static_cast<std::int64_t>(row));
        }
    };
    fill(0);
    for (std::size_t row = 0; row < rows; ++row) places.push_back(buffer.codes(row).data());
    check_rows();
    buffer.shrink(23);  // of 8 + 16
    CHECK(buffer.size() == 23);
    fill(23);
    check_rows();
    for (std::size_t row = 0; row < rows; ++row) CHECK(buffer.codes(row).data() == places[row]);
}
