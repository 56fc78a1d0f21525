// SPDX-License-Identifier: MIT
#ifndef SLUICE_RATE_LIMIT_REDIS_REPLY_HPP
#define SLUICE_RATE_LIMIT_REDIS_REPLY_HPP

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <sluice/errors/error.hpp>
#include <sluice/rate_limit/decision.hpp>
#include <sluice/rate_limit/policy.hpp>
#include <sluice/rate_limit/redis/request.hpp>
#include <sluice/time/instant.hpp>

namespace sluice {

/// A reply of the Redis script.
struct redis_reply {
    /// The part of one policy. If another policy refuses the request, one that would admit it
    /// reports the result of peek(): no policy counts the request.
    struct part {
        decision decided;
        instant ready;  ///< time of admission of a refused cost, all else idle

        friend constexpr bool operator==(const part&, const part&) = default;
    };

    instant now{};              ///< by the clock that decided
    instant until{};            ///< a refusal stays the same until then; `now` if there is none
    std::vector<part> parts{};  ///< one for each policy, in their order

    friend bool operator==(const redis_reply&, const redis_reply&) = default;
};

namespace detail {

/// Returns the failure of a reply at some of its bytes.
[[nodiscard]] inline tl::unexpected<error> refuse_reply(std::size_t offset, std::size_t length) {
    error refused = make_error(rule::value_malformed, offset, length);
    refused.param = "reply";
    return tl::unexpected<error>(refused);
}

/// Reads the binary numbers of a reply (see request.hpp), one after the other. Expects a text that
/// has as many as are read. After one that is out of range, all are 0.
class number_reader {
public:
    explicit number_reader(std::string_view text) noexcept : text_(text) {}

    /// Reads a whole number from `least` to `most`.
    std::int64_t number(std::int64_t least, std::int64_t most) noexcept {
        if (has_failed_) return 0;
        const double value = redis_number_at(text_, at_);
        const bool is_right = value >= static_cast<double>(least) &&
                              value <= static_cast<double>(most) && value == std::floor(value);
        if (!is_right) {
            has_failed_ = true;
            return 0;
        }
        at_ += redis_number_size;
        return static_cast<std::int64_t>(value);
    }

    /// Reads a time, from `least` to two of the longest windows after the year 9999.
    instant time(instant least) noexcept {
        constexpr instant most = latest_instant + 2 * policy_max_window;
        return instant{std::chrono::milliseconds{
            number(least.time_since_epoch().count(), most.time_since_epoch().count())}};
    }

    [[nodiscard]] bool has_failed() const noexcept { return has_failed_; }
    /// Returns the offset of the next number, or of the first wrong one.
    [[nodiscard]] std::size_t position() const noexcept { return at_; }

private:
    std::string_view text_;
    std::size_t at_ = 0;
    bool has_failed_ = false;
};

/// Numbers in a reply for one policy, see parse_redis_reply().
inline constexpr std::size_t numbers_of_part = 6;

/// Appends the part of one policy to a reply, and lowers its `until` if the policy refuses. A
/// policy that refuses a cost above its limit has no retry_after.
inline void read_part(redis_reply& reply, number_reader& reader, const policy& limits,
                      std::int64_t cost) {
    const instant now = reply.now = reader.time(earliest_instant);
    decision decided{.allowed = reader.number(0, 1) == 1, .limit = limits.limit};
    decided.remaining = reader.number(0, limits.limit);
    decided.reset = reader.time(now);
    const instant ready = reader.time(now);
    const instant until = reader.time(now);
    if (!decided.allowed) {
        if (cost <= limits.limit) decided.retry_after = wait_until(ready, now);
        reply.until = std::min(reply.until, until);
    }
    reply.parts.push_back({decided, ready});
}

}  // namespace detail

/// Parses the script's reply to a check of `cost` under these policies. Error: value_malformed, if
/// it is too short, too long, or has a number out of range.
///
/// ```
/// reply = 1*( now allowed remaining reset ready until )       ; of each policy
/// ```
/// Each is a whole number, a little-endian double of 8 bytes. Times are in milliseconds since 1970;
/// `until` is when the refusal of a policy may change.
[[nodiscard]] inline result<redis_reply> parse_redis_reply(std::string_view text,
                                                           std::span<const policy> policies,
                                                           std::int64_t cost) {
    const std::size_t size = policies.size() * detail::numbers_of_part * detail::redis_number_size;
    if (text.size() < size) return detail::refuse_reply(text.size(), 0);
    if (text.size() > size) return detail::refuse_reply(size, text.size() - size);
    detail::number_reader reader(text);
    redis_reply reply{.until = instant::max()};
    for (const policy& limits : policies) detail::read_part(reply, reader, limits, cost);
    if (reply.until == instant::max()) reply.until = reply.now;
    if (reader.has_failed()) {
        return detail::refuse_reply(reader.position(), detail::redis_number_size);
    }
    return reply;
}

}  // namespace sluice

#endif
