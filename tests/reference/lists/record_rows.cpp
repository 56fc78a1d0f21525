// SPDX-License-Identifier: MIT
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/reference/lists/record_rows.hpp>

#include "../make_records.hpp"

using namespace sluice::reference;
using sluice::cell;

namespace {

/// The value of a row in a column, as a text; `-` for a missing one.
template <class Record>
std::string text_in(const packed_row& row, std::string_view name) {
    auto cells = row_accessors<Record>.cells(row);
    const cell value = cells(*record_list<Record>::columns.find(name));
    if (const auto* const text = std::get_if<std::string_view>(&value)) return std::string(*text);
    if (const auto* const flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
    if (const auto* const at = std::get_if<sluice::instant>(&value)) {
        return std::to_string(at->time_since_epoch().count());
    }
    const auto* const texts = std::get_if<std::span<const std::string_view>>(&value);
    if (texts == nullptr) return "-";
    std::string all;
    for (const std::string_view text : *texts) all.append(text).append(";");
    return all;
}

}  // namespace

TEST_CASE("a row has the values of a record's columns, and its JSON") {
    const std::vector<tag> tags{{.id = "t1", .name = ""},
                                {.id = "t2", .name = std::string_view("a\0b", 3)}};
    auto added = make_link("l1");
    added.tags = tags;
    added.archived = true;
    added.tenant_id = "";
    added.created_at = at_ms(-5);
    const std::string row = pack_row(added, R"({"x":1})");
    const std::vector<std::pair<std::string_view, std::string>> table{
        {"id", "l1"},
        {"domain", "go.example.com"},
        {"key", "l1"},
        {"url", "https://example.com/"},
        {"externalId", "-"},
        {"tenantId", ""},
        {"archived", "true"},
        {"tags.id", "t1;t2;"},
        {"tags.name", std::string(";a\0b;", 5)},
        {"folderId", "-"},
        {"userId", "-"},
        {"createdAt", "-5"}};
    CHECK(table.size() == links_schema.size());
    for (const auto& [name, text] : table)
        CHECK(text_in<sluice::reference::link>(row, name) == text);
    CHECK(json_in<sluice::reference::link>(row) == R"({"x":1})");
    CHECK(cells_in<sluice::reference::link>(row).size() +
              json_in<sluice::reference::link>(row).size() ==
          row.size());
    CHECK(text_in<sluice::reference::link>(pack_row(make_link("l2")), "tags.id") == "-");
}

TEST_CASE("a damaged row reads as one without values, never beyond its end") {
    const std::string row =
        pack_row(customer{.id = "c1", .external_id = "u", .name = "n"}, R"({"id":"c1"})");
    for (std::size_t size = 0; size < row.size(); ++size) {
        const std::string cut = row.substr(0, size);
        for (const sluice::column& of : customers_schema) {
            const std::string text = text_in<customer>(cut, of.name);
            CHECK(text.size() <= size + 1);
        }
        CHECK(json_in<customer>(cut).size() <= size);
    }
    for (std::size_t at = 0; at < row.size(); ++at) {
        std::string bad = row;
        bad[at] = '\xFF';
        for (const sluice::column& of : customers_schema) {
            CHECK(text_in<customer>(bad, of.name).size() <= bad.size());
        }
    }
    CHECK(text_in<customer>("", "createdAt") == "0");
}

TEST_CASE("rows are saved and opened") {
    const auto head = sluice::store::archive::head{};
    std::string bytes;
    record_rows<tag> tags(sluice::hash_seed{1});
    record_rows<customer> customers(sluice::hash_seed{1});
    for (const char* const id : {"a", "b", "c"}) {
        REQUIRE(tags.add(make_tag(id, "name")));
        REQUIRE(customers.add(make_customer(id)));
    }
    sluice::store::archive_writer writer(
        [&](std::string_view more) {
            bytes.append(more);
            return true;
        },
        head);
    tags.save(writer, 2);
    customers.save(writer, 3);
    REQUIRE(writer.finish());
    CHECK(tags.add(make_tag("b", "again")).error().broken == sluice::rule::identifier_taken);
    tags.shrink(1);
    CHECK(tags.size() == 1);
    CHECK(tags.add(make_tag("b", "again")).has_value());
    CHECK(text_in<tag>(tags.first(2)[1], "name") == "again");
    CHECK(json_in<tag>(tags.first(2)[1]) == R"({"id":"b","name":"again"})");
    customers.shrink(3);
    CHECK((customers.size() == 3 && customers.bytes() > 0 && tags.bytes() > 0));
}
