# SPDX-License-Identifier: MIT
"""Pages of lists selected by SQLAlchemy.

```
class Orders(sluice.ListQuery, model=OrderModel): ...

rows = session.scalars(sluice.sqlalchemy.select(query, OrderModel)).all()
```
"""

from collections.abc import Mapping
from typing import Any

from sluice._expressions.missing import explained
from sluice._expressions.sqlalchemy import ordered
from sluice._list_requests import ListRequest, rows_before

with explained("sqlalchemy"):
    import sqlalchemy as sa

__all__ = ["select"]


def select(
    query: ListRequest,
    model: type[Any] | sa.FromClause,
    columns: Mapping[str, str | sa.ColumnElement[Any]] | None = None,
) -> sa.Select[Any]:
    """Returns the SELECT of a query's page, in its order, with nulls first if ascending.

    Texts are ordered by their bytes in SQLite and PostgreSQL.

    Args:
        query: The query of the request.
        model: The mapped class of the rows, or a Table, whose rows `session.execute()` returns.
        columns: As for `query.where()`.

    Raises:
        ApiError: The query begins at a cursor, which only page numbers support.
    """
    before, size = rows_before(query)
    places, schema = columns or {}, {column.name: column for column in query.schema}
    order = []
    for key in query.tree()["order"]:
        name = key["column"]
        by = ordered(_place(model, places.get(name, name)), schema[name])
        is_down = key["direction"] == "desc"
        order.append(by.desc().nulls_last() if is_down else by.asc().nulls_first())
    rows = sa.select(model).where(query.where(model, columns)).order_by(*order)
    return rows.offset(sa.literal(before, sa.BigInteger())).limit(size)


def _place(
    model: type[Any] | sa.FromClause, place: str | sa.ColumnElement[Any]
) -> sa.ColumnElement[Any]:
    """Returns the column of a model by its name, or an expression as it is."""
    if not isinstance(place, str):
        return place
    column: sa.ColumnElement[Any] = (
        model.c[place] if isinstance(model, sa.FromClause) else getattr(model, place)
    )
    return column
