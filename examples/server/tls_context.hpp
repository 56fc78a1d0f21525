// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_TLS_CONTEXT_HPP
#define SLUICE_EXAMPLES_SERVER_TLS_CONTEXT_HPP

#include <string>

#include <boost/asio/ssl/context.hpp>
#include <tl/expected.hpp>

namespace server {

/// TLS 1.2 or later with a certificate chain and its key, both files in PEM, or why not. Each key
/// exchange is elliptic (X25519, P-256, P-384) and each cipher authenticates what it encrypts: what
/// else OpenSSL knows costs more or is weaker.
[[nodiscard]] tl::expected<boost::asio::ssl::context, std::string> make_tls_context(
    const std::string& certfile, const std::string& keyfile);

/// The same for a client, which trusts servers whose certificates were signed by the authorities
/// of a file in PEM, or by those that the system trusts where it has no name.
[[nodiscard]] tl::expected<boost::asio::ssl::context, std::string> make_client_context(
    const std::string& ca_file);

}  // namespace server

#endif
