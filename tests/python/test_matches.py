# SPDX-License-Identifier: MIT
"""Queries asked of a caller's own objects, one at a time: what a mask tells of the same rows."""

import json
import sqlite3
from collections import ChainMap, defaultdict, namedtuple
from collections.abc import Callable
from dataclasses import make_dataclass
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import StrEnum
from types import MappingProxyType, SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from conftest import NOW
from random_rows import DOCUMENTS, SCHEMA, RandomRows

import sluice
from sluice import Column, EventsQuery, ListQuery, TagsQuery

ROWS = [*map(RandomRows(31).row, range(200))]
TABLE = {name: [row[name] for row in ROWS] for name in ROWS[0]}
Row = make_dataclass("Row", list(ROWS[0]))
Tuple = namedtuple("Tuple", ROWS[0])  # type: ignore[misc]


class Lazy:
    """An object whose attributes are made when they are asked for."""

    def __init__(self, row: dict[str, Any]) -> None:
        self._row = row

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        if name in self._row:
            return self._row[name]
        raise AttributeError(name)


KINDS: dict[str, Callable[[dict[str, Any]], object]] = {
    "dict": lambda row: row,
    "mapping": MappingProxyType,
    "chain": lambda row: ChainMap({}, row),
    "dataclass": lambda row: Row(**row),
    "namespace": lambda row: SimpleNamespace(**row),
    "named tuple": lambda row: Tuple(**row),
    "lazy": Lazy,
    "series": lambda row: pd.Series(row, dtype=object),
}


@pytest.mark.parametrize("kind", KINDS)
def test_an_object_is_taken_where_a_mask_takes_it_as_a_row(kind: str) -> None:
    random = RandomRows(32)
    objects = [KINDS[kind](row) for row in ROWS[: 200 if kind == "dict" else 40]]
    for _ in range(200 if kind == "dict" else 25):
        query = random.query()
        expected = query.mask(TABLE).tolist()[: len(objects)]
        assert [query.matches(item) for item in objects] == expected, json.dumps(query.tree())


def test_documents_may_be_what_json_loads_gives() -> None:
    random = RandomRows(33)
    others = [column.name for column in SCHEMA if column.type != "json"]
    loaded = [json.loads(text, parse_float=Decimal) for text in DOCUMENTS]
    for _ in range(200):
        query = random.query(*others)
        expected = query.mask({"data": DOCUMENTS}).tolist()
        assert [query.matches({"data": document}) for document in loaded] == expected
        assert [query.matches({"data": text.encode()}) for text in DOCUMENTS] == expected


@pytest.mark.parametrize("document", [{}, {"plan": "pro"}, [1], "pro", '{"plan": 1}', 7, True])
def test_a_document_of_any_kind_is_a_value(document: object) -> None:
    queries = [
        ListQuery.from_tree({"where": {"column": "data", "is_null": is_null}}, SCHEMA)
        for is_null in (True, False)
    ]
    assert [query.matches({"data": document}) for query in queries] == [False, True]
    assert [query.matches({"data": None}) for query in queries] == [True, False]


# --- Where a value is ------------------------------------------------------------------------

COUNTRY = ListQuery.from_tree(
    {"where": {"column": "click.country", "any_of": ["us"]}},
    [Column("click.country", is_nullable=True, collation="ignore_case")],
)
US = SimpleNamespace(country="US")


@pytest.mark.parametrize(
    ("obj", "taken"),
    [
        ({"click.country": "US"}, True),
        ({"click": {"country": "US"}}, True),
        ({"click": US}, True),
        (SimpleNamespace(click=US), True),
        (SimpleNamespace(click={"country": "US"}), True),
        ({"click.country": "DE", "click": US}, False),
        ({"click": {"country": None}}, False),
        ({"click": None}, False),
        ({"click": float("nan")}, False),
        (defaultdict(SimpleNamespace, {"click": US}), True),
    ],
    ids=str,
)
def test_names_with_dots_tell_the_way(obj: object, taken: bool) -> None:
    assert COUNTRY.matches(obj) is taken


