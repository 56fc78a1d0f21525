// SPDX-License-Identifier: MIT
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <sluice/api/events/events_mask.hpp>

#include "arrow_source.hpp"
#include "convert.hpp"
#include "filter_rows.hpp"
#include "queries.hpp"
#include "register.hpp"
#include "values.hpp"

namespace sluice::bindings {

namespace {

constexpr const char* doc =
    R"(mask($self, table: _Arrow | Mapping[str, Any], columns: Mapping[str, str | None] | None = None) -> Mask
--

Which rows of a table of events lie in the window and match the conditions.

The events are of the query's kind. Page, limit and order don't matter. Each parameter is asked of the column of its name, the window
of 'timestamp', query of 'metadata' and root of 'key'. Rows without a value pass where a filter
excludes; one without a time is in no window.

Args:
    table: Whatever has __arrow_c_stream__ or __arrow_c_array__ (pyarrow, polars, pandas, DuckDB),
        read where it lies and without the GIL, or a mapping of names to columns: Arrow data, NumPy
        arrays or any iterables. Texts are str; times are timestamps of any unit, where those
        without a zone count in UTC, aware datetimes, int milliseconds since 1970 or RFC 3339 text;
        metadata is JSON text.
    columns: Names of other columns by parameter, such as {'country': 'geo'}. None as a name says
        that all rows are known to match.

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

/// The argument `columns`: names by parameter, or None where no column is asked.
api::mask_columns to_columns(PyObject* columns) {
    api::mask_columns named;
    if (columns == nullptr || columns == Py_None) return named;
    if (!py::hasattr(columns, "items")) refuse_type("columns", "a mapping", columns);
    for (const py::handle item : to_pairs_of(columns, "columns")) {
        const py::sequence pair = to_pair(item, "columns");
        auto& where = named[to_text(pair[0], "columns")];
        if (!pair[1].is_none()) where = utf8_text(pair[1], "columns", "str or None").view();
    }
    return named;
}

/// A row's time: an aware datetime, milliseconds since 1970 or RFC 3339; nothing where it is
/// missing.
std::optional<instant> to_time(py::handle row, const name_place& place) {
    if (is_missing(row)) return std::nullopt;
    if (PyUnicode_Check(row.ptr())) {
        const auto at = parse_timestamp(utf8_text(row, "").view());
        if (at) return *at;
        throw py::value_error(place() + ": expected RFC 3339 text");
    }
    if (PyIndex_Check(row.ptr()) != 0 && !PyBool_Check(row.ptr())) {
        return instant{std::chrono::milliseconds{to_integer(row, place())}};
    }
    return to_instant(row, place());
}

bool passes(py::handle row, const arrow::condition& asked, const name_place& place) {
    if (const auto* const wanted = std::get_if<arrow::row_filter>(&asked.wanted)) {
        return row_passes(row, *wanted, place);
    }
    if (const auto* const window = std::get_if<time_range>(&asked.wanted)) {
        const auto at = to_time(row, place);
        return at && window->contains(*at);
    }
    const auto& test = std::get<arrow::text_test>(asked.wanted);
    if (is_missing(row)) return test.absent;
    if (!PyUnicode_Check(row.ptr())) refuse_type(place(), "JSON text or None", row);
    return test.holds(utf8_text(row, "").view());
}

/// A column of Python objects, row by row.
arrow::row_bits object_mask(py::handle rows, const arrow::condition& asked) {
    arrow::row_bits all;
    for (const py::handle row : rows) {
        const auto place = [&] {
            return asked.parameter + ": column '" + asked.column + "', row " +
                   std::to_string(all.size());
        };
        const std::uint64_t bit = passes(row, asked, place) ? 1 : 0;
        all.append({&bit, 1}, 1);
    }
    return all;
}

arrow::row_bits arrow_mask(py::handle rows, const arrow::condition& asked) {
    const auto of_chunk = [&](const arrow::data_type& type, const ArrowArray& chunk) {
        return arrow::column_mask(asked, type, chunk);
    };
    const auto prepare = [&](const arrow::data_type& type) {
        return arrow::check_type(asked, type).map([&] { return of_chunk; });
    };
    return unwrap_import(arrow_source(rows).mask(prepare), "");
}

/// The times of a masked array with NaT where they are masked; those of any other as they are.
py::object without_masked(const py::object& times) {
    if (!py::hasattr(times, "filled")) return times;
    return times.attr("filled")(py::module_::import("numpy").attr("datetime64")("NaT"));
}

/// NumPy's times; those of other units than seconds to nanoseconds are rounded to these first.
arrow::row_bits numpy_time_mask(const py::object& rows, const time_range& window) {
    const py::module_ numpy = py::module_::import("numpy");
    const auto [unit, count] =
        py::cast<std::pair<std::string, int>>(numpy.attr("datetime_data")(rows.attr("dtype")));
    const std::map<std::string, std::int64_t> ticks_a_second{
        {"s", 1}, {"ms", 1'000}, {"us", 1'000'000}, {"ns", 1'000'000'000}};
    const auto known = ticks_a_second.find(unit);
    if (known == ticks_a_second.end() || count != 1) {
        const bool is_finer = unit == "ps" || unit == "fs" || unit == "as";
        return numpy_time_mask(rows.attr("astype")(is_finer ? "datetime64[ns]" : "datetime64[s]"),
                               window);
    }
    const py::object ticks = numpy.attr("ascontiguousarray")(rows).attr("astype")("<i8");
    const held_buffer buffer(ticks, PyBUF_CONTIG_RO);
    const auto* const first = static_cast<const std::int64_t*>((*buffer).buf);
    const auto size = py::cast<std::size_t>(ticks.attr("size"));
    return without_gil([&] { return arrow::ticks_mask({first, size}, known->second, window); });
}

/// NumPy's texts and times where they lie, all else row by row.
arrow::row_bits numpy_column_mask(const py::object& rows, const arrow::condition& asked) {
    if (const auto* const wanted = std::get_if<arrow::row_filter>(&asked.wanted)) {
        if (auto mask = numpy_mask(rows, *wanted)) return std::move(*mask);
    }
    const auto* const window = std::get_if<time_range>(&asked.wanted);
    const bool is_time = py::cast<std::string>(rows.attr("dtype").attr("kind")) == "M";
    if (window != nullptr && is_time) return numpy_time_mask(without_masked(rows), *window);
    return object_mask(rows.attr("tolist")(), asked);
}

arrow::row_bits any_column_mask(const py::object& rows, const arrow::condition& asked) {
    if (PyUnicode_Check(rows.ptr())) {
        throw py::type_error(asked.parameter + ": expected a column, not str");
    }
    if (is_numpy_array(rows)) return numpy_column_mask(rows, asked);
    if (arrow_source::is_in(rows)) return arrow_mask(rows, asked);
    return object_mask(rows, asked);
}

std::size_t rows_of(const py::object& table) {
    for (const py::handle column : table.attr("values")()) return py::len(column);
    return 0;
}

arrow::row_bits mapping_mask(const py::object& table, const std::vector<arrow::condition>& asked) {
    arrow::row_bits passed(rows_of(table), true);
    for (const arrow::condition& each : asked) {
        const py::str name(each.column);
        if (!table.contains(name)) {
            throw py::value_error(each.parameter + ": the table has no column '" + each.column +
                                  "'");
        }
        const arrow::row_bits one = any_column_mask(table[name], each);
        if (one.size() != passed.size()) {
            throw py::value_error(each.parameter + ": column '" + each.column + "' has " +
                                  std::to_string(one.size()) + " rows, not " +
                                  std::to_string(passed.size()));
        }
        passed.intersect(one);
    }
    return passed;
}

arrow::row_bits table_mask(const py::object& table, std::vector<arrow::condition> asked) {
    const auto prepare = [&](const arrow::data_type& type) {
        return arrow::table_filter::make(type, std::move(asked)).map([](arrow::table_filter made) {
            return [rows = std::move(made)](const arrow::data_type&, const ArrowArray& chunk) {
                return rows.mask(chunk);
            };
        });
    };
    return unwrap_import(arrow_source(table).mask(prepare), "");
}

PyObject* mask(PyObject* self, const raw_call& call) {
    const auto& query = held_by<events_request>(self).query;
    const auto [given, columns] = bind_arguments<2>("mask", {"table", "columns"}, 1, call);
    const auto table = py::reinterpret_borrow<py::object>(given);
    auto asked = unwrap_import(api::mask_conditions(query, to_columns(columns)), "");
    if (arrow_source::is_in(table))
        return to_new_object(to_mask(table_mask(table, std::move(asked))));
    if (py::hasattr(table, "keys")) return to_new_object(to_mask(mapping_mask(table, asked)));
    refuse_type("table", "Arrow data or a mapping of names to columns", table);
}

}  // namespace

void register_events_mask(py::class_<events_request>& c) { def_fast<mask>(c, "mask", doc); }

}  // namespace sluice::bindings
