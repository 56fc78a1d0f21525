// SPDX-License-Identifier: MIT
#ifndef SLUICE_QUERY_SCHEMA_HPP
#define SLUICE_QUERY_SCHEMA_HPP

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <sluice/base/ascii.hpp>
#include <sluice/base/static_text.hpp>
#include <sluice/filters/filter.hpp>

namespace sluice {

/// The type of values in a column of a schema.
enum class column_type : std::uint8_t {
    text,     ///< any bytes, mostly UTF-8
    integer,  ///< a whole number of 64 bits
    decimal,  ///< a number of any length, exactly
    time,     ///< an instant, in milliseconds
    boolean,  ///< true or false
    json,     ///< any JSON value; conditions can test its paths
};

/// Names of the column types, in the order of the enumeration.
inline constexpr std::array<std::string_view, 6> column_type_names{"text", "integer", "decimal",
                                                                   "time", "boolean", "json"};
[[nodiscard]] constexpr std::string_view to_string(column_type type) noexcept {
    return column_type_names[static_cast<std::size_t>(type)];
}

/// A column of a resource. Its name is static text.
struct column {
    std::string_view name{};  ///< the name in conditions and sort keys, such as `click.country`
    column_type type = column_type::text;
    bool is_list = false;              ///< a row has any number of values, of type text
    bool is_nullable = false;          ///< a row may have no value
    collation how = collation::exact;  ///< the comparison of texts

    friend constexpr bool operator==(const column&, const column&) = default;
};

/// The columns of a resource, to which conditions and sort keys refer. The last sort key of every
/// list is the column called `id`, which no two rows share.
///
/// ```
/// inline constexpr sluice::schema orders_schema{
///     sluice::column{.name = "id"},
///     sluice::column{.name = "status", .how = sluice::collation::ignore_case},
///     sluice::column{.name = "total", .type = sluice::column_type::decimal},
/// };
/// orders_schema.find("status")->type;  // column_type::text
/// ```
///
/// It doesn't compile if two columns share a name, one has none, or a list column isn't of texts.
template <std::size_t Columns>
class schema {
public:
    template <std::same_as<column>... Each>
        requires(sizeof...(Each) == Columns)
    explicit consteval schema(const Each&... columns) : columns_{columns...} {
        check();
    }
    explicit consteval schema(const std::array<column, Columns>& columns) : columns_(columns) {
        check();
    }

    [[nodiscard]] static constexpr std::size_t size() noexcept { return Columns; }
    [[nodiscard]] constexpr const column* begin() const noexcept { return columns_.data(); }
    [[nodiscard]] constexpr const column* end() const noexcept { return begin() + Columns; }

    /// Returns the column of a name; null if there is none.
    [[nodiscard]] constexpr const column* find(std::string_view name) const noexcept {
        for (const column& candidate : columns_) {
            if (detail::equal_bytes(candidate.name, name)) return &candidate;
        }
        return nullptr;
    }

private:
    constexpr void check() const noexcept {
        for (const column& checked : columns_) {
            if (checked.name.empty()) detail::mistake("", "a column has no name: give it a .name");
            const auto same = [&](const column& other) { return other.name == checked.name; };
            if (std::ranges::count_if(columns_, same) != 1) {
                detail::mistake(checked.name,
                                "two columns have the same name: give each a .name of its own");
            }
            if (checked.is_list && checked.type != column_type::text) {
                detail::mistake(checked.name,
                                "a list column holds texts: give it .type = column_type::text");
            }
        }
    }

    std::array<column, Columns> columns_;
};

template <std::same_as<column>... Each>
schema(Each...) -> schema<sizeof...(Each)>;
template <std::size_t Columns>
schema(std::array<column, Columns>) -> schema<Columns>;

/// A view of the columns of any schema.
using columns_view = std::span<const column>;

/// Returns the column of a name; null if there is none.
[[nodiscard]] constexpr const column* find_column(columns_view columns,
                                                  std::string_view name) noexcept {
    for (const column& candidate : columns) {
        if (detail::equal_bytes(candidate.name, name)) return &candidate;
    }
    return nullptr;
}

}  // namespace sluice

#endif
