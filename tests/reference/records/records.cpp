// SPDX-License-Identifier: MIT
#include <array>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <doctest/doctest.h>
#include <simdjson.h>

#include <sluice/reference/records/record_writer.hpp>
#include <sluice/reference/records/records.hpp>

#include "write_events.hpp"

using namespace sluice::reference;
using sluice::detail::json_writer;
using namespace std::string_view_literals;

static_assert(make_slug(0) == std::array{'A', 'A', 'A', 'A', 'A', 'A', 'A'});
static_assert(make_slug(~0ULL) == std::array{'_', '_', '_', '_', '_', '_', '_'});

namespace {

sluice::instant at(std::string_view text) { return sluice::parse_timestamp(text).value(); }

// tests/data/golden/{name}.json, which was written by hand, without its white space.
std::string golden(const std::string& name) {
    std::ifstream file(SLUICE_TEST_DATA "/golden/" + name + ".json");
    const std::string pretty{std::istreambuf_iterator<char>(file), {}};
    std::string text(pretty.size(), '\0');
    std::size_t size = 0;
    REQUIRE(simdjson::minify(pretty.data(), pretty.size(), text.data(), size) == simdjson::SUCCESS);
    text.resize(size);
    REQUIRE(!text.empty());
    return text;
}

template <class Write>
std::string written(Write write) {
    std::string text;
    json_writer json(text);
    write(json);
    return text;
}

constexpr tag purple_tag{"tag_1", "Été, \"sale\"", "purple", {}, {}};
constexpr tag plain_tag{"tag_2", "plain", {}, {}, {}};
constexpr by_hand::link_part part{"link_1", "go.example.com", "summer", R"({"the link":"object"})"};
constexpr std::string_view customer_json = R"({"the customer":"object"})";

const click known_click{.id = "click_1",
                        .timestamp = at("2026-08-21T02:30:15.123Z"),
                        .link_id = "link_1",
                        .url = "https://example.com/a?utm_source=x&q=1",
                        .country = "US",
                        .city = "San José",
                        .region = "US-CA",
                        .continent = "NA",
                        .device = "Desktop",
                        .browser = "Chrome",
                        .os = "Mac OS",
                        .trigger = "qr",
                        .referer = "t.co",
                        .referer_url = "https://t.co/x",
                        .qr = true,
                        .ip = "83.149.9.0"};

const click unknown_click{.id = "click_2",
                          .link_id = "link_1",
                          .url = "https://example.com/",
                          .country = "Unknown",
                          .city = "Unknown",
                          .region = "Unknown",
                          .continent = "Unknown",
                          .device = "Unknown",
                          .browser = "Unknown",
                          .os = "Unknown",
                          .referer = "(direct)",
                          .referer_url = "(direct)"};

const sale some_sale{.event_id = "sale_1",
                     .event_name = "Purchase",
                     .timestamp = at("2026-08-21T04:00:00.001Z"),
                     .customer_id = "cus_1",
                     .click_id = "click_1",
                     .link_id = "link_1",
                     .amount = 1899,
                     .currency = "USD",
                     .invoice_id = "inv_1",
                     .payment_processor = "stripe",
                     .metadata = R"({"quantity":1})"};

constexpr std::array tags{purple_tag, plain_tag};
constexpr std::array webhook_ids{"wh_1"sv, "wh_2"sv};
constexpr std::array variants{test_variant{"https://example.com/a", 66.5},
                              test_variant{"https://example.com/b", 33.5}};

sluice::reference::link minimal_link() {
    sluice::reference::link added;
    added.id = "link_2";
    added.domain = "example.com";
    added.key = "_root";
    added.url = "https://example.com/home";
    added.created_at = added.updated_at = at("2026-07-01T00:00:00Z");
    return added;
}

// Every field set.
const sluice::reference::link full_link{
    .id = "link_1",
    .domain = "go.example.com",
    .key = "summer/été 50%",
    .url = "https://example.com/a",
    .track_conversion = true,
    .external_id = "sku-1",
    .tenant_id = "tenant_1",
    .program_id = "prog_1",
    .partner_id = "pn_1",
    .group_id = "grp_1",
    .archived = true,
    .expires_at = at("2027-01-01T00:00:00Z"),
    .expired_url = "https://example.com/over",
    .disabled_at = at("2026-12-31T23:59:59.999Z"),
    .password = "let me in",
    .proxy = true,
    .title = "A title",
    .description = "A description",
    .image = "https://example.com/i.png",
    .video = "https://example.com/v.mp4",
    .rewrite = true,
    .do_index = true,
    .ios = "https://example.com/ios",
    .android = "https://example.com/android",
    .geo = R"({"SE":"https://example.com/se","FR":"https://example.com/fr"})",
    .public_stats = true,
    .tags = tags,
    .folder_id = "fold_1",
    .webhook_ids = webhook_ids,
    .comments = "line one\nline two",
    .utm_source = "newsletter",
    .utm_medium = "email",
    .utm_campaign = "Ünïcode & co",
    .utm_term = "term",
    .utm_content = "content",
    .has_test_variants = true,
    .test_variants = variants,
    .test_started_at = at("2026-08-01T00:00:00Z"),
    .test_completed_at = at("2026-08-02T00:00:00Z"),
    .user_id = "user_1",
    .workspace_id = "not this one",
    .clicks = 12,
    .leads = 3,
    .conversions = 2,
    .sales = 5,
    .sale_amount = 9223372036854775806,
    .last_clicked = at("2026-08-21T04:30:15.1239+02:00"),
    .created_at = at("2026-07-01T00:00:00Z"),
    .updated_at = at("2026-07-02T00:00:00Z")};

}  // namespace

