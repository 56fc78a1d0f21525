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
    real,     ///< an IEEE double; NaN counts as no value
    date,     ///< a day of the calendar, without a zone
    uuid,     ///< a UUID, as text in any case
    choice,   ///< one of the texts that the column declares, ordered as declared
    records,  ///< a list of records, with columns of their own
};

/// Names of the column types, in the order of the enumeration.
inline constexpr std::array<std::string_view, 11> column_type_names{
    "text", "integer", "decimal", "time",   "boolean", "json",
    "real", "date",    "uuid",    "choice", "records"};
[[nodiscard]] constexpr std::string_view to_string(column_type type) noexcept {
    return column_type_names[static_cast<std::size_t>(type)];
}

/// Column types, as a set.
using column_types = std::uint16_t;
/// Returns the set of some types.
template <std::same_as<column_type>... Types>
[[nodiscard]] constexpr column_types set_of(Types... types) noexcept {
    return static_cast<column_types>(((1U << static_cast<unsigned>(types)) | ... | 0U));
}
/// Returns the set of all types.
[[nodiscard]] constexpr column_types all_column_types() noexcept {
    return static_cast<column_types>((1U << column_type_names.size()) - 1);
}

struct column;
template <std::size_t Columns>
class schema;

/// The columns of the records in a column. A view: the columns must be static.
class record_columns {
public:
    constexpr record_columns() noexcept = default;
    constexpr record_columns(const column* columns, std::size_t size) noexcept
        : columns_(columns), size_(size) {}
    /// The columns of a schema.
    template <std::size_t Columns>
    constexpr record_columns(const schema<Columns>& of) noexcept  // NOLINT(*-explicit-*)
        : columns_(of.begin()), size_(Columns) {}

    [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
    [[nodiscard]] constexpr const column* begin() const noexcept { return columns_; }
    [[nodiscard]] constexpr const column* end() const noexcept;

    friend constexpr bool operator==(const record_columns& a, const record_columns& b) noexcept;

private:
    const column* columns_ = nullptr;
    std::size_t size_ = 0;
};

/// A column of a resource. Its texts are static.
struct column {
    std::string_view name{};  ///< the name in conditions and sort keys, such as `click.country`
    column_type type = column_type::text;
    bool is_list = false;      ///< a row has any number of values: texts, integers, UUIDs, choices
    bool is_nullable = false;  ///< a row may have no value
    collation how = collation::exact;             ///< the comparison of texts
    std::span<const std::string_view> choices{};  ///< the values of a choice, in order
    record_columns records{};                     ///< the columns of records

    friend constexpr bool operator==(const column& a, const column& b) noexcept {
        return a.name == b.name && a.type == b.type && a.is_list == b.is_list &&
               a.is_nullable == b.is_nullable && a.how == b.how &&
               std::ranges::equal(a.choices, b.choices) && a.records == b.records;
    }
};

constexpr const column* record_columns::end() const noexcept { return columns_ + size_; }
constexpr bool operator==(const record_columns& a, const record_columns& b) noexcept {
    return std::ranges::equal(a, b);
}

/// Returns the place of a text among the choices of a column, counted from 0; their number for a
/// text that is none of them.
[[nodiscard]] constexpr std::size_t place_of_choice(const column& subject,
                                                    std::string_view text) noexcept {
    const auto same = [&](std::string_view choice) { return detail::equal_bytes(choice, text); };
    return static_cast<std::size_t>(std::ranges::find_if(subject.choices, same) -
                                    subject.choices.begin());
}

/// Returns the comparison of a column's texts: UUIDs are compared in any case.
[[nodiscard]] constexpr collation collation_of(const column& subject) noexcept {
    return subject.type == column_type::uuid ? collation::ignore_case : subject.how;
}

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
/// It doesn't compile if two columns share a name, one has none, a list is of another type than
/// texts, integers, UUIDs or choices, a choice lacks texts, or records lack columns.
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
            constexpr column_types listed = set_of(column_type::text, column_type::integer,
                                                   column_type::uuid, column_type::choice);
            if (checked.is_list && (set_of(checked.type) & listed) == 0) {
                detail::mistake(checked.name,
                                "a list column holds texts, integers, UUIDs or choices: give it "
                                "one of these as .type, or leave .is_list out");
            }
            check_choices(checked);
            if ((checked.type == column_type::records) != (checked.records.size() > 0)) {
                detail::mistake(checked.name,
                                "records have columns, and no other column has: give one of .type "
                                "= column_type::records a schema as .records");
            }
        }
    }
    static constexpr void check_choices(const column& checked) noexcept {
        if ((checked.type == column_type::choice) == checked.choices.empty()) {
            detail::mistake(checked.name,
                            "a choice has texts, and no other column has: give one of .type = "
                            "column_type::choice an array of them as .choices");
        }
        for (const std::string_view choice : checked.choices) {
            if (std::ranges::count(checked.choices, choice) > 1 || choice.empty()) {
                detail::mistake(checked.name, "its .choices differ, and none is empty");
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
