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
    mariadb,     ///< 10.11 or later, with connections in utf8mb4
};

/// Names of the dialects, in the order of the enumeration.
inline constexpr std::array<std::string_view, 5> dialect_names{"sqlite", "duckdb", "postgresql",
                                                               "clickhouse", "mariadb"};
static_assert(dialect_names.front() == "sqlite" && dialect_names.back() == "mariadb");

/// The dialects, in the order of the enumeration.
inline constexpr auto all_dialects = [] {
    std::array<dialect, dialect_names.size()> all{};
    for (std::size_t at = 0; at < all.size(); ++at) all[at] = static_cast<dialect>(at);
    return all;
}();
static_assert(all_dialects.back() == dialect::mariadb);

[[nodiscard]] constexpr std::string_view to_string(dialect of) noexcept {
    return dialect_names[static_cast<std::size_t>(of)];
}

/// A parameter of a statement: NULL, a number, a flag, a text, or a list of whole numbers or texts.
/// SQLite, which has no lists, gets them as one JSON text, and MariaDB each value of one by itself.
using value = std::variant<std::monostate, std::int64_t, bool, std::string,
                           std::vector<std::int64_t>, std::vector<std::string>, double>;

/// The form of MariaDB's placeholders, which have no numbers.
enum class placeholder : std::uint8_t {
    question,  ///< `?`, of prepared statements
    format,    ///< `%s`, of Python's drivers; then `%%` stands for `%`
};

/// SQL and the values of its parameters. The text never contains a value of a query, and is the
/// same for any values and any number of them above one, so that a database can keep its plan.
/// MariaDB, which keeps no plans, has a text for each power of two that the number rounds up to.
///
/// ```
///             first parameter    its type
/// sqlite      ?1                 that of the value
/// duckdb      $1                 in the text: $1::VARCHAR[]
/// postgresql  $1                 in the text: $1::text[]
/// clickhouse  {p1:…}             in the text: {p1:Array(String)}
/// mariadb     ?                  that of the value; see placeholder
/// ```
struct statement {
    std::string text{};
    std::vector<value> parameters{};  ///< by number, from 1; in MariaDB by place

    friend bool operator==(const statement&, const statement&) = default;
};

}  // namespace sluice::sql

#endif
