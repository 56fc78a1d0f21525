// SPDX-License-Identifier: MIT
#include "values.hpp"

#include <algorithm>
#include <vector>

#include <sluice/base/ascii.hpp>
#include <sluice/base/decimal.hpp>
#include <sluice/base/query_string.hpp>
#include <sluice/filters/filter.hpp>
#include <sluice/metadata/query.hpp>
#include <sluice/query/cursor.hpp>
#include <sluice/time/expression.hpp>

#include "convert.hpp"
#include "raise.hpp"

namespace sluice::bindings {

namespace {

/// A class of Python's standard library. Leaks the reference, for static variables.
const py::object& keep_type(const char* module, const char* name) {
    return *new py::object(py::module_::import(module).attr(name));
}

bool is_decimal(py::handle value) {
    static const py::object& decimal = keep_type("decimal", "Decimal");
    return py::isinstance(value, decimal);
}

bool is_uuid(py::handle value) {
    static const py::object& uuid = keep_type("uuid", "UUID");
    return py::isinstance(value, uuid);
}

bool is_enum_member(py::handle value) {
    static const py::object& members = keep_type("enum", "Enum");
    return py::isinstance(value, members);
}

/// Returns true for a str that isn't a member of an Enum: text as in a URL.
bool is_url_text(py::handle value) {
    return PyUnicode_CheckExact(value.ptr()) ||
           (PyUnicode_Check(value.ptr()) && !is_enum_member(value));
}

/// Returns true for a value whose exact type is one of Python's most frequent ones.
bool is_common(py::handle value) {
    return PyUnicode_CheckExact(value.ptr()) || PyLong_CheckExact(value.ptr()) ||
           PyFloat_CheckExact(value.ptr()) || PyBool_Check(value.ptr()) || is_exact_datetime(value);
}

bool is_numpy(py::handle value) {
    if (is_common(value)) return false;  // a name that is missing takes time to look up
    return py::hasattr(value, "dtype") && py::hasattr(value, "ndim") &&
           py::hasattr(value, "tolist");
}

/// NumPy's kind code of an array or scalar.
std::string kind_of(py::handle numpy) {
    return py::cast<std::string>(numpy.attr("dtype").attr("kind"));
}

bool is_numpy_time(py::handle value) { return is_numpy(value) && kind_of(value) == "M"; }

/// Returns true for this library's values, whose str() is the text of a parameter.
bool is_expression(py::handle value) {
    return py::isinstance<filter>(value) || py::isinstance<metadata_query>(value) ||
           py::isinstance<time_expression>(value) || py::isinstance<cursor>(value);
}

/// A name_value that owns its texts.
struct owned_pair {
    std::string name, value;
};
using owned_pairs = std::vector<owned_pair>;

/// The text of a value, and whether it is already in the syntax of its parameter.
struct value_text {
    std::string text;
    bool is_written = false;
};

/// Converts a value of the parameter `name` to text. TypeError for other types, ValueError for a
/// missing value.
value_text to_value_text(const std::string& name, py::handle source) {
    constexpr std::string_view expected =
        "str, bool, a number, datetime, date, UUID, a member of an Enum, Filter, MetadataQuery, "
        "TimeExpression, Cursor or None, or a list of these";
    if (PyUnicode_Check(source.ptr())) return {to_utf8(source)};
    if (is_missing(source)) {
        throw py::value_error(name + ": a value that is missing, expected None to leave it out");
    }
    if (is_numpy_time(source)) return {to_utf8(py::str(source))};
    const py::object value = to_plain_scalar(source);
    if (PyBool_Check(value.ptr())) return {value.ptr() == Py_True ? "true" : "false"};
    if (py::isinstance<py::str>(value)) return {to_utf8(value)};
    if (is_number(value)) return {to_number_text(value, name)};
    if (auto time = to_time_text(value, name)) return {std::move(*time)};
    if (is_expression(value)) return {to_utf8(py::str(value)), true};
    if (is_uuid(value)) return {to_utf8(py::str(value))};
    if (is_enum_member(value)) return to_value_text(name, value.attr("value"));
    refuse_type(name, expected, source);
}

/// Collects name-value pairs from Python values. A str that stands alone is text as in a URL and
/// stays as it is. Other values are escaped as the type of their parameter needs, and as values of
/// a filter if the type is unknown. Without a param_finder only the items of lists are escaped.
///
/// ```
/// {"city": "a,b"}                a text, as in a URL       city=a,b
/// {"city": ["a,b"], "n": -5}     values                    city=a\,b&n=\-5
/// {"size": Size.BIG}             a member of an Enum       size=big
/// {"ids": ["a,b"]}               a list has no escapes     ValueError
/// ```
class value_pairs {
public:
    explicit value_pairs(const param_finder& info_of) : info_of_(info_of) {}

