# SPDX-License-Identifier: MIT
"""Groups of lazy frames of polars and of pyarrow's datasets, and of rows read part by part."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import sluice
from sluice import ApiError, Column
from sluice.groups import Aggregate

BEGIN = datetime(2026, 10, 24, tzinfo=UTC)
COLUMNS = (
    Column("city", is_nullable=True),
    Column("seats", "integer", is_nullable=True),
    Column("total", "decimal", is_nullable=True),
    Column("score", "real", is_nullable=True),
    Column("token", "uuid", is_nullable=True),
    Column("created", "time", is_nullable=True),
    Column("tags", is_list=True, is_nullable=True),
    Column("data", "json", is_nullable=True),
)
ROWS: list[dict[str, Any]] = [
    {
        "city": ("Oslo", None, "é")[at % 3],
        "seats": (2**62, -1, None)[at % 3],
        "total": (Decimal("0.10"), None, Decimal(7))[at % 3],
        "score": (0.5, -0.0, float("nan"))[at % 3],
        "token": "0000000A-0000-4000-8000-000000000001"[: 36 if at % 2 else None].swapcase()
        if at % 4
        else None,
        "created": BEGIN + timedelta(hours=7 * at) if at % 5 else None,
        "tags": (["a", "b", "a"], [], None, ["b", None])[at % 4],
        "data": ('{"a":{"b":7.0}}', '{"a":{"b":true}}', '{"a":["\\u0001"]}', None)[at % 4],
    }
    for at in range(24)
]
WINDOW = {
    "column": "created",
    "gte": BEGIN.isoformat(),
    "lt": (BEGIN + timedelta(days=9)).isoformat(),
}
MEASURES = [
    {"measure": "count"},
    *({"measure": m, "column": "seats"} for m in ("sum", "average", "min", "max")),
    *({"measure": m, "column": "total"} for m in ("sum", "average", "count_distinct")),
    *({"measure": m, "column": "score"} for m in ("sum", "count_distinct")),
    {"measure": "approx_count_distinct", "column": "total"},
    {"measure": "max", "column": "created"},
    {"measure": "count_distinct", "column": "tags"},
]
BY_COUNT = [{"measure": "count", "direction": "desc"}]
TREES: tuple[dict[str, Any], ...] = (
    {"measures": MEASURES},
    {"measures": MEASURES, "where": {"column": "seats", "gt": 2**62}},
    {"group_by": [{"column": "city"}], "measures": MEASURES},
    {"group_by": [{"column": "seats"}, {"column": "score"}], "measures": MEASURES},
    {"group_by": [{"column": "total"}], "order": BY_COUNT, "limit": 2},
    {"group_by": [{"column": "token"}]},
    {"group_by": [{"column": "tags"}, {"column": "city"}], "measures": MEASURES},
    {"group_by": [{"column": "data", "path": ["a", "b"]}]},
    {"group_by": [{"column": "data", "path": ["a", "0"], "as": "first"}], "order": BY_COUNT},
    {"group_by": [{"column": "created"}], "order": [{"group": "created", "direction": "desc"}]},
    *(
        {
            "group_by": [{"column": "created", "bucket": bucket, "zone": "Europe/Paris"}],
            "where": WINDOW,
            "measures": MEASURES,
        }
        for bucket in ("hour", "day", "week", "month")
    ),
    {
        "group_by": [{"column": "created", "bucket": "day"}, {"column": "city"}],
        "where": {"all": [WINDOW, {"column": "city", "any_of": ["Oslo"]}]},
        "order": BY_COUNT,
    },
)


def frame_of(unit: Any = "us", zone: str | None = "UTC") -> pl.DataFrame:  # noqa: ANN401
    frame = pl.DataFrame(ROWS, schema_overrides={"total": pl.Decimal(20, 2)}, strict=False)
    return frame.with_columns(pl.col("created").dt.replace_time_zone(zone).dt.cast_time_unit(unit))


@pytest.mark.parametrize("tree", TREES, ids=range(len(TREES)))
def test_lazy_frames_have_the_groups_of_objects(tree: dict[str, Any]) -> None:
    aggregate = Aggregate(tree, COLUMNS)
    expected = aggregate.apply(ROWS)
    for frame in (frame_of(), frame_of("ms"), frame_of("ns", None)):
        answer = aggregate.to_polars(frame.lazy())
        assert isinstance(answer, pl.LazyFrame)
        assert answer.collect().to_dicts() == expected
        assert aggregate.apply(frame) == expected


def table_of(unit: str = "us", zone: str | None = "UTC") -> pa.Table:
    """The rows with texts in a dictionary and integers of Arrow's other types."""
    fields = {
        "city": pa.string(),
        "seats": pa.int64(),
        "total": pa.decimal128(20, 2),
        "score": pa.float64(),
        "token": pa.string(),
        "created": pa.timestamp("us", "UTC"),
        "tags": pa.list_(pa.string()),
        "data": pa.string(),
    }
    table = pa.Table.from_pylist(ROWS, pa.schema(fields))
    created = table.column("created").cast(pa.timestamp(unit, zone))
    table = table.set_column(5, "created", created)
    return table.set_column(0, "city", table.column("city").dictionary_encode())


