# SPDX-License-Identifier: MIT
"""Parameters by the names and in the forms of a caller."""

import re
from pathlib import Path
from typing import Any, get_args
from urllib.parse import parse_qsl

import pytest

import sluice
from sluice import Filter, ListQuery
from sluice._declared.arguments import Exclusion, ListForm, NameStyle, SortForm

ROOT = Path(__file__).parents[2]


def declare(**members: object) -> type[ListQuery]:
    """Returns a class with parameters."""
    return type("Orders", (ListQuery,), members)


def texts_of(query: ListQuery) -> list[tuple[str, str]]:
    """Returns the parameters of a query."""
    return parse_qsl(query.to_query_string())


STYLES: list[tuple[NameStyle, str]] = [
    ("brackets", "price=1 price[gte]=2 price[gt]=3 price[lte]=4 price[lt]=5"),
    ("underscores", "price=1 price__gte=2 price__gt=3 price__lte=4 price__lt=5"),
    ("dots", "price=1 price.gte=2 price.gt=3 price.lte=4 price.lt=5"),
    ("words", "price=1 price_min=2 price_above=3 price_max=4 price_below=5"),
]


@pytest.mark.parametrize(("style", "text"), STYLES)
def test_operators_have_the_style_of_the_class(style: NameStyle, text: str) -> None:
    class Goods(ListQuery, names=style):
        price = sluice.integer(operators=("=", ">=", ">", "<=", "<"))

    class Inherited(Goods):
        weight = sluice.real(operators=(">=",))

    pairs = [part.split("=") for part in text.split()]
    assert list(Goods.parameters) == [name for name, _ in pairs]
    query = Goods.parse(dict(pairs))
    assert query.price == sluice.Bounds(eq=1, gte=2, gt=3, lte=4, lt=5)
    assert [[name, value] for name, value in texts_of(query)] == pairs
    assert [parameter["name"] for parameter in Goods.openapi_parameters()] == [*Goods.parameters]
    assert Inherited.parameters[-1] == pairs[1][0].replace("price", "weight")
    with pytest.raises(sluice.ApiError, match=f"did you mean '{re.escape(pairs[1][0])}'"):
        declare_one(style).parse("price=1")


def declare_one(style: NameStyle) -> type[ListQuery]:
    class One(ListQuery, names=style):
        price = sluice.integer(operators=">=")

    return One


def test_a_mapping_names_the_parameters_of_operators() -> None:
    price = sluice.decimal(operators={">=": "price_from", "<": "price_to", "=": "costs"})
    goods = declare(price=price)
    assert goods.parameters == ("price_from", "price_to", "costs")
    query: Any = goods.parse("price_from=1&costs=3")
    assert (query.price.gte, query.price.lt, query.price.eq) == (1, None, 3)
    assert query.tree()["where"]["all"][0] == {"column": "price", "gte": "1"}


@pytest.mark.parametrize(
    ("arguments", "text", "excludes", "values", "written"),
    [
        ({"lists": "repeated"}, "s=a,b&s=-c", False, ["a,b", "-c"], None),
        ({"lists": "repeated", "name": "s[]"}, "s[]=a&s[]=b", False, ["a", "b"], None),
        ({"lists": "repeated", "exclusion": "always"}, "s=a,b&s=-c", True, ["a,b", "-c"], None),
        ({"exclusion": "always", "name": "s!"}, "s!=a,b", True, ["a", "b"], None),
        ({"exclusion": "always", "name": "s__not_in"}, "s__not_in=a", True, ["a"], None),
        ({"exclusion": "never"}, "s=-a,b", False, ["-a", "b"], r"s=\-a,b"),
        ({}, "s=-a,b", True, ["a", "b"], None),
    ],
)
def test_lists_and_exclusions_are_read_as_declared(
    arguments: dict[str, Any], text: str, excludes: bool, values: list[str], written: str | None
) -> None:
    kind = declare(s=sluice.filter(**arguments))
    query: Any = kind.parse(text)
    assert query.s == Filter(values, excludes=excludes)
    assert texts_of(query) == parse_qsl(written or text)
    test = "none_of" if excludes else "any_of"
    assert query.tree()["where"]["all"] == [{"column": "s", test: values}]
    [name] = kind.parameters
    assert kind.parse({name: query.s}) == query
    if arguments.get("exclusion") != "dash" and arguments:
        assert kind.parse({name: values}) == query
        opposite = Filter(values, excludes=not excludes)
        with pytest.raises(ValueError, match="expected "):
            kind.parse({name: opposite})


def test_an_include_and_an_exclusion_are_both_conditions() -> None:
    goods = declare(
        status=sluice.filter(exclusion="never"),
        others=sluice.filter(name="status!", column="status", exclusion="always"),
    )
    query = goods.parse("status=a,b&status!=b")
    rows = [{"id": "1", "status": status} for status in ("a", "b", "c", None)]
    assert [query.matches(row) for row in rows] == [True, False, False, False]
    excluded = goods.parse("status!=b")
    assert [excluded.matches(row) for row in rows] == [True, False, True, True]


