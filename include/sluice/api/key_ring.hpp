// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_KEY_RING_HPP
#define SLUICE_API_KEY_RING_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <sluice/detail/ascii.hpp>
#include <sluice/error.hpp>
#include <sluice/instant.hpp>
#include <sluice/plan.hpp>
#include <sluice/query_string.hpp>

namespace sluice::api {

/// A SHA-256 digest: 32 bytes.
using digest = std::array<unsigned char, SHA256_DIGEST_LENGTH>;

[[nodiscard]] inline digest sha256(std::string_view text) noexcept {
    digest hash;
    SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), hash.data());
    return hash;
}

/// The first `bytes` of a digest in lower-case hexadecimal.
[[nodiscard]] inline std::string to_hex(const digest& hash, std::size_t bytes = digest{}.size()) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string hex;
    for (std::size_t i = 0; i < bytes; ++i) {
        hex.push_back(digits[hash[i] >> 4]);
        hex.push_back(digits[hash[i] & 15]);
    }
    return hex;
}

/// Reads 64 hexadecimal digits in any case: field_value.
[[nodiscard]] inline result<digest> parse_digest(std::string_view hex) noexcept {
    digest hash;
    if (hex.size() != 2 * hash.size()) return fail(rule::field_value, 0, hex.size());
    for (std::size_t i = 0; i < hash.size(); ++i) {
        const int high = sluice::detail::hex_digit(hex[2 * i]);
        const int low = sluice::detail::hex_digit(hex[2 * i + 1]);
        if (high < 0 || low < 0) return fail(rule::field_value, 2 * i, 2);
        hash[i] = static_cast<unsigned char>(high * 16 + low);
    }
    return hash;
}

/// An API key as the service knows it: never the key itself, only its hash.
struct api_key {
    digest hash{};
    std::string workspace_id;
    sluice::plan plan = plan::free;
    std::vector<std::string> permissions;        ///< such as `analytics.read`, `tags.read`
    std::optional<instant> expires_at{};         ///< no longer valid from then on
    plan_limits limits = limits_of(plan::free);  ///< the plan's, or the workspace's own

    [[nodiscard]] bool may(std::string_view permission) const noexcept {
        return std::ranges::find(permissions, permission) != permissions.end();
    }
};

/// The keys that a service accepts.
class key_ring {
public:
    key_ring() = default;
    explicit key_ring(std::vector<api_key> keys) : keys_(std::move(keys)) {}

    /// Adds a key; one that is here already is refused: identifier_taken (param `sha256`).
    [[nodiscard]] result<void> add(api_key key) {
        if (std::ranges::find(keys_, key.hash, &api_key::hash) != keys_.end()) {
            auto refused = fail(rule::identifier_taken);
            refused.value().param = "sha256";
            return refused;
        }
        keys_.push_back(std::move(key));
        return {};
    }
    [[nodiscard]] std::size_t size() const noexcept { return keys_.size(); }

    /// The key that a bearer token is, or null where it is unknown or has expired. Takes the same
    /// time whichever key it is, and whether it is one.
    [[nodiscard]] const api_key* find(std::string_view token, instant now) const noexcept {
        const digest hash = sha256(token);
        const api_key* found = nullptr;
        for (const api_key& key : keys_) {
            if (CRYPTO_memcmp(hash.data(), key.hash.data(), hash.size()) == 0) found = &key;
        }
        const bool expired = found != nullptr && found->expires_at && *found->expires_at <= now;
        return expired ? nullptr : found;
    }

private:
    std::vector<api_key> keys_;
};

/// The token of an `Authorization` header: `Bearer <token>`, the scheme in any case. Nothing where
/// the header is malformed.
///
/// ```
/// credentials = "Bearer" 1*SP 1*( ALPHA / DIGIT / "-" / "." / "_" / "~" / "+" / "/" / "=" )
/// ```
[[nodiscard]] constexpr std::optional<std::string_view> bearer_token(
    std::string_view header) noexcept {
    constexpr std::string_view scheme = "bearer ";
    if (!sluice::detail::equal_ignoring_case(header.substr(0, scheme.size()), scheme)) {
        return std::nullopt;
    }
    header.remove_prefix(std::min(header.find_first_not_of(' ', scheme.size()), header.size()));
    const auto is_token_byte = [](char byte) {
        return sluice::detail::is_letter(byte) || (byte >= '0' && byte <= '9') ||
               std::string_view("-._~+/=").find(byte) != std::string_view::npos;
    };
    if (header.empty() || !std::ranges::all_of(header, is_token_byte)) return std::nullopt;
    return header;
}

}  // namespace sluice::api

#endif
