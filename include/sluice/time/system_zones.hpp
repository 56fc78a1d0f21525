// SPDX-License-Identifier: MIT
#ifndef SLUICE_TIME_SYSTEM_ZONES_HPP
#define SLUICE_TIME_SYSTEM_ZONES_HPP

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <exception>
#include <fstream>
#include <ios>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/errors/error.hpp>
#include <sluice/time/detail/zone_rule.hpp>
#include <sluice/time/instant.hpp>
#include <sluice/time/zone.hpp>

// The system's time-zone database: the standard library's if it has one, otherwise that of
// https://github.com/HowardHinnant/date. Both take longer to compile than all of the primitives, so
// <sluice/sluice.hpp> leaves this header out: only the file that loads the zones needs it. Both
// report failures by exceptions only, so a build without exceptions has no load_time_zones() and
// passes its own zones.
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

/// Returns true if a name in the system's time-zone database is a zone or an alias. Names of other
/// files (`localtime`, `posixrules`, `right/UTC`, `zone.tab`) begin with a small letter; `Factory`
/// stands for an unset clock.
constexpr bool is_zone_name(std::string_view name) noexcept {
    return !name.empty() && name[0] >= 'A' && name[0] <= 'Z' && name != "Factory";
}

/// A zone of the system's database.
struct system_zone {
    std::string_view name;
    const system_zones::time_zone* listed;  ///< borrowed from the database
    std::optional<zone_rule> yearly;        ///< holds after the last change that `listed` has

    /// Returns true if `info`, a period of `listed`, never ends and `yearly` replaces it.
    [[nodiscard]] bool is_after_last_change(const system_zones::sys_info& info) const noexcept {
        return yearly && info.end > std::chrono::floor<std::chrono::seconds>(latest_instant);
    }
    /// Returns the offset from UTC; see time_zone::offset_at_function.
    [[nodiscard]] std::chrono::seconds offset_at(std::chrono::sys_seconds at) const noexcept {
        const auto info = listed->get_info(at);
        return is_after_last_change(info) ? yearly->offset_at(at) : info.offset;
    }
    /// Returns the offset of clocks that show `at`; see time_zone::offset_for_function.
    [[nodiscard]] std::chrono::seconds offset_for(std::chrono::local_seconds at) const noexcept {
        const system_zones::local_seconds shown{at.time_since_epoch()};
        const auto info = listed->get_info(shown).first;
        return is_after_last_change(info) ? yearly->offset_for(at) : info.offset;
    }
};

/// Returns a time_zone that views `zone`, which must live as long as the program.
inline time_zone make_system_zone(const system_zone& zone) {
    return {zone.name, &zone,
            [](const void* data, std::chrono::sys_seconds at) noexcept {
                return static_cast<const system_zone*>(data)->offset_at(at);
            },
            [](const void* data, std::chrono::local_seconds at) noexcept {
                return static_cast<const system_zone*>(data)->offset_for(at);
            }};
}

/// Returns true if a zone's data can be read; the database reads them when first used.
inline bool is_readable(const system_zones::time_zone& zone) noexcept {
    try {
        static_cast<void>(zone.get_info(std::chrono::sys_seconds{}));
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

/// Returns the last line of a TZif file (RFC 9636), without line breaks; empty if the file can't be
/// read, or has none, as in version 1.
inline std::string last_line_of_zone(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::array<char, 5> start{};
    file.read(start.data(), start.size());
    constexpr std::string_view magic = "TZif";
    const bool has_line = std::string_view(start.data(), magic.size()) == magic && start[4] >= '2';
    if (!file || !has_line) return {};
    constexpr std::streamoff longest = 128;  // bytes read for a line, which has a few dozen
    file.seekg(0, std::ios::end);
    file.seekg(-std::min<std::streamoff>(longest, file.tellg()), std::ios::end);
    std::string tail(static_cast<std::size_t>(longest), '\0');
    file.read(tail.data(), longest);
    tail.resize(static_cast<std::size_t>(file.gcount()));
    if (tail.empty() || tail.back() != '\n') return {};
    tail.pop_back();
    const std::size_t before = tail.rfind('\n');
    return before == std::string::npos ? std::string() : tail.substr(before + 1);
}

/// Returns the rule in the last line of a zone's file, for system_zone::yearly. nullopt if there is
/// none, and if the database applies such rules itself: only the library date doesn't, when it
/// reads the system's files (USE_OS_TZDB).
inline std::optional<zone_rule> find_zone_rule([[maybe_unused]] std::string_view name) {
#if defined(USE_OS_TZDB) && USE_OS_TZDB
    // In the order in which date looks for them.
    for (const std::string_view folder : {"/usr/share/zoneinfo/uclibc/", "/usr/share/zoneinfo/"}) {
        const std::string line = last_line_of_zone(std::string(folder).append(name));
        if (!line.empty()) return parse_zone_rule(line);
    }
#endif
    return std::nullopt;
}

/// Adds a zone under a name of its own or of an alias, unless it is to be left out.
inline void add_system_zone(std::vector<system_zone>& zones, std::string_view name,
                            const system_zones::time_zone& zone) {
    if (is_zone_name(name) && is_readable(zone)) {
        zones.push_back({name, &zone, find_zone_rule(name)});
    }
}

/// Returns the zones and aliases of a database. Some databases list aliases as `links`, others as
/// zones.
template <class Database>
std::vector<system_zone> system_zones_of(const Database& database) {
    std::vector<system_zone> zones;
    for (const auto& zone : database.zones) add_system_zone(zones, zone.name(), zone);
    if constexpr (requires { database.links; }) {
        for (const auto& link : database.links) {
            add_system_zone(zones, link.name(), *database.locate_zone(link.target()));
        }
    }
    return zones;
}

}  // namespace detail

/// Loads every zone and alias of the system's database, once: a few milliseconds and megabytes.
/// Error: time_zone_data, if there is none. Zones whose files can't be read are left out. Names
/// last as long as the program. After the last change that a zone's file lists, the rule in its
/// last line holds.
[[nodiscard]] inline result<time_zone_database> load_time_zones() {
    try {
        static const auto system = detail::system_zones_of(detail::system_zones::get_tzdb());
        if (system.empty()) return fail(rule::time_zone_data);
        std::vector<time_zone> zones;
        zones.reserve(system.size());
        for (const detail::system_zone& zone : system) {
            zones.push_back(detail::make_system_zone(zone));
        }
        return time_zone_database(std::move(zones));
    } catch (const std::exception&) {
        return fail(rule::time_zone_data);
    }
}

}  // namespace sluice
#endif

#endif
