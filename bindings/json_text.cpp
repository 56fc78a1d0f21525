// SPDX-License-Identifier: MIT
#include "json_text.hpp"

#include <cstddef>

#include <simdjson.h>

#include <sluice/base/json_writer.hpp>
#include <sluice/base/parse_limits.hpp>
#include <sluice/base/unicode.hpp>
#include <sluice/errors/error.hpp>

#include "convert.hpp"
#include "raise.hpp"
#include "values.hpp"

namespace sluice::bindings {

namespace {

/// Writes a value recursively, up to json_max_depth levels. Tracks the path to it for messages.
class python_json_writer {
public:
    python_json_writer(std::string& text, std::string_view what) : json_(text), place_(what) {}

    void write(py::handle value) {
        const py::object plain = to_plain_scalar(value);
        if (PyUnicode_Check(plain.ptr())) {
            write_text(plain);
        } else if (PyBool_Check(plain.ptr())) {
            json_.value(plain.is(py::bool_(true)));
        } else if (plain.is_none()) {
            json_.value(nullptr);
        } else if (is_number(plain)) {
            json_.raw(to_number_text(plain, place_));
        } else {
            write_levels(plain);
        }
    }

private:
    /// Writes a text. ApiError for lone surrogates: without them it would be another text.
    void write_text(py::handle text) {
        const utf8_text utf8(text, place_, "str", surrogates::kept);
        if (!sluice::detail::is_valid_utf8(utf8.view())) {
            const std::string message = place_ + ": expected a text without lone surrogates";
            raise(make_error(rule::text_encoding), {.message = message});
        }
        json_.value(utf8.view());
    }
    /// Writes an object or an array, one level deeper.
    void write_levels(const py::object& value) {
        if (++depth_ > json_max_depth) raise(make_error(rule::json_too_deep));
        if (is_mapping(value)) {
            write_object(value);
        } else if (is_array(value)) {
            write_array(value);
        } else {
            refuse_type(place_, "a mapping, a list, str, bool, a number or None", value);
        }
        --depth_;
    }
    void write_object(const py::object& members) {
        json_.begin_object();
        for (const py::handle item : members.attr("items")()) {
            const py::sequence pair = to_pair(item, place_);
            const std::string name = to_text(pair[0], place_ + ": name");
            json_.key(name);
            write_at("." + name, pair[1]);
        }
        json_.end_object();
    }
    void write_array(const py::object& items) {
        std::size_t index = 0;
        json_.begin_array();
        for (const py::handle item : items) write_at("[" + std::to_string(index++) + "]", item);
        json_.end_array();
    }
    /// Writes a member or element; `step` leads to it from place_, such as `.name` or `[0]`.
    void write_at(std::string_view step, py::handle value) {
        const std::size_t size = place_.size();
        place_.append(step);
        write(value);
        place_.resize(size);
    }

    sluice::detail::json_writer json_;
    std::string place_;      // path to the value that is being written
    std::size_t depth_ = 0;  // open objects and arrays
};

py::object to_object(simdjson::dom::element value) {
    using simdjson::dom::element_type;
    switch (value.type()) {
        case element_type::OBJECT: {
            const simdjson::dom::object object = value.get_object().value_unsafe();
            py::dict members;
            for (const auto& [name, member] : object) {
                members[to_python(name)] = to_object(member);
            }
            return members;
        }
        case element_type::ARRAY: {
            const simdjson::dom::array array = value.get_array().value_unsafe();
            py::list items;
            for (const auto item : array) items.append(to_object(item));
            return items;
        }
        case element_type::STRING: return to_python(value.get_string().value_unsafe());
        case element_type::INT64: return py::int_(value.get_int64().value_unsafe());
        case element_type::UINT64: return py::int_(value.get_uint64().value_unsafe());
        case element_type::DOUBLE: return py::float_(value.get_double().value_unsafe());
        case element_type::BOOL: return py::bool_(value.get_bool().value_unsafe());
        case element_type::NULL_VALUE: break;
    }
    return py::none();
}

}  // namespace

py::object from_json_text(const std::string& json) {
    thread_local simdjson::dom::parser parser;
    simdjson::dom::element root;
    // Numbers beyond 64 bits, which simdjson refuses, are whole in Python.
    if (parser.parse(json).get(root)) return py::module_::import("json").attr("loads")(json);
    return to_object(root);
}

std::string to_json_text(py::handle value, std::string_view what) {
    std::string text;
    python_json_writer(text, what).write(value);
    return text;
}

}  // namespace sluice::bindings
