// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARAMS_ROW_HPP
#define SLUICE_PARAMS_ROW_HPP

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <sluice/base/static_text.hpp>
#include <sluice/params/values.hpp>

/// Rows of parameter tables: a parameter and the member that it is bound to. A query is an
/// endpoint's struct, which has the members; its rows are of type param<Query>.
namespace sluice {

namespace detail {

/// The struct and the type of the member that a pointer to a member refers to.
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

/// Returns a query to which nothing is bound: its members have their initial values, which are the
/// defaults of their parameters. It is constructed once and never changes.
template <class Query>
[[nodiscard]] const Query& unbound() {
    static const Query query = Query();
    return query;
}

/// Parses a parameter's text with `Read(text, info, options)` and assigns the value to its member.
template <auto Member, auto Read, class Query = query_of<Member>>
result<void> assign(Query& query, const param_info& info, std::string_view text,
                    const bind_options& options) {
    auto parsed = Read(text, info, options);
    if (!parsed) return tl::unexpected<error>(parsed.error());
    query.*Member = std::move(*parsed);
    return {};
}

/// Returns true if a value equals its member's initial value. Zones are compared by name, as their
/// data may lie elsewhere.
template <class T>
bool is_unbound(const T& value, const T& unbound_value) {
    return value == unbound_value;
}
inline bool is_unbound(const time_zone& zone, const time_zone& unbound_zone) {
    return zone.name() == unbound_zone.name();
}

/// Returns the text of a member's value; nullopt if it is the initial one, or an empty optional.
template <auto Member, class Query>
std::optional<std::string> value_text(const Query& query, const param_info& info) {
    const auto& value = query.*Member;
    if constexpr (is_optional_member<Member>) {
        return value ? std::optional(param_text(info, *value)) : std::nullopt;
    } else {
        if (is_unbound(value, unbound<Query>().*Member)) return std::nullopt;
        return param_text(info, value);
    }
}
/// Returns the text of a member's initial value; nullopt if that is an empty optional.
template <auto Member, class Query>
std::optional<std::string> default_text(const param_info& info) {
    const auto& value = unbound<Query>().*Member;
    if constexpr (is_optional_member<Member>) {
        return value ? std::optional(param_text(info, *value)) : std::nullopt;
    } else {
        return param_text(info, value);
    }
}

/// Makes the row of a member that the query has or inherits, without `assign` and `contribute`.
template <auto Member, class Query = query_of<Member>>
constexpr auto make_row(const param_info& info, param_type type) noexcept {
    param<Query> row{};
    row.info = info;
    row.info.type = type;
    row.as_text = row.as_canonical_text = value_text<Member, Query>;
    row.as_default = default_text<Member, Query>;
    if (!is_optional_member<Member> && !info.absent.empty()) {
        mistake(info.name, "the default is the member's own initial value: leave .absent out");
    }
    return row;
}

/// Adds the condition of a value to a list query, unless it is the default. `MakeTest(value, info)`
/// returns its column_test. Expects a column, `subject`.
template <auto Member, auto MakeTest, class Query>
void contribute_test(const Query& query, const param_info& info, const column* subject,
                     list_query_draft& draft) {
    const auto& value = query.*Member;
    if constexpr (is_optional_member<Member>) {
        if (value) draft.leaves.push_back({*subject, MakeTest(*value, info), info.name});
    } else if (value != unbound<Query>().*Member) {
        draft.leaves.push_back({*subject, MakeTest(value, info), info.name});
    }
}
/// Makes a row contribute a condition if it names a column, and returns the row. `with` are the
/// types that the column may have, `kind` is the kind of the test, `MakeTest` that of
/// contribute_test().
template <auto Member, auto MakeTest, class Query>
constexpr auto compared(param<Query> row, column_types with,
                        test_kind kind = test_kind::any_of) noexcept {
    row.info.test = kind;
    row.comparable = with;
    if (!row.info.column.empty()) row.contribute = contribute_test<Member, MakeTest, Query>;
    return row;
}

}  // namespace detail

}  // namespace sluice

#endif
