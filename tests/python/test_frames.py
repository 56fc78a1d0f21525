# SPDX-License-Identifier: MIT
"""Queries as expressions of polars, pyarrow, SQLAlchemy and Django take the rows that they should.

The rule is that of each row on its own, as oracle.listing has it.
"""

import json
import operator
import re
import subprocess
import sys
from collections.abc import Callable, Iterable
from datetime import datetime
from decimal import Context, Decimal
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

import django_settings  # noqa: F401 (before models)
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
import sqlalchemy as sa
import sqlalchemy.orm
from conftest import NOW
from django.db import NotSupportedError, connection, models
from oracle.listing import takes
from random_rows import BOUNDS, DECIMALS, SCHEMA, SHAPES, RandomRows, deep, long_row

import sluice
from sluice import Column, EventsQuery, ListQuery, TagsQuery
from sluice._expressions.bounds import to_integers, to_milliseconds, to_units

ROWS = [*map(RandomRows(2).row, range(400))]
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
Manager: TypeAlias = Any  # of Django

TABLE = pa.Table.from_pylist(ROWS, ARROW)
FRAME = pl.DataFrame(TABLE)


def queries(seed: int, count: int, *without: str) -> Iterable[ListQuery]:
    random = RandomRows(seed)
    return (random.query(*without) for _ in range(count))


def one(leaf: dict[str, Any]) -> ListQuery:
    """A query of one condition."""
    return ListQuery.from_tree({"where": leaf}, SCHEMA)


def check(query: ListQuery, ids: Iterable[str]) -> None:
    """Checks that these are the rows of the query."""
    expected = [row["id"] for row, taken in zip(ROWS, takes(query, ROWS), strict=True) if taken]
    assert sorted(ids) == sorted(expected), json.dumps(query.tree()["where"])


# --- polars ----------------------------------------------------------------------------------


def test_polars_takes_the_rows_of_the_query() -> None:
    for query in queries(3, 400, "total", "data"):
        mask = FRAME.select(query.to_polars()).to_series()
        assert mask.null_count() == 0
        check(query, FRAME.filter(query.to_polars())["id"])


def test_polars_takes_them_of_lazy_frames_and_files(tmp_path: Path) -> None:
    FRAME.write_parquet(tmp_path / "rows.parquet")
    for query in queries(4, 40, "total", "data"):
        check(query, FRAME.lazy().filter(query.to_polars()).collect()["id"])
        scanned = pl.scan_parquet(tmp_path / "rows.parquet")
        check(query, scanned.filter(query.to_polars()).collect()["id"])
        typed = query.to_polars(schema=scanned.collect_schema())
        check(query, scanned.filter(typed).collect()["id"])


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Berlin"])
def test_polars_takes_times_of_any_unit_and_zone(
    unit: Literal["ms", "us", "ns"], zone: str | None
) -> None:
    near = FRAME.filter(pl.col("created").dt.year().is_between(1900, 2100))
    kept = {row["id"] for row in near.to_dicts()}
    created = pl.col("created").dt.cast_time_unit(unit).dt.convert_time_zone(zone or "UTC")
    times = near.with_columns(created if zone else created.dt.replace_time_zone(None))
    for comparison in ("gt", "gte", "lt", "lte"):
        for time in ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00.999Z"):
            query = one({"column": "created", comparison: time})
            taken = zip(ROWS, takes(query, ROWS), strict=True)
            expected = [row["id"] for row, is_taken in taken if is_taken and row["id"] in kept]
            for schema in (None, times.schema):
                expression = query.to_polars(schema=schema)
                assert times.filter(expression)["id"].to_list() == expected


@pytest.mark.parametrize("comparison", ["gt", "gte", "lt", "lte"])
@pytest.mark.parametrize(
    "time", ["0001-01-01T00:00:00Z", "1677-01-01T00:00:00Z", "2262-12-31T23:59:59.999Z"]
)
def test_polars_takes_bounds_that_no_nanoseconds_reach(comparison: str, time: str) -> None:
    query = one({"column": "created", comparison: time})
    held = FRAME.filter(pl.col("created").dt.year().is_between(1678, 2261))
    times = held.with_columns(pl.col("created").dt.cast_time_unit("ns"))
    taken = zip(ROWS, takes(query, ROWS), strict=True)
    kept = {*held["id"]}
    expected = [row["id"] for row, is_taken in taken if is_taken and row["id"] in kept]
    assert times.filter(query.to_polars(schema=times.schema))["id"].to_list() == expected


def test_polars_takes_times_as_milliseconds_and_in_structs_where_it_knows_them() -> None:
    query = one({"column": "created", "gte": "1970-01-01T00:00:00.999Z"})
    expected = FRAME.filter(query.to_polars())["id"].to_list()
    numbers = FRAME.with_columns(pl.col("created").dt.epoch("ms"))
    expression = query.to_polars(schema={"created": pl.Int64()})
    assert numbers.filter(expression)["id"].to_list() == expected
    nested = FRAME.select("id", pl.struct("created").alias("row"))
    expression = query.to_polars({"created": ("row", "created")}, schema=nested.schema)
    assert nested.filter(expression)["id"].to_list() == expected


@pytest.mark.parametrize("comparison", ["gt", "gte", "lt", "lte"])
def test_nan_is_missing(comparison: str) -> None:
    query = one({"column": "seats", comparison: 5})
    other = one({"not": {"column": "seats", comparison: 5}})
    seats = [4.0, 5.0, 6.0, float("nan"), None]
    names = ["a", "b", "c", "d", "e"]
    rows = {"id": names, "seats": seats}
    expected = [query.matches({"seats": seat_count}) for seat_count in seats]
    assert expected == [comparison[:2] == "lt", "e" in comparison, comparison[:2] == "gt"] + 2 * [
        False
    ]
    kept = [name for name, holds in zip(names, expected, strict=True) if holds]
    frame, table = pl.DataFrame(rows, strict=False), pa.table(rows)
    assert frame.filter(query.to_polars())["id"].to_list() == kept
    assert frame.filter(other.to_polars())["id"].to_list() == [x for x in names if x not in kept]
    assert table.filter(query.to_pyarrow())["id"].to_pylist() == kept
    assert table.filter(other.to_pyarrow())["id"].to_pylist() == [x for x in names if x not in kept]
    assert query.mask({"seats": seats}).tolist() == expected


