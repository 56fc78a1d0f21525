# SPDX-License-Identifier: MIT
"""Pages of lists: the headers with links to adjacent pages, for any framework.

```
rows = connection.execute(*query.to_sql("sqlite", "orders")).fetchall()
ends = sluice.pages.ends_of(query, rows)
headers = sluice.pages.page_headers(query, "/orders", len(rows), ends=ends)
```
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import quote

from sluice._declared.lists import Group, Page
from sluice._declared.values import PageRequest
from sluice._list_requests import ListRequest, offset_of
from sluice._sluice import Cursor, link_header, parse_query_string, to_query_string
from sluice._window import Window

__all__ = ["Ends", "ends_of", "page_headers"]


_OF_PATHS = "/%:@[]!$&'()*+,;="  # besides letters, digits and -._~; also those of whole URLs


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
    tree = query.tree()
    if has_more is None:
        has_more = _has_more(tree, shown, total)
    url = f"{quote(path, safe=_OF_PATHS)}?{to_query_string(_with_instants(query))}"
    names = _page_names(query)
    page = tree.get("page")  # with a cursor only the first page is known
    if ends is not None and names["cursor"]:
        before, after = _cursors(query, ends, tree, has_more)
        link = link_header(url, before=before, after=after, names=names)
    elif page is not None and names["offset"] and not _counts_from_1(query):
        at = {"offset": offset_of(page), "limit": page["size"]}
        link = link_header(url, **at, has_next=has_more, names=names)
    elif page is not None and names["page"]:
        link = link_header(url, page=page["number"], has_next=has_more, names=names)
    else:
        link = link_header(url, names=names)
    return {"Link": link} | ({} if total is None else {"X-Total-Count": str(total)})


def _with_instants(query: ListRequest) -> list[tuple[str, str]]:
    """Returns the parameters with windows as instants, so that pages stay consistent over time.

    An empty window, whose instants would be reversed, is kept as requested.
    """
    pairs = parse_query_string(query.to_query_string())  # a name may be repeated
    for group, window in _windows_of(query):
        ends = {"start": window.start, "end": window.end}
        bounds = {name: _to_text(at) for name, at in ends.items() if at is not None}
        if window.start and window.end and window.start > window.end:
            continue
        if not all(group.name_of(end) for end in bounds):
            continue
        replaced = [group.name_of(name) for name in ("interval", *ends)]
        pairs = [(name, text) for name, text in pairs if name not in replaced]
        interval = {} if len(bounds) == len(ends) else {"interval": "all"}
        named = ((group.name_of(name), text) for name, text in (interval | bounds).items())
        pairs += [(name, text) for name, text in named if name]
    return pairs


def _windows_of(query: ListRequest) -> list[tuple[Group[Any], Window]]:
    """Returns the windows, with their groups."""
    return [(group, value) for group, value in _groups_of(query) if isinstance(value, Window)]


def _page_names(query: ListRequest) -> dict[str, str | None]:
    """Returns the names of the parameters that select a page, as link_header() has them.

    Raises:
        ValueError: The class has no page.
    """
    parts = ("page", "offset", "cursor")
    for group, value in _groups_of(query):
        if isinstance(value, PageRequest):
            return {part: group.name_of(part) or None for part in parts}
    if getattr(query, "places", ()):
        raise ValueError(f"{type(query).__name__}: links need its pages: give it a sluice.page()")
    return {"page": "page", "offset": None, "cursor": "cursor"}


def _counts_from_1(query: ListRequest) -> bool:
    """Returns true if the offset of pages is the number of the first row, as in SCIM."""
    pages = [group for group, _ in _groups_of(query) if isinstance(group, Page)]
    return any(page.style == "scim" for page in pages)


def _groups_of(query: ListRequest) -> Iterator[tuple[Group[Any], object]]:
    """Yields the groups of parameters, with their values."""
    for name in getattr(query, "places", ()):
        yield from getattr(type(query), name).groups(getattr(query, name))


def _to_text(instant: datetime) -> str:
    """Returns a time in UTC as RFC 3339 text."""
    return instant.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _has_more(tree: dict[str, Any], shown: int, total: int | None) -> bool:
    """Returns the default of `has_more`; see page_headers()."""
    size: int = tree["page" if "page" in tree else "cursor"]["size"]
    if total is None or "page" not in tree:
        return shown == size
    return bool(offset_of(tree["page"]) + size < total)


def _cursors(
    query: ListRequest, ends: Ends, tree: dict[str, Any], has_more: bool
) -> tuple[str | None, str | None]:
    """Returns the cursors of the previous and the next page, if these exist."""
    if "page" in tree:
        has_previous, has_next = offset_of(tree["page"]) > 0, has_more
    elif Cursor.parse(tree["cursor"]["text"]).is_before:
        has_previous, has_next = has_more, True
    else:
        has_previous, has_next = True, has_more
    before = query.cursor_beside(ends.first, before=True) if has_previous else None
    return before, query.cursor_beside(ends.last) if has_next else None
