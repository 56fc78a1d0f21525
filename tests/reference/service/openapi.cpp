// SPDX-License-Identifier: MIT
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <simdjson.h>

#include <sluice/reference/search/event_page.hpp>
#include <sluice/reference/service/openapi.hpp>
#include <sluice/reference/service/routes.hpp>

#include "../records/write_events.hpp"

using namespace sluice;
using simdjson::dom::element;
using simdjson::dom::object;

namespace {

using name_list = std::vector<std::string>;

name_list keys_of(const object& fields) {
    name_list keys;
    for (const auto field : fields) keys.emplace_back(field.key);
    return keys;
}

/// The fields of a record whose schema says that they may be left out.
name_list without_optional(name_list keys) {
    std::erase_if(keys,
                  [](const std::string& key) { return key == "color" || key == "testVariants"; });
    return keys;
}

std::string written(void (*write)(sluice::detail::json_writer&)) {
    std::string text;
    sluice::detail::json_writer json(text);
    write(json);
    return text;
}

}  // namespace

TEST_CASE("the OpenAPI document is JSON and describes both operations from their tables") {
    simdjson::dom::parser parser;
    const std::string text =
        reference::openapi_document({.base_url = "https://api.example.com"}, reference::routes);
    const element document = parser.parse(text);
    CHECK(document["openapi"].get_string().value() == "3.1.0");
    CHECK(document["servers"].at(0)["url"].get_string().value() == "https://api.example.com");
    const auto parameters = document["paths"]["/events"]["get"]["parameters"].get_array();
    std::size_t count = 0;
    for (const element parameter : parameters) {
        CHECK(parameter["name"].get_string().value() ==
              reference::events_params[count++].info.name);
    }
    CHECK(count == reference::events_params.size());
    for (const char* status : {"200", "400", "401", "403", "422", "429", "500"}) {
        CHECK(document["paths"]["/tags"]["get"]["responses"][status].error() == simdjson::SUCCESS);
    }
}

TEST_CASE("each reference leads to a part of the document") {
    simdjson::dom::parser parser;
    const std::string text = reference::openapi_document({}, reference::routes);
    const element document = parser.parse(text);
    constexpr std::string_view begin = R"("$ref":"#)";
    std::set<std::string> rooms;
    for (std::size_t at = text.find(begin); at != text.npos; at = text.find(begin, at + 1)) {
        const std::size_t first = at + begin.size();
        const std::string pointer = text.substr(first, text.find('"', first) - first);
        CAPTURE(pointer);
        CHECK(document.at_pointer(pointer).error() == simdjson::SUCCESS);
        rooms.insert(pointer.substr(0, pointer.rfind('/')));
    }
    CHECK(rooms == std::set<std::string>{"/components/headers", "/components/responses",
                                         "/components/schemas"});
}

