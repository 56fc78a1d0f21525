// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <memory>
#include <random>
#include <stdexcept>
#include <vector>

#include <sluice/reference/lists/workspace_rows.hpp>
#include <sluice/reference/search/event_page.hpp>
#include <sluice/reference/service/handler_options.hpp>
#include <sluice/reference/store/event_store.hpp>
#include <sluice/reference/store/loader.hpp>
#include <sluice/reference/store/snapshot_file.hpp>

#include "background.hpp"
#include "convert.hpp"
#include "fast_method.hpp"
#include "process_hash_seed.hpp"
#include "queries.hpp"
#include "register.hpp"

namespace sluice::bindings {

namespace {

using reference::event_store;

namespace doc {

constexpr const char* type = R"(EventStore(workspace_id: str = 'ws_default')
--

Links, tags, customers and events of workspaces, in memory.

For any number of threads, also while it loads more. Always true, however few events it has; len()
is how many there are in all workspaces.

Args:
    workspace_id: The workspace of records that name none, a str.)";

constexpr const char* load =
    R"(load(folder: str | PathLike[str], workspace_id: str = 'ws_default', progress: _Progress | None = None) -> EventStore
--

A store of a folder of .ndjson files. Releases the GIL.

Args:
    folder: str or path, as write_sample() writes one.
    workspace_id: The workspace of records that name none, a str.
    progress: A callable that takes the bytes read and their total, or None. An exception from it
        ends the load.

Returns:
    An EventStore.

Raises:
    ApiError: The first line that isn't a record, with file and line, or a file that can't be read.)";

constexpr const char* load_folder =
    R"(load_folder($self, folder: str | PathLike[str], progress: _Progress | None = None) -> int
--

Adds the records of a folder. Releases the GIL.

Args:
    folder: As for load().
    progress: As for load().

Returns:
    The number of records added, an int.

Raises:
    ApiError: As for load().)";

constexpr const char* open =
    R"(open(file: str | PathLike[str], check: bool = True) -> EventStore
--

A store of a snapshot that save() wrote. Releases the GIL.

The file is mapped: its bytes are read when they are needed, and added records are in memory.

Args:
    file: str or path.
    check: True checks all bytes first, which takes half a second for two gigabytes. Otherwise it
        takes milliseconds, and a damaged disk may make wrong answers or end the process.

Returns:
    An EventStore.

Raises:
    ApiError: The file can't be read, or it isn't a snapshot, another version's, cut off or damaged:
        the rule is file_unreadable, and the message says which.)";

constexpr const char* save =
    R"(save($self, file: str | PathLike[str]) -> int
--

Writes a snapshot, from which open() makes a store in milliseconds.

It has what was published by now, while others load and read: none of them waits, nor does it wait
for a load, also within the load's progress function. The file takes its name once it is whole and
on the disk, and only its owner may read it. Releases the GIL.

Args:
    file: str or path.

Returns:
    The bytes of the file, an int.

Raises:
    ApiError: The file can't be written, and the previous one stays.)";

constexpr const char* changes_since_load =
    R"(changes_since_load($self, folder: str | PathLike[str]) -> str
--

Returns the reason why the store's records aren't those of a folder as it is now.

A store of a snapshot knows of which folder it was, and its files as they were before they were
loaded: sizes, times and checksums. Files are read if sizes and times can't tell. Releases the
GIL.

Args:
    folder: As for load().

Returns:
    A str such as 'clicks.ndjson has changed since'; empty if it has these records, all of them, and
    no others.)";

constexpr const char* page =
    R"(page($self, query: EventsQuery, workspace_id: str | None = None, deadline_ms: int = 0) -> bytes
--

Returns a query's page of events. Releases the GIL.

Args:
    query: An EventsQuery.
    workspace_id: A str, or None for the default workspace of the store.
    deadline_ms: The milliseconds of CPU time after which the search stops, an int; 0 for none.

Returns:
    A JSON array as UTF-8 bytes; empty if there is no such workspace.

Raises:
    ApiError: The search took too long; the error's param and message name the condition that read
        the most.)";

constexpr const char* count =
    R"(count($self, query: EventsQuery, workspace_id: str | None = None, deadline_ms: int = 0) -> int
--

Returns the number of events that a query matches on all its pages. Releases the GIL.

Args:
    query: An EventsQuery.
    workspace_id: As for page().
    deadline_ms: As for page().

Returns:
    int.

Raises:
    ApiError: As for page().)";

constexpr const char* tags =
    R"(tags($self, query: TagsQuery, workspace_id: str | None = None) -> bytes
--

Returns a query's page of tags. Releases the GIL.

Args:
    query: A TagsQuery.
    workspace_id: As for page().

Returns:
    A JSON array as UTF-8 bytes.)";

constexpr const char* explain =
    R"(explain($self, query: EventsQuery, workspace_id: str | None = None, deadline_ms: int = 0) -> str
--

Explains how the store would count the events of a query, without reading any.

Names the routes to the rows and the estimated reads of every condition. Releases the GIL.

