// SPDX-License-Identifier: MIT
#include <filesystem>
#include <memory>
#include <random>

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <sluice/api/event_page.hpp>
#include <sluice/api/event_store.hpp>
#include <sluice/api/loader.hpp>
#include <sluice/api/tag_page.hpp>

#include "background.hpp"
#include "queries.hpp"
#include "register.hpp"

namespace sluice::bindings {

namespace {

using api::event_store;
using workspace_id = std::optional<std::string>;

std::unique_ptr<event_store> make_store(const py::str& workspace) {
    return std::make_unique<event_store>(to_utf8(workspace));
}

std::int64_t load_into(event_store& store, const std::filesystem::path& folder,
                       const py::object& progress) {
    const progress_report report(progress);
    const api::load_options options{.random = std::random_device{}(), .progress = report};
    const auto loaded = without_gil([&] { return api::load_folder(store, folder, options); });
    if (loaded) return *loaded;
    const api::load_error& failed = loaded.error();
    raise(failed.why, {.message = message(failed), .file = failed.file, .line = failed.line});
}

std::unique_ptr<event_store> load(const std::filesystem::path& folder, const py::str& workspace,
                                  const py::object& progress) {
    auto store = make_store(workspace);
    load_into(*store, folder, progress);
    return store;
}

/// A workspace's records; none where there is no such workspace.
api::workspace_view view_of(const event_store& store, const workspace_id& id) {
    static const api::workspace nothing("");
    const api::workspace* const found = store.find(id.value_or(store.default_workspace()));
    return (found != nullptr ? *found : nothing).current();
}

py::bytes page(const event_store& store, const events_request& asked, const workspace_id& id) {
    return without_gil([&] { return api::list_events(view_of(store, id), asked.query); }).body;
}

std::int64_t count(const event_store& store, const events_request& asked, const workspace_id& id) {
    return without_gil([&] { return api::count_events(view_of(store, id), asked.query); });
}

py::bytes tags(const event_store& store, const api::tags_query& asked, const workspace_id& id) {
    return without_gil([&] { return api::list_tags(view_of(store, id), asked); }).body;
}

std::string repr(const event_store& store) {
    return "<EventStore " + store.default_workspace() + ": " + std::to_string(store.size()) +
           " events>";
}

void register_reading(py::class_<event_store>& c) {
    c.def("page", page, py::arg("query"), py::arg("workspace_id") = py::none(),
          "The events that an EventsQuery asks for: a JSON array. Releases the GIL.");
    c.def("count", count, py::arg("query"), py::arg("workspace_id") = py::none(),
          "How many events a query matches on all its pages. Releases the GIL.");
    c.def("tags", tags, py::arg("query"), py::arg("workspace_id") = py::none(),
          "The tags that a TagsQuery asks for: a JSON array. Releases the GIL.");
    c.def("__len__", &event_store::size);
    c.def("__repr__", repr);
    c.def_property_readonly("workspace_id", &event_store::default_workspace);
}

}  // namespace

void register_event_store(py::module_& m) {
    auto c = make_class<event_store>(
        m, "EventStore",
        "Links, tags, customers and events of workspaces. For any number of\n"
        "threads, also while it loads more.");
    c.def(py::init(&make_store), py::arg("workspace_id") = "ws_default",
          "An empty store. Records that name no workspace belong to workspace_id.");
    c.def_static("load", load, py::arg("folder"), py::arg("workspace_id") = "ws_default",
                 py::arg("progress") = py::none(),
                 "A store of a folder of .ndjson files. progress(done, total) is told bytes.\n"
                 "Raises ApiError, with file and line, for the first bad line. Releases the GIL.");
    c.def("load_folder", load_into, py::arg("folder"), py::arg("progress") = py::none(),
          "Adds a folder and gives the number of its records. Where a line is bad, those before\n"
          "it stay. Releases the GIL.");
    register_reading(c);
}

}  // namespace sluice::bindings
