// SPDX-License-Identifier: MIT
#ifndef SLUICE_WASM_ZONES_HPP
#define SLUICE_WASM_ZONES_HPP

#include <algorithm>
#include <cstddef>
#include <span>

#include <sluice/base/query_string.hpp>
#include <sluice/params/param.hpp>
#include <sluice/time/zone.hpp>

namespace sluice::wasm {

/// The time zones of the host, by IANA name. Loaded on the first call.
[[nodiscard]] const time_zone_database& host_zones();

/// Like host_zones(), but null unless a parameter may name a zone, because loading takes a while.
template <class Table>
[[nodiscard]] const time_zone_database* zones_for(const Table& table,
                                                  std::span<const name_value> pairs) {
    const auto names_zone = [&](const name_value& pair) {
        const std::size_t row = table.find(pair.name);
        return row < table.size() && table[row].info.type == param_type::time_zone;
    };
    return std::ranges::any_of(pairs, names_zone) ? &host_zones() : nullptr;
}

}  // namespace sluice::wasm

#endif