@pytest.mark.parametrize(
    ("schema", "error", "text"),
    [
        ({"created": pl.Float64}, TypeError, "created: expected datetimes, dates or Int64"),
        ({"other": pl.Int64}, ValueError, "created: the schema has no column 'created'"),
        (pa.schema([("created", pa.int64())]), TypeError, "schema: expected a Schema of polars"),
    ],
)
def test_polars_refuses_schemas_of_other_columns(
    schema: Any,  # noqa: ANN401
    error: type[Exception],
    text: str,
) -> None:
    with pytest.raises(error, match=text):
        one({"column": "created", "lt": "1970-01-01T00:00:00Z"}).to_polars(schema=schema)


def spoil_row_groups(path: Path, kept: int) -> None:
    """Overwrites the data of all row groups but one, so that a reader of any other one fails."""
    groups = pq.ParquetFile(path).metadata
    data = bytearray(path.read_bytes())
    for group in range(groups.num_row_groups):
        for at in range(groups.num_columns if group != kept else 0):
            chunk = groups.row_group(group).column(at)
            first = chunk.dictionary_page_offset or chunk.data_page_offset
            data[first : first + chunk.total_compressed_size] = bytes(chunk.total_compressed_size)
    path.write_bytes(data)


@pytest.mark.parametrize("name", ["created", "count"])
def test_polars_leaves_row_groups_out_by_times_and_numbers(name: str, tmp_path: Path) -> None:
    kind = pl.Datetime("ms", "UTC") if name == "created" else pl.Int64()
    rows = pl.DataFrame({name: pl.Series(range(20_000)).cast(kind), "id": ["a"] * 20_000})
    rows.write_parquet(tmp_path / "rows.parquet", row_group_size=1_000)
    spoil_row_groups(tmp_path / "rows.parquet", kept=10)
    scanned = pl.scan_parquet(tmp_path / "rows.parquet")
    with pytest.raises(pl.exceptions.ComputeError):
        scanned.collect()
    bounds: dict[str, Any] = {"gte": 10_000, "lt": 11_000}
    if name == "created":
        bounds = {"gte": "1970-01-01T00:00:10Z", "lt": "1970-01-01T00:00:11Z"}
    column = Column(name, "time" if name == "created" else "integer")
    query = ListQuery.from_tree({"where": {"column": name, **bounds}}, [Column("id"), column])
    expression = query.to_polars(schema=scanned.collect_schema())
    assert scanned.filter(expression).collect().equals(rows[10_000:11_000])


def test_polars_takes_categories_where_case_is_told_apart_or_as_texts() -> None:
    frame = FRAME.with_columns(pl.col("city", "status").cast(pl.Categorical))
    named = pl.col("status").cast(pl.String)
    others = [column.name for column in SCHEMA if column.name not in ("city", "status")]
    for query in queries(15, 60, *others):
        check(query, frame.filter(query.to_polars({"status": named}))["id"])
    with pytest.raises(pl.exceptions.InvalidOperationError):
        frame.filter(STATUS.to_polars())


# --- pyarrow ---------------------------------------------------------------------------------


def test_pyarrow_takes_the_rows_of_the_query() -> None:
    for query in queries(5, 400, "tags", "total", "data"):
        check(query, TABLE.filter(query.to_pyarrow())["id"].to_pylist())


def test_pyarrow_takes_them_of_datasets_and_scanners(tmp_path: Path) -> None:
    pq.write_table(TABLE, tmp_path / "rows.parquet", row_group_size=50)
    rows = ds.dataset(tmp_path / "rows.parquet")
    for query in queries(6, 200, "tags", "data"):
        wanted = query.to_pyarrow(schema=rows.schema)
        check(query, rows.to_table(filter=wanted)["id"].to_pylist())
        check(query, rows.scanner(filter=wanted, columns=["id"]).to_table()["id"].to_pylist())


def test_pyarrow_takes_them_of_expressions_that_substrait_carried() -> None:
    substrait = pytest.importorskip("pyarrow.substrait")
    rows: list[dict[str, Any]] = [
        {"id": "r0", "seats": 7, "open": True, "city": "k"},
        {"id": "r1"},
    ]
    rows += [{"id": "r2", "seats": 1, "open": False, "city": "K"}]
    kinds = {"id": pa.string(), "city": pa.string(), "seats": pa.int64(), "open": pa.bool_()}
    table = pa.Table.from_pylist(rows, pa.schema(kinds))
    leaves: list[dict[str, Any]] = [
        *({"column": "city", "any_of": texts} for texts in (["k"], ["k", "x"])),
        *({"column": "seats", "any_of": texts} for texts in (["7"], ["7", "8"], ["x"])),
        *({"column": "seats", "gte": 2}, {"column": "seats", "lt": 2**63 - 1}),
        *({"column": "open", "is": True}, {"column": "open", "is": False}),
    ]
    for leaf in leaves:
        for where in (leaf, {"not": leaf}, {"any": [leaf, {"not": leaf}]}):
            query = ListQuery.from_tree({"where": where}, SCHEMA)
            sent = substrait.serialize_expressions(
                [query.to_pyarrow(schema=table.schema)], ["rows"], table.schema
            )
            read = substrait.deserialize_expressions(sent).expressions["rows"]
            held = [{name: row.get(name) for name in kinds} for row in rows]
            expected = [row["id"] for row in held if query.matches(row)]
            assert table.filter(read)["id"].to_pylist() == expected, where


