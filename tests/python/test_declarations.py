# SPDX-License-Identifier: MIT
"""Declarations that can't be meant: the class refuses each, in words of what to do."""

import inspect
from collections.abc import Callable
from decimal import Decimal
from enum import Enum
from typing import Any

import pytest

import sluice
from sluice import Bounds, Filter, ListQuery, PageRequest, SortKey


class Size(Enum):
    """Texts."""

    SMALL = "s"
    LARGE = "l"


class Number(Enum):
    """No texts."""

    ONE = 1


def declare(parameter: object) -> type[ListQuery]:
    """A class with one parameter, `a`."""
    return type("Orders", (ListQuery,), {"a": parameter})


filter_: Any = sluice.filter
choice: Any = sluice.choice
boolean: Any = sluice.boolean
integer: Any = sluice.integer
decimal: Any = sluice.decimal
text: Any = sluice.text
texts: Any = sluice.texts
time: Any = sluice.time
uuid: Any = sluice.uuid
metadata: Any = sluice.metadata
value: Any = sluice.value
search: Any = sluice.search
window: Any = sluice.window
sort: Any = sluice.sort
page: Any = sluice.page

REFUSED: list[tuple[Callable[[], object], str]] = [
    # Defaults of another type.
    (lambda: filter_(default=5), "a: default: expected a filter's text, a Filter or a list"),
    (lambda: filter_(default=[1.5]), "a: default: expected a filter's text, a Filter or a list"),
    (lambda: filter_(default=[True]), "a: default: expected a filter's text, a Filter or a list"),
    (lambda: texts(default=["a,b"]), "a: default: expected text, or a list of texts without com"),
    (lambda: texts(default=5), "a: default: expected text, or a list of texts without commas"),
    (lambda: text(default=5), "a: default: expected a text, not 5"),
    (lambda: choice(["b"], default=5), "a: default: expected one of the choices, not 5"),
    (lambda: boolean(default="false"), "a: default: expected True or False, not 'false'"),
    (lambda: boolean(default=0), "a: default: expected True or False, not 0"),
    (lambda: integer(default="5"), "a: default: expected an int, not '5'"),
    (lambda: integer(default=True), "a: default: expected an int, not True"),
    (lambda: decimal(default="5"), "a: default: expected a Decimal or an int, not '5'"),
    (lambda: decimal(default=1.5), "a: default: expected a Decimal or an int, not 1.5"),
    (lambda: window(default="1m"), "interval: its default can't be read: '1m' is not one of "),
    (lambda: window(default=5), "a: default: expected a text, not 5"),
    (lambda: sort("id", default=["-id"]), r"a: default: expected a text, not \['-id'\]"),
    (lambda: page(default="5"), "a: default: expected an int, not '5'"),
    (lambda: page(limit=5), "a: limit: expected a parameter's name or None, and the rows as "),
    (lambda: page(cursor=5), "a: cursor: expected a parameter's name or None, not 5"),
    (lambda: page(page=""), "a: page: expected a parameter's name or None, not ''"),
    (lambda: page(offset="o"), "a: page, offset: a page begins at one of them, give None for "),
    (
        lambda: page(page=None, limit=None, cursor=None, count=None),
        "a: page, offset, limit, cursor, count: at least one has a name",
    ),
    (lambda: page(page="limit"), "limit: two parameters have this name"),
    (lambda: window(start=True), "a: start: expected a parameter's name or None, not True"),
    # Operators.
    (lambda: integer(operators="gte"), "a: operators: expected some of =, >=, >, <=, <, not 'gte'"),
    (lambda: decimal(operators=[]), "a: operators: expected at least one of =, >=, >, <=, <"),
    (lambda: time(operators=5), "a: operators: expected at least one of =, >=, >, <=, <, not 5"),
    (lambda: time(operators="="), "give it another operator than ="),
    (lambda: integer(operators=">=", default=5), "a: operators: .*leave default and required out"),
    (lambda: integer(operators=">", required=True), "a: operators: .*leave default and required"),
    # Choices.
    (lambda: filter_(choices="open"), r"a: choices: expected a list of texts, such as \['open'"),
    (lambda: filter_(choices=5), "a: choices: expected a list of texts"),
    (lambda: choice("open"), "a: choices: expected a list of texts"),
    (lambda: choice([1, 2]), "a: choices: expected a list of texts"),
    (lambda: choice(Number), "a: choices: expected a list of texts"),
    # Words and flags, in any kind.
    *(
        (lambda make=make: make(required="yes"), "a: required: expected True or False, not 'yes'")
        for make in (filter_, texts, text, boolean, integer, decimal, uuid)
    ),
    *(
        (lambda make=make, name=name: make(**{name: 5}), f"a: {name}: expected a text, not 5")
        for make in (filter_, texts, text, search, boolean, integer, decimal, uuid, metadata)
        for name in ("name", "help", "accepts")
    ),
    (lambda: filter_(column=5), "a: column: expected a column's name, a Column or None, not 5"),
    (lambda: window(column=5), "a: column: expected a column's name, a Column or None, not 5"),
    (lambda: window(column=None), "a: column: expected a column's name or a Column, not None"),
    (
        lambda: window(column=sluice.Column("at")),
        "a: column: expected a Column of type time, not text",
    ),
    # Arguments that a Column contradicts.
    (
        lambda: filter_(collation="ignore_case", column=sluice.Column("b")),
        "a: collation: 'ignore_case', but its Column has 'exact': give it to the Column",
    ),
    (
        lambda: filter_(type="integer", column=sluice.Column("b")),
        "a: type: 'integer', but its Column has 'text': give it to the Column",
    ),
    (
        lambda: value(int, type="integer", column=sluice.Column("b")),
        "a: type: 'integer', but its Column has 'text': give it to the Column",
    ),
    (lambda: text(deprecated="no"), "a: deprecated: expected True or False, not 'no'"),
    (lambda: text(prefix=5), "a: prefix: expected a text, not 5"),
    (lambda: page(prefix=5), "a: prefix: expected a text, not 5"),
    (lambda: filter_(type="json"), "a: it can't be compared with a column of type json"),
    (lambda: filter_(collation="x"), "a: collation: expected one of exact, ignore_case"),
    (lambda: value(5), "a: parse: expected a function, not 5"),
    (lambda: value(str, format=5), "a: format: expected a function, not 5"),
    (lambda: integer(minimum="1"), "a: minimum: expected an int, not '1'"),
    (lambda: page(maximum=2.5), "a: maximum: expected an int, not 2.5"),
    # Sorts.
    (
        lambda: sort("-id"),
        r"a: write sort\(\"id\", default=\"-id\"\): a column is named without '-'",
    ),
    (lambda: sort(["id"]), r"a: expected names of columns or Columns one by one, not \['id'\]"),
    # No parameters at all.
    (lambda: sluice.filter, r"a: sluice.filter isn't called: write it with \(\)"),
    (lambda: sluice.page, r"a: sluice.page isn't called: write it with \(\)"),
    (lambda: (sluice.filter(),), "a: a tuple, expected a parameter: is there a comma after it"),
]


