// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_STORE_CONNECTION_HPP
#define SLUICE_EXAMPLES_SERVER_STORE_CONNECTION_HPP

#include <memory>
#include <string>

#include <boost/asio/ssl/context.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <tl/expected.hpp>

#include "deadline.hpp"
#include "name_lookup.hpp"
#include "store_place.hpp"

/// Connections to a ClickHouse server over HTTP or HTTPS.
namespace server {

using store_request = boost::beast::http::request<boost::beast::http::string_body>;
using store_answer = boost::beast::http::response<boost::beast::http::string_body>;

/// The error of a request without an answer.
struct store_failure {
    std::string why;
    bool has_ended = false;  ///< the connection was closed, perhaps before the request was read
};

/// A connection to a ClickHouse server for consecutive requests, used by one thread at a time.
///
/// ```
/// resolve -> connect -> greet (TLS) -> write -> read
///                                        ^       |
///                                        +-------+
/// ```
///
/// After a failure of any step it can't be used again.
class store_connection {
public:
    virtual ~store_connection() = default;

    /// Returns the answer to a request; connects first if necessary.
    [[nodiscard]] virtual tl::expected<store_answer, store_failure> ask(
        const store_request& request, const deadline& until) = 0;
    /// Returns true if the connection can be used for another request.
    [[nodiscard]] virtual bool is_open() const = 0;
};

/// Creates a connection that connects on first use, to an address that `names` finds. With a TLS
/// context, which must outlive it, it uses TLS and verifies the server's certificate.
[[nodiscard]] std::unique_ptr<store_connection> make_store_connection(
    const store_host& host, const name_lookup& names, boost::asio::ssl::context* tls);

}  // namespace server

#endif
