# SPDX-License-Identifier: MIT
"""Endpoints that Python declares: what their attributes are, what they refuse, what they become."""

import contextlib
import copy
import gc
import inspect
import pickle
import re
import resource
import sqlite3
import subprocess
import sys
import weakref
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any
from uuid import UUID

import jsonschema
import pytest
from conftest import NOW

import sluice
from sluice import ApiError, Bounds, Column, Filter, PageRequest, SortKey

DIGIT = sluice.Rule("isbn_digit", "a wrong check digit", "expected an ISBN-13")
RANGE = sluice.Rule("range_reversed", "more than its upper bound", "give the larger one last")


class Isbn:
    """A type of one's own: thirteen digits, of which the last checks the others."""

    def __init__(self, digits: str) -> None:
        self.digits = digits

    @classmethod
    def parse(cls, text: str) -> "Isbn":
        digits = text.replace("-", "")
        if len(digits) != 13 or not digits.isdecimal():
            raise ValueError("not thirteen digits")
        if sum(int(digit) * (3 if at % 2 else 1) for at, digit in enumerate(digits)) % 10:
            raise DIGIT.error(offset=len(text) - 1, length=1)
        return cls(digits)

    def __str__(self) -> str:
        return self.digits


class Size(Enum):
    SMALL = "small"
    LARGE = "large"


class Paged(sluice.ListQuery):
    page = sluice.page(default=20, maximum=50)


class Dated:
    created = sluice.window(column="created_at", default="30d")


class Orders(Dated, Paged):
    """Orders of a shop.

    More of them.
    """

    status = sluice.filter(choices=("open", "paid", "void"), help="state of the order")
    customer = sluice.filter(column="customer_id")
    labels = sluice.filter(column=Column("labels", is_list=True))
    region = sluice.filter(collation="subdivision")
    items = sluice.filter(type="integer")
    ids = sluice.texts(column="id")
    note = sluice.text(prefix="n-")
    size = sluice.choice(Size)
    kind = sluice.choice(("web", "shop"), default="web", column=None)
    gift = sluice.boolean()
    weight = sluice.integer(operators=(">", "<="), maximum=1_000)
    total = sluice.decimal(operators=("=", ">=", "<="), help="in euros")
    paid = sluice.time(operators=(">=",))
    key = sluice.uuid(column="uuid")
    book = sluice.value(Isbn.parse, accepts="expected thirteen digits", form="isbn")
    extra = sluice.metadata()
    words = sluice.search(name="search")
    order = sluice.sort("created", "total", Column("rank", "integer"), default="-created,rank")

    @sluice.check
    def has_an_order_of_bounds(self) -> None:
        low, high = self.total.gte, self.total.lte
        if low is not None and high is not None and low > high:
            raise RANGE.error("total[gte]")


