// SPDX-License-Identifier: MIT
#ifndef SLUICE_ERRORS_ERROR_HPP
#define SLUICE_ERRORS_ERROR_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <version>

#if defined(__cpp_lib_expected)
#include <expected>
#endif
#include <tl/expected.hpp>

#include <sluice/errors/rules.hpp>

namespace sluice {

/// The error of a refused input. Trivially copyable. Its texts are never part of the input: they
/// are static, or the name of a zone, which the time_zone_database owns.
///
/// ```
/// country=US,-CA          rule::filter_dash
///            ^^^          offset 3, length 3, in bytes of the parameter's decoded value
/// ```
/// <sluice/errors/message.hpp> writes it as a message.
struct error {
    /// The value of `pair` if no pair of a request is at fault.
    static constexpr std::uint32_t no_pair = 0xFFFF'FFFF;

    any_rule broken = rule::unexpected_failure;
    error_code code = error_code::internal_server_error;
    std::uint32_t offset = 0;       ///< first byte at fault in the decoded value
    std::uint32_t length = 0;       ///< bytes at fault; 0 if something is missing
    std::uint32_t pair = no_pair;   ///< index of the pair at fault among those bound
    std::string_view param{};       ///< the parameter or field; static text, empty if there is none
    std::string_view accepts{};     ///< advice, static text; empty for the rule's own
    std::string_view suggestion{};  ///< the text probably meant; static or a zone's name
    std::string_view alternative{};       ///< a second suggestion, static text
    std::optional<std::int64_t> bound{};  ///< the least or the most accepted number

    friend constexpr bool operator==(const error&, const error&) = default;
};

/// A type whose members return views of it, such as filter. It declares a member type
/// `lends_views`, of any type.
template <class T>
concept view_lender = requires { typename T::lends_views; };

template <class T>
class result;

namespace detail {

/// True for argument types for which a result has a separate constructor.
template <class T>
inline constexpr bool has_separate_constructor = false;
template <class T>
inline constexpr bool has_separate_constructor<result<T>> = true;
template <class T>
inline constexpr bool has_separate_constructor<tl::expected<T, error>> = true;
#if defined(__cpp_lib_expected)
template <class T>
inline constexpr bool has_separate_constructor<std::expected<T, error>> = true;
#endif
template <>
inline constexpr bool has_separate_constructor<tl::unexpected<error>> = true;
template <>
inline constexpr bool has_separate_constructor<tl::in_place_t> = true;

/// A type that converts to T and is neither T nor a result. Cheap checks come first.
template <class Value, class T>
concept value_of_another_type =
    !std::same_as<std::remove_cvref_t<Value>, T> &&
    !has_separate_constructor<std::remove_cvref_t<Value>> && std::convertible_to<Value, T>;

/// Returns the result of a function, also of one that returns nothing.
template <class Function, class... Values>
[[nodiscard]] constexpr auto result_of(Function&& function, Values&&... values)
    -> result<std::invoke_result_t<Function, Values...>> {
    if constexpr (std::is_void_v<std::invoke_result_t<Function, Values...>>) {
        std::forward<Function>(function)(std::forward<Values>(values)...);
        return {};
    } else {
        return std::forward<Function>(function)(std::forward<Values>(values)...);
    }
}
template <class Result, class Next>
[[nodiscard]] constexpr auto and_then(Result&& from, Next&& next)
    -> std::invoke_result_t<Next, decltype(*std::forward<Result>(from))> {
    if (!from) return tl::unexpected<error>(from.error());
    return std::forward<Next>(next)(*std::forward<Result>(from));
}
template <class Result, class Change>
[[nodiscard]] constexpr auto map(Result&& from, Change&& change)
    -> result<std::invoke_result_t<Change, decltype(*std::forward<Result>(from))>> {
    if (!from) return tl::unexpected<error>(from.error());
    return result_of(std::forward<Change>(change), *std::forward<Result>(from));
}
#if defined(__cpp_lib_expected)
template <class Result>
[[nodiscard]] constexpr auto to_expected(Result&& from)
    -> std::expected<typename std::remove_cvref_t<Result>::value_type, error> {
    if (!from) return std::unexpected<error>(from.error());
    if constexpr (std::is_void_v<typename std::remove_cvref_t<Result>::value_type>) {
        return {};
    } else {
        return *std::forward<Result>(from);
    }
}
#endif

}  // namespace detail

/// A value, or the error that prevented it. Like tl::expected, but `->` on a temporary doesn't
/// compile if its value lends views, which would dangle: name the result and check it first.
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
    // The constructors of tl::expected, written so that a returned value doesn't try its templates
    // first: they take most of the compile time of a function that returns a result.
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

