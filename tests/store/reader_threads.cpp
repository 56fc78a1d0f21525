// SPDX-License-Identifier: MIT
// What readers see while one thread writes, with nothing between them but the store's own
// synchronisation: that is what ThreadSanitizer checks here.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/store/select.hpp>
#include <sluice/store/table.hpp>
#include <sluice/store/texts/code_table.hpp>
#include <sluice/store/texts/dictionary.hpp>

#include "make_orders.hpp"

using sluice::store::absent;
using sluice::store::code;

namespace {

/// Spread over all bits, and different for different numbers.
constexpr std::uint64_t hash_of(std::uint64_t number) noexcept {
    return number * 0x9E37'79B9'7F4A'7C15;
}

}  // namespace

TEST_CASE("who finds a code sees what was written before it was inserted") {
    constexpr code codes = 20'000;
    sluice::store::code_table table;
    std::vector<std::uint64_t> written(codes + 1);
    std::atomic<std::size_t> wrong = 0;
    const auto read = [&] {
        for (code wanted = 1; wanted <= codes;) {
            std::uint64_t seen = 0;
            const code listed = table.find(hash_of(wanted), [&](code c) {
                seen = written[c];
                return c == wanted;
            });
            if (listed == absent) continue;  // not yet
            if (seen != hash_of(wanted)) ++wrong;
            ++wanted;
        }
    };
    std::vector<std::jthread> readers;
    for (int i = 0; i < 2; ++i) readers.emplace_back(read);
    for (code added = 1; added <= codes; ++added) {
        written[added] = hash_of(added);
        table.insert(hash_of(added), added);
    }
    readers.clear();
    CHECK(wrong == 0);
}

TEST_CASE("a snapshot is whole whenever it is taken, also while late rows move others") {
    constexpr std::size_t batches = 400;
    sluice::store::dictionary ids;
    sluice::store::table rows{sluice::store::schema{1, 0, 0, &ids}};
    const code id = ids.encode(std::string_view("row"));
    std::atomic<bool> is_done = false;
    std::atomic<std::size_t> wrong = 0;
    const auto read = [&] {
        for (std::size_t seen = 0; !is_done;) {
            const sluice::store::snapshot now = rows.current();
            if (now.size() < seen || (now.size() > 0) != (now.open() != nullptr)) ++wrong;
            seen = now.size();
            for (std::size_t row = 1; row < seen; ++row) {
                if (now.time(row - 1) > now.time(row) || now.code_at(row, 0) != id) ++wrong;
            }
        }
    };
    std::vector<std::jthread> readers;
    for (int i = 0; i < 3; ++i) readers.emplace_back(read);
    for (std::size_t i = 0; i < batches; ++i) {
        sluice::store::row_buffer added(rows.columns());
        // Each comes before all others, which go to a new block.
        added.codes(added.add(-static_cast<std::int64_t>(i)))[0] = id;
        rows.append(std::move(added), [](std::size_t, std::span<code>) {});
    }
    is_done = true;
    readers.clear();
    CHECK(wrong == 0);
    CHECK(rows.current().size() == batches);
}

TEST_CASE("counts are right while projections and indexes are made and rows are added, some late") {
    sluice::store::dictionary ids;
    sluice::store::table rows{sluice::store::schema{4, 0, 0, &ids}};
    const code id = ids.encode(std::string_view("row"));
    rows.project_counts({{1, 2}, {3}});
    std::atomic<bool> is_done = false;
    std::atomic<std::size_t> wrong = 0, by_units = 0;
    const auto read = [&] {
        while (!is_done) {
            const sluice::store::snapshot now = rows.current();
            sluice::store::selection wanted;
            for (const std::size_t c : {1U, 2U, 3U}) {
                wanted.conditions.push_back({c, sluice::store::code_set({1})});
            }
            using sluice::store::access_path, sluice::store::scan;
            const auto counted = scan(now, wanted, {.forced = access_path::projection}).analyze();
            const auto expected = scan(now, wanted, {.forced = access_path::code_scan}).count();
            const auto by_index = scan(now, wanted, {.forced = access_path::bitmaps}).count();
            if (counted->matching != *expected || *by_index != *expected) ++wrong;
            by_units += (*counted)[access_path::projection].blocks;
        }
    };
    const auto maintain = [&] {
        while (!is_done) rows.maintain();
    };
    std::vector<std::jthread> others;
    for (int i = 0; i < 2; ++i) others.emplace_back(read);
    for (int i = 0; i < 2; ++i) others.emplace_back(maintain);
    std::int64_t time = 0;
    for (std::size_t batch = 0; batch < 60; ++batch) {
        sluice::store::row_buffer added(rows.columns());
        for (std::size_t i = 0; i < 3'000; ++i) {
            const bool is_late = batch % 8 == 7 && i < 2;
            const auto codes = added.codes(added.add(is_late ? time - 40'000 : ++time));
            codes[0] = id;
            for (std::size_t c = 1; c < 4; ++c) {
                codes[c] = static_cast<code>(hash_of(batch * 3'000 + i) >> (10 * c) & 3);
            }
        }
        rows.append(std::move(added), [](std::size_t, std::span<code>) {});
    }
    while (rows.maintain() || by_units == 0) {
    }
    is_done = true;
    others.clear();
    CHECK(wrong == 0);
}

TEST_CASE("rows of a store are found while others are added") {
    sluice::store::column_store orders(order_samples::columns);
    std::atomic<bool> is_done = false;
    std::atomic<std::size_t> wrong = 0;
    const auto read = [&](unsigned seed) {
        order_samples::random_orders random(seed);
        while (!is_done) {
            sluice::list_query query = random.query();
            query.wants_total = true;
            const auto rows = orders.current();
            const auto page = sluice::store::select(rows, query);
            std::int64_t matching = 0;
            for (std::size_t row = 0; row < rows.size(); ++row) {
                const auto at = [&](const sluice::column& of) { return rows.at(row, of); };
                matching += query.matches(at) ? 1 : 0;
            }
            if (!page || page->total != matching) ++wrong;
        }
    };
    std::vector<std::jthread> readers;
    for (unsigned seed : {31U, 32U}) readers.emplace_back(read, seed);
    order_samples::random_orders random(33);
    for (int batch = 0; batch < 200; ++batch) {
        for (int i = 0; i < 10; ++i) wrong += orders.add(random.row().cells()) ? 0 : 1;
        orders.publish();
    }
    is_done = true;
    readers.clear();
    CHECK(wrong == 0);
}