def test_deeper_names_and_names_of_your_own() -> None:
    deep = {"outer": {"inner.click": US}}
    assert COUNTRY.matches(deep, {"click.country": "outer.inner.click.country"})
    assert COUNTRY.matches({"geo": "us"}, columns={"click.country": "geo"})
    assert COUNTRY.matches({}, {"click.country": None})  # known to hold
    assert COUNTRY.matches({"click.country": "us"}, {})
    assert COUNTRY.matches({"click.country": "us"}, None)


def test_rows_of_databases_and_frames() -> None:
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    [row] = connection.execute("""SELECT 'US' AS "click.country" """).fetchall()
    assert COUNTRY.matches(row)
    [frame_row] = pl.DataFrame({"click": [{"country": "US"}]}).iter_rows(named=True)
    assert COUNTRY.matches(frame_row)


def test_every_class_of_queries_has_it() -> None:
    events = EventsQuery.parse("country=US&tagId=-a&event=clicks&interval=24h", now=NOW)
    event = {"click": US, "link": {"tagIds": ["b"]}, "timestamp": NOW}
    assert events.matches(event)
    assert not events.matches(event | {"timestamp": NOW + timedelta(milliseconds=1)})
    assert not events.matches(event | {"link": {"tagIds": ("b", "a")}})
    tags = TagsQuery.parse("ids=a,b&page=7")
    assert [tags.matches({"id": id_}) for id_ in "abc"] == [True, True, False]
    assert TagsQuery.parse("").matches(object())


# --- Values ----------------------------------------------------------------------------------


class Status(StrEnum):
    OPEN = "open"


IST = timezone(timedelta(hours=5, minutes=30))
TESTS: dict[str, dict[str, Any]] = {  # of columns of SCHEMA
    "status": {"any_of": ["OPEN"]},
    "tags": {"any_of": ["open"]},
    "seats": {"gte": 7},
    "total": {"gte": "7"},
    "created": {"lte": "2026-08-21T02:30:15.123Z"},
    "open": {"is": True},
    "data": {"matches": {"path": ["k"], "equal": "7"}},
}
VALUES: list[tuple[str, list[Any], list[Any]]] = [
    ("status", ["open", "Open", Status.OPEN, np.str_("open"), ["x", "open"]], ["opens", "", []]),
    ("tags", [["open"], ("open",), {"open"}, np.array(["open"]), [["x"], [None, "OPEN"]]], [["x"]]),
    ("seats", [7, 7.0, Decimal("7.00"), np.int8(7), np.float32(8), 2**63 - 1], [6, -(2**63)]),
    ("total", [7, 7.0, Decimal("7.00"), "7e0", "7.1", np.float64(8), 10**400], [6, "much"]),
    ("created", [NOW, NOW.astimezone(IST), pd.Timestamp(NOW), 0], [NOW + timedelta(seconds=1)]),
    ("created", ["2026-08-21T02:30:15.123999Z", NOW.replace(microsecond=123_999)], [2**62]),
    ("open", [True, np.bool_(True)], [False, np.bool_(False)]),
    ("data", [{"k": 7}, {"k": "7"}, {"k": 7.0}, '{"k": 7}', b'{"k":7}'], [{"k": [7]}, [], {}]),
]
MISSING = [None, float("nan"), np.float32("nan"), Decimal("NaN"), Decimal("sNaN"), pd.NA, pd.NaT]


def query_of(column: str, negated: bool = False) -> ListQuery:
    leaf = {"column": column, **TESTS[column]}
    return ListQuery.from_tree({"where": {"not": leaf} if negated else leaf}, SCHEMA)


@pytest.mark.parametrize(("column", "taken", "others"), VALUES)
def test_values_are_read_as_what_they_are(column: str, taken: list[Any], others: list[Any]) -> None:
    for value in taken:
        assert query_of(column).matches({column: value}), value
        assert not query_of(column, negated=True).matches({column: value}), value
    for value in others:
        assert not query_of(column).matches({column: value}), value
        assert query_of(column, negated=True).matches({column: value}), value


@pytest.mark.parametrize("column", TESTS)
def test_a_missing_value_meets_no_test_but_an_exclusion(column: str) -> None:
    for value in MISSING:
        assert not query_of(column).matches({column: value})
        assert query_of(column, negated=True).matches({column: value})


