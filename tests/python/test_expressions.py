# SPDX-License-Identifier: MIT
"""Parameters that take a whole condition, or an order, in the grammar of a guideline."""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import polars as pl
import pytest
import sqlalchemy as sa
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

import sluice
import sluice.pages
from sluice import Column, ListQuery, SortKey

Grammar: TypeAlias = Literal["aip160", "odata", "rsql", "cql2", "scim", "postgrest", "cql2-json"]
CREATED = Column("created", "time")


class Orders(ListQuery, columns=[CREATED, Column("city", is_nullable=True)]):
    status = sluice.filter(choices=("open", "paid"))
    total = sluice.decimal(operators=(">=",))
    odata = sluice.expression("odata", name="$filter", aliases={"createTime": "created"})
    few = sluice.expression(
        "rsql",
        columns=("total",),
        aliases={"state": "status"},
        tests={"total": ["bounds"], "state": ["any_of"]},
    )
    words = sluice.expression("aip160", columns=("status",), searched=("city",))
    order = sluice.ordering("odata", name="$orderby", aliases={"createTime": "created"})
    page = sluice.page(default=2)


LARGE = {"column": "total", "gt": "5"}
OPEN = {"column": "status", "any_of": ["open"]}


def where(**parameters: str) -> dict[str, Any]:
    """Returns the conditions of a request."""
    names = {"odata": "$filter", "order": "$orderby"}
    query = Orders.parse({names.get(name, name): text for name, text in parameters.items()})
    assert Orders.parse(query.to_query_string()).tree() == query.tree()
    conditions: dict[str, Any] = query.tree()["where"]
    return conditions


@pytest.mark.parametrize(
    ("parameters", "tree"),
    [
        ({"odata": ""}, {"all": []}),
        ({"odata": "total gt 5"}, {"all": [LARGE]}),
        (
            {"odata": "total gt 5 or not (status eq 'open')"},
            {"all": [{"any": [LARGE, {"not": OPEN}]}]},
        ),
        (
            {"odata": "createTime gt 2026-08-21T00:00:00Z"},
            {"all": [{"column": "created", "gt": "2026-08-21T00:00:00.000Z"}]},
        ),
        ({"odata": "id eq 'a'"}, {"all": [{"column": "id", "any_of": ["a"]}]}),
        ({"few": "total=gt=5,state==open"}, {"all": [{"any": [LARGE, OPEN]}]}),
        ({"few": "total=gt=5", "status": "open"}, {"all": [{"all": [OPEN]}, LARGE]}),
        ({"words": "Oslo"}, {"all": [{"column": "city", "contains": ["Oslo"]}]}),
    ],
)
def test_a_condition_joins_the_others(parameters: dict[str, str], tree: object) -> None:
    joined = where(**parameters)
    assert json.loads(json.dumps(joined).replace(', "is_nullable": true', "")) == tree


@pytest.mark.parametrize(
    ("parameter", "text", "rule", "offset", "length", "note"),
    [
        ("$filter", "total gt 'x'", "value_malformed", 9, 3, "total gt 'x'\n         ^^^"),
        ("$filter", "totl gt 5", "column_unknown", 0, 4, "totl gt 5\n^^^^"),
        ("$filter", "created gt 5", "column_unknown", 0, 7, None),
        ("few", "city==x", "column_unknown", 0, 4, None),
        ("few", "status==open", "column_unknown", 0, 6, None),
        ("few", "state!=open", "operator_refused", 5, 2, None),
        ("$orderby", "total dsc", "expression_malformed", 6, 3, None),
    ],
)
def test_errors_have_their_byte(
    parameter: str, text: str, rule: str, offset: int, length: int, note: str | None
) -> None:
    with pytest.raises(sluice.ApiError) as raised:
        Orders.parse({parameter: text})
    error = raised.value
    assert (error.rule, error.param, error.offset, error.length, error.status) == (
        (rule, parameter, offset, length, 400)
    )
    if note is not None:
        assert error.__notes__ == [note]


def test_all_errors_at_once() -> None:
    request = {"$filter": "totl gt 5", "few": "total=gt=", "status": "opn", "limit": "x"}
    errors = Orders.errors(request)
    assert [error.param for error in errors] == ["status", "$filter", "few", "limit"]
    assert "did you mean 'total'?" in errors[1].message


