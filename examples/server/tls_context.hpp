// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_TLS_CONTEXT_HPP
#define SLUICE_EXAMPLES_SERVER_TLS_CONTEXT_HPP

#include <string>

#include <boost/asio/ssl/context.hpp>
#include <tl/expected.hpp>

namespace server {

/// A server's context for TLS 1.2 or later with a certificate chain and its key, both PEM files, or
/// an error. Allows only elliptic-curve key exchanges (X25519, P-256, P-384) and authenticated
/// ciphers; others are slower or weaker.
[[nodiscard]] tl::expected<boost::asio::ssl::context, std::string> make_tls_context(
    const std::string& certfile, const std::string& keyfile);

/// Like make_tls_context(), for a client that trusts the certificate authorities of a PEM file, or
/// those of the system if `ca_file` is empty.
[[nodiscard]] tl::expected<boost::asio::ssl::context, std::string> make_client_context(
    const std::string& ca_file);

}  // namespace server

#endif
