// SPDX-License-Identifier: MIT
#ifndef SLUICE_ERROR_HPP
#define SLUICE_ERROR_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tl/expected.hpp>

#include <sluice/rules.hpp>

namespace sluice {

/// Why an input was refused. Trivially copyable; it refers to static text only, never to the input.
///
/// ```
/// country=US,-CA          rule::filter_dash
///            ^^^          offset 3, length 3, in bytes of the parameter's decoded value
/// ```
/// <sluice/message.hpp> says it in words.
struct error {
    /// `pair` where the error is in no pair of a request.
    static constexpr std::uint32_t no_pair = 0xFFFF'FFFF;

    any_rule broken = rule::unexpected_failure;
    error_code code = error_code::internal_server_error;
    std::uint32_t offset = 0;      ///< first byte at fault in the decoded value
    std::uint32_t length = 0;      ///< bytes at fault; 0 where something is missing
    std::uint32_t pair = no_pair;  ///< which of the bound pairs is at fault, counted from 0
    std::string_view param{};    ///< the parameter or field; static text, empty where there is none
    std::string_view accepts{};  ///< what would be accepted; static text, empty for the rule's own
    std::string_view suggestion{};        ///< what was probably meant; static text or a zone's name
    std::string_view alternative{};       ///< a second suggestion, static text
    std::optional<std::int64_t> bound{};  ///< the least or most that is accepted

    friend constexpr bool operator==(const error&, const error&) = default;
};

/// A type that hands out views of itself and says so by a member type `lends_views`.
template <class T>
concept view_lender = requires { typename T::lends_views; };

template <class T>
class result;

namespace detail {

/// Whether a result has a constructor of its own for such an argument.
template <class T>
inline constexpr bool has_own_constructor = false;
template <class T>
inline constexpr bool has_own_constructor<result<T>> = true;
template <class T>
inline constexpr bool has_own_constructor<tl::expected<T, error>> = true;
template <>
inline constexpr bool has_own_constructor<tl::unexpected<error>> = true;
template <>
inline constexpr bool has_own_constructor<tl::in_place_t> = true;

/// What becomes a T, and is neither one nor a result. What is cheap to tell is asked first.
template <class Value, class T>
concept value_of_another_type =
    !std::same_as<std::remove_cvref_t<Value>, T> &&
    !has_own_constructor<std::remove_cvref_t<Value>> && std::convertible_to<Value, T>;

}  // namespace detail

/// A value or the reason why there is none: a tl::expected, but that a temporary one isn't looked
/// into by `->` where its value lends views, which would outlive it. Name it, check it, and then
/// look into it.
///
/// ```
/// const auto countries = sluice::parse_filter(text);
/// if (!countries) return sluice::message(countries.error());
/// for (const std::string_view value : countries->values()) …
/// ```
template <class T>
class [[nodiscard]] result : public tl::expected<T, error> {
    using base = tl::expected<T, error>;

public:
    // What tl::expected can be made of, but that the templates among it don't take each returned
    // value first; they are most of what a compiler does for a function that returns a result.
    constexpr result(T&& value) : base(tl::in_place, std::move(value)) {}
    constexpr result(const T& value)
        requires std::is_copy_constructible_v<T>
        : base(tl::in_place, value) {}
    template <detail::value_of_another_type<T> Value>
    constexpr result(Value&& value) : base(tl::in_place, std::forward<Value>(value)) {}
    template <class... Args>
    explicit constexpr result(tl::in_place_t, Args&&... args)
        : base(tl::in_place, std::forward<Args>(args)...) {}
    constexpr result(tl::unexpected<error> failure) noexcept
        : base(tl::unexpect, failure.value()) {}
    template <std::same_as<base> Base>
    constexpr result(Base other) : base(std::move(other)) {}
    template <std::convertible_to<T> Value>
    constexpr result(result<Value> other) : base(std::move(other)) {}

