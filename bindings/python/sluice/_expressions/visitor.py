# SPDX-License-Identifier: MIT
"""The base of all visitors of a query's tree; subclasses create the expressions of an engine."""

import operator
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any, ClassVar, Generic, Protocol, TypeAlias, TypeVar

from sluice._column import Collation, Column
from sluice._expressions.bounds import to_days, to_integers, to_milliseconds
from sluice._expressions.nesting import Tree, nesting, unnested
from sluice._expressions.tests import COMMON, Answers, is_answered, kind_of, leaves, of_type
from sluice._sluice import _COLLATIONS

Values: TypeAlias = Sequence[str] | Sequence[int]
Operand = TypeVar("Operand")  # a value of a row
Expression = TypeVar("Expression")  # a condition on a row

# Python's operators, by those of query trees.
COMPARISONS: Mapping[str, Callable[[Any, Any], Any]] = {
    name: getattr(operator, python)
    for name, python in {"gt": "gt", "gte": "ge", "lt": "lt", "lte": "le"}.items()
}


def is_lower(comparison: str) -> bool:
    """Returns true if a comparison is with a lower bound."""
    return comparison in ("gt", "gte")


class Query(Protocol):
    """The interface of all query classes."""

    @property
    def schema(self) -> tuple[Column, ...]:
        """The columns for conditions."""

    def tree(self) -> dict[str, Any]:
        """Returns the query as dicts and lists."""


