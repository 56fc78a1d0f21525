// SPDX-License-Identifier: MIT
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <pybind11/pybind11.h>

#include <sluice/base/visit.hpp>
#include <sluice/query/aggregate_reader.hpp>
#include <sluice/query/aggregate_result.hpp>
#include <sluice/query/aggregation.hpp>
#include <sluice/query/facets.hpp>
#include <sluice/query/json_reader.hpp>

#include "aggregates.hpp"
#include "convert.hpp"
#include "json_text.hpp"
#include "list_queries.hpp"
#include "python_row.hpp"
#include "query_sql.hpp"
#include "raise.hpp"
#include "register.hpp"
#include "table_masks.hpp"
#include "values.hpp"

namespace sluice::bindings {

namespace {

namespace doc {

constexpr const char* aggregate =
    R"(aggregate(rows: Iterable[object], tree: Mapping[str, Any], schema: Iterable[Column], columns: Mapping[str, str | None] | None = None) -> list[dict[str, Any]]
--

Groups and measures rows: counts, exact sums, averages, least, largest and distinct values.

Rows without a value in a column are a group, None. If a bucket of time is the only group, every
bucket is there, those without rows too.

Args:
    rows: Mappings or other objects, as matches() of a query takes them.
    tree: A dict with "where", the conditions of a query's tree(); "group_by", a list of
        {"column": name}, with "path" of a JSON column, or with "bucket" (hour, day, week, month,
        quarter, year) and "zone" of a time; "measures", a list of {"measure": "count"}, or of sum,
        min, max, average, count_distinct or approx_count_distinct with a "column"; "order", a list
        of {"measure": name} or {"group": name} with a "direction", asc or desc; "limit", 1 to
        10,000. "as" names a group or a measure. All are optional.
    schema: The columns.
    columns: Other names by the columns of the schema, as for matches().

Returns:
    A list of dicts, with a member for every group and measure. Decimals are Decimal, times
    aware datetimes.

Raises:
    ApiError: The tree isn't one, there are more than 1,000,000 groups, or a sum of decimals has more
        than 10,000 digits.
    TypeError: A value is of a type that can't be compared exactly; the message names its column.
    ValueError: A row has no such column, or a value can't be read.

Example:
    >>> orders = [{"country": "US", "total": "19.90"}, {"country": "US", "total": 7}]
    >>> columns = [sluice.Column("country"), sluice.Column("total", "decimal")]
    >>> sums = [{"measure": "sum", "column": "total"}]
    >>> tree = {"group_by": [{"column": "country"}], "measures": sums}
    >>> sluice.groups.aggregate(orders, tree, columns)
    [{'country': 'US', 'sum_total': Decimal('26.9')}])";

constexpr const char* facet_tree =
    R"(facet_tree(tree: Mapping[str, Any], schema: Iterable[Column], column: str, values: int = 10) -> dict[str, Any]
--

Creates the tree of a facet: the most frequent values of a column.

They are counted under the conditions of a list query on other columns. An answer may have missing
values too, which are none of the facet's, so the tree has one group more.

Args:
    tree: The tree() of a query.
    schema: The columns.
    column: The name of the facet's column.
    values: The number of values, 1 to 100.

Returns:
    A tree for aggregate() and aggregate_sql(), with the measure count.

Raises:
    ApiError: The tree isn't one, the column has no groups, or there are too many values.
    ValueError: The schema lacks the column.

Example:
    >>> columns = [sluice.Column("country"), sluice.Column("device")]
    >>> tree = {"where": {"column": "country", "any_of": ["US"]}}
    >>> sluice.groups.facet_tree(tree, columns, "country")["where"]
    {'all': []})";

}  // namespace doc

