# SPDX-License-Identifier: MIT
"""Masks of list queries over tables of any kind: each row is told what it would be on its own."""

import json
import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from conftest import NOW
from oracle.listing import takes
from random_rows import DECIMALS, SCHEMA, RandomRows

import sluice
from sluice import Column, EventsQuery, Filter, ListQuery, Mask

ROWS = [*map(RandomRows(21).row, range(300))]
ARROW = pa.schema(
    {
        **{name: pa.string() for name in ("id", "city", "status", "region", "url", "data")},
        "tags": pa.list_(pa.string()),
        "seats": pa.int64(),
        "total": pa.decimal128(38, 2),
        "created": pa.timestamp("us", "UTC"),
        "open": pa.bool_(),
    }
)
TABLE = pa.Table.from_pylist(ROWS, ARROW)
FRAME = pl.DataFrame(TABLE)
OBJECTS = {name: [row[name] for row in ROWS] for name in ROWS[0]}

TABLES: dict[str, Callable[[Path], Any]] = {
    "pyarrow": lambda _: TABLE,
    "batches": lambda _: pa.Table.from_batches(TABLE.to_batches(max_chunksize=70)),
    "reader": lambda _: TABLE.to_reader(max_chunksize=70),
    "polars": lambda _: FRAME,
    "lazy": lambda _: FRAME.lazy(),
    "lazy file": lambda folder: pl.scan_parquet(folder / "rows.parquet"),
    "dataset": lambda folder: ds.dataset(folder / "rows.parquet"),
    "scanner": lambda folder: ds.dataset(folder / "rows.parquet").scanner(batch_size=70),
    "mapping of columns": lambda _: {name: TABLE[name] for name in TABLE.column_names},
    "mapping of objects": lambda _: OBJECTS,
    "mapping of arrays": lambda _: {
        name: np.array(values, dtype=object) if name != "tags" else values
        for name, values in OBJECTS.items()
    },
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rows")
    pq.write_table(TABLE, path / "rows.parquet", row_group_size=70)
    return path


@pytest.mark.parametrize("kind", TABLES)
def test_a_mask_has_the_rows_of_the_query(kind: str, folder: Path) -> None:
    random = RandomRows(22)
    for _ in range(100 if kind in ("pyarrow", "mapping of objects") else 30):
        query = random.query()
        mask = query.mask(TABLES[kind](folder))
        assert mask.tolist() == takes(query, ROWS), json.dumps(query.tree()["where"])


def test_expressions_of_polars_take_decimals_and_metadata() -> None:
    random = RandomRows(23)
    for _ in range(100):
        query = random.query()
        expected = takes(query, ROWS)
        assert FRAME.with_columns(mask=query.to_polars())["mask"].to_list() == expected
        lazy = FRAME.lazy().filter(query.to_polars()).collect()
        assert lazy["id"].to_list() == [
            row["id"] for row, taken in zip(ROWS, expected, strict=True) if taken
        ]


@pytest.mark.parametrize(
    "kind",
    [pa.decimal32(9, 2), pa.decimal64(18, 2), pa.decimal256(76, 2), pa.int16(), pa.string()],
    ids=str,
)
def test_decimals_are_of_any_type_that_holds_them_exactly(kind: pa.DataType) -> None:
    rows: list[dict[str, Any]] = [{"total": None}]
    rows += [{"total": n} for n in map(Decimal, DECIMALS) if abs(n) < 1_000]
    if pa.types.is_integer(kind):
        rows = [row for row in rows if row["total"] is None or row["total"] % 1 == 0]
    held = [row["total"] for row in rows]
    texts = [None if n is None else str(n) for n in held]
    column = pa.array(texts) if kind == pa.string() else pa.array(held, pa.decimal128(9, 2))
    codes = pa.array([None if n is None else at for at, n in enumerate(held)], pa.int8())
    coded = pa.DictionaryArray.from_arrays(codes, column.cast(kind))
    others = [column.name for column in SCHEMA if column.name != "total"]
    random = RandomRows(24)
    for _ in range(100):
        query = random.query(*others)
        expected = takes(query, rows)
        assert query.mask({"total": column.cast(kind)}).tolist() == expected
        assert query.mask({"total": coded}).tolist() == expected
        assert query.mask({"total": held}).tolist() == expected


# --- Structs and maps ------------------------------------------------------------------------

COUNTRY = ListQuery.from_tree(
    {"where": {"not": {"column": "click.country", "any_of": ["us"]}}},
    [Column("click.country", collation="ignore_case")],
)
CLICKS = [{"country": "US"}, {"country": "de"}, {"country": None}, None]
NESTED = pa.table({"click": pa.array(CLICKS), "id": [1, 2, 3, 4]})


@pytest.mark.parametrize(
    "table",
    [
        *(NESTED, NESTED.slice(0), pl.DataFrame(NESTED), pl.DataFrame(NESTED).lazy()),
        *(ds.dataset(NESTED), ds.dataset(NESTED).scanner(), {"click": NESTED["click"]}),
        {"click": pa.array(CLICKS)},
        {"click.country": ["US", "de", None, None]},
        pa.table({"outer": NESTED.to_struct_array()}),
    ],
    ids=lambda table: type(table).__name__,
)
def test_a_field_of_a_struct_is_a_column(table: Any) -> None:  # noqa: ANN401
    is_deeper = isinstance(table, pa.Table) and table.column_names == ["outer"]
    columns: dict[str, str | None] = {"click.country": "outer.click.country"}
    mask = COUNTRY.mask(table, columns if is_deeper else None)
    assert mask.tolist() == [False, True, True, True]


def test_events_ask_fields_of_structs_too() -> None:
    query = EventsQuery.parse("country=US&interval=all", now=NOW)
    columns: dict[str, str | None] = {"country": "click.country", "timestamp": None}
    for table in (NESTED, pl.DataFrame(NESTED).lazy(), ds.dataset(NESTED)):
        assert query.mask(table, columns).tolist() == [True, False, False, False]


DOCUMENTS: list[dict[str, Any] | None] = [
    {"plan": "pro", "seats": 7, "inner": {"price": Decimal("1.50"), "tags": ["a", None]}},
    {"plan": "\u212a", "seats": None, "inner": None},
    {"plan": None, "seats": 8, "inner": {"price": None, "tags": []}},
    None,
]
STRUCTS = pa.array(
    DOCUMENTS,
    pa.struct(
        {
            "plan": pa.string(),
            "seats": pa.int32(),
            "inner": pa.struct({"price": pa.decimal128(9, 2), "tags": pa.list_(pa.string())}),
        }
    ),
)
MAPS = pa.array(
    [[("plan", "free"), ("plan", "pro")], [("plan", "\u212a")], [], None],
    pa.map_(pa.string(), pa.string()),
)
MAP_QUERIES = [
    ("metadata['plan']:pro", [True, False, False, False]),
    ("metadata['plan']!=pro", [False, True, True, True]),
    ("metadata['plan']:'\u212a'", [False, True, False, False]),
]
STRUCT_QUERIES = [
    *MAP_QUERIES,
    ("metadata['seats']:'7.0'", [True, False, False, False]),
    ("metadata['seats'] >= 7", [True, False, True, False]),
    ("metadata['inner']['price'] : 1.5", [True, False, False, False]),
    ("metadata['inner']['tags']['0'] : a", [True, False, False, False]),
]


OF_DOCUMENTS = [
    *(("struct", text, expected, STRUCTS) for text, expected in STRUCT_QUERIES),
    *(("map", text, expected, MAPS) for text, expected in MAP_QUERIES),
]


@pytest.mark.parametrize(("kind", "text", "expected", "column"), OF_DOCUMENTS)
def test_metadata_is_a_struct_or_a_map(
    kind: str, text: str, expected: list[bool], column: pa.Array
) -> None:
    query = EventsQuery.parse({"event": "leads", "query": text, "interval": "all"}, now=NOW)
    table = pa.table({"timestamp": pa.array([NOW] * 4), "metadata": column})
    tables: list[Any] = [table, table.to_batches()[0], ds.dataset(table), table.to_reader()]
    tables.append({name: table[name] for name in table.column_names})
    if kind == "struct":
        frame = pl.DataFrame(table)
        tables += [frame, frame.lazy()]
        data = ListQuery.from_tree(query.tree(), query.schema).to_polars()
        assert frame.select(data).to_series().to_list() == expected
    for source in tables:
        assert query.mask(source).tolist() == expected


def query_of(leaf: dict[str, Any]) -> ListQuery:
    return ListQuery.from_tree({"where": leaf}, SCHEMA)


TOTAL = query_of({"column": "total", "gte": "1.5"})
OPEN = query_of({"column": "open", "is": True})
SEATS = query_of({"column": "seats", "gt": 1})
DATA = query_of({"column": "data", "matches": {"path": ["a"], "equal": "1"}})
SEARCH = ListQuery.from_tree({"search": "a"}, SCHEMA)


# --- Values that matches() takes too ----------------------------------------------------------

WHOLE = [1.0, 2.0, None, math.nan, -0.0, 3.0]
FLOATS: dict[str, Any] = {
    "pandas": pd.DataFrame({"seats": WHOLE}),
    "pandas of 4 bytes": pd.DataFrame({"seats": WHOLE}, dtype="float32"),
    "polars": pl.DataFrame({"seats": WHOLE}, strict=False),
    "pyarrow": pa.table({"seats": WHOLE}),
    "dictionary": pa.table({"seats": pa.array(WHOLE).dictionary_encode()}),
    "DuckDB": duckdb.from_arrow(pa.table({"seats": WHOLE})),
    "arrays": {"seats": np.array([*WHOLE[:2], math.nan, *WHOLE[3:]])},
    "objects": {"seats": WHOLE},
}


@pytest.mark.parametrize("kind", FLOATS)
@pytest.mark.parametrize("column", [Column("seats", "integer"), Column("seats", "decimal")])
def test_whole_floats_are_numbers(kind: str, column: Column) -> None:
    integer = column.type == "integer"
    tests: list[dict[str, Any]] = [{"gte": 2}, {"lt": 1}] if integer else [{"gte": "2"}]
    for leaf in (*tests, *([{"any_of": ["1"]}, {"none_of": ["1"]}] * integer)):
        query = ListQuery.from_tree({"where": {"column": "seats", **leaf}}, [column])
        expected = [query.matches({"seats": value}) for value in WHOLE]
        assert query.mask(FLOATS[kind]).tolist() == expected


NOTES = [{"a": 1, "at": NOW}, {"a": "2"}, None, {"b": [1]}, {"a": {"b": 1}}]
HELD: dict[str, tuple[Any, str]] = {
    "list": ({"data": NOTES}, "data"),
    "array": ({"data": np.array(NOTES, object)}, "data"),
    "series": ({"data": pd.Series(NOTES)}, "data"),
    "pandas": (pd.DataFrame({"data": NOTES, "x": [object()] * 5}), "data"),
    "field of pandas": (pd.DataFrame({"of": [{"data": note} for note in NOTES]}), "of.data"),
}
SHAPED = [{"a": "1", "at": NOW}, {"a": "2", "at": NOW}, None, {"a": None, "at": None}]
SHAPES_HELD: dict[str, tuple[Any, str]] = {
    "pandas": (pd.DataFrame({"data": SHAPED}), "data"),
    "polars": (pl.DataFrame({"data": SHAPED}), "data"),
    "series": ({"data": pl.Series(SHAPED)}, "data"),
    "field of polars": (pl.DataFrame({"of": [{"data": of} for of in SHAPED]}), "of.data"),
    "lazy field": (pl.LazyFrame({"of": [{"data": of} for of in SHAPED]}), "of.data"),
    "pyarrow": (pa.table({"data": SHAPED}), "data"),
    "field of pyarrow": (pa.table({"of": [{"data": of} for of in SHAPED]}), "of.data"),
    "reader": (pa.table({"of": [{"data": of} for of in SHAPED]}).to_reader(), "of.data"),
    "DuckDB": (duckdb.from_arrow(pa.table({"data": SHAPED, "x": [1] * 4})), "data"),
    "field of DuckDB": (duckdb.from_arrow(pa.table({"o": [{"d": of} for of in SHAPED]})), "o.d"),
}


@pytest.mark.parametrize("kind", HELD)
def test_metadata_is_of_objects(kind: str) -> None:
    table, name = HELD[kind]
    assert DATA.mask(table, {"data": name}).tolist() == [DATA.matches({"data": of}) for of in NOTES]


@pytest.mark.parametrize("kind", SHAPES_HELD)
def test_metadata_is_of_structs(kind: str) -> None:
    table, name = SHAPES_HELD[kind]
    assert DATA.mask(table, {"data": name}).tolist() == [True, False, False, False]


CODED = [True, False, None, True]
FLAGS: dict[str, Any] = {
    "dictionary": pa.table({"open": pa.array(CODED).dictionary_encode()}),
    "chunks": pa.table({"open": pa.chunked_array([pa.array(CODED).dictionary_encode()])}),
    "pandas": pd.DataFrame({"open": pd.Categorical(CODED)}),
    "series": {"open": pd.Series(pd.Categorical(CODED))},
    "categorical": {"open": pd.Categorical(CODED)},
    "objects": {"open": CODED},
}


@pytest.mark.parametrize("kind", FLAGS)
@pytest.mark.parametrize("test", [{"is": True}, {"is": False}, {"is_null": True}])
def test_categories_of_booleans_are_booleans(kind: str, test: dict[str, bool]) -> None:
    query = query_of({"column": "open", **test})
    expected = [query.matches({"open": value}) for value in CODED]
    assert query.mask(FLAGS[kind]).tolist() == expected


BYTES = np.array([b"", b"abc", "ä b".encode(), b"a\0b", b"12.5", b'{"a":1}', b"x" * 40])
TEXT_TESTS: list[tuple[Column, dict[str, Any]]] = [
    *[
        (Column("name", is_nullable=True), test)
        for test in (
            {"any_of": ["abc", "12.5"]},
            {"none_of": ["abc"]},
            {"contains": ["b"]},
            {"starts_with": ["a", "x"]},
            {"ends_with": ["", "c"]},
            {"gte": "abc"},
            {"is_null": True},
        )
    ],
    (Column("name", collation="ignore_case"), {"contains": ["\u00c4 B", "BC"]}),
    (Column("name", "choice", choices=("abc", "12.5")), {"lt": "12.5"}),
    (Column("name", "decimal"), {"gt": "12"}),
    (Column("name", "json"), {"matches": {"path": ["a"], "equal": "1"}}),
]


@pytest.mark.parametrize(("column", "test"), TEXT_TESTS)
@pytest.mark.parametrize("kind", ["array", "strided", "masked"])
def test_bytes_of_numpy_are_texts(kind: str, column: Column, test: dict[str, Any]) -> None:
    query = ListQuery.from_tree({"where": {"column": "name", **test}}, [column])
    rows: Any = BYTES
    texts: list[str | None] = [text.decode() for text in BYTES.tolist()]
    if kind == "strided":
        rows, texts = BYTES[::-2], texts[::-2]
    if kind == "masked":
        rows = np.ma.MaskedArray(BYTES, mask=[at % 3 == 1 for at in range(len(BYTES))])
        texts = [None if at % 3 == 1 else text for at, text in enumerate(texts)]
    expected = [query.matches({"name": text}) for text in texts]
    assert query.mask({"name": rows}).tolist() == expected
    assert query.mask({"name": rows[:0]}).tolist() == []


TICKS = ["1969-12-31T23:59:59.999999", "2026-08-21T02:30:15.123999", "2026-08-21T02:30:16", "NaT"]


@pytest.mark.parametrize("unit", ["ns", "us", "ms", "s", "m", "h", "D", "W", "M", "Y"])
def test_times_of_numpy_are_times(unit: str) -> None:
    times = np.array(TICKS, f"datetime64[{unit}]")
    for bound in ({"lt": "1970-01-01T00:00:00Z"}, {"gte": "2026-08-21T02:30:15.123Z"}):
        query = query_of({"column": "created", **bound})
        expected = query.mask({"created": times}).tolist()
        assert [query.matches({"created": time}) for time in times] == expected
        for rows in ([*times], np.array([*times], object)):
            assert query.mask({"created": rows}).tolist() == expected
    far = np.datetime64(2**62, "s")
    assert query_of({"column": "created", "gte": "2026-08-21T00:00:00Z"}).matches({"created": far})


def test_days_of_numpy_are_days() -> None:
    query = ListQuery.from_tree(
        {"where": {"column": "due", "gte": "2026-08-21"}}, [Column("due", "date")]
    )
    days = np.array(["2026-08-20", "2026-08-21", "NaT"], "datetime64[D]")
    assert query.mask({"due": [*days]}).tolist() == [False, True, False]
    assert [query.matches({"due": day}) for day in days] == [False, True, False]
    with pytest.raises(TypeError, match="due: column 'due': expected a date or text"):
        query.matches({"due": np.datetime64("2026-08-21T00", "h")})


# --- What a mask is good for -----------------------------------------------------------------


def test_frames_filter_by_a_mask_as_it_is() -> None:
    mask = Filter.parse("-a").mask(pa.array(["a", "b", None]))
    frame = pl.DataFrame({"x": [1, 2, 3]})
    assert frame.filter(mask)["x"].to_list() == [2, 3]
    assert frame.lazy().filter(mask).collect()["x"].to_list() == [2, 3]
    assert frame["x"].filter(pl.Series(mask)).to_list() == [2, 3]
    assert pl.from_arrow(mask).to_list() == [False, True, True]  # type: ignore[union-attr]
    assert pa.table({"x": [1, 2, 3]}).filter(pa.array(mask))["x"].to_pylist() == [2, 3]


def test_a_mask_is_a_sequence() -> None:
    mask = Filter.parse("a").mask(pa.array(["b", "a", None]))
    assert isinstance(mask, Mask)
    assert (mask.count(), mask.count(True), mask.count(value=False)) == (1, 1, 2)
    assert (mask.index(True), mask.index(value=False)) == (1, 0)
    assert True in mask
    assert [*reversed(mask)] == [False, True, False]
    with pytest.raises(ValueError, match="no such row"):
        Filter.parse("c").mask(pa.array(["b"])).index(True)
    with pytest.raises(TypeError):
        mask.index("a")  # type: ignore[arg-type]


# --- Refusals --------------------------------------------------------------------------------


REFUSED: list[tuple[ListQuery, Any, Any, type[Exception], str]] = [
    (
        TOTAL,
        pa.table({"total": [1, 1.5]}),
        None,
        ValueError,
        "total.*row 1: expected a whole number",
    ),
    (TOTAL, {"total": [1.5]}, None, TypeError, "total.*row 0: expected Decimal, int or text"),
    (TOTAL, {"total": [True]}, None, TypeError, "total.*row 0: expected Decimal, int or text"),
    (TOTAL, {"total": [Decimal("inf")]}, None, ValueError, "row 0: expected a finite number"),
    (
        OPEN,
        pa.table({"open": [1]}),
        None,
        TypeError,
        "open.*expected booleans or a dictionary of booleans, not int64",
    ),
    (
        SEATS,
        pl.DataFrame({"seats": pl.Series([1], dtype=pl.Int128)}),
        None,
        TypeError,
        "seats.*expected integers or a dictionary of integers, not int128",
    ),
    (OPEN, {"open": [1]}, None, TypeError, "open: column 'open', row 0"),
    (SEATS, {"seats": ["1"]}, None, TypeError, "seats: column 'seats', row 0"),
    (
        SEATS,
        pd.DataFrame({"seats": [2, 2.0**53]}),
        None,
        ValueError,
        "row 1: expected a whole number",
    ),
    (
        DATA,
        {"data": [{"a": {1}}]},
        None,
        TypeError,
        "data: column 'data', row 0: expected JSON: str",
    ),
    (DATA, pa.table({"data": [1]}), None, TypeError, "data.*expected text .* not int64"),
    (TOTAL, pa.table({"a": [1]}), None, ValueError, "total: the table has no column 'total'"),
    (TOTAL, pl.LazyFrame({"a": [1]}), None, ValueError, "total: the table has no column 'total'"),
    (TOTAL, ds.dataset(pa.table({"a": [1]})), None, ValueError, "the table has no column 'total'"),
    (TOTAL, {"a": [1]}, None, ValueError, "total: the table has no column 'total'"),
    (TOTAL, {"a": [1]}, {"price": "a"}, ValueError, "the query's schema has no column 'price'"),
    (SEARCH, {"id": ["1"]}, None, ValueError, "search: a mask has no test for it"),
    (TOTAL, [1], None, TypeError, "table: expected Arrow data or a mapping of names to columns"),
]


@pytest.mark.parametrize(("query", "table", "columns", "error", "message"), REFUSED)
def test_what_no_mask_can_tell_is_refused(
    query: ListQuery,
    table: Any,  # noqa: ANN401
    columns: Any,  # noqa: ANN401
    error: type[Exception],
    message: str,
) -> None:
    with pytest.raises(error, match=message):
        query.mask(table, columns)


def test_other_names_and_conditions_that_are_known_to_hold() -> None:
    query = query_of({"all": [{"column": "total", "gte": "1.5"}, {"column": "open", "is": True}]})
    table = pa.table({"price": [1, 2], "open": [False, True]})
    assert query.mask(table, {"total": "price"}).tolist() == [False, True]
    assert query.mask(table, {"total": None}).tolist() == [False, True]
    assert query.mask(table, {"total": "price", "open": None}).tolist() == [False, True]
    assert query.mask(table, {"total": None, "open": None}).tolist() == [True, True]


def test_a_query_without_conditions_takes_every_row() -> None:
    query = sluice.ListQuery.from_tree({}, SCHEMA)
    for table in (NESTED, pl.DataFrame(NESTED), pl.DataFrame(NESTED).lazy(), ds.dataset(NESTED)):
        assert query.mask(table).tolist() == [True] * 4


def test_times_of_rows_are_read_as_events_are() -> None:
    query = query_of({"column": "created", "gte": "2026-01-01T00:00:00Z"})
    rows = [datetime(2026, 1, 1, tzinfo=UTC), 0, "2026-01-01T01:00:00+01:00", None]
    assert query.mask({"created": rows}).tolist() == [True, False, True, False]


EXTENSIONS = [
    (pd.DataFrame({"created": pd.period_range("2026-08-21", periods=2, freq="D")}), "period"),
    (
        pa.table({"created": pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1], pa.int8()))}),
        "bool8",
    ),
]


