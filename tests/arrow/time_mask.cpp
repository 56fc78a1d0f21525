// SPDX-License-Identifier: MIT
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/arrow/time_mask.hpp>

#include "make_array.hpp"

using namespace arrow_test;
using namespace sluice::arrow;
using std::chrono::milliseconds;

namespace {

sluice::instant at(std::int64_t ms) { return sluice::instant(milliseconds(ms)); }

void check_mask(const column& times, const sluice::time_range& window,
                const std::vector<bool>& expected) {
    const auto type = times.type();
    CAPTURE(times.format);
    at_every_level([&] {
        const row_span all{0, static_cast<std::size_t>(times.array.length)};
        const auto mask = time_mask(type, times.array, all, window);
        REQUIRE_MESSAGE(mask, mask.error().what);
        CHECK(to_bools(*mask) == expected);
    });
}

void check_refused(const column& times, fault kind, const std::string& what) {
    const row_span all{0, 2};
    const auto mask = time_mask(times.type(), times.array, all, {at(0), at(1)});
    REQUIRE_FALSE(mask);
    CHECK(mask.error().kind == kind);
    CHECK(message(mask.error()) == what);
}

}  // namespace

TEST_CASE("a window holds its first and its last millisecond, in every unit") {
    struct unit {
        std::string format;
        std::int64_t ticks_a_millisecond;
    };
    const std::vector<unit> units{
        {"l", 1}, {"tsm:", 1}, {"tsm:Europe/Berlin", 1}, {"tsu:UTC", 1'000}, {"tsn:", 1'000'000}};
    for (const unit& scale : units) {
        for (const std::int64_t start : {-2'000L, 0L, 1'700'000'000'000L}) {
            const std::int64_t ticks = scale.ticks_a_millisecond;
            const std::int64_t end = start + 5;
            const codes rows{
                start * ticks - 1,     start * ticks,     start * ticks + 1, end * ticks,
                (end + 1) * ticks - 1, (end + 1) * ticks, INT64_MIN,         INT64_MAX,
                std::nullopt};
            for (const std::size_t offset : {0U, 5U}) {
                const auto times = make_integers(scale.format, rows, offset);
                check_mask(*times, {at(start), at(end)},
                           {false, true, true, true, true, false, false, false, false});
                check_mask(*times, {std::nullopt, at(end)},
                           {true, true, true, true, true, false, true, false, false});
            }
        }
    }
}

TEST_CASE("seconds count as their first millisecond") {
    const codes rows{-2, -1, 0, 1, 2, std::nullopt};
    const auto times = make_integers("tss:", rows);
    check_mask(*times, {at(-1'000), at(1'000)}, {false, true, true, true, false, false});
    check_mask(*times, {at(-999), at(999)}, {false, false, true, false, false, false});
    check_mask(*times, {at(1), at(2'000)}, {false, false, false, true, true, false});
    check_mask(*times, {std::nullopt, at(-1)}, {true, true, false, false, false, false});
}

namespace {

/// The whole milliseconds of a tick, rounded towards the past.
std::int64_t floor_ms(std::int64_t ticks, std::int64_t ticks_a_millisecond) {
    const std::int64_t whole = ticks / ticks_a_millisecond;
    return whole - (ticks % ticks_a_millisecond < 0 ? 1 : 0);
}

}  // namespace

TEST_CASE("windows at the ends of time don't overflow") {
    const std::int64_t first = sluice::earliest_instant.time_since_epoch().count();
    const std::int64_t last = sluice::latest_instant.time_since_epoch().count();
    for (const auto& [format, factor] : {std::pair<std::string, std::int64_t>{"tsm:", 1},
                                         {"l", 1},
                                         {"tsu:", 1'000},
                                         {"tsn:", 1'000'000}}) {
        const std::int64_t lowest = floor_ms(INT64_MIN, factor);
        const std::int64_t highest = floor_ms(INT64_MAX, factor);
        const codes rows{INT64_MIN, INT64_MIN + 1,      INT64_MIN + factor, -1,       0,
                         1,         INT64_MAX - factor, INT64_MAX - 1,      INT64_MAX};
        std::vector<std::int64_t> ends{first, -1, 0, last};
        for (const std::int64_t near : {lowest, highest}) {
            for (const std::int64_t by : {-1, 0, 1}) {
                if (factor > 1) ends.push_back(near + by);
            }
        }
        const auto times = make_integers(format, rows);
        for (const std::int64_t start : ends) {
            for (const std::int64_t end : ends) {
                std::vector<bool> inside;
                for (const auto& row : rows) {
                    const std::int64_t ms = floor_ms(*row, factor);
                    inside.push_back(ms >= start && ms <= end);
                }
                CAPTURE(start);
                CAPTURE(end);
                check_mask(*times, {at(start), at(end)}, inside);
            }
        }
    }
    const auto seconds = make_integers("tss:", {INT64_MIN, 0, INT64_MAX});
    check_mask(*seconds, {at(first), at(last)}, {false, true, false});
    check_mask(*seconds, {std::nullopt, at(first)}, {true, false, false});
    check_mask(*seconds, {at(0), std::nullopt}, {false, true, true});
    check_mask(*seconds, {}, {true, true, true});
    check_mask(*make_integers("tsm:", {INT64_MIN, last, last + 1, INT64_MAX, std::nullopt}),
               {at(last), std::nullopt}, {false, true, true, true, false});
}

TEST_CASE("counts without validity have one that is no time") {
    const std::vector<std::int64_t> ticks{INT64_MIN, INT64_MIN + 1, 0, 5'999'999, 6'000'000};
    const auto mask = ticks_mask(ticks, 1'000'000'000, {std::nullopt, at(5)});
    CHECK(to_bools(mask) == std::vector<bool>{false, true, true, true, false});
    CHECK(ticks_mask({}, 1, {std::nullopt, at(5)}).size() == 0);
}

TEST_CASE("a window holds for every row, however many there are") {
    constexpr std::size_t size = 5 * sluice::arrow::detail::block_rows / 2;
    std::vector<std::int64_t> ticks;
    codes rows;
    std::vector<bool> expected;
    for (std::size_t row = 0; row < size; ++row) {
        ticks.push_back(static_cast<std::int64_t>(row * row % 1'009));
        rows.push_back(ticks.back());
        expected.push_back(ticks.back() >= 100 && ticks.back() <= 400);
    }
    CHECK(to_bools(ticks_mask(ticks, 1'000, {at(100), at(400)})) == expected);
    check_mask(*make_integers("tsm:", rows), {at(100), at(400)}, expected);
}

TEST_CASE("a dictionary's times hold for the rows of their codes") {
    const codes rows{0, 2, std::nullopt, 1, 2};
    const std::vector<bool> inside{true, false, false, false, false};
    const sluice::time_range window{at(0), at(5)};
    check_mask(*make_coded("c", rows, make_integers("tsm:", {5, 6, std::nullopt})), window, inside);
    check_mask(*make_coded("i", rows,
                           make_text("u", {"1970-01-01T00:00:00Z", "1970-01-02T00:00:00Z", {}})),
               window, inside);
}

TEST_CASE("RFC 3339 texts lie in a window by their instant") {
    const cells rows{"1970-01-01T00:00:00Z", "1970-01-01T01:00:00.005+01:00",
                     "1970-01-01T00:00:00.006Z", std::nullopt};
    for (const std::string format : {"u", "U", "vu"}) {
        check_mask(*make_text(format, rows, 3), {at(0), at(5)}, {true, true, false, false});
        check_mask(*make_text(format, rows), {std::nullopt, at(6)}, {true, true, true, false});
        check_refused(*make_text(format, {"1970-01-01T00:00:00Z", "yesterday"}), fault::malformed,
                      "row 1: expected RFC 3339 text");
    }
}

TEST_CASE("null arrays and empty arrays lie in no window") {
    check_mask(*make_nulls(3), {std::nullopt, at(0)}, {false, false, false});
    check_mask(*make_integers("tsm:", {}), {std::nullopt, at(0)}, {});
}

TEST_CASE("columns without times and arrays that break the rules are refused") {
    const std::string before = "expected timestamps, int64 milliseconds or RFC 3339 text, not ";
    for (const auto& [format, name] : {std::pair<std::string, std::string>{"L", "uint64"},
                                       {"i", "int32"},
                                       {"tdD", "date32"},
                                       {"g", "float64"}}) {
        auto times = make_integers("l", {1, 2});
        times->format = format;
        times->wire();
        check_refused(*times, fault::unsupported, before + name);
    }
    check_refused(*make_coded("l", {0, 0}, make_integers("i", {1})), fault::unsupported,
                  before + "dictionary of int32");
    auto times = make_integers("tsm:", {1, 2});
    times->buffers[1] = nullptr;
    check_refused(*times, fault::malformed, "a null buffer");
    times->array.n_buffers = 3;
    check_refused(*times, fault::malformed, "an array with the wrong number of buffers");
    times->array.length = 1;
    check_refused(*times, fault::malformed, "a child array that is too short");
    times->array.release = nullptr;
    check_refused(*times, fault::malformed, "an array that was released");
    auto texts = make_text("u", {"1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z"});
    const_cast<std::int32_t*>(static_cast<const std::int32_t*>(texts->buffers[1]))[1] = 99;
    check_refused(*texts, fault::malformed, "offsets that fall");
}
