// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARAMS_DETAIL_ENUMERATORS_HPP
#define SLUICE_PARAMS_DETAIL_ENUMERATORS_HPP

#include <cstddef>
#include <string_view>
#include <type_traits>

namespace sluice::detail {

/// Returns true if a value of an enumeration has a name. The compiler writes a value without one as
/// a cast, `(sluice::interval)9`: a number after the last parenthesis. An enumerator may have
/// parentheses too, `(anonymous namespace)::pace::fast`.
template <auto Value>
[[nodiscard]] consteval bool is_enumerator() noexcept {
    std::string_view name = __PRETTY_FUNCTION__;
    name.remove_prefix(name.rfind("Value = ") + 8);
    const std::size_t cast = name.rfind(')');
    if (cast == std::string_view::npos) return true;
    const char first = name[cast + 1];
    return first != '-' && (first < '0' || first > '9');
}

/// Checks that an enumeration has one value for each of some names, counted from 0.
template <class Enum, std::size_t Names>
consteval void check_enumerators() noexcept {
    static_assert(
        std::is_enum_v<Enum>,
        "a choice is bound to an enum, or to an optional one: give the member such a type");
    static_assert(Names > 0 && is_enumerator<static_cast<Enum>(Names - 1)>(),
                  "there are more names than enumerators: give each enumerator one name");
    static_assert(!is_enumerator<static_cast<Enum>(Names)>(),
                  "there are enumerators without a name: give each enumerator one name");
}

}  // namespace sluice::detail

#endif
