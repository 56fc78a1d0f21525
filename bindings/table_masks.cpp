// SPDX-License-Identifier: MIT
#include "table_masks.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "arrow_source.hpp"
#include "background.hpp"
#include "convert.hpp"
#include "filter_rows.hpp"
#include "package.hpp"
#include "python_row.hpp"
#include "values.hpp"

namespace sluice::bindings {

namespace {

/// Visitor of a condition's test that returns true if a Python value of its column meets it.
struct row_test {
    py::handle row;
    const name_place& place;
    const arrow::condition& condition;

    bool operator()(const arrow::row_filter& wanted) const {
        return row_passes(row, wanted, place);
    }
    bool operator()(const time_range& window) const {
        return !is_missing(row) && window.contains(to_time(row, place));
    }
    bool operator()(const arrow::integer_test& test) const {
        if (is_missing(row)) return arrow::passes(test, std::nullopt);
        return arrow::passes(test, to_whole_number(row, place));
    }
    bool operator()(const bounds<decimal_number>& test) const {
        if (is_missing(row)) return false;
        const auto number = parse_decimal_number(to_decimal_text(row, place));
        return number && test.contains(*number);
    }
    bool operator()(const boolean_test& test) const {
        return !is_missing(row) && to_flag(row.ptr(), place()) == test.wanted;
    }
    bool operator()(const arrow::text_test& test) const {
        if (is_missing(row)) return test.absent;
        if (!PyUnicode_Check(row.ptr())) return meets_source();
        return test.holds(utf8_text(row, "", "str", surrogates::character).view());
    }
    bool operator()(const arrow::value_test&) const { return meets_source(); }
    bool operator()(const null_test&) const { return meets_source(); }
    bool operator()(const bounds<double>&) const { return meets_source(); }
    bool operator()(const arrow::day_test&) const { return meets_source(); }
    bool operator()(const arrow::name_test&) const { return meets_source(); }
    bool operator()(const arrow::list_test&) const { return meets_source(); }

private:
    /// Returns true if the value meets the condition as in matches().
    [[nodiscard]] bool meets_source() const {
        static const column_names by_schema;
        const auto value = py::reinterpret_borrow<py::object>(row);
        return python_row(row, by_schema).meets(condition.source.value(), value, place);
    }
};

/// The mask of a column of Python objects, computed row by row.
arrow::row_bits object_mask(py::handle rows, const arrow::condition& condition) {
    arrow::row_bits all;
    row_pauses pauses;
    for (const py::handle row : rows) {
        pauses.next();
        const auto place = [&] {
            return condition.parameter + ": column '" + condition.column + "', row " +
                   std::to_string(all.size());
        };
        const std::uint64_t bit =
            std::visit(row_test{row, place, condition}, condition.wanted) ? 1 : 0;
        all.append({&bit, 1}, 1);
    }
    return all;
}

/// The mask of a column of Arrow data.
arrow::row_bits arrow_mask(py::handle rows, const arrow::condition& condition) {
    const auto of_chunk = [&](const arrow::data_type& type, const ArrowArray& chunk) {
        return arrow::column_mask(condition, type, chunk);
    };
    const auto prepare = [&](const arrow::data_type& type) {
        return arrow::check_type(condition, type).map([&] { return of_chunk; });
    };
    return unwrap_import(arrow_source(rows).mask(prepare), "");
}

/// The times of a masked array with NaT for masked elements; other arrays are returned unchanged.
py::object without_masked(const py::object& times) {
    if (!py::hasattr(times, "filled")) return times;
    return times.attr("filled")(py::module_::import("numpy").attr("datetime64")("NaT"));
}

/// The mask of a NumPy array of times. Units other than s, ms, us and ns are converted first.
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

/// The Arrow type of a NumPy array's numbers, whose memory is laid out alike; nullopt for others.
std::optional<arrow::data_type> numpy_number_type(const py::object& rows) {
    const py::object dtype = rows.attr("dtype");
    const auto kind = py::cast<std::string>(dtype.attr("kind"));
    const auto width = py::cast<std::size_t>(dtype.attr("itemsize"));
    const bool is_number = kind == "i" || kind == "u" || kind == "f";
    if (!is_number || width > sizeof(double)) return std::nullopt;
    arrow::data_type type;
    type.id = kind == "f" ? arrow::type_id::real : arrow::type_id::integer;
    type.width = static_cast<std::uint8_t>(width);
    type.is_signed = kind == "i";
    return type;
}

/// The mask of a NumPy array of numbers that are compared as integers or reals, computed without
/// the GIL; nullopt for other arrays and conditions.
std::optional<arrow::row_bits> numpy_number_mask(const py::object& rows,
                                                 const arrow::condition& condition) {
    const bool is_numeric = std::holds_alternative<bounds<double>>(condition.wanted) ||
                            std::holds_alternative<arrow::integer_test>(condition.wanted);
    const py::module_ numpy = py::module_::import("numpy");
    // Subclasses such as masked arrays may give their elements another meaning.
    const bool is_plain = py::type::handle_of(rows).is(numpy.attr("ndarray")) &&
                          py::cast<int>(rows.attr("ndim")) == 1;
    if (!is_numeric || !is_plain) return std::nullopt;
    const auto type = numpy_number_type(rows);
    if (!type || !arrow::check_type(condition, *type)) return std::nullopt;
    // Copies only if the array isn't contiguous, aligned and in native byte order.
    const py::object plain =
        numpy.attr("require")(rows, rows.attr("dtype").attr("newbyteorder")("="), "CA");
    const held_buffer buffer(plain, PyBUF_CONTIG_RO);
    std::array<const void*, 2> buffers{nullptr, (*buffer).buf};
    ArrowArray array{};
    array.length = py::cast<std::int64_t>(plain.attr("size"));
    array.n_buffers = 2;
    array.buffers = buffers.data();
    array.release = [](ArrowArray*) {};  // NumPy keeps the memory
    return unwrap_import(without_gil([&] { return arrow::column_mask(condition, *type, array); }),
                         "");
}

/// The elements of a NumPy array of bytes as a column of Arrow's. NumPy has none that ends with
/// NUL.
struct bytes_column {
    std::string texts{};
    std::vector<std::int64_t> ends{0};