def test_values() -> None:
    query = Orders.parse({"$filter": "total gt 5", "$orderby": "createTime desc"})
    assert (query.odata, query.few) == ("total gt 5", None)
    assert query.order == (SortKey("created", True),)
    assert [key["column"] for key in query.tree()["order"]] == ["created", "id"]


def test_a_cursor_is_of_its_conditions() -> None:
    query = Orders.parse({"$filter": "total gt 5 or status eq 'open'"})
    cursor = query.cursor_beside(["7"])
    assert Orders.parse({"$filter": "total gt 5 or status eq 'open'", "cursor": cursor})
    for other in ("total gt 5 and status eq 'open'", "total gt 6 or status eq 'open'", ""):
        with pytest.raises(sluice.ApiError) as raised:
            Orders.parse({"$filter": other, "cursor": cursor})
        assert raised.value.rule == "cursor_mismatch"


@pytest.mark.parametrize("grammar", get_args(Grammar))
def test_documents_have_examples_that_parse(grammar: Grammar) -> None:
    class Things(ListQuery, columns=[CREATED, Column("city"), Column("size", "integer")]):
        filter = sluice.expression(grammar, columns=("size", "city", "created"))
        order = sluice.ordering(grammar, columns=("size", "tags"), aliases={"at": CREATED})
        tags = sluice.filter(column=Column("tags", is_list=True))

    described = {parameter["name"]: parameter for parameter in Things.openapi_parameters()}
    for name in ("filter", "order"):
        schema = described[name]["schema"]
        assert schema["maxLength"] == 10_000
        [example] = schema["examples"]
        query = Things.parse({name: example})
        assert query.tree()["where"]["all"] or query.tree()["order"][0]["column"] == "created"
    note = described["filter"]["description"]
    assert all(f"`{column}` (" in note for column in ("size", "city", "created"))
    assert "`tags`" not in described["order"]["description"]


def test_declarations_are_checked() -> None:
    def declare(parameter: object) -> None:
        type("Things", (ListQuery,), {"filter": parameter})

    expression: Any = sluice.expression
    for parameter, message in [
        (expression("odta"), "filter: expected a grammar, one of aip160, odata"),
        (expression("odata", columns=[1]), "columns: expected names of columns or Columns"),
        (expression("odata", columns="id"), "columns: expected names"),
        (expression("odata", aliases={"a": 1}), "aliases: expected names"),
        (expression("odata", tests={"id": ["eq"]}), "tests: expected some of any_of"),
        (expression("odata", columns=["x"]), "filter: the schema has no column 'x'"),
        (expression("odata", columns=1), "columns: expected names"),
        (
            expression("odata", tests={"idd": ["any_of"]}),
            "filter: tests: no column 'idd', expected id",
        ),
        (
            expression("odata", columns=["id"], aliases={"key": "id"}, tests={"id": ["any_of"]}),
            "filter: tests: no column 'id', expected key",
        ),
        (expression("odata", searched=["id"]), "searched: only aip160 has words"),
        (sluice.odata(searched="id"), "searched: expected names"),
        (sluice.aip(searched="id"), "searched: expected names"),
        (sluice.scim(tests={"idd": ["any_of"]}), "filter: tests: no column 'idd'"),
        (expression("odata", default="id eq 1"), "its default can't be read: 'id eq 1'"),
    ]:
        with pytest.raises(ValueError, match=f"Things: .*{message}"):
            declare(parameter)
    with pytest.raises(TypeError, match="did you mean 'columns'"):
        expression("odata", colums=[])


# --- Engines -------------------------------------------------------------------------------------


class Base(DeclarativeBase):
    pass


class Order(Base):
    __tablename__ = "orders"
    id: Mapped[int] = mapped_column(primary_key=True)
    status: Mapped[str]
    total: Mapped[Decimal] = mapped_column(sa.Numeric(10, 2))
    created: Mapped[datetime] = mapped_column(sa.DateTime(timezone=True))
    city: Mapped[str | None]
    secret: Mapped[str]


ROWS = [
    {
        "id": number,
        "status": ("open", "paid")[number % 2],
        "total": Decimal(number),
        "created": datetime(2026, 8, number, tzinfo=UTC),
        "city": (None, "Oslo", "Bergen")[number % 3],
        "secret": "s",
    }
    for number in range(1, 10)
]


class Listed(ListQuery, model=Order):
    status = sluice.filter()
    odata = sluice.expression(
        "odata", name="$filter", columns=("status", "total", "city"), aliases={"at": "created"}
    )
    few = sluice.expression("rsql")
    order = sluice.ordering("odata", name="$orderby", columns=("total", "city"))
    page = sluice.page(default=5)


