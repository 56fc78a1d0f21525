// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_SERVICE_REQUEST_ID_HPP
#define SLUICE_REFERENCE_SERVICE_REQUEST_ID_HPP

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

#include <sluice/base/ascii.hpp>
#include <sluice/reference/service/key_ring.hpp>
#include <sluice/reference/service/request.hpp>

/// Ids of requests, by which answers are found in logs.
namespace sluice::reference {

/// The header that correlates a request and its answer with logs.
inline constexpr std::string_view request_id_header = "x-request-id";

/// Returns true if a text is a valid request id, which logs may contain:
///
/// ```
/// request-id = 1*64( ALPHA / DIGIT / "-" / "." / "_" )
/// ```
[[nodiscard]] constexpr bool is_request_id(std::string_view text) noexcept {
    constexpr std::size_t most = 64;
    const auto is_id_byte = [](char byte) {
        return sluice::detail::is_letter(byte) || sluice::detail::is_digit(byte) || byte == '-' ||
               byte == '.' || byte == '_';
    };
    return !text.empty() && text.size() <= most && std::ranges::all_of(text, is_id_byte);
}

/// The id that a client sent with its request; nullopt if it sent no valid one, or mistakenly its
/// key, which must not be logged.
[[nodiscard]] inline std::optional<std::string_view> request_id_of(
    const request& received) noexcept {
    const auto id = received.header_value(request_id_header);
    if (!id || !is_request_id(*id)) return std::nullopt;
    const auto credentials = received.header_value("authorization");
    const bool is_key = credentials && bearer_token(*credentials) == id;
    return is_key ? std::nullopt : id;
}

}  // namespace sluice::reference

#endif
