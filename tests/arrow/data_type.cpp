// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/arrow/data_type.hpp>
#include <sluice/arrow/type_name.hpp>

#include "make_array.hpp"

using namespace arrow_test;
using namespace sluice::arrow;

TEST_CASE("a format string tells the type") {
    struct known {
        std::string format;
        type_id id;
        int width = 0;
        bool is_signed = false;
        std::int64_t ticks = 0;
        std::int64_t scale = 0;
    };
    const std::vector<known> table{
        {"n", type_id::null},
        {"u", type_id::text32},
        {"z", type_id::text32},
        {"U", type_id::text64},
        {"Z", type_id::text64},
        {"vu", type_id::text_view},
        {"vz", type_id::text_view},
        {"c", type_id::integer, 1, true},
        {"C", type_id::integer, 1, false},
        {"s", type_id::integer, 2, true},
        {"S", type_id::integer, 2, false},
        {"i", type_id::integer, 4, true},
        {"I", type_id::integer, 4, false},
        {"l", type_id::integer, 8, true},
        {"L", type_id::integer, 8, false},
        {"tss:", type_id::timestamp, 0, false, 1},
        {"tsm:UTC", type_id::timestamp, 0, false, 1'000},
        {"tsu:+01:00", type_id::timestamp, 0, false, 1'000'000},
        {"tsn:Europe/Berlin", type_id::timestamp, 0, false, 1'000'000'000},
        {"tsx:", type_id::other},
        {"tss", type_id::other},
        {"", type_id::other},
        {"uu", type_id::other},
        {"b", type_id::boolean},
        {"e", type_id::real, 2},
        {"f", type_id::real, 4},
        {"g", type_id::real, 8},
        {"tdD", type_id::date, 4},
        {"tdm", type_id::date, 8},
        {"w:16", type_id::uuid},
        {"w:15", type_id::other},
        {"d:10,2", type_id::decimal, 16, false, 0, 2},
        {"d:10,-2", type_id::decimal, 16, false, 0, -2},
        {"d:9,0,32", type_id::decimal, 4},
        {"d:18,4,64", type_id::decimal, 8, false, 0, 4},
        {"d:38,38,128", type_id::decimal, 16, false, 0, 38},
        {"d:76,76,256", type_id::decimal, 32, false, 0, 76},
        {"d:10,2,16", type_id::other},
        {"d:10,77", type_id::other},
        {"d:10", type_id::other},
        {"d:10,", type_id::other},
        {"d:10,x", type_id::other},
        {"d:10,2,32,4", type_id::other},
        {"d:", type_id::other},
        {"+m", type_id::other},
    };
    for (const known& entry : table) {
        CAPTURE(entry.format);
        column field(entry.format, 0);
        field.name = "a column";
        field.wire();
        const auto type = read_type(field.schema);
        REQUIRE(type);
        CHECK(type->id == entry.id);
        CHECK(type->width == entry.width);
        CHECK(type->is_signed == entry.is_signed);
        CHECK(type->ticks_a_second == entry.ticks);
        CHECK(type->scale == entry.scale);
        CHECK(type->format == entry.format);
        CHECK(type->name == "a column");
        CHECK_FALSE(type->is_coded());
        CHECK(field.schema_releases == 0);
    }
}

TEST_CASE("tables, lists and dictionaries hold the types inside") {
    std::vector<std::pair<std::string, column_ptr>> columns;
    columns.emplace_back("country", make_coded("i", {}, make_text("vu", {})));
    columns.emplace_back("tags", make_lists<std::int64_t>("+L", {}, make_text("U", {})));
    const auto type = make_table(std::move(columns), 0)->type();
    CHECK(type.id == type_id::structure);
    REQUIRE(type.children.size() == 2);
    CHECK(type.children[0].name == "country");
    CHECK(type.children[0].is_coded());
    CHECK(type.children[0].dictionary.front().id == type_id::text_view);
    CHECK(type.children[1].id == type_id::list64);
    CHECK(type.children[1].children.front().id == type_id::text64);
}

TEST_CASE("an extension type is its storage only where that holds its values") {
    const auto metadata_of = [](const std::vector<std::string>& texts) {
        std::string bytes;
        const auto add_size = [&](std::size_t size) {
            const auto count = static_cast<std::int32_t>(size);
            bytes.append(reinterpret_cast<const char*>(&count), sizeof count);
        };
        add_size(texts.size() / 2);
        for (const std::string& text : texts) {
            add_size(text.size());
            bytes.append(text);
        }
        return bytes;
    };
    const std::string name = "ARROW:extension:name";
    struct row {
        std::string format, extension, words;
        type_id id;
    };
    const std::vector<row> table{
        {"l", "pandas.period", "extension type pandas.period", type_id::other},
        {"c", "arrow.bool8", "extension type arrow.bool8", type_id::other},
        {"u", "of.ones.own", "extension type of.ones.own", type_id::other},
        {"u", "arrow.json", "extension type arrow.json", type_id::text32},
        {"w:16", "arrow.uuid", "extension type arrow.uuid", type_id::uuid},
        {"tsm:", "", "timestamp[ms]", type_id::timestamp},
    };
    for (const auto& [format, extension, words, id] : table) {
        CAPTURE(extension);
        column field(format, 0);
        field.wire();
        const std::string metadata = metadata_of({"PARQUET:field_id", "7", name, extension});
        field.schema.metadata = metadata.c_str();
        const auto type = read_type(field.schema);
        REQUIRE(type);
        CHECK(type->id == id);
        CHECK(type->format == format);
        CHECK(type_name(*type) == words);
    }
    auto coded = make_coded("i", {}, make_text("u", {}));
    const std::string metadata = metadata_of({name, "of.ones.own"});
    coded->schema.metadata = metadata.c_str();
    CHECK_FALSE(read_type(coded->schema)->is_coded());
    auto plain = make_coded("i", {}, make_text("u", {}));
    const std::string others = metadata_of({"a", "", "", "b"});
    plain->schema.metadata = others.c_str();
    CHECK(read_type(plain->schema)->is_coded());
}

TEST_CASE("schemas that are released or lack their children are refused") {
    const auto refused = [](auto change, const std::string& what) {
        CAPTURE(what);
        auto field = make_lists<std::int32_t>("+l", {}, make_text("u", {}));
        change(*field);
        const auto type = read_type(field->schema);
        REQUIRE_FALSE(type);
        CHECK(type.error().kind == fault::malformed);
        CHECK(type.error().what == what);
    };
    const std::string released = "a schema that was released";
    const std::string childless = "a schema without its children";
    refused([](column& c) { c.schema.release = nullptr; }, released);
    refused([](column& c) { c.schema.format = nullptr; }, released);
    refused([](column& c) { c.children[0]->schema.release = nullptr; }, released);
    refused([](column& c) { c.child_schemas[0] = nullptr; }, released);
    refused([](column& c) { c.schema.children = nullptr; }, childless);
    refused([](column& c) { c.schema.n_children = -1; }, childless);
    refused([](column& c) { c.schema.n_children = 0; }, "a list schema without its one child");
}

TEST_CASE("schemas that hold themselves are read to an end") {
    for (const bool as_dictionary : {true, false}) {
        auto field = make_lists<std::int32_t>("+l", {}, make_text("u", {}));
        if (as_dictionary) field->schema.dictionary = &field->schema;
        if (!as_dictionary) field->child_schemas[0] = &field->schema;
        CHECK(read_type(field->schema));
    }
    auto field = make_integers("i", {});
    field->schema.dictionary = &field->schema;
    CHECK(read_type(field->schema));
}
