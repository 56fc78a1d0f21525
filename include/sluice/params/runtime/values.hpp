// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARAMS_RUNTIME_VALUES_HPP
#define SLUICE_PARAMS_RUNTIME_VALUES_HPP

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/params/list.hpp>
#include <sluice/params/runtime/declaration.hpp>
#include <sluice/params/uuid.hpp>
#include <sluice/query/schema.hpp>

namespace sluice {

/// The value of a single declared parameter, as a member to which rows can be bound.
template <class T>
struct single {
    T value{};
};

/// The index of a choice among its parameter's choices.
enum class choice_index : std::uint32_t {};

/// The value of a declaration; of a group all that it binds. monostate if the request lacks it.
using declared_value =
    std::variant<std::monostate, single<filter>, single<std::vector<std::string>>,
                 single<std::optional<std::string>>, single<std::optional<choice_index>>,
                 single<std::optional<bool>>, single<std::optional<std::int64_t>>,
                 single<std::optional<decimal_number>>, single<std::optional<uuid>>,
                 single<std::optional<instant>>, single<metadata_query>,
                 single<std::optional<custom_value>>, single<sort_choices>, list_window, list_page>;

/// The query that a declared table binds: the values by the places of their declarations.
struct declared_query {
    std::vector<declared_value> values{};  ///< of all declarations; empty if nothing was bound
};

/// A declared parameter: the data that its param_info views.
struct declared_param {
    declaration spec;
    std::size_t place = 0;            ///< index of its value in a query
    std::size_t places = 0;           ///< number of values in a query
    declared_value unset{};           ///< its value if no request gave it
    const column* subject = nullptr;  ///< the column that it names
    std::vector<std::string_view> choices{};
    std::vector<column> sorted_by{};  ///< by choice
    std::deque<std::string> texts{};  ///< texts that its rows view

    [[nodiscard]] std::string_view keep(std::string text) {
        return texts.emplace_back(std::move(text));
    }
};

namespace detail {

/// Returns the value of a declaration, or its default.
template <class Value>
[[nodiscard]] const Value& value_at(const declared_query& query, const declared_param& declared) {
    const declared_value* const entry =
        query.values.empty() ? nullptr : &query.values[declared.place];
    const Value* const value = entry == nullptr ? nullptr : std::get_if<Value>(entry);
    return value == nullptr ? *std::get_if<Value>(&declared.unset) : *value;
}

/// Returns the value of a declaration, to write to. One that merges repeats begins empty, whatever
/// its default is.
template <class Value>
[[nodiscard]] Value& value_to_write(declared_query& query, const declared_param& declared,
                                    bool begins_empty) {
    if (query.values.empty()) query.values.resize(declared.places);
    declared_value& place = query.values[declared.place];
    if (Value* const value = std::get_if<Value>(&place)) return *value;
    if (begins_empty) return place.emplace<Value>();
    return place.emplace<Value>(*std::get_if<Value>(&declared.unset));
}

}  // namespace detail

}  // namespace sluice

#endif
