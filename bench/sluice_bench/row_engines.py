# SPDX-License-Identifier: MIT
"""Engines that hold the generated rows in memory, for counts and pages."""

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .data import NEWEST_FIRST, Clause, Data, Query, arrow_table, id_column, literal, parse, where
from .measuring import Contender, LineProcess, Missing, Peer, by_python, lacks

Words = NDArray[np.uint64]
FIRST_WINDOW = 1 << 10  # words
BATCH = 1 << 20  # rows


class Engine:
    """Holds the rows; `settings` say how, and why that is its best."""

    settings: ClassVar[str]
    version: str

    def counter(self, query: Query) -> Callable[[], int]:
        """Returns a call that counts the rows of a query; whatever can be prepared is."""
        raise NotImplementedError

    def pager(self, text: str) -> Callable[[], bytes]:
        """Returns a call that makes the JSON page of a query string, all of it."""
        raise NotImplementedError

    def counting(self, query: Query) -> Peer:
        """Returns the contender of a count."""
        return by_python(self.counter(query))

    def paging(self, text: str) -> Peer:
        """Returns the contender of a page."""
        run = self.pager(text)
        return by_python(run, lambda: json.loads(run()))


def dump_rows(names: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """Writes rows of values in the order of the names; metadata is JSON text."""
    import orjson

    shown: list[dict[str, Any]] = [dict(zip(names, row, strict=True)) for row in rows]
    for row in shown:
        row["metadata"] = orjson.Fragment(row["metadata"])
    return orjson.dumps(shown)


class NumpyBitmaps(Engine):
    """Words of 64 rows, ANDed; made once for a value, as all of 217,000 take 270 GB at 1e7 rows."""

    settings = (
        "a bitmap of 64-bit words for each value that is asked for, made before it is measured;"
        " & | ~ and bitwise_count; only the words of a time range; pages from the end in windows"
        " that double"
    )
    version = np.__version__

    def __init__(self, data: Data, threads: int) -> None:
        """Shares the data's arrays; NumPy's operations use one thread."""
        self._data = data
        self._texts = {name: [None, *texts] for name, texts in data.texts.items()}
        self._bitmaps: dict[tuple[str, str], Words] = {}

    def _bitmap(self, column: str, value: str) -> Words:
        if (column, value) not in self._bitmaps:
            rows = self._data.codes[column] == self._data.code(column, value)
            padded = np.zeros(-(-len(rows) // 64) * 64, np.bool_)
            padded[: len(rows)] = rows
            words = np.packbits(padded, bitorder="little").view(np.uint64)
            self._bitmaps[column, value] = words
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

    def counter(self, query: Query) -> Callable[[], int]:
        """Counts the bits."""

        def run() -> int:
            first, last = self._data.row_range(query.start, query.end)
            return int(np.bitwise_count(self._matches(query, first, last)).sum(dtype=np.int64))

        return run

    def pager(self, text: str) -> Callable[[], bytes]:
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
        data = self._data
        ids = [f"ev_{number:016x}" for number in data.ids[rows].tolist()]
        columns: list[list[Any]] = [ids, data.times[rows].tolist()]
        for name in (*data.dimensions, "metadata"):
            texts = self._texts[name]
            columns.append([texts[code] for code in data.codes[name][rows].tolist()])
        return dump_rows(["id", "time", *data.dimensions, "metadata"], zip(*columns, strict=True))


class PolarsFrame(Engine):
    """A lazy frame, the newest row first so that a page is a head."""

    settings = (
        "Enum columns, newest row first, time marked sorted; lazy: counts in the in-memory engine,"
        " row numbers of a page as filter + slice in the streaming engine, which stops early,"
        " then gathered;"
        " POLARS_MAX_THREADS = threads"
    )

    def __init__(self, data: Data, threads: int) -> None:
        """Makes the frame."""
        import polars as pl

        self.version = pl.__version__
        columns = [
            pl.Series("id", pl.from_arrow(id_column(data)))[::-1],
            pl.Series("time", data.times[::-1]).set_sorted(descending=True),
        ]
        integers = {np.dtype(np.uint8): pl.UInt8, np.dtype(np.uint16): pl.UInt16}
        for name, codes in data.codes.items():
            values = pl.Series(name, codes[::-1])
            values = values.set(values == 0, None) - 1
            values = values.cast(integers.get(codes.dtype, pl.UInt32))
            columns.append(values.cat.to(pl.Enum(data.texts[name])))
        self._frame = pl.DataFrame(columns).rechunk().with_row_index("row")
        self._names = ["id", "time", *data.dimensions, "metadata"]
        self._data = data

    def _matching(self, query: Query) -> Any:  # noqa: ANN401
        frame = self._frame
        if not query.is_unbounded:
            first, last = self._data.row_range(query.start, query.end)
            frame = frame.slice(self._data.rows - last, last - first)
        return frame.lazy().filter(*map(polars_test, query.conditions))

    def counter(self, query: Query) -> Callable[[], int]:
        """Counts what the filter keeps."""
        import polars as pl

        return lambda: int(self._matching(query).select(pl.len()).collect().item())

    def pager(self, text: str) -> Callable[[], bytes]:
        """Takes the page off what the filter keeps."""

        def run() -> bytes:
            query = parse(text)
            matching = self._matching(query).select("row").slice(query.offset, query.limit)
            rows = matching.collect(engine="streaming")["row"]
            return dump_rows(self._names, self._frame[rows].select(self._names).rows())

        return run


def polars_test(clause: Clause) -> Any:  # noqa: ANN401
    """Returns a clause as an expression of polars; absent values pass an exclusion."""
    import polars as pl

    column = pl.col(clause.column)
    if len(clause.values) > 1:
        is_named = column.is_in(list(clause.values))
        return (~is_named).fill_null(True) if clause.excludes else is_named
    value = clause.values[0]
    return column.ne_missing(value) if clause.excludes else column == value


class DuckdbTable(Engine):
    """A table of ENUM columns in time order."""

    settings = (
        "ENUM columns (VARCHAR for metadata), rows in time order so that zone maps skip; IN and"
        " exclusions by enum_code(), three times faster than by value; counts as prepared"
        " statements, pages as Top-N with late materialisation, JSON by orjson; threads = threads"
    )

    def __init__(self, data: Data, threads: int) -> None:
        """Makes the table."""
        import duckdb

        self.version = duckdb.__version__
        self._run = duckdb.connect(":memory:", config={"threads": threads}).execute
        self._names = ["id", "time", *data.dimensions, "metadata"]
        self._data = data
        self._prepared = 0
        types = {"id": "VARCHAR", "time": "BIGINT"}
        for name, texts in data.texts.items():
            types[name] = "VARCHAR" if name == "metadata" else f'"{name}_values"'
            if name != "metadata":
                values = ", ".join(map(literal, texts))
                self._run(f'CREATE TYPE "{name}_values" AS ENUM ({values})')
        columns = ", ".join(f'"{name}" {kind}' for name, kind in types.items())
        self._run(f"CREATE TABLE events ({columns})")
        casts = ", ".join(f'CAST("{name}" AS {kind})' for name, kind in types.items())
        for begin in range(0, data.rows, BATCH):
            batch = arrow_table(data, begin, begin + BATCH)  # noqa: F841, named in the statement
            self._run(f"INSERT INTO events SELECT {casts} FROM batch")

    def _test(self, clause: Clause) -> str:
        if len(clause.values) == 1 and not clause.excludes:
            return f'"{clause.column}" = {literal(clause.values[0])}'
        codes = [str(self._data.code(clause.column, value) - 1) for value in clause.values]
        test = f'enum_code("{clause.column}") IN ({", ".join(codes)})'
        return f"coalesce(NOT ({test}), true)" if clause.excludes else test

    def counter(self, query: Query) -> Callable[[], int]:
        """Runs a prepared statement."""
        self._prepared += 1
        name = f"count_{self._prepared}"
        self._run(f"PREPARE {name} AS SELECT count(*) FROM events{where(query, self._test)}")
        return lambda: int(self._run(f"EXECUTE {name}").fetchall()[0][0])

    def pager(self, text: str) -> Callable[[], bytes]:
        """Parses, plans, runs, fetches, writes."""
        columns = ", ".join(f'"{name}"' for name in self._names)

        def run() -> bytes:
            query = parse(text)
            tail = f"{NEWEST_FIRST} LIMIT {query.limit} OFFSET {query.offset}"
            statement = f"SELECT {columns} FROM events{where(query, self._test)} {tail}"
            return dump_rows(self._names, self._run(statement).fetchall())

        return run


class Croaring(Engine):
    """CRoaring in C++, held and measured by the driver, which ends with the run."""

    settings = (
        "in C++, a bitmap a value, run-optimised and at hand before a count begins; one column by"
        " cardinality or range_cardinality, more by AND from the smallest on, in place, the last"
        " step as and_cardinality; windows of several columns as a range to AND; pages by select"
        " and an iterator, with sluice's JSON"
    )

    def __init__(self, driver: LineProcess, data: Data) -> None:
        """Has the driver make the bitmaps."""
        self._driver = driver
        self.version = driver.ask(f"answer roaring_load {data.folder}")

    def counting(self, query: Query) -> Contender:
        """Counts with the bitmaps of the values at hand."""
        return self._driver.contender(f"roaring_count {query.text()}", int)

    def paging(self, text: str) -> Contender:
        """Makes a page from the query string on."""
        return self._driver.contender(f"roaring_page {text}", json.loads)


IN_PYTHON: dict[str, tuple[str, type[Any]]] = {
    "NumPy bitmaps": ("numpy", NumpyBitmaps),
    "polars": ("polars", PolarsFrame),
    "DuckDB": ("duckdb", DuckdbTable),
}
NAMES = (*IN_PYTHON, "CRoaring")


def open_engine(name: str, driver: LineProcess, data: Data, threads: int) -> Engine | Missing:
    """Loads the rows into an engine, if it is there."""
    if name == "CRoaring":
        if "roaring_count" not in driver.ask("names").split():
            return Missing("not built: compare.py without --no-setup builds it")
        return Croaring(driver, data)
    package, engine = IN_PYTHON[name]
    opened: Engine | Missing = lacks(package) or engine(data, threads)
    return opened
