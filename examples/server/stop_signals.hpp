// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_STOP_SIGNALS_HPP
#define SLUICE_EXAMPLES_SERVER_STOP_SIGNALS_HPP

#include <csignal>

#include <sys/signalfd.h>

#include "file_descriptor.hpp"

namespace server {

/// Turns SIGINT and SIGTERM into a file descriptor that can be read once one has come, and from
/// then on: nobody reads it, so that each thread that polls it learns of the stop.
///
/// Made before any thread, since threads inherit what is blocked.
class stop_signals {
public:
    stop_signals() {
        sigset_t signals;
        sigemptyset(&signals);
        sigaddset(&signals, SIGINT);
        sigaddset(&signals, SIGTERM);
        ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
        pending_ = file_descriptor(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
    }

    [[nodiscard]] int number() const noexcept { return pending_.number(); }

private:
    file_descriptor pending_;
};

}  // namespace server

#endif
