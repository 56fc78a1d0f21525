# SPDX-License-Identifier: MIT
"""The command `load`: loads a folder of records into ClickHouse."""

import argparse
from pathlib import Path

from sluice import ApiError
from sluice._clickhouse import ClickHouse, Place, StoreError
from sluice._progress import progress_bar
from sluice.api import EventStore, clickhouse_tables, load_clickhouse

_DEADLINE = 60.0  # seconds per statement


class LoadError(Exception):
    """An error of loading a folder."""


def load(options: argparse.Namespace, place: Place) -> None:
    """Creates the tables, adds missing records, and prints their number.

    Raises:
        LoadError: A record is invalid, or a server failed.
    """
    servers = ClickHouse(place, _DEADLINE)
    store = _read(options.data)
    try:
        for statement in clickhouse_tables(options.cluster):
            servers.run_everywhere(statement)
        if options.cluster:
            _check_cluster(servers, options.cluster)
        counts = _add(store, servers)
    except StoreError as error:
        raise LoadError(f"{error}; load again to go on") from None
    print(f"events: {counts['events']} in {options.data}, {counts['added']} added or changed")
    print(f"other records: {counts['records']} added or changed", flush=True)


def _read(folder: Path) -> EventStore:
    if not folder.is_dir():
        raise LoadError(f"{folder}: no such folder")
    try:
        with progress_bar("B") as report:
            return EventStore.load(folder, progress=report)
    except ApiError as error:
        raise LoadError(f"{folder}/{error}") from None


def _check_cluster(servers: ClickHouse, cluster: str) -> None:
    """Checks that every node of a cluster has the tables: --store must name all nodes.

    Raises:
        StoreError: A node lacks them, or there is no such cluster.
    """
    names = {"p1": cluster}
    nodes = int(
        servers.run("SELECT count() FROM system.clusters WHERE cluster = {p1:String}", names)
    )
    tables = servers.run(
        "SELECT count() FROM clusterAllReplicas({p1:Identifier}, system.tables) "
        "WHERE database = currentDatabase() AND name IN ('events_part', 'records_part')",
        names,
    )
    if int(tables) != 2 * nodes or not nodes:
        raise StoreError(f"{cluster} has {nodes} nodes, and the tables are not on each: name all")


def _add(store: EventStore, servers: ClickHouse) -> dict[str, int]:
    """Adds missing records; returns the numbers of load_clickhouse().

    Raises:
        StoreError: A server failed.
    """
    failures: list[StoreError] = []

    def run(text: str, parameters: dict[str, object]) -> bytes | None:
        try:
            return servers.run(text, parameters)
        except StoreError as error:
            failures.append(error)
            return None

    try:
        with progress_bar(" events") as report:
            return load_clickhouse(store, run, report)
    except ApiError as error:
        raise (failures or [StoreError(str(error))])[-1] from None
