// SPDX-License-Identifier: MIT
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/query/json_writer.hpp>
#include <sluice/store/select.hpp>
#include <sluice/store/snapshot_file.hpp>

#include "../temporary_folder.hpp"
#include "make_orders.hpp"

using namespace sluice;
using order_samples::named, order_samples::random_orders;
using store::open_snapshot, store::save_snapshot, store::snapshot_fault;
namespace fs = std::filesystem;

namespace {

constexpr store::storable_columns order_columns{order_samples::columns};
constexpr schema click_schema{
    column{.name = "id"}, column{.name = "link.id", .is_nullable = true},
    column{.name = "link.domain", .is_nullable = true, .how = collation::ignore_case},
    column{.name = "link.tags", .is_list = true, .is_nullable = true},
    column{.name = "link.price", .type = column_type::decimal, .is_nullable = true}};
constexpr store::storable_columns click_columns{click_schema, "link.id"};

/// Adds orders to a store, the same for the same history, and publishes them in parts.
class filler {
public:
    void fill(store::column_store& store, int parts, int rows) {
        for (int part = 0; part < parts; ++part) {
            for (int i = 0; i < rows; ++i) {
                orders_.push_back(random_.row());
                REQUIRE(store.add(orders_.back().cells()));
            }
            store.publish();
            while (store.maintain()) {
            }
        }
    }
    /// Counts the orders that a query matches, by a loop.
    [[nodiscard]] std::int64_t count(const list_query& query) const {
        return std::ranges::count_if(orders_, [&](const auto& row) { return query.matches(row); });
    }

private:
    random_orders random_{9};
    std::deque<order_samples::order> orders_;
};

/// The answers to random queries: pages, totals and cursors.
std::vector<std::string> answers(const store::column_store& store) {
    random_orders random(10);
    std::vector<std::string> all;
    for (int i = 0; i < 200; ++i) {
        list_query query = random.query();
        query.wants_total = true;
        const auto page = store::select(store.current(), query);
        REQUIRE(page);
        all.push_back(page->json() + std::to_string(*page->total));
        if (page->next) all.push_back(*to_string(*page->next));
    }
    return all;
}

void write_file(const fs::path& file, std::string_view bytes) {
    std::ofstream(file, std::ios::binary) << bytes;
}
snapshot_fault fault_of(const fs::path& file, store::storable_columns columns = order_columns) {
    const auto opened = open_snapshot(columns, file);
    REQUIRE_FALSE(opened);
    CHECK(opened.error().file == file);
    CHECK(message(opened.error()).starts_with(file.string() + ": "));
    return opened.error().fault;
}

/// Adds a click's link to a store and the click itself.
bool add_click(store::column_store& store, const std::string& id) {
    const std::array<std::string_view, 2> tags{"all", id};
    return store.add_referenced("link.id", {std::string_view(id), "Domain" + id.substr(0, 1),
                                            std::span<const std::string_view>(tags), "1.50"}) &&
           store.add({std::string_view(id), std::string_view(id)});
}
std::string page_of(const store::column_store& store, std::string_view by, const filter& wanted) {
    list_query query;
    query.rows = where::all_of({{*click_schema.find(by), text_test{wanted}}});
    return store::select(store.current(), query)->json();
}

}  // namespace

