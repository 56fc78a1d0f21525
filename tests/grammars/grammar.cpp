// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <doctest/doctest.h>

#include <sluice/errors/message.hpp>
#include <sluice/grammars/grammar.hpp>
#include <sluice/query/json_writer.hpp>

#include "../query/make_tests.hpp"

// What a grammar writes of a tree reads as the same tree, whatever the tree.

using namespace sluice;

namespace {

/// The least number of 4,000 random trees that each grammar writes, in the order of the grammars.
constexpr std::array<std::size_t, grammar_records.size()> least_written{1'500, 2'500, 1'000, 1'500,
                                                                        2'000, 1'000, 1'500};

/// The number of random trees of each grammar: 4,000, or SLUICE_EXPRESSION_TREES by hand.
std::size_t tree_count() {
    const char* const wanted = std::getenv("SLUICE_EXPRESSION_TREES");  // NOLINT(concurrency-*)
    return wanted == nullptr ? 4'000 : std::strtoul(wanted, nullptr, 10);
}

const expression_columns& columns() {
    static const expression_columns all{
        columns_view(test_samples::columns.begin(), test_samples::columns.size())};
    return all;
}

std::string json(const where& rows) { return to_json(list_query{.rows = rows}); }

/// Returns true if a tree tests the start or end of texts for the empty text: a star alone may
/// stand at either.
bool has_empty_end(const where& rows) {
    return std::ranges::any_of(rows.leaves(), [](const leaf& condition) {
        const auto* const part = std::get_if<part_test>(&condition.test);
        const auto* const records = std::get_if<record_test>(&condition.test);
        if (records != nullptr) return has_empty_end(records->wanted());
        return part != nullptr && part->place != part_place::anywhere &&
               std::ranges::find(part->parts, "") != part->parts.end();
    });
}

}  // namespace

TEST_CASE("grammars are found by their names, and an expression is translated") {
    for (const grammar_record& record : grammar_records) {
        CHECK(find_grammar(record.name) == record.kind);
        CHECK(to_string(record.kind) == record.name);
        CHECK(record.parse_order("seats", columns()).value().front().by.name == "seats");
    }
    CHECK(find_grammar("OData") == std::nullopt);
    constexpr std::string_view texts[] = {
        R"(name = "Milk" OR seats >= 7)",
        "name eq 'Milk' or seats ge 7",
        "name==Milk,seats=ge=7",
        "name = 'Milk' OR seats >= 7",
        R"(name eq "Milk" or seats ge 7)",
        "(name.eq.Milk,seats.gte.7)",
        R"({"op":"or","args":[{"op":"=","args":[{"property":"name"},"Milk"]},{"op":">=","args":[{"property":"seats"},7]}]})"};
    for (const grammar_record& from : grammar_records) {
        for (const grammar_record& to : grammar_records) {
            CHECK(translate(texts[static_cast<std::size_t>(from.kind)], from.kind, to.kind,
                            columns()) == texts[static_cast<std::size_t>(to.kind)]);
        }
    }
    const auto untold =
        translate("not (name eq 'a' or seats gt 7)", grammar::odata, grammar::rsql, columns());
    CHECK(untold.error().broken == rule::expression_inexpressible);
}

TEST_CASE("a record that fails a test isn't no record that meets it") {
    const where has_part(
        leaf{test_samples::line_columns.begin()[0], part_test{part_place::anywhere, {"x"}}});
    const column& lines = *test_samples::columns.find("lines");
    const where some_fail(leaf{lines, record_test(where::negation(has_part))});
    for (const auto& [kind, name, parse, write, parse_order] : grammar_records) {
        CAPTURE(name);
        const auto text = write(some_fail, columns());
        if (text) {
            CHECK(parse(*text, columns()) == some_fail);
        } else {
            CHECK(text.error().broken == rule::expression_inexpressible);
        }
    }
}

TEST_CASE("a text that is no value of its column has no expression") {
    const auto any_of = [](std::string_view name, std::string value) {
        return where(leaf{*test_samples::columns.find(name),
                          text_test{filter(std::vector<std::string>{std::move(value)}, false)}});
    };
    for (const grammar_record& record : grammar_records) {
        CAPTURE(record.name);
        for (const std::string_view wrong : {"x", "-0", "1.0", "99999999999999999999"}) {
            const auto text = record.write(any_of("seats", std::string(wrong)), columns());
            CHECK(text.error().broken == rule::expression_inexpressible);
        }
        CHECK(record.write(any_of("seats", "-5"), columns()).has_value());
    }
}

TEST_CASE("advice is in the words of the grammar") {
    const struct {
        grammar kind;
        std::string_view text, advice;
    } table[] = {
        {grammar::odata, "created gt '2026-08-21T00:00:00Z'",
         "expected a time without quotes, such as 2026-08-21T02:30:15Z"},
        {grammar::odata, "due eq '2026-08-21'",
         "expected a day without quotes, such as 2026-08-21"},
        {grammar::odata, "name eq Milk",
         "put a text in single quotes; columns aren't compared with columns"},
        {grammar::odata, "name eq trim(name)", ""},
        {grammar::cql2, "created > '2026-08-21T00:00:00Z'",
         "expected a time such as TIMESTAMP('2026-08-21T02:30:15Z')"},
        {grammar::cql2, "due = '2026-08-21'", "expected a day such as DATE('2026-08-21')"},
        {grammar::cql2, "name = \"Milk\"",
         "put a text in single quotes; columns aren't compared with columns"},
        {grammar::cql2, "name = upper(name)", ""},
        {grammar::cql2, "seats > +5", ""},
        {grammar::cql2_json, R"({"op":">","args":[{"property":"created"},"2026-08-21T00:00:00Z"]})",
         R"(expected {"timestamp": "2026-08-21T02:30:15Z"})"},
        {grammar::cql2_json, R"({"op":"=","args":[{"property":"due"},"2026-08-21"]})",
         R"(expected {"date": "2026-08-21"})"},
        {grammar::scim, "created gt 5", "expected a time such as 2026-08-21T02:30:15Z"},
        {grammar::scim, "due eq 5", "expected a day such as 2026-08-21"},
    };
    for (const auto& [kind, text, advice] : table) {
        CAPTURE(text);
        const auto read = record_of(kind).parse(text, columns());
        REQUIRE_FALSE(read.has_value());
        CHECK(read.error().accepts == advice);
    }
}

TEST_CASE("each grammar reads what it writes, and writes it the same again") {
    for (const auto& [kind, name, parse, write, parse_order] : grammar_records) {
        CAPTURE(name);
        test_samples::random_tests random(7);
        std::size_t written = 0;
        for (std::size_t turn = 0; turn < tree_count(); ++turn) {
            const auto [tree, meets] = random.make_tree(3);
            CAPTURE(json(tree));
            const auto text = write(tree, columns());
            if (!text) {
                CHECK(text.error().broken == rule::expression_inexpressible);
                continue;
            }
            ++written;
            CAPTURE(*text);
            const auto read = parse(*text, columns());
            REQUIRE_MESSAGE(read, message(read.error()));
            const auto row = random.make_row();
            CHECK(read->matches(row) == meets(row));
            if (!has_empty_end(tree)) {
                REQUIRE_MESSAGE(*read == tree, json(*read));
                CHECK(write(*read, columns()) == *text);
            }
        }
        CHECK(written >= least_written[static_cast<std::size_t>(kind)]);
    }
}

TEST_CASE("the only condition of a request is written by itself") {
    test_samples::random_tests random(13);
    for (int turn = 0; turn < 200; ++turn) {
        const where tree = random.make_tree(2).first;
        for (const auto& [kind, name, parse, write, parse_order] : grammar_records) {
            CAPTURE(name);
            const auto text = write(tree, columns());
            if (!text) continue;
            CHECK(to_expression(where::all({tree}), kind, columns()) == *text);
            CHECK(to_expression(tree, kind, columns()) == *text);
            const auto both = where::all({tree, tree});
            CHECK(to_expression(both, kind, columns()).has_value() ==
                  write(both, columns()).has_value());
        }
    }
    CHECK(to_expression(where(), grammar::odata, columns()) == "");
}

TEST_CASE("an expression cut at any byte, or with another byte, fails where that is, or reads") {
    constexpr std::string_view bytes =
        "'\"()[],;:=!~*-\\%_ \x01\xFF"
        "a0/$@.";
    for (const auto& [kind, name, parse, write, parse_order] : grammar_records) {
        CAPTURE(name);
        test_samples::random_tests random(11);
        for (int turn = 0; turn < 150; ++turn) {
            const auto text = write(random.make_tree(2).first, columns());
            if (!text) continue;
            for (std::size_t at = 0; at < text->size(); ++at) {
                CAPTURE(at);
                const std::string cut = text->substr(0, at);
                CAPTURE(cut);
                if (const auto read = parse(cut, columns()); !read) {
                    CHECK(read.error().offset + read.error().length <= cut.size());
                }
                std::string changed = *text;
                changed[at] = bytes[random.below(bytes.size())];
                CAPTURE(changed);
                if (const auto read = parse(changed, columns()); !read) {
                    CHECK(read.error().offset + read.error().length <= changed.size());
                    CHECK(http_status(read.error().code) < 500);
                }
            }
        }
    }
}
