// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_SERVICE_MANAGER_HPP
#define SLUICE_EXAMPLES_SERVER_SERVICE_MANAGER_HPP

#include <string_view>

namespace server {

/// Tells systemd what the server does, where it was started by systemd and is asked to: the
/// protocol of sd_notify(3). For any number of threads.
class service_manager {
public:
    /// Takes the socket from the environment, so that no other program has it.
    service_manager();
    ~service_manager();
    service_manager(const service_manager&) = delete;
    service_manager& operator=(const service_manager&) = delete;

    void ready() const { notify("READY=1"); }
    /// The keys and the certificate are read again; ready() follows.
    void reloading() const;
    void stopping() const { notify("STOPPING=1"); }

private:
    void notify(std::string_view state) const;

    int socket_ = -1;
};

}  // namespace server

#endif
