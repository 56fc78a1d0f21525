// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_DECLARATIONS_HPP
#define SLUICE_BINDINGS_DECLARATIONS_HPP

#include <span>
#include <string>
#include <string_view>

#include <pybind11/pybind11.h>

namespace sluice::bindings {

namespace py = pybind11;

// The declaration of a member for stubs is written where the member is bound, in Python syntax:
//
//     parse(text: str) -> Filter            before the `--` of a function's docstring
//     excludes: bool                        as the name of an attribute
//
// Each class, and the module, stores the declarations of its members by name in a dict
// `_declarations`, from which make_stubs.py generates the stub.

/// Stores a member's declaration.
[[gnu::cold]] void declare(py::handle owner, std::string_view name, std::string_view declaration);

/// Stores an attribute's declaration, `name: type`, and returns its name.
[[nodiscard, gnu::cold]] std::string declare_attribute(py::handle owner,
                                                       std::string_view declaration);

/// Stores the signatures at the start of a docstring, one for each overload. Returns the docstring
/// in the interpreter's form, with the first signature and without types.
[[nodiscard, gnu::cold]] std::string declare_function(py::handle owner, std::string_view name,
                                                      std::string_view doc);

/// Like declare_function(), for a method bound by pybind11, whose `self` is a plain parameter.
[[nodiscard, gnu::cold]] std::string declare_method(py::handle owner, std::string_view name,
                                                    std::string_view doc);

/// The signatures at the start of a docstring.
[[nodiscard, gnu::cold]] std::string_view to_signature(std::string_view doc);

/// The docstring of a function in the interpreter's form.
[[nodiscard, gnu::cold]] std::string to_plain_doc(std::string_view doc);

/// The Literal type of these texts: `Literal["asc", "desc"]`.
[[nodiscard, gnu::cold]] std::string to_literal(std::span<const std::string_view> choices);

/// A list of texts for a docstring: `'asc' or 'desc'`.
[[nodiscard, gnu::cold]] std::string to_alternatives(std::span<const std::string_view> choices);

}  // namespace sluice::bindings

#endif
