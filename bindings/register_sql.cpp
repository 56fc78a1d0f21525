// SPDX-License-Identifier: MIT
#include <string>
#include <utility>

#include <pybind11/stl.h>

#include <sluice/sql/prepare.hpp>
#include <sluice/sql/statement.hpp>

#include "convert.hpp"
#include "query_sql.hpp"
#include "raise.hpp"
#include "register.hpp"

namespace sluice::bindings {

namespace {

namespace doc {

constexpr const char* prepare =
    R"(prepare(json: str | bytes) -> tuple[dict[str, str], dict[str, str]]
--

The two maps that a table stores of JSON, so that any database compares it exactly.

Both are by JSON pointer. One has texts: strings, the words of booleans and, for groups by a path,
numbers as they are written, at "=" and their pointer. The other has the order keys of numbers, and
of strings that read as numbers.

Args:
    json: A JSON text.

Returns:
    The texts and the numbers, two dicts of str to str.

Raises:
    ApiError: The text isn't JSON.

Example:
    >>> sluice.sql.prepare('{"plan": "pro", "seats": {"used": 12}}')
    ({'/plan': 'pro', '=/seats/used': '12'}, {'/seats/used': '211212'}))";

constexpr const char* order_key = R"(order_key(number: str) -> str
--

A text for a JSON number: such texts are ordered as the numbers are, whatever their digits.

Args:
    number: A JSON number, such as '10.50'.

Returns:
    A str; equal numbers have equal ones.

Raises:
    ApiError: The text isn't a number.

Example:
    >>> sluice.sql.order_key("9.5") < sluice.sql.order_key("10") == sluice.sql.order_key("1e1")
    True)";

}  // namespace doc

py::object prepare(py::handle json) {
    const std::string text = to_bytes(json, "json", surrogates::character);
    const auto maps = unwrap(sql::prepare(text), text);
    return py::cast(std::pair(maps.texts, maps.numbers));
}

std::string order_key(py::handle number) {
    const utf8_text text(number, "number");
    auto key = sql::order_key(text.view());
    if (key) return *std::move(key);
    raise(make_error(rule::number_malformed, 0, text.view().size()), {.text = text.view()});
}

}  // namespace

void register_sql(py::module_& m) {
    declare(m, "_Dialect", "_Dialect: TypeAlias = " + to_literal(sql::dialect_names));
    declare(m, "_DIALECTS", "_DIALECTS: tuple[_Dialect, ...]");
    m.attr("_DIALECTS") = py::tuple(py::cast(sql::dialect_names));
    def(m, "ddl", ddl, ddl_doc, py::arg("schema"), py::arg("dialect"), py::arg("table"),
        py::kw_only(), py::arg("metadata") = "prepared");
    def(m, "prepare", prepare, doc::prepare, py::arg("json"));
    def(m, "order_key", order_key, doc::order_key, py::arg("number"));
}

}  // namespace sluice::bindings