Args:
    query: An EventsQuery.
    workspace_id: As for page().
    deadline_ms: As for page().

Returns:
    A str for people.

Raises:
    ApiError: As for page().)";

constexpr const char* analyze =
    R"(analyze($self, query: EventsQuery, workspace_id: str | None = None, deadline_ms: int = 0) -> str
--

Counts the events of a query and explains how.

Like explain(), with the number of events counted and of those that every test compared. Releases
the GIL.

Args:
    query: An EventsQuery.
    workspace_id: As for page().
    deadline_ms: As for page().

Returns:
    A str for people.

Raises:
    ApiError: As for page().)";

constexpr const char* stats = R"(stats($self, /) -> dict[str, dict[str, Any]]
--

Returns the memory of the workspaces. Releases the GIL.

Returns:
    A dict by workspace of dicts: total bytes, bytes mapped from a snapshot's file, counts of
    records, and the bytes of all kinds of events and their columns.)";

constexpr const char* maintain = R"(maintain($self, /) -> bool
--

Runs one step of background indexing.

It indexes the last events, a few at a time, then sorts events by columns that counts often had
conditions on together. A step takes some milliseconds, while others load and read. Releases the
GIL.

Returns:
    True if there was something to do: call it again then, else after a while.)";

constexpr const char* workspace = "The workspace of records that name none, a str.";

}  // namespace doc

std::unique_ptr<event_store> make_store(py::handle workspace) {
    return std::make_unique<event_store>(to_text(workspace, "workspace_id"), process_hash_seed());
}

/// Registers a store that this thread is loading into, during its lifetime. A load waits for other
/// loads to end, so one started by its own progress function would deadlock: RuntimeError.
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

std::int64_t load_folder(event_store& store, py::handle folder, py::handle progress) {
    const loading noted(store);
    const std::filesystem::path path = to_path(folder, "folder");
    const progress_report report(progress);
    const reference::load_options options{.random = std::random_device{}(), .progress = report};
    const auto loaded = without_gil([&] { return reference::load_folder(store, path, options); });
    if (loaded) return *loaded;
    const reference::load_error& failed = loaded.error();
    raise(failed.why, {.message = message(failed), .file = failed.file, .line = failed.line});
}

std::unique_ptr<event_store> load(py::handle folder, py::handle workspace, py::handle progress) {
    auto store = make_store(workspace);
    load_folder(*store, folder, progress);
    return store;
}

/// Raises ApiError for a snapshot that can't be read or written.
[[noreturn]] void raise_refused(const reference::snapshot_error& failed) {
    const bool is_written = failed.fault == reference::snapshot_fault::unwritable;
    raise(make_error(is_written ? rule::file_unwritable : rule::file_unreadable),
          {.message = message(failed), .file = failed.file.string()});
}

std::unique_ptr<event_store> open(py::handle file, py::handle check) {
    const std::filesystem::path path = to_path(file, "file");
    const bool checks = to_flag(check, "check");
    auto opened =
        without_gil([&] { return reference::open_snapshot(path, {.checks_data = checks}); });
    if (!opened) raise_refused(opened.error());
    return *std::move(opened);
}

auto save(const event_store& store, py::handle file) {
    const std::filesystem::path path = to_path(file, "file");
    const auto saved = without_gil([&] { return reference::save_snapshot(store, path); });
    if (!saved) raise_refused(saved.error());
    return *saved;
}

std::string changes_since_load(const event_store& store, py::handle folder) {
    const std::filesystem::path path = to_path(folder, "folder");
    return without_gil([&] { return reference::changes_since_load(store, path); });
}

/// A workspace's records; an empty view if there is no such workspace.
reference::workspace_view view_of(const event_store& store, const std::string& id) {
    // Never destroyed: a thread may still use it while the process exits.
    static const reference::workspace& nothing = *new reference::workspace("");
    const reference::workspace* const records = store.find(id);
    return (records != nullptr ? *records : nothing).current();
}

/// The id of the workspace that an argument names, or of the default one.
std::string to_workspace_of(const event_store& store, py::handle id) {
    const bool is_default = !id || id.is_none();
    return is_default ? store.default_workspace() : to_text(id, "workspace_id");
}

/// The limits of a search that starts now, on this thread: CPU time, or none for 0.
store::scan_options options_for(std::chrono::milliseconds deadline) {
    if (deadline.count() == 0) return {};
    return {.limits = {.cpu_time = reference::thread_cpu_time,
                       .deadline = reference::thread_cpu_time() + deadline}};
}

/// Converts the arguments of a search, null for missing ones, and calls `Answer` with them, without
/// the GIL. Raises its error.
template <auto Answer>
auto search(const event_store& store, py::handle query, py::handle workspace,
            py::handle deadline_ms) {
    const auto& request = to_value_of<const events_request>(query, "query");
    const std::string id = to_workspace_of(store, workspace);
    const auto deadline = deadline_ms ? to_deadline(deadline_ms) : std::chrono::milliseconds{};
    return unwrap(without_gil(
        [&] { return Answer(view_of(store, id), request.query, options_for(deadline)); }));
}

