# SPDX-License-Identifier: MIT
"""Masks over arrays and tables: each row is told what the row alone would be."""

import json
import random
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, get_args

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from conftest import NOW

from sluice import EventsQuery, Filter, Mask, MetadataQuery
from sluice._column import Collation

LENGTHS = (0, 1, 7, 8, 9, 11, 12, 13, 16, 64)
# Of each length two texts that differ in the last byte alone, and texts beyond ASCII.
WORDS = [
    *("x" * (length - 1) + last for length in LENGTHS if length for last in "ab"),
    *("", "US", "CA", "us", "São Paulo", "東京", "🙂🙂🙂🙂", "ירושלים", "a\0b", "a\0"),
]
FILTERS = [
    Filter(),
    *(Filter(words, excludes) for words in (["US"], ["US", "CA"]) for excludes in (False, True)),
    *(Filter(WORDS[::step], excludes) for step in (1, 2, 3) for excludes in (False, True)),
    Filter(["absent"]),
    Filter(["absent"], excludes=True),
]
STRING = pa.string()


def texts(rows: int, seed: int = 1) -> list[str | None]:
    """Rows of words, a tenth of them absent."""
    chosen = random.Random(seed)
    return [None if chosen.random() < 0.1 else chosen.choice(WORDS) for _ in range(rows)]


def row_by_row(wanted: Filter, rows: Iterable[str | None]) -> list[bool]:
    return [wanted.matches(row) for row in rows]


def dictionary(
    rows: list[str | None], index: pa.DataType, values: pa.DataType = STRING
) -> pa.Array:
    array = pa.array(rows, pa.string()).dictionary_encode()
    return array.cast(pa.dictionary(index, values))


ARRAYS: dict[str, Callable[[list[str | None]], Any]] = {
    "string": lambda rows: pa.array(rows, pa.string()),
    "large_string": lambda rows: pa.array(rows, pa.large_string()),
    "string_view": lambda rows: pa.array(rows, pa.string_view()),
    "binary": lambda rows: pa.array(rows, pa.string()).cast(pa.binary()),
    "large_binary": lambda rows: pa.array(rows, pa.large_string()).cast(pa.large_binary()),
    **{
        f"dictionary<{index}>": partial(dictionary, index=index)
        for index in (
            *(pa.int8(), pa.int16(), pa.int32(), pa.int64()),
            *(pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()),
        )
    },
    "dictionary of large_string": lambda rows: dictionary(rows, pa.int32(), pa.large_string()),
    "polars": lambda rows: pl.Series("rows", rows, pl.String),
    "polars categorical": lambda rows: pl.Series("rows", rows, pl.Categorical),
    "pandas": lambda rows: pd.Series(rows, dtype="string"),
}


@pytest.mark.parametrize("rows", [0, 1, 63, 64, 65, 1_023, 1_024, 1_025, 5_000])
@pytest.mark.parametrize("make", ARRAYS.values(), ids=ARRAYS)
def test_arrays_of_any_type_answer_as_their_rows(
    make: Callable[[list[str | None]], Any], rows: int
) -> None:
    values = texts(rows)
    array = make(values)
    for wanted in FILTERS:
        mask = wanted.mask(array)
        assert isinstance(mask, Mask)
        assert mask.tolist() == row_by_row(wanted, values)


@pytest.mark.parametrize("collation", get_args(Collation))
def test_collations_hold_for_arrays(
    collation: Collation,
) -> None:
    values = [*texts(500), "us-ca", "US-CA", "https://a.example/p?q=1", "https://a.example/p"]
    for wanted in (*FILTERS, Filter(["CA", "https://a.example/p"]), Filter(["x"], excludes=True)):
        expected = [wanted.matches(value, collation) for value in values]
        for make in ARRAYS.values():
            assert wanted.mask(make(values), collation).tolist() == expected


@pytest.mark.parametrize("kind", ["string", "string_view", "dictionary<int8>", "dictionary<int32>"])
def test_slices_begin_and_end_where_they_say(kind: str) -> None:
    values = texts(3_000)
    array = ARRAYS[kind](values)
    for wanted in FILTERS[:6]:
        for start, size in ((0, 0), (1, 7), (3, 64), (63, 2), (64, 1_100), (2_999, 1), (5, 2_990)):
            cut = array.slice(start, size)
            assert wanted.mask(cut).tolist() == row_by_row(wanted, values[start : start + size])


