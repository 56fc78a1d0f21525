# SPDX-License-Identifier: MIT
"""Rows of frames of polars."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sluice._applied.keys import Matches, SortKey, columns_of
from sluice._expressions.missing import explained

with explained("polars"):
    import polars as pl

if TYPE_CHECKING:
    from sluice._declared.list_query import ListQuery

_TICKS = {"ms": 10**6, "us": 10**3, "ns": 1}  # in nanoseconds
# The types of columns, besides texts, by the type of their values.
_Check = Callable[[pl.DataType], bool]
_NUMBERS: tuple[_Check, ...] = (lambda kind: kind.is_integer() or kind.is_float(),)
_TYPES: dict[str, tuple[_Check, ...]] = {
    "integer": _NUMBERS,
    "decimal": (*_NUMBERS, lambda kind: kind.is_decimal()),
    "real": _NUMBERS,
    "boolean": (lambda kind: kind == pl.Boolean,),
    "date": (lambda kind: kind == pl.Date,),
    "time": (lambda kind: kind.is_integer() or isinstance(kind, pl.Datetime),),
    "uuid": (lambda kind: kind == pl.Binary,),
}
_TEXTS = (pl.String, pl.Categorical, pl.Enum)


class PolarsRows(Matches[pl.DataFrame]):
    """The rows of a frame."""

    def __init__(
        self, keys: Sequence[SortKey], frame: pl.DataFrame, mask: pl.Series, most: int | None
    ) -> None:
        """Selects the rows of a mask, and orders the first `most` of them, or all.

        Raises:
            ValueError: A text of a sort key can't be read.
        """
        ordered = [_ordered(key, *_field(frame.schema, key)) for key in keys]
        names = [f"key_{at}" for at in range(len(keys))]
        terms = [term.alias(name) for (term, _), name in zip(ordered, names, strict=True)]
        downs = [key.is_down for key in keys]
        self._frame = frame
        self._readers = [read for _, read in ordered]
        ordered_rows = (
            frame.lazy()
            .filter(mask)
            .select(*terms, pl.lit(mask.arg_true()).alias("number"))
            .sort(names, descending=downs, nulls_last=downs)
        )
        self.count = int(mask.sum())
        wanted = self.count if most is None else min(most, self.count)
        try:
            self._keys = ordered_rows.head(wanted).collect()
        except pl.exceptions.PolarsError as refused:
            places = ", ".join(key.at() for key in keys)
            raise ValueError(f"{places}: {refused}") from None

    def keys(self, at: int) -> list[Any]:
        """Returns the sort keys of a row."""
        values = zip(self._keys.row(at), self._readers, strict=False)
        return [None if value is None else read(value) for value, read in values]

    def page(self, first: int, end: int) -> pl.DataFrame:
        """Returns some of the rows."""
        return self._frame[self._keys["number"][first:end]]


def polars_rows(
    keys: Sequence[SortKey],
    rows: pl.DataFrame | pl.LazyFrame,
    query: "ListQuery",
    columns: Mapping[str, str | None] | None,
    most: int | None,
) -> PolarsRows:
    """Returns the rows of a frame that meet a query's conditions.

    A lazy frame is collected with its conditions, so that files skip row groups.
    """
    if isinstance(rows, pl.LazyFrame):
        read = columns_of(query)
        names = {**{name: name for name in read}, **(columns or {})}
        if None not in names.values():
            schema = rows.collect_schema()
            places = {name: _path(schema, place or "") for name, place in names.items()}
            for name in read:
                if places[name][0] not in schema:
                    raise ValueError(f"{name}: the table has no column {names[name]!r}")
            rows = rows.filter(query.to_polars(places, schema))
        rows = rows.collect()
    mask = pl.Series(pl.from_arrow(query.mask(rows, columns))).cast(pl.Boolean)  # also if empty
    return PolarsRows(keys, rows, mask, most)


def _path(schema: pl.Schema, place: str) -> tuple[str, ...]:
    """Returns the names of a column and of the fields that a name with dots stands for."""
    parts = place.split(".")
    for count in range(len(parts), 0, -1):
        first = ".".join(parts[:count])
        if first in schema:
            return (first, *parts[count:])
    return (place,)


def _field(schema: pl.Schema, key: SortKey) -> tuple[pl.Expr, pl.DataType]:
    """Returns a column, or a field of a struct by a path with dots, and its type."""
    first, *fields = _path(schema, key.place)
    kind: Any = schema.get(first)
    expression = pl.col(first)
    for name in fields:
        kind = {of.name: of.dtype for of in getattr(kind, "fields", ())}.get(name)
        expression = expression.struct.field(name)
    if kind is None:
        raise ValueError(f"{key.column.name}: the table has no column {key.place!r}")
    return expression, kind


def _ordered(
    key: SortKey, values: pl.Expr, kind: pl.DataType
) -> tuple[pl.Expr, Callable[[Any], Any]]:
    """Returns a column as polars orders it, and what converts its values to keys.

    Raises:
        TypeError: It has a type that has another order, or none.
    """
    if kind == pl.Null:
        return values.cast(pl.Int64), key.read
    if kind in _TEXTS:
        return _ordered_texts(key, values.cast(pl.String), kind)
    if not any(is_of(kind) for is_of in _TYPES.get(key.column.type, ())):
        key.refuse_type(kind)
    if kind.is_float():
        values = values.fill_nan(None)
    if isinstance(kind, pl.Datetime):
        ticks = _TICKS[kind.time_unit]
        return values.cast(pl.Int64), lambda value: value * ticks
    if kind == pl.Binary:
        return values, lambda value: str(UUID(bytes=value))
    return values, key.read


def _ordered_texts(
    key: SortKey, texts: pl.Expr, kind: pl.DataType
) -> tuple[pl.Expr, Callable[[Any], Any]]:
    """Returns keys of texts."""
    match key.column.type:
        case "text":
            return texts, _same
        case "uuid":
            return texts.str.to_lowercase(), _same
        case "date":
            return texts.str.to_date("%Y-%m-%d"), key.read
        case "choice":
            places = {choice: place for place, choice in enumerate(key.column.choices)}
            return texts.replace_strict(places, return_dtype=pl.Int64), _same
    return key.refuse_type(kind)


def _same(value: Any) -> Any:  # noqa: ANN401
    return value
