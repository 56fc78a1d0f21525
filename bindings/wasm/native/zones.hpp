// SPDX-License-Identifier: MIT
#ifndef SLUICE_WASM_ZONES_HPP
#define SLUICE_WASM_ZONES_HPP

#include <sluice/base/query_string.hpp>
#include <sluice/time/zone.hpp>

namespace sluice::wasm {

/// The time zones of the host, by IANA name. Loaded on the first call.
[[nodiscard]] const time_zone_database& host_zones();

/// Like host_zones(), but null unless a parameter may name a zone, because loading takes a while.
[[nodiscard]] const time_zone_database* zones_for(std::span<const name_value> pairs);

}  // namespace sluice::wasm

#endif
