// SPDX-License-Identifier: MIT
#ifndef SLUICE_REFERENCE_RECORDS_FIELDS_HPP
#define SLUICE_REFERENCE_RECORDS_FIELDS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include <sluice/time/instant.hpp>

// A record declares each field once, with the member and all its properties. The reader, the
// writer, the event tables (their columns, and the JSON that they write in advance) and the OpenAPI
// document iterate over these declarations and name no field themselves.
//
// ```
// struct click {
//     SLUICE_RECORD(click);
//     SLUICE_FIELD(country, text, "country", required | repeated, "ISO 3166-1 alpha-2 code");
//     //           member   kind  name       uses                 description
//     SLUICE_RECORD_END;
// };
// for_each_row<click>([](const auto& row) { print(row.name, row.help); });
// ```
//
// A declaration adds an overload of row() whose parameter type is numbered by its source line. The
// list `rows` of a record consists of the overloads for the lines from SLUICE_RECORD to
// SLUICE_RECORD_END, so that a line can begin one field only.

/// Begins the fields of a record.
#define SLUICE_RECORD(type) \
    using record = type;    \
    static constexpr int first_line = __LINE__

/// Declares a field of a record: its member, one of `kinds`, its name in JSON, a combination of
/// `field_use` and its description.
#define SLUICE_FIELD(member, kind, name, uses, help)                                             \
    static constexpr auto row(::sluice::reference::detail::source_line<__LINE__>) noexcept {     \
        using enum ::sluice::reference::field_use;                                               \
        return ::sluice::reference::field_row<&record::member, kinds::kind>{{name, uses, help}}; \
    }                                                                                            \
    kinds::kind::value member = kinds::kind::initial

/// Declares a field that is only written, with the value `derive(record, workspace_id)`.
#define SLUICE_DERIVED_FIELD(kind, name, derive, help)                                       \
    static constexpr auto row(::sluice::reference::detail::source_line<__LINE__>) noexcept { \
        return ::sluice::reference::derived_row<&derive, kinds::kind>{                       \
            {name, ::sluice::reference::field_use::none, help}};                             \
    }                                                                                        \
    static_assert(true)

/// Ends the fields of a record.
#define SLUICE_RECORD_END static constexpr int last_line = __LINE__

