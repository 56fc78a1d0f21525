// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_SERVICE_CURRENT_KEYS_HPP
#define SLUICE_REFERENCE_SERVICE_CURRENT_KEYS_HPP

#include <memory>
#include <mutex>
#include <utility>

#include <sluice/reference/service/key_ring.hpp>

namespace sluice::reference {

/// The current keys of a service, replaceable while requests are answered. Thread-safe.
///
/// ```
/// request 1:  get() -> ring A ......... answered by ring A
/// replace(B)        |
/// request 2:        get() -> ring B ... answered by ring B
/// ```
class current_keys {
public:
    explicit current_keys(key_ring first)
        : keys_(std::make_shared<const key_ring>(std::move(first))) {}

    /// The current keys, which stay unchanged for the caller.
    [[nodiscard]] std::shared_ptr<const key_ring> get() const {
        const std::lock_guard lock(mutex_);
        return keys_;
    }

    /// Replaces the keys. Keys in both rings keep their numbers.
    void replace(key_ring next) {
        const std::lock_guard turn(replacing_);
        next.follow(*get());
        auto shared = std::make_shared<const key_ring>(std::move(next));
        const std::lock_guard lock(mutex_);
        keys_.swap(shared);
    }

private:
    mutable std::mutex mutex_;  // guards keys_
    std::mutex replacing_;      // one replacement at a time
    std::shared_ptr<const key_ring> keys_;
};

}  // namespace sluice::reference

#endif
