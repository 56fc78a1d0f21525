# SPDX-License-Identifier: MIT
"""`python -m sluice openapi MODULE:CLASS`: the document of a list that a class declares."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import NOW
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

import sluice
from sluice import __main__ as command
from sluice._openapi import find_declared

MODULE = '''
"""Lists of a shop."""
import sluice
from sluice import ListQuery

__version__ = "2.1.0"

class Orders(ListQuery):
    """Orders of a shop."""
    status = sluice.filter(choices=("open", "on-hold", "void"), help="state of the order")
    customer = sluice.filter(column="customer_id")
    items = sluice.filter(type="integer")
    total = sluice.decimal(operators=(">=", "<="))
    created = sluice.window(column="created_at", default="30d")
    order = sluice.sort("created", "total", default="-created")
    page = sluice.page(default=100, maximum=1000)

class OrderItems:
    """Items of orders.

    One row each.
    """
    @classmethod
    def openapi_parameters(cls):
        schema = {"type": "string"}
        return [{"name": "sku", "in": "query", "description": "article", "schema": schema}]

class Outer:
    class HTTPLog(OrderItems):
        pass

def helper():
    pass
'''


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shop")
    (folder / "shop_api.py").write_text(MODULE)
    (folder / "empty_api.py").write_text("")
    (folder / "broken_api.py").write_text("1 / 0")
    return folder


# Of filters, whole numbers, amounts, sort keys and times.
PIECES = [
    *("open", "on-hold", "on\\-hold", "Void", "void", ",", "-", "\\-", "\\", "7", "0", "07", ".5"),
    *("1e2", "created", "total", "-created", "today", "2026-08-21", "T02:30", "last week", "é"),
]


def declared_in(folder: Path, place: str) -> Any:  # noqa: ANN401
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        return find_declared(place)


def run(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        (sys.executable, "-m", "sluice", "openapi", *words),
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
    )


def document(folder: Path, *words: str) -> dict[str, Any]:
    done = run(folder, *words)
    assert (done.returncode, done.stderr) == (0, "")
    read: dict[str, Any] = json.loads(done.stdout)
    OpenAPIV31SpecValidator(read).validate()
    return read


def test_a_class_is_a_document_of_one_list(folder: Path) -> None:
    shown = document(folder, "shop_api:OrderItems", "--url", "https://shop.example")
    assert shown["info"]["title"] == "OrderItems"
    assert shown["info"]["version"] == "2.1.0"
    assert shown["info"]["description"] == "Items of orders.\n\nOne row each."
    assert shown["servers"] == [{"url": "https://shop.example"}]
    assert list(shown["paths"]) == ["/order-items"]
    assert list(shown["paths"]["/order-items"]) == ["get"]
    operation = shown["paths"]["/order-items"]["get"]
    assert operation["operationId"] == "listOrderItems"
    assert operation["summary"] == "Items of orders."
    assert [parameter["name"] for parameter in operation["parameters"]] == ["sku"]
    assert list(operation["responses"]) == ["200", "400", "422"]


def test_a_list_query_is_described_by_what_it_reads(folder: Path) -> None:
    shown = document(folder, "shop_api:Orders")["paths"]["/orders"]["get"]
    assert [parameter["name"] for parameter in shown["parameters"]] == [
        *("status", "customer", "items", "total[gte]", "total[lte]"),
        *("interval", "start", "end", "timezone", "order", "page", "limit", "cursor", "count"),
    ]
    assert shown["summary"] == "Orders of a shop."


@given(text=st.lists(st.sampled_from(PIECES), max_size=6).map("".join))
@settings(max_examples=300)
def test_patterns_of_a_list_query_are_its_parsers(folder: Path, text: str) -> None:
    orders = declared_in(folder, "shop_api:Orders")
    for name in ("status", "customer", "items", "total[gte]", "start", "order"):
        schema = {
            parameter["name"]: parameter["schema"] for parameter in orders.openapi_parameters()
        }[name]
        matches = re.search(schema["pattern"].replace("$", r"\Z"), text) is not None
        refused = [error.param for error in orders.errors([(name, text)], now=NOW)]
        columns = text.replace("-", "").split(",")
        if name == "order" and len(set(columns)) < len(columns):
            continue  # each column once: that is left to words
        assert matches == (name not in refused), (name, text)


def test_its_errors_are_the_envelope(folder: Path) -> None:
    shown = document(folder, "shop_api:OrderItems")
    for status, code in (("400", "bad_request"), ("422", "unprocessable_entity")):
        name = shown["paths"]["/order-items"]["get"]["responses"][status]["$ref"]
        response = shown["components"]["responses"][name.rpartition("/")[2]]
        media = response["content"]["application/json"]
        schema = media["schema"] | {"components": shown["components"]}
        Draft202012Validator(schema).validate(json.loads(sluice.error_body(code, "No.")))


def test_a_class_without_words_in_another_and_at_a_path(folder: Path) -> None:
    shown = document(folder, "shop_api:Outer.HTTPLog", "--path", "/log")
    assert list(shown["paths"]) == ["/log"]
    assert shown["info"]["description"] == "A list of HTTPLog."
    assert shown["servers"] == [{"url": "/"}]


REFUSED = [
    # words, what standard error says
    (["shop_api"], "'shop_api': expected MODULE:CLASS, such as shop.api:Orders"),
    ([":Orders"], "':Orders': expected MODULE:CLASS"),
    (["shop_api:"], "'shop_api:': expected MODULE:CLASS"),
    (["nowhere_api:Orders"], "nowhere_api: can't be imported (ModuleNotFoundError"),
    (["..:Orders"], "..: can't be imported (TypeError"),
    (["broken_api:Orders"], "broken_api: can't be imported (ZeroDivisionError"),
    (["shop_api:Order"], "shop_api:Order: not in the module, expected OrderItems or Orders"),
    (["shop_api:helper"], "shop_api:helper: declares no parameters, expected OrderItems or Orders"),
    (["shop_api:Outer"], "shop_api:Outer: declares no parameters, expected OrderItems or Orders"),
    (
        ["empty_api:Orders"],
        "expected a subclass of sluice.ListQuery; the module defines none",
    ),
    (["--path", "/a"], "--path: of a class's list, expected MODULE:CLASS before it"),
    (["shop_api:OrderItems", "--path", "a"], "'a' is none, expected a path such as /orders"),
]


@pytest.mark.parametrize(("words", "said"), REFUSED)
def test_what_is_no_class_is_refused(
    folder: Path,
    words: list[str],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.syspath_prepend(folder)
    with pytest.raises(SystemExit) as caught:
        command.main(["openapi", *words])
    assert caught.value.code == 2
    assert said in capsys.readouterr().err
