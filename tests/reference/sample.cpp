// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <simdjson.h>

#include <sluice/errors/error.hpp>
#include <sluice/reference/sample.hpp>
#include <sluice/time/instant.hpp>

#include "../temporary_folder.hpp"

using sluice::format_timestamp;
using sluice::instant;
using sluice::parse_timestamp;
using sluice::rule;
using sluice::reference::sample_counts;
using sluice::reference::sample_options;
using sluice::reference::write_sample;

namespace {

constexpr std::array<std::string_view, 8> file_names{
    "tags.ndjson",      "domains.ndjson", "folders.ndjson", "links.ndjson",
    "customers.ndjson", "clicks.ndjson",  "leads.ndjson",   "sales.ndjson"};
constexpr std::array<std::string_view, 3> event_files{"clicks.ndjson", "leads.ndjson",
                                                      "sales.ndjson"};

const instant now = parse_timestamp("2026-08-21T02:30:15.123Z").value();

using record = std::map<std::string, std::string>;  // the JSON of each member, strings unquoted

std::string text_of(simdjson::dom::element value) {
    return value.is_string() ? std::string(std::string_view(value))
                             : std::string(simdjson::minify(value));
}

/// The folder's files, read once.
class sample {
public:
    explicit sample(const sample_options& options) {
        counts = write_sample(folder_.path(), options).value();
        for (const std::string_view name : file_names) {
            bytes[std::string(name)] = read_file(folder_.path() / name);
        }
    }

    /// The records of a file; every line must be an object.
    std::vector<record> records(std::string_view name) const {
        std::istringstream lines(bytes.at(std::string(name)));
        std::vector<record> all;
        simdjson::dom::parser parser;
        for (std::string line; std::getline(lines, line);) {
            record& members = all.emplace_back();
            simdjson::dom::object object;
            REQUIRE(parser.parse(line).get_object().get(object) == simdjson::SUCCESS);
            for (const auto& [key, value] : object) {
                members.emplace(key, text_of(value));
            }
            REQUIRE(members.size() == object.size());
        }
        return all;
    }

