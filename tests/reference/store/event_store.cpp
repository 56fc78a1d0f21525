// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/reference/lists/workspace_rows.hpp>
#include <sluice/reference/store/event_store.hpp>

#include "../make_records.hpp"

using namespace sluice::reference;
using sluice::rule;

namespace {

using optional_text = std::optional<std::string_view>;

template <class Record>
Record in_workspace(Record added, optional_text workspace_id) {
    added.workspace_id = workspace_id;
    return added;
}

std::string param_of(const sluice::result<void>& refused, rule broken) {
    REQUIRE_FALSE(refused);
    CHECK(refused.error().broken == broken);
    return std::string(refused.error().param);
}

/// The texts of one workspace: all start with its name, so that none is the other's.
struct tenant {
    std::string name;

    [[nodiscard]] std::string of(std::string_view what) const {
        return name + '-' + std::string(what);
    }
};

void add_link_of(event_store& store, const tenant& owner) {
    const std::string tag_id = owner.of("tag"), link_id = owner.of("link"),
                      domain = owner.of("domain"), key = owner.of("key"),
                      external = owner.of("external"), tenant_id = owner.of("tenant"),
                      folder = owner.of("folder"), partner = owner.of("partner"),
                      group = owner.of("group"), program = owner.of("program"),
                      partner_tag = owner.of("partner-tag");
    const std::array tags{make_tag(tag_id, tag_id)};
    const std::array partner_tags{std::string_view(partner_tag)};
    auto added = in_workspace(make_link(link_id), owner.name);
    added.domain = domain;
    added.key = key;
    added.external_id = external;
    added.tenant_id = tenant_id;
    added.folder_id = folder;
    added.partner_id = partner;
    added.group_id = group;
    added.program_id = program;
    added.tags = tags;
    added.partner_tag_ids = partner_tags;
    REQUIRE(store.add(added));
}

void add_click_of(event_store& store, const tenant& owner) {
    const std::string click_id = owner.of("click"), link_id = owner.of("link"),
                      device = owner.of("device"), city = owner.of("city"),
                      region = owner.of("region"), referer = owner.of("referer"),
                      referer_url = owner.of("referer-url"), browser = owner.of("browser"),
                      os = owner.of("os");
    std::string url = "https://" + owner.of("url") + "/?";
    for (std::size_t i = 0; i < utm_count; ++i) {
        const std::string utm(utm_column(i).info().name);
        url.append(utm).append("=").append(owner.of(utm)).append("&");
    }
    auto clicked = make_click(click_id, link_id, 10);
    clicked.url = url;
    clicked.device = device;
    clicked.city = city;
    clicked.browser = browser;
    clicked.os = os;
    clicked.region = region;
    clicked.referer = referer;
    clicked.referer_url = referer_url;
    clicked.trigger = owner.name == "a" ? "qr" : "link";
    clicked.country = owner.name == "a" ? "FR" : "JP";
    clicked.continent = owner.name == "a" ? "EU" : "AS";
    REQUIRE(store.add(clicked));
}

/// Adds one record of each kind whose every text is the tenant's own.
void fill(event_store& store, const tenant& owner) {
    REQUIRE(store.add(in_workspace(make_tag(owner.of("tag"), owner.of("tag")), owner.name)));
    REQUIRE(store.add(in_workspace(make_customer(owner.of("customer")), owner.name)));
    add_link_of(store, owner);
    add_click_of(store, owner);
    const std::string link_id = owner.of("link"), click_id = owner.of("click"),
                      customer_id = owner.of("customer"), lead_id = owner.of("lead"),
                      sale_id = owner.of("sale");
    const std::string metadata = R"({"k":")" + owner.of("metadata") + R"("})";
    lead signed_up = make_lead(lead_id, 20, customer_id, click_id, link_id);
    signed_up.metadata = metadata;
    REQUIRE(store.add(signed_up));
    sale sold = make_sale(sale_id, 30, customer_id, click_id, link_id);
    sold.metadata = metadata;
    REQUIRE(store.add(sold));
}

/// For a parameter of /events that takes a value, the query that names the tenant's own.
std::string query_naming(std::string_view param, const tenant& owner) {
    const std::string name(param);
    const bool is_a = owner.name == "a";
    if (param == "key") return "domain=" + owner.of("domain") + "&key=" + owner.of("key");
    if (param == "externalId") return "externalId=ext_" + owner.of("external");
    if (param == "country") return is_a ? "country=FR" : "country=JP";
    if (param == "continent") return is_a ? "continent=EU" : "continent=AS";
    if (param == "trigger") return is_a ? "trigger=qr" : "trigger=link";
    if (param == "qr") return is_a ? "qr=true" : "qr=false";
    if (param == "query") return "query=metadata['k']:'" + owner.of("metadata") + "'";
    if (param == "url") return "url=https://" + owner.of("url") + "/";
    if (param == "refererUrl") return "refererUrl=" + owner.of("referer-url");
    if (param == "tagIds") return "tagIds=" + owner.of("tag");
    if (param == "partnerTagId") return "partnerTagId=" + owner.of("partner-tag");
    if (param.ends_with("Id")) return name + "=" + owner.of(param.substr(0, param.size() - 2));
    return name + "=" + owner.of(param);
}

constexpr std::array naming_params{
    "domain",   "key",      "linkId",      "externalId",   "tenantId",     "tagId",
    "folderId", "groupId",  "partnerId",   "partnerTagId", "customerId",   "country",
    "city",     "region",   "continent",   "device",       "browser",      "os",
    "trigger",  "referer",  "refererUrl",  "url",          "utm_source",   "utm_medium",
    "query",    "utm_term", "utm_content", "programId",    "utm_campaign", "tagIds",
    "qr"};

/// Conditions of the other parameters of /events: no record's value.
constexpr std::array other_queries{
    "root=true",      "root=false",       "interval=all", "start=1970-01-01",
    "end=2026-01-01", "page=1",           "page=2",       "limit=1",
    "limit=1000",     "sortOrder=asc",    "order=desc",   "order=asc",
    "sortOrder=desc", "sortBy=timestamp", "timezone=UTC", "count=true"};

id_list event_ids(const workspace_view& view, const std::string& query) {
    return ids_in(list_events(view, events_query_of(query))->body);
}

struct two_tenants {
    event_store store{"a"};
    tenant a{"a"}, b{"b"};

