# SPDX-License-Identifier: MIT
"""`sluice explore --parquet`: its endpoint, and answers against plain Python over the same rows."""

import itertools
import json
import math
import random
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from explorer import Explorer, check_histogram, exploring, top_of

from sluice import Cancellation
from sluice._explore import parquet
from sluice._explore.parquet import ParquetSource
from sluice._explore.source import NO_HISTOGRAM, GoneError, Work
from sluice._running import StartError

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
ROWS = 2_000
Row = dict[str, Any]


def some_rows() -> list[Row]:
    source = random.Random(5)

    def maybe(value: object) -> object:
        return value if source.random() < 0.9 else None

    return [
        {
            "id": at,
            "country": maybe(source.choice(["US", "DE", "us", "São Tomé", ""])),
            "seats": maybe(source.randrange(-5, 30)),
            "total": maybe(Decimal(source.randrange(-500, 5_000)).scaleb(-2)),
            "created at": EPOCH + timedelta(milliseconds=source.randrange(10**9)),
            "seen": maybe(EPOCH + timedelta(microseconds=source.randrange(10**15))),
            "paid": maybe(source.random() < 0.5),
            "tags": maybe(source.sample(["a", "b", "c"], source.randrange(4))),
            "page": source.choice(["one", "two"]),
            "share": source.random(),
        }
        for at in range(ROWS)
    ]


SCHEMA = pa.schema(
    [
        ("id", pa.int64()),
        ("country", pa.dictionary(pa.int32(), pa.string())),
        ("seats", pa.int16()),
        ("total", pa.decimal128(12, 2)),
        ("created at", pa.timestamp("ms", "Asia/Tokyo")),
        ("seen", pa.timestamp("us")),
        ("paid", pa.bool_()),
        ("tags", pa.list_(pa.string())),
        ("page", pa.string()),
        ("share", pa.float64()),
    ]
)


def naive(rows: list[Row]) -> list[Row]:
    """The rows as the file has them: one column has times without a zone."""
    return [{**row, "seen": row["seen"] and row["seen"].replace(tzinfo=None)} for row in rows]


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return some_rows()


@pytest.fixture(scope="module")
def explorer(rows: list[Row], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Explorer]:
    folder = tmp_path_factory.mktemp("explore")
    table = pa.Table.from_pylist(naive(rows), SCHEMA)
    pq.write_table(table, folder / "orders.parquet", row_group_size=300)
    with exploring(folder, "--parquet", str(folder / "orders.parquet")) as started:
        yield started


GRAMMARS = {
    # the same condition in each: at least 20 seats, or a country with an S and no total
    "aip160": 'seats >= 20 OR (country:"S" AND NOT total:*)',
    "odata": "seats ge 20 or contains(country,'S') and total eq null",
    "rsql": "seats=ge=20,(country==*S*;total=null=)",
    "cql2": "seats >= 20 OR (country LIKE '%S%' AND total IS NULL)",
    "scim": 'seats ge 20 or (country co "S" and total eq null)',
    "postgrest": "(seats.gte.20,and(country.like.*S*,total.is.null))",
    "cql2-json": json.dumps(
        {
            "op": "or",
            "args": [
                {"op": ">=", "args": [{"property": "seats"}, 20]},
                {
                    "op": "and",
                    "args": [
                        {"op": "like", "args": [{"property": "country"}, "%S%"]},
                        {"op": "isNull", "args": [{"property": "total"}]},
                    ],
                },
            ],
        }
    ),
}


@pytest.mark.parametrize("grammar", GRAMMARS)
def test_it_takes_conditions_in_any_grammar(
    explorer: Explorer, rows: list[Row], grammar: str
) -> None:
    def meets(row: Row) -> bool:
        is_large = row["seats"] is not None and row["seats"] >= 20
        return is_large or ("S" in (row["country"] or "") and row["total"] is None)

    query = urlencode({grammar: GRAMMARS[grammar]})
    expected = sum(map(meets, rows))
    assert 0 < expected < len(rows)
    assert explorer.get("/count", query=query) == {"count": expected}
    status, _, message = explorer.refused("/count", query=urlencode({grammar: "seat = 5"}))
    assert status == 400
    assert message.startswith(f"{grammar}: ")


