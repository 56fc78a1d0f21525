// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <sluice/arrow/filter_mask.hpp>
#include <sluice/params/openapi.hpp>
#include <sluice/query/json_writer.hpp>
#include <sluice/sql/compile.hpp>
#include <sluice/store/texts/dictionary.hpp>

#include "../arrow/make_array.hpp"

// Compiled with a copy of the headers in which add_collation.cmake has added a collation `prefix`.

using namespace sluice;

namespace {

constexpr auto prefix = collation::prefix;

/// The collation as a loop over bytes: a text equals a value of the same letters, and so does the
/// part of the text before its first dash.
bool is_prefix(std::string_view text, std::string_view value) {
    const auto is_same = [&](std::size_t size) {
        bool same = size == value.size();
        for (std::size_t i = 0; same && i < size; ++i) {
            same = std::tolower(text[i]) == std::tolower(value[i]);
        }
        return same;
    };
    const std::size_t dash = text.find('-');
    return is_same(text.size()) || (dash != std::string_view::npos && is_same(dash));
}

/// Texts of a few letters and dashes.
class random_texts {
public:
    std::string text() {
        std::string letters(random_() % 5 + 1, 'x');
        for (char& byte : letters) byte = std::string_view("eEnN--")[random_() % 6];
        return letters;
    }
    std::vector<std::string> list(std::size_t size) {
        std::vector<std::string> all(size);
        for (std::string& item : all) item = text();
        return all;
    }
    filter wanted() {
        const std::vector<std::string> values = list(random_() % 7 + 1);
        const std::vector<std::string_view> views(values.begin(), values.end());
        return filter(std::span<const std::string_view>(views), random_() % 2 == 0);
    }

private:
    std::mt19937 random_{5};
};

/// The rows whose text is any of a filter's values, by the loop; all others if it excludes.
std::vector<bool> rows_of(const std::vector<std::string>& rows, const filter& wanted) {
    std::vector<bool> passes;
    for (const std::string& row : rows) {
        const auto& values = wanted.values();
        const bool has_it = std::any_of(values.begin(), values.end(), [&](std::string_view value) {
            return is_prefix(row, value);
        });
        passes.push_back(has_it != wanted.excludes());
    }
    return passes;
}

}  // namespace

TEST_CASE("an added collation has its name, and its values are those of a loop over bytes") {
    CHECK(record_of(prefix).name == "prefix");
    CHECK(std::ranges::count(collation_names, "prefix") == 1);
    for (const collation how : collations) {
        CHECK(record_of(how).name == collation_names[static_cast<std::size_t>(how)]);
    }
    random_texts random;
    for (int i = 0; i < 3'000; ++i) {
        const std::string row = random.text();
        const filter wanted = random.wanted();
        const bool passes = rows_of({row}, wanted).front();
        CHECK(wanted.matches(std::string_view(row), prefix) == passes);
        const filter_matcher values(wanted.values(), prefix);
        CHECK((values.contains(row) != wanted.excludes()) == passes);
    }
}

TEST_CASE("a store and a mask have the rows of an added collation") {
    random_texts random;
    const std::vector<std::string> rows = random.list(400);
    store::dictionary texts;
    std::vector<store::code> row_codes;
    for (const std::string& row : rows) row_codes.push_back(texts.encode(std::string_view(row)));
    const auto column = arrow_test::make_text("u", {rows.begin(), rows.end()});
    const auto type = column->type();
    for (int i = 0; i < 60; ++i) {
        const filter wanted = random.wanted();
        const std::vector<bool> expected = rows_of(rows, wanted);
        const auto codes = texts.codes_named(wanted.values(), prefix);
        std::vector<bool> selected;
        for (const store::code code : row_codes) {
            selected.push_back((std::ranges::count(codes, code) > 0) != wanted.excludes());
        }
        CHECK(selected == expected);
        const auto mask =
            arrow::filter_mask(type, column->array, arrow::row_filter(wanted, prefix));
        REQUIRE(mask);
        CHECK(arrow_test::to_bools(*mask) == expected);
    }
}

namespace {

constexpr schema pages{column{.name = "id"}, column{.name = "language", .how = prefix}};

sql::statement condition(std::string_view text, sql::dialect of) {
    list_query query;
    query.rows = where(leaf{*pages.find("language"), text_test{parse_filter(text).value()}, "p"});
    const auto mapping = sql::table_mapping(columns_view(pages.begin(), pages.size()), "pages", of);
    return sql::compile(query, mapping, of, sql::form::condition).value();
}

}  // namespace

TEST_CASE("SQL compares an added collation's values with a dash and the others apart") {
    const auto in_sqlite = condition("EN,pt-BR,de", sql::dialect::sqlite);
    CHECK(in_sqlite.text ==
          "(\"language\" COLLATE NOCASE IN (SELECT value FROM json_each(?1)) OR "
          "substr(\"language\", 1, instr(\"language\" || '-', '-') - 1) COLLATE NOCASE IN "
          "(SELECT value FROM json_each(?2)))");
    CHECK(in_sqlite.parameters == std::vector<sql::value>{R"(["pt-br"])", R"(["en","de"])"});
    CHECK(condition("en", sql::dialect::clickhouse).text ==
          "(lower(\"language\") IN {p1:Array(String)} OR lower(substring(\"language\", 1, "
          "position(concat(\"language\", '-'), '-') - 1)) IN {p2:Array(String)})");
}

TEST_CASE("a query's JSON names an added collation, and its choices are no pattern") {
    list_query query;
    query.rows = where(leaf{*pages.find("language"), text_test{filter({"EN"})}, "p"});
    CHECK(to_json(query).find(R"("collation":"prefix")") != std::string::npos);
    CHECK(detail::canonical_text(filter({"EN", "de"}), prefix) == "de,en");
    constexpr std::array<std::string_view, 1> choices{"en"};
    param_info info{.type = param_type::filter, .how = prefix};
    info.choices = choices;
    CHECK(detail::filter_value_pattern(info).find("en") == std::string::npos);
}
