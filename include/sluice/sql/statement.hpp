// SPDX-License-Identifier: MIT
#ifndef SLUICE_SQL_STATEMENT_HPP
#define SLUICE_SQL_STATEMENT_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sluice::sql {

/// The databases that statements are written for.
enum class dialect : std::uint8_t {
    sqlite,      ///< 3.38 or later
    duckdb,      ///< 1.2 or later
    postgresql,  ///< 15 or later, in UTF-8
    clickhouse,  ///< 24 or later
};

/// Names of the dialects, in the order of the enumeration.
inline constexpr std::array<std::string_view, 4> dialect_names{"sqlite", "duckdb", "postgresql",
                                                               "clickhouse"};
[[nodiscard]] constexpr std::string_view to_string(dialect of) noexcept {
    return dialect_names[static_cast<std::size_t>(of)];
}

/// A parameter of a statement: NULL, a number, a flag, a text, or a list of numbers or texts.
/// SQLite, which has no lists, gets them as one JSON text.
using value = std::variant<std::monostate, std::int64_t, bool, std::string,
                           std::vector<std::int64_t>, std::vector<std::string>>;

/// SQL and the values of its parameters. The text never contains a value of a query, and is the
/// same for any values and any number of them above one, so that a database can keep its plan.
///
/// ```
///             first parameter    its type
/// sqlite      ?1                 that of the value
/// duckdb      $1                 in the text: $1::VARCHAR[]
/// postgresql  $1                 in the text: $1::text[]
/// clickhouse  {p1:…}             in the text: {p1:Array(String)}
/// ```
struct statement {
    std::string text{};
    std::vector<value> parameters{};  ///< by number, from 1

    friend bool operator==(const statement&, const statement&) = default;
};

}  // namespace sluice::sql

#endif
