// SPDX-License-Identifier: MIT
#ifndef SLUICE_WASM_QUERIES_HPP
#define SLUICE_WASM_QUERIES_HPP

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <sluice/params/bind.hpp>
#include <sluice/query/list_query.hpp>
#include <sluice/query/schema.hpp>
#include <sluice/sql/place.hpp>
#include <sluice/sql/statement.hpp>

#include "abi.hpp"

namespace sluice::wasm {

/// The query of a request, and the columns of its table.
struct query_object : object {
    query_object(list_query parsed, columns_view of_table,
                 std::shared_ptr<const void> table = nullptr)
        : query(std::move(parsed)), columns(of_table), owner(std::move(table)) {}

    list_query query;
    columns_view columns;
    /// The table whose names `query` and `columns` view; null if it is static.
    std::shared_ptr<const void> owner;
};

/// The parts of a parsed request that functions answer, in the order of src/list_query.ts. Most
/// requests need no query, which JavaScript would have to release.
enum class request_part : std::uint8_t { values, query, text };

/// Writes a part of a parsed request; `write_values()` writes the values of its parameters, and
/// `owner` owns the table if it isn't static. `options` are those by which the request was bound.
template <class Table, class Query, class WriteValues>
void write_part(answer_writer& out, request_part part, const Table& table, const Query& query,
                std::shared_ptr<const void> owner, WriteValues write_values,
                const bind_options& options = {}) {
    switch (part) {
        case request_part::values: return write_values();
        case request_part::query:
            return out.object(std::make_unique<query_object>(to_list_query(table, query),
                                                             table.columns(), std::move(owner)));
        case request_part::text:
            out.value(std::string_view(to_query_string(table, query, options)));
            return;
    }
}

/// Replaces the places of columns by the caller's: their number, and the name, SQL, SQL for numbers
/// and native type of each. Returns the caller's mistake; nullopt if there is none.
[[nodiscard]] std::optional<std::string> place_columns(sql::mapping& places, columns_view schema,
                                                       sql::dialect of, arguments& args);
/// Writes the text of a statement and its parameters, or an error.
void write_statement(answer_writer& out, const result<sql::statement>& compiled);

}  // namespace sluice::wasm

#endif
