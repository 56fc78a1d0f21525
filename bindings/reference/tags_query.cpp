// SPDX-License-Identifier: MIT
#include "fast_method.hpp"
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

/// The converted arguments of parse() and errors(). Not to be moved: `pairs` views `text`.
struct request {
    std::string text;
    query_string pairs;
    reference::request_options options;

    request(py::handle query, py::handle strict)
        : text(to_query_text(query, params_of(tags_params))),
          pairs(parse_query_string(text)),
          options{.strict = to_flag(strict, "strict")} {
        refuse_address(text);
    }
};

PyObject* parse(PyObject*, const raw_call& call) {
    const auto [query, strict] = bind_arguments<2>("parse", {"query_string", "strict"}, 1, call);
    const request read(query, strict);
    auto parsed = reference::parse_tags_query(read.pairs.pairs(), read.options);
    if (parsed) return to_new_object(std::move(*parsed));
    raise(parsed.error(), context_of(read.pairs.pairs(), parsed.error()));
}

py::list errors_of(py::handle query, py::handle strict) {
    const request read(query, strict);
    const auto parsed = reference::parse_tags_query_all(read.pairs.pairs(), read.options);
    return parsed ? py::list() : to_api_errors(read.pairs.pairs(), parsed.error());
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

query_with_columns list_query_of(const tags_query& query) {
    return {to_list_query(tags_params, query), reference::tags_schema};
}

}  // namespace

void register_tags_query(py::module_& m) {
    auto c = make_class<tags_query>(m, "TagsQuery", doc::type);
    def_static_fast<parse>(c, "parse", doc::parse);
    def_static(c, "errors", errors_of, doc::errors, py::arg("query_string"),
               py::arg("strict") = false);
    def_parameters(c, tags_params, std::identity());
    def_list_query<list_query_of, tags_query>(c);
    def_equal(c, are_equal);
    def(c, "__hash__", hash, hash_doc);
    def(c, "__str__", text_of, str_doc);
    def(c, "__repr__", repr, repr_doc);
    def_reduce(c, arguments);
}

}  // namespace sluice::bindings
