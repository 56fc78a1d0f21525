// SPDX-License-Identifier: MIT
#include <cerrno>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/arrow/table_mask.hpp>

#include "make_array.hpp"

using namespace arrow_test;
using namespace sluice::arrow;
using sluice::collation;
using sluice::filter;
using sluice::where_kind;

namespace {

/// Chunks of one type, handed over one by one.
struct chunk_stream {
    ArrowArrayStream stream{};
    column_ptr schema;
    std::vector<column_ptr> chunks;
    std::size_t next = 0;
    int schema_error = 0, last_error = 0, releases = 0, unreleased = 0;
    const char* said = nullptr;

    chunk_stream(column_ptr of_schema, std::vector<column_ptr> of_chunks)
        : schema(std::move(of_schema)), chunks(std::move(of_chunks)) {
        stream.private_data = this;
        stream.get_schema = [](ArrowArrayStream* self, ArrowSchema* out) {
            auto& mine = *static_cast<chunk_stream*>(self->private_data);
            if (mine.schema_error == 0) *out = std::exchange(mine.schema->schema, ArrowSchema{});
            return mine.schema_error;
        };
        stream.get_next = [](ArrowArrayStream* self, ArrowArray* out) {
            return static_cast<chunk_stream*>(self->private_data)->give(*out);
        };
        stream.get_last_error = [](ArrowArrayStream* self) {
            return static_cast<chunk_stream*>(self->private_data)->said;
        };
        stream.release = [](ArrowArrayStream* self) {
            ++static_cast<chunk_stream*>(self->private_data)->releases;
            self->release = nullptr;
        };
    }

    int give(ArrowArray& out) {
        for (std::size_t i = 0; i < next; ++i) unreleased += chunks[i]->array_releases != 1;
        if (next == chunks.size()) {
            out.release = nullptr;
            return last_error;
        }
        out = std::exchange(chunks[next++]->array, ArrowArray{});
        return 0;
    }
};

std::vector<column_ptr> text_chunks() {
    std::vector<column_ptr> chunks;
    chunks.push_back(make_text("u", cells(70, "a")));
    chunks.push_back(make_text("u", {}));
    chunks.push_back(make_text("u", {"a", "b", std::nullopt}));
    return chunks;
}

/// The whole of a stream's life; its mask or its failure.
import_result<row_bits> mask_stream(chunk_stream& chunks) {
    const row_filter wanted(filter({"a"}), collation::exact);
    owned<ArrowArrayStream> stream(chunks.stream);
    const auto type = stream_type(stream);
    if (!type) return tl::unexpected(type.error());
    return stream_mask(stream,
                       [&](const ArrowArray& chunk) { return filter_mask(*type, chunk, wanted); });
}

column_ptr make_events(std::size_t offset = 0) {
    std::vector<std::pair<std::string, column_ptr>> columns;
    columns.emplace_back("country", make_text("u", with_lead({"US", "DE", "US", {}}, offset)));
    columns.emplace_back("size", make_integers("l", codes(4 + offset, 1)));
    columns.emplace_back("metadata", make_text("vu", with_lead({"x", "y", {}, "x"}, offset)));
    columns.emplace_back("nothing", make_nulls(4 + offset));
    return make_table(std::move(columns), 4, offset);
}

condition country_is(std::string_view value, const std::string& column = "country") {
    return {"country", column, row_filter(filter({value}), collation::exact)};
}

import_result<row_bits> mask_events(const arrow_test::column& table,
                                    std::vector<condition> conditions) {
    const auto ready = table_filter::make(table.type(), std::move(conditions));
    if (!ready) return tl::unexpected(ready.error());
    return ready->mask(table.array);
}

void check_refused(const import_result<row_bits>& mask, fault kind, const std::string& what) {
    REQUIRE_FALSE(mask);
    CHECK(mask.error().kind == kind);
    CHECK(message(mask.error()) == what);
}

using bools = std::vector<bool>;

}  // namespace

TEST_CASE("an owned struct is released once, whatever moves") {
    column field("u", 0);
    field.wire();
    {
        owned<ArrowArray> first(field.array);
        CHECK((field.array.release == nullptr));
        owned<ArrowArray> second(std::move(first));
        owned<ArrowArray> third;
        CHECK_FALSE(third);
        third = std::move(second);
        owned<ArrowArray>& same = third;
        third = std::move(same);
        CHECK(third);
        CHECK(field.array_releases == 0);
        *third.out() = ArrowArray{};
        CHECK(field.array_releases == 1);
    }
    CHECK(field.array_releases == 1);
    CHECK(field.schema_releases == 0);
}

