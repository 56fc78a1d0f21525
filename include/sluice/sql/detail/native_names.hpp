// SPDX-License-Identifier: MIT
#ifndef SLUICE_SQL_DETAIL_NATIVE_NAMES_HPP
#define SLUICE_SQL_DETAIL_NATIVE_NAMES_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <sluice/base/ascii.hpp>
#include <sluice/query/page.hpp>
#include <sluice/query/schema.hpp>
#include <sluice/sql/detail/native_types.hpp>
#include <sluice/sql/statement.hpp>

/// Names of native types, as places of columns have them.
namespace sluice::sql::detail {

/// Returns the part in parentheses of a type's name; empty if there is none.
[[nodiscard]] constexpr std::string_view argument_of(std::string_view name) noexcept {
    const std::size_t first = name.find('('), last = name.rfind(')');
    if (first == name.npos || last == name.npos || last < first) return {};
    return name.substr(first + 1, last - first - 1);
}

inline constexpr std::int64_t most_type_digits = 76, most_type_scale = 18;

/// Returns the numbers of an argument such as `12, 2`: the first, 0 to `most`, and the second, 0 to
/// the first; 0 if there is one number only. nullopt for any other text.
[[nodiscard]] inline std::optional<std::array<std::int64_t, 2>> digits_of_argument(
    std::string_view argument, std::int64_t most) {
    const std::size_t comma = argument.find(',');
    const auto first = parse_int64(argument.substr(0, comma), 0, most);
    if (!first) return std::nullopt;
    if (comma == argument.npos) return std::array<std::int64_t, 2>{*first, 0};
    argument.remove_prefix(comma + 1);
    argument.remove_prefix(std::min(argument.find_first_not_of(' '), argument.size()));
    const auto second = parse_int64(argument, 0, *first);
    if (!second) return std::nullopt;
    return std::array<std::int64_t, 2>{*first, *second};
}

/// Returns true if a type's name has the part in parentheses that the type needs.
[[nodiscard]] inline bool has_argument(std::string_view argument, type_argument needed) {
    constexpr std::array<std::int64_t, 2> no_digits{};
    switch (needed) {
        case type_argument::ignored: return true;
        case type_argument::precision:
            return digits_of_argument(argument, most_type_digits).value_or(no_digits)[0] > 0;
        case type_argument::scale: return parse_int64(argument, 0, most_type_scale).has_value();
        case type_argument::name: break;
    }
    return !argument.empty();
}

/// Returns a type's name in lower case without the part in parentheses.
[[nodiscard]] inline std::string bare_type(std::string_view name) {
    const std::string_view argument = argument_of(name);
    if (argument.empty()) return sluice::detail::to_lower(name);
    const std::size_t first = name.find('(');
    return sluice::detail::to_lower(std::string(name.substr(0, first)) +
                                    std::string(name.substr(first + argument.size() + 2)));
}

/// Calls `visit` with each name of a list that commas separate.
template <class Visit>
constexpr void visit_names(std::string_view names, const Visit& visit) {
    while (!names.empty()) {
        const std::size_t end = names.find(", ");
        visit(names.substr(0, end));
        names = end == names.npos ? std::string_view() : names.substr(end + 2);
    }
}

/// Returns true if columns of a schema's column can have a type in a dialect.
[[nodiscard]] constexpr bool fits(const native_type& type, const column& of, dialect in) noexcept {
    return (type.types & set_of(of.type)) != 0 && type.is_list == of.is_list &&
           type.of.value_or(in) == in;
}

/// Finds a type by its name in any case; nullptr if a schema's column can't have it in the dialect,
/// or the part in parentheses isn't as it has to be.
[[nodiscard]] inline const native_type* find_native_type(std::string_view name, const column& of,
                                                         dialect in) {
    const std::string whole = sluice::detail::to_lower(name), bare = bare_type(name);
    for (const native_type& type : native_types) {
        bool is_named = false;
        visit_names(type.names, [&](std::string_view known) {
            is_named = is_named || known == whole || known == bare;
        });
        if (is_named && fits(type, of, in) && has_argument(argument_of(name), type.argument)) {
            return &type;
        }
    }
    return nullptr;
}

/// Returns the names of a type as places write them, separated by commas.
[[nodiscard]] inline std::string native_type_names(const native_type& type) {
    constexpr std::array<std::string_view, 4> arguments{"", "(p,s)", "(s)", "(name)"};
    std::string names;
    visit_names(type.names, [&](std::string_view name) {
        const std::size_t end = name.size() - (name.ends_with("[]") ? 2 : 0);
        names.append(names.empty() ? "" : ", ").append(name.substr(0, end));
        names.append(arguments[static_cast<std::size_t>(type.argument)]).append(name.substr(end));
    });
    return names;
}

/// Returns the names of the types that a schema's column can have, separated by commas.
[[nodiscard]] inline std::string native_type_names(const column& of, dialect in) {
    std::string names;
    for (const native_type& type : native_types) {
        if (fits(type, of, in)) {
            names.append(names.empty() ? "" : ", ").append(native_type_names(type));
        }
    }
    return names;
}

}  // namespace sluice::sql::detail

#endif
