# SPDX-License-Identifier: MIT
"""Groups of rows and their measures: counts, sums, averages, by columns and buckets of time.

```
class Sales(sluice.ListQuery):
    total = sluice.decimal(operators=(">=", "<="))
    created = sluice.window()
    groups = sluice.group_by(sluice.Column("country"), "created", name="groupBy")
    measures = sluice.measures("total")

rows = Sales.parse("groupBy=created.day&measures=sum_total").aggregate.apply(orders)
```

aggregate() and aggregate_sql() take the tree of an aggregate, of whatever origin.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sluice._declared.groups import DISTINCT, Facets, conditions_of
from sluice._sluice import aggregate, aggregate_sql, facet_tree

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.dataset as ds

    from sluice._column import Column
    from sluice._declared.list_query import ListQuery
    from sluice._sluice import _Dialect, _Storage
    from sluice.sql import Statement

__all__ = ["Aggregate", "aggregate", "aggregate_sql", "facet_tree", "facets"]

Rows = list[dict[str, Any]]


_COUNT = ({"measure": "count"},)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ESCAPED = re.compile("\x01([01])")  # NUL and itself in texts of JSON, as prepare() has them


def name_of(part: Mapping[str, Any]) -> str:
    """Returns the name of a group or a measure without one of its own."""
    if part.get("measure") == "count":
        return "count"
    name = f"{part['measure']}_{part['column']}" if "measure" in part else part["column"]
    return ".".join([name, *part.get("path", ())])


def without_escapes(text: str) -> str:
    """Returns a text of JSON that prepare() has escaped as it was."""
    return _ESCAPED.sub(lambda escaped: "\0" if escaped[1] == "0" else "\x01", text)


def _without_zeros(number: Decimal) -> Decimal:
    """Returns a number of any length without zeros at its end and without an exponent."""
    text = f"{number:f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return Decimal("0" if text == "-0" else text)


def _read(value: Any, measure: str, column: "Column | None") -> object:  # noqa: ANN401
    """Returns a value of a database as that of an answer in memory."""
    kind = column.type if column else "integer"
    if measure in ("count", *DISTINCT):
        return int(value)
    if measure == "average" or kind == "real":
        return float(value)
    if kind == "integer":
        return int(value)
    is_key = isinstance(value, str) and "e" not in value and measure in ("", "min", "max")
    if kind == "decimal" and not is_key:
        return _without_zeros(Decimal(str(value)))
    if isinstance(value, datetime):
        return value if value.tzinfo else value.replace(tzinfo=UTC)
    if kind == "time":
        is_number = not isinstance(value, str)
        moment = _EPOCH + timedelta(milliseconds=int(value)) if is_number else None
        return moment or datetime.fromisoformat(value)
    if kind == "date":
        return date.fromisoformat(str(value))
    if kind == "json":
        return without_escapes(value)
    if kind == "uuid":
        text = str(value)
        return str(UUID(text)) if len(text) == 32 else text  # ORMs' texts in SQLite have no hyphens
    return bool(value) if kind == "boolean" else value


@dataclass(frozen=True)
class Aggregate:
    """An aggregate query: groups and measures of the rows that meet conditions.

    Attributes:
        tree: The groups, measures, conditions, order and limit, as aggregate() takes them.
        schema: The columns, a tuple of Column.
    """

    tree: Mapping[str, Any]
    schema: "tuple[Column, ...]"

    def apply(self, rows: Any, columns: Mapping[str, str | None] | None = None) -> Rows:  # noqa: ANN401
        """Returns the groups of rows in memory, as dicts like those of aggregate().

        Args:
            rows: Mappings or other objects; a frame of polars or pandas, lazy or not; a table,
                batch or dataset of pyarrow; a relation of DuckDB; or a mapping of names to columns,
                such as arrays of NumPy.
            columns: Names in the rows by the columns of the schema, as for matches() of a query.
        """
        from sluice._applied.groups import apply

        return apply(rows, self.tree, self.schema, columns)

    def to_polars(
        self,
        frame: "pl.LazyFrame | pl.DataFrame",
        columns: "Mapping[str, str | tuple[str, ...] | pl.Expr] | None" = None,
    ) -> "pl.LazyFrame":
        """Returns the groups of a frame as a lazy frame, in their order.

        Nothing is read before it is collected, and a scan of files stays one. Its rows, as
        to_dicts() of the collected frame has them, are those of apply(); but sums of doubles are
        polars' own.

        Args:
            frame: The rows.
            columns: Columns of the frame, as for to_polars() of a query.

        Raises:
            ApiError: A bucket of time has no first or last time in the conditions.
            ValueError: polars has no exact expression for a condition or a column.
        """
        from sluice._expressions.polars_groups import to_polars

        return to_polars(self, frame, columns)

    def to_pyarrow(
        self,
        source: "pa.Table | pa.RecordBatchReader | ds.Dataset",
        columns: "Mapping[str, str | tuple[str, ...] | pc.Expression] | None" = None,
    ) -> "pa.Table":
        """Returns the groups of a source by the hash aggregation of pyarrow, in their order.

        It is read batch by batch, and a dataset's files as its scanner does. The rows, as
        to_pylist() of the table has them, are those of apply(); but sums of doubles are pyarrow's
        own, and sums of integers are decimals.

        Args:
            source: The rows.
            columns: Columns of the source, as for to_pyarrow() of a query.

        Raises:
            ApiError: A bucket of time has no first or last time in the conditions.
            ValueError: pyarrow has no exact expression for a condition or a column.
        """
        from sluice._expressions.pyarrow_groups import to_pyarrow

        return to_pyarrow(self, source, columns)

    def to_sql(
        self,
        dialect: "_Dialect",
        table: str,
        *,
        columns: Mapping[str, Any] | None = None,
        metadata: "_Storage" = "prepared",
    ) -> "Statement":
        """Returns the statement for the groups; see aggregate_sql()."""
        return aggregate_sql(
            self.tree, self.schema, dialect, table, columns=columns, metadata=metadata
        )

    def read(self, rows: Iterable[Sequence[object]]) -> Rows:
        """Returns the rows that a database answered to to_sql() as those of apply().

        Groups, least and largest of decimals that the table has as order keys stay order keys.
        """
        types = {column.name: column for column in self.schema}
        kinds = [
            (of.get("as") or name_of(of), of.get("measure", ""), types.get(of.get("column", "")))
            for of in (*self.tree.get("group_by", ()), *(self.tree.get("measures") or _COUNT))
        ]
        return [
            {
                name: None if value is None else _read(value, measure, column)
                for (name, measure, column), value in zip(kinds, row, strict=True)
            }
            for row in rows
        ]


def facets(
    query: "ListQuery",
    answer: Any,  # noqa: ANN401
    columns: Mapping[str, str | None] | None = None,
) -> dict[str, list[dict[str, Any]]]:
    """Returns the most frequent values of the columns that a request names by sluice.facets().

    Each is counted under the query's conditions on other columns: a filter of a column leaves its
    own facet whole.

    Args:
        query: The query.
        answer: The rows, as for Aggregate.apply(), or a function that returns the answer to an
            Aggregate.
        columns: Names in the rows by the columns, as for Aggregate.apply().

    Returns:
        Lists of dicts with "value" and "count", the most frequent first, by the names of facets.

    Example:
        >>> class Orders(sluice.ListQuery):
        ...     country = sluice.filter()
        ...     facets = sluice.facets("country")
        >>> orders = [{"country": "US"}, {"country": "DE"}, {"country": "US"}]
        >>> sluice.groups.facets(Orders.parse("country=DE&facets=country"), orders)
        {'country': [{'value': 'US', 'count': 2}, {'value': 'DE', 'count': 1}]}
    """
    kind = type(query)
    answered: dict[str, list[dict[str, Any]]] = {}
    rows = [*answer] if isinstance(answer, Iterator) else answer
    conditions = conditions_of(query)
    for attribute in kind.places:
        parameter = getattr(kind, attribute)
        if not isinstance(parameter, Facets):
            continue
        names = parameter.names(kind._others)
        for name in getattr(query, attribute):
            column = names[name]
            tree = facet_tree({"where": conditions}, query.schema, column, parameter.values)
            wanted = Aggregate(tree, query.schema)
            groups = rows(wanted) if callable(rows) else wanted.apply(rows, columns)
            counted = [row for row in groups if row[column] is not None]
            answered[name] = [
                {"value": row[column], "count": row["count"]} for row in counted[: parameter.values]
            ]
    return answered