TEST_CASE("a stream's chunks give one mask, each released before the next is fetched") {
    chunk_stream chunks(make_text("u", {}), text_chunks());
    const auto mask = mask_stream(chunks);
    REQUIRE(mask);
    bools expected(70, true);
    expected.insert(expected.end(), {true, false, false});
    CHECK(to_bools(*mask) == expected);
    CHECK(chunks.unreleased == 0);
    CHECK(chunks.schema->schema_releases == 1);
    CHECK(chunks.releases == 1);
    for (const auto& chunk : chunks.chunks) CHECK(chunk->array_releases == 1);
}

TEST_CASE("what a failing stream handed over is released once") {
    chunk_stream late(make_text("u", {}), text_chunks());
    late.last_error = EIO;
    late.said = "the disk is gone";
    check_refused(mask_stream(late), fault::stream, "the disk is gone");
    for (const auto& chunk : late.chunks) CHECK(chunk->array_releases == 1);
    CHECK(late.releases == 1);

    chunk_stream early(make_text("u", {}), text_chunks());
    early.schema_error = 5;
    early.stream.get_last_error = nullptr;
    check_refused(mask_stream(early), fault::stream, "error 5");
    CHECK(early.releases == 1);
    CHECK(early.schema->schema_releases == 0);

    chunk_stream malformed(make_text("u", {}), text_chunks());
    malformed.chunks[0]->array.n_buffers = 2;
    check_refused(mask_stream(malformed), fault::malformed,
                  "an array with the wrong number of buffers");
    CHECK(malformed.chunks[0]->array_releases == 1);
    CHECK(malformed.chunks[1]->array_releases == 0);
    CHECK(malformed.releases == 1);

    ArrowArrayStream gone{};
    owned<ArrowArrayStream> released(gone);
    CHECK(stream_type(released).error().what == "a stream that was released");
    chunk_stream bare(make_text("u", {}), {});
    bare.schema->schema.release = nullptr;
    check_refused(mask_stream(bare), fault::malformed, "a schema that was released");
}

TEST_CASE("a table's rows meet all conditions") {
    for (const std::size_t offset : {0U, 3U, 64U}) {
        const auto table = make_events(offset);
        at_every_level([&] {
            CHECK(to_bools(*mask_events(*table, {})) == bools{true, true, true, true});
            CHECK(to_bools(*mask_events(*table, {country_is("US")})) ==
                  bools{true, false, true, false});
            int calls = 0;
            const text_test is_x{[&](std::string_view text) { return ++calls > 0 && text == "x"; },
                                 true};
            const auto both = mask_events(*table, {country_is("US"), {"query", "metadata", is_x}});
            CHECK(to_bools(*both) == bools{true, false, true, false});
            CHECK(calls == 1);  // not of rows that failed before, nor of the absent one
            const auto absent = mask_events(*table, {{"query", "nothing", is_x}});
            CHECK(to_bools(*absent) == bools{true, true, true, true});
        });
    }
}

namespace {

/// A table of two columns whose rows are null but for those of `present`.
column_ptr make_events_but(const std::vector<bool>& present, std::size_t offset) {
    std::vector<std::pair<std::string, column_ptr>> columns;
    columns.emplace_back("country", make_text("u", with_lead({"US", "US", "DE", {}}, offset)));
    columns.emplace_back(
        "timestamp",
        make_text("u", with_lead({"1970-01-01T00:00:00Z", "never", "never", "1970-01-01T00:00:00Z"},
                                 offset)));
    columns.emplace_back("metadata", make_text("u", with_lead({"x", "x", "x", "x"}, offset)));
    auto table = make_table(std::move(columns), present.size(), offset);
    std::vector<std::uint8_t> bits(2, 0);
    for (std::size_t row = 0; row < present.size(); ++row) {
        const std::size_t at = offset + row;
        bits[at / 8] |= static_cast<std::uint8_t>((present[row] ? 1U : 0U) << (at % 8));
    }
    table->buffers.clear();
    table->add_buffer(bits);
    table->wire();
    return table;
}

}  // namespace