def test_text_that_is_no_json_is_as_if_missing() -> None:
    for text in ("", "pro", "{", '{"k": 7} {}'):
        assert not query_of("data").matches({"data": text})
        assert query_of("data", negated=True).matches({"data": text})
        assert query_of("data").mask({"data": [text]}).tolist() == [False]


# --- Refusals --------------------------------------------------------------------------------

NAIVE = datetime(2026, 8, 21)
REFUSED: list[tuple[str, Any, type[Exception], str]] = [
    ("status", 5, TypeError, "expected str, None or a list of these, not int"),
    ("status", b"open", TypeError, "expected str, None or a list of these, not bytes"),
    ("tags", ["open", 5], TypeError, "expected str, None or a list of these, not int"),
    ("seats", "7", TypeError, "expected int, not str"),
    ("seats", 7.5, TypeError, "expected int, not float"),
    ("seats", float(2**53), TypeError, "expected int, not float"),
    ("seats", Decimal("7.5"), ValueError, "expected a whole number of 64 bits"),
    ("seats", 2**63, ValueError, "expected an int of 64 bits"),
    ("total", 7.1, TypeError, "expected Decimal, int or text of a number, not float"),
    ("total", True, TypeError, "expected Decimal, int or text of a number, not bool"),
    ("total", Decimal("-Infinity"), ValueError, "expected a finite number"),
    ("created", NAIVE, ValueError, "a naive datetime, expected an aware one such as"),
    ("created", date(2026, 8, 21), TypeError, "expected an aware datetime, not datetime.date"),
    ("created", "yesterday", ValueError, "expected RFC 3339 text"),
    ("created", True, TypeError, "expected an aware datetime, not bool"),
    ("open", 1, TypeError, "expected bool, not int"),
    ("data", {"k": {1}}, TypeError, "expected JSON: str, bool, a number, None, a mapping or a"),
    ("data", {"k": float("inf")}, ValueError, "expected a finite number"),
]


@pytest.mark.parametrize(("column", "value", "kind", "message"), REFUSED)
def test_what_is_none_of_the_column_is_refused_by_its_name(
    column: str, value: object, kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=f"^{column}: column '{column}': {message}"):
        query_of(column).matches({column: value})
    with pytest.raises(kind, match=f"^{column}: column 'mine': {message}"):
        query_of(column).matches(SimpleNamespace(mine=value), {column: "mine"})


@pytest.mark.parametrize("obj", [{}, {"Status": "open"}, object(), None, 5, "open", [], {"a": {}}])
def test_an_object_without_the_column_is_refused(obj: object) -> None:
    expected = "the row has no 'status'"
    with pytest.raises(ValueError, match=expected):
        query_of("status").matches(obj)
    with pytest.raises(ValueError, match=r"the row has no 'a\.b'"):
        query_of("status").matches(obj, {"status": "a.b"})


def test_what_an_object_raises_is_raised() -> None:
    class Broken:
        @property
        def status(self) -> str:
            raise OSError("no disk")

    with pytest.raises(OSError, match="no disk"):
        query_of("status").matches(Broken())


def test_other_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="the query's schema has no column 'price'"):
        query_of("total").matches({"total": 1}, {"price": "total"})
    with pytest.raises(TypeError, match="columns: expected a mapping"):
        query_of("total").matches({"total": 1}, 5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="search: matches has no test for it"):
        TagsQuery.parse("search=a").matches({"name": "a"})
    lists: list[Any] = []
    lists.append(lists)
    with pytest.raises(RecursionError):
        query_of("tags").matches({"tags": lists})


def test_only_what_decides_is_asked_for() -> None:
    query = ListQuery.from_tree(
        {"where": {"all": [{"column": "open", "is": True}, {"column": "seats", "gt": 1}]}}, SCHEMA
    )
    assert not query.matches({"open": False})
    with pytest.raises(ValueError, match="seats"):
        query.matches({"open": True})


def test_a_window_is_that_of_the_query() -> None:
    window = sluice.resolve_window("24h", now=datetime(2026, 8, 21, tzinfo=UTC))
    query = EventsQuery.parse("interval=24h", now=window.end)
    assert query.matches({"timestamp": window.start})
