// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_REQUEST_OPTIONS_HPP
#define SLUICE_REFERENCE_REQUEST_OPTIONS_HPP

#include <string_view>

#include <sluice/errors/error.hpp>
#include <sluice/time/zone.hpp>

namespace sluice::reference {

/// Options for parsing the parameters of a list. Unknown parameter names are ignored unless
/// `strict`, because clients in use send some.
struct request_options {
    const time_zone_database* zones = nullptr;  ///< for the parameter timezone
    bool strict = false;                        ///< unknown parameter names are errors
};

namespace detail {

/// Returns an error of a rule, with a static text that says what to do instead.
[[nodiscard]] inline error refusal(rule broken, std::string_view accepts) noexcept {
    error why = make_error(broken);
    why.accepts = accepts;
    return why;
}

}  // namespace detail

}  // namespace sluice::reference

#endif
