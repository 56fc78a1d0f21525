// SPDX-License-Identifier: MIT
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/reference/analytics/stored_analytics.hpp>
#include <sluice/reference/store/event_store.hpp>

#include "../make_records.hpp"

using namespace sluice;
using namespace sluice::reference;

namespace {

constexpr std::int64_t day = 86'400'000;
const instant now = at_ms(100 * day);

/// Two links in folders, with tags and a partner's tags, three clicks, a lead and two sales.
void fill(event_store& store) {
    REQUIRE(store.add(make_tag("tag_1", "one")));
    REQUIRE(store.add(folder{.id = "folder_1", .name = "Spring \"26\""}));
    const tag one = make_tag("tag_1", "one"), two = make_tag("tag_2", "two");
    const std::array both{one, two};
    const std::array<std::string_view, 1> partner_tags{"ptag_1"};
    sluice::reference::link spring = make_link("spring");
    spring.tags = both;
    spring.folder_id = "folder_1";
    spring.partner_id = "partner_1";
    spring.group_id = "group_1";
    spring.partner_tag_ids = partner_tags;
    spring.title = "Spring \"sale\"";
    REQUIRE(store.add(spring));
    sluice::reference::link autumn = make_link("autumn");
    autumn.folder_id = "folder_2";
    REQUIRE(store.add(autumn));
    REQUIRE(store.add(make_customer("cus_1")));
    click first = make_click("click_1", "spring", 10 * day);
    first.url = "https://example.com/a?utm_source=mail&x=1";
    click second = make_click("click_2", "spring", 12 * day);
    second.url = "https://example.com/a?x=2";
    second.trigger = "qr";
    click third = make_click("click_3", "autumn", 13 * day);
    third.continent = "Unknown";
    for (const click& added : {first, second, third}) REQUIRE(store.add(added));
    REQUIRE(store.add(make_lead("lead_1", 11 * day, "cus_1", "click_1", "spring")));
    sale bought = make_sale("sale_1", 11 * day + 1, "cus_1", "click_1", "spring");
    bought.amount = 700;
    REQUIRE(store.add(bought));
    REQUIRE(store.add(make_sale("sale_2", 13 * day + 1, "cus_1", "click_3", "autumn")));
    store.publish();
}
result<std::string> measured(const workspace_view& view, const std::string& text,
                             const store::scan_options& options = {}) {
    static const time_zone_database zones({time_zone::utc()});
    const std::string whole = "interval=all&" + text;
    const auto pairs = parse_query_string(whole);
    const auto query = parse_analytics_query(pairs.pairs(), {.zones = &zones}, now);
    REQUIRE_MESSAGE(query.has_value(), text);
    return measure_events(view, *query, options);
}

}  // namespace

