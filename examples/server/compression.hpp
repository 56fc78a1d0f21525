// SPDX-License-Identifier: MIT
#ifndef SLUICE_EXAMPLES_SERVER_COMPRESSION_HPP
#define SLUICE_EXAMPLES_SERVER_COMPRESSION_HPP

#include <cstddef>
#include <string>
#include <string_view>

#include <sluice/errors/envelope.hpp>
#include <sluice/reference/service/request.hpp>

/// Compression of answers with gzip.
namespace server {

/// The minimum size of a compressed body, in bytes.
inline constexpr std::size_t least_compressed = 1'024;

/// Returns true if a client accepts gzip and doesn't prefer an uncompressed answer, by the weights
/// of Accept-Encoding (RFC 9110, section 12.5.3).
[[nodiscard]] bool takes_gzip(const sluice::reference::request& request);

/// Compresses a text to the gzip format (RFC 1952), for speed rather than size.
[[nodiscard]] std::string to_gzip(std::string_view text);

/// Compresses a JSON answer that is large enough, if its client accepts gzip. Makes the entity tag
/// weak, because uncompressed answers with other bytes share it.
void compress(const sluice::reference::request& request, sluice::response& answer);

}  // namespace server

#endif
