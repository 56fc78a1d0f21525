# SPDX-License-Identifier: MIT
"""Generated rows, the same of the same seed, as arrays and Arrow data, and queries of them."""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from .measuring import Missing

Codes = NDArray[Any]

SKEW = 1.1  # value k is drawn in proportion to 1 / k ** SKEW
ABSENT_PART = 0.2  # of the columns that may be absent
RUN_ROWS = 500  # mean length of a run in a clustered column
SPAN_MS = 90 * 24 * 3600 * 1000
END_MS = 1_787_279_415_123
PLANS = ("free", "pro", "business", "advanced", "enterprise")
METADATA_TEXTS = 100_000
CHUNK = 1 << 20


@dataclass(frozen=True)
class Dimension:
    """A column of texts: how many there are, and how they lie."""

    name: str
    values: int
    clustered: bool = False  # equal values come in runs
    optional: bool = False  # some rows have none


DIMENSIONS = (
    *(Dimension("qr", 2), Dimension("trigger", 3), Dimension("device", 4)),
    *(Dimension("continent", 8), Dimension("os", 8), Dimension("utm_medium", 12, optional=True)),
    *(Dimension("browser", 16), Dimension("group", 32), Dimension("utm_source", 64, optional=True)),
    *(Dimension("folder", 100), Dimension("partner_tag", 120), Dimension("tag", 200)),
    *(Dimension("country", 240), Dimension("domain", 250, clustered=True)),
    *(Dimension("tenant", 400), Dimension("utm_campaign", 800, clustered=True, optional=True)),
    *(Dimension("utm_term", 1_500, optional=True), Dimension("region", 3_000)),
    *(Dimension("utm_content", 4_000, optional=True), Dimension("partner", 6_000)),
    *(Dimension("referer", 10_000), Dimension("city", 30_000)),
    *(Dimension("link", 60_000, clustered=True), Dimension("url", 100_000)),
)


@dataclass(frozen=True)
class Data:
    """Rows in (time, id) order. Code 0 is absent, code c the c-th text of its column."""

    folder: Path
    times: NDArray[np.int64]
    ids: NDArray[np.uint64]
    codes: dict[str, Codes]
    texts: dict[str, list[str]]

    @cached_property
    def _known(self) -> dict[str, dict[str, int]]:
        return {
            name: {text: code for code, text in enumerate(texts, 1)}
            for name, texts in self.texts.items()
        }

    @property
    def rows(self) -> int:
        """Returns the number of rows."""
        return len(self.times)

    @property
    def dimensions(self) -> list[str]:
        """The names of the dimensions; `metadata` and `plan` (from it) are columns of their own."""
        return [name for name in self.codes if name not in ("metadata", "plan")]

    def code(self, column: str, text: str) -> int:
        """The code of a text."""
        return self._known[column][text]

    def counts(self, column: str) -> NDArray[np.int64]:
        """Returns the number of rows of each code of a column."""
        return np.bincount(self.codes[column], minlength=len(self.texts[column]) + 1)

    def row_range(self, start: int | None, end: int | None) -> tuple[int, int]:
        """The first row of a window, and the first one after it."""
        first = 0 if start is None else int(np.searchsorted(self.times, start, "left"))
        last = self.rows if end is None else int(np.searchsorted(self.times, end, "right"))
        return first, last

    def id_bytes(self, begin: int = 0, end: int | None = None) -> NDArray[np.uint8]:
        """The texts of ids, `ev_` and 16 hexadecimal digits, 19 bytes a row."""
        ids = self.ids[begin:end]
        digits = np.frombuffer(b"0123456789abcdef", np.uint8)
        texts = np.empty((len(ids), 19), np.uint8)
        texts[:, :3] = np.frombuffer(b"ev_", np.uint8)
        for digit in range(16):
            shift = np.uint64(60 - 4 * digit)
            texts[:, 3 + digit] = digits[(ids >> shift) & np.uint64(15)]
        return texts


def narrowest(values: int) -> type[np.unsignedinteger[Any]]:
    """The narrowest type of codes 0 to `values`."""
    return np.uint8 if values < 1 << 8 else np.uint16 if values < 1 << 16 else np.uint32


