// SPDX-License-Identifier: MIT
#include "fast_method.hpp"
#include "list_queries.hpp"
#include "list_request.hpp"
#include "parameter_attributes.hpp"
#include "queries.hpp"
#include "register.hpp"

namespace sluice::bindings {

namespace {

using reference::events_params;
using query_class = py::class_<events_request>;

namespace doc {

constexpr const char* type = R"(A request for GET /events, read and checked.

Made by parse(). Its attributes are named after the parameters; start and end are the
window that they resolve to.

Attributes:
    parameters: The names of all parameters in the order of their table, a tuple of str.)";

constexpr const char* parse =
    R"(parse(query_string: _QueryString, now: datetime | None = None, strict: _Flag = False) -> EventsQuery
--

Reads the parameters of a request.

Args:
    query_string: str, bytes, a mapping or pairs; see to_query_string() for their values.
    now: An aware datetime, which times such as 'yesterday' count from, cut to milliseconds; the
        present by default.
    strict: True makes unknown parameters errors.

Raises:
    ApiError: The first thing that is wrong, in the order of the parameters.
    TypeError: A value or now is of another type.
    ValueError: now is naive.

Example:
    >>> query = sluice.api.EventsQuery.parse({"country": {"US", "CA"}, "limit": 50})
    >>> query.country, query.limit
    (Filter.parse('CA,US'), 50))";

constexpr const char* errors =
    R"(errors(query_string: _QueryString, now: datetime | None = None, strict: _Flag = False) -> list[ApiError]
--

All that is wrong with a request.

Args:
    query_string: As for parse().
    now: As for parse().
    strict: As for parse().

Returns:
    A list of ApiError in the order of the parameters, empty for a good request.

Example:
    >>> [error.param for error in sluice.api.EventsQuery.errors("limit=0&country=USA")]
    ['country', 'limit'])";

constexpr const char* metadata = R"(The parameter query as a MetadataQuery, or None.)";

constexpr const char* filters =
    R"(The filters of the request, with those of deprecated twins.

A dict of parameter names to Filter.

Example:
    >>> sluice.api.EventsQuery.parse("country=US&qr=true").filters
    {'country': Filter.parse('US'), 'trigger': Filter.parse('qr')})";

constexpr const char* now =
    "The present that the window was counted from: an aware datetime in UTC.";

}  // namespace doc

PyObject* parse(PyObject*, const raw_call& call) {
    const auto [query, now, strict] =
        bind_arguments<3>("parse", {"query_string", "now", "strict"}, 1, call);
    const list_request request(query, now, strict, false, params_of(events_params));
    const query_string pairs = parse_query_string(request.text());
    auto parsed = reference::parse_events_query(
        pairs.pairs(), {.zones = system_zones(), .strict = request.is_strict}, request.now);
    if (parsed) return to_new_object(events_request{std::move(*parsed), request.now});
    raise(parsed.error(), context_of(pairs.pairs(), parsed.error()));
}

py::list errors_of(py::handle query, py::handle now, py::handle strict) {
    const list_request request(query, now, strict, false, params_of(events_params));
    const query_string pairs = parse_query_string(request.text());
    const auto parsed = reference::parse_events_query_all(
        pairs.pairs(), {.zones = system_zones(), .strict = request.is_strict}, request.now);
    return parsed ? py::list() : to_api_errors(pairs.pairs(), parsed.error());
}

py::object text_of(const events_request& self) {
    return to_python(to_query_string(events_params, self.query));
}

py::object now_of(const events_request& self) { return to_datetime(self.now); }

/// The identity of a query, for == and hash(): its parameters and its resolved window.
py::tuple identity_of(const events_request& self) {
    const time_range& window = self.query.window;
    const auto count_of = [](const std::optional<instant>& at) {
        return at ? py::int_(at->time_since_epoch().count()) : py::object(py::none());
    };
    return py::make_tuple(text_of(self), count_of(window.start), count_of(window.end));
}

bool are_equal(const events_request& a, const events_request& b) {
    return identity_of(a).equal(identity_of(b));
}

py::ssize_t hash(const events_request& self) { return py::hash(identity_of(self)); }

py::object repr(const events_request& self) {
    return py::str("EventsQuery.parse({!r}, now={!r})").format(text_of(self), now_of(self));
}

py::tuple arguments(const events_request& self) {
    return py::make_tuple(text_of(self), now_of(self));
}

/// The filters that the request has, by the names of their parameters. Those of deprecated
/// parameters are merged into the ones that replace them.
py::dict filters_of(const events_request& self) {
    py::dict filters;
    for (const auto& row : events_params) {
        const bool is_filter = row.info.type == param_type::filter && row.info.replaced_by.empty();
        const py::object value = is_filter ? to_python(row, self.query) : py::none();
        if (!value.is_none()) filters[to_python(row.info.name)] = value;
    }
    return filters;
}

py::object metadata_of(const events_request& self) {
    return self.query.query.empty() ? py::none() : py::cast(self.query.query);
}

py::object start_of(const events_request& self) {
    const auto& start = self.query.window.start;
    return start ? to_datetime(*start) : py::none();
}

/// The end of the window, which a query for events always has.
py::object end_of(const events_request& self) { return to_datetime(self.query.window.end.value()); }

query_with_columns list_query_of(const events_request& self) {
    return {to_list_query(events_params, self.query), reference::events_schema};
}

/// Adds the attributes of the parameters; start and end are those of the resolved window.
void def_attributes(query_class& c) {
    const std::string time = "An aware datetime in UTC";
    const auto query_of = [](const events_request& self) -> const reference::events_query& {
        return self.query;
    };
    def_parameters(c, events_params, query_of);
    show_as(c, events_params, "start", start_of,
            {"datetime | None", time + ", or None if there is no bound"});
    show_as(c, events_params, "end", end_of, {"datetime", time});
    def_attribute(c, "now: datetime", now_of, doc::now);
    def_attribute(c, "metadata: MetadataQuery | None", metadata_of, doc::metadata);
    def_attribute(c, "filters: dict[str, Filter]", filters_of, doc::filters);
}

}  // namespace

void register_events_query(py::module_& m) {
    auto c = make_class<events_request>(m, "EventsQuery", doc::type);
    def_static_fast<parse>(c, "parse", doc::parse);
    def_static(c, "errors", errors_of, doc::errors, py::arg("query_string"),
               py::arg("now") = py::none(), py::arg("strict") = false);
    def_attributes(c);
    def_list_query<list_query_of, events_request>(c);
    register_events_mask(c);
    def_equal(c, are_equal);
    def(c, "__hash__", hash, hash_doc);
    def(c, "__str__", text_of, str_doc);
    def(c, "__repr__", repr, repr_doc);
    def_reduce(c, arguments);
}

}  // namespace sluice::bindings
