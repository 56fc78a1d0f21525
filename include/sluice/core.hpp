// SPDX-License-Identifier: MIT
#ifndef SLUICE_CORE_HPP
#define SLUICE_CORE_HPP

/// The core of the library, which compiles faster than `<sluice/sluice.hpp>`: filters, metadata
/// expressions, query strings, errors with their messages, and rate limits. It lacks parameter
/// tables, time windows, pages and list queries.
#include <sluice/error.hpp>
#include <sluice/filter.hpp>
#include <sluice/filter_matcher.hpp>
#include <sluice/message.hpp>
#include <sluice/metadata/query.hpp>
#include <sluice/query_string.hpp>
#include <sluice/rate_limit.hpp>

#endif