def test_the_endpoint_is_that_of_the_schema(explorer: Explorer, rows: list[Row]) -> None:
    described = explorer.get("/source.json")
    kinds = {name: parameter["type"] for name, parameter in described["parameters"].items()}
    assert kinds == {
        "id": "integer",
        "country": "filter",
        "country[contains]": "contains",
        "country[null]": "isNull",
        "seats": "integer",
        "seats[null]": "isNull",
        "total": "decimal",
        "total[null]": "isNull",
        "created_at": "window",
        "seen": "time",
        "seen[null]": "isNull",
        "paid": "boolean",
        "paid[null]": "isNull",
        "tags": "filter",
        "tags[contains]": "contains",
        "tags[null]": "isNull",
        "page_": "filter",
        "page_[contains]": "contains",
        "share": "real",
        **dict.fromkeys(GRAMMARS, "expression"),
        "sort": "sort",
        "page": "page",
    }
    assert described["parameters"]["total"] == {
        "type": "decimal",
        "operators": ["=", ">=", "<="],
        "column": "total",
    }
    schema = {column["name"]: column for column in described["schema"]}
    assert list(schema) == SCHEMA.names
    assert schema["total"] == {
        "name": "total",
        "type": "decimal",
        "isList": False,
        "isNullable": True,
    }
    assert (schema["tags"]["isList"], schema["page"]["isNullable"]) == (True, False)
    assert described["parameters"]["page_"] == {"type": "filter", "column": "page"}
    assert described["names"] == {"created_at": "created at", "page_": "page"}
    assert described["filters"] == {
        name: name for name in ("id", "country", "seats", "total", "paid", "tags", "page_", "share")
    }
    assert described["columns"][-2:] == ["page_", "share"]
    assert described["unfiltered"] == {}
    assert (described["kind"], described["name"]) == ("declared", "orders.parquet")
    assert (described["time"], described["key"], described["plans"]) == ("created_at", "id", False)
    assert described["now"] == max(to_ms(row["created at"]) for row in rows)
    assert explorer.get("/explain") == {"plan": None}


def to_ms(moment: datetime) -> int:
    return (moment - EPOCH) // timedelta(milliseconds=1)


def by_time(row: Row) -> tuple[int, int]:
    return to_ms(row["created at"]), row["id"]


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


QUERIES: list[tuple[str, Callable[[Row], bool]]] = [
    # query, what it keeps
    ("", lambda _: True),
    ("country=US,DE", lambda row: row["country"] in ("US", "DE")),
    ("country=-US", lambda row: row["country"] != "US"),
    ("country=S%C3%A3o+Tom%C3%A9", lambda row: row["country"] == "São Tomé"),
    ("seats=7", lambda row: row["seats"] == 7),
    ("seats[gte]=-2&seats[lte]=10", lambda row: -2 <= (row["seats"] or 0) <= 10 and has(row)),
    ("total[gte]=10.5", lambda row: row["total"] is not None and row["total"] >= Decimal("10.5")),
    ("total=-1.00", lambda row: row["total"] == -1),
    ("paid=false", lambda row: row["paid"] is False),
    ("tags=a,b", lambda row: bool({"a", "b"} & set(row["tags"] or ()))),
    ("tags=-a", lambda row: "a" not in (row["tags"] or ())),
    ("page_=two", lambda row: row["page"] == "two"),
    ("start=1970-01-03&end=1970-01-05", lambda row: 2 <= (row["created at"] - EPOCH).days < 5),
    (
        "start=1970-01-03&end=1970-01-03&timezone=Asia/Tokyo&paid=true",
        lambda row: (
            row["created at"].astimezone(timezone(timedelta(hours=9))).date() == date(1970, 1, 3)
            and row["paid"] is True
        ),
    ),
    (
        "seen[gte]=1980-01-01",
        lambda row: row["seen"] is not None and row["seen"] >= at("1980-01-01T00:00:00Z"),
    ),
    ("share[gte]=0.25&share[lte]=5e-1", lambda row: 0.25 <= row["share"] <= 0.5),
    ("country[contains]=u", lambda row: "u" in (row["country"] or "")),
    ("country[null]=true", lambda row: row["country"] is None),
    ("country[null]=false&country=", lambda row: row["country"] is not None),
    ("tags[null]=false&tags[contains]=b", lambda row: "b" in (row["tags"] or ())),
    (
        "total[null]=true&paid[null]=false",
        lambda row: row["total"] is None and row["paid"] in (0, 1),
    ),
    ("country=ZZ", lambda _: False),
]


def has(row: Row) -> bool:
    return row["seats"] is not None