    two_tenants() {
        fill(store, a);
        fill(store, b);
        store.publish();
    }
    [[nodiscard]] workspace_view view(const tenant& owner) const {
        return store.find(owner.name)->current();
    }
};

}  // namespace

TEST_CASE("a store has its default workspace, and others once records name them") {
    event_store store("ws_default");
    CHECK(store.default_workspace() == "ws_default");
    REQUIRE(store.find("ws_default") != nullptr);
    CHECK(store.find("ws_default")->id() == "ws_default");
    CHECK(store.find("ws_1") == nullptr);
    CHECK(store.find("") == nullptr);
    REQUIRE(store.add(in_workspace(make_tag("tag_1", "one"), "ws_1")));
    CHECK(store.find("ws_1") == nullptr);
    store.publish();
    REQUIRE(store.find("ws_1") != nullptr);
    CHECK(store.find("ws_1")->current().tags == 1);
    CHECK(store.find("ws_default")->current().tags == 0);
    CHECK(store.find("WS_1") == nullptr);
}

TEST_CASE("records without a workspace belong to the default one, events to their link's") {
    event_store store("ws_default");
    REQUIRE(store.add(make_customer("cus_1")));
    REQUIRE(store.add(in_workspace(make_customer("cus_1"), "ws_1")));
    REQUIRE(store.add(make_link("link_1")));
    REQUIRE(store.add(in_workspace(make_link("link_2"), "ws_1")));
    REQUIRE(store.add(make_click("click_1", "link_1", 1)));
    REQUIRE(store.add(in_workspace(make_click("click_1", "link_2", 2), "ws_1")));
    REQUIRE(store.add(make_lead("lead_1", 3, "cus_1", "click_1", "link_2")));
    REQUIRE(store.add(in_workspace(make_sale("sale_1", 4, "cus_1", "click_1", "link_2"), "ws_1")));
    CHECK(store.size() == 0);
    store.publish();
    CHECK(store.size() == 4);
    CHECK(store.find("ws_default")->current().clicks.size() == 1);
    CHECK(store.find("ws_default")->current().leads.size() == 0);
    CHECK(store.find("ws_1")->current().clicks.size() == 1);
    CHECK(store.find("ws_1")->current().leads.size() == 1);
    CHECK(store.find("ws_1")->current().sales.size() == 1);
}

TEST_CASE("an event can't name a workspace that isn't its link's") {
    event_store store("ws_default");
    REQUIRE(store.add(make_link("link_1")));
    for (const char* other : {"ws_1", "", "ws_Default"}) {
        CHECK(param_of(store.add(in_workspace(make_click("click_1", "link_1", 1), other)),
                       rule::reference_unknown) == "linkId");
        CHECK(store.find(other) == nullptr);
    }
    CHECK(param_of(store.add(make_click("click_1", "link_9", 1)), rule::reference_unknown) ==
          "linkId");
    CHECK(store.add(in_workspace(make_click("click_1", "link_1", 1), "ws_default")));
}