DAY = timedelta(days=1)
READ: list[tuple[str, str, Any]] = [
    # query string, attribute, value
    ("", "status", Filter([])),
    ("status=open,paid", "status", Filter(["open", "paid"])),
    ("status=-void", "status", Filter(["void"], excludes=True)),
    ("labels=a", "labels", Filter(["a"])),
    ("region=US-CA", "region", Filter(["US-CA"])),
    ("items=1,2", "items", Filter(["1", "2"])),
    ("", "ids", ()),
    ("ids=a,b&ids[]=c", "ids", ("a", "b", "c")),
    ("", "note", None),
    ("note=n-7", "note", "7"),
    ("", "size", None),
    ("size=large", "size", Size.LARGE),
    ("", "kind", "web"),
    ("kind=shop", "kind", "shop"),
    ("", "gift", None),
    ("gift=FALSE", "gift", False),
    ("", "weight", Bounds()),
    ("weight[gt]=1&weight[lte]=1e3", "weight", Bounds(gt=1, lte=1_000)),
    ("total=1.50", "total", Bounds(eq=Decimal("1.50"))),
    ("total[gte]=1&total[lte]=2", "total", Bounds(gte=Decimal(1), lte=Decimal(2))),
    ("paid[gte]=2026-01-31", "paid", Bounds(gte=datetime(2026, 1, 31, tzinfo=UTC))),
    ("key=0190C7A6-5E2B-7C61-9F0E-8D7B1A2C3D4E", "key",
     UUID("0190c7a6-5e2b-7c61-9f0e-8d7b1a2c3d4e")),
    ("", "book", None),
    ("", "extra", None),
    ("extra=metadata['a']:1", "extra", sluice.MetadataQuery.parse("metadata['a']:1")),
    ("search=a+b", "words", "a b"),
    ("", "order", (SortKey("created", descending=True), SortKey("rank"))),
    ("order=-total", "order", (SortKey("total", descending=True),)),
    ("", "page", PageRequest(1, 20)),
    ("page=3&limit=50&count=true", "page", PageRequest(3, 50, count=True)),
    ("", "created", sluice.Window(NOW - 30 * DAY, NOW, "30d")),
    ("interval=all", "created", sluice.Window(None, None, "all")),
    ("interval=6h", "created", sluice.Window(NOW - timedelta(hours=6), NOW, "6h")),
    ("interval=2w", "created", sluice.Window(NOW - timedelta(days=14), NOW, "2w")),
    ("interval=all&end=now", "created", sluice.Window(None, NOW, "all")),
    ("interval=all&start=today", "created", sluice.Window(datetime(2026, 8, 21, tzinfo=UTC), None)),
]  # fmt: skip


@pytest.mark.parametrize(("text", "attribute", "value"), READ)
def test_attributes_are_the_values_of_the_parameters(
    text: str, attribute: str, value: object
) -> None:
    query = Orders.parse(text, now=NOW)
    assert getattr(query, attribute) == value
    assert type(getattr(query, attribute)) is type(value)


@pytest.mark.parametrize(
    ("text", "offset"), [("", 0), ("page=2", 20), ("page=3&limit=7", 14), ("page=1&limit=50", 0)]
)
def test_rows_before_a_page(text: str, offset: int) -> None:
    assert Paged.parse(text).page.offset == offset


@pytest.mark.parametrize(
    ("bounds", "has_any"),
    [({}, False), ({"eq": 1}, True), ({"lt": 0}, True), ({"gt": None}, False)],
)
def test_bounds_are_true_if_there_are_any(bounds: dict[str, Any], has_any: bool) -> None:
    assert bool(Bounds(**bounds)) is has_any


def test_parameters_are_shown_without_functions() -> None:
    assert "function" not in repr(Orders.size)


def test_values_of_ones_own_types_are_what_their_function_makes() -> None:
    book = Orders.parse("book=978-3-16-148410-0", now=NOW).book
    assert isinstance(book, Isbn)
    assert book.digits == "9783161484100"


class Defaults(sluice.ListQuery):
    """Parameters with a default, which an empty value clears or leaves."""

    status = sluice.filter(default="open,paid")
    ids = sluice.texts(default="a,b")
    owner = sluice.text(default="own_me", prefix="own_")
    words = sluice.search()
    extra = sluice.metadata()
    kind = sluice.choice(("web", "shop"), default="web")
    items = sluice.integer(default=3)
    gift = sluice.boolean(default=True)


@pytest.mark.parametrize(
    ("text", "status", "ids"),
    [
        ("", ["open", "paid"], ("a", "b")),
        ("status=", [], ("a", "b")),
        ("ids=", ["open", "paid"], ()),
        ("owner=&words=&extra=", ["open", "paid"], ("a", "b")),
    ],
)
def test_an_empty_value_clears_a_list_and_leaves_a_text(
    text: str, status: list[str], ids: tuple[str, ...]
) -> None:
    query = Defaults.parse(text)
    assert (query.status, query.ids, query.owner) == (Filter(status), ids, "me")
    again = Defaults.parse(query.to_query_string())
    assert (again.status, again.ids, again.owner) == (query.status, query.ids, query.owner)
    assert (query.words, query.extra) == (None, None)


