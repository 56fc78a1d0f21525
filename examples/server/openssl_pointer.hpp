// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_OPENSSL_POINTER_HPP
#define SLUICE_EXAMPLES_SERVER_OPENSSL_POINTER_HPP

#include <memory>
#include <string>

#include <openssl/err.h>

namespace server {

template <auto Free>
struct openssl_deleter {
    template <class T>
    void operator()(T* owned) const {
        Free(owned);
    }
};

/// Owns an object of OpenSSL: `openssl_pointer<X509, X509_free>`.
template <class T, auto Free>
using openssl_pointer = std::unique_ptr<T, openssl_deleter<Free>>;

/// Why the last call of OpenSSL in this thread failed.
[[nodiscard]] inline std::string openssl_failure() {
    const char* const reason = ERR_reason_error_string(ERR_peek_last_error());
    return reason != nullptr ? reason : "OpenSSL gives no reason";
}

}  // namespace server

#endif