TEST_CASE("an event can't refer to another workspace's click or customer") {
    event_store store("a");
    for (const char* name : {"a", "b"}) {
        const std::string customer = std::string("cus_") + name;
        const std::string link = std::string("link_") + name;
        REQUIRE(store.add(in_workspace(make_customer(customer), name)));
        REQUIRE(store.add(in_workspace(make_link(link), name)));
        REQUIRE(store.add(make_click(std::string("click_") + name, link, 1)));
    }
    CHECK(param_of(store.add(make_lead("x", 2, "cus_b", "click_b", "link_a")),
                   rule::reference_unknown) == "clickId");
    CHECK(param_of(store.add(make_sale("x", 2, "cus_b", "click_a", "link_a")),
                   rule::reference_unknown) == "customerId");
    store.publish();
    CHECK(store.size() == 2);
}

TEST_CASE("a link's id is taken across workspaces, others within theirs") {
    event_store store("a");
    REQUIRE(store.add(make_link("link_1")));
    CHECK(param_of(store.add(make_link("link_1")), rule::identifier_taken) == "id");
    CHECK(param_of(store.add(in_workspace(make_link("link_1"), "b")), rule::identifier_taken) ==
          "id");
    CHECK(store.find("b") == nullptr);
    REQUIRE(store.add(in_workspace(make_link("link_2"), "b")));
    CHECK(param_of(store.add(make_link("link_2")), rule::identifier_taken) == "id");
    for (const char* name : {"a", "b"}) {
        CHECK(store.add(in_workspace(make_tag("tag_1", name), name)));
        CHECK(store.add(in_workspace(make_customer("cus_1"), name)));
        CHECK(param_of(store.add(in_workspace(make_tag("tag_1", name), name)),
                       rule::identifier_taken) == "id");
        CHECK(param_of(store.add(in_workspace(make_customer("cus_1"), name)),
                       rule::identifier_taken) == "id");
    }
    CHECK(store.add(make_click("click_1", "link_1", 1)));
    CHECK(store.add(make_click("click_1", "link_2", 1)));
    CHECK(param_of(store.add(make_click("click_1", "link_2", 1)), rule::identifier_taken) == "id");
}

TEST_CASE("a link shows the workspace that holds it") {
    event_store store("ws_default");
    REQUIRE(store.add(make_link("link_1")));
    REQUIRE(store.add(in_workspace(make_link("link_2"), "ws_1")));
    REQUIRE(store.add(make_click("click_1", "link_1", 1)));
    REQUIRE(store.add(make_click("click_2", "link_2", 1)));
    store.publish();
    const auto body = [&](const char* id) {
        return list_events(store.find(id)->current(), events_query_of(""))->body;
    };
    CHECK(body("ws_default").find(R"("workspaceId":"ws_default")") != std::string::npos);
    CHECK(body("ws_1").find(R"("workspaceId":"ws_1")") != std::string::npos);
    CHECK(body("ws_1").find(R"("projectId":"ws_1")") != std::string::npos);
    CHECK(body("ws_1").find("ws_default") == std::string::npos);
}

TEST_CASE("every parameter of /events is looked at below") {
    for (const auto& param : events_params) {
        const std::string_view name = param.info.name;
        const bool is_named = std::ranges::find(naming_params, name) != naming_params.end();
        const bool is_other = name == "event" || name == "saleType" || name == "cursor" ||
                              std::ranges::any_of(other_queries, [&](std::string_view query) {
                                  return query.substr(0, query.find('=')) == name;
                              });
        CAPTURE(name);
        CHECK(is_named != is_other);
    }
}