TYPES = {
    "status": [pa.large_string(), pa.dictionary(pa.int32(), pa.string())],
    "seats": [pa.int64()],
    "total": [pa.decimal128(38, 2), pa.decimal256(60, 7)],
    "created": [pa.timestamp("ms"), pa.timestamp("us", "Asia/Tokyo"), pa.timestamp("us", "UTC")],
}


@pytest.mark.parametrize(("name", "kind"), [(n, kind) for n in TYPES for kind in TYPES[n]], ids=str)
def test_pyarrow_takes_columns_of_other_types(name: str, kind: pa.DataType) -> None:
    held = pc.floor_temporal(TABLE[name], unit="millisecond") if name == "created" else TABLE[name]
    column = pc.cast(held, kind)
    table = TABLE.set_column(TABLE.schema.get_field_index(name), name, column)
    others = [column.name for column in SCHEMA if column.name != name]
    for query in queries(7, 60, *others):
        wanted = query.to_pyarrow(schema=table.schema)
        check(query, ds.dataset(table).to_table(["id"], wanted)["id"].to_pylist())


@pytest.mark.parametrize("kind", [pa.int8(), pa.uint8(), pa.int32(), pa.uint64()], ids=str)
@pytest.mark.parametrize("name", ["seats", "total"])
def test_pyarrow_takes_integers_of_any_width(name: str, kind: pa.DataType) -> None:
    least = 0 if "u" in str(kind) else -(2 ** (kind.bit_width - 1))
    numbers = [None, 0, 1, 7, least, least + 2**kind.bit_width - 1]
    table = pa.table({name: pa.array(numbers, kind)})
    others = [column.name for column in SCHEMA if column.name != name]
    for query in queries(8, 100, *others):
        rows = [{name: None if n is None else n} for n in numbers]
        taken = table.filter(query.to_pyarrow(schema=table.schema))[name].to_pylist()
        pairs = zip(numbers, takes(query, rows), strict=True)
        assert taken == [number for number, is_taken in pairs if is_taken]


MET = {"gt": operator.gt, "gte": operator.ge, "lt": operator.lt, "lte": operator.le}


@pytest.mark.parametrize(
    "kind", [pa.int8(), pa.uint16(), pa.int64(), pa.decimal128(3, 1), pa.decimal256(70, 0)], ids=str
)
def test_pyarrow_takes_bounds_at_the_ends_of_a_type(kind: pa.DataType) -> None:
    if pa.types.is_decimal(kind):
        most, scale = 10**kind.precision - 1, kind.scale
        least = -most
    else:
        least = 0 if "u" in str(kind) else -(2 ** (kind.bit_width - 1))
        most, scale = least + 2**kind.bit_width - 1, 0
    exactly = Context(prec=80)
    held = [Decimal(n).scaleb(-scale, exactly) for n in (least, least + 1, 7, most - 1, most)]
    column = pa.array([None, *(held if pa.types.is_decimal(kind) else map(int, held))], kind)
    table = pa.table({"total": column})
    for units in (least - 1, least, least + 1, most - 1, most, most + 1):
        bound = Decimal(units).scaleb(-scale, exactly)
        for comparison, is_met in MET.items():
            query = one({"column": "total", comparison: str(bound)})
            taken = table.filter(query.to_pyarrow(schema=table.schema))["total"].to_pylist()
            assert taken == [n for n in held if is_met(n, bound)], (comparison, bound)


@pytest.mark.parametrize("kind", [pa.int8(), pa.uint16(), pa.int64()], ids=str)
def test_pyarrow_takes_integers_at_the_ends_of_a_type(kind: pa.DataType) -> None:
    least = 0 if "u" in str(kind) else -(2 ** (kind.bit_width - 1))
    most = least + 2**kind.bit_width - 1
    table = pa.table({"seats": pa.array([None, least, 7, most], kind)})
    for number in (least - 1, least, 7, most, most + 1):
        query = one({"column": "seats", "any_of": [str(number), "x"]})
        taken = table.filter(query.to_pyarrow(schema=table.schema))["seats"].to_pylist()
        assert taken == [n for n in (least, 7, most) if n == number]


def test_pyarrow_takes_times_that_the_unit_has_no_room_for() -> None:
    table = pa.table({"created": pa.array([0, None, 5], pa.timestamp("ns", "UTC"))})
    for comparison, count in (("lt", 2), ("lte", 2), ("gt", 0), ("gte", 0)):
        query = one({"column": "created", comparison: "9999-01-01T00:00:00Z"})
        assert table.filter(query.to_pyarrow(schema=table.schema)).num_rows == count
    for comparison, count in (("lt", 0), ("lte", 0), ("gt", 2), ("gte", 2)):
        query = one({"column": "created", comparison: "0000-01-01T00:00:00Z"})
        assert table.filter(query.to_pyarrow(schema=table.schema)).num_rows == count


PRUNED = [
    ({"column": "id", "any_of": ["r00005", "r00007"]}, 1),
    ({"column": "seats", "gte": 50, "lt": 60}, 1),
    ({"column": "seats", "any_of": ["15", "95"]}, 2),
    ({"column": "total", "gt": "8.995", "lte": "9.01"}, 1),
    ({"column": "created", "lt": "1970-01-01T00:00:00.020Z"}, 2),
    ({"all": [{"column": "seats", "gte": 90}, {"not": {"column": "id", "any_of": ["x"]}}]}, 1),
]


