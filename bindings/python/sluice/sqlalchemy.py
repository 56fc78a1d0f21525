# SPDX-License-Identifier: MIT
"""Pages of lists that SQLAlchemy selects.

```
class Orders(sluice.ListQuery, model=OrderModel): ...

rows = session.scalars(sluice.sqlalchemy.select(query, OrderModel)).all()
```
"""

from collections.abc import Mapping
from typing import Any

from sluice._expressions.missing import explained
from sluice._list_requests import ListRequest, place_of

with explained("sqlalchemy"):
    import sqlalchemy as sa

__all__ = ["select"]


def select(
    query: ListRequest,
    model: type[Any],
    columns: Mapping[str, str | sa.ColumnElement[Any]] | None = None,
) -> sa.Select[Any]:
    """Selects the page that a query asks for, in its order, with null first where it ascends.

    Args:
        query: What was asked for.
        model: The mapped class of the rows.
        columns: As for `query.where()`.

    Raises:
        ApiError: The query begins at a cursor, which a page that has a number does not.
    """
    number, size = place_of(query)
    places = columns or {}
    keys = [
        (_place(model, places.get(key["column"], key["column"])), key["direction"] == "desc")
        for key in query.tree()["order"]
    ]
    order = [key.desc().nulls_last() if down else key.asc().nulls_first() for key, down in keys]
    rows = sa.select(model).where(query.where(model, columns)).order_by(*order)
    return rows.offset((number - 1) * size).limit(size)


def _place(model: type[Any], place: str | sa.ColumnElement[Any]) -> sa.ColumnElement[Any]:
    found: sa.ColumnElement[Any] = getattr(model, place) if isinstance(place, str) else place
    return found
