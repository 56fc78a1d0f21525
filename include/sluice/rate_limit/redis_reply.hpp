// SPDX-License-Identifier: MIT
#ifndef SLUICE_RATE_LIMIT_REDIS_REPLY_HPP
#define SLUICE_RATE_LIMIT_REDIS_REPLY_HPP

#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

#include <sluice/error.hpp>
#include <sluice/instant.hpp>
#include <sluice/rate_limit/decision.hpp>
#include <sluice/rate_limit/policy.hpp>

namespace sluice {

/// What the script answers.
struct redis_reply {
    /// What one policy says. A policy that would admit a request which another one refuses tells
    /// what peek does: the request is counted by none.
    struct part {
        decision decided;
        instant ready;  ///< when a refused cost would be admitted, all else idle

        friend constexpr bool operator==(const part&, const part&) = default;
    };

    instant now{};              ///< of the clock that decided
    instant until{};            ///< until then a refusal stays the same; `now` where none is
    std::vector<part> parts{};  ///< of the policies, in their order

    friend bool operator==(const redis_reply&, const redis_reply&) = default;
};

namespace detail {

/// Takes numbers off a text, with single spaces between them. After what is wrong all are 0.
class number_reader {
public:
    explicit constexpr number_reader(std::string_view text) noexcept : text_(text) {}

    std::int64_t number(std::int64_t least, std::int64_t most) noexcept {
        if (at_ > 0) skip_space();
        if (failed_) return 0;
        std::int64_t value = 0;
        const char* const end = text_.data() + text_.size();
        const auto read = std::from_chars(text_.data() + at_, end, value);
        const auto size = static_cast<std::size_t>(read.ptr - text_.data()) - at_;
        if (read.ec == std::errc::invalid_argument) return refuse(rule::number_malformed, 0);
        if (read.ec != std::errc{} || value < least) return refuse(rule::value_malformed, size);
        if (value > most) return refuse(rule::value_malformed, size);
        at_ += size;
        return value;
    }

    /// A time, from `least` to the end of the longest windows after the year 9999.
    instant time(instant least) noexcept {
        constexpr instant most = latest_instant + 2 * policy_max_window;
        return instant{std::chrono::milliseconds{
            number(least.time_since_epoch().count(), most.time_since_epoch().count())}};
    }

    /// Whether all was right and nothing is left.
    [[nodiscard]] result<void> end() noexcept {
        if (!failed_ && at_ < text_.size()) refuse(rule::value_malformed, text_.size() - at_);
        if (failed_) return tl::unexpected<error>(*failed_);
        return {};
    }

private:
    void skip_space() noexcept {
        if (failed_) return;
        if (text_.substr(at_).starts_with(' ')) {
            ++at_;
        } else {
            refuse(rule::value_malformed, text_.size() - at_);
        }
    }

    std::int64_t refuse(rule broken, std::size_t length) noexcept {
        failed_ = make_error(broken, at_, length);
        failed_->param = "reply";
        return 0;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::optional<error> failed_{};
};

[[nodiscard]] inline redis_reply::part read_part(number_reader& reader, const policy& p,
                                                 instant now) noexcept {
    decision decided{.allowed = reader.number(0, 1) == 1, .limit = p.limit};
    decided.remaining = reader.number(0, p.limit);
    decided.reset = reader.time(now);
    const instant ready = reader.time(now);
    if (!decided.allowed) decided.retry_after = wait_until(ready, now);
    return {decided, ready};
}

}  // namespace detail

/// Reads what the script answers to a check under these policies. Anything else is refused:
/// number_malformed where a number should begin, value_malformed where one is not as it can be, or
/// where the text doesn't end.
///
/// ```
/// reply = now " " until 1*( " " allowed " " remaining " " reset " " ready )      ; of each policy
/// ```
/// Times are in milliseconds since 1970. `1787279415123 1787279415123 1 4 1787279416000
/// 1787279415123` admits a request, after which 4 more would be.
[[nodiscard]] inline result<redis_reply> parse_redis_reply(std::string_view text,
                                                           std::span<const policy> policies) {
    detail::number_reader reader(text);
    redis_reply read{.now = reader.time(earliest_instant)};
    read.until = reader.time(read.now);
    for (const policy& each : policies)
        read.parts.push_back(detail::read_part(reader, each, read.now));
    if (auto ended = reader.end(); !ended) return tl::unexpected<error>(ended.error());
    return read;
}

}  // namespace sluice

#endif
