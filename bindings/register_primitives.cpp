// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <sluice/base/parse_limits.hpp>
#include <sluice/base/query_string.hpp>
#include <sluice/errors/choice.hpp>
#include <sluice/errors/envelope.hpp>
#include <sluice/filters/filter.hpp>

#include "convert.hpp"
#include "fast_method.hpp"
#include "filter_rows.hpp"
#include "pydantic_hooks.hpp"
#include "raise.hpp"
#include "register.hpp"
#include "values.hpp"

namespace sluice::bindings {

namespace {

namespace doc {

constexpr const char* http_status = R"(http_status(code: str) -> int
--

The HTTP status of an error code.

Args:
    code: str, one of the codes of an error response.

Returns:
    int.

Raises:
    ApiError: The code is unknown.

Example:
    >>> sluice.http_status("rate_limit_exceeded")
    429)";

constexpr const char* error_body = R"(error_body(code: str, message: str, docs_url: str = '') -> str
--

The JSON body of an error response.

Args:
    code: str, one of the codes of an error response.
    message: str, for people.
    docs_url: str, the address in front of the documentation's path.

Returns:
    str, a JSON object.

Raises:
    ApiError: The code is unknown.

Example:
    >>> import json
    >>> json.loads(sluice.error_body("not_found", "No such path."))["error"]["message"]
    'No such path.')";

constexpr const char* parse_query =
    R"(parse_query_string(text: str | bytes) -> list[tuple[str, str]]
--

The parameters of a query string, decoded as application/x-www-form-urlencoded.

Args:
    text: str or bytes; one '?' in front is skipped. Nothing is refused: what isn't UTF-8 becomes
        U+FFFD.

Returns:
    A list of pairs of str, name and value, in the order of the text.

Example:
    >>> sluice.parse_query_string("country=US%2CCA&city=S%C3%A3o+Paulo")
    [('country', 'US,CA'), ('city', 'São Paulo')])";

constexpr const char* write_query = R"(to_query_string(pairs: _QueryString) -> str
--

The query string of a mapping or of pairs.

Args:
    pairs: Names (str) with values: str, bool, int, float, Decimal, datetime, date, UUID, a member
        of an Enum with such a value, a NumPy scalar, a Filter, MetadataQuery, TimeExpression or
        Cursor, or a list, tuple or set of these, which repeats the name. A str is text as a URL has
        it; numbers and items of a list are values of a filter, whose commas, backslashes and
        leading '-' are escaped. None leaves the name out. An aware datetime is written in UTC to
        the millisecond, a naive one as a local time, which the request's `timezone` places.

Returns:
    str.

Raises:
    TypeError: A value is of another type.
    ValueError: A number is not finite, or a time is missing (NaT) or ambiguous (fold=1).

Example:
    >>> sluice.to_query_string({"country": ["US", "CA"], "root": True, "start": None})
    'country=US&country=CA&root=true')";

constexpr const char* equal =
    R"(equal(row: str, value: str, collation: _Collation = 'exact') -> bool
--

Returns True if a row's text equals one value of a filter.

Args:
    row: str, the row's text.
    value: str, a value of a filter.
    collation: As for Filter.matches().

Returns:
    bool.

Raises:
    ApiError: The collation is unknown.

Example:
    >>> sluice.equal("US-CA", "ca", "subdivision"), sluice.equal("ca", "US-CA", "subdivision")
    (True, False))";

constexpr const char* filter_type = R"(Filter(values: Iterable[str] = (), excludes: _Flag = False)
--

An advanced filter: rows whose value is one of a list, or all others.

`value in f` is f.matches(value), len(f) how many values it has; without any it is false and every
row passes.

Args:
    values: Any iterable of str, at most 1,000 and 10,000 bytes of text in all. Empty texts are
        dropped; nothing left means no filter.
    excludes: True for the rows whose value is none of the list.

Raises:
    ApiError: There are too many values, or they are too long.

Example:
    >>> f = sluice.Filter(["US", "CA"], excludes=True)
    >>> f, len(f), "FR" in f
    (Filter.parse('-US,CA'), 2, True))";

constexpr const char* parse = R"(parse(text: str) -> Filter
--

Reads the text of a filter: 'US,CA' is any of the two, '-US,CA' none of them.

A comma, a leading dash and a backslash that belong to a value have a backslash before them.

Raises:
    ApiError: The text isn't a filter, or passes its limits.

Example:
    >>> sluice.Filter.parse("-US,CA").matches("FR")
    True)";

constexpr const char* excludes =
    "True if the filter keeps the rows that equal none of its values: bool.";
constexpr const char* values = "The values in their order, without escapes: a tuple of str.";

/// Returns the docstring of matches(), which lists the collations.
std::string matches() {
    std::string list;
    for (const collation_record& record : collation_records) {
        list.append("\n        '").append(record.name).append("': ").append(record.help);
    }
    return R"(matches($self, value: str | None, collation: _Collation = 'exact') -> bool
--

Returns True if a row with this value passes.

Args:
    value: str, or None for a row without a value, which an exclusion keeps.
    collation: How values are compared:)" +
           list + R"(

