// SPDX-License-Identifier: MIT
#ifndef SLUICE_QUERY_COLUMN_TEST_HPP
#define SLUICE_QUERY_COLUMN_TEST_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/base/ascii.hpp>
#include <sluice/base/visit.hpp>
#include <sluice/filters/filter.hpp>
#include <sluice/metadata/query.hpp>
#include <sluice/query/bounds.hpp>
#include <sluice/query/schema.hpp>
#include <sluice/time/day.hpp>
#include <sluice/time/instant.hpp>

/// The tests of conditions, and the types of columns for each.
namespace sluice {

struct leaf;
template <class Leaf>
class basic_where;
using where = basic_where<leaf>;

/// A test in a where: a text equals any of some texts under the column's collation, or none of
/// them. A list column shares any or none; integers and days are compared by their texts. An
/// exclusion also takes rows without a value.
struct text_test {
    filter wanted{};
    friend bool operator==(const text_test&, const text_test&) = default;
};

/// A test in a where: a list has every one of some texts, which are compared as in a text_test.
/// Without texts, every list that isn't null meets it.
struct all_of_test {
    std::vector<std::string> wanted{};
    friend bool operator==(const all_of_test&, const all_of_test&) = default;
};

/// The place of a part in a text.
enum class part_place : std::uint8_t { anywhere, at_start, at_end };

/// A test in a where: a text has any of some parts at a place, or a text of a list has. If the
/// column's collation ignores ASCII case, so does the test. No character is a wildcard, and every
/// text contains the empty part.
struct part_test {
    part_place place = part_place::anywhere;
    std::vector<std::string> parts{};
    friend bool operator==(const part_test&, const part_test&) = default;

    /// Returns true if a text has any of the parts.
    [[nodiscard]] bool is_met_by(std::string_view text, collation how) const noexcept {
        const bool ignores_case = record_of(how).ignores_case;
        for (const std::string_view part : parts) {
            if (has_part(text, part, ignores_case)) return true;
        }
        return false;
    }

private:
    [[nodiscard]] bool has_part(std::string_view text, std::string_view part,
                                bool ignores_case) const noexcept {
        if (part.size() > text.size()) return false;
        const std::size_t last = text.size() - part.size();
        const std::size_t first = place == part_place::at_end ? last : 0;
        const std::size_t end = place == part_place::at_start ? 0 : last;
        if (!ignores_case && place == part_place::anywhere) return text.find(part) != text.npos;
        for (std::size_t at = first; at <= end; ++at) {
            const std::string_view here = text.substr(at, part.size());
            if (ignores_case ? detail::equal_ignoring_case(here, part) : here == part) return true;
        }
        return false;
    }
};

/// A test in a where: a boolean column is true, or false.
struct boolean_test {
    bool wanted = true;
    friend bool operator==(const boolean_test&, const boolean_test&) = default;
};

/// A test in a where: a row has no value in the column, or has one. An empty list is a value.
struct null_test {
    bool wanted = true;  ///< no value
    friend bool operator==(const null_test&, const null_test&) = default;
};

/// A test in a where: at least one record of the row meets a condition on the records' columns.
template <class Leaf>
class basic_record_test {
public:
    explicit basic_record_test(basic_where<Leaf> wanted) : wanted_() {
        wanted_.push_back(std::move(wanted));
    }

    /// Returns the condition. Expects that it hasn't been moved away.
    [[nodiscard]] const basic_where<Leaf>& wanted() const noexcept { return wanted_.front(); }

