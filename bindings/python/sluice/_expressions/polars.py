# SPDX-License-Identifier: MIT
"""Conditions as expressions of polars."""

from collections.abc import Callable, Mapping, Sequence
from string import ascii_lowercase, ascii_uppercase
from typing import TypeAlias, cast
from uuid import UUID

from sluice._column import Column
from sluice._declared.list_query import ListQuery
from sluice._expressions.missing import explained
from sluice._expressions.nesting import Tree
from sluice._expressions.tests import ALL
from sluice._expressions.visitor import COMPARISONS, Query, Values, Visitor, is_lower

with explained("polars"):
    import polars as pl

Place: TypeAlias = str | tuple[str, ...] | pl.Expr
Types: TypeAlias = Mapping[str, pl.DataType]

_TICKS = {"ms": 1, "us": 1_000, "ns": 1_000_000}  # ticks per millisecond


class PolarsVisitor(Visitor[pl.Expr, pl.Expr]):
    """Tests of null, which polars evaluates to null, are false here.

    Comparisons are combined with is_not_null() rather than fill_null(), because polars can then
    skip row groups of files.
    """

    engine = "polars"
    answers = ALL
    places = "str, a tuple of str or an expression of polars", (str, tuple, pl.Expr)

    def __init__(
        self, query: Query, columns: Mapping[str, Place] | None, schema: Types | None
    ) -> None:
        """Stores the types of the columns, if they are known."""
        super().__init__(query, columns)
        if not isinstance(schema, Mapping | None):
            raise TypeError(f"schema: expected a Schema of polars, not {type(schema).__name__}")
        self._types = None if schema is None else pl.Schema(schema)

    def constant(self, value: bool) -> pl.Expr:
        """Returns a literal."""
        return pl.lit(value)

    def all_of(self, parts: Sequence[pl.Expr]) -> pl.Expr:
        """Combines all parts at once: a chain of thousands takes minutes."""
        return pl.all_horizontal(parts) if parts else self.constant(True)

    def any_of(self, parts: Sequence[pl.Expr]) -> pl.Expr:
        """Combines all parts at once: a chain of thousands takes minutes."""
        return pl.any_horizontal(parts) if parts else self.constant(False)

    def operand(self, column: Column) -> pl.Expr:
        """Returns a column, or a field of a struct."""
        place: Place = self._places.get(column.name, column.name)
        if not isinstance(place, pl.Expr):
            first, *fields = (place,) if isinstance(place, str) else place
            place = pl.col(first)
            for name in fields:
                place = place.struct.field(name)
        if column.type == "choice" and not column.is_list:  # an Enum may lack some of the choices
            return place.cast(pl.String)
        return place

    def has_value(self, column: Column) -> pl.Expr:
        """Treats NaN as missing."""
        if column.type in ("integer", "real") and not column.is_list:
            return self._bounds(column, {})
        return super().has_value(column)

    def present(self, operand: pl.Expr) -> pl.Expr:
        """Returns whether it isn't null."""
        return operand.is_not_null()

    def compare(self, operand: pl.Expr, comparison: str, value: object) -> pl.Expr:
        """Returns a comparison with a literal."""
        compared: pl.Expr = COMPARISONS[comparison](operand, value)
        return compared & operand.is_not_null()

    def is_true(self, operand: pl.Expr, wanted: bool) -> pl.Expr:
        """Returns a comparison of booleans."""
        return (operand == wanted) & operand.is_not_null()

    def is_any(self, operand: pl.Expr, values: Values) -> pl.Expr:
        """Compares a single value with ==, which is faster. is_in is null for null."""
        if len(values) == 1:
            return operand.eq_missing(pl.lit(values[0]))
        return operand.is_in(pl.Series(values).implode()) & operand.is_not_null()

    def folded(self, operand: pl.Expr) -> pl.Expr:
        """Folds letter by letter: to_lowercase() would fold the Kelvin sign to k."""
        return operand.str.replace_many(list(ascii_uppercase), list(ascii_lowercase))

    def after(self, operand: pl.Expr, mark: str) -> pl.Expr:
        """Returns the second of two parts; split() would split X-Y-Z into three."""
        parts = operand.str.splitn(mark, 2)
        return pl.coalesce(parts.struct.field("field_1"), parts.struct.field("field_0"))

    def before(self, operand: pl.Expr, mark: str) -> pl.Expr:
        """Returns the first of two parts."""
        return operand.str.splitn(mark, 2).struct.field("field_0")

    def has_part(self, operand: pl.Expr, test: str, part: str) -> pl.Expr:
        """Searches a text without patterns."""
        text = pl.lit(part)
        has: pl.Expr = {
            "contains": lambda: operand.str.contains(text, literal=True),
            "starts_with": lambda: operand.str.starts_with(text),
            "ends_with": lambda: operand.str.ends_with(text),
        }[test]()
        return has & operand.is_not_null()

    def is_any_day(self, column: Column, days: list[int]) -> pl.Expr:
        """Compares dates."""
        operand = self.operand(column)
        return operand.is_in(pl.Series(days).cast(pl.Date).implode()) & operand.is_not_null()

    def is_any_uuid(self, operand: pl.Expr, column: Column, texts: list[str]) -> pl.Expr:
        """Compares texts, or the 16 bytes of a column of bytes if its type is known."""
        kind = self._stored_type(column)
        if kind in (pl.Binary, pl.List(pl.Binary)):
            held = pl.Series([UUID(text).bytes for text in texts], dtype=pl.Binary)
            return operand.is_in(held.implode()) & operand.is_not_null()
        return super().is_any_uuid(operand, column, texts)

    def has_record(self, column: Column, where: Tree) -> pl.Expr:
        """Evaluates the condition in each list, in which a null isn't a record."""
        record = pl.element()
        places = {inner.name: record.struct.field(inner.name) for inner in column.columns}
        query = ListQuery.from_tree({"where": where}, column.columns)
        meets = PolarsVisitor(query, places, None).read(query)
        records = self.operand(column).list.eval(meets & record.is_not_null())
        return records.list.any().fill_null(False)

    def has_item(self, column: Column, meets: Callable[[pl.Expr], pl.Expr]) -> pl.Expr:
        """Evaluates the condition in each list."""
        return self.operand(column).list.eval(meets(pl.element())).list.any().fill_null(False)

    def integer_bound(self, column: Column, comparison: str, number: int) -> pl.Expr:
        """Treats NaN, which polars sorts above all numbers, as missing."""
        operand = self.operand(column)
        compared = self.compare(operand, comparison, number)
        if not is_lower(comparison):
            return compared
        return compared & operand.cast(pl.Float64).is_not_nan()

    def time_bound(self, column: Column, comparison: str, milliseconds: int) -> pl.Expr:
        """Compares times of any unit, with or without a zone, since 1970 in UTC."""
        operand, kind = self.operand(column), self._type(column)
        if isinstance(kind, pl.Datetime):
            ticks = milliseconds * _TICKS[kind.time_unit]
            if -(2**63) <= ticks < 2**63:  # nanoseconds only reach from 1677 to 2262
                return self.compare(operand, comparison, pl.lit(ticks, pl.Int64).cast(kind))
        in_milliseconds = operand if kind == pl.Int64 else operand.dt.epoch("ms")
        return self.compare(in_milliseconds, comparison, milliseconds)

    def day_bound(self, column: Column, comparison: str, days: int) -> pl.Expr:
        """Compares dates, which polars counts in days too."""
        return self.compare(self.operand(column), comparison, pl.lit(days, pl.Int32).cast(pl.Date))

    def real_bound(self, column: Column, comparison: str, number: float) -> pl.Expr:
        """Compares doubles, to which polars converts floats and integers."""
        operand = self.operand(column)
        compared = self.compare(operand, comparison, pl.lit(number, pl.Float64))
        if not is_lower(comparison):
            return compared
        return compared & operand.cast(pl.Float64).is_not_nan()

    def decimal_bound(self, column: Column, comparison: str, number: str) -> pl.Expr:
        """Uses a mask: polars rounds decimals of different scales."""
        return self.metadata(column, {"column": column.name, comparison: number})

    def metadata(self, column: Column, leaf: Tree) -> pl.Expr:
        """Uses a mask for each batch."""
        query = ListQuery.from_tree({"where": leaf}, [column])

        def mask(rows: pl.Series) -> pl.Series:
            return cast(pl.Series, pl.from_arrow(query.mask(rows.to_frame(column.name))))

        return self.operand(column).map_batches(mask, pl.Boolean, is_elementwise=True)

    def _stored_type(self, column: Column) -> pl.DataType | None:
        """Returns the type of a column, if it is known."""
        place = self._places.get(column.name, column.name)
        if self._types is None or isinstance(place, pl.Expr):
            return None
        dtype: pl.DataType = pl.Struct(self._types)
        for name in (place,) if isinstance(place, str) else place:
            fields = dtype.fields if isinstance(dtype, pl.Struct) else []
            kinds = {field.name: field.dtype for field in fields}
            if name not in kinds:
                raise ValueError(f"{column.name}: the schema has no column {place!r}")
            dtype = cast(pl.DataType, kinds[name])
        return dtype

    def _type(self, column: Column) -> pl.DataType | None:
        """Returns the type in which a column of times is compared."""
        dtype = self._stored_type(column)
        if not isinstance(dtype, pl.Datetime | pl.Date | pl.Int64 | None):
            expected = "datetimes, dates or Int64 milliseconds"
            raise TypeError(f"{column.name}: expected {expected}, not {dtype}")
        return dtype


def to_polars(
    query: Query, columns: Mapping[str, Place] | None = None, schema: Types | None = None
) -> pl.Expr:
    """Converts the conditions of a query; see EventsQuery.to_polars()."""
    return PolarsVisitor(query, columns, schema).read(query)
