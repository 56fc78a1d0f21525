// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/rate_limit/keyed_limiter.hpp>
#include <sluice/rate_limit/sliding_log.hpp>

namespace {

using sluice::instant;
using sluice::keyed_limiter;
using sluice::policy;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr policy two_a_minute{2, std::chrono::minutes{1}};
constexpr policy two_a_second{2, seconds{1}};

constexpr instant at_ms(std::int64_t count) { return instant{milliseconds{count}}; }

template <class Limiter>
std::int64_t remaining(const Limiter& limiter, std::string_view key, instant now) {
    return limiter.peek(key, two_a_minute, now).remaining;
}

template <class Body>
void run_threads(int count, Body body) {
    std::latch all_started(count);
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i) {
        threads.emplace_back([&, i] {
            all_started.arrive_and_wait();
            body(i);
        });
    }
    for (std::thread& thread : threads) thread.join();
}

}  // namespace

TEST_CASE("each key has a counter of its own") {
    keyed_limiter limiter;
    const instant now = at_ms(5);
    CHECK(limiter.check("a", two_a_minute, now).remaining == 1);
    CHECK(limiter.check("a", two_a_minute, now).remaining == 0);
    CHECK_FALSE(limiter.check("a", two_a_minute, now).allowed);
    CHECK(limiter.check("b", two_a_minute, now).remaining == 1);
    CHECK(limiter.check("", two_a_minute, now).remaining == 1);
    CHECK(limiter.check(std::string_view("\0", 1), two_a_minute, now).remaining == 1);
    CHECK(limiter.size() == 4);
}

