// SPDX-License-Identifier: MIT
#ifndef SLUICE_ARROW_VALUE_MASK_HPP
#define SLUICE_ARROW_VALUE_MASK_HPP

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/arrow/number_mask.hpp>
#include <sluice/arrow/time_mask.hpp>
#include <sluice/query/column_test.hpp>
#include <sluice/query/uuid.hpp>
#include <sluice/time/day.hpp>

/// Masks of columns of reals, days, UUIDs and choices, and of rows without a value.
namespace sluice::arrow {

namespace detail {

/// A float of 16 bits: a sign, 5 bits of exponent, 10 of fraction.
struct half {
    std::uint16_t bits;

    [[nodiscard]] double value() const noexcept {
        const int exponent = bits >> 10 & 0x1F;
        const int fraction = bits & 0x3FF;
        const double sign = (bits >> 15) != 0 ? -1.0 : 1.0;
        if (exponent == 0x1F) {
            return fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                                 : sign * std::numeric_limits<double>::infinity();
        }
        if (exponent == 0) return sign * std::ldexp(fraction, -24);
        return sign * std::ldexp(fraction + 0x400, exponent - 25);
    }
};

template <class Number>
[[nodiscard]] double to_double(Number number) noexcept {
    return static_cast<double>(number);
}
[[nodiscard]] inline double to_double(half number) noexcept { return number.value(); }

[[nodiscard]] inline import_result<void> check_reals(const data_type& values,
                                                     const data_type& type) {
    const bool is_number = values.id == type_id::real || values.id == type_id::integer;
    if (is_number && !values.is_coded()) return {};
    return refuse(fault::unsupported,
                  "expected floats, integers or a dictionary of these, not " + type_name(type));
}

/// Appends a bit for each row, set if its number lies within bounds. NaN lies within none.
inline import_result<void> append_reals(const data_type& type, const ArrowArray& array,
                                        row_span of_parent, const bounds<double>& within,
                                        row_bits& matches) {
    const auto append = [&]<class T>(T) {
        const auto holds = [&](T number) {
            const double real = to_double(number);
            return real == real && within.contains(real);
        };
        return append_values<T>(array, of_parent, holds, matches);
    };
    if (type.id == type_id::integer) return visit_integer(type, append);
    switch (type.width) {
        case 2: return append(half{});
        case 4: return append(float{});
        default: return append(double{});
    }
}

}  // namespace detail

/// Checks that real_mask() supports a type. Error: fault::unsupported.
[[nodiscard]] inline import_result<void> check_real_type(const data_type& type) {
    return detail::check_column(type, detail::check_reals);
}

/// Returns the rows of an array that lie within bounds. The array is of floats or integers of any
/// width, which are compared as doubles, of a dictionary of these, or null.
[[nodiscard]] inline import_result<row_bits> real_mask(const data_type& type,
                                                       const ArrowArray& array, row_span rows,
                                                       const bounds<double>& within) {
    const auto append = [&](const data_type& value_type, const ArrowArray& values,
                            row_span value_rows, row_bits& matches) {
        return detail::append_reals(value_type, values, value_rows, within, matches);
    };
    return detail::values_mask(type, array, rows, detail::check_reals, append);
}

/// A test of days by their numbers, counted from 1970.
struct day_test {
    integer_test days;
};

namespace detail {

[[nodiscard]] inline import_result<void> check_days(const data_type& values,
                                                    const data_type& type) {
    const bool is_day = values.id == type_id::date || values.is_text();
    if (is_day && !values.is_coded()) return {};
    return refuse(
        fault::unsupported,
        "expected dates, text such as 2026-08-21 or a dictionary of these, not " + type_name(type));
}

/// Appends a bit for each row, set if its day is wanted. `present` as in append_parsed().
inline import_result<void> append_days(const data_type& type, const ArrowArray& array,
                                       row_span of_parent, const integer_test& days,
                                       const row_bits& present, row_bits& matches) {
    const auto holds = [&](std::int64_t day) {
        return std::visit([&](const auto& wanted) { return is_within(wanted, day); }, days.numbers);
    };
    if (type.is_text()) {
        const auto test = [&](std::string_view text) -> std::optional<bool> {
            const auto day = parse_day(text);
            if (!day) return std::nullopt;
            return holds(day->time_since_epoch().count());
        };
        return append_parsed(type, array, of_parent, test, "expected a day such as 2026-08-21",
                             present, matches);
    }
    const auto* const within = std::get_if<bounds<std::int64_t>>(&days.numbers);
    if (type.width == 4 && within != nullptr) {
        return append_range<std::int32_t>(array, of_parent, number_range(*within), matches);
    }
    if (type.width == 4) return append_values<std::int32_t>(array, of_parent, holds, matches);
    const auto holds_at = [&](std::int64_t milliseconds) {
        return holds(
            std::chrono::floor<std::chrono::days>(std::chrono::milliseconds(milliseconds)).count());
    };
    return append_values<std::int64_t>(array, of_parent, holds_at, matches);
}

}  // namespace detail

/// Checks that day_mask() supports a type. Error: fault::unsupported.
[[nodiscard]] inline import_result<void> check_day_type(const data_type& type) {
    return detail::check_column(type, detail::check_days);
}

/// Returns the rows of an array that meet a test. The array is of dates, in days or milliseconds,
/// of texts such as 2026-08-21, a dictionary of these, or null. In rows that are not `present` no
/// text is read; their bits are unspecified.
[[nodiscard]] inline import_result<row_bits> day_mask(const data_type& type,
                                                      const ArrowArray& array, row_span rows,
                                                      const day_test& test,
                                                      const row_bits& present) {
    const auto append = [&](const data_type& value_type, const ArrowArray& values,
                            row_span value_rows, row_bits& matches) {
        const row_bits all(type.is_coded() ? value_rows.count : 0, true);
        return detail::append_days(value_type, values, value_rows, test.days,
                                   type.is_coded() ? all : present, matches);
    };
    auto passes = detail::values_mask(type, array, rows, detail::check_days, append);
    if (passes && test.days.excludes) detail::flip(*passes);
    return passes;
}

/// A test of UUIDs or choices: they are any of some texts, or none of them. UUIDs are compared in
/// any case, and may be 16 bytes.
class name_test {
public:
    name_test(std::vector<std::string> names, collation how, bool none_of)
        : texts_(filter(names, false), how), excludes_(none_of) {
        for (const std::string& name : names) add_bytes(name);
        std::ranges::sort(ids_);
    }

