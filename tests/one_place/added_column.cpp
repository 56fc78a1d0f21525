// SPDX-License-Identifier: MIT
#include <cstdint>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <simdjson.h>

#include <sluice/reference/events/events_mask.hpp>
#include <sluice/reference/sample.hpp>
#include <sluice/reference/search/event_page.hpp>
#include <sluice/reference/service/routes.hpp>
#include <sluice/reference/store/event_store.hpp>
#include <sluice/reference/store/loader.hpp>

#include "../arrow/make_array.hpp"
#include "../reference/make_records.hpp"
#include "../temporary_folder.hpp"

// Compiled with a copy of the headers in which add_column.cmake has added a click column `asn`.

using namespace sluice::reference;
using simdjson::dom::element;

namespace {

const auto now = sluice::parse_timestamp("2026-08-21T00:00:00Z").value();

/// The clicks of a folder by their IDs, each with its network.
std::map<std::string, std::int64_t> networks_in(const std::filesystem::path& folder) {
    std::map<std::string, std::int64_t> networks;
    std::ifstream stream(folder / "clicks.ndjson");
    simdjson::dom::parser parser;
    for (std::string line; std::getline(stream, line);) {
        const element click = parser.parse(line);
        networks.emplace(click["id"].get_string().value(), click["asn"].get_int64().value());
    }
    return networks;
}

/// A store of a sample and what its lines say.
struct sample {
    sample() {
        REQUIRE(write_sample(folder.path(), {.events = 2'000, .seed = 3, .now = now}));
        REQUIRE(load_folder(store, folder.path()));
        networks = networks_in(folder.path());
    }
    [[nodiscard]] workspace_view view() { return store.find("ws_default")->current(); }

    temporary_folder folder;
    event_store store{"ws_default"};
    std::map<std::string, std::int64_t> networks;
};

}  // namespace

TEST_CASE("an added column is read from records, and null where they lack it") {
    workspace records("ws_1");
    REQUIRE(records.add(make_link("link_1")));
    click clicked = make_click("click_1", "link_1", 1);
    REQUIRE(records.add(clicked));
    clicked.id = "click_2";
    clicked.asn = -7;
    REQUIRE(records.add(clicked));
    records.publish();
    const std::string page = list_events(records.current(), events_query_of("order=asc"))->body;
    CHECK(page.find(R"("os":"Linux","asn":null,"trigger":null)") != std::string::npos);
    CHECK(page.find(R"("os":"Linux","asn":-7,"trigger":null)") != std::string::npos);
    CHECK(listed(records.current(), "asn=-7") == id_list{"click_1", "click_2"});  // all but 7
    CHECK(listed(records.current(), R"(asn=-\-7)") == id_list{"click_1"});
    CHECK(listed(records.current(), R"(asn=\-7)") == id_list{"click_2"});
}

TEST_CASE("an added column of another type is refused by its name") {
    record_reader reader;
    const auto read = reader.read_click(R"({"id":"click_1","asn":"13335"})");
    REQUIRE(!read);
    CHECK(read.error().broken == sluice::rule::field_type);
    CHECK(read.error().param == "asn");
}

TEST_CASE("an added column shows in every click of a page, of leads and sales too") {
    sample sampled;
    simdjson::dom::parser parser;
    for (const std::string kind : {"clicks", "leads", "sales"}) {
        const auto query = events_query_of("limit=1000&event=" + kind);
        const std::string page = list_events(sampled.view(), query)->body;
        std::size_t shown = 0;
        for (const element event : parser.parse(page).get_array()) {
            const std::string id(event["click"]["id"].get_string().value());
            CHECK(event["click"]["asn"].get_int64().value() == sampled.networks.at(id));
            ++shown;
        }
        CHECK(shown > 0);
    }
}

TEST_CASE("an added column is filtered by, and an exclusion takes the rest") {
    sample sampled;
    const auto count = [&](const std::string& text) {
        return *count_events(sampled.view(), events_query_of(text));
    };
    std::map<std::int64_t, std::int64_t> clicks_of;
    for (const auto& [id, network] : sampled.networks) ++clicks_of[network];
    REQUIRE(clicks_of.size() == 16);
    const auto all = static_cast<std::int64_t>(sampled.networks.size());
    for (const auto& [network, clicks] : clicks_of) {
        const std::string text = std::to_string(network);
        CHECK(count("asn=" + text) == clicks);
        CHECK(count("asn=-" + text) == all - clicks);
    }
    CHECK(count("asn=64496,64497") == clicks_of.at(64496) + clicks_of.at(64497));
}

namespace {

using network = std::optional<std::int64_t>;
constexpr auto least = std::numeric_limits<std::int64_t>::min();
constexpr auto most = std::numeric_limits<std::int64_t>::max();
const std::vector<network> networks{least, least + 1, -7,   0,           7,
                                    13335, most - 1,  most, std::nullopt};

/// The range of each parameter, as a loop over rows asks it.
const std::pair<std::string, bool (*)(std::int64_t, std::int64_t)> ranges[] = {
    {"asn[gte]=", [](std::int64_t row, std::int64_t bound) { return row >= bound; }},
    {"asn[gt]=", [](std::int64_t row, std::int64_t bound) { return row > bound; }},
    {"asn[lte]=", [](std::int64_t row, std::int64_t bound) { return row <= bound; }},
    {"asn[lt]=", [](std::int64_t row, std::int64_t bound) { return row < bound; }},
};

/// Calls `check(text, holds)` with each range and each two of them, and what they say of a row.
template <class Check>
void for_each_range(Check check) {
    for (const auto& range : ranges) {
        const std::string& name = range.first;
        for (const network& bound : networks) {
            if (!bound) continue;
            const auto holds = [&](const network& row) {
                return row && range.second(*row, *bound);
            };
            const std::string text = name + std::to_string(*bound);
            check(text, holds);
            check(text + "&asn=7,13335",
                  [&](const network& row) { return holds(row) && (row == 7 || row == 13335); });
            if (name == "asn[gte]=") {
                check(text + "&asn[lt]=13335",
                      [&](const network& row) { return holds(row) && *row < 13335; });
            }
        }
    }
}

/// A click of each network, over and over, and a lead of each.
struct visited {
    visited() {
        REQUIRE(records.add(make_link("link_1")));
        REQUIRE(records.add(make_customer("cus_1")));
        for (int number = 0; number < 60; ++number) {
            const std::string id = std::to_string(100 + number);
            click clicked = make_click(id, "link_1", number);
            clicked.asn = networks[static_cast<std::size_t>(number) % networks.size()];
            REQUIRE(records.add(clicked));
            REQUIRE(records.add(make_lead(id, number, "cus_1", id, "link_1")));
            rows.emplace_back(id, clicked.asn);
        }
        records.publish();
    }

    template <class Holds>
    [[nodiscard]] id_list where(const Holds& holds) const {
        id_list ids;
        for (const auto& [id, row] : rows) {
            if (holds(row)) ids.push_back(id);
        }
        return ids;
    }

    workspace records{"ws_1"};
    std::vector<std::pair<std::string, network>> rows;
};

}  // namespace

TEST_CASE("an added column is filtered by ranges: all 64 bits, and never what is null") {
    const visited samples;
    for_each_range([&](const std::string& text, const auto& holds) {
        CAPTURE(text);
        const id_list expected = samples.where(holds);
        CHECK(listed(samples.records.current(), text) == expected);
        CHECK(listed(samples.records.current(), text + "&event=leads") == expected);
        CHECK(listed(samples.records.current(), text + "&event=sales").empty());
    });
}

TEST_CASE("the pages of a range have its rows, each once") {
    const visited samples;
    const std::string range = "asn[gte]=0&asn[lt]=9223372036854775807&order=asc&limit=4&page=";
    id_list all;
    for (int number = 1; number <= 20; ++number) {
        const auto query = events_query_of(range + std::to_string(number));
        for (const std::string& id : ids_in(list_events(samples.records.current(), query)->body)) {
            all.push_back(id);
        }
    }
    CHECK(all == samples.where([](const network& row) { return row && *row >= 0 && *row < most; }));
}

TEST_CASE("a mask over an added column has the rows of its ranges and filters") {
    const visited samples;
    arrow_test::codes numbers;
    for (const auto& [id, row] : samples.rows) numbers.push_back(row);
    std::vector<std::pair<std::string, arrow_test::column_ptr>> columns;
    columns.emplace_back("network", arrow_test::make_integers("l", numbers));
    const auto table = arrow_test::make_table(std::move(columns), numbers.size());
    const auto masked = [&](const std::string& text) {
        const mask_columns names{{"asn", "network"}, {"timestamp", std::nullopt}};
        auto conditions = mask_conditions(events_query_of(text), names);
        REQUIRE(conditions);
        const auto table_mask =
            sluice::arrow::table_filter::make(table->type(), std::move(*conditions));
        REQUIRE(table_mask);
        const auto mask = table_mask->mask(table->array).value();
        id_list ids;
        for (std::size_t row = 0; row < samples.rows.size(); ++row) {
            if (mask[row]) ids.push_back(samples.rows[row].first);
        }
        return ids;
    };
    for_each_range([&](const std::string& text, const auto& holds) {
        CAPTURE(text);
        CHECK(masked(text) == samples.where(holds));
    });
    CHECK(masked("asn=-7") == samples.where([](const network& row) { return row != 7; }));
    CHECK(masked(R"(asn=\-7)") == samples.where([](const network& row) { return row == -7; }));
}

TEST_CASE("the OpenAPI document has an added column's field and its parameter") {
    simdjson::dom::parser parser;
    const std::string text = openapi_document({}, routes);
    const element document = parser.parse(text);
    const element field = document["components"]["schemas"]["Click"]["properties"]["asn"];
    CHECK(field["anyOf"].at(0)["type"].get_string().value() == "integer");
    CHECK(field["anyOf"].at(1)["type"].get_string().value() == "null");
    CHECK(field["description"].get_string().value() == "number of the visitor's network");
    std::vector<std::pair<std::string, std::string>> parameters;  // with their types
    for (const element parameter : document["paths"]["/events"]["get"]["parameters"].get_array()) {
        const std::string name(parameter["name"].get_string().value());
        if (!name.starts_with("asn")) continue;
        parameters.emplace_back(name, parameter["schema"]["type"].get_string().value());
    }
    const decltype(parameters) expected{{"asn", "string"},
                                        {"asn[gte]", "integer"},
                                        {"asn[gt]", "integer"},
                                        {"asn[lte]", "integer"},
                                        {"asn[lt]", "integer"}};
    CHECK(parameters == expected);
}
