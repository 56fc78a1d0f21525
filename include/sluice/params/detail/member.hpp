// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARAMS_DETAIL_MEMBER_HPP
#define SLUICE_PARAMS_DETAIL_MEMBER_HPP

#include <optional>
#include <type_traits>

namespace sluice::detail {

template <class T>
struct member_of;
template <class Object, class Value>
struct member_of<Value Object::*> {
    using object = Object;
    using value = Value;
};
template <auto Member>
using query_of = typename member_of<decltype(Member)>::object;
template <auto Member>
using value_of = typename member_of<decltype(Member)>::value;

/// The type `T` of members of type `T` and `std::optional<T>`.
template <class T>
struct bare {
    using type = T;
};
template <class T>
struct bare<std::optional<T>> {
    using type = T;
};
template <auto Member>
using bare_value_of = typename bare<value_of<Member>>::type;

template <auto Member>
inline constexpr bool is_optional_member = !std::is_same_v<value_of<Member>, bare_value_of<Member>>;

/// True if a member is of a type.
template <auto Member, class T>
inline constexpr bool holds = std::is_same_v<value_of<Member>, T>;
/// True if a member is of a type or an optional one.
template <auto Member, class T>
inline constexpr bool may_hold = std::is_same_v<bare_value_of<Member>, T>;

/// Returns a query to which nothing is bound yet.
template <class Query>
[[nodiscard]] const Query& unbound() {
    static const Query query = Query();
    return query;
}

}  // namespace sluice::detail

#endif
