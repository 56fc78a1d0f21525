# SPDX-License-Identifier: MIT
"""Expressions of polars."""

from collections.abc import Callable, Mapping, Sequence
from string import ascii_lowercase, ascii_uppercase
from typing import TypeAlias, cast

from sluice._column import Column
from sluice._declared.list_query import ListQuery
from sluice._expressions.missing import explained
from sluice._expressions.nesting import Tree
from sluice._expressions.visitor import COMPARISONS, Query, Values, Visitor

with explained("polars"):
    import polars as pl

Place: TypeAlias = str | tuple[str, ...] | pl.Expr


class PolarsVisitor(Visitor[pl.Expr, pl.Expr]):
    """What is null in polars is false here."""

    engine = "polars"
    places = "str, a tuple of str or an expression of polars", (str, tuple, pl.Expr)

    def constant(self, value: bool) -> pl.Expr:
        """A literal."""
        return pl.lit(value)

    def all_of(self, parts: Sequence[pl.Expr]) -> pl.Expr:
        """At once: a chain of thousands takes minutes."""
        return pl.all_horizontal(parts) if parts else self.constant(True)

    def any_of(self, parts: Sequence[pl.Expr]) -> pl.Expr:
        """At once: a chain of thousands takes minutes."""
        return pl.any_horizontal(parts) if parts else self.constant(False)

    def operand(self, column: Column) -> pl.Expr:
        """A column, or a field of a struct."""
        place: Place = self._places.get(column.name, column.name)
        if isinstance(place, pl.Expr):
            return place
        first, *fields = (place,) if isinstance(place, str) else place
        found = pl.col(first)
        for name in fields:
            found = found.struct.field(name)
        return found

    def present(self, operand: pl.Expr) -> pl.Expr:
        """Whether it isn't null."""
        return operand.is_not_null()

    def compare(self, operand: pl.Expr, comparison: str, value: object) -> pl.Expr:
        """A comparison with a literal."""
        compared: pl.Expr = COMPARISONS[comparison](operand, value)
        return compared.fill_null(False)

    def is_true(self, operand: pl.Expr, wanted: bool) -> pl.Expr:
        """A comparison of booleans."""
        return (operand == wanted).fill_null(False)

    def is_any(self, operand: pl.Expr, values: Values) -> pl.Expr:
        """One value is compared, which takes less time. Of null, is_in is null."""
        if len(values) == 1:
            return operand.eq_missing(pl.lit(values[0]))
        return operand.is_in(pl.Series(values).implode()).fill_null(False)

    def folded(self, operand: pl.Expr) -> pl.Expr:
        """Letter by letter: to_lowercase() would fold the Kelvin sign to k."""
        return operand.str.replace_many(list(ascii_uppercase), list(ascii_lowercase))

    def after_dash(self, operand: pl.Expr) -> pl.Expr:
        """The second of two parts; split() would make three of X-Y-Z."""
        parts = operand.str.splitn("-", 2)
        return pl.coalesce(parts.struct.field("field_1"), parts.struct.field("field_0"))

    def before_query(self, operand: pl.Expr) -> pl.Expr:
        """The first of two parts."""
        return operand.str.splitn("?", 2).struct.field("field_0")

    def has_item(self, column: Column, meets: Callable[[pl.Expr], pl.Expr]) -> pl.Expr:
        """Evaluates the condition in each list."""
        return self.operand(column).list.eval(meets(pl.element())).list.any().fill_null(False)

    def time_bound(self, column: Column, comparison: str, milliseconds: int) -> pl.Expr:
        """Times of any unit, with or without a zone, count from 1970 in UTC."""
        return self.compare(self.operand(column).dt.epoch("ms"), comparison, milliseconds)

    def decimal_bound(self, column: Column, comparison: str, number: str) -> pl.Expr:
        """By a mask: polars rounds decimals of different scales."""
        return self.metadata(column, {"column": column.name, comparison: number})

    def metadata(self, column: Column, leaf: Tree) -> pl.Expr:
        """By a mask of each batch."""
        query = ListQuery.from_tree({"where": leaf}, [column])

        def mask(rows: pl.Series) -> pl.Series:
            return cast(pl.Series, pl.from_arrow(query.mask(rows.to_frame(column.name))))

        return self.operand(column).map_batches(mask, pl.Boolean, is_elementwise=True)


def to_polars(query: Query, columns: Mapping[str, Place] | None = None) -> pl.Expr:
    """The conditions of a query; see EventsQuery.to_polars()."""
    return PolarsVisitor(query, columns).read(query)