/// Converts a value of an answer.
struct value_converter {
    py::object operator()(std::monostate) const { return py::none(); }
    py::object operator()(const std::string& text) const { return to_python(text); }
    py::object operator()(std::int64_t number) const { return py::int_(number); }
    py::object operator()(const decimal_number& number) const {
        return py::module_::import("decimal").attr("Decimal")(to_python(number.text()));
    }
    py::object operator()(double number) const { return py::float_(number); }
    py::object operator()(bool flag) const { return py::bool_(flag); }
    py::object operator()(instant at) const { return to_datetime(at); }
    py::object operator()(calendar_day day) const {
        const py::object date = py::module_::import("datetime").attr("date");
        return date.attr("fromisoformat")(to_python(format_day(day)));
    }
};

/// Converts a measure: sums of integers are ints, whatever their size.
py::object to_measure(const measure& of, const aggregate_value& value) {
    py::object converted = sluice::detail::visit_as<py::object>(value_converter(), value);
    const bool is_integer = of.of.type == column_type::integer;
    if (of.kind == measure_kind::sum && is_integer) return py::int_(converted);
    return converted;
}

py::list aggregate(py::handle rows, const py::object& tree, py::handle schema, py::handle columns) {
    const auto known = to_schema(schema);
    const aggregate_query query = to_aggregate_query(tree, known->columns);
    const column_names names = to_column_names(columns, known->columns);
    aggregation groups(query);
    if (!py::isinstance<py::iterable>(rows)) refuse_type("rows", "an iterable of rows", rows);
    for (const py::handle object : py::iter(rows)) {
        python_row row(object, names);
        groups.add([&](const column& by) { return row.at(by); });
    }
    const aggregate_result answer = unwrap(groups.finish());
    py::list all;
    for (const aggregate_row& row : answer) {
        py::dict members;
        for (std::size_t at = 0; at < row.groups.size(); ++at) {
            members[to_python(name_of(query.group_by[at]))] =
                sluice::detail::visit_as<py::object>(value_converter(), row.groups[at]);
        }
        for (std::size_t at = 0; at < row.measures.size(); ++at) {
            members[to_python(name_of(query.measures[at]))] =
                to_measure(query.measures[at], row.measures[at]);
        }
        all.append(std::move(members));
    }
    return all;
}

py::dict facet_tree(const py::object& tree, py::handle schema, const std::string& name,
                    std::int64_t values) {
    if (!is_mapping(tree)) refuse_type("tree", "a mapping", tree);
    const auto known = to_schema(schema);
    const auto read = parse_list_query(to_json_text(tree, "tree"), known->columns);
    if (!read) raise(read.error().why, {.message = message(read.error())});
    const column* const by = find_column(known->columns, name);
    if (by == nullptr) throw py::value_error("column: the schema has no column '" + name + "'");
    if (auto checked = check_facet_values(values); !checked) raise(checked.error(), {});
    const aggregate_query query = facet_query(*read, *by, values);
    if (auto checked = check(query); !checked) raise(checked.error(), {});
    return py::module_::import("json").attr("loads")(to_json(query));
}

}  // namespace

aggregate_query to_aggregate_query(const py::object& tree, columns_view columns) {
    if (!is_mapping(tree)) refuse_type("tree", "a mapping", tree);
    static const time_zone_database utc({time_zone::utc()});
    const time_zone_database& zones = system_zones() == nullptr ? utc : *system_zones();
    auto read = parse_aggregate_query(to_json_text(tree, "tree"), columns, zones);
    if (!read) raise(read.error().why, {.message = message(read.error())});
    return *std::move(read);
}

void register_aggregates(py::module_& m) {
    def(m, "aggregate", aggregate, doc::aggregate, py::arg("rows"), py::arg("tree"),
        py::arg("schema"), py::arg("columns") = py::none());
    def(m, "facet_tree", facet_tree, doc::facet_tree, py::arg("tree"), py::arg("schema"),
        py::arg("column"), py::arg("values") = facet_values_default);
    def(m, "aggregate_sql", aggregate_statement, aggregate_statement_doc, py::arg("tree"),
        py::arg("schema"), py::arg("dialect"), py::arg("table"), py::kw_only(),
        py::arg("columns") = py::none(), py::arg("metadata") = "prepared");
}

}  // namespace sluice::bindings