@pytest.mark.parametrize(("query", "keeps"), QUERIES)
def test_rows_are_those_that_plain_python_finds(
    explorer: Explorer, rows: list[Row], query: str, keeps: Callable[[Row], bool]
) -> None:
    expected = sorted(filter(keeps, rows), key=by_time, reverse=True)
    assert explorer.get("/count", query=query) == {"count": len(expected)}
    for offset, limit in ((0, 500), (7, 3), (len(expected), 5), (2**53 - 1, 500)):
        shown = explorer.get("/rows", query=query, offset=offset, limit=limit)["rows"]
        assert [row["id"] for row in shown] == [
            row["id"] for row in expected[offset : offset + limit]
        ]
    times = [to_ms(row["created at"]) for row in expected]
    zone = "Asia/Tokyo" if "Tokyo" in query else "UTC"
    check_histogram(explorer.get("/histogram", query=query), times, zone)


TOPS: dict[str, Callable[[Any], Any]] = {
    # column, its values as JSON
    "country": str,
    "seats": int,
    "total": lambda total: f"{total:f}",
    "paid": bool,
    "page_": str,
    "share": float,
    "tags": str,
}


@pytest.mark.parametrize(
    ("query", "tested", "keeps"),
    [
        ("", "", lambda _: True),
        ("seats[gte]=-2", "seats", lambda row: has(row) and row["seats"] >= -2),
        ("tags=-a", "tags", lambda row: "a" not in (row["tags"] or ())),
        ("country=US,DE", "country", lambda row: row["country"] in ("US", "DE")),
    ],
)
@pytest.mark.parametrize("column", TOPS)
def test_the_top_values_are_those_under_other_conditions(
    explorer: Explorer,
    rows: list[Row],
    column: str,
    query: str,
    tested: str,
    keeps: Callable[[Row], bool],
) -> None:
    values: list[Any] = []
    for row in rows:
        if tested != column and not keeps(row):
            continue
        value = row[{"page_": "page"}.get(column, column)]
        values += dict.fromkeys(value or ()) if column == "tags" else [value]
    expected = top_of(value for value in values if value == value)
    for value in expected:
        value["value"] = TOPS[column](value["value"])
    assert explorer.get("/top", query=query, column=column) == {"values": expected}


@pytest.mark.parametrize("column", ["created_at", "seen", "created at", "x"])
def test_other_columns_have_no_top_values(explorer: Explorer, column: str) -> None:
    assert explorer.refused("/top", column=column)[:2] == (422, "unprocessable_entity")
    assert column not in explorer.get("/source.json")["tops"]


SORTS: list[tuple[str, list[tuple[str, bool]]]] = [
    # order, columns and whether the largest come first
    ("country", [("country", False), ("id", False)]),
    ("-country", [("country", True), ("id", True)]),
    ("-total,seats", [("total", True), ("seats", False), ("id", False)]),
    ("paid,-created_at", [("paid", False), ("created at", True), ("id", True)]),
    ("-id", [("id", True)]),
    ("-share", [("share", True)]),
]


@pytest.mark.parametrize(("order", "keys"), SORTS)
def test_missing_values_come_first_in_ascending_order(
    explorer: Explorer, rows: list[Row], order: str, keys: list[tuple[str, bool]]
) -> None:
    expected = rows
    for name, descending in reversed(keys):

        def place(row: Row, name: str = name) -> tuple[bool, Any]:
            value = row[name]
            return value is not None, value.encode() if isinstance(value, str) else value or 0

        if name == "created at":
            expected = sorted(expected, key=lambda row: row["created at"], reverse=descending)
        else:
            expected = sorted(expected, key=place, reverse=descending)
    answers = (explorer.get("/rows", query=f"sort={order}", offset=o, limit=500) for o in pages())
    ids = [row["id"] for answer in answers for row in answer["rows"]]
    assert ids == [row["id"] for row in expected]


def pages() -> Iterator[int]:
    return iter(range(0, ROWS, 500))


def test_cells_are_json(explorer: Explorer, rows: list[Row]) -> None:
    page = explorer.get("/rows", query="sort=id", limit=500)["rows"]
    for row, shown in zip(rows, page, strict=False):
        seen, created = row["seen"], row["created at"]
        assert shown == {
            **{name: row[name] for name in ("id", "country", "seats", "paid", "tags", "share")},
            "total": str(row["total"]) if row["total"] is not None else None,
            "created_at": text_of(created),
            "seen": text_of(seen) if seen else None,
            "page_": row["page"],
        }


