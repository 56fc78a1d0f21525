// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/reference/lists/workspace_rows.hpp>
#include <sluice/reference/store/snapshot_file.hpp>

#include "../../temporary_folder.hpp"
#include "../make_records.hpp"

using namespace sluice::reference;
namespace fs = std::filesystem;

namespace {

/// Adds random records, the same for a seed, whose ids begin with it.
class filler {
public:
    filler(event_store& store, unsigned seed) : store_(store), seed_(seed), random_(seed) {}

    void fill(int batches, int rows) {
        for (int i = 0; i < batches; ++i) {
            for (int row = 0; row < 12; ++row) add_link();
            for (int row = 0; row < 5; ++row) add_customer();
            for (int row = 0; row < rows; ++row) add_click();
            for (int row = 0; row < rows / 2; ++row) add_outcomes();
            store_.publish();
            while (store_.maintain()) {
            }
        }
    }

private:
    [[nodiscard]] std::string id(std::string_view kind, std::size_t number) const {
        return std::string(kind) + std::to_string(seed_) + '_' + std::to_string(number);
    }
    [[nodiscard]] std::size_t below(std::size_t limit) { return random_() % limit; }
    [[nodiscard]] std::string one_of(std::string_view kind, std::size_t limit) {
        return std::string(kind) + std::to_string(below(limit));
    }
    /// Times go up but for some that are late.
    [[nodiscard]] std::int64_t next_time() {
        time_ += static_cast<std::int64_t>(below(3));
        return time_ - static_cast<std::int64_t>(below(10) == 0 ? below(200) : 0);
    }