TEST_CASE("no parameter reaches another workspace's events") {
    const two_tenants both;
    const std::array<std::string, 3> kinds{"clicks", "leads", "sales"};
    const std::array<std::string, 3> suffixes{"click", "lead", "sale"};
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        const std::string kind = "event=" + kinds[i] + "&";
        for (const auto& [owner, other] : {std::pair(both.a, both.b), std::pair(both.b, both.a)}) {
            const id_list owners_event{owner.of(suffixes[i])};
            CHECK(event_ids(both.view(owner), kind) == owners_event);
            for (const char* param : naming_params) {
                if (std::string_view(param) == "query" && kinds[i] == "clicks") continue;
                CAPTURE(param);
                CHECK(event_ids(both.view(owner), kind + query_naming(param, owner)) ==
                      owners_event);
                const std::string foreign = kind + query_naming(param, other);
                CHECK(event_ids(both.view(owner), foreign).empty());
                CHECK(count_events(both.view(owner), events_query_of(foreign)) == 0);
            }
            for (const char* query : other_queries) {
                CAPTURE(query);
                for (const std::string& id : event_ids(both.view(owner), kind + query)) {
                    CHECK(id == owners_event.front());
                }
            }
        }
    }
    CHECK(event_ids(both.view(both.a), "event=sales&saleType=new") == id_list{"a-sale"});
    CHECK(event_ids(both.view(both.b), "event=sales&saleType=recurring").empty());
}

TEST_CASE("excluding another workspace's values keeps one's own events and no more") {
    const two_tenants both;
    for (const auto& param : events_params) {
        if (param.info.type != sluice::param_type::filter) continue;
        CAPTURE(param.info.name);
        std::string query = query_naming(param.info.name, both.b);
        query.insert(query.find('=') + 1, "-");
        CHECK(event_ids(both.view(both.a), query) == id_list{"a-click"});
    }
}

TEST_CASE("nothing of another workspace stands in a response") {
    const two_tenants both;
    for (const char* kind : {"event=clicks", "event=leads", "event=sales"}) {
        CHECK(list_events(both.view(both.a), events_query_of(kind))->body.find("b-") ==
              std::string::npos);
        CHECK(list_events(both.view(both.b), events_query_of(kind))->body.find("\"a-") ==
              std::string::npos);
    }
}

TEST_CASE("no parameter reaches another workspace's tags") {
    const two_tenants both;
    const auto tags = [&](const tenant& owner, const std::string& text) {
        const auto pairs = sluice::parse_query_string(text);
        return ids_in(list_tags(both.view(owner), parse_tags_query(pairs.pairs()).value())->body);
    };
    for (const auto& [owner, other] : {std::pair(both.a, both.b), std::pair(both.b, both.a)}) {
        const id_list owners_tag{owner.of("tag")};
        for (const char* query : {"", "sortBy=name", "sortBy=createdAt", "sortOrder=desc",
                                  "search=tag", "search=-", "page=1", "pageSize=100", "ids="}) {
            CAPTURE(query);
            CHECK(tags(owner, query) == owners_tag);
        }
        CHECK(tags(owner, "ids=" + owner.of("tag") + "," + other.of("tag")) == owners_tag);
        CHECK(tags(owner, "ids=" + other.of("tag")).empty());
        CHECK(tags(owner, "ids[]=" + other.of("tag")).empty());
        CHECK(tags(owner, "search=" + other.of("tag")).empty());
        CHECK(tags(owner, "page=2").empty());
    }
}

TEST_CASE("a link's key is taken on its domain, and its external id, within its workspace") {
    event_store store("a");
    const auto linked = [](const char* id, const char* domain, const char* key,
                           optional_text external_id, const char* workspace) {
        auto added = in_workspace(make_link(id), workspace);
        added.domain = domain;
        added.key = key;
        added.external_id = external_id;
        return added;
    };
    REQUIRE(store.add(linked("link_1", "go.example.com", "k", "7", "a")));
    const auto taken = rule::identifier_taken;
    CHECK(param_of(store.add(linked("link_2", "go.example.com", "k", {}, "a")), taken) == "key");
    CHECK(param_of(store.add(linked("link_2", "GO.example.com", "k", "8", "a")), taken) == "key");
    CHECK(param_of(store.add(linked("link_2", "go.example.com", "K", "7", "a")), taken) ==
          "externalId");
    CHECK(param_of(store.add(linked("link_1", "go.example.com", "K", {}, "a")), taken) == "id");
    // A refused link takes nothing.
    CHECK(store.add(linked("link_2", "go.example.com", "K", "8", "a")));
    CHECK(store.add(linked("link_3", "other.example", "k", {}, "a")));
    CHECK(store.add(linked("link_4", "go.example.com", "k", "7", "b")));
    CHECK(store.add(linked("link_5", "other.example", "K", {}, "a")));
    CHECK(store.add(linked("link_6", "go.example.com/k", "", {}, "a")));
    store.publish();
    CHECK(store.find("a")->current().links == 5);
    CHECK(store.find("b")->current().links == 1);
}