Returns:
    bool.

Raises:
    ApiError: The collation is unknown.

Example:
    >>> sluice.Filter.parse("us").matches("US", "ignore_case")
    True)";
}

constexpr const char* contains =
    "__contains__($self, value: str | None, /) -> bool\n--\n\nReturn value in self.";

constexpr const char* mask =
    R"(mask($self, array: NDArray[Any], collation: _Collation = 'exact') -> NDArray[np.bool_]
mask($self, array: _Arrow, collation: _Collation = 'exact') -> Mask
mask($self, array: Iterable[Any], collation: _Collation = 'exact') -> list[bool]
--

Tests many values at once; rows without a value pass if the filter excludes.

A row without a value is None, NaN, pandas.NA, NaT or null. A list, tuple, set or array in a row
matches by any of its items.

Args:
    array: Arrow data (pyarrow, polars, pandas: whatever has __arrow_c_stream__ or
        __arrow_c_array__) of text, bytes, dictionaries of them, or lists, read in place and
        without the GIL; a NumPy array; or any other iterable of str.
    collation: As for matches().

Returns:
    A Mask for Arrow data, a NumPy array of bool of the same shape for a NumPy array, else a list
    of bool.

Raises:
    TypeError: A row isn't a text; the message names it, counted from 0.
    ValueError: Arrow data breaks the rules of its interface.
    ApiError: The collation is unknown.

Example:
    >>> sluice.Filter.parse("-US").mask(["US", "CA", None])
    [False, True, True])";

}  // namespace doc

error_code to_code(py::handle name) {
    const utf8_text text(name, "code");
    return unwrap(parse_error_code(text.view()), text.view());
}

int status_of(py::handle code) { return http_status(to_code(code)); }

std::string body_of(py::handle code, py::handle message, py::handle docs_url) {
    return error_body(to_code(code), to_text(message, "message"), to_text(docs_url, "docs_url"));
}

py::list parse_query(py::handle text) {
    const std::string bytes = to_bytes(text, "text");
    const query_string query = parse_query_string(bytes);
    py::list pairs;
    for (const auto& [name, value] : query.pairs()) {
        pairs.append(py::make_tuple(to_python(name), to_python(value)));
    }
    return pairs;
}

std::string write_query(py::handle pairs) { return to_query_text(pairs); }

filter parse(const py::handle text) {
    const utf8_text utf8(text, "text");
    return unwrap(parse_filter(utf8.view()), utf8.view());
}

/// The texts of an iterable; those of a set are sorted.
std::vector<std::string> to_texts(py::handle values) {
    if (PyUnicode_Check(values.ptr())) {
        throw py::type_error("values: expected a list of str, or Filter.parse for one text");
    }
    std::vector<std::string> texts;
    for (const py::handle value : py::reinterpret_borrow<py::iterable>(values)) {
        texts.emplace_back(utf8_text(value, "values").view());
    }
    if (PyAnySet_Check(values.ptr())) std::ranges::sort(texts);
    return texts;
}

/// Creates a filter. It is written and parsed again, so that the limits of parse_filter() hold.
filter make(py::handle values, py::handle excludes) {
    return unwrap(parse_filter(to_string(filter(to_texts(values), to_flag(excludes, "excludes")))));
}

/// The argument `collation`; exact if it is missing. ApiError for an unknown name.
collation to_collation(py::handle name) {
    if (!name) return collation::exact;
    const utf8_text text(name, "collation");
    return static_cast<collation>(
        unwrap_argument(parse_choice<collation_names>(text.view()), "collation", text.view()));
}

/// Implements parse(); see fast_method.hpp.
PyObject* parse_fast(PyObject*, const raw_call& call) {
    const auto [text] = bind_arguments<1>("parse", {"text"}, 1, call);
    return to_new_object(parse(text));
}

/// Returns true if a row with this str passes, or one without a value (None).
bool passes(const filter& self, py::handle value, collation how) {
    if (value.is_none()) return self.matches(std::nullopt, how);
    return self.matches(utf8_text(value, "value", "str or None").view(), how);
}

PyObject* matches(PyObject* self, const raw_call& call) {
    const auto [value, how] = bind_arguments<2>("matches", {"value", "collation"}, 1, call);
    return PyBool_FromLong(passes(value_of<filter>(self), value, to_collation(how)) ? 1 : 0);
}

bool contains(const filter& self, py::handle value) {
    return passes(self, value, collation::exact);
}

bool are_texts_equal(py::handle row, py::handle value, py::handle how) {
    const utf8_text row_text(row, "row"), value_text(value, "value");
    return equal(row_text.view(), value_text.view(), to_collation(how));
}

std::size_t size_of(const filter& self) { return self.values().size(); }

py::object mask(const filter& self, const py::object& rows, py::handle how) {
    return mask_of(arrow::row_filter(self, to_collation(how)), rows);
}