@pytest.mark.parametrize(("make", "message"), REFUSED)
def test_what_cant_be_meant_is_refused_by_the_class(
    make: Callable[[], object], message: str
) -> None:
    with pytest.raises(ValueError, match=f"^Orders: .*{message}"):
        declare(make())


UNKNOWN: list[tuple[Callable[[], object], str]] = [
    (lambda: filter_(description="b"), "filter(): no argument 'description', did you mean 'help'?"),
    (
        lambda: choice(["b"], defualt="b"),
        "choice(): no argument 'defualt', did you mean 'default'?",
    ),
    (lambda: filter_(("a",)), "filter(): an argument without a name, expected its name: choices, "),
    (lambda: integer(min=1), "integer(): no argument 'min', did you mean 'minimum'?"),
    (lambda: sort("id", defualt="id"), "sort(): no argument 'defualt', did you mean 'default'?"),
    (lambda: window(zz=1), "window(): no argument 'zz', expected column, default, prefix, "),
    (lambda: search(column="a"), "search(): no argument 'column', did you mean 'columns'?"),
]


@pytest.mark.parametrize(("make", "message"), UNKNOWN)
def test_unknown_arguments_are_named_with_what_was_meant(
    make: Callable[[], object], message: str
) -> None:
    with pytest.raises(TypeError) as refused:
        make()
    assert str(refused.value).startswith(message)


