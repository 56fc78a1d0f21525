// SPDX-License-Identifier: MIT
#include <array>
#include <string_view>

#include <sluice/errors/choice.hpp>
#include <sluice/params/bind.hpp>
#include <sluice/params/list.hpp>
#include <sluice/time/expression.hpp>
#include <sluice/time/window.hpp>

#include "convert.hpp"
#include "fast_method.hpp"
#include "package.hpp"
#include "pydantic_hooks.hpp"
#include "raise.hpp"
#include "register.hpp"
#include "values.hpp"
#include "window_object.hpp"

namespace sluice::bindings {

namespace {

namespace doc {

constexpr const char* type =
    R"(A time as a client wrote it, not yet resolved by zone and clock.

Made by parse().)";

constexpr const char* parse = R"(parse(text: str) -> TimeExpression
--

Reads a time in any of the forms that list APIs accept.

Args:
    text: RFC 3339; 10 or 13 digits, the seconds or milliseconds since 1970; a date such as
        2026-08-21, or a date and time without an offset; 'now', 'today', 'yesterday', 'tomorrow';
        '3 days ago'; 'last' or 'this' with 'week', 'month', 'quarter' or 'year'.

Raises:
    ApiError: The text isn't a time; the error says where, and what was probably meant.

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
    "True if it doesn't depend on the current time: an instant, a date or a date and time.";

constexpr const char* resolve_window =
    R"(resolve_window(interval: str | None = None, *, start: _Time | None = None, end: _Time | None = None, timezone: str | None = None, now: datetime | None = None) -> Window
--

Resolves a request's interval, start, end and timezone to a window of time.

Args:
    interval: The length of the window, back from its end, if there is no start: a count of 'min',
        'h', 'd', 'w', 'mo' or 'y', such as '6h'; 'mtd', 'qtd' or 'ytd', the month, quarter or year
        to date; 'all', without limit, above too unless there is an end. '24h' by default.
    start: A text for TimeExpression.parse(), or a TimeExpression, datetime or date: the first
        moment. It wins over interval.
    end: Like start: the last moment; now by default, and none with 'all'.
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

/// Implements parse(); see fast_method.hpp.
PyObject* parse_fast(PyObject*, const raw_call& call) {
    const auto [text] = bind_arguments<1>("parse", {"text"}, 1, call);
    return to_new_object(parse(text));
}

edge to_edge(py::handle text) {
    const utf8_text name(text, "edge");
    return static_cast<edge>(
        unwrap_argument(parse_choice<edge_names>(name.view()), "edge", name.view()));
}

/// The zone of a name. ApiError for an unknown one, or without a time-zone database, which UTC
/// doesn't need.
time_zone to_zone(py::handle text) {
    const utf8_text name(text, "timezone");
    if (name.view() == "UTC") return time_zone::utc();
    if (system_zones() == nullptr) raise(make_error(rule::time_zone_data));
    return unwrap_argument(system_zones()->find(name.view()), "timezone", name.view());
}

py::object to_moment(const time_expression& expression, py::handle now, py::handle which,
                     py::handle zone) {
    return to_datetime(unwrap(resolve(expression, to_edge(which), to_zone(zone), to_now(now))));
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

/// Implements resolve_window: the arguments are written as a query string and bound, so that they
/// mean what they mean in a request.
py::object make_window(py::handle interval, py::handle start, py::handle end, py::handle timezone,
                       py::handle now) {
    using py::literals::operator""_a;
    const std::string text = to_query_text(py::dict("interval"_a = interval, "start"_a = start,
                                                    "end"_a = end, "timezone"_a = timezone));
    const query_string query = parse_query_string(text);
    const auto window =
        bind(window_table, query.pairs(), {.zones = system_zones(), .now = to_now(now)});
    if (!window) raise(window.error(), context_of(query.pairs(), window.error()));
    return to_window(*window);
}

}  // namespace

py::object to_window(const list_window& window) {
    const auto& [start, end] = window.window;
    return package_object("Window")(
        start ? to_datetime(*start) : py::none(), end ? to_datetime(*end) : py::none(),
        window.start ? py::none() : to_python(to_string(window.interval)),
        to_python(window.timezone.name()));
}

void register_time(py::module_& m) {
    declare(m, "_Edge", "_Edge: TypeAlias = " + to_literal(edge_names));
    auto c = make_class<time_expression>(m, "TimeExpression", doc::type);
    def_static_fast<parse_fast>(c, "parse", doc::parse);
    def(c, "resolve", to_moment, doc::resolve, py::arg("now") = py::none(),
        py::arg("edge") = "start", py::arg("timezone") = "UTC");
    def_attribute(
        c, "is_absolute: bool", [](const time_expression& e) { return is_absolute(e); },
        doc::is_absolute);
    def_equal(c, are_equal);
    def(c, "__hash__", hash, hash_doc);
    def(c, "__str__", text_of, str_doc);
    def(c, "__repr__", repr, repr_doc);
    def_reduce(c, arguments);
    def_pydantic<param_type::time>(c);
    def(m, "resolve_window", make_window, doc::resolve_window, py::arg("interval") = py::none(),
        py::kw_only(), py::arg("start") = py::none(), py::arg("end") = py::none(),
        py::arg("timezone") = py::none(), py::arg("now") = py::none());
}

}  // namespace sluice::bindings
