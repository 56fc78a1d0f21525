// SPDX-License-Identifier: MIT
#include "package.hpp"

#include "arguments.hpp"
#include "members.hpp"

namespace sluice::bindings {

namespace {

constexpr const char* set_loader_doc = R"(set_loader(load: Callable[[str], Any]) -> None
--

Sets the function that loads objects of the Python package by their names.

Args:
    load: Returns the object of a name; called once for a name, on first use.)";

/// The loader, and the objects that it has returned. Never destroyed.
struct package_objects {
    py::object load;
    py::dict loaded;
};

package_objects& objects() {
    static auto& all = *new package_objects();
    return all;
}

void set_loader(const py::object& load) {
    if (PyCallable_Check(load.ptr()) == 0) refuse_type("load", "a callable", load);
    objects().load = load;
}

}  // namespace

py::object package_object(const char* name) {
    auto& [load, loaded] = objects();
    if (!loaded.contains(name)) loaded[name] = load(name);
    return loaded[name];
}

void register_package(py::module_& m) {
    def(m, "set_loader", set_loader, set_loader_doc, py::arg("load"));
}

}  // namespace sluice::bindings
