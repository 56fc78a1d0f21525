# SPDX-License-Identifier: MIT
"""The headers of pages: which links there are, and where they lead."""

import re
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import cast
from urllib.parse import parse_qsl, urlsplit
from uuid import UUID

import pytest
from httpx import Response

import sluice
from sluice.pages import Ends, ends_of, page_headers

NOW = datetime(2026, 8, 21, 2, 30, 15, 123_000, UTC)
ENDS = Ends(["2026", "a"], ["2026", "b"])


class Orders(sluice.ListQuery):
    """Orders of a shop."""

    status = sluice.filter()
    created = sluice.window(default="30d")
    order = sluice.sort("status", default="status")
    page = sluice.page(default=10)


class Notes(sluice.ListQuery):
    """A list without a window."""

    page = sluice.page(default=10)


def links_of(headers: dict[str, str]) -> dict[str, dict[str, str]]:
    """The parameters of each link by its relation."""
    links = Response(200, headers=headers).links
    return {str(name): dict(parse_qsl(urlsplit(link["url"]).query)) for name, link in links.items()}


NUMBERED = [
    # asked, shown, more, total, previous, next
    ("", 10, None, None, None, "2"),
    ("", 9, None, None, None, None),
    ("", 0, None, None, None, None),
    ("", 10, False, None, None, None),
    ("", 3, True, None, None, "2"),
    ("", 10, None, 10, None, None),
    ("", 10, None, 11, None, "2"),
    ("page=2", 10, None, 20, "1", None),
    ("page=2", 10, None, 21, "1", "3"),
    ("page=9", 0, None, 20, "8", None),
    ("page=2&limit=3", 3, None, None, "1", "3"),
]


@pytest.mark.parametrize(("text", "shown", "more", "total", "previous", "following"), NUMBERED)
def test_numbered_pages(
    text: str,
    shown: int,
    more: bool | None,
    total: int | None,
    previous: str | None,
    following: str | None,
) -> None:
    headers = page_headers(Notes.parse(text), "/notes", shown, has_more=more, total=total)
    links = links_of(headers)
    assert links["first"]["page"] == "1"
    assert links.get("prev", {}).get("page") == previous
    assert links.get("next", {}).get("page") == following
    assert headers.get("X-Total-Count") == (None if total is None else str(total))
    if "limit" in text:
        assert {link["limit"] for link in links.values()} == {"3"}


def cursor(*, before: bool) -> str:
    keys = ENDS.first if before else ENDS.last
    text: str = Orders.parse("", now=NOW).cursor_beside(keys, before=before)
    return text


AT_A_CURSOR = [
    # asked at, shown, whether there is a page before and after
    ("page=1", 10, False, True),
    ("page=1", 9, False, False),
    ("page=2", 10, True, True),
    ("after", 10, True, True),
    ("after", 9, True, False),
    ("before", 10, True, True),
    ("before", 9, False, True),
]


@pytest.mark.parametrize(("at", "shown", "has_previous", "has_next"), AT_A_CURSOR)
def test_pages_at_cursors(at: str, shown: int, has_previous: bool, has_next: bool) -> None:
    start = Orders.parse("", now=NOW)
    place = at if "=" in at else f"cursor={cursor(before=at == 'before')}"
    query = Orders.parse(place, now=NOW)
    links = links_of(page_headers(query, "/orders", shown, ends=ENDS))
    assert ("prev" in links, "next" in links) == (has_previous, has_next)
    if has_next:
        assert links["next"]["cursor"] == start.cursor_beside(ENDS.last)
    if has_previous:
        assert links["prev"]["cursor"] == start.cursor_beside(ENDS.first, before=True)
    assert all("page" not in links[name] for name in ("prev", "next") if name in links)


SELECTED = [
    # rows as to_sql() selects them, with their sort keys last; the ends
    ([], None),
    ([("x", "2026", "a")], Ends(("2026", "a"), ("2026", "a"))),
    ([("x", "2026", "a"), ("y", "2026", "b")], Ends(("2026", "a"), ("2026", "b"))),
    ([("x", "3", "a"), ("y", "2", "b"), ("z", "1", "c")], Ends(("3", "a"), ("1", "c"))),
]


@pytest.mark.parametrize(("rows", "ends"), SELECTED)
def test_the_ends_of_a_page_are_sort_keys(rows: list[tuple[str, ...]], ends: Ends | None) -> None:
    assert ends_of(Orders.parse("", now=NOW), rows) == ends


class Prefixed(sluice.ListQuery):
    """A list whose page and window share a request with those of another."""

    created = sluice.window(default="30d", prefix="n_")
    page = sluice.page(default=10, prefix="n_")