    [[nodiscard]] bool excludes() const noexcept { return excludes_; }
    [[nodiscard]] const row_filter& texts() const noexcept { return texts_; }
    [[nodiscard]] bool has_ids() const noexcept { return !ids_.empty(); }
    [[nodiscard]] bool has(const std::array<std::uint8_t, 16>& bytes) const noexcept {
        return std::ranges::binary_search(ids_, bytes);
    }
    /// Returns true if any of the values equals the 16 bytes of a UUID, or a text.
    [[nodiscard]] bool has(std::string_view bytes) const {
        std::array<std::uint8_t, 16> id{};
        if (bytes.size() != id.size()) return texts_.matches_any_value(bytes);
        std::memcpy(id.data(), bytes.data(), id.size());
        return has(id);
    }

private:
    /// Adds the 16 bytes of a UUID. Skips any other text, which equals no row.
    void add_bytes(std::string_view name) {
        if (!parse_uuid(name)) return;
        std::array<std::uint8_t, 16> bytes{};
        std::size_t digits = 0;
        for (const char letter : name) {
            if (letter == '-') continue;
            const int digit = sluice::detail::hex_digit(letter);
            bytes[digits / 2] = static_cast<std::uint8_t>(bytes[digits / 2] << 4 | digit);
            ++digits;
        }
        ids_.push_back(bytes);
    }

