# SPDX-License-Identifier: MIT
"""Parameters of parts of texts, missing values, floats, days, choices and searches in columns."""

import re
from datetime import date
from enum import Enum
from typing import Any
from uuid import UUID

import pytest
import sqlalchemy as sa

import sluice
from sluice import Bounds, Column, ListQuery


class Weight(Enum):
    LIGHT = "light"
    HEAVY = "heavy"


class Shipments(ListQuery):
    reference = sluice.contains(name="reference[contains]")
    start = sluice.starts_with(column=Column("container", collation="ignore_case"))
    tag = sluice.ends_with(column=Column("tags", is_list=True))
    after = sluice.text(operators=("=", ">", "<="), column="reference")
    words = sluice.search("reference", "container", "note")
    is_undated = sluice.is_null(column=Column("due", "date", is_nullable=True))
    load = sluice.real(operators=("=", "<="))
    due = sluice.date(operators=("=", ">="), column=Column("due", "date", is_nullable=True))
    day = sluice.date(column=None)
    token = sluice.uuid(type="uuid")
    weight = sluice.choice(Weight, operators=("=", ">="), type="choice")
    sizes = sluice.choice(
        Weight, column=Column("sizes", "choice", is_list=True, choices=("light", "heavy"))
    )
    any_size = sluice.filter(
        choices=Weight, column=Column("sizes", "choice", is_list=True, choices=("light", "heavy"))
    )
    days = sluice.filter(column=Column("due", "date", is_nullable=True))


HEAVY = Bounds(eq=Weight.HEAVY)
TOKEN = UUID("0190c7a6-5e2b-7c61-9f0e-8d7b1a2c3d4e")
NOTHING: dict[str, Any] = {"reference": None, "container": None, "note": None}


@pytest.mark.parametrize(
    ("text", "attribute", "value", "leaf"),
    [
        ("reference[contains]=%25", "reference", "%", {"column": "reference", "contains": ["%"]}),
        (
            "start=MSC",
            "start",
            "MSC",
            {"column": "container", "collation": "ignore_case", "starts_with": ["MSC"]},
        ),
        ("tag=x", "tag", "x", {"column": "tags", "ends_with": ["x"]}),
        ("after=m", "after", Bounds(eq="m"), {"column": "reference", "any_of": ["m"]}),
        ("after[gt]=m", "after", Bounds(gt="m"), {"column": "reference", "gt": "m"}),
        ("is_undated=true", "is_undated", True, {"column": "due", "is_null": True}),
        ("load=0.5", "load", Bounds(eq=0.5), {"column": "load", "gte": 0.5, "lte": 0.5}),
        ("load[lte]=1e3", "load", Bounds(lte=1000.0), {"column": "load", "lte": 1000}),
        (
            "due[gte]=2026-08-21",
            "due",
            Bounds(gte=date(2026, 8, 21)),
            {"column": "due", "gte": "2026-08-21"},
        ),
        (f"token={TOKEN}", "token", TOKEN, {"column": "token", "any_of": [str(TOKEN)]}),
        ("weight=heavy", "weight", HEAVY, {"column": "weight", "any_of": ["heavy"]}),
        (
            "weight[gte]=heavy",
            "weight",
            Bounds(gte=Weight.HEAVY),
            {"column": "weight", "gte": "heavy"},
        ),
        ("sizes=light", "sizes", Weight.LIGHT, {"column": "sizes", "any_of": ["light"]}),
        ("days=2026-08-21", "days", None, {"column": "due", "any_of": ["2026-08-21"]}),
        ("any_size=-light", "any_size", None, {"column": "sizes", "none_of": ["light"]}),
    ],
)  # fmt: skip
def test_a_parameter_is_a_value_and_a_condition(
    text: str, attribute: str, value: object, leaf: dict[str, Any]
) -> None:
    query = Shipments.parse(text)
    if value is not None:
        assert getattr(query, attribute) == value
    assert query.tree()["where"] == {"all": [leaf]}
    assert Shipments.parse(query.to_query_string()) == query
    name = text.partition("=")[0]
    if value is not None and not isinstance(value, Bounds):
        assert Shipments.parse({name: value}) == query


def test_choices_are_some_members_of_an_enum() -> None:
    class Parcels(ListQuery):
        sizes = sluice.filter(
            choices=[Weight.HEAVY],
            default=[Weight.HEAVY],
            column=Column("s", "choice", choices=("light", "heavy")),
        )
        weight = sluice.choice([Weight.HEAVY, Weight.LIGHT], default=Weight.LIGHT)

    assert Parcels.parse("").sizes.values == ("heavy",)
    assert Parcels.parse("").weight is Weight.LIGHT
    assert Parcels.parse({"weight": Weight.HEAVY}).weight is Weight.HEAVY
    with pytest.raises(sluice.ApiError, match="expected heavy"):
        Parcels.parse({"sizes": [Weight.LIGHT]})


