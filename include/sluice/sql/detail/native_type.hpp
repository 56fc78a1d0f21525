// SPDX-License-Identifier: MIT
#ifndef SLUICE_SQL_DETAIL_NATIVE_TYPE_HPP
#define SLUICE_SQL_DETAIL_NATIVE_TYPE_HPP

#include <algorithm>
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

/// A native type: the record of a type of columns that a database has.
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

/// A type that columns of an existing table may have. A parameter is cast to it, never the column,
/// so that an index of the column serves. A type with nothing but names is queried like the type
/// that ddl() creates.
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
    // with; empty for the column itself.
    std::string_view order{};
    std::string_view number{};  // a key, to be ordered as a number; empty for the key itself
    // Decimals: the column isn't NaN, and NULL for NaN; empty if it never is.
    std::string_view not_nan{}, nan_as_null{};
    bool has_special = false;  // decimals: infinity and NaN are values like others
    // A choice after others is one of those that come after them: the database compares texts.
    bool compares_texts = false;
    bool is_finite = false;        // no row has NaN
    std::optional<storage> how{};  // of JSON
    std::string_view opened{};     // the column as tests without a fragment here read it
    // The column, or an item of its list, is any of the values in %2; it has all of them, of which
    // there are %3. Empty for those of ddl(). Of a list, those of whole values.
    std::string_view any_of{}, has_all{};
    std::int64_t largest = std::numeric_limits<std::int64_t>::max();  // of integers

    /// Returns true if columns of the type are queried like those that ddl() creates.
    [[nodiscard]] constexpr bool is_plain() const noexcept {
        return parameter.empty() && parameters.empty() && key.empty() && opened.empty() && !how;
    }
};

/// A number that JSON lacks, and the key that stands for it in cursors: a number beyond all that
/// columns have, at the place where PostgreSQL and DuckDB order it.
struct special_number {
    std::string_view text, key;
};
inline constexpr std::string_view nan_key = "1e9999999";
inline constexpr std::array<special_number, 3> special_numbers{
    {{"Infinity", "1e999999"}, {"-Infinity", "-1e999999"}, {"NaN", nan_key}}};

/// Returns the key of a special number, of which `text` is the text; empty for others.
[[nodiscard]] constexpr std::string_view key_of_special(std::string_view text) noexcept {
    const auto match = std::ranges::find(special_numbers, text, &special_number::text);
    return match == special_numbers.end() ? std::string_view() : match->key;
}
/// Returns the text of a special number with a key; empty for other keys.
[[nodiscard]] constexpr std::string_view special_of_key(std::string_view key) noexcept {
    const auto match = std::ranges::find(special_numbers, key, &special_number::key);
    return match == special_numbers.end() ? std::string_view() : match->text;
}

}  // namespace sluice::sql::detail

#endif