def text_of(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


@pytest.mark.parametrize(
    ("query", "status", "said"),
    [
        ("seats=x", 400, "seats: "),
        ("total=ten", 400, "total: "),
        ("sort=tags", 422, "sort: "),
        ("start=soon", 400, "start: "),
        ("tags=a,-b", 400, "tags: '-' before a single item"),
    ],
)
def test_wrong_queries_are_told(explorer: Explorer, query: str, status: int, said: str) -> None:
    for route in ("/rows", "/count", "/histogram"):
        actual, _, message = explorer.refused(route, query=query)
        assert message.startswith(said)
        assert actual == status


# --- Other files -----------------------------------------------------------------------------


@pytest.fixture
def work() -> Iterator[Work]:
    with Work(Cancellation()) as begun:
        yield begun


@pytest.fixture
def read(tmp_path: Path) -> Callable[[Any], ParquetSource]:
    def write_and_read(table: pa.Table) -> ParquetSource:
        pq.write_table(table, tmp_path / "file.parquet")
        return ParquetSource.read(tmp_path / "file.parquet")

    return write_and_read


Read = Callable[[Any], ParquetSource]

NAMES = [
    # a column's name, and what parameters and rows call it
    ("total", "total"),
    ("größe", "größe"),
    ("_id", "_id"),
    ("limit", "limit_"),
    ("timezone", "timezone_"),
    ("search", "search_"),
    ("columns", "columns_"),
    ("mask", "mask_"),
    ("_table", "_table_"),
    ("a.b", "a_b"),
    ("a b[gte]", "a_b_gte_"),
    ("-x", "_x"),
    ("2020", "column_2020"),
    ("__class__", "column_class"),
    ("__proto__", "column_proto"),
    (" ", "_"),
]


@pytest.mark.parametrize(("name", "parameter"), NAMES)
def test_names_that_no_parameter_has_are_changed(
    read: Read, work: Work, name: str, parameter: str
) -> None:
    source = read(pa.table({name: ["a", "b"]}))
    described = source.describe()
    assert described["columns"] == [parameter]
    assert described["parameters"][parameter] == {"type": "filter", "column": name}
    assert described["names"] == ({} if name == parameter else {parameter: name})
    assert json.loads(source.rows(f"{parameter}=b&sort=-{parameter}", 0, 9, work)) == [
        {parameter: "b"}
    ]


def test_a_changed_name_is_nobody_elses(read: Read) -> None:
    table = pa.table({name: ["a"] for name in ("a.b", "a b", "a_b", "page", "page_")})
    assert read(table).describe()["columns"] == ["a_b_", "a_b__", "a_b", "page__", "page_"]


def test_a_file_without_times_has_no_window(read: Read, work: Work) -> None:
    source = read(pa.table({"name": ["a", None, "b"]}))
    described = source.describe()
    assert (described["time"], described["now"]) == (None, None)
    assert "start" not in described["parameters"]
    assert source.histogram("", work) == NO_HISTOGRAM
    assert json.loads(source.rows("", 0, 9, work)) == [{"name": x} for x in ("a", None, "b")]


def test_rows_without_a_key_are_ordered_by_their_number(read: Read, work: Work) -> None:
    source = read(pa.table({"id": [1, 1, 2], "name": ["b", "a", "a"]}))
    assert source.describe()["key"] == "row_number"
    names = [row["name"] for row in json.loads(source.rows("sort=-id", 0, 9, work))]
    assert names == ["a", "a", "b"]  # the last of equals first


def test_a_key_is_found(read: Read) -> None:
    assert read(pa.table({"a": [1, 1], "b": ["x", None], "c": [1, 2]})).describe()["key"] == "c"
    assert read(pa.table({"a": [1, 2], "id": ["x", "y"]})).describe()["key"] == "id"


UNFILTERED = [
    # type, a value, why no query compares it
    (pa.float16(), np.float16(0.5), "values of halffloat aren't compared"),
    (pa.uint64(), 2**64 - 1, "uint64 is beyond the integers that are compared, write it as"),
    (pa.struct([("a", pa.int64())]), {"a": 1}, "values within values (struct, map, list)"),
    (pa.map_(pa.string(), pa.int64()), [("a", 1)], "values within values (struct, map, list)"),
    (pa.list_(pa.int64()), [1], "values within values (struct, map, list)"),
    (pa.binary(), b"a", "values of binary aren't compared"),
    (pa.duration("ms"), timedelta(1), "values of duration[ms] aren't compared"),
]


@pytest.mark.parametrize(("type_", "value", "why"), UNFILTERED)
def test_a_column_that_no_query_compares_says_why(
    read: Read, type_: pa.DataType, value: object, why: str
) -> None:
    columns = {"a b": pa.array([value], type_), "text": ["x"]}
    described = read(pa.table(columns)).describe()
    assert described["filters"] == {"text": "text"}
    [(name, problem)] = described["unfiltered"].items()
    assert (name, problem[: len(why)]) == ("a_b", why)


def test_the_window_is_about_times_that_all_rows_have(read: Read, work: Work) -> None:
    time = datetime(2026, 1, 1, tzinfo=UTC)
    source = read(pa.table({"ended": [None, time], "begun": [time, time]}))
    assert source.describe()["time"] == "begun"
    only = read(pa.table({"ended": [None, time]}))
    assert (only.describe()["time"], only.count("", work)) == ("ended", 2)
    assert only.count("start=2026-01-01", work) == 1


def test_empty_files_have_no_rows(read: Read, work: Work) -> None:
    source = read(SCHEMA.empty_table())
    assert (source.rows("", 0, 9, work), source.count("country=US", work)) == ("[]", 0)
    assert source.histogram("", work) == NO_HISTOGRAM
    assert read(pa.table({})).describe()["columns"] == []


SHOWN: list[tuple[Any, Any]] = [
    # a column of one row, what is shown of it
    (pa.array([2**53 - 1]), 2**53 - 1),
    (pa.array([2**53]), str(2**53)),
    (pa.array([2**64 - 1], pa.uint64()), str(2**64 - 1)),
    (pa.array([0.5]), 0.5),
    (pa.array([float("nan")]), "nan"),
    (pa.array([float("inf")]), "inf"),
    (pa.array([Decimal("1E+3")], pa.decimal128(8, 2)), "1000.00"),
    (pa.array([b"\xff\0"]), "/wA="),
    (pa.array([date(2026, 8, 21)]), "2026-08-21"),
    (pa.array([{"a": 1, "b": [None]}]), {"a": 1, "b": [None]}),
    (pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int64())), [["k", 1]]),
    (pa.array([[1, 2]]), [1, 2]),
    (pa.array(["x" * 10_001]), "x" * 10_000 + "…"),
    (pa.array([[1] * 1_001]), [1] * 1_000 + ["…"]),
    (pa.array(["text"], pa.string_view()), "text"),
    (pa.array([-1], pa.timestamp("ns")), "1969-12-31T23:59:59.999Z"),
    (pa.array([-1], pa.timestamp("us", "Europe/Paris")), "1969-12-31T23:59:59.999Z"),
    (pa.array([253_402_300_800_000], pa.timestamp("ms")), None),
    (pa.array([253_402_300_799_999], pa.timestamp("ms")), "9999-12-31T23:59:59.999Z"),
    (pa.array([-(2**63)], pa.timestamp("us")), None),
    (pa.array([[-(2**62)]], pa.list_(pa.timestamp("us"))), "(not shown)"),
    (pa.nulls(1), None),
]


