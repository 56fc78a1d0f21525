// SPDX-License-Identifier: MIT
#include <functional>
#include <string>

#include <pybind11/stl.h>

#include <sluice/reference/clickhouse/load.hpp>

#include "background.hpp"
#include "convert.hpp"
#include "raise.hpp"
#include "register.hpp"
#include "statement_runner.hpp"

namespace sluice::bindings {

namespace {

namespace doc {

constexpr const char* tables = R"(clickhouse_tables(cluster: str | None = None) -> list[str]
--

Returns the statements that create the tables of events and records in ClickHouse, if missing.

Args:
    cluster: The name of a cluster over whose shards the rows are spread, or None for one server;
        with a name they run on all nodes.

Returns:
    A list of str.)";

constexpr const char* load =
    R"(load_clickhouse(store: EventStore, run: _Runner, progress: _Progress | None = None) -> dict[str, int]
--

Adds what a store has to the tables of clickhouse_tables(). Releases the GIL.

Events and other records that the tables have already aren't added again: a load that broke off
continues from there, and one that is repeated adds nothing.

Args:
    store: An EventStore.
    run: As for Handler.
    progress: A callable that takes the events compared and their total, or None.

Returns:
    A dict: events in the store; added, those of them that were new or have changed; records, the
    tags, domains, folders, customers and links that were.

Raises:
    ApiError: A statement had no answer; what was added before stays.)";

}  // namespace doc

/// Implements clickhouse_tables.
py::object tables(py::handle cluster) {
    const std::string name = cluster.is_none() ? std::string() : to_text(cluster, "cluster");
    return py::cast(reference::clickhouse::table_statements(name));
}

/// Implements load_clickhouse.
py::dict load(py::handle store, const py::object& run, py::handle progress) {
    const auto& events = to_value_of<reference::event_store>(store, "store");
    const statement_runner runner(run);
    const progress_report report(progress);
    const reference::clickhouse::statement_runner runs = std::cref(runner);
    const auto counts = unwrap(without_gil(
        [&] { return reference::clickhouse::load_tables(events, runs, std::cref(report)); }));
    using py::literals::operator""_a;
    return py::dict("events"_a = counts.events, "added"_a = counts.added,
                    "records"_a = counts.records);
}

}  // namespace

void register_clickhouse(py::module_& m) {
    def(m, "clickhouse_tables", tables, doc::tables, py::arg("cluster") = py::none());
    def(m, "load_clickhouse", load, doc::load, py::arg("store"), py::arg("run"),
        py::arg("progress") = py::none());
}

}  // namespace sluice::bindings
