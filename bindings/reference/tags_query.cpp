// SPDX-License-Identifier: MIT
#include "list_queries.hpp"
#include "list_request.hpp"
#include "parameter_attributes.hpp"
#include "queries.hpp"
#include "register.hpp"
#include "values.hpp"

namespace sluice::bindings {

namespace {

using reference::tags_params;
using reference::tags_query;

namespace doc {

constexpr const char* type = R"(A request for GET /tags, read and checked.

Made by parse(). Its attributes are named after the parameters.

Attributes:
    parameters: The names of all parameters in the order of their table, a tuple of str.)";

constexpr const char* parse =
    R"(parse(query_string: _QueryString, strict: _Flag = False) -> TagsQuery
--

Reads the parameters of a request.

Args:
    query_string: str, bytes, a mapping or pairs; see to_query_string() for their values.
    strict: True makes unknown parameters errors.

Raises:
    ApiError: The first thing that is wrong, in the order of the parameters.

Example:
    >>> sluice.api.TagsQuery.parse("search=sale&pageSize=20").page_size
    20)";

constexpr const char* errors =
    R"(errors(query_string: _QueryString, strict: _Flag = False) -> list[ApiError]
--

All that is wrong with a request.

Args:
    query_string: As for parse().
    strict: As for parse().

Returns:
    A list of ApiError in the order of the parameters, empty for a good request.

Example:
    >>> [error.param for error in sluice.api.TagsQuery.errors("page=0&sortBy=size")]
    ['sortBy', 'page'])";

}  // namespace doc

struct request {
    std::string text;
    bool strict;

    explicit request(const char* function, const raw_call& call)
        : request(bind_arguments<2>(function, {"query_string", "strict"}, 1, call)) {}

private:
    explicit request(const std::array<PyObject*, 2>& given)
        : text(to_query_text(given[0], types_of(tags_params))),
          strict(to_flag(given[1], "strict")) {
        refuse_address(text);
    }
};

PyObject* parse(PyObject*, const raw_call& call) {
    const request asked("parse", call);
    const query_string given = parse_query_string(asked.text);
    auto parsed = reference::parse_tags_query(given.pairs(), {.strict = asked.strict});
    if (parsed) return to_new_object(std::move(*parsed));
    raise(parsed.error(), context_of(given.pairs(), parsed.error()));
}

PyObject* errors_of(PyObject*, const raw_call& call) {
    const request asked("errors", call);
    const query_string given = parse_query_string(asked.text);
    const auto parsed = reference::parse_tags_query_all(given.pairs(), {.strict = asked.strict});
    if (parsed) return py::list().release().ptr();
    return to_api_errors(given.pairs(), parsed.error()).release().ptr();
}

py::object text_of(const tags_query& query) {
    return to_python(to_query_string(tags_params, query));
}

py::tuple arguments(const tags_query& query) { return py::make_tuple(text_of(query)); }

py::object repr(const tags_query& query) {
    return py::str("TagsQuery.parse({!r})").format(text_of(query));
}

bool are_equal(const tags_query& a, const tags_query& b) { return text_of(a).equal(text_of(b)); }

py::ssize_t hash(const tags_query& query) { return py::hash(text_of(query)); }

asked_list asked_by(const tags_query& query) {
    return {to_list_query(tags_params, query), reference::tags_schema};
}

const tags_query& query_of(const tags_query& query) { return query; }

}  // namespace

void register_tags_query(py::module_& m) {
    auto c = make_class<tags_query>(m, "TagsQuery", doc::type);
    def_static_fast<parse>(c, "parse", doc::parse);
    def_static_fast<errors_of>(c, "errors", doc::errors);
    def_parameters<query_of>(c, tags_params);
    def_list_query<asked_by>(c);
    def_equal<are_equal>(c);
    def_method<hash>(c, "__hash__", hash_doc);
    def_method<text_of>(c, "__str__", str_doc);
    def_method<repr>(c, "__repr__", repr_doc);
    def_reduce<arguments>(c);
}

}  // namespace sluice::bindings
