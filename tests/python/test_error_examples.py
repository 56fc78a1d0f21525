# SPDX-License-Identifier: MIT
"""The examples of the docs' page of errors: each breaks its rule, and its advice breaks none."""

import html
import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULE = runpy.run_path(str(ROOT / ".mkdocs/errors.py"))
ERRORS = MODULE["Errors"]()
RULES = MODULE["TABLE"]["rules"]
# Python's binding breaks none of these: C++ tests of bind, of the handler and of the store do.
UNREAD = {"clock_missing", "query_too_costly", "time_zone_data", "unexpected_failure"}


def test_every_rule_has_an_example_and_every_code_a_fix() -> None:
    assert len(ERRORS.rules) > 70
    assert set(RULES) == set(ERRORS.rules)
    assert set(MODULE["TABLE"]["codes"]) == set(ERRORS.codes)


@pytest.mark.parametrize("rule", RULES)
def test_an_example_breaks_its_rule(rule: str) -> None:
    broken, message = ERRORS.refusal(rule, MODULE["input_of"](RULES[rule]))
    assert broken == rule
    assert ERRORS.message(rule) == message


@pytest.mark.parametrize("rule", [rule for rule, row in RULES.items() if "right" in row])
def test_what_is_advised_is_accepted(rule: str) -> None:
    assert ERRORS.refusal(rule, RULES[rule]["right"]) is None


def test_examples_are_read() -> None:
    sources = MODULE["SOURCES"]
    assert {rule for rule, row in RULES.items() if sources[row["source"]].read is None} == UNREAD
    assert {row["source"] for row in RULES.values()} == set(sources)


def test_an_input_repeats_a_text_as_often_as_the_page_says() -> None:
    row = RULES["list_too_long"]
    assert MODULE["input_of"](row) == "ids=" + "tag_1," * row["times"]
    entry = entry_of(ERRORS.sections(), "list_too_long")
    assert "<code>GET /tags?ids=tag_1, ... (1,001 times)</code>" in entry


def entry_of(page: str, name: str) -> str:
    """The text of a code or rule, up to the next."""
    anchor = name.replace("_", "-")
    [entry] = re.findall(rf'<h[23] id="{anchor}">.*?(?=<h[23]|\Z)', page, re.DOTALL)
    return str(entry)


def test_the_page_has_each_example_with_its_message_and_fix() -> None:
    page = ERRORS.sections()
    for rule, row in RULES.items():
        entry = entry_of(page, rule)
        message = html.escape(ERRORS.message(rule), quote=False)
        assert f"<dt>Message</dt>\n<dd><samp>{message}</samp></dd>" in entry
        assert f"<dt>Fix</dt>\n<dd>{html.escape(row['fix'], quote=False)}" in entry
        assert row["fix"].endswith(".")
        shown = MODULE["SOURCES"][row["source"]].shown.format(row.get("right", row["wrong"]))
        assert MODULE["escape"](shown) in entry
    for code, fix in MODULE["TABLE"]["codes"].items():
        entry = entry_of(page, code)
        assert f'<dd><code>{{"error":{{"code":"{code}","message":' in entry
        assert f"<dt>Fix</dt>\n<dd>{html.escape(fix, quote=False)}" in entry


def test_the_page_keeps_the_servers_anchors() -> None:
    ids = re.findall(r' id="([a-z-]+)"', ERRORS.sections())
    assert ids == re.findall(r' id="([a-z-]+)"', ERRORS.page)
    assert len(ids) == len(set(ids)) == len(ERRORS.codes) + len(ERRORS.rules)


def test_an_example_that_breaks_another_rule_makes_no_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(RULES["filter_dash"], "wrong", "country=US")
    with pytest.raises(ValueError, match="filter_dash: expected to break it, got None"):
        ERRORS.sections()
    monkeypatch.setitem(RULES["filter_dash"], "wrong", "page=0")
    with pytest.raises(ValueError, match=r"expected to break it, got \('number_too_small'"):
        ERRORS.sections()
