// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_RECORDS_RECORD_SCHEMAS_HPP
#define SLUICE_REFERENCE_RECORDS_RECORD_SCHEMAS_HPP

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include <sluice/reference/records/records.hpp>

namespace sluice::reference {

/// The JSON Schema of a record's field.
struct field_schema {
    std::string_view name;
    std::string_view type;  ///< a JSON type, or the name of another schema; `any` for any JSON
    presence is = presence::required;
    std::string_view help{};
    std::span<const std::string_view> choices{};  ///< the allowed values; empty: any
};

namespace detail {

template <class Record>
consteval std::size_t count_shown() noexcept {
    std::size_t count = 0;
    for_each_row<Record>([&](const auto& row) { count += !row.has(field_use::hidden); });
    return count;
}

template <class Record>
consteval auto make_schema() noexcept {
    std::array<field_schema, count_shown<Record>()> fields;
    std::size_t next = 0;
    for_each_row<Record>([&]<class Row>(const Row& row) {
        using kind = typename Row::kind;
        if (!row.has(field_use::hidden))
            fields[next++] = {row.name, kind::type, kind::is, row.help};
    });
    return fields;
}

}  // namespace detail

/// The fields that written records have, in the order of writing.
template <class Record>
inline constexpr auto schema_of = detail::make_schema<Record>();

}  // namespace sluice::reference

#endif