@pytest.mark.parametrize(("where", "groups"), PRUNED)
def test_row_groups_that_are_ruled_out_are_not_read(
    where: dict[str, Any], groups: int, tmp_path: Path
) -> None:
    numbers = range(100)
    table = pa.table(
        {
            "id": [f"r{number:05}" for number in numbers],
            "seats": pa.array(numbers, pa.int64()),
            "total": pa.array([Decimal(number) / 10 for number in numbers], pa.decimal128(9, 2)),
            "created": pa.array(numbers, pa.timestamp("ms", "UTC")),
        }
    )
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=10)
    rows = ds.dataset(tmp_path / "rows.parquet")
    [fragment] = rows.get_fragments()
    wanted = ListQuery.from_tree({"where": where}, SCHEMA).to_pyarrow(schema=rows.schema)
    assert len(fragment.subset(filter=wanted).row_groups) == groups


# --- SQLAlchemy ------------------------------------------------------------------------------

metadata = sa.MetaData()
TYPES_OF_SQL: dict[str, sa.types.TypeEngine[Any]] = {
    "tags": sa.JSON(),
    "seats": sa.BigInteger(),
    "open": sa.Boolean(),
}
ORDERS = sa.Table(
    "orders",
    metadata,
    *(
        sa.Column(name, TYPES_OF_SQL.get(name, sa.Text()))
        for name in ("id", "city", "status", "region", "url", "tags", "seats", "open", "data")
    ),
    sa.Column("total", sa.Numeric()),
    sa.Column("created", sa.DateTime(timezone=True)),
)


@pytest.fixture(scope="module")
def orders() -> Iterable[sa.Connection]:
    engine = sa.create_engine("sqlite://")
    with engine.connect() as opened:
        metadata.create_all(opened)
        rows = [{**row, "total": None, "data": None} for row in ROWS]
        opened.execute(ORDERS.insert(), rows)
        yield opened


def test_sqlalchemy_takes_the_rows_of_the_query(orders: sa.Connection) -> None:
    for query in queries(9, 400, "total", "data"):
        check(query, orders.scalars(sa.select(ORDERS.c.id).where(query.where(ORDERS))))


@pytest.mark.parametrize("kind", ["all", "any"])
def test_sqlalchemy_takes_long_rows_of_conditions(orders: sa.Connection, kind: str) -> None:
    query = one(long_row(kind, 256))
    check(query, orders.scalars(sa.select(ORDERS.c.id).where(query.where(ORDERS))))


@pytest.mark.parametrize(("kinds", "depth", "fits"), SHAPES)
def test_sqlalchemy_takes_deep_trees_or_refuses_them(
    orders: sa.Connection, kinds: str, depth: int, fits: bool
) -> None:
    query = one(deep(kinds, depth))
    if fits:
        check(query, orders.scalars(sa.select(ORDERS.c.id).where(query.where(ORDERS))))
        return
    with pytest.raises(ValueError, match=r"where: SQL .* use at most 14 levels of AND and OR"):
        query.where(ORDERS)


class Base(sqlalchemy.orm.DeclarativeBase):
    pass


class Order(Base):
    __table__ = ORDERS
    __mapper_args__ = {"primary_key": [ORDERS.c.id]}  # noqa: RUF012
    id: sqlalchemy.orm.Mapped[str]


def test_sqlalchemy_takes_mapped_classes_and_their_aliases(orders: sa.Connection) -> None:
    for query in queries(10, 40, "total", "data"):
        check(query, orders.scalars(sa.select(Order.id).where(query.where(Order))))
        other = sqlalchemy.orm.aliased(Order)
        check(query, orders.scalars(sa.select(other.id).where(query.where(other))))


def test_sqlalchemy_takes_milliseconds_and_numbers_of_integer_columns() -> None:
    events = sa.Table(
        "events", sa.MetaData(), sa.Column("at", sa.Integer), sa.Column("n", sa.Integer)
    )
    engine = sa.create_engine("sqlite://")
    with engine.connect() as opened:
        events.create(opened)
        numbers = [None, 0, 1, -1, 7, 2**63 - 1, -(2**63)]
        opened.execute(events.insert(), [{"at": n, "n": n} for n in numbers])
        columns: dict[str, str | sa.ColumnElement[Any]] = {"created": "at", "total": events.c.n}
        early = one({"column": "created", "lt": "1970-01-01T00:00:00.002Z"})
        select = sa.select(events.c.n).order_by("n")
        assert [*opened.scalars(select.where(early.where(events, columns)))] == [-(2**63), -1, 0, 1]
        edges = [
            one({"column": "total", comparison: str(bound)})
            for comparison in ("gt", "gte", "lt", "lte")
            for bound in (-(2**63) - 1, -(2**63), 2**63 - 1, 2**63)
        ]
        for query in [*edges, *queries(11, 60, *(c.name for c in SCHEMA if c.name != "total"))]:
            rows = [{"total": n} for n in sorted(numbers, key=lambda n: (n is not None, n))]
            pairs = zip(rows, takes(query, rows), strict=True)
            expected = [row["total"] for row, taken in pairs if taken]
            assert [*opened.scalars(select.where(query.where(events, columns)))] == expected


POSTGRESQL = [
    ({"column": "city", "any_of": ["a"]}, "(orders.city IN (__[POSTCOMPILE_x_1])"),
    ({"column": "city", "any_of": ["a"]}, 'AND coalesce((orders.city::text COLLATE "C") IN (__'),
    ({"column": "status", "any_of": ["A"]}, '(lower(orders.status COLLATE "C")) IN'),
    ({"column": "region", "any_of": ["A"]}, "lower((substr(orders.region, strpos("),
    ({"column": "url", "any_of": ["a"]}, "(split_part(orders.url COLLATE \"C\", '?', 1)) IN"),
    ({"column": "total", "gt": "1.5"}, "(orders.total) > "),
]


