# SPDX-License-Identifier: MIT
"""Value objects: they don't change, compare by value, and survive repr, pickle and copy."""

import copy
import datetime
import pickle
from typing import Any

import pyarrow as pa
import pytest
from conftest import NOW

import sluice
from sluice import (
    Column,
    Cursor,
    Decision,
    EventsQuery,
    Filter,
    ListQuery,
    MetadataQuery,
    TagsQuery,
    TimeExpression,
)

VALUES = [
    Filter.parse(""),
    Filter.parse("US,CA"),
    Filter.parse("-US,CA"),
    Filter.parse(r"""\-a,b\,c,\\,'",🙂"""),
    MetadataQuery.parse(""),
    MetadataQuery.parse(
        """metadata['it\\'s']["a"]>=1 AND NOT (metadata[''] : x OR metadata['b']!='')"""
    ),
    EventsQuery.parse("", now=NOW),
    EventsQuery.parse("interval=all", now=NOW),
    EventsQuery.parse("start=yesterday&timezone=Asia/Tokyo&country=-US,CA&qr=true", now=NOW),
    EventsQuery.parse("event=leads&query=metadata['a']:'b c'&page=3&order=asc", now=NOW),
    EventsQuery.parse("externalId=ext_&domain=d&key=k%26&root=false&tagIds=a,b", now=NOW),
    TagsQuery.parse(""),
    TagsQuery.parse("ids=a,b&search=%27&pageSize=3"),
    ListQuery.from_tree({}, []),
    ListQuery.from_tree({}, [Column("a")]),
    ListQuery.from_tree({"where": {"column": "a", "any_of": ["b"]}}, [Column("a")]),
    ListQuery.from_tree(TagsQuery.parse("ids=a").tree(), TagsQuery.parse("").schema),
    TimeExpression.parse("3 days ago"),
    TimeExpression.parse("2026-08-21T02:30:15.123Z"),
    TimeExpression.parse("2026-08-21T02:30"),
    Cursor.parse(TagsQuery.parse("").cursor_beside(["a", "b"])),
    Cursor.parse(TagsQuery.parse("").cursor_beside(["a", "b"], before=True)),
    Decision(allowed=True, limit=5, remaining=4, reset=1_787_000_000),
    Decision(allowed=False, limit=5, remaining=0, reset=1_787_000_000, retry_after=7),
    Decision(allowed=True, limit=5, remaining=4, reset=-1_787_000_000),
    Decision(allowed=True, limit=5, remaining=4, reset=9_000_000_000_000_000),
]

SAME = [
    (Filter.parse("US,,CA"), Filter(["US", "CA"])),
    (MetadataQuery.parse("metadata['a']=1"), MetadataQuery.parse(' metadata["a"] : "1"')),
    (EventsQuery.parse("limit=5&page=1", now=NOW), EventsQuery.parse({"limit": 5}, now=NOW)),
    (TagsQuery.parse("ids=a&ids=b"), TagsQuery.parse("ids=a,b")),
]

TYPES = [
    *(Filter, MetadataQuery, EventsQuery, TagsQuery, Decision, TimeExpression, Cursor),
    *(sluice.RateLimiter, sluice.EventStore, sluice.Handler, sluice.Response, sluice.Mask),
]
PARSED_TYPES = [MetadataQuery, EventsQuery, TagsQuery, ListQuery, sluice.Response, sluice.Mask]
PARSED_TYPES += [TimeExpression, Cursor]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_repr_reads_as_the_value(value: object) -> None:
    assert eval(repr(value), {"datetime": datetime, **vars(sluice)}) == value


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_copies_are_equal(value: object) -> None:
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(value, protocol)) == value
        reduced: Any = value.__reduce_ex__(protocol)
        assert reduced[0](*reduced[1]) == value
    assert copy.copy(value) == value
    assert copy.deepcopy(value) == value


@pytest.mark.parametrize(
    "thing",
    [
        sluice.EventStore(),
        sluice.Handler(sluice.EventStore(), []),
        sluice.Handler(sluice.EventStore(), []).handle("GET", "/events", {}),
        sluice.RateLimiter(5, 60),
        Filter().mask(pa.array(["a"])),
    ],
    ids=lambda thing: type(thing).__name__,
)
def test_what_is_no_value_is_not_copied(thing: object) -> None:
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(TypeError, match="cannot pickle"):
            pickle.dumps(thing, protocol)
        with pytest.raises(TypeError, match="cannot pickle"):
            thing.__reduce_ex__(protocol)
    for call in (copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="cannot pickle"):
            call(thing)
    with pytest.raises(TypeError, match="cannot pickle"):
        thing.__reduce__()


