# SPDX-License-Identifier: MIT
"""The edges of a list request: errors, objects, links, expressions and SQL, as users write them."""

import sqlite3
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pydantic
import sqlalchemy as sa

import sluice
from sluice import sql
from sluice.pages import page_headers

from .context import Context
from .measuring import Cell, Library, Read, Run
from .validation import Orders, PydanticOrders, parse_by_pydantic

SINCE = datetime(2026, 8, 1, tzinfo=UTC)
REQUEST = (
    "status=open,paid&customer=-c_1&country=US&count[gte]=2&count[lte]=90"
    "&created[gte]=2026-08-01T00:00:00Z&limit=50"
)
ROW = {
    **{"id": "a", "status": "paid", "customer": "c_2", "country": "US", "count": 7},
    "created": datetime(2026, 8, 20, tzinfo=UTC),
}
ROWS = [ROW, ROW | {"id": "b", "customer": "c_1"}, ROW | {"id": "c", "count": 1}]


class Edges(sluice.ListQuery):
    """A list of orders with six conditions."""

    status = sluice.filter()
    customer = sluice.filter()
    country = sluice.filter()
    count = sluice.integer(operators=(">=", "<="))
    created = sluice.time(operators=(">=",))
    order = sluice.sort("created", "count", default="-created")
    page = sluice.page(default=100, maximum=1_000, count="total")


QUERY = Edges.parse(REQUEST)
FRAME = pl.DataFrame(ROWS)
TABLE = pa.Table.from_pylist(ROWS)
SQL_TABLE = sa.Table(
    "orders",
    sa.MetaData(),
    *(sa.Column(name, sa.String) for name in ("id", "status", "customer", "country")),
    sa.Column("count", sa.BigInteger),
    sa.Column("created", sa.BigInteger),
)
SINCE_MS = int(SINCE.timestamp() * 1_000)

# --- By hand -------------------------------------------------------------------------------------


def matches_by_hand(row: dict[str, Any] = ROW) -> bool:
    """Tests a row."""
    return (
        row["status"] in ("open", "paid")
        and row["customer"] != "c_1"
        and row["country"] == "US"
        and 2 <= row["count"] <= 90
        and row["created"] >= SINCE
    )


def headers_by_hand(path: str = "/orders", size: int = 50) -> dict[str, str]:
    """Writes the links of a first page."""
    text = (
        f"{path}?status=open%2Cpaid&customer=-c_1&country=US&count%5Bgte%5D=2&count%5Blte%5D=90"
        f"&created%5Bgte%5D=2026-08-01T00%3A00%3A00.000Z&limit={size}&page="
    )
    return {"Link": f'<{text}1>; rel="first", <{text}2>; rel="next"'}


def polars_by_hand() -> pl.Expr:
    """Writes the conditions in polars."""
    return (
        pl.col("status").is_in(["open", "paid"])
        & ~(pl.col("customer") == "c_1")
        & (pl.col("country") == "US")
        & (pl.col("count") >= 2)
        & (pl.col("count") <= 90)
        & (pl.col("created") >= pl.lit(SINCE))
    )


def pyarrow_by_hand() -> pc.Expression:
    """Writes the conditions in pyarrow."""
    return (
        pc.field("status").isin(pa.array(["open", "paid"]))
        & ~(pc.field("customer") == "c_1")
        & (pc.field("country") == "US")
        & (pc.field("count") >= 2)
        & (pc.field("count") <= 90)
        & (pc.field("created") >= pc.scalar(SINCE))
    )


def where_by_hand() -> sa.ColumnElement[bool]:
    """Writes the conditions in SQLAlchemy."""
    columns = SQL_TABLE.c
    return sa.and_(
        columns.status.in_(["open", "paid"]),
        sa.not_(columns.customer == "c_1"),
        columns.country == "US",
        columns.count >= 2,
        columns.count <= 90,
        columns.created >= SINCE_MS,
    )


def sql_by_hand() -> tuple[str, list[object]]:
    """Writes a statement for SQLite."""
    return (
        'SELECT * FROM "orders" WHERE status IN (?, ?) AND NOT customer = ? AND country = ?'
        ' AND "count" >= ? AND "count" <= ? AND created >= ? ORDER BY created DESC, id DESC'
        " LIMIT ? OFFSET ?",
        ["open", "paid", "c_1", "US", 2, 90, SINCE_MS, 50, 0],
    )


# --- Answers -------------------------------------------------------------------------------------


