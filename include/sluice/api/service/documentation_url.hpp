// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_SERVICE_DOCUMENTATION_URL_HPP
#define SLUICE_API_SERVICE_DOCUMENTATION_URL_HPP

#include <string>
#include <string_view>

#include <sluice/api/service/call.hpp>

namespace sluice::api {

/// What links to this service start with: its own address, or the path that it is mounted at.
[[nodiscard]] inline std::string_view address_of(const request& asked,
                                                 const handler_options& options) noexcept {
    return options.base_url.empty() ? asked.mount : std::string_view(options.base_url);
}

/// What `doc_url` in the errors of a request starts with: the address of the documentation that the
/// server was told, or of this server, which has a page of errors. Where neither is known, not even
/// from the request, it is empty: a path on the server that was asked.
[[nodiscard]] inline std::string documentation_url(const request& asked,
                                                   const handler_options& options) {
    if (!options.docs_url.empty()) return options.docs_url;
    std::string address(address_of(asked, options));
    const auto host = asked.header_value("host");
    if (!options.base_url.empty() || !host || !is_authority(*host)) return address;
    address.insert(0, "https://" + std::string(*host));  // whatever the scheme: only https answers
    return address;
}

}  // namespace sluice::api

#endif
