// SPDX-License-Identifier: MIT
#ifndef SLUICE_SQL_MAPPING_HPP
#define SLUICE_SQL_MAPPING_HPP

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/base/ascii.hpp>
#include <sluice/query/schema.hpp>
#include <sluice/query/test_set.hpp>
#include <sluice/sql/statement.hpp>

namespace sluice::sql {

/// The storage, in the table of a mapping, of values that databases don't compare exactly: decimals
/// and JSON.
enum class storage : std::uint8_t {
    prepared,  ///< decimals as their order_key(), JSON as the two maps of prepare()
    native,    ///< PostgreSQL's numeric and jsonb
    function,  ///< JSON as text, read by functions `sluice_matches(json, expression)` and
               ///< `sluice_text(json, pointer)`
};

/// The place of a schema's column in a database.
struct mapped_column {
    std::string_view name{};   ///< in the schema; static text
    std::string expression{};  ///< SQL; for prepared JSON the map of texts
    storage how = storage::prepared;
    std::string numbers{};  ///< for prepared JSON the map of numbers' order keys
    /// The type of a column that isn't as ddl() creates it, in any case, such as `timestamptz`,
    /// `uuid`, `decimal(12,2)` and `bytewise`, a text that the database orders by its bytes. The
    /// reference of SQL has a table of them.
    std::string type{};
};

/// Versions of rows in ClickHouse, of which a mapping's table reads the last ones by `FINAL`. A
/// page then finds the keys of versions that meet its conditions, in order, and reads the last
/// versions of these keys only. A page that isn't full may lack rows, unless `most` exceeds the
/// number of such versions.
struct row_versions {
    std::string table{};             ///< the table of all versions
    std::vector<std::string> key{};  ///< its sort key; ends with the query's order
    std::int64_t most = 0;           ///< versions read at most; 0 reads the last ones of all rows
};

/// The places of a schema's rows in a database. All of it is the program's own SQL, which goes into
/// statements as it is: nothing of a request belongs here.
///
/// Names that begin with `sluice_` are reserved for statements. A column that is not nullable in
/// the schema has no NULLs and no NaN, and no text in a table holds the character NUL, which SQLite
/// and PostgreSQL have no use for. Texts are compared and ordered by the schema's collation,
/// whatever the collation of the table's column, and a column of another type, such as an ENUM, by
/// its text.
struct mapping {
    std::string table{};  ///< the source of rows, joins included
    std::vector<mapped_column> columns{};
    std::string selects = "*";  ///< the columns of a page's rows
    bool and_next = false;      ///< a page has one row more if a next page exists
    bool keys = true;           ///< a page's rows end with their sort keys
    placeholder placeholders = placeholder::question;  ///< MariaDB's
    row_versions versions{};

