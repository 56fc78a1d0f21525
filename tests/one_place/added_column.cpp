// SPDX-License-Identifier: MIT
#include <cstdint>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <doctest/doctest.h>
#include <simdjson.h>

#include <sluice/api/event_store.hpp>
#include <sluice/api/events/event_page.hpp>
#include <sluice/api/loader.hpp>
#include <sluice/api/sample.hpp>
#include <sluice/api/service/openapi.hpp>

#include "../api/make_records.hpp"
#include "../temporary_folder.hpp"

// Compiled with a copy of the headers in which add_column.cmake has added a click column `asn`.

using namespace sluice::api;
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
    workspace own("ws_1");
    REQUIRE(own.add(make_link("link_1")));
    click clicked = make_click("click_1", "link_1", 1);
    REQUIRE(own.add(clicked));
    clicked.id = "click_2";
    clicked.asn = -7;
    REQUIRE(own.add(clicked));
    own.publish();
    const std::string page = list_events(own.current(), events_query_of("order=asc"))->body;
    CHECK(page.find(R"("os":"Linux","asn":null,"trigger":null)") != std::string::npos);
    CHECK(page.find(R"("os":"Linux","asn":-7,"trigger":null)") != std::string::npos);
    CHECK(listed(own.current(), "asn=-7") == id_list{"click_1", "click_2"});  // all but 7
    CHECK(listed(own.current(), R"(asn=-\-7)") == id_list{"click_1"});
    CHECK(listed(own.current(), R"(asn=\-7)") == id_list{"click_2"});
}

TEST_CASE("an added column of another type is refused by its name") {
    record_reader reader;
    const auto read = reader.read_click(R"({"id":"click_1","asn":"13335"})");
    REQUIRE(!read);
    CHECK(read.error().broken == sluice::rule::field_type);
    CHECK(read.error().param == "asn");
}

TEST_CASE("an added column shows in every click of a page, of leads and sales too") {
    sample made;
    simdjson::dom::parser parser;
    for (const std::string kind : {"clicks", "leads", "sales"}) {
        const auto query = events_query_of("limit=1000&event=" + kind);
        const std::string page = list_events(made.view(), query)->body;
        std::size_t shown = 0;
        for (const element event : parser.parse(page).get_array()) {
            const std::string id(event["click"]["id"].get_string().value());
            CHECK(event["click"]["asn"].get_int64().value() == made.networks.at(id));
            ++shown;
        }
        CHECK(shown > 0);
    }
}

TEST_CASE("an added column is filtered by, and an exclusion takes the rest") {
    sample made;
    const auto count = [&](const std::string& text) {
        return *count_events(made.view(), events_query_of(text));
    };
    std::map<std::int64_t, std::int64_t> clicks_of;
    for (const auto& [id, network] : made.networks) ++clicks_of[network];
    REQUIRE(clicks_of.size() == 16);
    const auto all = static_cast<std::int64_t>(made.networks.size());
    for (const auto& [network, clicks] : clicks_of) {
        const std::string text = std::to_string(network);
        CHECK(count("asn=" + text) == clicks);
        CHECK(count("asn=-" + text) == all - clicks);
    }
    CHECK(count("asn=64496,64497") == clicks_of.at(64496) + clicks_of.at(64497));
}

TEST_CASE("the OpenAPI document has an added column's field and its parameter") {
    simdjson::dom::parser parser;
    const std::string text = openapi_document("");
    const element document = parser.parse(text);
    const element field = document["components"]["schemas"]["Click"]["properties"]["asn"];
    CHECK(field["anyOf"].at(0)["type"].get_string().value() == "integer");
    CHECK(field["anyOf"].at(1)["type"].get_string().value() == "null");
    CHECK(field["description"].get_string().value() == "number of the visitor's network");
    bool is_parameter = false;
    for (const element each : document["paths"]["/events"]["get"]["parameters"].get_array()) {
        is_parameter = is_parameter || each["name"].get_string().value() == "asn";
    }
    CHECK(is_parameter);
}
