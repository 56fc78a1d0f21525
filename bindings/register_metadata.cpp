// SPDX-License-Identifier: MIT
#include <optional>
#include <span>
#include <string>

#include <sluice/base/parse_limits.hpp>
#include <sluice/metadata/json_text.hpp>
#include <sluice/metadata/matcher.hpp>
#include <sluice/metadata/query.hpp>
#include <sluice/query/json_writer.hpp>

#include "convert.hpp"
#include "fast_method.hpp"
#include "json_lookup.hpp"
#include "pydantic_hooks.hpp"
#include "raise.hpp"
#include "register.hpp"
#include "values.hpp"

namespace sluice::bindings {

namespace {

namespace doc {

constexpr const char* type = R"(A filter by metadata: an expression over nested keys.

Made by parse().)";

constexpr const char* parse = R"(parse(text: str) -> MetadataQuery
--

Reads an expression such as metadata['plan']:pro AND metadata['seats'] > 5.

Args:
    text: str of at most 10,000 UTF-16 code units. A blank one matches everything.

Raises:
    ApiError: The text isn't an expression; the error says where.

Example:
    >>> sluice.MetadataQuery.parse("metadata['plan']=pro")
    MetadataQuery.parse("metadata['plan']:pro"))";

constexpr const char* matches = R"(matches($self, metadata: object) -> bool
--

Returns True if the expression holds for a row's metadata.

Args:
    metadata: JSON as json.loads returns it, or a whole JSON document as str or bytes; None is a row
        without metadata. Numbers may also be Decimal or NumPy's. NaN, pandas.NA and NaT are
        values that are missing.

Returns:
    bool.

Raises:
    ApiError: A document isn't JSON.
    TypeError: A value at a path of the expression isn't JSON.
    ValueError: A number at a path of the expression is infinite.

Example:
    >>> seats = sluice.MetadataQuery.parse("metadata['seats'] > 5")
    >>> seats.matches({"seats": 12}), seats.matches('{"seats": 3}')
    (True, False))";

constexpr const char* tree = R"(tree($self, /) -> dict[str, Any]
--

The expression as dicts, lists and str, as the tree of a query has it under 'matches'.

A condition has the keys of its path, and a text under 'equal', 'not_equal', 'gt', 'gte', 'lt' or
'lte'; around conditions are {'all': [...]}, {'any': [...]} and {'not': ...}. A blank expression is
{'all': []}.

Returns:
    A dict.

Example:
    >>> sluice.MetadataQuery.parse("NOT metadata['plan']:pro").tree()
    {'not': {'path': ['plan'], 'equal': 'pro'}})";

}  // namespace doc

metadata_query parse(py::handle text) {
    const utf8_text utf8(text, "text");
    return unwrap(parse_metadata_query(utf8.view()), utf8.view());
}

/// Matches a JSON document as text. ApiError if it isn't JSON.
bool matches_document(const metadata_query& query, std::string_view json) {
    const auto checked = sluice::detail::check_json(json);
    if (!checked) raise(checked.error(), {.text = json});
    return metadata_matcher(query).matches(json);
}

/// Matches metadata: a document as text, or JSON as json.loads() returns it.
bool matches_value(const metadata_query& query, py::handle metadata) {
    if (PyBytes_Check(metadata.ptr()) || PyUnicode_Check(metadata.ptr())) {
        return matches_document(query, to_bytes(metadata, "metadata", surrogates::character));
    }
    return query.matches(json_lookup(metadata, "metadata"));
}

/// Implements parse(); see fast_method.hpp.
PyObject* parse_fast(PyObject*, const raw_call& call) {
    const auto [text] = bind_arguments<1>("parse", {"text"}, 1, call);
    return to_new_object(parse(text));
}

PyObject* matches(PyObject* self, const raw_call& call) {
    const auto& query = value_of<metadata_query>(self);
    const auto [metadata] = bind_arguments<1>("matches", {"metadata"}, 1, call);
    return PyBool_FromLong(matches_value(query, metadata) ? 1 : 0);
}

py::object text_of(const metadata_query& query) { return to_python(to_string(query)); }

py::dict tree_of(const metadata_query& query) {
    return py::module_::import("json").attr("loads")(to_json(query));
}

py::tuple arguments(const metadata_query& query) { return py::make_tuple(text_of(query)); }

py::object repr(const metadata_query& query) {
    return py::str("MetadataQuery.parse({!r})").format(text_of(query));
}

bool are_equal(const metadata_query& a, const metadata_query& b) { return a == b; }

py::ssize_t hash(const metadata_query& query) { return py::hash(text_of(query)); }

}  // namespace

void register_metadata(py::module_& m) {
    m.attr("QUERY_MAX_LENGTH") = metadata_query_max_length;
    auto c = make_class<metadata_query>(m, "MetadataQuery", doc::type);
    def_static_fast<parse_fast>(c, "parse", doc::parse);
    def_fast<matches>(c, "matches", doc::matches);
    def(c, "tree", tree_of, doc::tree);
    def_equal(c, are_equal);
    def(c, "__hash__", hash, hash_doc);
    def(c, "__str__", text_of, str_doc);
    def(c, "__repr__", repr, repr_doc);
    def_reduce(c, arguments);
    def_pydantic<param_type::expression>(c);
}

}  // namespace sluice::bindings
