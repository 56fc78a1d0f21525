// SPDX-License-Identifier: MIT
#ifndef SLUICE_RATE_LIMIT_REDIS_REQUEST_HPP
#define SLUICE_RATE_LIMIT_REDIS_REQUEST_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/errors/error.hpp>
#include <sluice/rate_limit/any_limiter.hpp>
#include <sluice/rate_limit/decision.hpp>
#include <sluice/rate_limit/policy.hpp>
#include <sluice/rate_limit/redis/script.hpp>
#include <sluice/time/instant.hpp>

/// Requests to the Redis script: checks of a client, encoded as commands.
namespace sluice {

namespace detail {

// Numbers as the script takes and returns them: little-endian doubles of 8 bytes.

inline constexpr std::size_t redis_number_size = 8;

/// Appends the 8 bytes of a number, not its digits.
inline void append_redis_number(std::string& output, double number) {
    static_assert(sizeof number == redis_number_size);
    const auto bits = std::bit_cast<std::uint64_t>(number);
    std::array<char, redis_number_size> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<char>(bits >> (8 * i) & 0xff);
    }
    output.append(bytes.data(), bytes.size());
}

/// Returns the number at an offset of a request or reply, which holds all of it.
[[nodiscard]] inline double redis_number_at(std::string_view text, std::size_t offset) noexcept {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < redis_number_size; ++i) {
        bits |= std::uint64_t{static_cast<unsigned char>(text[offset + i])} << (8 * i);
    }
    return std::bit_cast<double>(bits);
}

}  // namespace detail

/// One of the policies that a request has to meet.
struct shared_policy {
    policy limits;
    std::string_view name{};  ///< of the counter, unique for a key; empty: the window in ms
};

/// A request to decide on. Borrows its texts and policies.
struct shared_check {
    std::string_view key;                     ///< names the client
    std::span<const shared_policy> policies;  ///< at least one; the request has to meet all
    std::int64_t cost = 1;
    std::optional<instant> now{};  ///< nullopt for the clock of the Redis server
};

namespace detail {

/// Returns the head of a command in Redis's protocol, an array of `words` bulk strings (RESP).
[[nodiscard]] inline std::string begin_command(std::size_t words) {
    constexpr std::size_t usual_size = 256;
    std::string packed;
    packed.reserve(usual_size);
    packed.append("*").append(std::to_string(words)).append("\r\n");
    return packed;
}

/// Appends the next word of a command.
inline void append_word(std::string& command, std::string_view word) {
    command.append("$")
        .append(std::to_string(word.size()))
        .append("\r\n")
        .append(word)
        .append("\r\n");
}

}  // namespace detail

/// Returns a command in Redis's protocol.
[[nodiscard]] inline std::string packed_command(std::span<const std::string> words) {
    std::string packed = detail::begin_command(words.size());
    for (const std::string& word : words) detail::append_word(packed, word);
    return packed;
}

/// A call of the Redis script.
struct redis_request {
    std::vector<std::string> keys{};       ///< of the policies' states
    std::vector<std::string> arguments{};  ///< the algorithm, and numbers in binary form
    std::vector<policy> policies{};        ///< clamped to the allowed range
    std::int64_t cost = 1;                 ///< as in the check
    std::optional<instant> now{};          ///< as in the check

    /// Returns the words of EVALSHA, or of EVAL for a server that answers NOSCRIPT.
    [[nodiscard]] std::vector<std::string> command(bool with_script = false) const {
        std::vector<std::string> words{with_script ? "EVAL" : "EVALSHA",
                                       std::string(with_script ? redis_script : redis_script_sha1),
                                       std::to_string(keys.size())};
        words.insert(words.end(), keys.begin(), keys.end());
        words.insert(words.end(), arguments.begin(), arguments.end());
        return words;
    }
    /// Returns command() in Redis's protocol.
    [[nodiscard]] std::string packed(bool with_script = false) const {
        return packed_command(command(with_script));
    }
};