    sample_counts counts;
    std::map<std::string, std::string> bytes;

private:
    temporary_folder folder_;
};

const sample& usual() {
    static const sample sampled({.events = 20'000, .seed = 1, .now = now});
    return sampled;
}

std::map<std::string, record> by(std::string_view key, const std::vector<record>& records) {
    std::map<std::string, record> index;
    for (const record& r : records) index.emplace(r.at(std::string(key)), r);
    return index;
}

std::vector<std::string> times_of(const sample& sampled, std::string_view file) {
    std::vector<std::string> times;
    for (const record& r : sampled.records(file)) times.push_back(r.at("timestamp"));
    return times;
}

std::map<std::string, int> tally(const std::vector<record>& records, const std::string& key) {
    std::map<std::string, int> counts;
    for (const record& r : records) ++counts[r.at(key)];
    return counts;
}

}  // namespace

TEST_CASE("the same options make the same bytes, and other ones make others") {
    const sample_options options{.events = 2'000, .seed = 7, .now = now};
    const sample first(options);
    CHECK(first.bytes == sample(options).bytes);
    const sample other({.events = 2'000, .seed = 8, .now = now});
    const sample later({.events = 2'000, .seed = 7, .now = now + std::chrono::milliseconds(1)});
    for (const auto& [name, bytes] : first.bytes) {
        CAPTURE(name);
        // Domains and folders are the same ones of every seed.
        const bool is_fixed = name == "domains.ndjson" || name == "folders.ndjson";
        CHECK((bytes == other.bytes.at(name)) == is_fixed);
        CHECK(bytes != later.bytes.at(name));
    }
}

TEST_CASE("a sample has as many events as asked for, 80, 8 and 12 percent of each kind") {
    for (const std::int64_t events : {0, 1, 9, 12, 13, 25, 26, 99, 100, 1'000, 5'003}) {
        CAPTURE(events);
        const sample sampled({.events = events, .seed = 3, .now = now});
        const sample_counts& counts = sampled.counts;
        CHECK(counts.clicks + counts.leads + counts.sales == events);
        CHECK(sampled.records("tags.ndjson").size() == static_cast<std::size_t>(counts.tags));
        CHECK(sampled.records("domains.ndjson").size() == static_cast<std::size_t>(counts.domains));
        CHECK(sampled.records("folders.ndjson").size() == static_cast<std::size_t>(counts.folders));
        CHECK(sampled.records("links.ndjson").size() == static_cast<std::size_t>(counts.links));
        CHECK(sampled.records("customers.ndjson").size() ==
              static_cast<std::size_t>(counts.customers));
        CHECK(sampled.records("clicks.ndjson").size() == static_cast<std::size_t>(counts.clicks));
        CHECK(sampled.records("leads.ndjson").size() == static_cast<std::size_t>(counts.leads));
        CHECK(sampled.records("sales.ndjson").size() == static_cast<std::size_t>(counts.sales));
    }
    CHECK(usual().counts.clicks == 16'000);
    CHECK(usual().counts.leads == 1'600);
    CHECK(usual().counts.sales == 2'400);
}

TEST_CASE("records hold the fields that the loaders read") {
    const std::map<std::string, std::set<std::string>> fields{
        {"clicks.ndjson",
         {"id", "timestamp", "linkId", "url", "country", "region", "city", "continent", "device",
          "browser", "os", "trigger", "referer", "refererUrl", "qr", "ip"}},
        {"leads.ndjson",
         {"eventId", "eventName", "timestamp", "customerId", "clickId", "linkId", "metadata"}},
        {"sales.ndjson",
         {"eventId", "eventName", "timestamp", "customerId", "clickId", "linkId", "metadata",
          "amount", "currency", "invoiceId", "paymentProcessor"}},
        {"customers.ndjson",
         {"id", "externalId", "name", "email", "avatar", "country", "createdAt"}},
    };
    for (const auto& [name, expected] : fields) {
        for (const record& r : usual().records(name)) {
            std::set<std::string> present;
            for (const auto& [key, value] : r) present.insert(key);
            REQUIRE(present == expected);
        }
    }
    for (const record& r : usual().records("tags.ndjson")) {
        REQUIRE(r.size() == 4);
        REQUIRE(r.contains("createdAt"));
    }
}

TEST_CASE("links hold all fields of their record; those that nobody sees where they aren't null") {
    std::map<std::string, int> met;
    int links = 0;
    for (const record& r : usual().records("links.ndjson")) {
        std::size_t known = 0;
        sluice::reference::for_each_row<sluice::reference::link>([&]<class Row>(const Row& row) {
            if constexpr (sluice::reference::stored_row<Row>) {
                const bool is_there = r.contains(std::string(row.name));
                known += is_there ? 1 : 0;
                met[std::string(row.name)] += is_there ? 1 : 0;
            }
        });
        REQUIRE(known == r.size());
        ++links;
    }
    for (const auto& [name, count] : met) {
        CAPTURE(name);
        const bool is_rare = name == "groupId" || name == "testVariants";
        if (name == "workspaceId") {
            CHECK(count == 0);
        } else {
            CHECK(count > 0);
            CHECK((count < links) == is_rare);
        }
    }
}

TEST_CASE("identifiers name one record each") {
    const auto unique = [](std::string_view name, auto key_of) {
        const auto records = usual().records(name);
        std::set<std::string> keys;
        for (const record& r : records) keys.insert(key_of(r));
        return keys.size() == records.size();
    };
    for (const std::string_view name :
         {"tags.ndjson", "links.ndjson", "customers.ndjson", "clicks.ndjson"}) {
        CHECK(unique(name, [](const record& r) { return r.at("id"); }));
    }
    for (const std::string_view name : {"leads.ndjson", "sales.ndjson"}) {
        CHECK(unique(name, [](const record& r) { return r.at("eventId"); }));
    }
    CHECK(unique("customers.ndjson", [](const record& r) { return r.at("externalId"); }));
    CHECK(
        unique("links.ndjson", [](const record& r) { return r.at("domain") + "/" + r.at("key"); }));
    CHECK(unique("links.ndjson", [](const record& r) {
        return r.at("externalId") == "null" ? r.at("id") : r.at("externalId");
    }));
}

TEST_CASE("every reference resolves to a record that came before, and events come in order") {
    std::vector<sample_options> all{{.events = 20'000, .seed = 5, .now = now}};
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        for (const std::int64_t events : {13, 25, 60, 1'000}) all.push_back({events, seed, now});
    }
    for (const sample_options& options : all) {
        CAPTURE(options.events);
        CAPTURE(options.seed);
        const sample sampled(options);
        const auto links = by("id", sampled.records("links.ndjson"));
        const auto customers = by("id", sampled.records("customers.ndjson"));
        const auto clicks = by("id", sampled.records("clicks.ndjson"));
        const auto leads = sampled.records("leads.ndjson");
        for (const auto& [id, click] : clicks) {
            REQUIRE(links.contains(click.at("linkId")));
            REQUIRE(links.at(click.at("linkId")).at("createdAt") < click.at("timestamp"));
        }
        for (const record& lead : leads) {
            const record& click = clicks.at(lead.at("clickId"));
            REQUIRE(lead.at("linkId") == click.at("linkId"));
            REQUIRE(lead.at("timestamp") >= click.at("timestamp"));
            REQUIRE(customers.at(lead.at("customerId")).at("createdAt") <= lead.at("timestamp"));
        }
        const auto sign_ups = by("customerId", leads);
        CHECK(sign_ups.size() == customers.size());
        for (const record& sale : sampled.records("sales.ndjson")) {
            const record& sign_up = sign_ups.at(sale.at("customerId"));
            REQUIRE(sale.at("clickId") == sign_up.at("clickId"));
            REQUIRE(sale.at("linkId") == sign_up.at("linkId"));
            REQUIRE(sale.at("timestamp") >= sign_up.at("timestamp"));
        }
        for (const std::string_view name : event_files) {
            const auto times = times_of(sampled, name);
            REQUIRE(std::is_sorted(times.begin(), times.end()));
        }
    }
}

TEST_CASE("a customer is from where they clicked, or from nowhere") {
    const auto clicks = by("id", usual().records("clicks.ndjson"));
    const auto sign_ups = by("customerId", usual().records("leads.ndjson"));
    int unknown = 0;
    for (const record& customer : usual().records("customers.ndjson")) {
        const record& click = clicks.at(sign_ups.at(customer.at("id")).at("clickId"));
        const bool known = click.at("country") != "Unknown";
        REQUIRE(customer.at("country") == (known ? click.at("country") : "null"));
        unknown += known ? 0 : 1;
    }
    CHECK(unknown > 0);
}

TEST_CASE("every tag has a color, since published clients require one") {
    const auto tags = usual().records("tags.ndjson");
    CHECK(tags.size() == 20);
    for (const record& tag : tags) CHECK(tag.contains("color"));
}

TEST_CASE("links show tags as they are") {
    const auto tags = by("id", usual().records("tags.ndjson"));
    simdjson::dom::parser parser;
    std::size_t seen = 0;
    for (const record& link : usual().records("links.ndjson")) {
        std::set<std::string> ids;
        for (const auto tag : parser.parse(link.at("tags")).get_array()) {
            const std::string id(tag["id"].get_string().value());
            REQUIRE(tags.contains(id));
            REQUIRE(tags.at(id).at("name") == tag["name"].get_string().value());
            REQUIRE(tags.at(id).at("color") == tag["color"].get_string().value());
            REQUIRE(ids.insert(id).second);
            ++seen;
        }
    }
    CHECK(seen > 100);
}

TEST_CASE("events lie within 30 days, a tenth or more in the last 24 hours") {
    for (int day = 0; day < 7; ++day) {
        CAPTURE(day);
        const instant end = now + std::chrono::days(day);
        const sample sampled({.events = 5'000, .seed = 11, .now = end});
        for (const std::string_view name : event_files) {
            CAPTURE(name);
            const auto times = times_of(sampled, name);
            CHECK(times.front() >= format_timestamp(end - std::chrono::days(30)));
            CHECK(times.back() <= format_timestamp(end));
            const auto recent = std::lower_bound(times.begin(), times.end(),
                                                 format_timestamp(end - std::chrono::hours(24)));
            const double share =
                static_cast<double>(times.end() - recent) / static_cast<double>(times.size());
            CHECK(share >= 0.1);
            CHECK(share <= 0.5);
        }
    }
}

TEST_CASE("traffic has days and nights, and moments that events share") {
    const auto clicks = usual().records("clicks.ndjson");
    std::map<std::string, int> by_hour;
    for (const record& click : clicks) ++by_hour[click.at("timestamp").substr(11, 2)];
    CHECK(by_hour.size() == 24);
    CHECK(by_hour.at("15") > 3 * by_hour.at("03"));
    CHECK(tally(clicks, "timestamp").size() < clicks.size() - 100);
}

TEST_CASE("a few links, places, clients and customers make most of the events") {
    const auto clicks = usual().records("clicks.ndjson");
    for (const std::string key : {"linkId", "country", "city", "browser", "os", "referer"}) {
        CAPTURE(key);
        std::vector<int> counts;
        for (const auto& [value, count] : tally(clicks, key)) counts.push_back(count);
        std::sort(counts.begin(), counts.end());
        CHECK(counts.size() >= 5);
        CHECK(counts.back() >= 2 * counts[counts.size() / 2]);
    }
    const auto sales = tally(usual().records("sales.ndjson"), "customerId");
    CHECK(std::any_of(sales.begin(), sales.end(), [](const auto& s) { return s.second == 1; }));
    CHECK(std::any_of(sales.begin(), sales.end(), [](const auto& s) { return s.second > 5; }));
}

TEST_CASE("clicks agree with themselves") {
    std::map<std::string, int> triggers;
    for (const record& click : usual().records("clicks.ndjson")) {
        ++triggers[click.at("trigger")];
        REQUIRE((click.at("trigger") == "qr") == (click.at("qr") == "true"));
        REQUIRE((click.at("referer") == "(direct)") == (click.at("refererUrl") == "(direct)"));
        REQUIRE((click.at("country") == "Unknown") == (click.at("continent") == "Unknown"));
        REQUIRE((click.at("region") == "Unknown" ||
                 click.at("region").starts_with(click.at("country") + "-")));
    }
    CHECK(triggers.size() == 4);  // link, pageview, qr and unknown
}

TEST_CASE("awkward values are there to be met") {
    struct row {
        std::string_view file, text;
    };
    const std::array rows{
        row{"clicks.ndjson", R"("city":"Washington, D.C.")"},
        row{"clicks.ndjson", R"("city":"Val-d'Or")"},
        row{"clicks.ndjson", R"("city":"القاهرة")"},
        row{"clicks.ndjson", R"("country":"Unknown","city":"Unknown","region":"Unknown")"},
        row{"clicks.ndjson", R"_("referer":"(direct)")_"},
        row{"clicks.ndjson", R"("continent":"AN")"},
        row{"clicks.ndjson", R"("trigger":null)"},
        row{"clicks.ndjson", R"(-1\\2")"},
        row{"clicks.ndjson", "utm_campaign=50%25+off%2C+today+only"},
        row{"clicks.ndjson", "utm_source=google_ads"},
        row{"clicks.ndjson", "utm_source=google&"},
        row{"clicks.ndjson", R"("ip":"2001:db8:)"},
        row{"links.ndjson", R"("key":"_root")"},
        row{"links.ndjson", R"("key":"a,b")"},
        row{"links.ndjson", R"("key":"back\\slash")"},
        row{"links.ndjson", R"("key":"🎉")"},
        row{"links.ndjson", R"("utm_campaign":"50% off, today only")"},
        row{"links.ndjson", R"("utm_campaign":"rock'n'roll \"live\"")"},
        row{"links.ndjson", R"("utm_campaign":"حملة الربيع")"},
        row{"links.ndjson", R"("utm_campaign":"🚀 launch")"},
        row{"links.ndjson", R"("utm_term":"-10%")"},
        row{"links.ndjson", R"("tenantId":"tenant_)"},
        row{"links.ndjson", R"("tenantId":null)"},
        row{"links.ndjson", R"("folderId":"fold_)"},
        row{"links.ndjson", R"("programId":"prog_)"},
        row{"links.ndjson", R"("partnerId":"pn_)"},
        row{"links.ndjson", R"("groupId":"grp_)"},
        row{"links.ndjson", R"("partnerTagIds":["ptag_0","ptag_1")"},
        row{"links.ndjson", R"("externalId":"sku-)"},
        row{"links.ndjson", R"("archived":true)"},
        row{"links.ndjson", R"("testVariants":[{)"},
        row{"links.ndjson", R"("geo":{"FR":)"},
        row{"tags.ndjson", R"("name":"🚀 launch 👩‍🚀")"},
        row{"tags.ndjson", R"("name":"Straße")"},
        row{"tags.ndjson", R"("name":"no colour","color":"gray")"},
        row{"customers.ndjson", R"("name":"O'Brien, Pat")"},
        row{"customers.ndjson", R"("name":"محمد علي")"},
        row{"customers.ndjson", R"("name":"C:\\Users\\x")"},
        row{"customers.ndjson", R"("name":null)"},
        row{"leads.ndjson", R"("seats":10.0)"},
        row{"leads.ndjson", R"("seats":1e2)"},
        row{"leads.ndjson", R"("trial":true)"},
        row{"leads.ndjson", R"("company":{"name":)"},
        row{"leads.ndjson", R"("labels":["a,b")"},
        row{"leads.ndjson", R"("coupon":null)"},
        row{"leads.ndjson", R"("a]b":)"},
        row{"leads.ndjson", R"("\"q\"":null)"},
        row{"leads.ndjson", R"("deep":{"list":[false,{"n":)"},
        row{"leads.ndjson", R"("metadata":null)"},
        row{"leads.ndjson", R"("metadata":[)"},
        row{"leads.ndjson", R"("metadata":")"},
        row{"sales.ndjson", R"("metadata":null)"},
        row{"sales.ndjson", R"("invoiceId":null)"},
        row{"sales.ndjson", R"("items":[{"sku":)"},
        row{"sales.ndjson", R"("currency":"eur")"},
    };
    for (const row& r : rows) {
        CAPTURE(r.text);
        CHECK(usual().bytes.at(std::string(r.file)).find(r.text) != std::string::npos);
    }
}

TEST_CASE("some domains have a root link, one each") {
    std::map<std::string, int> roots;
    for (const record& link : usual().records("links.ndjson")) {
        if (link.at("key") == "_root") ++roots[link.at("domain")];
    }
    CHECK(roots.size() == 4);
    CHECK(std::all_of(roots.begin(), roots.end(), [](const auto& r) { return r.second == 1; }));
}

TEST_CASE("progress rises to the number of events") {
    const temporary_folder folder;
    std::vector<std::int64_t> reports;
    const auto written = write_sample(folder.path(), {.events = 20'000, .seed = 1, .now = now},
                                      [&](std::int64_t done) { reports.push_back(done); });
    REQUIRE(written);
    CHECK(reports.size() > 10);
    CHECK(std::is_sorted(reports.begin(), reports.end()));
    CHECK(reports.front() > 0);
    CHECK(reports.back() == 20'000);
}

TEST_CASE("wrong options are refused before a file is touched") {
    struct row {
        sample_options options;
        rule broken;
        std::string_view param;
    };
    const std::array rows{
        row{{.events = -1, .now = now}, rule::number_too_small, "events"},
        row{{.events = 1'000'000'001, .now = now}, rule::number_too_large, "events"},
        row{{.events = 1, .now = instant::max()}, rule::time_out_of_range, "now"},
        row{{.events = 1, .now = instant::min()}, rule::time_out_of_range, "now"},
    };
    for (const row& r : rows) {
        const temporary_folder folder;
        const auto written = write_sample(folder.path() / "new", r.options);
        REQUIRE_FALSE(written);
        CHECK(written.error().broken == r.broken);
        CHECK(written.error().param == r.param);
        CHECK(std::filesystem::is_empty(folder.path()));
    }
}

TEST_CASE("a run that fails leaves the files of the last one and no half file") {
    const temporary_folder folder;
    REQUIRE(write_sample(folder.path(), {.events = 100, .seed = 1, .now = now}));
    const std::string before = read_file(folder.path() / "links.ndjson");
    std::filesystem::create_directories(folder.path() / "sales.ndjson.partial" / "in the way");
    const auto written = write_sample(folder.path(), {.events = 100, .seed = 2, .now = now});
    REQUIRE_FALSE(written);
    CHECK(written.error().broken == rule::file_unwritable);
    CHECK(written.error().param == "sales.ndjson");
    CHECK(read_file(folder.path() / "links.ndjson") == before);
    const auto entries = std::distance(std::filesystem::directory_iterator(folder.path()), {});
    CHECK(entries == 9);  // eight files and what was in the way

    const auto under_a_file = write_sample(folder.path() / "tags.ndjson" / "x", {.now = now});
    REQUIRE_FALSE(under_a_file);
    CHECK(under_a_file.error().broken == rule::file_unwritable);
    CHECK(under_a_file.error().param == "folder");
}
