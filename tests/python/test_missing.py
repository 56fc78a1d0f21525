# SPDX-License-Identifier: MIT
"""One column from every source gives one mask: what is missing and what is a list mean the same."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sluice import EventsQuery, Filter

Texts = list[str | None]

FILTERS = [
    Filter(values, excludes)
    for values in (["US"], ["US", "CA"], ["x" * 20], [])
    for excludes in (False, True)
]


def named(row: object) -> set[str]:
    """The texts of a row, however deep its lists."""
    if isinstance(row, list):
        return set().union(*map(named, row))
    return {row} if isinstance(row, str) else set()


def naive_mask(wanted: Filter, rows: list[Any]) -> list[bool]:
    shared = [bool(named(row) & set(wanted.values)) for row in rows]
    return [not wanted.values or one != wanted.excludes for one in shared]


def with_missing(rows: Texts, missing: object) -> list[object]:
    return [missing if row is None else row for row in rows]


def objects(rows: list[Any]) -> "np.typing.NDArray[np.object_]":
    array = np.empty(len(rows), dtype=object)
    array[:] = rows
    return array


TEXTS: list[Texts] = [
    [],
    ["US", None, "CA", "FR", None, "US"],
    [None, None],
    ["US"] * 70 + [None] * 3 + ["x" * 20],
]

TEXT_SOURCES: dict[str, Callable[[Texts], Any]] = {
    "list": list,
    "tuple": tuple,
    "list with nan": lambda rows: with_missing(rows, float("nan")),
    "list with NA": lambda rows: with_missing(rows, pd.NA),
    "list with NaT": lambda rows: with_missing(rows, pd.NaT),
    "object array": lambda rows: objects(list(rows)),
    "object array with nan": lambda rows: objects(with_missing(rows, np.nan)),
    "object array with NA": lambda rows: objects(with_missing(rows, pd.NA)),
    "masked array": lambda rows: np.ma.array(
        [row or "" for row in rows], dtype="U32", mask=[row is None for row in rows]
    ),
    "pandas object": lambda rows: pd.Series(list(rows), dtype=object),
    "pandas string": lambda rows: pd.Series(rows, dtype="string"),
    "pandas category": lambda rows: pd.Series(rows, dtype="category"),
    "pandas categories": lambda rows: pd.Series(
        pd.Categorical(rows, categories=["none", "US", "CA", "FR", "x" * 20])
    ),
    "arrow": lambda rows: pa.array(rows, pa.string()),
    "arrow chunks": lambda rows: pa.chunked_array(
        [pa.array(rows[:2], pa.string()), pa.array(rows[2:], pa.string())]
    ),
    "arrow views": lambda rows: pa.array(rows, pa.string_view()),
    "arrow dictionary": lambda rows: pa.array(rows, pa.string()).dictionary_encode(),
    "arrow dictionary with null": lambda rows: pa.array(rows, pa.string()).dictionary_encode(
        "encode"
    ),
    "polars": lambda rows: pl.Series("country", rows, pl.String),
    "polars category": lambda rows: pl.Series("country", rows, pl.Categorical),
}

LISTS: list[list[Any]] = [
    [],
    [["US", "CA"], None, [], [None], ["FR", None], ["x" * 20, "US"], [None, "CA"]],
    [None, None],
]
LIST_TYPE = pa.list_(pa.string())

LIST_SOURCES: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "list of tuples": lambda rows: [row if row is None else tuple(row) for row in rows],
    "list of sets": lambda rows: [row if row is None else set(row) for row in rows],
    "list of arrays": lambda rows: [row if row is None else objects(row) for row in rows],
    "list with nan": lambda rows: [np.nan if row is None else row for row in rows],
    "object array": objects,
    "pandas object": lambda rows: pd.Series(rows, dtype=object),
    "pandas of arrow": lambda rows: pd.Series(rows, dtype=pd.ArrowDtype(LIST_TYPE)),
    "arrow": lambda rows: pa.array(rows, LIST_TYPE),
    "arrow large": lambda rows: pa.array(rows, pa.large_list(pa.large_string())),
    "arrow of dictionaries": lambda rows: pa.array(
        rows, pa.list_(pa.dictionary(pa.int8(), pa.string()))
    ),
    "polars": lambda rows: pl.Series("country", rows, pl.List(pl.String)),
}


def nested(rows: list[Any]) -> list[Any]:
    return [[row, ["deep"]] for row in rows]


NESTED_TYPE = pa.list_(pa.list_(pa.string()))

NESTED_SOURCES: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "object array": objects,
    "pandas object": lambda rows: pd.Series(rows, dtype=object),
    "arrow": lambda rows: pa.array(rows, NESTED_TYPE),
    "polars": lambda rows: pl.Series("country", rows, pl.List(pl.List(pl.String))),
}


def check(column: object, rows: list[Any]) -> None:
    for wanted in FILTERS:
        expected = naive_mask(wanted, rows)
        mask: Any = wanted.mask(column)  # type: ignore[call-overload]
        assert (mask if isinstance(mask, list) else mask.tolist()) == expected
        query = EventsQuery.parse({"city": wanted, "interval": "all"})
        table = {"city": column}
        assert query.mask(table, {"timestamp": None}).tolist() == expected


@pytest.mark.parametrize("rows", TEXTS, ids=len)
@pytest.mark.parametrize("make", TEXT_SOURCES.values(), ids=TEXT_SOURCES)
def test_texts_pass_alike_from_every_source(make: Callable[[Texts], Any], rows: Texts) -> None:
    check(make(rows), rows)


@pytest.mark.parametrize("rows", LISTS, ids=len)
@pytest.mark.parametrize("make", LIST_SOURCES.values(), ids=LIST_SOURCES)
def test_lists_pass_alike_from_every_source(
    make: Callable[[list[Any]], Any], rows: list[Any]
) -> None:
    check(make(rows), rows)


@pytest.mark.parametrize("make", NESTED_SOURCES.values(), ids=NESTED_SOURCES)
def test_lists_of_lists_pass_alike_from_every_source(make: Callable[[list[Any]], Any]) -> None:
    for rows in LISTS:
        check(make(nested(rows)), nested(rows))


def test_lists_of_one_length_pass_like_others() -> None:
    rows = [["US", "CA"], None, [None, None], ["FR", None]]
    check(pa.array(rows, pa.list_(pa.string(), 2)), rows)
    check(pl.Series("country", rows, pl.Array(pl.String, 2)), rows)


def test_a_list_that_holds_itself_is_refused() -> None:
    endless: list[object] = []
    endless.append(endless)
    with pytest.raises(RecursionError):
        Filter(["US"]).mask([endless])


TIMES = [0, None, 1_000, -1, 2_000]


def numpy_times(unit: str) -> "np.typing.NDArray[np.datetime64]":
    return np.array(TIMES, "datetime64[ms]").astype(f"datetime64[{unit}]")


TIME_SOURCES: dict[str, Callable[[], Any]] = {
    "list of int": lambda: list(TIMES),
    "list with nan": lambda: [np.nan if at is None else at for at in TIMES],
    "list of np.int64": lambda: [None if at is None else np.int64(at) for at in TIMES],
    "list of datetimes": lambda: [
        pd.NaT if at is None else pd.Timestamp(at, unit="ms", tz="UTC") for at in TIMES
    ],
    "object array": lambda: objects([pd.NA if at is None else at for at in TIMES]),
    **{f"numpy {unit}": partial(numpy_times, unit) for unit in ("ms", "us", "ns", "100us", "ps")},
    "masked array": lambda: np.ma.array(
        [at or 0 for at in TIMES], mask=[at is None for at in TIMES]
    ).astype("datetime64[ms]"),
    "pandas": lambda: pd.Series(pd.to_datetime(TIMES, unit="ms", utc=True)),
    "pandas naive": lambda: pd.Series(pd.to_datetime(TIMES, unit="ms")),
    "arrow": lambda: pa.array(TIMES, pa.timestamp("ms")),
    "arrow integers": lambda: pa.array(TIMES, pa.int64()),
    "arrow dictionary": lambda: pa.array(TIMES, pa.timestamp("ms", "UTC")).dictionary_encode(),
    "arrow dictionary of texts": lambda: pa.array(
        [None if at is None else pd.Timestamp(at, unit="ms").isoformat() + "Z" for at in TIMES]
    ).dictionary_encode(),
    "polars": lambda: pl.Series("timestamp", TIMES).cast(pl.Datetime("ms")),
}


@pytest.mark.parametrize("make", TIME_SOURCES.values(), ids=TIME_SOURCES)
def test_times_pass_alike_from_every_source(make: Callable[[], Any]) -> None:
    query = EventsQuery.parse("start=1970-01-01T00:00:00Z&end=1970-01-01T00:00:01.500Z")
    expected = [True, False, True, False, False]
    assert query.mask({"timestamp": make()}).tolist() == expected


DOCUMENTS = ['{"a": "b"}', None, '{"a": "c"}', "null"]
DOCUMENT_SOURCES: dict[str, Callable[[], Any]] = {
    "list": lambda: list(DOCUMENTS),
    "list with nan": lambda: [np.nan if document is None else document for document in DOCUMENTS],
    "object array": lambda: objects(
        [pd.NA if document is None else document for document in DOCUMENTS]
    ),
    "arrow": lambda: pa.array(DOCUMENTS),
    "arrow dictionary": lambda: pa.array(DOCUMENTS).dictionary_encode(),
    "pandas category": lambda: pd.Series(DOCUMENTS, dtype="category"),
    "polars": lambda: pl.Series("metadata", DOCUMENTS),
    "polars category": lambda: pl.Series("metadata", DOCUMENTS, pl.Categorical),
}


@pytest.mark.parametrize("make", DOCUMENT_SOURCES.values(), ids=DOCUMENT_SOURCES)
def test_documents_pass_alike_from_every_source(make: Callable[[], Any]) -> None:
    for text, expected in (
        ("metadata['a']:b", [True, False, False, False]),
        ("metadata['a']!=b", [False, True, True, True]),
    ):
        query = EventsQuery.parse({"event": "leads", "query": text})
        assert query.mask({"metadata": make()}, {"timestamp": None}).tolist() == expected


REFUSED: list[tuple[dict[str, Any], type[Exception], str]] = [
    (
        {"timestamp": [0], "country": ["US", 5]},
        TypeError,
        "country: column 'country', row 1: expected str, None or a list of these, not int",
    ),
    (
        {"timestamp": [0], "country": [["US", 5]]},
        TypeError,
        "country: column 'country', row 0: expected str",
    ),
    (
        {"timestamp": [0], "country": pa.array([[1]])},
        TypeError,
        "country: column 'country': expected text, .* not list of int64",
    ),
    (
        {"timestamp": [0], "country": pa.array([[1]], pa.list_(pa.int64(), 1))},
        TypeError,
        "not fixed-size list of 1 of int64",
    ),
    (
        {"timestamp": pa.array([0], pa.date32()), "country": ["US"]},
        TypeError,
        "timestamp: column 'timestamp': expected timestamps, .* not date32",
    ),
    ({"timestamp": pa.array([], pa.float64()), "country": []}, TypeError, "not float64"),
    (
        {"timestamp": [0, "soon"], "country": ["US"] * 2},
        ValueError,
        "timestamp: column 'timestamp', row 1: expected RFC 3339 text",
    ),
    (
        {
            "timestamp": pa.chunked_array([["1970-01-01T00:00:00Z"], [None, "soon"]]),
            "country": ["US"] * 3,
        },
        ValueError,
        "timestamp: column 'timestamp', row 2: expected RFC 3339 text",
    ),
    (
        {"timestamp": [0, pd.Timestamp("2026-01-01")], "country": ["US"] * 2},
        ValueError,
        "timestamp: column 'timestamp', row 1: a naive datetime, expected an aware one",
    ),
    (
        {"timestamp": [0, 1.5], "country": ["US"] * 2},
        TypeError,
        "row 1: expected an aware datetime.*, not float",
    ),
    ({"timestamp": [True], "country": ["US"]}, TypeError, "row 0: expected .*, not bool"),
]


@pytest.mark.parametrize(("table", "kind", "message"), REFUSED)
def test_refusals_name_column_and_row(
    table: dict[str, Any], kind: type[Exception], message: str
) -> None:
    query = EventsQuery.parse("country=US&interval=all")
    with pytest.raises(kind, match=message):
        query.mask(table)


@pytest.mark.parametrize("country", ["US", "nowhere"])
def test_errors_of_a_column_do_not_depend_on_the_rows_that_others_left(country: str) -> None:
    query = EventsQuery.parse({"country": "US", "city": "x", "interval": "all"})
    table = pa.table({"timestamp": pa.array([0]), "country": [country], "city": [1]})
    for source in (
        table,
        table[:0],
        table.to_batches()[0],
        table.to_reader(),
        table.schema.empty_table(),
    ):
        with pytest.raises(TypeError, match=r"city: column 'city': expected text, .* not int64"):
            query.mask(source)


def test_null_rows_of_a_struct_have_no_values() -> None:
    rows = pa.StructArray.from_arrays(
        [pa.array([0, 0, 0]), pa.array(["US", "US", "FR"])],
        names=["timestamp", "country"],
        mask=pa.array([False, True, True]),
    )
    for text, expected in (("US", [True, False, False]), ("-US", [False, False, False])):
        query = EventsQuery.parse({"country": text, "interval": "all"})
        assert query.mask(rows).tolist() == expected
    assert EventsQuery.parse("country=-US").mask(rows, {"timestamp": None}).tolist() == [
        False,
        True,
        True,
    ]


def test_nanoseconds_reach_the_ends_of_time() -> None:
    query = EventsQuery.parse("start=0001-01-01&end=9999-12-31")
    ends = [2**63 - 1, -(2**63) + 1, 0]
    for column in (pa.array(ends, pa.timestamp("ns")), np.array(ends, "datetime64[ns]")):
        assert query.mask({"timestamp": column}).tolist() == [True, True, True]
        assert query.mask({"timestamp": column}, {"timestamp": "timestamp"}).count() == 3
    late = EventsQuery.parse("start=2262-04-11T23:47:16.855Z&end=9999-12-31")
    assert late.mask({"timestamp": pa.array(ends, pa.timestamp("ns"))}).count() == 0
