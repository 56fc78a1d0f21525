# SPDX-License-Identifier: MIT
"""Pages of lists of objects and of frames are those of a loop over the same rows."""

import asyncio
import math
import pickle
from collections import ChainMap
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import StrEnum
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from applied_engines import Applied, applied_engines
from differences import Run
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from tested_rows import TESTED
from tested_table import TestedTable, in_order

import sluice
from sluice import Column, ListQuery

ENGINES = applied_engines()
TABLE = TestedTable.of(5, 40)


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
def test_every_kind_of_rows_has_the_pages_of_a_loop(engine: Applied) -> None:
    run = Run([engine])
    for table in (1, 2):
        difference = run.first_difference(TestedTable.of(table), 120, table)
        assert difference is None, str(difference)
    assert run.refusing() == [], str(run)


# --- Cursors ---------------------------------------------------------------------------------

ORDERED = [of.name for of in TESTED if not of.is_list and of.type not in ("json", "records")]


def walk(rows: Any, order: list[dict[str, str]], ids: Any) -> tuple[list[list[str]], list[str]]:  # noqa: ANN401
    """The pages to the end and back, and their cursors."""
    pages, cursors = [], []
    query = ListQuery.from_tree({"order": order, "page": {"number": 1, "size": 7}}, TESTED)
    for link in ("next", "prev"):
        while True:
            page = query.apply(rows)
            pages.append(ids(page.rows))
            if link not in page.links:
                break
            text = page.links[link].rpartition("cursor=")[2]
            cursors.append(text)
            query = ListQuery.from_tree(
                {"order": order, "cursor": {"text": text, "size": 7}}, TESTED
            )
    return pages, cursors


@pytest.mark.parametrize("column", ORDERED)
@pytest.mark.parametrize("direction", ["asc", "desc"])
def test_all_kinds_are_walked_alike(column: str, direction: str) -> None:
    order = [{"column": column, "direction": direction}] if column != "id" else []
    expected = [row["id"] for row in in_order(TABLE.rows, order)]
    walks = []
    for engine in ENGINES:
        pages, cursors = walk(engine.hold(TABLE.rows), order, engine.ids_of)
        there, back = pages[:6], pages[6:]
        assert [id_ for page in there for id_ in page] == expected, engine.name
        assert back == there[::-1], engine.name
        walks.append((engine.name, cursors))
    for name, cursors in walks[1:]:
        assert cursors == walks[0][1], name


@pytest.mark.parametrize("kind", [list, pl.DataFrame, pa.Table.from_pylist, pd.DataFrame])
@pytest.mark.parametrize("order", ["asc", "desc"])
def test_a_cut_key_is_completed_by_its_row_or_else_no_row_is_lost(kind: Any, order: str) -> None:  # noqa: ANN401
    schema = [Column("id"), Column("name")]
    rows = [{"id": f"r{at}", "name": "a" * 2_000 + end} for at, end in enumerate("abcdef")]
    rows = rows[:: 1 if order == "asc" else -1]

    def page(rows: Any, **at: Any) -> Any:  # noqa: ANN401
        tree = {"order": [{"column": "name", "direction": order}], **at}
        return ListQuery.from_tree(tree, schema).apply(kind(rows))

    links = page(rows, page={"number": 2, "size": 2}).links
    for link, beside, shown in (("prev", 2, rows[:2]), ("next", 3, rows[4:])):
        cursor = {"text": links[link].rpartition("cursor=")[2], "size": 2}
        assert ids_in(page(rows, cursor=cursor).rows) == [row["id"] for row in shown]
        left = rows[:beside] + rows[beside + 1 :]  # names that begin alike may come again
        shown = left[:2] if link == "next" else left[-2:]
        assert ids_in(page(left, cursor=cursor).rows) == [row["id"] for row in shown]


# --- Values and names ------------------------------------------------------------------------


def ids_in(rows: Any) -> list[str]:  # noqa: ANN401
    """The ids of rows of any kind."""
    if isinstance(rows, list):
        return [row["id"] if isinstance(row, Mapping) else row.id for row in rows]
    if isinstance(rows, duckdb.DuckDBPyRelation):
        return [id_ for (id_,) in rows.select("id").fetchall()]
    return (
        [*rows["id"].to_pylist()] if isinstance(rows, pa.Table | pa.RecordBatch) else [*rows["id"]]
    )


class Orders(ListQuery, columns=[Column("when", "time", is_nullable=True)]):
    """Orders of a shop."""

    status = sluice.filter(column=Column("status", is_nullable=True))
    total = sluice.integer(operators=(">=", "<="))
    place = sluice.text(column="click.country")
    plan = sluice.metadata(column="data")
    order = sluice.sort("total", "when", "click.country", default="total")
    page = sluice.page(default=2)