def draw(rng: np.random.Generator, values: int, rows: int) -> Codes:
    """Codes from 1 by Zipf's law."""
    ends = np.cumsum(1.0 / np.arange(1, values + 1) ** SKEW)
    drawn = np.empty(rows, narrowest(values))
    for begin in range(0, rows, CHUNK):
        points = rng.random(min(CHUNK, rows - begin)) * ends[-1]
        drawn[begin : begin + CHUNK] = np.searchsorted(ends, points, side="right") + 1
    return np.minimum(drawn, values).astype(drawn.dtype)


def make_codes(rng: np.random.Generator, dimension: Dimension, rows: int) -> Codes:
    """A column."""
    if dimension.clustered:
        runs = rng.geometric(1 / RUN_ROWS, rows // RUN_ROWS * 2 + 16)
        ends = np.cumsum(runs)
        runs = runs[: int(np.searchsorted(ends, rows)) + 1]
        codes = np.repeat(draw(rng, dimension.values, len(runs)), runs)[:rows]
    else:
        codes = draw(rng, dimension.values, rows)
    if dimension.optional:
        for begin in range(0, rows, CHUNK):
            part = codes[begin : begin + CHUNK]
            part[rng.random(len(part)) < ABSENT_PART] = 0
    return codes


def make_times(rng: np.random.Generator, rows: int) -> NDArray[np.int64]:
    """Ascending times with bursts: stretches in which rows come fifty times as fast."""
    stretch = 2_000
    speeds = np.where(rng.random(rows // stretch + 1) < 0.3, 0.02, 1.0)
    gaps = rng.standard_exponential(rows) * np.repeat(speeds, stretch)[:rows]
    at = np.cumsum(gaps)
    times: NDArray[np.int64] = (END_MS - SPAN_MS + at / at[-1] * SPAN_MS).astype(np.int64)
    return times


def make_ids(rows: int) -> NDArray[np.uint64]:
    """Different numbers in no order (SplitMix64)."""
    number = np.arange(1, rows + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return number ^ (number >> np.uint64(31))


def value_text(name: str, k: int) -> str:
    """The k-th text of a dimension."""
    if name == "url":
        return f"https://shop.example/products/{k}?ref=list&pos={k % 40}"
    if name == "city":
        return f"Zürich {k}"
    return f"{name}_{k}"


def metadata_text(rng: np.random.Generator, plan: str, k: int) -> str:
    """The k-th metadata document."""
    members = {"plan": plan, "seats": int(rng.integers(1, 500)), "trial": k % 7 == 0}
    return json.dumps({**members, "ref": {"id": f"r_{k}"}}, separators=(",", ":"))


def write_metadata(folder: Path, rng: np.random.Generator, rows: int) -> None:
    """The metadata column, and each row's plan as it stands in it."""
    distinct = min(rows, METADATA_TEXTS)
    plans = draw(rng, len(PLANS), distinct)
    texts = [metadata_text(rng, PLANS[plan - 1], k) for k, plan in enumerate(plans)]
    codes = rng.integers(1, distinct, rows, np.uint32, endpoint=True).astype(narrowest(distinct))
    codes.tofile(folder / "metadata.codes")
    plans[codes.astype(np.intp) - 1].tofile(folder / "plan.codes")
    (folder / "metadata.texts").write_text("\n".join(texts) + "\n")
    (folder / "plan.texts").write_text("\n".join(PLANS) + "\n")


def write(folder: Path, rows: int, dimensions: tuple[Dimension, ...], seed: int) -> None:
    """Makes the files that load() and the driver read."""
    folder.mkdir(parents=True, exist_ok=True)
    streams = np.random.SeedSequence(seed).spawn(len(dimensions) + 2)
    for dimension, stream in zip(dimensions, streams, strict=False):
        make_codes(np.random.default_rng(stream), dimension, rows).tofile(
            folder / f"{dimension.name}.codes"
        )
        texts = [value_text(dimension.name, k) for k in range(1, dimension.values + 1)]
        (folder / f"{dimension.name}.texts").write_text("\n".join(texts) + "\n")
    times, ids = make_times(np.random.default_rng(streams[-1]), rows), make_ids(rows)
    order = np.lexsort((ids, times))
    times[order].tofile(folder / "times.i64")
    ids[order].tofile(folder / "ids.u64")
    write_metadata(folder, np.random.default_rng(streams[-2]), rows)
    names = "\n".join(dimension.name for dimension in dimensions)
    (folder / "columns").write_text(names + "\n")


def load(folder: Path, mapped: bool = False) -> Data:
    """Reads files that write() made; `mapped` leaves them on disk until they are looked at."""
    names = [*(folder / "columns").read_text().split(), "metadata", "plan"]
    texts = {name: (folder / f"{name}.texts").read_text().splitlines() for name in names}

    def numbers(name: str, kind: type[np.generic]) -> Codes:
        if mapped:
            return np.memmap(folder / name, kind, "r")
        return np.fromfile(folder / name, kind)

    return Data(
        folder,
        numbers("times.i64", np.int64),
        numbers("ids.u64", np.uint64),
        {name: numbers(f"{name}.codes", narrowest(len(texts[name]))) for name in names},
        texts,
    )


def generate(
    root: Path,
    rows: int,
    dimensions: tuple[Dimension, ...] = DIMENSIONS,
    seed: int = 1,
    mapped: bool = False,
) -> Data:
    """The data of a seed, from a folder below `root` where it was made before."""
    folder = root / f"{rows}x{len(dimensions)}-{seed}"
    if not (folder / "columns").exists():  # written last
        write(folder, rows, dimensions, seed)
    return load(folder, mapped)


# --- Arrow data ----------------------------------------------------------------------------------


def dictionary_column(data: Data, name: str, begin: int = 0, end: int | None = None) -> pa.Array:
    """Returns a column as a dictionary array; absent values are null."""
    codes = data.codes[name][begin:end]
    indices = codes.astype(np.int32) - 1
    texts = pa.array(data.texts[name], pa.string())
    return pa.DictionaryArray.from_arrays(pa.array(indices, mask=codes == 0), texts)


def id_column(data: Data, begin: int = 0, end: int | None = None) -> pa.Array:
    """Returns the ids as strings."""
    texts = data.id_bytes(begin, end)
    offsets = np.arange(len(texts) + 1, dtype=np.int32) * texts.shape[1]
    return pa.StringArray.from_buffers(len(texts), pa.py_buffer(offsets), pa.py_buffer(texts))


def arrow_table(data: Data, begin: int = 0, end: int | None = None) -> pa.Table:
    """Returns rows as a table: id, time, dimensions, metadata and plan."""
    columns = {"id": id_column(data, begin, end), "time": pa.array(data.times[begin:end])}
    for name in data.codes:
        columns[name] = dictionary_column(data, name, begin, end)
    return pa.table(columns)


# --- Queries -------------------------------------------------------------------------------------

NEWEST_FIRST = "ORDER BY time DESC, id DESC"


@dataclass(frozen=True)
class Clause:
    """The value of a column is (or is not) one of some values; an exclusion keeps absent ones."""

    column: str
    values: tuple[str, ...]
    excludes: bool = False

    def text(self) -> str:
        """Formats the clause as a filter."""
        return ("-" if self.excludes else "") + ",".join(self.values)


@dataclass(frozen=True)
class Query:
    """Conditions that are all met, a window of milliseconds since 1970, and a page."""

    clauses: tuple[Clause, ...] = ()
    start: int | None = None
    end: int | None = None
    plan: str | None = None  # metadata['plan'] is this
    page: int = 1
    limit: int = 100

    @property
    def conditions(self) -> list[Clause]:
        """The clauses, that of the plan among them."""
        return [*self.clauses, *([] if self.plan is None else [Clause("plan", (self.plan,))])]

    @property
    def is_unbounded(self) -> bool:
        """True without a window."""
        return self.start is None and self.end is None

    @property
    def offset(self) -> int:
        """The number of matching rows before the page."""
        return (self.page - 1) * self.limit

    def text(self) -> str:
        """Formats the query string."""
        parts = {clause.column: clause.text() for clause in self.clauses}
        if self.start is not None:
            parts["start"] = str(self.start)
        if self.end is not None:
            parts["end"] = str(self.end)
        if self.plan is not None:
            parts["metadata"] = f"metadata['plan']:'{self.plan}'"
        if self.page != 1:
            parts["page"] = str(self.page)
        if self.limit != 100:
            parts["limit"] = str(self.limit)
        return "&".join(f"{name}={quote(value, safe=',')}" for name, value in parts.items())


def parse(text: str) -> Query:
    """Parses a query string by the standard library alone."""
    parts = dict(parse_qsl(text))
    metadata = parts.pop("metadata", None)
    start, end = parts.pop("start", None), parts.pop("end", None)
    page, limit = int(parts.pop("page", "1")), int(parts.pop("limit", "100"))
    clauses = []
    for column, value in parts.items():
        excludes = value.startswith("-")
        clauses.append(Clause(column, tuple(value[excludes:].split(",")), excludes))
    return Query(
        tuple(clauses),
        None if start is None else int(start),
        None if end is None else int(end),
        None if metadata is None else metadata.split(":")[1].strip("'"),
        page=page,
        limit=limit,
    )


def literal(text: str) -> str:
    """Quotes a text for SQL."""
    return "'" + text.replace("'", "''") + "'"


def sql_test(
    clause: Clause,
    bind: Callable[[str], str] = literal,
    operand: str = '"{}"',
    is_nullable: bool = False,
) -> str:
    """Returns the condition of a clause; an exclusion keeps NULL if the column has it."""
    column = operand.format(clause.column)
    values = ", ".join(map(bind, clause.values))
    if len(clause.values) == 1:
        test = f"{column} {'<>' if clause.excludes else '='} {values}"
    else:
        test = f"{column} {'NOT IN' if clause.excludes else 'IN'} ({values})"
    return f"({test} OR {column} IS NULL)" if clause.excludes and is_nullable else test


def where(query: Query, test: Callable[[Clause], str] = sql_test) -> str:
    """Returns the WHERE clause of a query, its leading space included."""
    tests = [test(clause) for clause in query.conditions]
    if query.start is not None:
        tests.append(f"time >= {query.start}")
    if query.end is not None:
        tests.append(f"time <= {query.end}")
    return " WHERE " + " AND ".join(tests) if tests else ""


# --- What fits into memory -----------------------------------------------------------------------

SHARE = 0.8  # of memory, for everything that is held at once
QUERIED = ("device", "os", "browser", "utm_source", "country", "link", "url")
# Bytes a row, and of each dimension besides. Of few dimensions the arrays stay on disk.
ARRAYS, OURS = (20, 2), (70, 4)
PEERS = {"NumPy bitmaps": (2, 0), "polars": (60, 3), "DuckDB": (100, 5), "CRoaring": (0, 3)}


def memory() -> float:
    """Returns the gigabytes that may be taken."""
    return SHARE * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9


def held(rows: int, dimensions: int, *peers: tuple[int, int]) -> float:
    """Returns the gigabytes of sluice's rows, the arrays and peers."""
    arrays = [ARRAYS] if dimensions == len(DIMENSIONS) else []
    return sum(
        (row + entry_bytes * dimensions) * rows / 1e9
        for row, entry_bytes in (OURS, *arrays, *peers)
    )


def dimensions_for(rows: int) -> tuple[Dimension, ...]:
    """Returns all dimensions if they fit, else those that queries name."""
    few = tuple(column for column in DIMENSIONS if column.name in QUERIED)
    for dimensions in (DIMENSIONS, few):
        if held(rows, len(dimensions)) < memory():
            return dimensions
    needed = f"{held(rows, len(few)):.3g} GB of memory, of which {memory():.3g} may be taken here"
    raise SystemExit(f"sluice doesn't fit: {rows:,} rows of {len(few)} dimensions need {needed}")


def misfit(name: str, rows: int, dimensions: int) -> Missing | None:
    """Returns the reason if a peer can't hold the rows beside sluice."""
    needed = held(rows, dimensions, PEERS[name])
    if needed < memory():
        return None
    return Missing(
        f"doesn't fit: {needed:.3g} GB with sluice's, of which {memory():.3g} may be taken here"
    )
