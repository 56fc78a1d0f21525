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
    std::string_view type;  ///< as in `kinds`
    presence is = presence::required;
    std::string_view help{};
    std::span<const std::string_view> choices{};  ///< the allowed values; empty: any

    /// Returns true if the help is `deprecated:` and the field to use instead.
    [[nodiscard]] constexpr bool is_deprecated() const noexcept {
        return help.starts_with("deprecated:");
    }
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
            fields[next++] = {row.name, kind::type, kind::is, row.help, kind::choices};
    });
    return fields;
}

}  // namespace detail

/// The fields that written records have, in the order of writing.
template <class Record>
inline constexpr auto schema_of = detail::make_schema<Record>();

}  // namespace sluice::reference

#endif
