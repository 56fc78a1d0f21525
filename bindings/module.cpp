// SPDX-License-Identifier: MIT
// The extension module sluice._sluice. The package beside it gives its names to the public.
//
//   declarations.hpp   what stubs say of each member
//   fast_method.hpp    functions, methods and attributes in the interpreter's own conventions
//   convert.hpp        text, bytes, numbers and instants, from and to Python
//   values.hpp         the values of parameters, metadata and rows, whoever made them
//   arrow_source.hpp   Arrow data of other packages
//   mask.hpp           what Mask holds
//   query_sql.hpp      queries as SQL
//   table_masks.hpp    masks of whole tables
//   row_values.hpp     the values of rows, as masks and matches() read them
//   python_method.hpp  methods that are written in Python
//   python_row.hpp     a caller's own object as a row
//   json_lookup.hpp    paths of JSON as json.loads gives it
//   window_object.hpp  windows of time
//   raise.hpp          an error as the exception sluice.ApiError
//   policy_arguments.hpp   limits as arguments of functions
//   limiter_states.cpp the decisions of callers who keep the states themselves
//   redis_limiter.cpp  what sluice._shared asks Redis, and what the answer means
//   background.hpp     long work without the GIL, its progress and Ctrl-C
//   unwinding.cpp      what becomes of threads that work while the interpreter exits
//   list_queries.hpp   what every class of queries has: its tree, columns and expressions
//   pydantic_hooks.hpp what pydantic asks the classes of values for
//   parameter_attributes.hpp   the attributes of a query, from its table of parameters
//   register_*.cpp     one for each room of include/sluice; api/ holds the classes of the largest
#include "background.hpp"
#include "register.hpp"

namespace {

/// Calls the types that have no public name yet by the one under which a package has them, such as
/// sluice.Filter.
void name_after(const pybind11::module_& m, const char* package) {
    const pybind11::object own = m.attr("__name__");
    for (const auto& [name, member] : pybind11::dict(m.attr("__dict__"))) {
        const bool is_type = pybind11::isinstance<pybind11::type>(member);
        if (is_type && own.equal(member.attr("__module__"))) member.attr("__module__") = package;
    }
}

/// pybind11 and what it holds belong to one interpreter; a second one waits for the GIL for ever.
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
    m.doc() = "What passes and how fast: the C++ library sluice.";
    m.attr("__version__") = SLUICE_VERSION;
    register_primitives(m);
    register_time(m);
    register_pages(m);
    register_metadata(m);
    register_rate_limit(m);
    register_sql(m);
    register_arrow(m);
    register_list_query(m);
    name_after(m, "sluice");
    register_api(m);
    name_after(m, "sluice.api");
}

/// What the interpreter calls. It asks before pybind11 does anything.
extern "C" PYBIND11_EXPORT PyObject* PyInit__sluice() {
    return is_main_interpreter() ? PyInit__sluice_in_main() : nullptr;
}
