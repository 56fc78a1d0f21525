// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_QUERY_SQL_HPP
#define SLUICE_BINDINGS_QUERY_SQL_HPP

#include <string>
#include <vector>

#include <sluice/list_query.hpp>
#include <sluice/sql/statement.hpp>

#include "fast_method.hpp"

namespace sluice::bindings {

/// What Python says of a query's method to_sql.
extern const char* const to_sql_doc;

/// A query as a sluice.sql.Statement, by the arguments of to_sql.
[[nodiscard]] py::object to_statement(const list_query& query, columns_view columns,
                                      const raw_call& call);

/// What Python says of a query's method cursor_beside.
extern const char* const cursor_beside_doc;

/// The text of the cursor after or before a row, by the arguments of cursor_beside.
[[nodiscard]] py::object to_cursor_beside(const list_query& query, columns_view columns,
                                          const raw_call& call);

/// The parameters of a statement: a list, or ClickHouse's names and values.
[[nodiscard]] py::object to_parameters(const std::vector<sql::value>& values, sql::dialect of);

/// sluice.sql.ddl.
[[nodiscard]] PyObject* ddl(PyObject*, const raw_call& call);

extern const char* const ddl_doc;

}  // namespace sluice::bindings

#endif