@pytest.mark.parametrize("name", ["kind", "items", "gift"])
def test_an_empty_value_of_a_single_one_is_an_error(name: str) -> None:
    with pytest.raises(sluice.ApiError, match=f"^{name}: not "):
        Defaults.parse(f"{name}=")


def test_a_missing_prefix_is_named() -> None:
    with pytest.raises(sluice.ApiError) as refused:
        Defaults.parse("owner=me")
    assert str(refused.value) == "owner: missing its prefix, it must start with own_"


BEYOND = [
    ("n=9223372036854775808", "number_too_large"),
    ("n=18446744073709551616", "number_too_large"),
    ("n=-9223372036854775809", "number_too_small"),
    ("n[gte]=1e19", "number_too_large"),
    ("n[lt]=-1e400", "number_too_small"),
    ("few=256", "number_too_large"),
    ("limit=1e30", "number_too_large"),
]


class Numbers(sluice.ListQuery):
    """Integers with and without bounds."""

    n = sluice.integer(operators=("=", ">=", "<"))
    few = sluice.integer(maximum=255)
    page = sluice.page()


@pytest.mark.parametrize(("text", "rule"), BEYOND)
def test_integers_beyond_64_bits_are_refused(text: str, rule: str) -> None:
    name, value = text.split("=", 1)
    for values in (text, {name: value}, {name: int(Decimal(value))}):
        with pytest.raises(sluice.ApiError) as refused:
            Numbers.parse(values)
        error = refused.value
        assert (error.rule, error.status, error.param, error.offset) == (rule, 422, name, 0)
        if isinstance(values, str):
            assert error.length == len(value)


def test_the_ends_of_64_bits_are_integers() -> None:
    for number in (2**63 - 1, -(2**63)):
        query = Numbers.parse(f"n={number}")
        assert query.n.eq == number
        assert query.matches({"n": number})
        assert not query.matches({"n": number - 1 if number > 0 else number + 1})
    assert Numbers.parse("page=1e30").page.number == 2**63 - 1


REFUSED = [
    # query string, parameter, rule, status, offset, length, message
    ("status=opn", "status", "filter_value", 422, 0, 3, "(did you mean 'open'?)"),
    ("items=1,-2", "items", "filter_dash", 400, 2, 2, "exclude the whole list"),
    ("items=07", "items", "filter_value", 422, 0, 2, "expected whole numbers such as 7"),
    ("size=huge", "size", "choice_unknown", 422, 0, 4, "expected small or large"),
    ("note=7", "note", "prefix_missing", 422, 0, 1, "prefix"),
    ("weight[gt]=1001", "weight[gt]", "number_too_large", 422, 0, 4, "of at most 1000"),
    ("total[gte]=ten", "total[gte]", "number_malformed", 400, 0, 3, "such as 10.50"),
    ("paid[gte]=soon", "paid[gte]", "time_malformed", 400, 0, 4, ""),
    ("key=1", "key", "value_malformed", 400, 1, 0, "expected a UUID"),
    ("book=123", "book", "value_malformed", 400, 0, 3, "expected thirteen digits"),
    ("book=9783161484101", "book", "isbn_digit", 422, 12, 1, "a wrong check digit"),
    ("order=size", "order", "choice_unknown", 422, 0, 4, "expected created, total or rank"),
    ("limit=51", "limit", "number_too_large", 422, 0, 2, "from 1 to 50"),
    ("interval=5m", "interval", "choice_unknown", 422, 0, 2, "a count of min, h, d, w, mo or y"),
    ("interval=0h", "interval", "number_too_small", 422, 0, 1, "expected a count from 1"),
    ("interval=1001y", "interval", "number_too_large", 422, 0, 4, "at most 1000 years"),
    ("total[gte]=2&total[lte]=1", "total[gte]", "range_reversed", 422, 0, 0, "larger one last"),
    ("cursor=x", "cursor", "cursor_malformed", 400, 0, 1, ""),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "param", "rule", "status", "offset", "length", "message"), REFUSED
)
def test_what_is_wrong_is_told(
    text: str, param: str, rule: str, status: int, offset: int, length: int, message: str
) -> None:
    [error] = Orders.errors(text, now=NOW)
    members = (error.param, error.rule, error.status, error.offset, error.length)
    assert members == (param, rule, status, offset, length)
    assert message in error.message
    with pytest.raises(ApiError) as raised:
        Orders.parse(text, now=NOW)
    assert raised.value.message == error.message


