// SPDX-License-Identifier: MIT
#ifndef SLUICE_TIME_HPP
#define SLUICE_TIME_HPP

/// Instants, time expressions (`now-7d`), windows, buckets and time zones. The system's zones are
/// in
/// `<sluice/time/system_zones.hpp>`.
#include <sluice/time/bucket.hpp>
#include <sluice/time/expression.hpp>
#include <sluice/time/instant.hpp>
#include <sluice/time/interval.hpp>
#include <sluice/time/window.hpp>
#include <sluice/time/zone.hpp>

#endif
