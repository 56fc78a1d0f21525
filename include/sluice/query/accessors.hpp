// SPDX-License-Identifier: MIT
#ifndef SLUICE_QUERY_ACCESSORS_HPP
#define SLUICE_QUERY_ACCESSORS_HPP

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include <sluice/base/ascii.hpp>
#include <sluice/base/scaled_number.hpp>
#include <sluice/base/static_text.hpp>
#include <sluice/query/cell.hpp>
#include <sluice/query/detail/member_cell.hpp>
#include <sluice/query/schema.hpp>
#include <sluice/query/where.hpp>

/// Accessors: the columns of a schema as members of a program's structs.
namespace sluice {

/// Reads the value of a column from an object. The cell views the object and the buffer, which the
/// next cell overwrites.
template <class Object>
using cell_reader = cell (*)(const Object&, const column&, cell_buffer&);

template <class Object, std::size_t Columns>
class accessors;

namespace detail {

/// The struct of a pointer to a data member, of a member function without arguments, or of a
/// function of an object.
template <class T>
struct object_of_member;
template <class Value, class Object>
struct object_of_member<Value Object::*> {
    using type = Object;
};
template <class Value, class Object>
struct object_of_member<Value (*)(const Object&)> {
    using type = Object;
};
template <class Value, class Object>
struct object_of_member<Value (*)(const Object&) noexcept> {
    using type = Object;
};

template <auto Member>
using member_object = typename object_of_member<decltype(Member)>::type;
/// The type that a member of a const object yields, which may be a reference.
template <auto Member, class Object = member_object<Member>>
using member_result = std::invoke_result_t<decltype(Member), const Object&>;

/// Without accessors of records.
struct no_records {};
inline constexpr no_records without_records{};

}  // namespace detail

/// A member by which a column is read: a data member, a member function or a function of an object.
/// Made by member().
template <auto Member, int Scale, const auto& Records>
struct column_member {
    std::string_view column{};

private:
    template <class Object, std::size_t Columns>
    friend class accessors;

    static constexpr bool has_records =
        !std::same_as<std::remove_cvref_t<decltype(Records)>, detail::no_records>;

    template <class Object>
    using value_in = typename detail::without_optional<
        std::remove_cvref_t<detail::member_result<Member, Object>>>;

    /// Stops the compilation unless a column can be read from the member.
    template <class Object>
    static constexpr void check(const sluice::column& of) noexcept {
        using value = typename value_in<Object>::type;
        if (!is_readable<value>(of)) detail::mistake(of.name, detail::member_sentence(of));
        if (value_in<Object>::is_optional && !of.is_nullable) {
            detail::mistake(of.name,
                            "the member may have no value: give the column .is_nullable = true");
        }
        if constexpr (has_records) {
            if (!(of.records == Records.columns())) {
                detail::mistake(of.name,
                                "the accessors of the records are of another schema: make them of "
                                "the column's .records");
            }
        }
    }
    template <class Value>
    static constexpr bool is_readable(const sluice::column& of) noexcept {
        if constexpr (has_records) return of.type == column_type::records;
        if constexpr (Scale != 0) {
            static_assert(detail::member_integer<Value>,
                          "a scale is that of an integer: leave it out, or give the member such a "
                          "type");
            static_assert(Scale > 0 && Scale <= scaled_number::scale_max,
                          "a scale is the number of digits after the point: give one from 0 to 18");
            return of.type == column_type::decimal && !of.is_list;
        }
        column_types types = 0;
        if constexpr (detail::member_list<Value>) {
            using item = std::remove_cvref_t<decltype(*std::begin(std::declval<const Value&>()))>;
            types = of.is_list ? detail::types_of_items<item>() : column_types(0);
        } else {
            types = of.is_list ? column_types(0) : detail::types_of_value<Value>();
        }
        return (types & set_of(of.type)) != 0;
    }

