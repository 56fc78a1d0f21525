# SPDX-License-Identifier: MIT
"""Rows of pyarrow, pandas and DuckDB, ordered as Arrow data."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias
from uuid import UUID

from sluice._applied.keys import Matches, Rows_co, SortKey
from sluice._expressions.missing import explained
from sluice._sluice import Mask
from sluice._tables import roots_of

with explained("pyarrow"):
    import pyarrow as pa
    import pyarrow.compute as pc

Array: TypeAlias = Any  # of pyarrow

# The types of columns, besides texts, by the type of their values.
_NUMBERS = (pa.types.is_integer, pa.types.is_floating)
_TYPES: dict[str, tuple[Callable[[Any], bool], ...]] = {
    "integer": _NUMBERS,
    "decimal": (*_NUMBERS, pa.types.is_decimal),
    "real": _NUMBERS,
    "boolean": (pa.types.is_boolean,),
    "date": (pa.types.is_date,),
    "time": (pa.types.is_timestamp, pa.types.is_integer),
    "uuid": (lambda kind: bool(kind == pa.binary(16)),),
}
_TICKS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}  # in nanoseconds


class ArrowRows(Matches[Rows_co]):
    """The rows of a table whose sort keys are Arrow data."""

    def __init__(
        self,
        keys: Sequence[SortKey],
        column: Callable[[SortKey], Array],
        mask: Array,
        take: Callable[[Array], Rows_co],
    ) -> None:
        """Selects the rows.

        Args:
            keys: The sort keys.
            column: Returns the column of a sort key.
            mask: True for each row that meets the conditions.
            take: Returns the rows with some numbers.
        """
        numbers = pc.indices_nonzero(mask)
        ordered = [_ordered(key, column(key).take(numbers)) for key in keys]
        table, terms = {}, []
        for at, (key, (values, _)) in enumerate(zip(keys, ordered, strict=True)):
            direction = "descending" if key.is_down else "ascending"
            if values.null_count:
                table[f"has_{at}"] = values.is_valid().cast(pa.uint8())
                terms.append((f"has_{at}", direction))
            table[f"key_{at}"] = values
            terms.append((f"key_{at}", direction))
        order = pc.sort_indices(pa.table(table), sort_keys=terms)
        self._columns = ordered
        self._numbers, self._order, self._take = numbers, order, take
        self.count = len(numbers)

    def keys(self, at: int) -> list[Any]:
        """Returns the sort keys of a row."""
        number = self._order[at].as_py()
        values = ((values[number].as_py(), read) for values, read in self._columns)
        return [None if value is None else read(value) for value, read in values]

    def page(self, first: int, end: int) -> Rows_co:
        """Returns some of the rows."""
        return self._take(self._numbers.take(self._order[first:end]))


def rows_of(
    package: str,
    keys: Sequence[SortKey],
    rows: Any,  # noqa: ANN401
    mask: Callable[[Any], Mask],
) -> ArrowRows[Any]:
    """Returns the rows of a table, a frame of pandas or a relation that a mask takes."""
    if package == "pandas":
        return _rows_of_pandas(keys, rows, mask)
    table = rows if package == "pyarrow" else rows.to_arrow_table()

    def take(numbers: Array) -> Any:  # noqa: ANN401
        sluice_page = table.take(numbers)
        if package == "pyarrow":
            return sluice_page
        return rows.query("sluice_rows", "SELECT * FROM sluice_page")  # DuckDB finds the variable

    return ArrowRows(keys, lambda key: _column(table, key), pa.array(mask(table)), take)


def _rows_of_pandas(
    keys: Sequence[SortKey],
    frame: Any,  # noqa: ANN401
    mask: Callable[[Any], Mask],
) -> ArrowRows[Any]:
    names = [*frame.columns]

    def column(key: SortKey) -> Array:
        roots = roots_of(names, [key.place])
        return _column(pa.table({name: _of_pandas(frame[name], key) for name in roots}), key)

    return ArrowRows(keys, column, pa.array(mask(frame)), lambda numbers: frame.iloc[numbers])


def _of_pandas(series: Any, key: SortKey) -> Array:  # noqa: ANN401
    try:
        return pa.array(series, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as refused:
        raise TypeError(f"{key.at()}: {refused}") from None


def _column(table: Array, key: SortKey) -> Array:
    """Returns a column of a table, or a field of a struct by a path with dots.

    Raises:
        ValueError: There is none.
    """
    for name in roots_of(table.schema.names, [key.place]):
        if name == key.place:
            return table.column(name)
        if key.place.startswith(f"{name}."):
            return pc.struct_field(table.column(name), key.place[len(name) + 1 :].split("."))
    raise ValueError(f"{key.column.name}: the table has no column {key.place!r}")


def _ordered(key: SortKey, values: Array) -> tuple[Array, Callable[[Any], Any]]:
    """Returns a column as Arrow orders it, and what converts its values to keys.

    Raises:
        TypeError: It has a type that has another order, or none.
    """
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    if isinstance(values.type, pa.BaseExtensionType):
        values = values.cast(values.type.storage_type)
    kind = values.type
    if pa.types.is_null(kind):
        return values.cast(pa.int64()), key.read
    if pa.types.is_floating(kind):
        values = values.cast(pa.float64())
        values = pc.if_else(pc.is_nan(values), pa.scalar(None, pa.float64()), values)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or kind == pa.string_view():
        return _ordered_texts(key, values.cast(pa.large_string())), _same
    if not any(is_of(kind) for is_of in _TYPES.get(key.column.type, ())):
        key.refuse_type(kind)
    if pa.types.is_timestamp(kind):
        ticks = _TICKS[kind.unit]
        return values.cast(pa.int64()), lambda value: value * ticks
    if pa.types.is_date(kind):
        return values.cast(pa.date32()).cast(pa.int32()), _same
    if kind == pa.binary(16):
        return values, lambda value: str(UUID(bytes=value))
    return values, key.read


def _ordered_texts(key: SortKey, texts: Array) -> Array:
    """Returns keys of texts."""
    match key.column.type:
        case "text":
            return texts
        case "uuid":
            return pc.ascii_lower(texts)
        case "date":
            return texts.cast(pa.date32()).cast(pa.int32())
        case "choice":
            choices = key.column.choices
            places = pc.index_in(texts, value_set=pa.array(choices, pa.large_string()))
            if places.null_count > texts.null_count:
                raise ValueError(f"{key.at()}: expected one of {', '.join(choices)}")
            return places
    return key.refuse_type(texts.type)


def _same(value: Any) -> Any:  # noqa: ANN401
    return value