@pytest.mark.parametrize(("table", "name"), EXTENSIONS)
def test_extension_types_are_refused_by_their_names(table: object, name: str) -> None:
    query = ListQuery.from_tree(
        {"where": {"column": "created", "gte": "2026-01-01T00:00:00Z"}}, SCHEMA
    )
    with pytest.raises(TypeError, match=f"created.*not extension type .*{name}"):
        query.mask(table)
    others = ListQuery.from_tree({"where": {"column": "seats", "gte": 1}}, SCHEMA)
    with pytest.raises(ValueError, match="no column 'seats'"):
        others.mask(table)


def test_times_beyond_the_years_of_requests_compare_as_all_others() -> None:
    far = [-(10**17), -62_167_219_200_001, 0, 253_402_300_800_000, 10**17]
    for test, expected in (
        ({"gte": "2026-01-01T00:00:00Z"}, [False, False, False, True, True]),
        ({"lt": "2026-01-01T00:00:00Z"}, [True, True, True, False, False]),
        (
            {"gte": "0000-01-01T00:00:00Z", "lte": "9999-12-31T23:59:59.999Z"},
            [False, False, True, False, False],
        ),
    ):
        query = ListQuery.from_tree({"where": {"column": "created", **test}}, SCHEMA)
        assert [query.matches({"created": instant}) for instant in far] == expected
        assert query.mask({"created": far}).tolist() == expected
        assert query.mask(pa.table({"created": far})).tolist() == expected
        times = pa.array(far, pa.timestamp("ms", "UTC"))
        assert query.mask(pa.table({"created": times})).tolist() == expected
        frame = pl.DataFrame({"created": far})
        assert frame.select(query.to_polars(schema=frame.schema)).to_series().to_list() == expected
        table = pa.table({"created": times, "n": range(len(far))})
        kept = table.filter(query.to_pyarrow(schema=table.schema))["n"].to_pylist()
        assert kept == [n for n, holds in enumerate(expected) if holds]


