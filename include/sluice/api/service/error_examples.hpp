// SPDX-License-Identifier: MIT
#ifndef SLUICE_API_SERVICE_ERROR_EXAMPLES_HPP
#define SLUICE_API_SERVICE_ERROR_EXAMPLES_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include <sluice/api/service/detail/expression_examples.hpp>
#include <sluice/api/service/detail/parameter_examples.hpp>
#include <sluice/api/service/detail/service_examples.hpp>
#include <sluice/rules.hpp>

namespace sluice::api {

namespace example_sources {

/// Concatenates lists of examples.
template <std::size_t... Sizes>
constexpr auto joined(const std::array<error_example, Sizes>&... lists) {
    std::array<const error_example*, (Sizes + ...)> all{};
    std::size_t count = 0;
    const auto add = [&](const auto& list) {
        for (const error_example& each : list) all[count++] = &each;
    };
    (add(lists), ...);
    return all;
}

}  // namespace example_sources

/// One example for each rule, in their order.
inline constexpr auto error_examples =
    example_sources::joined(example_sources::parameter_examples, example_sources::filter_examples,
                            example_sources::metadata_examples, example_sources::time_examples,
                            example_sources::record_examples, example_sources::request_examples);

static_assert(error_examples.size() == sluice::detail::rules.size(),
              "each rule has one example, in the order of the rules");
static_assert(
    [] {
        for (std::size_t at = 0; at < error_examples.size(); ++at) {
            if (error_examples[at]->broken != static_cast<rule>(at)) return false;
        }
        return true;
    }(),
    "the examples have the order of the rules");

/// The example of a rule.
[[nodiscard]] constexpr const error_example& example_of(rule broken) noexcept {
    return *sluice::detail::row_of(error_examples, broken);
}

/// The fix for each error code, by its number.
inline constexpr std::array<std::string_view, sluice::detail::error_codes.size()> code_fixes{
    "Correct the parameter that the message names; sent again unchanged, it fails again.",
    "Send a key that is known and has not expired.",
    "Use https and a key whose plan and permissions include the operation.",
    "Correct the method or the path.",
    "Choose another identifier.",
    "Ask for a new invite.",
    "Correct the value that the message names; sent again unchanged, it fails again.",
    "Wait as long as Retry-After says, then send the request again.",
    "Send the request again later, after the time in Retry-After where it is given."};

/// The fix for an error code.
[[nodiscard]] constexpr std::string_view fix_of(error_code code) noexcept {
    return sluice::detail::row_of(code_fixes, code);
}

}  // namespace sluice::api

#endif
