// SPDX-License-Identifier: MIT
#ifndef SLUICE_ERRORS_RULES_HPP
#define SLUICE_ERRORS_RULES_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <sluice/base/static_text.hpp>
#include <sluice/errors/rule_list.hpp>

/// Error codes and rules: their names, HTTP statuses and texts, and custom rules.
namespace sluice {

/// The machine-readable `code` of an error body, shared by rules. Each code has one HTTP status.
enum class error_code : std::uint8_t {
#define SLUICE_ENUMERATOR(name, ...) name,
    SLUICE_ERROR_CODES(SLUICE_ENUMERATOR)
};

/// The rule that an input broke.
enum class rule : std::uint8_t {
    SLUICE_RULES(SLUICE_ENUMERATOR)
#undef SLUICE_ENUMERATOR
};

/// A rule: its name, its error code, and its texts in messages.
struct rule_info {
    std::string_view name{};  ///< as programs compare it
    error_code code = error_code::unprocessable_entity;
    std::string_view problem{};  ///< first half of a message
    std::string_view advice{};   ///< second half of a message

    friend constexpr bool operator==(const rule_info&, const rule_info&) = default;
};

namespace detail {

/// Returns a view of a literal. Its size is that of the array: counting the bytes of all texts
/// would take compile time.
template <std::size_t Size>
constexpr std::string_view measured(const char (&literal)[Size]) noexcept {
    return {literal, Size - 1};
}
constexpr std::string_view measured(std::string_view text) noexcept { return text; }

/// The name, status and meaning of an error code.
struct error_code_row {
    std::string_view name;
    int status;
    std::string_view when;
};
inline constexpr std::array error_codes{
#define SLUICE_ROW(name, status, when) error_code_row{measured(#name), status, measured(when)},
    SLUICE_ERROR_CODES(SLUICE_ROW)
#undef SLUICE_ROW
};

/// The rules, in the order of the enumeration.
inline constexpr std::array<rule_info, static_cast<std::size_t>(rule::unexpected_failure) + 1>
    rules{{
#define SLUICE_ROW(name, code, problem, advice) \
    {measured(#name), error_code::code, measured(problem), measured(advice)},
        SLUICE_RULES(SLUICE_ROW)
#undef SLUICE_ROW
    }};

/// Returns the row of an enumerator; for an invalid number the last, the unexpected failure.
template <class Row, std::size_t Size, class Enum>
constexpr const Row& row_of(const std::array<Row, Size>& rows, Enum value) noexcept {
    const auto number = static_cast<std::size_t>(value);
    return rows[number < Size ? number : Size - 1];
}

}  // namespace detail

/// Returns the HTTP status of a code, 400 to 500.
[[nodiscard]] constexpr int http_status(error_code code) noexcept {
    return detail::row_of(detail::error_codes, code).status;
}

/// Returns the code as it is written in an error body, such as `bad_request`.
[[nodiscard]] constexpr std::string_view to_string(error_code code) noexcept {
    return detail::row_of(detail::error_codes, code).name;
}

/// Returns a sentence that says when a code is sent.
[[nodiscard]] constexpr std::string_view condition_of(error_code code) noexcept {
    return detail::row_of(detail::error_codes, code).when;
}

namespace detail {

/// Words with which advice, the second half of a message, may begin.
inline constexpr std::array<std::string_view, 18> advising_words{
    "choose", "end",   "exclude", "expected", "give", "install", "it",  "leave",   "load",
    "put",    "retry", "save",    "send",     "take", "try",     "use", "upgrade", "write"};

/// Returns true if a text begins with one of advising_words.
constexpr bool is_advice(std::string_view text) noexcept {
    for (const std::string_view word : advising_words) {
        if (text.substr(0, text.find(' ')) == word) return true;
    }
    return false;
}

/// Returns true if a name is of a-z, 0-9 and _.
constexpr bool is_rule_name(std::string_view name) noexcept {
    return !name.empty() &&
           name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == name.npos;
}

}  // namespace detail

/// A custom rule, declared once for the whole program. Programs, messages and error bodies
/// read its texts like those of the library's rules.
///
/// ```
/// inline constexpr sluice::custom_rule check_digit({.name = "check_digit",
///                                                .problem = "a wrong check digit",
///                                                .advice = "expected an ISBN-13"});
/// return sluice::fail(check_digit, 12, 1);
/// ```
class custom_rule {
public:
    /// A rule without a name of a-z, 0-9 and _, with the name of one of the library's, without a
    /// problem, or with advice that doesn't begin with a verb doesn't compile.
    consteval explicit custom_rule(const rule_info& declared) : info_(declared) {
        if (!detail::is_rule_name(declared.name)) {
            detail::mistake(declared.name,
                            "a rule's .name is of a-z, 0-9 and _, such as check_digit");
        }
        for (const rule_info& listed : detail::rules) {
            if (listed.name != declared.name) continue;
            detail::mistake(declared.name,
                            "the library has a rule of this name: give yours a .name of its own");
        }
        if (declared.problem.empty()) {
            detail::mistake(declared.name, "a rule doesn't say what is wrong: give it a .problem");
        }
        if (!detail::is_advice(declared.advice)) {
            detail::mistake(declared.name,
                            "an .advice begins with a verb: expected, give, use, leave ...");
        }
    }

    [[nodiscard]] constexpr const rule_info& info() const noexcept { return info_; }

private:
    rule_info info_;
};

/// A reference to one of the library's rules, or to a custom rule with static storage: a local one
/// doesn't compile.
class any_rule {
public:
    /// Refers to a rule declared at run time. `declared` must live as long as any error of it.
    [[nodiscard]] static constexpr any_rule kept(const rule_info& declared) noexcept {
        return any_rule(&declared);
    }
    constexpr any_rule(rule listed) noexcept : info_(&detail::row_of(detail::rules, listed)) {}
    consteval any_rule(const custom_rule& declared) noexcept : info_(&declared.info()) {}

    [[nodiscard]] constexpr const rule_info& info() const noexcept { return *info_; }

    friend constexpr bool operator==(any_rule a, any_rule b) noexcept {
        return a.info() == b.info();
    }
    friend constexpr bool operator==(any_rule a, const custom_rule& b) noexcept {
        return a.info() == b.info();
    }

private:
    explicit constexpr any_rule(const rule_info* info) noexcept : info_(info) {}

    const rule_info* info_;
};

/// Returns the error code of a broken rule.
[[nodiscard]] constexpr error_code code_of(any_rule broken) noexcept { return broken.info().code; }

/// Returns the name of a rule as programs compare it and logs show it: its enumerator, such as
/// `filter_dash`, or a custom rule's name.
[[nodiscard]] constexpr std::string_view to_string(any_rule broken) noexcept {
    return broken.info().name;
}

/// Returns the problem when a rule is broken: the first half of a message.
[[nodiscard]] constexpr std::string_view problem_of(any_rule broken) noexcept {
    return broken.info().problem;
}

/// Returns the advice of a rule: the second half of a message, unless the error has a more precise
/// one. If the error has a bound, the advice ends before it: `expected at most`.
[[nodiscard]] constexpr std::string_view advice_of(any_rule broken) noexcept {
    return broken.info().advice;
}

}  // namespace sluice

#undef SLUICE_ERROR_CODES
#undef SLUICE_RULES

#endif
