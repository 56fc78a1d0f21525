// SPDX-License-Identifier: MIT
#ifndef SLUICE_BASE_STATIC_TEXT_HPP
#define SLUICE_BASE_STATIC_TEXT_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

/// Static texts: texts built at compile time, such as the advice of errors.
namespace sluice::detail {

/// Text built at compile time, so that an error can refer to it for ever. A text longer than
/// `Capacity` doesn't compile.
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

/// A string literal as a template argument.
template <std::size_t Size>
struct text_literal {
    char bytes[Size];

    constexpr text_literal(const char (&literal)[Size]) noexcept {
        for (std::size_t at = 0; at < Size; ++at) bytes[at] = literal[at];
    }
    [[nodiscard]] constexpr std::string_view view() const noexcept { return {bytes, Size - 1}; }
};

template <std::size_t Size>
text_literal(const char (&)[Size]) -> text_literal<Size>;

/// A number within a text: `number_text<"at most ", 64, " levels">`. 20 bytes hold any number of 64
/// bits with its sign.
template <text_literal Before, std::int64_t Number, text_literal After = "">
inline constexpr auto number_text = static_text<Before.view().size() + 20 + After.view().size()>()
                                        .add(Before.view())
                                        .add(Number)
                                        .add(After.view());

/// Returns an upper bound of the size of make_choices_text().
template <const auto& Choices>
constexpr std::size_t joined_size() noexcept {
    constexpr std::size_t separator = std::string_view(" or ").size();
    std::size_t size = std::string_view("expected ").size();
    for (const std::string_view choice : Choices) size += choice.size() + separator;
    return size;
}

/// Returns `expected a, b or c`.
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

/// Returns `expected a whole number from 1 to 100`. The least or the greatest std::int64_t is no
/// bound: `expected a whole number of at least 1`.
template <std::int64_t Minimum, std::int64_t Maximum>
constexpr auto make_range_text() {
    constexpr bool has_minimum = Minimum != std::numeric_limits<std::int64_t>::min();
    constexpr bool has_maximum = Maximum != std::numeric_limits<std::int64_t>::max();
    static_text<80> text;
    text.add("expected a whole number");
    if constexpr (has_minimum) text.add(has_maximum ? " from " : " of at least ").add(Minimum);
    if constexpr (has_maximum) text.add(has_minimum ? " to " : " of at most ").add(Maximum);
    return text;
}

/// The advice for a list of choices, with static storage; see make_choices_text().
template <const auto& Choices>
inline constexpr auto choices_text = make_choices_text<Choices>();

/// The advice for a range of numbers, with static storage; see make_range_text().
template <std::int64_t Minimum, std::int64_t Maximum>
inline constexpr auto range_text = make_range_text<Minimum, Maximum>();

/// Stops the compilation of a table that is built in a constant expression, with a message for its
/// author. `name` is the parameter, column or rule at fault, `sentence` the remedy. Comparing the
/// addresses of two texts is no constant expression: compilers refuse it, and quote both texts in
/// their error. Does nothing at run time.
constexpr void mistake(std::string_view name, const char* sentence) noexcept {
    const char* const at_fault = name.empty() ? "" : name.data();
    if (at_fault < sentence) return;
}

}  // namespace sluice::detail

#endif