def test_chunks_are_one_array() -> None:
    values = texts(4_000)
    for kind in ("string", "large_string", "string_view", "dictionary<int16>"):
        pieces = [values[:1], values[1:1], values[1:100], values[100:1_700], values[1_700:]]
        chunked = pa.chunked_array([ARRAYS[kind](piece) for piece in pieces])
        for wanted in FILTERS:
            assert wanted.mask(chunked).tolist() == row_by_row(wanted, values)
            assert wanted.mask(chunked[90:1_800]).tolist() == row_by_row(wanted, values[90:1_800])
    assert Filter(["US"]).mask(pa.chunked_array([], pa.string())).tolist() == []


def test_arrow_and_polars_agree() -> None:
    values = texts(20_000, seed=2)
    array, series = pa.array(values), pl.Series(values)
    for wanted in (Filter(["US", "東京"]), Filter(WORDS[::2])):
        mask = wanted.mask(array)
        assert mask.tolist() == pc.is_in(array, pa.array(list(wanted.values))).to_pylist()
        assert mask.tolist() == series.is_in(list(wanted.values)).fill_null(False).to_list()
        opposite = Filter(wanted.values, excludes=True).mask(series)
        assert opposite.tolist() == [not passes for passes in mask]


def test_nulls_and_lists() -> None:
    for wanted in (Filter(["US"]), Filter(["US"], excludes=True), Filter()):
        absent = wanted.matches(None)
        assert wanted.mask(pa.nulls(70)).tolist() == [absent] * 70
        lists: list[Any] = [["US", "CA"], ["CA", None], [], None, ["us"], ["x" * 20, "US"]]
        named = [row is not None and "US" in row for row in lists]
        expected = [not wanted.values or one != wanted.excludes for one in named]
        for kind in (pa.list_(pa.string()), pa.large_list(pa.string_view())):
            assert wanted.mask(pa.array(lists, kind)).tolist() == expected
            assert wanted.mask(pa.array(lists, kind)[2:]).tolist() == expected[2:]


@pytest.mark.parametrize("rows", [0, 1, 100, 3_000])
def test_numpy_answers_as_its_rows(rows: int) -> None:
    # NumPy drops null characters at the end of a text.
    values = [value.rstrip("\0") for value in texts(rows) if value is not None]
    arrays = [
        np.array(values, dtype="U64"),
        np.array(values, dtype=">U64"),
        np.array([value.encode() for value in values], dtype="S64"),
        np.array(values, dtype=object),
        np.repeat(np.array(values, dtype="U64"), 2)[::2],
    ]
    for wanted in FILTERS:
        for array in arrays[:2] + arrays[3:] + arrays[2:3]:
            mask = wanted.mask(array)
            assert isinstance(mask, np.ndarray)
            assert mask.dtype == np.bool_
            assert mask.tolist() == row_by_row(wanted, values)


def test_a_mask_is_read_without_a_copy() -> None:
    values = texts(1_000)
    wanted = Filter(["US", "CA"], excludes=True)
    mask = wanted.mask(pa.array(values))
    expected = row_by_row(wanted, values)
    assert len(mask) == len(expected)
    assert mask.count() == sum(expected)
    assert list(mask) == expected
    assert (mask[0], mask[-1]) == (expected[0], expected[-1])
    for row in (1_000, -1_001):
        with pytest.raises(IndexError):
            mask[row]
    assert mask == wanted.mask(pl.Series(values))
    assert mask != Filter().mask(pl.Series(values))
    assert repr(mask) == f"<Mask: {sum(expected)} of 1000 rows>"
    view = np.asarray(mask)
    assert view.dtype == np.bool_
    assert not view.flags.writeable
    assert np.shares_memory(view, np.asarray(mask))
    assert view.tolist() == expected
    array = pa.array(mask)
    assert array.type == pa.bool_()
    series = pl.Series(mask)
    del mask  # what took its rows keeps them
    assert array.to_pylist() == series.to_list() == view.tolist() == expected
    array.validate(full=True)
    assert pa.array(Filter().mask(pa.array([], pa.string()))).to_pylist() == []


