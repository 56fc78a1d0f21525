// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_DECLARATIONS_HPP
#define SLUICE_BINDINGS_DECLARATIONS_HPP

#include <span>
#include <string>
#include <string_view>

#include <pybind11/pybind11.h>

namespace sluice::bindings {

namespace py = pybind11;

// What a stub says of a member is written where the member is bound, in Python's own words:
//
//     parse(text: str) -> Filter            before the `--` of a function's docstring
//     excludes: bool                        as the name of an attribute
//
// Each class, and the module, keeps the declarations of its members by name in a dict
// `_declarations`, of which make_stubs.py makes the stub.

/// Keeps a member's declaration.
[[gnu::cold]] void declare(py::handle owner, std::string_view name, std::string_view declaration);

/// Keeps an attribute's declaration, `name: type`, and gives its name.
[[nodiscard, gnu::cold]] std::string declare_attribute(py::handle owner,
                                                       std::string_view declaration);

/// Keeps the signatures that a docstring begins with, one or one for each overload, and gives the
/// docstring as the interpreter reads it: with the first of them, without types.
[[nodiscard, gnu::cold]] std::string declare_function(py::handle owner, std::string_view name,
                                                      std::string_view doc);

/// The docstring of a function as the interpreter reads it.
[[nodiscard, gnu::cold]] std::string to_plain_doc(std::string_view doc);

/// The docstring of a class's `__init__`, with the parameters that the class declares.
[[nodiscard, gnu::cold]] std::string to_constructor_doc(py::handle type, std::string_view summary);

/// The type of one of these texts: `Literal["asc", "desc"]`.
[[nodiscard, gnu::cold]] std::string to_literal(std::span<const std::string_view> choices);

}  // namespace sluice::bindings

#endif
