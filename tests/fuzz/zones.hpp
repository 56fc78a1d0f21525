// SPDX-License-Identifier: MIT
#ifndef SLUICE_TESTS_FUZZ_ZONES_HPP
#define SLUICE_TESTS_FUZZ_ZONES_HPP

#include <string_view>

#include <sluice/sluice.hpp>
#include <sluice/time/system_zones.hpp>

#include "byte_source.hpp"

// Windows and wall times in the system's zones.

namespace sluice_fuzz {

/// The clocks show a wall time at its instant, or a later one where they skip it.
inline void require_consistent(const sluice::time_zone& zone, sluice::instant at) {
    const sluice::wall_time shown = zone.to_wall(at);
    require(zone.to_instant(shown) <= at);
    require(zone.to_wall(zone.to_instant(shown)) == shown);
    const auto day = std::chrono::floor<std::chrono::days>(shown);
    require(zone.start_of_day(day) <= at);
    require(zone.to_wall(zone.start_of_day(day)) >= day);
}

/// A zone, a moment and the texts of a window: `<2 bytes><8 bytes>interval\nstart\nend`.
inline void fuzz_zones(std::string_view input) {
    static const auto zones = sluice::load_time_zones().value();
    byte_source bytes(input);
    const sluice::time_zone zone = zones.zones()[bytes.below(zones.zones().size())];
    require(zones.find(zone.name()).value() == zone);
    static_cast<void>(zones.find(bytes.rest()));
    const sluice::instant now{std::chrono::milliseconds{bytes.magnitude()}};
    if (sluice::is_writable(now)) require_consistent(zone, now);
    const std::string_view text = bytes.line();
    const auto length = sluice::parse_interval(text);
    const auto start = sluice::parse_time_expression(bytes.line());
    const auto end = sluice::parse_time_expression(bytes.line());
    sluice::window_request request;
    if (length) {
        require(sluice::to_string(*length) == text);
        request.length = *length;
    }
    if (start) request.start = *start;
    if (end) request.end = *end;
    const auto window = sluice::resolve_window(request, zone, now);
    if (!window) return require(!sluice::message(window.error()).empty());
    require(!window->start || sluice::is_writable(*window->start));
    require(!window->end || sluice::is_writable(*window->end));
}

}  // namespace sluice_fuzz

#endif
