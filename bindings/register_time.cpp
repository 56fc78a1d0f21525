// SPDX-License-Identifier: MIT
#include <array>
#include <string_view>

#include <sluice/errors/choice.hpp>
#include <sluice/params/bind.hpp>
#include <sluice/params/list.hpp>
#include <sluice/time/expression.hpp>
#include <sluice/time/window.hpp>

#include "convert.hpp"
#include "pydantic_hooks.hpp"
#include "raise.hpp"
#include "register.hpp"
#include "values.hpp"
#include "window_object.hpp"

namespace sluice::bindings {

namespace {

namespace doc {

constexpr const char* type = R"(A time as a client wrote it, before it meets a zone and the present.

Made by parse().)";

constexpr const char* parse = R"(parse(text: str) -> TimeExpression
--

Reads a time in any of the forms that list APIs accept.

Args:
    text: RFC 3339; 10 or 13 digits, the seconds or milliseconds since 1970; a date such as
        2026-08-21, or a date and time without an offset; 'now', 'today', 'yesterday', 'tomorrow';
        '3 days ago'; 'last' or 'this' with 'week', 'month', 'quarter' or 'year'.

Raises:
    ApiError: The text is no time; the error says where, and what was probably meant.

Example:
    >>> sluice.TimeExpression.parse("3 DAYS ago")
    TimeExpression.parse('3 days ago'))";

constexpr const char* resolve =
    R"(resolve($self, now: datetime | None = None, edge: _Edge = 'start', timezone: str = 'UTC') -> datetime
--

The moment that the expression means.

Args:
    now: An aware datetime, which times such as 'yesterday' count from; the present by default.
    edge: Of a day or a named period 'start' is the first moment and 'end' the last millisecond;
        any other form is one moment.
    timezone: The IANA zone in which days and local times are read. A local time that its clocks
        skip moves on by the gap; one that comes twice is the first.

Returns:
    An aware datetime in UTC.

Raises:
    ApiError: The moment lies outside the years 0001 to 9999, the zone is unknown, or the edge is
        none.

Example:
    >>> from datetime import datetime, timezone
    >>> now = datetime(2026, 8, 21, 2, 30, tzinfo=timezone.utc)
    >>> str(sluice.TimeExpression.parse("yesterday").resolve(now, timezone="Asia/Tokyo"))
    '2026-08-19 15:00:00+00:00')";

constexpr const char* is_absolute =
    "Whether it means the same at any present: an instant, a date or a date and time.";

constexpr const char* resolve_window =
    R"(resolve_window(interval: Interval | None = None, *, start: _Time | None = None, end: _Time | None = None, timezone: str | None = None, now: datetime | None = None) -> Window
--

The window of time that a request's interval, start, end and timezone come to.

Args:
    interval: How far the window reaches back from its end where there is no start: '24h', '7d',
        '30d', '90d' or '1y'; 'mtd', 'qtd' or 'ytd', the month, quarter or year to date; 'all',
        without limit, above too unless there is an end. '24h' by default.
    start: What TimeExpression.parse() reads, or a TimeExpression, datetime or date: the first
        moment. It wins over interval.
    end: The same: the last moment; now by default, and none with 'all'.
    timezone: The IANA zone in which days and local times are read; UTC by default.
    now: An aware datetime; the present by default.

Returns:
    A Window.

Raises:
    ApiError: An argument can't be read, or the window starts after its end; the error names the
        argument.

Example:
    >>> from datetime import datetime, timezone
    >>> now = datetime(2026, 8, 21, 2, 30, tzinfo=timezone.utc)
    >>> str(sluice.resolve_window("mtd", timezone="Europe/Paris", now=now).start)
    '2026-07-31 22:00:00+00:00')";

}  // namespace doc

constexpr std::array<std::string_view, 2> edge_names{"start", "end"};

/// A parameter table with only a window.
constexpr schema window_schema{column{.name = "time", .type = column_type::time}};
constexpr param_table window_table{window_schema, window_params<list_window>({.column = "time"})};

