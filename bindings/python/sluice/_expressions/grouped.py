# SPDX-License-Identifier: MIT
"""The columns of an aggregate that expressions of an ORM group by and measure."""

import itertools
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from sluice._column import Column
from sluice._expressions import sql
from sluice._expressions.tests import kind_of
from sluice.groups import Aggregate, Rows, aggregate_sql, name_of, without_escapes
from sluice.sql import Place, text_at

if TYPE_CHECKING:
    from sluice._declared.list_query import ListQuery
    from sluice._expressions.sql_visitor import SqlVisitor
    from sluice._sluice import _Dialect

# The types of values in the SELECT of an ORM that aren't as ddl() makes them.
_NATIVE = {
    ("decimal", "postgresql"): "numeric",
    ("decimal", "mariadb"): "decimal(65,30)",
    ("json", "postgresql"): "jsonb",
    ("json", "sqlite"): "json",
}
_MARKS = r"[?$](\d+)|%s|%%"  # of parameters, in every database


def whole(query: "ListQuery | Aggregate") -> tuple[Aggregate, "ListQuery"]:
    """Returns the aggregate of a request with all its members, and its conditions."""
    from sluice._declared.list_query import ListQuery

    wanted = query if isinstance(query, Aggregate) else query.aggregate
    tree = {"where": {"all": []}, "group_by": [], "order": [], "limit": 1_000, **wanted.tree}
    tree["measures"] = tree.get("measures") or [{"measure": "count"}]
    for parts in ("group_by", "measures"):
        tree[parts] = [{"as": name_of(part), **part} for part in tree[parts]]
    conditions = ListQuery.from_tree({"where": tree["where"]}, wanted.schema)
    return Aggregate(tree, wanted.schema), conditions


def valued_columns(aggregate: Aggregate) -> dict[str, Column]:
    """Returns the columns that an aggregate groups by and measures, by name."""
    columns = {column.name: column for column in aggregate.schema}
    parts = (*aggregate.tree["group_by"], *aggregate.tree["measures"])
    return {name: columns[name] for part in parts if (name := part.get("column"))}


def has_paths(aggregate: Aggregate) -> bool:
    """Returns true if a group is a path of JSON."""
    return any("path" in part for part in aggregate.tree["group_by"])


def group_order(aggregate: Aggregate) -> list[tuple[bool, int, bool]]:
    """Returns the order with its ties: if it is by a measure, the index, and if it descends."""
    tree = aggregate.tree
    groups = [part["as"] for part in tree["group_by"]]
    measures = [part["as"] for part in tree["measures"]]
    order: list[tuple[bool, int, bool]] = []
    for key in tree["order"]:
        is_measure = "measure" in key
        name: Any = key["measure" if is_measure else "group"]
        at = (measures if is_measure else groups).index(name)
        order.append((is_measure, at, key["direction"] == "desc"))
    return order + [(False, at, False) for at in range(len(groups))]


def bucket_starts(aggregate: Aggregate, group: Mapping[str, Any]) -> list[int]:
    """Returns the starts of all buckets of time that the conditions allow, in milliseconds.

    Raises:
        ApiError: The conditions set no first or last time, or there are too many buckets.
    """
    buckets = {"where": aggregate.tree["where"], "group_by": [group]}
    pairs = aggregate_sql(buckets, aggregate.schema, "sqlite", "rows").parameters[0]
    return [begin for begin, _ in json.loads(pairs)]


def has_every_bucket(aggregate: Aggregate) -> bool:
    """Returns true if a bucket of time is the only group."""
    groups = aggregate.tree["group_by"]
    columns = {column.name: column for column in aggregate.schema}
    is_only = len(groups) == 1 and "bucket" in groups[0]
    return is_only and columns[groups[0]["column"]].type == "time"


def name_in_rows(at: int) -> str:
    """Returns the name, in the SELECT of an ORM, of a column of valued_columns()."""
    return f"sluice_column_{at}"