@pytest.mark.parametrize(
    "array",
    [
        *(5, None, "US", object(), [1], [b"US"]),
        *(pa.array([1, 2]), pa.array([1.5]), pa.array([True]), pa.array([[1]])),
        pa.array([1, 2]).dictionary_encode(),
        pa.array([{"a": "US"}]),
        *(pl.Series([1, 2]), pl.DataFrame({"a": ["US"]}), np.array([1, 2])),
        pa.array([datetime(2026, 1, 1)]),
    ],
    ids=lambda array: type(array).__name__,
)
def test_what_is_no_text_is_refused(array: object) -> None:
    with pytest.raises(TypeError):
        Filter(["US"]).mask(array)  # type: ignore[call-overload]


class Exporter:
    """An object with Arrow's array interface, which exports what the test passes."""

    def __init__(self, array: object = None) -> None:
        self.array = array

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        return self.array  # type: ignore[return-value]


class Stream:
    """An object with Arrow's stream interface, which exports what the test passes."""

    def __init__(self, stream: object = None) -> None:
        self.stream = stream

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.stream


def test_capsules_that_are_none_are_refused() -> None:
    wanted = Filter(["US"])
    rows = pa.array(["US", "CA"])
    schema, array = rows.__arrow_c_array__()
    stream = pa.chunked_array([rows]).__arrow_c_stream__()
    wrong: list[object] = [None, 5, (), (schema,), (array, schema), (schema, None), [schema, array]]
    for pair in (*wrong, (schema, array, array), (stream, stream)):
        with pytest.raises(TypeError):
            wanted.mask(Exporter(pair))
    for capsule in (None, 5, schema, array, (schema, array)):
        with pytest.raises(TypeError):
            wanted.mask(Stream(capsule))
    schema, array = rows.__arrow_c_array__()
    assert wanted.mask(Exporter((schema, array))).tolist() == [True, False]
    assert wanted.mask(Stream(stream)).tolist() == [True, False]
    with pytest.raises(ValueError, match="was consumed before"):
        wanted.mask(Exporter((schema, array)))
    with pytest.raises(ValueError, match="was consumed before"):
        wanted.mask(Stream(stream))


def test_a_schema_of_another_array_is_no_crash() -> None:
    text, _ = pa.array(["US"]).__arrow_c_array__()
    _, number = pa.array([1, 2]).__arrow_c_array__()
    with pytest.raises(ValueError, match="buffers"):
        Filter(["US"]).mask(Exporter((text, number)))
    coded, _ = pa.array(["US"]).dictionary_encode().__arrow_c_array__()
    _, number = pa.array([1, 2]).__arrow_c_array__()
    with pytest.raises(ValueError, match="dictionary"):
        Filter(["US"]).mask(Exporter((coded, number)))


def test_codes_outside_of_their_dictionary_are_refused() -> None:
    for index in (pa.int8(), pa.int16(), pa.int32(), pa.int64()):
        for code in (-1, 2, 100):
            codes = pa.array([0, code, 1], index)
            bad = pa.DictionaryArray.from_arrays(codes, ["US", "CA"], safe=False)
            with pytest.raises(ValueError, match="dictionary"):
                Filter(["US"]).mask(bad)
    offsets = pa.py_buffer(np.array([0, 5, 2], np.int32).tobytes())
    falling = pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(b"abcdef")])
    with pytest.raises(ValueError, match="offsets"):
        Filter(["US"]).mask(falling)


def test_a_stream_that_fails_says_why() -> None:
    def batches() -> Iterable[pa.RecordBatch]:
        yield pa.record_batch({"country": ["US"]})
        raise ValueError("the disk is gone")

    schema = pa.schema({"country": pa.string()})
    reader = pa.RecordBatchReader.from_batches(schema, batches())
    with pytest.raises(RuntimeError, match="the disk is gone"):
        query("country=US").mask(reader, {"timestamp": None})


# Tables.

START = NOW - timedelta(days=3)


def query(text: str, interval: str = "all") -> EventsQuery:
    return EventsQuery.parse(f"event=leads&{text}&interval={interval}", now=NOW)


