// SPDX-License-Identifier: MIT
#ifndef SLUICE_SQL_DETAIL_NATIVE_VALUES_HPP
#define SLUICE_SQL_DETAIL_NATIVE_VALUES_HPP

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <sluice/base/decimal.hpp>
#include <sluice/errors/error.hpp>
#include <sluice/query/bounds.hpp>
#include <sluice/query/list_query.hpp>
#include <sluice/query/uuid.hpp>
#include <sluice/sql/detail/metadata_writer.hpp>
#include <sluice/sql/detail/native_names.hpp>
#include <sluice/sql/detail/text_writer.hpp>
#include <sluice/time/day.hpp>
#include <sluice/time/instant.hpp>

/// Values as parameters of native types.
namespace sluice::sql::detail {

/// A column's native type.
struct native_column {
    const native_type* type = nullptr;  // nullptr for that of ddl()
    std::string argument{};             // of the type's name

    explicit operator bool() const noexcept { return type != nullptr; }

    /// Fills a fragment of the type.
    [[nodiscard]] std::string fill(std::string_view fragment, std::string_view operand) const {
        return detail::fill(fragment, {operand, argument});
    }
};

/// Finds the native type of a place. Error: sql_inexact.
[[nodiscard]] inline result<native_column> native_column_of(const mapped_column& place,
                                                            const column& of, dialect in) {
    const bool is_prepared = of.type != column_type::decimal || place.how == storage::prepared;
    if (place.type.empty() && is_prepared) return native_column{};
    const bool is_numeric = place.type.empty() && place.how == storage::native;
    const std::string_view name = is_numeric ? std::string_view("numeric") : place.type;
    const native_type* const type = find_native_type(name, of, in);
    if (type == nullptr && place.type.empty()) return inexact(of.name, "use prepared decimals");
    if (type == nullptr) {
        return inexact(of.name, "give its place a type that the database has for the column");
    }
    if (type->is_plain()) return native_column{};
    return native_column{type, std::string(argument_of(name))};
}

/// Returns a place with the storage of its native type, and its values as conditions read them.
[[nodiscard]] inline mapped_column opened_as(mapped_column place, const native_column& native) {
    if (!native) return place;
    if (native.type->how) place.how = *native.type->how;
    if (!native.type->opened.empty())
        place.expression = native.fill(native.type->opened, place.expression);
    return place;
}

/// Returns true if a place is a JSON column of the database, which may be NULL, and not a pair of
/// prepared maps.
[[nodiscard]] inline bool has_raw_json(const mapped_column& place, dialect in) {
    const column json{.name = place.name, .type = column_type::json};
    if (place.type.empty()) return place.how != storage::prepared;
    const native_type* const type = find_native_type(place.type, json, in);
    return type != nullptr && type->how;
}
/// Returns the tests that statements of a mapping answer.
[[nodiscard]] inline test_set answered_tests_of(const mapping& columns, dialect of) {
    const bool is_any_raw = std::ranges::any_of(
        columns.columns, [&](const mapped_column& place) { return has_raw_json(place, of); });
    const test_set& answered = answered_tests(of);
    return is_any_raw ? answered.with(test_kind::is_null, set_of(column_type::json)) : answered;
}

// --- Times -----------------------------------------------------------------------------------

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
/// Returns `2026-08-21 02:30:15.123456`, without zeros at its end: the least text of this time, in
/// the order of texts.
[[nodiscard]] inline std::string to_local_text(const precise_time& time, std::size_t most_digits) {
    std::string text = to_zoned_text(time, most_digits);
    text.pop_back();
    text[text.find('T')] = ' ';
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text;
}

/// Returns true for times that are compared as texts. Texts of the same time with more zeros at the
/// end come after the one that to_local_text() returns.
[[nodiscard]] inline bool compares_time_texts(const native_type& type) noexcept {
    return type.form == time_form::local && type.parameter == "%1";
}
/// Returns a text after all texts of a time that to_local_text() returned.
[[nodiscard]] inline std::string after_time_text(std::string time) {
    const bool has_fraction = time.find('.') != time.npos;
    return time.append(has_fraction ? "" : ".").append("0000000001");
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

// --- Numbers ---------------------------------------------------------------------------------

/// A bound as a column of a native type can have it.
struct native_bound {
    int beyond = 0;  // -1 for one below all values of the type, 1 for one above them
    value wanted{};
};

/// The numbers of digits that a type of decimals has room for.
struct digit_room {
    std::int64_t whole = 0, fraction = 0;
};
[[nodiscard]] inline digit_room room_of(const native_column& column) {
    constexpr digit_room numeric{131'072, 16'383};  // PostgreSQL's
    constexpr std::int64_t digits_of_integer = 19;
    const auto digits = digits_of_argument(column.argument, most_type_digits);
    switch (column.type->argument) {
        case type_argument::precision: return {(*digits)[0] - (*digits)[1], (*digits)[1]};
        case type_argument::scale: return {digits_of_integer - (*digits)[0], (*digits)[0]};
        case type_argument::ignored:
        case type_argument::name: break;
    }
    return numeric;
}

/// A decimal as a column can have it: digits * 10^exponent.
struct native_decimal {
    int beyond = 0;  // as for native_bound
    bool is_rounded = false;
    bool is_negative = false;
    std::string digits = "0";
    std::int64_t exponent = 0;

    [[nodiscard]] std::string text() const {
        return (is_negative ? "-" : "") + digits + "e" + std::to_string(exponent);
    }
    /// Returns a text without an exponent. Expects a number of few digits.
    [[nodiscard]] std::string plain_text() const {
        std::string text = digits;
        const auto places = static_cast<std::size_t>(std::abs(exponent));
        if (exponent >= 0) {
            text.append(digits == "0" ? 0 : places, '0');
        } else {
            text.insert(0, text.size() > places ? 0 : places + 1 - text.size(), '0');
            text.insert(text.size() - places, ".");
        }
        return (is_negative ? "-" : "") + text;
    }
    /// Returns the number of units of 10^-scale; nullopt if it exceeds 64 bits.
    [[nodiscard]] std::optional<std::int64_t> scaled(std::int64_t scale) const {
        native_decimal whole = *this;
        whole.exponent += scale;
        const auto read = parse_int64(whole.text());
        return read ? std::optional(*read) : std::nullopt;
    }
};

/// Rounds a JSON number up or down to one that a column can have.
[[nodiscard]] inline native_decimal round_decimal(std::string_view number, const digit_room& room,
                                                  bool up) {
    const auto read = sluice::detail::parse_decimal(number);
    if (!read || read->digit_count() == 0) return {};
    const auto count = static_cast<std::int64_t>(read->digit_count());
    const std::int64_t whole = count_whole_digits(*read);
    native_decimal rounded{.is_negative = read->negative, .digits = digits_of(*read)};
    rounded.exponent = whole - count;
    if (whole > room.whole) {
        rounded.beyond = read->negative ? -1 : 1;
    } else if (count - whole > room.fraction) {
        rounded.is_rounded = true;
        rounded.exponent = -room.fraction;
        const std::int64_t left = std::max<std::int64_t>(whole + room.fraction, 0);
        rounded.digits.resize(static_cast<std::size_t>(left));
        if (up != read->negative) {  // away from zero
            rounded.digits = add_to_digits("0" + rounded.digits, 1);
        } else if (rounded.digits.empty()) {
            rounded.digits = "0";
        }
        const auto digits = static_cast<std::int64_t>(rounded.digits.size());
        if (digits > room.whole + room.fraction) rounded.beyond = read->negative ? -1 : 1;
    }
    return rounded;
}

// --- Values ----------------------------------------------------------------------------------

/// Binds values of a column of a native type.
class native_binder {
public:
    native_binder(const column& of, const native_column& native, parameters& bound)
        : of_(of), native_(native), bound_(bound) {}

    /// Binds values, except those that no row can have.
    [[nodiscard]] std::string list(filter_values values) const {
        if (of_.type == column_type::integer) {
            return native_.fill(native_.type->parameters, bound_.add(held_numbers(values)));
        }
        return bound_.add_as(native_.type->parameters, native_.type->parameter, native_.argument,
                             texts_of(values));
    }
    /// Binds the first of some values that a row can have; NULL if there is none.
    [[nodiscard]] std::string first(filter_values values) const {
        const auto texts = texts_of(values);
        return bound_.add_as(native_.type->parameter, native_.argument,
                             texts.empty() ? value() : value(texts.front()));
    }
    /// Binds a text of a database, or a cursor's key; nullopt if no row can have it.
    [[nodiscard]] std::optional<std::string> key(std::string_view text) const {
        if (of_.type == column_type::decimal) {
            const std::string_view special = special_of_key(text);
            if (native_.type->has_special && !special.empty()) {
                return bound_.add_as(native_.type->parameter, native_.argument,
                                     std::string(special));
            }
            const auto rounded = round_decimal(text, room_of(native_), true);
            const native_bound exact = bound_of(rounded);
            const bool is_held = exact.beyond == 0 && !rounded.is_rounded;
            return is_held ? std::optional(add(exact)) : std::nullopt;
        }
        auto read = text_of(text);
        if (!read) return std::nullopt;
        return bound_.add_as(native_.type->parameter, native_.argument, *std::move(read));
    }
    /// Binds a bound that isn't beyond all values.
    [[nodiscard]] std::string add(const native_bound& bound) const {
        if (const auto* const number = std::get_if<std::int64_t>(&bound.wanted)) {
            return native_.fill(native_.type->parameter, bound_.add(*number));
        }
        return bound_.add_as(native_.type->parameter, native_.argument, bound.wanted);
    }
    /// Returns a bound, a decimal rounded up or down to one that a row can have.
    [[nodiscard]] native_bound bound_of(const decimal_number& number, bool up) const {
        return bound_of(round_decimal(number.text(), room_of(native_), up));
    }
    [[nodiscard]] native_bound bound_of(calendar_day day, bool) const {
        if (day < first_day()) return {-1, {}};
        if (day >= end_day()) return {1, {}};
        return {0, format_day(day)};
    }

private:
    [[nodiscard]] native_bound bound_of(const native_decimal& rounded) const {
        if (rounded.beyond != 0) return {rounded.beyond, {}};
        switch (native_.type->argument) {
            case type_argument::precision: return {0, rounded.plain_text()};
            case type_argument::scale: {
                const auto scaled = rounded.scaled(room_of(native_).fraction);
                if (!scaled) return {rounded.is_negative ? -1 : 1, {}};
                return {0, *scaled};
            }
            case type_argument::ignored:
            case type_argument::name: break;
        }
        return {0, rounded.text()};
    }
    /// Returns a value as the database reads it; nullopt if no row can have it.
    [[nodiscard]] std::optional<std::string> text_of(std::string_view value) const {
        switch (of_.type) {
            case column_type::uuid: {
                const auto id = parse_uuid(value);
                return id ? std::optional(id->text()) : std::nullopt;
            }
            case column_type::date: {
                const auto day = parse_day(value);
                const bool is_held = day && *day >= first_day() && *day < end_day();
                return is_held ? std::optional(format_day(*day)) : std::nullopt;
            }
            case column_type::choice: {
                const bool is_choice = place_of_choice(of_, value) < of_.choices.size();
                return is_choice ? std::optional(std::string(value)) : std::nullopt;
            }
            case column_type::text:
            case column_type::integer:
            case column_type::decimal:
            case column_type::time:
            case column_type::boolean:
            case column_type::json:
            case column_type::real:
            case column_type::records: break;
        }
        return bound_.can_hold(value) ? std::optional(std::string(value)) : std::nullopt;
    }
    [[nodiscard]] std::vector<std::int64_t> held_numbers(filter_values values) const {
        std::vector<std::int64_t> numbers = numbers_of(values);
        const std::int64_t largest = native_.type->largest;
        std::erase_if(numbers, [&](std::int64_t number) {
            return number > largest || number < -largest - 1;
        });
        return numbers;
    }
    [[nodiscard]] std::vector<std::string> texts_of(filter_values values) const {
        std::vector<std::string> texts;
        for (const std::string_view value : values) {
            if (auto text = text_of(value)) texts.push_back(*std::move(text));
        }
        return texts;
    }
    [[nodiscard]] static calendar_day day_of(instant at) {
        return calendar_day{std::chrono::floor<std::chrono::days>(at).time_since_epoch()};
    }
    [[nodiscard]] calendar_day first_day() const { return day_of(native_.type->earliest); }
    [[nodiscard]] calendar_day end_day() const { return day_of(native_.type->end); }

    const column& of_;
    const native_column& native_;
    parameters& bound_;
};

}  // namespace sluice::sql::detail

#endif