    /// Adds the pairs of a parameter: one, or as many as its list has items. None adds nothing.
    void add(const std::string& name, py::handle value) {
        if (py::isinstance<filter>(value) && has_forms(name)) return add_values(name, value);
        if (!is_list(value)) return add_one(name, value, !info_of_ || is_url_text(value));
        const auto first = static_cast<std::ptrdiff_t>(pairs_.size());
        for (const py::handle item : to_items(value)) add_one(name, item, false);
        if (PyAnySet_Check(value.ptr())) sort_from(first);
    }
    [[nodiscard]] owned_pairs take() && { return std::move(pairs_); }

private:
    /// Returns true if a parameter is a filter whose text isn't that of Filter.
    [[nodiscard]] bool has_forms(const std::string& name) const {
        const param_info* const info = info_of_ ? info_of_(name) : nullptr;
        return info != nullptr && info->type == param_type::filter &&
               (info->lists != list_form::commas || info->excludes != exclusion::dash);
    }
    /// Adds the values of a Filter, which excludes if the parameter does.
    void add_values(const std::string& name, py::handle source) {
        const auto& wanted = source.cast<const filter&>();
        const bool excludes = info_of_(name)->excludes == exclusion::always;
        if (!wanted.empty() && wanted.excludes() != excludes) {
            throw py::value_error(name + (excludes
                                              ? ": it excludes values, expected such a Filter"
                                              : ": it never excludes, expected another Filter"));
        }
        for (const std::string_view item : wanted.values()) {
            pairs_.push_back({name, written(name, std::string(item))});
        }
    }
    /// Adds a pair. `is_written`: the text is in the syntax of the parameter already.
    void add_one(const std::string& name, py::handle value, bool is_written) {
        if (value.is_none()) return;
        auto [text, is_expression] = to_value_text(name, value);
        if (!is_written && !is_expression) text = written(name, std::move(text));
        pairs_.push_back({name, std::move(text)});
    }
    /// Converts a value to the syntax of its parameter; unknown parameters are treated as filters.
    [[nodiscard]] std::string written(const std::string& name, std::string value) const {
        constexpr param_info plain{.type = param_type::filter};
        const param_info* const info = info_of_ ? info_of_(name) : &plain;
        if (info == nullptr || info->lists == list_form::repeated) return value;
        if (info->type == param_type::filter) return to_string(filter({std::string_view(value)}));
        const bool is_item = !value.empty() && value.find(',') == value.npos;
        if (info->type != param_type::list || is_item) return value;
        throw py::value_error(name + ": an item is empty or has a ',', which no list can hold");
    }
    /// Sorts the items of a set, whose own order differs between runs.
    void sort_from(std::ptrdiff_t first) {
        std::sort(pairs_.begin() + first, pairs_.end(),
                  [](const owned_pair& a, const owned_pair& b) { return a.value < b.value; });
    }

