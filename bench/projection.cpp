// SPDX-License-Identifier: MIT
// Counts of two to five equalities by count projections and by bitmaps, with the columns inside the
// key, beside it and outside. The key is chosen from queries of one random seed, the measured ones
// are of another. Then the time of appends while units are built.
//
// projection [ROWS [ROUNDS]]    prints a table; times are medians of rounds that take turns
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <sluice/store/scan.hpp>
#include <sluice/store/table.hpp>

namespace {

namespace store = sluice::store;
using clock_type = std::chrono::steady_clock;
using columns_list = std::vector<std::size_t>;

/// The number of values of each column, with frequencies by Zipf's law; column 0 is the id.
constexpr std::array<std::uint32_t, 12> sizes{1, 2, 3, 5, 6, 8, 12, 30, 60, 200, 1'000, 20'000};

class events {
public:
    explicit events(std::uint64_t seed) : random_(seed) {}

    [[nodiscard]] store::row_buffer make(std::size_t rows) {
        store::row_buffer made(table.columns());
        for (std::size_t i = 0; i < rows; ++i) {
            const auto codes = made.codes(made.add(++time_));
            for (std::size_t c = 0; c < sizes.size(); ++c) codes[c] = draw(sizes[c]);
        }
        return made;
    }
    void append(store::row_buffer&& rows) {
        table.append(std::move(rows), [](std::size_t, std::span<store::code>) {});
    }

private:
    /// Draws a number from 1 to `size`, with a probability of about 1/n each.
    store::code draw(std::uint32_t size) {
        const double share = static_cast<double>(random_() >> 11) * 0x1p-53;
        return static_cast<store::code>(std::pow(size + 1.0, share));
    }

