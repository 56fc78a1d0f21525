// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/reference/store/store_stats.hpp>
#include <sluice/reference/store/workspace.hpp>

#include "../make_records.hpp"

using namespace sluice::reference;
using sluice::rule;

namespace {

/// A workspace with two customers, two links and a click on each link.
class small_workspace : public workspace {
public:
    small_workspace() : workspace("ws_1") {
        for (const char* id : {"cus_1", "cus_2"}) REQUIRE(add(make_customer(id)));
        for (const char* id : {"link_1", "link_2"}) REQUIRE(add(make_link(id)));
        REQUIRE(add(make_click("click_1", "link_1", 10)));
        REQUIRE(add(make_click("click_2", "link_2", 20)));
        publish();
    }
};

template <class Record>
std::pair<sluice::any_rule, std::string> refusal(workspace& records, const Record& added) {
    const auto done = records.add(added);
    REQUIRE_FALSE(done);
    CHECK(done.error().code == sluice::code_of(done.error().broken));
    return {done.error().broken, std::string(done.error().param)};
}

using refused = std::pair<sluice::any_rule, std::string>;

std::size_t events(const workspace_view& view) {
    return view.clicks.size() + view.leads.size() + view.sales.size();
}

/// The text in a column of a row.
std::optional<std::string> text_at(const workspace_view& view, event_kind kind, std::size_t row,
                                   column c) {
    const auto code = view.events(kind).code_at(row, index_of(c));
    if (code == sluice::store::absent) return std::nullopt;
    return std::string(view.source->texts(c).text(code));
}

}  // namespace

TEST_CASE("a new workspace is empty") {
    const workspace records("ws_1");
    CHECK(records.id() == "ws_1");
    const workspace_view view = records.current();
    CHECK(view.source == &records);
    CHECK(events(view) + view.links + view.customers + view.tags == 0);
    CHECK(listed(view, "").empty());
    CHECK(listed(view, "customerId=x&linkId=y&country=US&root=false").empty());
    CHECK(listed(view, "event=sales&saleType=new&query=metadata['a']:1").empty());
}