def events(rows: int = 2_000) -> list[dict[str, Any]]:
    """Events of ten days before NOW."""
    chosen = random.Random(3)

    def one() -> dict[str, Any]:
        seats = {"plan": chosen.choice(["pro", "free"]), "seats": chosen.randrange(10)}
        return {
            "timestamp": NOW - timedelta(milliseconds=chosen.randrange(10 * 86_400_000)),
            "country": chosen.choice(["US", "CA", "FR", None]),
            "city": chosen.choice(WORDS),
            "tagId": chosen.sample(["tag_1", "tag_2", "tag_3"], chosen.randrange(3)),
            "key": chosen.choice(["_root", "about"]),
            "metadata": chosen.choice([json.dumps(seats), None, "{}"]),
            "clicks": chosen.randrange(5),
        }

    edges = [
        *(NOW, NOW + timedelta(milliseconds=1), NOW - timedelta(days=7)),
        NOW - timedelta(days=7, milliseconds=1),
    ]
    return [one() for _ in range(rows)] + [{**one(), "timestamp": edge} for edge in edges]


def in_window(wanted: EventsQuery, at: datetime) -> bool:
    return at <= wanted.end and (wanted.start is None or wanted.start <= at)


def row_passes(query_: EventsQuery, row: dict[str, Any]) -> bool:
    expression = query_.metadata or MetadataQuery.parse("")
    metadata = None if row["metadata"] is None else json.loads(row["metadata"])
    plain = ((query_.country, row["country"]), (query_.city, row["city"]))
    tags = query_.tag_id
    return (
        in_window(query_, row["timestamp"])
        and all(wanted is None or wanted.matches(value) for wanted, value in plain)
        and (tags is None or tags.excludes != any(tag in tags.values for tag in row["tagId"]))
        and (query_.root is None or query_.root == (row["key"] == "_root"))
        and expression.matches(metadata)
    )


QUERIES = [
    *("", "country=US", "country=-US,CA", "city=US,東京", "country=US,CA&city=-us"),
    *("tagId=tag_1,tag_2", "tagId=-tag_1", "root=true", "root=false&country=FR"),
    *("query=metadata['plan']:pro", "query=metadata['seats']>5 AND NOT metadata['plan']:free"),
    "country=-FR&tagId=tag_3&root=true&query=metadata['plan']!=pro",
]


@pytest.mark.parametrize("interval", ["all", "24h", "7d"])
@pytest.mark.parametrize("text", QUERIES)
def test_tables_answer_as_their_rows(text: str, interval: str) -> None:
    rows = events()
    wanted = query(text, interval)
    expected = [row_passes(wanted, row) for row in rows]
    table = pa.Table.from_pylist(rows)
    frame = pl.DataFrame(rows)
    names = [*table.column_names]
    coded = table.set_column(
        names.index("country"), "country", table["country"].dictionary_encode()
    )
    chunks = pa.concat_tables([table[:1], table[1:1], table[1:900], table[900:]])
    batch = table.combine_chunks().to_batches()[0]
    for source in (table, frame, coded, chunks, batch, table.to_reader(), table.to_struct_array()):
        mask = wanted.mask(source)
        assert isinstance(mask, Mask)
        assert mask.tolist() == expected
    assert wanted.mask(batch[37:1_337]).tolist() == expected[37:1_337]
    assert frame.filter(pl.Series(wanted.mask(frame))).height == sum(expected)


@pytest.mark.parametrize("interval", ["all", "7d"])
@pytest.mark.parametrize("text", QUERIES)
def test_mappings_answer_as_their_rows(text: str, interval: str) -> None:
    rows = events(300)
    wanted = query(text, interval)
    expected = [row_passes(wanted, row) for row in rows]
    columns: dict[str, Any] = {name: [row[name] for row in rows] for name in rows[0]}
    assert wanted.mask(columns).tolist() == expected
    naive = [at.replace(tzinfo=None) for at in columns["timestamp"]]
    columns["timestamp"] = np.array(naive, "datetime64[us]")
    columns["country"] = np.array(columns["country"], dtype=object)
    columns["city"] = np.array(columns["city"], "U64")
    columns["metadata"] = pa.chunked_array([columns["metadata"][:100], columns["metadata"][100:]])
    assert wanted.mask(columns).tolist() == expected


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "UTC", "Asia/Tokyo"])
def test_windows_hold_for_timestamps_of_any_unit(unit: str, zone: str | None) -> None:
    times = [row["timestamp"] for row in events(300)]
    naive = [at.astimezone(UTC).replace(tzinfo=None) for at in times]
    column = pa.array(naive, pa.timestamp("us")).cast(pa.timestamp(unit), safe=False)
    column = column.cast(pa.timestamp(unit, zone)) if zone else column
    wanted = query("", "7d")
    cut = [at.replace(microsecond=0) if unit == "s" else at for at in times]
    expected = [in_window(wanted, at) for at in cut]
    assert wanted.mask(pa.table({"timestamp": column})).tolist() == expected


