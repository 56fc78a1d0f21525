// SPDX-License-Identifier: MIT
#ifndef SLUICE_SQL_DETAIL_TEST_FRAGMENTS_HPP
#define SLUICE_SQL_DETAIL_TEST_FRAGMENTS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include <sluice/base/ascii.hpp>
#include <sluice/sql/statement.hpp>

namespace sluice::sql::detail {

/// Properties of a column's collation. Without any the texts are compared by their bytes, which an
/// index in the order of another collation doesn't serve.
struct text_rules {
    bool equals_bytes = false;  ///< texts are equal only if their bytes are
    bool sorts_bytes = false;   ///< texts are in the order of their bytes
    // Tests that an index in the order of the collation serves, and that rows meet whose texts are
    // equal but for the case of ASCII letters; %4 is the column. See fragments, test_fragments.
    std::string_view any_text{}, one_text{}, starts{};
};

/// Returns the properties that a place's type says of its texts.
[[nodiscard]] inline text_rules text_rules_of(std::string_view name, dialect of) {
    // LIKE alone compares as MariaDB's collation does. By an index of utf8mb4_bin it finds no text
    // with a character before the space.
    const std::string_view starts =
        of == dialect::mariadb ? "(%4 LIKE %3 ESCAPE '!' AND LEFT(%1, CHAR_LENGTH(%2)) = %2)" : "";
    const std::string type = sluice::detail::to_lower(name);
    if (type == "bytewise") {
        return {.equals_bytes = true, .sorts_bytes = true, .starts = starts};
    }
    if (type == "deterministic") return {.equals_bytes = true};
    if (type == "citext") {
        return {.any_text = "%4 = ANY(%2::citext[])", .one_text = "%4 = %2::citext"};
    }
    if (type != "ignore_case") return {};
    if (of == dialect::postgresql) return {.any_text = "%4 = ANY(%2)", .one_text = "%4 = %2"};
    if (of == dialect::mariadb) return {.any_text = "%4 IN %2", .starts = starts};
    return {.any_text = "%4 COLLATE NOCASE IN (SELECT value FROM json_each(%2))",
            .one_text = "%4 COLLATE NOCASE = %2"};
}

/// The SQL of a dialect for tests of parts, of whole lists, of reals, days, choices and
/// records; see fragments. Each test is true or false if its operands aren't NULL.
struct test_fragments {
    // Parameters, by the type of their value: %1 is the number.
    std::string_view real, date, dates;
    // Parts: %1 is a text that is compared byte by byte, or its folded form, %2 a part, %3 the
    // part as a pattern of LIKE, %4 the column, %5 the text after all that start so. No part of
    // `ends` is empty.
    std::string_view contains, starts, ends;
    // As `starts`, by an index: of the texts' bytes, and without the case of ASCII letters. Empty
    // if one serves `starts`, or if there is none.
    std::string_view starts_in_order, starts_folded;
    char like_escape = '\\';
    // Of many parts: %1 a list, %2 a test of `part`, %3 the text; empty to join their tests.
    std::string_view any_part;
    std::string_view part;
    std::string_view parted;  // the text in `any_part`; empty for the text itself
    std::string_view folded;  // a text with its ASCII letters in lower case
    // Lists: %1 is one, %2 a list of values, %3 their number. Those of texts are compared byte by
    // byte; `has_all` is empty if `count_items` is as fast.
    std::string_view has_all, shares_number, has_all_numbers;
    std::string_view count_items;  // %2 an expression of `item` to count once, %3 a test of it
    // Lists that are read as JSON: tests of the text %1, which cost less than those of its items;
    // empty if they don't.
    std::string_view json_bytes{}, json_folded{};  // operands of `json_may_have`; %1 is the text
    std::string_view json_may_have{};  // false for a text without escapes of a list without %2
    std::string_view json_escapes{};   // the text may have escapes
    // True only for a list with any item of %3, an array in JSON; %2 is the text in bytes, or
    // folded.
    std::string_view json_shares{};
    std::string_view json_matches{};  // %2 a pattern of the text
    // Values of other types: %1 is one.
    std::string_view real_or_null;  // NULL for NaN
    std::string_view choice_place;  // in %2, a list of texts, from 1; NULL if it is none of them
    std::string_view ordered_uuid;  // in lower case
    // Records: %1 is a column of JSON, %2 a condition on a record.
    std::string_view any_record;
    std::string_view is_true{};  // %1 a test that may be NULL; empty if IS NOT NULL costs no more
    // A record's values, by the types of columns: %1 is the key in quotes. NULL if there is none.
    std::string_view text_of, integer_of, real_of, boolean_of, date_of, list_of, integers_of;
};

inline constexpr std::array<test_fragments, dialect_names.size()> all_test_fragments{{
    {.real = "?%1",
     .date = "?%1",
     .dates = "?%1",
     .contains = "instr(%1, %2) > 0",
     .starts = "substr(%1, 1, length(%2)) = %2",
     .ends = "substr(%1, -length(%2)) = %2",
     .starts_in_order = "(%1 >= %2 AND %1 < %5)",
     .starts_folded = "(%4 COLLATE NOCASE >= %2 AND %4 COLLATE NOCASE < %5 AND substr(%1, 1, "
                      "length(%2)) = %2)",
     // The text is named apart, since json_each() has columns that may be called as it is.
     .any_part = "EXISTS (SELECT 1 FROM (SELECT %3 AS sluice_text), json_each(%1) AS sluice_part "
                 "WHERE %2)",
     .part = "sluice_part.value",
     .parted = "sluice_text",
     .folded = "lower(%1)",
     .has_all = {},
     .shares_number = "EXISTS (SELECT 1 FROM %1 AS sluice_item WHERE sluice_item.value IN (SELECT "
                      "value FROM json_each(%2)))",
     .has_all_numbers = "(SELECT count(DISTINCT sluice_item.value) FROM %1 AS sluice_item WHERE "
                        "sluice_item.value IN (SELECT value FROM json_each(%2))) = %3",
     .count_items = "(SELECT count(DISTINCT %2) FROM %1 AS sluice_item WHERE %3)",
     .real_or_null = "%1",
     .choice_place = "(SELECT sluice_choice.key + 1 FROM (SELECT %1 AS sluice_text), json_each(%2) "
                     "AS sluice_choice WHERE sluice_choice.value COLLATE BINARY = sluice_text)",
     .ordered_uuid = "%1 COLLATE NOCASE",
     .any_record = "EXISTS (SELECT 1 FROM %1 AS sluice_record WHERE %2)",
     .is_true = "(%1) IS TRUE",
     .text_of = "json_extract(sluice_record.value, '$.\"%1\"')",
     .integer_of = "json_extract(sluice_record.value, '$.\"%1\"')",
     .real_of = "json_extract(sluice_record.value, '$.\"%1\"')",
     .boolean_of = "json_extract(sluice_record.value, '$.\"%1\"')",
     .date_of = "json_extract(sluice_record.value, '$.\"%1\"')",
     .list_of = "json_extract(sluice_record.value, '$.\"%1\"')",
     .integers_of = "json_extract(sluice_record.value, '$.\"%1\"')"},
    {.real = "$%1::DOUBLE",
     .date = "$%1::DATE",
     .dates = "$%1::DATE[]",
     // Several prefix() are twice as fast as several starts_with().
     .contains = "contains(%1, %2)",
     .starts = "prefix(%1, %2)",
     .ends = "ends_with(%1, %2)",
     .starts_in_order = {},
     // No text starts so that lower() doesn't find. It folds other alphabets too.
     .starts_folded = "(prefix(lower(%4::VARCHAR COLLATE \"binary\"), lower(%2)) AND CASE WHEN "
                      "strlen(%4::VARCHAR) = length(%4::VARCHAR) THEN "
                      "prefix(lower(%4::VARCHAR COLLATE \"binary\"), %2) ELSE "
                      "prefix(translate(%4::VARCHAR COLLATE \"binary\", "
                      "'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'), %2) END)",
     .any_part = "EXISTS (SELECT 1 FROM (SELECT unnest(%1::VARCHAR[]) AS sluice_value) AS "
                 "sluice_part WHERE %2)",
     .part = "sluice_part.sluice_value",
     .parted = {},
     .folded = "CASE WHEN strlen(%1) = length(%1) THEN lower(%1) ELSE translate(%1, "
               "'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz') END",
     .has_all = "(list_has_all(%1::VARCHAR[], %2::VARCHAR[]) AND len(%2) = %3)",
     .shares_number = "list_has_any(%1::BIGINT[], %2::BIGINT[])",
     .has_all_numbers = "(list_has_all(%1::BIGINT[], %2::BIGINT[]) AND len(%2) = %3)",
     .count_items = "(SELECT count(DISTINCT %2) FROM (SELECT unnest(%1::VARCHAR[]) AS "
                    "sluice_value) AS sluice_item WHERE %3)",
     .real_or_null = "nullif(%1, 'NaN'::DOUBLE)",
     .choice_place = "list_position(%2, %1)",
     .ordered_uuid = "lower(%1::VARCHAR) COLLATE \"binary\"",
     .any_record = "EXISTS (SELECT 1 FROM (SELECT unnest(CAST(%1 AS JSON[])) AS sluice_value) AS "
                   "sluice_record WHERE %2)",
     .text_of = "(sluice_record.sluice_value ->> '$.\"%1\"')",
     .integer_of = "TRY_CAST(sluice_record.sluice_value ->> '$.\"%1\"' AS BIGINT)",
     .real_of = "TRY_CAST(sluice_record.sluice_value ->> '$.\"%1\"' AS DOUBLE)",
     .boolean_of = "TRY_CAST(sluice_record.sluice_value ->> '$.\"%1\"' AS BOOLEAN)",
     .date_of = "TRY_CAST(sluice_record.sluice_value ->> '$.\"%1\"' AS DATE)",
     .list_of = "CAST(sluice_record.sluice_value -> '$.\"%1\"' AS VARCHAR[])",
     .integers_of = "CAST(sluice_record.sluice_value -> '$.\"%1\"' AS BIGINT[])"},
    {.real = "$%1::double precision",
     .date = "$%1::date",
     .dates = "$%1::date[]",
     // An index of trigrams serves them.
     .contains = "%1 LIKE %3",
     .starts = "%1 LIKE %3",
     .ends = "%1 LIKE %3",
     .starts_in_order = {},
     .starts_folded = {},
     .any_part = "EXISTS (SELECT 1 FROM unnest(%1) AS sluice_part(sluice_value) WHERE %2)",
     .part = "sluice_part.sluice_value",
     .parted = {},
     .folded = "lower(%1)",
     .has_all = "(%1::text[] @> %2 AND coalesce(%1::text[] COLLATE \"C\" @> %2, FALSE) AND "
                "cardinality(%2) = %3)",
     .shares_number = "%1::bigint[] && %2",
     .has_all_numbers = "(%1::bigint[] @> %2 AND cardinality(%2) = %3)",
     .count_items = "(SELECT count(DISTINCT %2) FROM unnest(%1) AS sluice_item(value) WHERE %3)",
     .real_or_null = "nullif(%1, 'NaN'::float8)",
     .choice_place = "array_position(%2, %1)",
     .ordered_uuid = "lower(%1::text COLLATE \"C\")",
     .any_record = "EXISTS (SELECT 1 FROM jsonb_array_elements(%1) AS sluice_record(value) WHERE "
                   "%2)",
     .text_of = "(sluice_record.value ->> '%1')",
     .integer_of = "(CASE jsonb_typeof(sluice_record.value -> '%1') WHEN 'number' THEN "
                   "(sluice_record.value ->> '%1')::bigint END)",
     .real_of = "(CASE jsonb_typeof(sluice_record.value -> '%1') WHEN 'number' THEN "
                "(sluice_record.value ->> '%1')::float8 END)",
     .boolean_of = "(CASE jsonb_typeof(sluice_record.value -> '%1') WHEN 'boolean' THEN "
                   "(sluice_record.value ->> '%1')::boolean END)",
     .date_of = "(sluice_record.value ->> '%1')::date",
     .list_of = "(CASE jsonb_typeof(sluice_record.value -> '%1') WHEN 'array' THEN ARRAY(SELECT "
                "jsonb_array_elements_text(sluice_record.value -> '%1')) END)",
     .integers_of = "(CASE jsonb_typeof(sluice_record.value -> '%1') WHEN 'array' THEN "
                    "ARRAY(SELECT jsonb_array_elements_text(sluice_record.value -> '%1')::bigint) "
                    "END)"},
    {.real = "{p%1:Float64}",
     .date = "{p%1:String}",
     .dates = "{p%1:Array(String)}",
     .contains = "%1 LIKE %3",  // a skipping index of n-grams serves it
     .starts = "startsWith(%1, %2)",
     .ends = "endsWith(%1, %2)",
     .starts_in_order = {},
     .starts_folded = {},
     .any_part = "arrayExists(sluice_part -> %2, %1)",
     .part = "sluice_part",
     .parted = {},
     .folded = "lower(%1)",
     .has_all = "hasAll(%1, %2)",  // which holds any text
     .shares_number = "hasAny(%1, %2)",
     .has_all_numbers = "(hasAll(%1, %2) AND length(%2) = %3)",
     .count_items = "length(arrayDistinct(arrayMap(sluice_item -> %2, arrayFilter(sluice_item -> "
                    "%3, %1))))",
     .real_or_null = "if(isNaN(%1), NULL, %1)",
     .choice_place = "nullIf(indexOf(%2, %1), 0)",
     .ordered_uuid = "lower(%1)",
     .any_record = "arrayExists(sluice_record -> %2, JSONExtractArrayRaw(ifNull(%1, '[]')))",
     .is_true = "ifNull(%1, 0)",
     .text_of = "JSONExtract(sluice_record, '%1', 'Nullable(String)')",
     .integer_of = "JSONExtract(sluice_record, '%1', 'Nullable(Int64)')",
     .real_of = "JSONExtract(sluice_record, '%1', 'Nullable(Float64)')",
     .boolean_of = "JSONExtract(sluice_record, '%1', 'Nullable(Bool)')",
     .date_of = "JSONExtract(sluice_record, '%1', 'Nullable(String)')",
     .list_of = "JSONExtract(sluice_record, '%1', 'Array(String)')",
     .integers_of = "JSONExtract(sluice_record, '%1', 'Array(Int64)')"},
    {.real = "\xFF%1\xFF",
     .date = "CAST(\xFF%1\xFF AS DATE)",
     .dates = {},
     .contains = "LOCATE(%2, %1) > 0",
     .starts = "LEFT(%1, CHAR_LENGTH(%2)) = %2",
     .ends = "RIGHT(%1, CHAR_LENGTH(%2)) = %2",
     .starts_in_order = {},
     .starts_folded = {},
     .like_escape = '!',
     .any_part = {},
     .part = {},
     .parted = {},
     // Of bytes in a set of characters that has no case beyond ASCII; see fragments.
     .folded = "CONVERT(CAST(LOWER(CONVERT(CAST(%1 AS BINARY) USING geostd8)) AS BINARY) USING "
               "utf8mb4) COLLATE utf8mb4_nopad_bin",
     .has_all = {},
     .shares_number = {},
     .has_all_numbers = {},
     .count_items = "(SELECT COUNT(DISTINCT %2) FROM JSON_TABLE(%1, '$[*]' COLUMNS (sluice_value "
                    "LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin PATH '$')) AS "
                    "sluice_item WHERE %3)",
     .json_bytes = "CONVERT(%1 USING utf8mb4)",
     .json_folded = "LOWER(CONVERT(CAST(CONVERT(%1 USING utf8mb4) AS BINARY) USING geostd8))",
     .json_may_have = "LOCATE(BINARY %2, %1) > 0",
     .json_escapes = "LOCATE(BINARY CHAR(92), %1) > 0",
     // A text that isn't an array shares its value too.
     .json_shares = "(LEFT(%1, 1) = '[' AND JSON_OVERLAPS(%2, %3))",
     .json_matches = "%1 REGEXP %2",
     .real_or_null = "%1",
     .choice_place = "NULLIF(FIELD(%1, %2), 0)",
     .ordered_uuid = "LOWER(CONVERT(%1 USING utf8mb4)) COLLATE utf8mb4_nopad_bin",
     .any_record = "EXISTS (SELECT 1 FROM JSON_TABLE(%1, '$[*]' COLUMNS (sluice_value JSON PATH "
                   "'$')) AS sluice_record WHERE %2)",
     .text_of = "JSON_VALUE(sluice_record.sluice_value, '$.\"%1\"')",
     .integer_of = "CAST(JSON_VALUE(sluice_record.sluice_value, '$.\"%1\"') AS SIGNED)",
     .real_of = "CAST(JSON_VALUE(sluice_record.sluice_value, '$.\"%1\"') AS DOUBLE)",
     .boolean_of = "CAST(JSON_VALUE(sluice_record.sluice_value, '$.\"%1\"') AS SIGNED)",
     .date_of = "CAST(JSON_VALUE(sluice_record.sluice_value, '$.\"%1\"') AS DATE)",
     .list_of = "JSON_EXTRACT(sluice_record.sluice_value, '$.\"%1\"')",
     .integers_of = "JSON_EXTRACT(sluice_record.sluice_value, '$.\"%1\"')"},
}};
static_assert(std::ranges::all_of(all_test_fragments,
                                  [](const test_fragments& of) { return !of.contains.empty(); }));

[[nodiscard]] constexpr const test_fragments& test_fragments_of(dialect of) noexcept {
    return all_test_fragments[static_cast<std::size_t>(of)];
}

}  // namespace sluice::sql::detail

#endif
