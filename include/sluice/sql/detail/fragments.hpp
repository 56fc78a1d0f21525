// SPDX-License-Identifier: MIT
#ifndef SLUICE_SQL_DETAIL_FRAGMENTS_HPP
#define SLUICE_SQL_DETAIL_FRAGMENTS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

#include <sluice/base/ascii.hpp>
#include <sluice/sql/mapping.hpp>
#include <sluice/sql/statement.hpp>

/// Fragments: the words of each SQL dialect, a record a dialect.
namespace sluice::sql::detail {

/// The form in which a dialect takes a list.
enum class list_form : unsigned char {
    array,  // as one value
    json,   // as one JSON text
    items,  // each item as a value
};

/// Texts that a dialect's columns can hold.
enum class text_range : unsigned char { utf8_without_nul, utf8, bytes };

/// The SQL of a dialect for parts of conditions and orders. `%1` to `%4` stand for the operands
/// that the comments name. Each test is true or false if its operands aren't NULL.
struct fragments {
    list_form lists{};
    text_range holds{};
    // Storages beside `prepared`, and the advice to use one of them.
    bool has_native = false, has_function = false;
    bool has_infinity = true;  // among reals
    bool orders_nan = false;   // NaN is a value above all others; otherwise NULL takes its place
    std::string_view storages;
    bool compares_null = false;  // NULL equals NULL in `one_of` and the like
    bool guards_last = false;    // a test of equality is faster than one of NULL before it
    // The negation of a test of several values, %1, which is NULL if its column is. Empty if NOT of
    // a test that is never NULL is as fast.
    std::string_view not_true;
    // Parameters, by the type of their value: %1 is the number.
    std::string_view integer, boolean, text, integers, texts;
    // Numbers: %1 is one.
    std::string_view any_of;  // %2 a list
    std::string_view one_of;  // %2 the only value of one, or NULL; empty if that is no faster
    // The number isn't NaN, for tests without an upper bound; empty if no column has NaN.
    std::string_view not_nan;
    // A text column as the operand of what follows: as text, whatever its type, such as an ENUM.
    std::string_view as_text;
    // Texts, compared byte by byte whatever the column's collation is: %1 is one.
    std::string_view any_text;  // as `any_of`
    std::string_view one_text;  // as `one_of`
    // Like `one_text` for a value that is never NULL; empty if `one_text` is as fast.
    std::string_view equals;
    // The same, ignoring the case of ASCII letters; %2 is in lower case.
    std::string_view any_folded;     // %3 the texts that aren't ASCII, if it is used
    std::string_view one_folded;     // %3 likewise
    std::string_view equals_folded;  // as `equals`
    std::string_view after;          // after the first byte %2; all of it if there is none
    std::string_view before;         // before the first byte %2; likewise
    std::string_view in_bytes;       // a text column, to be ordered by its bytes
    // The head of a page that is ordered by texts.
    std::string_view sorts_texts;
    // Places of NULL in orders; empty if the dialect has them by itself.
    std::string_view nulls_first, nulls_last;
    // Rows have their keys computed before they are sorted, so cursors' forms of keys come after.
    bool converts_late = false;
    // `(a, b) > (x, y)` is faster than tests of a and b; with `bounds_rows`, beside `a >= x`, which
    // an index serves or which skips groups of rows, and which rules out NULL.
    bool compares_rows = false, bounds_rows = false;
    // A list column or a prepared map as the fragments below read it; the second if its name could
    // be taken for another's there.
    std::string_view opened, opened_apart;
    // List columns: %1 is one.
    std::string_view shares_any;  // %2 a list
    std::string_view shares_one;  // as `one_of`
    std::string_view has_item;    // %2 a test of `item`
    std::string_view item;
    // Prepared maps: %1 is one, %2 a path. True or false even if there is no entry.
    std::string_view has_entry;
    std::string_view entry_is;        // %3 a text
    std::string_view entry_compares;  // %3 an operator, %4 a text
    std::string_view entry;           // the text of an entry, NULL without one
};

/// The number of a parameter of MariaDB, which numbers none, until the whole text is written. UTF-8
/// never has the byte.
inline constexpr char number_mark = '\xFF';

inline constexpr std::array<fragments, dialect_names.size()> all_fragments{{
    {.lists = list_form::json,
     .holds = text_range::utf8_without_nul,
     .has_function = true,
     .storages = "use 'prepared' or 'function': 'native' metadata is PostgreSQL's",
     .compares_null = true,
     .guards_last = true,
     .not_true = "(%1) IS NOT TRUE",
     .integer = "?%1",
     .boolean = "?%1",
     .text = "?%1",
     .integers = "?%1",
     .texts = "?%1",
     .any_of = "%1 IN (SELECT value FROM json_each(%2))",
     .one_of = "%1 IS %2",
     .not_nan = {},
     .as_text = "%1",
     .any_text = "%1 COLLATE BINARY IN (SELECT value FROM json_each(%2))",
     .one_text = "%1 COLLATE BINARY IS %2",
     .equals = {},
     .any_folded = "%1 COLLATE NOCASE IN (SELECT value FROM json_each(%2))",
     .one_folded = "%1 COLLATE NOCASE IS %2",
     .equals_folded = {},
     .after = "substr(%1, instr(%1, '%2') + 1)",
     .before = "substr(%1, 1, instr(%1 || '%2', '%2') - 1)",
     .in_bytes = "%1 COLLATE BINARY",
     .sorts_texts = {},
     .nulls_first = " NULLS FIRST",
     .nulls_last = " NULLS LAST",
     .compares_rows = true,
     .bounds_rows = true,
     .opened = "json_each(%1)",
     .opened_apart = "(SELECT %1 AS sluice_json), json_each(sluice_json)",
     .shares_any = "EXISTS (SELECT 1 FROM %1 AS sluice_item WHERE sluice_item.value IN "
                   "(SELECT value FROM json_each(%2)))",
     .shares_one = "EXISTS (SELECT 1 FROM %1 AS sluice_item WHERE sluice_item.value = %2)",
     .has_item = "EXISTS (SELECT 1 FROM %1 AS sluice_item WHERE sluice_item.value IS NOT NULL AND "
                 "%2)",
     .item = "sluice_item.value",
     .has_entry = "EXISTS (SELECT 1 FROM %1 WHERE key = %2)",
     .entry_is = "EXISTS (SELECT 1 FROM %1 WHERE key = %2 AND value = %3)",
     .entry_compares = "EXISTS (SELECT 1 FROM %1 WHERE key = %2 AND value %3 %4)",
     .entry = "(SELECT value FROM %1 WHERE key = %2)"},
    // DuckDB plans statements for their values each time; a cast that isn't needed costs time.
    {.lists = list_form::array,
     .holds = text_range::utf8,
     .has_function = true,
     .orders_nan = true,
     .storages = "use 'prepared' or 'function': 'native' metadata is PostgreSQL's",
     .not_true = {},
     .integer = "$%1",
     .boolean = "$%1",
     .text = "$%1::VARCHAR",
     .integers = "$%1",
     .texts = "$%1",
     .any_of = "%1 IN %2",
     .one_of = "(%2 IS NOT NULL AND %1 = %2)",
     .not_nan = "NOT isnan(%1)",
     .as_text = "%1::VARCHAR COLLATE \"binary\"",  // an index still serves it
     .any_text = "%1 IN %2",
     .one_text = "(%2 IS NOT NULL AND %1 = %2)",
     .equals = {},
     // lower() folds other alphabets too, so only texts that are ASCII are compared by it;
     // translate() takes 40 times as long.
     .any_folded = "((lower(%1) IN %2 AND strlen(%1) = length(%1)) OR (len(%3) > 0 AND "
                   "strlen(%1) <> length(%1) AND translate(%1, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', "
                   "'abcdefghijklmnopqrstuvwxyz') IN %3))",
     .one_folded = "((%2 IS NOT NULL AND lower(%1) = %2 AND strlen(%1) = length(%1)) OR (%3 IS NOT "
                   "NULL AND strlen(%1) <> length(%1) AND translate(%1, "
                   "'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz') = %3))",
     .equals_folded = {},
     .after = "substr(%1, instr(%1, '%2') + 1)",
     .before = "split_part(%1, '%2', 1)",
     .in_bytes = "%1::VARCHAR COLLATE \"binary\"",
     .sorts_texts = {},
     .nulls_first = " NULLS FIRST",
     .nulls_last = " NULLS LAST",
     .converts_late = true,
     .compares_rows = true,
     .bounds_rows = true,
     .opened = "%1",
     .opened_apart = "%1",
     .shares_any = "list_has_any(%1::VARCHAR[], %2)",
     .shares_one = {},
     .has_item = "EXISTS (SELECT 1 FROM (SELECT unnest(%1::VARCHAR[]) AS sluice_value) AS "
                 "sluice_item WHERE %2)",
     .item = "sluice_item.sluice_value",
     .has_entry = "%1[%2] IS NOT NULL",
     .entry_is = "coalesce(%1[%2] = %3, FALSE)",
     .entry_compares = "coalesce(%1[%2] %3 %4, FALSE)",
     .entry = "%1[%2]"},
    {.lists = list_form::array,
     .holds = text_range::utf8_without_nul,
     .has_native = true,
     .orders_nan = true,
     .storages = "use 'prepared' or 'native': PostgreSQL has no 'function'",
     .not_true = {},
     .integer = "$%1::bigint",
     .boolean = "$%1::boolean",
     .text = "$%1::text",
     .integers = "$%1::bigint[]",
     .texts = "$%1::text[]",
     .any_of = "%1 = ANY(%2)",
     .one_of = "(%2 IS NOT NULL AND %1 = %2)",
     // Converting integers to numeric takes three times as long. The planner assumes `<>` is true.
     .not_nan = "%1 <> 'NaN'::float8",
     .as_text = "%1::text",
     // An index serves the column's own collation; texts of equal bytes are equal in any.
     // coalesce() keeps the planner from counting the second test as another condition.
     .any_text = "(%1 = ANY(%2) AND coalesce(%1 COLLATE \"C\" = ANY(%2), FALSE))",
     .one_text = "(%2 IS NOT NULL AND %1 = %2 AND coalesce(%1 COLLATE \"C\" = %2, FALSE))",
     .equals = {},
     .any_folded = "lower(%1 COLLATE \"C\") = ANY(%2)",
     .one_folded = "(%2 IS NOT NULL AND lower(%1 COLLATE \"C\") = %2)",
     .equals_folded = {},
     .after = "substr(%1, strpos(%1 COLLATE \"C\", '%2') + 1)",
     .before = "split_part(%1 COLLATE \"C\", '%2', 1)",
     .in_bytes = "%1::text COLLATE \"C\"",
     .sorts_texts = {},
     .nulls_first = " NULLS FIRST",
     .nulls_last = " NULLS LAST",
     .compares_rows = true,
     .opened = "%1",
     .opened_apart = "%1",
     .shares_any = "(%1::text[] && %2 AND coalesce(%1::text[] COLLATE \"C\" && %2, FALSE))",
     .shares_one = {},
     .has_item = "EXISTS (SELECT 1 FROM unnest(%1) AS sluice_item(value) WHERE %2)",
     .item = "sluice_item.value",
     .has_entry = "(%1 ->> %2) IS NOT NULL",
     // An index serves it, unlike `->>`.
     .entry_is = "(%1 IS NOT NULL AND %1 @> jsonb_build_object(%2, %3))",
     .entry_compares = "coalesce((%1 ->> %2) COLLATE \"C\" %3 %4, FALSE)",
     .entry = "(%1 ->> %2)"},
    {.lists = list_form::array,
     .holds = text_range::bytes,
     .storages = "use 'prepared': ClickHouse has no other metadata",
     .guards_last = true,
     .not_true = {},
     .integer = "{p%1:Int64}",
     .boolean = "{p%1:Bool}",
     .text = "{p%1:String}",
     .integers = "{p%1:Array(Int64)}",
     .texts = "{p%1:Array(String)}",
     .any_of = "%1 IN %2",
     .one_of = {},
     .not_nan = "%1 = %1",
     .as_text = "%1",
     .any_text = "%1 IN %2",
     .one_text = {},
     .equals = "%1 = %2",  // a parameter is never NULL
     .any_folded = "lower(%1) IN %2",
     .one_folded = {},
     .equals_folded = "lower(%1) = %2",
     .after = "substring(%1, position(%1, '%2') + 1)",
     .before = "substring(%1, 1, position(concat(%1, '%2'), '%2') - 1)",
     .in_bytes = "%1",
     .sorts_texts = {},
     .nulls_first = " NULLS FIRST",
     .nulls_last = " NULLS LAST",
     .opened = "%1",
     .opened_apart = "%1",
     .shares_any = "hasAny(%1, %2)",
     .shares_one = {},
     .has_item = "arrayExists(sluice_item -> %2, %1)",
     .item = "sluice_item",
     .has_entry = "mapContains(%1, %2)",
     .entry_is = "(mapContains(%1, %2) AND %1[%2] = %3)",
     .entry_compares = "(mapContains(%1, %2) AND %1[%2] %3 %4)",
     .entry = "if(mapContains(%1, %2), %1[%2], NULL)"},
    // A text that is compared with a value takes the column's collation, which an index is of; so
    // it is compared byte by byte besides. Texts of equal bytes are equal in any collation.
    {.lists = list_form::items,
     .holds = text_range::utf8,
     .has_infinity = false,
     .storages = "use 'prepared': MariaDB has no other metadata",
     .not_true = {},
     .integer = "\xFF%1\xFF",
     .boolean = "\xFF%1\xFF",
     .text = "\xFF%1\xFF",
     .integers = {},
     .texts = {},
     .any_of = "%1 IN %2",
     .one_of = {},
     .not_nan = {},
     .as_text = "%1",
     .any_text = "(%1 IN %2 AND CONVERT(%1 USING utf8mb4) COLLATE utf8mb4_nopad_bin IN %2)",
     .one_text = {},
     .equals = {},
     // LOWER() folds other alphabets too, except of bytes in a set of characters that has no case
     // beyond ASCII.
     .any_folded = "CONVERT(CAST(LOWER(CONVERT(CAST(CONVERT(%1 USING utf8mb4) AS BINARY) USING "
                   "geostd8)) AS BINARY) USING utf8mb4) COLLATE utf8mb4_nopad_bin IN %2",
     .one_folded = {},
     .equals_folded = {},
     .after =
         "SUBSTRING(%1, LOCATE('%2', CONVERT(%1 USING utf8mb4) COLLATE utf8mb4_nopad_bin) + 1)",
     .before = "SUBSTRING_INDEX(%1, '%2', 1)",
     .in_bytes = "CONVERT(%1 USING utf8mb4) COLLATE utf8mb4_nopad_bin",
     // By default only the first 341 characters are sorted by. A larger length slows down sorts by
     // columns of TEXT.
     .sorts_texts = "SET STATEMENT max_sort_length = 8192 FOR ",
     .nulls_first = {},
     .nulls_last = {},
     .opened = "%1",
     .opened_apart = "%1",
     .shares_any = "EXISTS (SELECT 1 FROM JSON_TABLE(%1, '$[*]' COLUMNS (sluice_value LONGTEXT "
                   "CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin PATH '$')) AS sluice_item "
                   "WHERE sluice_item.sluice_value IN %2)",
     .shares_one = {},
     .has_item = "EXISTS (SELECT 1 FROM JSON_TABLE(%1, '$[*]' COLUMNS (sluice_value LONGTEXT "
                 "CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin PATH '$')) AS sluice_item "
                 "WHERE sluice_item.sluice_value IS NOT NULL AND %2)",
     .item = "sluice_item.sluice_value",
     .has_entry = "JSON_VALUE(%1, CONCAT('$.', JSON_QUOTE(%2))) IS NOT NULL",
     .entry_is = "coalesce(CONVERT(JSON_VALUE(%1, CONCAT('$.', JSON_QUOTE(%2))) USING utf8mb4) "
                 "COLLATE utf8mb4_nopad_bin = %3, FALSE)",
     .entry_compares = "coalesce(CONVERT(JSON_VALUE(%1, CONCAT('$.', JSON_QUOTE(%2))) USING "
                       "utf8mb4) COLLATE utf8mb4_nopad_bin %3 %4, FALSE)",
     .entry = "JSON_VALUE(%1, CONCAT('$.', JSON_QUOTE(%2)))"},
}};
static_assert(std::ranges::all_of(all_fragments, [](const fragments& of) {
    return !of.text.empty() && !of.storages.empty();
}));

[[nodiscard]] constexpr const fragments& fragments_of(dialect of) noexcept {
    return all_fragments[static_cast<std::size_t>(of)];
}

/// The part of a dialect's limits that is left for conditions; see condition::nesting(). A group
/// costs at most three levels; the rest of a statement and the program's own expressions need some
/// too.
struct limits {
    std::size_t nesting;
    std::string_view at_most_levels;  // advice
    std::size_t parameters;
    std::string_view at_most_parameters;
    std::size_t buckets;  // of time, whose bounds are two parameters
    std::string_view at_most_buckets;
};

inline constexpr std::array<limits, dialect_names.size()> all_limits{{
    {42, "use at most 14 levels of AND and OR", 32'000, "use at most 32000 conditions and values",
     100'000, "use at most 100000 buckets of time"},
    {600, "use at most 200 levels of AND and OR", 65'000, "use at most 65000 conditions and values",
     100'000, "use at most 100000 buckets of time"},
    {600, "use at most 200 levels of AND and OR", 65'000, "use at most 65000 conditions and values",
     100'000, "use at most 100000 buckets of time"},
    // A parameter of HTTP has at most 128 KiB, a time with an escaped comma and space 21 bytes.
    {150, "use at most 50 levels of AND and OR", 900, "use at most 900 conditions and values",
     6'000, "use at most 6000 buckets of time"},
    {600, "use at most 200 levels of AND and OR", 65'000, "use at most 65000 conditions and values",
     100'000, "use at most 100000 buckets of time"},
}};
static_assert(std::ranges::all_of(all_limits,
                                  [](const limits& most) { return most.parameters > 0; }));

[[nodiscard]] constexpr const limits& limits_of(dialect of) noexcept {
    return all_limits[static_cast<std::size_t>(of)];
}

/// Returns a fragment with its `%1` to `%4` replaced by operands, which aren't expanded themselves,
/// and `%%` by `%`.
[[nodiscard]] inline std::string fill(std::string_view fragment,
                                      std::initializer_list<std::string_view> operands) {
    std::size_t size = fragment.size();
    for (const std::string_view operand : operands) size += operand.size();
    std::string filled;
    filled.reserve(size);  // enough if no operand is repeated
    while (!fragment.empty()) {
        const std::size_t plain = std::min(fragment.find('%'), fragment.size());
        filled.append(fragment, 0, plain);
        fragment.remove_prefix(plain);
        if (fragment.empty()) break;
        if (fragment[1] == '%') {
            filled.push_back('%');
        } else {
            filled.append(operands.begin()[fragment[1] - '1']);
        }
        fragment.remove_prefix(2);
    }
    return filled;
}

/// Returns true if an expression may hold a name that SQLite's json_each() takes for its own
/// column.
[[nodiscard]] inline bool is_shadowed(const std::string& expression) {
    constexpr std::array<std::string_view, 10> json_each_columns{
        "key", "value", "type", "atom", "id", "parent", "fullkey", "path", "json", "root"};
    std::string name = sluice::detail::to_lower(expression);
    std::erase(name, '"');
    return !is_name(expression) ||
           std::ranges::find(json_each_columns, name) != json_each_columns.end();
}

/// Returns a list column or a prepared map as the fragments read it.
[[nodiscard]] inline std::string opened(const fragments& how, const std::string& expression) {
    return fill(is_shadowed(expression) ? how.opened_apart : how.opened, {expression});
}

}  // namespace sluice::sql::detail

#endif