@pytest.mark.parametrize(("leaf", "part"), POSTGRESQL)
def test_sqlalchemy_writes_what_postgresql_is_exact_with(leaf: dict[str, Any], part: str) -> None:
    from sqlalchemy.dialects.postgresql import dialect

    text = str(one(leaf).where(ORDERS).compile(dialect=dialect()))  # type: ignore[no-untyped-call]
    assert part.partition("__")[0] in text
    assert "'a'" not in text.lower()


# --- Django ----------------------------------------------------------------------------------


class Booking(models.Model):  # type: ignore[misc]
    id = models.TextField(primary_key=True)
    city = models.CharField(max_length=40)
    status = models.TextField(null=True)
    region = models.TextField(null=True)
    url = models.TextField(null=True)
    tags = models.JSONField(null=True)
    seats = models.BigIntegerField(null=True)
    total = models.DecimalField(max_digits=20, decimal_places=2, null=True)
    created = models.DateTimeField(null=True)
    open = models.BooleanField(null=True)

    class Meta:
        app_label = "bookings"


class Note(models.Model):  # type: ignore[misc]
    booking = models.ForeignKey(Booking, models.CASCADE, null=True)

    class Meta:
        app_label = "bookings"


@pytest.fixture(scope="module")
def bookings() -> Manager:
    with connection.schema_editor() as editor:
        editor.create_model(Booking)
        editor.create_model(Note)
    rows = [{**row, "total": None} for row in ROWS]
    for row in rows:
        del row["data"]
    Booking.objects.bulk_create(Booking(**row) for row in rows)
    return Booking.objects


def test_django_takes_the_rows_of_the_query(bookings: Manager) -> None:
    for query in queries(12, 400, "total", "data"):
        check(query, bookings.filter(query.to_django()).values_list("id", flat=True))


@pytest.mark.parametrize(
    ("leaf", "parts"),
    [
        (
            {"column": "city", "any_of": ["a"]},
            ('"city") IN (a) AND coalesce(', '"city")::text COLLATE "C") IN'),
        ),
        ({"column": "status", "any_of": ["A"]}, ('"status") COLLATE "C")) IN (a)',)),
        ({"column": "region", "any_of": ["A"]}, ("strpos(",)),
        ({"column": "url", "any_of": ["a"]}, ("split_part(",)),
        ({"column": "tags", "any_of": ["a"]}, ("jsonb_array_elements_text(",)),
        ({"column": "total", "gt": "1.5"}, ('"total")) > (1.5)',)),
    ],
)
def test_django_writes_what_postgresql_is_exact_with(
    leaf: dict[str, Any], parts: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "vendor", "postgresql")
    text = str(Booking.objects.filter(one(leaf).to_django()).query)
    for part in parts:
        assert part in text


def test_django_follows_relations(bookings: Manager) -> None:
    Note.objects.create(booking=None)
    Note.objects.create(booking=bookings.get(id="r1"))
    columns = {column.name: f"booking__{column.name}" for column in SCHEMA}
    for query in queries(13, 60, "total", "data"):
        nothing = {**dict.fromkeys(ROWS[1]), "tags": None}
        taken = Note.objects.filter(query.to_django(columns)).order_by("id")
        present = [note.booking_id is not None for note in taken]
        pairs = zip((False, True), takes(query, [nothing, ROWS[1]]), strict=True)
        assert present == [is_there for is_there, is_taken in pairs if is_taken]


# --- Names, structs, both ways ---------------------------------------------------------------

CLICKS = [{"country": "us", "city": "x"}, {"country": None, "city": "y"}, None]


def test_fields_of_structs_and_other_names() -> None:
    table = pa.table({"click": CLICKS, "when": pa.array([0, 0, 0], pa.timestamp("ms", "UTC"))})
    query = EventsQuery.parse("country=US&interval=all", now=NOW)
    columns: dict[str, str | tuple[str, ...]] = {
        "click.country": ("click", "country"),
        "timestamp": "when",
    }
    assert pl.DataFrame(table).filter(query.to_polars(columns)).height == 1
    assert table.filter(query.to_pyarrow(columns)).num_rows == 1
    assert table.filter(query.to_pyarrow(columns, table.schema)).num_rows == 1
    flat = {"click.country": pl.col("click").struct.field("country"), "timestamp": pl.col("when")}
    assert pl.DataFrame(table).filter(query.to_polars(flat)).height == 1
    fields = {"click.country": pc.field("click", "country"), "timestamp": pc.field("when")}
    assert table.filter(query.to_pyarrow(fields)).num_rows == 1


def test_columns_are_what_has_to_be_read() -> None:
    query = EventsQuery.parse("country=US&city=-x,y&interval=all", now=NOW)
    assert query.columns == ("timestamp", "click.country", "click.city", "id")
    assert TagsQuery.parse("ids=a&sortBy=createdAt").columns == ("id", "createdAt")
    assert one({"all": []}).columns == ()


@pytest.mark.parametrize(
    "query",
    [
        EventsQuery.parse("country=US&tagId=-a&event=leads&query=metadata['a']:1", now=NOW),
        EventsQuery.parse("root=true&customerId=c&start=2020-01-01&page=3", now=NOW),
        TagsQuery.parse("ids=a,b&search=x&sortBy=createdAt&sortOrder=desc&count=true"),
        *queries(14, 30),
    ],
)
def test_trees_are_read_back(query: EventsQuery | TagsQuery | ListQuery) -> None:
    read = ListQuery.from_tree(query.tree(), query.schema)
    assert read.tree() == query.tree()
    assert read.schema == query.schema
    assert read == ListQuery.from_tree(json.loads(json.dumps(query.tree())), query.schema)


