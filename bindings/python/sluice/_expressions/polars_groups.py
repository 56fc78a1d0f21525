# SPDX-License-Identifier: MIT
"""Aggregates as lazy frames of polars."""

from collections.abc import Mapping, Sequence
from typing import Any

from sluice._column import Column
from sluice._declared.groups import DISTINCT
from sluice._expressions.grouped import (
    bucket_starts,
    group_order,
    has_every_bucket,
    text_reader,
    whole,
)
from sluice._expressions.missing import explained
from sluice._expressions.polars import Place, PolarsVisitor
from sluice.groups import Aggregate

with explained("polars"):
    import polars as pl

_UTC = pl.Datetime("ms", "UTC")
_PER_MILLISECOND = {"ms": 1, "us": 1_000, "ns": 1_000_000}
_TRUNCATED = {"day": "1d", "week": "1w", "month": "1mo", "quarter": "1q", "year": "1y"}


class _Values(PolarsVisitor):
    """The values of columns as groups and measures have them: missing ones are null."""

    def value(self, column: Column) -> pl.Expr:
        """Returns the values of a column; of a list the distinct items, in a list."""
        operand, kind = self.operand(column), self._stored_type(column)
        if column.is_list:
            items = pl.element().drop_nulls()
            items = items.str.to_lowercase() if column.type == "uuid" else items
            items = operand.list.eval(items.unique())
            return pl.when(items.list.len() > 0).then(items)  # which explode() has a null for
        if column.type == "real":
            return operand.cast(pl.Float64).fill_nan(None) + 0.0  # zero has no sign
        if column.type == "integer" and kind is not None and kind.is_float():
            return operand.fill_nan(None).cast(pl.Int64)
        if column.type == "decimal" and not (kind and (kind.is_integer() or kind.is_decimal())):
            raise self.refusal(column.name, f"cast {kind} to Decimal")
        if column.type == "uuid" and kind == pl.Binary:
            raise self.refusal(column.name, "cast the bytes to texts")
        if column.type == "time":
            return _in_milliseconds(operand, self._type(column))
        return operand.str.to_lowercase() if column.type == "uuid" else operand

    def group(self, part: Mapping[str, Any], wanted: Aggregate) -> pl.Expr:
        """Returns the values that rows are grouped by."""
        column = self.schema[part["column"]]
        if "path" in part:
            return self._text_at(column, part["path"])
        value, bucket = self.value(column), part.get("bucket")
        if bucket and column.type == "date":
            return value.dt.truncate(_TRUNCATED[bucket])
        return _bucket_of(value, bucket_starts(wanted, part)) if bucket else value

    def _text_at(self, column: Column, path: Sequence[str]) -> pl.Expr:
        """Reads the texts at a path of each batch."""
        text_of = text_reader(path)

        def texts(rows: pl.Series) -> pl.Series:
            return pl.Series(rows.name, [*map(text_of, rows.to_list())], pl.String)

        return self.operand(column).map_batches(texts, pl.String, is_elementwise=True)

    def measure(self, part: Mapping[str, str], at: str) -> pl.Expr:
        """Returns a measure of the values in the column `at`."""
        if part["measure"] == "count":
            return pl.len().cast(pl.Int64)
        column, values = self.schema[part["column"]], pl.col(at)
        if part["measure"] in DISTINCT:
            items = values.explode() if column.is_list else values
            return items.drop_nulls().n_unique().cast(pl.Int64)
        if part["measure"] in ("min", "max"):
            return values.min() if part["measure"] == "min" else values.max()
        total = (values.cast(pl.Int128) if column.type == "integer" else values).sum()
        if part["measure"] == "sum":
            return total
        # The text of a decimal is converted to the nearest double.
        double = total.cast(pl.String) if column.type == "decimal" else total
        return pl.when(values.count() > 0).then(double.cast(pl.Float64) / values.count())


