// SPDX-License-Identifier: MIT
#ifndef SLUICE_SLUICE_HPP
#define SLUICE_SLUICE_HPP

/// All primitives in one include: filters, parameters, pages, rate limits and error envelopes for
/// list APIs. Links and events are in `<sluice/api/handler.hpp>`, SQL of queries is in
/// `<sluice/sql/compile.hpp>`.
#include <sluice/bind.hpp>
#include <sluice/bounds.hpp>
#include <sluice/choice.hpp>
#include <sluice/cursor.hpp>
#include <sluice/envelope.hpp>
#include <sluice/error.hpp>
#include <sluice/filter.hpp>
#include <sluice/filter_matcher.hpp>
#include <sluice/filter_values.hpp>
#include <sluice/hash_seed.hpp>
#include <sluice/header.hpp>
#include <sluice/instant.hpp>
#include <sluice/list_params.hpp>
#include <sluice/list_query.hpp>
#include <sluice/list_query_json.hpp>
#include <sluice/message.hpp>
#include <sluice/metadata/expression.hpp>
#include <sluice/metadata/query.hpp>
#include <sluice/named_values.hpp>
#include <sluice/openapi.hpp>
#include <sluice/page.hpp>
#include <sluice/param.hpp>
#include <sluice/param_info.hpp>
#include <sluice/param_table.hpp>
#include <sluice/param_values.hpp>
#include <sluice/params.hpp>
#include <sluice/parse_limits.hpp>
#include <sluice/query_string.hpp>
#include <sluice/rate_limit.hpp>
#include <sluice/rate_limit/keyed_limiter.hpp>
#include <sluice/rules.hpp>
#include <sluice/schema.hpp>
#include <sluice/time_expression.hpp>
#include <sluice/time_range.hpp>
#include <sluice/time_zone.hpp>
#include <sluice/uuid.hpp>
#include <sluice/where.hpp>

#endif
