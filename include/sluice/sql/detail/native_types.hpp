// SPDX-License-Identifier: MIT
#ifndef SLUICE_SQL_DETAIL_NATIVE_TYPES_HPP
#define SLUICE_SQL_DETAIL_NATIVE_TYPES_HPP

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include <sluice/query/schema.hpp>
#include <sluice/sql/mapping.hpp>
#include <sluice/sql/statement.hpp>
#include <sluice/time/instant.hpp>

/// Native types: the types of columns that databases have.
namespace sluice::sql::detail {

/// The form of an instant as a parameter.
enum class time_form : unsigned char {
    seconds,  // since 1970, rounded up
    zoned,    // 2026-08-21T02:30:15.123Z
    local,    // 2026-08-21 02:30:15.123 in UTC, without zeros at its end
};

constexpr instant first_of_year(int year) noexcept {
    return std::chrono::sys_days{std::chrono::year{year} / 1 / 1};
}

/// The part in parentheses of a type's name.
enum class type_argument : unsigned char {
    ignored,    // such as the precision of times
    precision,  // of decimals, and a scale: decimal(12, 2)
    scale,      // of integers that are decimals: scaled(2)
    name,       // of a type that the program created: enum(order_state)
};

/// A type of columns in a database, of which ddl() uses some. A parameter is cast to it, never the
/// column, so that an index of the column serves. A type with nothing but names is asked as
/// ddl()'s.
///
/// In the fragments `%1` stands for the operand, `%2` for the part in parentheses of the type's
/// name, and in parameters `%3` for their number.
struct native_type {
    std::optional<dialect> of{};   // nullopt for each
    std::string_view names{};      // in lower case
    column_types types = 0;        // of the schema
    std::string_view parameter{};  // the value of a text or number
    std::string_view key{};        // a column's value as a cursor's key
    time_form form = time_form::zoned;
    std::size_t digits = 9;  // of fractions of a second, at most
    // Instants and days that parameters can have; the columns have none before or after them.
    instant earliest = first_of_year(1), end = first_of_year(10'000);
    bool is_list = false;
    type_argument argument = type_argument::ignored;
    std::string_view parameters{};  // a list; empty for each item as a parameter
    // The texts that the database orders as the list is ordered, and cursors' keys are compared
    // with; empty if the database orders the type so.
    std::string_view order{};
    std::string_view number{};  // a key, to be ordered as a number; empty for the key itself
    // Decimals: the column isn't NaN, and NULL for NaN; empty if it never is.
    std::string_view not_nan{}, nan_as_null{};
    // A choice after others is one of those that come after them: the database compares texts.
    bool compares_texts = false;
    std::optional<storage> how{};
    std::string_view opened{};  // the column as tests without a fragment here read it
    // Lists: %2 is a list of values, %3 their number.
    std::string_view shares_any{}, has_all{};
    std::int64_t largest = std::numeric_limits<std::int64_t>::max();  // of integers

    /// Returns true if the columns are asked as those of ddl().
    [[nodiscard]] constexpr bool is_plain() const noexcept {
        return parameter.empty() && key.empty() && opened.empty() && !how;
    }
};

namespace native_sets {

inline constexpr column_types time = set_of(column_type::time), text = set_of(column_type::text),
                              date = set_of(column_type::date), uuid = set_of(column_type::uuid),
                              decimal = set_of(column_type::decimal),
                              real = set_of(column_type::real), json = set_of(column_type::json),
                              choice = set_of(column_type::choice),
                              integer = set_of(column_type::integer), texts = text | uuid | choice,
                              items = texts | integer;

}  // namespace native_sets

inline constexpr auto native_types = std::to_array<native_type>({
    {std::nullopt, "seconds", native_sets::time, "%1", "%1 * 1000", time_form::seconds},
    {std::nullopt, "bytewise", native_sets::text, "%1", "%1"},
    {dialect::sqlite, "rfc3339", native_sets::time, "%1", "%1", time_form::zoned, 3},
    {dialect::sqlite, "datetime", native_sets::time, "%1", "%1", time_form::local},
    {dialect::duckdb, "timestamptz", native_sets::time, "%1::TIMESTAMPTZ",
     "strftime(%1 AT TIME ZONE 'UTC', '%%Y-%%m-%%dT%%H:%%M:%%S.%%fZ')"},
    {dialect::duckdb, "timestamp", native_sets::time, "%1::TIMESTAMP",
     "strftime(%1, '%%Y-%%m-%%dT%%H:%%M:%%S.%%fZ')"},
    // Infinity has no form in to_char().
    {dialect::postgresql, "timestamptz", native_sets::time, "%1::timestamptz",
     "coalesce(to_char(%1 AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'), %1::text)"},
    {dialect::postgresql, "timestamp", native_sets::time, "%1::timestamp",
     "coalesce(to_char(%1, 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'), %1::text)"},
    {dialect::clickhouse, "datetime64", native_sets::time,
     "parseDateTime64BestEffort(%1, 6, 'UTC')",
     "concat(replaceOne(toString(toDateTime64(%1, 9, 'UTC')), ' ', 'T'), 'Z')", time_form::zoned, 6,
     first_of_year(1900), first_of_year(2299)},
    {dialect::mariadb, "datetime", native_sets::time, "CAST(%1 AS DATETIME(6))",
     "DATE_FORMAT(%1, '%%Y-%%m-%%dT%%H:%%i:%%s.%%fZ')", time_form::local, 6},
    {dialect::mariadb, "timestamp", native_sets::time, "CAST(%1 AS DATETIME(6))",
     "DATE_FORMAT(%1, '%%Y-%%m-%%dT%%H:%%i:%%s.%%fZ')", time_form::local, 6},

    {.of = dialect::sqlite,
     .names = "uuid",
     .types = native_sets::uuid,
     .parameter = "%1",
     .key = "%1",
     .parameters = "%1"},
    {.of = dialect::duckdb,
     .names = "uuid",
     .types = native_sets::uuid,
     .parameter = "%1::UUID",
     .key = "%1::VARCHAR",
     .parameters = "%1::UUID[]"},
    {.of = dialect::postgresql,
     .names = "uuid",
     .types = native_sets::uuid,
     .parameter = "%1::uuid",
     .key = "%1::text",
     .parameters = "%1::uuid[]"},
    // Its second half is compared first.
    {.of = dialect::clickhouse,
     .names = "uuid",
     .types = native_sets::uuid,
     .parameter = "toUUID(%1)",
     .key = "%1",
     .parameters = "CAST(%1 AS Array(UUID))",
     .order = "toString(%1)"},
    // Its last part is compared first.
    {.of = dialect::mariadb,
     .names = "uuid",
     .types = native_sets::uuid,
     .parameter = "CAST(%1 AS UUID)",
     .key = "%1",
     .order = "LOWER(CONVERT(%1 USING utf8mb4)) COLLATE utf8mb4_nopad_bin"},
    {.of = dialect::mariadb,
     .names = "binary",
     .types = native_sets::uuid,
     .parameter = "UNHEX(REPLACE(%1, '-', ''))",
     .key = "LOWER(CONVERT(CAST(%1 AS UUID) USING utf8mb4))"},

    {.of = dialect::sqlite, .names = "date", .types = native_sets::date},
    {.of = dialect::duckdb, .names = "date", .types = native_sets::date},
    {.of = dialect::postgresql, .names = "date", .types = native_sets::date},
    {.of = dialect::mariadb, .names = "date", .types = native_sets::date},
    {.of = dialect::clickhouse,
     .names = "date32",
     .types = native_sets::date,
     .parameter = "toDate32(%1)",
     .key = "toString(%1)",
     .earliest = first_of_year(1900),
     .end = first_of_year(2300),
     .parameters = "CAST(%1 AS Array(Date32))"},
    {.of = dialect::clickhouse,
     .names = "date",
     .types = native_sets::date,
     .parameter = "toDate(%1)",
     .key = "toString(%1)",
     .earliest = first_of_year(1970),
     .end = std::chrono::sys_days{std::chrono::year{2149} / 6 / 7},
     .parameters = "CAST(%1 AS Array(Date))"},

    {.of = dialect::postgresql,
     .names = "numeric, decimal",
     .types = native_sets::decimal,
     .parameter = "CAST(%1 AS numeric)",
     .key = "%1::text || 'e0'",
     .number = "CAST(%1 AS numeric)",
     .not_nan = "%1 <> 'NaN'::numeric",
     .nan_as_null = "nullif(%1, 'NaN'::numeric)"},
    {.of = dialect::duckdb,
     .names = "decimal, numeric",
     .types = native_sets::decimal,
     .parameter = "%1::DECIMAL(%2)",
     .key = "%1::VARCHAR || 'e0'",
     .argument = type_argument::precision,
     .number = "%1::DECIMAL(%2)"},
    {.of = dialect::mariadb,
     .names = "decimal, numeric",
     .types = native_sets::decimal,
     .parameter = "CAST(%1 AS DECIMAL(%2))",
     .key = "CONCAT(%1, 'e0')",
     .argument = type_argument::precision,
     .number = "CAST(%1 AS DECIMAL(%2))"},
    {.of = dialect::clickhouse,
     .names = "decimal",
     .types = native_sets::decimal,
     .parameter = "CAST(%1 AS Decimal(%2))",
     .key = "concat(toString(%1), 'e0')",
     .argument = type_argument::precision,
     .number = "CAST(%1 AS Nullable(Decimal(%2)))"},
    {.of = dialect::sqlite,
     .names = "scaled",
     .types = native_sets::decimal,
     .parameter = "%1",
     .key = "%1 || 'e-%2'",
     .argument = type_argument::scale,
     .number = "CAST(%1 AS INTEGER)"},
    {.of = dialect::duckdb,
     .names = "scaled",
     .types = native_sets::decimal,
     .parameter = "%1",
     .key = "%1::VARCHAR || 'e-%2'",
     .argument = type_argument::scale,
     .number = "split_part(%1, 'e', 1)::BIGINT"},
    {.of = dialect::postgresql,
     .names = "scaled",
     .types = native_sets::decimal,
     .parameter = "%1",
     .key = "%1::text || 'e-%2'",
     .argument = type_argument::scale,
     .number = "CAST(%1 AS numeric)"},
    {.of = dialect::mariadb,
     .names = "scaled",
     .types = native_sets::decimal,
     .parameter = "%1",
     .key = "CONCAT(%1, 'e-%2')",
     .argument = type_argument::scale,
     .number = "CAST(%1 AS SIGNED)"},
    {.of = dialect::clickhouse,
     .names = "scaled",
     .types = native_sets::decimal,
     .parameter = "%1",
     .key = "concat(toString(%1), 'e-%2')",
     .argument = type_argument::scale,
     .number = "toInt64OrNull(extract(%1, '^-?[0-9]+'))"},

    {.of = dialect::sqlite, .names = "real, double", .types = native_sets::real},
    {.of = dialect::duckdb, .names = "double", .types = native_sets::real},
    {.of = dialect::postgresql, .names = "double precision, float8", .types = native_sets::real},
    {.of = dialect::mariadb, .names = "double", .types = native_sets::real},
    {.of = dialect::clickhouse, .names = "float64", .types = native_sets::real},
    {.of = dialect::duckdb,
     .names = "float, real",
     .types = native_sets::real,
     .key = "%1::DOUBLE"},
    {.of = dialect::postgresql,
     .names = "real, float4",
     .types = native_sets::real,
     .key = "%1::float8"},
    {.of = dialect::mariadb,
     .names = "float",
     .types = native_sets::real,
     .key = "CAST(%1 AS DOUBLE)"},
    {.of = dialect::clickhouse,
     .names = "float32",
     .types = native_sets::real,
     .key = "toFloat64(%1)"},

    {.of = dialect::duckdb,
     .names = "enum",
     .types = native_sets::choice,
     .parameter = "%1",
     .key = "%1",
     .parameters = "%1",
     .compares_texts = true},
    // As the enum itself, whose statistics the planner then has.
    {.of = dialect::postgresql,
     .names = "enum",
     .types = native_sets::choice,
     .parameter = "$%3::%2",
     .key = "%1",
     .argument = type_argument::name,
     .parameters = "$%3::%2[]"},
    {.of = dialect::mariadb,
     .names = "enum",
     .types = native_sets::choice,
     .parameter = "%1",
     .key = "%1",
     .compares_texts = true},
    {.of = dialect::clickhouse,
     .names = "enum8, enum16",
     .types = native_sets::choice,
     .parameter = "%1",
     .key = "%1",
     .parameters = "%1"},
    {.of = dialect::clickhouse,
     .names = "lowcardinality",
     .types = native_sets::choice | native_sets::text},
});

}  // namespace sluice::sql::detail

#endif
