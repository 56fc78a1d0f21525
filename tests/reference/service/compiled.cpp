// SPDX-License-Identifier: MIT
#include <sluice/reference/service.hpp>
#if defined(SLUICE_REFERENCE_HANDLER_HPP) || defined(SLUICE_REFERENCE_STORE_EVENT_STORE_HPP) || \
    defined(SLUICE_REFERENCE_STORE_LOADER_HPP)
#error "the header of the compiled service is light: it brings neither handler nor store"
#endif

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/reference/handler.hpp>
#include <sluice/reference/service/key_file.hpp>
#include <sluice/reference/store/loader.hpp>
#include <sluice/time/system_zones.hpp>

#include "../../temporary_folder.hpp"

using namespace sluice;
using namespace sluice::reference;

namespace {

const instant now = *parse_timestamp("2026-11-22T12:00:00Z");
const std::string keys = R"([{"sha256":")" + to_hex(sha256("secret")) +
                         R"(","workspaceId":"ws_1","plan":"business",)"
                         R"("permissions":["analytics.read","tags.read"]}])";

service_inputs inputs_of(const std::filesystem::path& folder) {
    return {.folder = folder, .keys = keys, .default_workspace = "ws_1", .options = {}};
}

void write_tags(const std::filesystem::path& folder, std::string_view text) {
    std::ofstream(folder / "tags.ndjson") << text;
    for (const char* const name : {"customers", "links", "clicks", "leads", "sales"}) {
        std::ofstream(folder / (std::string(name) + ".ndjson")) << "";
    }
}

}  // namespace

TEST_CASE("the compiled service answers as the handler over the same store does") {
    const temporary_folder folder;
    write_tags(folder.path(),
               R"({"id":"tag_1","name":"one","color":"red","createdAt":"2026-01-01T00:00:00Z"})"
               "\n");
    auto opened = service::open(inputs_of(folder.path()));
    REQUIRE(opened);
    service moved = std::move(*opened);

    event_store store("ws_1");
    REQUIRE(load_folder(store, folder.path()));
    const auto zones = load_time_zones();
    REQUIRE(zones);
    handler direct(store, *parse_keys(keys), *zones, {});

    const std::vector<name_value> headers{{"Authorization", "Bearer secret"}};
    for (const std::string_view target : {"/tags", "/tags?search=on", "/events?country=US,-CA",
                                          "/events?interval=all", "/nothing", "/tags?page=0"}) {
        CAPTURE(target);
        const request question{.target = target, .headers = headers};
        const response one = moved.handle(question, now);
        const response other = direct.handle(question, now);
        CHECK(one.status == other.status);
        CHECK(one.body == other.body);
        CHECK(one.headers == other.headers);
    }
    CHECK(moved.handle({.target = "/tags", .headers = headers}, now).body.find("tag_1") !=
          std::string::npos);
    CHECK(moved.handle({.target = "/tags"}, now).status == 401);
}

TEST_CASE("a service that can't be opened says why and where") {
    const temporary_folder folder;
    write_tags(folder.path(), R"({"id":"tag_1"})"
                              "\n");
    const auto opened = service::open(inputs_of(folder.path()));
    REQUIRE(!opened);
    CHECK(opened.error().why.broken == rule::field_missing);
    CHECK(opened.error().text.find("tags.ndjson:1: ") != std::string::npos);

    service_inputs inputs = inputs_of(folder.path());
    inputs.keys = R"([{"plan":"none"}])";
    const auto keyless = service::open(inputs);
    REQUIRE(!keyless);
    CHECK(keyless.error().text.starts_with("key 0: "));

    const auto missing = service::open(inputs_of(folder.path() / "nowhere"));
    REQUIRE(!missing);
    CHECK(missing.error().why.broken == rule::file_unreadable);
}
