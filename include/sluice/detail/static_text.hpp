// SPDX-License-Identifier: MIT
#ifndef SLUICE_DETAIL_STATIC_TEXT_HPP
#define SLUICE_DETAIL_STATIC_TEXT_HPP

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

namespace sluice::detail {

/// Text built while compiling, so that an error can refer to it for ever.
template <std::size_t Capacity>
struct static_text {
    std::array<char, Capacity> bytes{};
    std::size_t size = 0;

    constexpr static_text& add(std::string_view text) {
        for (const char byte : text) bytes[size++] = byte;
        return *this;
    }
    constexpr static_text& add(std::int64_t number) {
        if (number < 0) return add("-").add(-number);
        if (number >= 10) add(number / 10);
        bytes[size++] = static_cast<char>('0' + number % 10);
        return *this;
    }
    [[nodiscard]] constexpr std::string_view view() const noexcept { return {bytes.data(), size}; }
};

template <const auto& Choices>
constexpr std::size_t joined_size() noexcept {
    std::size_t size = std::string_view("expected ").size();
    for (const std::string_view choice : Choices) size += choice.size() + 4;
    return size;
}

/// `expected a, b or c`
template <const auto& Choices>
constexpr auto make_choices_text() {
    static_text<joined_size<Choices>()> text;
    text.add("expected ");
    for (std::size_t i = 0; i < Choices.size(); ++i) {
        if (i > 0) text.add(i + 1 == Choices.size() ? " or " : ", ");
        text.add(Choices[i]);
    }
    return text;
}

/// `expected a whole number from 1 to 100`, or without the end where there is no maximum.
template <std::int64_t Minimum, std::int64_t Maximum>
constexpr auto make_range_text() {
    static_text<80> text;
    text.add("expected a whole number from ").add(Minimum);
    if (Maximum == std::numeric_limits<std::int64_t>::max()) return text.add(" up");
    return text.add(" to ").add(Maximum);
}

template <const auto& Choices>
inline constexpr auto choices_text = make_choices_text<Choices>();

template <std::int64_t Minimum, std::int64_t Maximum>
inline constexpr auto range_text = make_range_text<Minimum, Maximum>();

}  // namespace sluice::detail

#endif
