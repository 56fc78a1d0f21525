// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_CONNECTION_HPP
#define SLUICE_EXAMPLES_SERVER_CONNECTION_HPP

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>

#include "file_descriptor.hpp"
#include "openssl_pointer.hpp"

namespace server {

using deadline = std::chrono::steady_clock::time_point;

/// The deadline that ends a duration from now.
[[nodiscard]] inline deadline deadline_in(std::chrono::milliseconds duration) {
    return std::chrono::steady_clock::now() + duration;
}

/// A client that has connected, and nothing more yet.
struct client {
    file_descriptor socket;  ///< non-blocking
    std::string address;     ///< such as `127.0.0.1`
};

/// A client's connection, over TLS or plain. Every wait ends at a deadline.
class connection {
public:
    /// `tls` is null for a plain connection; else it outlives the connection.
    connection(client connected, SSL_CTX* tls) : client_(std::move(connected)) {
        if (tls == nullptr) return;
        tls_.reset(SSL_new(tls));
        broken_ = tls_ == nullptr || SSL_set_fd(tls_.get(), client_.socket.number()) != 1;
    }

    [[nodiscard]] const std::string& address() const noexcept { return client_.address; }

    /// Greets the client: the TLS handshake, if there is one.
    [[nodiscard]] bool open(deadline until) {
        if (!tls_) return true;
        return attempt([this] { return SSL_accept(tls_.get()); }, POLLIN, until) > 0;
    }

    /// Waits for bytes, but not once `stop` can be read: a connection with no request ends then.
    [[nodiscard]] bool await_bytes(int stop, deadline until) {
        if (tls_ && SSL_pending(tls_.get()) > 0) return true;
        std::array<pollfd, 2> waits{pollfd{client_.socket.number(), POLLIN, 0},
                                    pollfd{stop, POLLIN, 0}};
        return wait(waits.data(), waits.size(), until) && waits[0].revents != 0;
    }

    /// Appends the next bytes to a text: how many. 0 once the client has ended, or at the deadline.
    std::size_t receive(std::string& into, deadline until) {
        std::array<char, 16'384> bytes;  // a record of TLS
        const auto count = attempt([&] { return read_some(bytes); }, POLLIN, until);
        into.append(bytes.data(), count);
        return count;
    }

    /// Whether all bytes were sent before the deadline.
    [[nodiscard]] bool send(std::string_view bytes, deadline until) {
        while (!bytes.empty()) {
            const auto count = attempt([&] { return write_some(bytes); }, POLLOUT, until);
            if (count == 0) return false;
            bytes.remove_prefix(count);
        }
        return true;
    }

    /// Ends the connection. Bytes that the client still sends are read for a while first: where
    /// they are left unread, the network may take the last answer back.
    void close(bool bytes_are_unread) {
        const bool may_say_so = tls_ && (!broken_ || SSL_get_shutdown(tls_.get()) != 0);
        if (may_say_so) SSL_shutdown(tls_.get());
        ::shutdown(client_.socket.number(), SHUT_WR);
        if (bytes_are_unread) discard_bytes(deadline_in(std::chrono::seconds(1)));
    }

private:
    [[nodiscard]] static bool wait(pollfd* waits, std::size_t count, deadline until) {
        for (;;) {
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(
                until - std::chrono::steady_clock::now());
            if (left.count() <= 0) return false;
            const int ready = ::poll(waits, count, static_cast<int>(left.count()));
            if (ready >= 0 || errno != EINTR) return ready > 0;
        }
    }

    /// Repeats a step until it moves bytes, which it counts; 0 where it can't before the deadline.
    template <class Step>
    std::size_t attempt(Step step, short plain_event, deadline until) {
        while (!broken_) {
            ERR_clear_error();  // what SSL_get_error looks at
            const auto count = step();
            if (count > 0) return static_cast<std::size_t>(count);
            pollfd awaited{client_.socket.number(), event_after(count, plain_event), 0};
            broken_ = awaited.events == 0 || !wait(&awaited, 1, until);
        }
        return 0;
    }
    /// What to wait for after a step that moved nothing; 0 where nothing will come.
    [[nodiscard]] short event_after(std::ptrdiff_t count, short plain_event) const {
        if (!tls_) return count < 0 && errno == EAGAIN ? plain_event : short{0};
        switch (SSL_get_error(tls_.get(), static_cast<int>(count))) {
            case SSL_ERROR_WANT_READ: return POLLIN;
            case SSL_ERROR_WANT_WRITE: return POLLOUT;
            default: return 0;
        }
    }

    std::ptrdiff_t read_some(std::array<char, 16'384>& into) {
        if (!tls_) return ::recv(client_.socket.number(), into.data(), into.size(), 0);
        return SSL_read(tls_.get(), into.data(), static_cast<int>(into.size()));
    }
    std::ptrdiff_t write_some(std::string_view bytes) {
        if (!tls_) return ::send(client_.socket.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        constexpr std::size_t most = 1 << 20;
        return SSL_write(tls_.get(), bytes.data(), static_cast<int>(std::min(bytes.size(), most)));
    }

    void discard_bytes(deadline until) {
        std::array<char, 16'384> bytes;
        pollfd awaited{client_.socket.number(), POLLIN, 0};
        while (wait(&awaited, 1, until)) {
            if (::recv(client_.socket.number(), bytes.data(), bytes.size(), 0) <= 0) return;
        }
    }

    client client_;
    openssl_pointer<SSL, SSL_free> tls_;
    bool broken_ = false;  // no more bytes go either way
};

}  // namespace server

#endif
