# SPDX-License-Identifier: MIT
"""NaN in columns of numbers: missing for every engine, as a loop over the rows has it."""

import math
import operator
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import django_settings  # before models
import polars as pl
import pyarrow as pa
import pytest
import sqlalchemy as sa
from django.db import models
from sql_engines import (
    ASKS_SERVERS,
    Database,
    DuckDb,
    PostgreSql,
    Sqlite,
    Storage,
    clickhouse_server,
    postgresql_place,
)
from sqlalchemy.dialects import postgresql

from sluice import Column, ListQuery
from sluice.sql import Statement

if TYPE_CHECKING:
    import psycopg

Leaf: TypeAlias = dict[str, Any]
Ids: TypeAlias = Callable[[ListQuery], Iterable[str]]
Kind: TypeAlias = Literal["integer", "decimal"]

VALUES = (math.nan, math.inf, -math.inf, None, -3.0, 0.0, 5.0, 6.0, 1e15)
ROWS = {f"r{at}": value for at, value in enumerate(VALUES)}
FINITE = {id_: value for id_, value in ROWS.items() if value is None or not math.isinf(value)}
BOUNDS = (-(2**63), -3, 0, 5, 6, 2**63 - 1)
COMPARISONS = {"gt": operator.gt, "gte": operator.ge, "lt": operator.lt, "lte": operator.le}

ONE_BOUND: list[dict[str, int]] = [{name: bound} for name in COMPARISONS for bound in BOUNDS]
TWO_BOUNDS = [{"gt": -3, "lte": 5}, {"gte": 0, "lt": 2**63 - 1}, {"gte": 6, "lte": -3}]
LISTS = [{name: texts} for name in ("any_of", "none_of") for texts in (["5"], ["5", "0"], ["7"])]
INTEGERS: list[Leaf] = [{}, *ONE_BOUND, *TWO_BOUNDS, *LISTS]
DECIMALS: list[Leaf] = [
    {name: str(bound) for name, bound in bounds.items()} for bounds in [{}, *ONE_BOUND, *TWO_BOUNDS]
]
BEYOND = [{name: f"{sign}1e999999"} for name in COMPARISONS for sign in ("", "-")]


def holds(leaf: Leaf, value: float | None) -> bool:
    """Returns whether a value meets a test, as the documentation defines it."""
    if value is None or math.isnan(value):
        return "none_of" in leaf
    if "any_of" in leaf:
        return value in map(float, leaf["any_of"])
    if "none_of" in leaf:
        return value not in map(float, leaf["none_of"])
    number = Decimal(value)
    return all(COMPARISONS[name](number, Decimal(bound)) for name, bound in leaf.items())


def check(
    kind: Kind,
    leaves: Iterable[Leaf],
    ids: Ids,
    rows: dict[str, float | None] = ROWS,
) -> None:
    schema = [Column("id"), Column("n", kind, is_nullable=True)]
    for leaf in leaves:
        expected = {id_ for id_, value in rows.items() if holds(leaf, value)}
        condition = {"column": "n", **leaf}
        for where, taken in (
            (condition, expected),
            ({"not": condition}, {*rows} - expected),
            ({"not": {"not": condition}}, expected),
            ({"any": [condition, {"not": condition}]}, {*rows}),
            ({"all": [condition, {"not": condition}]}, set()),
        ):
            query = ListQuery.from_tree({"where": where}, schema)
            assert {*ids(query)} == taken, where


# polars compares floats with no list of several integers, pyarrow with none that a float rounds.
IN_POLARS: list[Leaf] = [
    {},
    *ONE_BOUND,
    *TWO_BOUNDS,
    *(leaf for leaf in LISTS if ["5", "0"] not in leaf.values()),
]
IN_PYARROW: list[Leaf] = [
    {},
    *(leaf for leaf in (*ONE_BOUND, *TWO_BOUNDS) if max(map(abs, leaf.values())) < 2**24),
    *LISTS,
]

# --- Frames ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [pl.Float64, pl.Float32])
def test_polars(kind: type[pl.DataType]) -> None:
    frame = pl.DataFrame({"id": [*ROWS], "n": pl.Series(ROWS.values(), dtype=kind)})
    check("integer", IN_POLARS, lambda query: frame.filter(query.to_polars())["id"])
    lazy = frame.lazy()
    check("integer", IN_POLARS, lambda query: lazy.filter(query.to_polars()).collect()["id"])


@pytest.mark.parametrize("kind", [pa.float64(), pa.float32()])
def test_pyarrow(kind: pa.DataType) -> None:
    table = pa.table({"id": [*ROWS], "n": pa.array(ROWS.values(), kind)})
    check("integer", IN_PYARROW, lambda query: table.filter(query.to_pyarrow())["id"].to_pylist())