KEYWORDS = [
    ({"columns": ("a",)}, TypeError, "Orders: columns: expected Columns, not str"),
    ({"columns": "a"}, TypeError, "Orders: columns: expected Columns, not str"),
    ({"columns": 5}, TypeError, "Orders: columns: expected Columns, not int"),
    ({"key": ("a", "b")}, TypeError, "Orders: key: one column only"),
    ({"key": 5}, TypeError, "Orders: key: expected a column's name or a Column, not int"),
    ({"key": ""}, ValueError, "Orders: name: a column needs one"),
    ({"keys": "a"}, TypeError, "Orders: no argument 'keys', did you mean 'key'?"),
    (
        {"table": "a"},
        TypeError,
        "Orders: no argument 'table', expected key, columns, model, names, ignore_empty",
    ),
]


@pytest.mark.parametrize(("keywords", "kind", "message"), KEYWORDS)
def test_words_of_a_class_are_columns(
    keywords: dict[str, Any], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind) as refused:
        type("Orders", (ListQuery,), {}, **keywords)
    assert str(refused.value) == message


def test_other_bases_take_their_own_words() -> None:
    class Tagged:
        """A base with a word of its own."""

        tag = ""

        def __init_subclass__(cls, tag: str) -> None:
            cls.tag = tag

    class Orders(ListQuery, Tagged, key="number", tag="shop"):
        """A list with both."""

    assert (Orders.tag, Orders.parse("").schema[0].name) == ("shop", "number")


def test_a_window_takes_a_column() -> None:
    at = sluice.Column("at", "time", is_nullable=True)
    query = declare(window(column=at, default="7d")).parse("")
    assert at in query.schema
    assert query.tree()["where"]["all"][0]["column"] == "at"


def test_what_is_meant_is_taken() -> None:
    class Orders(ListQuery):
        total = sluice.integer(operators=">=")
        city = sluice.filter(default=["Washington, D.C.", "-x"])
        seats = sluice.filter(type="integer", default=[-5])
        ids = sluice.texts(column="id", default=["a", "-b"])
        size = sluice.choice(Size, default=Size.SMALL)
        price = sluice.decimal(default=Decimal("1.5"))

    query = Orders.parse("total[gte]=5")
    assert query.total == Bounds(gte=5)
    assert query.city == Filter(["Washington, D.C.", "-x"])
    assert query.ids == ("a", "-b")
    assert query.seats == Filter(["-5"])
    assert (query.size, query.price) == (Size.SMALL, Decimal("1.5"))


def test_functions_show_their_arguments() -> None:
    words = ["name", "column", "help", "accepts", "deprecated"]
    names = list(inspect.signature(sluice.filter).parameters)
    forms = ["lists", "exclusion"]
    assert names == ["choices", "type", "collation", "default", "required", *forms, *words]
    doc = sluice.filter.__doc__ or ""
    assert all(f"\n        {name}: " in doc for name in names)
    assert list(inspect.signature(sluice.search).parameters) == [
        "columns",
        "form",
        *(word for word in words if word != "column"),
    ]
    assert list(inspect.signature(ListQuery).parameters)[:3] == ["key", "columns", "model"]


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        (Bounds, "eq gte gt lte lt"),
        (SortKey, "name descending"),
        (PageRequest, "number limit cursor count offset"),
    ],
)
def test_members_of_values_have_docstrings(kind: type, names: str) -> None:
    for name in names.split():
        assert len(inspect.getattr_static(kind, name).__doc__) > 10


def test_a_query_is_made_by_parsing() -> None:
    class Orders(ListQuery):
        pass

    with pytest.raises(TypeError, match=r"^Orders: made by Orders\.parse\(\.\.\.\), not by call"):
        Orders()