namespace sluice::reference {

/// Uses of a field besides writing it.
enum class field_use : std::uint8_t {
    none = 0,
    required = 1,    ///< stored records must have it
    hidden = 2,      ///< stored, but left out of answers
    repeated = 4,    ///< event column with few distinct texts, whose JSON is written in advance
    recurring = 8,   ///< event column with many texts that occur repeatedly
    distinct = 16,   ///< event column of mostly distinct texts
    inherited = 32,  ///< event column taken from the click's URL, or else from its link
    indexed = 64,    ///< filters look links up by it
};

[[nodiscard]] constexpr field_use operator|(field_use a, field_use b) noexcept {
    return static_cast<field_use>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

/// Presence of a field in written records: always with a value, possibly null, or possibly left
/// out.
enum class presence : std::uint8_t { required, nullable, optional };

/// Kinds of fields. A kind defines the type of the member (`value`), its value if a record lacks
/// the field (`initial`), its presence (`is`) and its JSON type (`type`): a type of JSON Schema,
/// `any` for any JSON, or a schema of the OpenAPI document, such as `Tag`. `[]` after it is a list,
/// `{}` an object of such members, `?` a value that may be null.
namespace kinds {

using text_view = std::string_view;

template <class Value, presence Presence = presence::required>
struct kind {
    using value = Value;
    static constexpr Value initial{};
    static constexpr presence is = Presence;
    static constexpr std::span<const text_view> choices{};  ///< the allowed texts; empty: any
};
template <class Value>
using nullable = kind<std::optional<Value>, presence::nullable>;

struct text : kind<text_view> {
    static constexpr std::string_view type = "string";
};
struct nullable_text : nullable<text_view> {
    static constexpr std::string_view type = "string";
};
/// A text that may be missing or null, and is then empty.
struct text_or_none : text {};

struct time : kind<instant> {
    static constexpr std::string_view type = "string";
};
/// A time that is "" if it is unset.
struct optional_time : kind<std::optional<instant>> {
    static constexpr std::string_view type = "string";
};

struct flag : kind<bool> {
    static constexpr std::string_view type = "boolean";
};
struct integer : kind<std::int64_t> {
    static constexpr std::string_view type = "integer";
};
struct nullable_integer : nullable<std::int64_t> {
    static constexpr std::string_view type = "integer";
};
/// A whole number of at least 0.
struct count : integer {};
struct number : kind<double> {
    static constexpr std::string_view type = "number";
};
/// A share of the traffic of a test; see check_variant_percentage().
struct percentage : number {};

/// A text that is written in lower case.
struct lower_text : text {};

/// One of a fixed set of texts, or null.
template <const auto& Choices>
struct choice : nullable_text {
    static constexpr std::span<const text_view> choices = Choices;
};
/// One of a fixed set of texts. The first one if it is missing or null.
template <const auto& Choices>
struct choice_or_first : text {
    static constexpr text_view initial = Choices[0];
    static constexpr std::span<const text_view> choices = Choices;
};
/// Like choice, but left out instead of null.
template <const auto& Choices>
struct optional_choice : choice<Choices> {
    static constexpr presence is = presence::optional;
};

/// Any JSON value, minified.
struct json : kind<text_view> {
    static constexpr text_view initial = "null";
    static constexpr std::string_view type = "any";
};
/// A JSON object of texts, minified.
struct text_map : nullable<text_view> {
    static constexpr std::string_view type = "string{}";
};

// A record has at most one field of each of these list kinds: the reader has one buffer for each.
struct text_list : kind<std::span<const text_view>> {
    static constexpr std::string_view type = "string[]";
};
/// A list that is empty if it is null.
struct text_list_or_none : text_list {};

}  // namespace kinds

/// The properties of a field besides its kind.
struct field_row_base {
    std::string_view name;
    field_use uses;
    std::string_view help;

    /// Returns true if the field has any of the uses.
    [[nodiscard]] constexpr bool has(field_use any) const noexcept {
        return (static_cast<unsigned>(uses) & static_cast<unsigned>(any)) != 0;
    }
};

/// A field that is stored in a member.
template <auto Member, class Kind>
struct field_row : field_row_base {
    using kind = Kind;
    static constexpr auto member = Member;
};

/// A field that is derived from the record and its workspace.
template <auto Derive, class Kind>
struct derived_row : field_row_base {
    using kind = Kind;
    static constexpr auto derive = Derive;
};

/// A row of a field that is stored in a member, so not derived.
template <class Row>
concept stored_row = requires { Row::member; };

namespace detail {

template <int Line>
struct source_line {};

template <class Record, int Line>
concept has_row = requires { Record::row(source_line<Line>{}); };

/// The source lines that declare fields, of the lines from a record's first one on.
template <class Record, int... Index>
consteval auto lines_with_rows(std::integer_sequence<int, Index...>) noexcept {
    constexpr std::size_t count = (std::size_t{has_row<Record, Record::first_line + Index>} + ...);
    std::array<int, count> lines{};
    std::size_t next = 0;
    ((has_row<Record, Record::first_line + Index>
          ? static_cast<void>(lines[next++] = Record::first_line + Index)
          : static_cast<void>(0)),
     ...);
    return lines;
}

/// The source lines of a record's fields, in order.
template <class Record>
inline constexpr auto row_lines = lines_with_rows<Record>(
    std::make_integer_sequence<int, Record::last_line - Record::first_line>());

template <class Record, std::size_t... Index>
consteval auto make_rows(std::index_sequence<Index...>) noexcept {
    return std::tuple(Record::row(source_line<row_lines<Record>[Index]> {})...);
}

}  // namespace detail

/// The rows of a record's fields, in the order in which they are declared and written.
template <class Record>
inline constexpr auto rows =
    detail::make_rows<Record>(std::make_index_sequence<detail::row_lines<Record>.size()>());

/// Calls `visit(row)` for each field of a record, in their order.
template <class Record, class Visit>
constexpr void for_each_row(Visit visit) {
    std::apply([&](const auto&... row) { (visit(row), ...); }, rows<Record>);
}

}  // namespace sluice::reference

#endif
