// SPDX-License-Identifier: MIT
#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <sluice/params/guideline_errors.hpp>
#include <sluice/query/json_reader.hpp>

#include "convert.hpp"
#include "declarations.hpp"
#include "grammars.hpp"
#include "json_text.hpp"
#include "list_queries.hpp"
#include "raise.hpp"
#include "register.hpp"

namespace sluice::bindings {

namespace {

namespace doc {

constexpr const char* parse_expression =
    R"(parse_expression(grammar: _Grammar, text: str, schema: Iterable[Column], names: Mapping[str, str] | None = None, searched: Iterable[str] = ()) -> dict[str, Any]
--

Reads an expression in the grammar of a guideline.

Args:
    grammar: 'aip160', 'odata' ($filter), 'rsql', 'cql2' (text), 'cql2-json', 'scim' or 'postgrest' (or).
    text: The expression, of at most 10,000 bytes. A blank one is every row.
    schema: The columns.
    names: The names that clients may use, and the columns of the schema that they stand for, such
        as {'createTime': 'created'}; by default every column, by its name.
    searched: Columns of texts in which AIP-160 searches words without a field.

Returns:
    A tree for ListQuery.from_tree(): a dict with the conditions under "where".

Raises:
    ApiError: The text isn't an expression, or names a column that isn't there; the error says where.
    ValueError: The grammar or a column in names or searched is unknown.

Example:
    >>> total = sluice.Column("total", "decimal")
    >>> sluice.grammars.parse_expression("odata", "total gt 5", [total])
    {'where': {'column': 'total', 'gt': '5'}})";

constexpr const char* parse_order =
    R"(parse_order(grammar: _Grammar, text: str, schema: Iterable[Column], names: Mapping[str, str] | None = None) -> list[dict[str, Any]]
--

Reads the sort keys of a list.

The forms are $orderby of OData, order_by of AIP-132, sort of RSQL, sortby of OGC's APIs, sortBy of
SCIM, and order of PostgREST.

Args:
    grammar: As for parse_expression().
    text: Sort keys with commas between them. A blank text isn't an order.
    schema: The columns.
    names: As for parse_expression().

Returns:
    The "order" of a tree for ListQuery.from_tree().

Raises:
    ApiError: The text isn't an order, or names a column that has none; the error says where.
    ValueError: As for parse_expression().

Example:
    >>> total = sluice.Column("total", "decimal")
    >>> sluice.grammars.parse_order("odata", "total desc", [total])
    [{'column': 'total', 'direction': 'desc'}])";

constexpr const char* write_expression =
    R"(write_expression(grammar: _Grammar, tree: Mapping[str, Any], schema: Iterable[Column], names: Mapping[str, str] | None = None) -> str
--

Writes the conditions of a query as an expression, which parse_expression() reads as the same tree.

Args:
    grammar: As for parse_expression().
    tree: A query, as ListQuery.tree() returns it.
    schema: The columns.
    names: As for parse_expression().

Raises:
    ApiError: The grammar can't say a condition, or the tree isn't one.
    ValueError: As for parse_expression().

Example:
    >>> total = sluice.Column("total", "decimal")
    >>> tree = sluice.grammars.parse_expression("odata", "total gt 5", [total])
    >>> sluice.grammars.write_expression("rsql", tree, [total])
    'total=gt=5')";

constexpr const char* guideline_error_answer =
    R"(guideline_error_answer(form: str, errors: Iterable[tuple[int, str, str, str]], domain: str) -> tuple[int, str, bytes]
--

Returns the status, media type and body of an answer with errors, in the form of a guideline.

Args:
    form: 'odata', 'aip' or 'scim'.
    errors: Errors as status, rule, message and parameter ('' for none); at least one.
    domain: The name of the service, for AIP-193.

Raises:
    ValueError: The form is unknown, or there is no error.)";

}  // namespace doc

const column& to_column(const python_schema& schema, std::string_view name,
                        std::string_view argument) {
    if (const column* const match = find_column(schema.columns, name)) return *match;
    throw py::value_error(std::string(argument).append(": not a column of the schema"));
}

/// The columns of an expression, and what they view.
struct python_columns {
    std::shared_ptr<const python_schema> schema{};
    std::vector<std::pair<std::string, std::string>> names{};
    expression_columns columns{columns_view()};
};