TEST_CASE("a workspace of a thousand events takes at most 300 KB") {
    small_workspace records;
    for (int number = 0; number < 1'000; ++number) {
        const std::string digits = std::to_string(1'000'000'000'000'000 + number * 7'919);
        const std::string id = "click_" + digits, url = "https://d.example/" + digits.substr(13);
        click added = make_click(id, "link_1", number);
        added.url = url;
        REQUIRE(records.add(added));
        if (number % 100 == 99) records.publish();
    }
    CHECK(records.current().clicks.open()->capacity() == 1'024);
    CHECK(sizeof(workspace) + total_bytes(stats(records.current())) <= 300'000);
}

TEST_CASE("what an event refers to has to be there") {
    small_workspace records;
    const refused no_link{rule::reference_unknown, "linkId"};
    const refused no_click{rule::reference_unknown, "clickId"};
    const refused no_customer{rule::reference_unknown, "customerId"};
    for (const char* missing : {"", "link_", "LINK_1", "click_1", "link_3"}) {
        CHECK(refusal(records, make_click("new", missing, 1)) == no_link);
        CHECK(refusal(records, make_lead("new", 1, "cus_1", "click_1", missing)) == no_link);
        CHECK(refusal(records, make_sale("new", 1, "cus_1", "click_1", missing)) == no_link);
    }
    for (const char* missing : {"", "click_3", "Click_1", "link_1"}) {
        CHECK(refusal(records, make_lead("new", 1, "cus_1", missing, "link_1")) == no_click);
        CHECK(refusal(records, make_sale("new", 1, "cus_1", missing, "link_1")) == no_click);
    }
    for (const char* missing : {"", "cus_3", "CUS_1"}) {
        CHECK(refusal(records, make_lead("new", 1, missing, "click_1", "link_1")) == no_customer);
        CHECK(refusal(records, make_sale("new", 1, missing, "click_1", "link_1")) == no_customer);
    }
}

TEST_CASE("an identifier names one record of its kind") {
    small_workspace records;
    const refused taken{rule::identifier_taken, "id"};
    REQUIRE(records.add(make_tag("tag_1", "one")));
    CHECK(refusal(records, make_tag("tag_1", "other")) == taken);
    CHECK(refusal(records, make_customer("cus_1")) == taken);
    CHECK(refusal(records, make_link("link_1")) == taken);
    CHECK(refusal(records, make_click("click_1", "link_2", 99)) == taken);
    CHECK(records.add(make_tag("link_1", "another kind")));
    CHECK(records.add(make_customer("link_1")));
    CHECK(records.add(make_link("cus_1")));
    CHECK(records.add(make_click("link_1", "link_1", 5)));
}

TEST_CASE("a lead and a sale may share an identifier, even with others of their kind") {
    small_workspace records;
    CHECK(records.add(make_lead("event_1", 30, "cus_1", "click_1", "link_1")));
    CHECK(records.add(make_sale("event_1", 31, "cus_1", "click_1", "link_1")));
    CHECK(records.add(make_lead("event_1", 30, "cus_2", "click_1", "link_1")));
    CHECK(records.add(make_sale("event_0", 31, "cus_2", "click_1", "link_1")));
    records.publish();
    CHECK(listed(records.current(), "event=leads") == id_list{"event_1", "event_1"});
    CHECK(listed(records.current(), "event=sales") == id_list{"event_0", "event_1"});
    CHECK(listed(records.current(), "event=leads&customerId=cus_2") == id_list{"event_1"});
}

TEST_CASE("a refused record changes nothing") {
    small_workspace records;
    const std::string before = list_events(records.current(), events_query_of(""))->body;
    click taken = make_click("click_1", "link_2", 99);
    taken.country = "ZZ";
    taken.url = "https://example.com/?utm_source=never";
    lead stray = make_lead("lead_1", 30, "cus_1", "click_9", "link_1");
    stray.metadata = R"({"never":1})";
    sale unpaid = make_sale("sale_1", 30, "cus_9", "click_1", "link_1");
    unpaid.invoice_id = "inv_never";
    CHECK_FALSE(records.add(taken));
    CHECK_FALSE(records.add(stray));
    CHECK_FALSE(records.add(unpaid));
    CHECK_FALSE(records.add(make_click("click_3", "link_9", 30)));
    CHECK_FALSE(records.add(make_link("link_1")));
    CHECK_FALSE(records.add(make_customer("cus_1")));
    records.publish();
    CHECK(events(records.current()) == 2);
    CHECK(records.current().links == 2);
    CHECK(records.current().customers == 2);
    CHECK(list_events(records.current(), events_query_of(""))->body == before);
    for (const column c : {column_named("click.country"), utm_column(0), column::metadata,
                           column::event_id, column::invoice_id}) {
        CHECK(records.texts(c).find("ZZ") == sluice::store::absent);
        CHECK(records.texts(c).find("never") == sluice::store::absent);
        CHECK(records.texts(c).find(R"({"never":1})") == sluice::store::absent);
        CHECK(records.texts(c).find("lead_1") == sluice::store::absent);
        CHECK(records.texts(c).find("inv_never") == sluice::store::absent);
    }
    CHECK(records.add(make_click("click_3", "link_1", 30)));
    CHECK(records.add(make_lead("lead_1", 31, "cus_1", "click_3", "link_1")));
}

TEST_CASE("what was added shows in views that are taken after it is published") {
    small_workspace records;
    const workspace_view first = records.current();
    REQUIRE(records.add(make_tag("tag_1", "one")));
    REQUIRE(records.add(make_customer("cus_3")));
    REQUIRE(records.add(make_link("link_3")));
    REQUIRE(records.add(make_click("click_3", "link_3", 5)));
    REQUIRE(records.add(make_lead("lead_1", 6, "cus_3", "click_3", "link_3")));
    REQUIRE(records.add(make_sale("sale_1", 7, "cus_3", "click_3", "link_3")));
    const workspace_view second = records.current();
    records.publish();
    const workspace_view third = records.current();
    for (const workspace_view* old : {&first, &second}) {
        CHECK(events(*old) == 2);
        CHECK(old->links == 2);
        CHECK(old->customers == 2);
        CHECK(old->tags == 0);
        CHECK(listed(*old, "") == id_list{"click_1", "click_2"});
        CHECK(listed(*old, "linkId=link_3").empty());
        CHECK(listed(*old, "linkId=-link_3") == id_list{"click_1", "click_2"});
    }
    CHECK(listed(third, "") == id_list{"click_3", "click_1", "click_2"});
    CHECK(listed(third, "event=leads") == id_list{"lead_1"});
    CHECK(listed(third, "event=sales&customerId=cus_3") == id_list{"sale_1"});
    CHECK(listed(third, "customerId=cus_3") == id_list{"click_3"});
    CHECK(third.tags == 1);
    records.publish();
    CHECK(events(records.current()) == 5);
}

TEST_CASE("an event that is published late takes its place") {
    small_workspace records;
    for (int i = 9; i > 0; --i) {
        REQUIRE(records.add(make_click("late_" + std::to_string(i), "link_1", i)));
        records.publish();
    }
    CHECK(listed(records.current(), "") == id_list{"late_1", "late_2", "late_3", "late_4", "late_5",
                                                   "late_6", "late_7", "late_8", "late_9",
                                                   "click_1", "click_2"});
}

TEST_CASE("events of one moment are ordered by the text of their identifier") {
    small_workspace records;
    for (const char* id : {"b", "a", "B", "\u00E9", "a1", "1"}) {
        REQUIRE(records.add(make_click(id, "link_1", 10)));
    }
    records.publish();
    CHECK(listed(records.current(), "") ==
          id_list{"1", "B", "a", "a1", "b", "click_1", "\u00E9", "click_2"});
}

TEST_CASE("a lead may name a click that is not published yet") {
    small_workspace records;
    click pending = make_click("click_3", "link_1", 5);
    pending.country = "FR";
    pending.url = "https://example.com/?utm_source=mail";
    pending.trigger = "qr";
    pending.qr = true;
    REQUIRE(records.add(make_click("click_4", "link_2", 4)));
    REQUIRE(records.add(pending));
    REQUIRE(records.add(make_click("click_5", "link_2", 3)));
    REQUIRE(records.add(make_lead("lead_1", 6, "cus_1", "click_3", "link_1")));
    CHECK(listed(records.current(), "") == id_list{"click_1", "click_2"});
    REQUIRE(records.add(make_sale("sale_1", 7, "cus_1", "click_5", "link_2")));
    records.publish();
    const workspace_view view = records.current();
    CHECK(listed(view, "") == id_list{"click_5", "click_4", "click_3", "click_1", "click_2"});
    CHECK(listed(view, "event=leads&country=FR&utm_source=mail&trigger=qr") == id_list{"lead_1"});
    CHECK(text_at(view, event_kind::leads, 0, column::click_id) == "click_3");
    CHECK(view.leads.integer_at(0, index_of(integer_column::click_timestamp)) == 5);
    CHECK(text_at(view, event_kind::sales, 0, column::click_id) == "click_5");
    CHECK(view.sales.integer_at(0, index_of(integer_column::click_timestamp)) == 3);
}

TEST_CASE("leads and sales have the fields of their click, wherever it stands") {
    workspace records("ws_1");
    std::mt19937 random(4);
    const std::vector<std::string> countries{"US", "FR", "DE"};
    REQUIRE(records.add(make_customer("cus_1")));
    REQUIRE(records.add(make_link("link_1")));
    struct known {
        std::string id, country;
        std::int64_t time;
    };
    std::vector<known> clicks;
    std::map<std::string, std::size_t> leads;
    for (int i = 0; i < 2'000; ++i) {
        if (clicks.empty() || random() % 2 == 0) {
            clicks.push_back({"click_" + std::to_string(i), countries[random() % 3],
                              static_cast<std::int64_t>(random() % 500)});
            click added = make_click(clicks.back().id, "link_1", clicks.back().time);
            added.country = clicks.back().country;
            REQUIRE(records.add(added));
        } else {
            const std::size_t which = random() % clicks.size();
            const std::string id = "lead_" + std::to_string(i);
            REQUIRE(records.add(make_lead(id, i, "cus_1", clicks[which].id, "link_1")));
            leads[id] = which;
        }
        if (random() % 50 == 0) records.publish();
    }
    records.publish();
    const workspace_view view = records.current();
    REQUIRE(view.leads.size() == leads.size());
    for (std::size_t row = 0; row < view.leads.size(); ++row) {
        const auto id = text_at(view, event_kind::leads, row, column::event_id);
        const known& clicked = clicks[leads.at(id.value())];
        CHECK(text_at(view, event_kind::leads, row, column::click_id) == clicked.id);
        CHECK(text_at(view, event_kind::leads, row, column_named("click.country")) ==
              clicked.country);
        CHECK(view.leads.integer_at(row, index_of(integer_column::click_timestamp)) ==
              clicked.time);
    }
}

TEST_CASE("a lead has the link that it names, not its click's") {
    small_workspace records;
    auto tagged = make_link("link_3");
    tagged.domain = "other.example.com";
    tagged.utm_source = "the lead's link";
    REQUIRE(records.add(tagged));
    REQUIRE(records.add(make_lead("lead_1", 30, "cus_1", "click_1", "link_3")));
    records.publish();
    const workspace_view view = records.current();
    CHECK(listed(view, "event=leads&domain=OTHER.example.com") == id_list{"lead_1"});
    CHECK(listed(view, "event=leads&linkId=link_1").empty());
    CHECK(listed(view, "event=leads&utm_source=the lead's link") == id_list{"lead_1"});
}

TEST_CASE("a UTM field is the first parameter of the click's URL, else the link's field") {
    struct row {
        std::string_view url;
        std::optional<std::string> source;
    };
    const std::vector<row> table{
        {"https://a.example/", "of the link"},
        {"https://a.example/?", "of the link"},
        {"https://a.example/?utm_source=mail", "mail"},
        {"https://a.example/?x=1&utm_source=mail&y=2", "mail"},
        {"https://a.example/?utm_source=a+b", "a b"},
        {"https://a.example/?utm_source=a%20b%2Bc", "a b+c"},
        {"https://a.example/?utm_source=%C3%9Cber", "\u00DCber"},
        {"https://a.example/?utm_source=100%", "100%"},
        {"https://a.example/?utm_source=%FF", "\uFFFD"},
        {"https://a.example/?utm%5Fsource=mail", "mail"},
        {"https://a.example/?utm_source=first&utm_source=second", "first"},
        {"https://a.example/?utm_source=&utm_source=second", ""},
        {"https://a.example/?utm_source=", ""},
        {"https://a.example/?utm_source", ""},
        {"https://a.example/?utm_source=a=b", "a=b"},
        {"https://a.example/?UTM_SOURCE=mail", "of the link"},
        {"https://a.example/?utm_source2=mail", "of the link"},
        {"https://a.example/?autm_source=mail", "of the link"},
        {"https://a.example/#?utm_source=mail", "of the link"},
        {"https://a.example/?utm_source=mail#top", "mail"},
        {"https://a.example/?x#utm_source=mail", "of the link"},
        {"https://a.example/?b=1?utm_source=mail", "of the link"},
        {"https://a.example/??utm_source=mail", "of the link"},
        {"?utm_source=mail", "mail"},
        {"utm_source=mail", "of the link"},
        {"", "of the link"},
    };
    workspace records("ws_1");
    auto tagged = make_link("link_1");
    tagged.utm_source = "of the link";
    REQUIRE(records.add(tagged));
    for (std::size_t i = 0; i < table.size(); ++i) {
        const std::string id = std::to_string(i);
        click added = make_click(id, "link_1", static_cast<std::int64_t>(i));
        added.url = table[i].url;
        REQUIRE(records.add(added));
    }
    records.publish();
    for (std::size_t i = 0; i < table.size(); ++i) {
        CAPTURE(table[i].url);
        CHECK(text_at(records.current(), event_kind::clicks, i, utm_column(0)) == table[i].source);
        CHECK(text_at(records.current(), event_kind::clicks, i, utm_column(1)) == std::nullopt);
    }
}

TEST_CASE("each UTM field comes from its own parameter or field") {
    workspace records("ws_1");
    auto tagged = make_link("link_1");
    tagged.utm_source = "source of link";
    tagged.utm_content = "content of link";
    REQUIRE(records.add(tagged));
    click added = make_click("click_1", "link_1", 0);
    added.url = "https://a.example/?utm_source=s&utm_medium=m&utm_campaign=c&utm_term=t";
    REQUIRE(records.add(added));
    records.publish();
    const workspace_view view = records.current();
    const std::vector<std::optional<std::string>> expected{"s", "m", "c", "t", "content of link"};
    for (std::size_t i = 0; i < utm_count; ++i) {
        CHECK(text_at(view, event_kind::clicks, 0, utm_column(i)) == expected[i]);
    }
    CHECK(listed(view, "utm_source=s&utm_medium=m&utm_campaign=c&utm_term=t") ==
          id_list{"click_1"});
    CHECK(listed(view, "utm_source=source of link").empty());
    CHECK(listed(view, "utm_term=-t").empty());
}

TEST_CASE("a customer's first sale on a link is new, later ones are recurring") {
    small_workspace records;
    REQUIRE(records.add(make_sale("c", 50, "cus_1", "click_1", "link_1")));
    REQUIRE(records.add(make_sale("b", 50, "cus_1", "click_1", "link_1")));
    REQUIRE(records.add(make_sale("a", 60, "cus_1", "click_1", "link_1")));
    REQUIRE(records.add(make_sale("d", 70, "cus_1", "click_2", "link_2")));
    REQUIRE(records.add(make_sale("e", 70, "cus_2", "click_1", "link_1")));
    records.publish();
    CHECK(listed(records.current(), "event=sales&saleType=new") == id_list{"b", "d", "e"});
    CHECK(listed(records.current(), "event=sales&saleType=recurring") == id_list{"c", "a"});
}

TEST_CASE("a sale's type doesn't depend on the window or the filters of a query") {
    small_workspace records;
    REQUIRE(records.add(make_sale("first", 50, "cus_1", "click_1", "link_1")));
    REQUIRE(records.add(make_sale("second", 60, "cus_1", "click_2", "link_1")));
    records.publish();
    const std::string window = "&interval=24h&start=1970-01-01T00:00:00.055Z";
    CHECK(listed(records.current(), "event=sales" + window) == id_list{"second"});
    CHECK(listed(records.current(), "event=sales&saleType=new" + window).empty());
    CHECK(listed(records.current(), "event=sales&saleType=recurring" + window) ==
          id_list{"second"});
}

TEST_CASE("a first sale that comes late makes the former one recurring, in new views only") {
    small_workspace records;
    REQUIRE(records.add(make_sale("later", 60, "cus_1", "click_1", "link_1")));
    records.publish();
    const workspace_view old = records.current();
    REQUIRE(records.add(make_sale("earlier", 50, "cus_1", "click_1", "link_1")));
    records.publish();
    REQUIRE(records.add(make_sale("as early", 50, "cus_1", "click_1", "link_1")));
    records.publish();
    CHECK(listed(old, "event=sales&saleType=new") == id_list{"later"});
    CHECK(listed(records.current(), "event=sales&saleType=new") == id_list{"as early"});
    CHECK(listed(records.current(), "event=sales&saleType=recurring") ==
          id_list{"earlier", "later"});
}

TEST_CASE("of sales that share a time and an identifier exactly one is new") {
    small_workspace records;
    for (int i = 0; i < 3; ++i) {
        REQUIRE(records.add(make_sale("same", 50, "cus_1", "click_1", "link_1")));
        if (i == 1) records.publish();
    }
    records.publish();
    CHECK(listed(records.current(), "event=sales&saleType=new").size() == 1);
    CHECK(listed(records.current(), "event=sales&saleType=recurring").size() == 2);
}

TEST_CASE("sale types agree with a naive look at all sales, however they arrive") {
    struct sold {
        std::int64_t time;
        std::string id, customer, link;
    };
    for (unsigned seed = 0; seed < 20; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        small_workspace records;
        std::vector<sold> sales;
        for (int i = 0; i < 150; ++i) {
            sales.push_back({static_cast<std::int64_t>(random() % 60), "sale_" + std::to_string(i),
                             "cus_" + std::to_string(1 + random() % 2),
                             "link_" + std::to_string(1 + random() % 2)});
            const sold& outcome = sales.back();
            REQUIRE(records.add(
                make_sale(outcome.id, outcome.time, outcome.customer, "click_1", outcome.link)));
            if (random() % 5 == 0) records.publish();
        }
        records.publish();
        std::ranges::sort(sales, {}, [](const sold& s) { return std::tie(s.time, s.id); });
        std::map<std::pair<std::string, std::string>, std::string> first;
        id_list expected;
        for (const sold& outcome : sales) {
            if (first.try_emplace({outcome.customer, outcome.link}, outcome.id).second) {
                expected.push_back(outcome.id);
            }
        }
        CHECK(listed(records.current(), "event=sales&saleType=new") == expected);
        CHECK(listed(records.current(), "event=sales&saleType=recurring").size() ==
              sales.size() - expected.size());
    }
}

TEST_CASE("sale types hold across the blocks of the table") {
    small_workspace records;
    constexpr int capacity = sluice::store::block_rows;
    for (int i = 0; i < capacity; ++i) {
        const std::string id = std::to_string(i);
        REQUIRE(records.add(make_sale(id, 100 + i, "cus_1", "click_1", "link_1")));
    }
    REQUIRE(records.add(make_sale("z", 200 + capacity, "cus_2", "click_1", "link_1")));
    records.publish();
    CHECK(listed(records.current(), "event=sales&saleType=new") == id_list{"0", "z"});
    REQUIRE(records.add(make_sale("y", 150 + capacity, "cus_2", "click_1", "link_1")));
    records.publish();  // moves the only row of the second block
    CHECK(listed(records.current(), "event=sales&saleType=new") == id_list{"0", "y"});
    REQUIRE(records.add(make_sale("x", 102, "cus_2", "click_1", "link_1")));
    records.publish();
    REQUIRE(records.add(make_sale("first of all", 1, "cus_1", "click_1", "link_1")));
    records.publish();
    CHECK(listed(records.current(), "event=sales&saleType=new") == id_list{"first of all", "x"});
    CHECK(count_events(records.current(), events_query_of("event=sales&saleType=recurring")) ==
          capacity + 2);
}

TEST_CASE("clicks are found by the customer of their leads and sales") {
    small_workspace records;
    REQUIRE(records.add(make_click("click_3", "link_1", 15)));
    REQUIRE(records.add(make_lead("lead_1", 30, "cus_1", "click_1", "link_1")));
    REQUIRE(records.add(make_sale("sale_1", 40, "cus_2", "click_2", "link_1")));
    REQUIRE(records.add(make_sale("sale_2", 50, "cus_1", "click_3", "link_1")));
    REQUIRE(records.add(make_sale("sale_3", 60, "cus_1", "click_3", "link_1")));
    records.publish();
    CHECK(listed(records.current(), "customerId=cus_1") == id_list{"click_1", "click_3"});
    CHECK(listed(records.current(), "customerId=cus_2") == id_list{"click_2"});
    CHECK(listed(records.current(), "customerId=cus_3").empty());
    CHECK(listed(records.current(), "event=sales&customerId=cus_1") == id_list{"sale_2", "sale_3"});
}

TEST_CASE("link fields filter the events of links, with the rest kept by exclusions") {
    workspace records("ws_1");
    auto first = make_link("link_1");
    const std::vector<tag> tags{make_tag("tag_1", "one"), make_tag("tag_2", "two")};
    const std::vector<std::string_view> partner_tags{"ptag_1"};
    first.external_id = "sku-1";
    first.tenant_id = "tenant_1";
    first.folder_id = "folder_1";
    first.partner_id = "partner_1";
    first.group_id = "group_1";
    first.program_id = "program_1";
    first.tags = tags;
    first.partner_tag_ids = partner_tags;
    auto root = make_link("link_2");
    root.key = "_root";
    REQUIRE(records.add(first));
    REQUIRE(records.add(root));
    REQUIRE(records.add(make_click("click_1", "link_1", 1)));
    REQUIRE(records.add(make_click("click_2", "link_2", 2)));
    records.publish();
    const id_list of_first{"click_1"}, of_second{"click_2"}, both{"click_1", "click_2"}, none;
    const std::vector<std::pair<std::string, id_list>> table{
        {"externalId=ext_sku-1", of_first},
        {"externalId=ext_SKU-1", none},
        {"tenantId=tenant_1", of_first},
        {"tenantId=-tenant_1", of_second},
        {"tenantId=TENANT_1", none},
        {"folderId=folder_1,folder_2", of_first},
        {"folderId=-folder_2", both},
        {"partnerId=partner_1", of_first},
        {"partnerId=-partner_1", of_second},
        {"groupId=group_1", of_first},
        {"groupId=-group_1", of_second},
        {"programId=program_1", of_first},
        {"tagId=tag_2", of_first},
        {"tagId=tag_9,tag_1", of_first},
        {"tagId=-tag_1", of_second},
        {"tagIds=tag_1", of_first},
        {"tagId=tag_9&tagIds=tag_1", none},
        {"partnerTagId=ptag_1", of_first},
        {"partnerTagId=-ptag_1", of_second},
        {"domain=GO.Example.com", both},
        {"domain=-go.example.com", none},
        {"domain=go.example.com&key=link_1", of_first},
        {"domain=go.example.com&key=LINK_1", none},
        {"root=true", of_second},
        {"root=false", of_first},
        {"root=true&tagId=tag_1", none},
        {"linkId=link_2,link_1", both},
        {"linkId=-link_2", of_first},
        {"trigger=-qr", both},
        {"trigger=qr", none},
    };
    for (const auto& [query, expected] : table) {
        CAPTURE(query);
        CHECK(listed(records.current(), query) == expected);
    }
}