def test_all_that_is_wrong_comes_in_the_order_of_the_class() -> None:
    errors = Orders.errors("limit=0&status=x&what=1&gift=2", now=NOW, strict=True)
    assert [error.param for error in errors] == ["limit", "status", "gift", "what"]


def test_checks_are_made_where_nothing_else_is_wrong() -> None:
    errors = Orders.errors("total[gte]=2&total[lte]=1&gift=2", now=NOW)
    assert [error.param for error in errors] == ["gift"]


@pytest.mark.parametrize("text", [text for text, _, value in READ if value is not None])
def test_queries_survive(text: str) -> None:
    query = Orders.parse(text, now=NOW)
    again = Orders.parse(query.to_query_string(), now=NOW)
    assert query == again
    assert hash(query) == hash(again)
    assert str(again) == query.to_query_string()
    assert copy.deepcopy(query) == query
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(query, protocol)) == query
    names = {"Orders": Orders, "datetime": sys.modules["datetime"]}
    assert eval(repr(query), names) == query


def test_queries_differ_by_what_they_ask_for() -> None:
    query = Orders.parse("status=open", now=NOW)
    assert query != Orders.parse("status=paid", now=NOW)
    assert query != Orders.parse("status=open", now=NOW + DAY)
    assert query != sluice.ListQuery.from_tree(query.tree(), query.schema)
    assert query != object()


def test_queries_are_immutable() -> None:
    query = Orders.parse("", now=NOW)
    for change in (
        lambda: setattr(query, "status", Filter([])),
        lambda: setattr(query, "other", 1),
        lambda: delattr(query, "status"),
    ):
        with pytest.raises(AttributeError, match="Orders is immutable"):
            change()  # type: ignore[no-untyped-call]
    with pytest.raises(TypeError):
        Orders()


def test_queries_end_as_other_objects_do() -> None:
    gone: list[str] = []
    query = Orders.parse("status=open&ids=a,b", now=NOW)
    weakref.finalize(query, gone.append, "query")
    del query
    assert gone == ["query"]
    references = sys.getrefcount(Paged)
    for text in ("page=2", "page=0"):
        for _ in range(100):
            with contextlib.suppress(ApiError):
                Paged.parse(text)
    assert sys.getrefcount(Paged) == references
    blocks = sys.getallocatedblocks()
    for _ in range(1_000):
        Paged.parse("page=2")
    assert sys.getallocatedblocks() - blocks < 500


def test_what_queries_hold_is_given_back() -> None:
    text = "ids=" + ",".join(f"order_{number}" for number in range(900))
    for _ in range(50):
        Orders.parse(text, now=NOW)
    before = resident()
    for _ in range(1_000):
        Orders.parse(text, now=NOW)
    assert resident() - before < 8 << 20


