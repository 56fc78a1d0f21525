// SPDX-License-Identifier: MIT
#ifndef SLUICE_SQL_DDL_HPP
#define SLUICE_SQL_DDL_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/base/ascii.hpp>
#include <sluice/errors/error.hpp>
#include <sluice/query/schema.hpp>
#include <sluice/sql/detail/fragments.hpp>
#include <sluice/sql/detail/metadata_writer.hpp>
#include <sluice/sql/mapping.hpp>

/// DDL: the statements that create a table for a schema, and its indexes.
namespace sluice::sql {

namespace detail {

/// Names of a dialect's column types; empty if none fits.
struct type_names {
    std::string_view id{};  ///< a text that is a key
    std::string_view text{}, integer{}, boolean{};
    std::string_view texts{};             ///< lists of texts
    std::string_view map{};               ///< prepared JSON, in two columns
    std::string_view json{};              ///< JSON that a function tests
    std::string_view numeric{}, jsonb{};  ///< native decimals and JSON
    std::string_view real{}, date{};
    std::string_view integers{};  ///< lists of integers
    std::string_view records{};
};

/// The names of column types, in the order of dialect.
inline constexpr std::array<type_names, dialect_names.size()> all_type_names{{
    {.id = "TEXT",
     .text = "TEXT",
     .integer = "INTEGER",
     .boolean = "INTEGER",
     .texts = "TEXT",
     .map = "TEXT",
     .json = "TEXT",
     .real = "REAL",
     .date = "TEXT",
     .integers = "TEXT",
     .records = "TEXT"},
    {.id = "VARCHAR",
     .text = "VARCHAR",
     .integer = "BIGINT",
     .boolean = "BOOLEAN",
     .texts = "VARCHAR[]",
     .map = "MAP(VARCHAR, VARCHAR)",
     .json = "VARCHAR",
     .real = "DOUBLE",
     .date = "DATE",
     .integers = "BIGINT[]",
     .records = "VARCHAR"},
    {.id = "text COLLATE \"C\"",
     .text = "text COLLATE \"C\"",
     .integer = "bigint",
     .boolean = "boolean",
     .texts = "text[]",
     .map = "jsonb",
     .numeric = "numeric",
     .jsonb = "jsonb",
     .real = "double precision",
     .date = "date",
     .integers = "bigint[]",
     .records = "jsonb"},
    {.id = "String",
     .text = "String",
     .integer = "Int64",
     .boolean = "Bool",
     .texts = "Array(String)",
     .map = "Map(String, String)",
     .real = "Float64",
     .date = "String",
     .integers = "Array(Int64)",
     .records = "String"},
    {.id = "VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin",
     .text = "TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin",
     .integer = "BIGINT",
     .boolean = "BOOLEAN",
     .texts = "JSON",
     .map = "JSON",
     .real = "DOUBLE",
     .date = "DATE",
     .integers = "JSON",
     .records = "JSON"},
}};
static_assert(!all_type_names.back().id.empty());

/// Writes the statements that create a table; see ddl().
class table_writer {
public:
    table_writer(columns_view schema, const mapping& columns, dialect of)
        : table_(columns.table), dialect_(of), types_(all_type_names[std::size_t(of)]) {
        for (const column& field : schema) {
            const mapped_column* const mapped = columns.find(field.name);
            if (mapped != nullptr) columns_.push_back({field, *mapped});
        }
    }

    /// Returns the statements. Errors: sql_inexact, sql_name.
    [[nodiscard]] result<std::vector<std::string>> write() const {
        const std::string id = names(is_id);
        if (id.empty()) return inexact("id", unmapped);
        if (const auto named = check_names(); !named) return tl::unexpected(named.error());
        const auto defined = definitions();
        if (!defined) return tl::unexpected(defined.error());
        const std::string times = names(is_row_time);
        return statements(*defined, id, times);
    }

private:
    /// A column of the schema, and its columns of the table.
    struct place {
        const column& source;
        const mapped_column& target;
    };

    /// Returns the names of the columns that `accepts` returns true for, separated by commas.
    [[nodiscard]] std::string names(bool (*accepts)(const column&)) const {
        std::string all;
        for (const place& entry : columns_) {
            if (!accepts(entry.source)) continue;
            all.append(all.empty() ? "" : ", ").append(entry.target.expression);
        }
        return all;
    }
    static bool is_id(const column& source) noexcept { return source.name == "id"; }
    /// Returns true for a column of times without NULL: rows are stored in their order.
    static bool is_row_time(const column& source) noexcept {
        return source.type == column_type::time && !source.is_nullable;
    }

    // --- Names -----------------------------------------------------------------------------