def test_objects_and_masks_of_objects() -> None:
    rows = [{"id": id_, "n": value} for id_, value in FINITE.items()]
    numbers: dict[str, Any] = {"id": [*FINITE], "n": [*FINITE.values()]}
    decimals = {**numbers, "n": [None if n is None else Decimal(n) for n in FINITE.values()]}
    cases: list[tuple[Kind, list[Leaf]]] = [("integer", INTEGERS), ("decimal", DECIMALS)]
    for kind, leaves in cases:
        check(kind, leaves, lambda query: (f"{r['id']}" for r in rows if query.matches(r)), FINITE)
        table = numbers if kind == "integer" else decimals
        check(
            kind,
            leaves,
            lambda query, table=table: (  # type: ignore[misc]
                id_ for id_, is_taken in zip(FINITE, query.mask(table), strict=True) if is_taken
            ),
            FINITE,
        )


@pytest.mark.parametrize("missing", [Decimal("NaN"), Decimal("sNaN"), -Decimal("NaN")])
@pytest.mark.parametrize(("kind", "bound"), [("integer", 5), ("decimal", "5")])
def test_a_decimal_that_is_not_a_number_is_missing(
    missing: Decimal, kind: Kind, bound: int | str
) -> None:
    for where, is_taken in (
        ({"column": "n", "gte": bound}, False),
        ({"not": {"column": "n", "gte": bound}}, True),
    ):
        query = ListQuery.from_tree({"where": where}, [Column("n", kind, is_nullable=True)])
        assert query.matches({"n": missing}) == is_taken
        assert [*query.mask({"n": [missing]})] == [is_taken]


# --- SQL -------------------------------------------------------------------------------------


def rows_by(database: Database, storage: Storage = "prepared") -> Ids:
    def ids(query: ListQuery) -> Iterator[str]:
        statement = query.to_sql(database.dialect, "numbers", metadata=storage, form="condition")
        text = f"SELECT id FROM numbers WHERE {statement.text}"
        return (row[0] for row in database.ask(Statement(text, statement.parameters)))

    return ids


def test_sqlite() -> None:
    database = Sqlite()
    database.connection.execute("CREATE TABLE numbers (id TEXT, n REAL)")
    database.connection.executemany("INSERT INTO numbers VALUES (?, ?)", ROWS.items())
    check("integer", INTEGERS, rows_by(database))


@pytest.mark.parametrize("kind", ["DOUBLE", "FLOAT"])
def test_duckdb(kind: str) -> None:
    database = DuckDb()
    database.connection.execute(f"CREATE TABLE numbers (id VARCHAR, n {kind})")
    database.connection.executemany("INSERT INTO numbers VALUES ($1, $2)", [*ROWS.items()])
    check("integer", INTEGERS, rows_by(database))


@pytest.mark.servers
def test_clickhouse() -> None:
    with clickhouse_server() as database:
        database.create(
            "numbers",
            ["CREATE TABLE numbers (id String, n Nullable(Float64)) ENGINE = Memory"],
        )
        values = ", ".join(f"('{id_}', {'NULL' if n is None else n})" for id_, n in ROWS.items())
        database.node.ask(f"INSERT INTO numbers VALUES {values}")
        check("integer", INTEGERS, rows_by(database))


@pytest.fixture(scope="module")
def place() -> Iterator[str]:
    if not ASKS_SERVERS:
        pytest.skip("asks a server")
    with postgresql_place() as server:
        yield server


@pytest.fixture
def numbers(place: str) -> Iterator["psycopg.Connection[Any]"]:
    import psycopg

    with psycopg.connect(place, cursor_factory=psycopg.RawCursor, autocommit=True) as opened:
        yield opened


def fill(opened: "psycopg.Connection[Any]", kind: str) -> PostgreSql:
    opened.execute("DROP TABLE IF EXISTS numbers")
    opened.execute(f"CREATE TABLE numbers (id text PRIMARY KEY, n {kind})")
    for id_, value in ROWS.items():
        opened.execute(f"INSERT INTO numbers VALUES ($1, $2::float8::{kind})", [id_, value])
    return PostgreSql(opened.cursor())


@pytest.mark.servers
@pytest.mark.parametrize("kind", ["float8", "float4", "numeric"])
def test_postgresql(numbers: "psycopg.Connection[Any]", kind: str) -> None:
    check("integer", INTEGERS, rows_by(fill(numbers, kind)))