def resident() -> int:
    """The bytes of memory that the process has."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def test_there_are_no_queries_without_a_value() -> None:
    with pytest.raises(TypeError, match=r"Orders: made by Orders\.parse"):
        Orders.__new__(Orders)
    with pytest.raises(TypeError, match="is not safe"):
        object.__new__(Orders)


def test_parse_can_be_extended() -> None:
    class Open(Orders):
        @classmethod
        def parse(
            cls, query_string: object, now: datetime | None = None, strict: object = True
        ) -> "Open":
            return super().parse(f"status=open&{query_string}", now, bool(strict))

    query = Open.parse("ids=a", now=NOW)
    assert type(query) is Open
    assert (query.status, query.ids) == (Filter(["open"]), ("a",))
    assert str(inspect.signature(Orders.parse)) == "(query_string, now=None, strict=True)"


def test_only_a_class_with_a_table_parses() -> None:
    with pytest.raises(AttributeError, match="_table"):
        sluice.ListQuery.__base__.parse("")  # type: ignore[union-attr]
    kind = type("Kind", (Paged,), {})
    kind._table = object()  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match="_table: expected ParameterTable, not object"):
        kind.parse("")  # type: ignore[attr-defined]


def test_a_query_is_a_list_query() -> None:
    query = Orders.parse("status=open&total[gte]=10&order=-total&limit=5", now=NOW)
    tree = query.tree()
    assert tree["where"]["all"][0]["column"] == "created_at"
    assert tree["where"]["all"][1:] == [
        {"column": "status", "any_of": ["open"]},
        {"column": "total", "gte": "10"},
    ]
    assert [key["column"] for key in tree["order"]] == ["total", "id"]
    assert query.columns == ("created_at", "status", "total", "id")
    read = sluice.ListQuery.from_tree(tree, query.schema)
    assert read.tree() == tree
    assert Orders.from_tree(tree) == read
    statement = query.to_sql("sqlite", "orders")
    assert '"status" COLLATE BINARY IS ?3' in statement.text
    rows: dict[str, list[Any]] = {
        "status": ["open", "open", "paid"],
        "total": ["9.99", "10.00", "11"],
        "created_at": [NOW, NOW - DAY, NOW],
    }
    assert query.mask(rows).tolist() == [False, True, False]
    matched = [query.matches({name: row[at] for name, row in rows.items()}) for at in range(3)]
    assert matched == [False, True, False]


def test_parameters_come_in_the_order_of_bases_and_attributes() -> None:
    assert Orders.parameters[:8] == (
        "page", "limit", "cursor", "count", "interval", "start", "end", "timezone",
    )  # fmt: skip
    assert Orders.parameters[-1] == "order"
    assert isinstance(Orders.status, sluice.Parameter)
    assert Orders.status.attribute == "status"


def test_subclasses_change_and_remove_parameters() -> None:
    class Fewer(Orders):
        status = sluice.filter(choices=("open",))
        customer = None  # type: ignore[assignment]

    assert "customer" not in Fewer.parameters
    assert Fewer.parameters.index("status") == Orders.parameters.index("status")
    assert Fewer.errors("status=paid", now=NOW)
    assert not Orders.errors("status=paid", now=NOW)
    query = Fewer.parse("size=small&limit=7", now=NOW)
    assert (query.size, query.page.limit) == (Size.SMALL, 7)


def declared(**members: object) -> type[sluice.ListQuery]:
    return type("Declared", (sluice.ListQuery,), members)


MISTAKES: list[tuple[Callable[[], object], str]] = [
    (lambda: declared(a=sluice.choice(())), "Declared: a: it needs choices"),
    (lambda: declared(a=sluice.filter(choices=("b", "b"))), "Declared: a: two choices"),
    (lambda: declared(a=sluice.sort("b"), c=sluice.text()),
     "Declared: a: the schema has no column 'b': add it, or use id or c"),
    (lambda: declared(a=sluice.sort(Column("b", is_list=True))), "a: column 'b' has no order"),
    (lambda: declared(a=sluice.sort(Column("b", "json"))), "a: column 'b' has no order"),
    (lambda: declared(a=sluice.text(column=Column("b", "uuid"))), "uuid: use uuid or filter"),
    (lambda: declared(a=sluice.page(default=9, maximum=8)), "Declared: limit: its default"),
    (lambda: declared(a=sluice.window(), b=sluice.window()), "Declared: interval: two parameters"),
    (lambda: declared(a=sluice.text(name="x"), b=sluice.text(name="x")), "Declared: x: two param"),
    (lambda: declared(a=sluice.text(column="x"), b=sluice.integer(column="x")),
     "Declared: x: two parameters say different things"),
    (lambda: declared(columns=sluice.filter()), "Declared: columns: every query has"),
    (lambda: declared(a=sluice.time(operators=("=",))), "Declared: a: rows of one instant"),
    (lambda: declared(a=sluice.decimal(operators=())), "operators: expected at least one of =,"),
    (lambda: declared(a=sluice.decimal(operators=("=>",))),  # type: ignore[arg-type]
     "operators: expected some of =, >=, >, <=, <, not '=>'"),
    (lambda: declared(a=sluice.boolean(default=True, required=True)),  # type: ignore[call-overload]
     "Declared: a: what is required has no default"),
    (lambda: sluice.Rule("Bad name", "a", "expected b"), "Bad name: its name is of a-z"),
    (lambda: sluice.Rule("filter_dash", "a", "expected b"), "the library has a rule"),
    (lambda: sluice.Rule("isbn_digit", "a", "expected b"), "another rule has this name"),
    (lambda: sluice.Rule("no_words", "", "expected b"), "doesn't say what is wrong"),
    (lambda: sluice.Rule("no_advice", "a", "b"), "begins with a verb"),
    (lambda: sluice.Rule("no_code", "a", "use b", code="teapot"), "code: expected an error code"),
]  # fmt: skip


@pytest.mark.parametrize(("declare", "message"), MISTAKES)
def test_mistakes_are_told_where_they_are_declared(
    declare: Callable[[], object], message: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        declare()


def test_functions_that_break_are_no_refusals() -> None:
    def parse(text: str) -> object:
        raise KeyError(text)

    with pytest.raises(KeyError):
        declared(a=sluice.value(parse)).parse("a=1")


def test_the_unique_column_has_any_name() -> None:
    class Keyed(sluice.ListQuery, key="number", columns=[Column("shop")]):
        by = sluice.sort("shop")

    tree = Keyed.parse("by=-shop", now=NOW).tree()
    assert [key["column"] for key in tree["order"]] == ["shop", "number"]


def test_pages_of_a_table_without_an_id_hold_each_row_once() -> None:
    class Keyed(sluice.ListQuery, key="number", columns=[Column("shop")]):
        by = sluice.sort("shop")
        page = sluice.page(default=3, maximum=10)

    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE sold (number TEXT, shop TEXT)")
    rows = [(f"n{at}", "ab"[at % 2]) for at in range(10)]
    database.executemany("INSERT INTO sold VALUES (?, ?)", rows)
    ids: list[tuple[str, str]] = []
    query = Keyed.parse("by=-shop", now=NOW)
    while len(ids) < len(rows):
        text, parameters = query.to_sql("sqlite", "sold")
        again = sluice.ListQuery.from_tree(query.tree(), query.schema)
        assert again.to_sql("sqlite", "sold") == (text, parameters)
        page = database.execute(text, parameters).fetchall()
        assert page
        ids += [row[:2] for row in page]
        place = query.cursor_beside(page[-1][2:])
        query = Keyed.parse(f"by=-shop&cursor={place}", now=NOW)
    assert ids == sorted(rows, key=lambda row: (row[1], row[0]), reverse=True)


def test_parameters_are_documented() -> None:
    parameters = {parameter["name"]: parameter for parameter in Orders.openapi_parameters()}
    assert tuple(parameters) == Orders.parameters
    assert parameters["status"]["description"].startswith("state of the order")
    assert parameters["total[gte]"]["description"].startswith("in euros")
    assert parameters["limit"]["schema"] == {
        "type": "integer", "minimum": 1, "maximum": 50, "default": 20,
    }  # fmt: skip
    assert parameters["size"]["schema"]["enum"] == ["small", "large"]
    assert parameters["book"]["schema"]["format"] == "isbn"
    assert not any(parameter.get("deprecated") for parameter in parameters.values())


def test_a_deprecated_parameter_is_documented_as_one() -> None:
    kind = declared(a=sluice.text(deprecated=True), b=sluice.text())
    marks = {
        parameter["name"]: parameter.get("deprecated", False)
        for parameter in kind.openapi_parameters()
    }
    assert marks == {"a": True, "b": False}


def test_a_parameter_without_a_kind_declares_nothing() -> None:
    bare: sluice.Parameter[object] = sluice.Parameter()
    assert bare.columns() == ()
    with pytest.raises(NotImplementedError):
        bare.declarations({})
    with pytest.raises(NotImplementedError):
        bare.to_value([])


def test_the_schema_is_one() -> None:
    schema = Orders.json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    assert (schema["title"], schema["description"]) == ("Orders", "Orders of a shop.")
    assert "required" not in schema
    jsonschema.validate({"limit": 50, "status": "open"}, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"limit": 51}, schema)


def test_a_required_parameter_is() -> None:
    class Needs(sluice.ListQuery):
        owner = sluice.text(required=True)

    assert Needs.json_schema()["required"] == ["owner"]
    [error] = Needs.errors("")
    assert (error.rule, error.param) == ("parameter_missing", "owner")
    assert Needs.parse("owner=me").owner == "me"


TYPED = """
from datetime import datetime
from decimal import Decimal
from enum import Enum
from typing import assert_type
from uuid import UUID