    /// Checks the names of the table and its columns. Errors: sql_name, sql_inexact.
    [[nodiscard]] result<void> check_names() const {
        if (!is_quotable(bare(table_))) return fail_in(rule::sql_name, "table");
        std::vector<std::string> known_names;
        for (const place& entry : columns_) {
            for (const std::string& name : {entry.target.expression, entry.target.numbers}) {
                if (name.empty()) continue;
                if (!is_name(name)) {
                    return inexact(entry.source.name, "give the column a plain name");
                }
                known_names.push_back(sluice::detail::to_lower(bare(name)));
                const auto checked = check_name(known_names, entry.source.name);
                if (!checked) return checked;
            }
        }
        return {};
    }
    /// Checks the last of the names, which belongs to `column`, and that the others differ from it.
    /// Names are in lower case. Error: sql_name.
    static result<void> check_name(std::span<const std::string> known_names,
                                   std::string_view column) {
        const std::string& name = known_names.back();
        error refused = make_error(rule::sql_name);
        refused.param = column;
        if (name.starts_with("sluice_")) {
            refused.accepts = "expected one that doesn't begin with sluice_";
        } else if (std::ranges::count(known_names, name) != 1) {
            refused.accepts =
                "expected one that no other column has, whatever its case, with _ for dots";
        } else if (is_quotable(name)) {
            return {};
        }
        return tl::unexpected(refused);
    }
    /// Returns true if databases accept a name in quotes: not empty and without NUL.
    static bool is_quotable(std::string_view name) noexcept {
        return !name.empty() && name.find('\0') == std::string_view::npos;
    }
    /// Returns a name without its quotes.
    static std::string_view bare(std::string_view name) noexcept {
        const bool is_quoted = name.size() > 1 && is_quote(name.front());
        return is_quoted ? name.substr(1, name.size() - 2) : name;
    }

    // --- Columns ---------------------------------------------------------------------------

    /// Returns the definitions of all columns, separated by commas. Prepared JSON takes two: a map
    /// of texts (`expression`) and a map of numbers (`numbers`). Error: sql_inexact, if the dialect
    /// lacks a type for a column.
    [[nodiscard]] result<std::string> definitions() const {
        std::string all;
        for (const place& entry : columns_) {
            const std::string_view type = type_of(entry);
            if (type.empty()) return inexact(entry.source.name, "use prepared storage");
            for (const std::string& name : {entry.target.expression, entry.target.numbers}) {
                if (name.empty()) continue;
                all.append(all.empty() ? "" : ", ").append(definition(entry.source, name, type));
            }
        }
        return all;
    }
    /// Returns `name type`, with the constraints of the column.
    [[nodiscard]] std::string definition(const column& source, const std::string& name,
                                         std::string_view type) const {
        if (dialect_ == dialect::clickhouse) {
            const bool may_be_null =
                source.is_nullable && !source.is_list && source.type != column_type::json;
            return fill(may_be_null ? "%1 Nullable(%2)" : "%1 %2", {name, type});
        }
        const std::string_view null = source.is_nullable ? "" : " NOT NULL";
        return fill("%1 %2%3%4", {name, type, null, check_of(source, name)});
    }
    /// Returns a CHECK against NUL: only SQLite takes it, and some of its functions cut texts
    /// there.
    [[nodiscard]] std::string check_of(const column& source, const std::string& name) const {
        if (dialect_ != dialect::sqlite || source.type != column_type::text) return "";
        return fill(source.is_list ? R"( CHECK (instr(replace(%1, '\\', ''), '\u0000') = 0))"
                                   : " CHECK (instr(%1, char(0)) = 0)",
                    {name});
    }
    /// Returns the type of a column; empty if the dialect has none that compares exactly.
    [[nodiscard]] std::string_view type_of(const place& entry) const {
        const bool is_prepared = entry.target.how == storage::prepared;
        const bool is_native = entry.target.how == storage::native;
        switch (entry.source.type) {
            case column_type::text:
            case column_type::uuid:
            case column_type::choice:
                if (entry.source.is_list) return types_.texts;
                return is_id(entry.source) ? types_.id : types_.text;
            case column_type::integer:
                return entry.source.is_list ? types_.integers : types_.integer;
            case column_type::time: return types_.integer;
            case column_type::boolean: return types_.boolean;
            case column_type::decimal: return is_prepared ? types_.text : types_.numeric;
            case column_type::json: break;
            case column_type::real: return types_.real;
            case column_type::date: return types_.date;
            case column_type::records: return types_.records;
        }
        return is_prepared ? types_.map : (is_native ? types_.jsonb : types_.json);
    }

