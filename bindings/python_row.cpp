// SPDX-License-Identifier: MIT
#include "python_row.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include <sluice/arrow/list_mask.hpp>
#include <sluice/metadata/json_text.hpp>
#include <sluice/metadata/lookup.hpp>
#include <sluice/metadata/matcher.hpp>

#include "convert.hpp"
#include "json_lookup.hpp"
#include "values.hpp"

namespace sluice::bindings {

const char* const matches_doc =
    R"(matches($self, obj: object, columns: Mapping[str, str | None] | None = None) -> bool
--

Returns True if an object meets the conditions, as mask() does for a row.

Page and order don't matter. An object without a value passes if a filter excludes, and meets
no other test.

Args:
    obj: A mapping by its keys, or any other object by its attributes. click.country is a key or
        attribute of this name, or country of what click is. Texts are str, or lists, tuples, sets
        or arrays of str; numbers are int or Decimal, or float if it is whole; decimals may be
        text; times are aware datetimes, numpy.datetime64, int milliseconds since 1970 or RFC 3339
        text; JSON is as json.loads returns it, or a document as text, as if missing if it isn't
        JSON. None, NaN, pandas.NA and NaT are values that are missing.
    columns: Other names by the columns of the query's schema, such as {'total': 'price'}. None as
        a name says that the conditions on the column are known to hold.

Returns:
    bool.

Raises:
    TypeError: A value is of a type that can't be compared exactly; the message names its column.
    ValueError: The object has no such column, a value can't be read, as a naive datetime, or the
        query has a search.

Example:
    >>> query = sluice.api.TagsQuery.parse("ids=a,b")
    >>> [query.matches(tag) for tag in ({"id": "a"}, {"id": "c"})]
    [True, False])";

namespace {

/// Views the text of a str in a column whose texts are compared as they are; nullopt for any other
/// value, and for a str with lone surrogates.
std::optional<std::string_view> view_text(const column& subject, py::handle value) {
    constexpr column_types named =
        set_of(column_type::uuid, column_type::choice, column_type::decimal);
    const bool is_text = subject.type == column_type::text ||
                         (!subject.is_list && (set_of(subject.type) & named) != 0);
    if (!is_text || !PyUnicode_Check(value.ptr())) return std::nullopt;
    Py_ssize_t size = 0;
    const char* const utf8 = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
    if (utf8 != nullptr) return std::string_view(utf8, static_cast<std::size_t>(size));
    PyErr_Clear();
    return std::nullopt;
}

/// Looks up a key or an attribute of an object; nullopt if it has none of this name.
std::optional<py::object> find_member(py::handle object, const std::string& name) {
    const py::str key(name);
    if (py::hasattr(object, "keys") && py::hasattr(object, "__getitem__")) {
        if (!object.attr("keys")().contains(key)) return std::nullopt;
        return object[key];
    }
    if (PyObject* const value = PyObject_GetAttr(object.ptr(), key.ptr())) {
        return py::reinterpret_steal<py::object>(value);
    }
    if (PyErr_ExceptionMatches(PyExc_AttributeError) == 0) throw py::error_already_set();
    PyErr_Clear();
    return std::nullopt;
}

/// Looks up `name`; falls back to dotted paths, such as `country` of `click`.
std::optional<py::object> find_value(py::handle object, const std::string& name) {
    if (auto value = find_member(object, name)) return value;
    for (std::size_t dot = name.find('.'); dot != name.npos; dot = name.find('.', dot + 1)) {
        const auto outer = find_member(object, name.substr(0, dot));
        if (!outer) continue;
        if (is_missing(*outer)) return py::none();
        if (auto inner = find_value(*outer, name.substr(dot + 1))) return inner;
    }
    return std::nullopt;
}

/// Returns true if an expression holds for metadata: JSON as json.loads() returns it, or a document
/// as text. A missing value, and text that isn't JSON, are like an empty document.
bool meets_paths(const metadata_query& paths, const py::object& json, const name_place& place) {
    if (is_missing(json)) {
        return paths.matches([](std::span<const std::string>) { return std::optional<scalar>(); });
    }
    if (!PyUnicode_Check(json.ptr()) && !PyBytes_Check(json.ptr())) {
        return paths.matches(json_lookup(json, place()));
    }
    const std::string document = to_bytes(json, "", surrogates::character);
    return metadata_matcher(paths).matches_unchecked(document);
}

}  // namespace

bool python_row::meets(const leaf& condition, py::handle name) {
    if (!name || !names_.empty() || !PyDict_CheckExact(object_.ptr())) return meets(condition);
    PyObject* const value = PyDict_GetItemWithError(object_.ptr(), name.ptr());
    if (value == nullptr && PyErr_Occurred() != nullptr) throw py::error_already_set();
    if (value == nullptr) return meets(condition);  // a dotted name may be a path
    const name_place place = [&] {
        const auto where = *arrow::place_by_schema(condition);
        return where.parameter + ": column '" + where.column + "'";
    };
    return meets(condition, py::reinterpret_borrow<py::object>(value), place);
}

