// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_SERVICE_MANAGER_HPP
#define SLUICE_EXAMPLES_SERVER_SERVICE_MANAGER_HPP

#include <string_view>

namespace server {

/// Reports the server's state to systemd, if systemd started it and wants notifications: the
/// protocol of sd_notify(3). Thread-safe.
class service_manager {
public:
    /// Removes the socket's address from the environment, so that child processes don't use it.
    service_manager();
    ~service_manager();
    service_manager(const service_manager&) = delete;
    service_manager& operator=(const service_manager&) = delete;

    /// Reports that the server accepts requests.
    void ready() const { notify("READY=1"); }
    /// Reports that keys and certificate are being reloaded; ready() must follow.
    void reloading() const;
    void stopping() const { notify("STOPPING=1"); }

private:
    /// Sends a state to the socket, if there is one.
    void notify(std::string_view state) const;

    int socket_ = -1;
};

}  // namespace server

#endif