@pytest.mark.parametrize("tree", TREES, ids=range(len(TREES)))
def test_pyarrow_has_the_groups_of_objects(tree: dict[str, Any]) -> None:
    measures = [of for of in tree.get("measures", []) if of.get("column") != "tags"]
    tree = tree | ({"measures": measures} if measures else {})
    aggregate = Aggregate(tree, COLUMNS)
    expected = aggregate.apply(ROWS)
    for table in (table_of(), table_of("ms"), table_of("ns", None)):
        reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches(7))
        for source in (table, ds.dataset(table), reader):
            assert aggregate.to_pyarrow(source).to_pylist() == expected


def test_datasets_are_read_batch_by_batch(tmp_path: Path) -> None:
    for day in range(3):
        pq.write_table(table_of(), tmp_path / f"{day}.parquet")
    tree = {"group_by": [{"column": "city"}], "where": {"column": "seats", "gte": 0}}
    aggregate = Aggregate(tree, COLUMNS)
    answer = aggregate.to_pyarrow(ds.dataset(tmp_path))
    assert answer.to_pylist() == aggregate.apply(ROWS * 3)
    assert aggregate.to_pyarrow(ds.dataset(tmp_path).filter(pc.field("seats") < 0)).num_rows == 0
    named = table_of().select(["city", "seats"]).rename_columns(["place", "n"])
    places = {"city": "place", "seats": pc.field("n")}
    assert aggregate.to_pyarrow(named, places).to_pylist() == aggregate.apply(ROWS)


@pytest.mark.parametrize(
    ("tree", "error", "message"),
    [
        (
            {"measures": [{"measure": "count_distinct", "column": "tags"}]},
            ValueError,
            "tags: pyarrow has no exact expression for it: leave the measure of its items out",
        ),
        (
            {"group_by": [{"column": "token"}]},
            ValueError,
            "token: pyarrow has no exact expression for it: cast the bytes to texts",
        ),
        (
            {"group_by": [{"column": "created", "bucket": "day"}]},
            ApiError,
            "created: .*conditions on its first and last time",
        ),
        (
            {"where": {"column": "tags", "any_of": ["a"]}},
            ValueError,
            "tags: pyarrow has no exact expression",
        ),
    ],
)
def test_what_pyarrow_cant_answer_exactly_is_refused(
    tree: dict[str, Any], error: type[Exception], message: str
) -> None:
    token = pa.array([bytes(16)], pa.binary(16))
    source = table_of().slice(0, 1).set_column(4, "token", token)
    with pytest.raises(error, match=message):
        Aggregate(tree, COLUMNS).to_pyarrow(source)


