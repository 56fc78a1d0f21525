# SPDX-License-Identifier: MIT
"""The schemas of parameters take what the parser takes: patterns by random texts, examples, and
requests at random."""

import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
from conftest import NOW
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from oracle import Oracle
from random_requests import RandomRequests

from sluice import FILTER_MAX_VALUES, ApiError, EventsQuery, TagsQuery
from sluice.api import openapi_document

Parameter = dict[str, Any]

PATHS = json.loads(openapi_document())["paths"]
PARSERS: dict[str, Callable[[list[tuple[str, str]]], object]] = {
    "/events": partial(EventsQuery.parse, now=NOW),
    "/tags": TagsQuery.parse,
}
PARAMETERS: dict[str, dict[str, Parameter]] = {
    path: {parameter["name"]: parameter for parameter in PATHS[path]["get"]["parameters"]}
    for path in PARSERS
}
EVENTS = PARAMETERS["/events"]
FILTERS = [name for name, parameter in EVENTS.items() if "all but" in parameter["description"]]
COMPANIONS = {"key": {"domain": "d"}, "saleType": {"event": "sales"}, "query": {"event": "leads"}}


def accepts(parameter: Parameter, text: str) -> bool:
    """Returns true if a text meets a parameter's pattern: ECMA-262's, whose `$` is the very end."""
    return bool(re.search(parameter["schema"]["pattern"].replace("$", r"\Z"), text))


def why_refused(name: str, text: str) -> ApiError | None:
    """Returns the parser's error of a text, if there is one."""
    try:
        EventsQuery.parse([*COMPANIONS.get(name, {}).items(), (name, text)], now=NOW)
    except ApiError as error:
        return error
    return None


def test_which_parameters_are_filters() -> None:
    assert len(FILTERS) == 25
    assert {"country", "continent", "trigger", "city", "tagIds"} <= set(FILTERS)


# Of the syntax, of values that some filter takes, and of any text.
PIECES = st.one_of(
    st.sampled_from([",", "-", "\\", "\\-", "\\,", "\\\\", ",,", "\n", "\\x"]),
    st.sampled_from(["US", "us", "U", "USA", "AF", "eu", "unknown", "Unknown", "qr", "QR", "link"]),
    st.text(max_size=3),
)
FILTER_TEXTS = st.lists(PIECES, max_size=8).map("".join)


@pytest.mark.parametrize("name", FILTERS)
@given(text=FILTER_TEXTS)
@settings(max_examples=100)
@example("")
@example("-")
@example("-,US,,")
@example("--US")
@example("US,-CA")
@example("a\\")
@example("qr\n")
def test_a_filters_pattern_is_its_parser(name: str, text: str) -> None:
    assert accepts(EVENTS[name], text) == (why_refused(name, text) is None), text


@pytest.mark.parametrize("name", FILTERS)
def test_a_filters_pattern_counts_its_values(name: str) -> None:
    value = {"country": "US", "continent": "AF", "trigger": "qr"}.get(name, "a")
    most = ",".join([value] * FILTER_MAX_VALUES)
    for text, is_accepted in ((most, True), (f"-,{most},,", True), (f"{most},{value}", False)):
        assert accepts(EVENTS[name], text) == is_accepted
        assert (why_refused(name, text) is None) == is_accepted


DIGITS = st.integers(0, 99).map("{:02}".format)
MONTHS = st.integers(0, 13).map("{:02}".format)
DAYS = st.builds("{}{}-{}-{}".format, DIGITS, DIGITS, MONTHS, DIGITS)
TIMES = st.builds("{}{}{}:{}".format, DAYS, st.sampled_from("Tt x"), DIGITS, DIGITS)
FRACTIONS = st.sampled_from(["", ".1", ".", ".123456789", ".1234567890"])
SECONDS = st.builds("{}:{}{}".format, TIMES, DIGITS, FRACTIONS)
AHEAD = st.builds("{}{}:{}".format, st.sampled_from("+-"), DIGITS, DIGITS)
OFFSETS = st.one_of(st.sampled_from("Zz+"), AHEAD)
PERIODS = ["last", "this", "week", "Month", "quarter", "year", "NOW", "today", "ago", "3"]
WORDS = st.lists(st.sampled_from(PERIODS), min_size=1, max_size=3).map(" ".join)
AGES = st.builds(
    "{} {}{} {}".format,
    st.sampled_from(["0", "7", "12", "007", "-1", "1.5", ""]),
    st.sampled_from(["minute", "hour", "Day", "week", "month", "year", "second"]),
    st.sampled_from(["", "s", "S", "ss"]),
    st.sampled_from(["ago", "AGO", "agone"]),
)
EPOCHS = st.integers(0, 10**14).map(str)
TIME_TEXTS = st.one_of(
    *(DAYS, TIMES, SECONDS, st.builds("{}{}".format, SECONDS, OFFSETS)),
    *(WORDS, AGES, EPOCHS, st.text(max_size=12)),
)