time_expression parse(py::handle text) {
    const utf8_text utf8(text, "text");
    return unwrap(parse_time_expression(utf8.view()), utf8.view());
}

PyObject* parse_fast(PyObject*, const raw_call& call) {
    const auto [text] = bind_arguments<1>("parse", {"text"}, 1, call);
    return to_new_object(parse(text));
}

edge to_edge(PyObject* given) {
    if (given == nullptr) return edge::start;
    const utf8_text name(given, "edge");
    return static_cast<edge>(
        unwrap_argument(parse_choice<edge_names>(name.view()), "edge", name.view()));
}

time_zone to_zone(PyObject* given) {
    if (given == nullptr) return time_zone::utc();
    const utf8_text name(given, "timezone");
    if (system_zones() == nullptr) raise(make_error(rule::time_zone_data));
    return unwrap_argument(system_zones()->find(name.view()), "timezone", name.view());
}

PyObject* resolve_fast(PyObject* self, const raw_call& call) {
    const auto [now, which, zone] =
        bind_arguments<3>("resolve", {"now", "edge", "timezone"}, 0, call);
    const auto& expression = held_by<time_expression>(self);
    return to_new_object(
        to_datetime(unwrap(resolve(expression, to_edge(which), to_zone(zone), to_now(now)))));
}

py::object text_of(const time_expression& expression) { return to_python(to_string(expression)); }

py::tuple arguments(const time_expression& expression) {
    return py::make_tuple(text_of(expression));
}

py::object repr(const time_expression& expression) {
    return py::str("TimeExpression.parse({!r})").format(text_of(expression));
}

bool are_equal(const time_expression& a, const time_expression& b) { return a == b; }

py::ssize_t hash(const time_expression& expression) { return py::hash(text_of(expression)); }

/// The given arguments of a window, by their parameter names.
py::dict to_given(const std::array<PyObject*, 5>& arguments) {
    constexpr std::array<const char*, 4> names{"interval", "start", "end", "timezone"};
    py::dict given;
    for (std::size_t at = 0; at < names.size(); ++at) {
        if (arguments[at] != nullptr) given[names[at]] = py::handle(arguments[at]);
    }
    return given;
}

PyObject* resolve_window_fast(PyObject*, const raw_call& call) {
    const auto arguments = bind_arguments<5>(
        "resolve_window", {"interval", "start", "end", "timezone", "now"}, 0, call, 1);
    const std::string text = to_query_text(to_given(arguments));
    const query_string given = parse_query_string(text);
    const auto asked =
        bind(window_table, given.pairs(), {.zones = system_zones(), .now = to_now(arguments[4])});
    if (!asked) raise(asked.error(), context_of(given.pairs(), asked.error()));
    return to_new_object(to_window(*asked));
}

}  // namespace

py::object to_window(const list_window& asked) {
    const auto& [start, end] = asked.window;
    return py::module_::import("sluice._window")
        .attr("Window")(start ? to_datetime(*start) : py::none(),
                        end ? to_datetime(*end) : py::none(),
                        asked.start ? py::none() : to_python(to_string(asked.interval)),
                        to_python(asked.timezone.name()));
}

void register_time(py::module_& m) {
    declare(m, "_Edge", "_Edge: TypeAlias = " + to_literal(edge_names));
    auto c = make_class<time_expression>(m, "TimeExpression", doc::type);
    def_static_fast<parse_fast>(c, "parse", doc::parse);
    def_fast<resolve_fast>(c, "resolve", doc::resolve);
    def_attribute<&is_absolute>(c, "is_absolute: bool", doc::is_absolute);
    def_equal<are_equal>(c);
    def_method<hash>(c, "__hash__", hash_doc);
    def_method<text_of>(c, "__str__", str_doc);
    def_method<repr>(c, "__repr__", repr_doc);
    def_reduce<arguments>(c);
    def_pydantic<param_type::time>(c);
    def_fast<resolve_window_fast>(m, "resolve_window", doc::resolve_window);
}

}  // namespace sluice::bindings