CASES = [
    (
        "total gt 5 or not (status eq 'open')",
        lambda row: row["total"] > 5 or row["status"] != "open",
    ),
    (
        "city eq null and at ge 2026-08-04T00:00:00Z",
        lambda row: row["city"] is None and row["id"] > 3,
    ),
    ("city ne 'Oslo'", lambda row: row["city"] != "Oslo"),
    (
        "contains(city,'erg') or total in (1,2)",
        lambda row: row["city"] == "Bergen" or row["id"] < 3,
    ),
    ("false", lambda row: False),
]


@pytest.mark.parametrize(("text", "meets"), CASES)
def test_engines_answer_alike(text: str, meets: Callable[[dict[str, Any]], bool]) -> None:
    expected = [row["id"] for row in ROWS if meets(row)]
    query = Listed.parse({"$filter": text})
    assert [row["id"] for row in ROWS if query.matches(row)] == expected
    frame = pl.DataFrame(ROWS, schema_overrides={"total": pl.Decimal(10, 2)})
    assert frame.filter(query.to_polars())["id"].to_list() == expected
    engine = sa.create_engine("sqlite://")
    Base.metadata.create_all(engine)
    with Session(engine) as session:
        session.add_all(Order(**row) for row in ROWS)
        session.commit()
        statement = sa.select(Order.id).where(query.where(Order)).order_by(Order.id)
        assert [*session.scalars(statement)] == expected
    engine.dispose()


def test_a_model_offers_the_named_columns_alone() -> None:
    for text in ("secret eq 's'", "created gt 2026-08-04T00:00:00Z"):
        with pytest.raises(sluice.ApiError) as raised:
            Listed.parse({"$filter": text})
        assert raised.value.rule == "column_unknown"
    # By default those of parameters and the key.
    assert Listed.parse({"few": "status==open;id=gt=4"})
    for name in ("secret", "total"):
        with pytest.raises(sluice.ApiError) as raised:
            Listed.parse({"few": f"{name}==1"})
        assert raised.value.rule == "column_unknown"


# --- Guidelines ----------------------------------------------------------------------------------


class ODataOrders(ListQuery, columns=[CREATED, Column("total", "integer"), Column("city")]):
    odata = sluice.odata(aliases={"at": "created"}, default=3, maximum=5, order="at desc")


class AipOrders(ListQuery, columns=[Column("total", "integer"), Column("city")]):
    aip = sluice.aip(searched=("city",), default=3, maximum=5)


class ScimOrders(ListQuery, columns=[Column("total", "integer"), Column("city")]):
    scim = sluice.scim(default=3, maximum=5)


def test_odata() -> None:
    assert ODataOrders.parameters == (
        ("$filter", "$orderby", "$skip", "$top", "$skiptoken", "$count")
    )
    query = ODataOrders.parse("$filter=total gt 5&$orderby=city desc&$top=4&$skip=8&$count=true")
    assert query.odata.filter == "total gt 5"
    assert query.odata.order == (SortKey("city", True),)
    assert (query.odata.page.limit, query.odata.page.offset, query.odata.page.count) == (4, 8, True)
    tree = query.tree()
    assert tree["where"] == {"all": [{"column": "total", "gt": 5}]}
    assert [key["column"] for key in tree["order"]] == ["city", "id"]
    assert ODataOrders.parse("").odata.order == (SortKey("created", True),)
    assert ODataOrders.parse("$top=70").odata.page.limit == 5
    [error] = ODataOrders.errors("$filter=at gt 5")
    assert (error.param, error.offset) == ("$filter", 6)


class Searched(ListQuery, columns=[Column("total", "integer"), Column("city")]):
    odata = sluice.odata(searched=("city", "street"))


def test_the_search_of_odata() -> None:
    assert Searched.parameters[:3] == ("$filter", "$orderby", "$search")
    query = Searched.parse({"$search": 'Oslo AND "Karl Johan"', "$filter": "total gt 5"})
    assert query.odata.search == 'Oslo AND "Karl Johan"'
    for row, is_met in [
        ({"city": "Oslo", "street": "Karl Johans gate", "total": 6}, True),
        ({"city": "Karl Johan", "street": "at Oslo", "total": 6}, True),
        ({"city": "Oslo", "street": "Johan Karl", "total": 6}, False),
        ({"city": "Oslo", "street": "Karl Johans gate", "total": 5}, False),
    ]:
        assert query.matches({"id": "1", **row}) == is_met
    assert Searched.parse("").odata.search is None
    [error] = Searched.errors("$search=Oslo OR Rome")
    assert (error.rule, error.param, error.offset) == ("expression_unsupported", "$search", 5)


