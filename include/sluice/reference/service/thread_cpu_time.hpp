// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_SERVICE_THREAD_CPU_TIME_HPP
#define SLUICE_REFERENCE_SERVICE_THREAD_CPU_TIME_HPP

#include <chrono>
#include <ctime>

namespace sluice::reference {

/// The CPU time used so far by the calling thread, a clock for store::scan_limits. It stops while
/// the thread waits for a processor, so that a busy machine refuses no more searches than an idle
/// one.
[[nodiscard]] inline std::chrono::nanoseconds thread_cpu_time() noexcept {
    std::timespec used{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

}  // namespace sluice::reference

#endif