    [[nodiscard]] const mapped_column* find(std::string_view name) const noexcept {
        const auto position = std::ranges::find(columns, name, &mapped_column::name);
        return position == columns.end() ? nullptr : &*position;
    }
};

namespace detail {

/// The tests that statements of every dialect answer.
inline constexpr test_set answered_everywhere =
    common_tests.with(test_kind::any_of, sluice::detail::named_types)
        .with(test_kind::none_of, sluice::detail::named_types)
        .with(test_kind::contains, set_of(column_type::text))
        .with(test_kind::starts_with, set_of(column_type::text))
        .with(test_kind::ends_with, set_of(column_type::text))
        .with(test_kind::bounds, sluice::detail::ordered_types)
        .with(test_kind::is_null,
              static_cast<column_types>(all_column_types() & ~set_of(column_type::json)))
        .with(test_kind::any, set_of(column_type::records))
        .with_lists(test_kind::any_of, sluice::detail::listed_types)
        .with_lists(test_kind::none_of, sluice::detail::listed_types)
        .with_lists(test_kind::all_of, sluice::detail::listed_types)
        .with_lists(test_kind::contains, set_of(column_type::text))
        .with_lists(test_kind::starts_with, set_of(column_type::text))
        .with_lists(test_kind::ends_with, set_of(column_type::text));
/// The tests of dialects whose lists may be NULL.
inline constexpr test_set answered_with_null_lists =
    answered_everywhere.with_lists(test_kind::is_null, sluice::detail::listed_types);

}  // namespace detail

/// The tests that statements of a dialect answer. None has `is_null` of JSON, unless a mapping has
/// JSON as such: the maps of a row without any are those of an empty object.
[[nodiscard]] constexpr const test_set& answered_tests(dialect of) noexcept {
    switch (of) {
        case dialect::clickhouse: break;
        case dialect::sqlite:
        case dialect::duckdb:
        case dialect::postgresql:
        case dialect::mariadb: return detail::answered_with_null_lists;
    }
    return detail::answered_everywhere;
}

/// Quotes a name as an identifier, whatever it holds.
[[nodiscard]] inline std::string quoted(std::string_view name, dialect of) {
    // MariaDB reads "…" as a text unless its sql_mode has ANSI_QUOTES.
    const char quote = of == dialect::mariadb ? '`' : '"';
    std::string identifier(1, quote);
    for (const char byte : name) {
        if (byte == quote) identifier.push_back(quote);
        if (byte == '\\' && of == dialect::clickhouse) identifier.push_back('\\');
        identifier.push_back(byte);
    }
    identifier.push_back(quote);
    return identifier;
}

namespace detail {

[[nodiscard]] constexpr bool is_quote(char byte) noexcept { return byte == '"' || byte == '`'; }

/// Returns true if SQL is a name, such as `country`, `e.country` or `"link.key"`.
[[nodiscard]] inline bool is_name(std::string_view sql) noexcept {
    char quote = '\0';  // of a name that isn't at its end
    for (const char byte : sql) {
        const bool is_plain = sluice::detail::is_letter(byte) || sluice::detail::is_digit(byte) ||
                              byte == '_' || byte == '.';
        if (quote != '\0') {
            if (byte == quote) quote = '\0';
        } else if (is_quote(byte)) {
            quote = byte;
        } else if (!is_plain) {
            return false;
        }
    }
    return !sql.empty() && quote == '\0';
}

/// Puts SQL in parentheses if operators need them.
inline void make_operand(std::string& sql) {
    if (!sql.empty() && !is_name(sql)) sql = "(" + sql + ")";
}
/// Returns a mapped column with its SQL in parentheses if operators need them; nullopt if there is
/// none.
[[nodiscard]] inline std::optional<mapped_column> operand_of(const mapping& columns,
                                                             std::string_view name) {
    const mapped_column* const mapped = columns.find(name);
    std::optional<mapped_column> operand;
    if (mapped == nullptr) return operand;
    operand.emplace(*mapped);
    make_operand(operand->expression);
    make_operand(operand->numbers);
    return operand;
}

}  // namespace detail

/// Returns the mapping of the table that ddl() creates: columns are called as in the schema, with
/// `_` for dots, and prepared JSON is in `…_text` and `…_num`.
///
/// ```
/// table_mapping(orders_schema, "orders", dialect::sqlite).find("customer.id")->expression;
/// // "customer_id", in double quotes
/// ```
[[nodiscard]] inline mapping table_mapping(columns_view columns, std::string_view table, dialect of,
                                           storage how = storage::prepared) {
    mapping mapped{.table = quoted(table, of)};
    mapped.columns.reserve(columns.size());
    for (const column& source : columns) {
        std::string name(source.name);
        std::ranges::replace(name, '.', '_');
        const bool is_json = source.type == column_type::json;
        const bool has_maps = is_json && how == storage::prepared;
        const storage column_storage = is_json || how == storage::native ? how : storage::prepared;
        mapped.columns.push_back({source.name, quoted(has_maps ? name + "_text" : name, of),
                                  column_storage,
                                  has_maps ? quoted(name + "_num", of) : std::string()});
    }
    return mapped;
}

}  // namespace sluice::sql

#endif
