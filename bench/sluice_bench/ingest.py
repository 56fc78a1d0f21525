# SPDX-License-Identifier: MIT
"""A folder of NDJSON, read into tables."""

from collections.abc import Iterator
from pathlib import Path

from .context import Context
from .measuring import Cell, Peer, by_python, lacks

EVENTS = ("clicks", "leads", "sales")


def by_duckdb(folder: Path, threads: int) -> Peer:
    """Reads the files into tables by DuckDB's read_json."""
    if missing := lacks("duckdb"):
        return missing
    import duckdb

    def run() -> str:
        connection = duckdb.connect(":memory:", config={"threads": threads})
        rows = 0
        for name in EVENTS:
            source = f"read_json('{folder / name}.ndjson', format = 'newline_delimited')"
            connection.execute(f"CREATE TABLE {name} AS FROM {source}")
            rows += connection.execute(f"SELECT count(*) FROM {name}").fetchall()[0][0]
        connection.close()
        return str(rows)

    return by_python(run)


def by_polars(folder: Path) -> Peer:
    """Reads the files by read_ndjson of polars."""
    if missing := lacks("polars"):
        return missing
    import polars as pl

    def run() -> str:
        files = (folder / f"{name}.ndjson" for name in EVENTS)
        return str(sum(len(pl.read_ndjson(file, infer_schema_length=None)) for file in files))

    return by_python(run)


def cells(context: Context) -> Iterator[Cell]:
    """Yields one cell; sluice checks every field and resolves links and customers."""
    folder = context.folder / "sample"
    context.write_sample(folder)
    ours = context.driver.contender(f"ingest {folder}")
    peers = {"DuckDB": by_duckdb(folder, context.threads), "polars": by_polars(folder)}
    yield Cell("ingest: NDJSON folder", "load_folder", ours, peers)
