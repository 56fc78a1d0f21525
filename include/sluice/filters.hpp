// SPDX-License-Identifier: MIT
#ifndef SLUICE_FILTERS_HPP
#define SLUICE_FILTERS_HPP

/// Advanced filters (`US,CA`, `-US`) and metadata expressions (`metadata['plan']:'pro'`).
#include <sluice/base/parse_limits.hpp>
#include <sluice/filters/filter.hpp>
#include <sluice/filters/matcher.hpp>
#include <sluice/filters/values.hpp>
#include <sluice/metadata/expression.hpp>
#include <sluice/metadata/query.hpp>

#endif