TEST_CASE("a store of a snapshot answers as the one that was saved, and goes on as it does") {
    const temporary_folder folder;
    const fs::path file = folder.path() / "a.snapshot", again = folder.path() / "b.snapshot";
    for (const int rows : {0, 1, 500}) {
        store::column_store original(order_columns, hash_seed{5});
        filler orders;
        orders.fill(original, 3, rows);
        const auto saved = save_snapshot(original, file);
        REQUIRE(saved);
        CHECK(*saved == fs::file_size(file));
        CHECK(fs::status(file).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
        const auto opened = open_snapshot(order_columns, file);
        REQUIRE(opened);
        store::column_store& other = **opened;
        CHECK(other.current().size() == original.current().size());
        REQUIRE(save_snapshot(other, again));
        CHECK((read_file(again) == read_file(file)));
        CHECK((answers(other) == answers(original)));
        random_orders random(11);
        for (int i = 0; i < 200; ++i) {
            const list_query query = random.query();
            CAPTURE(to_json(query));
            const std::int64_t expected = orders.count(query);
            CHECK(store::count(original.current(), query) == expected);
            CHECK(store::count(other.current(), query) == expected);
        }

        filler same = orders;
        orders.fill(original, 2, 300);
        same.fill(other, 2, 300);
        CHECK((answers(other) == answers(original)));
        REQUIRE(save_snapshot(other, again));
        REQUIRE(save_snapshot(original, file));
        CHECK((read_file(again) == read_file(file)));
    }
}

TEST_CASE("full blocks of a snapshot are those that were saved") {
    const temporary_folder folder;
    const fs::path file = folder.path() / "a.snapshot";
    store::column_store original(order_columns);
    filler orders;
    orders.fill(original, 1, 66'000);
    REQUIRE(save_snapshot(original, file));
    const auto opened = open_snapshot(order_columns, file);
    REQUIRE(opened);
    const store::stored_rows rows = (*opened)->current(), expected = original.current();
    REQUIRE(rows.size() == expected.size());
    for (std::size_t row = 0; row < rows.size(); row += 97) {
        CHECK(rows.json(row) == expected.json(row));
        const auto id = std::get<std::string_view>(rows.at(row, named("id")));
        CHECK(rows.find(id) == row);
    }
}

TEST_CASE("a snapshot has the published rows and all referenced ones") {
    const temporary_folder folder;
    const fs::path file = folder.path() / "a.snapshot";
    store::column_store original(click_columns);
    REQUIRE(add_click(original, "c1"));
    REQUIRE(original.add({"c2"}));
    original.publish();
    REQUIRE(add_click(original, "c3"));
    REQUIRE(original.add_referenced("link.id", {"l4", "other"}));
    REQUIRE(save_snapshot(original, file));
    const auto opened = open_snapshot(click_columns, file);
    REQUIRE(opened);
    store::column_store& other = **opened;
    CHECK(other.current().size() == 2);
    CHECK(other.add_referenced("link.id", {"l4"}).error().broken == rule::identifier_taken);
    CHECK(other.add({"c1"}).error().broken == rule::identifier_taken);
    CHECK(other.add({"c4", "none"}).error().broken == rule::reference_unknown);
    REQUIRE(other.add({"c3", "c3"}));
    REQUIRE(other.add({"c4", "l4"}));
    REQUIRE(original.add({"c4", "l4"}));
    other.publish();
    original.publish();
    for (const auto& [by, wanted] :
         {std::pair{"link.domain", filter({"domainc"})},
          std::pair{"link.domain", filter({"OTHER"}, true)},
          std::pair{"link.tags", filter({"c1", "c4"})}, std::pair{"link.id", filter({"l4"})}}) {
        CHECK(page_of(other, by, wanted) == page_of(original, by, wanted));
    }
    CHECK(page_of(other, "link.tags", filter({"c3"})) ==
          R"([{"id":"c3","link.id":"c3","link.domain":"Domainc","link.tags":["all","c3"],)"
          R"("link.price":1.50}])");
}

TEST_CASE("a snapshot that isn't what was written is refused") {
    const temporary_folder folder;
    const fs::path file = folder.path() / "a.snapshot";
    CHECK(fault_of(file) == snapshot_fault::unreadable);
    write_file(file, "");
    CHECK(fault_of(file) == snapshot_fault::foreign);
    write_file(file, R"({"id":"o1"})");
    CHECK(fault_of(file) == snapshot_fault::foreign);
    store::column_store original(order_columns);
    filler().fill(original, 2, 40);
    REQUIRE(save_snapshot(original, file));
    const std::string bytes = read_file(file);
    for (std::size_t size = 64; size < bytes.size(); size += 1 + size / 40) {
        write_file(file, bytes.substr(0, size));
        CHECK(fault_of(file) == snapshot_fault::cut_off);
    }
    write_file(file, bytes + '\0');
    CHECK(fault_of(file) == snapshot_fault::cut_off);
    std::mt19937 random(3);
    for (int i = 0; i < 200; ++i) {
        std::string flipped = bytes;
        const std::size_t at = 64 + random() % (bytes.size() - 128);
        flipped[at] ^= static_cast<char>(1 << random() % 8);
        write_file(file, flipped);
        CHECK(fault_of(file) == snapshot_fault::damaged);
    }
    std::string flipped = bytes;
    flipped[64 + 10] ^= 1;  // data, which isn't checked
    write_file(file, flipped);
    CHECK(open_snapshot(order_columns, file, {.checks_data = false}).has_value());
}

TEST_CASE("a forged directory is refused and harmless") {
    const temporary_folder folder;
    const fs::path file = folder.path() / "a.snapshot";
    store::column_store clicks(click_columns), orders(order_columns);
    for (const std::string id : {"a1", "a2", "b3"}) REQUIRE(add_click(clicks, id));
    clicks.publish();
    filler().fill(orders, 1, 12);
    std::mt19937_64 random(4);
    for (const auto& [saved, columns] :
         {std::pair{&clicks, click_columns}, std::pair{&orders, order_columns}}) {
        REQUIRE(save_snapshot(*saved, file));
        const std::string bytes = read_file(file);
        namespace archive = store::archive;
        archive::tail end;
        std::memcpy(&end, bytes.data() + bytes.size() - sizeof end, sizeof end);
        const std::size_t words = (end.size - sizeof end - end.directory) / 8;
        std::size_t refused = 0;
        for (std::size_t i = 0; i < 3 * words; i += 1 + words / 200) {
            std::string forged = bytes;
            const std::uint64_t value = i % 3 == 0 ? random() : i % 3 == 1 ? random() % 300 : ~0ULL;
            std::memcpy(forged.data() + end.directory + i / 3 * 8, &value, sizeof value);
            archive::tail fitting = end;
            fitting.directory_sum =
                archive::sum_of(std::string_view(forged).substr(end.directory, words * 8));
            fitting.tail_sum = fitting.sum();
            std::memcpy(forged.data() + forged.size() - sizeof fitting, &fitting, sizeof fitting);
            write_file(file, forged);
            const auto opened = open_snapshot(columns, file);
            if (opened) continue;  // such as one with other values
            CHECK(opened.error().fault == snapshot_fault::damaged);
            ++refused;
        }
        CHECK(refused > 50);
    }
}

TEST_CASE("a snapshot of other columns is another version's") {
    static constexpr schema renamed{column{.name = "id"}, column{.name = "b"}};
    static constexpr schema typed{column{.name = "id"},
                                  column{.name = "a", .type = column_type::boolean}};
    static constexpr schema nullable{column{.name = "id"},
                                     column{.name = "a", .is_nullable = true}};
    static constexpr schema listed{column{.name = "id"}, column{.name = "a", .is_list = true}};
    static constexpr schema turned{column{.name = "a"}, column{.name = "id"}};
    static constexpr schema folded{column{.name = "id"},
                                   column{.name = "a", .how = collation::ignore_case}};
    static constexpr schema saved{column{.name = "id"}, column{.name = "a"}};
    static constexpr schema dotted{column{.name = "id"}, column{.name = "a.id"}};
    const temporary_folder folder;
    const fs::path file = folder.path() / "a.snapshot";
    store::column_store original(saved);
    REQUIRE(original.add({"1", "x"}));
    original.publish();
    REQUIRE(save_snapshot(original, file));
    for (const store::storable_columns& other :
         {store::storable_columns(renamed), {typed}, {nullable}, {listed}, {turned}, {dotted}}) {
        CHECK(fault_of(file, other) == snapshot_fault::other_version);
    }
    CHECK(open_snapshot(saved, file).has_value());
    CHECK(open_snapshot(folded, file).has_value());  // values are stored as they are
    REQUIRE(save_snapshot(store::column_store(dotted), file));
    CHECK(fault_of(file, {dotted, "a.id"}) == snapshot_fault::other_version);
}

TEST_CASE("a snapshot that can't be written leaves the one before") {
    const temporary_folder folder;
    const store::column_store store(order_columns);
    const fs::path file = folder.path() / "a.snapshot";
    const auto nowhere = save_snapshot(store, folder.path() / "none" / "a.snapshot");
    REQUIRE_FALSE(nowhere);
    CHECK(nowhere.error().fault == snapshot_fault::unwritable);
    CHECK(nowhere.error().system == std::errc::no_such_file_or_directory);
    REQUIRE(save_snapshot(store, file));
    fs::create_directory(folder.path() / "a.snapshot.partial");
    CHECK_FALSE(save_snapshot(store, file));
    CHECK(open_snapshot(order_columns, file).has_value());
}

TEST_CASE("a store is saved while rows are added and published") {
    const temporary_folder folder;
    store::column_store original(click_columns);
    std::atomic<bool> is_done = false;
    std::atomic<std::size_t> wrong = 0, saved = 0;
    {
        const std::jthread saver([&] {
            const fs::path file = folder.path() / "a.snapshot";
            for (bool is_last = false; !is_last; ++saved) {
                is_last = is_done;
                if (!save_snapshot(original, file)) ++wrong;
                const auto opened = open_snapshot(click_columns, file);
                const std::size_t rows = opened ? (*opened)->current().size() : 1;
                if (rows % 10 != 0 || (is_last && rows != 2'000)) ++wrong;
                for (std::size_t row = 0; row < rows && opened; ++row) {
                    const store::stored_rows all = (*opened)->current();
                    const auto value = [&](std::string_view of) {
                        return all.at(row, *click_schema.find(of));
                    };
                    const auto id = std::get<std::string_view>(value("id"));
                    const cell tags = value("link.tags");
                    const auto list = std::get<std::span<const std::string_view>>(tags);
                    if (id != std::get<std::string_view>(value("link.id")) || list.back() != id) {
                        ++wrong;
                    }
                }
            }
        });
        for (int i = 0; i < 2'000; ++i) {
            if (!add_click(original, std::to_string(10'000 + i))) ++wrong;
            if (i % 10 == 9) original.publish();
        }
        is_done = true;
    }
    CHECK(wrong == 0);
    CHECK(saved > 0);
}