    // --- Keys and indexes ------------------------------------------------------------------

    /// Returns the statements of a table with the definitions `columns` and the key `id`. Rows are
    /// ordered by `times`, which are names, separated by commas, and the id.
    [[nodiscard]] std::vector<std::string> statements(const std::string& columns,
                                                      const std::string& id,
                                                      const std::string& times) const {
        const std::string order = times.empty() ? id : times + ", " + id;
        const std::string table = "CREATE TABLE " + table_ + " (" + columns;
        const std::string keyed = table + ", PRIMARY KEY (" + id + "))";
        switch (dialect_) {
            case dialect::sqlite: return {keyed + " STRICT", named_index(covered(order))};
            case dialect::duckdb: return {keyed};
            case dialect::postgresql: return with_indexes(keyed, order);
            case dialect::mariadb:
                if (times.empty()) return {keyed};
                return {keyed, named_index(order)};
            case dialect::clickhouse: break;
        }
        return {table + skipping_indexes() + ") ENGINE = MergeTree ORDER BY (" + order + ")"};
    }
    [[nodiscard]] std::string named_index(const std::string& columns) const {
        std::string name = table_ + "_rows";
        std::erase_if(name, [](char byte) { return is_quote(byte) || byte == '.'; });
        return fill("CREATE INDEX %1 ON %2 (%3)", {quoted(name, dialect_), table_, columns});
    }
    /// Returns the columns of an index that pages and counts of a time window read alone, unless
    /// they filter by lists or JSON.
    [[nodiscard]] std::string covered(const std::string& order) const {
        const std::string others = names([](const column& source) {
            const bool is_ordered_by = is_id(source) || is_row_time(source);
            return !is_ordered_by && !source.is_list && source.type != column_type::json;
        });
        return others.empty() ? order : order + ", " + others;
    }
    /// Returns a statement that creates a table of PostgreSQL, and those of its indexes.
    [[nodiscard]] std::vector<std::string> with_indexes(std::string table,
                                                        const std::string& order) const {
        std::vector<std::string> all{std::move(table)};
        const std::string head = "CREATE INDEX ON " + table_;
        all.push_back(head + " (" + order + ")");
        for (const place& entry : columns_) {
            const std::string gin = head + " USING gin (" + entry.target.expression;
            if (entry.source.is_list) all.push_back(gin + ")");
            if (entry.source.type != column_type::json || entry.target.how != storage::prepared)
                continue;
            all.push_back(gin + " jsonb_path_ops)");
            all.push_back(head + " USING gin (" + entry.target.numbers + " jsonb_path_ops)");
        }
        return all;
    }
    /// Returns ClickHouse's skipping indexes, by which it skips granules (8,192 rows by default)
    /// that lack a text: the set of a column's texts, up to 256 in a granule, or a Bloom filter for
    /// lists. Ids have none: all differ, and their set would be too large.
    [[nodiscard]] std::string skipping_indexes() const {
        std::string all;
        std::size_t count = 0;
        for (const place& entry : columns_) {
            if (entry.source.type != column_type::text || is_id(entry.source)) continue;
            const std::string name = "sluice_skip_" + std::to_string(++count);
            const std::string_view type = entry.source.is_list ? "bloom_filter" : "set(256)";
            all.append(fill(", INDEX %1 %2 TYPE %3", {name, entry.target.expression, type}));
        }
        return all;
    }

    const std::string& table_;
    dialect dialect_;
    const type_names& types_;
    std::vector<place> columns_;
};

}  // namespace detail

/// Returns the statements that create the table of a mapping whose columns are plain names, such as
/// that of table_mapping(), with keys and indexes for compiled statements:
///
/// | | key | indexes |
/// |---|---|---|
/// | SQLite | id | one over all but lists and JSON, the time and the id first |
/// | DuckDB | id | none: it keeps the bounds of each row group itself |
/// | PostgreSQL | id | the time and the id; GIN over lists and prepared JSON |
/// | ClickHouse | sorted by the time and the id | skipping ones over texts and lists |
/// | MariaDB | id, of at most 255 characters | the time and the id |
///
/// The time is every column of that type without NULLs, in the schema's order. Errors: sql_inexact,
/// if the database lacks a column's storage, a column's place isn't a plain name, or the mapping
/// has no id; sql_name, if the name of the table or a column is empty or has a NUL, or if the name
/// of a column begins with `sluice_` or is another's, whatever its case.
[[nodiscard]] inline result<std::vector<std::string>> ddl(columns_view schema,
                                                          const mapping& columns, dialect of) {
    return detail::table_writer(schema, columns, of).write();
}

}  // namespace sluice::sql

#endif
