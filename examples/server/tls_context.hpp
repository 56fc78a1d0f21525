// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_TLS_CONTEXT_HPP
#define SLUICE_EXAMPLES_SERVER_TLS_CONTEXT_HPP

#include <string>

#include <openssl/ssl.h>
#include <tl/expected.hpp>

#include "openssl_pointer.hpp"

namespace server {

using tls_context = openssl_pointer<SSL_CTX, SSL_CTX_free>;

/// TLS 1.2 or later with a certificate chain and its key, both files in PEM, or why not.
[[nodiscard]] inline tl::expected<tls_context, std::string> make_tls_context(
    const std::string& certfile, const std::string& keyfile) {
    const auto refuse = [](const std::string& file) {
        return tl::unexpected(file + ": " + openssl_failure());
    };
    ERR_clear_error();
    tls_context made(SSL_CTX_new(TLS_server_method()));
    if (!made) return refuse("TLS");
    SSL_CTX* const tls = made.get();
    SSL_CTX_set_min_proto_version(tls, TLS1_2_VERSION);
    SSL_CTX_set_options(tls, SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_mode(tls, SSL_MODE_ENABLE_PARTIAL_WRITE);
    // Without a callback that gives no passphrase, OpenSSL would ask the terminal for one.
    SSL_CTX_set_default_passwd_cb(tls, [](char*, int, int, void*) { return 0; });
    if (SSL_CTX_use_certificate_chain_file(tls, certfile.c_str()) != 1) return refuse(certfile);
    if (SSL_CTX_use_PrivateKey_file(tls, keyfile.c_str(), SSL_FILETYPE_PEM) != 1) {
        return refuse(keyfile);
    }
    return made;
}

}  // namespace server

#endif
