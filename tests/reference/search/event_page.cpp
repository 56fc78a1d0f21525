// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/reference/records/record_reader.hpp>
#include <sluice/reference/sample.hpp>
#include <sluice/reference/search/event_page.hpp>
#include <sluice/reference/store/event_store.hpp>
#include <sluice/reference/store/loader.hpp>

#include "../../temporary_folder.hpp"
#include "../make_records.hpp"
#include "../records/write_events.hpp"

using namespace sluice::reference;

namespace {

/// The lines of a folder's files, by the identifier of what they hold.
class record_lines {
public:
    explicit record_lines(const std::filesystem::path& folder) {
        read(folder / "links.ndjson", links, "id");
        read(folder / "customers.ndjson", customers, "id");
        read(folder / "clicks.ndjson", clicks, "id");
        read(folder / "leads.ndjson", leads, "eventId");
        read(folder / "sales.ndjson", sales, "eventId");
    }

    std::map<std::string, std::string> links, customers, clicks, leads, sales;

private:
    static void read(const std::filesystem::path& file, std::map<std::string, std::string>& to,
                     const char* key) {
        std::ifstream stream(file);
        simdjson::dom::parser parser;
        for (std::string line; std::getline(stream, line);) {
            const std::string_view id = parser.parse(line)[key].get_string().value_unsafe();
            to.emplace(id, line);
        }
    }
};

/// Writes events from their records, as record_writer.hpp has them.
class naive_page {
public:
    explicit naive_page(const record_lines& lines) : lines_(lines) {}

    std::string event(event_kind kind, const std::string& id) {
        std::string out;
        sluice::detail::json_writer json(out);
        if (kind == event_kind::clicks) {
            const click clicked = clicks_.read_click(lines_.clicks.at(id)).value();
            by_hand::write_click_event(json, clicked, part_of(clicked.link_id));
        } else if (kind == event_kind::leads) {
            const lead written = outcomes_.read_lead(lines_.leads.at(id)).value();
            by_hand::write_lead_event(json, written, click_of(written.click_id),
                                      part_of(written.link_id), customer_of(written.customer_id));
        } else {
            const sale written = outcomes_.read_sale(lines_.sales.at(id)).value();
            by_hand::write_sale_event(json, written, click_of(written.click_id),
                                      part_of(written.link_id), customer_of(written.customer_id));
        }
        return out;
    }

private:
    click click_of(std::string_view id) {
        return clicks_.read_click(lines_.clicks.at(std::string(id))).value();
    }
    by_hand::link_part part_of(std::string_view id) {
        const sluice::reference::link decoded =
            links_.read_link(lines_.links.at(std::string(id))).value();
        link_json_.clear();
        sluice::detail::json_writer json(link_json_);
        write_record(json, decoded, "ws_default");
        return {decoded.id, decoded.domain, decoded.key, link_json_};
    }
    std::string_view customer_of(std::string_view id) {
        customer_json_.clear();
        sluice::detail::json_writer json(customer_json_);
        write_record(json, customers_.read_customer(lines_.customers.at(std::string(id))).value());
        return customer_json_;
    }

    const record_lines& lines_;
    record_reader clicks_, outcomes_, links_, customers_;
    std::string link_json_, customer_json_;
};

constexpr std::string_view odd_text = "a\"b\\c\n\x01 \u00e9";

}  // namespace

