# SPDX-License-Identifier: MIT
"""Masks over columns in Python."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

import sluice

from .context import Context
from .measuring import Cell, Library

NUMBERS = 100_000  # rows of numbers; 800 KB of int64
LEAST, MOST = 250_000, 750_000  # the half of them within bounds


def cells(context: Context) -> Iterator[Cell]:
    """Yields four values over texts, as an Arrow array and as a Series, bounds of numbers, JSON."""
    array = context.data.dictionary("country").cast("string")
    values = [context.data.frequent("country", rank) for rank in (1, 3, 5, 7)]
    mask, series = sluice.Filter.parse(",".join(values)).mask, pl.Series(array)
    names = pa.array(values)
    peers = {
        "pyarrow": Library(mask=lambda _: partial(pc.is_in, array, value_set=names)),
        "polars": Library(mask=lambda _: partial(series.is_in, values)),
    }
    ours = Library(mask=lambda _: partial(mask, array))
    yield Cell("mask: texts", "Filter.mask", "mask", ours, peers, np.count_nonzero)
    yield from number_cells()
    yield json_cell(context)


def json_cell(context: Context) -> Cell:
    """Returns a member of JSON text that equals a value."""

    class Documents(sluice.ListQuery):
        metadata = sluice.metadata()

    column = context.data.dictionary("metadata").cast("string")
    query = Documents.parse({"metadata": "metadata['plan']:pro"})
    database = duckdb.connect(config={"threads": 1})
    database.register("documents", pa.table({"metadata": column}))
    plan = "json_extract_string(metadata, '$.plan')"
    statement = f"SELECT coalesce({plan} = 'pro', false) AS mask FROM documents"

    def by_duckdb() -> Any:  # noqa: ANN401 (NumPy's)
        return database.execute(statement).fetchnumpy()["mask"]

    ours = Library(mask=lambda _: partial(query.mask, {"metadata": column}))
    peers = {"DuckDB": Library(mask=lambda _: by_duckdb)}
    return Cell("mask: JSON text", "ListQuery.mask", "mask", ours, peers, int_count)


def number_cells() -> Iterator[Cell]:
    """Yields int64, decimals of 128 bits and times within bounds."""
    numbers = np.random.default_rng(1).integers(0, 1_000_000, NUMBERS)
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    first, last = (epoch + timedelta(milliseconds=bound) for bound in (LEAST, MOST))
    cents = Decimal(LEAST) / 100, Decimal(MOST) / 100
    kinds: list[tuple[str, pa.DataType, tuple[Any, Any], tuple[Any, Any]]] = [
        ("integer", pa.int64(), (LEAST, MOST), (LEAST, MOST)),
        ("decimal", pa.decimal128(38, 2), (f"{cents[0]}", f"{cents[1]}"), cents),
        ("time", pa.timestamp("ms", "UTC"), (first.isoformat(), last.isoformat()), (first, last)),
    ]
    for kind, type_, bounds, native in kinds:
        plain = pa.array(numbers)
        cast = [Decimal(int(n)).scaleb(-2) for n in numbers] if kind == "decimal" else plain
        column = pa.array(cast, type_) if kind == "decimal" else plain.cast(type_)
        where = {"column": "value", "gte": bounds[0], "lte": bounds[1]}
        query = sluice.ListQuery.from_tree({"where": where}, [sluice.Column("value", kind)])
        series = pl.Series(column)
        peers = {"polars": Library(mask=lambda _, s=series, b=native: partial(s.is_between, *b))}
        if kind != "decimal":
            peers["NumPy"] = Library(mask=lambda _: lambda: (numbers >= LEAST) & (numbers <= MOST))
        ours = Library(mask=lambda _, q=query, c=column: partial(q.mask, {"value": c}))
        yield Cell(f"mask: {kind}s within bounds", "ListQuery.mask", "mask", ours, peers, int_count)


def int_count(mask: Any) -> int:  # noqa: ANN401 (of any library)
    """Returns the number of rows in a mask."""
    return int(np.count_nonzero(mask))