def sqlite_of_rows() -> sqlite3.Connection:
    """Returns a database that holds the rows."""
    connection = sqlite3.connect(":memory:")
    connection.execute(sql.ddl(QUERY.schema, "sqlite", "orders")[0])
    names = [column.name for column in QUERY.schema]
    values = [
        {**row, "created": int(row["created"].timestamp() * 1_000)}  # type: ignore[attr-defined]
        for row in ROWS
    ]
    texts = ", ".join(f'"{name}"' for name in names), ", ".join(f":{name}" for name in names)
    connection.executemany(f"INSERT INTO orders ({texts[0]}) VALUES ({texts[1]})", values)
    return connection


def selected_ids(statement: Any) -> list[str]:  # noqa: ANN401
    """Returns the ids that a statement selects."""
    text, parameters = statement
    rows = sqlite_of_rows().execute(text, parameters).fetchall()
    return [row[[column.name for column in QUERY.schema].index("id")] for row in rows]


def refused(parse: Callable[[], object]) -> str:
    """Returns the parameter of the first error."""
    try:
        parse()
    except sluice.ApiError as error:
        return str(error.param)
    except pydantic.ValidationError as error:
        return str(error.errors()[0]["loc"][0])
    return ""


def places(errors: list[Any]) -> list[str]:
    """Returns the parameters of errors."""
    return [str(e.param if isinstance(e, sluice.ApiError) else e["loc"][0]) for e in errors]


def errors_by_pydantic(text: str) -> list[Any]:
    """Returns all errors of a request."""
    try:
        parse_by_pydantic(text, PydanticOrders)
    except pydantic.ValidationError as error:
        return [*error.errors()]
    return []


def polars_ids(expression: pl.Expr) -> list[str]:
    """Returns the ids that an expression selects."""
    return FRAME.filter(expression)["id"].to_list()


def pyarrow_ids(expression: pc.Expression) -> list[str]:
    """Returns the ids that an expression selects."""
    ids: list[str] = TABLE.filter(expression)["id"].to_pylist()
    return ids


def compiled_ids(where: sa.ColumnElement[bool]) -> list[str]:
    """Returns the ids that a condition of SQLAlchemy selects."""
    engine = sa.create_engine("sqlite://", creator=sqlite_of_rows)
    with engine.connect() as connection:
        return [row.id for row in connection.execute(sa.select(SQL_TABLE).where(where))]


def cell(
    name: str, what: str, ours: Run, theirs: Run, read: Read = str, peer: str = "by hand"
) -> Cell:
    """Returns the cell of two calls."""
    peers = {peer: Library(run=lambda _: theirs)}
    return Cell(f"edge: {name}", what, "run", Library(run=lambda _: ours), peers, read)


def cells(context: Context) -> Iterator[Cell]:
    """Yields the edges in Python, then those of C++."""
    one, three = "status=open&limit=0", "status=lost&total[gte]=x&limit=0"
    ours = partial(refused, partial(Orders.parse, one))
    theirs = partial(refused, partial(parse_by_pydantic, one, PydanticOrders))
    yield cell("a refused request", "ListQuery.parse", ours, theirs, str, "pydantic")
    ours, theirs = partial(Orders.errors, three), partial(errors_by_pydantic, three)
    yield cell("errors of three parameters", "ListQuery.errors", ours, theirs, places, "pydantic")
    yield cell("a dict", "ListQuery.matches", partial(QUERY.matches, ROW), matches_by_hand)
    headers = partial(page_headers, QUERY, "/orders", 50)
    yield cell("headers of a page", "page_headers", headers, headers_by_hand)
    yield cell("polars", "ListQuery.to_polars", QUERY.to_polars, polars_by_hand, polars_ids)
    typed = partial(QUERY.to_pyarrow, schema=TABLE.schema)
    yield cell("pyarrow", "ListQuery.to_pyarrow", typed, pyarrow_by_hand, pyarrow_ids)
    where = partial(QUERY.where, SQL_TABLE)
    yield cell("SQLAlchemy", "ListQuery.where", where, where_by_hand, compiled_ids)
    to_sql = partial(QUERY.to_sql, "sqlite", "orders")
    yield cell("SQL", "ListQuery.to_sql", to_sql, sql_by_hand, selected_ids)
    for name, operation in {
        "a list query, C++": "to_list_query",
        "SQL, C++": "compile sqlite",
        "links, C++": "link_header",
        "a cursor, C++": "parse_cursor",
    }.items():
        yield Cell(f"edge: {name}", operation.split()[0], operation, context.driver)
