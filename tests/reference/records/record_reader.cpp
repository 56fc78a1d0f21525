// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <simdjson.h>

#include <sluice/reference/records/record_reader.hpp>
#include <sluice/reference/records/record_writer.hpp>

#include "write_events.hpp"

namespace reference = sluice::reference;
using sluice::error;
using sluice::instant;
using sluice::rule;
using namespace std::string_view_literals;

namespace {

instant at(std::string_view text) { return sluice::parse_timestamp(text).value(); }

// A record as its fields: name and JSON.
using fields = std::vector<std::pair<std::string, std::string>>;

std::string line_of(const fields& record) {
    std::string line;
    for (const auto& [name, json] : record) line += ",\"" + name + "\":" + json;
    return "{" + (line.empty() ? line : line.substr(1)) + "}";
}

fields with(fields record, std::string_view name, std::string_view json) {
    const auto same = [&](const auto& field) { return field.first == name; };
    const auto match = std::find_if(record.begin(), record.end(), same);
    if (match == record.end()) {
        record.emplace_back(name, json);
    } else {
        match->second = json;
    }
    return record;
}

fields without(fields record, std::string_view name) {
    std::erase_if(record, [&](const auto& field) { return field.first == name; });
    return record;
}

const fields tag_record{{"id", R"("tag_1")"},
                        {"name", R"("news")"},
                        {"color", R"("red")"},
                        {"createdAt", R"("2026-08-21T02:30:15.123Z")"}};
const fields customer_record{{"id", R"("cus_1")"},
                             {"externalId", R"("user-4")"},
                             {"createdAt", R"("2026-08-21T02:30:15.123Z")"}};
const fields link_record{{"id", R"("link_1")"},
                         {"domain", R"("d.example")"},
                         {"url", R"("https://example.com/")"},
                         {"createdAt", R"("2026-08-21T02:30:15.123Z")"},
                         {"updatedAt", R"("2026-08-22T02:30:15.123Z")"}};
const fields click_record{{"id", R"("click_1")"},
                          {"timestamp", R"("2026-08-21T02:30:15.123Z")"},
                          {"linkId", R"("link_1")"},
                          {"url", R"("https://example.com/?q=1")"},
                          {"country", R"("US")"},
                          {"region", R"("US-CA")"},
                          {"city", R"("San Jos\u00e9")"},
                          {"continent", R"("NA")"},
                          {"device", R"("Desktop")"},
                          {"browser", R"("Chrome")"},
                          {"os", R"("Mac OS")"},
                          {"referer", R"("t.co")"},
                          {"refererUrl", R"("https://t.co/x")"},
                          {"qr", "true"},
                          {"ip", R"("83.149.9.0")"}};
const fields lead_record{{"eventId", R"("lead_1")"},
                         {"eventName", R"("Sign up")"},
                         {"timestamp", R"("2026-08-21T02:30:15.123Z")"},
                         {"customerId", R"("cus_1")"},
                         {"clickId", R"("click_1")"},
                         {"linkId", R"("link_1")"}};
const fields sale_record = [] {
    fields record = with(lead_record, "eventId", R"("sale_1")");
    record = with(record, "amount", "1899");
    record = with(record, "currency", R"("USD")");
    return with(record, "paymentProcessor", R"("stripe")");
}();

// The error of a result that should be one.
template <class Result>
error refusal(const Result& got) {
    REQUIRE(!got);
    return got.error();
}

enum class kind { tag, customer, link, click, lead, sale };

struct record_kind {
    kind which;
    const fields& required;  // a record of the required fields, and others
};
const record_kind kinds[] = {{kind::tag, tag_record},   {kind::customer, customer_record},
                             {kind::link, link_record}, {kind::click, click_record},
                             {kind::lead, lead_record}, {kind::sale, sale_record}};

template <class Record>
sluice::result<void> outcome(const sluice::result<Record>& read) {
    if (read) return {};
    return tl::unexpected(read.error());
}

sluice::result<void> read(reference::record_reader& reader, kind which, std::string_view line) {
    switch (which) {
        case kind::tag: return outcome(reader.read_tag(line));
        case kind::customer: return outcome(reader.read_customer(line));
        case kind::link: return outcome(reader.read_link(line));
        case kind::click: return outcome(reader.read_click(line));
        case kind::lead: return outcome(reader.read_lead(line));
        case kind::sale: return outcome(reader.read_sale(line));
    }
    return {};
}

// Checks that a record with a changed field is refused at the field's value.
void check_refused(const record_kind& base, std::string_view name, std::string_view json,
                   rule broken) {
    const std::string line = line_of(with(base.required, name, json));
    CAPTURE(line);
    reference::record_reader reader;
    const auto got = read(reader, base.which, line);
    REQUIRE(!got);
    CHECK(got.error().broken == broken);
    CHECK(got.error().param == name);
    CHECK(got.error().offset == line.find(json, line.find("\"" + std::string(name) + "\":")));
    const bool nested = json.front() == '[' || json.front() == '{';
    CHECK(got.error().length == (nested ? 1 : json.size()));
    CHECK(!got.error().accepts.empty());
}

void check_taken(const record_kind& base, std::string_view name, std::string_view json) {
    const std::string line = line_of(with(base.required, name, json));
    CAPTURE(line);
    reference::record_reader reader;
    CHECK(read(reader, base.which, line));
}

const record_kind& links = kinds[2];

// The next of a fixed sequence of numbers that look random.
std::uint32_t next_random(std::uint64_t& state) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::uint32_t>(state >> 33);
}

}  // namespace

TEST_CASE("a tag is read") {
    reference::record_reader reader;
    const auto read = reader.read_tag(line_of(with(tag_record, "workspaceId", R"("ws_1")")));
    REQUIRE(read);
    CHECK(read->id == "tag_1");
    CHECK(read->name == "news");
    CHECK(read->color == "red");
    CHECK(read->created_at == at("2026-08-21T02:30:15.123Z"));
    CHECK(read->workspace_id == "ws_1");
}

TEST_CASE("a customer is read") {
    reference::record_reader reader;
    const auto bare = reader.read_customer(line_of(customer_record));
    REQUIRE(bare);
    CHECK(bare->external_id == "user-4");
    CHECK(bare->created_at == at("2026-08-21T02:30:15.123Z"));
    for (const auto& unset : {bare->name, bare->email, bare->avatar, bare->country}) {
        CHECK(!unset);
    }
    const auto full = reader.read_customer(
        R"({"id":"c","externalId":"e","name":"N","email":"n@x","avatar":"a","country":"SE",)"
        R"("createdAt":"2026-08-21T04:30:15+02:00","workspaceId":null})");
    REQUIRE(full);
    CHECK(full->name == "N");
    CHECK(full->email == "n@x");
    CHECK(full->avatar == "a");
    CHECK(full->country == "SE");
    CHECK(full->created_at == at("2026-08-21T02:30:15Z"));
    CHECK(!full->workspace_id);
}

TEST_CASE("a click is read") {
    reference::record_reader reader;
    const auto read = reader.read_click(line_of(with(click_record, "trigger", R"("qr")")));
    REQUIRE(read);
    CHECK(read->id == "click_1");
    CHECK(read->timestamp == at("2026-08-21T02:30:15.123Z"));
    CHECK(read->link_id == "link_1");
    CHECK(read->url == "https://example.com/?q=1");
    CHECK(read->country == "US");
    CHECK(read->region == "US-CA");
    CHECK(read->city == "San José");
    CHECK(read->continent == "NA");
    CHECK(read->device == "Desktop");
    CHECK(read->browser == "Chrome");
    CHECK(read->os == "Mac OS");
    CHECK(read->trigger == "qr");
    CHECK(read->referer == "t.co");
    CHECK(read->referer_url == "https://t.co/x");
    CHECK(read->qr);
    CHECK(read->ip == "83.149.9.0");
}

TEST_CASE("a lead and a sale are read") {
    reference::record_reader reader;
    const auto lead = reader.read_lead(line_of(with(lead_record, "metadata", "[ 1.0 ]")));
    REQUIRE(lead);
    CHECK(lead->event_id == "lead_1");
    CHECK(lead->event_name == "Sign up");
    CHECK(lead->timestamp == at("2026-08-21T02:30:15.123Z"));
    CHECK(lead->customer_id == "cus_1");
    CHECK(lead->click_id == "click_1");
    CHECK(lead->link_id == "link_1");
    CHECK(lead->metadata == "[1.0]");
    const auto sale = reader.read_sale(line_of(with(sale_record, "invoiceId", R"("inv_1")")));
    REQUIRE(sale);
    CHECK(sale->event_id == "sale_1");
    CHECK(sale->event_name == "Sign up");
    CHECK(sale->timestamp == at("2026-08-21T02:30:15.123Z"));
    CHECK(sale->customer_id == "cus_1");
    CHECK(sale->click_id == "click_1");
    CHECK(sale->link_id == "link_1");
    CHECK(sale->metadata == "null");
    CHECK(sale->amount == 1899);
    CHECK(sale->currency == "USD");
    CHECK(sale->invoice_id == "inv_1");
    CHECK(sale->payment_processor == "stripe");
}

TEST_CASE("a link of nothing but its required fields has the defaults") {
    reference::record_reader reader;
    const auto read = reader.read_link(line_of(link_record));
    REQUIRE(read);
    CHECK(read->id == "link_1");
    CHECK(read->domain == "d.example");
    CHECK(read->url == "https://example.com/");
    CHECK(read->created_at == at("2026-08-21T02:30:15.123Z"));
    CHECK(read->updated_at == at("2026-08-22T02:30:15.123Z"));
    CHECK(read->key.empty());
    for (const bool flag : {read->track_conversion, read->archived, read->proxy, read->rewrite,
                            read->do_index, read->public_stats, read->has_test_variants}) {
        CHECK(!flag);
    }
    for (const auto& text :
         {read->external_id, read->tenant_id,   read->program_id,   read->partner_id,
          read->group_id,    read->expired_url, read->password,     read->title,
          read->description, read->image,       read->video,        read->ios,
          read->android,     read->geo,         read->folder_id,    read->comments,
          read->utm_source,  read->utm_medium,  read->utm_campaign, read->utm_term,
          read->utm_content, read->user_id,     read->workspace_id}) {
        CHECK(!text);
    }
    for (const auto& time : {read->expires_at, read->disabled_at, read->test_started_at,
                             read->test_completed_at, read->last_clicked}) {
        CHECK(!time);
    }
    for (const auto count :
         {read->clicks, read->leads, read->conversions, read->sales, read->sale_amount}) {
        CHECK(count == 0);
    }
    CHECK(read->tags.empty());
    CHECK(read->webhook_ids.empty());
    CHECK(read->partner_tag_ids.empty());
    CHECK(!read->test_variants);
}

TEST_CASE("a link that was written is read as it was") {
    std::ifstream file(SLUICE_TEST_DATA "/golden/link.json");
    const std::string pretty{std::istreambuf_iterator<char>(file), {}};
    reference::record_reader reader;
    const auto read = reader.read_link(pretty);
    REQUIRE(read);
    CHECK(read->workspace_id == "ws_1");
    CHECK(read->geo == R"({"SE":"https://example.com/se","FR":"https://example.com/fr"})");
    REQUIRE(read->tags.size() == 2);
    CHECK(read->tags[0].name == "Été, \"sale\"");
    CHECK(!read->tags[1].color);
    REQUIRE(read->test_variants);
    CHECK((*read->test_variants)[1].percentage == 33.5);
    std::string written;
    sluice::detail::json_writer json(written);
    reference::write_record(json, *read, "ws_1");
    std::string minified;
    REQUIRE(sluice::detail::append_minified(minified, pretty));
    CHECK(written == minified);
}

TEST_CASE("what only filters need of a link is read too") {
    reference::record_reader reader;
    const auto read = reader.read_link(line_of(with(with(link_record, "groupId", R"("grp_1")"),
                                                    "partnerTagIds", R"(["ptag_1","ptag_2"])")));
    REQUIRE(read);
    CHECK(read->group_id == "grp_1");
    REQUIRE(read->partner_tag_ids.size() == 2);
    CHECK(read->partner_tag_ids[1] == "ptag_2");
}

TEST_CASE("a required field that is missing is named") {
    for (const record_kind& kind : kinds) {
        for (const auto& [name, json] : kind.required) {
            if (name == "color") continue;
            const std::string line = line_of(without(kind.required, name));
            CAPTURE(line);
            reference::record_reader reader;
            const auto got = read(reader, kind.which, line);
            REQUIRE(!got);
            error expected = sluice::make_error(rule::field_missing);
            expected.param = name;
            CHECK(got.error() == expected);
        }
    }
}

TEST_CASE("of several missing fields the first of the record is named") {
    reference::record_reader reader;
    CHECK(refusal(reader.read_click("{}")).param == "id");
    CHECK(refusal(reader.read_lead(R"({"eventId":"e"})")).param == "eventName");
    CHECK(refusal(reader.read_link(R"({"updatedAt":"2026-08-22T02:30:15Z"})")).param == "id");
}

TEST_CASE("a field of the wrong type is named and located") {
    for (const record_kind& kind : kinds) {
        for (const auto& [name, json] : kind.required) {
            for (const std::string_view wrong : {"null", "5", "-0.5e3", "[]", "{}", "[\"x\"]"}) {
                if (name == "color" && wrong == "null") continue;
                if (name == "amount" && wrong.find_first_of("05") != wrong.npos) continue;
                check_refused(kind, name, wrong, rule::field_type);
            }
            check_refused(kind, name, json == "true" ? "\"true\"" : "true", rule::field_type);
        }
        check_refused(kind, "workspaceId", "7", rule::field_type);
    }
}

TEST_CASE("the fields of a link that may be left out have types too") {
    for (const std::string_view flag :
         {"trackConversion", "archived", "proxy", "rewrite", "doIndex", "publicStats"}) {
        check_taken(links, flag, "true");
        check_taken(links, flag, "false");
        for (const std::string_view wrong : {"null", "0", "\"true\"", "[]"}) {
            check_refused(links, flag, wrong, rule::field_type);
        }
    }
    for (const std::string_view text :
         {"key",          "externalId", "tenantId",    "programId",   "partnerId",  "groupId",
          "expiredUrl",   "password",   "title",       "description", "image",      "video",
          "ios",          "android",    "folderId",    "comments",    "utm_source", "utm_medium",
          "utm_campaign", "utm_term",   "utm_content", "userId",      "workspaceId"}) {
        check_taken(links, text, "null");
        check_taken(links, text, "\"\"");
        for (const std::string_view wrong : {"true", "0", "[]", "{}"}) {
            check_refused(links, text, wrong, rule::field_type);
        }
    }
    for (const std::string_view count : {"clicks", "leads", "conversions", "sales", "saleAmount"}) {
        check_taken(links, count, "12");
        for (const std::string_view wrong : {"null", "\"1\"", "1.5", "[]"}) {
            check_refused(links, count, wrong, rule::field_type);
        }
        check_refused(links, count, "-1", rule::field_value);
    }
    for (const std::string_view time :
         {"expiresAt", "disabledAt", "testStartedAt", "testCompletedAt", "lastClicked"}) {
        check_taken(links, time, "null");
        check_taken(links, time, "\"\"");
        check_taken(links, time, R"("2026-08-21T02:30:15Z")");
        check_refused(links, time, "0", rule::field_type);
        check_refused(links, time, "\"soon\"", rule::field_value);
    }
    for (const std::string_view list : {"tags", "webhookIds", "partnerTagIds", "testVariants"}) {
        if (list != "testVariants") check_taken(links, list, "[]");
        if (list != "webhookIds") check_taken(links, list, "null");
        for (const std::string_view wrong : {"\"x\"", "{}", "3"}) {
            check_refused(links, list, wrong, rule::field_type);
        }
    }
    check_taken(links, "geo", "null");
    check_taken(links, "geo", "{}");
    for (const std::string_view wrong : {"[]", "\"x\"", "1"}) {
        check_refused(links, "geo", wrong, rule::field_type);
    }
    check_refused(links, "webhookIds", "null", rule::field_type);
}

TEST_CASE("a fault within a field is located where it is") {
    struct {
        std::string_view name, json, fault, param;
        rule broken;
    } const table[] = {
        {"tags", R"([{"id":"a","name":"b"},7])", "7", "tags", rule::field_type},
        {"tags", R"([{"id":"a","name":3}])", "3", "tags.name", rule::field_type},
        {"tags", R"([{"id":null,"name":"x"}])", "null", "tags.id", rule::field_type},
        {"tags", R"([{"id":"a","name":"b","color":"teal"}])", "\"teal\"", "tags.color",
         rule::field_value},
        {"tags", R"([{"id":"a","name":"b"}, {"id":"a"}])", "", "tags.name", rule::field_missing},
        {"webhookIds", R"(["a",null])", "null", "webhookIds", rule::field_type},
        {"partnerTagIds", R"(["a",["b"]])", "[\"b", "partnerTagIds", rule::field_type},
        {"geo", R"({"SE":"u","FR":false})", "false", "geo", rule::field_type},
        {"geo", R"({"SE":{"u":"v"}})", "{\"u", "geo", rule::field_type},
        {"testVariants", R"([{"url":"u","percentage":"50"}])", "\"50\"", "testVariants.percentage",
         rule::field_type},
        {"testVariants", R"([{"url":"u","percentage":9.99}])", "9.99", "testVariants.percentage",
         rule::field_value},
        {"testVariants", R"([{"url":0,"percentage":50}])", "0", "testVariants.url",
         rule::field_type},
    };
    for (const auto& [name, json, fault, param, broken] : table) {
        const std::string line = line_of(with(link_record, name, json));
        CAPTURE(line);
        reference::record_reader reader;
        const auto got = reader.read_link(line);
        REQUIRE(!got);
        CHECK(got.error().broken == broken);
        CHECK(got.error().param == param);
        const std::size_t start = line.find(json);
        const std::size_t expected = fault.empty() ? json.rfind('{') : json.find(fault);
        CHECK(got.error().offset == start + expected);
        const bool nested = fault.starts_with('{') || fault.starts_with('[');
        CHECK(got.error().length == (nested ? 1 : fault.size()));
    }
}

TEST_CASE("a value outside of its set or range is refused") {
    const record_kind& tags = kinds[0];
    const record_kind& clicks = kinds[3];
    const record_kind& sales = kinds[5];
    for (const auto color : reference::tag_colors) {
        check_taken(tags, "color", "\"" + std::string(color) + "\"");
    }
    check_taken(tags, "color", "null");
    for (const std::string_view color : {"\"\"", "\"Red\"", "\"orange\"", "\"red \""}) {
        check_refused(tags, "color", color, rule::field_value);
    }
    for (const std::string_view trigger : {"\"qr\"", "\"link\"", "\"pageview\"", "null"}) {
        check_taken(clicks, "trigger", trigger);
    }
    for (const std::string_view trigger : {"\"\"", "\"QR\"", "\"scan\""}) {
        check_refused(clicks, "trigger", trigger, rule::field_value);
    }
    for (const std::string_view time :
         {"\"\"", "\"2026-08-21\"", "\"2026-08-21T02:30:15\"", "\"2026-02-30T00:00:00Z\"",
          "\"2026-08-21T24:00:00Z\"", "\"1755743415\"", "\" 2026-08-21T02:30:15Z\""}) {
        check_refused(clicks, "timestamp", time, rule::field_value);
        check_refused(links, "createdAt", time, rule::field_value);
    }
    for (const std::string_view amount : {"0", "-5", "10.0", "1e2", "9223372036854775806"}) {
        check_taken(sales, "amount", amount);
    }
    for (const std::string_view amount : {"9223372036854775808", "-1e30", "1e999"}) {
        check_refused(sales, "amount", amount, rule::field_value);
    }
    check_refused(sales, "amount", "10.5", rule::field_type);
    check_refused(sales, "amount", "1e-999", rule::field_type);
}

TEST_CASE("test variants are two to four of 10 to 90 percent") {
    const std::string ten = R"({"url":"u","percentage":10})";
    const std::string ninety = R"({"percentage":90.0,"url":"u"})";
    check_taken(links, "testVariants", "[" + ten + "," + ninety + "]");
    check_taken(links, "testVariants", "[" + ten + "," + ten + "," + ten + "," + ninety + "]");
    check_refused(links, "testVariants", "[]", rule::field_value);
    check_refused(links, "testVariants", "[" + ten + "]", rule::field_value);
    check_refused(links, "testVariants",
                  "[" + ten + "," + ten + "," + ten + "," + ten + "," + ten + "]",
                  rule::field_value);
    reference::record_reader reader;
    const auto null = reader.read_link(line_of(with(link_record, "testVariants", "null")));
    REQUIRE(null);
    CHECK(null->has_test_variants);
    CHECK(!null->test_variants);
}

TEST_CASE("whole numbers are read however they are spelled") {
    struct {
        std::string_view json;
        std::int64_t value;
    } const table[] = {{"0", 0},
                       {"-0", 0},
                       {"1899", 1899},
                       {"1899.000", 1899},
                       {"1.899E+3", 1899},
                       {"18990e-1", 1899},
                       {"9007199254740993", 9007199254740993},
                       {"-9223372036854775807", -9223372036854775807}};
    for (const auto& [json, value] : table) {
        CAPTURE(json);
        reference::record_reader reader;
        CHECK(reader.read_sale(line_of(with(sale_record, "amount", json)))->amount == value);
    }
}

TEST_CASE("metadata is any JSON value and keeps its spelling") {
    struct {
        std::string_view json, kept;
    } const table[] = {
        {"null", "null"},
        {"true", "true"},
        {"10.0", "10.0"},
        {"123456789012345678901234567890", "123456789012345678901234567890"},
        {"1e999", "1e999"},
        {R"("a \u00e9 \/ b")", R"("a \u00e9 \/ b")"},
        {"[ ]", "[]"},
        {R"({ "a" : [ 1 , { "b" : 2.50 } ] , "a" : null })", R"({"a":[1,{"b":2.50}],"a":null})"},
    };
    for (const auto& [json, kept] : table) {
        CAPTURE(json);
        reference::record_reader reader;
        const fields record = with(lead_record, "metadata", json);
        CHECK(reader.read_lead(line_of(record))->metadata == kept);
        CHECK(reader.read_lead(line_of(with(record, "after", "[1]")))->metadata == kept);
    }
    reference::record_reader reader;
    CHECK(reader.read_lead(line_of(lead_record))->metadata == "null");
}

TEST_CASE("unknown fields are ignored but have to be JSON") {
    for (const record_kind& kind : kinds) {
        for (const std::string_view json :
             {"null", "[[],{}]", R"({"id":7,"a":[1e999]})", "123456789012345678901234567890"}) {
            check_taken(kind, "unknown", json);
            check_taken(kind, "", json);
            check_taken(kind, "ID", json);
        }
        for (const std::string_view json : {"nul", "01", "[1}", "{\"a\"}", "[1,]", "\"\\x\"", "1 2",
                                            "[", "tru e", "\"a\":1", "{}:1", "1:1", "\"a\"\"b\""}) {
            const std::string line = line_of(with(kind.required, "unknown", json));
            CAPTURE(line);
            reference::record_reader reader;
            CHECK(refusal(read(reader, kind.which, line)).broken == rule::json_malformed);
        }
    }
}

TEST_CASE("of a field that is there twice the last value counts") {
    reference::record_reader reader;
    const auto link = reader.read_link(
        R"({"id":"first","tags":[{"id":"a","name":"b"}],"id":"last","domain":"d","url":"u",)"
        R"("tags":[],"webhookIds":["a"],"webhookIds":["b","c"],"geo":{"A":"1"},"geo":{"B":"2"},)"
        R"("testVariants":[{"url":"u","percentage":50},{"url":"u","percentage":50}],)"
        R"("testVariants":null,"title":"t","title":null,"expiresAt":"2026-08-21T02:30:15Z",)"
        R"("expiresAt":"","createdAt":"2026-08-21T02:30:15Z","updatedAt":"2026-08-21T02:30:15Z"})");
    REQUIRE(link);
    CHECK(link->id == "last");
    CHECK(link->tags.empty());
    REQUIRE(link->webhook_ids.size() == 2);
    CHECK(link->webhook_ids[0] == "b");
    CHECK(link->geo == R"({"B":"2"})");
    CHECK(!link->test_variants);
    CHECK(!link->title);
    CHECK(!link->expires_at);
    fields twice = with(lead_record, "metadata", "1");
    twice.emplace_back("metadata", "[2]");
    CHECK(reader.read_lead(line_of(twice))->metadata == "[2]");
    twice.insert(twice.begin(), {"eventId", "7"});
    CHECK(refusal(reader.read_lead(line_of(twice))).param == "eventId");
}

TEST_CASE("the names of fields may be escaped") {
    reference::record_reader reader;
    const auto tag = reader.read_tag(
        R"({"\u0069d":"a","n\u0061me":"b","created\u0041t":"2026-08-21T02:30:15Z"})");
    REQUIRE(tag);
    CHECK(tag->id == "a");
    CHECK(tag->name == "b");
}

TEST_CASE("white space may stand around a record and its parts") {
    reference::record_reader reader;
    const auto tag = reader.read_tag(
        " \t{ \"id\" : \"a\" ,\n \"name\":\"b\" , \"color\" : null ,"
        "\"createdAt\" : \"2026-08-21T02:30:15Z\" } \r\n");
    REQUIRE(tag);
    CHECK(tag->name == "b");
    CHECK(reader.read_sale(line_of(with(sale_record, "amount", " 12 \t")))->amount == 12);
}

TEST_CASE("a line that is no JSON object is malformed, and says where") {
    const std::string click = line_of(click_record);
    const std::string bad_later = R"({"id":7,"a":})";
    struct {
        std::string_view line;
        std::size_t offset, length;
    } const table[] = {
        {"", 0, 0},
        {" ", 1, 0},
        {"null", 0, 1},
        {" [1]", 1, 1},
        {"\"text\"", 0, 1},
        {"12", 0, 1},
        {"{", 1, 0},
        {"}", 0, 1},
        {R"({"id")", 5, 0},
        {R"({"id":"a")", 9, 0},
        {R"({"id":"a",})", 10, 1},
        {R"({"id":"a"}})", 10, 1},
        {R"({"id":"a"} {"id":"b"})", 11, 10},
        {R"({"id":"a"},)", 10, 1},
        {R"({"id":"a" "name":"b"})", 10, 1},
        {R"({"id";"a"})", 5, 1},
        {R"({id:"a"})", 1, 1},
        {R"({"id":nul})", 9, 1},
        {R"({"id":nulx})", 9, 1},
        {R"({"id":nullx})", 10, 1},
        {R"({"id":truex})", 10, 1},
        {R"({"id":"a"b})", 9, 1},
        {R"({"id":"\ud80"})", 12, 1},
        {R"({"id":"a\q"})", 9, 1},
        {R"({"id":{})", 8, 0},
        {R"({"id":[})", 7, 1},
        {R"({"x":"id":[1,{"a":2}]})", 9, 1},
        {R"({"tags":[{"id":"a"])", 18, 1},
        {"{\"id\":\"a\nb\"}", 8, 1},
        {"{\"id\":\"a\"}\0"sv, 10, 1},
        {"{\"id\":\0}"sv, 6, 1},
        {bad_later, bad_later.size() - 1, 1},
    };
    for (const record_kind& kind : kinds) {
        for (const auto& [line, offset, length] : table) {
            CAPTURE(line);
            reference::record_reader reader;
            const auto got = read(reader, kind.which, line);
            REQUIRE(!got);
            CHECK(got.error() == sluice::make_error(rule::json_malformed, offset, length));
        }
    }
    for (std::size_t size = 0; size < click.size(); ++size) {
        reference::record_reader reader;
        const auto got = reader.read_click(std::string_view(click).substr(0, size));
        REQUIRE(!got);
        CHECK(got.error() == sluice::make_error(rule::json_malformed, size, 0));
    }
}

TEST_CASE("what is not UTF-8, or begins with a byte-order mark, is named as such") {
    for (const record_kind& kind : kinds) {
        reference::record_reader reader;
        CHECK(refusal(read(reader, kind.which, "{\"id\":\"a\xFF\"}")) ==
              sluice::make_error(rule::text_encoding, 8, 1));
        CHECK(refusal(read(reader, kind.which, "{\"\xC3\x28\":1}")) ==
              sluice::make_error(rule::text_encoding, 2, 1));
        CHECK(refusal(read(reader, kind.which, "\xEF\xBB\xBF{\"id\":\"a\"}")) ==
              sluice::make_error(rule::byte_order_mark, 0, 3));
        CHECK(refusal(read(reader, kind.which, "\xEF\xBB\xBF" + line_of(kind.required))) ==
              sluice::make_error(rule::byte_order_mark, 0, 3));
    }
}

TEST_CASE("a value nests as deep as a line is long") {
    const auto nested = [](std::size_t levels) {
        return std::string(levels, '[') + std::string(levels, ']');
    };
    reference::record_reader reader;
    for (const std::size_t levels : {255U, 256U, 2'000U, 400'000U}) {
        const std::string known = line_of(with(lead_record, "metadata", nested(levels)));
        const auto lead = reader.read_lead(known);
        REQUIRE(lead);
        CHECK(lead->metadata == nested(levels));
        CHECK(reader.read_lead(line_of(with(lead_record, "unknown", nested(levels)))));
        const std::string cut = known.substr(0, known.find('[') + levels + 1);
        CHECK(refusal(reader.read_lead(cut)) ==
              sluice::make_error(rule::json_malformed, cut.size(), 0));
    }
    for (const char* const name : {"tags", "testVariants", "geo", "id"}) {
        CHECK(!reader.read_link(line_of(with(link_record, name, nested(1'000'000)))));
    }
    CHECK(!reader.read_link(std::string(1'000'000, '{')));
    CHECK(!reader.read_link(std::string(1'000'000, '[')));
}

TEST_CASE("half a surrogate pair in a record reads as U+FFFD") {
    reference::record_reader reader;
    const std::string line =
        line_of(with(with(lead_record, "metadata", R"({ "note": "cut \ud83d", "n": 1 })"),
                     "eventName", R"("cut \ud83d \ude00 \ud83d\ude00")"));
    const auto lead = reader.read_lead(line);
    REQUIRE(lead);
    CHECK(lead->metadata == R"({"note":"cut \ufffd","n":1})");
    CHECK(lead->event_name == "cut \xEF\xBF\xBD \xEF\xBF\xBD \U0001F600");
}

TEST_CASE("a line has a length that it can't pass") {
    reference::record_reader reader;
    std::string line = line_of(tag_record);
    line.resize(reference::record_max_length, ' ');
    CHECK(reader.read_tag(line));
    line.push_back(' ');
    CHECK(refusal(reader.read_tag(line)) ==
          sluice::fail_beyond(rule::text_too_long, sluice::reference::record_max_length, 0,
                              line.size())
              .value());
}

TEST_CASE("many members cost no more than their bytes") {
    fields record = link_record;
    std::string tags;
    for (int i = 0; i < 50'000; ++i) {
        record.emplace_back("title", "\"t\"");
        record.emplace_back("unknown" + std::to_string(i), "{}");
        tags += R"({"id":"i","name":"n"},)";
    }
    record.emplace_back("tags", "[" + tags + R"({"id":"last","name":"n"}])");
    reference::record_reader reader;
    const auto read = reader.read_link(line_of(record));
    REQUIRE(read);
    CHECK(read->tags.size() == 50'001);
    CHECK(read->tags.back().id == "last");
}

TEST_CASE("a reader goes on after a line that it refused") {
    reference::record_reader reader;
    for (const std::string_view bad : {"", "{", "[]", R"({"id":{"a")", "{\"id\":\"\xFF\"}"}) {
        CHECK(!reader.read_tag(bad));
        CHECK(reader.read_tag(line_of(tag_record))->name == "news");
        CHECK(reader.read_click(line_of(click_record))->city == "San José");
    }
}

TEST_CASE("a record doesn't refer to the line that it was read from") {
    reference::record_reader reader;
    std::string line = line_of(with(lead_record, "metadata", R"({"a":"b"})"));
    const auto lead = reader.read_lead(line);
    std::fill(line.begin(), line.end(), '?');
    REQUIRE(lead);
    CHECK(lead->event_name == "Sign up");
    CHECK(lead->metadata == R"({"a":"b"})");
}

namespace {

// The JSON of a click; empty if its line is refused.
std::string click_in(reference::record_reader& reader, std::string_view line) {
    const auto click = reader.read_click(line);
    std::string text;
    sluice::detail::json_writer json(text);
    if (click) write_record(json, *click);
    return text;
}

// Checks that a click reads as it does with a number beside its members, which simdjson parses.
void check_beside_number(std::string_view line) {
    static reference::record_reader reader, simdjson_reader;
    const std::string_view space = " \t\r\n";
    const std::size_t end = line.find_last_not_of(space);
    if (end == std::string_view::npos || line[end] != '}') return;
    const std::string numbered = std::string(line.substr(0, end)) + ",\"zz\":0}";
    CAPTURE(line);
    CHECK(click_in(reader, line) == click_in(simdjson_reader, numbered));
}

}  // namespace

TEST_CASE("plain members are read in any order") {
    std::uint64_t random = 35;
    const fields members =
        with(with(with(click_record, "workspaceId", "null"), "x", "\"\""), "trigger", "null");
    for (int round = 0; round < 300; ++round) {
        fields record = members;
        for (std::size_t i = 0; i < record.size(); ++i) {  // a round in two keeps its order
            if (round % 2 == 1) break;
            std::swap(record[i], record[next_random(random) % record.size()]);
        }
        if (round % 3 == 0) record.erase(record.begin() + next_random(random) % record.size());
        check_beside_number(line_of(record));
    }
}

TEST_CASE("plain values are read to their last byte") {
    constexpr std::string_view values[] = {R"("")",
                                           R"("\"")",
                                           R"("\\")",
                                           R"("a\u00e9\ud83d\ude00")",
                                           R"("\ud800")",
                                           R"("\")",
                                           R"("\q")",
                                           R"("\u12")",
                                           "\"\t\"",
                                           "\"a\nb\"",
                                           "\"1234567\x1f\"",
                                           "\"12345678\"",
                                           "\"\xC3\xA9\"",
                                           "\"\xC3\"",
                                           "\"1234567\xFF\"",
                                           "\"\x7F\"",
                                           "\"\0\""sv,
                                           "\"\\\0\""sv,
                                           "null",
                                           "nul",
                                           "nulll",
                                           "true",
                                           "false",
                                           "falsey",
                                           "trues",
                                           "truefalse",
                                           "\"a\"b",
                                           "\"",
                                           "\"a",
                                           "1",
                                           "-",
                                           "[]",
                                           "{}",
                                           "",
                                           " \"a\" ",
                                           "\t\"a\"\r",
                                           "\"a\",",
                                           "\"a\":1",
                                           "\"a\"\"b\""};
    for (const std::string_view name :
         {"id", "qr", "trigger", "workspaceId", "ip", "x", "timestamp"}) {
        for (const std::string_view json : values) {
            const std::string line = line_of(with(click_record, name, json));
            check_beside_number(line);
            check_beside_number("  " + line + "\r");
            check_beside_number(line + "}");
        }
    }
}

TEST_CASE("plain values are read wherever their bytes stand in the line") {
    for (std::size_t moved = 0; moved < 130; ++moved) {  // two words of a bitmap, and a little
        const std::string space(moved, ' '), text(moved, 'a');
        for (const std::string_view json :
             {R"("b")", R"("\\")", R"("\"\"")", R"("\)", "\"\x1f\""}) {
            check_beside_number(space + line_of(with(click_record, "id", json)));
            check_beside_number(line_of(with(click_record, "ip", json)) + space);
        }
        for (const std::string_view end :
             {"", "\\\\", "\\\"", "\\u00e9", "\\", "\n", "\xC3\xA9", "\xFF"}) {
            check_beside_number(
                line_of(with(click_record, "url", '"' + text + std::string(end) + '"')));
        }
    }
}

TEST_CASE("mutated lines are read or refused, as another parser agrees") {
    std::uint64_t random = 2026;
    reference::record_reader reader;
    simdjson::dom::parser parser;
    constexpr std::string_view bytes = "{}[]\",:\\ 0189.-+eEtfnul\n\x01\x7F\xC3\xA9\xFF";
    for (int round = 0; round < 30'000; ++round) {
        const record_kind& type = kinds[round % 6];
        fields record = with(type.required, "s", "\"s\"");
        if (round / 6 % 2 == 0) {  // else clicks and tags have plain members only
            record = with(record, "metadata", R"({"a":[1.5,"\u00e9",null,true]})");
            record = with(record, "n", "10");
        }
        if (type.which == kind::link) {
            record = with(record, "tags", R"([{"id":"a","name":"b","color":"red"}])");
            record = with(record, "geo", R"({"SE":"https://example.com"})");
            record = with(record, "webhookIds", R"(["a"])");
            record = with(record, "clicks", "12");
            record = with(record, "testVariants",
                          R"([{"url":"u","percentage":50},{"percentage":50.5,"url":"v"}])");
        }
        std::string line = line_of(record);
        for (std::uint32_t edits = 1 + next_random(random) % 3; edits > 0; --edits) {
            const std::size_t place = next_random(random) % line.size();
            const char byte = bytes[next_random(random) % bytes.size()];
            switch (next_random(random) % 4) {
                case 0: line[place] = byte; break;
                case 1: line.insert(place, 1, byte); break;
                case 2: line.erase(place, 1 + next_random(random) % 8); break;
                default: line.insert(place, line.substr(place / 2, 12)); break;
            }
            if (line.empty()) line = "{";
        }
        CAPTURE(line);
        const auto got = read(reader, type.which, line);
        simdjson::dom::object parsed;
        const auto verdict = parser.parse(line).get(parsed);
        if (got) CHECK(sluice::detail::check_json(line));
        if (type.which == kind::click) check_beside_number(line);
        if (verdict == simdjson::NUMBER_ERROR) continue;  // too large for it, or malformed
        const bool malformed = !got && (got.error().broken == rule::json_malformed ||
                                        got.error().broken == rule::text_encoding);
        CHECK(malformed == (verdict != simdjson::SUCCESS));
        if (malformed) CHECK(got.error().offset + got.error().length <= line.size());
    }
}

#ifdef SLUICE_SHARED_DATA

namespace {

// Calls `visit` with each line of a file, whatever it returns.
template <class Visit>
std::size_t for_each_line(const char* name, Visit visit) {
    std::ifstream file(std::string(SLUICE_SHARED_DATA "/") + name);
    std::size_t count = 0;
    for (std::string line; std::getline(file, line); ++count) visit(line);
    return count;
}

// A member of an object as JSON text; empty where it has no such member.
std::string member(const simdjson::dom::object& object, std::string_view name) {
    simdjson::dom::element element;
    if (object[name].get(element) != simdjson::SUCCESS) return {};
    return simdjson::minify(element);
}

// Checks that `written` has the members of `line`, apart from those whose names were changed.
void check_same(std::string_view line, std::string_view written,
                std::initializer_list<std::string_view> apart = {}) {
    static simdjson::dom::parser line_parser, written_parser;
    const simdjson::dom::object stored = line_parser.parse(line).get_object().value_unsafe();
    const simdjson::dom::object shown = written_parser.parse(written).get_object().value_unsafe();
    for (const auto& [name, value] : stored) {
        if (std::find(apart.begin(), apart.end(), name) != apart.end()) continue;
        const std::string kept = simdjson::minify(value);
        const bool unset = name == "expiresAt" && kept == "null";
        if (member(shown, name) != (unset ? "\"\"" : kept)) {
            CAPTURE(line);
            CAPTURE(name);
            CHECK(member(shown, name) == kept);
        }
    }
}

template <class Write>
std::string written(Write write) {
    std::string text;
    sluice::detail::json_writer json(text);
    write(json);
    return text;
}

}  // namespace

TEST_CASE("every record of a real data set is read and written with the same values") {
    reference::record_reader reader;
    CHECK(for_each_line("tags.ndjson", [&](const std::string& line) {
              const auto tag = reader.read_tag(line);
              REQUIRE(tag);
              check_same(line, written([&](auto& json) { write_record(json, *tag); }),
                         {"createdAt"});
          }) == 15);
    CHECK(for_each_line("customers.ndjson", [&](const std::string& line) {
              const auto customer = reader.read_customer(line);
              REQUIRE(customer);
              check_same(line, written([&](auto& json) { write_record(json, *customer); }));
          }) == 2357);
    CHECK(for_each_line("links.ndjson", [&](const std::string& line) {
              const auto link = reader.read_link(line);
              REQUIRE(link);
              check_same(line, written([&](auto& json) { write_record(json, *link, "ws"); }),
                         {"groupId", "partnerTagIds"});
          }) == 1297);
    CHECK(for_each_line("clicks.ndjson", [&](const std::string& line) {
              const auto click = reader.read_click(line);
              REQUIRE(click);
              check_same(line, written([&](auto& json) { write_record(json, *click); }),
                         {"linkId"});
          }) == 9743);
}

TEST_CASE("every event of a real data set is read and written with the same values") {
    reference::record_reader reader;
    simdjson::dom::parser parser;
    const reference::click clicked{};
    const by_hand::link_part link{"l", "d", "k", "{}"};
    CHECK(for_each_line("leads.ndjson", [&](const std::string& line) {
              const auto lead = reader.read_lead(line);
              REQUIRE(lead);
              check_same(line, written([&](auto& json) {
                             by_hand::write_lead_event(json, *lead, clicked, link, "{}");
                         }),
                         {"customerId", "clickId", "linkId"});
          }) == 2357);
    CHECK(for_each_line("sales.ndjson", [&](const std::string& line) {
              const auto sale = reader.read_sale(line);
              REQUIRE(sale);
              const std::string event = written(
                  [&](auto& json) { by_hand::write_sale_event(json, *sale, clicked, link, "{}"); });
              check_same(line, event,
                         {"customerId", "clickId", "linkId", "amount", "currency", "invoiceId",
                          "paymentProcessor"});
              const auto shown = parser.parse(event)["sale"].get_object().value_unsafe();
              CHECK(member(shown, "amount") == std::to_string(sale->amount));
              CHECK(line.find("\"amount\":" + member(shown, "amount")) != std::string::npos);
          }) == 6919);
}

#endif