TEST_CASE("where a row of a table is null, all its columns are, whatever they hold there") {
    const sluice::time_range first{std::nullopt, sluice::instant()};
    const text_test is_x{[](std::string_view text) { return text == "x"; }, false};
    const text_test is_not_x{[](std::string_view text) { return text != "x"; }, true};
    const condition not_us{"country", "country",
                           row_filter(filter({"US"}, true), collation::exact)};
    struct expectation {
        condition test;
        bools passing;
    };
    const std::vector<expectation> all{
        {country_is("US"), {true, false, false, false}},
        {not_us, {false, true, true, true}},
        {{"timestamp", "timestamp", first}, {true, false, false, true}},
        {{"query", "metadata", is_x}, {true, false, false, true}},
        {{"query", "metadata", is_not_x}, {false, true, true, false}},
    };
    for (const std::size_t offset : {0U, 7U}) {
        const auto table = make_events_but({true, false, false, true}, offset);
        for (const expectation& entry : all) {
            const auto mask = mask_events(*table, {entry.test});
            REQUIRE_MESSAGE(mask, message(mask.error()));
            CHECK(to_bools(*mask) == entry.passing);
        }
    }
}

TEST_CASE("what is wrong with a column is told whatever rows other conditions left") {
    const text_test any{[](std::string_view) { return true; }};
    for (const std::string country : {"US", "nowhere"}) {
        CAPTURE(country);
        check_refused(mask_events(*make_events(), {country_is(country), {"query", "size", any}}),
                      fault::unsupported,
                      "query: column 'size': expected text or a dictionary of text, not int64");
        auto table = make_events();
        table->children[2]->array.release = nullptr;
        check_refused(mask_events(*table, {country_is(country), {"query", "metadata", any}}),
                      fault::malformed, "query: column 'metadata': an array that was released");
    }
}

TEST_CASE("tests of a dictionary's texts hold for the rows of their codes") {
    std::vector<std::pair<std::string, column_ptr>> columns;
    columns.emplace_back("metadata", make_coded("c", {0, 1, std::nullopt, 2, 0},
                                                make_text("u", {"x", "y", std::nullopt})));
    const auto table = make_table(std::move(columns), 5);
    for (const bool absent : {false, true}) {
        const text_test is_x{[](std::string_view text) { return text == "x"; }, absent};
        const auto mask = mask_events(*table, {{"query", "metadata", is_x}});
        REQUIRE_MESSAGE(mask, message(mask.error()));
        CHECK(to_bools(*mask) == bools{true, false, absent, absent, true});
    }
}

TEST_CASE("tables that don't fit their conditions are refused by name") {
    check_refused(mask_events(*make_text("u", {}), {}), fault::unsupported,
                  "expected a table, not a column of text");
    check_refused(mask_events(*make_events(), {country_is("US", "land")}), fault::missing,
                  "country: the table has no column 'land'");
    auto twice = make_events();
    twice->children[1]->name = "country";
    twice->children[1]->wire();
    check_refused(mask_events(*twice, {country_is("US")}), fault::missing,
                  "country: the table has more than one column 'country'");
    check_refused(mask_events(*make_events(), {country_is("US", "size")}), fault::unsupported,
                  "country: column 'size': expected text, a dictionary of text or lists of text, "
                  "not int64");
    const text_test any{[](std::string_view) { return true; }};
    check_refused(mask_events(*make_events(), {{"query", "size", any}}), fault::unsupported,
                  "query: column 'size': expected text or a dictionary of text, not int64");
}

TEST_CASE("chunks that break the interface's rules are refused") {
    const auto refused = [](auto change, const std::string& what) {
        auto table = make_events();
        const auto filter = table_filter::make(table->type(), {country_is("US")});
        REQUIRE(filter);
        change(*table);
        check_refused(filter->mask(table->array), fault::malformed, what);
    };
    refused([](column& t) { t.array.release = nullptr; }, "an array that was released");
    refused([](column& t) { t.array.n_buffers = 0; }, "an array with the wrong number of buffers");
    refused([](column& t) { t.array.n_children = 3; }, "a chunk without the table's columns");
    refused([](column& t) { t.array.children = nullptr; }, "a chunk without the table's columns");
    refused([](column& t) { t.child_arrays[0] = nullptr; }, "a column that was released");
    refused([](column& t) { t.children[0]->array.release = nullptr; },
            "country: column 'country': an array that was released");
    refused([](column& t) { t.children[0]->array.length = 3; },
            "country: column 'country': a child array that is too short");
    auto table = make_events();
    table->children[2]->array.release = nullptr;
    table->children[3]->array.length = 3;
    const text_test any{[](std::string_view) { return true; }};
    check_refused(mask_events(*table, {{"query", "metadata", any}}), fault::malformed,
                  "query: column 'metadata': an array that was released");
    check_refused(mask_events(*table, {{"query", "nothing", any}}), fault::malformed,
                  "query: column 'nothing': a child array that is too short");
}