    row_filter texts_;
    std::vector<std::array<std::uint8_t, 16>> ids_;
    bool excludes_;
};

namespace detail {

[[nodiscard]] inline import_result<void> check_names(const data_type& values,
                                                     const data_type& type) {
    if ((values.is_text() || values.id == type_id::uuid) && !values.is_coded()) return {};
    return refuse(
        fault::unsupported,
        "expected text, 16 bytes of a UUID or a dictionary of these, not " + type_name(type));
}

}  // namespace detail

/// Checks that name_mask() supports a type. Error: fault::unsupported.
[[nodiscard]] inline import_result<void> check_name_type(const data_type& type) {
    return detail::check_column(type, detail::check_names);
}

/// Returns the rows of an array that meet a test. The array is of texts, of 16 bytes (also among
/// bytes of any size, as polars has them), a dictionary of these, or null.
[[nodiscard]] inline import_result<row_bits> name_mask(const data_type& type,
                                                       const ArrowArray& array, row_span rows,
                                                       const name_test& test) {
    const auto append = [&](const data_type& value_type, const ArrowArray& values,
                            row_span value_rows, row_bits& matches) {
        if (value_type.is_bytes() && test.has_ids()) {
            const auto has = [&](std::string_view bytes) { return test.has(bytes); };
            const auto match = [&](const auto& column, row_span block, const validity& valid,
                                   detail::block_words& hits) {
                return detail::match_texts(column, block, valid, has, hits);
            };
            return detail::append_text_blocks(value_type, values, value_rows, match, matches);
        }
        if (value_type.is_text()) {
            return detail::append_text(value_type, values, value_rows, test.texts(), matches);
        }
        const auto holds = [&](const std::array<std::uint8_t, 16>& id) { return test.has(id); };
        return detail::append_values<std::array<std::uint8_t, 16>>(values, value_rows, holds,
                                                                   matches);
    };
    auto passes = detail::values_mask(type, array, rows, detail::check_names, append);
    if (passes && test.excludes()) detail::flip(*passes);
    return passes;
}

namespace detail {

[[nodiscard]] inline import_result<void> check_nullable(const data_type& values,
                                                        const data_type& type) {
    const std::string_view format = values.format;
    const bool has_validity = !format.starts_with("+u") && format != "+r" && format != "n";
    if ((has_validity || values.id == type_id::null) && !values.is_coded()) return {};
    return refuse(fault::unsupported,
                  "expected a type whose values can be null, not " + type_name(type));
}

/// Appends a bit for each row, set if it has a value, which NaN isn't.
inline import_result<void> append_present(const data_type& type, const ArrowArray& array,
                                          row_span of_parent, row_bits& matches) {
    if (type.id == type_id::real) return append_reals(type, array, of_parent, {}, matches);
    const row_bits none(type.id == type_id::null ? of_parent.count : 0, false);
    if (type.id == type_id::null) {
        matches.append(none.words(), none.size());
        return {};
    }
    const auto opened = array_view::open(&array, 1, true);
    if (!opened) return tl::unexpected(opened.error());
    const auto rows = opened->rows(of_parent);
    if (!rows) return tl::unexpected(rows.error());
    const row_bits present = present_rows(opened->valid(), *rows);
    matches.append(present.words(), present.size());
    return {};
}

}  // namespace detail

/// Checks that null_mask() supports a type: any but unions and run-end encoded columns. Error:
/// fault::unsupported.
[[nodiscard]] inline import_result<void> check_null_type(const data_type& type) {
    return detail::check_column(type, detail::check_nullable);
}

/// Returns the rows of an array without a value, or those with one.
[[nodiscard]] inline import_result<row_bits> null_mask(const data_type& type,
                                                       const ArrowArray& array, row_span rows,
                                                       const null_test& test) {
    auto passes =
        detail::values_mask(type, array, rows, detail::check_nullable, detail::append_present);
    if (passes && test.wanted) detail::flip(*passes);
    return passes;
}

}  // namespace sluice::arrow

#endif
