// SPDX-License-Identifier: MIT
#ifndef SLUICE_BASE_HEADER_HPP
#define SLUICE_BASE_HEADER_HPP

#include <string>

namespace sluice {

/// One header field of a response. The name is lower-case, as HTTP/2 wants it: `x-ratelimit-limit`.
struct header {
    std::string name;
    std::string value;

    friend bool operator==(const header&, const header&) = default;
};

}  // namespace sluice

#endif
