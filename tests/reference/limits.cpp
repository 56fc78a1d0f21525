// SPDX-License-Identifier: MIT
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/reference/limits.hpp>

using namespace sluice;
using namespace sluice::reference;

namespace {

constexpr auto least = std::numeric_limits<std::int64_t>::min();
constexpr auto most = std::numeric_limits<std::int64_t>::max();

struct row {
    std::int64_t number;
    std::optional<rule> broken;
};

/// Checks a validator of numbers from `from` to `to` against a table: what it takes it gives back,
/// else it names the rule and the bound.
template <class Check>
void check_table(Check check, std::int64_t from, std::int64_t to, const std::vector<row>& table) {
    for (const auto& [number, broken] : table) {
        CAPTURE(number);
        const result<std::int64_t> checked = check(number);
        CHECK(checked.has_value() == !broken);
        if (checked) CHECK(*checked == number);
        if (!checked) {
            CHECK(checked.error() == fail_beyond(*broken, number < from ? from : to).value());
        }
    }
}

}  // namespace

static_assert(check_bulk_size(100) == 100);
static_assert(!check_page_size(0));
static_assert(!check_variant_percentage(9.99));
static_assert(check_query_length("abc") == 3U);

TEST_CASE("the limits of list APIs have their published values") {
    CHECK(bulk_max_items == 100);
    CHECK(page_size_max == 100);
    CHECK(page_size_default == 100);
    CHECK(events_limit_max == 1'000);
    CHECK(events_limit_default == 100);
    CHECK(test_variants_min == 2);
    CHECK(test_variants_max == 4);
    CHECK(variant_percentage_min == 10);
    CHECK(variant_percentage_max == 90);
    CHECK(metadata_query_max_length == 10'000);
}

TEST_CASE("a bulk creation has 1 to 100 items") {
    check_table(check_bulk_size, 1, bulk_max_items,
                {{1, {}},
                 {100, {}},
                 {0, rule::list_too_short},
                 {101, rule::list_too_long},
                 {least, rule::list_too_short},
                 {most, rule::list_too_long}});
}

TEST_CASE("a page size is 1 to 100, an events limit 1 to 1,000") {
    check_table(check_page_size, 1, page_size_max,
                {{1, {}},
                 {100, {}},
                 {0, rule::number_too_small},
                 {-1, rule::number_too_small},
                 {101, rule::number_too_large},
                 {most, rule::number_too_large}});
    check_table(check_events_limit, 1, events_limit_max,
                {{1, {}},
                 {1'000, {}},
                 {0, rule::number_too_small},
                 {least, rule::number_too_small},
                 {1'001, rule::number_too_large}});
}

TEST_CASE("an A/B test has 2 to 4 variants") {
    check_table(check_test_variants, test_variants_min, test_variants_max,
                {{2, {}},
                 {3, {}},
                 {4, {}},
                 {1, rule::list_too_short},
                 {0, rule::list_too_short},
                 {-2, rule::list_too_short},
                 {5, rule::list_too_long}});
}

TEST_CASE("a variant has 10 to 90 percent of the traffic") {
    const double below = std::nextafter(10.0, 0.0);
    const double above = std::nextafter(90.0, 100.0);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (const double good : {10.0, 33.3, 90.0}) CHECK(check_variant_percentage(good) == good);
    for (const double small : {below, 0.0, -50.0, -infinity, std::nan("")}) {
        CHECK(check_variant_percentage(small).error() ==
              fail_beyond(rule::number_too_small, 10).value());
    }
    for (const double large : {above, 100.0, infinity}) {
        CHECK(check_variant_percentage(large).error() ==
              fail_beyond(rule::number_too_large, 90).value());
    }
}

TEST_CASE("an expression's length is counted in UTF-16 code units") {
    const auto repeated = [](std::string_view text, std::size_t times) {
        std::string all;
        for (std::size_t i = 0; i < times; ++i) all.append(text);
        return all;
    };
    CHECK(check_query_length("") == 0U);
    CHECK(check_query_length(repeated("x", 10'000)) == 10'000U);
    CHECK(check_query_length(repeated("\u20AC", 10'000)) == 10'000U);
    CHECK(check_query_length(repeated("\U0001F600", 5'000)) == 10'000U);
    CHECK(check_query_length(repeated("\xFF", 10'000)) == 10'000U);
    for (const std::string& text : {repeated("x", 10'001), repeated("\u20AC", 10'001),
                                    repeated("\U0001F600", 5'001), repeated("\xFF", 10'001)}) {
        CHECK(check_query_length(text).error() == make_error(rule::query_too_long));
    }
}