TEST_CASE("pages of a sample are its records, byte for byte") {
    const temporary_folder folder;
    const auto now = sluice::parse_timestamp("2026-08-21T00:00:00Z").value();
    REQUIRE(write_sample(folder.path(), {.events = 3'000, .seed = 5, .now = now}));
    event_store store("ws_default");
    REQUIRE(load_folder(store, folder.path()));
    const record_lines lines(folder.path());
    const workspace_view view = store.find("ws_default")->current();
    naive_page naive(lines);
    for (const event_kind kind : {event_kind::clicks, event_kind::leads, event_kind::sales}) {
        const std::string name(event_kind_names[static_cast<std::size_t>(kind)]);
        for (const char* const page : {"&page=1&limit=1000", "&page=2&limit=37&order=asc",
                                       "&page=1&limit=1", "&page=99&limit=1000"}) {
            const auto query = events_query_of("event=" + name + page);
            const std::string body = list_events(view, query)->body;
            std::string expected = "[";
            for (const std::string& id : ids_in(body)) {
                expected.append(expected.size() > 1 ? "," : "").append(naive.event(kind, id));
            }
            REQUIRE(body == expected + "]");
        }
    }
}

TEST_CASE("a query made by hand is refused with a key that is no time") {
    const workspace records("ws_1");
    events_query query;
    for (const auto& [key, is_time] :
         {std::pair("20", true), {"9223372036854775808", false}, {"soon", false}}) {
        CAPTURE(key);
        query.cursor = sluice::cursor{false, 0, 0, {key, "e1"}};
        const auto page = list_events(records.current(), query);
        CHECK(page.has_value() == is_time);
        if (!page) CHECK(page.error().broken == sluice::rule::cursor_malformed);
    }
}

TEST_CASE("texts are escaped wherever they stand, and absent ones are null") {
    workspace records("ws_1");
    customer buyer = make_customer("cus_1");
    buyer.name = odd_text;
    sluice::reference::link followed = make_link("link_1");
    followed.domain = followed.key = odd_text;
    click clicked = make_click(odd_text, "link_1", 1);
    clicked.url = clicked.country = clicked.city = clicked.region = clicked.continent = odd_text;
    clicked.device = clicked.browser = clicked.os = clicked.referer = odd_text;
    clicked.referer_url = clicked.ip = odd_text;
    clicked.qr = true;
    sale sold = make_sale(odd_text, 2, "cus_1", odd_text, "link_1");
    sold.event_name = sold.payment_processor = odd_text;
    sold.currency = "EUR";
    sold.metadata = R"({"a":"\""})";
    REQUIRE(records.add(buyer));
    REQUIRE(records.add(followed));
    REQUIRE(records.add(clicked));
    REQUIRE(records.add(sold));
    records.publish();
    std::string link_json, customer_json, expected;
    sluice::detail::json_writer links(link_json), customers(customer_json), json(expected);
    write_record(links, followed, "ws_1");
    write_record(customers, buyer);
    const by_hand::link_part part{followed.id, followed.domain, followed.key, link_json};
    json.begin_array();
    by_hand::write_click_event(json, clicked, part);
    json.end_array();
    CHECK(list_events(records.current(), events_query_of(""))->body == expected);
    CHECK(expected.find("\"trigger\":null") != std::string::npos);
    std::string expected_sale;
    sluice::detail::json_writer sale_json(expected_sale);
    sale_json.begin_array();
    by_hand::write_sale_event(sale_json, sold, clicked, part, customer_json);
    sale_json.end_array();
    CHECK(list_events(records.current(), events_query_of("event=sales"))->body == expected_sale);
}

TEST_CASE("an explanation tells which rows are in the window and how they are found") {
    workspace records("ws_1");
    REQUIRE(records.add(make_link("link_1")));
    for (int i = 0; i < 100; ++i) {
        REQUIRE(records.add(make_click("click_" + std::to_string(i), "link_1", i)));
    }
    records.publish();
    const auto all = explain_events(records.current(), events_query_of("country=US&city=Unknown"));
    CHECK(all->rows == 100);
    const auto late =
        explain_events(records.current(),
                       events_query_of("country=US&interval=24h&start=1970-01-01T00:00:00.060Z"));
    CHECK(late->rows == 40);
    using sluice::store::access_path;
    const auto forced = explain_events(records.current(), events_query_of("country=US"),
                                       {.forced = access_path::code_scan});
    CHECK((*forced)[access_path::code_scan].blocks == 1);
    CHECK_FALSE(to_string(*forced).empty());
    CHECK(count_events(records.current(), events_query_of("country=US"),
                       {.forced = access_path::code_scan}) == 100);
}

TEST_CASE("statistics name every column, text and record of each workspace") {
    event_store store("ws_1");
    REQUIRE(store.add(make_customer("cus_1")));
    REQUIRE(store.add(make_link("link_1")));
    REQUIRE(store.add(make_click("click_1", "link_1", 1)));
    lead signed_up = make_lead("lead_1", 2, "cus_1", "click_1", "link_1");
    signed_up.metadata = R"({"pl'an":{"b\\":"pro"}})";
    REQUIRE(store.add(signed_up));
    store.publish();
    const auto all = store.stats();
    REQUIRE(all.size() == 1);
    const workspace_stats& stats = all.front();
    CHECK(stats.id == "ws_1");
    CHECK(stats.links == 1);
    CHECK(stats.customers == 1);
    CHECK(stats.tags == 0);
    CHECK(stats.link_index > 0);
    const auto& [clicks, leads, sales] = stats.events;
    CHECK(clicks.rows == 1);
    CHECK(sales.rows == 0);
    CHECK(clicks.columns.size() == code_columns_of(event_kind::clicks));
    CHECK(clicks.directory == 0);  // no block is full
    CHECK(leads.columns.size() == code_columns_of(event_kind::leads));
    const auto name_of = [](const auto& row) { return row.name; };
    CHECK(std::ranges::count(clicks.columns, "click.country", name_of) == 1);
    CHECK(std::ranges::count(leads.columns, R"(metadata['pl\'an']['b\\'])", name_of) == 1);
    const auto country = std::ranges::find(stats.texts, "click.country", name_of);
    REQUIRE(country != stats.texts.end());
    CHECK(country->texts == 1);
    CHECK(country->bytes > 2);
    CHECK(country->fragments > 15);
    CHECK(total_bytes(stats) > country->bytes + country->fragments);
}

TEST_CASE("counts of a store that is maintained are the same, and read less") {
    event_store store("ws_1");
    REQUIRE(store.add(make_link("link_1")));
    for (int i = 0; i < 9'000; ++i) {
        const std::string id = "click_" + std::to_string(i);
        click added = make_click(id, "link_1", i);
        added.country = i % 3 == 0 ? "US" : "DE";
        added.device = i % 4 == 0 ? "Mobile" : "Desktop";
        REQUIRE(store.add(added));
    }
    store.publish();
    const auto now = [&] { return store.find("ws_1")->current(); };
    const auto query = events_query_of("country=US&device=Mobile&browser=Firefox");
    CHECK_FALSE(store.maintain());  // nothing was asked yet
    for (int i = 0; i < 50; ++i) CHECK(count_events(now(), query) == 750);
    const workspace_view before = now();
    while (store.maintain()) {
    }
    CHECK(count_events(now(), query) == 750);
    CHECK(now().version == before.version);
    using sluice::store::access_path;
    const auto work = explain_events(now(), query);
    CHECK((*work)[access_path::projection].blocks == 2);
    CHECK((*work)[access_path::code_scan].bytes <
          (*explain_events(before, query))[access_path::bitmaps].bytes);
    const workspace_stats sizes = store.stats().front();
    CHECK(sizes.events[0].projection > 0);
    CHECK(sizes.events[1].projection == 0);
    CHECK(total_bytes(sizes) == total_bytes(stats(before)) + sizes.events[0].projection);
}