    // Written out, since clang would try those templates for what is implied, in four ways each.
    result() = default;
    constexpr result(result&& other) noexcept(std::is_nothrow_move_constructible_v<T>)
        : base(static_cast<base&&>(other)) {}
    constexpr result(const result& other)
        requires std::is_copy_constructible_v<T>
        : base(static_cast<const base&>(other)) {}
    constexpr result& operator=(result&& other) noexcept(std::is_nothrow_move_assignable_v<T>) {
        base::operator=(static_cast<base&&>(other));
        return *this;
    }
    constexpr result& operator=(const result& other)
        requires std::is_copy_assignable_v<T>
    {
        base::operator=(static_cast<const base&>(other));
        return *this;
    }
    ~result() = default;
    constexpr result& operator=(tl::unexpected<error> failure) noexcept {
        base::operator=(std::move(failure));
        return *this;
    }

    [[nodiscard]] constexpr T* operator->() & noexcept { return base::operator->(); }
    [[nodiscard]] constexpr const T* operator->() const& noexcept { return base::operator->(); }
    [[nodiscard]] constexpr T* operator->() && noexcept { return base::operator->(); }
    T* operator->() &&
        requires view_lender<T>
    = delete;
    const T* operator->() const&&
        requires view_lender<T>
    = delete;

    /// The result of `next(value)`, or this error.
    template <class Next>
    [[nodiscard]] constexpr std::invoke_result_t<Next, T&&> and_then(Next&& next) && {
        if (!this->has_value()) return tl::unexpected<error>(this->error());
        return std::forward<Next>(next)(*std::move(*this));
    }
};

template <class T>
[[nodiscard]] constexpr bool operator==(const result<T>& a, const result<T>& b) {
    using base = tl::expected<T, error>;
    return static_cast<const base&>(a) == static_cast<const base&>(b);
}

/// Success, or the reason why there is none.
template <>
class [[nodiscard]] result<void> : public tl::expected<void, sluice::error> {
    using base = tl::expected<void, sluice::error>;

public:
    result() = default;
    constexpr result(tl::unexpected<sluice::error> failure) noexcept
        : base(tl::unexpect, failure.value()) {}
    constexpr result(base other) : base(std::move(other)) {}

    /// The result of `next()`, or this error.
    template <class Next>
    [[nodiscard]] constexpr std::invoke_result_t<Next> and_then(Next&& next) && {
        if (!has_value()) return tl::unexpected<sluice::error>(error());
        return std::forward<Next>(next)();
    }
};

// Cold, so that compilers keep failures apart from what mostly succeeds.

/// An error for a broken rule, the library's or your own, at `offset` and with the rule's code.
[[nodiscard, gnu::cold]] constexpr error make_error(any_rule broken, std::size_t offset = 0,
                                                    std::size_t length = 0) noexcept {
    error made;
    made.code = code_of(broken);
    made.broken = broken;
    made.offset = static_cast<std::uint32_t>(offset);
    made.length = static_cast<std::uint32_t>(length);
    return made;
}

/// The failed result of a broken rule: `return fail(rule::filter_dash, 3, 3);`
[[nodiscard, gnu::cold]] constexpr tl::unexpected<error> fail(any_rule broken,
                                                              std::size_t offset = 0,
                                                              std::size_t length = 0) noexcept {
    return tl::unexpected<error>(make_error(broken, offset, length));
}

/// The same for a parameter or field as a whole: `return fail_in(rule::identifier_taken, "id");`
[[nodiscard, gnu::cold]] constexpr tl::unexpected<error> fail_in(any_rule broken,
                                                                 std::string_view param) noexcept {
    error made = make_error(broken);
    made.param = param;
    return tl::unexpected<error>(made);
}

/// The same for a rule whose bound is the caller's: `return fail_beyond(rule::number_too_large,
/// 100);`
[[nodiscard, gnu::cold]] constexpr tl::unexpected<error> fail_beyond(
    any_rule broken, std::int64_t bound, std::size_t offset = 0, std::size_t length = 0) noexcept {
    error made = make_error(broken, offset, length);
    made.bound = bound;
    return tl::unexpected<error>(made);
}

}  // namespace sluice

#endif
