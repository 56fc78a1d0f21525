// SPDX-License-Identifier: MIT
#include <algorithm>
#include <filesystem>
#include <memory>
#include <random>
#include <stdexcept>
#include <vector>

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <sluice/api/event_page.hpp>
#include <sluice/api/event_store.hpp>
#include <sluice/api/loader.hpp>
#include <sluice/api/tag_page.hpp>

#include "background.hpp"
#include "process_hash_seed.hpp"
#include "queries.hpp"
#include "register.hpp"
#include "service_casters.hpp"

namespace sluice::bindings {

namespace {

using api::event_store;
using workspace_id = std::optional<std::string>;

std::unique_ptr<event_store> make_store(const py::str& workspace) {
    return std::make_unique<event_store>(to_utf8(workspace), process_hash_seed());
}

/// Notes the stores that a thread is loading into. A load waits until others are done, so one that
/// is started by its own progress function would wait for ever.
class loading {
public:
    explicit loading(const event_store& store) {
        if (std::ranges::find(stores_, &store) != stores_.end()) {
            throw std::runtime_error("a progress function can't load into the same store");
        }
        stores_.push_back(&store);
    }
    loading(const loading&) = delete;
    loading& operator=(const loading&) = delete;
    ~loading() { stores_.pop_back(); }

private:
    static inline thread_local std::vector<const event_store*> stores_;
};

std::int64_t load_into(event_store& store, const std::filesystem::path& folder,
                       const py::object& progress) {
    const loading noted(store);
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
    return unwrap(without_gil([&] { return api::list_events(view_of(store, id), asked.query); }))
        .body;
}

std::int64_t count(const event_store& store, const events_request& asked, const workspace_id& id) {
    return unwrap(without_gil([&] { return api::count_events(view_of(store, id), asked.query); }));
}

std::string explain(const event_store& store, const events_request& asked, const workspace_id& id) {
    return store::to_string(
        unwrap(without_gil([&] { return api::explain_events(view_of(store, id), asked.query); })));
}

using py::literals::operator""_a;

py::dict to_dict(const api::workspace_stats::event_stats& events) {
    py::list columns;
    for (const auto& each : events.columns) {
        columns.append(
            py::dict("name"_a = each.name, "codes"_a = each.codes, "index"_a = each.index));
    }
    return py::dict("rows"_a = events.rows, "blocks"_a = events.blocks, "times"_a = events.times,
                    "image"_a = events.image, "integers"_a = events.integers,
                    "columns"_a = columns);
}

py::dict to_dict(const api::workspace_stats& stats) {
    py::dict events;
    for (std::size_t kind = 0; kind < stats.events.size(); ++kind) {
        events[to_python(api::event_kind_names[kind])] = to_dict(stats.events[kind]);
    }
    py::list texts;
    for (const auto& each : stats.texts) {
        texts.append(py::dict("name"_a = each.name, "texts"_a = each.texts, "bytes"_a = each.bytes,
                              "fragments"_a = each.fragments, "probes"_a = each.probes));
    }
    return py::dict("bytes"_a = api::total_bytes(stats), "links"_a = stats.links,
                    "customers"_a = stats.customers, "tags"_a = stats.tags,
                    "link_index"_a = stats.link_index, "events"_a = events, "texts"_a = texts);
}

py::dict stats(const event_store& store) {
    py::dict workspaces;
    for (const auto& each : without_gil([&] { return store.stats(); })) {
        workspaces[to_python(each.id)] = to_dict(each);
    }
    return workspaces;
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
    c.def("explain", explain, py::arg("query"), py::arg("workspace_id") = py::none(),
          "How the store finds what a query asks for, and the bytes that it reads for that: a\n"
          "text for people. Releases the GIL.");
    c.def("stats", stats,
          "What each workspace takes in memory, by its id: bytes in all, and for each kind of\n"
          "events and each column of them. Releases the GIL.");
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
          "Adds a folder and gives the number of its records. All or nothing: where a line is bad\n"
          "(ApiError, with file and line) or progress raises, the store is as it was, and the\n"
          "folder can be loaded again. Releases the GIL.");
    register_reading(c);
}

}  // namespace sluice::bindings
