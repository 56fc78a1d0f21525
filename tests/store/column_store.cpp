// SPDX-License-Identifier: MIT
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/store/select.hpp>

#include "make_orders.hpp"

using namespace sluice;
using order_samples::columns, order_samples::named, order_samples::random_orders;

namespace {

constexpr schema bare{column{.name = "id"}, column{.name = "count"}};
constexpr schema referring{column{.name = "id"}, column{.name = "link.id"},
                           column{.name = "link.domain"}};

/// Finds a row by a loop over all of them.
std::optional<std::size_t> row_of(const store::stored_rows& rows, std::string_view id) {
    for (std::size_t row = 0; row < rows.size(); ++row) {
        if (std::get<std::string_view>(rows.at(row, named("id"))) == id) return row;
    }
    return std::nullopt;
}

}  // namespace

TEST_CASE("a row is found by its id, in the rows of each moment") {
    store::column_store store(columns);
    random_orders random(3);
    std::vector<std::string> ids{"", "o", "none"};
    std::vector<store::stored_rows> moments{store.current()};
    for (int part = 0; part < 12; ++part) {
        for (int i = 0; i < 40; ++i) {
            const auto added = random.row();
            REQUIRE(store.add(added.cells()));
            ids.push_back(added.id);
        }
        if (part == 11) break;  // never published
        store.publish();
        if (part % 5 == 0) moments.push_back(store.current());
    }
    moments.push_back(store.current());
    std::size_t rows_of_ids = 0;
    for (const store::stored_rows& rows : moments) {
        for (const std::string& id : ids) {
            CAPTURE(id);
            const auto row = rows.find(id);
            CHECK(row == row_of(rows, id));
            rows_of_ids += row ? 1 : 0;
        }
    }
    CHECK(rows_of_ids == 0 + 40 + 240 + 440 + 440);
}

TEST_CASE("a row is found by its id in each of many blocks") {
    store::column_store store(bare);
    constexpr std::size_t size = 17 * 65'536 + 5'000;  // more blocks than a group has
    const auto id_of = [](std::size_t at) { return std::to_string(10'000'000 + at); };
    bool is_added = true;
    for (std::size_t i = 1; i <= size; ++i) {  // the second half comes before the first
        const std::string id = id_of(size - i);
        is_added = is_added && store.add({std::string_view(id), std::string_view(id)});
        if (i == size / 2) store.publish();
    }
    REQUIRE(is_added);
    store.publish();
    const store::stored_rows rows = store.current();
    for (std::size_t row = 0; row < size; row += row % 65'536 < 3 ? 1 : 4'099) {
        CHECK(rows.find(id_of(row)) == row);
    }
    CHECK(rows.find(id_of(size - 1)) == size - 1);
    CHECK_FALSE(rows.find(id_of(size)));
}

TEST_CASE("a row as JSON is an object of the page's array") {
    store::column_store store({referring, "link.id"});
    REQUIRE(store.add_referenced("link.id", {"l1", "go.example"}));
    REQUIRE(store.add({"c1", "l1"}));
    REQUIRE(store.add({"c2", "l1"}));
    store.publish();
    const store::stored_rows rows = store.current();
    const auto row = rows.find("c2");
    REQUIRE(row == 1);
    CHECK(rows.json(*row) == R"({"id":"c2","link.id":"l1","link.domain":"go.example"})");
    const auto layout = store.layout({{"at", {}, {{"domain", "link.domain"}}}, {"id"}});
    REQUIRE(layout);
    CHECK(rows.json(*row, *layout) == R"({"at":{"domain":"go.example"},"id":"c2"})");
}