namespace detail {

/// The script's numbers are doubles, which are exact up to this one.
inline constexpr std::int64_t redis_max_product = std::int64_t{1} << 53;

/// Checks that the script can multiply limit and window exactly. Error: number_too_large.
[[nodiscard]] constexpr result<void> check_product(const policy& limits) noexcept {
    if (limits.limit <= redis_max_product / limits.window.count()) return {};
    return tl::unexpected<error>(
        policy_error(rule::number_too_large, "limit",
                     number_text<"expected a limit whose product with the window in milliseconds "
                                 "is at most ",
                                 redis_max_product>.view()));
}

/// Returns a client's key as a hash tag: the part of a key in Redis by which a cluster chooses the
/// node. A cluster ignores an empty tag, and ends one at its first `}`, so both are avoided:
///
/// ```
/// tag = "{" ( 1*( "%25" / "%7D" / byte ) / "%" ) "}"          ; "%" is the empty key
/// ```
[[nodiscard]] inline std::string hash_tag(std::string_view key) {
    std::string tag = key.empty() ? "{%" : "{";
    for (const char byte : key) {
        if (byte == '%' || byte == '}') {
            tag.append(byte == '%' ? "%25" : "%7D");
        } else {
            tag.push_back(byte);
        }
    }
    tag.push_back('}');
    return tag;
}

/// Returns the failure of a check without policies.
[[nodiscard]] inline tl::unexpected<error> refuse_empty() noexcept {
    auto refused = fail_beyond(rule::list_too_short, 1);
    refused.value().param = "policies";
    return refused;
}

/// Checks that a prefix has no brace, which a cluster would take for one of the hash tag. Error:
/// field_value, at the brace.
[[nodiscard]] inline result<void> check_prefix(std::string_view prefix) noexcept {
    const std::size_t brace = prefix.find_first_of("{}");
    if (brace == std::string_view::npos) return {};
    auto refused = fail(rule::field_value, brace, 1);
    refused.value().param = "prefix";
    refused.value().accepts = "expected a text without braces";
    return refused;
}

/// Returns a time in milliseconds since 1970; infinity for the server's clock.
[[nodiscard]] inline double now_number(std::optional<instant> now) noexcept {
    if (!now) return std::numeric_limits<double>::infinity();
    return static_cast<double>(clock_time(*now).time_since_epoch().count());
}

/// Returns a cost as the script takes it: 0 for a negative one, and at most one more than the
/// greatest limit, which no policy admits.
[[nodiscard]] inline double cost_number(std::int64_t cost) noexcept {
    return static_cast<double>(nearest<std::int64_t>(cost, 0, policy_max_limit + 1));
}

/// Returns the end of a policy's key: its name, or its window in milliseconds.
[[nodiscard]] inline std::string counter_name(const shared_policy& counted) {
    return counted.name.empty() ? std::to_string(counted.limits.window.count())
                                : std::string(counted.name);
}

/// Adds the key of a policy. Error: parameter_repeated, if another policy has it.
[[nodiscard]] inline result<void> add_key(redis_request& request, std::string key) {
    if (std::ranges::find(request.keys, key) != request.keys.end()) {
        auto refused = fail_in(rule::parameter_repeated, "name");
        refused.value().accepts = "expected policies of different windows, or of different names";
        return refused;
    }
    request.keys.push_back(std::move(key));
    return {};
}

/// Adds the key and the numbers of one policy; `start` is the beginning of all keys of the check.
[[nodiscard]] inline result<void> add_policy(redis_request& request, const shared_policy& added,
                                             const std::string& start) {
    const policy limits = in_range(added.limits);
    if (auto checked = check_product(limits); !checked) return checked;
    request.policies.push_back(limits);
    append_redis_number(request.arguments.back(), static_cast<double>(limits.limit));
    append_redis_number(request.arguments.back(), static_cast<double>(limits.window.count()));
    return add_key(request, start + counter_name(added));
}

/// Returns the beginning of all keys of a check.
[[nodiscard]] inline std::string key_start(std::string_view prefix, std::string_view key,
                                           std::string_view algorithm) {
    std::string start;
    start.reserve(prefix.size() + key.size() + algorithm.size() + 8);
    start.append(prefix)
        .append(":")
        .append(hash_tag(key))
        .append(":")
        .append(algorithm)
        .append(":");
    return start;
}

/// Returns the arguments without policies: the algorithm, and a text of the time and the cost,
/// which add_policy() extends.
[[nodiscard]] inline std::vector<std::string> begin_arguments(const shared_check& check,
                                                              std::string_view algorithm) {
    std::string numbers;
    numbers.reserve((2 + 2 * check.policies.size()) * redis_number_size);
    append_redis_number(numbers, now_number(check.now));
    append_redis_number(numbers, cost_number(check.cost));
    std::vector<std::string> arguments;
    arguments.reserve(2);
    arguments.emplace_back(algorithm);
    arguments.push_back(std::move(numbers));
    return arguments;
}

}  // namespace detail

/// Makes the request of a check. Redis stores the state of each policy as a string under a key such
/// as `sluice:{key}:gcra:60000`. Braces around the client's key make a cluster hold all keys of the
/// check on one node. Errors: list_too_short, of `policies`, if there is no policy;
/// number_too_large, of `limit`, if its product with the window in milliseconds is beyond 2^53;
/// parameter_repeated, of `name`, if two policies have the same; field_value, of `prefix`, if that
/// has a brace.
[[nodiscard]] inline result<redis_request> make_redis_request(const shared_check& check,
                                                              algorithm_kind algorithm,
                                                              std::string_view prefix = "sluice") {
    if (check.policies.empty()) return detail::refuse_empty();
    if (auto checked = detail::check_prefix(prefix); !checked) {
        return tl::unexpected<error>(checked.error());
    }
    const std::string_view name = to_string(algorithm);
    redis_request request{
        .arguments = detail::begin_arguments(check, name), .cost = check.cost, .now = check.now};
    const std::string start = detail::key_start(prefix, check.key, name);
    for (const shared_policy& item : check.policies) {
        if (auto added = detail::add_policy(request, item, start); !added) {
            return tl::unexpected<error>(added.error());
        }
    }
    return request;
}

}  // namespace sluice

#endif
