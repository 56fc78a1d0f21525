// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_REQUEST_OPTIONS_HPP
#define SLUICE_REFERENCE_REQUEST_OPTIONS_HPP

#include <sluice/time/zone.hpp>

namespace sluice::reference {

/// Options of parse_events_query() and parse_tags_query(). Unknown parameter names are ignored
/// unless `strict`, because published clients send some.
struct request_options {
    const time_zone_database* zones = nullptr;  ///< for the parameter timezone
    bool strict = false;                        ///< unknown parameter names are errors
};

}  // namespace sluice::reference

#endif
