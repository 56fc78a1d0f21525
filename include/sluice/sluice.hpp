// SPDX-License-Identifier: MIT
#ifndef SLUICE_SLUICE_HPP
#define SLUICE_SLUICE_HPP

/// All primitives in one include: filters, parameters, pages, rate limits and error envelopes for
/// list APIs. It needs tl::expected only. Lists of a program's objects and aggregates are in
/// `<sluice/query.hpp>`, SQL is in `<sluice/sql.hpp>`, masks are in `<sluice/arrow.hpp>`, the
/// store is in `<sluice/store.hpp>`, and links and events are in `<sluice/reference/handler.hpp>`.
#include <sluice/base/header.hpp>
#include <sluice/base/text_hasher.hpp>
#include <sluice/errors.hpp>
#include <sluice/filters.hpp>
#include <sluice/params.hpp>
#include <sluice/query/cursor.hpp>
#include <sluice/query/json_writer.hpp>
#include <sluice/query/list_query.hpp>
#include <sluice/query/page.hpp>
#include <sluice/query/where.hpp>
#include <sluice/rate_limit.hpp>
#include <sluice/time.hpp>

#endif