ROWS = [
    {"id": "a", "total": 5, "status": "open", "click": {"country": "DE"}, "data": {"plan": "pro"}},
    {"id": "b", "total": 9, "status": None, "click": {"country": "US"}, "data": {"plan": "free"}},
    {"id": "c", "total": 7, "status": "paid", "click": {"country": "US"}, "data": None},
    {"id": "d", "total": 8, "status": "void", "click": {"country": "FR"}, "data": {"plan": "pro"}},
]
KINDS: dict[str, Any] = {
    "dicts": list,
    "tuple": tuple,
    "generator": lambda rows: (row for row in rows),
    "maps": lambda rows: [ChainMap({}, row) for row in rows],
    "objects": lambda rows: [
        SimpleNamespace(**{**row, "click": SimpleNamespace(**row["click"])}) for row in rows
    ],
    "mixed": lambda rows: [rows[0], *(SimpleNamespace(**row) for row in rows[1:])],
    "polars": pl.DataFrame,
    "lazy polars": pl.LazyFrame,
    "pandas": pd.DataFrame,
    "pyarrow": pa.Table.from_pylist,
    "batch": pa.RecordBatch.from_pylist,
    "DuckDB": lambda rows: duckdb.connect().from_arrow(pa.Table.from_pylist(rows)),
}
REQUESTS: list[tuple[str, list[str]]] = [
    ("", ["a", "c"]),
    ("status=-void", ["a", "c"]),
    ("total[gte]=7&order=-total", ["b", "d"]),
    ("place=US&order=-click.country", ["c", "b"]),
    ("order=click.country", ["a", "d"]),
    ("plan=metadata['plan']:pro", ["a", "d"]),
    ("plan=NOT metadata['plan']:pro", ["c", "b"]),
    ("page=2", ["d", "b"]),
    ("page=3", []),
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("request_", "ids"), REQUESTS)
def test_names_with_dots_and_documents_are_read_in_every_kind(
    kind: str, request_: str, ids: list[str]
) -> None:
    rows = KINDS[kind](ROWS)
    page = Orders.parse(f"{request_}&count=true".lstrip("&")).apply(rows, "/orders")
    expected = list if kind in ("dicts", "tuple", "generator", "maps", "objects", "mixed") else None
    assert ids_in(page.rows) == ids
    assert isinstance(page.rows, expected or (pl.DataFrame if "lazy" in kind else type(rows)))
    assert page.headers["X-Total-Count"] == str(page.total)


def test_a_row_stays_the_callers_object() -> None:
    rows = [SimpleNamespace(**row) for row in ROWS]
    assert Orders.parse("").apply(rows).rows[0] is rows[0]
    frame = pd.DataFrame(ROWS, index=[9, 8, 7, 6])
    assert [*Orders.parse("").apply(frame).rows.index] == [9, 7]


@pytest.mark.parametrize("kind", [list, pd.DataFrame, pl.DataFrame, pa.Table.from_pylist])
def test_a_page_is_pickled(kind: Callable[[Any], Any]) -> None:
    page: sluice.Page[Any] = Orders.parse("count=true&limit=1").apply(kind(ROWS))
    copied = pickle.loads(pickle.dumps(page))
    assert (type(copied), str(copied.rows)) == (sluice.Page, str(page.rows))
    assert replace(copied, rows=None) == replace(page, rows=None)


COUNTS: list[tuple[str, int | None, int | None, bool]] = [
    ("", None, None, False),
    ("count=true", None, 4, False),
    ("count=true", 0, None, False),
    ("count=true", 3, 3, True),
    ("count=true", 4, 4, False),
]


@pytest.mark.parametrize(("request_", "most", "total", "is_capped"), COUNTS)
def test_totals_are_exact_capped_or_none(
    request_: str, most: int | None, total: int | None, is_capped: bool
) -> None:
    page = Orders.parse(request_).apply(ROWS, "/orders", most_counted=most)
    assert (page.total, page.is_capped, page.has_more) == (total, is_capped, True)
    has_header = total is not None and not is_capped
    assert page.headers.get("X-Total-Count") == (str(total) if has_header else None)
    assert [*page.links] == ["first", "next"]
    assert page.links["next"].startswith("/orders?")


def test_counting_ends_at_no_number_below_0() -> None:
    query = ListQuery.from_tree({"total": True}, [Column("id")])
    with pytest.raises(ValueError, match="most_counted: expected at least 0, or None, not -1"):
        query.apply([{"id": "a"}], most_counted=-1)