    void add_link() {
        const std::string id_ = id("link", links_), tag = one_of("tag", 6);
        const std::string domain = one_of("d", 4), tenant = one_of("tenant", 4);
        const std::vector<tag_record> tags{make_tag(tag, tag)};
        sluice::reference::link added = make_link(id_);
        if (below(2) == 0) added.workspace_id = "second";
        added.domain = domain;
        added.tags = tags;
        if (below(2) == 0) added.external_id = id_;
        if (below(3) == 0) added.utm_source = domain;
        if (below(3) == 0) added.tenant_id = tenant;
        REQUIRE(store_.add(added));
        const std::string tag_id = id("tag", links_);
        REQUIRE(store_.add(make_tag(tag_id, tag_id, 7)));
        is_second_.push_back(added.workspace_id.has_value());
        ++links_;
    }
    void add_customer() {
        const std::string id_ = id("customer", customers_++);
        customer added = make_customer(id_);
        REQUIRE(store_.add(added));
        added.workspace_id = "second";
        REQUIRE(store_.add(added));
    }
    void add_click() {
        const std::size_t link = below(links_);
        const std::string id_ = id("click", clicks_.size()), on = id("link", link);
        const std::string city = one_of("city", 40), url = url_of();
        click added = make_click(id_, on, next_time());
        added.city = city;
        added.url = url;
        added.country = below(3) == 0 ? "DE" : "US";
        if (below(20) == 0) added.trigger = "qr";
        REQUIRE(store_.add(added));
        clicks_.push_back(link);
    }
    [[nodiscard]] std::string url_of() {
        std::string url = "https://example.com/" + one_of("page", 9);
        if (below(2) == 0) url += "?utm_source=" + one_of("source", 5) + "&utm_term=%41";
        return url;
    }
    void add_outcomes() {
        const std::size_t click = below(clicks_.size());
        const std::string on = id("link", clicks_[click]), from = id("click", click);
        const std::string by = id("customer", below(customers_)), json = metadata();
        const std::string id_ = id("event", outcomes_++);
        lead added = make_lead(id_, next_time(), by, from, on);
        added.metadata = json;
        REQUIRE(store_.add(added));
        sale sold = make_sale(id_, next_time(), by, from, on);
        sold.metadata = json;
        sold.amount = static_cast<std::int64_t>(below(1'000));
        REQUIRE(store_.add(sold));
    }
    /// All shapes: scalars of each type, odd spellings, arrays, too many paths, names twice.
    [[nodiscard]] std::string metadata() {
        switch (below(8)) {
            case 0: return R"({"plan":")" + one_of("plan", 4) + R"(","seats":1e1})";
            case 1: return R"({"plan":")" + one_of("plan", 4) + R"(","seats":10,"a":{"b":[1,2]}})";
            case 2: return R"({"twice":1,"twice":2})";
            case 3: return "{\"" + one_of("path", 60) + "\":true}";
            case 4: return R"({"long":")" + std::string(below(400), 'x') + "\"}";
            case 5: return "\"text\"";
            case 6: return R"({"plan":null,"seats":)" + std::to_string(below(30)) + ".50}";
            default: return "null";
        }
    }

    using tag_record = sluice::reference::tag;

    event_store& store_;
    unsigned seed_;
    std::mt19937 random_;
    std::int64_t time_ = 1'700'000'000'000;
    std::size_t links_ = 0, customers_ = 0, outcomes_ = 0;
    std::vector<std::size_t> clicks_;  // the link of each
    std::vector<bool> is_second_;
};

const std::vector<std::string> queries{"",
                                       "country=DE",
                                       "sortOrder=asc&limit=1000",
                                       "page=3&limit=50",
                                       "domain=d1,d2",
                                       "domain=-d3",
                                       "tagIds=tag2",
                                       "tenantId=tenant1",
                                       "utm_source=source1",
                                       "utm_term=A",
                                       "trigger=qr",
                                       "city=city1,city12&country=US",
                                       "url=https://example.com/page3",
                                       "event=leads&query=metadata['plan']:'plan1'",
                                       "event=leads&query=metadata['seats']>=10",
                                       "event=leads&query=metadata['path7']:true",
                                       "event=leads&query=metadata['twice']:2",
                                       "event=sales&saleType=new",
                                       "event=sales&saleType=recurring&sortOrder=asc",
                                       "event=sales&customerId=customer1_2",
                                       "event=sales&query=metadata['a']['b']:1&limit=500"};

/// Returns a store's answers to all queries, in each workspace.
std::vector<std::string> answers(const event_store& store) {
    std::vector<std::string> all{store.default_workspace(), std::to_string(store.size())};
    for (const std::string& id : store.workspace_ids()) {
        const workspace_view view = store.find(id)->current();
        all.push_back(id);
        for (const std::string& text : queries) {
            const events_query query = events_query_of(text);
            all.push_back(list_events(view, query)->body);
            all.push_back(std::to_string(*count_events(view, query)));
            all.push_back(to_string(*explain_events(view, query)));
        }
        all.push_back(list_tags(view, tags_query{})->body);
    }
    return all;
}

snapshot_fault fault_of(const fs::path& file) {
    const auto opened = open_snapshot(file);
    REQUIRE_FALSE(opened);
    CHECK(opened.error().file == file);
    CHECK(message(opened.error()).starts_with(file.string() + ": "));
    return opened.error().fault;
}

void write_file(const fs::path& file, std::string_view bytes) {
    std::ofstream(file, std::ios::binary) << bytes;
}

}  // namespace

TEST_CASE("a store of a snapshot answers as the one that was saved, and goes on as it does") {
    const temporary_folder folder;
    const fs::path file = folder.path() / "a.snapshot", again = folder.path() / "b.snapshot";
    event_store original("ws", sluice::hash_seed{5});
    filler(original, 1).fill(3, 60);
    const auto saved = save_snapshot(original, file);
    REQUIRE(saved);
    CHECK(*saved == fs::file_size(file));
    CHECK(fs::status(file).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
    const auto opened = open_snapshot(file);
    REQUIRE(opened);
    for (const workspace_stats& records : (*opened)->stats()) CHECK(records.mapped > 0);
    for (const workspace_stats& records : original.stats()) CHECK(records.mapped == 0);
    CHECK(save_snapshot(**opened, again));
    CHECK((read_file(again) == read_file(file)));
    CHECK((answers(**opened) == answers(original)));

    filler(original, 2).fill(2, 60);
    filler(**opened, 2).fill(2, 60);
    CHECK((answers(**opened) == answers(original)));
    CHECK(save_snapshot(**opened, again));
    CHECK(save_snapshot(original, file));
    CHECK((read_file(again) == read_file(file)));
}

TEST_CASE("a snapshot has what was published, and nothing that waits") {
    const temporary_folder folder;
    const fs::path file = folder.path() / "a.snapshot";
    event_store original("ws");
    REQUIRE(original.add(make_link("link_1")));
    REQUIRE(original.add(make_click("click_1", "link_1", 1)));
    original.publish();
    REQUIRE(original.add(make_link("link_2")));
    REQUIRE(original.add(make_tag("tag_2", "tag_2")));
    REQUIRE(original.add(make_customer("customer_2")));
    REQUIRE(original.add(make_click("click_2", "link_1", 2)));
    REQUIRE(save_snapshot(original, file));
    const auto opened = open_snapshot(file);
    REQUIRE(opened);
    CHECK((*opened)->size() == 1);
    CHECK((*opened)->find("ws")->current().links == 1);
    for (int i = 0; i < 2; ++i) {  // what was not saved is new there, once
        const bool is_new = i == 0;
        CHECK((*opened)->add(make_link("link_2")).has_value() == is_new);
        CHECK((*opened)->add(make_tag("tag_2", "tag_2")).has_value() == is_new);
        CHECK((*opened)->add(make_customer("customer_2")).has_value() == is_new);
        CHECK((*opened)->add(make_click("click_2", "link_1", 2)).has_value() == is_new);
    }
    CHECK_FALSE((*opened)->add(make_click("click_1", "link_1", 2)));
    CHECK_FALSE((*opened)->add(make_link("link_1")));
    (*opened)->publish();
    CHECK(listed((*opened)->find("ws")->current(), "") == id_list{"click_1", "click_2"});
}

TEST_CASE("what a batch takes back in a store of a snapshot leaves it as it was") {
    const temporary_folder folder;
    const fs::path file = folder.path() / "a.snapshot";
    event_store original("ws");
    filler(original, 1).fill(1, 20);
    REQUIRE(save_snapshot(original, file));
    const auto opened = open_snapshot(file);
    REQUIRE(opened);
    const auto before = answers(**opened);
    {
        event_store::batch batch(**opened);
        REQUIRE(batch.add(make_link("link_x")));
        REQUIRE(batch.add(make_customer("customer_x")));
        REQUIRE(batch.add(make_click("click_x", "link_x", 1)));
    }
    (*opened)->publish();
    CHECK((answers(**opened) == before));
    CHECK((*opened)->add(make_link("link_x")));
}

TEST_CASE("an empty store can be saved") {
    const temporary_folder folder;
    const fs::path file = folder.path() / "a.snapshot";
    REQUIRE(save_snapshot(event_store("ws_7"), file));
    const auto opened = open_snapshot(file);
    REQUIRE(opened);
    CHECK((*opened)->default_workspace() == "ws_7");
    CHECK((*opened)->workspace_ids() == std::vector<std::string>{"ws_7"});
    REQUIRE((*opened)->add(make_link("link_1")));
}

TEST_CASE("a snapshot that is not what was written is refused") {
    const temporary_folder folder;
    const fs::path file = folder.path() / "a.snapshot";
    CHECK(fault_of(file) == snapshot_fault::unreadable);
    CHECK(fault_of(folder.path()) == snapshot_fault::unreadable);
    write_file(file, "");
    CHECK(fault_of(file) == snapshot_fault::foreign);
    write_file(file, "{\"id\":\"click_1\"}\n");
    CHECK(fault_of(file) == snapshot_fault::foreign);

    event_store original("ws");
    filler(original, 1).fill(1, 20);
    REQUIRE(save_snapshot(original, file));
    const std::string bytes = read_file(file);
    for (const std::size_t size : {std::size_t{64}, std::size_t{127}, bytes.size() / 2,
                                   bytes.size() - 64, bytes.size() - 1}) {
        write_file(file, bytes.substr(0, size));
        CHECK(fault_of(file) == snapshot_fault::cut_off);
    }
    std::string other = bytes;
    other[16] ^= 1;  // the format
    write_file(file, other);
    CHECK(fault_of(file) == snapshot_fault::other_version);
    std::mt19937 random(3);
    for (int i = 0; i < 60; ++i) {
        std::string flipped = bytes;
        const std::size_t at = 64 + random() % (bytes.size() - 128);
        flipped[at] ^= static_cast<char>(1 << random() % 8);
        write_file(file, flipped);
        CHECK(fault_of(file) == snapshot_fault::damaged);
    }
    std::string flipped = bytes;
    flipped[64 + 100] ^= 1;  // of the data, which isn't checked where that isn't asked for
    write_file(file, flipped);
    CHECK(open_snapshot(file, {.checks_data = false}).has_value());
}

TEST_CASE("a directory that lies, with sums that fit, is refused and harmless") {
    const temporary_folder folder;
    const fs::path file = folder.path() / "a.snapshot";
    event_store original("ws");
    filler(original, 1).fill(1, 12);
    REQUIRE(save_snapshot(original, file));
    const std::string bytes = read_file(file);
    namespace archive = sluice::store::archive;
    archive::tail end;
    std::memcpy(&end, bytes.data() + bytes.size() - sizeof end, sizeof end);
    const std::size_t words = (end.size - sizeof end - end.directory) / 8;
    std::mt19937_64 random(4);
    for (int i = 0; i < 150; ++i) {
        std::string forged = bytes;
        const std::uint64_t value = i % 3 == 0 ? random() : i % 3 == 1 ? random() % 300 : ~0ULL;
        std::memcpy(forged.data() + end.directory + random() % words * 8, &value, sizeof value);
        archive::tail fitting = end;
        fitting.directory_sum =
            archive::sum_of(std::string_view(forged).substr(end.directory, words * 8));
        fitting.tail_sum = fitting.sum();
        std::memcpy(forged.data() + forged.size() - sizeof fitting, &fitting, sizeof fitting);
        write_file(file, forged);
        const auto opened = open_snapshot(file);  // a number of it may well be another
        if (!opened) CHECK(opened.error().fault == snapshot_fault::damaged);
    }
}

TEST_CASE("a store keeps the file that it was opened from when another takes its name") {
    const temporary_folder folder;
    const fs::path file = folder.path() / "a.snapshot";
    event_store first("ws"), second("ws");
    filler(first, 1).fill(1, 30);
    filler(second, 2).fill(1, 30);
    REQUIRE(save_snapshot(first, file));
    const auto opened = open_snapshot(file);
    REQUIRE(opened);
    REQUIRE(save_snapshot(second, file));
    CHECK((answers(**opened) == answers(first)));
    REQUIRE(save_snapshot(**opened, file));  // what it stands in
    CHECK((answers(**opened) == answers(first)));
    CHECK((answers(**open_snapshot(file)) == answers(first)));
}

TEST_CASE("a snapshot that can't be written leaves the one of before") {
    const temporary_folder folder;
    const event_store store("ws");
    const auto nowhere = save_snapshot(store, folder.path() / "none" / "a.snapshot");
    REQUIRE_FALSE(nowhere);
    CHECK(nowhere.error().fault == snapshot_fault::unwritable);
    CHECK(nowhere.error().system == std::errc::no_such_file_or_directory);
    const fs::path file = folder.path() / "a.snapshot";
    REQUIRE(save_snapshot(store, file));
    fs::create_directory(folder.path() / "a.snapshot.partial");
    const auto refused = save_snapshot(store, file);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().system == std::errc::is_a_directory);
    CHECK(open_snapshot(file).has_value());
}

TEST_CASE("the message of a snapshot says the file, what is wrong and what to do") {
    const auto text = [](snapshot_fault fault, std::errc system = {}) {
        return message(snapshot_error{"x", fault, std::make_error_code(system)});
    };
    CHECK(text(snapshot_fault::unreadable, std::errc::no_such_file_or_directory) ==
          "x: cannot be read: No such file or directory");
    CHECK(text(snapshot_fault::unwritable, std::errc::no_space_on_device) ==
          "x: cannot be written: No space left on device");
    CHECK(text(snapshot_fault::foreign) ==
          "x: is no snapshot, expected a file that save_snapshot() wrote");
    const std::string again = ": delete it, load the records and write it again";
    CHECK(text(snapshot_fault::other_version) ==
          "x: is another version's snapshot, another machine's, or one of other columns" + again);
    CHECK(text(snapshot_fault::cut_off) ==
          "x: is cut off, expected the size that was written" + again);
    CHECK(text(snapshot_fault::damaged) ==
          "x: is damaged, expected the bytes that were written" + again);
}
