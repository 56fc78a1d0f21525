// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/errors/envelope.hpp>
#include <sluice/errors/message.hpp>
#include <sluice/errors/rules.hpp>
#include <sluice/rate_limit/policy.hpp>
#include <sluice/reference/events/events_query.hpp>
#include <sluice/reference/plan.hpp>
#include <sluice/reference/tags/tags_query.hpp>
#include <sluice/time/system_zones.hpp>

using namespace sluice;
using namespace sluice::reference;

// Every message of the library as one list, tests/data/messages.txt, which reads as prose: a line
// says what was given and what is told.

namespace {

const instant now = *parse_timestamp("2026-08-21T02:30:15.123Z");

const std::vector<std::string_view> events_requests{
    "contry=US",
    "Country=US",
    "workspaceId=ws_1",
    "utm-source=x",
    "event=click",
    "event=views",
    "event=leads&event=sales",
    "domain=a,-b",
    "domain=--a",
    "domain=a\\b",
    "domain=a&domain=-b",
    "key=k",
    "externalId=7",
    "interval=24H",
    "interval=1w",
    "start=yesterdy",
    "start=2026-02-30",
    "start=12026-08-21",
    "start=2026-08-21T02:30:15+02:00",
    "start=3000 years ago",
    "end=2026-08-21T25:00",
    "start=2026-08-21&end=2026-08-20",
    "timezone=europe/pari",
    "timezone=Mars",
    "country=US,USA",
    "continent=EU,AX",
    "trigger=QR",
    "root=yes",
    "root=ture",
    "qr=1",
    "saleType=new",
    "event=sales&saleType=old",
    "query=metadata['a']:b",
    "page=0",
    "page=1.5",
    "page=one",
    "limit=1001",
    "limit=-1",
    "limit=",
    "sortOrder=ascending",
    "sortOrder=Asc",
    "sortBy=time",
};
const std::vector<std::string_view> expressions{
    "metadata",
    "metadata.plan:pro",
    "metadata['plan':pro",
    "metadata['plan']",
    "metadata['plan'] is pro",
    "metadata['plan']==pro",
    "metadata['seats']=>5",
    "metadata['plan']:",
    "metadata['plan']::pro",
    "metadata['plan']:it's",
    "metadata['plan']:'pro",
    "metadata['plan']:'a\\b'",
    "(metadata['plan']:pro",
    "metadata['plan']:pro && metadata['seats']:5",
    "metadata['plan']:pro,metadata['seats']:5",
    "metadata['plan']:pro or",
    "metadata['plan']:pro metadata['seats']:5",
    "metadata['seats']>five",
};
const std::vector<std::string_view> tags_requests{
    "serch=x", "sortBy=created_at", "sortOrder=down", "page=0", "pageSize=101",
};

class message_list {
public:
    void add(std::string_view input_text, const error& e, std::string_view input = {}) {
        text_.append(input_text).append("\n    ").append(message(e, input)).append("\n");
    }
    void section(std::string_view title) { text_.append("\n== ").append(title).append("\n\n"); }
    [[nodiscard]] const std::string& text() const noexcept { return text_; }

private:
    std::string text_ = "Every message, as tests/reference/messages.cpp makes them.\n";
};

/// A bare error of a rule; rules whose bound is the caller's have one.
error bare(rule broken) {
    error e = make_error(broken);
    const std::string_view accepted = advice_of(broken);
    if (accepted.ends_with("at least") || accepted.ends_with("at most")) e.bound = 100;
    return e;
}

void add_rules(message_list& list) {
    list.section("rules");
    for (int i = 0; i <= static_cast<int>(rule::unexpected_failure); ++i) {
        const auto broken = static_cast<rule>(i);
        list.add(to_string(broken), bare(broken));
    }
}

/// The first error of each request, strictly bound; one that has none is a mistake of the list.
template <class Parse>
void add_requests(message_list& list, const std::vector<std::string_view>& requests, Parse parse) {
    for (const std::string_view text : requests) {
        CAPTURE(text);
        const query_string pairs = parse_query_string(text);
        const auto parsed = parse(pairs.pairs());
        REQUIRE(!parsed);
        list.add(text, parsed.error(), text_at_fault(pairs.pairs(), parsed.error()));
    }
}

template <class T>
void add_refusal(message_list& list, std::string_view input_text, const result<T>& checked) {
    CAPTURE(input_text);
    REQUIRE(!checked);
    list.add(input_text, checked.error());
}

void add_values(message_list& list) {
    list.section("values by themselves");
    using std::chrono::milliseconds;
    add_refusal(list, "bulk size 0", check_bulk_size(0));
    add_refusal(list, "bulk size 101", check_bulk_size(101));
    add_refusal(list, "page size 0", check_page_size(0));
    add_refusal(list, "page size 101", check_page_size(101));
    add_refusal(list, "events limit 1001", check_events_limit(1'001));
    add_refusal(list, "1 variant", check_test_variants(1));
    add_refusal(list, "5 variants", check_test_variants(5));
    add_refusal(list, "9.9 percent", check_variant_percentage(9.9));
    add_refusal(list, "90.1 percent", check_variant_percentage(90.1));
    add_refusal(list, "whole number 7 of 1 to 5", parse_whole_number("7", 1, 5));
    add_refusal(list, "boolean tru", parse_boolean("tru"));
    add_refusal(list, "a list of 1001", parse_list([] {
                    std::string text;
                    for (int i = 0; i <= 1'000; ++i) text.append("x,");
                    return text;
                }()));
    add_refusal(list, "plan Business", parse_plan("Business"));
    add_refusal(list, "error code bad-request", parse_error_code("bad-request"));
    add_refusal(list, "timestamp today", parse_timestamp("today"));
    add_refusal(list, "timestamp 2026-02-30T00:00:00Z", parse_timestamp("2026-02-30T00:00:00Z"));
    add_refusal(list, "policy limit 0", make_policy(0, milliseconds{1'000}));
    add_refusal(list, "policy window 0", make_policy(1, milliseconds{0}));
}

message_list all_messages() {
    static const auto zones = load_time_zones();
    REQUIRE(zones);
    const request_options options{.zones = &*zones, .strict = true};
    message_list list;
    add_rules(list);
    list.section("GET /events?");
    const auto parse_events = [&](auto pairs) {
        return reference::parse_events_query(pairs, options, now);
    };
    add_requests(list, events_requests, parse_events);
    list.section("GET /events?event=leads&query=");
    for (const std::string_view text : expressions) {
        const std::array pairs{name_value{"event", "leads"}, name_value{"query", text}};
        add_refusal(list, text, parse_events(std::span<const name_value>(pairs)));
    }
    list.section("GET /tags?");
    add_requests(list, tags_requests,
                 [&](auto pairs) { return reference::parse_tags_query(pairs, options); });
    add_values(list);
    return list;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

}  // namespace

TEST_CASE("the messages are those of the reviewed list") {
    std::ifstream file(std::string(SLUICE_TEST_DATA) + "/messages.txt");
    REQUIRE(file.is_open());
    std::stringstream expected;
    expected << file.rdbuf();
    const std::string messages = all_messages().text();
    INFO(messages);
    CHECK(lines_of(messages) == lines_of(expected.str()));
}

TEST_CASE("every message ends in what is accepted, in plain ASCII") {
    constexpr std::array<std::string_view, 20> verbs{
        "expected ", "write ",   "give ",   "it must ", "it is required", "use ",     "put ",
        "end ",      "exclude ", "send ",   "leave ",   "retry ",         "upgrade ", "try ",
        "install ",  "load ",    "escape ", "shorten ", "save ",          "take "};
    for (const std::string& line : lines_of(all_messages().text())) {
        if (!line.starts_with("    ")) continue;
        CAPTURE(line);
        CHECK(std::ranges::any_of(verbs, [&](std::string_view verb) {
            return line.find(", " + std::string(verb)) != std::string::npos;
        }));
        CHECK(std::ranges::all_of(line, [](char byte) { return byte >= ' ' && byte <= '~'; }));
        for (const std::string_view ending : {" least", " most", " from", ",", " "}) {
            CHECK(!line.ends_with(ending));
        }
    }
}

TEST_CASE("a message holds the bound that the check has") {
    const std::pair<rule, std::size_t> bounds[] = {
        {rule::filter_too_many, filter_max_values},
        {rule::filter_too_long, filter_max_bytes},
        {rule::query_too_long, metadata_query_max_length},
        {rule::query_too_deep, metadata_query_max_depth},
        {rule::query_too_many, metadata_query_max_conditions},
    };
    for (const auto& [broken, bound] : bounds) {
        CHECK(message(make_error(broken)).find(" at most " + std::to_string(bound)) !=
              std::string::npos);
    }
    for (const auto& row : reference::events_params) {
        if (!row.info.prefix.empty()) {
            CHECK(row.info.accepts.find(row.info.prefix) != std::string_view::npos);
        }
    }
    const auto years = message(make_error(rule::time_out_of_range));
    CHECK(years.find(format_timestamp(earliest_instant).substr(0, 4)) != std::string::npos);
    CHECK(years.find(format_timestamp(latest_instant).substr(0, 4)) != std::string::npos);
}