TEST_CASE("a list answers records of each of its kinds") {
    simdjson::dom::parser parser;
    const std::string text = reference::openapi_document({}, reference::routes);
    const element paths = parser.parse(text)["paths"];
    const auto shown = [&](const char* path) {
        const element content = paths[path]["get"]["responses"]["200"]["content"];
        return simdjson::to_string(content["application/json"]["schema"]["items"].value());
    };
    CHECK(shown("/tags") == R"({"$ref":"#/components/schemas/Tag"})");
    CHECK(shown("/domains") == R"({"$ref":"#/components/schemas/Domain"})");
    CHECK(shown("/events") == R"({"anyOf":[{"$ref":"#/components/schemas/ClickEvent"},)"
                              R"({"$ref":"#/components/schemas/LeadEvent"},)"
                              R"({"$ref":"#/components/schemas/SaleEvent"}]})");
}

TEST_CASE("a route of one record answers its schema, without the headers of pages") {
    simdjson::dom::parser parser;
    const std::string text = reference::openapi_document({}, reference::routes);
    const element paths = parser.parse(text)["paths"];
    const auto answer = [&](const char* path) {
        return paths[path]["get"]["responses"]["200"].value();
    };
    const auto schema = [&](const char* path) {
        return simdjson::to_string(answer(path)["content"]["application/json"]["schema"].value());
    };
    CHECK(schema("/links/info") == R"({"$ref":"#/components/schemas/Link"})");
    CHECK(schema("/links/count") == R"({"anyOf":[{"type":"integer"},{"type":"array","items":)"
                                    R"({"$ref":"#/components/schemas/LinkGroup"}}]})");
    for (const char* const path : {"/links/info", "/links/count", "/links"}) {
        const bool is_page = path == std::string_view("/links");
        const bool has_link = answer(path)["headers"]["Link"].error() == simdjson::SUCCESS;
        CHECK(has_link == is_page);
        CHECK(answer(path)["headers"]["ETag"].error() == simdjson::SUCCESS);
        const bool has_404 = paths[path]["get"]["responses"]["404"].error() == simdjson::SUCCESS;
        CHECK(has_404 == (path == std::string_view("/links/info")));
    }
}

TEST_CASE("the OpenAPI document has the routes of the handler, and says which need no key") {
    simdjson::dom::parser parser;
    const std::string text = reference::openapi_document({}, reference::routes);
    const object paths = parser.parse(text)["paths"];
    name_list documented, open, answered, answered_to_anyone;
    for (const auto path : paths) {
        documented.emplace_back(path.key);
        if (path.value["get"]["security"].error() == simdjson::SUCCESS) open.emplace_back(path.key);
    }
    for (const reference::route& endpoint : reference::routes) {
        answered.emplace_back(endpoint.path);
        if (endpoint.is_open()) answered_to_anyone.emplace_back(endpoint.path);
    }
    CHECK(documented == answered);
    CHECK(open == answered_to_anyone);
}

TEST_CASE("the schemas hold exactly the fields that are written, in their order") {
    simdjson::dom::parser documents;
    simdjson::dom::parser records;
    const std::string text = reference::openapi_document({}, reference::routes);
    const element schemas = documents.parse(text)["components"]["schemas"];
    const std::vector<std::pair<const char*, std::string>> table{
        {"Tag", written([](auto& json) { reference::write_record(json, reference::tag{}); })},
        {"Domain", written([](auto& json) { reference::write_record(json, reference::domain{}); })},
        {"Folder", written([](auto& json) { reference::write_record(json, reference::folder{}); })},
        {"Customer",
         written([](auto& json) { reference::write_record(json, reference::customer{}); })},
        {"Link",
         written([](auto& json) { reference::write_record(json, reference::link{}, "ws"); })},
        {"Click", written([](auto& json) { by_hand::write_click(json, {}); })},
        {"ClickEvent",
         written([](auto& json) { by_hand::write_click_event(json, {}, {.json = "{}"}); })},
        {"LeadEvent", written([](auto& json) {
             by_hand::write_lead_event(json, {}, {}, {.json = "{}"}, "{}");
         })},
        {"SaleEvent", written([](auto& json) {
             by_hand::write_sale_event(json, {}, {}, {.json = "{}"}, "{}");
         })},
    };
    for (const auto& [name, json] : table) {
        CAPTURE(name);
        const object record = records.parse(json);
        const object schema = schemas[name]["properties"];
        CHECK(keys_of(record) == without_optional(keys_of(schema)));
    }
}

TEST_CASE("a field that records show as null is one that its schema lets be null") {
    simdjson::dom::parser documents;
    simdjson::dom::parser records;
    const std::string text = reference::openapi_document({}, reference::routes);
    const element schemas = documents.parse(text)["components"]["schemas"];
    const std::string sale =
        written([](auto& json) { by_hand::write_sale_event(json, {}, {}, {.json = "{}"}, "{}"); });
    const std::string link =
        written([](auto& json) { reference::write_record(json, reference::link{}, "ws"); });
    const auto nulls_in = [&](const object& record, const char* schema) {
        name_list names;
        for (const auto field : record) {
            if (!field.value.is_null()) continue;
            CAPTURE(field.key);
            names.emplace_back(field.key);
            const element property = schemas[schema]["properties"][field.key];
            if (property["anyOf"].error() != simdjson::SUCCESS) {
                CHECK(property["type"].error() == simdjson::NO_SUCH_FIELD);  // any JSON
            } else {
                CHECK(property["anyOf"].at(1)["type"].get_string().value() == "null");
            }
        }
        return names;
    };
    CHECK(nulls_in(records.parse(sale)["sale"], "Sale") == name_list{"invoiceId"});
    CHECK(nulls_in(records.parse(sale), "SaleEvent") == name_list{"metadata"});
    CHECK(nulls_in(records.parse(sale)["click"], "Click") == name_list{"trigger"});
    CHECK(nulls_in(records.parse(link), "Link").size() > 20);
}

TEST_CASE("a schema lists the texts that a field can have, and marks deprecated fields") {
    simdjson::dom::parser parser;
    const std::string text = reference::openapi_document({}, reference::routes);
    const element schemas = parser.parse(text)["components"]["schemas"];
    const auto shown = [&](const char* schema, const char* field, const char* member) {
        const element property = schemas[schema]["properties"][field];
        return simdjson::to_string(property[member].value());
    };
    CHECK(shown("Tag", "color", "enum") ==
          R"(["red","yellow","green","blue","purple","brown","gray","pink"])");
    CHECK(shown("Click", "trigger", "anyOf") ==
          R"([{"type":"string","enum":["qr","link","pageview"]},{"type":"null"}])");
    name_list deprecated;
    for (const auto field : object(schemas["SaleEvent"]["properties"])) {
        if (field.value["deprecated"].error() == simdjson::SUCCESS) {
            deprecated.emplace_back(field.key);
        }
    }
    CHECK(deprecated == name_list{"saleAmount", "invoice_id", "payment_processor", "click_id",
                                  "link_id", "domain", "key", "url", "continent", "country", "city",
                                  "device", "browser", "os", "qr", "ip"});
    CHECK(shown("Link", "projectId", "deprecated") == "true");
    CHECK(schemas["Link"]["properties"]["id"]["deprecated"].error() == simdjson::NO_SUCH_FIELD);
}

TEST_CASE("a refusal has the headers that its status brings") {
    simdjson::dom::parser parser;
    const name_list everywhere{"Cache-Control", "Vary", "X-Request-Id"};
    name_list counted = everywhere;
    for (const char* end : {"Limit", "Remaining", "Reset"}) {
        counted.push_back(std::string("X-RateLimit-") + end);
    }
    const auto with = [](name_list some, const std::string& one) {
        some.push_back(one);
        return some;
    };
    const std::string text = reference::openapi_document({}, reference::routes);
    const element responses = parser.parse(text)["components"]["responses"];
    const std::vector<std::pair<const char*, name_list>> table{
        {"BadRequest", counted},          {"Unauthorized", with(everywhere, "WWW-Authenticate")},
        {"Forbidden", counted},           {"NotFound", counted},
        {"BodyTooLarge", everywhere},     {"TargetTooLong", everywhere},
        {"UnprocessableEntity", counted}, {"RateLimitExceeded", with(counted, "Retry-After")},
        {"HeadersTooLarge", everywhere},  {"InternalServerError", counted}};
    CHECK(keys_of(responses).size() == table.size());
    for (const auto& [name, headers] : table) {
        CAPTURE(name);
        CHECK(keys_of(responses[name]["headers"]) == headers);
    }
}

TEST_CASE("an answer has the headers of its kind") {
    simdjson::dom::parser parser;
    const std::string text = reference::openapi_document({}, reference::routes);
    const element paths = parser.parse(text)["paths"];
    const auto has = [&](const char* path, const char* header) {
        const element answer = paths[path]["get"]["responses"]["200"];
        const name_list headers = keys_of(answer["headers"]);
        return std::ranges::find(headers, header) != headers.end();
    };
    for (const char* const path : {"/events", "/tags"}) {
        for (const char* const header :
             {"Cache-Control", "Vary", "X-Request-Id", "ETag", "Link", "X-Total-Count",
              "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"}) {
            CAPTURE(header);
            CHECK(has(path, header));
        }
        CHECK_FALSE(has(path, "Retry-After"));
        CHECK_FALSE(has(path, "WWW-Authenticate"));
    }
    CHECK_FALSE(has("/openapi.json", "Link"));
    CHECK_FALSE(has("/healthz", "ETag"));
}

TEST_CASE(
    "a type is one of JSON, a schema of the document, a list or an object of either, or anything") {
    const std::vector<std::pair<std::string_view, std::string>> table{
        {"string", R"({"type":"string"})"},
        {"Answer", R"({"$ref":"#/components/schemas/Answer"})"},
        {"Zone", R"({"$ref":"#/components/schemas/Zone"})"},
        {"Zone[]", R"({"type":"array","items":{"$ref":"#/components/schemas/Zone"}})"},
        {"any[]", R"({"type":"array","items":{}})"},
        {"string{}", R"({"type":"object","additionalProperties":{"type":"string"}})"},
        {"Zone[]?", R"({"anyOf":[{"type":"array","items":{"$ref":"#/components/schemas/Zone"}},)"
                    R"({"type":"null"}]})"}};
    for (const auto& [type, schema] : table) {
        std::string text;
        sluice::detail::json_writer json(text);
        json.begin_object();
        sluice::reference::detail::write_type(json, type);
        json.end_object();
        CHECK(text == schema);
    }
}
