# SPDX-License-Identifier: MIT
"""ApiError: its fields, its envelope, and the caret under what is wrong."""

import copy
import json
import pickle
import traceback
from collections.abc import Callable

import pytest
from conftest import NOW

from sluice import (
    ApiError,
    EventsQuery,
    Filter,
    MetadataQuery,
    TagsQuery,
    error_body,
    http_status,
    plan_limits,
)

STATUSES = {
    "bad_request": 400,
    "unauthorized": 401,
    "forbidden": 403,
    "not_found": 404,
    "conflict": 409,
    "invite_expired": 410,
    "unprocessable_entity": 422,
    "rate_limit_exceeded": 429,
    "internal_server_error": 500,
}


def events(text: str, strict: bool = False) -> Callable[[], EventsQuery]:
    return lambda: EventsQuery.parse(text, now=NOW, strict=strict)


NOTES = [
    # call, the lines of its note
    (lambda: Filter.parse("US,-CA"), "US,-CA", "   ^^^"),
    (lambda: Filter.parse("é,-b"), "é,-b", "  ^^"),
    (lambda: Filter.parse("東京,-b"), "東京,-b", "     ^^"),
    (lambda: Filter.parse("🙂🙂\\x"), "🙂🙂\\x", "    ^"),
    (lambda: Filter.parse("e\u0301,-b"), "e\u0301,-b", "  ^^"),
    (lambda: Filter.parse("a\0\n,-b"), "a\\x00\\n,-b", "        ^^"),
    (lambda: Filter.parse("a\u202eb,-c"), "a\\u202eb,-c", "         ^^"),
    (lambda: MetadataQuery.parse("metadata['a']"), "metadata['a']", " " * 13 + "^"),
    (lambda: MetadataQuery.parse("metadata['n'] > x"), "metadata['n'] > x", " " * 16 + "^"),
    (events("country=US,-CA"), "US,-CA", "   ^^^"),
    (events("city=S%C3%A3o+Paulo,-x"), "São Paulo,-x", " " * 10 + "^^"),
    (events("page=1.5"), "1.5", "^^^"),
    (events("page=1&page=22"), "22", "^^"),
    (events("country=US&nonsense=1&more=2", strict=True), "nonsense", "^^^^^^^^"),
    (events("start=yesterdya"), "yesterdya", "^^^^^^^^^"),
    (lambda: TagsQuery.parse("pageSize=1000"), "1000", "^^^^"),
    (lambda: plan_limits("platinum"), "platinum", "^^^^^^^^"),
]

NO_NOTES = [
    events("key=k"),
    events("page="),
    events("country=US&country=-CA"),
    lambda: Filter(["a"] * 1_001),
]


def error_of(call: Callable[[], object]) -> ApiError:
    with pytest.raises(ApiError) as caught:
        call()
    return caught.value


def notes_of(error: ApiError) -> list[str]:
    return getattr(error, "__notes__", [])


@pytest.mark.parametrize(("call", "text", "carets"), NOTES)
def test_a_note_points_at_what_is_wrong(call: Callable[[], object], text: str, carets: str) -> None:
    assert notes_of(error_of(call)) == [f"{text}\n{carets}"]


@pytest.mark.parametrize("call", NO_NOTES)
def test_nothing_to_point_at_leaves_no_note(call: Callable[[], object]) -> None:
    assert notes_of(error_of(call)) == []


@pytest.mark.parametrize("at", [0, 3, 100, 5_000])
@pytest.mark.parametrize("length", [1, 40, 3_000])
def test_a_note_shows_at_most_64_characters(at: int, length: int) -> None:
    error = ApiError("m", offset=2 * at, length=2 * length, text="é" * 10_000)
    text, carets = notes_of(error)[0].split("\n")
    assert len(text) <= 64
    assert len(carets.lstrip()) <= 32
    assert carets.index("^") <= at
    assert text.startswith("…") is (at > 31)


def test_a_note_is_part_of_the_traceback() -> None:
    lines = traceback.format_exception(error_of(lambda: Filter.parse("US,-CA")))
    assert lines[-3].startswith("sluice.ApiError: '-' before a single item (at byte 3), exclude")
    assert lines[-2:] == ["US,-CA\n", "   ^^^\n"]


