# SPDX-License-Identifier: MIT
"""Aggregates of tables and datasets by pyarrow's own hash aggregation, batch by batch."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
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
from sluice._expressions.pyarrow import Place, PyarrowVisitor
from sluice.groups import Aggregate

with explained("pyarrow"):
    import pyarrow as pa
    import pyarrow.acero as acero
    import pyarrow.compute as pc
    import pyarrow.dataset as ds

_UTC = pa.timestamp("ms", "UTC")
_INTEGERS, _DECIMALS = pa.decimal128(38, 0), 76  # types of sums, and their digits
_ZERO = pc.ScalarAggregateOptions(min_count=0)
_Change = Callable[[pa.RecordBatch], pa.RecordBatch]


class _Values(PyarrowVisitor):
    """The values of columns as groups and measures have them: missing ones are null."""

    def value(self, column: Column) -> pc.Expression:
        """Returns the values of a column, JSON and lists as they are stored."""
        if column.is_list or column.type == "json":
            return self._field(column)
        operand, kind = self.operand(column), self._type(column)
        if column.type == "uuid":
            if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
                raise self.refusal(column.name, "cast the bytes to texts")
            return pc.ascii_lower(operand)
        if column.type == "real":
            present = pc.if_else(pc.is_nan(operand), pa.scalar(None, pa.float64()), operand)
            return pc.add(present, pc.scalar(0.0))  # zero has no sign
        if column.type == "time" and kind is not None and pa.types.is_timestamp(kind):
            ticks = operand.cast(pa.int64()).cast(pa.timestamp(kind.unit))
            operand = pc.floor_temporal(ticks, unit="millisecond").cast(pa.timestamp("ms"))
        return operand.cast(pa.int64()).cast(_UTC) if column.type == "time" else operand

    def group(self, part: Mapping[str, Any]) -> pc.Expression:
        """Returns the values that rows are grouped by, before changes() of their batches."""
        column = self.schema[part["column"]]
        value = self.value(column)
        if column.type == "date" and part.get("bucket", "day") != "day":
            return pc.floor_temporal(value, unit=part["bucket"])
        return value

    def measured(self, part: Mapping[str, str]) -> pc.Expression:
        """Returns the values of a measure, in a type whose sums are exact."""
        column = self.schema[part["column"]]
        if column.is_list:
            raise self.refusal(column.name, "leave the measure of its items out")
        value = self.value(column)
        if part["measure"] not in ("sum", "average"):
            return value
        if column.type == "decimal":
            kind = self._type(column)
            return value.cast(pa.decimal256(_DECIMALS, getattr(kind, "scale", 0)))
        return value.cast(_INTEGERS) if column.type == "integer" else value

    def change(self, at: int, part: Mapping[str, Any], wanted: Aggregate) -> _Change | None:
        """Returns the change of a batch that no expression makes, of its group `at`."""
        column = self.schema[part["column"]]
        if column.is_list:
            return partial(_with_items, at, column.type == "uuid")
        if "path" in part:
            return partial(_with_texts, at, text_reader(part["path"]))
        if "bucket" in part and column.type == "time":
            return partial(_with_buckets, at, bucket_starts(wanted, part))
        return None


def _replaced(batch: pa.RecordBatch, at: int, values: pa.Array) -> pa.RecordBatch:
    arrays = [*batch.columns]
    arrays[at] = values
    return pa.RecordBatch.from_arrays(arrays, names=batch.schema.names)


def _with_items(at: int, folds: bool, batch: pa.RecordBatch) -> pa.RecordBatch:
    """Repeats each row for the distinct items of its list, or once for a list without any."""
    rows: list[int] = []
    items: list[Any] = []
    for row, held in enumerate(batch.column(at).to_pylist()):
        values = (item.lower() if folds else item for item in held or () if item is not None)
        for item in dict.fromkeys(values) or (None,):
            rows.append(row)
            items.append(item)
    kind = batch.schema.field(at).type.value_type
    return _replaced(batch.take(pa.array(rows, pa.int64())), at, pa.array(items, kind))


def _with_texts(
    at: int, text_of: Callable[[object], str | None], batch: pa.RecordBatch
) -> pa.RecordBatch:
    texts = [text_of(document) for document in batch.column(at).to_pylist()]
    return _replaced(batch, at, pa.array(texts, pa.string()))


def _with_buckets(at: int, starts: list[int], batch: pa.RecordBatch) -> pa.RecordBatch:
    """Replaces times by the starts of their buckets; conditions have left no others."""
    times = batch.column(at).cast(pa.int64()).to_pylist()
    begins = [starts[bisect_right(starts, time) - 1] for time in times]
    return _replaced(batch, at, pa.array(begins, pa.int64()).cast(_UTC))


def _reader(
    source: Any,  # noqa: ANN401
    rows: Mapping[str, pc.Expression],
    where: pc.Expression,
    changes: Sequence[_Change],
) -> pa.RecordBatchReader:
    """Returns a reader of the groups and values of the rows that meet the conditions."""
    if isinstance(source, pa.RecordBatchReader):
        scanner = ds.Scanner.from_batches(source, columns=dict(rows), filter=where)
    else:
        data = source if isinstance(source, ds.Dataset) else ds.dataset(source)
        scanner = data.scanner(columns=dict(rows), filter=where)

    def changed(batch: pa.RecordBatch) -> pa.RecordBatch:
        for change in changes:
            batch = change(batch)
        return batch

    empty = changed(pa.RecordBatch.from_pylist([], scanner.projected_schema))
    return pa.RecordBatchReader.from_batches(empty.schema, map(changed, scanner.to_batches()))


def _functions(tree: Mapping[str, Any]) -> Iterator[tuple[Any, str, Any, str]]:
    """Yields the functions of measures as acero has them; an average has a sum and a count."""
    prefix = "hash_" if tree["group_by"] else ""
    for at, part in enumerate(tree["measures"]):
        measure, value, name = part["measure"], f"value {at}", f"measure {at}"
        if measure == "count":
            yield [], f"{prefix}count_all", None, name
        elif measure in DISTINCT:
            options = pc.CountOptions(mode="only_valid")
            yield value, f"{prefix}count_distinct", options, name
        elif measure in ("min", "max"):
            yield value, f"{prefix}{measure}", None, name
        else:
            yield value, f"{prefix}sum", _ZERO, name
            if measure == "average":
                yield value, f"{prefix}count", None, f"count {at}"


def _average(total: pa.ChunkedArray, count: pa.ChunkedArray) -> pa.ChunkedArray:
    """Divides a sum as a double, the nearest one to a decimal."""
    if pa.types.is_decimal(total.type):
        total = total.cast(pa.string()).cast(pa.float64())
    counted = count.cast(pa.float64())
    there = pc.if_else(pc.equal(counted, 0.0), pa.scalar(None, pa.float64()), counted)
    return pc.divide(total, there)


def _with_every_bucket(groups: pa.Table, wanted: Aggregate) -> pa.Table:
    """Adds the buckets without rows, whose counts and sums are zero."""
    starts = pa.array(bucket_starts(wanted, wanted.tree["group_by"][0]), pa.int64()).cast(_UTC)
    joined = pa.table({"group 0": starts}).join(groups, "group 0", join_type="left outer")
    for at, part in enumerate(wanted.tree["measures"]):
        for name in (f"measure {at}", f"count {at}"):
            if name in joined.column_names and part["measure"] not in ("min", "max"):
                place = joined.column_names.index(name)
                column = joined.column(name)
                filled = pc.fill_null(column, pa.scalar(0).cast(column.type))
                joined = joined.set_column(place, name, filled)
    return joined


def _ordered(groups: pa.Table, wanted: Aggregate, visitor: _Values) -> pa.Table:
    """Returns the groups in their order: null first if it ascends, choices by their places."""
    keys: dict[str, Any] = {}
    for place, (is_measure, at, is_down) in enumerate(group_order(wanted)):
        values = groups.column(f"measure {at}" if is_measure else f"group {at}")
        column = None if is_measure else visitor.schema[wanted.tree["group_by"][at]["column"]]
        if column and column.type == "choice":
            values = pc.index_in(values, value_set=pa.array(column.choices, values.type))
        direction = "descending" if is_down else "ascending"
        keys[f"{place} is there"] = (values.is_valid(), direction)
        keys[f"{place}"] = (values, direction)
    sorted_by = pa.table({name: values for name, (values, _) in keys.items()})
    order = [(name, direction) for name, (_, direction) in keys.items()]
    return groups.take(pc.sort_indices(sorted_by, sort_keys=order)) if keys else groups


def to_pyarrow(
    aggregate: Aggregate,
    source: Any,  # noqa: ANN401
    columns: Mapping[str, Place] | None,
) -> pa.Table:
    """Implements Aggregate.to_pyarrow()."""
    wanted, conditions = whole(aggregate)
    tree, visitor = wanted.tree, _Values(conditions, columns, source.schema)
    groups = [f"group {at}" for at in range(len(tree["group_by"]))]
    rows = dict(zip(groups, map(visitor.group, tree["group_by"]), strict=True))
    for at, part in enumerate(tree["measures"]):
        if part["measure"] != "count":
            rows[f"value {at}"] = visitor.measured(part)
    changes = [visitor.change(at, part, wanted) for at, part in enumerate(tree["group_by"])]
    rows = rows or {"row": pc.scalar(0)}
    reader = _reader(source, rows, visitor.read(conditions), [*filter(None, changes)])
    read = acero.Declaration(
        "record_batch_reader_source", acero.RecordBatchReaderSourceNodeOptions(reader)
    )
    options = acero.AggregateNodeOptions([*_functions(tree)], keys=groups)
    answer = acero.Declaration("aggregate", options, inputs=[read]).to_table()
    if has_every_bucket(wanted):
        answer = _with_every_bucket(answer, wanted)
    for at, part in enumerate(tree["measures"]):
        if part["measure"] == "average":
            name = f"measure {at}"
            divided = _average(answer.column(name), answer.column(f"count {at}"))
            answer = answer.set_column(answer.column_names.index(name), name, divided)
    measures = [f"measure {at}" for at in range(len(tree["measures"]))]
    kept = _ordered(answer, wanted, visitor).slice(0, tree["limit"]).select([*groups, *measures])
    return kept.rename_columns([part["as"] for part in (*tree["group_by"], *tree["measures"])])
