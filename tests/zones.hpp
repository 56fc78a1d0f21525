// SPDX-License-Identifier: MIT
#ifndef SLUICE_TESTS_ZONES_HPP
#define SLUICE_TESTS_ZONES_HPP

#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <sluice/time/instant.hpp>
#include <sluice/time/system_zones.hpp>
#include <sluice/time/zone.hpp>

/// The system's zones, loaded once.
inline const sluice::time_zone_database& zones() {
    static const auto loaded = sluice::load_time_zones();
    return loaded.value();
}

inline sluice::time_zone zone_of(std::string_view name) {
    const auto zone = zones().find(name);
    REQUIRE(zone);
    return *zone;
}

/// An instant from `2026-08-21T02:30`, with or without seconds and milliseconds.
inline sluice::instant utc(std::string_view text) {
    std::string whole(text);
    whole.append(text.size() == 16 ? ":00Z" : "Z");
    const auto at = sluice::parse_timestamp(whole);
    REQUIRE(at);
    return *at;
}

#endif
