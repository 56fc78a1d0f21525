// SPDX-License-Identifier: MIT
#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <sluice/errors/message.hpp>
#include <sluice/params/bind.hpp>
#include <sluice/params/list.hpp>

using namespace sluice;

namespace {

enum class pace : std::uint8_t { slow, fast };
constexpr std::array<std::string_view, 2> pace_names{"slow", "fast"};

struct lookup {
    filter color{};
    std::optional<std::string> owner{};
    std::vector<std::string> ids{};
    pace speed = pace::slow;
    std::optional<pace> turn{};
    bool deep = false;
    int page = 1;
    std::optional<time_expression> since{};
    time_zone zone = time_zone::utc();
    metadata_query where{};
};

constexpr schema columns{column{.name = "color"}};
constexpr param_table table{columns,
                            filter_param<&lookup::color>({.name = "color", .column = "color"}),
                            text_param<&lookup::owner>({.name = "owner", .prefix = "own_"}),
                            list_param<&lookup::ids>({.name = "ids"}),
                            choice_param<&lookup::speed, pace_names>({.name = "speed"}),
                            choice_param<&lookup::turn, pace_names>({.name = "turn"}),
                            boolean_param<&lookup::deep>({.name = "deep"}),
                            integer_param<&lookup::page, 1>({.name = "page"}),
                            time_param<&lookup::since>({.name = "since"}),
                            time_zone_param<&lookup::zone>({.name = "zone"}),
                            expression_param<&lookup::where>({.name = "where"})};

time_zone_database known_zones() {
    constexpr auto two = [](const void*, auto) noexcept -> std::chrono::seconds {
        return std::chrono::hours{2};
    };
    return time_zone_database({time_zone::utc(), {"Here/There", nullptr, two, two}});
}

std::string rewritten(std::string_view text) {
    const time_zone_database zones = known_zones();
    const query_string request = parse_query_string(text);
    const auto query = bind(table, request.pairs(), {.zones = &zones, .strict = false});
    REQUIRE(query);
    return to_query_string(table, *query);
}

struct row {
    std::string_view text;
    std::string_view canonical;
};

}  // namespace

TEST_CASE("a sort key with a direction in words names the column and what to write") {
    constexpr std::array<std::string_view, 2> names{"created", "total"};
    const struct {
        std::string_view text;
        rule broken;
        std::uint32_t offset, length;
        std::string_view suggestion;
    } table_of_keys[]{
        {"total desc", rule::sort_descending, 0, 10, "total"},
        {"created,total:DESC", rule::sort_descending, 8, 10, "total"},
        {"-total.descending", rule::sort_descending, 0, 17, "total"},
        {"total asc", rule::sort_ascending, 0, 9, "total"},
        {"Created.ascending", rule::sort_ascending, 0, 17, "created"},
        {"totals desc", rule::choice_unknown, 0, 11, ""},
        {"total down", rule::choice_unknown, 0, 10, ""},
        {" total", rule::choice_unknown, 0, 6, "total"},
    };
    for (const auto& [text, broken, offset, length, suggestion] : table_of_keys) {
        CAPTURE(text);
        const auto refused = parse_sort(text, names);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().broken == broken);
        CHECK(refused.error().offset == offset);
        CHECK(refused.error().length == length);
        CHECK(refused.error().suggestion == suggestion);
    }
}

TEST_CASE("a bound query is written in table order, without what is as if absent") {
    const std::vector<row> rows{
        {"", ""},
        {"color=&owner=&ids=&where=", ""},
        {"speed=slow&deep=FALSE&page=1.0&zone=utc", ""},
        {"unknown=1&page=2", "page=2"},
        {"page=2&color=-red,,a%5C,b", "color=-red%2Ca%5C%2Cb&page=2"},
        {"owner=own_a%26b", "owner=own_a%26b"},
        {"owner=own_", "owner=own_"},
        {"ids=a,,b&ids[]=c", "ids=a%2Cb%2Cc"},
        {"speed=fast&turn=slow", "speed=fast&turn=slow"},
        {"deep=True", "deep=true"},
        {"page=1e2", "page=100"},
        {"page=2147483647", "page=2147483647"},
        {"since=3%20DAYS%20AGO", "since=3+days+ago"},
        {"zone=here/there", "zone=Here%2FThere"},
        {"where=metadata[%22a%22]%20=%20'1'", "where=metadata%5B%27a%27%5D%3A1"},
    };
    for (const auto& [text, canonical] : rows) {
        CAPTURE(text);
        CHECK(rewritten(text) == canonical);
        CHECK(rewritten(canonical) == canonical);
    }
}