def test_aip() -> None:
    assert AipOrders.parameters == ("filter", "order_by", "skip", "page_size", "page_token")
    query = AipOrders.parse("filter=total>5 Oslo&order_by=city desc,total&page_size=0&skip=2")
    assert query.aip.page.limit == 3
    assert query.tree()["where"] == {
        "all": [{"all": [{"column": "total", "gt": 5}, {"column": "city", "contains": ["Oslo"]}]}]
    }
    assert [key["direction"] for key in query.tree()["order"]] == ["desc", "asc", "asc"]


def test_scim() -> None:
    assert ScimOrders.parameters == (
        ("filter", "sortBy", "sortOrder", "startIndex", "count", "cursor")
    )
    query = ScimOrders.parse(
        "filter=total gt 5&sortBy=city&sortOrder=descending&startIndex=4&count=2"
    )
    assert (query.scim.page.offset, query.scim.page.limit) == (3, 2)
    assert [key["direction"] for key in query.tree()["order"]] == ["desc", "desc"]
    assert ScimOrders.parse(query.to_query_string()).tree() == query.tree()
    headers = sluice.pages.page_headers(query, "/orders", 2, has_more=True)
    assert 'rel="next"' not in headers["Link"]
    ends = sluice.pages.Ends(["Oslo", "1"], ["Oslo", "2"])
    headers = sluice.pages.page_headers(query, "/orders", 2, ends=ends, has_more=True)
    [following] = re.findall(r'<([^>]*)>; rel="next"', headers["Link"])
    assert ScimOrders.parse(following.partition("?")[2]).tree()["cursor"]["size"] == 2


@pytest.mark.parametrize(
    ("kind", "token", "first", "other"),
    [
        (ODataOrders, "$skiptoken", "$filter=total gt 5", "$filter=total gt 6"),
        (AipOrders, "page_token", "filter=total>5", "filter=total>5&order_by=city"),
        (ScimOrders, "cursor", "filter=total gt 5", "filter=total gt 5&sortBy=city"),
    ],
)
def test_a_token_of_other_arguments_is_malformed(
    kind: type[ListQuery], token: str, first: str, other: str
) -> None:
    query = kind.parse(first)
    keys = [datetime(2026, 8, 21, tzinfo=UTC)] * (kind is ODataOrders) + ["7"]
    cursor = query.cursor_beside(keys)
    assert kind.parse(f"{first}&{token}={cursor}")
    with pytest.raises(sluice.ApiError) as raised:
        kind.parse(f"{other}&{token}={cursor}")
    error = raised.value
    assert (error.rule, error.param, error.status) == ("cursor_mismatch", token, 400)


class ShortOData(ListQuery):
    all = sluice.odata(default=20, maximum=50)


class ShortAip(ListQuery):
    all = sluice.aip(default=20, maximum=50)


class ShortScim(ListQuery):
    all = sluice.scim(default=20, maximum=50)


def test_each_row_of_the_table_of_guidelines_pages_holds() -> None:
    table = Path(__file__).parents[1] / "data" / "guidelines" / "pages.tsv"
    classes: dict[str, type[ListQuery]] = {"odata": ShortOData, "aip": ShortAip, "scim": ShortScim}
    for line in table.read_text().splitlines()[1:]:
        of, request, expected = line.split("\t")
        errors = classes[of].errors(request)
        if errors:
            assert [str(error) for error in errors] == [expected]
            continue
        tree = classes[of].parse(request).tree()
        page = json.dumps(tree["page"], separators=(",", ":"))
        assert f"{page} {json.dumps(tree['total'])}" == expected, line
        assert ListQuery.from_tree(tree, [Column("id")]).tree()["page"] == tree["page"]


def test_a_page_without_rows_has_a_total_and_no_next_page() -> None:
    rows = [{"id": str(number)} for number in range(3)]
    for query in (ShortOData.parse("$top=0&$count=true"), ShortScim.parse("count=0")):
        page = query.apply(rows, "/orders")
        assert (page.rows, page.total) == ([], 3)
        assert "next" not in page.links