def test_links_have_the_prefix_of_the_page() -> None:
    query = Prefixed.parse("n_page=2&n_limit=5", now=NOW)
    links = links_of(page_headers(query, "/notes", 5))
    numbers = {name: link.pop("n_page") for name, link in links.items()}
    assert numbers == {"first": "1", "prev": "1", "next": "3"}
    assert links["next"].keys() == {"n_limit", "n_start", "n_end"}
    assert Prefixed.parse(links["next"] | {"n_page": "3"}, now=NOW).page.number == 3


@pytest.mark.parametrize("attribute", ["page", "rows"])
def test_a_page_with_a_prefix_is_followed_by_cursors(attribute: str) -> None:
    page = sluice.page(default=10, prefix="n_")
    kind = cast("type[sluice.ListQuery]", type("Notes", (sluice.ListQuery,), {attribute: page}))
    ends = Ends(["a"], ["b"])
    following = links_of(page_headers(kind.parse(""), "/notes", 10, ends=ends))["next"]
    assert following.keys() == {"n_cursor"}
    query = kind.parse(following)
    assert getattr(query, attribute).cursor == following["n_cursor"]
    back = links_of(page_headers(query, "/notes", 10, ends=ends))
    assert back["first"] == {"n_page": "1"}
    assert back["prev"].keys() == back["next"].keys() == {"n_cursor"}


def test_a_link_header_keeps_what_another_page_is_asked_by() -> None:
    url = "/x?page=4&n_page=2&n_cursor=x&limit=9"
    names = {"page": "n_page", "cursor": "n_cursor"}
    header = sluice.link_header(url, page=2, has_next=True, names=names)
    kept = {"page": "4", "limit": "9"}
    links = links_of({"Link": header})
    assert links["next"] == kept | {"n_page": "3"}
    assert links["first"] == links["prev"] == kept | {"n_page": "1"}
    with pytest.raises(TypeError, match="names: expected str, not int"):
        sluice.link_header(url, page=2, names={"page": 7})  # type: ignore[dict-item]
    with pytest.raises(ValueError, match="names: expected page, offset or cursor, not 'limit'"):
        sluice.link_header(url, page=2, names={"limit": "n"})
    with pytest.raises(TypeError, match="expected one of page, offset and cursors"):
        sluice.link_header(url, page=2, offset=2)


def test_a_link_header_of_offsets_counts_rows() -> None:
    url = "/x?offset=3&limit=9&page=1"
    links = links_of({"Link": sluice.link_header(url, offset=3, limit=9, has_next=True)})
    assert links["next"] == {"limit": "9", "offset": "12"}
    assert links["first"] == links["prev"] == {"limit": "9", "offset": "0"}
    names = {"page": None, "offset": "$skip", "cursor": None}
    [first] = links_of({"Link": sluice.link_header("/x?$skip=0", names=names, offset=0)}).values()
    assert first == {"$skip": "0"}
    with pytest.raises(ValueError, match="offset: expected a number from 0"):
        sluice.link_header("/x", offset=-1)
    with pytest.raises(ValueError, match="limit: expected a number from 1"):
        sluice.link_header("/x", offset=0, limit=0)
    with pytest.raises(ValueError, match="page: expected a number from 1"):
        sluice.link_header("/x", page=0)


class Offsets(sluice.ListQuery):
    """A list of pages by offsets."""

    created = sluice.window(
        default="30d", start="created_after", end="created_before", interval=None
    )
    page = sluice.page(default=10, page=None, offset="skip", limit="top", cursor=None, count=None)


def test_pages_by_offset_are_linked_by_offset() -> None:
    assert Offsets.parameters == ("created_after", "created_before", "timezone", "skip", "top")
    query = Offsets.parse("skip=5&top=7", now=NOW)
    assert (query.page.offset, query.page.limit, query.page.skipped) == (5, 7, 5)
    links = links_of(page_headers(query, "/x", 7, ends=Ends(["a"], ["b"])))
    assert [links[name]["skip"] for name in ("first", "prev", "next")] == ["0", "0", "12"]
    assert links["next"].keys() == {"skip", "top", "created_after", "created_before"}
    assert Offsets.parse(links["next"], now=NOW).page.offset == 12
    assert "next" not in links_of(page_headers(query, "/x", 7, total=12))
    assert "next" in links_of(page_headers(query, "/x", 7, total=13))
    statement = query.to_sql("sqlite", "notes")
    assert statement.parameters[-1] == 5


class Renamed(sluice.ListQuery):
    """A list whose parameters have names of their own."""

    page = sluice.page(default=10, page="p", limit="page_size", cursor="after", count=None)