    const param_finder& info_of_;
    owned_pairs pairs_;
};

/// Returns the pairs of a mapping, or of an iterable of pairs, with values as texts of a query
/// string, before percent-encoding; see value_pairs for `info_of`. TypeError and
/// ValueError, if they aren't pairs or a value has no text.
owned_pairs to_value_pairs(py::handle source, const param_finder& info_of) {
    value_pairs pairs(info_of);
    // Mappings of web frameworks whose items() omits repeats: Django's QueryDict and Werkzeug's
    // MultiDict have lists(), Starlette's QueryParams has multi_items().
    if (py::hasattr(source, "lists") && py::hasattr(source, "getlist")) {
        for (const py::handle item : source.attr("lists")()) {
            const py::sequence pair = to_pair(item, "query_string");
            const std::string name = to_bytes(pair[0], "query_string: name");
            for (const py::handle value : pair[1]) pairs.add(name, value);
        }
        return std::move(pairs).take();
    }
    const bool has_repeats = py::hasattr(source, "multi_items");
    const py::object items =
        has_repeats ? source.attr("multi_items")() : to_pairs_of(source, "query_string");
    for (const py::handle item : items) {
        const py::sequence pair = to_pair(item, "query_string");
        pairs.add(to_bytes(pair[0], "query_string: name"), pair[1]);
    }
    return std::move(pairs).take();
}

/// Returns true if an iterable can't be a request although it may be empty or yield pairs.
bool is_no_request(py::handle source) {
    return PyAnySet_Check(source.ptr()) || PyObject_CheckBuffer(source.ptr()) != 0 ||
           py::hasattr(source, "read");
}

/// Returns true if a text is a whole URL: its first name has a scheme, or a '?' after a path.
bool is_address(std::string_view text) {
    const std::string_view name = text.substr(0, text.find_first_of("=&"));
    const std::size_t question = name.find('?');
    return name.find("://") != name.npos || (question != name.npos && question > 0);
}

}  // namespace

void refuse_address(std::string_view text) {
    if (!is_address(text)) return;
    raise(make_error(rule::parameter_unknown),
          {.message = "query_string: a whole address, give what comes after its '?'"});
}

bool is_missing(py::handle value) {
    if (value.is_none()) return true;
    if (PyUnicode_Check(value.ptr()) || PyLong_Check(value.ptr()) || is_list(value)) return false;
    if (is_exact_datetime(value)) return false;
    PyObject* const differs = PyObject_RichCompare(value.ptr(), value.ptr(), Py_NE);
    if (differs == nullptr) {
        const py::error_already_set error;
        if (error.matches(PyExc_ArithmeticError) && is_decimal(value)) return true;  // an sNaN
        throw error;
    }
    const auto answer = py::reinterpret_steal<py::object>(differs);
    const int is_true = PyObject_IsTrue(answer.ptr());
    if (is_true >= 0) return is_true == 1;
    if (!answer.is(value)) throw py::error_already_set();
    PyErr_Clear();  // pandas.NA compares as itself, and is neither true nor false
    return true;
}

py::object to_plain_scalar(py::handle value) {
    const auto same = py::reinterpret_borrow<py::object>(value);
    if (!is_numpy(value) || is_list(value)) return same;
    const std::string kind = kind_of(value);
    return kind == "M" || kind == "m" ? same : same.attr("item")();
}

bool is_list(py::handle value) {
    if (PyList_Check(value.ptr()) || PyTuple_Check(value.ptr()) || PyAnySet_Check(value.ptr())) {
        return true;
    }
    if (PyUnicode_Check(value.ptr()) || !is_numpy(value)) return false;
    return py::cast<int>(value.attr("ndim")) > 0;
}

py::object to_items(py::handle list) {
    return is_numpy(list) ? list.attr("tolist")() : py::reinterpret_borrow<py::object>(list);
}

bool is_mapping(py::handle value) {
    if (PyDict_Check(value.ptr())) return true;
    static const py::object& mapping = keep_type("collections.abc", "Mapping");  // slow to find
    return py::isinstance(value, mapping);
}

bool is_array(py::handle value) { return PyList_Check(value.ptr()) || PyTuple_Check(value.ptr()); }

bool is_number(py::handle value) {
    return PyLong_Check(value.ptr()) || PyFloat_Check(value.ptr()) || is_decimal(value);
}

namespace {

/// The digits of an int of any size; str() refuses more than 4,300 digits.
PyObject* to_digits(py::handle number) {
    PyObject* const digits = PyNumber_ToBase(number.ptr(), 10);
    if (digits != nullptr || PyErr_ExceptionMatches(PyExc_ValueError) == 0) return digits;
    PyErr_Clear();
    return PyObject_Str(py::module_::import("decimal").attr("Decimal")(number).ptr());
}

}  // namespace

std::string to_number_text(py::handle number, std::string_view what) {
    // Base-class functions, because a subclass may override repr.
    PyObject* plain = nullptr;
    if (PyLong_Check(number.ptr())) plain = to_digits(number);
    if (PyFloat_Check(number.ptr())) plain = PyFloat_Type.tp_repr(number.ptr());
    if (plain == nullptr && PyErr_Occurred() == nullptr) plain = PyObject_Str(number.ptr());
    if (plain == nullptr) throw py::error_already_set();
    std::string text = to_utf8(py::reinterpret_steal<py::str>(plain));
    if (sluice::detail::parse_decimal(text)) return text;
    throw py::value_error(std::string(what).append(": expected a finite number"));
}

py::object to_pairs_of(py::handle source, std::string_view what) {
    if (py::hasattr(source, "items")) return source.attr("items")();
    if (PyObject* const pairs = PyObject_GetIter(source.ptr())) {
        return py::reinterpret_steal<py::object>(pairs);
    }
    PyErr_Clear();
    refuse_type(what, "str, bytes, a mapping or pairs", source);
}

py::sequence to_pair(py::handle item, std::string_view what, std::string_view expected) {
    if (!is_array(item)) refuse_type(what, expected, item);
    auto pair = py::reinterpret_borrow<py::sequence>(item);
    if (pair.size() == 2) return pair;
    throw py::value_error(std::string(what).append(": expected ").append(expected));
}

std::string to_query_text(py::handle source, const param_finder& info_of) {
    if (PyUnicode_Check(source.ptr()) || PyBytes_Check(source.ptr())) {
        return to_bytes(source, "query_string");
    }
    if (is_no_request(source)) {
        refuse_type("query_string", "str, bytes, a mapping or pairs", source);
    }
    const owned_pairs texts = to_value_pairs(source, info_of);
    std::vector<name_value> pairs;
    for (const auto& [name, value] : texts) pairs.push_back({name, value});
    return to_query_string(pairs);
}

}  // namespace sluice::bindings