def test_repeated_texts_have_commas() -> None:
    kind = declare(ids=sluice.texts(lists="repeated", default=["x", "y"]))
    query: Any = kind.parse({"ids": ["a,b", "c"]})
    assert query.ids == ("a,b", "c")
    assert texts_of(query) == [("ids", "a,b"), ("ids", "c")]
    unset: Any = kind.parse("")
    assert unset.ids == ("x", "y")
    [parameter] = kind.openapi_parameters()
    assert parameter["explode"] is True
    assert parameter["schema"]["type"] == "array"
    assert parameter["schema"]["default"] == ["x", "y"]


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("dash", "-total,created"),
        ("space", "total desc,created"),
        ("colon", "total:desc,created"),
        ("dot", "total.desc,created"),
    ],
)
def test_orders_have_the_form_of_the_sort(form: SortForm, text: str) -> None:
    columns = [sluice.Column("total", "decimal"), sluice.Column("created", "time")]
    kind = declare(order=sluice.sort(*columns, form=form, default=text))
    for query in (kind.parse({"order": text}), kind.parse("")):
        keys: Any = query
        assert keys.order == (sluice.SortKey("total", True), sluice.SortKey("created"))
        assert [key["direction"] for key in query.tree()["order"]] == ["desc", "asc", "asc"]
    reversed_text = {"dash": "created,-total"}.get(form, "created asc,total DESC")
    separator = {"colon": ":", "dot": "."}.get(form, " ")
    query = kind.parse({"order": reversed_text.replace(" ", separator)})
    assert [key["column"] for key in query.tree()["order"]][:2] == ["created", "total"]
    [parameter] = kind.openapi_parameters()
    pattern = parameter["schema"]["pattern"]
    assert re.search(pattern, text)
    assert re.search(pattern, parameter["schema"]["examples"][0])
    assert not re.search(pattern, "total down")


def test_an_order_may_be_two_parameters() -> None:
    kind = declare(
        order=sluice.sort("total", name="sort", default="total", direction="order"),
        total=sluice.decimal(),
    )
    cases = [("", "asc"), ("order=desc", "desc"), ("sort=-total", "desc")]
    for text, direction in [*cases, ("sort=-total&order=asc", "asc")]:
        query: Any = kind.parse(text)
        assert query.tree()["order"][0] == {"column": "total", "direction": direction}
        assert query.order == (sluice.SortKey("total", direction == "desc"),)
    assert kind.errors("order=down")[0].param == "order"
    other = declare(order=sluice.sort("id", direction="dir", directions=("up", "down")))
    query = other.parse("order=id&dir=down")
    assert query.tree()["order"] == [{"column": "id", "direction": "desc"}]


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"a": sluice.filter(lists="spaces")}, "a: lists: expected one of commas, repeated"),  # type: ignore[arg-type]
        ({"a": sluice.filter(exclusion="no")}, "a: exclusion: expected one of dash, never"),  # type: ignore[arg-type]
        ({"a": sluice.sort("id", form="up")}, "a: form: expected one of dash, space"),  # type: ignore[arg-type]
        ({"a": sluice.search("b", form="odata")}, "a: form: expected one of any, all"),  # type: ignore[arg-type]
        ({"a": sluice.sort("id", direction="o", directions=["x"])}, "o: a direction has two"),
        ({"a": sluice.decimal(operators={">=": 5})}, "a: operators: expected the name of"),
        ({"a": sluice.decimal(operators={"~": "b"})}, "a: operators: expected some of"),  # type: ignore[dict-item]
    ],
)
def test_forms_that_no_parameter_has_are_refused(members: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"Orders: {message}")):
        declare(**members)


def test_a_style_that_there_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match="Goods: names: expected one of brackets, underscores"):

        class Goods(ListQuery, names="camel"):  # type: ignore[arg-type]
            """A class of a style without a record."""


def test_empty_values_are_ignored_or_not() -> None:
    with pytest.raises(ValueError, match="Goods: ignore_empty: expected True or False, not 'no'"):

        class Goods(ListQuery, ignore_empty="no"):  # type: ignore[arg-type]
            """A class with a text for a flag."""


def test_a_cleared_list_stays_so_where_empty_values_are_ignored() -> None:
    class Goods(ListQuery, ignore_empty=True):
        status = sluice.filter(default="a,b")
        ids = sluice.texts(default=("a",))

    query = Goods.parse("status=,&ids=,")
    assert (query.status, query.ids) == (Filter(), ())
    assert query.to_query_string() == "status=%2C&ids=%2C"
    assert Goods.parse(query.to_query_string()) == query != Goods.parse("status=&ids=")


def test_the_forms_of_python_are_those_of_typescript_and_cpp() -> None:
    typescript = (ROOT / "bindings/wasm/src/checks.ts").read_text(encoding="utf-8")
    header = (ROOT / "include/sluice/params/name_style.hpp").read_text(encoding="utf-8")
    forms = {"NAME_STYLES": NameStyle, "LIST_FORMS": ListForm}
    for name, alias in {**forms, "EXCLUSIONS": Exclusion, "SORT_FORMS": SortForm}.items():
        names = [f'"{text}"' for text in get_args(alias)]
        assert f"{name} = [{', '.join(names)}] as const" in typescript
        assert all(text in header for text in names)
    tests = [f'"{name}"' for name in sluice._sluice._TESTS]
    assert f"TESTS = [\n  {', '.join(tests)},\n] as const" in typescript
