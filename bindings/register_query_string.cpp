// SPDX-License-Identifier: MIT
#include <sluice/query_string.hpp>

#include "convert.hpp"
#include "register.hpp"

namespace sluice::bindings {

namespace {

py::list parse(const py::object& text) {
    const std::string bytes = to_bytes(text, "text");
    const query_string query = parse_query_string(bytes);
    py::list pairs;
    for (const auto& [name, value] : query.pairs()) {
        pairs.append(py::make_tuple(to_python(name), to_python(value)));
    }
    return pairs;
}

}  // namespace

void register_query_string(py::module_& m) {
    m.def("parse_query_string", parse, py::arg("text"),
          "The parameters of a query string (str or bytes, without '?') as a list of pairs,\n"
          "decoded as application/x-www-form-urlencoded. Nothing is refused.");
    m.def("to_query_string", to_query_text, py::arg("pairs"),
          "The query string of a mapping or of pairs. Values may be str, bool, int, float or a\n"
          "list of these; None is left out.");
}

}  // namespace sluice::bindings