WRONG_TREES: list[tuple[dict[str, Any], str, str | None]] = [
    ({"where": {"column": "x", "any_of": []}}, "field_value", "column"),
    ({"where": {"column": "city"}}, "field_missing", "any_of"),
    ({"where": {"column": "city", "collation": "url", "any_of": []}}, "field_value", "collation"),
    ({"where": {"column": "created", "gt": "soon"}}, "field_value", "gt"),
    ({"where": {"column": "total", "gt": "1,5"}}, "number_malformed", "gt"),
    ({"where": {"either": []}}, "field_unknown", None),
    ({"page": {"number": 0, "size": 1}}, "field_value", "page"),
]


@pytest.mark.parametrize(("tree", "rule", "param"), WRONG_TREES)
def test_trees_that_are_none_are_refused(
    tree: dict[str, Any], rule: str, param: str | None
) -> None:
    with pytest.raises(sluice.ApiError) as refused:
        ListQuery.from_tree(tree, SCHEMA)
    assert refused.value.rule == rule
    assert param in (refused.value.param, None)


IN_CITY = {"column": "city", "any_of": ["a"]}
REFUSALS: list[tuple[dict[Any, Any], type[Exception], str]] = [
    # What is wrong with a tree; where, of which column, and what is accepted.
    (
        {"where": {"column": "nope", "any_of": []}},
        sluice.ApiError,
        "where: no column 'nope', expected id, city, ",
    ),
    (
        {"where": {"all": [IN_CITY, {"not": {"any": [{"column": "total", "gte": 5}]}}]}},
        sluice.ApiError,
        'where.all[1].not.any[0]: gte of decimal column total must be text, such as "1.5", not '
        "an integer",
    ),
    (
        {"where": {"any": [IN_CITY, {"column": "city", "none_of": ["a", 1]}]}},
        sluice.ApiError,
        "where.any[1].none_of[1] of column city: has the wrong type, expected a text",
    ),
    (
        {"where": {"column": "seats", "gte": 1, "equals": 1}},
        sluice.ApiError,
        "where: unknown test 'equals' of column seats, expected any_of, none_of, gt, gte, lt, "
        "lte or is_null",
    ),
    (
        {"where": {"column": "data", "matches": {"all": [{"path": ["a"], "equal": 1}]}}},
        sluice.ApiError,
        "where.matches.all[0].equal of column data: has the wrong type, expected a text",
    ),
    (
        {"where": {"either": []}},
        sluice.ApiError,
        "where: unknown field, expected a column and a test, or all, any or not",
    ),
    ({"wher": {}}, sluice.ApiError, "tree: unknown member 'wher' (did you mean 'where'?), "),
    (
        {"order": [{"column": "id", "direction": "down"}]},
        sluice.ApiError,
        "order[0].direction: a value that is not accepted, expected asc or desc",
    ),
    ({"page": {"number": 1, "size": -1}}, sluice.ApiError, "page.size: a value that is not "),
    *(
        (
            {"where": {"all": [IN_CITY, {"column": "seats", "gte": number}]}},
            sluice.ApiError,
            f"where.all[1].gte of column seats: {problem}, expected a whole number of 64 bits",
        )
        for number, problem in [
            (2**63, "too large"),
            (2**64, "too large"),
            (10**5_000, "too large"),
            (1e30, "too large"),
            (-(2**63) - 1, "too small"),
        ]
    ),
    ({"page": {"number": 2**63, "size": 1}}, sluice.ApiError, "page.number: too large, "),
    # What is no JSON.
    (
        {"where": {"column": "seats", "gte": float("nan")}},
        ValueError,
        "tree.where.gte: expected a finite number",
    ),
    (
        {"where": {"column": "created", "gte": NOW}},
        TypeError,
        "tree.where.gte: expected a mapping, a list, str, bool, a number or None, not datetime",
    ),
    (
        {"where": {"all": [IN_CITY, {"column": "city", "any_of": {"a"}}]}},
        TypeError,
        "tree.where.all[1].any_of: expected a mapping, a list, str, bool, a number or None, not ",
    ),
    ({"where": {5: []}}, TypeError, "tree.where: name: expected str, not int"),
]


@pytest.mark.parametrize(("tree", "error", "message"), REFUSALS)
def test_what_is_wrong_with_a_tree_is_told_with_its_place(
    tree: dict[Any, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=f"^{re.escape(message)}"):
        ListQuery.from_tree(tree, SCHEMA)


def nested(levels: int) -> dict[str, Any]:
    tree: dict[str, Any] = IN_CITY
    for _ in range(levels):
        tree = {"not": tree}
    return tree


def test_trees_are_as_deep_as_json_may_be() -> None:
    assert ListQuery.from_tree({"where": nested(64)}, SCHEMA).columns == ("city",)
    endless: dict[str, Any] = {}
    endless["not"] = endless
    for where in (nested(65), nested(100_000), endless):
        with pytest.raises(sluice.ApiError, match=r"too deeply, expected at most (64|256) levels"):
            ListQuery.from_tree({"where": where}, SCHEMA)


def test_any_mapping_and_numbers_of_others_are_trees() -> None:
    bound = MappingProxyType({"column": "seats", "gte": np.int64(3)})
    query = ListQuery.from_tree(MappingProxyType({"where": {"all": (bound,)}}), SCHEMA)
    assert query == one({"all": [{"column": "seats", "gte": 3}]})


WRONG_SCHEMAS: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: Column(""), ValueError, "name: a column needs one"),
    (lambda: Column(5), TypeError, "name: expected str, not int"),  # type: ignore[arg-type]
    (lambda: Column("a", is_list="no"), TypeError, "is_list: expected bool, not str"),  # type: ignore[arg-type]
    (lambda: Column("a", is_nullable=None), TypeError, "is_nullable: expected bool, not None"),  # type: ignore[arg-type]
    (lambda: Column("a", "int"), ValueError, "type: expected one of text, integer, "),  # type: ignore[arg-type]
    (lambda: Column("a", collation="ci"), ValueError, "collation: expected one of exact"),  # type: ignore[arg-type]
    (lambda: Column("a", "time", is_list=True), ValueError, "a: a list column holds texts, "),
    (
        lambda: ListQuery.from_tree({}, [Column("a"), Column("a")]),
        ValueError,
        "more than one column",
    ),
    (lambda: ListQuery.from_tree({}, ["a"]), TypeError, "schema: expected columns"),  # type: ignore[list-item]
    (lambda: ListQuery.from_tree("{}", []), TypeError, "tree: expected a mapping"),  # type: ignore[arg-type]
    (lambda: ListQuery.from_tree({}, 5), TypeError, "schema: expected columns, not int"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("make", "error", "message"), WRONG_SCHEMAS)
