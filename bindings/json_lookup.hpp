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

    std::optional<scalar> operator()(std::span<const std::string> path);

private:
    /// A member or an element, or None.
    [[nodiscard]] py::object child(const py::object& parent, const std::string& key) const;
    /// The found scalar, whose text is valid until the next call; nullopt for null, arrays and
    /// objects.
    std::optional<scalar> to_scalar();

    py::handle json_;
    std::string what_;
    py::object value_;
    std::optional<utf8_text> text_;
    std::string number_;
};

}  // namespace sluice::bindings

#endif
