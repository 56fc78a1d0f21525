// SPDX-License-Identifier: MIT
#ifndef SLUICE_DECLARED_VALUES_HPP
#define SLUICE_DECLARED_VALUES_HPP

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/declared/declaration.hpp>
#include <sluice/list_params.hpp>
#include <sluice/schema.hpp>
#include <sluice/uuid.hpp>

namespace sluice {

/// The value of a parameter that stands alone, as a member that rows can be bound to.
template <class T>
struct single {
    T value{};
};

/// The place of a choice among its parameter's.
enum class choice_index : std::uint32_t {};

/// The value of a declaration: of a group all that it binds. None where no request gave it.
using declared_value =
    std::variant<std::monostate, single<filter>, single<std::vector<std::string>>,
                 single<std::optional<std::string>>, single<std::optional<choice_index>>,
                 single<std::optional<bool>>, single<std::optional<std::int64_t>>,
                 single<std::optional<decimal_number>>, single<std::optional<uuid>>,
                 single<std::optional<instant>>, single<metadata_query>,
                 single<std::optional<own_value>>, single<sort_choices>, list_window, list_page>;

/// What a table that is made at run time binds: the values by the places of their declarations.
struct declared_query {
    std::vector<declared_value> values{};  ///< of all declarations, or none where nothing was bound
};

/// What a parameter has besides its param_info, which views it.
struct declared_param {
    declaration told;
    std::size_t place = 0;            ///< of its value in a query
    std::size_t places = 0;           ///< how many values a query has
    declared_value unset{};           ///< what it is where no request gave it
    const column* subject = nullptr;  ///< the column that it names
    std::vector<std::string_view> choices{};
    std::vector<column> sorted_by{};  ///< by choice
    std::deque<std::string> texts{};  ///< that its rows view

    [[nodiscard]] std::string_view keep(std::string text) {
        return texts.emplace_back(std::move(text));
    }
};

namespace detail {

/// The value of a declaration, or what it is by default.
template <class Value>
[[nodiscard]] const Value& value_at(const declared_query& query, const declared_param& own) {
    const declared_value* const given = query.values.empty() ? nullptr : &query.values[own.place];
    const Value* const value = given == nullptr ? nullptr : std::get_if<Value>(given);
    return value == nullptr ? *std::get_if<Value>(&own.unset) : *value;
}

/// The value of a declaration to write to. What is united with repeats begins empty, whatever it
/// is by default.
template <class Value>
[[nodiscard]] Value& value_to_write(declared_query& query, const declared_param& own,
                                    bool begins_empty) {
    if (query.values.empty()) query.values.resize(own.places);
    declared_value& place = query.values[own.place];
    if (Value* const value = std::get_if<Value>(&place)) return *value;
    if (begins_empty) return place.emplace<Value>();
    return place.emplace<Value>(*std::get_if<Value>(&own.unset));
}

}  // namespace detail

}  // namespace sluice

#endif
