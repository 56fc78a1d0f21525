// SPDX-License-Identifier: MIT
#ifndef SLUICE_BASE_VALUE_HPP
#define SLUICE_BASE_VALUE_HPP

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <string>

/// Value types: streams, std::hash and, with <sluice/base/format.hpp>, std::format take them.
namespace sluice {

/// True for the value types of the library, which to_string() writes.
template <class T>
inline constexpr bool is_value = false;

namespace detail {

/// Returns the text of a value: that of print_text(), for types whose to_string() may fail or
/// which have another text, or of to_string().
template <class T>
    requires is_value<T>
[[nodiscard]] std::string text_of_value(const T& value) {
    if constexpr (requires { print_text(value); }) {
        return print_text(value);
    } else {
        return std::string(to_string(value));
    }
}

}  // namespace detail

/// Writes a value to a stream.
template <class Traits, class T>
    requires is_value<T>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& output,
                                             const T& value) {
    return output << detail::text_of_value(value);
}

}  // namespace sluice

namespace std {

/// Hashes a value: that of hash_text(), for types with equal values of different texts, or of its
/// text. Differs between processes and versions.
template <class T>
    requires sluice::is_value<T>
struct hash<T> {
    [[nodiscard]] std::size_t operator()(const T& value) const {
        if constexpr (requires { hash_text(value); }) {
            return std::hash<std::string>()(hash_text(value));
        } else {
            return std::hash<std::string>()(sluice::detail::text_of_value(value));
        }
    }
};

}  // namespace std

#endif