@pytest.mark.servers
def test_numeric_of_postgresql(numbers: "psycopg.Connection[Any]") -> None:
    database = fill(numbers, "numeric")
    check("decimal", DECIMALS, rows_by(database, "native"))
    numbers.execute("UPDATE numbers SET n = 0 WHERE n IS NULL")
    query = ListQuery.from_tree({"where": {"column": "n", "gt": "5"}}, [Column("n", "decimal")])
    assert {*rows_by(database, "native")(query)} == {"r1", "r7", "r8"}  # though not nullable


@pytest.mark.servers
def test_nan_mapped_to_null_has_the_place_of_null(numbers: "psycopg.Connection[Any]") -> None:
    database = fill(numbers, "numeric")
    schema = [Column("id"), Column("n", "decimal", is_nullable=True)]
    order = [{"column": name, "direction": "asc"} for name in ("n", "id")]
    tree: dict[str, Any] = {"order": order, "page": {"number": 1, "size": 1}}
    ids: list[str] = []
    while len(ids) < len(FINITE):
        statement = ListQuery.from_tree(tree, schema).to_sql(
            "postgresql",
            "(SELECT * FROM numbers WHERE n IS NULL OR abs(n) <> 'Infinity') AS finite",
            columns={"n": "nullif(n, 'NaN')"},
            metadata="native",
        )
        [row] = database.ask(statement)
        ids.append(row[0])
        text = ListQuery.from_tree(tree, schema).cursor_beside(row[-2:], metadata="native")
        tree = {"order": order, "cursor": {"text": text, "size": 1}}
    assert ids == ["r0", "r3", "r4", "r5", "r6", "r7", "r8"]


@pytest.mark.parametrize("storage", ["prepared", "native"])
@pytest.mark.parametrize(
    "value", [math.nan, math.inf, -math.inf, Decimal("NaN"), Decimal("-Infinity")]
)
def test_a_cursor_names_the_key_of_an_integer_that_is_no_number(
    value: float | Decimal, storage: Storage
) -> None:
    schema = [Column("id"), Column("n", "integer", is_nullable=True)]
    order = [{"column": name, "direction": "asc"} for name in ("n", "id")]
    query = ListQuery.from_tree({"order": order}, schema)
    with pytest.raises(ValueError, match=r"^n: expected a finite number$"):
        query.cursor_beside([value, "r0"], metadata=storage)


# --- ORMs ------------------------------------------------------------------------------------


@pytest.mark.servers
def test_sqlalchemy(numbers: "psycopg.Connection[Any]", place: str) -> None:
    import psycopg

    fill(numbers, "numeric")
    table = sa.table("numbers", sa.column("id", sa.Text()), sa.column("n", sa.Numeric()))
    engine = sa.create_engine(
        "postgresql+psycopg://", creator=lambda: psycopg.connect(place), poolclass=sa.NullPool
    )
    with engine.connect() as opened:

        def ids(query: ListQuery) -> Iterable[str]:
            return opened.scalars(sa.select(table.c.id).where(query.where(table)))

        check("decimal", DECIMALS, ids)
        numbers.execute("DELETE FROM numbers WHERE abs(n) = 'Infinity'")
        check("decimal", [*DECIMALS, *BEYOND], ids, FINITE)


def test_the_statement_of_sqlalchemy() -> None:
    table = sa.table("numbers", sa.column("n", sa.Numeric()))
    schema = [Column("n", "decimal")]
    query = ListQuery.from_tree({"where": {"column": "n", "gte": "5", "lt": "7"}}, schema)
    compiled = query.where(table).compile(dialect=postgresql.dialect())  # type: ignore[no-untyped-call]
    assert str(compiled).count("<> 'NaN'::numeric") == 1


class Ledger(models.Model):  # type: ignore[misc]
    id = models.TextField(primary_key=True)
    n = models.DecimalField(max_digits=30, decimal_places=2, null=True)

    class Meta:
        app_label = "ledgers"
        db_table = "numbers"
        managed = False


@pytest.mark.servers
def test_django(
    numbers: "psycopg.Connection[Any]", place: str, request: pytest.FixtureRequest
) -> None:
    fill(numbers, "numeric")
    host, user, name = (part.partition("=")[2] for part in place.split())
    ledgers = Ledger.objects.using(django_settings.add_postgresql(request, host, user, name))

    def ids(query: ListQuery) -> Iterable[str]:
        listed: Iterable[str] = ledgers.filter(query.to_django()).values_list("id", flat=True)
        return listed

    check("decimal", DECIMALS, ids)
    numbers.execute("DELETE FROM numbers WHERE abs(n) = 'Infinity'")
    check("decimal", [*DECIMALS, *BEYOND], ids, FINITE)
