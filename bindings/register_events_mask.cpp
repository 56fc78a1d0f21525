// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <sluice/api/events_mask.hpp>

#include "arrow_source.hpp"
#include "filter_rows.hpp"
#include "queries.hpp"
#include "register.hpp"

namespace sluice::bindings {

namespace {

/// The argument `columns`: names by parameter, or None where no column is asked.
api::mask_columns to_columns(const py::object& columns) {
    api::mask_columns named;
    if (columns.is_none()) return named;
    if (!py::hasattr(columns, "items")) throw py::type_error("columns: expected a mapping");
    for (const py::handle item : columns.attr("items")()) {
        const auto [parameter, column] = py::cast<std::pair<py::object, py::object>>(item);
        auto& where = named[std::string(utf8_text(parameter, "columns").view())];
        if (!column.is_none()) where = utf8_text(column, "columns", "str or None").view();
    }
    return named;
}

/// A row's time: an aware datetime, milliseconds since 1970 or RFC 3339; None is in no window.
bool time_passes(py::handle row, const time_range& window) {
    if (row.is_none()) return false;
    instant at;
    if (PyUnicode_Check(row.ptr())) {
        const utf8_text text(row, "timestamp");
        at = unwrap(parse_timestamp(text.view()), text.view());
    } else if (PyLong_Check(row.ptr())) {
        at = instant{std::chrono::milliseconds{to_integer(row, "timestamp")}};
    } else {
        at = to_instant(row);
    }
    return at <= window.end && (!window.start || at >= *window.start);
}

bool passes(py::handle row, const arrow::condition& asked) {
    if (const auto* const wanted = std::get_if<arrow::row_filter>(&asked.wanted)) {
        return row_passes(row, *wanted, true);
    }
    if (const auto* const window = std::get_if<time_range>(&asked.wanted)) {
        return time_passes(row, *window);
    }
    const auto& test = std::get<arrow::text_test>(asked.wanted);
    if (row.is_none()) return test.absent;
    return test.holds(utf8_text(row, asked.parameter, "JSON text or None").view());
}

/// A column of Python objects, row by row.
arrow::row_bits object_mask(py::handle rows, const arrow::condition& asked) {
    arrow::row_bits all;
    for (const py::handle row : rows) {
        const std::uint64_t bit = passes(row, asked) ? 1 : 0;
        all.append({&bit, 1}, 1);
    }
    return all;
}

arrow::row_bits arrow_mask(py::handle rows, const arrow::condition& asked) {
    const auto of_chunk = [&](const arrow::data_type& type, const ArrowArray& chunk) {
        const arrow::row_span all{
            0, static_cast<std::size_t>(std::max<std::int64_t>(chunk.length, 0))};
        return arrow::column_mask(asked, type, chunk, all, arrow::row_bits(all.count, true));
    };
    const auto prepare = [&](const arrow::data_type&) {
        return arrow::import_result<decltype(of_chunk)>(of_chunk);
    };
    return unwrap_import(arrow_source(rows).mask(prepare), "");
}

/// NumPy's texts where they lie; its times as whole milliseconds, the earlier where they are finer.
arrow::row_bits numpy_column_mask(const py::object& rows, const arrow::condition& asked) {
    if (const auto* const wanted = std::get_if<arrow::row_filter>(&asked.wanted)) {
        if (auto mask = numpy_mask(rows, *wanted)) return std::move(*mask);
    }
    if (py::cast<std::string>(rows.attr("dtype").attr("kind")) != "M") {
        return object_mask(rows.attr("tolist")(), asked);
    }
    const py::object numpy = py::module_::import("numpy");
    const py::list times =
        rows.attr("astype")("datetime64[ms]").attr("astype")("int64").attr("tolist")();
    const py::list absent = numpy.attr("isnat")(rows).attr("tolist")();
    for (std::size_t row = 0; row < times.size(); ++row) {
        if (absent[row].ptr() == Py_True) times[row] = py::none();
    }
    return object_mask(times, asked);
}

arrow::row_bits any_column_mask(const py::object& rows, const arrow::condition& asked) {
    if (py::isinstance<py::str>(rows)) {
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

row_mask mask(const events_request& r, const py::object& table, const py::object& columns) {
    auto asked = unwrap_import(api::mask_conditions(r.query, to_columns(columns)), "");
    if (arrow_source::is_in(table)) return to_mask(table_mask(table, std::move(asked)));
    if (py::hasattr(table, "keys")) return to_mask(mapping_mask(table, asked));
    throw py::type_error("table: expected Arrow data or a mapping of names to columns");
}

}  // namespace

void register_events_mask(py::class_<events_request>& c) {
    c.def(
        "mask", mask, py::arg("table"), py::arg("columns") = py::none(),
        "Which rows of a table of events of the query's kind lie in its window and match its\n"
        "filters and expression; page, limit and order don't matter. table: whatever has\n"
        "__arrow_c_stream__ or __arrow_c_array__ (pyarrow, polars, pandas, DuckDB), read where\n"
        "it lies and without the GIL, or a mapping of names to columns. Each parameter is asked\n"
        "of the column of its name, the window of 'timestamp' (Arrow timestamps, int64\n"
        "milliseconds or RFC 3339), query of 'metadata' (JSON text), root of 'key'. columns names\n"
        "others: {'country': 'geo'}; None in it says that all rows are known to match. A column\n"
        "that is not there is a ValueError.");
}

}  // namespace sluice::bindings