class Visitor(ABC, Generic[Operand, Expression]):
    """Converts the trees of queries to expressions of an engine, such as polars or SQL.

    The expression of a leaf (one condition) is true or false, never null, so that NOT is exact.
    Expressions must support &, | and ~.
    """

    engine: ClassVar[str]  # the name in messages
    answers: ClassVar[Answers] = COMMON  # the tests that it has
    places: ClassVar[tuple[str, tuple[type, ...]]]  # accepted `columns`, in words and as types
    most_nesting: ClassVar[int | None] = None  # the supported nesting; see nesting()
    schema: Mapping[str, Column]  # the query's columns by name

    def __init__(self, query: Query, columns: Mapping[str, Any] | None) -> None:
        """Stores the columns of a query by name, and their places in the engine's table.

        Args:
            query: The query, for its schema.
            columns: Places of columns by name, in the types of `places`; others have their name.
        """
        self.schema = {column.name: column for column in query.schema}
        if not isinstance(columns, Mapping | None):
            raise TypeError(f"columns: expected a mapping, not {type(columns).__name__}")
        self._places = dict(columns or {})
        for name, place in self._places.items():
            if name not in self.schema:
                raise ValueError(f"columns: the query's schema has no column {name!r}")
            self._check_place(name, place)

    def _check_place(self, name: str, place: object) -> None:
        expected, types = self.places
        is_right = isinstance(place, types)
        if isinstance(place, tuple):
            is_right = is_right and len(place) > 0 and all(isinstance(step, str) for step in place)
        if not is_right:
            raise TypeError(f"columns: {name}: expected {expected}, not {place!r}")

    def read(self, query: Query, tree: Tree | None = None) -> Expression:
        """Returns the expression of all conditions; `tree` may be the query's, if known."""
        tree = query.tree() if tree is None else tree
        if "search" in tree:
            raise self.refusal("search", "searches ignore the case of all alphabets")
        for leaf in leaves(tree["where"]):
            column, kind = self.schema[leaf["column"]], kind_of(leaf)
            if not is_answered(self.answers, kind, column):
                why = f"it has no test {kind} of {of_type(column)}"
                raise self.refusal(column.name, why)
        where = unnested(tree["where"])
        if self.most_nesting is not None and nesting(where) > self.most_nesting:
            levels = self.most_nesting // 3
            raise self.refusal("where", f"use at most {levels} levels of AND and OR")
        return self._visit(where)

    def refusal(self, name: str, why: str) -> ValueError:
        """Returns the error of a condition that the engine can't evaluate exactly."""
        return ValueError(f"{name}: {self.engine} has no exact expression for it: {why}")

    # --- Expressions of an engine -------------------------------------------------------------

    @abstractmethod
    def constant(self, value: bool) -> Expression:
        """Returns the expression that every row meets, or no row."""

    @abstractmethod
    def operand(self, column: Column) -> Operand:
        """Returns a row's value in a column."""

    @abstractmethod
    def present(self, operand: Operand) -> Expression:
        """Returns the expression that the value isn't null."""

    @abstractmethod
    def compare(self, operand: Operand, comparison: str, value: object) -> Expression:
        """Returns `operand > value` and the like; false for null."""

    @abstractmethod
    def is_true(self, operand: Operand, wanted: bool) -> Expression:
        """Returns the expression that a boolean has the value `wanted`; false for null."""

    @abstractmethod
    def is_any(self, operand: Operand, values: Values) -> Expression:
        """Returns the expression that the value is one of `values`, which aren't empty."""

    @abstractmethod
    def folded(self, operand: Operand) -> Operand:
        """Returns a text with its ASCII letters, and no others, in lower case."""

    @abstractmethod
    def after(self, operand: Operand, mark: str) -> Operand:
        """Returns a text after the first `mark`, a byte; all of it without one."""

    @abstractmethod
    def before(self, operand: Operand, mark: str) -> Operand:
        """Returns a text before the first `mark`, a byte; all of it without one."""

    def in_bytes(self, operand: Operand) -> Operand:
        """Returns a text whose parts are compared by their bytes."""
        return operand

    def lowered(self, operand: Operand) -> Operand:
        """Like folded(), for a text whose parts are compared."""
        return self.folded(operand)

    def can_hold(self, value: object) -> bool:
        """Returns true if rows can hold a value; other values equal no row."""
        return True

    @abstractmethod
    def has_item(self, column: Column, meets: Callable[[Operand], Expression]) -> Expression:
        """Returns the expression that any item of a list meets a condition; false for null."""

    def has_value(self, column: Column) -> Expression:
        """Returns the expression that a row has a value, which NaN isn't."""
        return self.present(self.operand(column))

    def has_part(self, operand: Operand, test: str, part: str) -> Expression:
        """Returns the expression that a text `contains`, `starts_with` or `ends_with` a part."""
        raise NotImplementedError

    def has_record(self, column: Column, where: Tree) -> Expression:
        """Returns the expression that any record of a list meets a condition."""
        raise NotImplementedError

    def is_any_number(self, operand: Operand, column: Column, numbers: list[int]) -> Expression:
        """Returns the expression that it is one of some 64-bit integers, maybe none."""
        return self._is_any(operand, numbers)

    def is_any_day(self, column: Column, days: list[int]) -> Expression:
        """Returns the expression that a date is one of some, counted from 1970."""
        raise NotImplementedError

    def is_any_uuid(self, operand: Operand, column: Column, texts: list[str]) -> Expression:
        """Returns the expression that it is one of some UUIDs, texts in lower case."""
        return self._is_any(self.folded(operand), texts)

    def is_any_choice(self, operand: Operand, column: Column, texts: list[str]) -> Expression:
        """Returns the expression that it is one of some choices, maybe none."""
        return self._matches(operand, texts, column.collation)

    def integer_bound(self, column: Column, comparison: str, number: int) -> Expression:
        """Compares 64-bit integers by any comparison; false for null."""
        return self.compare(self.operand(column), comparison, number)

    @abstractmethod
    def time_bound(self, column: Column, comparison: str, milliseconds: int) -> Expression:
        """Compares a time by `gte` or `lt`; false for null."""

    def text_bound(self, column: Column, comparison: str, text: str) -> Expression:
        """Compares the bytes of texts."""
        return self.compare(self.operand(column), comparison, text)

    def real_bound(self, column: Column, comparison: str, number: float) -> Expression:
        """Compares floats; false for NaN."""
        raise NotImplementedError

    def day_bound(self, column: Column, comparison: str, days: int) -> Expression:
        """Compares a date with a number of days since 1970."""
        raise NotImplementedError

    @abstractmethod
    def decimal_bound(self, column: Column, comparison: str, number: str) -> Expression:
        """Compares a decimal of any length, a JSON number, by any comparison; false for null."""

    def metadata(self, column: Column, leaf: Tree) -> Expression:
        """Returns the condition of a metadata expression on JSON text."""
        raise self.refusal(column.name, "metadata is read from JSON text; a mask reads it")

    # --- The tree ----------------------------------------------------------------------------

    def _visit(self, where: Tree) -> Expression:
        if "column" in where:
            return self._leaf(self.schema[where["column"]], where)
        if "not" in where:
            return negation(self._visit(where["not"]))
        if "all" in where:
            return self.all_of([self._visit(part) for part in where["all"]])
        return self.any_of([self._visit(part) for part in where["any"]])

    def all_of(self, parts: Sequence[Expression]) -> Expression:
        """Combines expressions with AND."""
        return reduce(operator.and_, parts) if parts else self.constant(True)

    def any_of(self, parts: Sequence[Expression]) -> Expression:
        """Combines expressions with OR."""
        return reduce(operator.or_, parts) if parts else self.constant(False)

    def _leaf(self, column: Column, leaf: Tree) -> Expression:
        if "any_of" in leaf:
            return self._texts(column, leaf["any_of"])
        if "none_of" in leaf:
            values = leaf["none_of"]
            return negation(self._texts(column, values)) if values else self.constant(True)
        if "matches" in leaf:
            return self.metadata(column, leaf)
        if "is" in leaf:
            return self.is_true(self.operand(column), leaf["is"])
        if "is_null" in leaf:
            has_value = self.has_value(column)
            return negation(has_value) if leaf["is_null"] else has_value
        if "all_of" in leaf:
            items = [self._texts(column, [value]) for value in leaf["all_of"]]
            return self.all_of(items or [self.has_value(column)])
        if "any" in leaf:
            return self.has_record(column, leaf["any"])
        for test in ("contains", "starts_with", "ends_with"):
            if test in leaf:
                return self._parts(column, test, leaf[test])
        return self._bounds(column, {name: leaf[name] for name in COMPARISONS if name in leaf})

    # --- Texts -------------------------------------------------------------------------------

    def _texts(self, column: Column, values: list[str]) -> Expression:
        """Returns the expression that a filter with these values accepts a row."""
        if not values:  # an empty filter
            return self.constant(True)
        if column.type == "date":
            return self.is_any_day(column, [to_days(value) for value in values])
        if column.is_list:
            return self.has_item(column, lambda item: self._is_named(item, column, values))
        return self._is_named(self.operand(column), column, values)

    def _is_named(self, operand: Operand, column: Column, values: list[str]) -> Expression:
        """Returns the test that a value is any of `values`, by the column's type."""
        if column.type == "integer":
            return self.is_any_number(operand, column, to_integers(values))
        if column.type == "uuid":
            return self.is_any_uuid(operand, column, values)
        if column.type == "choice":
            return self.is_any_choice(operand, column, values)
        return self._matches(operand, values, column.collation)

    def _parts(self, column: Column, test: str, parts: list[str]) -> Expression:
        ignores_case, _, _ = _COLLATIONS[column.collation]
        held = [_ascii_lower(part) if ignores_case else part for part in parts]
        held = [part for part in held if self.can_hold(part)]

        def has_any(text: Operand) -> Expression:
            compared = self.lowered(text) if ignores_case else self.in_bytes(text)
            return self.any_of([self.has_part(compared, test, part) for part in held])

        return self.has_item(column, has_any) if column.is_list else has_any(self.operand(column))

    def _is_any(self, operand: Operand, values: Values) -> Expression:
        """Like is_any(), but skips values that no row can hold."""
        held: Any = [value for value in values if self.can_hold(value)]
        return self.is_any(operand, held) if held else self.constant(False)

    def _matches(self, operand: Operand, values: list[str], collation: Collation) -> Expression:
        """Returns the expression that a text equals any value under a collation.

        Some collations also compare a part of the text: the one before the mark `before`, with
        values that lack the mark, or the one after the mark `after`, with all values.
        """
        ignores_case, before, after = _COLLATIONS[collation]
        fold = self.folded if ignores_case else lambda text: text
        values = [_ascii_lower(value) for value in values] if ignores_case else values
        if before:
            part = fold(self.before(operand, before))
            whole = [value for value in values if before in value]
            parts = [value for value in values if before not in value]
            return self.any_of([self._is_any(fold(operand), whole), self._is_any(part, parts)])
        whole_text = self._is_any(fold(operand), values)
        if not after:
            return whole_text
        return self.any_of([whole_text, self._is_any(fold(self.after(operand, after)), values)])

    # --- Bounds ------------------------------------------------------------------------------

    def _bounds(self, column: Column, bounds: Mapping[str, Any]) -> Expression:
        """Returns the expression that a value lies within bounds, or exists if there are none."""
        if column.type == "choice":
            choices = _choices_within(column, bounds)
            return self.is_any_choice(self.operand(column), column, choices)
        bound = self._bound_of(column)
        if bounds:
            return self.all_of([bound(name, value) for name, value in bounds.items()])
        if column.type in ("time", "date"):
            return self.present(self.operand(column))
        zero: Any = "0" if column.type == "decimal" else 0
        return self.any_of([bound("gte", zero), bound("lt", zero)])  # any number, but NaN is none

    def _bound_of(self, column: Column) -> Callable[[str, Any], Expression]:
        if column.type == "time":
            return lambda comparison, time: self._time_bound(column, comparison, time)
        if column.type == "decimal":
            return lambda comparison, number: self.decimal_bound(column, comparison, number)
        if column.type == "real":
            return lambda comparison, number: self.real_bound(column, comparison, number)
        if column.type == "date":
            return lambda comparison, day: self.day_bound(column, comparison, to_days(day))
        if column.type == "text":
            return lambda comparison, text: self.text_bound(column, comparison, text)
        return lambda comparison, number: self.integer_bound(column, comparison, number)

    def _time_bound(self, column: Column, comparison: str, time: str) -> Expression:
        """Compares whole milliseconds: finer times count as the millisecond that contains them."""
        milliseconds = to_milliseconds(time) + (comparison in ("gt", "lte"))
        return self.time_bound(column, "gte" if is_lower(comparison) else "lt", milliseconds)


def negation(expression: Expression) -> Expression:
    """Negates an expression."""
    return operator.invert(expression)  # type: ignore[arg-type]


def _choices_within(column: Column, bounds: Mapping[str, str]) -> list[str]:
    """Returns the choices that lie within bounds by their order."""
    place = {text: at for at, text in enumerate(column.choices)}
    return [
        text
        for text, at in place.items()
        if all(COMPARISONS[name](at, place[bound]) for name, bound in bounds.items())
    ]


def _ascii_lower(text: str) -> str:
    return re.sub("[A-Z]+", lambda upper: upper[0].lower(), text)