TEST_CASE("a field of a struct is a column, and is missing where the struct is") {
    const auto click = [](std::size_t offset) {
        std::vector<std::pair<std::string, column_ptr>> fields;
        fields.emplace_back("country", make_text("u", with_lead({"US", "DE", {}, "US"}, offset)));
        fields.emplace_back("at", make_text("u", cells(4 + offset, "x")));
        auto batch = make_table(std::move(fields), 4, offset);
        batch->buffers.clear();
        std::vector<bool> valid(offset, false);
        valid.insert(valid.end(), {true, true, true, false});
        batch->add_validity(valid);
        batch->wire();
        return batch;
    };
    for (const std::size_t offset : {0U, 3U}) {
        std::vector<std::pair<std::string, column_ptr>> columns;
        columns.emplace_back("click", click(offset));
        const auto table = make_table(std::move(columns), 4);
        const auto is_us = country_is("US", "click.country");
        CHECK(to_bools(mask_events(*table, {is_us}).value()) == bools{true, false, false, false});
        const condition is_not{"country", "click.country",
                               row_filter(filter({"US"}, true), collation::exact)};
        CHECK(to_bools(mask_events(*table, {is_not}).value()) == bools{false, true, true, true});
        check_refused(mask_events(*table, {country_is("US", "click.city")}), fault::missing,
                      "country: the table has no column 'click.city'");
        check_refused(mask_events(*table, {country_is("US", "click.country.x")}), fault::missing,
                      "country: the table has no column 'click.country.x'");
        check_refused(mask_events(*table, {country_is("US", "click")}), fault::unsupported,
                      "country: column 'click': expected text, a dictionary of text or lists of "
                      "text, not struct");
        table->children[0]->child_arrays[0] = nullptr;
        check_refused(mask_events(*table, {is_us}), fault::malformed, "a column that was released");
    }
}

TEST_CASE("a name that is a column's and a field's is refused") {
    std::vector<std::pair<std::string, column_ptr>> fields, columns;
    fields.emplace_back("country", make_text("u", {"US"}));
    columns.emplace_back("click", make_table(std::move(fields), 1));
    columns.emplace_back("click.country", make_text("u", {"US"}));
    const auto table = make_table(std::move(columns), 1);
    check_refused(mask_events(*table, {country_is("US", "click.country")}), fault::missing,
                  "country: the table has more than one column 'click.country'");
}

TEST_CASE("AND, OR and NOT of conditions, of as many rows as there are") {
    const auto table = make_events();
    using node = sluice::where::node;
    using enum sluice::where_kind;
    const auto mask = [&](std::vector<node> nodes) {
        condition_tree tree({country_is("US"), country_is("DE")});
        tree.nodes = std::move(nodes);
        return to_bools(table_filter::make(table->type(), tree)->mask(table->array).value());
    };
    CHECK(mask({{conjunction, 1}}) == bools{true, true, true, true});
    CHECK(mask({{disjunction, 1}}) == bools{false, false, false, false});
    CHECK(mask({{leaf, 1, 1}}) == bools{false, true, false, false});
    CHECK(mask({{negation, 2}, {leaf, 1, 1}}) == bools{true, false, true, true});
    CHECK(mask({{conjunction, 3}, {leaf, 1, 0}, {leaf, 1, 1}}) ==
          bools{false, false, false, false});
    CHECK(mask({{disjunction, 3}, {leaf, 1, 0}, {leaf, 1, 1}}) == bools{true, true, true, false});
    CHECK(mask({{negation, 4}, {disjunction, 3}, {leaf, 1, 0}, {leaf, 1, 1}}) ==
          bools{false, false, false, true});
}

TEST_CASE("a slow test is asked of the rows that are left") {
    using node = sluice::where::node;
    using enum sluice::where_kind;
    const auto tested_texts = [](where_kind kind) {
        std::string texts;
        const text_test test{[&](std::string_view text) { return texts += text, true; }};
        condition_tree tree({country_is("US"), {"query", "metadata", test}});
        tree.nodes = {node{kind, 3}, node{leaf, 1, 0}, node{leaf, 1, 1}};
        const auto table = make_events();
        REQUIRE(table_filter::make(table->type(), tree)->mask(table->array));
        return texts;
    };
    CHECK(tested_texts(conjunction) == "x");   // of the first row; the third has no text
    CHECK(tested_texts(disjunction) == "yx");  // of the second and the last
}
