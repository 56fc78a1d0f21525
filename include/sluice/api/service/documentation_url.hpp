// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_SERVICE_DOCUMENTATION_URL_HPP
#define SLUICE_API_SERVICE_DOCUMENTATION_URL_HPP

#include <string>
#include <string_view>

#include <sluice/api/service/call.hpp>

namespace sluice::api {

/// What `doc_url` in the errors of a request starts with: the address of the documentation that the
/// server was told, or of this server, which has a page of errors. Where neither is known, not even
/// from the request, it is empty: a path on the server that was asked.
[[nodiscard]] inline std::string documentation_url(const request& asked,
                                                   const handler_options& options) {
    if (!options.docs_url.empty()) return options.docs_url;
    if (!options.base_url.empty()) return options.base_url;
    const auto host = asked.header_value("host");
    if (!host || !is_authority(*host)) return {};
    return "https://" + std::string(*host);  // whatever this request came by: nothing else answers
}

}  // namespace sluice::api

#endif
