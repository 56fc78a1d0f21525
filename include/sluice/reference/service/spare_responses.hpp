// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_SERVICE_SPARE_RESPONSES_HPP
#define SLUICE_REFERENCE_SERVICE_SPARE_RESPONSES_HPP

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/errors/envelope.hpp>
#include <sluice/rate_limit/headers.hpp>

namespace sluice::reference {

/// Copies of a response, allocated in advance for requests that run out of memory. Thread-safe.
class spare_responses {
public:
    /// Allocates the first copies of a response. `original` has all headers that take() may set,
    /// with values as long as the longest, so that setting them never allocates.
    explicit spare_responses(response original) : original_(std::move(original)) {
        copies_.reserve(most);
        refill();
    }

    /// Replaces the copies that were taken. Call it once memory may be allocated again.
    void refill() {
        if (is_full_) return;
        const std::lock_guard lock(mutex_);
        while (copies_.size() < most) copies_.push_back(original_);
        is_full_ = true;
    }

    /// Takes a copy and sets its headers, without allocating: the allowed origin and the quota, if
    /// there are any. The status alone if no copy is left.
    [[nodiscard]] response take(std::string_view origin,
                                const std::optional<decision>& charged) noexcept {
        response copy = take();
        set(copy, "access-control-allow-origin", origin);
        if (origin.empty()) set(copy, "access-control-expose-headers", {});
        const auto values = sluice::detail::rate_limit_values(charged.value_or(decision{}));
        for (std::size_t i = 0; i < values.size(); ++i) {
            std::array<char, 20> digits;  // of any 64-bit number, with its sign
            const auto end = std::to_chars(digits.begin(), digits.end(), values[i]).ptr;
            const std::string_view text(digits.begin(), end);
            set(copy, sluice::detail::rate_limit_names[i], charged ? text : std::string_view());
        }
        return copy;
    }

private:
    static constexpr std::size_t most = 64;  // copies, for requests that run out of memory at once

    /// Takes a copy as it is; the status alone if none is left.
    [[nodiscard]] response take() noexcept {
        const std::lock_guard lock(mutex_);
        is_full_ = false;
        if (copies_.empty()) return {.status = original_.status};
        response copy = std::move(copies_.back());
        copies_.pop_back();
        return copy;
    }

    /// Sets the value of a header, or removes it if the value is empty.
    static void set(response& copy, std::string_view name, std::string_view value) noexcept {
        const auto place = std::ranges::find(copy.headers, name, &header::name);
        if (place == copy.headers.end()) return;
        if (value.empty()) {
            copy.headers.erase(place);
        } else {
            place->value.assign(value);
        }
    }

    response original_;
    std::mutex mutex_;  // guards copies_
    std::vector<response> copies_;
    std::atomic<bool> is_full_ = false;  // read without the mutex, so that refill() is cheap
};

}  // namespace sluice::reference

#endif
