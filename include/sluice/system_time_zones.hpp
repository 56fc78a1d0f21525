// SPDX-License-Identifier: MIT
#ifndef SLUICE_SYSTEM_TIME_ZONES_HPP
#define SLUICE_SYSTEM_TIME_ZONES_HPP

#include <chrono>
#include <exception>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/error.hpp>
#include <sluice/time_zone.hpp>

// The system's time-zone database: the standard library's where it has one, else that of
// https://github.com/HowardHinnant/date. Both take longer to compile than all of the primitives, so
// <sluice/sluice.hpp> leaves this header out: only the file that loads the zones needs it. Both
// report failures by exceptions only, so that a build without exceptions has no load_time_zones()
// and passes its own zones.
#if defined(__cpp_exceptions)
#if defined(__cpp_lib_chrono) && __cpp_lib_chrono >= 201907L
namespace sluice::detail {
namespace system_zones = std::chrono;
}
#else
#include <date/tz.h>
namespace sluice::detail {
namespace system_zones = date;
}
#endif

namespace sluice {

namespace detail {

/// Whether a name of the system's database is a place: the rest (`localtime`, `posixrules`,
/// `right/UTC`, tables) begin with a small letter, and `Factory` stands for a clock nobody set.
constexpr bool is_zone_name(std::string_view name) noexcept {
    return !name.empty() && name[0] >= 'A' && name[0] <= 'Z' && name != "Factory";
}

/// A zone of the system's database, which lasts as long as the program.
inline time_zone make_system_zone(std::string_view name, const system_zones::time_zone& zone) {
    return {
        name, &zone,
        [](const void* data, std::chrono::sys_seconds at) noexcept {
            return static_cast<const system_zones::time_zone*>(data)->get_info(at).offset;
        },
        [](const void* data, std::chrono::local_seconds at) noexcept {
            const system_zones::local_seconds local{at.time_since_epoch()};
            return static_cast<const system_zones::time_zone*>(data)->get_info(local).first.offset;
        }};
}

/// Whether a zone's data can be read; the database reads them when it is first asked for them.
inline bool is_readable(const system_zones::time_zone& zone) noexcept {
    try {
        static_cast<void>(zone.get_info(std::chrono::sys_seconds{}));
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

inline void add_system_zone(std::vector<time_zone>& zones, std::string_view name,
                            const system_zones::time_zone& zone) {
    if (is_zone_name(name) && is_readable(zone)) zones.push_back(make_system_zone(name, zone));
}

/// A template, since only some databases hold their aliases apart from their zones.
template <class Database>
std::vector<time_zone> system_zones_of(const Database& database) {
    std::vector<time_zone> zones;
    for (const auto& zone : database.zones) add_system_zone(zones, zone.name(), zone);
    if constexpr (requires { database.links; }) {
        for (const auto& link : database.links) {
            add_system_zone(zones, link.name(), *database.locate_zone(link.target()));
        }
    }
    return zones;
}

}  // namespace detail

/// Reads the system's database, every zone and alias, once: a few milliseconds and megabytes.
/// rule::time_zone_data where there is none. A zone whose file can't be read is left out.
/// The names last as long as the program. Where the database comes from date, the offset after
/// the last change that the system's files list one by one (of 2037 for most) holds for ever.
[[nodiscard]] inline result<time_zone_database> load_time_zones() {
    try {
        auto zones = detail::system_zones_of(detail::system_zones::get_tzdb());
        if (zones.empty()) return fail(rule::time_zone_data);
        return time_zone_database(std::move(zones));
    } catch (const std::exception&) {
        return fail(rule::time_zone_data);
    }
}

}  // namespace sluice
#endif

#endif
