// SPDX-License-Identifier: MIT
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/reference/analytics/analytics_json.hpp>
#include <sluice/reference/analytics/analytics_rows.hpp>

using namespace sluice;
using namespace sluice::reference;

namespace {

const instant now = parse_timestamp("2026-08-21T02:30:15.123Z").value();

analytics_query query_of(std::string_view text) {
    static const time_zone_database zones({time_zone::utc()});
    const auto pairs = parse_query_string(text);
    return parse_analytics_query(pairs.pairs(), {.zones = &zones}, now).value();
}

/// Answers with rows that are there already, and keeps the last query.
struct known_groups {
    std::map<event_kind, aggregate_result> rows;
    std::optional<instant> first{};
    std::optional<error> broken{};
    mutable aggregate_query last{};

    [[nodiscard]] result<aggregate_result> aggregate(event_kind kind,
                                                     const aggregate_query& query) const {
        last = query;
        if (broken) return tl::unexpected(*broken);
        aggregate_result some = rows.contains(kind) ? rows.at(kind) : aggregate_result();
        if (some.size() > static_cast<std::size_t>(query.limit))
            some.resize(static_cast<std::size_t>(query.limit));
        return some;
    }
    [[nodiscard]] result<std::optional<instant>> first_time(event_kind, const where&) const {
        return first;
    }
};

aggregate_row counted(std::vector<aggregate_value> group, std::int64_t count) {
    return {std::move(group), {count}};
}
std::string text(std::int64_t number) { return "link_" + std::to_string(10'000 + number); }

}  // namespace

TEST_CASE("buckets by the interval, or by the length of a window of one's own") {
    const std::vector<std::pair<std::string_view, time_bucket>> table{
        {"", time_bucket::hour},
        {"interval=24h", time_bucket::hour},
        {"interval=7d", time_bucket::day},
        {"interval=30d", time_bucket::day},
        {"interval=90d", time_bucket::day},
        {"interval=mtd", time_bucket::day},
        {"interval=qtd", time_bucket::day},
        {"interval=1y", time_bucket::month},
        {"interval=ytd", time_bucket::month},
        {"interval=all", time_bucket::month},
        {"interval=7d&end=yesterday", time_bucket::day},
        {"start=2026-08-01&end=2026-08-02", time_bucket::hour},
        {"start=2026-08-01&end=2026-08-03T00:00:00Z", time_bucket::hour},
        {"start=2026-08-01&end=2026-08-03T00:00:00.001Z", time_bucket::day},
        {"interval=all&start=2026-08-01", time_bucket::day},
        {"start=2026-01-01&end=2026-06-30T00:00:00Z", time_bucket::day},
        {"start=2026-01-01&end=2026-06-30T00:00:00.001Z", time_bucket::month},
    };
    for (const auto& [window, length] : table) {
        CAPTURE(window);
        CHECK(bucket_of(query_of(window)) == length);
    }
}

TEST_CASE("rows by the measure, then by group, without unknown ones") {
    known_groups source;
    source.rows[event_kind::clicks] = {
        counted({"b"}, 9),       counted({"a"}, 9), counted({std::monostate()}, 8),
        counted({"Unknown"}, 7), counted({""}, 6),  counted({"c"}, 5)};
    source.rows[event_kind::leads] = {counted({"z"}, 4), counted({"c"}, 3),
                                      counted({"Unknown"}, 2)};
    source.rows[event_kind::sales] = {{{"y"}, {std::int64_t{1}, std::int64_t{-50}}},
                                      {{"a"}, {std::int64_t{2}, std::int64_t{70}}}};
    using rows = std::vector<analytics_row>;
    CHECK(find_analytics_rows(source, query_of("groupBy=os")) ==
          rows{{{"a"}, {}, {9, 0, 0, 0}}, {{"b"}, {}, {9, 0, 0, 0}}, {{"c"}, {}, {5, 0, 0, 0}}});
    CHECK(find_analytics_rows(source, query_of("groupBy=os&event=leads")) ==
          rows{{{"z"}, {}, {0, 4, 0, 0}}, {{"c"}, {}, {0, 3, 0, 0}}});
    CHECK(find_analytics_rows(source, query_of("groupBy=os&event=sales")) ==
          rows{{{"a"}, {}, {0, 0, 2, 70}}, {{"y"}, {}, {0, 0, 1, -50}}});
    CHECK(find_analytics_rows(source, query_of("groupBy=os&event=composite")) ==
          rows{{{"a"}, {}, {9, 0, 2, 70}},
               {{"b"}, {}, {9, 0, 0, 0}},
               {{"c"}, {}, {5, 3, 0, 0}},
               {{"y"}, {}, {0, 0, 1, -50}},
               {{"z"}, {}, {0, 4, 0, 0}}});
    source.rows[event_kind::clicks] = {counted({"EU"}, 3), counted({"XX"}, 2), counted({"NA"}, 1)};
    CHECK(find_analytics_rows(source, query_of("groupBy=continents"))->size() == 2);
    source.rows[event_kind::clicks] = {counted({"US", "US-CA", "Unknown"}, 3),
                                       counted({"SG", "Unknown", "Singapore"}, 3),
                                       counted({"DE", "DE-BE", "Berlin"}, 1)};
    CHECK(find_analytics_rows(source, query_of("groupBy=cities")) ==
          rows{{{"DE", "DE-BE", "Berlin"}, {}, {1, 0, 0, 0}}});
}

TEST_CASE("at most 5,000 rows, and others are measured only if they are among them") {
    known_groups source;
    auto& clicks = source.rows[event_kind::clicks];
    for (const char* const left_out : {"Unknown", ""}) clicks.push_back(counted({left_out}, 9'999));
    for (std::int64_t at = 0; at < 6'000; ++at) clicks.push_back(counted({text(at)}, 9'000 - at));
    source.rows[event_kind::leads] = {counted({text(1)}, 1), counted({text(5'500)}, 1),
                                      counted({text(4'999)}, 2), counted({text(5'000)}, 3)};
    const auto rows = find_analytics_rows(source, query_of("groupBy=top_links&event=composite"));
    REQUIRE(rows);
    REQUIRE(rows->size() == analytics_rows_max);
    for (std::size_t at = 0; at < rows->size(); ++at) {
        const auto number = static_cast<std::int64_t>(at);
        const std::int64_t leads = number == 1 ? 1 : number == 4'999 ? 2 : 0;
        CHECK((*rows)[at] == analytics_row{{text(number)}, {}, {9'000 - number, leads, 0, 0}});
    }
    clicks.clear();  // parts of one URL are added up before they are ordered
    for (std::int64_t at = 0; at < 6'000; ++at) clicks.push_back(counted({text(at / 2)}, 1));
    const auto urls = find_analytics_rows(source, query_of("groupBy=top_base_urls"));
    REQUIRE(urls->size() == 3'000);
    CHECK(urls->back() == analytics_row{{text(2'999)}, {}, {2, 0, 0, 0}});
}

TEST_CASE("a series has one row a bucket, from the first event if the window has no start") {
    known_groups source;
    CHECK(find_analytics_rows(source, query_of("groupBy=timeseries&interval=all"))->empty());
    source.first = parse_timestamp("2026-06-05T04:03:02Z").value();
    const instant june = parse_timestamp("2026-06-01T00:00:00Z").value();
    source.rows[event_kind::leads] = {counted({june}, 3)};
    const auto query = query_of("groupBy=timeseries&interval=all&event=leads");
    CHECK(find_analytics_rows(source, query) ==
          std::vector<analytics_row>{{{}, june, {0, 3, 0, 0}}});
    CHECK(window_of(source.last.rows, "timestamp") == bounds<instant>{source.first, now});
    CHECK(source.last.group_by.at(0).bucket == time_bucket::month);
    CHECK(buckets_text(query) == " by month in UTC 2026-08-01T00:00:00.000Z");
    CHECK(buckets_text(query_of("groupBy=timeseries")) ==
          " by hour in UTC 2026-08-20T02:00:00.000Z 2026-08-21T02:00:00.000Z");
    CHECK(buckets_text(query_of("groupBy=os")).empty());
}

TEST_CASE("a sum beyond 64 bits is an error") {
    known_groups source;
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    source.rows[event_kind::sales] = {{{"u"}, {std::int64_t{1}, most}},
                                      {{"u"}, {std::int64_t{1}, std::int64_t{1}}}};
    const auto rows = find_analytics_rows(source, query_of("groupBy=top_base_urls&event=sales"));
    REQUIRE_FALSE(rows);
    CHECK(rows.error().broken == rule::number_too_large);
    CHECK(rows.error().param == "saleAmount");
    source.rows[event_kind::sales] = {{{"u"}, {std::int64_t{1}, decimal_number(1, 0)}}};
    CHECK_FALSE(find_analytics_rows(source, query_of("groupBy=os&event=sales")));
}

TEST_CASE("errors of a source name a parameter of the request") {
    known_groups source;
    source.broken = sluice::detail::too_many_groups().value();
    const auto many = find_analytics_rows(source, query_of("groupBy=top_urls"));
    REQUIRE_FALSE(many);
    CHECK(many.error().broken == rule::list_too_long);
    CHECK(many.error().param == "groupBy");
    source.broken = make_error(rule::query_too_costly);
    CHECK(find_analytics_rows(source, query_of("groupBy=os")).error() == *source.broken);
}

TEST_CASE("rows as JSON") {
    const auto json = [](std::string_view group, const analytics_row& row,
                         const records_by_id& known = {}) {
        return analytics_json(query_of("groupBy=" + std::string(group)).group_by, std::array{row},
                              known);
    };
    const std::string measures = R"("clicks":1,"leads":2,"sales":3,"saleAmount":-4})";
    const std::array<std::int64_t, 4> numbers{1, 2, 3, -4};
    CHECK(json("count", {{}, {}, numbers}) == "{" + measures);
    CHECK(analytics_json(analytics_group::os, {}, {}) == "[]");
    CHECK(json("timeseries", {{}, now, numbers}) ==
          R"([{"start":"2026-08-21T02:30:15.123Z",)" + measures + "]");
    CHECK(json("countries", {{"US"}, {}, numbers}) ==
          R"([{"country":"US","region":"*","city":"*",)" + measures + "]");
    CHECK(json("regions", {{"US", "US-CA"}, {}, numbers}) ==
          R"([{"country":"US","region":"US-CA","city":"*",)" + measures + "]");
    CHECK(json("cities", {{"US", "US-CA", "\"\n"}, {}, numbers}) ==
          R"([{"country":"US","region":"US-CA","city":"\"\n",)" + measures + "]");
    const records_by_id known{
        {"t", R"({"id":"t","name":"T"})"},
        {"l", R"({"id":"l","domain":"d","key":"k","shortLink":"s","url":"u","createdAt":"c",)"
              R"("title":"\u00e9\"","comments":null,"folderId":"f","more":{}})"}};
    CHECK(json("top_link_tags", {{"t"}, {}, numbers}, known) ==
          R"([{"tagId":"t","tag":{"id":"t","name":"T"},)" + measures + "]");
    CHECK(json("top_partners", {{"p"}, {}, numbers}, known) ==
          R"([{"partnerId":"p","partner":null,)" + measures + "]");
    CHECK(json("top_links", {{"l"}, {}, numbers}, known) ==
          R"([{"link":"l","id":"l","domain":"d","key":"k","shortLink":"s","url":"u",)"
          "\"createdAt\":\"c\",\"title\":\"\u00e9\\\"\",\"comments\":null,"
          R"("folderId":"f","partnerId":null,)" +
              measures + "]");
}
