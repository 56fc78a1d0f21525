# SPDX-License-Identifier: MIT
"""Events on their way in."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from ..cell import Cell, Contender, Missing, python_contender
from ..context import Context, by_driver, lacks
from ..event_tables import write_sample

EVENTS = ("clicks", "leads", "sales")
NOTE = "sluice checks every field and resolves links and customers; the peers read columns only"


def by_duckdb(folder: Path, threads: int) -> Contender | Missing:
    """DuckDB's read_json into tables."""
    missing = lacks("duckdb")
    if missing:
        return missing
    import duckdb

    def run() -> str:
        connection = duckdb.connect(":memory:", config={"threads": threads})
        rows = 0
        for name in EVENTS:
            source = f"read_json('{folder / name}.ndjson', format = 'newline_delimited')"
            connection.execute(f"CREATE TABLE {name} AS FROM {source}")
            counted = connection.execute(f"SELECT count(*) FROM {name}").fetchone()
            rows += counted[0] if counted else 0
        connection.close()
        return str(rows)

    return python_contender(run, run)


def by_polars(folder: Path) -> Contender | Missing:
    """The files by read_ndjson of polars."""
    missing = lacks("polars")
    if missing:
        return missing
    import polars as pl

    def run() -> str:
        files = (folder / f"{name}.ndjson" for name in EVENTS)
        return str(sum(len(pl.read_ndjson(file, infer_schema_length=None)) for file in files))

    return python_contender(run, run)


def cells(context: Context) -> Iterator[Cell]:
    """A folder of NDJSON, and clicks that are parsed already."""
    folder = write_sample(context.driver, context.folder / "sample", context.events)
    few = write_sample(context.driver, context.folder / "few", min(context.events, 200_000))
    peers = {"DuckDB": by_duckdb(folder, context.threads), "polars": by_polars(folder)}
    ours = by_driver(context, f"ingest {folder}")
    yield Cell(
        "ingest: NDJSON folder", "load_folder", ours, peers, float(context.events), "events", NOTE
    )
    append = by_driver(context, f"append {few}")
    clicks = int(str(append.answer()))
    ours = replace(append, answer=lambda: None)
    yield Cell("append: parsed clicks", "event_store", ours, {}, float(clicks), "events")
