// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_QUERY_SQL_HPP
#define SLUICE_BINDINGS_QUERY_SQL_HPP

#include <string>
#include <vector>

#include <sluice/query/list_query.hpp>
#include <sluice/sql/statement.hpp>

#include "arguments.hpp"

namespace sluice::bindings {

/// The docstring of the query method to_sql.
extern const char* const to_sql_doc;

/// Implements to_sql: compiles a query to a sluice.sql.Statement.
[[nodiscard]] py::object to_statement(const list_query& query, columns_view columns,
                                      const raw_call& call);

/// The docstring of the query method cursor_beside.
extern const char* const cursor_beside_doc;

/// Implements cursor_beside: the text of the cursor after or before a row.
[[nodiscard]] std::string to_cursor_beside(const list_query& query, py::handle keys,
                                           py::handle before, py::handle metadata);

/// The parameters of a statement: a list, or for ClickHouse a dict of names and values.
[[nodiscard]] py::object to_parameters(const std::vector<sql::value>& values, sql::dialect of);

/// Implements sluice.sql.ddl.
[[nodiscard]] py::object ddl(py::handle schema, py::handle dialect, py::handle table,
                             py::handle metadata);

extern const char* const ddl_doc;

/// Implements sluice.groups.aggregate_sql.
[[nodiscard]] py::object aggregate_statement(const py::object& tree, py::handle schema,
                                             py::handle dialect, py::handle table,
                                             py::handle columns, py::handle metadata);

extern const char* const aggregate_statement_doc;

}  // namespace sluice::bindings

#endif