python_columns to_columns(const py::object& schema, const py::object& names) {
    python_columns built{to_schema(schema)};
    if (names.is_none()) {
        built.columns = expression_columns(columns_view(built.schema->columns));
        return built;
    }
    for (const auto& item : py::dict(names)) {
        built.names.emplace_back(to_text(item.first, "names"), to_text(item.second, "names"));
    }
    std::vector<expression_column> parts;
    for (const auto& [name, of] : built.names) {
        parts.push_back({name, to_column(*built.schema, of, "names")});
    }
    built.columns = expression_columns(std::move(parts));
    return built;
}

/// Raises the error of an expression or an order. It shows U+FFFD, of the same size, for each lone
/// surrogate.
[[noreturn]] void raise_at(const error& failure, py::handle text) {
    raise(failure, {.text = utf8_text(text, "text", "str", surrogates::character).view()});
}

py::dict parse_expression(const std::string& grammar, py::handle text, const py::object& schema,
                          const py::object& names, const std::vector<std::string>& searched) {
    const grammar_record& record = to_grammar(grammar);
    const utf8_text expression(text, "text", "str", surrogates::kept);
    python_columns built = to_columns(schema, names);
    std::vector<column> in;
    for (const std::string& name : searched) {
        in.push_back(to_column(*built.schema, name, "searched"));
    }
    const auto columns = std::move(built.columns).searching(in);
    auto rows = record.parse(expression.view(), columns);
    if (!rows) raise_at(rows.error(), text);
    py::dict tree;
    tree["where"] = tree_of(list_query{.rows = *std::move(rows)})["where"];
    return tree;
}

py::object parse_order(const std::string& grammar, py::handle text, const py::object& schema,
                       const py::object& names) {
    const grammar_record& record = to_grammar(grammar);
    const utf8_text keys(text, "text", "str", surrogates::kept);
    const python_columns built = to_columns(schema, names);
    auto order = record.parse_order(keys.view(), built.columns);
    if (!order) raise_at(order.error(), text);
    if (order->empty()) return py::list();
    return tree_of(list_query{.order = *std::move(order)})["order"];
}

std::string write_expression(const std::string& grammar, const py::object& tree,
                             const py::object& schema, const py::object& names) {
    const grammar_record& record = to_grammar(grammar);
    const python_columns built = to_columns(schema, names);
    const auto read = parse_list_query(to_json_text(tree, "tree"), built.schema->columns);
    if (!read) sluice::bindings::raise(read.error().why, {.message = message(read.error())});
    return unwrap(to_expression(read->rows, record.kind, built.columns));
}

py::tuple guideline_error_answer(
    const std::string& form,
    const std::vector<std::tuple<int, std::string, std::string, std::string>>& errors,
    const std::string& domain) {
    const auto record = std::ranges::find(error_form_records, form, &error_form_record::name);
    if (record == error_form_records.end() || errors.empty()) {
        throw py::value_error("form: expected odata, aip or scim, and an error");
    }
    std::vector<reported_error> reported;
    for (const auto& [status, rule, message, param] : errors) {
        reported.push_back({status, rule, message, param});
    }
    const response answer = guideline_error_response(record->kind, reported, domain);
    return py::make_tuple(answer.status, to_python(answer.headers[0].value),
                          py::bytes(answer.body));
}

}  // namespace

const grammar_record& to_grammar(const std::string& name) {
    if (const auto kind = find_grammar(name)) return record_of(*kind);
    std::string names;
    for (const std::string_view known : grammar_names) {
        names.append(names.empty() ? "" : ", ").append(known);
    }
    throw py::value_error("grammar: not a grammar, expected " + names);
}

void register_grammars(py::module_& m) {
    declare(m, "_Grammar", "_Grammar: TypeAlias = " + to_literal(grammar_names));
    py::list known;
    for (const std::string_view name : grammar_names) known.append(to_python(name));
    declare(m, "_GRAMMARS", "_GRAMMARS: tuple[_Grammar, ...]");
    m.attr("_GRAMMARS") = py::tuple(known);
    def(m, "parse_expression", parse_expression, doc::parse_expression, py::arg("grammar"),
        py::arg("text"), py::arg("schema"), py::arg("names") = py::none(),
        py::arg("searched") = py::tuple());
    def(m, "guideline_error_answer", guideline_error_answer, doc::guideline_error_answer,
        py::arg("form"), py::arg("errors"), py::arg("domain"));
    def(m, "parse_order", parse_order, doc::parse_order, py::arg("grammar"), py::arg("text"),
        py::arg("schema"), py::arg("names") = py::none());
    def(m, "write_expression", write_expression, doc::write_expression, py::arg("grammar"),
        py::arg("tree"), py::arg("schema"), py::arg("names") = py::none());
}

}  // namespace sluice::bindings