    template <class Object>
    static cell read(const Object& object, const sluice::column& of, cell_buffer& buffer) {
        using result = detail::member_result<Member, Object>;
        if constexpr (std::same_as<result, std::string>) {
            buffer.text = std::invoke(Member, object);
            return read_value(buffer.text, of, buffer);
        } else {
            static_assert(
                std::is_lvalue_reference_v<result> || std::is_trivially_copyable_v<result>,
                "the cell views the value: return a reference to it, a view, or a "
                "std::string");
            return read_value(std::invoke(Member, object), of, buffer);
        }
    }
    /// Returns true if any of the records meets a condition.
    template <class Value>
    static bool any(const Value& records, const where& wanted) {
        for (const auto& record : records) {
            if (wanted.matches(Records.cells(record))) return true;
        }
        return false;
    }
    template <class Value>
    static cell read_value(const std::optional<Value>& value, const sluice::column& of,
                           cell_buffer& buffer) {
        if (!value) return std::monostate();
        return read_value(*value, of, buffer);
    }
    template <class Value>
    static cell read_value(const Value& value, const sluice::column& of, cell_buffer& buffer) {
        if constexpr (has_records && std::is_trivially_copyable_v<Value>) {
            // The lookup outlives a view that a function returned.
            return record_lookup([value](const where& wanted) { return any(value, wanted); });
        } else if constexpr (has_records) {
            return record_lookup([&value](const where& wanted) { return any(value, wanted); });
        } else if constexpr (Scale != 0) {
            return scaled_number{static_cast<std::int64_t>(value), Scale};
        } else if constexpr (detail::member_list<Value>) {
            return detail::list_cell(value, of, buffer);
        } else {
            return detail::value_cell{of, buffer}(value);
        }
    }
};

/// Reads a column of the schema from a member of a struct: a data member, a member function or a
/// function of a const object. The member's type has the column's values, or is an optional of it;
/// `Scale` is that of a decimal in an integer.
///
/// ```
/// sluice::member<&item::name>("name")
/// sluice::member<&item::cents, 2>("price")   // 1999 is 19.99
/// ```
///
/// NaN, texts outside of a column's choices and texts that aren't decimals count as missing values.
/// Times are floored to milliseconds. An enumerator is the place of a choice, from 0.
template <auto Member, int Scale = 0>
[[nodiscard]] constexpr auto member(std::string_view column) noexcept {
    return column_member<Member, Scale, detail::without_records>{column};
}
/// Like member(), for a column of records: a container of structs with their accessors.
///
/// ```
/// sluice::member<&order::lines, line_accessors>("lines")
/// ```
template <auto Member, const auto& Records>
[[nodiscard]] constexpr auto member(std::string_view column) noexcept {
    return column_member<Member, 0, Records>{column};
}

/// The columns of a schema as members of a struct; see accessors_of(). Views the schema.
template <class Object, std::size_t Columns>
class accessors {
public:
    template <class... Members>
    explicit consteval accessors(const schema<Columns>& columns, const Members&... members)
        : columns_(columns) {
        (add(members), ...);
        for (std::size_t at = 0; at < Columns; ++at) {
            if (readers_[at] == nullptr) {
                detail::mistake(columns_.begin()[at].name,
                                "no member has the values of this column: add a sluice::member");
            }
        }
    }

    [[nodiscard]] constexpr record_columns columns() const noexcept { return columns_; }
    /// Returns the place of a column of this name and type; the number of columns if there is none.
    [[nodiscard]] constexpr std::size_t find(const column& wanted) const noexcept {
        const auto is_wanted = [&](const column& known) {
            return detail::equal_bytes(known.name, wanted.name) && known.type == wanted.type &&
                   known.is_list == wanted.is_list;
        };
        return static_cast<std::size_t>(std::find_if(columns_.begin(), columns_.end(), is_wanted) -
                                        columns_.begin());
    }
    /// Returns the reader of the column at a place.
    [[nodiscard]] constexpr cell_reader<Object> reader(std::size_t place) const noexcept {
        return readers_[place];
    }
    /// Returns a function of an object's cells, for where::matches(). Views both; a cell views the
    /// function until its next call. A column that the schema lacks is missing.
    ///
    /// ```
    /// if (query.matches(by.cells(item))) ...
    /// ```
    [[nodiscard]] auto cells(const Object& object) const {
        return [this, &object, buffer = cell_buffer()](const column& wanted) mutable -> cell {
            const std::size_t place = find(wanted);
            if (place == Columns) return std::monostate();
            return readers_[place](object, columns_.begin()[place], buffer);
        };
    }

private:
    template <auto Member, int Scale, const auto& Records>
    constexpr void add(const column_member<Member, Scale, Records>& added) {
        using member_type = column_member<Member, Scale, Records>;
        const auto has_name = [&](const column& known) { return known.name == added.column; };
        const auto* const match = std::find_if(columns_.begin(), columns_.end(), has_name);
        if (match == columns_.end()) {
            detail::mistake(added.column,
                            "the schema has no column of this name: correct the member's, or add "
                            "the column");
        }
        cell_reader<Object>& reader = readers_[static_cast<std::size_t>(match - columns_.begin())];
        if (reader != nullptr) {
            detail::mistake(added.column, "two members are of the same column: leave one out");
        }
        member_type::template check<Object>(*match);
        reader = member_type::template read<Object>;
    }

    record_columns columns_;
    std::array<cell_reader<Object>, Columns> readers_{};
};

/// Returns the accessors of a struct: a member() for each column of a schema.
///
/// ```
/// constexpr auto item_accessors = sluice::accessors_of<item>(
///     columns, sluice::member<&item::id>("id"), sluice::member<&item::cents, 2>("price"));
/// ```
///
/// It doesn't compile if a column has no member or two, a member's type has no values of its
/// column, or the member may be empty but the column isn't nullable.
template <class Object, std::size_t Columns, class... Members>
[[nodiscard]] consteval accessors<Object, Columns> accessors_of(const schema<Columns>& columns,
                                                                const Members&... members) {
    return accessors<Object, Columns>(columns, members...);
}

}  // namespace sluice

#endif
