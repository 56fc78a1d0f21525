// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_COMPRESSION_HPP
#define SLUICE_EXAMPLES_SERVER_COMPRESSION_HPP

#include <cstddef>
#include <string>
#include <string_view>

#include <sluice/api/service/request.hpp>
#include <sluice/envelope.hpp>

namespace server {

/// Bytes from which on a body is compressed.
inline constexpr std::size_t least_compressed = 1'024;

/// Returns true if a client takes gzip, and doesn't prefer to be answered without it: the weights
/// of Accept-Encoding (RFC 9110, section 12.5.3).
[[nodiscard]] bool takes_gzip(const sluice::api::request& asked);

/// The gzip format of a text (RFC 1952), compressed quickly rather than well.
[[nodiscard]] std::string to_gzip(std::string_view text);

/// Compresses an answer that is JSON and large enough, if its client takes gzip. The entity tag is
/// weak then, as the same rows have other bytes without.
void compress(const sluice::api::request& asked, sluice::response& answer);

}  // namespace server

#endif
