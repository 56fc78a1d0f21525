// SPDX-License-Identifier: MIT
#include <string>
#include <utility>

#include <sluice/reference/events/events_mask.hpp>

#include "convert.hpp"
#include "mask.hpp"
#include "queries.hpp"
#include "register.hpp"
#include "table_masks.hpp"
#include "values.hpp"

namespace sluice::bindings {

namespace {

constexpr const char* mask_doc =
    R"(mask($self, table: _Table | Mapping[str, Any], columns: Mapping[str, str | None] | None = None) -> Mask
--

Returns the rows of a table of events in the window that match the conditions, as a Mask.

The events are of the query's kind. Page, limit and order don't matter. A parameter
tests the column of its name, the window 'timestamp', query 'metadata' and root 'key'. Rows without
a value pass if a filter excludes; one without a time is in no window.

Args:
    table: An object with __arrow_c_stream__ or __arrow_c_array__ (pyarrow, polars, pandas, DuckDB),
        read in place and without the GIL; a lazy frame of polars, whose columns in the
        conditions are collected; a dataset or a scanner of pyarrow, read by batches; or a
        mapping of names to columns: Arrow data, NumPy arrays or any iterables. Texts are str;
        times are timestamps of any unit, in UTC if they have no zone, aware datetimes,
        int milliseconds since 1970 or RFC 3339 text; metadata is JSON text, structs, maps, or
        objects as json.loads returns them.
    columns: Names of other columns by parameter, such as {'country': 'geo'}; click.country is a
        column of this name, or field country of the struct click. None as a name says that all
        rows are known to match.

Returns:
    A Mask.

Raises:
    TypeError: A column is of a type that can't be compared; the message names it.
    ValueError: A column is not there, or a value in it can't be read; the message names the row,
        counted from 0.

Example:
    >>> query = sluice.api.EventsQuery.parse("country=US&interval=all")
    >>> query.mask({"timestamp": [0, 0], "country": ["US", None]}).tolist()
    [True, False])";

row_mask mask(const events_request& request, const py::object& table, py::handle columns) {
    return table_mask(
        table,
        unwrap_import(reference::mask_conditions(request.query, to_column_names(columns)), ""));
}

}  // namespace

void register_events_mask(py::class_<events_request>& c) {
    def(c, "mask", mask, mask_doc, py::arg("table"), py::arg("columns") = py::none());
}

}  // namespace sluice::bindings