def test_an_error_of_the_module_is_one_that_a_program_creates() -> None:
    error = error_of(events("country=US,-CA"))
    names = ("code", "rule", "param", "offset", "length", "file", "line")
    fields = {name: getattr(error, name) for name in names}
    created = ApiError(error.message, **fields, text="US,-CA")
    assert vars(created) == vars(error)
    assert created.args == error.args == (error.message,)
    assert notes_of(created) == notes_of(error)


def test_notes_are_added_after_the_carets() -> None:
    error = error_of(lambda: Filter.parse("US,-CA"))
    error.add_note("in the file of filters")
    assert notes_of(pickle.loads(pickle.dumps(error))) == notes_of(error)
    assert notes_of(error) == ["US,-CA\n   ^^^", "in the file of filters"]
    error.__notes__ = ["other"]
    assert notes_of(error) == ["other"]


def test_an_error_is_a_value_error_with_its_fields() -> None:
    error = error_of(events("country=US,-CA"))
    assert isinstance(error, ValueError)
    assert (error.code, error.status, error.rule) == ("bad_request", 400, "filter_dash")
    assert (error.param, error.offset, error.length) == ("country", 3, 3)
    assert (error.file, error.line) == (None, None)
    assert error.message == str(error)
    assert error.message.startswith("country: '-' before a single item (at byte 3), ")


def test_an_error_is_the_body_of_a_response() -> None:
    error = error_of(events("page=0"))
    assert json.loads(error.to_json("https://docs.example")) == {
        "error": {
            "code": "unprocessable_entity",
            "message": "page: too small, expected a whole number of at least 1",
            "doc_url": "https://docs.example/api-reference/errors#unprocessable-entity",
        }
    }
    assert json.loads(error.to_json())["error"]["doc_url"].startswith("/api-reference/errors#")


@pytest.mark.parametrize("copied", [lambda e: pickle.loads(pickle.dumps(e)), copy.copy])
def test_a_copy_has_the_same_fields(copied: Callable[[ApiError], ApiError]) -> None:
    error = error_of(events("country=US,-CA"))
    again = copied(error)
    assert type(again) is ApiError
    assert str(again) == str(error)
    assert vars(again) == vars(error)
    assert again.to_json() == error.to_json()


@pytest.mark.parametrize(("code", "status"), STATUSES.items())
def test_each_code_has_its_status(code: str, status: int) -> None:
    error = ApiError('no "such" thing', code=code)
    assert (http_status(code), error.status) == (status, status)
    assert json.loads(error_body(code, error.message))["error"]["message"] == 'no "such" thing'


def test_unknown_codes_are_refused() -> None:
    with pytest.raises(ApiError, match="not one of the accepted values"):
        http_status("teapot")


def check_isbn(text: str) -> str:
    """Takes an ISBN-13 by a rule of one's own, which says all that the library's rules say."""
    digits = [int(digit) for digit in text]
    if sum(digits[::2]) % 10 != -3 * sum(digits[1::2]) % 10:
        raise ApiError(
            "isbn: a wrong check digit (at byte 12), expected an ISBN-13",
            code="conflict",
            rule="check_digit",
            param="isbn",
            offset=12,
            length=1,
            text=text,
        )
    return text


@pytest.mark.parametrize(
    "copied", [lambda e: e, lambda e: pickle.loads(pickle.dumps(e)), copy.copy]
)
def test_a_rule_of_ones_own_has_its_own_code_and_text(
    copied: Callable[[ApiError], ApiError],
) -> None:
    assert check_isbn("9783161484100") == "9783161484100"
    error = copied(error_of(lambda: check_isbn("9783161484101")))
    assert isinstance(error, ValueError)
    assert (error.rule, error.code, error.status) == ("check_digit", "conflict", 409)
    assert (error.param, error.offset, error.length) == ("isbn", 12, 1)
    assert str(error) == "isbn: a wrong check digit (at byte 12), expected an ISBN-13"
    assert notes_of(error) == ["9783161484101\n            ^"]
    assert json.loads(error.to_json("https://docs.example")) == {
        "error": {
            "code": "conflict",
            "message": str(error),
            "doc_url": "https://docs.example/api-reference/errors#conflict",
        }
    }
