# SPDX-License-Identifier: MIT
"""Pages of lists: the headers with links to adjacent pages, for any framework.

```
rows = connection.execute(*query.to_sql("sqlite", "orders")).fetchall()
ends = sluice.pages.ends_of(query, rows)
headers = sluice.pages.page_headers(query, "/orders", len(rows), ends=ends)
```
"""

from collections.abc import Sequence
from typing import NamedTuple

from sluice._list_requests import ListRequest
from sluice._sluice import write_page_headers

__all__ = ["Ends", "ends_of", "page_headers"]


class Ends(NamedTuple):
    """The sort keys of a page's first and last rows."""

    first: Sequence[object]
    last: Sequence[object]


Ends.first.__doc__ = "The sort keys of the first row."
Ends.last.__doc__ = "The sort keys of the last row."


def ends_of(query: ListRequest, rows: Sequence[Sequence[object]]) -> Ends | None:
    """Returns the ends of a page, from rows selected by to_sql(); None without rows."""
    keys = len(query.tree()["order"])
    return Ends(rows[0][-keys:], rows[-1][-keys:]) if rows else None


def page_headers(
    query: ListRequest,
    path: str,
    shown: int,
    *,
    ends: Ends | None = None,
    has_more: bool | None = None,
    total: int | None = None,
) -> dict[str, str]:
    """Returns the headers of a page: Link, and X-Total-Count if the total is known.

    A Link of more than 2,816 bytes, which proxies may refuse, loses first, then prev, then all.

    Args:
        query: The query of the request.
        path: The path of the list, with which the links begin, including the mount path. Characters
            that URLs don't allow are percent-encoded; `%` is not, because it may be part of an
            encoded one.
        shown: The number of rows on the page.
        ends: The sort keys of its first and last rows, which are the last columns of to_sql()'s
            rows. With them links have cursors, which neither repeat nor skip rows; without them,
            page numbers.
        has_more: True if more rows follow, or precede if a cursor leads backwards. By default it is
            derived from the total, or else assumed if the page is full.
        total: The number of rows on all pages.

    Raises:
        ValueError: The query's class has no page.
        ApiError: The ends don't match the query's order.
    """
    return write_page_headers(query, path, shown, ends, has_more, total)
