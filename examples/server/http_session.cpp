// SPDX-License-Identifier: MIT
#include "http_session.hpp"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/beast/core/buffer_traits.hpp>
#include <boost/beast/core/buffers_range.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/serializer.hpp>
#include <sys/socket.h>

#include <sluice/reference/service/request_id.hpp>

#include "answers.hpp"
#include "as_result.hpp"
#include "compression.hpp"
#include "request_reader.hpp"
#include "request_rules.hpp"
#include "tls_records.hpp"

namespace server {

namespace {

namespace beast = boost::beast;
using beast::error_code;
using clock = std::chrono::steady_clock;

constexpr std::size_t read_size = 4'096;          // bytes per read
constexpr std::size_t send_size = 256 << 10;      // bytes of an answer per send
constexpr std::chrono::seconds farewell_time{1};  // for a client to close its side at the end

// The streams of HTTPS and of HTTP behind a proxy.
using tls_stream = asio::ssl::stream<beast::tcp_stream>;
using plain_stream = beast::tcp_stream;

/// Returns the system time in whole milliseconds.
sluice::instant now() {
    return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

/// The bytes in a buffer, until it changes.
std::string_view text_of(const beast::flat_buffer& buffer) {
    return {static_cast<const char*>(buffer.data().data()), buffer.size()};
}

/// Waits until the coroutine is cancelled.
asio::awaitable<void> await_cancellation() {
    const auto here = co_await asio::this_coro::executor;
    asio::steady_timer never(here, clock::time_point::max());
    co_await never.async_wait(as_result);
}

/// A request in progress. `fields` and method() view the head in `reader`.
struct exchange {
    request_reader reader{};
    std::optional<refusal> refused{};
    std::string target = "-";  // path and query
    std::string_view route = sluice::reference::no_route_label;
    std::string client{};  // IP address, as far as it is known
    std::vector<sluice::name_value> fields{};
    std::string id{};

    [[nodiscard]] std::string_view method() const {
        const std::string_view read = reader.head().method_string();
        return read.empty() ? "-" : read;
    }
};

/// The session of one client:
///
/// ```
/// await_first_byte -> greet -> await_request -> read -> answer -> send -> farewell
///                                   ^            |                 | |
///                                   |            +- 4xx: refused ->| |
///                                   +------------------------------+ |
///          time is over, client gone, server stops ------------------+--->
/// ```
template <class Stream>
class session final : public http_session {
public:
    session(service& shared, session_lists& sessions, verdict decision,
            asio::ip::tcp::socket&& client)
        : shared_(shared),
          sessions_(sessions),
          is_served_(decision == verdict::serve),
          peer_(address_of(client)),
          socket_(std::move(client)) {}

    /// Serves the client until the connection ends; see the diagram.
    asio::awaitable<void> run() override {
        bool goes_on = co_await await_first_byte();
        if (!goes_on) co_return;
        goes_on = co_await greet();
        while (goes_on) {
            goes_on = co_await await_request();
            if (goes_on) goes_on = co_await serve();
        }
        co_await farewell();
    }

    /// Ends the wait for a request, which then checks again if it may go on.
    void notice_stop() override {
        error_code ignored;
        if (is_idle_) socket().cancel(ignored);
    }

    /// Closes the socket, which ends all waiting. Discards the unsent rest of an answer (linger 0).
    void cut_off() override {
        error_code ignored;
        is_cut_off_ = true;
        if (is_sending_) socket().set_option(asio::socket_base::linger(true, 0), ignored);
        socket().close(ignored);
    }

private:
    static constexpr bool has_tls = std::is_same_v<Stream, tls_stream>;

    /// The client's IP address, IPv4-mapped ones as IPv4.
    static asio::ip::address address_of(const asio::ip::tcp::socket& client) {
        error_code unknown;  // then the address is 0.0.0.0
        return unmapped(client.remote_endpoint(unknown).address());
    }
    beast::tcp_stream& tcp() { return beast::get_lowest_layer(*stream_); }
    asio::ip::tcp::socket& socket() { return stream_ ? tcp().socket() : socket_; }

    /// Updates the session's activity. Refused sessions aren't listed, so that they aren't cut off.
    void set_activity(activity what) {
        if (is_served_) sessions_.put(*this, what);
    }
    /// The earlier of `until` and the end of a stopping server.
    [[nodiscard]] clock::time_point nearer(clock::time_point until) const {
        return std::min(until, shared_.end.value_or(until));
    }

    /// Waits for the first byte, before TLS state and buffers are allocated. Returns false if none
    /// comes in time.
    asio::awaitable<bool> await_first_byte() {
        using namespace asio::experimental::awaitable_operators;
        begun_ = clock::now();
        const auto until = begun_ + (has_tls ? shared_.times.handshake : shared_.times.idle);
        asio::steady_timer late(co_await asio::this_coro::executor);
        set_activity(activity::waiting);
        for (;;) {
            late.expires_at(nearer(until));
            is_idle_ = true;
            const auto first =
                co_await (socket_.async_wait(asio::socket_base::wait_read, as_result) ||
                          late.async_wait(as_result));
            is_idle_ = false;
            if (first.index() != 0 || is_cut_off_) co_return false;
            const auto [failed] = std::get<0>(first);
            if (failed) {
                if (failed != asio::error::operation_aborted || !shared_.end) co_return false;
                continue;
            }
            // A wait may end without data, due to an event of an earlier connection whose
            // descriptor had the same number. Then this waits again.
            char byte;
            const auto size = ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
            if (size > 0) break;
            const bool is_early = size < 0 && (errno == EAGAIN || errno == EINTR);
            if (!is_early) co_return false;  // the client has disconnected
        }
        if constexpr (has_tls) {
            stream_.emplace(std::move(socket_), *shared_.tls);
        } else {
            stream_.emplace(std::move(socket_));
        }
        error_code ignored;  // then send_now() waits
        socket().non_blocking(true, ignored);
        co_return true;
    }

    /// The TLS handshake, if there is one. Returns false if it fails.
    asio::awaitable<bool> greet() {
        if constexpr (has_tls) {
            tcp().expires_at(begun_ + shared_.times.handshake);
            const auto [failed] =
                co_await stream_->async_handshake(asio::ssl::stream_base::server, as_result);
            co_return !failed;
        }
        co_return true;
    }

    /// Waits for the first byte of a request. Returns false if none comes in time.
    asio::awaitable<bool> await_request() {
        const auto until = clock::now() + shared_.times.idle;
        set_activity(is_known_ ? activity::waiting_known : activity::waiting);
        for (;;) {
            buffer_.consume(empty_lines_before(text_of(buffer_)));
            if (buffer_.size() != 0 && text_of(buffer_) != "\r") co_return true;
            if (buffer_.capacity() > read_size) buffer_.shrink_to_fit();
            tcp().expires_at(nearer(until));
            is_idle_ = true;
            const auto [failed, count] =
                co_await stream_->async_read_some(buffer_.prepare(read_size), as_result);
            is_idle_ = false;
            buffer_.commit(count);
            const bool is_woken = failed == asio::error::operation_aborted && shared_.end;
            if (failed && !is_woken) co_return false;
        }
    }

    /// Reads a request and answers it. Returns true if the connection stays open.
    asio::awaitable<bool> serve() {
        exchange current;
        const bool is_read = co_await read(current);
        if (!is_read) co_return false;
        set_activity(activity::working);
        const auto begun = clock::now();
        const sluice::instant at = now();
        const auto sent_id = sluice::reference::request_id_of(request_in(current));
        current.id = sent_id ? std::string(*sent_id) : shared_.make_id();
        work_queues::answer answer = co_await answer_to(current);
        answer.response.headers.push_back(
            sluice::header{std::string(sluice::reference::request_id_header), current.id});
        const auto [status, bytes] = std::pair(answer.response.status, answer.response.body.size());
        const bool goes_on =
            co_await send(to_message(std::move(answer.response), at, is_last(current)));
        answer.unread.release();
        const auto duration = clock::now() - begun;
        shared_.record({.time = at,
                        .client = current.client,
                        .method = current.method(),
                        .target = current.target,
                        .route = current.route,
                        .status = status,
                        .bytes = bytes,
                        .taken = std::chrono::duration_cast<std::chrono::microseconds>(duration),
                        .request_id = current.id});
        co_return goes_on;
    }

    /// The request for the handler, which views `current`.
    static sluice::reference::request request_in(const exchange& current) {
        return {.method = current.method(),
                .target = current.target,
                .headers = current.fields,
                .scheme = has_tls ? "https" : "http"};
    }

    /// The answer to a request that is refused before the handler.
    [[nodiscard]] sluice::response refuse(const exchange& current, const refusal& why) const {
        sluice::response answer = answer_of(why);
        std::ranges::move(shared_.refusal_headers(request_in(current)),
                          std::back_inserter(answer.headers));
        return answer;
    }

    /// Reads a request, or the reason to refuse it. Returns false if none comes. The body is
    /// unused, but read to find the end of the request.
    asio::awaitable<bool> read(exchange& current) {
        request_reader& reader = current.reader;
        tcp().expires_after(shared_.times.head);
        while (!reader.has_head() && !reader.is_over()) {
            const bool goes_on = co_await read_more(reader);
            if (!goes_on) co_return false;
        }
        current.fields = fields_of(reader.head());
        if (contains(shared_.trusted, peer_)) {
            current.client = forwarded_client(current.fields, peer_, shared_.trusted);
        } else {
            current.client = peer_.to_string();
            if (!shared_.trusted.empty()) std::erase_if(current.fields, is_forwarded_field);
        }
        if (reader.has_head()) current.target = target_of(reader.head());
        current.refused = is_served_ ? reader.refused() : too_many_connections();
        if (current.refused || reader.is_over()) co_return true;
        co_await send_continue(reader.head());
        tcp().expires_after(shared_.times.head);
        while (!reader.is_over()) {
            const bool goes_on = co_await read_more(reader);
            if (!goes_on) co_return false;
        }
        current.refused = reader.refused();
        co_return true;
    }

    /// Sends `100 Continue` to a client that waits for it before it sends the body. One whose bytes
    /// are in the buffer already hasn't waited.
    asio::awaitable<void> send_continue(const request_head& head) {
        constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
        const std::string_view expected = head[http::field::expect];
        if (buffer_.size() != 0) co_return;
        if (!sluice::detail::equal_ignoring_case(expected, "100-continue")) co_return;
        co_await asio::async_write(*stream_, asio::buffer(go_on), as_result);
    }

    /// Passes received bytes to the reader. Receives more unless they complete the head or the
    /// request. Returns false if the connection failed.
    asio::awaitable<bool> read_more(request_reader& reader) {
        const bool had_head = reader.has_head();
        buffer_.consume(reader.take(text_of(buffer_)));
        if (reader.is_over() || reader.has_head() != had_head) co_return true;
        const auto [failed, count] =
            co_await stream_->async_read_some(buffer_.prepare(read_size), as_result);
        buffer_.commit(count);
        co_return !failed;
    }

    /// The answer to a request: a refusal, or the handler's. Small requests are answered
    /// immediately, unless others of their queue wait; the rest wait in a queue, and are cancelled
    /// if their client disconnects.
    asio::awaitable<work_queues::answer> answer_to(exchange& current) {
        const sluice::reference::request request = request_in(current);
        const prepared_request prepared = shared_.prepare(request);
        current.route = prepared.route;
        if (current.refused) co_return work_queues::answer{refuse(current, *current.refused), {}};
        if (prepared.queue == 0) co_return work_queues::answer{prepared.answer(now(), {}), {}};
        if (prepared.queue != work_queues::keyless) is_known_ = true;
        if (prepared.is_small && !takes_gzip(request)) {
            auto answer = shared_.work.run_here(prepared.queue, [&] {
                sluice::response small = prepared.answer(now(), {});
                compress(request, small);
                return small;
            });
            if (answer) co_return std::move(*answer);
        }
        std::stop_source gone;
        // A stopping server cancels the request too.
        const std::stop_callback link(shared_.cancelled, [&gone] { gone.request_stop(); });
        const auto work = [&] {
            sluice::response answer = prepared.answer(now(), gone.get_token());
            compress(request, answer);
            return answer;
        };
        using namespace asio::experimental::awaitable_operators;
        tcp().expires_never();
        // watch() only ends once run() has ended and cancelled it, so that the answer is run()'s.
        auto first = co_await (shared_.work.run(prepared.queue, work) || watch(gone));
        auto& answer = std::get<0>(first);
        if (!answer) co_return work_queues::answer{refuse(current, too_many_requests()), {}};
        co_return std::move(*answer);
    }

    /// Watches for the client's disconnection until cancelled. Bytes received meanwhile belong to
    /// the next request and are kept.
    asio::awaitable<void> watch(std::stop_source& gone) {
        while (buffer_.size() < max_head) {
            const auto [failed, count] =
                co_await stream_->async_read_some(buffer_.prepare(read_size), as_result);
            buffer_.commit(count);
            if (failed == asio::error::operation_aborted) co_return;
            if (failed) {
                is_gone_ = true;
                gone.request_stop();
                break;
            }
        }
        co_await await_cancellation();
    }

    /// Returns true if the connection ends with this answer. A stopping server still answers
    /// requests that it has received.
    [[nodiscard]] bool is_last(const exchange& current) const {
        const bool is_stopping = shared_.end.has_value() && buffer_.size() == 0;
        return current.refused || is_gone_ || is_stopping || !current.reader.keeps_alive();
    }

    /// Sends an answer. The client must receive all of it within the write timeout, and each part
    /// within rate_time. A part is the bytes that least_rate requires in rate_time; without a least
    /// rate, parts have no time limit. Returns true if the connection stays open.
    asio::awaitable<bool> send(http_answer message) {
        const bool goes_on = message.find(http::field::connection) == message.end();
        const std::size_t part =
            shared_.times.least_rate * static_cast<std::size_t>(shared_.times.rate_time.count());
        const auto until = clock::now() + shared_.times.write;
        if (is_served_) sessions_.put_sending(*this, message.body().size());
        is_sending_ = true;
        http::serializer<false, http::string_body> rest(message);
        std::size_t taken = 0, next = 0;  // bytes; `next`: the end of the current part
        auto [failed, chunk] = next_chunk(rest);
        if (rest.is_done()) message.body() = {};  // the chunk has it
        while (!failed && !chunk.empty()) {
            std::size_t count = 0;
            if (taken == 0) std::tie(failed, count) = send_now(chunk);
            if (!failed && count == 0) {
                if (taken >= next) {
                    const auto late = clock::now() + shared_.times.rate_time;
                    tcp().expires_at(part == 0 ? until : std::min(until, late));
                    next = taken + part;
                }
                std::tie(failed, count) =
                    co_await tcp().async_write_some(asio::buffer(chunk), as_result);
            }
            taken += count;
            chunk.remove_prefix(count);
            if (chunk.empty() && !failed) std::tie(failed, chunk) = next_chunk(rest);
        }
        is_sending_ = false;
        sending_ = {};
        co_return goes_on && !failed;
    }

    /// Copies the next bytes of an answer to `sending_`, encrypted if there is TLS; empty after the
    /// last ones. A chunk is sent at once.
    std::pair<error_code, std::string_view> next_chunk(
        http::serializer<false, http::string_body>& rest) {
        sending_.clear();
        error_code failed;
        while (!failed && !rest.is_done() && sending_.size() < send_size) {
            std::size_t size = 0;
            rest.next(failed, [&](error_code& broken, const auto& buffers) {
                // Enough for all records too: encrypt() mustn't allocate within OpenSSL.
                sending_.reserve(sending_.size() + send_size / 64 +
                                 std::min(beast::buffer_bytes(buffers), send_size));
                for (asio::const_buffer bytes : beast::buffers_range_ref(buffers)) {
                    const std::size_t room = send_size - std::min(send_size, sending_.size());
                    const asio::const_buffer part = asio::buffer(bytes, room);
                    broken = append(part);
                    size += part.size();
                    if (broken || part.size() < bytes.size()) break;
                }
            });
            if (!failed) rest.consume(size);
        }
        return {failed, sending_};
    }
    error_code append(asio::const_buffer bytes) {
        if constexpr (has_tls) {
            return encrypt(stream_->native_handle(), bytes, sending_);
        } else {
            sending_.append(static_cast<const char*>(bytes.data()), bytes.size());
            return {};
        }
    }

    /// Sends what the system takes without waiting; none if it would wait.
    std::pair<error_code, std::size_t> send_now(std::string_view bytes) {
        error_code failed;
        const std::size_t count = socket().write_some(asio::buffer(bytes), failed);
        if (failed == asio::error::would_block) failed = {};
        return {failed, count};
    }

    /// Closes the connection. First discards bytes that the client still sends: if they were left
    /// unread, the network might drop the last answer.
    asio::awaitable<void> farewell() {
        if (is_cut_off_) co_return;
        set_activity(activity::waiting);
        tcp().expires_after(farewell_time);
        if constexpr (has_tls) co_await stream_->async_shutdown(as_result);
        error_code ignored;
        tcp().socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
        std::array<char, read_size> dropped;
        for (bool is_open = true; is_open;) {
            const auto [failed, count] =
                co_await tcp().async_read_some(asio::buffer(dropped), as_result);
            is_open = !failed;
        }
    }

    service& shared_;
    session_lists& sessions_;
    bool is_served_;
    bool is_known_ = false;    // a request had an accepted key
    bool is_idle_ = false;     // waits for a request to begin
    bool is_sending_ = false;  // an answer
    bool is_gone_ = false;     // the client has disconnected
    bool is_cut_off_ = false;
    clock::time_point begun_{};                        // when run() began
    asio::ip::address peer_;                           // the client, or its proxy
    asio::ip::tcp::socket socket_;                     // until the first byte
    std::optional<Stream> stream_;                     // afterwards
    beast::flat_buffer buffer_{max_head + read_size};  // received and not yet consumed
    std::string sending_;                              // the chunk of an answer being sent
};

}  // namespace

std::unique_ptr<http_session> make_session(asio::ip::tcp::socket client, service& shared,
                                           session_lists& sessions, verdict decision) {
    if (shared.tls == nullptr) {
        return std::make_unique<session<plain_stream>>(shared, sessions, decision,
                                                       std::move(client));
    }
    return std::make_unique<session<tls_stream>>(shared, sessions, decision, std::move(client));
}

}  // namespace server
