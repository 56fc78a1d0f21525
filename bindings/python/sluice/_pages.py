# SPDX-License-Identifier: MIT
"""Pages of rows that an ORM selects: what to select, and the links beside it."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from sluice._expressions.keys import Place
from sluice._list_requests import MOST_ROWS, ListRequest
from sluice.pages import Ends, page_headers

Row = TypeVar("Row")

_LINK = re.compile(r'<([^>]*)>; rel="(\w+)"')


@dataclass(frozen=True)
class Page(Generic[Row]):
    """A page of a list.

    Attributes:
        rows: The rows.
        headers: The headers of the answer: Link, and X-Total-Count if the total is exact.
        links: The URLs of other pages by their relation, such as `next`.
        total: The number of rows on all pages, or None if it wasn't counted.
        is_capped: True if there are more rows than the total, where counting ended.
        has_more: True if another page follows, or precedes one that ends at a cursor.
    """

    __module__ = "sluice"

    rows: list[Row]
    headers: Mapping[str, str]
    links: Mapping[str, str]
    total: int | None
    is_capped: bool
    has_more: bool


class Selection:
    """The order, the place and the size of a query's page."""

    def __init__(self, query: ListRequest) -> None:
        """Reads them."""
        tree = query.tree()
        self._query = query
        self.order: Sequence[Mapping[str, Any]] = tree["order"]
        self.is_counted: bool = tree["total"]
        at = tree["page"] if "page" in tree else tree["cursor"]
        self.size: int = at["size"]
        self.before = min((at["number"] - 1) * self.size, MOST_ROWS) if "page" in tree else 0
        self.place = None if "page" in tree else Place(at["text"])

    def page(
        self,
        rows: Sequence[tuple[Row, Sequence[Any]]],
        keys_of: Callable[[Sequence[Any]], Sequence[object]],
        total: int | None,
        most_counted: int | None,
        path: str,
    ) -> Page[Row]:
        """Returns the page of selected rows with their keys, of which one may be too many."""
        has_more = len(rows) > self.size
        shown = rows[: self.size]
        if self.place is not None and self.place.is_before:
            shown = shown[::-1]
        ends = Ends(keys_of(shown[0][1]), keys_of(shown[-1][1])) if shown else None
        is_capped = total is not None and most_counted is not None and total > most_counted
        exact = None if is_capped else total
        headers = page_headers(
            self._query, path, len(shown), ends=ends, has_more=has_more, total=exact
        )
        links = {name: url for url, name in _LINK.findall(headers["Link"])}
        shown_total = most_counted if is_capped else total
        return Page([row for row, _ in shown], headers, links, shown_total, is_capped, has_more)
