// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_LISTENER_HPP
#define SLUICE_EXAMPLES_SERVER_LISTENER_HPP

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <tl/expected.hpp>

#include "connection.hpp"
#include "file_descriptor.hpp"

namespace server {

namespace detail {

/// A socket that is bound to an address; errno says why there is none.
[[nodiscard]] inline file_descriptor bind_to(const addrinfo& address) {
    constexpr int yes = 1;
    file_descriptor socket(
        ::socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!socket.is_open()) return {};
    // A restart need not wait for old connections to time out; two servers can't share a port.
    ::setsockopt(socket.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (::bind(socket.number(), address.ai_addr, address.ai_addrlen) != 0) return {};
    return socket;
}

}  // namespace detail

/// A non-blocking socket bound to a host and port (0: a free one), or why there is none. Clients
/// are turned away until it listens.
[[nodiscard]] inline tl::expected<file_descriptor, std::string> bind_listener(
    const std::string& host, std::uint16_t port) {
    addrinfo hints{};
    hints.ai_flags = AI_PASSIVE;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* list = nullptr;
    const int failure = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
    if (failure != 0) return tl::unexpected(std::string(::gai_strerror(failure)));
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> addresses(list, &::freeaddrinfo);
    int why = 0;
    for (const addrinfo* each = list; each != nullptr; each = each->ai_next) {
        file_descriptor bound = detail::bind_to(*each);
        if (bound.is_open()) return bound;
        why = errno;
    }
    return tl::unexpected(std::string(std::strerror(why)));
}

/// Lets clients connect, or says why not.
[[nodiscard]] inline tl::expected<void, std::string> listen(const file_descriptor& listener) {
    constexpr int backlog = 128;  // that the kernel holds until they are accepted
    if (::listen(listener.number(), backlog) == 0) return {};
    return tl::unexpected(std::string(std::strerror(errno)));
}

/// The port that a socket listens on.
[[nodiscard]] inline std::uint16_t port_of(const file_descriptor& listener) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    auto* const plain = reinterpret_cast<sockaddr*>(&address);
    if (::getsockname(listener.number(), plain, &size) != 0) return 0;
    return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(plain)->sin6_port
                                               : reinterpret_cast<sockaddr_in*>(plain)->sin_port);
}

/// The next client, or nothing where none is there (any more).
[[nodiscard]] inline std::optional<client> accept_client(const file_descriptor& listener) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    auto* const plain = reinterpret_cast<sockaddr*>(&address);
    file_descriptor socket(
        ::accept4(listener.number(), plain, &size, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket.is_open()) return std::nullopt;
    constexpr int yes = 1;
    ::setsockopt(socket.number(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    std::array<char, NI_MAXHOST> name{"-"};
    ::getnameinfo(plain, size, name.data(), name.size(), nullptr, 0, NI_NUMERICHOST);
    return client{std::move(socket), name.data()};
}

}  // namespace server

#endif
