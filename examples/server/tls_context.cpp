// SPDX-License-Identifier: MIT
#include "tls_context.hpp"

#include <boost/asio/error.hpp>

namespace server {

namespace ssl = boost::asio::ssl;
using outcome = tl::expected<void, std::string>;

namespace {

/// Sets the versions, key exchanges and ciphers that both contexts allow.
outcome choose_algorithms(SSL_CTX* tls) {
    SSL_CTX_set_min_proto_version(tls, TLS1_2_VERSION);
    SSL_CTX_set_options(tls, SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_mode(tls, SSL_MODE_RELEASE_BUFFERS);  // of idle connections
    const bool are_known = SSL_CTX_set1_groups_list(tls, "X25519:P-256:P-384") == 1 &&
                           SSL_CTX_set_cipher_list(tls, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1;
    if (are_known) return {};
    return tl::unexpected(std::string("OpenSSL lacks the key exchanges or ciphers of this server"));
}

/// Loads a certificate chain and its key, both PEM files.
outcome load(ssl::context& context, const std::string& certfile, const std::string& keyfile) {
    boost::system::error_code failed;
    // OpenSSL would ask the terminal for a passphrase without a callback.
    context.set_password_callback([](std::size_t, ssl::context::password_purpose) { return ""; });
    context.use_certificate_chain_file(certfile, failed);
    if (failed) return tl::unexpected(certfile + ": " + failed.message());
    context.use_private_key_file(keyfile, ssl::context::pem, failed);
    if (failed) return tl::unexpected(keyfile + ": " + failed.message());
    return {};
}

/// Requires a certificate of the server, signed by an authority of `ca_file` or of the system.
outcome trust(ssl::context& context, const std::string& ca_file) {
    boost::system::error_code failed;
    context.set_verify_mode(ssl::verify_peer, failed);
    if (!failed && ca_file.empty()) context.set_default_verify_paths(failed);
    if (!failed && !ca_file.empty()) context.load_verify_file(ca_file, failed);
    if (!failed) return {};
    return tl::unexpected((ca_file.empty() ? "" : ca_file + ": ") + failed.message());
}

}  // namespace

tl::expected<ssl::context, std::string> make_tls_context(const std::string& certfile,
                                                         const std::string& keyfile) {
    ssl::context context(ssl::context::tls_server);
    return choose_algorithms(context.native_handle())
        .and_then([&] { return load(context, certfile, keyfile); })
        .map([&] { return std::move(context); });
}

tl::expected<ssl::context, std::string> make_client_context(const std::string& ca_file) {
    ssl::context context(ssl::context::tls_client);
    return choose_algorithms(context.native_handle())
        .and_then([&] { return trust(context, ca_file); })
        .map([&] { return std::move(context); });
}

}  // namespace server