    bytes_column(std::string_view all, std::size_t width, std::size_t count) {
        ends.reserve(count + 1);
        for (std::size_t at = 0; at < count; ++at) {
            const std::string_view padded = all.substr(at * width, width);
            texts.append(padded, 0, padded.find_last_not_of('\0') + 1);
            ends.push_back(static_cast<std::int64_t>(texts.size()));
        }
    }
};

/// The bitmap of the elements of a masked array that aren't masked.
std::string present_bits(const py::object& rows) {
    const py::module_ numpy = py::module_::import("numpy");
    const py::object present = ~numpy.attr("ma").attr("getmaskarray")(rows);
    const py::object bits = numpy.attr("packbits")(present, py::arg("bitorder") = "little");
    return py::cast<std::string>(bits.attr("tobytes")());
}

/// The mask of a NumPy array of bytes, which are compared as texts, computed without the GIL;
/// nullopt for other arrays.
std::optional<arrow::row_bits> numpy_bytes_mask(const py::object& rows,
                                                const arrow::condition& condition) {
    const py::module_ numpy = py::module_::import("numpy");
    const py::handle kind = py::type::handle_of(rows);
    const bool is_masked = kind.is(numpy.attr("ma").attr("MaskedArray"));
    const bool is_known = is_masked || kind.is(numpy.attr("ndarray"));
    const bool is_bytes = py::cast<std::string>(rows.attr("dtype").attr("kind")) == "S";
    if (!is_known || !is_bytes || py::cast<int>(rows.attr("ndim")) != 1) return std::nullopt;
    const std::string present = is_masked ? present_bits(rows) : std::string();
    const py::object plain = numpy.attr("ascontiguousarray")(numpy.attr("asarray")(rows));
    const held_buffer buffer(plain, PyBUF_CONTIG_RO);
    const auto width = static_cast<std::size_t>((*buffer).itemsize);
    const auto count = py::cast<std::size_t>(plain.attr("size"));
    arrow::data_type type;
    type.id = arrow::type_id::text64;
    type.format = "U";
    const auto compute = [&] {
        const bytes_column column({static_cast<const char*>((*buffer).buf), count * width}, width,
                                  count);
        std::array<const void*, 3> buffers{is_masked ? present.data() : nullptr, column.ends.data(),
                                           column.texts.data()};
        ArrowArray array{};
        array.length = static_cast<std::int64_t>(count);
        array.null_count = is_masked ? -1 : 0;
        array.n_buffers = buffers.size();
        array.buffers = buffers.data();
        array.release = [](ArrowArray*) {};  // the column keeps the memory
        return arrow::column_mask(condition, type, array);
    };
    return unwrap_import(without_gil(compute), "");
}

/// The mask of a NumPy array: texts, numbers and times in place, other types row by row.
arrow::row_bits numpy_column_mask(const py::object& rows, const arrow::condition& condition) {
    if (const auto* const wanted = std::get_if<arrow::row_filter>(&condition.wanted)) {
        if (auto mask = numpy_mask(rows, *wanted)) return std::move(*mask);
    }
    if (auto mask = numpy_number_mask(rows, condition)) return std::move(*mask);
    if (auto mask = numpy_bytes_mask(rows, condition)) return std::move(*mask);
    const auto* const window = std::get_if<time_range>(&condition.wanted);
    const bool is_time = py::cast<std::string>(rows.attr("dtype").attr("kind")) == "M";
    if (window != nullptr && is_time) return numpy_time_mask(without_masked(rows), *window);
    return object_mask(rows.attr("tolist")(), condition);
}

/// The mask of a column: a NumPy array, Arrow data or any other iterable.
arrow::row_bits any_column_mask(const py::object& rows, const arrow::condition& condition) {
    if (PyUnicode_Check(rows.ptr())) {
        throw py::type_error(condition.parameter + ": expected a column, not str");
    }
    if (is_numpy_array(rows)) return numpy_column_mask(rows, condition);
    if (arrow_source::is_in(rows)) return arrow_mask(rows, condition);
    return object_mask(rows, condition);
}

/// The number of rows of a mapping of columns: that of its first column.
std::size_t rows_of(const py::object& table) {
    for (const py::handle column : table.attr("values")()) return py::len(column);
    return 0;
}

/// The mask of a table of Arrow data, whose rows are structs.
arrow::row_bits arrow_table_mask(const py::object& table, arrow::condition_tree conditions) {
    const auto prepare = [&](const arrow::data_type& type) {
        return arrow::table_filter::make(type, std::move(conditions))
            .map([](arrow::table_filter filter) {
                return
                    [rows = std::move(filter)](const arrow::data_type&, const ArrowArray& chunk) {
                        return rows.mask(chunk);
                    };
            });
    };
    return unwrap_import(arrow_source(table).mask(prepare), "");
}

/// The mask of a mapping's column, or of a field of a struct in Arrow data of the mapping.
arrow::row_bits mapped_mask(const py::object& table, const arrow::condition& condition) {
    if (table.contains(py::str(condition.column))) {
        return any_column_mask(table[py::str(condition.column)], condition);
    }
    for (std::size_t dot = condition.column.find('.'); dot != std::string::npos;
         dot = condition.column.find('.', dot + 1)) {
        const py::str name(condition.column.substr(0, dot));
        if (!table.contains(name) || !arrow_source::is_in(table[name])) continue;
        arrow::condition inner = condition;
        inner.column = condition.column.substr(dot + 1);
        return arrow_table_mask(table[name], arrow::condition_tree({std::move(inner)}));
    }
    throw py::value_error(condition.parameter + ": the table has no column '" + condition.column +
                          "'");
}

/// The mask of a mapping of names to columns, which must have the same number of rows.
arrow::row_bits mapping_mask(const py::object& table, const arrow::condition_tree& tree) {
    const std::size_t rows = rows_of(table);
    const auto mask_of = [&](std::size_t leaf,
                             const arrow::row_bits&) -> arrow::import_result<arrow::row_bits> {
        const arrow::condition& condition = tree.conditions[leaf];
        arrow::row_bits one = mapped_mask(table, condition);
        if (one.size() == rows) return one;
        throw py::value_error(condition.parameter + ": column '" + condition.column + "' has " +
                              std::to_string(one.size()) + " rows, not " + std::to_string(rows));
    };
    const arrow::row_bits all(rows, true);
    return unwrap_import(arrow::tree_mask(tree.nodes, mask_of).rows(all), "");
}

/// Converts lazy frames, datasets and scanners to Arrow data, with metadata as JSON text; other
/// tables are returned unchanged.
py::object to_readable(const py::object& table, const arrow::condition_tree& tree) {
    py::list columns, documents;
    for (const arrow::condition& condition : tree.conditions) {
        const bool is_json = std::holds_alternative<arrow::text_test>(condition.wanted);
        columns.append(condition.column);
        if (is_json) documents.append(condition.column);
    }
    return package_object("to_readable")(table, columns, documents);
}

}  // namespace

column_names to_column_names(py::handle columns) {
    column_names named;
    if (!columns || columns.is_none()) return named;
    if (!py::hasattr(columns, "items")) refuse_type("columns", "a mapping", columns);
    for (const py::handle item : to_pairs_of(columns, "columns")) {
        const py::sequence pair = to_pair(item, "columns");
        const std::string name = to_text(pair[0], "columns");
        auto& where = named[name];
        if (!pair[1].is_none()) {
            where = utf8_text(pair[1], "columns: " + name, "str or None").view();
        }
    }
    return named;
}

column_names to_column_names(py::handle columns, columns_view schema) {
    column_names named = to_column_names(columns);
    for (const auto& [name, place] : named) {
        if (find_column(schema, name) != nullptr) continue;
        throw py::value_error("columns: the query's schema has no column '" + name + "'");
    }
    return named;
}

row_mask table_mask(const py::object& source, arrow::condition_tree conditions) {
    const py::object table = to_readable(source, conditions);
    if (arrow_source::is_in(table)) return to_mask(arrow_table_mask(table, std::move(conditions)));
    if (py::hasattr(table, "keys")) return to_mask(mapping_mask(table, conditions));
    refuse_type("table", "Arrow data or a mapping of names to columns", source);
}

}  // namespace sluice::bindings