def test_names_of_the_rows() -> None:
    rows = [{"id": "a", "price": 5, "state": "open"}, {"id": "b", "price": 6, "state": "void"}]
    query = Orders.parse("status=-void&total[gte]=5")
    names = {"status": "state", "total": "price"}
    for kind in (list, pl.DataFrame, pl.LazyFrame, pd.DataFrame, pa.Table.from_pylist):
        assert ids_in(query.apply(kind(rows), columns=names).rows) == ["a"]
        known = {**names, "status": None}
        assert ids_in(query.apply(kind(rows), columns=known).rows) == ["a", "b"]
    with pytest.raises(ValueError, match="columns: total: expected a name, since the rows are ord"):
        query.apply(rows, columns={"status": "state", "total": None})
    with pytest.raises(ValueError, match="the query's schema has no column 'price'"):
        query.apply(rows, columns={"price": "total"})


class Size(StrEnum):
    BIG = "big"


AT = datetime(2026, 8, 21, 2, 30, 15, 123_456, UTC)
# Columns by name, and values of each in ascending order.
VALUES: list[tuple[Column, list[Any]]] = [
    (Column("of", "integer"), [np.int8(-1), 0.0, Decimal("1.0"), 2, np.float32(3), 2**63 - 1]),
    (Column("of", "decimal"), [-(10**40), "-1e3", 0.0, Decimal("0.1"), "0.2", 1, np.int64(2)]),
    (Column("of", "real"), [-math.inf, -1e300, -1, 0.5, np.float32(1), 2, 5e300, math.inf]),
    (Column("of", "boolean"), [False, True]),
    (Column("of", "text"), ["", "A", Size.BIG, "é", "\uffff", "🙂"]),
    (Column("of", "date"), [date(1, 1, 1), "1969-12-31", np.datetime64("1970-01-01"), date.max]),
    (Column("of", "uuid"), [UUID(int=1), str(UUID(int=2)), str(UUID(int=10)).upper()]),
    (Column("of", "choice", choices=("small", "big")), ["small", Size.BIG]),
    (
        Column("of", "time"),
        [
            np.datetime64("-0001-01-01"),
            "0000-01-01T00:00:00Z",
            datetime(1, 1, 1, tzinfo=UTC),
            -1,
            np.datetime64(0, "s"),
            "1970-01-01T00:00:00.0000001Z",
            AT,
            pd.Timestamp(AT) + pd.Timedelta(1, "ns"),
            "2026-08-21T02:30:15.123456002Z",
            np.datetime64("2026-08-21T02:31"),
        ],
    ),
]
MISSING = [None, float("nan"), Decimal("NaN"), Decimal("sNaN"), pd.NA, pd.NaT, np.float32("nan")]


@pytest.mark.parametrize(("column", "values"), VALUES, ids=lambda of: getattr(of, "type", ""))
def test_values_of_any_type_are_ordered_and_walked(column: Column, values: list[Any]) -> None:
    rows = [{"id": f"{at:02}", "of": value} for at, value in enumerate([*MISSING, *values])]
    schema = [Column("id"), Column("of", column.type, is_nullable=True, choices=column.choices)]
    for direction in ("asc", "desc"):
        order = [{"column": "of", "direction": direction}]
        expected = [row["id"] for row in rows][:: 1 if direction == "asc" else -1]
        shown: list[str] = []
        query = ListQuery.from_tree({"order": order, "page": {"number": 1, "size": 1}}, schema)
        for _ in rows:
            page = query.apply(rows[::-1])
            shown += ids_in(page.rows)
            text = page.links.get("next", "").rpartition("cursor=")[2]
            tree = {"order": order, "cursor": {"text": text, "size": 1}}
            query = ListQuery.from_tree(tree, schema) if text else query
        assert shown == expected


# --- Refusals --------------------------------------------------------------------------------