def test_links_repeat_what_the_request_repeats() -> None:
    class Goods(sluice.ListQuery):
        brand = sluice.filter(lists="repeated")
        tags = sluice.texts(name="tags[]", lists="repeated", exclusion="always")
        created = sluice.window(default="all")
        page = sluice.page(default=2)

    now = datetime(2026, 8, 21, tzinfo=UTC)
    text = "brand=a,b&brand=c&tags[]=d&tags[]=e&start=2026-08-01"
    query = Goods.parse(text, now=now)
    link = page_headers(query, "/goods", 2, has_more=True)["Link"]
    for url in link.split(", "):
        following = Goods.parse(urlsplit(url[1 : url.index(">")]).query, now=now)
        assert following.tree()["where"] == query.tree()["where"]
        assert following.brand.values == ("a,b", "c")
        assert following.tags == ("d", "e")


def test_pages_by_other_names_are_linked_by_them() -> None:
    query = Renamed.parse("p=2&page_size=7")
    assert links_of(page_headers(query, "/x", 7))["next"] == {"p": "3", "page_size": "7"}
    following = links_of(page_headers(query, "/x", 7, ends=Ends(["a"], ["b"])))["next"]
    assert following.keys() == {"after", "page_size"}
    assert Renamed.parse(following).page.cursor == following["after"]
    with pytest.raises(sluice.ApiError, match="page: unknown parameter"):
        Renamed.parse("page=2")


class Unplaced(sluice.ListQuery):
    """A list that cursors alone go through."""

    page = sluice.page(default=10, page=None, count=None)


def test_a_list_of_cursors_alone_begins_without_a_place() -> None:
    query = Unplaced.parse("limit=7")
    links = links_of(page_headers(query, "/x", 7, ends=Ends(["a"], ["b"])))
    assert links["first"] == {"limit": "7"}
    assert links["next"].keys() == {"limit", "cursor"}
    assert links_of(page_headers(query, "/x", 7)) == {"first": {"limit": "7"}}


class Named(sluice.ListQuery):
    """A list in the order of texts of any length."""

    order = sluice.sort("name", default="name")
    name = sluice.filter()
    page = sluice.page(default=2)


