// SPDX-License-Identifier: MIT
#ifndef SLUICE_RATE_LIMIT_REDIS_OPTIONS_HPP
#define SLUICE_RATE_LIMIT_REDIS_OPTIONS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <sluice/errors/choice.hpp>
#include <sluice/errors/error.hpp>
#include <sluice/rate_limit/any_limiter.hpp>

/// Options of the limiter in Redis.
namespace sluice {

/// The treatment of requests while Redis fails.
enum class on_error : std::uint8_t {
    local,   ///< each process counts them, by its share of the limits
    refuse,  ///< all are refused
    allow,   ///< all are allowed
};

/// Names of the values of on_error, in the order of the enumeration.
inline constexpr std::array<std::string_view, 3> on_error_names{"local", "refuse", "allow"};

/// Parses the name of an on_error. Error: choice_unknown, of `on_error`.
[[nodiscard]] constexpr result<on_error> parse_on_error(std::string_view text) noexcept {
    auto index = parse_choice<on_error_names>(text);
    if (index) return static_cast<on_error>(*index);
    index.error().param = "on_error";
    return tl::unexpected<error>(index.error());
}

/// Returns the name of an on_error, such as `local`.
[[nodiscard]] constexpr std::string_view to_string(on_error chosen) noexcept {
    return on_error_names[static_cast<std::size_t>(chosen)];
}

/// Options of a redis_limiter.
struct redis_limiter_options {
    algorithm_kind algorithm = algorithm_kind::sliding_window;
    sluice::on_error on_error = sluice::on_error::local;
    std::int64_t nodes = 1;         ///< processes; each admits limit / nodes while Redis fails
    std::string prefix = "sluice";  ///< of all keys in Redis; without braces
    std::size_t max_keys = keyed_limiter<>::default_max_keys;  ///< counted while Redis fails
    std::size_t max_refusals = 10'000;  ///< kept, to answer without Redis; 0 for none
};

}  // namespace sluice

#endif
