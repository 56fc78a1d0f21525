# SPDX-License-Identifier: MIT
"""Counts and pages of the generated rows, which every engine holds in memory."""

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import duckdb
import numpy as np
import orjson
import polars as pl
from numpy.typing import NDArray

from . import data
from .data import Data
from .measuring import Cell, Collector, Library, LineProcess, Missing, Run, Source
from .queries import (
    KEY,
    NEWEST_FIRST,
    Clause,
    Query,
    counted_queries,
    literal,
    paged_queries,
    parse,
    where,
)

Words = NDArray[np.uint64]
FIRST_WINDOW = 1 << 10  # words
BATCH = 1 << 20  # rows
HABITS = 60 * [KEY] + 20 * [KEY[:2]] + 20 * [KEY[1:]]


class Engine(Library):
    """Holds the rows; `settings` say how, and why that is its best.

    `count` prepares whatever can be. `page` begins with the query string and ends with its JSON.
    """

    version: str
    settings: str

    def __init__(self, rows: Data, threads: int) -> None:
        """Loads the rows."""
        self._data = rows
        self._names = ["id", "time", *rows.dimensions, "metadata"]

    def _write_rows(self, rows: Iterable[Sequence[object]]) -> bytes:
        """Writes rows of values in the order of the names; metadata is JSON text."""
        shown: list[dict[str, Any]] = [dict(zip(self._names, row, strict=True)) for row in rows]
        for row in shown:
            row["metadata"] = orjson.Fragment(row["metadata"])
        return orjson.dumps(shown)