TEST_CASE("many keys at once are decided as one after the other") {
    std::mt19937 random(3);
    for (const std::size_t max_keys : {1U, 40U, 5'000U, 100'000U}) {
        CAPTURE(max_keys);
        keyed_limiter<> many(max_keys), one(max_keys);
        std::size_t wrong = 0;
        for (int round = 0; round < 300; ++round) {
            std::vector<std::string> texts(random() % 50);
            for (std::string& text : texts) {
                text = std::to_string(random() % (round < 100 ? 9 : 20'000));
                if (random() % 8 == 0) text.append(random() % 200, 'k');
            }
            const std::vector<std::string_view> keys(texts.begin(), texts.end());
            const std::int64_t cost = random() % 3;
            const instant now = at_ms(round * 500);
            const auto decided = many.check_many(keys, two_a_minute, now, cost);
            REQUIRE(decided.size() == keys.size());
            for (std::size_t i = 0; i < keys.size(); ++i) {
                wrong += decided[i] == one.check(keys[i], two_a_minute, now, cost) ? 0 : 1;
            }
        }
        CHECK(wrong == 0);
        CHECK(many.size() == one.size());
        CHECK(many.size() > 0);
    }
}

TEST_CASE("peek consumes nothing and remembers no key") {
    keyed_limiter limiter;
    for (int i = 0; i < 9; ++i) CHECK(limiter.peek("a", two_a_minute, {}).remaining == 2);
    CHECK(limiter.size() == 0);
    CHECK(limiter.check("a", two_a_minute, {}).remaining == 1);
    for (int i = 0; i < 9; ++i) CHECK(limiter.peek("a", two_a_minute, {}).remaining == 1);
    CHECK(limiter.check("a", two_a_minute, {}).remaining == 0);
    CHECK_FALSE(limiter.peek("a", two_a_minute, {}).allowed);
}

TEST_CASE("requests that count nothing make no entry") {
    keyed_limiter limiter;
    CHECK(limiter.check("free", two_a_minute, {}, 0).allowed);
    CHECK(limiter.check("free", two_a_minute, {}, -1).allowed);
    CHECK_FALSE(limiter.check("greedy", two_a_minute, {}, 3).allowed);
    CHECK(limiter.size() == 0);
}

TEST_CASE("a forgotten key starts anew") {
    keyed_limiter limiter;
    CHECK(limiter.check("a", two_a_minute, {}, 2).allowed);
    CHECK(limiter.forget("a"));
    CHECK_FALSE(limiter.forget("a"));
    CHECK(limiter.size() == 0);
    CHECK(limiter.check("a", two_a_minute, {}).remaining == 1);
}

TEST_CASE_TEMPLATE("a limiter decides as the algorithm does on each key's state", Algorithm,
                   sluice::sliding_window, sluice::fixed_window, sluice::gcra,
                   sluice::sliding_log) {
    keyed_limiter<Algorithm> limiter;
    std::map<std::string, Algorithm> states;
    std::mt19937_64 random(1);
    instant now = at_ms(-50'000);
    for (int i = 0; i < 20'000; ++i) {
        now += milliseconds{random() % 40};
        const std::string key(random() % 300, static_cast<char>('a' + random() % 3));
        const policy& limits = random() % 2 == 0 ? two_a_second : two_a_minute;
        const auto cost = static_cast<std::int64_t>(random() % 3);
        auto expected = sluice::decide(states[key], limits, now, cost);
        states[key] = expected.state;
        REQUIRE(limiter.check(key, limits, now, cost) == expected.decision);
        REQUIRE(limiter.peek(key, limits, now) == sluice::peek(states[key], limits, now));
    }
}

TEST_CASE("long keys are told apart by their start, their length and their end") {
    keyed_limiter limiter;
    const std::string base(5'000, 'k');
    std::string other_start = base;
    other_start.front() = 'x';
    std::string other_end = base;
    other_end.back() = 'x';
    const std::array<std::string, 8> keys{base,
                                          other_start,
                                          other_end,
                                          base + "k",
                                          base.substr(0, 127),
                                          base.substr(0, 128),
                                          base.substr(0, 129),
                                          base.substr(0, 130)};
    for (const std::string& key : keys) CHECK(limiter.check(key, two_a_minute, {}).remaining == 1);
    CHECK(limiter.size() == keys.size());
    for (const std::string& key : keys) CHECK(limiter.check(key, two_a_minute, {}).remaining == 0);
    CHECK(limiter.size() == keys.size());
    for (const std::string& key : keys) CHECK(limiter.forget(key));
}

TEST_CASE("a full limiter evicts the least recently used key") {
    keyed_limiter limiter(3);
    for (const char* key : {"a", "b", "c"}) CHECK(limiter.check(key, two_a_minute, {}).allowed);
    CHECK(limiter.check("a", two_a_minute, {}).remaining == 0);
    CHECK_FALSE(limiter.check("a", two_a_minute, {}).allowed);
    CHECK(limiter.check("d", two_a_minute, {}).allowed);
    CHECK(limiter.size() == 3);
    CHECK(remaining(limiter, "a", {}) == 0);
    CHECK(remaining(limiter, "b", {}) == 2);
    CHECK(remaining(limiter, "c", {}) == 1);
    CHECK(limiter.check("e", two_a_minute, {}).allowed);
    CHECK(remaining(limiter, "c", {}) == 2);
    CHECK(remaining(limiter, "a", {}) == 0);
}

TEST_CASE(
    "an eviction looks at 32 keys: of so many the oldest goes, of one more one is passed by") {
    for (const std::size_t size : {32U, 33U}) {
        keyed_limiter limiter(size, sluice::hash_seed{3});
        std::vector<std::string> by_age;  // the least recently used first
        int oldest_evicted = 0;
        for (int i = 0; i < 400; ++i) {
            const std::string added = std::to_string(i);
            static_cast<void>(limiter.check(added, two_a_minute, at_ms(i)));
            const auto is_gone = [&](const std::string& key) {
                return remaining(limiter, key, at_ms(i)) == two_a_minute.limit;
            };
            const auto gone = std::ranges::find_if(by_age, is_gone);
            oldest_evicted += gone != by_age.end() && gone == by_age.begin();
            if (gone != by_age.end()) by_age.erase(gone);
            by_age.push_back(added);
            REQUIRE(by_age.size() <= size);
        }
        const int evictions = 400 - static_cast<int>(size);
        CHECK((oldest_evicted == evictions) == (size == 32));
    }
}

TEST_CASE("a full limiter evicts a key whose state is as good as new first") {
    keyed_limiter limiter(3);
    CHECK(limiter.check("minute", two_a_minute, at_ms(0), 2).allowed);
    CHECK(limiter.check("second", two_a_second, at_ms(1), 2).allowed);
    CHECK(limiter.check("later", two_a_second, at_ms(2'500), 2).allowed);
    CHECK(limiter.check("new", two_a_minute, at_ms(2'600)).allowed);
    CHECK(remaining(limiter, "minute", at_ms(2'600)) == 0);
    CHECK_FALSE(limiter.forget("second"));
    CHECK(limiter.size() == 3);
    CHECK(limiter.check("newer", two_a_minute, at_ms(2'700)).allowed);
    CHECK_FALSE(limiter.forget("minute"));
    CHECK(limiter.forget("later"));
}

TEST_CASE("a state is as good as new after two windows, not after one") {
    keyed_limiter limiter(2);
    CHECK(limiter.check("minute", two_a_minute, at_ms(0), 2).allowed);
    CHECK(limiter.check("second", two_a_second, at_ms(999), 2).allowed);
    // The minute's key goes, the least recently used: half of the second's count still holds.
    CHECK(limiter.check("new", two_a_minute, at_ms(2'998)).allowed);
    CHECK(limiter.forget("second"));
    CHECK_FALSE(limiter.forget("minute"));

    keyed_limiter later(2);
    CHECK(later.check("minute", two_a_minute, at_ms(0), 2).allowed);
    CHECK(later.check("second", two_a_second, at_ms(999), 2).allowed);
    CHECK(later.check("new", two_a_minute, at_ms(2'999)).allowed);
    CHECK_FALSE(later.forget("second"));
    CHECK(later.forget("minute"));
}

TEST_CASE_TEMPLATE("one wrong clock locks no key out", Algorithm, sluice::sliding_window,
                   sluice::fixed_window, sluice::gcra, sluice::sliding_log) {
    keyed_limiter<Algorithm> limiter;
    const instant in_2100{std::chrono::sys_days{std::chrono::year{2100} / 1 / 1}};
    const instant in_2026{std::chrono::sys_days{std::chrono::year{2026} / 8 / 21}};
    CHECK(limiter.check("a", two_a_minute, in_2100, 2).allowed);
    CHECK(limiter.peek("a", two_a_minute, in_2026).remaining == 2);
    CHECK(limiter.check("a", two_a_minute, in_2026).remaining == 1);
    CHECK(limiter.check("a", two_a_minute, in_2026).remaining == 0);
    CHECK_FALSE(limiter.check("a", two_a_minute, in_2026).allowed);
}

TEST_CASE("a state made by a wrong clock is evicted as any other") {
    keyed_limiter limiter(2);
    const instant in_2100{std::chrono::sys_days{std::chrono::year{2100} / 1 / 1}};
    CHECK(limiter.check("wrong", two_a_minute, in_2100).allowed);
    CHECK(limiter.check("wrong", two_a_minute, at_ms(0)).allowed);
    CHECK(limiter.check("other", two_a_minute, at_ms(100'000)).allowed);
    CHECK(limiter.check("new", two_a_minute, at_ms(120'000)).allowed);
    CHECK_FALSE(limiter.forget("wrong"));
    CHECK(limiter.forget("other"));
}

TEST_CASE("a key that is only refused stays, since it is in use") {
    keyed_limiter limiter(2);
    CHECK(limiter.check("hammering", two_a_minute, at_ms(0), 2).allowed);
    for (int i = 1; i < 100; ++i) {
        CHECK_FALSE(limiter.check("hammering", two_a_minute, at_ms(i)).allowed);
        CHECK(limiter.check("passer-by " + std::to_string(i), two_a_minute, at_ms(i)).allowed);
    }
}

TEST_CASE("keys may change their windows") {
    keyed_limiter limiter(64);
    std::mt19937_64 random(5);
    instant now{};
    for (int i = 0; i < 20'000; ++i) {
        const auto window = std::int64_t{1} << (random() % 36);
        now += milliseconds{random() % 1'000};
        const sluice::decision d =
            limiter.check(std::to_string(random() % 200), {2, milliseconds{window}}, now);
        REQUIRE(d.remaining >= 0);
        REQUIRE(limiter.size() <= 64);
    }
    CHECK(limiter.size() == 64);
}

TEST_CASE("keys chosen to crowd into one shard under one seed spread under another") {
    const sluice::detail::text_hasher known(sluice::hash_seed{0});
    std::vector<std::string> chosen;
    for (int i = 0; chosen.size() < 4'096; ++i) {
        std::string key = "key " + std::to_string(i);
        if (known(key) % 16 == 0) chosen.push_back(std::move(key));
    }
    const auto held = [&](sluice::hash_seed seed) {
        keyed_limiter limiter(16'384, seed);  // 16 shards
        for (const std::string& key : chosen) (void)limiter.check(key, two_a_minute, {});
        return limiter.size();
    };
    CHECK(held(sluice::hash_seed{0}) == 1'024);
    CHECK(held(sluice::hash_seed{1}) == chosen.size());
    CHECK(held(sluice::hash_seed::of_process()) == chosen.size());
}

TEST_CASE("a limiter for no keys holds one") {
    keyed_limiter limiter(0);
    CHECK(limiter.check("a", two_a_minute, {}).remaining == 1);
    CHECK(limiter.check("a", two_a_minute, {}).remaining == 0);
    CHECK(limiter.check("b", two_a_minute, {}).remaining == 1);
    CHECK(limiter.size() == 1);
}

TEST_CASE("a million keys stay within the bound") {
    for (const std::size_t bound : {std::size_t{1'000}, std::size_t{5'000}}) {
        keyed_limiter limiter(bound);
        std::mt19937_64 random(3);
        instant now{};
        for (int i = 0; i < 500'000; ++i) {
            now += milliseconds{random() % 2};
            const policy& limits = i % 3 == 0 ? two_a_second : two_a_minute;
            REQUIRE(limiter.check(std::to_string(random()), limits, now).allowed);
            if (i % 10'000 == 0) REQUIRE(limiter.size() <= bound);
        }
        CHECK(limiter.size() <= bound);
        CHECK(limiter.size() > bound * 9 / 10);
    }
}

TEST_CASE("a limiter of many shards fills each of them") {
    for (const std::size_t bound : {std::size_t{2'048}, std::size_t{65'536}}) {
        keyed_limiter limiter(bound);
        for (std::size_t i = 0; i < 2 * bound; ++i) {
            static_cast<void>(limiter.check(std::to_string(i), two_a_minute, at_ms(0)));
        }
        CHECK(limiter.size() == bound);
    }
}

TEST_CASE_TEMPLATE("eight threads on one key pass exactly the limit", Algorithm,
                   sluice::sliding_window, sluice::fixed_window, sluice::gcra,
                   sluice::sliding_log) {
    constexpr policy limits{60'000, std::chrono::minutes{1}};
    keyed_limiter<Algorithm> limiter;
    std::atomic<int> passed{0};
    run_threads(8, [&](int) {
        for (int i = 0; i < 15'000; ++i) {
            if (limiter.check("shared", limits, at_ms(7)).allowed) ++passed;
        }
    });
    CHECK(passed == 60'000);
    CHECK(limiter.size() == 1);
    CHECK(limiter.check("shared", limits, at_ms(200'000), 60'000).allowed);
}

TEST_CASE("eight threads on many keys keep the bound and each key's limit") {
    constexpr std::size_t bound = 4'096;
    keyed_limiter limiter(bound);
    std::array<std::atomic<int>, 16> passed{};
    run_threads(8, [&](int thread) {
        std::mt19937_64 random(static_cast<std::uint64_t>(thread));
        for (int i = 0; i < 4'000; ++i) {
            const std::size_t shared = random() % passed.size();
            const std::string key = "shared " + std::to_string(shared);
            if (limiter.check(key, two_a_minute, at_ms(i)).allowed) ++passed[shared];
            const std::string local_key = std::to_string(random() % 2'000);
            if (i % 5 == 0) (void)limiter.forget(local_key);
            (void)limiter.check(local_key, two_a_second, at_ms(i));
            const std::array<std::string_view, 2> both{local_key, "of all"};
            (void)limiter.check_many(both, two_a_second, at_ms(i));
            (void)limiter.peek(key, two_a_minute, at_ms(i));
            if (i % 100 == 0) CHECK(limiter.size() <= bound);
        }
    });
    for (const auto& count : passed) CHECK(count == 2);
}
