// SPDX-License-Identifier: MIT
// The extension module sluice._sluice. The package beside it publishes its names.
//
//   declarations.hpp   the stub declaration of each member
//   members.hpp        functions, methods and attributes with their docstrings
//   arguments.hpp      the arguments of calls, and errors that don't show them
//   fast_method.hpp    parse, matches, check, decide and count, in CPython's calling convention
//   native_class.hpp   types of CPython's C API: Decision and BoundQuery
//   package.hpp        objects of the Python package
//   convert.hpp        text, bytes, numbers and instants, from and to Python
//   values.hpp         the values of parameters, metadata and rows, from any library
//   arrow_source.hpp   Arrow data of other packages
//   mask.hpp           the value of Mask
//   query_sql.hpp      queries as SQL
//   aggregates.hpp     aggregate queries, from their trees
//   table_masks.hpp    masks of whole tables
//   row_values.hpp     the conversion of rows' values for masks and matches()
//   python_row.hpp     a user's object as a row
//   json_lookup.hpp    lookup of paths in parsed JSON
//   window_object.hpp  windows of time
//   raise.hpp          an error as the exception sluice.ApiError
//   policy_arguments.hpp   limits as function arguments
//   limiter_states.cpp decisions for callers who store the states
//   redis_limiter.cpp  the requests of sluice._shared to Redis, and their replies
//   background.hpp     long work without the GIL, with progress and Ctrl-C
//   unwinding.cpp      threads that still work while the interpreter exits
//   list_queries.hpp   the members of all query classes: tree, columns, SQL
//   pydantic_hooks.hpp the JSON schemas of value classes for pydantic
//   parameter_attributes.hpp   the attributes of a query, from its parameter table
//   register_*.cpp     one for each room of include/sluice; reference/ has the largest's classes
//
// A function that is passed to def() implements the member of that name: the docstring in the same
// file, or in reference/handler_docs.hpp, says what it does and raises.
#include "background.hpp"
#include "package.hpp"
#include "register.hpp"

namespace {

/// Sets `__module__` of the types that don't have a public one yet to the package that publishes
/// them, such as sluice for sluice.Filter.
void name_after(const pybind11::module_& m, const char* package) {
    const pybind11::object module_name = m.attr("__name__");
    for (const auto& [name, member] : pybind11::dict(m.attr("__dict__"))) {
        const bool is_type = pybind11::isinstance<pybind11::type>(member);
        if (is_type && module_name.equal(member.attr("__module__")))
            member.attr("__module__") = package;
    }
}

/// Returns true in the main interpreter; otherwise sets ImportError. pybind11's state belongs to
/// one interpreter, and a second one would deadlock on the GIL.
bool is_main_interpreter() {
    if (PyInterpreterState_Get() == PyInterpreterState_Main()) return true;
    PyErr_SetString(PyExc_ImportError,
                    "sluice can be imported in the main interpreter only, not in a subinterpreter");
    return false;
}

}  // namespace

PYBIND11_MODULE(_sluice_in_main, m) {
    using namespace sluice::bindings;
    if (!is_main_interpreter()) throw pybind11::error_already_set();
    end_after_work();
    pybind11::options docstrings;
    docstrings.disable_function_signatures();
    m.doc() = "The C++ library sluice, bound to Python.";
    m.attr("__version__") = SLUICE_VERSION;
    register_package(m);
    register_primitives(m);
    register_time(m);
    register_pages(m);
    register_metadata(m);
    register_rate_limit(m);
    register_sql(m);
    register_arrow(m);
    register_list_query(m);
    register_grammars(m);
    register_aggregates(m);
    name_after(m, "sluice");
    register_reference(m);
    name_after(m, "sluice.api");
}

/// The module's entry point; checks the interpreter before pybind11 does anything.
extern "C" PYBIND11_EXPORT PyObject* PyInit__sluice() {
    return is_main_interpreter() ? PyInit__sluice_in_main() : nullptr;
}
