// SPDX-License-Identifier: MIT
#ifndef SLUICE_BINDINGS_ARGUMENTS_HPP
#define SLUICE_BINDINGS_ARGUMENTS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <pybind11/pybind11.h>

namespace sluice::bindings {

namespace py = pybind11;

/// The arguments of a call, in the interpreter's form.
struct raw_call {
    PyObject* const* args;
    Py_ssize_t count;    ///< number of positional arguments
    PyObject* keywords;  ///< names of the keyword arguments, or null
};

/// The parameters of a function.
struct parameter_list {
    const char* function;
    std::span<const char* const> names;
    std::size_t required;     ///< number of parameters without a default, which come first
    std::size_t by_position;  ///< number of parameters before the keyword-only ones
};

/// Stores a call's arguments in the order of the parameters; null for missing ones. Raises
/// TypeError with the interpreter's messages, which contain no argument values.
void bind_arguments(const parameter_list& parameters, const raw_call& call,
                    std::span<PyObject*> bound);

/// Like the overload with a parameter_list, for a function whose `Count` parameters are all
/// accepted by position; `required` of them have no default. Returns borrowed references.
template <std::size_t Count>
[[nodiscard]] std::array<PyObject*, Count> bind_arguments(
    const char* function, const std::array<const char*, Count>& names, std::size_t required,
    const raw_call& call) {
    std::array<PyObject*, Count> bound{};
    const auto count = static_cast<std::size_t>(call.count);
    if (call.keywords == nullptr && count >= required && count <= Count) {
        std::copy_n(call.args, count, bound.begin());
    } else {
        bind_arguments({function, names, required, Count}, call, bound);
    }
    return bound;
}

/// The last overload of a function. pybind11 calls it if the arguments fit no other one: it raises
/// TypeError without the arguments' values, which may be secrets, such as keys or headers, and
/// which pybind11's own message would show.
class argument_refusal {
public:
    /// `attributes` are those of the other overload: py::arg, py::kw_only and others.
    template <class... Attributes>
    argument_refusal(const char* function, bool is_method, const Attributes&... attributes)
        : function_(function), is_method_(is_method) {
        (add(attributes), ...);
    }

    [[noreturn]] py::object operator()(const py::args& args, const py::kwargs& keywords) const;

private:
    /// Counts a parameter of the other overload, or notes where keyword-only ones begin.
    template <class Attribute>
    void add(const Attribute& attribute) {
        if constexpr (std::is_base_of_v<py::arg, Attribute>) {
            names_.push_back(attribute.name);
            if (!std::is_same_v<Attribute, py::arg_v>) required_ = names_.size();
            if (!is_keyword_only_) by_position_ = names_.size();
        }
        if (std::is_same_v<Attribute, py::kw_only>) is_keyword_only_ = true;
    }

    const char* function_;
    bool is_method_;
    bool is_keyword_only_ = false;
    std::vector<const char*> names_;
    std::size_t required_ = 0;
    std::size_t by_position_ = 0;
};

/// Raises TypeError for an argument of another type; `what` names it.
[[noreturn]] void refuse_type(std::string_view what, std::string_view expected, py::handle value);

/// The C++ value of an argument, which must be of the class bound to T; `what` names it.
template <class T>
[[nodiscard]] T& to_value_of(py::handle argument, std::string_view what) {
    if (py::isinstance<T>(argument)) return argument.cast<T&>();
    refuse_type(what, py::cast<std::string>(py::type::of<T>().attr("__name__")), argument);
}

}  // namespace sluice::bindings

#endif
