// SPDX-License-Identifier: MIT
#include <pybind11/operators.h>

#include "queries.hpp"
#include "register.hpp"

namespace sluice::bindings {

namespace {

using api::events_query;
using query_class = py::class_<events_request>;

bind_options options_of(bool strict) { return {.zones = system_zones(), .strict = strict}; }

events_request parse_text(std::string_view text, instant now, bool strict) {
    const query_string given = parse_query_string(text);
    auto parsed = api::parse_events_query(given.pairs(), options_of(strict), now);
    if (!parsed) {
        const error& e = parsed.error();
        raise(e, {.text = text_at_fault(api::events_params, given.pairs(), e)});
    }
    return {std::move(*parsed), now};
}

bool to_flag(PyObject* flag, const char* what) {
    if (flag == nullptr) return false;
    if (!PyBool_Check(flag)) throw py::type_error(std::string(what).append(": expected bool"));
    return flag == Py_True;
}

PyObject* parse(PyObject*, const raw_call& call) {
    const auto [source, now, strict] =
        bind_arguments<3>("parse", {"query_string", "now", "strict"}, 1, call);
    const instant at = to_now(now);
    const bool is_strict = to_flag(strict, "strict");
    if (PyUnicode_Check(source)) {
        const utf8_text text(source, "query_string");
        return py::cast(parse_text(text.view(), at, is_strict)).release().ptr();
    }
    const std::string text = to_query_text(py::reinterpret_borrow<py::object>(source));
    return py::cast(parse_text(text, at, is_strict)).release().ptr();
}

py::list errors_of(const py::object& source, const py::object& now, bool strict) {
    const std::string text = to_query_text(source);
    const query_string given = parse_query_string(text);
    const auto parsed = api::parse_events_query_all(given.pairs(), options_of(strict), to_now(now));
    if (parsed) return py::list();
    return to_api_errors(api::events_params, given.pairs(), parsed.error());
}

std::string text_of(const events_request& r) {
    return to_query_string(api::events_params, r.query);
}

/// What makes two queries equal: the parameters and the window that they came to.
py::tuple identity_of(const events_request& r) {
    const time_range& window = r.query.window;
    const py::object start =
        window.start ? py::int_(window.start->time_since_epoch().count()) : py::object(py::none());
    return py::make_tuple(text_of(r), start, window.end.time_since_epoch().count());
}

std::string repr(const events_request& r) {
    const py::str format("EventsQuery.parse({!r}, now={!r})");
    return to_utf8(format.attr("format")(text_of(r), to_datetime(r.now)));
}

py::dict filters_of(const events_request& r) {
    py::dict filters;
    for (const auto& row : api::events_params) {
        const bool is_filter = row.info.type == param_type::filter && !row.info.column.empty();
        const auto found = is_filter ? row.as_clause(r.query, row.info) : std::nullopt;
        if (!found) continue;
        const filter f(found->values, found->excludes);
        filters[to_python(row.info.name)] = to_python(f);
    }
    return filters;
}

py::object metadata_of(const events_request& r) {
    return r.query.query.empty() ? py::none() : py::cast(r.query.query);
}

/// An attribute that shows a member of the query.
template <auto Member>
void show(query_class& c, const char* name) {
    c.def_property_readonly(name,
                            [](const events_request& r) { return to_python(r.query.*Member); });
}

void show_link_filters(query_class& c) {
    show<&events_query::domain>(c, "domain");
    show<&events_query::key>(c, "key");
    show<&events_query::link_id>(c, "link_id");
    show<&events_query::external_id>(c, "external_id");
    show<&events_query::tenant_id>(c, "tenant_id");
    show<&events_query::tag_id>(c, "tag_id");
    show<&events_query::folder_id>(c, "folder_id");
    show<&events_query::partner_tag_id>(c, "partner_tag_id");
    show<&events_query::group_id>(c, "group_id");
    show<&events_query::partner_id>(c, "partner_id");
    show<&events_query::program_id>(c, "program_id");
    show<&events_query::root>(c, "root");
    show<&events_query::tag_ids>(c, "tag_ids");
}

void show_click_filters(query_class& c) {
    show<&events_query::country>(c, "country");
    show<&events_query::city>(c, "city");
    show<&events_query::region>(c, "region");
    show<&events_query::continent>(c, "continent");
    show<&events_query::device>(c, "device");
    show<&events_query::browser>(c, "browser");
    show<&events_query::os>(c, "os");
    show<&events_query::trigger>(c, "trigger");
    show<&events_query::referer>(c, "referer");
    show<&events_query::referer_url>(c, "referer_url");
    show<&events_query::url>(c, "url");
    show<&events_query::utm_source>(c, "utm_source");
    show<&events_query::utm_medium>(c, "utm_medium");
    show<&events_query::utm_campaign>(c, "utm_campaign");
    show<&events_query::utm_term>(c, "utm_term");
    show<&events_query::utm_content>(c, "utm_content");
    show<&events_query::qr>(c, "qr");
}

void show_event_filters(query_class& c) {
    show<&events_query::event>(c, "event");
    show<&events_query::customer_id>(c, "customer_id");
    show<&events_query::sale_type>(c, "sale_type");
    c.def_property_readonly("query", [](const events_request& r) {
        const std::string text = to_string(r.query.query);
        return to_python(text.empty() ? std::nullopt : std::optional<std::string_view>(text));
    });
    c.def_property_readonly("metadata", metadata_of);
    c.def_property_readonly("filters", filters_of);
}

void show_window_and_page(query_class& c) {
    c.def_property_readonly("start", [](const events_request& r) {
        const auto& start = r.query.window.start;
        return start ? to_datetime(*start) : py::none();
    });
    c.def_property_readonly(
        "end", [](const events_request& r) { return to_datetime(r.query.window.end); });
    c.def_property_readonly("now", [](const events_request& r) { return to_datetime(r.now); });
    show<&events_query::interval>(c, "interval");
    show<&events_query::timezone>(c, "timezone");
    show<&events_query::page>(c, "page");
    show<&events_query::limit>(c, "limit");
    show<&events_query::sort_order>(c, "sort_order");
    show<&events_query::sort_by>(c, "sort_by");
    show<&events_query::order>(c, "order");
}

void register_value(query_class& c) {
    c.def("__str__", text_of);
    c.def("__repr__", repr);
    c.def(
        "__eq__",
        [](const events_request& a, const events_request& b) {
            return identity_of(a).equal(identity_of(b));
        },
        py::is_operator());
    c.def("__hash__", [](const events_request& r) { return py::hash(identity_of(r)); });
    c.def(py::pickle(
        [](const events_request& r) { return py::make_tuple(text_of(r), to_datetime(r.now)); },
        [](const py::tuple& state) {
            return parse_text(to_utf8(state[0]), to_instant(state[1]), false);
        }));
}

}  // namespace

void register_events_query(py::module_& m) {
    query_class c = make_class<events_request>(
        m, "EventsQuery",
        "A request for GET /events, read and checked. Its attributes are named after\n"
        "the parameters; filters and texts that were not given are None. external_id is\n"
        "without its ext_; start and end are the window that the parameters come to.");
    def_static_fast<parse>(
        c, "parse",
        "parse(query_string, now=None, strict=False)\n--\n\n"
        "Reads a query string, a mapping or pairs. Raises the first ApiError in the order\n"
        "of the parameters. strict: unknown parameters are errors.");
    c.def_static("errors", errors_of, py::arg("query_string"), py::arg("now") = py::none(),
                 py::arg("strict") = false, "All that is wrong with a request.");
    c.attr("parameters") = to_names(api::events_params);
    show_link_filters(c);
    show_click_filters(c);
    show_event_filters(c);
    show_window_and_page(c);
    register_events_mask(c);
    register_value(c);
}

}  // namespace sluice::bindings
