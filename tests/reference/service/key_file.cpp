// SPDX-License-Identifier: MIT
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/reference/service/key_file.hpp>

using namespace sluice::reference;
using sluice::instant;
using sluice::rule;
using sluice::reference::plan;
using sluice::reference::plan_limits;

namespace {

const instant now = sluice::parse_timestamp("2026-08-21T00:00:00Z").value();
const std::string hash_of_abc = to_hex(sha256("abc"));

/// An entry with its fields, `more` after them.
std::string entry(std::string_view plan_name, const std::string& more = "") {
    return R"({"sha256":")" + hash_of_abc + R"(","workspaceId":"ws_1","plan":")" +
           std::string(plan_name) + R"(","permissions":["tags.read"])" + more + "}";
}

std::string without(std::string_view field, std::string_view value) {
    std::string text = entry("business");
    const std::size_t at = text.find('"' + std::string(field) + '"');
    const std::size_t end = text.find_first_of(",}", text.find(':', at));
    if (!value.empty()) return text.replace(at, end - at, std::string(value));
    return text.replace(at, end - at, R"("expiresAt":null)");
}

}  // namespace

TEST_CASE("a list of keys is read in full") {
    const auto keys = parse_keys(R"([
        {"sha256": "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD",
         "workspaceId": "ws_\u00e9", "plan": "business",
         "permissions": ["analytics.read", "tags.read"], "expiresAt": "2026-08-21T02:00:00+02:00"},
        {"permissions": [], "plan": "free", "workspaceId": "", "expiresAt": null, "limits": null,
         "sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}
    ])");
    REQUIRE(keys);
    CHECK(keys->size() == 2);
    const api_key* first = keys->find("abc");
    REQUIRE(first != nullptr);
    CHECK(first->hash == sha256("abc"));
    CHECK(first->workspace_id == "ws_\u00E9");
    CHECK(first->plan == plan::business);
    CHECK(first->permissions == std::vector<std::string>{"analytics.read", "tags.read"});
    CHECK(first->expires_at == now);
    CHECK(first->limits == plan_limits{1'200, 4});
    CHECK_FALSE(first->has_expired(now - std::chrono::milliseconds{1}));
    CHECK(first->has_expired(now));
    const api_key* second = keys->find("");
    REQUIRE(second != nullptr);
    CHECK(second->permissions.empty());
    CHECK(second->expires_at == std::nullopt);
    CHECK(second->limits == plan_limits{60, std::nullopt});
}

TEST_CASE("an empty list holds no key") {
    CHECK(parse_keys("[]")->size() == 0);
    CHECK(parse_keys(" [ ] \n")->size() == 0);
}

TEST_CASE("a key has its plan's limits, or its workspace's own") {
    struct row {
        std::string entry;
        plan_limits limits;
    };
    const std::vector<row> table{
        {entry("free"), {60, std::nullopt}},
        {entry("pro"), {600, 2}},
        {entry("business"), {1'200, 4}},
        {entry("advanced"), {3'000, 8}},
        {entry("pro", R"(,"limits":{})"), {600, 2}},
        {entry("pro", R"(,"limits":{"perMinute":7})"), {7, 2}},
        {entry("pro", R"(,"limits":{"per_minute":7})"), {7, 2}},
        {entry("pro", R"(,"limits":{"perMinute":null,"analyticsPerSecond":9})"), {600, 9}},
        {entry("pro", R"(,"limits":{"per_minute":5,"analyticsPerSecond":9})"), {5, 9}},
        {entry("free", R"(,"limits":{"analytics_per_second":1})"), {60, 1}},
        {entry("enterprise", R"(,"limits":{"per_minute":1,"analytics_per_second":100000000})"),
         {1, 100'000'000}},
    };
    for (const row& example : table) {
        CAPTURE(example.entry);
        const auto keys = parse_keys("[" + example.entry + "]");
        REQUIRE(keys);
        CHECK(keys->find("abc")->limits == example.limits);
    }
}

TEST_CASE("a bad entry is named by its number and field") {
    struct bad {
        std::string entry;
        std::string field;
        rule broken;
    };
    const std::string limits = "limits", minute = "perMinute", second = "analyticsPerSecond";
    const std::vector<bad> table{
        {"1", "", rule::field_type},
        {"null", "", rule::field_type},
        {"[]", "", rule::field_type},
        {R"("text")", "", rule::field_type},
        {"{}", "sha256", rule::field_missing},
        {without("sha256", ""), "sha256", rule::field_missing},
        {without("sha256", R"("sha256":null)"), "sha256", rule::field_missing},
        {without("sha256", R"("sha256":1)"), "sha256", rule::field_type},
        {without("sha256", R"("sha256":"")"), "sha256", rule::field_value},
        {without("sha256", R"("sha256":"abc")"), "sha256", rule::field_value},
        {without("workspaceId", ""), "workspaceId", rule::field_missing},
        {without("workspaceId", R"("workspaceId":7)"), "workspaceId", rule::field_type},
        {without("plan", ""), "plan", rule::field_missing},
        {without("plan", R"("plan":true)"), "plan", rule::field_type},
        {entry("Business"), "plan", rule::choice_unknown},
        {entry(""), "plan", rule::choice_unknown},
        {without("permissions", ""), "permissions", rule::field_missing},
        {without("permissions", R"("permissions":null)"), "permissions", rule::field_missing},
        {without("permissions", R"("permissions":"tags.read")"), "permissions", rule::field_type},
        {without("permissions", R"("permissions":[1])"), "permissions", rule::field_type},
        {without("permissions", R"("permissions":[null])"), "permissions", rule::field_type},
        {without("permissions", R"("permissions":{})"), "permissions", rule::field_type},
        {without("permissions", R"("permissions":["Tags.read"])"), "permissions",
         rule::choice_unknown},
        {without("permissions", R"("permissions":["tags.read",""])"), "permissions",
         rule::choice_unknown},
        {entry("pro", R"(,"expiresAt":1)"), "expiresAt", rule::field_type},
        {entry("pro", R"(,"expiresAt":"")"), "expiresAt", rule::field_value},
        {entry("pro", R"(,"expiresAt":"2030-01-01")"), "expiresAt", rule::field_value},
        {entry("pro", R"(,"expiresAt":"2030-02-30T00:00:00Z")"), "expiresAt", rule::field_value},
        {entry("pro", R"(,"limits":1)"), limits, rule::field_type},
        {entry("pro", R"(,"limits":[])"), limits, rule::field_type},
        {entry("pro", R"(,"limits":{"per_minute":0})"), minute, rule::field_value},
        {entry("pro", R"(,"limits":{"per_minute":-1})"), minute, rule::field_value},
        {entry("pro", R"(,"limits":{"per_minute":100000001})"), minute, rule::field_value},
        {entry("pro", R"(,"limits":{"per_minute":1.5})"), minute, rule::field_type},
        {entry("pro", R"(,"limits":{"per_minute":"1"})"), minute, rule::field_type},
        {entry("pro", R"(,"limits":{"per_minute":true})"), minute, rule::field_type},
        {entry("pro", R"(,"limits":{"per_minute":18446744073709551615})"), minute,
         rule::field_type},
        {entry("pro", R"(,"limits":{"perMinute":0})"), minute, rule::field_value},
        {entry("pro", R"(,"limits":{"analyticsPerSecond":"4"})"), second, rule::field_type},
        {entry("pro", R"(,"limits":{"analytics_per_second":0})"), second, rule::field_value},
        {entry("pro", R"(,"limits":{"perMinute":1,"per_minute":1})"), minute,
         rule::parameter_repeated},
        {entry("pro", R"(,"limits":{"analytics_per_second":1,"analyticsPerSecond":null})"), second,
         rule::parameter_repeated},
        {entry("pro", R"(,"limits":{"perMinute":1,"perMinute":2})"), minute,
         rule::parameter_repeated},
        {entry("pro", R"(,"plan":"free")"), "plan", rule::parameter_repeated},
        {entry("business"), "sha256", rule::identifier_taken},
        {entry("enterprise"), limits, rule::field_missing},
        {entry("enterprise", R"(,"limits":{"per_minute":1})"), limits, rule::field_missing},
        {entry("enterprise", R"(,"limits":{"analytics_per_second":1})"), limits,
         rule::field_missing},
    };
    for (const bad& example : table) {
        CAPTURE(example.entry);
        const auto keys = parse_keys("[" + entry("pro") + "," + example.entry + ",1]");
        REQUIRE_FALSE(keys);
        CHECK(keys.error().entry == 1);
        CHECK(keys.error().why.param == example.field);
        CHECK(keys.error().why.broken == example.broken);
        CHECK(keys.error().why.code == sluice::code_of(example.broken));
        CHECK(message(keys.error()).starts_with("key 1: " + example.field));
    }
}

TEST_CASE("a field or name that is unknown is refused, with what it was probably meant to be") {
    const std::string fields =
        "expected sha256, workspaceId, plan, permissions, expiresAt or limits";
    const std::string of_limits = "expected perMinute or analyticsPerSecond";
    const std::string of_permissions =
        "expected analytics.read, tags.read, links.read, domains.read, customers.read or "
        "folders.read";
    struct row {
        std::string entry, message;
    };
    const std::vector<row> table{
        {entry("pro", R"(,"limit":{})"),
         "limit: unknown field (did you mean 'limits'?), " + fields},
        {entry("pro", R"(,"expiresat":null)"),
         "expiresat: unknown field (did you mean 'expiresAt'?), " + fields},
        {entry("pro", R"(,"note":[1])"), "note: unknown field, " + fields},
        {entry("pro", R"(,"":1)"), "unknown field, " + fields},
        {entry("pro", R"(,"a\n\"":1)"), "a\\x0A\": unknown field, " + fields},
        {without("workspaceId", R"("workspace_id":"ws")"),
         "workspace_id: unknown field (did you mean 'workspaceId'?), " + fields},
        {entry("pro", R"(,"limits":{"per_minutes":5})"),
         "per_minutes: unknown field (did you mean 'perMinute'?), " + of_limits},
        {entry("pro", R"(,"limits":{"perSecond":5})"), "perSecond: unknown field, " + of_limits},
        {without("permissions", R"("permissions":["tag.read"])"),
         "permissions: not one of the accepted values (did you mean 'tags.read'?), " +
             of_permissions},
        {without("permissions", R"("permissions":["links.write"])"),
         "permissions: not one of the accepted values, " + of_permissions},
        {entry("busines"),
         "plan: not one of the accepted values (did you mean 'business'?), expected free, pro, "
         "business, advanced or enterprise"},
    };
    for (const auto& [text, expected] : table) {
        const auto keys = parse_keys("[" + text + "]");
        REQUIRE_FALSE(keys);
        CHECK(message(keys.error()) == "key 0: " + expected);
    }
}

TEST_CASE("a field that is missing or of another type or value is told what it may be") {
    struct row {
        std::string entry, accepted;
    };
    const std::string number = "a whole number from 1 to 100000000";
    const std::vector<row> table{
        {"1", "an object"},
        {without("sha256", ""), "a text"},
        {without("sha256", R"("sha256":1)"), "a text"},
        {without("sha256", R"("sha256":"abc")"), "64 hexadecimal digits"},
        {without("permissions", ""), "a list such as [\"analytics.read\"]"},
        {without("permissions", R"("permissions":1)"), "a list such as [\"analytics.read\"]"},
        {without("permissions", R"("permissions":[1])"), "a list such as [\"analytics.read\"]"},
        {entry("pro", R"(,"expiresAt":"soon")"), "an RFC 3339 time"},
        {entry("pro", R"(,"limits":1)"), "an object"},
        {entry("pro", R"(,"limits":{"perMinute":0})"), number},
        {entry("pro", R"(,"limits":{"perMinute":"1"})"), number},
    };
    for (const auto& [text, accepted] : table) {
        const auto keys = parse_keys("[" + text + "]");
        REQUIRE_FALSE(keys);
        const std::string reason = message(keys.error());
        CAPTURE(reason);
        CHECK(reason.ends_with(", expected " + accepted));
    }
}

TEST_CASE("the first field at fault is named, and no byte of the file is repeated") {
    const auto refused = parse_keys("[" + entry("secret plan", R"(,"limits":1)") + "]");
    REQUIRE_FALSE(refused);
    CHECK(message(refused.error()) ==
          "key 0: plan: not one of the accepted values, expected free, pro, business, advanced or "
          "enterprise");
}

TEST_CASE("what is no JSON list is refused, with where and why") {
    struct row {
        std::string text, message;
    };
    const std::string list = ", expected a JSON list of objects";
    const std::string at_end = "malformed JSON (at byte ";
    const std::string one = "[" + entry("pro");
    const std::vector<row> table{
        {"", "malformed JSON" + list},
        {" ", "malformed JSON (at byte 1)" + list},
        {"{}", "malformed JSON" + list},
        {"null", "malformed JSON" + list},
        {"7", "malformed JSON" + list},
        {one, at_end + std::to_string(one.size()) + ")" + list},
        {one + "] x", at_end + std::to_string(one.size() + 2) + ")" + list},
        {one + ",]", at_end + std::to_string(one.size() + 1) + ")" + list},
        {std::string("[\0]", 3), "malformed JSON (at byte 1)" + list},
        {"[][]", "malformed JSON (at byte 2)" + list},
        {"[\"\xFF\"]", "not valid UTF-8 (at byte 2), save the file as UTF-8"},
        {"\xEF\xBB\xBF[]", "starts with a byte-order mark, save the file as UTF-8 without one"},
        {std::string(5'000, '['), "nested too deeply (at byte 256), expected at most 256 levels"},
    };
    for (const auto& [text, expected] : table) {
        CAPTURE(text);
        const auto keys = parse_keys(text);
        REQUIRE_FALSE(keys);
        CHECK_FALSE(keys.error().entry);
        CHECK(message(keys.error()) == "keys: " + expected);
    }
}
