// SPDX-License-Identifier: MIT
#ifndef SLUICE_RATE_LIMIT_REDIS_DETAIL_CIRCUIT_BREAKER_HPP
#define SLUICE_RATE_LIMIT_REDIS_DETAIL_CIRCUIT_BREAKER_HPP

#include <chrono>
#include <optional>

#include <sluice/time/instant.hpp>

namespace sluice::detail {

/// A circuit breaker: keeps calls from a server that fails, so that they don't wait in vain.
///
/// ```
///           success                   success
///            +---+    +------------------------------------+
///            |   v    v                                    |
///          [ closed ] --third failure--> [ open ] --pause--> [ one call tries ]
///            all calls                    no call  <--failure--'
/// ```
/// A clock that goes back to before the failure closes it.
class circuit_breaker {
public:
    static constexpr int max_failures = 3;  ///< in a row
    static constexpr std::chrono::milliseconds pause{1'000};

    /// Returns true if a call may be made now. The one that tries blocks others for another pause.
    [[nodiscard]] bool admits(instant now) noexcept {
        if (!opened_) return true;
        if (now >= *opened_ && now < *opened_ + pause) return false;
        opened_ = now;
        return true;
    }

    void succeed() noexcept {
        failures_ = 0;
        opened_.reset();
    }

    void fail(instant now) noexcept {
        if (++failures_ >= max_failures) opened_ = now;
    }

private:
    int failures_ = 0;
    std::optional<instant> opened_{};
};

}  // namespace sluice::detail

#endif
