// SPDX-License-Identifier: MIT
#ifndef SLUICE_PARAMS_TIME_HPP
#define SLUICE_PARAMS_TIME_HPP

#include <concepts>
#include <string_view>

#include <sluice/params/row.hpp>
#include <sluice/time/window.hpp>

namespace sluice {

// Parameters of times: a time, an instant that rows are compared with, a zone.

/// Declares a time, bound to a `std::optional<time_expression>`; resolve() turns it into an
/// instant. For a window on a column see window_params.
template <auto Member, class Query = detail::query_of<Member>>
[[nodiscard]] constexpr auto time_param(const param_info& info) noexcept {
    static_assert(detail::may_hold<Member, time_expression>,
                  "time_param is bound to a std::optional<sluice::time_expression>: give the "
                  "member this type, or use instant_param");
    constexpr auto read = [](std::string_view text, const param_info&, const bind_options&) {
        return parse_time_expression<detail::bare_value_of<Member>>(text);
    };
    auto row = detail::make_row<Member, Query>(info, param_type::time);
    row.assign = detail::assign<Member, read, Query>;
    return row;
}

namespace detail {

inline constexpr auto instant_test = [](instant value, const param_info& info) -> column_test {
    bounds<instant> range;
    range.narrow(info.op, value);
    return column_test(std::in_place_type<bounds<instant>>, range);
};

/// Returns the edge of a day or another period that a comparison uses: `<= day` includes the day.
constexpr edge edge_of(comparison op) noexcept {
    const bool is_end = op == comparison::at_most || op == comparison::more_than;
    return is_end ? edge::end : edge::start;
}

template <std::same_as<time_expression> Expression = time_expression>
result<instant> read_instant(std::string_view text, const param_info& info,
                             const bind_options& options) {
    if (!options.now) return fail(rule::clock_missing);
    return parse_time_expression<Expression>(text).and_then([&](const Expression& at) {
        return resolve(at, edge_of(info.op), time_zone::utc(), *options.now);
    });
}

}  // namespace detail

/// Declares a time that rows are compared with, bound to a `std::optional<instant>`: a time
/// expression resolved in UTC. `op` decides whether a day is its first or its last millisecond. It
/// needs `op` and bind_options::now.
///
/// ```
/// sluice::instant_param<&orders::since>(
///     {.name = "created[gte]", .column = "created", .op = sluice::comparison::at_least})
/// ```
template <auto Member>
[[nodiscard]] constexpr auto instant_param(const param_info& info) noexcept {
    static_assert(detail::holds<Member, std::optional<instant>>,
                  "instant_param is bound to a std::optional<sluice::instant>: give the member "
                  "this type, and floor other time points to milliseconds");
    if (info.op == comparison::equal) {
        detail::mistake(info.name, "rows of one instant are seldom meant: give it an .op");
    }
    constexpr auto read = [](std::string_view text, const param_info& row_info,
                             const bind_options& options) {
        return detail::read_instant(text, row_info, options);
    };
    auto row = detail::compared<Member, detail::instant_test>(
        detail::make_row<Member>(info, param_type::time), set_of(column_type::time));
    row.assign = detail::assign<Member, read>;
    return needing_rows<decltype(row), false, true>{row};
}

/// Declares an IANA time zone, bound to a `time_zone`.
template <auto Member, class Query = detail::query_of<Member>>
[[nodiscard]] constexpr auto time_zone_param(const param_info& info) noexcept {
    static_assert(detail::may_hold<Member, time_zone>,
                  "time_zone_param is bound to a sluice::time_zone: give the member this type");
    constexpr auto read = [](std::string_view text, const param_info&,
                             const bind_options& options) -> result<detail::bare_value_of<Member>> {
        if (options.zones == nullptr) return fail(rule::time_zone_data, 0, text.size());
        return options.zones->template find<detail::bare_value_of<Member>>(text);
    };
    auto row = detail::make_row<Member, Query>(info, param_type::time_zone);
    row.assign = detail::assign<Member, read, Query>;
    return needing_rows<decltype(row), true, false>{row};
}

}  // namespace sluice

#endif