namespace {

struct sizes {
    std::optional<int> i{};
    std::optional<unsigned> u{};
    std::optional<short> s{};
    std::optional<unsigned char> c{};
    std::optional<std::int64_t> n{}, least{};
    std::int64_t page = 1;
};
constexpr schema sizes_schema{column{.name = "id"},
                              column{.name = "n", .type = column_type::integer}};
constexpr auto int64_min = std::numeric_limits<std::int64_t>::min();
constexpr param_table sizes_table{
    sizes_schema,
    integer_param<&sizes::i>({.name = "i", .column = "n"}),
    integer_param<&sizes::u>({.name = "u", .column = "n"}),
    integer_param<&sizes::s, -5>({.name = "s", .column = "n"}),
    integer_param<&sizes::c, 0>({.name = "c", .column = "n"}),
    integer_param<&sizes::n>({.name = "n", .column = "n"}),
    integer_param<&sizes::least, int64_min>(
        {.name = "n[gte]", .column = "n", .op = comparison::at_least}),
    page_param<&sizes::page>({.name = "page"})};

}  // namespace

TEST_CASE("an integer outside its member's range is refused, not cut off") {
    for (const std::string_view text :
         {"i=2147483647&u=4294967295&s=32767&c=255", "i=-2147483648&u=0&s=-5&c=0",
          "n=9223372036854775807&n%5Bgte%5D=-9223372036854775808",
          "n=-9223372036854775808&n%5Bgte%5D=9223372036854775807", "page=9223372036854775807"}) {
        CAPTURE(text);
        const query_string request = parse_query_string(text);
        const auto query = bind(sizes_table, request.pairs());
        REQUIRE(query);
        CHECK(to_query_string(sizes_table, *query) == text);
    }
    const query_string far = parse_query_string("page=1e30");
    CHECK(bind(sizes_table, far.pairs())->page == std::numeric_limits<std::int64_t>::max());

    const struct {
        std::string_view name, value;
        rule broken;
        std::string_view bound;
    } refused[] = {
        {"i", "2147483648", rule::number_too_large, "2147483647"},
        {"i", "-2147483649", rule::number_too_small, "-2147483648"},
        {"i", "1e999", rule::number_too_large, "2147483647"},
        {"u", "4294967296", rule::number_too_large, "4294967295"},
        {"u", "-1", rule::number_too_small, "0"},
        {"s", "32768", rule::number_too_large, "32767"},
        {"s", "65536", rule::number_too_large, "32767"},
        {"s", "-6", rule::number_too_small, "-5"},
        {"c", "256", rule::number_too_large, "255"},
        {"n", "9223372036854775808", rule::number_too_large, "64 bits"},
        {"n", "18446744073709551616", rule::number_too_large, "64 bits"},
        {"n", "-9223372036854775809", rule::number_too_small, "64 bits"},
        {"n[gte]", "1e19", rule::number_too_large, "64 bits"},
        {"n[gte]", "-1e19", rule::number_too_small, "64 bits"},
        {"page", "0", rule::number_too_small, "1"},
        {"page", "-1e30", rule::number_too_small, "1"},
    };
    for (const auto& [name, value, broken, bound] : refused) {
        CAPTURE(name);
        CAPTURE(value);
        const std::string text = std::string(name) + "=" + std::string(value);
        const query_string request = parse_query_string(text);
        const auto query = bind(sizes_table, request.pairs());
        REQUIRE(!query);
        CHECK(query.error().broken == broken);
        CHECK(query.error().code == error_code::unprocessable_entity);
        CHECK(query.error().param == name);
        CHECK(query.error().offset == 0);
        CHECK(query.error().length == value.size());
        CHECK(message(query.error()).find(bound) != std::string::npos);
    }
}

TEST_CASE("a text without its prefix is told the prefix") {
    const query_string request = parse_query_string("owner=x");
    const auto query = bind(table, request.pairs(), {.zones = nullptr});
    REQUIRE(!query);
    CHECK(message(query.error()) == "owner: missing its prefix, it must start with own_");
}
