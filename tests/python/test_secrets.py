# SPDX-License-Identifier: MIT
"""Arguments of a caller stay out of messages, whatever is wrong with the call."""

import inspect
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from api_keys import make_key
from conftest import NOW

import sluice
from sluice import _sluice

SECRET = "tok_4f1d9c_secret"


class Holder:
    """Prints a secret, as a request with an Authorization header does."""

    def __repr__(self) -> str:
        return f"Holder({SECRET!r})"

    __str__ = __repr__


# What every object has, and pybind11's hook for other extension modules.
NOT_OURS = {*dir(object), "_pybind11_conduit_v1_"} - {"__init__", "__repr__", "__str__", "__eq__"}

WRONG: list[object] = [
    *(SECRET, SECRET.encode(), Holder(), {"authorization": SECRET}, [("authorization", SECRET)]),
    *([SECRET], {SECRET}, [(SECRET,)], {"sha256": SECRET}, [{"sha256": SECRET}], [Holder()]),
]


def instances() -> list[object]:
    store = sluice.EventStore()
    handler = sluice.Handler(store, [make_key("other")])
    query = sluice.EventsQuery.parse("country=US", now=NOW)
    return [
        *(store, handler, query, sluice.TagsQuery.parse(""), sluice.MetadataQuery.parse("")),
        *(sluice.Filter(["US"]), sluice.RateLimiter(5, 60), sluice.RateLimiter(5, 60).check("a")),
        *(handler.handle("GET", "/events", {}), query.mask({"timestamp": [], "country": []})),
    ]


def callables() -> Iterator[tuple[str, Callable[..., Any]]]:
    for name, member in vars(_sluice).items():
        # What would take the text as a folder to write has nothing to refuse.
        if callable(member) and name != "write_sample":
            yield name, member
    for instance in instances():
        for name in dir(type(instance)):
            if name in NOT_OURS:
                continue
            member = getattr(instance, name)
            if callable(member):
                yield f"{type(instance).__name__}.{name}", member
        for name, descriptor in vars(type(instance)).items():
            if isinstance(descriptor, property) or inspect.isgetsetdescriptor(descriptor):
                yield f"{type(instance).__name__}.{name}.__get__", descriptor.__get__


# These name the folder or file that they can't read or write.
FILES = ("EventStore.load", "EventStore.open", "EventStore.save")
CALLABLES = {name: function for name, function in callables() if not name.startswith(FILES)}


def calls(function: Callable[..., Any]) -> Iterator[Callable[[], object]]:
    names = ["headers", "header", "keys", "query_string", "key", "text", "now", "nothing"]
    for wrong in WRONG:
        for count in (1, 2, 3, 9):
            yield partial(function, *[wrong] * count)
        for name in names:
            yield partial(function, **{name: wrong})
            yield partial(function, wrong, **{name: wrong})


@pytest.mark.parametrize("name", CALLABLES)
def test_no_error_of_a_call_tells_its_arguments(name: str) -> None:
    for call in calls(CALLABLES[name]):
        assert SECRET not in error_text(call)


def error_text(call: Callable[[], object]) -> str:
    """Returns the error of a call; the note of an ApiError shows the text that was parsed."""
    try:
        result = call()
        if inspect.iscoroutine(result):
            result.close()
    except sluice.ApiError as error:
        return str(error)
    except Exception as error:
        return "".join(traceback.format_exception_only(error))
    return ""


def test_the_authorization_header_is_not_told() -> None:
    handler = sluice.Handler(sluice.EventStore(), [])
    headers = {"authorization": f"Bearer {SECRET}"}
    for arguments in ((5, "/events", headers), ("GET", 5, headers), ("GET", "/events", headers, 5)):
        with pytest.raises(TypeError) as caught:
            handler.handle(*arguments)
        assert SECRET not in str(caught.value)
        assert not hasattr(caught.value, "__notes__")
    with pytest.raises(TypeError, match=r"handle\(\) takes at most 7 positional arguments"):
        handler.handle("GET", "/events", headers, NOW, "https", None, "", 7)  # type: ignore[call-arg]