class RowGroups:
    """The statement of an aggregate over rows that an ORM selects.

    The rows meet the conditions, and have the values of valued_columns() as
    SqlVisitor.group_value() writes them.

    Attributes:
        text: The SQL, in which {0} stands for the SELECT, as a table, and {1} and so on for the
            parameters.
        parameters: The values of the parameters.
    """

    def __init__(
        self,
        aggregate: Aggregate,
        database: str,
        visitor: "SqlVisitor[Any, Any]",
    ) -> None:
        """Writes the statement.

        Raises:
            ApiError: The database can't answer exactly.
            ValueError: The database is none of the known ones, or can't read a column exactly; the
                message names it.
        """
        if database not in sql.PLAIN:
            raise ValueError(f"aggregates: expected {' or '.join(sql.PLAIN)}, not {database}")
        columns = valued_columns(aggregate)
        self._texts = {
            name: visitor.choice_texts(column)
            for name, column in columns.items()
            if column.type == "choice"
        }
        schema, places = [], {}
        for at, (name, column) in enumerate(columns.items()):
            _check(aggregate, column, database)
            native = _NATIVE.get((column.type, database))
            place = name_in_rows(at)
            places[name] = Place(place, native) if native else place
            is_real = column.type == "decimal" and not native
            choices = [*self._texts.get(name, ())]
            type_ = "real" if is_real else column.type
            schema.append(replace(column, type=type_, choices=choices, is_nullable=True))
        tree = {**aggregate.tree, "where": _bounds_of(aggregate)}
        dialect = cast("_Dialect", database)
        statement = aggregate_sql(tree, schema, dialect, "{0}", columns=places)
        numbers = itertools.count(1)

        def number(mark: "re.Match[str]") -> str:
            return "%" if mark[0] == "%%" else f"{{{mark[1] or next(numbers)}}}"

        self.text = re.sub(_MARKS, number, statement.text)
        self.parameters: Sequence[object] = statement.parameters
        self._aggregate = aggregate

    def read(self, rows: Iterable[Sequence[object]]) -> Rows:
        """Returns the rows of the answer as Aggregate.apply() does."""
        groups = self._aggregate.tree["group_by"]
        texts: list[Mapping[Any, str]] = [self._texts.get(part["column"], {}) for part in groups]
        return self._aggregate.read(
            [of.get(value, value) for of, value in zip(texts, row, strict=False)]
            + [*row[len(texts) :]]
            for row in rows
        )


def _check(aggregate: Aggregate, column: Column, database: str) -> None:
    """Raises the error of a column that a database can't read exactly."""
    parts = (*aggregate.tree["group_by"], *aggregate.tree["measures"])
    uses = [part for part in parts if part.get("column") == column.name]
    if column.type == "decimal" and database == "sqlite" and any("measure" in of for of in uses):
        raise ValueError(f"{column.name}: SQLite has no exact decimals: leave the measure out")
    if column.type == "json" and database not in sql.AS_JSON:
        raise ValueError(f"{column.name}: {sql.refusal(database, sql.AS_JSON)}")


def _bounds_of(aggregate: Aggregate) -> dict[str, Any]:
    """Returns the conditions on times that all rows meet, which say where buckets begin and end."""
    names = {group["column"] for group in aggregate.tree["group_by"] if "bucket" in group}
    parts, bounds = [aggregate.tree["where"]], []
    while parts:
        part = parts.pop()
        parts += part.get("all", ())
        if part.get("column") in names and kind_of(part) == "bounds":
            bounds.append(part)
    return {"all": bounds}


def text_reader(path: Sequence[str]) -> Callable[[object], str | None]:
    """Returns a function that reads the text at a path of JSON: a document, or what it is of."""
    pointer = _pointer_of(path)

    def text_of(document: object) -> str | None:
        is_text = document is None or isinstance(document, str)
        text = text_at(cast(str, document) if is_text else json.dumps(document), pointer)
        return None if text is None else without_escapes(text)

    return text_of


def _pointer_of(path: Sequence[str]) -> str:
    """Returns a path as a JSON pointer, with ~2 for NUL, as prepare() has it."""
    escaped = (
        key.replace("~", "~0").replace("/", "~1").replace("\0", "~2")  # ~ first
        for key in path
    )
    return "".join(f"/{key}" for key in escaped)