def test_a_scan_stays_one(tmp_path: Path) -> None:
    for day in range(3):
        frame_of().with_columns(pl.lit(day).alias("day")).write_parquet(tmp_path / f"{day}.parquet")
    scan = pl.scan_parquet(tmp_path / "*.parquet")
    tree = {"group_by": [{"column": "city"}], "where": {"column": "seats", "gte": 0}}
    answer = Aggregate(tree, COLUMNS).to_polars(scan)
    assert "PROJECT 2/9 COLUMNS" in answer.explain()
    assert answer.collect(engine="streaming").to_dicts() == Aggregate(tree, COLUMNS).apply(ROWS * 3)


def test_columns_of_lazy_frames_have_other_names() -> None:
    frame = frame_of().select(pl.struct(place="city").alias("at"), n="seats").lazy()
    tree = {"group_by": [{"column": "city"}], "measures": MEASURES[:2]}
    aggregate = Aggregate(tree, COLUMNS)
    places: dict[str, Any] = {"city": ("at", "place"), "seats": pl.col("n") + 0}
    assert aggregate.to_polars(frame, places).collect().to_dicts() == aggregate.apply(ROWS)


@pytest.mark.parametrize(
    ("tree", "error", "message"),
    [
        (
            {"group_by": [{"column": "created", "bucket": "day"}]},
            ApiError,
            "created: .*conditions on its first and last time",
        ),
        (
            {"measures": [{"measure": "sum", "column": "total"}]},
            ValueError,
            "total: polars has no exact expression for it: cast String to Decimal",
        ),
        (
            {"group_by": [{"column": "token"}]},
            ValueError,
            "token: polars has no exact expression for it: cast the bytes to texts",
        ),
    ],
)
def test_what_polars_cant_answer_exactly_is_refused(
    tree: dict[str, Any], error: type[Exception], message: str
) -> None:
    frame = pl.LazyFrame(
        schema={"total": pl.String, "token": pl.Binary, "created": pl.Datetime("us")}
    )
    with pytest.raises(error, match=message):
        Aggregate(tree, COLUMNS).to_polars(frame)


def test_rows_are_read_part_by_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sluice._applied.groups, "_AT_ONCE", 5)
    table = pa.Table.from_pylist(ROWS, pa.schema({"city": pa.string(), "seats": pa.int64()}))
    aggregate = Aggregate({"group_by": [{"column": "city"}], "measures": MEASURES[:2]}, COLUMNS)
    expected = aggregate.apply(ROWS)
    taken: list[int] = []

    def batches() -> Iterator[pa.RecordBatch]:
        for batch in table.to_batches(max_chunksize=5):
            taken.append(len(batch))
            yield batch

    for rows in (
        frame_of(),
        frame_of().lazy(),
        frame_of().to_pandas()[["city", "seats"]].astype({"seats": "Int64"}),
        table,
        ds.dataset(table),
        ds.dataset(table).scanner(),
        pa.RecordBatchReader.from_batches(table.schema, batches()),
    ):
        assert aggregate.apply(rows) == expected
    assert taken == [5, 5, 5, 5, 4]


def test_dates_are_grouped_by_buckets() -> None:
    days = [date(2026, 1, 1) + timedelta(days=53 * at) for at in range(9)]
    rows: list[dict[str, Any]] = [{"due": day} for day in [*days, None]]
    for bucket in ("day", "week", "month", "quarter", "year"):
        tree = {"group_by": [{"column": "due", "bucket": bucket}]}
        aggregate = Aggregate(tree, (Column("due", "date", is_nullable=True),))
        expected = aggregate.apply(rows)
        assert aggregate.to_polars(pl.LazyFrame(rows)).collect().to_dicts() == expected
        assert aggregate.to_pyarrow(pa.Table.from_pylist(rows)).to_pylist() == expected