@pytest.mark.parametrize(
    "declared", [sluice.search(name="words"), sluice.search("reference", "note", name="words")]
)
def test_a_cursor_is_one_of_its_search(declared: Any) -> None:  # noqa: ANN401
    class Found(ListQuery):
        words = declared
        page = sluice.page()

    place = Found.parse("words=a+b").cursor_beside(["i0"])
    assert Found.parse({"words": "a b", "cursor": place}).page.cursor == place
    for other in ({}, {"words": "a"}, {"words": "a b c"}, {"words": "A b"}):
        with pytest.raises(sluice.ApiError) as refused:
            Found.parse({**other, "cursor": place})
        assert (refused.value.param, refused.value.rule) == ("cursor", "cursor_mismatch")


def test_a_parameter_without_a_column_is_a_value_alone() -> None:
    query = Shipments.parse("day=2026-08-21")
    assert query.day == date(2026, 8, 21)
    assert query.tree()["where"] == {"all": []}


def test_a_search_finds_any_of_its_words_in_any_of_its_columns() -> None:
    query = Shipments.parse("words=+msc++12+")
    assert query.words == " msc  12 "
    for row, expected in [
        ({"reference": "x12"}, True),
        ({"container": "MSCU"}, True),
        ({"note": "msc"}, True),
        ({"note": "MSC"}, False),
        ({"reference": "1 2"}, False),
    ]:
        assert query.matches(NOTHING | row) == expected
    assert Shipments.parse("words=+").tree()["where"] == {"all": []}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("load=x", "load: not a number, expected a number such as 0.5 or 1e3"),
        ("load=1e400", "load: too large, expected a number that a double can hold"),
        ("due=2026-02-30", "due: no such day, expected a day that exists"),
        (
            "weight[gte]=tiny",
            "weight[gte]: not one of the accepted values, expected light or heavy",
        ),
        ("is_undated=1", "is_undated: not a boolean"),
        ("days=today", "days: not an accepted value, expected days such as 2026-08-21"),
        ("any_size=tiny", "any_size: not an accepted value, expected light or heavy"),
    ],
)
def test_a_value_that_cannot_be_read_says_what_is_accepted(text: str, message: str) -> None:
    with pytest.raises(sluice.ApiError, match="^" + re.escape(message)) as refused:
        Shipments.parse(text)
    assert refused.value.status in (400, 422)


def test_openapi_has_types_and_formats() -> None:
    schemas = {
        parameter["name"]: parameter["schema"] for parameter in Shipments.openapi_parameters()
    }
    assert schemas["load"]["type"] == "number"
    assert schemas["due"]["format"] == "date"
    assert re.fullmatch(schemas["due"]["pattern"], "2024-02-29")
    assert not re.fullmatch(schemas["due"]["pattern"], "2023-02-29")
    assert schemas["is_undated"]["type"] == "boolean"
    assert schemas["weight"]["enum"] == ["light", "heavy"]


def test_mistakes_are_errors_of_the_class() -> None:
    for parameter, message in [
        (sluice.is_null(column=Column("a")), "is_nullable: True, but its Column has False"),
        (sluice.contains(column=Column("a", "integer")), "can't be compared with a column of type"),
        (sluice.text(operators=">", column=Column("a", collation="ignore_case")), "no test bounds"),
        (sluice.search(Column("a", "integer")), "it searches 'a': give it columns of texts"),
        (sluice.search(1), "columns: expected names or Columns, not 1"),  # type: ignore[arg-type]
        (sluice.date(default="2026-08-21"), "default: expected a date"),  # type: ignore[call-overload]
    ]:
        with pytest.raises(ValueError, match=re.escape(message)):
            type("Wrong", (ListQuery,), {"a": parameter})


def test_an_orm_names_the_parameter_that_it_does_not_answer() -> None:
    table = sa.Table(
        "rows",
        sa.MetaData(),
        sa.Column("id", sa.Text, primary_key=True),
        *(sa.Column("a", sa.Text), sa.Column("data", sa.JSON)),
    )
    null_json = sluice.is_null(column="data")
    for parameter, test in [(null_json, "no test is_null of json"), (sluice.date(), "bounds")]:
        rows: Any = type("Rows", (ListQuery,), {"a": parameter, "__slots__": ()})
        with pytest.raises(ValueError, match=f"Rows: a: .*({test}|expected date)"):
            rows.of(table)
