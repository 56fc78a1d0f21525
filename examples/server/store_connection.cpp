// SPDX-License-Identifier: MIT
#include "store_connection.hpp"

#include <cstdint>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include "as_result.hpp"

namespace server {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using beast::error_code;
using clock = std::chrono::steady_clock;
using outcome = tl::expected<void, store_failure>;
using answer = tl::expected<store_answer, store_failure>;

constexpr std::uint64_t max_answer = 256 << 20;  // bytes; a usual page has about a thousandth

using tls_stream = asio::ssl::stream<beast::tcp_stream>;
using plain_stream = beast::tcp_stream;

/// The failure of a request because of a system error.
tl::unexpected<store_failure> failed_by(error_code code) {
    const bool is_late = code == beast::error::timeout || code == asio::error::timed_out;
    const bool has_ended = code == http::error::end_of_stream || code == asio::error::eof ||
                           code == asio::error::connection_reset ||
                           code == asio::error::broken_pipe ||
                           code == asio::ssl::error::stream_truncated;
    return tl::unexpected(store_failure{is_late ? "no answer in time" : code.message(), has_ended});
}

/// Requires the server's certificate to be for an address or name; sends the name as SNI. Returns
/// false if memory runs out.
bool expect_host(SSL* tls, const std::string& host) {
    if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(tls), host.c_str()) == 1) return true;
    return SSL_set1_host(tls, host.c_str()) == 1 &&
           SSL_set_tlsext_host_name(tls, host.c_str()) == 1;
}

/// A store_connection over TCP or TLS, with an io_context of its own that runs during ask().
template <class Stream>
class connection final : public store_connection {
public:
    template <class... Context>
    explicit connection(const store_host& host, const name_lookup& names, Context&... context)
        : host_(host), names_(names), stream_(io_, context...) {}

    [[nodiscard]] bool is_open() const override { return is_open_; }

    answer ask(const store_request& request, const deadline& until) override {
        answer reply = failed_by(asio::error::operation_aborted);
        const auto set_reply = [&reply](const std::exception_ptr& why, answer&& response) {
            if (!why) reply = std::move(response);
        };
        is_open_ = false;  // until the exchange succeeds
        io_.restart();
        asio::co_spawn(io_, exchange(request, until), set_reply);
        {
            const std::stop_callback link(until.stop,
                                          [this] { asio::post(io_, [this] { tcp().close(); }); });
            io_.run();
        }
        is_open_ = reply && reply->keep_alive() && !until.stop.stop_requested();
        return reply;
    }

private:
    static constexpr bool has_tls = std::is_same_v<Stream, tls_stream>;

    beast::tcp_stream& tcp() { return beast::get_lowest_layer(stream_); }

    /// Sends a request and receives its answer; connects first if necessary.
    asio::awaitable<answer> exchange(const store_request& request, const deadline& until) {
        if (!is_connected_) {
            const outcome connected = co_await connect(until);
            if (!connected) co_return tl::unexpected(connected.error());
        }
        tcp().expires_at(until.end);
        const auto [unsent, sent] = co_await http::async_write(stream_, request, as_result);
        if (unsent) co_return failed_by(unsent);
        http::response_parser<http::string_body> parser;
        parser.body_limit(max_answer);
        const auto [unread, read] =
            co_await http::async_read(stream_, received_, parser, as_result);
        if (unread) co_return failed_by(unread);
        co_return parser.release();
    }

    /// Connects in at most half of the time that is left, so that other servers can be tried.
    asio::awaitable<outcome> connect(const deadline& until) {
        const auto end = clock::now() + (until.end - clock::now()) / 2;
        const auto places = names_.find({end, until.stop});
        if (until.stop.stop_requested()) co_return failed_by(asio::error::operation_aborted);
        if (!places) co_return failed_by(places.error());
        tcp().expires_at(end);
        const auto [refused, place] = co_await tcp().async_connect(*places, as_result);
        if (refused) co_return failed_by(refused);
        error_code ignored;
        tcp().socket().set_option(tcp::no_delay(true), ignored);
        const outcome greeted = co_await greet();
        is_connected_ = greeted.has_value();
        co_return greeted;
    }

    /// Performs the TLS handshake, if the stream uses TLS.
    asio::awaitable<outcome> greet() {
        if constexpr (has_tls) {
            SSL* const tls = stream_.native_handle();
            if (!expect_host(tls, host_.name)) co_return failed_by(asio::error::no_memory);
            const auto [failed] = co_await stream_.async_handshake(Stream::client, as_result);
            const long verdict = SSL_get_verify_result(tls);
            if (failed && verdict != X509_V_OK) {
                co_return tl::unexpected(
                    store_failure{std::string("its certificate is not trusted: ") +
                                  X509_verify_cert_error_string(verdict)});
            }
            if (failed) co_return failed_by(failed);
        }
        co_return outcome();
    }

    store_host host_;
    name_lookup names_;
    asio::io_context io_{1};
    Stream stream_;
    beast::flat_buffer received_;  // bytes beyond the last answer
    bool is_connected_ = false;
    bool is_open_ = true;  // no step has failed
};

}  // namespace

std::unique_ptr<store_connection> make_store_connection(const store_host& host,
                                                        const name_lookup& names,
                                                        asio::ssl::context* tls) {
    if (tls == nullptr) return std::make_unique<connection<plain_stream>>(host, names);
    return std::make_unique<connection<tls_stream>>(host, names, *tls);
}

}  // namespace server