    friend bool operator==(const basic_record_test& a, const basic_record_test& b) {
        return a.wanted_ == b.wanted_;
    }

private:
    std::vector<basic_where<Leaf>> wanted_;  // one; a vector as `leaf` isn't complete here
};
/// A record_test of a list query.
using record_test = basic_record_test<leaf>;

/// The test of a condition. Each is two-valued: absent and null values meet no test but an
/// exclusion and a null_test. Bounds of texts compare bytes, and of a choice the places of its
/// texts. A metadata_query is itself an expression, over paths of a JSON column.
using column_test =
    std::variant<text_test, bounds<std::int64_t>, bounds<decimal_number>, bounds<instant>,
                 boolean_test, metadata_query, all_of_test, part_test, bounds<std::string>,
                 bounds<double>, bounds<calendar_day>, null_test, record_test>;

/// The kind of a test: its members in a query's JSON, and a line of test_records.
enum class test_kind : std::uint8_t {
    any_of,
    none_of,
    all_of,
    contains,
    starts_with,
    ends_with,
    bounds,
    is,
    any,
    matches,
    is_null,
};
inline constexpr std::size_t test_kind_count = 11;

/// The collations under which a column of texts can have a test.
enum class tested_collations : std::uint8_t {
    all,
    whole,  ///< those that compare whole texts
    exact,
};

/// The meaning of a kind of test. The reader of JSON, parameter tables, OpenAPI, engines and
/// bindings derive from it.
struct test_record {
    test_kind kind;
    std::string_view name;                             ///< in messages
    std::span<const std::string_view> members;         ///< in JSON, in the order of messages
    std::string_view help;                             ///< the rows that meet it, for documentation
    column_types on = 0;                               ///< types of columns that aren't lists
    column_types on_lists = 0;                         ///< types of the items of lists
    tested_collations under = tested_collations::all;  ///< of columns of texts
    bool needs_nullable = false;                       ///< of columns that aren't lists or records
    std::string_view refused{};                        ///< the advice of an engine without it
};

namespace detail {

inline constexpr std::array<std::string_view, 1> any_of_members{"any_of"},
    none_of_members{"none_of"}, all_of_members{"all_of"}, contains_members{"contains"},
    starts_with_members{"starts_with"}, ends_with_members{"ends_with"}, is_members{"is"},
    is_null_members{"is_null"}, any_members{"any"}, matches_members{"matches"};
inline constexpr std::array<std::string_view, 4> bounds_members{"gt", "gte", "lt", "lte"};

inline constexpr column_types named_types =
    set_of(column_type::text, column_type::choice, column_type::uuid, column_type::integer,
           column_type::date);
inline constexpr column_types listed_types =
    set_of(column_type::text, column_type::choice, column_type::uuid, column_type::integer);
inline constexpr column_types ordered_types =
    set_of(column_type::integer, column_type::decimal, column_type::real, column_type::time,
           column_type::date, column_type::choice, column_type::text);
inline constexpr column_types text_type = set_of(column_type::text);

}  // namespace detail

/// The records of all kinds of tests, in the order of the enumeration.
inline constexpr std::array<test_record, test_kind_count> test_records{{
    {.kind = test_kind::any_of,
     .name = "any_of",
     .members = detail::any_of_members,
     .help = "the value is any of the texts; a list has any of them",
     .on = detail::named_types,
     .on_lists = detail::listed_types,
     .refused = "leave any_of of this column out: the engine has no such test"},
    {.kind = test_kind::none_of,
     .name = "none_of",
     .members = detail::none_of_members,
     .help = "the value is none of the texts, or missing; a list has none of them",
     .on = detail::named_types,
     .on_lists = detail::listed_types,
     .refused = "leave none_of of this column out: the engine has no such test"},
    {.kind = test_kind::all_of,
     .name = "all_of",
     .members = detail::all_of_members,
     .help = "the list has every one of the texts",
     .on_lists = detail::listed_types,
     .refused = "leave all_of of this column out: the engine has no such test"},
    {.kind = test_kind::contains,
     .name = "contains",
     .members = detail::contains_members,
     .help = "any of the texts is part of the value, or of an item of a list",
     .on = detail::text_type,
     .on_lists = detail::text_type,
     .under = tested_collations::whole,
     .refused = "leave contains of this column out: the engine has no such test"},
    {.kind = test_kind::starts_with,
     .name = "starts_with",
     .members = detail::starts_with_members,
     .help = "the value, or an item of a list, starts with any of the texts",
     .on = detail::text_type,
     .on_lists = detail::text_type,
     .under = tested_collations::whole,
     .refused = "leave starts_with of this column out: the engine has no such test"},
    {.kind = test_kind::ends_with,
     .name = "ends_with",
     .members = detail::ends_with_members,
     .help = "the value, or an item of a list, ends with any of the texts",
     .on = detail::text_type,
     .on_lists = detail::text_type,
     .under = tested_collations::whole,
     .refused = "leave ends_with of this column out: the engine has no such test"},
    {.kind = test_kind::bounds,
     .name = "bounds",
     .members = detail::bounds_members,
     .help = "the value is more than, at least, less than or at most the bound; of a choice by "
             "its declared order, of a text by its bytes",
     .on = detail::ordered_types,
     .under = tested_collations::exact,
     .refused = "leave bounds of this column out: the engine has no such test"},
    {.kind = test_kind::is,
     .name = "is",
     .members = detail::is_members,
     .help = "the value is true, or false",
     .on = set_of(column_type::boolean),
     .refused = "leave is of this column out: the engine has no such test"},
    {.kind = test_kind::any,
     .name = "any",
     .members = detail::any_members,
     .help = "at least one record meets a condition on the records' columns",
     .on = set_of(column_type::records),
     .refused = "leave any of this column out: the engine has no such test"},
    {.kind = test_kind::matches,
     .name = "matches",
     .members = detail::matches_members,
     .help = "the JSON meets a metadata expression",
     .on = set_of(column_type::json),
     .refused = "leave matches of this column out: the engine has no such test"},
    {.kind = test_kind::is_null,
     .name = "is_null",
     .members = detail::is_null_members,
     .help = "there is no value, or there is one; an empty list is one",
     .on = all_column_types(),
     .on_lists = detail::listed_types,
     .needs_nullable = true,
     .refused = "leave is_null of this column out: the engine has no such test"},
}};

static_assert(
    [] {
        for (std::size_t at = 0; at < test_records.size(); ++at) {
            if (test_records[at].kind != static_cast<test_kind>(at)) return false;
        }
        return true;
    }(),
    "the records are in the order of the enumeration");

[[nodiscard]] constexpr const test_record& record_of(test_kind kind) noexcept {
    return test_records[static_cast<std::size_t>(kind)];
}
[[nodiscard]] constexpr std::string_view to_string(test_kind kind) noexcept {
    return record_of(kind).name;
}

/// Returns true if a column can have a test.
[[nodiscard]] constexpr bool allows_test(const column& subject, test_kind kind) noexcept {
    const test_record& record = record_of(kind);
    const bool may_be_missing = subject.is_nullable || subject.is_list ||
                                subject.type == column_type::records || !record.needs_nullable;
    if (!may_be_missing) return false;
    if ((set_of(subject.type) & (subject.is_list ? record.on_lists : record.on)) == 0) return false;
    if (subject.type != column_type::text || record.under == tested_collations::all) return true;
    const collation_record& how = sluice::record_of(subject.how);
    return record.under == tested_collations::whole ? !how.part : how.is_exact();
}

namespace detail {

struct kind_of_test {
    test_kind operator()(const text_test& test) const noexcept {
        return test.wanted.excludes() ? test_kind::none_of : test_kind::any_of;
    }
    test_kind operator()(const all_of_test&) const noexcept { return test_kind::all_of; }
    test_kind operator()(const part_test& test) const noexcept {
        switch (test.place) {
            case part_place::at_start: return test_kind::starts_with;
            case part_place::at_end: return test_kind::ends_with;
            case part_place::anywhere: break;
        }
        return test_kind::contains;
    }
    template <class T>
    test_kind operator()(const bounds<T>&) const noexcept {
        return test_kind::bounds;
    }
    test_kind operator()(const boolean_test&) const noexcept { return test_kind::is; }
    test_kind operator()(const null_test&) const noexcept { return test_kind::is_null; }
    test_kind operator()(const record_test&) const noexcept { return test_kind::any; }
    test_kind operator()(const metadata_query&) const noexcept { return test_kind::matches; }
};

}  // namespace detail

/// Returns the kind of a test.
[[nodiscard]] inline test_kind kind_of(const column_test& test) {
    return detail::visit_as<test_kind>(detail::kind_of_test(), test);
}

namespace detail {

/// Returns the types of columns with values that a test compares.
struct types_of_test {
    column_types operator()(const bounds<std::int64_t>&) const noexcept {
        return set_of(column_type::integer);
    }
    column_types operator()(const bounds<decimal_number>&) const noexcept {
        return set_of(column_type::decimal);
    }
    column_types operator()(const bounds<double>&) const noexcept {
        return set_of(column_type::real);
    }
    column_types operator()(const bounds<instant>&) const noexcept {
        return set_of(column_type::time);
    }
    column_types operator()(const bounds<calendar_day>&) const noexcept {
        return set_of(column_type::date);
    }
    column_types operator()(const bounds<std::string>&) const noexcept {
        return set_of(column_type::text, column_type::choice);
    }
    template <class Test>
    column_types operator()(const Test&) const noexcept {
        return all_column_types();
    }
};

}  // namespace detail

/// Returns true if a column can have a test, whose values are of its type.
[[nodiscard]] inline bool allows_test(const column& subject, const column_test& test) {
    const auto types = detail::visit_as<column_types>(detail::types_of_test(), test);
    return allows_test(subject, kind_of(test)) && (types & set_of(subject.type)) != 0;
}

}  // namespace sluice

#endif