TEST_CASE("the rows of each group, for each kind of event") {
    event_store store("ws_1");
    fill(store);
    const workspace_view view = store.find("ws_1")->current();
    const auto row = [](const std::string& fields, std::array<int, 4> measures) {
        std::string text = "{" + fields + (fields.empty() ? "" : ",");
        for (std::size_t at = 0; at < measures.size(); ++at) {
            text.append(at == 0 ? "\"" : ",\"").append(analytics_measures[at]).append("\":");
            text.append(std::to_string(measures[at]));
        }
        return text + "}";
    };
    struct answer {
        std::string query;
        std::vector<std::string> rows;
    };
    const std::string spring =
        R"("link":"spring","id":"spring","domain":"go.example.com","key":"spring",)"
        R"("shortLink":"https://go.example.com/spring","url":"https://example.com/",)"
        R"("createdAt":"1970-01-01T00:00:00.000Z","title":"Spring \"sale\"","comments":null,)"
        R"("folderId":"folder_1","partnerId":"partner_1")";
    const std::vector<answer> table{
        {"groupBy=continents&event=composite", {row(R"("continent":"NA")", {2, 1, 1, 700})}},
        {"groupBy=continents&event=sales", {row(R"("continent":"NA")", {0, 0, 1, 700})}},
        {"groupBy=regions", {row(R"("country":"US","region":"US-CA","city":"*")", {3, 0, 0, 0})}},
        {"groupBy=cities&event=composite", {}},
        {"groupBy=triggers&event=composite", {row(R"("trigger":"qr")", {1, 0, 0, 0})}},
        {"groupBy=top_links&event=leads", {row(spring, {0, 1, 0, 0})}},
        {"groupBy=top_urls&event=leads",
         {row(R"("url":"https://example.com/a?utm_source=mail&x=1")", {0, 1, 0, 0})}},
        {"groupBy=top_base_urls&event=composite",
         {row(R"("url":"https://example.com/a")", {2, 1, 1, 700}),
          row(R"("url":"https://example.com/")", {1, 0, 1, 100})}},
        {"groupBy=top_domains&event=sales", {row(R"("domain":"go.example.com")", {0, 0, 2, 800})}},
        {"groupBy=top_folders",
         {row(R"("folderId":"folder_1","folder":{"id":"folder_1","name":"Spring \"26\""})",
              {2, 0, 0, 0}),
          row(R"("folderId":"folder_2","folder":null)", {1, 0, 0, 0})}},
        {"groupBy=top_link_tags&event=composite",
         {row(R"("tagId":"tag_1","tag":{"id":"tag_1","name":"one"})", {2, 1, 1, 700}),
          row(R"("tagId":"tag_2","tag":null)", {2, 1, 1, 700})}},
        {"groupBy=top_partners&event=leads",
         {row(R"("partnerId":"partner_1","partner":null)", {0, 1, 0, 0})}},
        {"groupBy=top_groups", {row(R"("groupId":"group_1","group":null)", {2, 0, 0, 0})}},
        {"groupBy=top_partner_tags",
         {row(R"("partnerTagId":"ptag_1","partnerTag":null)", {2, 0, 0, 0})}},
        {"groupBy=utm_sources&event=composite", {row(R"("utm_source":"mail")", {1, 1, 1, 700})}},
        {"groupBy=utm_terms", {}},
        {"groupBy=os&country=DE", {}},
        {"groupBy=os&saleType=recurring&event=sales", {}},
        {"groupBy=timeseries&event=composite",
         {row(R"("start":"1970-01-01T00:00:00.000Z")", {3, 1, 2, 800}),
          row(R"("start":"1970-02-01T00:00:00.000Z")", {0, 0, 0, 0}),
          row(R"("start":"1970-03-01T00:00:00.000Z")", {0, 0, 0, 0}),
          row(R"("start":"1970-04-01T00:00:00.000Z")", {0, 0, 0, 0})}},
        {"groupBy=timeseries&start=1970-01-11T00:00:00Z&end=1970-01-14T00:00:00Z&event=sales",
         {row(R"("start":"1970-01-11T00:00:00.000Z")", {0, 0, 0, 0}),
          row(R"("start":"1970-01-12T00:00:00.000Z")", {0, 0, 1, 700}),
          row(R"("start":"1970-01-13T00:00:00.000Z")", {0, 0, 0, 0}),
          row(R"("start":"1970-01-14T00:00:00.000Z")", {0, 0, 0, 0})}},
    };
    for (const answer& expected : table) {
        CAPTURE(expected.query);
        std::string body = "[";
        for (const std::string& one : expected.rows) body.append(body.size() > 1 ? "," : "") += one;
        CHECK(measured(view, expected.query) == body + "]");
    }
    CHECK(measured(view, "event=composite") == row("", {3, 1, 2, 800}));
    CHECK(measured(view, "country=DE&event=sales") == row("", {0, 0, 0, 0}));
}

TEST_CASE("measures end with their limits") {
    event_store store("ws_1");
    fill(store);
    const workspace_view view = store.find("ws_1")->current();
    std::stop_source stop;
    stop.request_stop();
    for (const std::string_view group : analytics_group_names) {
        const auto body = measured(view, "event=composite&groupBy=" + std::string(group),
                                   {.limits = {.stop = stop.get_token()}});
        CHECK_MESSAGE(!body, group);
        if (!body) CHECK(body.error().broken == rule::request_cancelled);
    }
}

TEST_CASE("amounts are compared and added up") {
    event_store store("ws_1");
    fill(store);
    const workspace_view view = store.find("ws_1")->current();
    const list_query large{.rows =
                               where(leaf{sale_amount_column, bounds<std::int64_t>{.least = 500}})};
    CHECK(event_search(view, event_kind::sales, large).count() == 1);
    CHECK(event_search(view, event_kind::leads, large).count() == 0);
    const stored_analytics source(view);
    aggregate_query query{.measures = {{measure_kind::average, sale_amount_column}}};
    CHECK(source.aggregate(event_kind::sales, query) == aggregate_result{{{}, {400.0}}});
    query.measures[0].kind = measure_kind::max;
    const auto largest = source.aggregate(event_kind::sales, query);
    REQUIRE_FALSE(largest);
    CHECK(largest.error().broken == rule::test_unanswered);
    CHECK(largest.error().param == "sale.amount");
}