import sluice

class Size(Enum):
    SMALL = "small"

class Orders(sluice.ListQuery):
    status = sluice.filter(choices=("open",))
    ids = sluice.texts()
    size = sluice.choice(Size)
    named = sluice.choice(("a", "b"), default="a")
    gift = sluice.boolean(required=True)
    weight = sluice.integer()
    total = sluice.decimal(operators=(">=",))
    paid = sluice.time(operators=("<",))
    key = sluice.uuid()
    own = sluice.value(complex)
    order = sluice.sort("total")
    created = sluice.window()
    page = sluice.page()

query = Orders.parse("")
assert_type(query, Orders)
assert_type(query.status, sluice.Filter)
assert_type(query.ids, tuple[str, ...])
assert_type(query.size, Size | None)
assert_type(query.named, str)
assert_type(query.gift, bool)
assert_type(query.weight, int | None)
assert_type(query.total, sluice.Bounds[Decimal])
assert_type(query.paid, sluice.Bounds[datetime])
assert_type(query.key, UUID | None)
assert_type(query.own, complex | None)
assert_type(query.order, tuple[sluice.SortKey, ...])
assert_type(query.created, sluice.Window)
assert_type(query.page, sluice.PageRequest)
assert_type(Orders.status, sluice.Parameter[sluice.Filter])
"""


@pytest.mark.parametrize("checker", [("mypy", "--strict"), ("pyright",)])
def test_attributes_have_their_types(checker: tuple[str, ...], tmp_path: Path) -> None:
    if checker == ("pyright",):
        pytest.importorskip("pyright")
    program = tmp_path / "typed.py"
    program.write_text(TYPED)
    command = [sys.executable, "-m", *checker, str(program)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_query_and_a_value_that_refers_to_it_are_collected() -> None:
    class Box:
        query: Any = None

        def __init__(self, text: str) -> None:
            self.text = text

        def __str__(self) -> str:
            return self.text

    class Boxes(sluice.ListQuery):
        box = sluice.value(Box)
        plain = sluice.filter()

    query = Boxes.parse("box=a&plain=b")
    kept = query.box
    assert kept is not None
    kept.query = query
    alive = weakref.ref(kept)
    del query
    gc.collect()
    assert kept.query.box is kept
    assert str(kept) == "a"
    query = kept.query
    del kept
    gc.collect()
    assert alive() is query.box
    del query
    gc.collect()
    assert alive() is None
    for _ in range(3):  # without a cycle, and without a value
        assert Boxes.parse("plain=b").box is None
        assert str(Boxes.parse("box=c").box) == "c"
        gc.collect()