@pytest.mark.parametrize("size", [0, 176, 177, 252, 253, 700, 751, 752, 10_000])
def test_rows_with_texts_of_any_length_have_links_by_cursor(size: int) -> None:
    ends = Ends(("a", "i0"), ("ж" * (size // 2) + "p" * (size % 2), "i1"))
    links = links_of(page_headers(Named.parse(""), "/n", 2, ends=ends))
    place = sluice.Cursor.parse(links["next"]["cursor"])
    assert len(str(place)) <= 1_024
    assert str(ends.last[0]).startswith(str(place.keys[0]))
    assert place.keys[1] == "i1"
    assert Named.parse(links["next"]).page.cursor == str(place)


def test_a_row_whose_unique_key_is_too_long_is_the_servers_error() -> None:
    ends = Ends(("a", "i0"), ("b", "i" * 800))
    with pytest.raises(sluice.ApiError, match=r"^id: a key that no cursor") as refused:
        page_headers(Named.parse(""), "/n", 2, ends=ends)
    assert (refused.value.status, refused.value.param) == (500, "id")


def test_the_links_of_an_empty_window_ask_for_it_again() -> None:
    """Its first moment is after its last one: as instants it would be refused."""
    text = "start=2011-12-30&end=2011-12-30&timezone=Pacific/Apia"
    query = Orders.parse(text, now=NOW)
    assert query.created.start is not None
    assert query.created.end is not None
    assert query.created.start > query.created.end
    links = links_of(page_headers(query, "/orders", 0))
    again = Orders.parse(links["first"], now=NOW)
    assert again.created == query.created
    assert links["first"]["start"] == links["first"]["end"] == "2011-12-30"


def test_a_cursor_goes_on_while_the_window_moves_and_no_other_time_does() -> None:
    class Paid(sluice.ListQuery):
        created = sluice.window(default="7d")
        paid = sluice.time(operators=(">=",))
        page = sluice.page(default=2)

    values = {"paid[gte]": "2026-08-01"}
    place = Paid.parse(values, now=NOW).cursor_beside(["i0"])
    later = NOW + timedelta(days=3)
    for window in (
        {},
        {"interval": "30d"},
        {"interval": "6h"},
        {"start": "2026-01-01"},
        {"end": "2026-08-30"},
    ):
        assert Paid.parse({**values, **window, "cursor": place}, now=later).page.cursor == place
    for other in ({}, {"paid[gte]": "2026-08-02"}):
        with pytest.raises(sluice.ApiError) as refused:
            Paid.parse({**other, "cursor": place}, now=NOW)
        assert refused.value.rule == "cursor_mismatch"
    schema = Paid.parse("").schema
    tree = Paid.parse({**values, "cursor": place}, now=later).tree()
    assert sluice.ListQuery.from_tree(tree, schema).to_sql("sqlite", "paid")
    moved = Paid.parse({**values, "interval": "all"}, now=NOW).tree() | {"cursor": tree["cursor"]}
    del moved["page"]
    assert sluice.ListQuery.from_tree(moved, schema).to_sql("sqlite", "paid")


def test_a_page_at_a_cursor_without_rows_leads_to_the_first() -> None:
    query = Orders.parse(f"cursor={cursor(before=False)}", now=NOW)
    assert set(links_of(page_headers(query, "/orders", 0))) == {"first"}


WINDOWS = [
    ("", "2026-07-22T02:30:15.123Z", "2026-08-21T02:30:15.123Z"),
    ("interval=7d", "2026-08-14T02:30:15.123Z", "2026-08-21T02:30:15.123Z"),
    ("start=yesterday", "2026-08-20T00:00:00.000Z", "2026-08-21T02:30:15.123Z"),
    ("start=2026-08-01&end=2026-08-02", "2026-08-01T00:00:00.000Z", "2026-08-02T23:59:59.999Z"),
    ("start=now&end=now", "2026-08-21T02:30:15.123Z", "2026-08-21T02:30:15.123Z"),
    ("interval=all&end=now", None, "2026-08-21T02:30:15.123Z"),
    ("interval=all", None, None),
    ("interval=all&start=2026-08-01", "2026-08-01T00:00:00.000Z", None),
]


@pytest.mark.parametrize(("window", "start", "end"), WINDOWS)
def test_windows_are_linked_as_instants(window: str, start: str | None, end: str | None) -> None:
    query = Orders.parse(f"status=-open,paid&{window}", now=NOW)
    link = links_of(page_headers(query, "/orders", 10))["next"]
    assert link["status"] == "-open,paid"
    assert (link.get("start"), link.get("end")) == (start, end)
    assert link.get("interval") == (None if start and end else "all")
    later = Orders.parse(link, now=datetime(2030, 1, 1, tzinfo=UTC))
    assert later.created.start == query.created.start
    assert later.created.end == query.created.end


class Native(sluice.ListQuery):
    """A list whose rows a model holds in Python's own types."""

    total = sluice.decimal()
    created = sluice.time(operators=(">=",))
    day = sluice.text()
    owner = sluice.uuid()
    paid = sluice.boolean()
    order = sluice.sort("total", "created", "day", "owner", "paid")
    page = sluice.page(default=1)


NATIVE_KEYS: list[tuple[str, object, str | None]] = [
    ("total", Decimal("10.50"), "10.50"),
    ("total", 10, "10"),
    ("total", 0.1, "0.1"),
    ("created", datetime(2026, 8, 21, 2, 30, 15, 123_000, UTC), "1787279415123"),
    ("day", date(2026, 8, 21), "2026-08-21"),
    ("owner", UUID(int=7), "00000000-0000-0000-0000-000000000007"),
    ("paid", True, "true"),
]


@pytest.mark.parametrize(("by", "key", "text"), NATIVE_KEYS)
def test_pages_are_linked_by_keys_as_models_hold_them(by: str, key: object, text: str) -> None:
    query = Native.parse(f"order={by}")
    ends = sluice.pages.Ends((key, "o1"), (key, "o1"))
    [following] = [
        link["cursor"]
        for rel, link in links_of(page_headers(query, "/orders", 1, ends=ends)).items()
        if rel == "next"
    ]
    read = sluice.Cursor.parse(following)
    if by == "total":
        assert Decimal(str(read.keys[0])) == Decimal(str(key))
    else:
        assert read.keys[0] == text
    assert Native.parse(f"order={by}&cursor={following}").page.cursor == following


def test_a_key_that_no_cursor_holds_is_no_fault_of_the_client() -> None:
    query = Native.parse("order=created")
    with pytest.raises(sluice.ApiError) as refused:
        query.cursor_beside(["yesterday", "o1"])
    assert refused.value.status == 500


def test_a_list_without_pages_has_no_links() -> None:
    class Unpaged(sluice.ListQuery):
        status = sluice.filter()

    with pytest.raises(ValueError, match=r"^Unpaged: links need its pages: give it a sluice\.page"):
        page_headers(Unpaged.parse(""), "/orders", 1)


@pytest.mark.parametrize(("size", "relations"), [(900, "first next"), (1_800, "next"), (2_800, "")])
def test_links_that_are_too_long_are_left_out(size: int, relations: str) -> None:
    headers = page_headers(Orders.parse("status=" + "x" * size), "/orders", 10, total=90)
    assert re.findall('rel="([a-z]+)"', headers.get("Link", "")) == relations.split()
    assert headers.keys() - {"Link"} == {"X-Total-Count"}
    assert ("Link" in headers) == bool(relations)


def test_links_are_those_of_a_declared_list() -> None:
    query = cast("Orders", sluice.api.EventsQuery.parse(""))
    with pytest.raises(TypeError, match=r"^query: expected a ListQuery, not"):
        page_headers(query, "/events", 1)
