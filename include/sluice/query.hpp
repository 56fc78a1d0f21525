// SPDX-License-Identifier: MIT
#ifndef SLUICE_QUERY_HPP
#define SLUICE_QUERY_HPP

/// List queries: schemas, conditions, order, pages and cursors, and their JSON; aggregate queries:
/// groups and measures. `<sluice/query/aggregation.hpp>` answers the latter for rows of any kind.
/// The readers of the JSON need simdjson: `<sluice/query/json_reader.hpp>`,
/// `<sluice/query/aggregate_reader.hpp>`.
#include <sluice/query/accessors.hpp>
#include <sluice/query/aggregate_query.hpp>
#include <sluice/query/aggregate_result.hpp>
#include <sluice/query/aggregate_writer.hpp>
#include <sluice/query/bounds.hpp>
#include <sluice/query/cursor.hpp>
#include <sluice/query/facets.hpp>
#include <sluice/query/json_writer.hpp>
#include <sluice/query/list.hpp>
#include <sluice/query/list_query.hpp>
#include <sluice/query/page.hpp>
#include <sluice/query/schema.hpp>
#include <sluice/query/where.hpp>
#include <sluice/query/where_builder.hpp>

#endif
