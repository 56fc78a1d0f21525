// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_SERVICE_KEY_RING_HPP
#define SLUICE_REFERENCE_SERVICE_KEY_RING_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <mbedtls/sha256.h>
#include <mbedtls/version.h>

#include <sluice/base/ascii.hpp>
#include <sluice/base/query_string.hpp>
#include <sluice/errors/error.hpp>
#include <sluice/reference/plan.hpp>
#include <sluice/time/instant.hpp>

/// API keys: their hashes, the ring that finds one by a token, and its replacement at run time.
namespace sluice::reference {

/// A SHA-256 digest: 32 bytes.
using digest = std::array<unsigned char, 32>;

/// The SHA-256 digest of a text. Ends the program if the computation fails.
[[nodiscard]] inline digest sha256(std::string_view text) noexcept {
    digest hash{};
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
#if MBEDTLS_VERSION_NUMBER >= 0x03000000
    const int error = mbedtls_sha256(bytes, text.size(), hash.data(), 0);
#else
    const int error = mbedtls_sha256_ret(bytes, text.size(), hash.data(), 0);
#endif
    if (error != 0) std::terminate();  // hardware has failed; a wrong digest must not match a key
    return hash;
}

/// The first `bytes` of a digest in lower-case hexadecimal.
[[nodiscard]] inline std::string to_hex(const digest& hash, std::size_t bytes = digest{}.size()) {
    std::string hex;
    for (std::size_t i = 0; i < bytes; ++i) {
        sluice::detail::append_hex(hex, static_cast<char>(hash[i]));
    }
    return hex;
}

/// Parses 64 hexadecimal digits in any case. Error: field_value.
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

/// An API key as stored by the service: only its hash, never the key itself.
struct api_key {
    digest hash{};
    std::string workspace_id;
    sluice::reference::plan plan = plan::free;
    std::vector<std::string> permissions;        ///< see permission_names
    std::optional<instant> expires_at{};         ///< invalid from this time on
    plan_limits limits = limits_of(plan::free);  ///< of the plan, or individual ones
    std::size_t number = 0;                      ///< set by the ring, from 1

    /// The name of one of the key's counters in this process. `quota` names the counter within the
    /// key, such as ` analytics`.
    [[nodiscard]] std::string local_counter(std::string_view quota) const {
        return std::to_string(number).append(quota);
    }
    /// The name of one of the key's counters in a store that servers share.
    [[nodiscard]] std::string shared_counter(std::string_view quota) const {
        return to_hex(hash, hash.size() / 2).append(quota);
    }
    [[nodiscard]] bool has_expired(instant now) const noexcept {
        return expires_at && *expires_at <= now;
    }
    /// Returns true if the key has the permission.
    [[nodiscard]] bool may(std::string_view permission) const noexcept {
        return std::ranges::find(permissions, permission) != permissions.end();
    }
};

namespace detail {

/// Hashes a digest by its first bytes, which are random. Finding keys that share them takes brute
/// force.
struct digest_prefix {
    std::size_t operator()(const digest& hash) const noexcept {
        std::size_t prefix = 0;
        std::memcpy(&prefix, hash.data(), sizeof prefix);
        return prefix;
    }
};

/// Compares digests in constant time.
struct same_digest {
    bool operator()(const digest& a, const digest& b) const noexcept {
        using words = std::array<std::uint64_t, 4>;
        const auto left = std::bit_cast<words>(a), right = std::bit_cast<words>(b);
        std::uint64_t difference = 0;
        for (std::size_t i = 0; i < left.size(); ++i) difference |= left[i] ^ right[i];
        return difference == 0;
    }
};

}  // namespace detail

/// The accepted keys. The time of a lookup doesn't depend on their number.
///
/// ```
/// token --SHA-256--> digest --first bytes--> bucket --all bytes, in constant time--> key
/// ```
///
/// The timing of a lookup reveals at most whether a bucket is empty: a few bits of some key's hash,
/// which don't help to find a key of 128 random bits.
class key_ring {
public:
    key_ring() = default;
    /// Adds the keys; the first one of several with the same hash.
    explicit key_ring(std::vector<api_key> keys) {
        for (api_key& key : keys) static_cast<void>(add(std::move(key)));
    }

    /// Adds a key and numbers it, in the order of adding. Error: identifier_taken (param `sha256`)
    /// if the ring has it already.
    [[nodiscard]] result<void> add(api_key key) {
        if (!places_.try_emplace(key.hash, keys_.size()).second) {
            auto refused = fail(rule::identifier_taken);
            refused.value().param = "sha256";
            return refused;
        }
        key.number = ++last_number_;
        keys_.push_back(std::move(key));
        return {};
    }

    /// Continues the numbering of an earlier ring: common keys keep their numbers, and other keys
    /// get numbers that were never used.
    void follow(const key_ring& earlier) {
        last_number_ = earlier.last_number_;
        for (api_key& key : keys_) {
            const api_key* const known = earlier.find_hash(key.hash);
            key.number = known == nullptr ? ++last_number_ : known->number;
        }
    }
    [[nodiscard]] std::size_t size() const noexcept { return keys_.size(); }
    /// The maximum number of keys that a lookup compares: those that share a bucket.
    [[nodiscard]] std::size_t longest_bucket() const noexcept {
        std::size_t longest = 0;
        for (std::size_t i = 0; i < places_.bucket_count(); ++i) {
            longest = std::max(longest, places_.bucket_size(i));
        }
        return longest;
    }

    /// The key with this bearer token, which may have expired; null if it is unknown.
    [[nodiscard]] const api_key* find(std::string_view token) const noexcept {
        return find_hash(sha256(token));
    }

private:
    [[nodiscard]] const api_key* find_hash(const digest& hash) const noexcept {
        const auto place = places_.find(hash);
        return place == places_.end() ? nullptr : &keys_[place->second];
    }

    std::vector<api_key> keys_;
    std::size_t last_number_ = 0;
    std::unordered_map<digest, std::size_t, detail::digest_prefix, detail::same_digest> places_;
};

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

/// The token of an `Authorization` header: `Bearer <token>`, with the scheme in any case. nullopt
/// if the header is malformed.
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

}  // namespace sluice::reference

#endif
