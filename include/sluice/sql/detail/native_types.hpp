// SPDX-License-Identifier: MIT
#ifndef SLUICE_SQL_DETAIL_NATIVE_TYPES_HPP
#define SLUICE_SQL_DETAIL_NATIVE_TYPES_HPP

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/base/ascii.hpp>
#include <sluice/errors/error.hpp>
#include <sluice/query/bounds.hpp>
#include <sluice/query/list_query.hpp>
#include <sluice/query/schema.hpp>
#include <sluice/sql/detail/text_writer.hpp>
#include <sluice/sql/statement.hpp>
#include <sluice/time/instant.hpp>

/// Native types: times as databases store them, and parameters of these types.
namespace sluice::sql::detail {

/// The form of an instant as a parameter.
enum class time_form : unsigned char {
    seconds,  // since 1970, rounded up
    zoned,    // 2026-08-21T02:30:15.123Z
    local,    // 2026-08-21 02:30:15.123 in UTC, without zeros at its end
};

constexpr instant first_of_year(int year) noexcept {
    return std::chrono::sys_days{std::chrono::year{year} / 1 / 1};
}

/// A type of columns that ddl() doesn't use. A parameter is cast to it, never the column, so that
/// an index of the column serves. In the fragments `%1` stands for the operand.
struct native_type {
    std::optional<dialect> of;  // nullopt for each
    std::string_view name;
    column_type type;
    std::string_view parameter;  // the value of a text or number
    std::string_view key;        // a column's value as a cursor's key
    time_form form = time_form::zoned;
    std::size_t digits = 9;  // of fractions of a second, at most
    // Instants that parameters can have; the columns have none before or after them.
    instant earliest = first_of_year(1), end = first_of_year(10'000);
};

inline constexpr auto native_types = std::to_array<native_type>({
    {std::nullopt, "seconds", column_type::time, "%1", "%1 * 1000", time_form::seconds},
    {std::nullopt, "bytewise", column_type::text, "%1", "%1"},
    {dialect::sqlite, "rfc3339", column_type::time, "%1", "%1", time_form::zoned, 3},
    {dialect::sqlite, "datetime", column_type::time, "%1", "%1", time_form::local},
    {dialect::duckdb, "timestamptz", column_type::time, "%1::TIMESTAMPTZ",
     "strftime(%1 AT TIME ZONE 'UTC', '%%Y-%%m-%%dT%%H:%%M:%%S.%%fZ')"},
    {dialect::duckdb, "timestamp", column_type::time, "%1::TIMESTAMP",
     "strftime(%1, '%%Y-%%m-%%dT%%H:%%M:%%S.%%fZ')"},
    // Infinity has no form in to_char().
    {dialect::postgresql, "timestamptz", column_type::time, "%1::timestamptz",
     "coalesce(to_char(%1 AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'), %1::text)"},
    {dialect::postgresql, "timestamp", column_type::time, "%1::timestamp",
     "coalesce(to_char(%1, 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'), %1::text)"},
    {dialect::clickhouse, "datetime64", column_type::time,
     "parseDateTime64BestEffort(%1, 6, 'UTC')",
     "concat(replaceOne(toString(toDateTime64(%1, 9, 'UTC')), ' ', 'T'), 'Z')", time_form::zoned, 6,
     first_of_year(1900), first_of_year(2299)},
    {dialect::mariadb, "datetime", column_type::time, "CAST(%1 AS DATETIME(6))",
     "DATE_FORMAT(%1, '%%Y-%%m-%%dT%%H:%%i:%%s.%%fZ')", time_form::local, 6},
    {dialect::mariadb, "timestamp", column_type::time, "CAST(%1 AS DATETIME(6))",
     "DATE_FORMAT(%1, '%%Y-%%m-%%dT%%H:%%i:%%s.%%fZ')", time_form::local, 6},
});

/// Finds a type by its name in any case, without a precision such as `(6)`; nullptr if columns of a
/// schema's type can't have it in the dialect.
[[nodiscard]] inline const native_type* find_native_type(std::string_view name, column_type type,
                                                         dialect of) {
    const std::string lower = sluice::detail::to_lower(name.substr(0, name.find('(')));
    const auto place = std::ranges::find_if(native_types, [&](const native_type& entry) {
        return entry.name == lower && entry.type == type && entry.of.value_or(of) == of;
    });
    return place == native_types.end() ? nullptr : &*place;
}

/// Returns the names of the types that columns of a schema's type can have, separated by commas.
[[nodiscard]] inline std::string native_type_names(column_type type, dialect of) {
    std::string names;
    for (const native_type& entry : native_types) {
        if (entry.type != type || entry.of.value_or(of) != of) continue;
        names.append(names.empty() ? "" : ", ").append(entry.name);
    }
    return names;
}

/// A point in time that may have more digits than an instant.
struct precise_time {
    instant at{};
    std::string_view digits{};  // after the milliseconds, without zeros at the end
};

/// Parses a cursor's key, or a text of a database that may lack the zone, which is UTC then.
[[nodiscard]] inline result<precise_time> parse_precise_time(std::string_view text) {
    auto milliseconds = parse_time_key(text);
    if (!milliseconds) milliseconds = parse_time_key(std::string(text) + "Z");
    if (!milliseconds) return tl::unexpected<error>(milliseconds.error());
    std::string_view digits;
    const std::size_t point = text.find('.');
    if (text.find(':') != text.npos && point != text.npos) {
        digits = text.substr(point + 1);
        digits = digits.substr(0, digits.find_first_not_of("0123456789"));
        digits.remove_prefix(std::min<std::size_t>(digits.size(), 3));
        digits = digits.substr(0, digits.find_last_not_of('0') + 1);
    }
    return precise_time{instant{std::chrono::milliseconds{*milliseconds}}, digits};
}

/// Returns `2026-08-21T02:30:15.123456Z`, with at least three digits.
[[nodiscard]] inline std::string to_zoned_text(const precise_time& time,
                                               std::size_t most_digits = 9) {
    std::string text = format_timestamp(time.at);
    text.pop_back();
    return text.append(time.digits.substr(0, most_digits - 3)).append("Z");
}
/// Returns `2026-08-21 02:30:15.123456`, of which a text with more zeros is no less.
[[nodiscard]] inline std::string to_local_text(const precise_time& time, std::size_t most_digits) {
    std::string text = to_zoned_text(time, most_digits);
    text.pop_back();
    text[text.find('T')] = ' ';
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text;
}

/// Binds a time as a native type.
[[nodiscard]] inline std::string bind_native(const precise_time& time, const native_type& type,
                                             parameters& bound) {
    switch (type.form) {
        case time_form::seconds: {
            const auto whole = std::chrono::ceil<std::chrono::seconds>(time.at);
            return fill(type.parameter,
                        {bound.add(std::int64_t{whole.time_since_epoch().count()})});
        }
        case time_form::zoned:
            return fill(type.parameter, {bound.add(to_zoned_text(time, type.digits))});
        case time_form::local: break;
    }
    return fill(type.parameter, {bound.add(to_local_text(time, type.digits))});
}

/// Returns the next millisecond if `is_next`, or the same.
[[nodiscard]] constexpr instant moved(instant at, bool is_next) noexcept {
    return is_next && at < instant::max() ? at + std::chrono::milliseconds{1} : at;
}
/// Returns tests that a column, which may have more digits than an instant, lies within bounds:
/// rows up to the next millisecond are at a bound.
[[nodiscard]] inline std::vector<std::string> tests_within(const std::string& column,
                                                           const bounds<instant>& range,
                                                           const native_type& type,
                                                           parameters& bound) {
    const instant first = range.least ? moved(*range.least, range.excludes_least) : type.earliest;
    const instant end = range.most ? moved(*range.most, !range.excludes_most) : type.end;
    if (first >= type.end || end <= type.earliest) return {"FALSE"};
    std::vector<std::string> tests;
    if (first > type.earliest) {
        tests.push_back(column + " >= " + bind_native({first}, type, bound));
    }
    if (end < type.end) tests.push_back(column + " < " + bind_native({end}, type, bound));
    return tests;
}

}  // namespace sluice::sql::detail

#endif