REFUSED: list[tuple[str, Any, type[Exception], str]] = [
    ("text", ["a", ["b"]], TypeError, "of: column 'of', row 1: expected str, not list"),
    ("integer", [1.5], TypeError, "of: column 'of', row 0: expected a whole number, not float"),
    ("integer", ["1"], TypeError, "of: column 'of', row 0: expected a whole number, not str"),
    ("integer", [True], TypeError, "of: column 'of', row 0: expected a whole number, not bool"),
    ("decimal", [0.1], TypeError, "of: column 'of', row 0: expected a whole number, not float"),
    ("decimal", [Decimal("inf")], ValueError, "of: column 'of', row 0: expected a finite number"),
    ("time", [datetime(2026, 8, 21)], ValueError, "of: column 'of', row 0: a naive datetime"),
    ("time", ["yesterday"], ValueError, "of: column 'of', row 0: "),
    ("time", [date(2026, 8, 21)], TypeError, "of: column 'of', row 0: expected an aware datetime"),
    ("date", [AT], TypeError, "of: column 'of', row 0: expected a date"),
    ("boolean", [1], TypeError, "of: column 'of', row 0: expected bool, not int"),
    ("real", ["1"], TypeError, "of: column 'of', row 0: expected float or int, not str"),
    ("uuid", [b"1"], TypeError, "of: column 'of', row 0: expected str, UUID or a member"),
    ("choice", ["huge"], ValueError, "of: column 'of', row 0: expected one of small, big"),
]


def ordered(kind: str, **more: Any) -> ListQuery:  # noqa: ANN401
    choices = ("small", "big") if kind == "choice" else ()
    column: Any = Column("of", kind, is_nullable=True, choices=choices)  # type: ignore[arg-type]
    order = [{"column": "of", "direction": "asc"}]
    return ListQuery.from_tree({"order": order, **more}, [Column("id"), column])


@pytest.mark.parametrize(("kind", "values", "error", "message"), REFUSED)
def test_a_value_that_has_no_order_is_refused_by_name(
    kind: str, values: list[Any], error: type[Exception], message: str
) -> None:
    rows = [{"id": str(at), "of": value} for at, value in enumerate(values)]
    with pytest.raises(error, match=f"^{message}"):
        ordered(kind).apply(rows)


FRAMES: list[tuple[str, list[Any]]] = [
    ("text", [1]),
    ("integer", ["1"]),
    ("decimal", ["1"]),
    ("boolean", [1]),
    ("real", ["1"]),
    ("time", ["2026-08-21T00:00:00Z"]),
    ("time", [1.5]),
    ("date", [AT]),
    ("uuid", [1]),
    ("choice", [1]),
    ("text", [["a"]]),
    ("text", [{"a": 1}]),
]


@pytest.mark.parametrize(("kind", "values"), FRAMES)
@pytest.mark.parametrize("frame", [pl.DataFrame, pl.LazyFrame, pd.DataFrame, pa.table])
def test_a_column_that_has_no_order_is_refused_by_name(
    kind: str,
    values: list[Any],
    frame: Any,  # noqa: ANN401
) -> None:
    rows = frame({"id": ["a"], "of": values})
    with pytest.raises(
        TypeError, match=f"of: column 'of': a column of type {kind} has no order by"
    ):
        ordered(kind).apply(rows)


def test_other_values_of_frames_are_refused_by_name() -> None:
    for frame in (pl.DataFrame, pd.DataFrame, pa.table):
        with pytest.raises(TypeError, match="of: column 'of': expected a whole number, not float"):
            ordered("integer").apply(frame({"id": ["a", "b"], "of": [1.5, 2.0]}))
    for frame in (pd.DataFrame, pa.table):
        with pytest.raises(ValueError, match="of: column 'of': expected one of small, big"):
            ordered("choice").apply(frame({"id": ["a"], "of": ["huge"]}))
    with pytest.raises(TypeError, match="of: column 'of': "):
        ordered("integer").apply(pd.DataFrame({"id": ["a", "b"], "of": [1, "x"]}))


@pytest.mark.parametrize(
    ("column", "text"),
    [(Column("of", "choice", choices=("small", "big")), "none"), (Column("of", "date"), "31.12.")],
)
def test_texts_of_polars_that_are_no_values_are_refused_by_name(column: Column, text: str) -> None:
    query = ListQuery.from_tree(
        {"order": [{"column": "of", "direction": "asc"}]}, [Column("id"), column]
    )
    frame = pl.DataFrame({"id": ["a", "b"], "of": [text, None]})
    for rows in (frame, frame.lazy()):
        with pytest.raises(ValueError, match="of: column 'of'"):
            query.apply(rows)


class Base(DeclarativeBase):
    pass


class Line(Base):
    """A line of an order, by a key of two columns."""

    __tablename__ = "lines"
    order: Mapped[int] = mapped_column(primary_key=True)
    item: Mapped[str] = mapped_column(primary_key=True)
    count: Mapped[int | None]


class Lines(ListQuery, model=Line):
    count = sluice.integer(operators=">=")
    by = sluice.sort("count")
    page = sluice.page(default=2)


