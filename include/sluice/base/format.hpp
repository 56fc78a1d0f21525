// SPDX-License-Identifier: MIT
#ifndef SLUICE_BASE_FORMAT_HPP
#define SLUICE_BASE_FORMAT_HPP

#include <string>
#include <version>

#include <sluice/base/value.hpp>

/// std::format for the library's value types, with the formats of std::string, if the standard
/// library has it.
///
/// ```
/// std::format("{:>12}", *sluice::parse_decimal_number("19.90"))
/// ```
#if defined(__cpp_lib_format)
#include <format>

template <class T>
    requires sluice::is_value<T>
struct std::formatter<T, char> : std::formatter<std::string, char> {
    template <class Context>
    auto format(const T& value, Context& context) const {
        return std::formatter<std::string, char>::format(sluice::detail::text_of_value(value),
                                                         context);
    }
};
#endif

#endif