def test_decisions_of_any_present_are_copied() -> None:
    for year in (1, 1969, 1970, 9999):
        now = datetime.datetime(year, 12, 31, 23, 59, 59, 999_000, datetime.UTC)
        decision = sluice.RateLimiter(5, 31_622_400).check("a", now=now)
        assert pickle.loads(pickle.dumps(decision)) == decision


def test_windows_are_copied() -> None:
    window = sluice.resolve_window("7d", now=NOW)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(window, protocol)) == window
    assert eval(repr(window), {"datetime": datetime, **vars(sluice)}) == window
    assert hash(copy.deepcopy(window)) == hash(window)
    with pytest.raises(AttributeError):
        window.end = NOW  # type: ignore[misc]


def test_containers_are_true_while_they_are_empty() -> None:
    store, limiter = sluice.EventStore(), sluice.RateLimiter(5, 60)
    assert (len(store), len(limiter)) == (0, 0)
    assert store
    assert limiter


def test_copies_by_the_names_of_before_are_read() -> None:
    for module in (b"sluice", b"sluice.api"):
        assert pickle.loads(b"c%s\nEventsQuery\n." % module) is EventsQuery


def test_a_copied_query_keeps_its_window() -> None:
    query = EventsQuery.parse("start=3 hours ago", now=NOW)
    copied = pickle.loads(pickle.dumps(query))
    assert (copied.start, copied.end, copied.now) == (query.start, query.end, query.now)
    assert copied != EventsQuery.parse("start=3 hours ago", now=NOW + datetime.timedelta(hours=1))


def test_different_values_are_unequal() -> None:
    for i, a in enumerate(VALUES):
        for j, b in enumerate(VALUES):
            assert (a == b) is (i == j)
            assert (a != b) is (i != j)


@pytest.mark.parametrize(("a", "b"), SAME)
def test_equal_values_have_the_same_hash(a: object, b: object) -> None:
    assert a == b
    assert hash(a) == hash(b)
    assert len({a, b}) == 1


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_values_do_not_change(value: object) -> None:
    for name in [n for n in dir(value) if not n.startswith("_")] + ["new"]:
        with pytest.raises(AttributeError):
            setattr(value, name, None)


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_values_equal_nothing_else(value: object) -> None:
    assert value != str(value)
    assert value.__eq__(5) is NotImplemented
    assert isinstance(hash(value), int)


@pytest.mark.parametrize("kind", TYPES)
def test_types_have_no_subclasses(kind: type) -> None:
    with pytest.raises(TypeError):
        type("Derived", (kind,), {})
    assert kind.__module__ == ("sluice.api" if kind.__name__ in sluice.api.__all__ else "sluice")


@pytest.mark.parametrize("kind", [Filter, sluice.EventStore, sluice.Cancellation])
def test_what_new_makes_has_a_value(kind: type[object]) -> None:
    assert repr(kind.__new__(kind))


@pytest.mark.parametrize("kind", [*TYPES, ListQuery, sluice.Cancellation])
def test_there_are_no_instances_without_a_value(kind: type[object]) -> None:
    news: list[Any] = [object.__new__, kind.__base__.__new__]
    if kind not in (Filter, sluice.EventStore, sluice.Cancellation):
        news.append(kind.__new__)
    for new in news:
        with pytest.raises(TypeError, match=r"calling it|missing required|is not safe"):
            new(kind)


@pytest.mark.parametrize("kind", PARSED_TYPES)
def test_types_without_constructor_say_so(kind: type) -> None:
    with pytest.raises(TypeError, match=r"(not by|not made by) calling it"):
        kind()


def test_all_names_are_there() -> None:
    for name in sluice.__all__:
        assert hasattr(sluice, name)
    for name in sluice.api.__all__:
        assert hasattr(sluice.api, name)
        assert getattr(sluice, name, None) in (getattr(sluice.api, name), None)  # an alias
    assert sluice.__version__.count(".") == 2
    assert sluice.asgi.App.__module__ == "sluice.asgi"