py::bytes page(const event_store& store, py::handle query, py::handle workspace,
               py::handle deadline) {
    return search<reference::list_events>(store, query, workspace, deadline).body;
}

PyObject* count(PyObject* self, const raw_call& call) {
    const auto [query, workspace, deadline] =
        bind_arguments<3>("count", {"query", "workspace_id", "deadline_ms"}, 1, call);
    const auto& store = value_of<event_store>(self);
    return to_new_object(search<reference::count_events>(store, query, workspace, deadline));
}

std::string explain(const event_store& store, py::handle query, py::handle workspace,
                    py::handle deadline) {
    return store::to_string(search<reference::explain_events>(store, query, workspace, deadline));
}

std::string analyze(const event_store& store, py::handle query, py::handle workspace,
                    py::handle deadline) {
    return store::to_string(search<reference::analyze_events>(store, query, workspace, deadline));
}

py::bytes tags(const event_store& store, py::handle query, py::handle workspace) {
    const auto& wanted = to_value_of<const reference::tags_query>(query, "query");
    const std::string id = to_workspace_of(store, workspace);
    return unwrap(without_gil([&] { return reference::list_tags(view_of(store, id), wanted); }))
        .body;
}

using py::literals::operator""_a;

py::dict to_dict(const reference::workspace_stats::event_stats& events) {
    py::list columns;
    for (const auto& column : events.columns) {
        columns.append(
            py::dict("name"_a = column.name, "codes"_a = column.codes, "index"_a = column.index));
    }
    return py::dict("rows"_a = events.rows, "blocks"_a = events.blocks, "times"_a = events.times,
                    "image"_a = events.image, "integers"_a = events.integers,
                    "directory"_a = events.directory, "projection"_a = events.projection,
                    "mapped"_a = events.mapped, "columns"_a = columns);
}

py::dict to_dict(const reference::workspace_stats& stats) {
    py::dict events;
    for (std::size_t kind = 0; kind < stats.events.size(); ++kind) {
        events[to_python(reference::event_kind_names[kind])] = to_dict(stats.events[kind]);
    }
    py::list texts;
    for (const auto& dictionary : stats.texts) {
        texts.append(py::dict("name"_a = dictionary.name, "texts"_a = dictionary.texts,
                              "bytes"_a = dictionary.bytes, "fragments"_a = dictionary.fragments,
                              "probes"_a = dictionary.probes));
    }
    return py::dict("bytes"_a = reference::total_bytes(stats), "links"_a = stats.links,
                    "customers"_a = stats.customers, "tags"_a = stats.tags,
                    "link_index"_a = stats.link_index, "mapped"_a = stats.mapped,
                    "events"_a = events, "texts"_a = texts);
}

py::dict stats(const event_store& store) {
    py::dict workspaces;
    for (const auto& workspace : without_gil([&] { return store.stats(); })) {
        workspaces[to_python(workspace.id)] = to_dict(workspace);
    }
    return workspaces;
}

bool maintain(event_store& store) {
    return without_gil([&] { return store.maintain(); });
}

std::string repr(const event_store& store) {
    return "<EventStore " + store.default_workspace() + ": " + std::to_string(store.size()) +
           " events>";
}

void register_searches(py::class_<event_store>& c) {
    const auto def_search = [&](const char* name, auto search, const char* doc) {
        def(c, name, search, doc, py::arg("query"), py::arg("workspace_id") = py::none(),
            py::arg("deadline_ms") = 0);
    };
    def_search("page", page, doc::page);
    def_fast<count>(c, "count", doc::count);
    def_search("explain", explain, doc::explain);
    def_search("analyze", analyze, doc::analyze);
    def(c, "tags", tags, doc::tags, py::arg("query"), py::arg("workspace_id") = py::none());
}

}  // namespace

void register_event_store(py::module_& m) {
    auto c = make_class<event_store>(m, "EventStore", doc::type);
    def_constructor(c, make_store, py::arg("workspace_id") = "ws_default");
    def_static(c, "load", load, doc::load, py::arg("folder"),
               py::arg("workspace_id") = "ws_default", py::arg("progress") = py::none());
    def(c, "load_folder", load_folder, doc::load_folder, py::arg("folder"),
        py::arg("progress") = py::none());
    def_static(c, "open", open, doc::open, py::arg("file"), py::arg("check") = true);
    def(c, "save", save, doc::save, py::arg("file"));
    def(c, "changes_since_load", changes_since_load, doc::changes_since_load, py::arg("folder"));
    register_searches(c);
    def(c, "stats", stats, doc::stats);
    def(c, "maintain", maintain, doc::maintain);
    def(c, "__len__", &event_store::size, len_doc);
    def_always_true(c);
    def(c, "__repr__", repr, repr_doc);
    def_attribute(c, "workspace_id: str", &event_store::default_workspace, doc::workspace);
}

}  // namespace sluice::bindings
