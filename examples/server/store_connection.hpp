// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_STORE_CONNECTION_HPP
#define SLUICE_EXAMPLES_SERVER_STORE_CONNECTION_HPP

#include <memory>
#include <string>

#include <boost/asio/ssl/context.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <tl/expected.hpp>

#include "name_lookup.hpp"
#include "patience.hpp"
#include "store_place.hpp"

namespace server {

using store_request = boost::beast::http::request<boost::beast::http::string_body>;
using store_answer = boost::beast::http::response<boost::beast::http::string_body>;

/// Why a request has no answer.
struct store_failure {
    std::string why;
    bool has_ended = false;  ///< the server ended the connection, perhaps before it saw the request
};

/// A connection to a server, for one request after another; for one thread at a time.
///
/// ```
/// resolve -> connect -> greet (TLS) -> write -> read
///                                        ^       |
///                                        +-------+---> where any fails, it is of no use any more
/// ```
class store_connection {
public:
    virtual ~store_connection() = default;

    /// What answers a request; connects first, where that is still to do.
    [[nodiscard]] virtual tl::expected<store_answer, store_failure> ask(
        const store_request& request, const patience& until) = 0;
    /// Whether another request may follow.
    [[nodiscard]] virtual bool is_open() const = 0;
};

/// A connection that is still to be made, to an address of the host that `names` looks up; over TLS
/// where a context is given, which has to outlive it and verifies the server's certificate.
[[nodiscard]] std::unique_ptr<store_connection> make_store_connection(
    const store_host& host, const name_lookup& names, boost::asio::ssl::context* tls);

}  // namespace server

#endif
