// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_SERVICE_LOG_RECORD_HPP
#define SLUICE_REFERENCE_SERVICE_LOG_RECORD_HPP

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <sluice/errors/choice.hpp>
#include <sluice/errors/error.hpp>
#include <sluice/time/instant.hpp>

/// The data of a server's log lines; access_log.hpp formats them.
namespace sluice::reference {

/// The format of a server's log: plain text lines, or one JSON object per line.
enum class log_format : std::uint8_t { text, json };

inline constexpr std::array<std::string_view, 2> log_format_names{"text", "json"};

[[nodiscard]] constexpr std::string_view to_string(log_format format) noexcept {
    return log_format_names[static_cast<std::size_t>(format)];
}
/// Parses the name of a format. Error: choice_unknown.
[[nodiscard]] constexpr result<log_format> parse_log_format(std::string_view text) noexcept {
    const auto index = parse_choice<log_format_names>(text);
    if (!index) return tl::unexpected<error>(index.error());
    return static_cast<log_format>(*index);
}

/// The severity of a server's message.
enum class log_level : std::uint8_t { info, warning, error };

inline constexpr std::array<std::string_view, 3> log_level_names{"info", "warning", "error"};

[[nodiscard]] constexpr std::string_view to_string(log_level level) noexcept {
    return log_level_names[static_cast<std::size_t>(level)];
}

/// The label in logs and metrics of requests without a route.
inline constexpr std::string_view no_route_label = "other";

/// The log record of a request. Unknown texts are `-`.
struct access_record {
    instant time;
    std::string_view client = "-";  ///< IP address
    std::string_view method = "-";
    std::string_view target = "-";  ///< path and query
    std::string_view route = no_route_label;
    int status = 0;                     ///< 0 if the client disconnected before the answer
    std::size_t bytes = 0;              ///< size of the answer's body
    std::chrono::microseconds taken{};  ///< from the request's arrival until the end of its answer
    std::string_view request_id = "-";
};

}  // namespace sluice::reference

#endif
