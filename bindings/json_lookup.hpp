// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_JSON_LOOKUP_HPP
#define SLUICE_BINDINGS_JSON_LOOKUP_HPP

#include <optional>
#include <span>
#include <string>

#include <pybind11/pybind11.h>

#include <sluice/metadata/expression.hpp>

#include "convert.hpp"

namespace sluice::bindings {

/// Looks paths up in JSON as parsed by json.loads: dicts and other mappings, lists and tuples.
/// Keeps the last result alive until the next call. TypeError or ValueError for values that aren't
/// JSON; `what` names the document.
class json_lookup {
public:
    json_lookup(py::handle json, std::string what)
        : json_(json), what_(std::move(what)), value_(py::reinterpret_borrow<py::object>(json)) {}

    /// The scalar at a path; nullopt if it is absent, null, an array or an object.
    std::optional<scalar> operator()(std::span<const std::string> path);

private:
    /// The member or element of a value by a key, or None.
    [[nodiscard]] py::object child(const py::object& parent, const std::string& key) const;
    /// value_ as a scalar, whose text is valid until the next call; nullopt for null, arrays and
    /// objects.
    std::optional<scalar> to_scalar();

    py::handle json_;
    std::string what_;
    py::object value_;               // at the last path
    std::optional<utf8_text> text_;  // of value_, if it is a str
    std::string number_;             // text of value_, if it is a number
};

}  // namespace sluice::bindings

#endif