def test_windows_hold_for_milliseconds_and_texts() -> None:
    times = [row["timestamp"] for row in events(300)]
    wanted = query("", "7d")
    expected = [in_window(wanted, at) for at in times]
    milliseconds = [round(at.timestamp() * 1_000) for at in times]
    written = [at.isoformat(timespec="milliseconds") for at in times]
    for column in (pa.array(milliseconds, pa.int64()), pa.array(written)):
        assert wanted.mask(pa.table({"timestamp": column})).tolist() == expected
    absent = pa.array([None, NOW, None], pa.timestamp("us", "UTC"))
    assert wanted.mask(pa.table({"timestamp": absent})).tolist() == [False, True, False]


def test_columns_have_the_names_that_they_are_given() -> None:
    table = pa.table({"land": ["US", "FR"], "at": [NOW, NOW]})
    named: dict[str, str | None] = {"country": "land", "timestamp": "at"}
    assert query("country=US").mask(table, named).tolist() == [True, False]
    assert query("country=US").mask(table, {**named, "country": None}).tolist() == [True, True]
    assert query("country=US").mask(table, columns={**named, "city": "none"}).count() == 1


REFUSED: list[tuple[str, object, object, type[Exception], str]] = [
    # query, table, columns, exception, message
    (
        "country=US",
        pa.table({"timestamp": [NOW]}),
        None,
        ValueError,
        "country.*no column 'country'",
    ),
    ("", pa.table({"country": ["US"]}), None, ValueError, "no column 'timestamp'"),
    ("country=US", pl.DataFrame({"timestamp": [NOW]}), None, ValueError, "no column 'country'"),
    ("", pa.table({"a": [1]}), {"timestamp": "b"}, ValueError, "no column 'b'"),
    ("", pa.table([[1], [2]], ["a", "a"]), {"timestamp": "a"}, ValueError, "more than one column"),
    ("", pa.table({"a": [1]}), {"nothing": "a"}, ValueError, "no parameter 'nothing'"),
    ("", pa.table({"timestamp": [1.5]}), None, TypeError, "timestamp.*expected timestamps"),
    ("", pa.table({"timestamp": ["now"]}), None, ValueError, "RFC 3339"),
    ("", pa.array(["US"]), None, TypeError, "expected a table"),
    ("", pl.Series(["US"]), None, TypeError, "expected a table"),
    ("", [{"country": "US"}], None, TypeError, "table: expected Arrow data"),
    ("", None, None, TypeError, "table: expected Arrow data"),
    ("", pa.table({"a": [1]}), ["timestamp"], TypeError, "columns: expected a mapping"),
    ("", pa.table({"a": [1]}), {"timestamp": 5}, TypeError, "columns"),
    ("", pa.table({"a": [1]}), {5: "a"}, TypeError, "columns"),
    ("", {"a": [1]}, None, ValueError, "no column 'timestamp'"),
    ("", {"timestamp": "now"}, None, TypeError, "timestamp: expected a column, not str"),
    ("country=US", {"timestamp": [NOW], "country": []}, None, ValueError, "has 0 rows, not 1"),
    ("", Stream(), None, TypeError, "arrow_array_stream"),
]


@pytest.mark.parametrize(("text", "table", "columns", "kind", "message"), REFUSED)
def test_what_a_table_lacks_is_named(
    text: str, table: object, columns: object, kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        query(text).mask(table, columns)  # type: ignore[arg-type]


def test_columns_of_another_type_are_named() -> None:
    table = pa.table({"timestamp": [NOW], "country": [1], "metadata": [1]})
    with pytest.raises(TypeError, match="country: column 'country': expected text"):
        query("country=US").mask(table)
    with pytest.raises(TypeError, match="query: column 'metadata': expected text"):
        query("query=metadata['a']:b").mask(table)
