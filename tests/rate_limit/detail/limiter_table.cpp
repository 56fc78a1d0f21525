// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include <sluice/rate_limit/algorithms.hpp>
#include <sluice/rate_limit/detail/limiter_table.hpp>

using namespace sluice;
using detail::limiter_key;
using detail::text_hasher;

namespace {

using table = detail::limiter_table<fixed_window>;

static_assert(sizeof(detail::limiter_slot<sliding_window>) == 64);
static_assert(sizeof(detail::limiter_slot<fixed_window>) == 64);
static_assert(sizeof(detail::limiter_slot<gcra>) == 64);

const text_hasher hasher(hash_seed{7});

// A key of 0 to 40 bytes: some fit into a slot, some don't.
std::string text_of(std::uint64_t number) {
    std::string text = number == 0 ? "" : std::to_string(number);
    text.append(number % 41 > text.size() ? number % 41 - text.size() : 0, 'k');
    return text;
}

}  // namespace

TEST_CASE("a table holds what a map holds, whatever comes and goes") {
    for (const std::size_t capacity : {1U, 2U, 3U, 40U, 500U}) {
        table held;
        held.set_capacity(capacity);
        std::map<std::string, std::int64_t> expected;
        std::mt19937_64 random(capacity);
        for (int i = 0; i < 20'000; ++i) {
            const std::string text = text_of(random() % (capacity * 2));
            const limiter_key key(text, hasher);
            table::slot* const slot = held.find(key);
            REQUIRE((slot != nullptr) == expected.contains(text));
            if (slot != nullptr) REQUIRE(slot->state.used == expected[text]);
            if (slot != nullptr && random() % 2 == 0) {
                held.erase(*slot);
                expected.erase(text);
            } else if (slot == nullptr && !held.is_full()) {
                held.insert(key).state.used = i;
                expected[text] = i;
            }
            REQUIRE(held.size() == expected.size());
            REQUIRE(held.is_full() == (expected.size() == capacity));
        }
    }
}

TEST_CASE("a walk comes by every entry before it comes by one again") {
    table held;
    held.set_capacity(100);
    std::set<const table::slot*> all;
    for (std::uint64_t i = 0; i < 100; ++i) {
        held.insert(limiter_key(text_of(i), hasher)).state.used = static_cast<std::int64_t>(i);
    }
    for (int i = 0; i < 100; ++i) all.insert(&held.walk());
    CHECK(all.size() == 100);
    // Nor does it take more room than 100 entries need of which 5 in 8 slots hold one.
    CHECK(*all.rbegin() - *all.begin() < 162);
    for (int i = 0; i < 100; ++i) CHECK(!all.insert(&held.walk()).second);
}

TEST_CASE("keys are told apart by each of their bytes and by their length") {
    for (std::size_t size = 0; size <= 200; ++size) {
        const std::string text(size, 'a');
        const limiter_key key(text, hasher);
        const detail::held_key held(key.text());
        CHECK(held == limiter_key(text, hasher).text());
        CHECK(!(held == limiter_key(text + 'a', hasher).text()));
        for (std::size_t at = 0; at < size; ++at) {
            std::string other = text;
            other[at] = 'b';
            const limiter_key changed(other, hasher);
            REQUIRE(changed.hash() != key.hash());
            REQUIRE(!(held == changed.text()));
        }
    }
}
