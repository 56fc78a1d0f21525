// SPDX-License-Identifier: MIT
#include "zones.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <string_view>
#include <vector>

#include "abi.hpp"

/// The names of all zones, each followed by a newline; the caller owns the text.
extern "C" __attribute__((import_module("host"), import_name("zone_names"))) char*
sluice_zone_names();

/// The UTC offset of a zone in seconds, by the index of its name, at a number of seconds since
/// 1970.
extern "C" __attribute__((import_module("host"), import_name("zone_offset"))) std::int32_t
sluice_zone_offset(std::uint32_t zone, double at);

namespace sluice::wasm {

namespace {

using std::chrono::local_seconds;
using std::chrono::seconds;
using std::chrono::sys_seconds;

/// A zone of the host, by the index of its name.
struct host_zone {
    std::uint32_t place;
};

/// Implements time_zone: the UTC offset of a host_zone at an instant.
seconds offset_at(const void* zone, sys_seconds at) noexcept {
    const std::uint32_t place = static_cast<const host_zone*>(zone)->place;
    return seconds{sluice_zone_offset(place, static_cast<double>(at.time_since_epoch().count()))};
}

/// Distances from a local time, taken as UTC, at which offsets are probed: no zone was ever more
/// than 18 hours from UTC, and none changed its offset twice within 9 hours.
constexpr std::array<std::chrono::hours, 5> probes{std::chrono::hours{-18}, std::chrono::hours{-9},
                                                   std::chrono::hours{0}, std::chrono::hours{9},
                                                   std::chrono::hours{18}};

/// Implements time_zone: the UTC offset of a local time. The host only knows offsets at instants,
/// so this finds an offset that is valid at the instant that it leads to:
///
/// ```
/// clock set back      two offsets are valid, each at its own instant: the earlier one is meant
/// clock set forward   no offset is valid for a skipped time: it takes the offset that is valid at
///                     the instant that the larger one leads to, just before the gap
/// ```
seconds offset_for(const void* zone, local_seconds local) noexcept {
    const auto instant_with = [&](seconds offset) {
        return sys_seconds{local.time_since_epoch() - offset};
    };
    seconds largest = seconds::min(), valid = seconds::min();
    for (const std::chrono::hours away : probes) {
        const seconds offset = offset_at(zone, instant_with(-away));
        largest = std::max(largest, offset);
        // The larger of two valid offsets leads to the earlier instant.
        if (offset > valid && offset_at(zone, instant_with(offset)) == offset) valid = offset;
    }
    return valid != seconds::min() ? valid : offset_at(zone, instant_with(largest));
}

/// The database of all zones. The names that it views live as long as the module.
time_zone_database make_database() {
    static const std::unique_ptr<const char[]> names(sluice_zone_names());
    static std::deque<host_zone> kept;
    std::vector<time_zone> zones;
    std::string_view rest = names.get();
    while (!rest.empty()) {
        const std::size_t end = rest.find('\n');
        const auto place = static_cast<std::uint32_t>(kept.size());
        const host_zone& zone = kept.emplace_back(place);
        zones.push_back({rest.substr(0, end), &zone, offset_at, offset_for});
        rest.remove_prefix(end + 1);
    }
    return time_zone_database(std::move(zones));
}

}  // namespace

const time_zone_database& host_zones() {
    static const time_zone_database database = make_database();
    return database;
}

}  // namespace sluice::wasm