class NumpyBitmaps(Engine):
    """Words of 64 rows, ANDed; made once for a value, as all of 217,000 take 270 GB at 1e7 rows."""

    version = np.__version__
    settings = (
        "a bitmap of 64-bit words for each value that is asked for, made before it is measured;"
        " & | ~ and bitwise_count; only the words of a time range; pages from the end in windows"
        " that double"
    )

    def __init__(self, rows: Data, threads: int) -> None:
        """Shares the data's arrays; NumPy's operations use one thread."""
        super().__init__(rows, threads)
        self._texts = {name: [None, *texts] for name, texts in rows.texts.items()}
        self._bitmaps: dict[tuple[str, str], Words] = {}

    def _bitmap(self, column: str, value: str) -> Words:
        if (column, value) not in self._bitmaps:
            bits = np.packbits(
                self._data.codes[column] == self._data.code(column, value), bitorder="little"
            )
            padded = np.pad(bits, (0, -len(bits) % 8))
            self._bitmaps[column, value] = padded.view(np.uint64)
        return self._bitmaps[column, value]

    def _clause(self, clause: Clause, words: slice) -> Words:
        bits = self._bitmap(clause.column, clause.values[0])[words]
        for value in clause.values[1:]:
            bits = bits | self._bitmap(clause.column, value)[words]
        return ~bits if clause.excludes else bits

    def _matches(self, query: Query, first: int, last: int) -> Words:
        """Returns the rows from `first` to before `last`, in words from that of `first` on."""
        words = slice(first // 64, -(-last // 64))
        clauses = query.conditions
        bits = self._clause(clauses[0], words)
        for clause in clauses[1:]:
            bits = bits & self._clause(clause, words)
        before, after = first % 64, -last % 64
        if len(bits) and (before or after):  # the first and the last bits are other rows
            bits = bits.copy()
            bits[0] &= np.uint64((~0 << before) & 0xFFFF_FFFF_FFFF_FFFF)
            bits[-1] &= np.uint64(0xFFFF_FFFF_FFFF_FFFF >> after)
        return bits

    def count(self, text: str) -> Run:
        """Counts the bits."""
        query = parse(text)

        def run() -> int:
            rows = self._data.row_range(query.start, query.end)
            return int(np.bitwise_count(self._matches(query, *rows)).sum(dtype=np.int64))

        return run

    def page(self, text: str) -> Run:
        """Searches from the newest row back."""

        def run() -> bytes:
            query = parse(text)
            first, last = self._data.row_range(query.start, query.end)
            needed, window = query.offset + query.limit, FIRST_WINDOW
            chunks = [np.empty(0, np.intp)]
            while last > first and sum(map(len, chunks)) < needed:
                begin = max(first, (-(-last // 64) - window) * 64)
                words = self._matches(query, begin, last).view(np.uint8)
                bits = np.unpackbits(words, bitorder="little")
                chunks.append(np.flatnonzero(bits)[::-1] + begin // 64 * 64)
                last, window = begin, window * 2
            return self._render(np.concatenate(chunks)[query.offset : needed])

        return run

    def _render(self, rows: NDArray[np.intp]) -> bytes:
        ids = [f"ev_{number:016x}" for number in self._data.ids[rows].tolist()]
        columns: list[list[Any]] = [ids, self._data.times[rows].tolist()]
        for name in self._names[2:]:
            codes = self._data.codes[name][rows].tolist()
            columns.append([self._texts[name][code] for code in codes])
        return self._write_rows(zip(*columns, strict=True))


class PolarsFrame(Engine):
    """A lazy frame, the newest row first so that a page is a head."""

    version = pl.__version__
    settings = (
        "Enum columns, newest row first, time marked sorted; lazy: counts in the in-memory engine,"
        " row numbers of a page as filter + slice in the streaming engine, which stops early,"
        " then gathered;"
        " POLARS_MAX_THREADS = threads"
    )

    def __init__(self, rows: Data, threads: int) -> None:
        """Makes the frame."""
        super().__init__(rows, threads)
        enums = [pl.col(name).cast(pl.Enum(texts)) for name, texts in rows.texts.items()]
        frames = [pl.DataFrame(table).with_columns(enums)[::-1] for table in rows.tables(BATCH)]
        frame = pl.concat(reversed(frames), rechunk=True).with_columns(
            pl.col("time").set_sorted(descending=True)
        )
        self._frame = frame.with_row_index("row")

    def _matching(self, query: Query) -> pl.LazyFrame:
        frame = self._frame
        if not query.is_unbounded:
            first, last = self._data.row_range(query.start, query.end)
            frame = frame.slice(self._data.rows - last, last - first)
        return frame.lazy().filter(*map(polars_test, query.conditions))

    def count(self, text: str) -> Run:
        """Counts what the filter keeps."""
        query = parse(text)
        return lambda: int(self._matching(query).select(pl.len()).collect().item())

    def page(self, text: str) -> Run:
        """Takes the page off what the filter keeps."""

        def run() -> bytes:
            query = parse(text)
            matching = self._matching(query).select("row").slice(query.offset, query.limit)
            rows = matching.collect(engine="streaming")["row"]
            return self._write_rows(self._frame[rows].select(self._names).rows())

        return run


def polars_test(clause: Clause) -> pl.Expr:
    """Returns a clause as an expression of polars; absent values pass an exclusion."""
    column = pl.col(clause.column)
    if len(clause.values) > 1:
        is_named = column.is_in(list(clause.values))
        return (~is_named).fill_null(True) if clause.excludes else is_named
    value = clause.values[0]
    return column.ne_missing(value) if clause.excludes else column == value


class DuckdbTable(Engine):
    """A table of ENUM columns in time order."""

    version = duckdb.__version__
    settings = (
        "ENUM columns (VARCHAR for metadata), rows in time order so that zone maps skip; IN and"
        " exclusions by enum_code(), three times faster than by value; counts as prepared"
        " statements, pages as Top-N with late materialisation, JSON by orjson; threads = threads"
    )

    def __init__(self, rows: Data, threads: int) -> None:
        """Makes the table."""
        super().__init__(rows, threads)
        self._run = duckdb.connect(":memory:", config={"threads": threads}).execute
        self._prepared = 0
        types = {"id": "VARCHAR", "time": "BIGINT"}
        for name, texts in rows.texts.items():
            types[name] = "VARCHAR" if name == "metadata" else f'"{name}_values"'
            if name != "metadata":
                values = ", ".join(map(literal, texts))
                self._run(f'CREATE TYPE "{name}_values" AS ENUM ({values})')
        columns = ", ".join(f'"{name}" {kind}' for name, kind in types.items())
        self._run(f"CREATE TABLE events ({columns})")
        casts = ", ".join(f'CAST("{name}" AS {kind})' for name, kind in types.items())
        for batch in rows.tables(BATCH):  # noqa: B007, named in the statement
            self._run(f"INSERT INTO events SELECT {casts} FROM batch")

    def _test(self, clause: Clause) -> str:
        if len(clause.values) == 1 and not clause.excludes:
            return f'"{clause.column}" = {literal(clause.values[0])}'
        codes = [str(self._data.code(clause.column, value) - 1) for value in clause.values]
        test = f'enum_code("{clause.column}") IN ({", ".join(codes)})'
        return f"coalesce(NOT ({test}), true)" if clause.excludes else test

    def count(self, text: str) -> Run:
        """Runs a prepared statement."""
        self._prepared += 1
        name = f"count_{self._prepared}"
        self._run(f"PREPARE {name} AS SELECT count(*) FROM events{where(parse(text), self._test)}")
        return lambda: int(self._run(f"EXECUTE {name}").fetchall()[0][0])

    def page(self, text: str) -> Run:
        """Parses, plans, runs, fetches, writes."""
        columns = ", ".join(f'"{name}"' for name in self._names)

        def run() -> bytes:
            query = parse(text)
            tail = f"{NEWEST_FIRST} LIMIT {query.limit} OFFSET {query.offset}"
            statement = f"SELECT {columns} FROM events{where(query, self._test)} {tail}"
            return self._write_rows(self._run(statement).fetchall())

        return run


class Croaring:
    """CRoaring in C++, held and measured by the driver, which ends with the run."""

    settings = (
        "in C++, a bitmap a value, run-optimised and at hand before a count begins; one column by"
        " cardinality or range_cardinality, more by AND from the smallest on, in place, the last"
        " step as and_cardinality; windows of several columns as a range to AND; pages by select"
        " and an iterator, with sluice's JSON"
    )

    def __init__(self, driver: LineProcess, rows: Data) -> None:
        """Has the driver make the bitmaps."""
        self._driver = driver
        self.version = driver.ask(f"answer roaring_load {rows.folder}")

    def contender(self, operation: str, read: Any) -> Any:  # noqa: ANN401
        """Counts with the bitmaps of the values at hand; makes pages from the query string on."""
        return self._driver.contender(f"roaring_{operation}", read)


ENGINES = {"NumPy bitmaps": NumpyBitmaps, "polars": PolarsFrame, "DuckDB": DuckdbTable}
NAMES = (*ENGINES, "CRoaring")


def open_engine(name: str, driver: LineProcess, rows: Data, threads: int) -> Any:  # noqa: ANN401
    """Loads the rows into an engine, if it is there and they fit."""
    if misfit := data.misfit(name, rows.rows, len(rows.dimensions)):
        return misfit
    if name != "CRoaring":
        return ENGINES[name](rows, threads)
    if "roaring_count" in driver.ask("names").split():
        return Croaring(driver, rows)
    return Missing("not built: compare.py without --no-setup builds it")


def learn(driver: LineProcess, rows: Data) -> None:
    """Has sluice project counts on what is asked, as its servers do.

    It learns from queries of its own, for the values of rows that a seed draws: none of those that
    are measured.
    """
    rng = np.random.default_rng(2)
    habits = []
    for columns in HABITS:
        row = int(rng.integers(rows.rows))
        codes = [(column, int(rows.codes[column][row])) for column in columns]
        clauses = [Clause(name, (rows.texts[name][code - 1],)) for name, code in codes]
        habits.append(Query(tuple(clauses)).text())
    driver.ask(f"answer learn {' '.join(habits)}")


def measure(collector: Collector, driver: LineProcess, rows: Data, threads: int) -> None:
    """Measures counts and pages beside one engine after the other, each gone before the next."""
    learn(driver, rows)
    for name in NAMES:
        begin = time.monotonic()
        engine = open_engine(name, driver, rows, threads)
        if isinstance(engine, Missing):
            collector.engines[name] = {"missing": engine.reason}
        else:
            about = {"version": engine.version, "settings": engine.settings}
            collector.engines[name] = about | {"load_seconds": round(time.monotonic() - begin, 2)}
        collector.take(cells(driver, rows, name, engine))


def cells(driver: LineProcess, rows: Data, name: str, engine: Source) -> Iterator[Cell]:
    """Yields all counts, then all pages. The driver starts from the query string in both."""
    for form, queries, read in (
        ("count", counted_queries(rows), int),
        ("page", paged_queries(rows), json.loads),
    ):
        for task, query in queries.items():
            operation = f"{form} {query.text()}"
            yield Cell(f"{form}: {task}", "store::select", operation, driver, {name: engine}, read)
