// SPDX-License-Identifier: MIT
#include <sluice/query_string.hpp>

#include "convert.hpp"
#include "register.hpp"
#include "values.hpp"

namespace sluice::bindings {

namespace {

namespace doc {

constexpr const char* parse = R"(parse_query_string(text: str | bytes) -> list[tuple[str, str]]
--

The parameters of a query string, decoded as application/x-www-form-urlencoded.

Args:
    text: str or bytes; one '?' in front is skipped. Nothing is refused: what is no UTF-8 becomes
        U+FFFD.

Returns:
    A list of pairs of str, a name and a value each, in the order of the text.

Example:
    >>> sluice.parse_query_string("country=US%2CCA&city=S%C3%A3o+Paulo")
    [('country', 'US,CA'), ('city', 'São Paulo')])";

constexpr const char* write = R"(to_query_string(pairs: _QueryString) -> str
--

The query string of a mapping or of pairs.

Args:
    pairs: Names (str) with values: str, bool, int, float, Decimal, datetime, date, a NumPy scalar,
        a Filter, a MetadataQuery, or a list, tuple or set of these, which repeats the name. None
        leaves the name out. An aware datetime is written in UTC to the millisecond, a naive one as
        a local time, which the request's `timezone` places.

Returns:
    str.

Raises:
    TypeError: A value is of another type.
    ValueError: A number is not finite, or a time is missing (NaT) or ambiguous (fold=1).

Example:
    >>> sluice.to_query_string({"country": ["US", "CA"], "root": True, "start": None})
    'country=US&country=CA&root=true')";

}  // namespace doc

PyObject* parse(PyObject*, const raw_call& call) {
    const auto [text] = bind_arguments<1>("parse_query_string", {"text"}, 1, call);
    const std::string bytes = to_bytes(text, "text");
    const query_string query = parse_query_string(bytes);
    py::list pairs;
    for (const auto& [name, value] : query.pairs()) {
        pairs.append(py::make_tuple(to_python(name), to_python(value)));
    }
    return pairs.release().ptr();
}

PyObject* write(PyObject*, const raw_call& call) {
    const auto [pairs] = bind_arguments<1>("to_query_string", {"pairs"}, 1, call);
    return to_new_object(to_query_text(pairs));
}

}  // namespace

void register_query_string(py::module_& m) {
    def_fast<parse>(m, "parse_query_string", doc::parse);
    def_fast<write>(m, "to_query_string", doc::write);
}

}  // namespace sluice::bindings
