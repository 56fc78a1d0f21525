// SPDX-License-Identifier: MIT
// Windows of time, in zones with and without summer time.
#include <iostream>

#include <sluice/sluice.hpp>
#include <sluice/time/system_zones.hpp>

int main() {
    // The day after Europe's clocks went forward.
    const auto now = *sluice::parse_timestamp("2026-03-30T10:00:00Z");
    const auto zones = *sluice::load_time_zones();
    const auto week = *sluice::parse_interval("7d");
    for (const std::string_view name : {"UTC", "Europe/Paris"}) {
        const auto window = sluice::resolve_window({.length = week}, *zones.find(name), now);
        if (window) std::cout << name << ' ' << sluice::format_timestamp(*window->start) << '\n';
    }
    const auto day = *sluice::parse_time_expression("2026-03-29");
    const auto window =
        sluice::resolve_window({.start = day, .end = day}, *zones.find("Europe/Paris"), now);
    if (!window) return 1;
    std::cout << sluice::format_timestamp(*window->start) << " to "
              << sluice::format_timestamp(*window->end) << '\n';
}
