// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_TLS_RECORDS_HPP
#define SLUICE_EXAMPLES_SERVER_TLS_RECORDS_HPP

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/system/error_code.hpp>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

/// Encryption of many TLS records at a time. Asio's streams send each record, of at most 16 KB,
/// alone.
namespace server {

/// The type of an OpenSSL output that appends to a std::string; null if there is no memory.
[[nodiscard]] inline const BIO_METHOD* string_output() {
    static const std::unique_ptr<BIO_METHOD, decltype(&BIO_meth_free)> method = [] {
        std::unique_ptr<BIO_METHOD, decltype(&BIO_meth_free)> created(
            BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "string"), &BIO_meth_free);
        if (!created) return created;
        BIO_meth_set_write_ex(created.get(), [](BIO* output, const char* bytes, std::size_t size,
                                                std::size_t* written) {
            static_cast<std::string*>(BIO_get_data(output))->append(bytes, size);
            *written = size;
            return 1;
        });
        BIO_meth_set_ctrl(created.get(), [](BIO*, int command, long, void*) -> long {
            return command == BIO_CTRL_FLUSH ? 1 : 0;
        });
        return created;
    }();
    return method.get();
}

/// Encrypts bytes and appends their records to `records`. Expects that the connection has no other
/// output under way. Error: the connection is closed or broken.
[[nodiscard]] inline boost::system::error_code encrypt(SSL* connection,
                                                       boost::asio::const_buffer text,
                                                       std::string& records) {
    BIO* const output = BIO_new(string_output());
    if (output == nullptr) return boost::asio::error::no_memory;
    BIO_set_data(output, &records);
    BIO_set_init(output, 1);
    SSL_set0_wbio(connection, output);
    boost::system::error_code failed;
    while (text.size() != 0 && !failed) {
        std::size_t written = 0;
        ERR_clear_error();
        if (SSL_write_ex(connection, text.data(), text.size(), &written) != 1) {
            failed = boost::asio::ssl::error::stream_truncated;
        }
        text += written;
    }
    BIO* const usual = SSL_get_rbio(connection);  // of both directions
    BIO_up_ref(usual);
    SSL_set0_wbio(connection, usual);
    return failed;
}

}  // namespace server

#endif