TEST_CASE("a tag shows its color only where it has one") {
    CHECK(written([](auto& json) { write_record(json, purple_tag); }) == golden("tag"));
    CHECK(written([](auto& json) { write_record(json, plain_tag); }) ==
          golden("tag_without_color"));
}

TEST_CASE("a customer is written in full") {
    const customer asa{.id = "cus_1",
                       .external_id = "user-4",
                       .name = "Åsa \"Q\" Öberg",
                       .email = "asa@example.com",
                       .country = "SE",
                       .created_at = at("2026-08-20T00:00:00Z")};
    CHECK(written([&](auto& json) { write_record(json, asa); }) == golden("customer"));
}

TEST_CASE("a click object is written in full") {
    CHECK(written([](auto& json) { write_record(json, known_click); }) == golden("click"));
    CHECK(written([](auto& json) { write_record(json, unknown_click); }) ==
          golden("click_without_trigger"));
}

TEST_CASE("a link object is written in full") {
    CHECK(written([](auto& json) { write_record(json, full_link, "ws_1"); }) == golden("link"));
    CHECK(written([](auto& json) { write_record(json, minimal_link(), "ws_2"); }) ==
          golden("link_of_defaults"));
}

TEST_CASE("test variants are absent, null or a list, as they were stored") {
    sluice::reference::link changed = minimal_link();
    const auto text = [&] {
        return written([&](auto& json) { write_record(json, changed, "w"); });
    };
    CHECK(text().find("testVariants") == std::string::npos);
    changed.has_test_variants = true;
    CHECK(text().find(R"("utm_content":null,"testVariants":null,"testStartedAt":"")") !=
          std::string::npos);
    changed.test_variants = std::span(variants);
    CHECK(text().find(R"("testVariants":[{"url":"https://example.com/a","percentage":66.5},)") !=
          std::string::npos);
}

TEST_CASE("event records hold the link and the customer as they were rendered") {
    const lead sign_up{.event_id = "lead_1",
                       .event_name = "Sign up",
                       .timestamp = at("2026-08-21T03:00:00Z"),
                       .customer_id = "cus_1",
                       .click_id = "click_2",
                       .link_id = "link_1",
                       .metadata = R"({"plan":"pro's","seats":10.0,"nested":[null,{"é":true}]})"};
    CHECK(written([](auto& json) { by_hand::write_click_event(json, known_click, part); }) ==
          golden("click_event"));
    CHECK(written([&](auto& json) {
              by_hand::write_lead_event(json, sign_up, unknown_click, part, customer_json);
          }) == golden("lead_event"));
    CHECK(written([&](auto& json) {
              by_hand::write_sale_event(json, some_sale, known_click, part, customer_json);
          }) == golden("sale_event"));
}

TEST_CASE("a sale may have no invoice and no metadata, and be a refund") {
    sale refund = some_sale;
    refund.event_id = "sale_2";
    refund.amount = -500;
    refund.currency = "Eur";
    refund.invoice_id = std::nullopt;
    refund.metadata = "null";
    CHECK(written([&](auto& json) {
              by_hand::write_sale_event(json, refund, known_click, part, customer_json);
          }) == golden("sale_event_of_nulls"));
}

TEST_CASE("records are elements of an array like any other value") {
    CHECK(written([](auto& json) {
              json.begin_array();
              write_record(json, plain_tag);
              write_record(json, plain_tag);
              json.end_array();
          }) == "[" + golden("tag_without_color") + "," + golden("tag_without_color") + "]");
}

TEST_CASE("a short link's path decodes to its key") {
    struct {
        std::string_view key, url;
    } const table[] = {
        {"_root", "https://d.example"},
        {"_ROOT", "https://d.example/_ROOT"},
        {"_root/", "https://d.example/_root/"},
        {"abc123", "https://d.example/abc123"},
        {"a/b/c", "https://d.example/a/b/c"},
        {"-._~!$&'()*+,;=:@", "https://d.example/-._~!$&'()*+,;=:@"},
        {"a b", "https://d.example/a%20b"},
        {"50%", "https://d.example/50%25"},
        {"a%20b", "https://d.example/a%2520b"},
        {"a?b#c", "https://d.example/a%3Fb%23c"},
        {"\"<>\\^`{|}[]", "https://d.example/%22%3C%3E%5C%5E%60%7B%7C%7D%5B%5D"},
        {"é😀", "https://d.example/%C3%A9%F0%9F%98%80"},
        {"\x01\x7F", "https://d.example/%01%7F"},
    };
    for (const auto& [key, url] : table) {
        CAPTURE(key);
        CHECK(short_link_url("d.example", key) == url);
        CHECK(qr_code_url("d.example", key) == std::string(url) + "?qr=image");
    }
}

TEST_CASE("each character of a slug comes from six bits of its own") {
    for (int i = 0; i < 7; ++i) {
        const auto low = make_slug(1ULL << (6 * i));
        const auto high = make_slug(63ULL << (6 * i));
        for (int j = 0; j < 7; ++j) {
            const auto at_j = static_cast<std::size_t>(j);
            CHECK(low[at_j] == (j == i ? 'B' : 'A'));
            CHECK(high[at_j] == (j == i ? '_' : 'A'));
        }
    }
    CHECK(make_slug(1ULL << 42) == make_slug(0));
}
