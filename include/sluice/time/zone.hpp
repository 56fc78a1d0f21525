// SPDX-License-Identifier: MIT
#ifndef SLUICE_TIME_ZONE_HPP
#define SLUICE_TIME_ZONE_HPP

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/base/ascii.hpp>
#include <sluice/base/heap_sort.hpp>
#include <sluice/base/near_miss.hpp>
#include <sluice/errors/error.hpp>
#include <sluice/time/instant.hpp>

/// Time zones: wall times and instants, and look-up of zones by name.
namespace sluice {

/// A date and time of day as the clocks of a time zone show it, in whole milliseconds.
using wall_time = std::chrono::local_time<std::chrono::milliseconds>;

/// A time zone: a name and two functions that return offsets. A small value, cheap to copy; its
/// name and data must outlive it.
///
/// ```
/// UTC    06:59    07:00    07:30       02:30 is skipped: with the offset before the gap it is
/// wall   01:59 ]  03:00    03:30       07:30 UTC, which moves it on by the gap
///
/// UTC    05:30    06:00    06:30       01:30 comes twice: with the offset before the change it is
/// wall   01:30 ]  01:00    01:30       05:30 UTC, the first of the two
/// ```
class time_zone {
public:
    /// The offset from UTC at an instant.
    using offset_at_function = std::chrono::seconds (*)(const void* data,
                                                        std::chrono::sys_seconds at) noexcept;
    /// The offset from UTC of clocks that show a wall time; if they skip it or show it twice, the
    /// offset before the change: std::chrono::local_info::first.
    using offset_for_function = std::chrono::seconds (*)(const void* data,
                                                         std::chrono::local_seconds at) noexcept;

    /// Makes a zone of the caller's functions. Both get `data`, which may be null, and must be safe
    /// to call from several threads. `name` and `data` must outlive every copy.
    constexpr time_zone(std::string_view name, const void* data, offset_at_function offset_at,
                        offset_for_function offset_for) noexcept
        : name_(name), data_(data), offset_at_(offset_at), offset_for_(offset_for) {}

    /// Returns Coordinated Universal Time, which needs no data.
    [[nodiscard]] static constexpr time_zone utc() noexcept {
        using std::chrono::seconds;
        return {"UTC", nullptr,
                [](const void*, std::chrono::sys_seconds) noexcept { return seconds{0}; },
                [](const void*, std::chrono::local_seconds) noexcept { return seconds{0}; }};
    }

    /// Returns the IANA name in the database's spelling, such as `Europe/Paris`.
    [[nodiscard]] constexpr std::string_view name() const noexcept { return name_; }

    /// Returns the wall time at an instant.
    [[nodiscard]] wall_time to_wall(instant at) const noexcept {
        const auto offset = offset_at_(data_, std::chrono::floor<std::chrono::seconds>(at));
        return wall_time{at.time_since_epoch() + offset};
    }

    /// Returns the instant at which the clocks show a wall time. One that they skip moves on by as
    /// much as they skip; one that they show twice is the first of the two.
    [[nodiscard]] instant to_instant(wall_time shown) const noexcept {
        const auto offset = offset_for_(data_, std::chrono::floor<std::chrono::seconds>(shown));
        return instant{shown.time_since_epoch() - offset};
    }

    /// Returns the first instant at which the clocks show `day`; if they skip midnight, the end of
    /// the gap. A day that is skipped as a whole begins with the day after it.
    [[nodiscard]] instant start_of_day(std::chrono::local_days day) const noexcept {
        return first_from(day);
    }

    /// Returns the first instant at which the clocks show `wanted`; if they skip it, the end of the
    /// gap.
    [[nodiscard]] instant first_from(wall_time wanted) const noexcept {
        const instant moved = to_instant(wanted);
        const auto moved_by = to_wall(moved) - wanted;
        if (moved_by == std::chrono::milliseconds{0}) return moved;
        // Bisects: the gap ends after `before`, and no later than at `within`.
        instant before = moved - moved_by;
        instant within = moved;
        while (within - before > std::chrono::milliseconds{1}) {
            const instant middle = before + (within - before) / 2;
            (to_wall(middle) < wanted ? before : within) = middle;
        }
        return within;
    }

    friend constexpr bool operator==(const time_zone&, const time_zone&) = default;

private:
    std::string_view name_;
    const void* data_;
    offset_at_function offset_at_;
    offset_for_function offset_for_;
};

namespace detail {

constexpr bool less_ignoring_case(std::string_view a, std::string_view b) noexcept {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                        [](char x, char y) { return to_lower(x) < to_lower(y); });
}

}  // namespace detail

/// Time zones by name. Immutable once built, so any number of threads may read it.
///
/// ```
/// const auto zones = sluice::load_time_zones();  // <sluice/time/system_zones.hpp>
/// if (!zones) return zones.error();
/// const auto zone = zones->find("america/new_york");  // America/New_York
/// ```
class time_zone_database {
public:
    /// Makes a database of the caller's zones.
    explicit time_zone_database(std::vector<time_zone> zones) : zones_(std::move(zones)) {
        detail::heap_sort(zones_, [](const time_zone& a, const time_zone& b) {
            return detail::less_ignoring_case(a.name(), b.name());
        });
    }

    /// Returns the zone of an IANA name or alias in any case: `Asia/Tokyo`, `US/Pacific`, `utc`.
    /// Error: time_zone_unknown, with the zone that was probably meant. Doesn't allocate.
    [[nodiscard]] result<time_zone> find(std::string_view name) const noexcept {
        const auto match = std::lower_bound(
            zones_.begin(), zones_.end(), name, [](const time_zone& zone, std::string_view wanted) {
                return detail::less_ignoring_case(zone.name(), wanted);
            });
        if (match == zones_.end() || !detail::equal_ignoring_case(match->name(), name)) {
            auto unknown = fail(rule::time_zone_unknown, 0, name.size());
            unknown.value().suggestion = detail::near_miss(name, zones_, &time_zone::name);
            return unknown;
        }
        return *match;
    }

    /// Returns all zones, sorted by name without regard to case.
    [[nodiscard]] const std::vector<time_zone>& zones() const& noexcept { return zones_; }
    const std::vector<time_zone>& zones() const&& = delete;

private:
    std::vector<time_zone> zones_;
};

}  // namespace sluice

#endif
