// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_SERVICE_DOCUMENTATION_URL_HPP
#define SLUICE_REFERENCE_SERVICE_DOCUMENTATION_URL_HPP

#include <string>
#include <string_view>

#include <sluice/reference/service/call.hpp>

namespace sluice::reference {

/// The prefix of links to this service: its configured address, or the path that it is mounted at.
[[nodiscard]] inline std::string_view address_of(const request& received,
                                                 const handler_options& options) noexcept {
    return options.base_url.empty() ? received.mount : std::string_view(options.base_url);
}

/// The prefix of `doc_url` in the errors of a request: the configured documentation URL, or this
/// server's address, which serves a page of errors. Without a valid Host header it is the mount
/// path.
[[nodiscard]] inline std::string documentation_url(const request& received,
                                                   const handler_options& options) {
    if (!options.docs_url.empty()) return options.docs_url;
    std::string address(address_of(received, options));
    const auto host = received.header_value("host");
    if (!options.base_url.empty() || !host || !is_authority(*host)) return address;
    address.insert(0, "https://" + std::string(*host));  // the only scheme that is answered
    return address;
}

}  // namespace sluice::reference

#endif