    std::mt19937_64 random_;
    store::dictionary ids_;
    store::code id_ = ids_.encode(std::string_view("row"));
    std::int64_t time_ = 0;

public:
    store::table table{store::schema{sizes.size(), 0, 0, &ids_}};
};

store::selection equalities(const columns_list& columns, std::mt19937_64& random) {
    store::selection wanted;
    for (const std::size_t c : columns) {
        const auto value = static_cast<store::code>(1 + random() % std::min(3U, sizes[c]));
        store::condition& each = wanted.conditions.emplace_back();
        each.column = c;
        each.accepted.insert(value);
    }
    return wanted;
}

double median(std::vector<double> times) {
    std::ranges::nth_element(times, times.begin() + std::ssize(times) / 2);
    return times[times.size() / 2];
}
double percentile(std::vector<double> times, double share) {
    std::ranges::sort(times);
    return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
}
template <class Work>
double microseconds(const Work& work) {
    const auto begin = clock_type::now();
    work();
    return std::chrono::duration<double, std::micro>(clock_type::now() - begin).count();
}

struct cell {
    std::string_view name;
    columns_list columns;
    int habit;  // how many of 100 training queries are of this kind
};

/// The workload: training queries determine the key; the others are beside it or outside.
const std::vector<cell> cells{{"2 of 2 in the key", {3, 4}, 15},
                              {"3 of 3 in the key", {3, 4, 5}, 40},
                              {"3 of 3 in the key, others", {4, 5, 6}, 10},
                              {"4 of 4 in the key", {3, 4, 5, 6}, 15},
                              {"2 of 3 in the key", {3, 4, 7}, 8},
                              {"1 of 2 in the key", {3, 7}, 2},
                              {"1 of 3 in the key", {3, 1, 2}, 0},
                              {"none of 2 in the key", {1, 2}, 0},
                              {"none of 3 in the key", {1, 2, 8}, 0},
                              {"2 of 3 in the key, 1 rare value", {3, 4, 11}, 0}};

void teach(const store::snapshot& rows, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (const cell& each : cells) {
        for (int i = 0; i < each.habit; ++i) {
            static_cast<void>(store::scan(rows, equalities(each.columns, random)).count());
        }
    }
}

void measure(const store::snapshot& before, const store::snapshot& now, const cell& asked,
             int rounds, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<double> plain, projected;
    std::size_t plain_bytes = 0, projected_bytes = 0;
    for (int round = 0; round < rounds; ++round) {
        const store::selection wanted = equalities(asked.columns, random);
        std::int64_t expected = 0, counted = 0;
        const auto ask_plain = [&] {
            plain.push_back(microseconds([&] { expected = *store::scan(before, wanted).count(); }));
        };
        if (round % 2 == 0) ask_plain();  // the second one has warm caches
        projected.push_back(microseconds([&] { counted = *store::scan(now, wanted).count(); }));
        if (round % 2 == 1) ask_plain();
        if (counted != expected) throw std::runtime_error("counts differ");
        const auto add = [&](const store::snapshot& rows, std::size_t& bytes) {
            const auto work = store::scan(rows, wanted).explain();
            for (const auto& path : work->paths) bytes += path.bytes;
        };
        add(before, plain_bytes);
        add(now, projected_bytes);
    }
    const auto times = static_cast<std::size_t>(rounds);
    std::printf("| %.*s | %.1f µs | %.1f µs | %.1f | %zu | %zu |\n",
                static_cast<int>(asked.name.size()), asked.name.data(), median(plain),
                median(projected), median(plain) / median(projected), plain_bytes / times,
                projected_bytes / times);
}

/// Measures appends of `at_once` rows, optionally while another thread keeps building units.
void measure_appends(events& rows, std::size_t at_once, bool makes_units) {
    std::atomic<bool> is_done = false;
    std::vector<double> times;
    {
        std::jthread maintainer([&] {
            for (bool turn = false; makes_units && !is_done; turn = !turn) {
                rows.table.project_counts(turn ? store::projected_columns{{3, 4, 5}, {6}}
                                               : store::projected_columns{{3, 4}, {5}});
                while (!is_done && rows.table.maintain()) {
                }
            }
        });
        for (std::size_t left = 300'000; left > 0; left -= at_once) {
            store::row_buffer added = rows.make(at_once);
            times.push_back(microseconds([&] { rows.append(std::move(added)); }));
        }
        is_done = true;
    }
    std::printf("| %zu | %s | %.2f µs | %.2f µs | %.2f |\n", at_once, makes_units ? "yes" : "no",
                median(times), percentile(times, 0.99), percentile(times, 0.99) / median(times));
}

}  // namespace

int main(int argc, char** argv) {
    const std::size_t rows = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
    const int rounds = argc > 2 ? std::atoi(argv[2]) : 201;
    events all(1);
    for (std::size_t left = rows; left > 0;) {
        const std::size_t next = std::min<std::size_t>(left, 100'000);
        all.append(all.make(next));
        left -= next;
    }
    const store::snapshot before = all.table.current();
    teach(before, 2);
    const double built = microseconds([&] {
        while (all.table.maintain()) {
        }
    });
    const store::snapshot now = all.table.current();
    const auto bytes = static_cast<double>(now.projection().bytes());
    std::printf("%zu rows; key", rows);
    const auto units = now.projection().units_in({0, rows});
    for (const std::size_t c : units.front()->columns().key) std::printf(" %zu", c);
    std::printf(", beside");
    for (const std::size_t c : units.front()->columns().beside) std::printf(" %zu", c);
    const auto covered = static_cast<double>(now.projection().rows());
    std::printf("; %.2f bytes and %.1f ns a row\n\n", bytes / covered, built * 1'000 / covered);
    std::printf(
        "| count | blocks | projection | ratio | bytes | bytes |\n|---|---|---|---|---|---|\n");
    for (const cell& each : cells) measure(before, now, each, rounds, 3);
    std::printf(
        "\n| rows appended | units made | median | p99 | p99 / median |\n|---|---|---|---|---|\n");
    for (const std::size_t at_once : {std::size_t{1}, std::size_t{100}}) {
        for (const bool makes_units : {false, true}) measure_appends(all, at_once, makes_units);
    }
    return 0;
}
