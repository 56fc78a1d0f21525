// SPDX-License-Identifier: MIT
#ifndef SLUICE_SQL_HPP
#define SLUICE_SQL_HPP

/// SQL of list queries on SQLite, DuckDB, PostgreSQL, MariaDB and ClickHouse: statements, tables,
/// and records prepared for them.
#include <sluice/sql/aggregate.hpp>
#include <sluice/sql/compile.hpp>
#include <sluice/sql/ddl.hpp>
#include <sluice/sql/mapping.hpp>
#include <sluice/sql/place.hpp>
#include <sluice/sql/prepare.hpp>
#include <sluice/sql/statement.hpp>

#endif
