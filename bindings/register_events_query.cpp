// SPDX-License-Identifier: MIT
#include "parameter_attributes.hpp"
#include "queries.hpp"
#include "register.hpp"
#include "values.hpp"

namespace sluice::bindings {

namespace {

using api::events_params;
using api::events_query;
using query_class = py::class_<events_request>;

namespace doc {

constexpr const char* type = R"(A request for GET /events, read and checked.

Made by parse(). Its attributes are named after the parameters; start and end are the
window that they come to.

Attributes:
    parameters: The names of all parameters in the order of their table, a tuple of str.)";

constexpr const char* parse = R"(parse(query_string, now=None, strict=False)
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
    >>> query = sluice.EventsQuery.parse({"country": {"US", "CA"}, "limit": 50})
    >>> query.country, query.limit
    (Filter.parse('CA,US'), 50))";

constexpr const char* errors = R"(errors(query_string, now=None, strict=False)
--

All that is wrong with a request.

Args:
    query_string: As for parse().
    now: As for parse().
    strict: As for parse().

Returns:
    A list of ApiError in the order of the parameters, empty for a good request.

Example:
    >>> [error.param for error in sluice.EventsQuery.errors("limit=0&country=USA")]
    ['country', 'limit'])";

constexpr const char* metadata = R"(The parameter query as a MetadataQuery, or None.)";

constexpr const char* filters =
    R"(The filters on columns that were given, deprecated twins folded in.

A dict of parameter names to Filter.

Example:
    >>> sluice.EventsQuery.parse("country=US&qr=true").filters
    {'country': Filter.parse('US'), 'trigger': Filter.parse('qr')})";

constexpr const char* now =
    "The present that the window was counted from: an aware datetime in UTC.";

}  // namespace doc

bind_options options_of(bool strict) { return {.zones = system_zones(), .strict = strict}; }

/// The arguments of parse and errors. It views the query string.
class request {
public:
    request(const char* function, const raw_call& call)
        : request(bind_arguments<3>(function, {"query_string", "now", "strict"}, 1, call)) {}

    [[nodiscard]] std::string_view text() const { return view_ ? view_->view() : text_; }

    instant now;
    bool strict;

private:
    explicit request(const std::array<PyObject*, 3>& given)
        : now(to_now(given[1])), strict(to_flag(given[2], "strict")) {
        if (PyUnicode_Check(given[0])) {
            view_.emplace(given[0], "query_string");
        } else {
            text_ = to_query_text(given[0]);
        }
    }

    std::optional<utf8_text> view_;
    std::string text_;
};

PyObject* parse(PyObject*, const raw_call& call) {
    const request asked("parse", call);
    const query_string given = parse_query_string(asked.text());
    auto parsed = api::parse_events_query(given.pairs(), options_of(asked.strict), asked.now);
    if (parsed) return to_new_object(events_request{std::move(*parsed), asked.now});
    raise(parsed.error(), context_of(given.pairs(), parsed.error()));
}

PyObject* errors_of(PyObject*, const raw_call& call) {
    const request asked("errors", call);
    const query_string given = parse_query_string(asked.text());
    const auto parsed =
        api::parse_events_query_all(given.pairs(), options_of(asked.strict), asked.now);
    if (parsed) return py::list().release().ptr();
    return to_api_errors(given.pairs(), parsed.error()).release().ptr();
}

py::object text_of(const events_request& r) {
    return to_python(to_query_string(events_params, r.query));
}

py::object now_of(const events_request& r) { return to_datetime(r.now); }

/// What makes two queries equal: the parameters and the window that they came to.
py::tuple identity_of(const events_request& r) {
    const time_range& window = r.query.window;
    const py::object start =
        window.start ? py::int_(window.start->time_since_epoch().count()) : py::object(py::none());
    return py::make_tuple(text_of(r), start, window.end.time_since_epoch().count());
}

bool are_equal(const events_request& a, const events_request& b) {
    return identity_of(a).equal(identity_of(b));
}

py::ssize_t hash(const events_request& r) { return py::hash(identity_of(r)); }

py::object repr(const events_request& r) {
    return py::str("EventsQuery.parse({!r}, now={!r})").format(text_of(r), now_of(r));
}

py::tuple arguments(const events_request& r) { return py::make_tuple(text_of(r), now_of(r)); }

py::dict filters_of(const events_request& r) {
    py::dict filters;
    for (const auto& row : events_params) {
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

py::object query_of(const events_request& r) {
    const std::string text = to_string(r.query.query);
    return to_python(text.empty() ? std::nullopt : std::optional<std::string_view>(text));
}

py::object start_of(const events_request& r) {
    const auto& start = r.query.window.start;
    return start ? to_datetime(*start) : py::none();
}

py::object end_of(const events_request& r) { return to_datetime(r.query.window.end); }

/// An attribute that shows a member of the query.
template <auto Member>
void show(query_class& c, std::string_view parameter) {
    def_parameter<[](const events_request& r) { return to_python(r.query.*Member); }>(
        c, events_params, parameter);
}

void show_link_filters(query_class& c) {
    show<&events_query::domain>(c, "domain");
    show<&events_query::key>(c, "key");
    show<&events_query::link_id>(c, "linkId");
    show<&events_query::external_id>(c, "externalId");
    show<&events_query::tenant_id>(c, "tenantId");
    show<&events_query::tag_id>(c, "tagId");
    show<&events_query::folder_id>(c, "folderId");
    show<&events_query::partner_tag_id>(c, "partnerTagId");
    show<&events_query::group_id>(c, "groupId");
    show<&events_query::partner_id>(c, "partnerId");
    show<&events_query::program_id>(c, "programId");
    show<&events_query::root>(c, "root");
    show<&events_query::tag_ids>(c, "tagIds");
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
    show<&events_query::referer_url>(c, "refererUrl");
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
    show<&events_query::customer_id>(c, "customerId");
    show<&events_query::sale_type>(c, "saleType");
    def_parameter<query_of>(c, events_params, "query");
    def_attribute<metadata_of>(c, "metadata", doc::metadata);
    def_attribute<filters_of>(c, "filters", doc::filters);
}

void show_window_and_page(query_class& c) {
    def_parameter<start_of>(c, events_params, "start");
    def_parameter<end_of>(c, events_params, "end");
    def_attribute<now_of>(c, "now", doc::now);
    show<&events_query::interval>(c, "interval");
    show<&events_query::timezone>(c, "timezone");
    show<&events_query::page>(c, "page");
    show<&events_query::limit>(c, "limit");
    show<&events_query::sort_order>(c, "sortOrder");
    show<&events_query::sort_by>(c, "sortBy");
    show<&events_query::order>(c, "order");
}

}  // namespace

void register_events_query(py::module_& m) {
    auto c = make_class<events_request>(m, "EventsQuery", doc::type);
    def_static_fast<parse>(c, "parse", doc::parse);
    def_static_fast<errors_of>(c, "errors", doc::errors);
    c.attr("parameters") = to_names(events_params);
    show_link_filters(c);
    show_click_filters(c);
    show_event_filters(c);
    show_window_and_page(c);
    register_events_mask(c);
    def_equal<are_equal>(c);
    def_method<hash>(c, "__hash__", hash_doc);
    def_method<text_of>(c, "__str__", str_doc);
    def_method<repr>(c, "__repr__", repr_doc);
    def_reduce<arguments>(c);
}

}  // namespace sluice::bindings