class Places(ListQuery):
    city = sluice.filter()
    seats = sluice.integer(operators=(">=",))


class StopError(Exception):
    """Raised by a signal's handler."""


@pytest.fixture
def interrupts() -> Iterator[None]:
    """Signals of the CPU time of this process end what the main thread does."""

    def interrupt(number: int, frame: object) -> None:
        raise StopError

    before = signal.signal(signal.SIGVTALRM, interrupt)
    yield
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    signal.signal(signal.SIGVTALRM, before)


@pytest.mark.usefixtures("interrupts")
@pytest.mark.parametrize(
    ("mask", "value"),
    [
        (Filter.parse("Paris").mask, "Paris"),
        (lambda rows: Places.parse("city=Paris").mask({"city": rows}), "Paris"),
        (lambda rows: Places.parse("seats[gte]=1").mask({"seats": rows}), 5),
    ],
)
def test_a_mask_over_a_list_lets_signals_in(mask: Callable[[Any], Any], value: object) -> None:
    rows = [value] * 2_000_000
    start = time.process_time()
    mask(rows)
    whole = time.process_time() - start
    start = time.process_time()
    signal.setitimer(signal.ITIMER_VIRTUAL, whole / 10)
    with pytest.raises(StopError):
        mask(rows)
    assert time.process_time() - start < whole / 2


def test_a_mask_over_a_list_lets_other_threads_run() -> None:
    rows = ["Paris"] * 10_000_000
    steps: list[float] = []
    is_done = threading.Event()

    def tick() -> None:
        while not is_done.wait(0.001):
            steps.append(time.perf_counter())

    def steps_within_a_mask() -> int:
        start = time.perf_counter()
        Filter.parse("Paris").mask(rows)
        end = time.perf_counter()
        return len([step for step in steps if start < step < end])

    other = threading.Thread(target=tick)
    other.start()
    try:  # one step or two are possible at its end; a busy machine may need a second try
        assert any(steps_within_a_mask() > 2 for _ in range(20))
    finally:
        is_done.set()
        other.join()