@pytest.mark.parametrize("name", ["start", "end"])
@given(text=TIME_TEXTS)
@settings(max_examples=1_000)
@example("2000-02-29")
@example("1900-02-29")
@example("2024-02-29T23:59:60Z")
@example("2026-02-30")
@example("2026-08-21 02:30")
@example("2026-08-21T02:30Z")
@example("2026-08-21\n")
def test_a_times_pattern_is_its_parser(name: str, text: str) -> None:
    refused = why_refused(name, text)
    rule = refused.rule if refused and refused.param == name else None
    if rule == "time_out_of_range" and accepts(EVENTS[name], text):
        return  # an offset moves it out of the years 0000 to 9999, which is left to words
    assert accepts(EVENTS[name], text) == (
        rule not in ("time_malformed", "day_impossible", "time_out_of_range")
    ), text


@given(text=st.one_of(st.sampled_from(["", "ext_", "ext", "EXT_1", " ext_1"]), st.text(max_size=6)))
def test_a_prefix_is_in_the_pattern(text: str) -> None:
    for prefixed in (text, f"ext_{text}"):
        assert accepts(EVENTS["externalId"], prefixed) == (
            why_refused("externalId", prefixed) is None
        )


def test_what_is_no_cursor_misses_the_pattern() -> None:
    assert accepts(EVENTS["cursor"], "A" * 19)
    assert accepts(EVENTS["cursor"], "A" * 1_024)
    for broken in ("", "A" * 18, "A" * 1_025, "A" * 18 + "+", "A" * 18 + "=", "A" * 19 + "\n"):
        assert not accepts(EVENTS["cursor"], broken)
        assert why_refused("cursor", broken) is not None


@pytest.mark.parametrize("path", PARSERS)
def test_examples_are_accepted(path: str) -> None:
    for name, parameter in PARAMETERS[path].items():
        schema = parameter["schema"]
        if "examples" not in schema:
            assert "enum" in schema or schema["type"] in ("boolean", "integer") or name == "cursor"
            continue
        [shown] = schema["examples"]
        Draft202012Validator(schema).validate(shown)
        text = ",".join(shown) if isinstance(shown, list) else json_text(shown)
        PARSERS[path]([*COMPANIONS.get(name, {}).items(), (name, text)])


def json_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def test_all_examples_go_together() -> None:
    pairs = [
        (name, json_text(example))
        for name, parameter in EVENTS.items()
        for example in parameter["schema"].get("examples", [])
    ]
    assert EventsQuery.parse(pairs, now=NOW).event == "sales"


@pytest.fixture(scope="module")
def oracle_of_sample(sample_folder: Path) -> Oracle:
    return Oracle(sample_folder)


@pytest.mark.parametrize("seed", range(20))
def test_requests_at_random_meet_the_schemas(oracle_of_sample: Oracle, seed: int) -> None:
    requests = RandomRequests(oracle_of_sample, seed)
    for _ in range(25):
        for name, text in parse_qsl(requests.request().query, keep_blank_values=True):
            if name not in EVENTS:
                continue
            schema = EVENTS[name]["schema"]
            value = json.loads(text.lower()) if schema["type"] in ("integer", "boolean") else text
            errors = [error.message for error in Draft202012Validator(schema).iter_errors(value)]
            assert not errors, (name, text)