@pytest.mark.parametrize(("column", "shown"), SHOWN)
def test_any_cell_can_be_shown(read: Read, work: Work, column: Any, shown: object) -> None:  # noqa: ANN401
    source = read(pa.table({"at": [EPOCH], "x": column}))
    [row] = json.loads(source.rows("", 0, 9, work))
    assert row["x"] == shown


COMPARED = [
    # a column, a query of it, the rows that it finds
    (pa.array([1, 2, 3], pa.uint8()), "x[gte]=2", [1, 2]),
    (pa.array([1, 2, 2**32 - 1], pa.uint32()), "x=4294967295", [2]),
    (pa.array([-128, 0, 127], pa.int8()), "x[lte]=-1", [0]),
    (pa.array([-(2**63), 0, 2**63 - 1], pa.int64()), "x[lte]=-9223372036854775808", [0]),
    (pa.array(["a", "b", "a"], pa.large_string()), "x=a", [0, 2]),
    (pa.array(["a", "b", "a"], pa.string_view()), "x=a", [0, 2]),
    (pa.array([7, 8, 7]).dictionary_encode(), "x=7", [0, 2]),
    (pa.array([Decimal(1), None, Decimal("2.5")], pa.decimal256(50, 3)), "x[gte]=2.500", [2]),
    (pa.array([Decimal(1), None, Decimal("2.5")], pa.decimal32(5, 2)), "x=1", [0]),
    (pa.array([0.5, math.nan, None]), "x[gte]=-1e300", [0]),
    (pa.array([0.5, math.nan, None]), "x[null]=true", [1, 2]),
    (pa.array([0.5, math.nan, 0.25]), "x[null]=true", [1]),
    (pa.array([0.5, 0.25, None], pa.float32()), "x[lte]=0.25", [1]),
    (pa.array([-0.0, 0.0, 5e-324]), "x=0", [0, 1]),
    (pa.array([date(2026, 2, 28), date(1, 1, 1), None]), "x[gte]=2026-02-28", [0]),
    (pa.array([date(2026, 2, 28), date(9999, 12, 31), None], pa.date64()), "x=9999-12-31", [1]),
    (pa.array(["a%", None, "b_"]), "x[contains]=%25", [0]),
    (pa.array(["a%", None, "b_"]), "x[null]=false", [0, 2]),
    (pa.array([["a", "bc"], None, []], pa.list_(pa.string())), "x[contains]=c", [0]),
    (pa.array([["a", "bc"], None, []], pa.list_(pa.string())), "x[null]=true", [1]),
    (pa.array([["a"], None, []], pa.large_list(pa.string())), "x=-a", [1, 2]),
    (pa.array([0, 1_999, 2_000], pa.timestamp("ms")), "start=1970-01-01T00:00:01.999Z", [1, 2]),
    (pa.array([-1, 0, 1], pa.timestamp("ns")), "end=1969-12-31T23:59:59.999Z", [0]),
]


