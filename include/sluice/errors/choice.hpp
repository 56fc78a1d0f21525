// SPDX-License-Identifier: MIT
#ifndef SLUICE_ERRORS_CHOICE_HPP
#define SLUICE_ERRORS_CHOICE_HPP

#include <concepts>
#include <cstddef>
#include <span>
#include <string_view>

#include <sluice/base/ascii.hpp>
#include <sluice/base/near_miss.hpp>
#include <sluice/base/static_text.hpp>
#include <sluice/errors/error.hpp>

namespace sluice {

/// Returns the index of `text`, in its exact case, in a list of choices. Error: choice_unknown,
/// with the choice that was probably meant, if any.
[[nodiscard]] constexpr result<std::size_t> parse_choice(
    std::string_view text, std::span<const std::string_view> choices) noexcept {
    for (std::size_t index = 0; index < choices.size(); ++index) {
        if (detail::equal_bytes(choices[index], text)) return index;
    }
    auto unknown = fail(rule::choice_unknown, 0, text.size());
    unknown.value().suggestion = detail::near_miss(text, choices);
    return unknown;
}

/// Like parse_choice() of a span, for an array of names with static storage, which the error lists.
///
/// ```
/// constexpr std::array<std::string_view, 2> sizes{"small", "large"};
/// auto size = sluice::parse_choice<sizes>("Large");
/// message(size.error());
/// // not one of the accepted values (did you mean 'large'?), expected small or large
/// ```
template <const auto& Choices>
[[nodiscard]] constexpr result<std::size_t> parse_choice(std::string_view text) noexcept {
    auto index = parse_choice(text, Choices);
    if (!index) index.error().accepts = detail::choices_text<Choices>.view();
    return index;
}

}  // namespace sluice

#endif