def test_schemas_that_are_none_are_refused(
    make: Callable[[], Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        make()


WRONG_COLUMNS: list[tuple[object, type[Exception], str]] = [
    (5, TypeError, "columns: expected a mapping, not int"),
    ([("city", "a")], TypeError, "columns: expected a mapping, not list"),
    ({"nope": "a"}, ValueError, "columns: the query('s schema)? has no column 'nope'"),
    ({"city": 5}, TypeError, "columns: city: expected (str|a lookup path)"),
    ({"city": ()}, TypeError, "columns: city: expected (str|a lookup path)"),
    ({"city": ("a", 5)}, TypeError, "columns: city: expected (str|a lookup path)"),
]
TAKE_COLUMNS: dict[str, Callable[[ListQuery, Any], object]] = {
    "polars": lambda query, columns: query.to_polars(columns),
    "pyarrow": lambda query, columns: query.to_pyarrow(columns),
    "SQLAlchemy": lambda query, columns: query.where(ORDERS, columns),
    "Django": lambda query, columns: query.to_django(columns),
    "mask": lambda query, columns: query.mask({"city": ["a"]}, columns),
    "SQL": lambda query, columns: query.to_sql("sqlite", "rows", columns=columns),
}


@pytest.mark.parametrize(("columns", "error", "message"), WRONG_COLUMNS)
@pytest.mark.parametrize("take", TAKE_COLUMNS.values(), ids=TAKE_COLUMNS)
def test_columns_that_are_none_are_refused(
    take: Callable[[ListQuery, Any], object], columns: object, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=f"^{message}"):
        take(one(IN_CITY), columns)


WRONG_PLACES: list[tuple[Callable[[ListQuery], object], str]] = [
    (lambda query: query.to_pyarrow(schema=TABLE), "schema: expected a Schema of pyarrow, not Tab"),
    (lambda query: query.to_pyarrow(schema={}), "schema: expected a Schema of pyarrow, not dict"),
    (lambda query: query.where(5), "table: expected a FromClause or a mapped class, not int"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("take", "message"), WRONG_PLACES)
def test_tables_that_are_none_are_refused(
    take: Callable[[ListQuery], object], message: str
) -> None:
    with pytest.raises(TypeError, match=f"^{message}"):
        take(one(IN_CITY))


def test_pyarrow_takes_views_of_texts() -> None:
    views = {"id": pa.string(), "city": pa.string_view(), "status": pa.string_view()}
    views |= {"region": pa.dictionary(pa.int32(), pa.string()), "url": pa.string_view()}
    names = [*views]
    rows = TABLE.select(names).cast(pa.schema(views))
    for query in queries(51, 60, "tags", "data", "seats", "total", "created", "open"):
        # pyarrow itself has no kernel that filters views, so the condition is a column here.
        wanted = {"id": pc.field("id"), "taken": query.to_pyarrow(schema=rows.schema)}
        projected = ds.dataset(rows).to_table(columns=wanted)
        check(query, projected.filter(pc.field("taken"))["id"].to_pylist())


# --- Refusals --------------------------------------------------------------------------------

TAGS = one({"column": "tags", "any_of": ["a"]})
DATA = one({"column": "data", "matches": {"path": ["a"], "equal": "1"}})
TOTAL = one({"column": "total", "gte": "1.5"})
CREATED = one({"column": "created", "gte": "2026-01-01T00:00:00Z"})
CITY = one({"column": "city", "any_of": ["a\0"]})
STATUS = one({"column": "status", "any_of": ["a"]})
SEATS = one({"column": "seats", "any_of": ["7"]})
FLOATS = pa.schema({name: pa.float64() for name in ("total", "created", "status", "seats", "open")})
WRONG = sa.Table(
    "wrong",
    sa.MetaData(),
    *(sa.Column(name, sa.Float()) for name in ("total", "created", "status", "seats", "tags")),
)

REFUSED: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: TagsQuery.parse("search=a").to_polars(), ValueError, "search: polars has no exact"),
    (lambda: TagsQuery.parse("search=a").to_pyarrow(), ValueError, "search: pyarrow has no exact"),
    (lambda: TagsQuery.parse("search=a").where(ORDERS), ValueError, "search: SQL has no exact"),
    (lambda: TagsQuery.parse("search=a").to_django(), ValueError, "search: SQL has no exact"),
    (
        lambda: TAGS.to_pyarrow(),
        ValueError,
        "tags: pyarrow has no exact expression for it: it asks",
    ),
    (
        lambda: DATA.to_pyarrow(),
        ValueError,
        "data: pyarrow has no exact expression for it: metadata",
    ),
    (
        lambda: TOTAL.to_pyarrow(),
        ValueError,
        "total: pyarrow .* give the schema of what is filtered",
    ),
    (
        lambda: TOTAL.to_pyarrow(schema=FLOATS),
        TypeError,
        "total: expected decimals or integers, not",
    ),
    (lambda: CREATED.to_pyarrow(schema=FLOATS), TypeError, "created: expected timestamps or int64"),
    (lambda: STATUS.to_pyarrow(schema=FLOATS), TypeError, "status: expected texts, not double"),
    (lambda: SEATS.to_pyarrow(schema=FLOATS), TypeError, "seats: expected integers, not double"),
    (lambda: CITY.to_pyarrow(schema=FLOATS), ValueError, "city: the schema has no column 'city'"),
    (lambda: TOTAL.where(WRONG), TypeError, "total: expected a Numeric or an integer, not Float"),
    (lambda: CREATED.where(WRONG), TypeError, "created: expected a DateTime or milliseconds as an"),
    (lambda: STATUS.where(WRONG), TypeError, "status: expected a text, not Float"),
    (lambda: SEATS.where(WRONG), TypeError, "seats: expected an integer, not Float"),
    (lambda: TAGS.where(WRONG), TypeError, "tags: expected an ARRAY or JSON, not Float"),
    (lambda: CITY.where(WRONG), ValueError, "has no column 'city'"),
    (
        lambda: STATUS.to_polars({"stat": "s"}),
        ValueError,
        "columns: the query's schema has no column",
    ),
    (
        lambda: str(TOTAL.where(ORDERS).compile(sa.create_engine("sqlite://"))),
        sa.exc.CompileError,
        "sqlite can't compare decimals exactly: expected postgresql",
    ),
    (
        lambda: Booking.objects.filter(TOTAL.to_django()).count(),
        NotSupportedError,
        "sqlite can't compare decimals exactly: expected postgresql",
    ),
    (
        lambda: Booking.objects.filter(STATUS.to_django({"status": "seats"})).count(),
        TypeError,
        "status: expected a CharField or a TextField, not 'BigIntegerField'",
    ),
]


@pytest.mark.parametrize(("ask", "error", "message"), REFUSED)
def test_what_an_engine_cannot_tell_is_refused(
    ask: Callable[[], Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        ask()


def test_other_databases_are_refused() -> None:
    from sqlalchemy.dialects.mysql import dialect

    with pytest.raises(sa.exc.CompileError, match="mysql can't compare texts exactly: expected"):
        STATUS.where(ORDERS).compile(dialect=dialect())


@pytest.mark.parametrize(
    ("method", "package"),
    [
        ("to_polars()", "polars"),
        ("to_pyarrow()", "pyarrow"),
        ("where(None)", "sqlalchemy"),
        ("to_django()", "django"),
    ],
)
def test_a_package_that_is_missing_is_named(method: str, package: str) -> None:
    lines = f"import sys; sys.modules[{package!r}] = None\nimport sluice\n"
    call = f"sluice.TagsQuery.parse('').{method}"
    done = subprocess.run([sys.executable, "-c", lines + call], capture_output=True, text=True)
    said = f"ImportError: {package} is not installed: pip install 'sluice[{package}]'"
    assert said in done.stderr
    project = (Path(__file__).parents[2] / "pyproject.toml").read_text()
    assert re.search(rf'^{package} = \["{package}>=', project, re.MULTILINE)


# --- Numbers ---------------------------------------------------------------------------------


def test_decimals_are_rounded_to_units_as_fractions_are() -> None:
    numbers = [*BOUNDS, *DECIMALS, "12.345", "-12.345", "1e-3", "9" * 5_000, f"0.{'0' * 5_000}1"]
    for number in numbers:
        if "99999999999999999999" in number and "e" in number:
            continue
        exact = Fraction(number) if len(number) < 100 else None
        for scale in (0, 2, 7):
            down, up = (to_units(number, scale, upwards=upwards) for upwards in (False, True))
            if exact is not None and abs(exact) < 10**80:
                assert down == exact * 10**scale // 1
                assert up == -(-exact * 10**scale // 1)
    assert to_units("1e99999999999999999999", 2, upwards=False) > 10**80
    assert to_units("-" + "9" * 5_000, 2, upwards=True) < -(10**80)
    assert to_units("0e99999999999999999999", 2, upwards=True) == 0
    assert to_units(f"0.{'0' * 5_000}1", 2, upwards=True) == 1
    assert to_units(f"-0.{'0' * 5_000}1", 2, upwards=False) == -1
    assert to_units("1." + "0" * 5_000 + "1", 0, upwards=True) == 2
    with pytest.raises(ValueError, match="is not a JSON number"):
        to_units("1.", 0, upwards=True)


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["7", "-7", "0"], [7, -7, 0]),
        (["07", "7.0", "-0", "+7", " 7", "7e0", "", "x", "\u0667"], []),
        ([str(2**63 - 1), str(-(2**63))], [2**63 - 1, -(2**63)]),
        ([str(2**63), str(-(2**63) - 1), "9" * 19, "1" + "0" * 19], []),
    ],
)
def test_integers_have_one_text(texts: list[str], numbers: list[int]) -> None:
    assert to_integers(texts) == numbers


def test_times_count_from_1970() -> None:
    for text in (
        "1970-01-01T00:00:00.000Z",
        "2026-08-21T02:30:15.123Z",
        "9999-12-31T23:59:59.999Z",
    ):
        since = datetime.fromisoformat(text) - datetime.fromisoformat("1970-01-01T00:00:00Z")
        assert to_milliseconds(text) == since.total_seconds() * 1_000
    assert to_milliseconds("0000-03-01T00:00:00.000Z") == -62_162_035_200_000


def test_an_expression_of_sqlalchemy_has_a_text_for_people() -> None:
    table = sa.table("orders", *(sa.column(name, sa.String) for name in ("id", "city")))
    table.append_column(sa.column("total", sa.Numeric()))
    for name, test in (("city", {"any_of": ["a"]}), ("total", {"gte": "5"})):
        query = ListQuery.from_tree({"where": {"column": name, **test}}, SCHEMA)
        assert name in str(query.where(table))
