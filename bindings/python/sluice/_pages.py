# SPDX-License-Identifier: MIT
"""Pages of rows that an ORM selects: what to select, and the links beside it."""

import json
import re
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from sluice._errors import ApiError
from sluice._expressions.keys import Key, Place, rows_beyond
from sluice._expressions.sql_visitor import SqlVisitor
from sluice._expressions.visitor import Expression, Operand
from sluice._list_requests import MOST_ROWS, ListRequest, offset_of
from sluice.pages import Ends, page_headers

Row = TypeVar("Row")
Rows = TypeVar("Rows")
Rows_co = TypeVar("Rows_co", covariant=True)

_LINK = re.compile(r'<([^>]*)>; rel="(\w+)"')


@dataclass(frozen=True)
class Page(Generic[Rows_co]):
    """A page of a list.

    Attributes:
        rows: The rows: a list, or a frame if query.apply() selected them of one.
        headers: The headers of the answer: Link, and X-Total-Count if the total is exact.
        links: The URLs of other pages by their relation, such as `next`.
        total: The number of rows on all pages, or None if it wasn't counted.
        is_capped: True if there are more rows than the total, where counting ended.
        has_more: True if another page follows, or precedes one that ends at a cursor.
    """

    __module__ = "sluice"

    rows: Rows_co
    headers: Mapping[str, str]
    links: Mapping[str, str]
    total: int | None
    is_capped: bool
    has_more: bool


class Selection:
    """The order, the place and the size of a query's page."""

    def __init__(self, query: ListRequest) -> None:
        """Reads them."""
        self.tree = tree = query.tree()
        self._query = query
        order = _whole_order(tree["order"], {column.name for column in query.schema})
        self.key_parts: tuple[str, ...] = getattr(type(query), "_key_parts", ())
        parts = [{**order[-1], "column": name} for name in self.key_parts]
        self.order = [*order[:-1], *parts] if parts else order
        self.is_counted: bool = tree["total"]
        at = tree["page"] if "page" in tree else tree["cursor"]
        self.size: int = at["size"]
        self.before = min(offset_of(at), MOST_ROWS) if "page" in tree else 0
        self.place = None if "page" in tree else Place(at["text"])
        if self.place is not None and parts:
            self.place.keys[-1:] = _parts_of(self.place.keys[-1], len(parts))

    def beyond(
        self, visitor: SqlVisitor[Operand, Expression], keys: Sequence[Key[Operand]]
    ) -> Expression:
        """Returns the condition of the rows beyond the place.

        Raises:
            ApiError: The place has a key of several columns that isn't theirs.
        """
        assert self.place is not None
        try:
            return rows_beyond(visitor, keys, self.place.keys)
        except ValueError:
            if not self.key_parts:
                raise
            raise malformed() from None

    def _ends(self, keys: Sequence[object]) -> Sequence[object]:
        """Returns the keys of a row with one for the columns of the unique key."""
        count = len(self.key_parts)
        return [*keys[:-count], json.dumps([*map(_text_of, keys[-count:])])] if count else keys

    def page(
        self,
        rows: Sequence[tuple[Row, Sequence[Any]]],
        keys_of: Callable[[Sequence[Any]], Sequence[object]],
        total: int | None,
        most_counted: int | None,
        path: str,
    ) -> Page[list[Row]]:
        """Returns the page of rows with their keys; one more row says that another page follows."""
        has_more = len(rows) > self.size
        shown = rows[: self.size]
        if self.place is not None and self.place.is_before:
            shown = shown[::-1]
        ends = [keys_of(row) for _, row in (shown[0], shown[-1])] if shown else []
        all_ = [row for row, _ in shown]
        return self.page_of(all_, len(shown), ends, has_more, total, most_counted, path)

    def page_of(
        self,
        rows: Rows,
        shown: int,
        ends: Sequence[Sequence[object]],
        has_more: bool,
        total: int | None,
        most_counted: int | None,
        path: str,
    ) -> Page[Rows]:
        """Returns a page of so many rows, with the keys of its first and last ones.

        Raises:
            ValueError: Counting would end at a number below 0.
        """
        if most_counted is not None and most_counted < 0:
            raise ValueError(f"most_counted: expected at least 0, or None, not {most_counted}")
        is_capped = total is not None and most_counted is not None and total > most_counted
        exact = None if is_capped else total
        both = Ends(*map(self._ends, ends)) if ends else None
        headers = page_headers(self._query, path, shown, ends=both, has_more=has_more, total=exact)
        links = {name: url for url, name in _LINK.findall(headers.get("Link", ""))}
        return Page(rows, headers, links, most_counted if is_capped else total, is_capped, has_more)


def _whole_order(
    order: Sequence[Mapping[str, Any]], names: Container[str]
) -> Sequence[Mapping[str, Any]]:
    """Returns sort keys whose last one is unique, as sluice::whole_order() does."""
    last = order[-1] if order else {"column": "", "direction": "asc"}
    if last.get("unique") or last["column"] == "id" or "id" not in names:
        return order
    return [*order, {**last, "column": "id"}]


def _text_of(value: object) -> str:
    """Returns a value as the text of a cursor's key."""
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    return str(value)


def _parts_of(key: str | None, count: int) -> list[str]:
    """Returns the texts of the columns of a unique key.

    Raises:
        ApiError: It isn't one of several columns.
    """
    try:
        parts = json.loads(key or "")
    except ValueError:
        parts = None
    are_texts = isinstance(parts, list) and all(isinstance(part, str) for part in parts)
    if not are_texts or len(parts) != count:
        raise malformed()
    return [*parts]


def malformed() -> ApiError:
    """Returns the error of a cursor that no page has made."""
    message = "cursor: not a cursor, take it from a Link header as it is"
    return ApiError(message, rule="cursor_malformed", param="cursor")