@pytest.mark.parametrize(
    "kind", [list, pl.DataFrame, pl.LazyFrame, pd.DataFrame, pa.Table.from_pylist]
)
@pytest.mark.parametrize("request_", ["", "by=count", "by=-count", "count[gte]=2"])
def test_rows_with_a_key_of_several_columns_are_walked(kind: Any, request_: str) -> None:  # noqa: ANN401
    counts = [None, 5, 5, 1, 5]
    keys = [(1, "a"), (1, "b"), (2, "a"), (2, "b"), (10, '","')]
    rows: list[dict[str, Any]] = [
        {"order": key[0], "item": key[1], "count": n} for key, n in zip(keys, counts, strict=True)
    ]
    walked: list[dict[str, Any]] = []
    text = request_
    while text or not walked:
        page: Any = Lines.parse(text).apply(kind(rows))
        walked += as_dicts(page.rows)
        text = page.links.get("next", "").partition("?")[2]
    expected = [row for row in rows if "gte" not in request_ or (row["count"] or 0) >= 2]
    expected.sort(key=lambda row: (row["order"], row["item"]), reverse="-" in request_)
    if "by" in request_:
        expected.sort(key=lambda row: row["count"] or 0, reverse="-" in request_)
    assert [(row["order"], row["item"]) for row in walked] == [
        (row["order"], row["item"]) for row in expected
    ]


def as_dicts(rows: Any) -> list[dict[str, Any]]:  # noqa: ANN401
    """Returns rows of any kind as dicts."""
    if isinstance(rows, list):
        return rows
    for name, words in [("to_dicts", {}), ("to_pylist", {}), ("to_dict", {"orient": "records"})]:
        if hasattr(rows, name):
            return [*getattr(rows, name)(**words)]
    raise TypeError(type(rows))


def test_a_frame_may_have_any_names() -> None:
    frame = pl.DataFrame(
        {"id": ["b", "a"], "number": [1, 2], "sluice_number": [3, 4], "key_0": [5, 6]}
    )
    page = ListQuery.from_tree({}, [Column("id")]).apply(frame)
    assert page.rows.rows() == [("a", 2, 4, 6), ("b", 1, 3, 5)]


@pytest.mark.parametrize(
    "rows",
    [
        {"id": ["a"]},
        "abc",
        b"abc",
        5,
        None,
        np.zeros(2),
        pl.Series([1]),
        pd.Series([1]),
        pa.array([1]),
        ds.dataset(pa.table({"id": ["a"]})),
    ],
    ids=lambda rows: type(rows).__name__,
)
def test_what_is_no_list_of_rows_is_refused(rows: Any) -> None:  # noqa: ANN401
    name = type(rows).__name__
    with pytest.raises(TypeError, match=f"rows: expected a list of objects, a frame .*{name}$"):
        Orders.parse("").apply(rows)


def test_columns_that_are_not_there_are_named() -> None:
    for kind in KINDS:
        rows = KINDS[kind]([{**row, "total": 1} for row in ROWS])
        with pytest.raises(ValueError, match="'price'"):
            Orders.parse("total[gte]=1").apply(rows, columns={"total": "price"})
        with pytest.raises(ValueError, match="when"):
            Orders.parse("order=when").apply(KINDS[kind](ROWS))
    with pytest.raises(ValueError, match="order: pages need a unique column"):
        ListQuery.from_tree({}, [Column("number")]).apply([{"number": 1}])


def test_forged_and_foreign_cursors_are_errors_of_the_client() -> None:
    text = ordered("decimal").cursor_beside(["1e999999999999999999999", "a"])
    query = ordered("decimal", cursor={"text": text, "size": 2})
    with pytest.raises(sluice.ApiError) as refused:
        query.apply([{"id": "a", "of": 1}])
    assert (refused.value.status, refused.value.rule) == (400, "cursor_malformed")


def test_numbers_of_pandas_with_a_gap() -> None:
    frame = pd.DataFrame({"id": ["a", "b", "c"], "total": [9, None, 5]})
    assert frame.dtypes["total"] == "float64"
    page = Orders.parse("total[gte]=5&order=-total").apply(frame)
    assert [*page.rows["id"]] == ["a", "c"]
    assert [*Orders.parse("order=total").apply(frame).rows["id"]] == ["b", "c"]


def test_an_asynchronous_handler_may_call_it() -> None:
    async def handler(request: str) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = Orders.parse(request).apply(ROWS).rows
        return rows

    async def main() -> list[list[Any]]:
        return [*await asyncio.gather(handler(""), handler("order=-total"))]

    assert [ids_in(rows) for rows in asyncio.run(main())] == [["a", "c"], ["b", "d"]]
