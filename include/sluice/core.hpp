// SPDX-License-Identifier: MIT
#ifndef SLUICE_CORE_HPP
#define SLUICE_CORE_HPP

/// The primitives that stand alone, in one include that compiles in less time than
/// `<sluice/sluice.hpp>`: filters, metadata expressions, query strings, errors with their messages,
/// and rate limits. Parameter tables, windows of time, pages and list queries are in the latter.
#include <sluice/error.hpp>
#include <sluice/filter.hpp>
#include <sluice/filter_matcher.hpp>
#include <sluice/message.hpp>
#include <sluice/metadata/query.hpp>
#include <sluice/query_string.hpp>
#include <sluice/rate_limit.hpp>

#endif