namespace {

/// Adds some records of a number, of its own workspace if it is odd; those of the same number twice
/// are refused.
template <class Store>
sluice::result<void> add_numbered(Store& store, int number) {
    const std::string n = std::to_string(number);
    const std::string link_id = "link_" + n, click_id = "click_" + n, customer_id = "cus_" + n;
    const std::string lead_id = "lead_" + n, sale_id = "sale_" + n;
    const optional_text owner = number % 2 == 0 ? optional_text() : optional_text("odd");
    auto linked = in_workspace(make_link(link_id), owner);
    linked.external_id = link_id;
    linked.utm_source = number % 3 == 0 ? optional_text(n) : optional_text();
    const std::string url = "https://example.com/" + std::to_string(number % 7);
    auto clicked = make_click(click_id, link_id, 1'000 - number);
    clicked.url = url;
    auto led = make_lead(lead_id, 2'000 - number, customer_id, click_id, link_id);
    const std::string metadata = R"({"n":)" + n + "}";
    led.metadata = metadata;
    return store.add(in_workspace(make_tag("tag_" + n, n), owner))
        .and_then([&] { return store.add(in_workspace(make_customer(customer_id), owner)); })
        .and_then([&] { return store.add(linked); })
        .and_then([&] { return store.add(clicked); })
        .and_then([&] { return store.add(led); })
        .and_then([&] {
            return store.add(make_sale(sale_id, 3'000 - number, customer_id, click_id, link_id));
        });
}

/// All that a store shows.
std::string shown(const event_store& store) {
    std::string all;
    for (const char* const id : {"even", "odd"}) {
        const workspace* const records = store.find(id);
        if (records == nullptr) continue;
        const workspace_view view = records->current();
        for (const char* const query :
             {"", "event=leads", "event=sales", "externalId=ext_link_6", "customerId=cus_3",
              "linkId=-link_2", "url=https://example.com/3", "country=us", "utm_source=3,6,9",
              "event=leads&query=metadata['n']<9", "event=sales&saleType=new"}) {
            all += list_events(view, events_query_of(query))->body + '\n';
        }
        all += list_tags(view, {})->body;
        const workspace_stats counts = stats(view);
        all += std::to_string(counts.links) + ' ' + std::to_string(counts.customers) + '\n';
    }
    return all;
}

}  // namespace

TEST_CASE("batches that are not published leave no trace, whatever else comes and goes") {
    std::mt19937 random(7);
    for (int run = 0; run < 40; ++run) {
        event_store expected("even"), store("even");
        int next = 0;
        for (int step = 0; step < 12; ++step) {
            const auto count = static_cast<int>(random() % 4);
            const bool is_published = random() % 2 == 0;
            switch (random() % 3) {
                case 0:  // single records, shown at once or later
                    for (int i = 0; i < count; ++i, ++next) {
                        REQUIRE(add_numbered(expected, next));
                        REQUIRE(add_numbered(store, next));
                    }
                    if (!is_published) break;
                    expected.publish();
                    store.publish();
                    break;
                case 1: {  // a batch that is taken back
                    event_store::batch batch(store);
                    for (int i = 0; i < count; ++i) {
                        REQUIRE(add_numbered(batch, next + count - i));
                        REQUIRE_FALSE(add_numbered(batch, next + count - i));
                    }
                    break;
                }
                default: {  // a batch that is kept
                    event_store::batch batch(store);
                    for (int i = 0; i < count; ++i, ++next) {
                        REQUIRE(add_numbered(expected, next));
                        REQUIRE(add_numbered(batch, next));
                    }
                    batch.publish();
                    expected.publish();
                }
            }
            REQUIRE(shown(store) == shown(expected));
        }
        expected.publish();
        store.publish();
        CHECK(shown(store) == shown(expected));
    }
}

TEST_CASE("a store that a batch has left is as quick to search as before") {
    event_store store("even", sluice::hash_seed{1});
    const auto probes = [&] {
        std::size_t longest = 0;
        for (const auto& column_stats : stats(store.find("even")->current()).texts) {
            longest = std::max(longest, column_stats.probes);
        }
        return longest;
    };
    for (int i = 0; i < 2'000; i += 2) REQUIRE(add_numbered(store, i));
    store.publish();
    const std::size_t before = probes();
    {
        event_store::batch batch(store);
        for (int i = 10'000; i < 14'000; i += 2) REQUIRE(add_numbered(batch, i));
    }
    CHECK(probes() <= before + 4);  // its tables are larger, so that other texts meet
    for (int i = 10'000; i < 14'000; i += 2) REQUIRE(add_numbered(store, i));
    store.publish();
    CHECK(store.size() == 3 * 3'000);
}