py::tuple values(const filter& self) {
    py::list texts;
    for (const std::string_view value : self.values()) texts.append(to_python(value));
    return py::tuple(texts);
}

py::object text_of(const filter& self) { return to_python(to_string(self)); }

py::tuple arguments(const filter& self) { return py::make_tuple(text_of(self)); }

py::object repr(const filter& self) { return py::str("Filter.parse({!r})").format(text_of(self)); }

bool are_equal(const filter& a, const filter& b) { return a == b; }

py::ssize_t hash(const filter& self) { return py::hash(text_of(self)); }

/// Declares the names of the collations as a type for stubs, and adds their records for the Python
/// package: true if they ignore case, and the marks before and after which the part of a text lies,
/// of which at least one is empty (see text_part).
void register_collations(py::module_& m) {
    declare(m, "_Collation", "_Collation: TypeAlias = " + to_literal(collation_names));
    declare(m, "_COLLATIONS", "_COLLATIONS: Mapping[_Collation, tuple[bool, str, str]]");
    py::dict records;
    for (const collation_record& record : collation_records) {
        const auto mark = [&](text_part::side side) {
            const bool has_it = record.part && record.part->which == side;
            return has_it ? std::string(1, record.part->mark) : std::string();
        };
        records[to_python(record.name)] = py::make_tuple(
            record.ignores_case, mark(text_part::side::before), mark(text_part::side::after));
    }
    m.attr("_COLLATIONS") = records;
}

/// Binds the names of tests as a type, and their records: members in trees, types of columns, and
/// types of the items of lists.
void register_tests(py::module_& m) {
    constexpr auto names = [] {
        std::array<std::string_view, test_kind_count> all;
        for (std::size_t at = 0; at < all.size(); ++at) all[at] = test_records[at].name;
        return all;
    }();
    declare(m, "_Test", "_Test: TypeAlias = " + to_literal(names));
    declare(m, "_ColumnType", "_ColumnType: TypeAlias = " + to_literal(column_type_names));
    declare(m, "_COLUMN_TYPES", "_COLUMN_TYPES: tuple[_ColumnType, ...]");
    declare(m, "_TESTS",
            "_TESTS: Mapping[_Test, tuple[tuple[str, ...], tuple[_ColumnType, ...], "
            "tuple[_ColumnType, ...]]]");
    const auto types_in = [](column_types set) {
        py::list types;
        for (std::size_t at = 0; at < column_type_names.size(); ++at) {
            const bool is_in = (set & set_of(static_cast<column_type>(at))) != 0;
            if (is_in) types.append(to_python(column_type_names[at]));
        }
        return py::tuple(types);
    };
    py::dict records;
    for (const test_record& record : test_records) {
        py::list members;
        for (const std::string_view member : record.members) members.append(to_python(member));
        records[to_python(record.name)] =
            py::make_tuple(py::tuple(members), types_in(record.on), types_in(record.on_lists));
    }
    m.attr("_TESTS") = records;
    m.attr("_COLUMN_TYPES") = types_in(all_column_types());
}

void register_filter(py::module_& m) {
    register_collations(m);
    register_tests(m);
    auto c = make_class<filter>(m, "Filter", doc::filter_type);
    def_constructor(c, make, py::arg("values") = py::tuple(), py::arg("excludes") = false);
    def_static_fast<parse_fast>(c, "parse", doc::parse);
    def_attribute(c, "excludes: bool", &filter::excludes, doc::excludes);
    def_attribute(c, "values: tuple[str, ...]", values, doc::values);
    def_fast<matches>(c, "matches", doc::matches().c_str());
    def(c, "__contains__", contains, doc::contains, py::arg("value"));
    def(c, "__len__", size_of, len_doc);
    def(c, "mask", mask, doc::mask, py::arg("array"), py::arg("collation") = "exact");
    def_equal(c, are_equal);
    def(c, "__hash__", hash, hash_doc);
    def(c, "__str__", text_of, str_doc);
    def(c, "__repr__", repr, repr_doc);
    def_reduce(c, arguments);
    def_pydantic<param_type::filter>(c);
}

void register_constants(py::module_& m) {
    m.attr("FILTER_MAX_VALUES") = filter_max_values;
    m.attr("FILTER_MAX_BYTES") = filter_max_bytes;
}

}  // namespace

void register_primitives(py::module_& m) {
    register_constants(m);
    def(m, "http_status", status_of, doc::http_status, py::arg("code"));
    def(m, "error_body", body_of, doc::error_body, py::arg("code"), py::arg("message"),
        py::arg("docs_url") = "");
    def(m, "parse_query_string", parse_query, doc::parse_query, py::arg("text"));
    def(m, "to_query_string", write_query, doc::write_query, py::arg("pairs"));
    register_filter(m);
    def(m, "equal", are_texts_equal, doc::equal, py::arg("row"), py::arg("value"),
        py::arg("collation") = "exact");
}

}  // namespace sluice::bindings
