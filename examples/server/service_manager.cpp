// SPDX-License-Identifier: MIT
#include "service_manager.hpp"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace server {

service_manager::service_manager() {
    const char* const variable = std::getenv("NOTIFY_SOCKET");
    const std::string path = variable == nullptr ? "" : variable;
    ::unsetenv("NOTIFY_SOCKET");
    sockaddr_un place{};
    const bool is_path = path.starts_with('/') || path.starts_with('@');
    if (!is_path || path.size() >= sizeof place.sun_path) return;
    place.sun_family = AF_UNIX;
    std::memcpy(place.sun_path, path.data(), path.size());
    if (path.starts_with('@')) place.sun_path[0] = '\0';  // abstract socket address
    socket_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
    if (socket_ < 0) return;
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&place), size) == 0) return;
    ::close(socket_);
    socket_ = -1;
}

service_manager::~service_manager() {
    if (socket_ >= 0) ::close(socket_);
}

void service_manager::reloading() const {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    const long long microseconds = now.tv_sec * 1'000'000LL + now.tv_nsec / 1'000;
    notify("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(microseconds));
}

void service_manager::notify(std::string_view state) const {
    if (socket_ >= 0) ::send(socket_, state.data(), state.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace server