def test_nan_is_ordered_as_missing(read: Read, work: Work) -> None:
    source = read(pa.table({"id": [0, 1, 2, 3], "x": [0.5, math.nan, None, -1.0]}))
    shown = json.loads(source.rows("sort=x,id", 0, 9, work))
    assert [(row["id"], row["x"]) for row in shown] == [(1, "nan"), (2, None), (3, -1), (0, 0.5)]


@pytest.mark.parametrize(("column", "query", "places"), COMPARED)
def test_columns_of_many_types_are_compared(
    read: Read,
    work: Work,
    column: Any,  # noqa: ANN401
    query: str,
    places: list[int],
) -> None:
    source = read(pa.table({"id": [0, 1, 2], "x": column}))
    shown = json.loads(source.rows(f"{query}&sort=id", 0, 9, work))
    assert [row["id"] for row in shown] == places


@pytest.mark.parametrize(
    ("limit", "most", "said"),
    [("_MOST_ROWS", 2, "3 rows, expected at most 2"), ("_MOST_BYTES", 9, "at most 9 bytes")],
)
def test_a_file_that_is_too_large_is_refused(
    read: Read, monkeypatch: pytest.MonkeyPatch, limit: str, most: int, said: str
) -> None:
    monkeypatch.setattr(parquet, limit, most)
    with pytest.raises(StartError, match=said):
        read(pa.table({"x": [1, 2, 3]}))


@pytest.mark.parametrize("names", [["a", "a"], ["", "b"]])
def test_columns_need_names_of_their_own(read: Read, names: list[str]) -> None:
    with pytest.raises(StartError, match="expected columns that each have a name of their own"):
        read(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names))


def test_a_damaged_file_is_refused(read: Read, tmp_path: Path) -> None:
    source = random.Random(3)
    read(pa.Table.from_pylist(naive(some_rows()[:50]), SCHEMA))
    whole = (tmp_path / "file.parquet").read_bytes()
    for _ in range(100):
        damaged = bytearray(whole)
        damaged[source.randrange(4, len(whole))] ^= 1 << source.randrange(8)
        (tmp_path / "damaged").write_bytes(damaged[: source.choice([None, len(whole) // 2])])
        try:
            ParquetSource.read(tmp_path / "damaged")
        except StartError as error:
            assert str(tmp_path) in str(error)  # noqa: PT017


def test_nothing_is_searched_for_nobody(read: Read) -> None:
    gone = Cancellation()
    gone.cancel()
    source = read(pa.table({"x": [1]}))
    for ask in (source.count, lambda query, work: source.rows(query, 0, 1, work)):
        with pytest.raises(GoneError):
            ask("", Work(gone))


def test_orders_are_kept_while_a_table_is_scrolled(
    read: Read, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = read(pa.table({"x": list(range(100))}))
    pages = [json.loads(source.rows("sort=-x", offset, 10, work)) for offset in range(0, 100, 10)]
    assert [row["x"] for row in itertools.chain(*pages)] == list(range(99, -1, -1))
    assert source._find_cached.cache_info().misses == 1