def _in_milliseconds(times: pl.Expr, kind: pl.DataType | None) -> pl.Expr:
    """Returns times as milliseconds in UTC, rounded down."""
    if isinstance(kind, pl.Datetime):
        times = times.dt.epoch(kind.time_unit) // _PER_MILLISECOND[kind.time_unit]
    elif kind == pl.Date:
        times = times.cast(pl.Datetime("ms"))
    return times.cast(pl.Datetime("ms")).dt.replace_time_zone("UTC")


def _bucket_of(times: pl.Expr, starts: list[int]) -> pl.Expr:
    """Returns the starts of the buckets of times."""
    first = pl.Series(starts, dtype=pl.Int64).cast(_UTC)

    def buckets(rows: pl.Series) -> pl.Series:
        places = first.search_sorted(rows, side="right").cast(pl.Int64) - 1
        return first.gather(places).alias(rows.name)

    return times.map_batches(buckets, _UTC, is_elementwise=True)


def _with_every_bucket(
    groups: pl.LazyFrame, wanted: Aggregate, zeros: Mapping[str, bool]
) -> pl.LazyFrame:
    """Adds the buckets without rows, whose counts and sums are zero."""
    starts = bucket_starts(wanted, wanted.tree["group_by"][0])
    every = pl.LazyFrame({"group 0": pl.Series(starts, dtype=pl.Int64).cast(_UTC)})
    joined = every.join(groups, on="group 0", how="left")
    return joined.with_columns(
        pl.col(name).fill_null(0) for name, is_zero in zeros.items() if is_zero
    )


def to_polars(
    aggregate: Aggregate, frame: pl.LazyFrame | pl.DataFrame, columns: Mapping[str, Place] | None
) -> pl.LazyFrame:
    """Implements Aggregate.to_polars()."""
    wanted, conditions = whole(aggregate)
    tree, rows = wanted.tree, frame.lazy()
    visitor = _Values(conditions, columns, rows.collect_schema())
    keys = {f"group {at}": visitor.group(part, wanted) for at, part in enumerate(tree["group_by"])}
    lists = [
        f"group {at}"
        for at, part in enumerate(tree["group_by"])
        if visitor.schema[part["column"]].is_list
    ]
    values = {
        f"value {at}": visitor.value(visitor.schema[part["column"]])
        for at, part in enumerate(tree["measures"])
        if part["measure"] != "count"
    }
    measures = {
        f"measure {at}": visitor.measure(part, f"value {at}")
        for at, part in enumerate(tree["measures"])
    }
    rows = rows.filter(visitor.read(conditions)).select(pl.lit(0).alias("row"), **keys, **values)
    for name in lists:
        rows = rows.explode(name)
    groups = rows.group_by(*keys).agg(**measures) if keys else rows.select(**measures)
    if has_every_bucket(wanted):
        is_zero = [part["measure"] in ("count", *DISTINCT, "sum") for part in tree["measures"]]
        groups = _with_every_bucket(groups, wanted, dict(zip(measures, is_zero, strict=True)))
    order = group_order(wanted)
    terms = [
        pl.col(f"measure {at}") if is_measure else _place(tree["group_by"][at], at, visitor)
        for is_measure, at, _ in order
    ]
    if keys:
        is_down = [down for _, _, down in order]
        groups = groups.sort(terms, descending=is_down, nulls_last=is_down)
    names = [part["as"] for part in (*tree["group_by"], *tree["measures"])]
    selected = [*keys, *measures]
    return groups.head(tree["limit"]).select(
        pl.col(column).alias(name) for column, name in zip(selected, names, strict=True)
    )


def _place(part: Mapping[str, Any], at: int, visitor: _Values) -> pl.Expr:
    """Returns a group as it is ordered: a choice by its place."""
    column, group = visitor.schema[part["column"]], pl.col(f"group {at}")
    if column.type != "choice":
        return group
    places = {text: place for place, text in enumerate(column.choices)}
    return group.replace_strict(places, default=None, return_dtype=pl.Int64)