    // Written out, since clang would try those templates for the implicit ones.
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

    /// Returns the result of `next(value)`, or this error.
    template <class Next>
    [[nodiscard]] constexpr auto and_then(Next&& next) const& {
        return detail::and_then(*this, std::forward<Next>(next));
    }
    template <class Next>
    [[nodiscard]] constexpr auto and_then(Next&& next) && {
        return detail::and_then(std::move(*this), std::forward<Next>(next));
    }
    /// Returns a result of `change(value)`, or this error.
    template <class Change>
    [[nodiscard]] constexpr auto map(Change&& change) const& {
        return detail::map(*this, std::forward<Change>(change));
    }
    template <class Change>
    [[nodiscard]] constexpr auto map(Change&& change) && {
        return detail::map(std::move(*this), std::forward<Change>(change));
    }

#if defined(__cpp_lib_expected)
    // Conversions from and to std::expected, in standard libraries that have it.
    constexpr result(std::expected<T, error> other)
        : base(other ? base(tl::in_place, *std::move(other)) : base(tl::unexpect, other.error())) {}
    constexpr operator std::expected<T, error>() const& { return detail::to_expected(*this); }
    constexpr operator std::expected<T, error>() && {
        return detail::to_expected(std::move(*this));
    }
#endif
};

template <class T>
[[nodiscard]] constexpr bool operator==(const result<T>& a, const result<T>& b) {
    using base = tl::expected<T, error>;
    return static_cast<const base&>(a) == static_cast<const base&>(b);
}

/// Success, or the error that prevented it.
template <>
class [[nodiscard]] result<void> : public tl::expected<void, sluice::error> {
    using base = tl::expected<void, sluice::error>;

public:
    result() = default;
    constexpr result(tl::unexpected<sluice::error> failure) noexcept
        : base(tl::unexpect, failure.value()) {}
    constexpr result(base other) : base(std::move(other)) {}

    /// Returns the result of `next()`, or this error.
    template <class Next>
    [[nodiscard]] constexpr std::invoke_result_t<Next> and_then(Next&& next) const {
        if (!has_value()) return tl::unexpected<sluice::error>(error());
        return std::forward<Next>(next)();
    }
    /// Returns a result of `change()`, or this error.
    template <class Change>
    [[nodiscard]] constexpr result<std::invoke_result_t<Change>> map(Change&& change) const {
        if (!has_value()) return tl::unexpected<sluice::error>(error());
        return detail::result_of(std::forward<Change>(change));
    }

#if defined(__cpp_lib_expected)
    constexpr result(std::expected<void, sluice::error> other)
        : base(other ? base() : base(tl::unexpect, other.error())) {}
    constexpr operator std::expected<void, sluice::error>() const {
        return detail::to_expected(*this);
    }
#endif
};

// gnu::cold: compilers keep failures off the path of success.

/// Returns an error for a broken rule, the library's or your own, at `length` bytes from `offset`
/// on. Its code is the rule's.
[[nodiscard, gnu::cold]] constexpr error make_error(any_rule broken, std::size_t offset = 0,
                                                    std::size_t length = 0) noexcept {
    error failure;
    failure.code = code_of(broken);
    failure.broken = broken;
    failure.offset = static_cast<std::uint32_t>(offset);
    failure.length = static_cast<std::uint32_t>(length);
    return failure;
}

/// Returns the failure of a broken rule: `return fail(rule::filter_dash, 3, 3);`
[[nodiscard, gnu::cold]] constexpr tl::unexpected<error> fail(any_rule broken,
                                                              std::size_t offset = 0,
                                                              std::size_t length = 0) noexcept {
    return tl::unexpected<error>(make_error(broken, offset, length));
}

/// Like fail(), for a whole parameter or field: `return fail_in(rule::identifier_taken, "id");`
/// The name must live as long as the error.
[[nodiscard, gnu::cold]] constexpr tl::unexpected<error> fail_in(any_rule broken,
                                                                 std::string_view param) noexcept {
    error failure = make_error(broken);
    failure.param = param;
    return tl::unexpected<error>(failure);
}

/// Like fail(), with the caller's bound: `return fail_beyond(rule::number_too_large, 100);`
[[nodiscard, gnu::cold]] constexpr tl::unexpected<error> fail_beyond(
    any_rule broken, std::int64_t bound, std::size_t offset = 0, std::size_t length = 0) noexcept {
    error failure = make_error(broken, offset, length);
    failure.bound = bound;
    return tl::unexpected<error>(failure);
}

}  // namespace sluice

#endif
