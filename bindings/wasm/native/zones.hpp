// SPDX-License-Identifier: MIT
#ifndef SLUICE_WASM_ZONES_HPP
#define SLUICE_WASM_ZONES_HPP

#include <sluice/query_string.hpp>
#include <sluice/time_zone.hpp>

namespace sluice::wasm {

/// The time zones of the host, by their IANA names. It is asked for them once, when first called.
[[nodiscard]] const time_zone_database& host_zones();

/// The same where a request may name one: telling the names takes the host a while.
[[nodiscard]] const time_zone_database* zones_for(std::span<const name_value> pairs);

}  // namespace sluice::wasm

#endif