bool python_row::meets(const leaf& condition) {
    auto where = *arrow::place_by_schema(condition);
    if (const auto named = names_.find(where.column); named != names_.end()) {
        if (!named->second) return true;
        where.column = *named->second;
    }
    const name_place place = [&] { return where.parameter + ": column '" + where.column + "'"; };
    const auto value = find_value(object_, where.column);
    if (!value) throw py::value_error("the row has no '" + where.column + "'");
    return meets(condition, *value, place);
}

cell python_row::at(const column& subject) {
    std::string name(subject.name);
    if (const auto named = names_.find(name); named != names_.end()) {
        if (!named->second) return {};
        name = *named->second;
    }
    const name_place place = [&] { return "column '" + name + "'"; };
    const auto value = find_value(object_, name);
    if (!value) throw py::value_error("the row has no '" + name + "'");
    if (is_missing(*value)) return {};
    return subject.type == column_type::json ? to_json_cell(*value, place)
                                             : to_cell(subject, *value, place);
}

cell python_row::to_json_cell(const py::object& json, const name_place& place) {
    if (!PyUnicode_Check(json.ptr()) && !PyBytes_Check(json.ptr())) {
        const auto lookup = std::make_shared<json_lookup>(json, place());
        return scalar_lookup([json, lookup](json_path path) { return (*lookup)(path); });
    }
    texts_.assign(1, to_bytes(json, "", surrogates::character));
    if (!sluice::detail::check_json(texts_[0])) return {};
    return scalar_lookup([this, last = std::shared_ptr<document_lookup>()](json_path path) mutable {
        last = std::make_shared<document_lookup>(std::span(&path, 1));
        last->read(texts_[0]);
        return last->at(0).value;
    });
}

bool python_row::meets(const leaf& condition, const py::object& value, const name_place& place) {
    const auto* const paths = std::get_if<metadata_query>(&condition.test);
    if (paths != nullptr) return meets_paths(*paths, value, place);
    if (const auto text = view_text(condition.subject, value)) return holds(condition, *text);
    return holds(condition, is_missing(value) ? cell() : to_cell(condition.subject, value, place));
}

cell python_row::to_cell(const column& subject, const py::object& value, const name_place& place) {
    if (subject.is_list && subject.type != column_type::text)
        return to_list_cell(subject, value, place);
    switch (subject.type) {
        case column_type::integer: return to_whole_number(value, place);
        case column_type::time: return to_time(value, place);
        case column_type::boolean: return to_flag(value.ptr(), place());
        case column_type::decimal:
            texts_.assign(1, to_decimal_text(value, place));
            return std::string_view(texts_[0]);
        case column_type::real: return to_real(value, place);
        case column_type::date: return to_day(value, place);
        case column_type::uuid:
        case column_type::choice:
            texts_.assign(1, to_name(value, place));
            return std::string_view(texts_[0]);
        case column_type::records: return to_records_cell(value, place);
        case column_type::json:
            if (PyUnicode_Check(value.ptr())) break;
            return scalar_lookup(
                [lookup = std::make_shared<json_lookup>(value, place())](
                    std::span<const std::string> path) { return (*lookup)(path); });
        case column_type::text: break;
    }
    return to_text_cell(value, place);
}

cell python_row::to_list_cell(const column& subject, const py::object& value,
                              const name_place& place) {
    if (!is_list(value)) refuse_type(place(), "a list", value);
    texts_.clear();
    numbers_.clear();
    for (const py::handle item : to_items(value)) {
        if (is_missing(item)) continue;
        if (subject.type == column_type::integer) {
            numbers_.push_back(to_whole_number(item, place));
        } else {
            texts_.push_back(to_name(item, place));
        }
    }
    if (subject.type == column_type::integer) return std::span<const std::int64_t>(numbers_);
    views_.assign(texts_.begin(), texts_.end());
    return std::span<const std::string_view>(views_);
}

cell python_row::to_records_cell(const py::object& value, const name_place& place) {
    if (!is_list(value)) refuse_type(place(), "a list of records", value);
    return record_lookup([items = to_items(value)](const where& wanted) {
        static const column_names by_schema;
        for (const py::handle item : items) {
            if (is_missing(item)) continue;
            python_row record(item, by_schema);
            const auto meets = [&](const leaf& condition) { return record.meets(condition); };
            if (wanted.matches_if(meets)) return true;
        }
        return false;
    });
}

cell python_row::to_text_cell(const py::object& value, const name_place& place) {
    texts_.clear();
    for_each_text(value, place, [&](std::string_view text) { texts_.emplace_back(text); });
    views_.assign(texts_.begin(), texts_.end());
    if (is_list(value)) return std::span<const std::string_view>(views_);
    return views_[0];
}

bool matches(const list_query& query, columns_view columns, std::span<const py::str> leaf_names,
             const raw_call& call) {
    const auto [object, names] = bind_arguments<2>("matches", {"obj", "columns"}, 1, call);
    if (!query.search.empty()) {
        throw py::value_error(
            "search: matches has no test for it: searches ignore the case of all alphabets");
    }
    const column_names named = to_column_names(names, columns);
    python_row row(object, named);
    return query.rows.matches_if([&](const leaf& condition) {
        const auto at = static_cast<std::size_t>(&condition - query.rows.leaves().data());
        return row.meets(condition, leaf_names.empty() ? py::handle() : py::handle(leaf_names[at]));
    });
}

}  // namespace sluice::bindings
